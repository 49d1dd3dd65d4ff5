package discharge

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/vc"
)

// splitAsBefore proves an obligation whose goal has a disjunction that held before the step, by the
// cases of which disjunct did. Mostly the same one holds after the step, and another one where the
// step changes what is spoken of. Solvers distinguish these cases late or never, and each of them
// is easy. It reports whether the obligation is decided.
func (a *asker) splitAsBefore(ctx context.Context, o *Obligation) (decided bool) {
	s, whole := a.asBefore(o)
	if s == nil || o.quick {
		return false
	}
	s.ask = s.askingBy(ctx, o, func() []*attempt { return a.eachOnce(a.attempts()) }, a.quick)
	return s.decide(ctx, o, whole)
}

// provesAsBefore is splitAsBefore with little effort: with one attempt for each question.
func (a *asker) provesAsBefore(ctx context.Context, o *Obligation, limit int64) {
	s, whole := a.asBefore(o)
	if s == nil {
		return
	}
	s.ask = s.askingBy(ctx, o, func() []*attempt { return a.attempts()[:1] }, limit)
	whole.guessed = true // a model of it is looked for with more effort
	if !s.decide(ctx, o, whole) {
		o.Verdict, o.Reason = "", result.Reason{}
	}
}

// asBefore is a proof of an obligation by what held before the step, and the part that is the whole
// obligation; nil where it has no disjunction that is worth it. Next to sizes and sums, where a
// question that stays open costs far more, none is.
func (a *asker) asBefore(o *Obligation) (*splitting, part) {
	whole := part{goal: o.Goal, before: before(a.group.Theory, o.Goal)}
	if a.in.approximate || whole.before == nil ||
		!slices.ContainsFunc(whole.parts(), part.isHardDisjunction) {
		return nil, whole
	}
	s := &splitting{asker: a, about: "what held before", left: mostOpen, guesses: true}
	return s, whole
}

// isHardDisjunction reports whether the goal is a disjunction that held before the step, of several
// quantified formulas: solvers tell other disjuncts apart themselves.
func (p part) isHardDisjunction() bool {
	if !p.heldBefore() {
		return false
	}
	quantified := 0
	for _, t := range p.goal.Args {
		if logic.Has(t, (*logic.Term).IsQuantifier) {
			quantified++
		}
	}
	return quantified > 1
}

// before is the goal of the state before the step, if it is a hypothesis.
func before(theory *vc.Theory, goal *logic.Term) *logic.Term {
	was := logic.Map(goal, func(t *logic.Term) *logic.Term {
		if t.Op == logic.OpApp && t.Symbol.Mutable && t.Step > 0 {
			c := *t
			c.Step = 0
			return &c
		}
		return t
	})
	if logic.Equal(goal, was) || !slices.ContainsFunc(theory.Hypotheses,
		func(h vc.Hypothesis) bool { return logic.Equal(h.Term, was) }) {
		return nil
	}
	return was
}

// Limits of a proof by what held before: nested cases, of that and of what the step distinguishes;
// questions that stay open; and all questions.
const deepest, mostOpen, mostAsked = 6, 40, 400

// heldBefore reports whether the goal is a disjunction that held before the step.
func (p part) heldBefore() bool { return p.goal.Op == logic.OpOr && p.before != nil }

// byDisjuncts proves a disjunction by its disjuncts, in the cases of which of them held before the
// step where that is known.
func (s *splitting) byDisjuncts(p part) bool {
	if p.depth >= deepest {
		return false
	}
	p.depth++
	if p.before == nil {
		return s.provesAfter(p, 0)
	}
	for i, was := range p.before.Args {
		if !s.provesAfter(p.with(was), i) {
			return false
		}
	}
	return true
}

// provesAfter proves a disjunction of which the i-th disjunct held before the step, if anything is
// known: as it is, or one of its disjuncts, or by cases of what the step distinguishes.
func (s *splitting) provesAfter(p part, i int) bool {
	if s.follows(p) {
		return true
	}
	for n := range p.goal.Args {
		j := (i + n) % len(p.goal.Args) // the i-th first
		q := p.about(func(t *logic.Term) *logic.Term { return t.Args[j] })
		q.guessed = true
		if j != i {
			q.before = nil
		}
		if s.proves(q) {
			return true
		}
	}
	if p.depth >= deepest {
		return false
	}
	p.depth++
	if c := s.distinction(p); c != nil {
		return s.provesAfter(p.with(c), i) && s.provesAfter(p.with(logic.Not(c)), i)
	}
	return false
}

// distinction is a condition in the new values of what the goal speaks of that is not decided yet;
// nil if there is none. An equation is part of the condition that it stands in.
func (s *splitting) distinction(p part) *logic.Term {
	var seen []*logic.Term // what is decided, and the parts of conditions
	add := func(t *logic.Term) { seen = append(seen, logic.Conjuncts(t)...) }
	for _, t := range p.assume {
		add(t)
		if t.Op == logic.OpNot {
			add(t.Args[0])
		}
	}
	for _, d := range s.branches(p) {
		var open []*logic.Term
		for _, c := range logic.Conjuncts(d[0]) {
			known := slices.ContainsFunc(append(seen, open...), func(t *logic.Term) bool {
				return logic.Equal(t, c) || t.Op == logic.OpEq && c.Op == logic.OpEq &&
					logic.Equal(t, logic.Eq(c.Args[1], c.Args[0]))
			})
			if !known {
				open = append(open, c)
			}
		}
		if len(open) > 0 {
			return logic.And(open...)
		}
	}
	return nil
}

// byWitness proves that something exists by an element that the new values of the goal compare with
// the bound variable, such as the place where a step puts an entry.
func (s *splitting) byWitness(p part) bool {
	if p.goal.Op != logic.OpExists || len(p.goal.Vars) > 1 || s.distinction(p) != nil {
		return false // it may be another one in each case
	}
	v, body := p.goal.Vars[0], p.goal.Args[0]
	var tried []*logic.Term
	s.inNewValues(p.goal, func(t *logic.Term, bound []*logic.Var) {
		if t.Op != logic.OpEq && t.Op != logic.OpLe && t.Op != logic.OpLt {
			return
		}
		for i, w := range t.Args {
			if isVar := t.Args[1-i]; isVar.Op != logic.OpVar || isVar.Var != v {
				continue
			}
			if t.Op == logic.OpLt {
				w = logic.Add(w, logic.IntLit(int64(2*i-1))) // v < w, or w < v
			}
			bad := slices.ContainsFunc(logic.FreeVars(w), func(f *logic.Var) bool {
				return slices.Contains(bound, f)
			})
			if !bad && !slices.ContainsFunc(tried, func(o *logic.Term) bool {
				return logic.Equal(o, w)
			}) {
				tried = append(tried, w)
			}
		}
	})
	return slices.ContainsFunc(tried, func(w *logic.Term) bool {
		q := p
		q.goal = logic.And(logic.InSort(v.Sort, w),
			logic.Subst(body, map[*logic.Var]*logic.Term{v: w}))
		q.before, q.guessed = nil, true
		return s.proves(q)
	})
}
