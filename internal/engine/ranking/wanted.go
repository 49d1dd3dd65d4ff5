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
// in one of the first states of an instance is left out, and so is what is weaker than a property
// of the system. Without an instance to look at, nothing is wanted.
func Wanted(
	ctx context.Context, sys *system.System, prop *system.Property, instances []*system.Instance,
	opts discharge.Options,
) (out []*system.Property, err error) {
	sys, of := normal(sys, prop)
	prop = of[0]
	var hints *system.Ranking
	if own := sys.RankingOf(prop); own != nil && own.Pending != nil {
		hints = &system.Ranking{Property: prop, Pending: own.Pending}
	}
	possible, err := provedPossible(ctx, sys, nil, opts)
	if err != nil {
		return nil, err
	}
	fresh := freshNames(sys, prop)
	p := newProblem(sys, prop, hints, nil, possible...)
	terms := []*logic.Term{p.forAll(prop, logic.Not(p.prerequisite()))}
	add := func(p *problem, groups []*discharge.Group) {
		for _, g := range groups {
			goal := g.Obligations[0].Goal
			facts, _ := finiteness(p, g.Obligations[0])
			terms = append(terms, p.forAll(prop, logic.Implies(logic.And(facts...),
				logic.Implies(p.prerequisite(), goal))))
		}
	}
	claims := mostKnown(p.progressClaims(nil))
	ok, err := p.someFair(ctx, opts)
	if err != nil {
		return nil, err
	}
	if ok {
		claims = slices.DeleteFunc(claims, func(g *discharge.Group) bool {
			return plainly(g.Obligations[0].Name) != fairKnown // the others are not stronger
		})
	}
	add(p, claims)
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
	err = notRefuted(ctx, sys, instances, &out)
	return out, err
}

// someFair reports whether the values of all choices exist, and some fair action can be taken, as
// far as one attempt shows.
func (p *problem) someFair(
	ctx context.Context, opts discharge.Options,
) (bool, error) {
	d, err := brief(ctx, p.sys, opts)
	if err != nil {
		return false, err
	}
	exist, fair := p.choicesExist(), p.progressClaims(nil)
	fair = slices.DeleteFunc(fair, func(g *discharge.Group) bool {
		return g.Obligations[0].Name != fairKnown && g.Obligations[0].Name != fairAny
	})
	asked := slices.Concat(exist, fair)
	for _, g := range asked {
		g.Obligations[0].Probe()
	}
	d.All(ctx, asked)
	open := func(g *discharge.Group) bool { return g.Obligations[0].Verdict != result.Holds }
	known := slices.DeleteFunc(fair, open)
	return len(known) > 0 && !slices.ContainsFunc(exist, open), ctx.Err()
}

// freshNames gives names that no property has.
func freshNames(sys *system.System, prop *system.Property) func() string {
	n := 0
	return func() string {
		for n++; sys.Property(fmt.Sprintf("%s_%d", prop.Name, n)) != nil; n++ {
		}
		return fmt.Sprintf("%s_%d", prop.Name, n)
	}
}

// notRefuted removes the properties that are false in one of the first states of instances; all,
// where there are no states to look at.
func notRefuted(ctx context.Context, sys *system.System, instances []*system.Instance,
	wanted *[]*system.Property) error {
	looked := false
	for _, in := range instances {
		err := keepTrue(ctx, sys, in, wanted)
		if ctx.Err() != nil {
			*wanted = nil
			return err
		}
		looked = looked || err == nil
	}
	if !looked {
		*wanted = nil
	}
	return nil
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
// attempt shows. Solvers are asked where no instance refutes it.
func Follows(
	ctx context.Context, sys *system.System, w *system.Property, instances []*system.Instance,
	opts discharge.Options,
) (bool, error) {
	sys, of := normal(sys, w)
	w = of[0]
	known := invariantsOf(sys, func(p *system.Property) bool {
		return p.IsInvariant() && p.Kind != system.Safety
	})
	if independent(ctx, sys, instances, known, w.Term) {
		return false, ctx.Err()
	}
	d, err := brief(ctx, sys, opts)
	if err != nil {
		return false, err
	}
	t := &vc.Theory{}
	t.Background(sys, sys.Trusted(), vc.Versions{})
	t.Assume(known...)
	o := question(w, w.Term)
	d.All(ctx, []*discharge.Group{{Theory: t, Path: vc.OneState(),
		Obligations: []*discharge.Obligation{o}}})
	return o.Verdict == result.Holds, ctx.Err()
}

// brief are solvers for one attempt at a low limit.
func brief(
	ctx context.Context, sys *system.System, opts discharge.Options,
) (*discharge.Discharger, error) {
	opts.Rlimit, opts.Progress = lower(opts.Rlimit, 20), nil
	return discharge.New(ctx, sys, opts)
}

// probe is an obligation about a formula that is asked once.
func probe(w *system.Property, goal *logic.Term) *discharge.Obligation {
	return question(w, goal).Probe()
}

// question is an obligation about a formula.
func question(w *system.Property, goal *logic.Term) *discharge.Obligation {
	return &discharge.Obligation{Obligation: result.Obligation{Name: w.Name, Property: w.Name},
		Goal: goal}
}

// Inductive reports whether a formula is an invariant by itself, beside the invariants of a system,
// as far as one attempt at each step shows. Solvers are asked where no instance refutes it. It
// trusts the invariants, so this is no proof.
func Inductive(
	ctx context.Context, sys *system.System, w *system.Property, instances []*system.Instance,
	opts discharge.Options,
) (bool, error) {
	sys, of := normal(sys, w)
	w = of[0]
	open := preserved(ctx, sys, instances, []*system.Property{w}, nil)
	kept, err := inductive(ctx, sys, open, opts, probe)
	return len(kept) == 1, err
}
