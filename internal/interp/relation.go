package interp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// Related says whether the Relation of an action leads from one state to another, for the given
// parameters and choices. Choices that are not given, and the inputs, may have any value. Axioms,
// the definitions of derived symbols and trusted properties are not part of the relation: see
// Check.
func (m *Model) Related(
	ctx context.Context, a *system.Action, args []Arg, pre, post State,
) (bool, error) {
	if a.Relation == nil {
		return false, fmt.Errorf("action %s has no relation", a.Name)
	}
	f, err := m.machine(pre, post)
	if err != nil {
		return false, err
	}
	defer m.release(f)
	if !m.keeps(a, pre, post) {
		return false, nil
	}
	for _, arg := range args {
		if !endless(m, arg.Var.Sort) {
			d, ok := f.domain(arg.Var.Sort)
			if !ok {
				return false, f.err
			}
			if !d.has(arg.Value) {
				return false, nil
			}
		}
		f.env = append(f.env, binding{v: arg.Var, value: arg.Value})
	}
	var open []*logic.Var
	for _, v := range slices.Concat(a.Params, a.Relation.Choices) {
		if !slices.ContainsFunc(args, func(arg Arg) bool { return arg.Var == v }) {
			open = append(open, v)
		}
	}
	var cs []constraint
	for _, g := range a.Relation.Guard {
		cs = append(cs, constraint{g, logic.Pre})
	}
	for _, u := range a.Relation.Updates {
		cs = append(cs, constraint{u.Formula(), logic.Pre})
	}
	found := false
	var failed error
	all := among(f, open, 1, a.Relation.Guard, func() bool {
		failed = f.solve(ctx, cs, nil, func() error { found = true; return ErrStop })
		return failed == nil
	})
	switch {
	case found:
		return true, nil
	case failed != nil && !errors.Is(failed, ErrStop):
		return false, fmt.Errorf("relation of action %s: %w", a.Name, failed)
	case !all && failed == nil:
		return false, fmt.Errorf("relation of action %s: %w", a.Name, f.err)
	}
	return false, nil
}

// keeps says whether every symbol that an action does not modify has the same value in both states.
// Derived symbols with slots follow their definitions.
func (m *Model) keeps(a *system.Action, pre, post State) bool {
	for slot, l := range m.owners[:m.size] {
		if pre[slot] != post[slot] &&
			(!l.symbol.Mutable ||
				!slices.Contains(a.Modifies, l.symbol) &&
					!slices.Contains(m.freeDerived, l.symbol)) {
			return false
		}
	}
	return true
}

// Check says why a state is not a state of the model: an axiom, definition or trusted property is
// false. With initial set, it also says why the state is not an initial state.
func (m *Model) Check(s State, initial bool) error {
	f, err := m.machine(s)
	if err != nil {
		return err
	}
	defer m.release(f)
	for _, c := range m.initial(initial) {
		switch v, ok := f.evalConstraint(c); {
		case !ok && f.err != nil:
			return f.err
		case !ok:
			return &EvalError{Span: c.term.Span,
				Message: "the formula speaks of more than one state"}
		case v == 0:
			return fmt.Errorf("the formula at %s is false", c.term.Span)
		}
	}
	for slot, l := range m.owners[:m.size] {
		if result := l.symbol.Result; initial && result.Kind == logic.KindRange {
			if d, ok := f.domain(result); !ok || !d.has(s[slot]) {
				return fmt.Errorf("%s has the value %d, which is outside of its range %s", l.symbol,
					s[slot], result)
			}
		}
	}
	return m.checkValues(m.Instance, s)
}

// checkValues says where a state differs from the values that an instance gives.
func (m *Model) checkValues(inst *system.Instance, s State) error {
	for symbol, t := range inst.Values {
		v, err := m.Eval(t)
		if err != nil {
			return err
		}
		if have := s[m.layouts[symbol].offset]; have != v {
			return fmt.Errorf("%s is %s, but the instance says %s", symbol,
				m.value(symbol.Result, have), m.value(symbol.Result, v))
		}
	}
	for _, f := range inst.Facts {
		switch holds, err := m.Holds(f.Term, s); {
		case err != nil:
			return err
		case !holds:
			return fmt.Errorf("%s is not as the instance says", f.Name)
		}
	}
	return nil
}

// FalseConjunct is the span of the first conjunct of a formula that is false in a state.
func (m *Model) FalseConjunct(t *logic.Term, s State) diag.Span {
	for _, c := range logic.Conjuncts(t) {
		if holds, err := m.Holds(c, s); err == nil && !holds {
			if c.Span.IsZero() {
				return t.Span
			}
			return c.Span
		}
	}
	return t.Span
}
