package synth

import (
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// candidate is a measure that may be taken: a number, or the tuples of a scope of which all
// literals are true, counted, as digits, or with the action that is awaited.
type candidate struct {
	number *logic.Term // nil for the other two
	scope  *scope
	such   []literal
	action *system.Action // awaited with the first variables of the scope; nil for a count
	order  system.Order   // of the tuples, as digits of a number; empty for a count
}

// literal is an atom of a scope, or its negation.
type literal struct {
	atom    int
	negated bool
}

func (sc *scope) term(l literal) *logic.Term {
	if l.negated {
		return logic.Not(sc.atoms[l.atom])
	}
	return sc.atoms[l.atom]
}

func (c *candidate) conditions() *logic.Term {
	var all []*logic.Term
	for _, l := range c.such {
		all = append(all, c.scope.term(l))
	}
	return logic.And(all...)
}

// measure is the candidate as a hint.
func (c *candidate) measure() *system.Measure {
	if c.number != nil {
		return &system.Measure{Number: c.number}
	}
	such := c.conditions()
	if c.action == nil && len(c.scope.vars) == 0 {
		return &system.Measure{Number: logic.Ite(such, logic.IntLit(1), logic.IntLit(0))}
	}
	m := &system.Measure{Vars: c.scope.vars, Such: such, Action: c.action, Order: c.order}
	if c.action != nil {
		m.Args = logic.Refs(c.scope.vars[:len(c.action.Params)])
	}
	return m
}

// takes reports whether a step takes an action with the first values of a tuple.
func takes(t *interp.Edge, a *system.Action, tuple []*value) bool {
	if t.Action != a {
		return false
	}
	n := len(a.Params)
	return slices.EqualFunc(t.Args[:n], tuple[:n],
		func(x interp.Arg, v *value) bool { return x.Value == v.number })
}

// try finds the steps in which a candidate becomes smaller, among the steps that are left; valid is
// false if it grows in one of them.
func (g *graph) try(s *search, c *candidate) (smaller set, valid bool) {
	smaller, g.last = newSet(len(g.between)), never
	if len(g.left) == 0 {
		return smaller, true
	}
	if c.number != nil {
		return smaller, g.tryNumber(s, c.number, smaller)
	}
	t := g.table(s, c.scope)
	if t == nil || slices.ContainsFunc(c.such, func(l literal) bool {
		return t.columns[l.atom] == nil // it has no value in some state
	}) {
		return nil, false
	}
	if c.order != "" {
		return smaller, g.tryOrder(s, c, t, smaller)
	}
	var due []set
	if c.action != nil {
		if due = g.dueIn(s, t, slices.Index(s.fair, c.action)); due == nil {
			return nil, false
		}
	}
	for i := range t.tuples {
		if g.refuted(s, c, t, i, due) {
			return nil, false
		}
	}
	for i := range t.tuples {
		if !g.tryTuple(s, c, t, i, due, smaller) {
			return nil, false
		}
	}
	return smaller, true
}

// refuted reports whether the candidate grows for a tuple in one of the steps that refuted others.
func (g *graph) refuted(s *search, c *candidate, t *table, tuple int, due []set) bool {
	weak := c.action != nil && c.action.Fairness == system.Weak
	in := func(place int) bool {
		for _, l := range c.such {
			if t.columns[l.atom][tuple].has(place) == l.negated {
				return false
			}
		}
		return !weak || due[tuple].has(place)
	}
	for _, n := range g.refuting {
		s.work--
		step := &g.between[n]
		if g.isLeft.has(n) && in(step.to) &&
			(!in(step.from) || c.action != nil && takes(step.Edge, c.action, t.tuples[tuple])) {
			g.last = n
			return true
		}
	}
	return false
}

// tryTuple is try of one tuple. A tuple that is added makes the measure grow. After a step that
// takes the awaited action with a tuple, the number of steps that are left to it may be any.
func (g *graph) tryTuple(
	s *search, c *candidate, t *table, tuple int, due []set, smaller set,
) bool {
	in := g.among(c, t, tuple)
	counted := in // where it goes down with each step
	if c.action != nil {
		if c.action.Fairness == system.Weak {
			in.keep(due[tuple], false)
		}
		counted = due[tuple]
	}
	s.work -= len(g.left) + len(in)
	for _, n := range g.left {
		step := &g.between[n]
		was, is := in.has(step.from), in.has(step.to)
		switch {
		case !was && !is:
		case !was, is && c.action != nil && takes(step.Edge, c.action, t.tuples[tuple]):
			g.refutes(n)
			return false
		case !is && (c.action == nil || counted.has(step.from)),
			c.action != nil && counted.has(step.from):
			smaller.add(n)
		}
	}
	return true
}

// among is the pending states in which a tuple satisfies the literals.
func (g *graph) among(c *candidate, t *table, tuple int) set {
	in := newSet(len(g.pending))
	in.fill(len(g.pending))
	for _, l := range c.such {
		in.keep(t.columns[l.atom][tuple], l.negated)
	}
	return in
}

// tryOrder is try of digits: of the places whose digit changes, the first one decides.
func (g *graph) tryOrder(s *search, c *candidate, t *table, smaller set) bool {
	digits := make([]set, len(t.tuples))
	for place := range digits {
		digits[place] = g.among(c, t, place)
	}
	if c.order == system.Downwards {
		slices.Reverse(digits)
	}
	for _, n := range g.left {
		step := &g.between[n]
		for _, in := range digits {
			s.work--
			was, is := in.has(step.from), in.has(step.to)
			if !was && is {
				g.last = n
				return false
			}
			if was && !is {
				smaller.add(n)
				break
			}
		}
	}
	return true
}

// tryNumber is try of a number, which must not be negative.
func (g *graph) tryNumber(s *search, t *logic.Term, smaller set) bool {
	values := g.number(with(t, s.vars, g.given))
	if values == nil {
		return false
	}
	s.work -= len(g.left)
	for _, n := range g.left {
		was, is := values[g.between[n].From], values[g.between[n].To]
		if is > was || is < 0 {
			return false
		}
		if is < was {
			smaller.add(n)
		}
	}
	return true
}
