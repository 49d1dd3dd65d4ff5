package interp

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// A symbol with an integer as argument has infinitely many points. A model of an instance that
// bounds the integers holds the points of a window, and a step that reads another point does not
// exist. So a run of such a model is a run of the system if its formulas do not speak of all
// integers.

// errWindow is the error of a term that reads outside of the integers of an instance.
var errWindow = errors.New("outside of the integers of the instance")

// window is the domain of the integers, if an instance bounds them.
func window(in *system.Instance) (domain, bool) {
	w := in.Integers
	if w == nil {
		return domain{}, false
	}
	return domain{w.Lo, max(w.Hi-w.Lo+1, 0)}, true
}

// outside is the error of a term that reads a point that there is not.
func (f *machine) outside(t *logic.Term, arg int, v int64, d domain) {
	sort := t.Symbol.Args[arg]
	if sort == logic.Int {
		f.err = errWindow
		return
	}
	if sort.Kind == logic.KindRange {
		f.err = &EvalError{t.Span,
			fmt.Sprintf("%s is applied to %d, which is outside of its range %s (%d..%d)", t.Symbol,
				v, sort, d.lo, d.lo+d.n-1), true}
		return
	}
	f.fail(t.Span, "%s is applied to an element of %s with index %d, of which there are %d",
		t.Symbol, sort, v, d.n)
}

// First is a model of the instance of a trace, and the first state. Where symbols have integers as
// arguments, the model has the points of that state, and no steps from it need be there.
func First(sys *system.System, t *result.Trace) (*Model, State, error) {
	inst, err := InstanceOf(sys, t)
	if err != nil {
		return nil, nil, err
	}
	given := slices.Concat(t.Params, t.Steps[0].State)
	inst.Integers = occurring(sys, given)
	m, err := NewModel(sys, inst)
	if err != nil {
		return nil, nil, err
	}
	s, err := m.StateOf(given...)
	return m, s, err
}

// windowOf is the window of the integers in which a trace is replayed, where symbols have integers
// as arguments, and else nil. Only runs to the violation of a claim about states are replayed in a
// window: more steps are possible in the system than in the window, so what is said of all steps
// from a state need not be so, as that there is none, or that none is fair.
func windowOf(
	sys *system.System, t *result.Trace, property *system.Property,
) (*system.Window, error) {
	if !sys.TakesIntegers() {
		return nil, nil
	}
	if t.Loop >= 0 || t.Violates == result.Deadlock {
		return nil, errors.New("whether a step is possible depends on the other points")
	}
	all := slices.Clone(t.Params)
	for _, step := range t.Steps {
		all = append(all, step.State...)
	}
	return occurring(sys, all), wholly(sys, property)
}

// occurring is the window of the integers in some values, where symbols of the system have integers
// as arguments: the ones at which functions have values, or else all that occur. It is nil where no
// symbol has an integer as argument.
func occurring(sys *system.System, values []result.Binding) *system.Window {
	if !sys.TakesIntegers() {
		return nil
	}
	var all, keys system.Window
	mapped := false
	for _, b := range values {
		widen(&all, b.Value)
		for _, row := range b.Value.Rows {
			widen(&all, row.Result)
			for _, key := range row.Key {
				widen(&all, key)
				if b.Value.Kind == result.MapValue && key.Kind == result.IntValue {
					mapped = widen(&keys, key) || mapped
				}
			}
		}
	}
	if mapped {
		return &keys
	}
	return &all
}

// widen adds an integer to a window, and reports whether the value is one.
func widen(w *system.Window, v result.Value) bool {
	n, ok := new(big.Int).SetString(v.Text, 10)
	if !ok || v.Kind != result.IntValue || !n.IsInt64() {
		return false
	}
	w.Lo, w.Hi = min(w.Lo, n.Int64()), max(w.Hi, n.Int64())
	return true
}

