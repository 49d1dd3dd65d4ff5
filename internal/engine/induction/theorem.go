package induction

import (
	"context"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// theorems proves the theorems: formulas of no state, one state or two, that follow from the axioms
// and definitions alone.
func (p *prover) theorems(ctx context.Context) []result.Result {
	var props []*system.Property
	var groups []*discharge.Group
	for _, prop := range p.sys.Properties {
		if prop.Kind != system.Theorem || !p.wanted(prop.Name) {
			continue
		}
		states := []vc.Versions{{}}
		if prop.States == 2 {
			states = append(states, states[0].Next(p.sys, vc.StateSymbols(p.sys), 1))
		}
		g := &discharge.Group{Theory: &vc.Theory{},
			Path: vc.Path{Kind: result.Counterexample, Violates: prop.Name, States: states}}
		g.Theory.Background(p.sys, nil, states[:min(prop.States, len(states))]...)
		for i, conjunct := range logic.Conjuncts(prop.Term) {
			o := newObligation("validity of "+prop.Name, prop, i, conjunct)
			o.Goal = vc.In(conjunct, states...)
			g.Obligations = append(g.Obligations, o)
		}
		props = append(props, prop)
		groups = append(groups, g)
	}
	if len(props) == 0 {
		return nil
	}
	p.discharger.All(ctx, groups)
	var out []result.Result
	vacuous := p.contradictoryAxioms(ctx)
	for i, prop := range props {
		out = append(out, p.theoremResult(prop, groups[i].Obligations, vacuous))
	}
	return out
}

// contradiction is the reason of results that were not checked because the axioms have no model.
const contradiction = "the axioms contradict each other"

func (p *prover) contradictoryAxioms(ctx context.Context) bool {
	if p.satisfiable {
		return false
	}
	return p.discharger.Contradictory(ctx, "a model of the axioms", vc.Unconstrained(p.sys, nil))
}

func (p *prover) theoremResult(
	prop *system.Property, obligations []*discharge.Obligation, vacuous bool,
) result.Result {
	r := newResult(prop.Name, prop.Kind, prop.Span.Line(), obligations)
	if vacuous {
		r.Verdict, r.Reason = result.NothingChecked,
			result.Because(result.Contradictory, contradiction)
		return r
	}
	r.Verdict = result.Holds
	for _, o := range obligations {
		switch {
		case o.Verdict == result.NotInductive && r.Verdict != result.Violated:
			r.Verdict, r.Trace, r.Reason = result.Violated, o.Trace, result.Reason{}
			if o.Trace == nil {
				r.Reason = result.Because(result.Remark,
					"it is not valid, but no counterexample was found that is small enough to show")
			}
		case o.Verdict == result.Unknown && r.Verdict == result.Holds:
			r.Verdict, r.Reason = result.Unknown, describe(o)
		}
	}
	return r
}
