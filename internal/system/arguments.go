package system

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// Implicit makes the claims that all symbols are applied within the ranges of their arguments: one
// for the steps and each symbol, one for each claim that is evaluated in reachable states, and a
// theorem for each theorem. What is plain is left out: see settler. Axioms and initial conditions
// are no part of it, since they are not about reachable states.
func Implicit(ctx context.Context, sys *System) (out []*Property, err error) {
	add := func(p Property, parts ...*logic.Term) {
		s := newSettler(sys.Axioms)
		s.ctx = ctx
		goal := s.goal(logic.And(parts...))
		if ctx.Err() != nil {
			return
		}
		if p.Term = logic.Rename(distinct(goal)); !p.Term.IsTrue() {
			out = append(out, &p)
		}
	}
	partial := slices.DeleteFunc(slices.Clone(sys.Symbols), func(s *logic.Symbol) bool {
		return !overRange(s)
	})
	if sys.Exists != nil {
		partial = append(partial, sys.Exists)
	}
	if len(partial) == 0 {
		return nil, nil
	}
	titles := logic.Titles(partial)
	for _, sym := range partial {
		parts := sys.aroundSteps(sym)
		for _, a := range sys.Actions {
			part, err := applied(ctx, sys, sym, a)
			if err != nil {
				return nil, err
			}
			parts = append(parts, part)
		}
		add(Property{Name: string(Argument) + ":" + titles[sym], Kind: Argument,
			Span: sym.Span}, parts...)
	}
	for _, p := range sys.Properties {
		claim := Property{Name: Definedness(p.Name), Kind: Defined, Span: p.Span}
		d := sys.definedness(nil, unwritten)
		always := d.of(p.Term)
		switch {
		case p.Kind == Theorem:
			claim.Kind, claim.States = Theorem, p.States
			add(claim, always)
		case p.IsInvariant() || p.IsTemporal():
			add(claim, d.anytime([]*logic.Term{always}, p.Term,
				func(goal *logic.Term) *logic.Term { return goal })...)
		}
	}
	return out, context.Cause(ctx)
}

// overRange reports whether a symbol has an argument of a range.
func overRange(sym *logic.Symbol) bool {
	return slices.ContainsFunc(sym.Args, func(s *logic.Sort) bool {
		return s.Kind == logic.KindRange
	})
}

// unwritten is what is written where nothing happens.
func unwritten(*logic.Symbol) bool { return false }

// aroundSteps are the conditions under which definitions and conditions of fairness can be
// evaluated, as far as a symbol is concerned.
func (sys *System) aroundSteps(sym *logic.Symbol) (out []*logic.Term) {
	d := sys.definedness(sym, unwritten)
	for _, def := range sys.Derived {
		if def.Body == nil && def.Fold == nil { // a fold is computed where it is read
			out = append(out, d.of(def.Axiom))
		}
	}
	for _, a := range sys.Actions {
		if a.FairIf != nil {
			out = append(out, around(a.Params, d.of(a.FairIf)))
		}
	}
	return out
}

// distinct leaves out conjuncts that occur before.
func distinct(t *logic.Term) *logic.Term {
	if t.Op != logic.OpAnd {
		return t
	}
	identity, seen := logic.NewIdentity(), map[int]bool{}
	return logic.And(slices.DeleteFunc(slices.Clone(t.Args), func(a *logic.Term) bool {
		n := identity.Of(a)
		defer func() { seen[n] = true }()
		return seen[n]
	})...)
}

// applied is the condition under which an action can be evaluated in a state, as far as a symbol is
// concerned. Trusted invariants are evaluated in the state after it.
func applied(
	ctx context.Context, sys *System, sym *logic.Symbol, a *Action,
) (*logic.Term, error) {
	code := slices.Clone(a.Code)
	for _, p := range sys.Trusted() {
		code = append(code, Require{Cond: logic.Shift(p.Term, logic.Post), Span: p.Span})
	}
	if !mayNeed(sys, sym, code) {
		return logic.True, nil
	}
	e := newExecutor(ctx, sys, a)
	e.needs = sym
	now := &state{values: map[*logic.Symbol]*function{}}
	if _, err := e.block(code, now, map[*logic.Var]*logic.Term{}, logic.True); err != nil {
		return nil, fmt.Errorf("action %s: the arguments of %s: %w", a.Name, sym, err)
	}
	goal := logic.True
	for _, ev := range slices.Backward(e.events) {
		switch {
		case ev.need != nil:
			goal = logic.And(ev.need, goal)
		case goal.IsTrue():
		case ev.guard != nil:
			goal = logic.Implies(ev.guard, goal)
		default:
			goal = around([]*logic.Var{ev.choice}, goal)
		}
	}
	return around(a.Params, abstract(goal, e.rel.Inputs)), nil
}

// mayNeed reports whether some statement may need an argument of a symbol to be in a range. It
// saves the symbolic execution of most actions.
func mayNeed(sys *System, sym *logic.Symbol, code []Stmt) bool {
	wrote := map[*logic.Symbol]bool{}
	d := sys.definedness(sym, func(s *logic.Symbol) bool {
		return wrote[s] || s.Derived && len(wrote) > 0
	})
	var walk func([]Stmt) bool
	walk = func(code []Stmt) bool {
		for _, s := range code {
			clear(d.done)
			if !d.statement(s).IsTrue() {
				return true
			}
			if s, ok := s.(If); ok && (walk(s.Then) || walk(s.Else)) {
				return true
			}
			for _, w := range Assigned([]Stmt{s}) {
				wrote[w] = true
			}
		}
		return false
	}
	return walk(code)
}

// statement is the condition under which a statement can be evaluated, without the blocks in it.
func (d *definedness) statement(s Stmt) *logic.Term {
	target := func(sym *logic.Symbol, args []*logic.Term) *logic.Term {
		if sym == d.symbol {
			return logic.And(d.all(args), d.within(sym, args))
		}
		return d.all(args)
	}
	switch s := s.(type) {
	case Require:
		return d.of(s.Cond)
	case Assign:
		var out []*logic.Term
		for _, u := range s.Updates {
			out = append(out, around(u.Vars, logic.And(target(u.Symbol, u.Args), d.of(u.Value))))
		}
		return logic.And(out...)
	case Havoc:
		return around(s.Vars, target(s.Symbol, s.Args))
	case Choose:
		return d.of(s.Such)
	case Let:
		return d.of(s.Value)
	case If:
		return d.of(s.Cond)
	}
	return logic.True
}

// event is a part of a symbolic execution: a condition under which it goes on, a choice, or what
// the next statement needs. Exactly one field is set.
type event struct {
	guard  *logic.Term
	choice *logic.Var
	need   *logic.Term
}

// need records what a statement needs, if that is asked for.
func (e *executor) need(
	s Stmt, now *state, env map[*logic.Var]*logic.Term, path *logic.Term,
) error {
	if e.needs == nil {
		return nil
	}
	d := e.sys.definedness(e.needs, func(s *logic.Symbol) bool {
		return now.values[s] != nil || s.Derived && len(now.values) > 0
	})
	goal, err := e.read(d.statement(s), now, env)
	if err == nil && !goal.IsTrue() {
		e.events = append(e.events, event{need: logic.Implies(path, goal)})
	}
	return err
}

// Definedness names the claim that a property has a value: that arguments lie in their ranges.
func Definedness(property string) string { return string(Defined) + ":" + property }
