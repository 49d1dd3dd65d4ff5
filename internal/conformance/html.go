package conformance

import (
	"bytes"
	"fmt"
	"html/template"
	"io"

	"erelong.dev/erelong/internal/conformance/bounds"
	"erelong.dev/erelong/internal/conformance/observe"
	"erelong.dev/erelong/internal/diagram"
	"erelong.dev/erelong/internal/report"
)

// Measured is what is known of the times of a log.
type Measured struct {
	Bounds   *bounds.Result
	Theorem  *observe.Theorem
	Pictures []Drawing
}

// WriteHTML writes a result as one page that needs no other file and no network. Without measured
// times m is nil.
func WriteHTML(w io.Writer, r *Result, c Context, m *Measured) error {
	var b bytes.Buffer
	if err := WriteText(&b, r, c); err != nil {
		return err
	}
	page := report.Page{Title: c.Log}
	page.Summary = fmt.Sprintf("%s by %s, instance %s", r.Answer, c.Spec, c.Instance)
	page.Sections = append(page.Sections, report.Section{Title: "Result", Text: b.String()})
	if m != nil {
		b.Reset()
		if err := WriteBounds(&b, m.Bounds, m.Theorem); err != nil {
			return err
		}
		page.Sections = append(page.Sections, report.Section{
			Title: "Delta and Phi", Text: b.String(), Table: m.slack(),
			Legend: "The shaded pairs are bounds of the log, and the dots are the least ones. " +
				m.legend(),
			Picture: template.HTML(m.front().SVG("the front of Delta and Phi")),
		})
		for _, p := range m.Pictures {
			page.Sections = append(page.Sections, report.Section{
				Title:   "Timing: " + p.Title,
				Picture: template.HTML(p.SVG("timing of the run")), // its texts are escaped
				Legend: "A bar across a lane is a step. An arrow is a message, a dashed one is " +
					"never received. The thick parts force the bounds. Boxes show when a " +
					"declared relation is true.",
			})
		}
	}
	return report.WritePage(w, page)
}

// front is the set of the pairs that are bounds of the log.
func (m *Measured) front() *diagram.Staircase {
	s := &diagram.Staircase{X: "Delta", Y: "Phi"}
	for _, p := range m.Bounds.Front {
		s.Pairs = append(s.Pairs, [2]int64{p.Delta, p.Phi})
	}
	if n := len(s.Pairs); n > 0 {
		s.More = s.Pairs[n-1][0] > m.Bounds.Least.Delta
	}
	if t := m.Theorem; t != nil {
		s.Limit = &diagram.Limit{A: t.Delta, B: t.Phi, C: t.Timeout,
			Text: fmt.Sprintf("%d * Phi + %d * Delta = %d", t.Phi, t.Delta, t.Timeout)}
	}
	return s
}

// legend says what the line of the theorem means.
func (m *Measured) legend() string {
	if m.Theorem == nil {
		return ""
	}
	return "For the pairs below the broken line the timeout suffices, by the theorem; a hollow " +
		"dot is above it."
}

// slack lists how much later each process and each message could have been within the bounds.
func (m *Measured) slack() [][]string {
	best, round := leastPair(m.Bounds, m.Theorem), m.Bounds.Round
	out := [][]string{{"of", "longest", "allowed", "slack", "in rounds"}}
	row := func(what string, apart, allowed int64) {
		out = append(out, []string{
			what, fmt.Sprint(apart), fmt.Sprint(allowed), fmt.Sprint(allowed - apart),
			fmt.Sprintf("%.1f", float64(allowed-apart)/float64(round)),
		})
	}
	for _, f := range m.Bounds.Phi {
		row(f.What+" without a step", f.UnitsApart, best.Phi*round)
	}
	for _, f := range m.Bounds.Delta {
		row("a message from "+f.What, max(f.UnitsApart, 0), best.Delta*round)
	}
	if t := m.Theorem; t != nil {
		row("the timeout that the theorem asks for", t.Need(best.Phi, best.Delta)*round,
			t.Timeout*round)
	}
	return out
}
