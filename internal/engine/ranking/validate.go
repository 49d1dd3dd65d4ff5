package ranking

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// wellFormed gives the obligations without ranking functions: a pending state is followed by a
// pending or a good state (Eq. 12), and each choice has a value.
func (p *problem) wellFormed() (groups []*discharge.Group) {
	for _, c := range p.possible {
		groups = append(groups,
			c.claim(p.sys, p.trusted, p.invariants, p.obligation(c.String(), nil)))
	}
	if !logic.Equal(p.pending, p.trigger) {
		o := p.obligation("what is triggered is pending",
			logic.Implies(logic.And(p.trigger, logic.Not(p.good)), p.pending))
		groups = append(groups, &discharge.Group{Theory: p.theory(false, vc.Versions{}),
			Path: vc.OneState(), Obligations: []*discharge.Obligation{o}})
	}
	return slices.Concat(groups, p.persists(), p.choicesExist())
}

// choicesExist gives the obligations that each choice has a value, whatever the values of the ones
// before.
func (p *problem) choicesExist() (groups []*discharge.Group) {
	earlier := p.theory(false, vc.Versions{})
	earlier.Assume(p.prerequisite())
	for _, c := range p.choices {
		facts, _ := extrema(c.some())
		t := earlier.Clone()
		t.Assume(append(facts, atIntegers(p.invariants, c.some())...)...)
		groups = append(groups, &discharge.Group{Theory: t, Path: vc.OneState(),
			Obligations: []*discharge.Obligation{p.obligation(c.exists(), c.some())}})
		earlier.Assume(c.inRange(), c.fits(logic.Pre, logic.Pre))
	}
	return groups
}

// persists is the obligation that a pending state is followed by a pending or a good state.
func (p *problem) persists() (groups []*discharge.Group) {
	if p.pending.IsTrue() {
		return nil
	}
	for _, a := range p.sys.Actions {
		t, picture := p.step(a, false)
		t.Assume(p.prerequisite())
		o := p.obligation(a.Name+" keeps it pending, or is good",
			vc.In(logic.Or(p.pending, p.good), picture.States[1]))
		o.Action = a.Name
		groups = append(groups,
			&discharge.Group{Theory: t, Path: picture, Obligations: []*discharge.Obligation{o}})
	}
	return groups
}

// The claims that a fair action can be taken. They exclude runs that rest for ever, even where a
// run may rest.
const (
	awaited   = "an action that is awaited can be taken"
	fairKnown = "a fair action can be taken"
	fairAny   = "a fair action can be taken with some values"
)

// progressClaims gives claims, each of which implies that some action can be taken (section 8). The
// weakest is the last: actions that measures of the hints await, fair actions with known values,
// fair actions, actions whose parameters of one sort have known values, then any action.
func (p *problem) progressClaims(measures []*variable) (claims []*discharge.Group) {
	more := premises(p)
	state := func(what string, goal *logic.Term, by ...*logic.Term) {
		g := p.here(p.obligation(what, goal))
		facts, _ := extrema(goal)
		g.Theory.Assume(append(facts, by...)...)
		claims = append(claims, g)
	}
	claim := func(what string, goal *logic.Term) {
		if goal.IsFalse() {
			return
		}
		state(what, goal)
		for _, by := range more {
			state(what+by.suffix, goal, by.facts...)
		}
	}
	var known []*logic.Term
	for _, f := range p.fair {
		for _, args := range p.tuples(f.left.Args) {
			known = append(known, instantiate(f.enabled, f.action.Params, args))
		}
	}
	var fair []*logic.Term
	for _, f := range p.fair {
		fair = append(fair, logic.Exists(f.action.Params, f.enabled))
	}
	var ticks []*logic.Term
	for _, v := range measures {
		ticks = append(ticks, v.ticks())
	}
	claim(awaited, logic.Or(ticks...))
	claim(fairKnown, logic.Or(known...))
	claim(fairAny, logic.Or(fair...))
	var sorts []*logic.Sort
	for _, a := range p.sys.Actions {
		for _, v := range a.Params {
			if len(p.values(v.Sort)) > 0 && !slices.ContainsFunc(sorts, func(s *logic.Sort) bool {
				return logic.SameSort(s, v.Sort)
			}) {
				sorts = append(sorts, v.Sort)
			}
		}
	}
	for _, sort := range sorts {
		claim("an action can be taken with a known "+sort.String(), p.someEnabled(sort))
	}
	claim("an action can be taken", p.someEnabled(nil))
	return claims
}

