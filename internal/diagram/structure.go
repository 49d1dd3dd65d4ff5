package diagram

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/result"
)

// MostElements is the number of elements up to which a state is drawn as a structure.
const MostElements = 16

// mostFacts bounds the lines of facts beside a structure. What changes comes first.
const mostFacts = 18

// mark says how a fact differs from the state beside it.
type mark string

const (
	same    mark = ""
	added   mark = "added"
	removed mark = "removed"
)

// fact is something that is true in a state: of an element, of a pair of elements, or of others.
type fact struct {
	text     string
	from, to int // elements, negative for none
	mark     mark
}

// structure is a state as a structure of first-order logic: its elements, and what is true of them.
type structure struct {
	elements []string
	at       map[string]int // by sort and name
}

func newStructure(universe []result.Universe) *structure {
	s := &structure{at: map[string]int{}}
	for _, u := range universe {
		for _, e := range u.Elements {
			s.at[u.Sort+" "+e] = len(s.elements)
			s.elements = append(s.elements, e)
		}
	}
	return s
}

func (s *structure) element(v result.Value) int {
	if i, ok := s.at[v.Sort+" "+v.Text]; ok && v.Kind == result.AtomValue {
		return i
	}
	return -1
}

// facts lists what is true in a state. Relations have a fact for each tuple, functions for each
// point.
func (s *structure) facts(state []result.Binding) (out []fact) {
	for _, b := range state {
		switch b.Value.Kind {
		case result.SetValue, result.MapValue:
			for _, r := range b.Value.Rows {
				out = append(out, s.row(b.Name, b.Value.Kind, r))
			}
		default:
			out = append(out,
				fact{text: b.Name + " = " + b.Value.String(), from: -1, to: s.element(b.Value)})
		}
	}
	return out
}

func (s *structure) row(name string, kind result.ValueKind, r result.Row) fact {
	value := ""
	if kind == result.MapValue {
		value = " = " + r.Result.String()
	}
	if len(r.Key) > 0 {
		from := s.element(r.Key[0])
		switch {
		case from < 0:
		case len(r.Key) == 1 && kind == result.SetValue:
			return fact{text: name, from: from, to: -1}
		case len(r.Key) == 1:
			if to := s.element(r.Result); to >= 0 {
				return fact{text: name, from: from, to: to}
			}
			return fact{text: name + value, from: from, to: -1}
		case len(r.Key) == 2 && kind == result.SetValue:
			if to := s.element(r.Key[1]); to >= 0 {
				return fact{text: name, from: from, to: to}
			}
		}
	}
	keys := make([]string, len(r.Key))
	for i, k := range r.Key {
		keys[i] = k.String()
	}
	return fact{text: name + "(" + strings.Join(keys, ", ") + ")" + value, from: -1, to: -1}
}

// differ marks the facts of a state that are not facts before, and adds the ones that no longer
// are.
func differ(before, after []fact) (out []fact) {
	was, is := map[fact]bool{}, map[fact]bool{}
	for _, f := range before {
		was[f] = true
	}
	for _, f := range after {
		is[f] = true
		if !was[f] {
			f.mark = added
		}
		out = append(out, f)
	}
	for _, f := range before {
		if !is[f] {
			f.mark = removed
			out = append(out, f)
		}
	}
	return out
}

// StepSVG draws a step: the state before it, and the state after it with the difference, as graphs
// of the elements. A relation of two elements is an arrow, one of a single element a line in its
// box. It gives the empty text where there are no elements, or too many.
func StepSVG(t *result.Trace, step int, o Options) string {
	t = t.Shown()
	s := newStructure(t.Universe)
	if len(s.elements) == 0 || len(s.elements) > MostElements || step < 0 || step >= len(t.Steps) {
		return ""
	}
	now := s.facts(t.Steps[step].State)
	panels := []panel{s.panel(fmt.Sprintf("state %d", step), now)}
	if step > 0 {
		before := s.facts(t.Steps[step-1].State)
		title := fmt.Sprintf("state %d: %s", step, call(t.Steps[step]))
		panels = []panel{s.panel(fmt.Sprintf("state %d", step-1), before),
			s.panel(title, differ(before, now))}
	}
	w, h := 0.0, 0.0
	for i := range panels {
		panels[i].spread(panels)
		w = max(w, panels[i].w)
		h += panels[i].h
	}
	b := begin("structure", w, h, o.Title)
	top := 0.0
	for _, p := range panels { // one below the other, so a narrow page can show them
		p.draw(b, top)
		top += p.h
	}
	b.WriteString("</svg>")
	return b.String()
}

// panel is one state.
type panel struct {
	title  string
	names  []string
	inside [][]fact // of each element
	pairs  []pair
	rest   []fact
	w, h   float64
	head   float64 // above the elements
	below  float64 // the place of the first fact about no element
	rx, ry float64 // of the ellipse of the elements
	boxW   float64
	boxH   float64
}

// pair is the facts from one element to another.
type pair struct {
	from, to int
	facts    []fact
}

const lineHeight = 15.0

func (s *structure) panel(title string, facts []fact) panel {
	p := panel{title: title, names: s.elements, inside: make([][]fact, len(s.elements))}
	for _, f := range facts {
		switch {
		case f.from < 0:
			p.rest = append(p.rest, f)
		case f.to < 0:
			p.inside[f.from] = append(p.inside[f.from], f)
		default:
			i := slices.IndexFunc(p.pairs, func(q pair) bool {
				return q.from == f.from && q.to == f.to
			})
			if i < 0 {
				i = len(p.pairs)
				p.pairs = append(p.pairs, pair{from: f.from, to: f.to})
			}
			p.pairs[i].facts = append(p.pairs[i].facts, f)
		}
	}
	slices.SortStableFunc(p.rest, func(a, b fact) int { return rank(a) - rank(b) })
	if more := len(p.rest) - mostFacts; more > 0 {
		p.rest = append(p.rest[:mostFacts:mostFacts],
			fact{text: fmt.Sprintf("and %d more facts", more), from: -1, to: -1})
	}
	return p
}

