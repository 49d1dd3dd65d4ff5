package verify

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/infer"
	"erelong.dev/erelong/internal/engine/ranking"
)

// fitEffort bounds the search for lemmas with which the goals are proved that ranking functions
// rest on.
const fitEffort = 1_000

// fitting looks for ranking functions that fit the runs of instances, for formulas with which they
// are proved, and for lemmas with which these are.
func (l *liveness) fitting(ctx context.Context) ([]engine.Lemma, error) {
	ctx, ended := effort.Begin(ctx, "formulas that refute what contradicts measures")
	defer ended()
	sys := l.with(nil)
	fit, err := ranking.Fitted(ctx, sys, l.p, l.ranking())
	if err != nil || fit == nil {
		return nil, err
	}
	goals, err := infer.Suffice(ctx, sys, fit, infer.Options{
		Options: l.o.Induct, Sink: engine.Sink{Progress: l.progress},
		Prefix: l.p.Name + "_"})
	if err != nil || len(goals) == 0 {
		return nil, err
	}
	goals = fit.Needed(goals)
	with := *sys
	with.Properties = slices.Concat(sys.Properties, goals)
	lemmas, err := l.lemmasOf(ctx, &with, goals, fitEffort)
	if err != nil || lemmas == nil {
		return nil, err
	}
	var out []engine.Lemma
	for _, g := range goals {
		out = append(out, engine.Lemma{Name: g.Name, Term: g.Term, For: l.p.Name})
	}
	return append(out, lemmas...), nil
}
