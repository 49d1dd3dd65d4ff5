package infer

import (
	"context"

	"erelong.dev/erelong/internal/engine/refute"
)

// refuteStates bounds the states of one shape in the search for violations.
const refuteStates = 5_000

// refute looks for real violations in small instances before any proof.
func (s *search) refute(ctx context.Context) error {
	var names []string
	for _, g := range s.goals {
		if g.property != nil {
			names = append(names, g.property.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	found, err := refute.Find(ctx, s.sys, refute.Options{
		Options: s.opts.Options.Options, Only: names, States: refuteStates, Sink: s.opts.Sink,
		Subtask: "infer",
	})
	if err != nil {
		return err
	}
	for _, r := range found.Results {
		s.violates(r)
	}
	return nil
}
