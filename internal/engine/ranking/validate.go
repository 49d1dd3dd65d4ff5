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
func (s *search) wellFormed() (groups []*discharge.Group) {
	p := s.p
	for _, c := range p.possible {
		groups = append(groups,
			c.claim(p.sys, p.trusted, p.invariants, s.obligation(c.String(), nil)))
	}
	if !logic.Equal(p.pending, p.trigger) {
		o := s.obligation("what is triggered is pending",
			logic.Implies(logic.And(p.trigger, logic.Not(p.good)), p.pending))
		groups = append(groups, &discharge.Group{Theory: p.theory(false, vc.Versions{}),
			Path: vc.OneState(), Obligations: []*discharge.Obligation{o}})
	}
	return slices.Concat(groups, s.persists(), s.choicesExist())
}

// choicesExist gives the obligations that each choice has a value, whatever the values of the ones
// before.
func (s *search) choicesExist() (groups []*discharge.Group) {
	earlier := s.p.theory(false, vc.Versions{})
	earlier.Assume(s.p.prerequisite())
	for _, c := range s.p.choices {
		facts, _ := extrema(c.some())
		t := earlier.Clone()
		t.Assume(append(facts, atIntegers(s.p.invariants, c.some())...)...)
		groups = append(groups, &discharge.Group{Theory: t, Path: vc.OneState(),
			Obligations: []*discharge.Obligation{s.obligation(c.exists(), c.some())}})
		earlier.Assume(c.inRange(), c.fits(logic.Pre, logic.Pre))
	}
	return groups
}

