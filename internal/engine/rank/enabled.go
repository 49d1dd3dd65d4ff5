package rank

import (
	"slices"

	"erelong/internal/logic"
	"erelong/internal/system"
)

// enabled gives a formula over state Pre and the parameters of an action that is true only where the action has a step; nil when
// none is known, because what the action does is not a function of its choices. There may be steps where it is false. A step
// leads to a state that satisfies the trusted invariants.
func enabled(sys *system.System, a *system.Action) *logic.Term {
	if slices.ContainsFunc(sys.Derived, func(d *system.Derived) bool { return d.Body == nil }) {
		return nil // whether the state after the step has a value for it is not known
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
	return logic.And(append(plain, logic.Exists(rel.Choices, logic.And(about...)))...)
}

func readsInput(rel *system.Relation, t *logic.Term) bool {
	return slices.ContainsFunc(rel.Inputs, func(in *logic.Symbol) bool { return logic.Occurs(t, in, logic.Pre) })
}

// after says of the state before the step what t says of the state after it; nil when the updates do not tell.
func after(sys *system.System, a *system.Action, t *logic.Term) *logic.Term {
	return before(sys, a, logic.Shift(t, 1))
}

// before says of the state before the step what t says of both states; nil when the updates do not tell.
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
