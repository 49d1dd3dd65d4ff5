package verify

import (
	"context"

	"erelong/internal/engine"
	"erelong/internal/system"
)

// Infer finds invariants for the properties that Only names, or for all safety properties. The second value is nil where there is
// no proof. An error is as of Run.
func Infer(ctx context.Context, sys *system.System, o Options) (*Outcome, *engine.Inferred, error) {
	r, err := newRun(sys, o)
	if err != nil {
		return nil, nil, err
	}
	t := r.task(engine.Infer)
	var inferred *engine.Inferred
	for _, e := range accepting(r.engines(), t) {
		found, err := e.Run(ctx, t, r.sink())
		if err != nil {
			return nil, nil, err
		}
		r.add(found.Results, found.Notes...)
		inferred = found.Inferred
	}
	return &Outcome{Results: r.results, Notes: r.notes}, inferred, nil
}
