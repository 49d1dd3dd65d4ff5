package verify

import (
	"context"

	"erelong/internal/engine/explicit"
	"erelong/internal/system"
	"erelong/internal/verdict"
)

// inductive asks of one instance, by exploration, whether the properties are inductive: they hold in the initial states, and
// a step from any state that satisfies them all leads to such a state again. What is not is answered with a counterexample
// to induction. If all are, each holds in every reachable state of the instance.
func inductive(ctx context.Context, sys *system.System, in *system.Instance, opts explicit.Options) ([]verdict.Result, error) {
	first := opts
	first.MaxDepth, first.Stats, first.Progress = 1, nil, nil
	base, err := explicit.Check(ctx, sys, in, first)
	if err != nil {
		return nil, err
	}
	steps, err := explicit.Check(ctx, system.Inductive(sys), in, opts)
	if err != nil {
		return nil, err
	}
	for i, r := range steps {
		switch {
		case base[i].Verdict == verdict.Violated || base[i].Verdict == verdict.Unknown || base[i].Verdict == verdict.NothingChecked:
			steps[i] = base[i]
		case r.Verdict == verdict.Violated:
			steps[i].Verdict = verdict.NotInductive
			steps[i].Trace.Kind = verdict.ToInduction
		}
	}
	return steps, nil
}
