package vc

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// Stutter is the action of a step of `any transition` in which nothing changes. Such steps are
// allowed, as in mypyvy.
const Stutter = "stutter"

// call is one use of an action in a run, with variables and inputs of its own.
type call struct {
	action *system.Action // a fresh copy, or nil for a stuttering step
	args   []Argument
}

// manyFrames is the number of frame conditions, one for each call and symbol, above which each
// symbol has one instead: it is unchanged, or a call is taken that modifies it. Then at most one
// call is taken.
const manyFrames = 10_000

// TakeOne assumes that one of the part's steps leads from now to the returned state, which has the
// given number.
func (t *Theory) TakeOne(
	sys *system.System, part system.ScenarioComponent, now Versions, number int,
) (Versions, []Alternative) {
	var calls []call
	if part.Any {
		calls = append(calls, call{})
		for _, a := range sys.Actions {
			calls = append(calls, copyOf(a, nil))
		}
	}
	for _, c := range part.Calls {
		calls = append(calls, copyOf(c.Action, c.Args))
	}
	var modified []*logic.Symbol
	modifying := map[*logic.Symbol][]int{} // the calls that modify a symbol
	for i, c := range calls {
		if c.action != nil {
			modified = append(modified, c.action.Modifies...)
			for _, sym := range c.action.Modifies {
				modifying[sym] = append(modifying[sym], i)
			}
		}
	}
	next := now.Next(sys, modified, number)
	if len(calls) == 1 && calls[0].action != nil {
		a := calls[0].action
		t.Step(a, now, next)
		return next, []Alternative{{Action: a.Name, Args: calls[0].args}}
	}

	var changing []*logic.Symbol
	for _, sym := range StateSymbols(sys) {
		if len(modifying[sym]) > 0 {
			changing = append(changing, sym)
		}
	}
	bySymbol := len(calls)*len(changing) > manyFrames
	var alternatives []Alternative
	var some []*logic.Term
	for _, c := range calls {
		own := &Theory{}
		alt := Alternative{Action: Stutter, Args: c.args,
			Taken: &logic.Var{Name: Stutter, Sort: logic.Bool}}
		var changes []*logic.Symbol
		if c.action != nil {
			alt.Action, alt.Taken.Name, changes = c.action.Name, c.action.Name, c.action.Modifies
			own.Step(c.action, now, next)
		}
		for _, u := range own.Updates {
			own.Assume(u.Axiom())
		}
		for _, sym := range changing {
			if !bySymbol && !slices.Contains(changes, sym) {
				own.Assume(unchanged(sym, now, next))
			}
		}
		t.Consts = append(append(t.Consts, alt.Taken), own.Consts...)
		var step []*logic.Term
		for _, h := range own.Hypotheses {
			step = append(step, h.Term)
		}
		t.Assume(logic.Implies(logic.Ref(alt.Taken), logic.And(step...)))
		some = append(some, logic.Ref(alt.Taken))
		alternatives = append(alternatives, alt)
	}
	t.Assume(logic.Or(some...))
	if bySymbol {
		t.assumeAtMostOne(some)
		for _, sym := range changing {
			same := []*logic.Term{unchanged(sym, now, next)}
			for _, i := range modifying[sym] {
				same = append(same, some[i])
			}
			t.Assume(logic.Or(same...))
		}
	}
	return next, alternatives
}

// assumeAtMostOne assumes that at most one of some formulas is true (the sequential counter of
// Sinz, CP 2005).
func (t *Theory) assumeAtMostOne(some []*logic.Term) {
	before := logic.False // one of the formulas so far is true
	for _, one := range some {
		v := &logic.Var{Name: "taken", Sort: logic.Bool}
		t.Consts = append(t.Consts, v)
		now := logic.Ref(v)
		t.Assume(logic.Implies(logic.Or(before, one), now))
		t.Assume(logic.Not(logic.And(before, one)))
		before = now
	}
}

// unchanged is true when a symbol is the same in both states.
func unchanged(sym *logic.Symbol, now, next Versions) *logic.Term {
	vars := make([]*logic.Var, len(sym.Args))
	for i, s := range sym.Args {
		vars[i] = &logic.Var{Name: "X", Sort: s}
	}
	refs := logic.Refs(vars)
	return logic.Forall(vars,
		logic.Eq(logic.App(sym, next[sym], refs...), logic.App(sym, now[sym], refs...)))
}

// copyOf copies an action with fresh parameters, choices and inputs. A parameter with an argument
// equals it.
func copyOf(a *system.Action, args []*logic.Term) call {
	c := *a
	rel := *a.Relation
	c.Params, c.Relation = nil, &rel
	rel.Choices, rel.Inputs, rel.Guard, rel.Updates = nil, nil, nil, nil
	with := map[*logic.Var]*logic.Term{}
	for i, v := range a.Params {
		fresh := *v
		c.Params = append(c.Params, &fresh)
		with[v] = logic.Ref(&fresh)
		if i < len(args) && args[i] != nil {
			rel.Guard = append(rel.Guard, logic.Eq(with[v], args[i]))
		}
	}
	for _, v := range a.Relation.Choices {
		fresh := *v
		rel.Choices = append(rel.Choices, &fresh)
		with[v] = logic.Ref(&fresh)
	}
	inputs := map[*logic.Symbol]*logic.Symbol{}
	for _, f := range a.Relation.Inputs {
		fresh := *f
		inputs[f] = &fresh
		rel.Inputs = append(rel.Inputs, &fresh)
	}
	own := func(t *logic.Term) *logic.Term {
		t = logic.Map(t, func(t *logic.Term) *logic.Term {
			if fresh, ok := inputs[t.Symbol]; ok && t.Op == logic.OpApp {
				n := *t
				n.Symbol = fresh
				return &n
			}
			return t
		})
		return logic.Subst(t, with)
	}
	for _, g := range a.Relation.Guard {
		rel.Guard = append(rel.Guard, own(g))
	}
	for _, u := range a.Relation.Updates {
		u.Value = own(u.Value)
		rel.Updates = append(rel.Updates, u)
	}
	return call{&c, Arguments(&c)}
}