// someEnabled is true when an action can be taken whose parameters of the sort have known values. A
// nil sort stands for no restriction.
func (p *problem) someEnabled(sort *logic.Sort) *logic.Term {
	var out []*logic.Term
	for _, a := range p.sys.Actions {
		e := p.enabled[a]
		if e == nil {
			continue
		}
		var fixed, free []*logic.Var
		var sorts []*logic.Sort
		for _, v := range a.Params {
			if sort != nil && logic.SameSort(v.Sort, sort) {
				fixed, sorts = append(fixed, v), append(sorts, sort)
			} else {
				free = append(free, v)
			}
		}
		for _, args := range p.tuples(sorts) {
			out = append(out, instantiate(logic.Exists(free, e), fixed, args))
		}
	}
	return logic.Or(out...)
}

// proof is ranking functions in tiers over the parts of all steps. What is to be proved of them
// does not depend on how they were found.
type proof struct {
	p     *problem
	never []*never
	roots []*part // all steps
	tiers []*tier
	claim *discharge.Obligation // that some action can be taken
}

// number gives a number to each part whose conditions are long, counting from 1 for each action.
func (f *proof) number() {
	const long = 120 // characters
	last := map[*system.Action]int{}
	for _, part := range slices.Concat(partsOf(f.tiers), f.ruledOut()) {
		if len(part.where()) > long {
			last[part.action]++
			part.number = last[part.action]
		}
	}
}

// obligations states Eq. 15 and 16 for the ranking functions, however they were found. No function
// is negative; each decreases in the steps of its tier; the functions of the tiers before do not
// grow there. A part outside all tiers has no steps. What solvers have proved in the search is not
// asked again: how variables grow in a part, or in a larger part, and that a part has no steps.
func (f *proof) obligations() (groups []*discharge.Group) {
	p, tiers := f.p, f.tiers
	g := p.here()
	for _, v := range used(tiers) {
		if v.opaque() {
			g.Theory.Assume(logic.Le(logic.IntLit(0), v.term))
		}
	}
	for i, t := range tiers {
		g.Obligations = append(g.Obligations,
			p.obligation(fmt.Sprintf("rank %d is not negative", i+1),
				logic.Le(logic.IntLit(0), t.term())))
	}
	groups = append(groups, g)
	byAction := map[*system.Action]*discharge.Group{}
	claim := func(part *part, o *discharge.Obligation) {
		g := byAction[part.action]
		if g == nil {
			theory, picture := p.step(part.action, true)
			g = &discharge.Group{Theory: theory, Path: picture}
			byAction[part.action], groups = g, append(groups, g)
		}
		o.Action, o.Goal = part.action.Name, p.claim(part, o.Goal)
		g.Obligations = append(g.Obligations, o)
	}
	for i, t := range tiers {
		for _, part := range t.parts {
			growths := logic.True
			for _, v := range used(tiers[:i+1]) {
				if h, ok := part.change[v]; ok && v.opaque() {
					o := p.counted(part, v, h)
					o.FollowsFrom(part.proofs[v])
					claim(part, o)
					growths = logic.And(growths, logic.Le(logic.Shift(v.term, 1),
						logic.Add(v.term, logic.IntLit(int64(h)))))
				}
			}
			for j, u := range tiers[:i+1] {
				if u.follows(part, j == i) {
					continue
				}
				name, goal := fmt.Sprintf("%s: rank %d does not grow", part, j+1),
					logic.Le(logic.Shift(u.term(), 1), u.term())
				if j == i {
					name, goal = fmt.Sprintf("%s: rank %d decreases", part, j+1),
						logic.Lt(logic.Shift(u.term(), 1), u.term())
				}
				o := p.obligation(name, logic.Implies(growths, goal))
				if u.bounded(part, j == i) {
					o.FollowsFrom(u.proof(part))
				}
				claim(part, o)
			}
		}
	}
	for _, part := range f.ruledOut() {
		o := p.impossibility(part)
		o.FollowsFrom(part.impossible)
		claim(part, o)
	}
	return groups
}

