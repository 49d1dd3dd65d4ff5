package induct

import (
	"context"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/unroll"
	"erelong.dev/erelong/internal/verdict"
)

// theorems proves the theorems: formulas of no state, one state or two, that follow from the axioms and definitions alone.
func (p *prover) theorems(ctx context.Context) []verdict.Result {
	var props []*system.Property
	var groups []*discharge.Group
	for _, prop := range p.sys.Properties {
		if prop.Kind != system.Theorem || !p.wanted(prop.Name) {
			continue
		}
		states := []unroll.Versions{{}}
		if prop.States == 2 {
			states = append(states, states[0].Next(p.sys, unroll.StateSymbols(p.sys), 1))
		}
		g := &discharge.Group{Theory: &unroll.Theory{}, Picture: unroll.Picture{Kind: verdict.Counterexample, Violates: prop.Name, States: states}}
		g.Theory.Background(p.sys, nil, states[:min(prop.States, len(states))]...)
		for i, conjunct := range logic.Conjuncts(prop.Term) {
			o := newObligation("validity of "+prop.Name, prop, i, conjunct)
			o.Goal = unroll.In(conjunct, states...)
			g.Obligations = append(g.Obligations, o)
		}
		props = append(props, prop)
		groups = append(groups, g)
	}
	if len(props) == 0 {
		return nil
	}
	p.discharger.All(ctx, groups)
	var out []verdict.Result
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
	t := &unroll.Theory{}
	t.Background(p.sys, nil, unroll.Versions{})
	return p.discharger.Contradictory(ctx, "a model of the axioms", t)
}

func (p *prover) theoremResult(prop *system.Property, obligations []*discharge.Obligation, vacuous bool) verdict.Result {
	r := newResult(prop.Name, prop.Kind, prop.Span.Line(), obligations)
	if vacuous {
		r.Verdict, r.Reason = verdict.NothingChecked, verdict.Because(verdict.Contradictory, contradiction)
		return r
	}
	r.Verdict = verdict.Holds
	for _, o := range obligations {
		switch {
		case o.Verdict == verdict.NotInductive && r.Verdict != verdict.Violated:
			r.Verdict, r.Trace, r.Reason = verdict.Violated, o.Trace, verdict.Reason{}
			if o.Trace == nil {
				r.Reason = verdict.Because(verdict.Remark, "it is not valid, but no counterexample was found that is small enough to show")
			}
		case o.Verdict == verdict.Unknown && r.Verdict == verdict.Holds:
			r.Verdict, r.Reason = verdict.Unknown, describe(o)
		}
	}
	return r
}
