package interp

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// Guide is what is known of a step before it is computed, as in a recorded run. The zero value
// knows nothing.
type Guide struct {
	// Args has the values of parameters and of choices, by name. With a value, even a parameter of
	// sort int can be carried out.
	Args map[string]int64
	// After lists closed formulas over state Pre that are true in the state after the step. Where
	// the action leaves values open, the solver looks for values with which they are.
	After []*logic.Term
	// Blocked, if it is not nil, hears of each requirement of the action that is false: as a closed
	// formula over state Pre, with the state in which it is false. Requirements that depend on
	// values that the action leaves open, or on two states that differ, are not told.
	Blocked func(requirement *logic.Term, in State)
}

// guided is the set of values that are tried for a parameter, before later ones, or for a choice of
// which a condition asks something.
func (r *run) guided(v *logic.Var, later []*logic.Var, such *logic.Term) (domain, bool) {
	x, given := r.guide.Args[v.Name]
	switch {
	case given:
	case !endless(r.m, v.Sort):
		return r.enumerable(v)
	case such != nil:
		return between(r.machine, []*logic.Var{v}, 1, []*logic.Term{such})
	default:
		return between(r.machine, slices.Concat([]*logic.Var{v}, later), 1,
			r.action.Requirements())
	}
	if endless(r.m, v.Sort) {
		return domain{x, 1}, true
	}
	d, ok := r.domain(v.Sort)
	switch {
	case !ok:
		return d, false
	case !d.has(x):
		return domain{}, true
	}
	return domain{x, 1}, true
}

// after lists the conditions on the state after a step.
func (r *run) after() []constraint {
	cs := make([]constraint, 0, len(r.m.trusted)+len(r.guide.After))
	cs = append(cs, at(r.m.trusted, logic.Post)...)
	for _, t := range r.guide.After {
		cs = append(cs, constraint{t, logic.Post})
	}
	return cs
}

// blocked tells the guide of a false requirement.
func (r *run) blocked(cond *logic.Term) {
	n := r.m.size
	if r.guide.Blocked == nil || slices.Contains(r.known[n:2*n], false) {
		return
	}
	changed := !slices.Equal(r.val[:n], r.val[n:2*n])
	readsOld := false
	now := logic.Map(r.closed(cond), func(t *logic.Term) *logic.Term {
		if t.Op != logic.OpApp || !t.Symbol.Mutable {
			return t
		}
		readsOld = readsOld || t.Step == logic.Pre
		return logic.App(t.Symbol, logic.Pre, t.Args...).At(t.Span)
	})
	if !changed || !readsOld {
		r.guide.Blocked(now, slices.Clone(r.val[n:2*n]))
	}
}

// closed puts the values of its variables into a term.
func (r *run) closed(t *logic.Term) *logic.Term {
	values := map[*logic.Var]*logic.Term{}
	for _, b := range r.env {
		x := b.value
		if b.lazy != nil {
			v, ok := r.needed(b.lazy)
			if !ok {
				continue
			}
			x = v
		}
		values[b.v] = logic.Literal(b.v.Sort, x)
	}
	return logic.Subst(t, values)
}
