package zone

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/timed"
)

// ErrTooLarge says that numbers in the model exceed what the matrices can hold.
var ErrTooLarge = errors.New("the numbers that clocks are compared with are too large")

// ErrDiagonal says that a difference of clocks is compared with too many numbers.
var ErrDiagonal = errors.New("a difference of clocks is compared with an expression that has " +
	"too many values")

// maxDiagonals bounds the numbers with which one difference of clocks is compared.
const maxDiagonals = 64

// table holds numbers for each clock, in the order of the clocks.
type table struct{ lower, upper []int32 }

func newTable(n int) table {
	t := table{make([]int32, n), make([]int32, n)}
	for i := 1; i < n; i++ {
		t.lower[i], t.upper[i] = none, none
	}
	return t
}

func (t table) join(u table, except []int) (changed bool) {
next:
	for i := range t.lower {
		for _, x := range except {
			if x == i {
				continue next
			}
		}
		if l, h := max(t.lower[i], u.lower[i]), max(t.upper[i], u.upper[i]); l != t.lower[i] ||
			h != t.upper[i] {
			t.lower[i], t.upper[i] = l, h
			changed = true
		}
	}
	return changed
}

// diagonal is a constraint i - j <= number or i - j < number.
type diagonal struct {
	i, j int
	b    bound
}

// analysis holds for each location of each process the largest numbers with which clocks are
// compared before they are set again (Behrmann, Bouyer, Fleury, Larsen: Static guard analysis in
// timed automata verification).
type analysis struct {
	at             [][]table // process, location
	all            table     // for the property and for diagonals: in every location
	diagonals      []diagonal
	aboutDeadlocks bool // the property is about deadlocks
	// Lower and upper are made equal: for diagonals, priorities, broadcasts whose receivers depend
	// on clocks, and doubtful deadlocks.
	equal   bool
	largest int64
	done    <-chan struct{} // the answer is not needed any more
}

func analyse(
	ctx context.Context, net *timed.Network, formulas []*timed.Formula,
) (*analysis, error) {
	n := len(net.Clocks)
	a := &analysis{all: newTable(n), equal: net.Prioritised() || net.Selective(), done: ctx.Done()}
	var constraints []timed.Constraint
	for _, p := range net.Processes {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		tables := make([]table, len(p.Locations))
		for l, loc := range p.Locations {
			tables[l] = newTable(n)
			own := append([]timed.Constraint(nil), loc.Clocks...)
			for _, e := range loc.Out {
				own = append(own, e.Clocks...)
			}
			for _, c := range own {
				if err := a.compare(tables[l], c); err != nil {
					return nil, err
				}
			}
			constraints = append(constraints, own...)
		}
		for again := true; again; {
			again = false
			for l, loc := range p.Locations {
				for _, e := range loc.Out {
					again = tables[l].join(tables[e.Target], e.Resets) || again
				}
			}
		}
		a.at = append(a.at, tables)
	}
	var failed error
	for _, f := range formulas {
		f.Walk(func(g *timed.Formula) {
			switch g.Op {
			case timed.Timing:
				if err := a.compare(a.all, g.Constraint); err != nil {
					failed = err
				}
				constraints = append(constraints, g.Constraint)
			case timed.Deadlock:
				a.aboutDeadlocks = true
			}
		})
	}
	if failed != nil {
		return nil, failed
	}
	return a, a.addDiagonals(constraints)
}

// compare enters the number of a constraint on one clock.
func (a *analysis) compare(t table, c timed.Constraint) error {
	most := max(c.Bound.Hi, -c.Bound.Lo)
	if most >= limit/4 {
		return fmt.Errorf("%s: %w: by its type, the number in %s can be as large as %d", c.Span,
			ErrTooLarge, c.Span.Text(), most)
	}
	a.largest = max(a.largest, most)
	if c.I.Hi == 0 {
		for x := c.J.Lo; x <= c.J.Hi; x++ {
			t.lower[x] = max(t.lower[x], int32(max(0, -c.Bound.Lo)))
		}
	} else if c.J.Hi == 0 {
		for x := c.I.Lo; x <= c.I.Hi; x++ {
			t.upper[x] = max(t.upper[x], int32(max(0, c.Bound.Hi)))
		}
	}
	return nil
}

// addDiagonals finds the constraints on differences. A clock in such a constraint is compared with
// the number after the other one was set to zero; this applies to every location. The explorer then
// refuses to set clocks to other values.
func (a *analysis) addDiagonals(constraints []timed.Constraint) error {
	seen := map[diagonal]bool{}
	for _, c := range constraints {
		if c.I.Hi == 0 || c.J.Hi == 0 {
			continue
		}
		if c.Bound.Hi-c.Bound.Lo >= maxDiagonals {
			return ErrDiagonal
		}
		a.equal = true
		for i := c.I.Lo; i <= c.I.Hi; i++ {
			for j := c.J.Lo; j <= c.J.Hi; j++ {
				a.largest = max(a.largest, c.Bound.Hi, -c.Bound.Lo)
				for v := c.Bound.Lo; v <= c.Bound.Hi; v++ {
					d := diagonal{i, j, atMost(v, c.Strict)}
					if i == j || seen[d] {
						continue
					}
					seen[d] = true
					a.diagonals = append(a.diagonals, d)
					for _, x := range []int{i, j} {
						a.all.lower[x] = max(a.all.lower[x], int32(max(v, -v)))
						a.all.upper[x] = max(a.all.upper[x], a.all.lower[x])
					}
				}
			}
		}
	}
	return nil
}

// afterDoubts gives the analysis for a search that begins again after doubts.
func (a *analysis) afterDoubts(d *doubts) *analysis {
	b := *a
	b.all = newTable(len(a.all.lower))
	b.all.join(a.all, nil)
	if b.equal = a.equal || d.lost; !d.lost {
		b.all.join(d.table, nil)
		b.largest = max(b.largest, int64(slices.Max(b.all.lower)), int64(slices.Max(b.all.upper)))
	}
	return &b
}

// table gives the numbers for a state, in fresh slices.
func (a *analysis) table(locations []int32) table {
	t := newTable(len(a.all.lower))
	t.join(a.all, nil)
	for p := range a.at {
		t.join(a.at[p][locations[p]], nil)
	}
	if a.equal {
		for i := range t.lower {
			t.lower[i] = max(t.lower[i], t.upper[i])
			t.upper[i] = t.lower[i]
		}
	}
	return t
}
