package induction

import (
	"fmt"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/vc"
)

// Induction over k states (Sheeran, Singh, Stålmarck: Checking safety properties using induction
// and a SAT-solver, FMCAD 2000). The base: the claims hold in the first k states of every run. The
// step: where all claims hold in k consecutive states, every action leads to a state where they
// hold. As with k = 1, each claim may assume the others: failing claims are dropped, and the others
// are checked without them, until the rest is k-inductive together.
//
// With a simple path the k states are distinct. This is sound: a shortest run to a violation visits
// no state twice. It makes every true claim of a finite instance k-inductive for some k.

// bases claims that every conjunct holds in the last state of a run of 1 to k-1 steps.
func (p *prover) bases(claims []*claim) []*discharge.Group {
	var groups []*discharge.Group
	for steps := 1; steps < p.k && len(p.sys.Actions) > 0; steps++ {
		t := &vc.Theory{}
		t.Start(p.sys)
		pic := p.path(t, steps)
		t.Background(p.sys, p.sys.Trusted(), pic.States...)
		g := &discharge.Group{Theory: t, Path: pic}
		before, last := pic.States[steps-1], pic.States[steps]
		for _, c := range claims {
			for i, conjunct := range c.conjuncts {
				o := newObligation(fmt.Sprintf("initiation of %s after %d steps", c.prop.Name,
					steps), c.prop, i, conjunct)
				o.Goal, o.Initial = vc.In(conjunct, last), true
				if vc.SameIn(conjunct, before, last) {
					o.Unmodified()
				}
				c.initiation = append(c.initiation, o)
				g.Obligations = append(g.Obligations, o)
			}
		}
		groups = append(groups, g)
	}
	return groups
}

// path assumes that some steps lead from states[0] on.
func (p *prover) path(t *vc.Theory, steps int) vc.Path {
	pic := vc.OneState()
	for i := range steps {
		next, alternatives := t.TakeOne(p.sys, vc.AnyStep(p.sys), pic.States[i], i+1)
		pic.States = append(pic.States, next)
		pic.Steps = append(pic.Steps, alternatives)
	}
	return pic
}

// suppose assumes that all claims hold in the states, and, with a simple path, that these are
// distinct.
func (p *prover) suppose(t *vc.Theory, claims []*claim, states []vc.Versions) {
	for i, state := range states {
		for _, c := range claims {
			for j, conjunct := range c.conjuncts {
				if i == 0 || !vc.SameIn(conjunct, states[i-1], state) {
					t.AssumeAs(vc.ConjunctName(c.prop.Name, j, len(c.conjuncts)),
						vc.In(conjunct, state))
				}
			}
		}
		for _, earlier := range states[:i] {
			if p.simple {
				t.Assume(p.distinct(earlier, state))
			}
		}
	}
}

// distinct is true when two states differ. Values of a function outside the declared range of its
// arguments count, too: a proof covers every possible value there.
func (p *prover) distinct(a, b vc.Versions) *logic.Term {
	var some []*logic.Term
	for _, sym := range p.sys.Symbols {
		d := p.sys.DerivedOf(sym)
		if !sym.Mutable || d != nil && d.Body != nil || a[sym] == b[sym] {
			continue
		}
		vars := make([]*logic.Var, len(sym.Args))
		for i, s := range sym.Args {
			vars[i] = &logic.Var{Name: "X", Sort: s.Base()}
		}
		refs := logic.Refs(vars)
		some = append(some,
			logic.Exists(vars,
				logic.Not(logic.Eq(logic.App(sym, a[sym], refs...),
					logic.App(sym, b[sym], refs...)))))
	}
	return logic.Or(some...)
}
