package check

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// Expressions that have a value under a condition only, such as the last element of a sequence.
//
// Until the claims about definedness are made, such an expression is a term `if exists(cond) then e
// else e`, where exists is a symbol of which system.Implicit claims that its argument is true.
// Afterwards it is e.

// needing elaborates an expression that needs a condition.
func (e *elaborator) needing(x *syntax.Expr) (*logic.Term, *cell) {
	cond := e.expect(x.Args[0], known(logic.Bool), "")
	value, sort := e.expr(x.Args[1])
	if e.c.sys.Exists == nil {
		e.c.sys.Exists = &logic.Symbol{Name: "part", Kind: logic.Relation,
			Args: []*logic.Sort{logic.Bool}, Result: logic.Bool, Span: x.Span}
	}
	exists := logic.App(e.c.sys.Exists, logic.Pre, cond).At(x.Args[1].Span)
	t := node(logic.OpIte, x.Span, nil, exists, value, value)
	e.pend = append(e.pend, t)
	return t, sort
}

// roomFor marks a condition that a step has only since sequences have a number of places, so that a
// claim about it can be made. Places is the constant with this number, empty for other conditions.
func roomFor(sys *system.System, places string, cond *logic.Term) *logic.Term {
	if places == "" || cond == nil {
		return cond
	}
	i := slices.IndexFunc(sys.Symbols, func(s *logic.Symbol) bool { return s.Name == places })
	constant := sys.Symbols[i]
	for _, r := range sys.Rooms {
		if r.Places == constant {
			return logic.App(r.Fits, logic.Pre, cond).At(cond.Span)
		}
	}
	fits := &logic.Symbol{Name: "fits", Kind: logic.Relation, Args: []*logic.Sort{logic.Bool},
		Result: logic.Bool, Span: cond.Span}
	sys.Rooms = append(sys.Rooms, &system.Room{Places: constant, Fits: fits})
	return logic.App(fits, logic.Pre, cond).At(cond.Span)
}

// dropNeeds makes a plain term of each expression that needs a condition, once the claims are made.
func dropNeeds(sys *system.System) {
	if sys.Exists == nil && len(sys.Rooms) == 0 {
		return
	}
	drop := unmarked(sys)
	for _, r := range sys.Rooms {
		r.Fits = nil
	}
	sys.Exists = nil
	system.Rewrite(sys, drop)
}

// unmarked makes a plain term of each expression that needs a condition.
func unmarked(sys *system.System) func(*logic.Term) *logic.Term {
	exists := sys.Exists
	fits := map[*logic.Symbol]bool{}
	for _, r := range sys.Rooms {
		fits[r.Fits] = true
	}
	plain := map[*logic.Term]*logic.Term{}
	var drop func(t *logic.Term) *logic.Term
	drop = func(t *logic.Term) *logic.Term {
		if out, ok := plain[t]; ok {
			return out
		}
		out := t
		switch {
		case t.Op == logic.OpApp && fits[t.Symbol]:
			out = drop(t.Args[0])
		case exists != nil && t.Op == logic.OpIte && t.Args[0].Op == logic.OpApp &&
			t.Args[0].Symbol == exists:
			out = drop(t.Args[1])
		case exists != nil && t.Op == logic.OpApp && t.Symbol == exists:
			out = logic.True // of the claims, which state the condition itself
		case len(t.Args) > 0:
			c := *t
			c.Args = make([]*logic.Term, len(t.Args))
			changed := false
			for i, a := range t.Args {
				c.Args[i] = drop(a)
				changed = changed || c.Args[i] != a
			}
			if changed {
				out = &c
			}
		}
		out = junctionOf(out)
		plain[t] = out
		return out
	}
	return drop
}

// junctionOf is a conjunction or disjunction where a quantifier over bool has one formula for each
// value, which package flat writes so that both formulas have to have a value.
func junctionOf(t *logic.Term) *logic.Term {
	if !t.IsQuantifier() || len(t.Vars) != 1 || t.Vars[0].Sort != logic.Bool {
		return t
	}
	v, body := t.Vars[0], t.Args[0]
	if body.Op != logic.OpIte || body.Args[0].Op != logic.OpVar || body.Args[0].Var != v ||
		slices.Contains(logic.FreeVars(body.Args[1]), v) ||
		slices.Contains(logic.FreeVars(body.Args[2]), v) {
		return t
	}
	if t.Op == logic.OpForall {
		return logic.And(body.Args[1], body.Args[2]).At(t.Span)
	}
	return logic.Or(body.Args[1], body.Args[2]).At(t.Span)
}

// usual gives a symbol what does not stand in its declaration: how the file writes it, and the
// value that an instance gives it where it says nothing.
func usual(d *syntax.SymbolDecl, s *logic.Symbol) {
	s.Declared, s.Keyed = d.Declared, d.Keyed
	if n := d.Notation; n != nil {
		s.Notation = &logic.Notation{Name: n.Name, Text: n.Text, Arity: len(s.Args),
			Relates: n.Relates, Cases: n.Cases}
	}
	switch {
	case d.Usual:
		s.Usual = logic.Member(s.Result, 0).At(diag.Span{})
	case d.Capacity:
		s.Usual, s.Grows = logic.IntLit(startCapacity), true
	}
}

// startCapacity is the number of places of a sequence without a bound, where an exploration does
// not find out how many are needed.
const startCapacity = 8
