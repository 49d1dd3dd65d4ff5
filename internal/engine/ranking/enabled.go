package ranking

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// enabled gives a formula over state Pre and the parameters of an action that implies that the
// action has a step to a state that satisfies the trusted invariants. The formula may be false
// where there is such a step. It is nil when none is known, because what the action does is not a
// function of its choices.
func enabled(sys *system.System, a *system.Action) *logic.Term {
	g := guardOf(sys, a)
	if g == nil {
		return nil
	}
	return logic.And(g.plain, g.chosen(nil))
}

// guard is when an action has a step: where plain is true, and where there are values to choose
// with all of about.
type guard struct {
	plain   *logic.Term
	choices []*logic.Var
	about   []*logic.Term
}

// chosen says that there are values to choose that satisfy a part of the conditions; nil means all.
func (g *guard) chosen(keep func(*logic.Term) bool) *logic.Term {
	var kept []*logic.Term
	for _, t := range g.about {
		if keep == nil || keep(t) {
			kept = append(kept, t)
		}
	}
	body := logic.And(kept...)
	var vars []*logic.Var
	for _, v := range g.choices {
		if keep == nil || mentions(body, []*logic.Var{v}) {
			vars = append(vars, v)
		}
	}
	return logic.Exists(vars, body)
}

func guardOf(sys *system.System, a *system.Action) *guard {
	if slices.ContainsFunc(sys.Derived, func(d *system.Derived) bool { return d.Body == nil }) {
		return nil // whether a derived symbol has a value after the step is not known
	}
	rel := a.Relation
	chosen := &newValues{sys: sys, action: a, free: true}
	var guards []*logic.Term
	for _, g := range rel.Guard {
		before := chosen.before(g)
		if before == nil {
			return nil
		}
		guards = append(guards, before)
	}
	for _, p := range sys.Properties {
		if p.Kind != system.Trusted {
			continue
		}
		after := chosen.before(logic.Shift(p.Term, 1))
		if after == nil {
			return nil
		}
		if !logic.Equal(after, p.Term) {
			guards = append(guards, after)
		}
	}
	guards = append(guards, chosen.functional()...)
	choices := slices.Concat(rel.Choices, chosen.vars)
	var plain, about []*logic.Term // what the action chooses
	for _, g := range logic.Conjuncts(logic.And(guards...)) {
		if mentions(g, choices) {
			about = append(about, g)
		} else {
			plain = append(plain, g)
		}
	}
	return &guard{logic.And(plain...), choices, about}
}

func readsInput(rel *system.Relation, t *logic.Term) bool {
	return slices.ContainsFunc(rel.Inputs, func(in *logic.Symbol) bool {
		return logic.Occurs(t, in, logic.Pre)
	})
}

// before gives a formula over the state before the step that is true when t is true of both states;
// nil when the updates do not determine that.
func before(sys *system.System, a *system.Action, t *logic.Term) *logic.Term {
	return (&newValues{sys: sys, action: a}).before(t)
}

// newValues states formulas about the state after a step over the state before it.
type newValues struct {
	sys    *system.System
	action *system.Action
	// What the step may choose freely gets variables: vars stands for the values apps. Without
	// free, nothing is stated about it.
	free bool
	vars []*logic.Var
	apps []*logic.Term
}

func (n *newValues) before(t *logic.Term) *logic.Term {
	ok := true
	out := logic.Map(t, func(t *logic.Term) *logic.Term {
		if !ok || t.Op != logic.OpApp {
			return t
		}
		value := t
		switch {
		case slices.Contains(n.action.Relation.Inputs, t.Symbol) && n.free:
			value = n.any(t)
		case t.Symbol.Mutable && t.Step > logic.Pre:
			value = n.after(t)
		}
		if value == nil {
			ok = false
			return t
		}
		return value
	})
	if !ok {
		return nil
	}
	return out
}

// after gives the value of an application in the state after the step; its arguments are over the
// state before.
func (n *newValues) after(t *logic.Term) *logic.Term {
	var vars []*logic.Var
	var value *logic.Term
	rel := n.action.Relation
	switch {
	case t.Symbol.Derived:
		if d := n.sys.DerivedOf(t.Symbol); d != nil && d.Body != nil {
			vars, value = d.Vars, n.before(logic.Shift(d.Body, 1))
		}
	case !slices.Contains(n.action.Modifies, t.Symbol):
		return logic.App(t.Symbol, logic.Pre, t.Args...)
	default:
		i := slices.IndexFunc(rel.Updates, func(u system.Update) bool {
			return u.Symbol == t.Symbol
		})
		switch {
		case i < 0:
			return n.any(t)
		case n.free:
			// Variables of the update are no values of the step, so it is instantiated first.
			return n.before(instantiate(rel.Updates[i].Value, rel.Updates[i].Vars, t.Args))
		case logic.MaxStep(rel.Updates[i].Value) <= logic.Pre &&
			!readsInput(rel, rel.Updates[i].Value):
			vars, value = rel.Updates[i].Vars, rel.Updates[i].Value
		}
	}
	if value == nil {
		return nil
	}
	return instantiate(value, vars, t.Args)
}

// any gives the variable for a value that the step chooses; nil where the arguments depend on bound
// variables, so that the step would choose a whole function.
func (n *newValues) any(t *logic.Term) *logic.Term {
	known := slices.Concat(n.action.Params, n.action.Relation.Choices, n.vars)
	for _, arg := range t.Args {
		for _, v := range logic.FreeVars(arg) {
			if !slices.Contains(known, v) {
				return nil
			}
		}
	}
	if !n.free {
		return nil
	}
	for i, app := range n.apps {
		if logic.Equal(app, t) {
			return logic.Ref(n.vars[i])
		}
	}
	v := &logic.Var{Name: t.Symbol.Name, Sort: t.Symbol.Result}
	if t.Step > logic.Pre {
		v.Name += "'"
	}
	for slices.ContainsFunc(known, func(x *logic.Var) bool { return x.Name == v.Name }) {
		v.Name += "'"
	}
	n.vars, n.apps = append(n.vars, v), append(n.apps, t)
	return logic.Ref(v)
}

// functional says that a function has one value for equal arguments.
func (n *newValues) functional() (out []*logic.Term) {
	for i, a := range n.apps {
		for j, b := range n.apps[:i] {
			if a.Symbol != b.Symbol {
				continue
			}
			same := logic.True
			for k := range a.Args {
				same = logic.And(same, logic.Eq(a.Args[k], b.Args[k]))
			}
			out = append(out,
				logic.Implies(same, logic.Eq(logic.Ref(n.vars[i]), logic.Ref(n.vars[j]))))
		}
	}
	return out
}
