package report

import (
	"fmt"
	"math"
	"slices"

	"erelong.dev/erelong/internal/diagram"
	"erelong.dev/erelong/internal/result"
)

// kind is how a point is drawn.
func (p *Point) kind() diagram.CellKind {
	switch {
	case p.result == nil:
		return diagram.CellEmpty
	case p.Verdict == result.Holds:
		return diagram.CellHolds
	case p.Verdict == result.Violated || p.Verdict == result.NoRun:
		return diagram.CellViolated
	}
	return diagram.CellOpen
}

// Measure is what a map of a sweep shows.
type Measure string

const (
	ByVerdict Measure = "verdict"
	ByStates  Measure = "states"
	ByDepth   Measure = "depth"
	ByTime    Measure = "time"
)

// Measures lists what can be shown.
var Measures = []Measure{ByVerdict, ByStates, ByDepth, ByTime}

// of is the measure of a result as a number.
func (m Measure) of(r *result.Result) float64 {
	switch m {
	case ByStates:
		return float64(r.States)
	case ByDepth:
		return float64(r.Depth)
	}
	return r.Elapsed.Seconds()
}

// text is the measure of a result in a cell.
func (m Measure) text(p *Point) string {
	sign := map[diagram.CellKind]string{diagram.CellHolds: "✓", diagram.CellViolated: "✗",
		diagram.CellOpen: "?"}[p.kind()]
	value := ""
	switch m {
	case ByVerdict:
		return sign
	case ByStates:
		value = count(p.result.States)
	case ByDepth:
		value = count(p.result.Depth)
	case ByTime:
		value = duration(p.result.Elapsed)
	}
	if sign == "✓" {
		return value
	}
	return value + " " + sign
}

// Heat is the picture of a sweep. Shades are by the logarithm of the measure.
func (s *Sweep) Heat(m Measure, link func(p *Point) string) *diagram.Heat {
	h := &diagram.Heat{X: s.X.Name, Y: s.Y.Name, Xs: s.X.Values, Ys: s.Y.Values}
	most := 0.0
	for _, row := range s.Points {
		for i := range row {
			if row[i].result != nil {
				most = max(most, m.of(row[i].result))
			}
		}
	}
	for j, row := range s.Points {
		var cells []diagram.Cell
		for i := range row {
			p := &row[i]
			if p.result == nil {
				cells = append(cells, diagram.Cell{Kind: diagram.CellEmpty})
				continue
			}
			r := p.result
			c := diagram.Cell{Kind: p.kind(), Text: m.text(p),
				Marked: slices.Contains(s.Front.Marked, [2]int{i, j}),
				Title: fmt.Sprintf("%s: %s, %s, depth %s, %s", p.Instance, spoken(r),
					plural(int(r.States), "state", "states"), count(r.Depth), duration(r.Elapsed)),
			}
			if c.Marked {
				c.Title += "; on the border"
			}
			if most > 0 {
				c.Shade = math.Log1p(1000*m.of(r)/most) / math.Log1p(1000)
			}
			if link != nil {
				c.Link = link(p)
			}
			cells = append(cells, c)
		}
		h.Cells = append(h.Cells, cells)
	}
	return h
}

// SVG draws a sweep.
func (s *Sweep) SVG(m Measure, link func(p *Point) string) string {
	return s.Heat(m, link).SVG(s.Title()+", "+string(m), m != ByVerdict)
}

// Title names a sweep.
func (s *Sweep) Title() string {
	text := s.Property + " by " + s.X.Name
	if s.Y.Name != "" {
		text += " and " + s.Y.Name
	}
	if s.Slice != "" {
		text += ", " + s.Slice
	}
	return text
}
