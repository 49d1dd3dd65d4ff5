package explicit

import (
	"fmt"
	"strings"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// conclude gives the results on what a file claims of an exploration. An exploration that did not
// find everything says nothing of them; over is why it ended early, where this is known.
func conclude(t *engine.Task, stats *Stats, over result.Reason) (out []result.Result) {
	if t.Named || t.System.Computed == nil {
		return nil
	}
	c, ok := t.System.Computed.Computed.(system.Concluding)
	if !ok {
		return nil
	}
	for _, p := range t.System.Computed.Postconditions {
		r := result.Result{Property: p.Name, Kind: result.Postcondition, Engine: Name,
			Scope: t.Instance.Name, Line: p.Span.Line(), States: stats.States,
			Transitions: stats.Transitions, Depth: stats.Depth, Generated: stats.Generated}
		holds, printed, err := c.Conclude(p.Number, system.Explored{Initial: stats.Initial,
			Distinct: stats.States, Generated: stats.Generated, Depth: stats.Depth})
		if len(printed) > 0 {
			r.Reason = result.Because(result.Remark, "printed: "+strings.Join(printed, "; "))
		}
		switch {
		case !stats.Complete:
			r.Verdict = result.Unknown
			r.Reason = result.Because(result.Bounded,
				"it is about all states, and not all of them were found")
			if over.Given() {
				r.Reason = over.Then(": " + r.Reason.Text)
			}
		case err != nil:
			r.Verdict = result.Unknown
			r.Reason = engine.Unevaluated(err, fmt.Sprintf("it has no value: %v", err))
		case holds:
			r.Verdict = result.Holds
		default:
			r.Verdict = result.Violated
		}
		out = append(out, r)
	}
	return out
}
