package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"erelong.dev/erelong/internal/diagram"
)

// Front is the border of the points at which a property holds.
type Front struct {
	Holds, Violated, Open int // numbers of points
	// Marked are the extreme points at which it holds, by the indices of X and Y.
	Marked [][2]int
	Text   string
}

// directions are the ways in which a property may be preserved: for larger or smaller values of X,
// and of Y.
var directions = [][2]int{{1, 1}, {-1, -1}, {1, -1}, {-1, 1}}

// front finds the border: in the first direction in which the property is preserved, the points at
// which that begins.
func (s *Sweep) front() {
	var holds, others [][2]int
	for j, row := range s.Points {
		for i, p := range row {
			switch p.kind() {
			case diagram.CellHolds:
				holds = append(holds, [2]int{i, j})
			case diagram.CellViolated:
				s.Front.Violated++
				others = append(others, [2]int{i, j})
			case diagram.CellOpen:
				s.Front.Open++
				others = append(others, [2]int{i, j})
			}
		}
	}
	s.Front.Holds = len(holds)
	defer func() { s.Front.Text = s.Front.spoken(s) }()
	if len(holds) == 0 || len(others) == 0 {
		return
	}
	for _, d := range directions {
		if !preserved(holds, others, d) {
			continue
		}
		s.Front.Marked = extreme(holds, d)
		s.Front.Text = s.direction(d)
		return
	}
	marked := map[[2]int]bool{}
	for _, d := range directions[:2] {
		for _, p := range extreme(holds, d) {
			marked[p] = true
		}
	}
	s.Front.Marked = slices.SortedFunc(maps.Keys(marked), comparePoints)
}

// beyond reports whether q is p or lies beyond it in a direction.
func beyond(p, q, d [2]int) bool { return (q[0]-p[0])*d[0] >= 0 && (q[1]-p[1])*d[1] >= 0 }

// preserved reports whether the property holds at every point beyond one at which it holds.
func preserved(holds, others [][2]int, d [2]int) bool {
	return !slices.ContainsFunc(holds, func(p [2]int) bool {
		return slices.ContainsFunc(others, func(q [2]int) bool { return beyond(p, q, d) })
	})
}

// extreme lists the points beyond no other one.
func extreme(points [][2]int, d [2]int) (out [][2]int) {
	for _, q := range points {
		if !slices.ContainsFunc(points, func(p [2]int) bool { return p != q && beyond(p, q, d) }) {
			out = append(out, q)
		}
	}
	slices.SortFunc(out, comparePoints)
	return out
}

func comparePoints(a, b [2]int) int {
	return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
}

// direction says where the property is preserved.
func (s *Sweep) direction(d [2]int) string {
	word := map[int]string{1: "larger", -1: "smaller"}
	switch {
	case s.Y.Name == "":
		return fmt.Sprintf("every %s %s", word[d[0]], s.X.Name)
	case d[0] == d[1]:
		return fmt.Sprintf("every %s %s and %s", word[d[0]], s.X.Name, s.Y.Name)
	}
	return fmt.Sprintf("every %s %s and %s %s", word[d[0]], s.X.Name, word[d[1]], s.Y.Name)
}

// spoken says what the front is. Before, Text has the direction in which the property is preserved.
func (f *Front) spoken(s *Sweep) string {
	all := f.Holds + f.Violated + f.Open
	text := fmt.Sprintf("holds at %s of %s", group(int64(f.Holds)), plural(all, "point", "points"))
	switch {
	case f.Holds == all:
		text = fmt.Sprintf("holds at every point of %s", group(int64(all)))
	case f.Violated == all:
		text = fmt.Sprintf("is violated at every point of %s", group(int64(all)))
	}
	if f.Holds > 0 {
		text += assuming(s.Assumptions)
	}
	if f.Open > 0 {
		text += fmt.Sprintf(", open at %s", group(int64(f.Open)))
	}
	switch {
	case s.Proved:
		text += "; it is proved for all instances"
	case len(f.Marked) == 0:
	case f.Text == "":
		text += "; the least and the greatest of these points are marked"
	default:
		text += fmt.Sprintf("; among the explored points it holds from the marked ones on, for %s",
			f.Text)
	}
	return text
}
