package diagram

import (
	"fmt"
	"strconv"
)

// Staircase is a set of pairs of numbers that has with each pair the larger ones. It is drawn by
// its least pairs, in a plane.
type Staircase struct {
	X, Y  string
	Pairs [][2]int64 // least ones; the second number grows
	More  bool       // there are more pairs with a larger second number
	Limit *Limit     // nil for none
}

// Limit is what a theorem allows: the pairs with A*x + B*y <= C.
type Limit struct {
	A, B, C int64
	Text    string
}

// Allows reports whether a pair is within the limit.
func (l *Limit) Allows(pair [2]int64) bool { return l.A*pair[0]+l.B*pair[1] <= l.C }

// Sizes of a plane.
const (
	planeWidth  = 420.0
	planeHeight = 300.0
)

// SVG draws the set, its least pairs as dots with their numbers, and the limit.
func (s *Staircase) SVG(title string) string {
	most := [2]int64{1, 1}
	for _, p := range s.Pairs {
		most[0], most[1] = max(most[0], p[0]), max(most[1], p[1])
	}
	if l := s.Limit; l != nil { // so that the line is seen, but not so large that the pairs are not
		if l.A > 0 {
			most[0] = max(most[0], min(l.C/l.A+1, 4*most[0]))
		}
		if l.B > 0 {
			most[1] = max(most[1], min(l.C/l.B+1, 4*most[1]))
		}
	}
	end := [2]float64{float64(most[0])*1.15 + 1, float64(most[1])*1.15 + 1}
	left := max(width(strconv.FormatInt(most[1], 10)), width(s.Y)) + 2*margin
	bottom := headHeight + planeHeight
	x := func(v float64) float64 { return left + min(v/end[0], 1)*planeWidth }
	y := func(v float64) float64 { return bottom - min(v/end[1], 1)*planeHeight }
	right := width("(9999, 9999)")
	if s.Limit != nil {
		right = max(right, width(s.Limit.Text))
	}
	b := begin("staircase", left+planeWidth+right+2*margin, bottom+headHeight+margin, title)
	s.region(b, x, y, end)
	for n := int64(0); n <= most[0]; n += step(most[0]) {
		b.text("tick", x(float64(n)), bottom+16, "middle", strconv.FormatInt(n, 10))
		b.line("tick", x(float64(n)), bottom, x(float64(n)), bottom+4, ` stroke="currentColor"`)
	}
	for n := int64(0); n <= most[1]; n += step(most[1]) {
		b.text("tick", left-margin/2, y(float64(n))+4, "end", strconv.FormatInt(n, 10))
		b.line("tick", left-4, y(float64(n)), left, y(float64(n)), ` stroke="currentColor"`)
	}
	b.text("axis-name", x(end[0]), bottom+headHeight, "end", s.X)
	b.text("axis-name", left-margin/2, headHeight-14, "end", s.Y)
	b.line("axis", left, bottom, left+planeWidth, bottom, ` stroke="currentColor"`)
	b.line("axis", left, headHeight, left, bottom, ` stroke="currentColor"`)
	s.limit(b, x, y, end)
	for _, p := range s.Pairs {
		px, py := x(float64(p[0])), y(float64(p[1]))
		text := fmt.Sprintf("%s = %d, %s = %d", s.X, p[0], s.Y, p[1])
		class, fill := "pair", "currentColor"
		if s.Limit != nil && !s.Limit.Allows(p) {
			class, fill = "pair beyond", "none"
		}
		b.f(`<g class="%s"><title>%s</title>`, class, escape(text))
		b.f(`<circle cx="%.1f" cy="%.1f" r="4" fill="%s" stroke="currentColor" stroke-width="2"/>`,
			px, py, fill)
		b.text("pair-name", px+8, py-6, "start", fmt.Sprintf("(%d, %d)", p[0], p[1]))
		b.f(`</g>`)
	}
	b.WriteString("</svg>")
	return b.String()
}

// step is the distance of two labels of an axis: 1, 2, 5, 10, ..., at most ten labels.
func step(most int64) int64 {
	for unit := int64(1); ; unit *= 10 {
		for _, n := range []int64{1, 2, 5} {
			if most/(n*unit) <= 10 {
				return n * unit
			}
		}
	}
}

// region fills the set up to the end of the plane.
func (s *Staircase) region(b *svg, x, y func(float64) float64, end [2]float64) {
	if len(s.Pairs) == 0 {
		return
	}
	first, last := s.Pairs[0], s.Pairs[len(s.Pairs)-1]
	b.f(`<path class="region" fill="currentColor" fill-opacity=".15" d="M%.1f %.1fL%.1f %.1f`,
		x(end[0]), y(end[1]), x(end[0]), y(float64(first[1])))
	for i, p := range s.Pairs {
		b.f(`L%.1f %.1f`, x(float64(p[0])), y(float64(p[1])))
		if i+1 < len(s.Pairs) {
			b.f(`L%.1f %.1f`, x(float64(p[0])), y(float64(s.Pairs[i+1][1])))
		}
	}
	b.f(`L%.1f %.1fZ"/>`, x(float64(last[0])), y(end[1]))
	if s.More {
		b.text("more", x(float64(last[0])), y(end[1])-2, "middle", "…")
	}
}

// limit draws the line of the limit, within the plane.
func (s *Staircase) limit(b *svg, x, y func(float64) float64, end [2]float64) {
	l := s.Limit
	if l == nil || l.C < 0 || l.A <= 0 || l.B <= 0 {
		return
	}
	at := func(x float64) float64 { return (float64(l.C) - float64(l.A)*x) / float64(l.B) }
	from, to := 0.0, float64(l.C)/float64(l.A)
	if at(from) > end[1] {
		from = (float64(l.C) - float64(l.B)*end[1]) / float64(l.A)
	}
	to = min(to, end[0])
	if from >= end[0] {
		return
	}
	b.f(`<g class="limit"><title>%s</title>`, escape(l.Text))
	b.line("limit", x(from), y(at(from)), x(to), y(at(to)),
		` stroke="currentColor" stroke-width="2" stroke-dasharray="6 4"`)
	b.text("limit-name", x(to)+6, y(at(to))-6, "start", l.Text)
	b.f(`</g>`)
}
