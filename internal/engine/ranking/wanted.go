package ranking

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// mostWanted bounds the states of an instance in which a formula that is wanted is looked at.
const mostWanted = 1_000

// Wanted states what a proof of a liveness property asks of all states where it is pending, as
// invariants that may be looked for: that it is never pending, that some fair action can be taken
// with known values, or with any, or that some action can be taken at all. The strongest is the
// first. Where sorts must be finite, the facts that follow from that are the premise. What is false
// in one of the first states of an instance is left out, and so is what is weaker than a property of
// the system. Without an instance to look at, nothing is wanted.
func Wanted(
	ctx context.Context, sys *system.System, prop *system.Property, instances []*system.Instance,
	opts discharge.Options,
) (out []*system.Property, err error) {
	var hints *system.Ranking
	if own := sys.RankingOf(prop); own != nil && own.Pending != nil {
		hints = &system.Ranking{Property: prop, Pending: own.Pending}
	}
	possible, err := provedPossible(ctx, sys, nil, opts)
	if err != nil {
		return nil, err
	}
	p := newProblem(sys, prop, hints, nil, possible...)
	n := 0
	fresh := func() string { // the name of no property
		for n++; sys.Property(fmt.Sprintf("%s_%d", prop.Name, n)) != nil; n++ {
		}
		return fmt.Sprintf("%s_%d", prop.Name, n)
	}
	terms := []*logic.Term{p.forAll(prop, logic.Not(p.prerequisite()))}
	for _, g := range newSearch(p, prop).progressClaims() {
		goal := g.Obligations[0].Goal
		facts, _ := extrema(goal)
		terms = append(terms, logic.Implies(logic.And(facts...),
			p.forAll(prop, logic.Implies(p.prerequisite(), goal))))
	}
	for _, term := range terms {
		same := func(w *system.Property) bool { return logic.Equal(w.Term, term) }
		if slices.ContainsFunc(sys.Properties, same) {
			break // and what is weaker follows
		}
		if term.IsTrue() || slices.ContainsFunc(out, same) {
			continue
		}
		out = append(out, &system.Property{Name: fresh(), Kind: system.Invariant, Term: term,
			Span: prop.Span})
	}
	looked := false
	for _, in := range instances {
		err := keepTrue(ctx, sys, in, &out)
		if ctx.Err() != nil {
			return nil, err
		}
		looked = looked || err == nil
	}
	if !looked {
		return nil, nil
	}
	return out, nil
}

// forAll states a formula about all values of the property's variables.
func (p *problem) forAll(prop *system.Property, t *logic.Term) *logic.Term {
	vars, _ := system.Outer(prop.Term)
	fresh := make([]*logic.Var, len(vars))
	for i, v := range vars {
		fresh[i] = &logic.Var{Name: v.Name, Sort: v.Sort}
	}
	return logic.Forall(fresh, replace(t, p.vars, logic.Refs(fresh)))
}

// keepTrue removes the properties that are false in a reachable state of an instance, among the
// first ones.
func keepTrue(
	ctx context.Context, sys *system.System, in *system.Instance, wanted *[]*system.Property,
) error {
	w, err := walkThrough(ctx, sys, in, mostWanted, &interp.Budget{Left: mostTried}, nil)
	switch {
	case err != nil:
		return err
	case len(w.states) == 0 && !w.whole:
		return interp.ErrWork // nothing was looked at
	}
	for _, state := range w.states {
		*wanted = slices.DeleteFunc(*wanted, func(p *system.Property) bool {
			holds, err := w.model.Holds(p.Term, state)
			return err != nil || !holds
		})
	}
	return nil
}

// Follows reports whether a formula is true wherever the invariants of a system are, as far as one
// attempt shows.
func Follows(
	ctx context.Context, sys *system.System, w *system.Property, opts discharge.Options,
) (bool, error) {
	t := &vc.Theory{}
	t.Background(sys, sys.Trusted(), vc.Versions{})
	for _, p := range sys.Properties {
		if p.IsInvariant() && p.Kind != system.Safety {
			t.Assume(p.Term)
		}
	}
	one, err := attempts(ctx, sys, w, opts)
	if err != nil {
		return false, err
	}
	return one(t, vc.OneState(), w.Term), ctx.Err()
}

// attempts gives a function that reports whether a goal about a formula follows from a theory, as
// far as one attempt at a low limit shows.
func attempts(
	ctx context.Context, sys *system.System, w *system.Property, opts discharge.Options,
) (func(*vc.Theory, vc.Path, *logic.Term) bool, error) {
	opts.Rlimit, opts.Progress = discharge.DefaultRlimit/20, nil
	d, err := discharge.New(ctx, sys, opts)
	if err != nil {
		return nil, err
	}
	return func(t *vc.Theory, path vc.Path, goal *logic.Term) bool {
		o := (&discharge.Obligation{Obligation: result.Obligation{Name: w.Name, Property: w.Name},
			Goal: goal}).Probe()
		d.All(ctx, []*discharge.Group{{Theory: t, Path: path,
			Obligations: []*discharge.Obligation{o}}})
		return o.Verdict == result.Holds
	}, nil
}

// Inductive reports whether a formula is an invariant by itself, beside the invariants of a system,
// as far as one attempt at each step shows. It trusts the invariants, so this is no proof.
func Inductive(
	ctx context.Context, sys *system.System, w *system.Property, opts discharge.Options,
) (bool, error) {
	holds, err := attempts(ctx, sys, w, opts)
	if err != nil {
		return false, err
	}
	if !holds(vc.InitialState(sys), vc.OneState(), w.Term) {
		return false, ctx.Err()
	}
	for _, a := range sys.Actions {
		pre := vc.Versions{}
		post := pre.Next(sys, a.Modifies, 1)
		if vc.SameIn(w.Term, pre, post) {
			continue
		}
		t := &vc.Theory{}
		t.Background(sys, sys.Trusted(), pre, post)
		t.Assume(vc.In(w.Term, pre))
		for _, p := range sys.Properties {
			if p.IsInvariant() {
				t.Assume(vc.In(p.Term, pre), vc.In(p.Term, post))
			}
		}
		t.Step(a, pre, post)
		path := vc.Path{Kind: result.ToInduction, States: []vc.Versions{pre, post},
			Steps: [][]vc.Alternative{{{Action: a.Name, Args: vc.Arguments(a)}}}}
		if !holds(t, path, vc.In(w.Term, post)) {
			return false, ctx.Err()
		}
	}
	return true, nil
}
