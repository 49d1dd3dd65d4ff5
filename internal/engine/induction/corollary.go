package induction

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// That every argument is in its range, and that every claim has a value, mostly follows from the
// other claims in the same state. So each of these conjuncts is asked about once, in any state in
// which the other claims hold, and not once for each action: the next state satisfies the others by
// their own obligations. Where one of these fails, its claim is dropped, and the next round asks
// again without it. That a conjunct holds initially is asked in the first round only, and so by
// itself.

// follows reports whether a claim is tried as a corollary of the others.
func (c *claim) follows() bool {
	return c.prop.Kind == system.Argument || c.prop.Kind == system.Defined
}

// corollaries asks about the conjuncts that may follow from the other claims in one state.
func (p *prover) corollaries(
	ctx context.Context, claims []*claim,
) map[*claim][]*discharge.Obligation {
	if p.k > 1 || len(p.sys.Actions) < 2 {
		return nil
	}
	state := vc.OneState()
	g := &discharge.Group{Theory: &vc.Theory{}, Path: state}
	g.Theory.Background(p.sys, p.sys.Trusted(), state.States...)
	out := map[*claim][]*discharge.Obligation{}
	for _, c := range claims {
		if !c.follows() {
			p.suppose(g.Theory, []*claim{c}, state.States)
			continue
		}
		for i, conjunct := range c.conjuncts {
			o := newObligation(c.prop.Name+" follows in one state", c.prop, i, conjunct)
			o.Goal = conjunct
			out[c] = append(out[c], o)
		}
		g.Obligations = append(g.Obligations, out[c]...)
	}
	p.discharger.Easily(ctx, g)
	return out
}

// corollary settles an obligation about a state that satisfies the other claims.
func corollary(o *discharge.Obligation, of []*discharge.Obligation) {
	if len(of) > 0 {
		o.Corollary(of[o.Conjunct])
	}
}

// independent are the claims without the ones that follow from the others: as hypotheses they
// would say nothing new.
func independent(claims []*claim, follows map[*claim][]*discharge.Obligation) []*claim {
	return slices.DeleteFunc(slices.Clone(claims), func(c *claim) bool {
		return len(follows[c]) > 0 && !slices.ContainsFunc(follows[c],
			func(o *discharge.Obligation) bool { return o.Verdict != result.Holds })
	})
}
