package induction

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// Weight rates a candidate.
type Weight struct {
	// it holds in the initial states, and every action preserves it where the claims of the file
	// hold before
	Inductive bool
	Suffices  bool // with it, every action preserves the property
}

// Weigh rates candidate invariants for the proof of a property with the solvers, each candidate
// alone. All candidates share the theories of the file, so a solver reads each theory once: what a
// single candidate assumes stands in its goals.
func Weigh(
	ctx context.Context, sys *system.System, property string, candidates []*logic.Term,
	opts Options,
) ([]Weight, error) {
	d, err := discharge.New(ctx, sys, opts.Options)
	if err != nil {
		return nil, fmt.Errorf("weighing invariants for %s: %w", property, err)
	}
	p := &prover{sys: sys, discharger: d, k: max(opts.Induction, 1), simple: opts.SimplePath}
	of := sys.Property(property)
	var rated, targets, goals []*claim // by candidate, and both together
	for _, term := range candidates {
		prop := &system.Property{Name: "a candidate", Kind: system.Invariant, Term: term}
		rated = append(rated, &claim{prop: prop, conjuncts: []*logic.Term{term}})
		target := &claim{}
		if of != nil && of.IsInvariant() {
			target = newClaim(of)
		}
		targets = append(targets, target)
		goals = append(goals, rated[len(rated)-1], target)
	}
	steps := p.steps(claimsOf(sys), goals, nil)
	assumed := map[*discharge.Obligation]*logic.Term{}
	for i, term := range candidates {
		for _, o := range slices.Concat(rated[i].consecution, targets[i].consecution) {
			assumed[o] = term
		}
	}
	for _, g := range steps {
		for _, o := range g.Obligations {
			for _, state := range g.Path.States[:p.k] {
				o.Goal = logic.Implies(vc.In(assumed[o], state), o.Goal)
			}
		}
	}
	groups := slices.Concat([]*discharge.Group{p.initiation(rated)}, p.bases(rated), steps)
	for _, g := range groups {
		for _, o := range g.Obligations {
			o.Probe()
		}
	}
	d.All(ctx, groups)
	out := make([]Weight, len(candidates))
	for i := range candidates {
		out[i].Inductive = !rated[i].fail()
		out[i].Suffices = targets[i].prop != nil && !open(targets[i].consecution)
	}
	return out, ctx.Err()
}

// open reports whether an obligation is not proved.
func open(os []*discharge.Obligation) bool {
	return slices.ContainsFunc(os, func(o *discharge.Obligation) bool {
		return o.Verdict != result.Holds
	})
}
