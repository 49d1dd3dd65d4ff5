// Package bounds finds bounds of linear expressions after a step, for steps with many branches.
//
// In: an action, and a formula claimed of the state after it. Out: the formula with facts about the
// numbers in it, such as 0 <= c' - c <= 1000. The facts are true of every step, so the formula
// claims the same. A solver would have to look at every path through a thousand branches in a row
// to find them.
//
// The method is abstract interpretation (Cousot and Cousot 1977). An expression is described by
// intervals for its distances from expressions over the state before: a value with branches is
// between the bounds of its branches, where the condition restricts each branch. An expression over
// several values is followed as one, through all of them at once: if each branch adds one to either
// c or d, then c + d is known exactly, though c and d are not.
package bounds

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// manyBranches is the number of branches from which on facts about an expression are stated.
// Solvers decide fewer branches quickly.
const manyBranches = 20

// Step finds bounds after the steps of one action.
type Step struct{ analysis *analysis }

// Of begins an analysis of an action. Without many branches there is nothing to find.
func Of(a *system.Action) *Step {
	if a.Relation == nil || !slices.ContainsFunc(a.Relation.Updates, hasManyBranches) {
		return &Step{}
	}
	return &Step{newAnalysis(a)}
}

// After gives, for a formula over one state, a formula over the states before and after a step. In
// every step it is equivalent to the given formula in the state after. It also reports whether
// facts were found.
func (s *Step) After(formula *logic.Term) (after *logic.Term, found bool) {
	after = logic.Shift(formula, logic.Post)
	if s.analysis == nil {
		return after, false
	}
	out := s.analysis.strengthen(after, true)
	return out, out != after
}

// hasManyBranches reports whether an update has enough branches for facts about it.
func hasManyBranches(u system.Update) bool {
	n := 0
	logic.Walk(u.Value, func(t *logic.Term) bool {
		if t.Op == logic.OpIte && t.Sort == logic.Int {
			n++
		}
		return n < manyBranches
	})
	return n >= manyBranches
}

// strengthen adds facts to the comparisons of integers. Where a proof by contradiction claims that
// a comparison is false, its facts are claimed to be true, and conversely.
func (a *analysis) strengthen(t *logic.Term, positive bool) *logic.Term {
	switch t.Op {
	case logic.OpAnd, logic.OpOr, logic.OpForall, logic.OpExists:
		return logic.MapArgs(t, func(arg *logic.Term) *logic.Term {
			return a.strengthen(arg, positive)
		})
	case logic.OpNot:
		return logic.MapArgs(t, func(arg *logic.Term) *logic.Term {
			return a.strengthen(arg, !positive)
		})
	case logic.OpImplies:
		left, right := a.strengthen(t.Args[0], !positive), a.strengthen(t.Args[1], positive)
		if left == t.Args[0] && right == t.Args[1] {
			return t
		}
		return logic.Implies(left, right).At(t.Span)
	case logic.OpEq, logic.OpLe, logic.OpLt:
		facts := logic.And(a.facts(t)...)
		switch {
		case facts.IsTrue():
			return t
		case positive:
			return logic.Implies(facts, t).At(t.Span)
		}
		return logic.And(facts, t).At(t.Span)
	}
	return t
}

// facts are true of every step. They are about the difference of the two sides of a comparison, and
// about the new values that occur in it.
func (a *analysis) facts(comparison *logic.Term) (out []*logic.Term) {
	if comparison.Args[0].Sort != logic.Int {
		return nil
	}
	left, right := comparison.Args[0], comparison.Args[1]
	about := []*logic.Term{logic.Sub(left, right)}
	for _, side := range comparison.Args {
		logic.Walk(side, func(t *logic.Term) bool {
			if t.Op == logic.OpApp && t.Sort == logic.Int && t.Step == logic.Post {
				about = append(about, t)
			}
			return len(t.Vars) == 0 // what a binder binds is unknown outside
		})
	}
	before := logic.Map(comparison, func(t *logic.Term) *logic.Term {
		if t.Op != logic.OpApp || t.Step != logic.Post {
			return t
		}
		c := *t
		c.Step = logic.Pre
		return &c
	})
	for _, t := range about {
		for _, given := range []*logic.Term{logic.True, before} {
			for _, f := range a.about(t, given) {
				if !slices.ContainsFunc(out,
					func(g *logic.Term) bool { return logic.Equal(f, g) }) {
					out = append(out, f)
				}
			}
		}
	}
	return out
}

// about states what is known of an expression. With an assumption about the state before, it takes
// the declared ranges for granted there, too, and states what only follows from them.
func (a *analysis) about(t, given *logic.Term) (out []*logic.Term) {
	f, ok := a.linear(t)
	if !ok || a.height(f) < manyBranches {
		return nil
	}
	r := &run{analysis: a, memory: map[string]value{}, budget: maxForms}
	if !given.IsTrue() {
		r.given = append([]form{}, a.limitsIn(given, true)...)
	}
	v := r.value(f)
	premise := logic.True
	if !given.IsTrue() {
		premise = logic.And(append(r.ranges, given)...)
		v = slices.DeleteFunc(v, func(d distance) bool { return len(d.from.parts) > 0 })
	}
	for _, d := range v {
		from := d.from.term(a)
		if logic.Size(from) > maxNodes {
			continue
		}
		if d.lo > -large {
			out = append(out, logic.Implies(premise, logic.Le(sum(from, d.lo), t)))
		}
		if d.hi < large {
			out = append(out, logic.Implies(premise, logic.Le(t, sum(from, d.hi))))
		}
	}
	return out
}

// maxNodes is the size of an expression up to which facts about it are stated.
const maxNodes = 200

// sum adds a number.
func sum(t *logic.Term, n int64) *logic.Term {
	switch {
	case t.Op == logic.OpInt && t.Int.Sign() == 0:
		return logic.IntLit(n)
	case n == 0:
		return t
	}
	return logic.Add(t, logic.IntLit(n))
}
