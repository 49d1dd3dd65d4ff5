package report

import (
	"erelong.dev/erelong/internal/diagram"
	"erelong.dev/erelong/internal/result"
)

// chartOf draws a run of timed automata as a sequence chart, without the hidden processes. It gives
// nil for other traces.
func chartOf(t *result.Trace, o Options) []string {
	c := diagram.ChartOf(t, "")
	if c == nil || !c.Timed {
		return nil
	}
	return c.Hide(o.Hide).Text()
}

func (v *traceView) chart(lines []string) {
	for _, l := range lines {
		if v.Width > 0 {
			l = cut(l, v.Width)
		}
		v.WriteString(l + "\n")
	}
}
