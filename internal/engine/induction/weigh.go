package induction

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Weight rates a candidate.
type Weight struct {
	Inductive bool // it holds in the initial states, and every action preserves it where the claims of the file hold before
	Suffices  bool // with it, every action preserves the property
}

// Weigh rates candidate invariants for the proof of a property with the solvers, each candidate
// alone.
func Weigh(ctx context.Context, sys *system.System, property string, candidates []*logic.Term, opts Options) ([]Weight, error) {
	d, err := discharge.New(ctx, sys, opts.Options)
	if err != nil {
		return nil, fmt.Errorf("weighing invariants for %s: %w", property, err)
	}
	p := &prover{sys: sys, discharger: d, k: max(opts.Induction, 1), simple: opts.SimplePath}
	out := make([]Weight, len(candidates))
	for i, term := range candidates {
		c := &claim{prop: &system.Property{Name: "a candidate", Kind: system.Invariant, Term: term}, conjuncts: []*logic.Term{term}}
		var target *claim
		claims := []*claim{c}
		for _, prop := range sys.Properties {
			if prop.IsInvariant() {
				q := &claim{prop: prop, conjuncts: logic.Conjuncts(prop.Term)}
				claims = append(claims, q)
				if prop.Name == property {
					target = q
				}
			}
		}
		groups := slices.Concat([]*discharge.Group{p.initiation(claims)}, p.bases(claims), p.consecution(claims))
		for _, g := range groups {
			g.Obligations = slices.DeleteFunc(g.Obligations, func(o *discharge.Obligation) bool {
				return o.Property != c.prop.Name && (target == nil || !slices.Contains(target.consecution, o))
			})
			for _, o := range g.Obligations {
				o.Probe()
			}
		}
		d.All(ctx, groups)
		out[i] = Weight{Inductive: !c.fail(), Suffices: target != nil && !open(target.consecution)}
	}
	return out, ctx.Err()
}

// open reports whether an obligation is not proved.
func open(os []*discharge.Obligation) bool {
	return slices.ContainsFunc(os, func(o *discharge.Obligation) bool { return o.Verdict != result.Holds })
}