// wholly is nil if a run of a model with a window that violates a property is a run of the system
// that does. So a guard and what is trusted ask for no more than some integers, what a step assigns
// and a definition say nothing of all integers, the initial condition says the same of each integer
// that it does not name, and the property is about all integers, if it is. Else it says why not.
func wholly(sys *system.System, property *system.Property) error {
	for _, a := range sys.Actions {
		if a.Relation == nil {
			return fmt.Errorf("the action %s has no formula", a.Name)
		}
		var assigned []*logic.Term
		for _, u := range a.Relation.Updates {
			assigned = append(append(assigned, u.Value), u.Args...)
		}
		if slices.ContainsFunc(assigned, overIntegers) ||
			slices.ContainsFunc(a.Relation.Guard, asksAll) {
			return fmt.Errorf("the action %s speaks of all integers", a.Name)
		}
	}
	for _, d := range sys.Derived {
		if overIntegers(d.Axiom) || d.Body != nil && overIntegers(d.Body) {
			return fmt.Errorf("%s speaks of all integers", d.Symbol.Name)
		}
	}
	for _, f := range slices.Concat(sys.Axioms, sys.Inits) {
		if !pointwise(f.Term) {
			return fmt.Errorf("a condition on the initial states speaks of all integers (%s)",
				f.Term.Span)
		}
	}
	for _, p := range sys.Trusted() {
		if asksAll(p.Term) {
			return fmt.Errorf("%s, which is trusted, speaks of all integers", p.Name)
		}
	}
	if property != nil && asksAll(logic.Not(property.Term)) {
		return fmt.Errorf("%s asks for some integer, which may be another one", property.Name)
	}
	return nil
}

// asksAll reports whether a formula may be true where quantifiers range over some of the integers,
// and false where they range over all.
func asksAll(t *logic.Term) bool { return asks(t, true) }

// asks is asksAll for a formula under an even number of negations, or under an odd one.
func asks(t *logic.Term, positive bool) bool {
	integers := slices.ContainsFunc(t.Vars, func(v *logic.Var) bool { return v.Sort == logic.Int })
	switch t.Op {
	case logic.OpNot:
		return asks(t.Args[0], !positive)
	case logic.OpImplies:
		return asks(t.Args[0], !positive) || asks(t.Args[1], positive)
	case logic.OpForall, logic.OpExists:
		return integers && (t.Op == logic.OpForall) == positive || asks(t.Args[0], positive)
	case logic.OpAnd, logic.OpOr:
		return slices.ContainsFunc(t.Args, func(a *logic.Term) bool { return asks(a, positive) })
	}
	return overIntegers(t)
}

// overIntegers reports whether some part of a formula is about all integers.
func overIntegers(t *logic.Term) bool {
	return logic.Has(t, func(t *logic.Term) bool {
		return slices.ContainsFunc(t.Vars, func(v *logic.Var) bool { return v.Sort == logic.Int })
	})
}

// pointwise reports whether a formula says the same of each integer: that relations are true or
// false there, or that functions have a value that does not depend on it.
func pointwise(t *logic.Term) bool {
	switch t.Op {
	case logic.OpAnd:
		return !slices.ContainsFunc(t.Args, func(a *logic.Term) bool { return !pointwise(a) })
	case logic.OpForall:
		if !overIntegers(t.Args[0]) {
			return same(t.Args[0])
		}
		return false
	}
	return !overIntegers(t)
}

// same is pointwise for a formula about some integers that are free in it.
func same(t *logic.Term) bool {
	app := t
	switch t.Op {
	case logic.OpAnd:
		return !slices.ContainsFunc(t.Args, func(a *logic.Term) bool { return !same(a) })
	case logic.OpNot:
		app = t.Args[0]
	case logic.OpEq:
		if len(freeIntegers(t.Args[1])) > 0 {
			return false
		}
		app = t.Args[0]
	}
	free := freeIntegers(t)
	if len(free) == 0 {
		return true
	}
	return app.Op == logic.OpApp && !slices.ContainsFunc(free, func(v *logic.Var) bool {
		at := 0 // how often the integer occurs, by itself, among the arguments
		for _, a := range app.Args {
			if a.Op == logic.OpVar && a.Var == v {
				at++
			} else if slices.Contains(logic.FreeVars(a), v) {
				return true
			}
		}
		return at != 1
	})
}

// freeIntegers are the integers that are free in a term.
func freeIntegers(t *logic.Term) []*logic.Var {
	return slices.DeleteFunc(logic.FreeVars(t), func(v *logic.Var) bool {
		return v.Sort != logic.Int
	})
}
