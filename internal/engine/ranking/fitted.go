package ranking

import (
	"context"

	"erelong.dev/erelong/internal/engine/ranking/synth"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// fitted proves a property with measures that fit the graphs of small instances.
func fitted(ctx context.Context, sys *system.System, prop *system.Property,
	invariants []*system.Property, given Options, r result.Result,
) (result.Result, error) {
	hints, err := synthesised(ctx, sys, prop, given.Instances)
	if err != nil || hints == nil {
		return r, err
	}
	given.fitted, given.Note = true, nil
	r.Evidence = &result.Evidence{}
	_, err = attempt(ctx, sys, prop, hints, invariants, given, &r)
	if r.Evidence.Ranking != nil {
		r.Evidence.Ranking.Proof.Hints = sys.HintText(hints)
	}
	return r, err
}

// synthesised gives measures that fit the graphs of small instances; nil if none were found.
func synthesised(ctx context.Context, sys *system.System, prop *system.Property,
	instances []*system.Instance,
) (*system.Ranking, error) {
	p := &synth.Problem{System: sys, Property: prop, Instances: instances,
		Enabled: map[*system.Action]*logic.Term{}, Due: map[*system.Action]*logic.Term{}}
	for _, a := range sys.Actions {
		if e := enabled(sys, a); e != nil {
			p.Enabled[a], p.Due[a] = e, due(a, e)
		}
	}
	return synth.Search(ctx, p)
}
