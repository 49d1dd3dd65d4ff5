package diagram

import (
	"fmt"
	"slices"
)

// Timing is a run along a time axis from left to right, with a lane for each process. Times are in
// one unit, of which a round has Round.
type Timing struct {
	Lanes        []string
	Since, Until int64 // what is drawn
	Round        int64
	Steps        []Moment
	Messages     []Flight
	Intervals    []Interval
	Gaps         []Interval // times without a step that force a bound
}

// Moment is an event of a lane.
type Moment struct {
	Lane int
	At   int64
}

// Flight is a message from one lane to another.
type Flight struct {
	From, To       int
	Sent, Received int64 // of a message that is lost, Received is of no meaning
	Lost           bool
	Forces         bool // it is the slowest
	Text           string
}

// Interval is a time in which something is true of a lane.
type Interval struct {
	Lane         int
	Since, Until int64
	Text         string
}

// Distances of a timing picture.
const (
	laneHeight = 74.0
	barHeight  = 18.0
	mostWide   = 12000.0 // of the time axis
	roundWidth = 24.0
)

// SVG draws the picture.
func (t *Timing) SVG(title string) string {
	p := timingPicture{Timing: t}
	for i := range t.Lanes {
		p.rows = append(p.rows, t.texts(i))
	}
	rounds := float64(t.Until-t.Since)/float64(t.Round) + 1
	p.scale = min(roundWidth, mostWide/rounds) / float64(t.Round)
	names := 0.0
	for _, l := range t.Lanes {
		names = max(names, width(short(l, longestName)))
	}
	p.left = margin*3 + names
	right := p.x(t.Until) + 6*margin
	for _, i := range slices.Concat(t.Intervals, t.Gaps) {
		right = max(right, p.x(max(i.Since, t.Since))+width(i.Text)+margin)
	}
	p.svg = begin("timing", right, p.base(len(t.Lanes)), title)
	p.axis(right)
	for i, l := range t.Lanes {
		p.text("lane-name", margin, p.y(i)+4, "start", short(l, longestName))
		y := p.y(i)
		p.line("lane", p.left, y, right-margin, y, ` stroke="currentColor" stroke-opacity=".45"`)
	}
	p.intervals()
	for _, m := range t.Messages {
		p.flight(m)
	}
	for _, s := range t.Steps {
		if t.shows(s.At, s.At) {
			x, y := p.x(s.At), p.y(s.Lane)
			p.line("step", x, y-6, x, y+6, ` stroke="currentColor" stroke-width="2"`)
		}
	}
	p.WriteString("</svg>")
	return p.String()
}

// timingPicture is a drawing of a Timing.
type timingPicture struct {
	*svg
	*Timing
	left  float64
	scale float64
	rows  [][]string // of bars of each lane, by their texts
}

func (t *Timing) shows(since, until int64) bool { return until >= t.Since && since <= t.Until }

// texts lists the texts of the intervals of a lane. Each has a row of its own.
func (t *Timing) texts(lane int) (out []string) {
	for _, i := range t.Intervals {
		if i.Lane == lane && t.shows(i.Since, i.Until) && !slices.Contains(out, i.Text) {
			out = append(out, i.Text)
		}
	}
	slices.Sort(out)
	return out
}

func (p *timingPicture) x(at int64) float64 {
	return p.left + float64(min(max(at, p.Since), p.Until)-p.Since)*p.scale
}

// base is where a lane begins.
func (p *timingPicture) base(lane int) float64 {
	y := headHeight
	for _, row := range p.rows[:lane] {
		y += laneHeight + float64(len(row))*barHeight
	}
	return y
}

func (p *timingPicture) y(lane int) float64 { return p.base(lane) + laneHeight/2 }

// axis draws the rounds, of which a label is at least 60 units from the next.
func (p *timingPicture) axis(right float64) {
	every := int64(1) // 1, 2, 5, 10, ...
	for i := 0; float64(every)*float64(p.Round)*p.scale < 60; i++ {
		if i%3 == 1 {
			every = every / 2 * 5
		} else {
			every *= 2
		}
	}
	top := headHeight - 8
	p.line("axis", p.left, top, right-margin, top, ` stroke="currentColor" stroke-opacity=".45"`)
	for n := int64(0); n <= (p.Until-p.Since)/p.Round; n += every {
		x := p.x(p.Since + n*p.Round)
		p.line("tick", x, top-4, x, p.base(len(p.Lanes)), ` stroke="currentColor" stroke-opacity=".12"`)
		label := fmt.Sprint(n)
		if n == 0 {
			label = "0 rounds"
		}
		p.text("time", x, top-8, "start", label)
	}
}

// intervals draws what is true for a while below a lane, and on it the longest time without a step.
func (p *timingPicture) intervals() {
	for _, i := range p.Intervals {
		if !p.shows(i.Since, i.Until) {
			continue
		}
		row := slices.Index(p.rows[i.Lane], i.Text)
		y := p.base(i.Lane) + laneHeight - 14 + float64(row)*barHeight
		p.f(`<g class="interval"><title>%s</title>`, escape(i.Text))
		p.f(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="currentColor" fill-opacity=".25"/>`,
			p.x(i.Since), y, max(p.x(i.Until)-p.x(i.Since), 1), barHeight-4)
		p.text("interval-name", p.x(i.Since)+3, y+barHeight-7, "start", i.Text)
		p.f(`</g>`)
	}
	for _, g := range p.Gaps {
		if !p.shows(g.Since, g.Until) {
			continue
		}
		p.f(`<g class="gap"><title>%s</title>`, escape(g.Text))
		y := p.y(g.Lane)
		p.line("force", p.x(g.Since), y, p.x(g.Until), y, ` stroke="currentColor" stroke-width="4"`)
		p.text("force-name", p.x(g.Since)+4, p.y(g.Lane)-9, "start", g.Text)
		p.f(`</g>`)
	}
}

func (p *timingPicture) flight(m Flight) {
	received := m.Received
	if m.Lost {
		received = m.Sent + p.Round
	}
	if !p.shows(m.Sent, received) {
		return
	}
	x1, y1, x2, y2 := p.x(m.Sent), p.y(m.From), p.x(received), p.y(m.To)
	class, more := "arrived", ` stroke-opacity=".6"`
	switch {
	case m.Lost:
		class, more = "lost", ` stroke-dasharray="5 4"`
		x2, y2 = x1+(x2-x1)*.5, y1+(y2-y1)*.5
	case m.Forces:
		class, more = "forces", ` stroke-width="3"`
	}
	p.f(`<g class="message %s"><title>%s</title>`, class, escape(m.Text))
	p.line("arrow", x1, y1, x2, y2, ` stroke="currentColor"`+more)
	if m.Lost {
		p.text("lost", x2, y2+4, "middle", "✕")
	} else {
		p.head("head", x1, y1, x2, y2)
	}
	if m.Forces {
		p.text("force-name", x1+(x2-x1)*.3+4, y1+(y2-y1)*.3, "start", m.Text)
	}
	p.f(`</g>`)
}
