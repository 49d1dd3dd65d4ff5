package infer

import (
	"context"

	"erelong.dev/erelong/internal/engine/refute"
	"erelong.dev/erelong/internal/result"
)

// refuteStates bounds the states of one shape in the search for violations.
const refuteStates = 5_000

// refute looks for real violations in small instances before any proof. It reports whether there is
// one.
func (s *search) refute(ctx context.Context) (bool, error) {
	var names []string
	for _, g := range s.goals {
		if g.property != nil {
			names = append(names, g.property.Name)
		}
	}
	if len(names) == 0 {
		return false, nil
	}
	found, err := refute.Find(ctx, s.sys, refute.Options{
		Options: s.opts.Options.Options, Only: names, States: refuteStates, Sink: s.opts.Sink,
		Subtask: "infer",
	})
	if err != nil {
		return false, err
	}
	for _, r := range found.Results {
		s.out.Results = append(s.out.Results, r)
		s.out.Reason = result.Because(result.Remark, r.Property+" is violated in "+r.Scope)
	}
	return len(found.Results) > 0, nil
}
