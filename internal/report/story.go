package report

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/result"
)

// hasStory reports whether the trace is told in terms of the algorithm that its system was derived
// from.
func (v *traceView) hasStory() bool { return v.trace.Story != nil && !v.Full }

// story tells the events of each round, and the changes of the variables of the file.
func (v *traceView) story() {
	s, steps := v.trace.Story, v.trace.Steps
	v.line(0, span{dim, fmt.Sprintf("told in rounds; --full shows the states of %s", s.System)})
	v.WriteByte('\n')
	if v.trace.Loop >= 0 {
		v.margin = "  "
	}
	v.line(0, span{bold, "at the start"})
	for _, b := range v.ofFile(steps[0].State) {
		v.line(2, equation(b)...)
	}
	for _, p := range s.Segments {
		v.part(p)
	}
}

// ofFile chooses the variables that the file declares and that are not hidden.
func (v *traceView) ofFile(state []result.Binding) []result.Binding {
	return slices.DeleteFunc(v.visible(state), func(b result.Binding) bool {
		return !slices.Contains(v.trace.Story.Variables, b.Name)
	})
}

func (v *traceView) part(p result.StorySegment) {
	if v.trace.Loop >= 0 && p.From >= v.trace.Loop {
		v.margin = "│ "
	}
	v.line(0, span{bold, fmt.Sprintf("round %d", p.Round)}, span{dim, v.states(p)})
	for _, e := range p.Events {
		v.line(2, span{plain, clean(e.Text)})
	}
	list := Changes(v.ofFile(v.trace.Steps[p.From].State), v.ofFile(v.trace.Steps[p.To].State))
	for _, c := range list {
		v.line(2, c.spans()...)
	}
	for _, m := range p.Transit {
		v.line(2, span{dim, "in transit: " + clean(m)})
	}
	if len(p.Events)+len(list)+len(p.Transit) == 0 {
		v.line(2, span{dim, "(nothing happens)"})
	}
}

// states says which states of the trace belong to a part.
func (v *traceView) states(p result.StorySegment) string {
	last := len(v.trace.Steps) - 1
	switch {
	case p.To <= p.From && p.From == last:
		return fmt.Sprintf(" (back to state %d)", p.To)
	case p.To <= p.From:
		return fmt.Sprintf(" (states %d to %d, and back to state %d)", p.From+1, last, p.To)
	case p.To == p.From+1:
		return fmt.Sprintf(" (state %d)", p.To)
	}
	return fmt.Sprintf(" (states %d to %d)", p.From+1, p.To)
}