// follows reports whether a function decreases, or does not grow, in a part by what is claimed
// there of its variables. Then there is nothing left to ask.
func (t *tier) follows(part *part, decreases bool) bool {
	return t.bounded(part, decreases) && !slices.ContainsFunc(t.vars, func(v *variable) bool {
		return !v.opaque()
	})
}

// bounded reports whether a function decreases, or does not grow, in a part by the bounds on the
// growth of its variables.
func (t *tier) bounded(part *part, decreases bool) bool {
	sum := t.growth(part)
	return sum != nil && (sum.Sign() < 0 || sum.Sign() == 0 && !decreases)
}

// growth is the sum of the bounds on the growth of a function's variables in a part, times their
// factors, which are positive; nil if some variable has no bound.
func (t *tier) growth(part *part) *big.Int {
	sum := new(big.Int)
	for i, v := range t.vars {
		h, ok := part.change[v]
		if !ok {
			return nil
		}
		sum.Add(sum, new(big.Int).Mul(t.factors[i], big.NewInt(int64(h))))
	}
	return sum
}

// proof gives a proof of a bound on the growth of a function's variables in a part, if there is a
// proof of each of these bounds; else nil. It prefers the proof of a solver.
func (t *tier) proof(part *part) (found *discharge.Obligation) {
	for _, v := range t.vars {
		by := part.proofs[v]
		if by == nil {
			return nil
		}
		if found == nil || found.Solver == result.Nobody() {
			found = by
		}
	}
	return found
}

// check sets the verdict, and the reason if the ranking functions are not proved. It gives the
// obligations. The error means a defect of the search.
func (f *proof) check(
	ctx context.Context, by solvers, r *result.Result,
) ([]*discharge.Obligation, error) {
	valid, open := by.decide(ctx, f.obligations)
	if open != nil {
		r.Reason = result.Because(result.NotProved, "not proved: "+open.Name)
		return valid, nil
	}
	if rest := f.uncovered(); rest != nil {
		return valid, fmt.Errorf("internal error: steps of %s belong to no tier", rest)
	}
	r.Verdict = result.Holds
	return valid, nil
}

// counted is the obligation that a count, or a number of steps that are left, grows by at most h.
// The obligations about functions assume it.
func (p *problem) counted(part *part, v *variable, h int) *discharge.Obligation {
	o := p.obligation(fmt.Sprintf("%s: %s grows by at most %d", part, v, h),
		v.grows(part.action, h))
	o.Action = part.action.Name
	return o
}

// ruledOut lists the parts outside the tiers that have no steps, by the search.
func (f *proof) ruledOut() (out []*part) {
	var within func(p *part)
	within = func(p *part) {
		if p.impossible != nil {
			out = append(out, p)
			return
		}
		if f.leaf(p) {
			return
		}
		for _, h := range p.halves {
			if f.covers(h) {
				within(h.part[0])
				within(h.part[1])
				return
			}
		}
	}
	for _, r := range f.roots {
		within(r)
	}
	return out
}

// uncovered gives a part of which some steps neither belong to tiers nor are claimed impossible;
// nil if there is none.
func (f *proof) uncovered() *part {
	if i := slices.IndexFunc(f.roots, func(r *part) bool { return !f.covered(r) }); i >= 0 {
		return f.roots[i]
	}
	return nil
}

// covered reports whether all steps of a part belong to tiers or are claimed impossible.
func (f *proof) covered(p *part) bool {
	return p.impossible != nil || f.leaf(p) || slices.ContainsFunc(p.halves, f.covers)
}

func (f *proof) covers(h *halving) bool { return f.covered(h.part[0]) && f.covered(h.part[1]) }

func (f *proof) leaf(p *part) bool {
	return slices.ContainsFunc(f.tiers, func(t *tier) bool { return slices.Contains(t.parts, p) })
}
