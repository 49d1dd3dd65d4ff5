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

// guard is when an action has a step: where plain is true, and where there are values to choose with all of about.
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
	guards := slices.Clone(rel.Guard)
	for _, p := range sys.Properties {
		if p.Kind != system.Trusted {
			continue
		}
		after := after(sys, a, p.Term)
		if after == nil {
			return nil
		}
		if !logic.Equal(after, p.Term) {
			guards = append(guards, after)
		}
	}
	for _, g := range guards {
		if logic.MaxStep(g) > logic.Pre || readsInput(rel, g) {
			return nil
		}
	}
	var plain, about []*logic.Term // what the action chooses
	for _, g := range logic.Conjuncts(logic.And(guards...)) {
		if mentions(g, rel.Choices) {
			about = append(about, g)
		} else {
			plain = append(plain, g)
		}
	}
	return &guard{logic.And(plain...), rel.Choices, about}
}

func readsInput(rel *system.Relation, t *logic.Term) bool {
	return slices.ContainsFunc(rel.Inputs, func(in *logic.Symbol) bool { return logic.Occurs(t, in, logic.Pre) })
}

// after gives a formula over the state before the step that is true when t is true of the state
// after it; nil when the updates do not determine that.
func after(sys *system.System, a *system.Action, t *logic.Term) *logic.Term {
	return before(sys, a, logic.Shift(t, 1))
}

// before gives a formula over the state before the step that is true when t is true of both states;
// nil when the updates do not determine that.
func before(sys *system.System, a *system.Action, t *logic.Term) *logic.Term {
	ok := true
	out := logic.Map(t, func(t *logic.Term) *logic.Term {
		if t.Op != logic.OpApp || !t.Symbol.Mutable || t.Step == logic.Pre {
			return t
		}
		var vars []*logic.Var
		var value *logic.Term
		switch {
		case t.Symbol.Derived:
			if d := sys.DerivedOf(t.Symbol); d != nil && d.Body != nil {
				vars, value = d.Vars, after(sys, a, d.Body)
			}
		case !slices.Contains(a.Modifies, t.Symbol):
			return logic.App(t.Symbol, logic.Pre, t.Args...)
		default:
			for _, u := range a.Relation.Updates {
				if u.Symbol == t.Symbol && logic.MaxStep(u.Value) <= logic.Pre && !readsInput(a.Relation, u.Value) {
					vars, value = u.Vars, u.Value
				}
			}
		}
		if value == nil {
			ok = false
			return t
		}
		m := map[*logic.Var]*logic.Term{{}: nil} // not empty, so that bound variables are renamed
		for i, v := range vars {
			m[v] = t.Args[i]
		}
		return logic.Subst(value, m)
	})
	if !ok {
		return nil
	}
	return out
}
