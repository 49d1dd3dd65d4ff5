package induction

import (
	"context"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// A solver makes no induction, and unfolds the definition of a recursive relation without end. So
// what is said of such a relation is asked about as a step of an induction, too, in which the
// definition stands at a few points only.

// byInduction gives an obligation a goal that implies a conjunct in a state, if there is one by
// induction over a number.
func (p *prover) byInduction(o *discharge.Obligation, conjunct *logic.Term, state vc.Versions) {
	if goal, of, ok := p.sys.ByInduction(conjunct); ok {
		o.ByInduction(vc.In(goal, state), of)
	}
}

// keeps proves for each action that what is in a recursive relation before a step is in it
// afterwards. Where that is so, it takes the place of the laws that leave the induction to a
// solver.
func (p *prover) keeps(ctx context.Context, groups []*discharge.Group) {
	recursive := p.sys.Recursive()
	if len(recursive) == 0 {
		return
	}
	for _, g := range groups {
		n := len(g.Path.States)
		if n != 2 { // where more states are assumed, the laws relate all of them
			return
		}
		before, after := g.Path.States[0], g.Path.States[1]
		for _, d := range recursive {
			if before[d.Symbol] != after[d.Symbol] {
				g.Theory = p.keeping(ctx, g, d, before, after)
			}
		}
	}
}

// keeping is the theory of a step with what a relation keeps.
func (p *prover) keeping(
	ctx context.Context, g *discharge.Group, d *system.Derived, before, after vc.Versions,
) *vc.Theory {
	asked := &discharge.Group{Theory: g.Theory, Path: g.Path}
	kept := d.Kept()
	for i := range kept {
		o := newObligation("what is in "+d.Symbol.Name+" stays in it",
			&system.Property{Span: d.Axiom.Span}, 0, kept[i].Term)
		kept[i] = kept[i].Map(func(t *logic.Term) *logic.Term { return vc.In(t, before, after) })
		goal, of, ok := p.sys.ByInduction(d.Kept()[i].Term)
		if !ok {
			return g.Theory
		}
		o.Goal = kept[i].Term
		o.ByInduction(vc.In(goal, before, after), of)
		asked.Obligations = append(asked.Obligations, o)
	}
	p.discharger.ByInduction(ctx, asked)
	return g.Theory.Keeping(d, kept, func(i int) bool {
		return asked.Obligations[i].Verdict == result.Holds
	})
}
