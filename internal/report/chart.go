package report

import (
	"erelong.dev/erelong/internal/diagram"
	"erelong.dev/erelong/internal/result"
)

// chartOf draws a run as a sequence chart, without the hidden processes and values. It gives nil
// where there is nothing to draw, and for a counterexample to induction, whose states say why it is
// one.
func chartOf(t *result.Trace, o Options) *diagram.Chart {
	if !o.Chart || t.Kind == result.ToInduction {
		return nil
	}
	c := diagram.ChartOf(t, "")
	if c == nil {
		return nil
	}
	return c.Hide(o.Hide)
}

// chart writes the chart of a run, with a bar in the margin of what repeats for ever.
func (v *traceView) chart(c *diagram.Chart) {
	lines, loop := c.Text(), v.trace.Loop
	heads := len(lines) - len(c.Rows)
	for i, l := range lines {
		if loop >= 0 {
			margin := "  "
			// A state is in the loop from the step that leads to it on, a round only where it
			// begins in the loop.
			if i >= heads && (c.Rows[i-heads].Loop ||
				c.Rows[i-heads].State == loop && v.trace.Story == nil) {
				margin = "│ "
			}
			l = margin + l
		}
		if v.Width > 0 {
			l = cut(l, v.Width)
		}
		v.WriteString(l + "\n")
	}
}