// persists is the obligation that a pending state is followed by a pending or a good state.
func (s *search) persists() (groups []*discharge.Group) {
	p := s.p
	if p.pending.IsTrue() {
		return nil
	}
	for _, a := range p.sys.Actions {
		t, picture := p.step(a, false)
		t.Assume(p.prerequisite())
		o := s.obligation(a.Name+" keeps it pending, or is good",
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
func (s *search) progressClaims() (claims []*discharge.Group) {
	p := s.p
	more := premises(p)
	state := func(what string, goal *logic.Term, by ...*logic.Term) {
		g := s.here(s.obligation(what, goal))
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
	for _, v := range p.measures {
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

// progress gives a proved claim of progressClaims, or nil and the answer about the weakest. A hard
// claim is often easy of known values, so all claims are tried at a low limit before one is tried
// without it, which is thorough.
func (s *search) progress(
	ctx context.Context, thorough bool,
) (proved, weakest *discharge.Obligation) {
	claims := s.progressClaims()
	for _, g := range claims {
		g.Obligations[0].Probe()
		if s.full.All(ctx, []*discharge.Group{g}); g.Obligations[0].Verdict == result.Holds {
			return g.Obligations[0], nil
		}
	}
	if len(claims) == 0 {
		return nil, nil
	}
	if !thorough {
		return nil, claims[len(claims)-1].Obligations[0]
	}
	last := func() *discharge.Obligation { return claims[len(claims)-1].Obligations[0] }
	for i, g := range slices.Backward(s.progressClaims()) {
		if last().Verdict == result.NotInductive {
			break // the weakest claim is refuted
		}
		if claims[i].Obligations[0].Verdict == result.NotInductive {
			continue
		}
		claims[i] = g
		if s.full.All(ctx, []*discharge.Group{g}); g.Obligations[0].Verdict == result.Holds {
			return g.Obligations[0], nil
		}
	}
	return nil, last()
}

// validate states Eq. 15 and 16 for the ranking functions, however they were found. No function is
// negative; each decreases in the steps of its tier; the functions of the tiers before do not grow
// there. A part outside all tiers has no steps. What solvers have proved in the search is not asked
// again: how variables grow in a part, or in a larger part, and that a part has no steps.
func (s *search) validate(tiers []*tier) (groups []*discharge.Group) {
	g := s.here()
	for _, v := range used(tiers) {
		if v.opaque() {
			g.Theory.Assume(logic.Le(logic.IntLit(0), v.term))
		}
	}
	for i, t := range tiers {
		g.Obligations = append(g.Obligations,
			s.obligation(fmt.Sprintf("rank %d is not negative", i+1),
				logic.Le(logic.IntLit(0), t.term())))
	}
	groups = append(groups, g)
	byAction := map[*system.Action]*discharge.Group{}
	claim := func(part *part, o *discharge.Obligation) {
		g := byAction[part.action]
		if g == nil {
			theory, picture := s.p.step(part.action, true)
			g = &discharge.Group{Theory: theory, Path: picture}
			byAction[part.action], groups = g, append(groups, g)
		}
		o.Action, o.Goal = part.action.Name, s.claim(part, o.Goal)
		g.Obligations = append(g.Obligations, o)
	}
	for i, t := range tiers {
		for _, part := range t.parts {
			growths := logic.True
			for _, v := range used(tiers[:i+1]) {
				if h, ok := part.change[v]; ok && v.opaque() {
					o := s.counted(part, v, h)
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
				o := s.obligation(name, logic.Implies(growths, goal))
				if u.bounded(part, j == i) {
					o.FollowsFrom(u.proof(part))
				}
				claim(part, o)
			}
		}
	}
	for _, part := range s.ruledOut(tiers) {
		o := s.impossibility(part)
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
// growth of its variables: times the factors, which are positive, they have a sum that says so.
func (t *tier) bounded(part *part, decreases bool) bool {
	sum := new(big.Int)
	for i, v := range t.vars {
		h, ok := part.change[v]
		if !ok {
			return false
		}
		sum.Add(sum, new(big.Int).Mul(t.factors[i], big.NewInt(int64(h))))
	}
	return sum.Sign() < 0 || sum.Sign() == 0 && !decreases
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
func (s *search) check(
	ctx context.Context, tiers []*tier, r *result.Result,
) ([]*discharge.Obligation, error) {
	ctx, done := s.during(ctx, result.StageValidation)
	defer done()
	valid, open := s.decide(ctx, func() []*discharge.Group { return s.validate(tiers) })
	if open != nil {
		r.Reason = result.Because(result.NotProved, "not proved: "+open.Name)
		return valid, nil
	}
	for _, root := range s.roots {
		if !s.covered(root, tiers) {
			return valid, fmt.Errorf("internal error: steps of %s belong to no tier", root)
		}
	}
	r.Verdict = result.Holds
	return valid, nil
}

// counted is the obligation that a count, or a number of steps that are left, grows by at most h.
// The obligations about functions assume it.
func (s *search) counted(part *part, v *variable, h int) *discharge.Obligation {
	o := s.obligation(fmt.Sprintf("%s: %s grows by at most %d", part, v, h),
		v.grows(part.action, h))
	o.Action = part.action.Name
	return o
}

// ruledOut lists the parts outside the tiers that have no steps, by the search.
func (s *search) ruledOut(tiers []*tier) (out []*part) {
	var within func(p *part)
	within = func(p *part) {
		if p.impossible != nil {
			out = append(out, p)
			return
		}
		if s.leaf(p, tiers) {
			return
		}
		for _, h := range p.halves {
			if s.covers(h, tiers) {
				within(h.part[0])
				within(h.part[1])
				return
			}
		}
	}
	for _, r := range s.roots {
		within(r)
	}
	return out
}

// covered reports whether all steps of a part belong to tiers or are claimed impossible.
func (s *search) covered(p *part, tiers []*tier) bool {
	if p.impossible != nil || s.leaf(p, tiers) {
		return true
	}
	for _, h := range p.halves {
		if s.covers(h, tiers) {
			return true
		}
	}
	return false
}

func (s *search) covers(h *halving, tiers []*tier) bool {
	return s.covered(h.part[0], tiers) && s.covered(h.part[1], tiers)
}

func (s *search) leaf(p *part, tiers []*tier) bool {
	return slices.ContainsFunc(tiers, func(t *tier) bool { return slices.Contains(t.parts, p) })
}

// decide discharges obligations: at a low limit first, and then, unless one of them is refuted, at
// the full limit. It gives the obligations and the first that is not proved, nil if all are.
func (s *search) decide(
	ctx context.Context, state func() []*discharge.Group,
) ([]*discharge.Obligation, *discharge.Obligation) {
	all := func(
		probe bool, d *discharge.Discharger,
	) (os []*discharge.Obligation, open *discharge.Obligation) {
		groups := state()
		for _, g := range groups {
			for _, o := range g.Obligations {
				if probe {
					o.Probe()
				}
				os = append(os, o)
			}
		}
		d.All(ctx, groups)
		for _, o := range os {
			if o.Verdict != result.Holds &&
				(open == nil ||
					o.Verdict == result.NotInductive && open.Verdict == result.Unknown) {
				open = o
			}
		}
		return os, open
	}
	os, open := all(true, s.quick)
	if open == nil || open.Verdict == result.NotInductive {
		return os, open
	}
	return all(false, s.full)
}
