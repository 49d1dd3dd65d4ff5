package diagram

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Options of a drawing.
type Options struct {
	Title string
	Link  func(state int) string // the address of a state; nil for none
	At    int                    // the state to mark, negative for none
}

// Distances in a drawing, in its own units; a text of size 12 has letters of about 7.3.
const (
	letter     = 7.3
	rowHeight  = 30.0
	headHeight = 34.0
	margin     = 10.0
)

// svg is a drawing in progress.
type svg struct{ strings.Builder }

func (b *svg) f(format string, args ...any) { fmt.Fprintf(b, format, args...) }

// escape makes text safe between tags and in attributes.
func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(clean(s))) // a strings.Builder gives no error
	return b.String()
}

func width(s string) float64 { return float64(utf8.RuneCountInString(s)) * letter }

// short cuts a text to n characters.
func short(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

func (b *svg) text(class string, x, y float64, anchor, text string) {
	b.f(`<text class="%s" x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, class, x, y, anchor,
		escape(text))
}

func (b *svg) line(class string, x1, y1, x2, y2 float64, more string) {
	b.f(`<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"%s/>`, class, x1, y1, x2, y2, more)
}

// begin opens a drawing with its title. The attributes of the root are the look without a style
// sheet. The drawing is an element of a page, so it names no namespace.
func begin(kind string, w, h float64, title string) *svg {
	b := &svg{}
	b.f(`<svg class="diagram %s" role="group" aria-label="%s" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" `+
		`font-family="ui-monospace, monospace" font-size="12" fill="currentColor" stroke="none">`,
		kind, escape(title), w, h, w, h)
	b.f(`<title>%s</title>`, escape(title))
	return b
}

// head draws the end of an arrow that comes from one point to another.
func (b *svg) head(class string, x1, y1, x2, y2 float64) {
	dx, dy := x2-x1, y2-y1
	n := max(abs(dx), abs(dy), 1)
	if dy != 0 && dx != 0 {
		n = hypot(dx, dy)
	}
	ux, uy := dx/n, dy/n
	const size = 8
	b.f(`<path class="%s" d="M%.1f %.1fL%.1f %.1fL%.1f %.1fZ"/>`, class, x2, y2,
		x2-size*ux-size/2*uy, y2-size*uy+size/2*ux, x2-size*ux+size/2*uy, y2-size*uy-size/2*ux)
}

// SVG draws a chart.
func (c *Chart) SVG(o Options) string {
	labels, times, texts := 0.0, 0.0, 0.0
	for _, r := range c.Rows {
		labels, times, texts = max(labels, width(r.Label)), max(times, width(r.Time)),
			max(texts, width(short(r.Text, longestText)))
	}
	left := margin*2 + labels
	if times > 0 {
		left += times + margin
	}
	gap := 60.0
	for i := range c.Lanes {
		name := short(c.Lanes[i], longestName)
		gap = max(gap, width(name)+18)
	}
	for _, a := range c.Arrows {
		gap = max(gap, width(short(a.Name, longestName))+24)
	}
	x := func(lane int) float64 { return left + margin + gap*(float64(lane)+.5) }
	y := func(row int) float64 { return headHeight + rowHeight*(float64(row)+.5) }
	end := x(len(c.Lanes)-1) + gap/2 + margin
	columns := make([]float64, len(c.Values)) // where each column of values ends
	for i, name := range c.Values {
		wide := width(short(name, longestName))
		for _, r := range c.Rows {
			wide = max(wide, width(short(r.Value[i], longestName)))
		}
		end += wide + 2*margin
		columns[i] = end - margin
	}
	h := headHeight + rowHeight*float64(len(c.Rows)) + margin
	w := end + margin + texts + margin
	b := begin("chart", w, h, o.Title)
	for i, r := range c.Rows {
		class := "row"
		if r.State == o.At && (i == 0 || c.Rows[i-1].State != o.At) {
			class = "row here"
		}
		b.f(`<rect class="%s" x="0" y="%.1f" width="%.1f" height="%.1f" fill="none"/>`, class,
			y(i)-rowHeight/2, w, rowHeight)
		if r.Loop {
			b.line("loop", 4, y(i)-rowHeight/2, 4, y(i)+rowHeight/2, ` stroke="currentColor" stroke-width="3"`)
		}
	}
	c.drawLanes(b, x, y, h)
	c.drawValues(b, columns, y)
	for i, r := range c.Rows {
		c.drawRow(b, r, i, left, end+margin, x, y, o)
	}
	for _, a := range c.Arrows {
		c.drawArrow(b, a, x, y)
	}
	for i, r := range c.Rows {
		for _, lane := range r.Dots {
			b.f(`<circle class="dot" cx="%.1f" cy="%.1f" r="4"/>`, x(lane), y(i))
		}
	}
	b.WriteString("</svg>")
	return b.String()
}

const (
	longestName = 24
	longestText = 90
)

func (c *Chart) drawLanes(b *svg, x func(int) float64, y func(int) float64, h float64) {
	for i, name := range c.Lanes {
		down := h - margin
		for j, r := range c.Rows {
			if slices.Contains(r.Falls, i) {
				down = min(down, y(j))
			}
		}
		b.f(`<g><title>%s</title>`, escape(name))
		b.text("lane-name", x(i), 20, "middle", short(name, longestName))
		b.f(`</g>`)
		b.line("lane", x(i), headHeight-6, x(i), down,
			` stroke="currentColor" stroke-opacity=".45"`)
		if down < h-margin {
			b.line("lane gone", x(i), down, x(i), h-margin, ` stroke="currentColor" stroke-opacity=".45" stroke-dasharray="2 5"`)
			b.text("crash", x(i), down+5, "middle", "✕")
		}
	}
}

func (c *Chart) drawValues(b *svg, ends []float64, y func(int) float64) {
	for i, name := range c.Values {
		b.f(`<g><title>%s</title>`, escape(name))
		b.text("value-name", ends[i], 20, "end", short(name, longestName))
		b.f(`</g>`)
		for j, r := range c.Rows {
			class := "value"
			if j > 0 && c.Rows[j-1].Value[i] != r.Value[i] {
				class = "value changed"
			}
			b.text(class, ends[i], y(j)+4, "end", short(r.Value[i], longestName))
		}
	}
}

func (c *Chart) drawRow(
	b *svg, r Row, i int, left, text float64, x func(int) float64, y func(int) float64, o Options,
) {
	if o.Link != nil {
		b.f(`<a href="%s" data-state="%d">`, escape(o.Link(r.State)), r.State)
	}
	b.text("label", margin, y(i)+4, "start", r.Label)
	if o.Link != nil {
		b.f(`</a>`)
	}
	if r.Time != "" {
		b.text("time", left-margin, y(i)+4, "end", r.Time)
		if i > 0 {
			b.line("delay", left-margin, y(i)-rowHeight/2, x(len(c.Lanes)-1), y(i)-rowHeight/2, ` stroke="currentColor" stroke-opacity=".3" stroke-dasharray="1 4"`)
		}
	}
	if len(r.Dots) > 1 && len(c.arrowsAt(i)) == 0 && !c.messages() {
		b.line("together", x(slices.Min(r.Dots)), y(i), x(slices.Max(r.Dots)), y(i), ` stroke="currentColor"`)
	}
	if r.Text != "" {
		b.f(`<g><title>%s</title>`, escape(r.Text))
		b.text("text", text, y(i)+4, "start", short(r.Text, longestText))
		b.f(`</g>`)
	}
}

// messages reports whether the chart has messages at all.
func (c *Chart) messages() bool { return len(c.Arrows) > 0 }

func (c *Chart) drawArrow(b *svg, a Arrow, x func(int) float64, y func(int) float64) {
	x1, y1, x2, y2 := x(a.From), y(a.Sent), x(a.To), y(a.Received)
	class := strings.ReplaceAll(string(a.Fate), " ", "-")
	dash := ""
	if a.Fate != Arrived {
		x2, dash = x1+(x2-x1)*.7, ` stroke-dasharray="5 4"`
	}
	b.f(`<g class="message %s"><title>%s: %s to %s, %s</title>`, class, escape(a.Name),
		escape(c.Lanes[a.From]), escape(c.Lanes[a.To]), a.Fate)
	b.line("arrow", x1, y1, x2, y2, ` stroke="currentColor" stroke-width="1.5"`+dash)
	switch a.Fate {
	case Arrived:
		b.head("head", x1, y1, x2-4*sign(x2-x1), y2-4*sign(y2-y1)*btof(x1 == x2))
	case Lost:
		b.text("lost", x2, y2+4, "middle", "✕")
	}
	b.text("message-name", x1+(x2-x1)*.4, y1+(y2-y1)*.4-4, "middle", short(a.Name, longestName))
	b.f(`</g>`)
}
