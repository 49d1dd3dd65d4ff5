package induct

import (
	"context"

	"erelong/internal/logic"
	"erelong/internal/system"
	"erelong/internal/verdict"
)

// theorems proves the theorems: formulas of no state, one state or two, that follow from the axioms and definitions alone.
func (p *prover) theorems(ctx context.Context) []verdict.Result {
	var props []*system.Property
	var groups []*group
	for _, prop := range p.sys.Properties {
		if prop.Kind != system.Theorem || !p.wanted(prop.Name) {
			continue
		}
		states := []versions{{}}
		if prop.States == 2 {
			states = append(states, states[0].next(p.sys, p.stateSymbols(), 1))
		}
		g := &group{theory: &theory{}, picture: picture{kind: verdict.Counterexample, violates: prop.Name, states: states}}
		g.theory.background(p.sys, nil, states[:min(prop.States, len(states))]...)
		for i, conjunct := range logic.Conjuncts(prop.Term) {
			o := newObligation("validity of "+prop.Name, prop, i, conjunct)
			o.goal = in(conjunct, states...)
			g.obligations = append(g.obligations, o)
		}
		props = append(props, prop)
		groups = append(groups, g)
	}
	if len(props) == 0 {
		return nil
	}
	p.discharge(ctx, groups)
	var out []verdict.Result
	vacuous := p.contradictoryAxioms(ctx)
	for i, prop := range props {
		out = append(out, p.theoremResult(prop, groups[i].obligations, vacuous))
	}
	return out
}

// stateSymbols are the mutable symbols that are not derived.
func (p *prover) stateSymbols() []*logic.Symbol {
	var out []*logic.Symbol
	for _, sym := range p.sys.Symbols {
		if sym.Mutable && !sym.Derived {
			out = append(out, sym)
		}
	}
	return out
}

func (p *prover) contradictoryAxioms(ctx context.Context) bool {
	t := &theory{}
	t.background(p.sys, nil, versions{})
	return p.contradictory(ctx, "a model of the axioms", t)
}

func (p *prover) theoremResult(prop *system.Property, obligations []*obligation, vacuous bool) verdict.Result {
	r := newResult(prop.Name, string(prop.Kind), prop.Span.Line(), obligations)
	if vacuous {
		r.Verdict, r.Reason = verdict.NothingChecked, "the axioms contradict each other"
		return r
	}
	r.Verdict = verdict.Holds
	for _, o := range obligations {
		switch {
		case o.Verdict == verdict.NotInductive && r.Verdict != verdict.Violated:
			r.Verdict, r.Trace, r.Reason = verdict.Violated, o.trace, ""
			if o.trace == nil {
				r.Reason = "it is not valid, but no counterexample was found that is small enough to show"
			}
		case o.Verdict == verdict.Unknown && r.Verdict == verdict.Holds:
			r.Verdict, r.Reason = verdict.Unknown, describe(o)
			if o.Reason == interrupted {
				r.Reason = interrupted
			}
		}
	}
	return r
}
