package synth

import (
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// candidate is a measure that may be taken: a number, or the tuples of a scope of which all
// literals are true, counted or with the action that is awaited.
type candidate struct {
	number *logic.Term // nil for the other two
	scope  *scope
	such   []literal
	action *system.Action // awaited with the first variables of the scope; nil for a count
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
	m := &system.Measure{Vars: c.scope.vars, Such: such, Action: c.action}
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
func (g *graph) try(s *search, c *candidate) (smaller []bool, valid bool) {
	smaller = make([]bool, len(g.left))
	if len(g.left) == 0 {
		return smaller, true
	}
	if c.number != nil {
		return smaller, g.tryNumber(s, c.number, smaller)
	}
	t := g.table(s, c.scope)
	if t == nil {
		return nil, false
	}
	for i := range t.tuples {
		if !g.tryTuple(s, c, t, i, smaller) {
			return nil, false
		}
	}
	return smaller, true
}

// tryTuple is try of one tuple.
func (g *graph) tryTuple(s *search, c *candidate, t *table, tuple int, smaller []bool) bool {
	values := t.tuples[tuple]
	var can []bool
	weak := false
	if c.action != nil {
		n := len(c.action.Params)
		can = g.column(with(s.Due[c.action], c.action.Params, values[:n]))
		if weak = c.action.Fairness == system.Weak; can == nil {
			return false
		}
	}
	columns := make([][]bool, len(c.such))
	for i, l := range c.such {
		columns[i] = t.columns[l.atom][tuple]
	}
	in := func(n int) bool {
		for i, l := range c.such {
			if columns[i][n] == l.negated {
				return false
			}
		}
		return !weak || can[n]
	}
	for i, n := range g.left {
		s.work--
		t := &g.Edges[n]
		switch was, is := in(t.From), in(t.To); {
		case !was && !is:
		case !was: // a tuple is added
			return false
		case c.action == nil:
			smaller[i] = smaller[i] || !is
		case is && takes(t, c.action, values): // its number of steps may be any afterwards
			return false
		case can[t.From]:
			smaller[i] = true
		}
	}
	return true
}

// tryNumber is try of a number, which must not be negative.
func (g *graph) tryNumber(s *search, t *logic.Term, smaller []bool) bool {
	values := g.number(with(t, s.vars, g.given))
	if values == nil {
		return false
	}
	s.work -= len(g.left)
	for i, n := range g.left {
		was, is := values[g.Edges[n].From], values[g.Edges[n].To]
		if is > was || is < 0 {
			return false
		}
		smaller[i] = is < was
	}
	return true
}