func rank(f fact) int {
	if f.mark == same {
		return 1
	}
	return 0
}

// spread chooses the measures of a panel, the same for all so that elements stay in their places.
func (p *panel) spread(all []panel) {
	lines := 0
	widest := width(short(p.title, longestText))
	for _, q := range all {
		for i, name := range q.names {
			p.boxW = max(p.boxW, width(short(name, longestName))+16)
			lines = max(lines, len(q.inside[i]))
			for _, f := range q.inside[i] {
				p.boxW = max(p.boxW, width(line(f))+16)
			}
		}
	}
	for _, f := range p.rest {
		widest = max(widest, width(line(f)))
	}
	p.boxH = lineHeight*float64(lines+1) + 10
	n := float64(len(p.names))
	room := 12.0 // for arrows and their names
	if slices.ContainsFunc(all, func(q panel) bool { return len(q.pairs) > 0 }) {
		room = 60
	}
	if n > 1 {
		p.rx = max(p.boxW/2+room, n*(p.boxW+room)/(2*math.Pi))
		p.ry = max(p.boxH/2+room/2, n*(p.boxH+room/2)/(2*math.Pi))
	}
	if n == 2 {
		p.ry = 0
	}
	p.head = 32 + room/2
	p.below = p.head + 2*p.ry + p.boxH + room/2 + lineHeight
	p.w = max(2*p.rx+p.boxW+2*room, widest+2*margin)
	p.h = p.below + lineHeight*float64(len(p.rest)) + margin
}

// line is a fact as text; a sign says what colour alone would not.
func line(f fact) string {
	text := short(f.text, 2*longestName)
	switch f.mark {
	case added:
		return "+ " + text
	case removed:
		return "− " + text
	}
	return text
}

// place is the centre of an element.
func (p *panel) place(i int) (x, y float64) {
	angle := 2*math.Pi*float64(i)/float64(len(p.names)) - math.Pi
	return p.w/2 + p.rx*math.Cos(angle), p.head + p.ry + p.boxH/2 + p.ry*math.Sin(angle)
}

func (p *panel) draw(b *svg, y float64) {
	b.f(`<g transform="translate(0 %.1f)">`, y)
	b.text("panel-name", margin, 20, "start", short(p.title, longestText))
	for _, q := range p.pairs {
		p.drawPair(b, q)
	}
	for i, name := range p.names {
		cx, cy := p.place(i)
		b.f(`<g class="element"><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="6" fill="none" stroke="currentColor"/>`,
			cx-p.boxW/2, cy-p.boxH/2, p.boxW, p.boxH)
		b.text("element-name", cx, cy-p.boxH/2+lineHeight, "middle", short(name, longestName))
		for j, f := range p.inside[i] {
			b.text("fact "+string(f.mark), cx, cy-p.boxH/2+lineHeight*float64(j+2), "middle",
				line(f))
		}
		b.f(`</g>`)
	}
	for i, f := range p.rest {
		b.text("fact "+string(f.mark), margin, p.below+lineHeight*float64(i), "start", line(f))
	}
	b.f(`</g>`)
}

// drawPair draws an arrow from the border of one box to that of another, bent to the left so that
// the arrow back is another one.
func (p *panel) drawPair(b *svg, q pair) {
	x1, y1 := p.place(q.from)
	x2, y2 := p.place(q.to)
	class, dash := "same", ""
	switch {
	case !slices.ContainsFunc(q.facts, func(f fact) bool { return f.mark != removed }):
		class, dash = "removed", ` stroke-dasharray="5 4"`
	case !slices.ContainsFunc(q.facts, func(f fact) bool { return f.mark != added }):
		class = "added"
	}
	var path string
	var cx, cy float64
	if q.from == q.to {
		top := y1 - p.boxH/2
		cx, cy = x1+30, top-24
		path = fmt.Sprintf("M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", x1, top, x1-30, cy, cx, cy,
			x1+8, top)
		x2, y2 = x1+8, top
	} else {
		dx, dy := x2-x1, y2-y1
		d := hypot(dx, dy)
		cx, cy = (x1+x2)/2+dy/d*28, (y1+y2)/2-dx/d*28
		x1, y1 = p.border(x1, y1, cx, cy)
		x2, y2 = p.border(x2, y2, cx, cy)
		path = fmt.Sprintf("M%.1f %.1fQ%.1f %.1f %.1f %.1f", x1, y1, cx, cy, x2, y2)
	}
	b.f(`<g class="pair %s"><path class="arrow" d="%s" fill="none" stroke="currentColor"%s/>`,
		class, path, dash)
	b.head("head", cx, cy, x2, y2)
	for i, f := range q.facts {
		b.text("fact "+string(f.mark), (x1+2*cx+x2)/4, (y1+2*cy+y2)/4+lineHeight*float64(i)-2,
			"middle", line(f))
	}
	b.f(`</g>`)
}

// border is where the line from a box to a point leaves the box.
func (p *panel) border(x, y, tox, toy float64) (float64, float64) {
	dx, dy := tox-x, toy-y
	f := 1.0
	if dx != 0 {
		f = min(f, p.boxW/2/abs(dx))
	}
	if dy != 0 {
		f = min(f, p.boxH/2/abs(dy))
	}
	return x + dx*f, y + dy*f
}
