package program

import (
	"fmt"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// formula is a formula over computed predicates, prepared for many states. Next is nil where it is
// about a state alone. Connectives stop as soon as the result is known, as the interpreter does.
type formula func(c system.Computer, state, next []int64) (bool, error)

// formulaOf prepares a formula.
func formulaOf(sys *system.System, t *logic.Term) (formula, error) {
	args := make([]formula, len(t.Args))
	for i, a := range t.Args {
		var err error
		if args[i], err = formulaOf(sys, a); err != nil {
			return nil, err
		}
	}
	switch t.Op {
	case logic.OpTrue, logic.OpFalse:
		value := t.IsTrue()
		return func(system.Computer, []int64, []int64) (bool, error) { return value, nil }, nil
	case logic.OpApp:
		d := sys.DerivedOf(t.Symbol)
		if d == nil || d.Predicate == nil || t.Step != logic.Pre {
			break
		}
		return predicate(d.Predicate), nil
	case logic.OpNot:
		return negation(args[0]), nil
	case logic.OpAnd:
		return junction(args, false), nil
	case logic.OpOr:
		return junction(args, true), nil
	case logic.OpImplies:
		return junction([]formula{negation(args[0]), args[1]}, true), nil
	case logic.OpIff:
		return choice(args[0], args[1], negation(args[1])), nil
	case logic.OpIte:
		return choice(args[0], args[1], args[2]), nil
	}
	return nil, fmt.Errorf("internal error: no formula over computed predicates: %s", t)
}

func predicate(p *system.Predicate) formula {
	if !p.OfStep {
		return func(c system.Computer, state, _ []int64) (bool, error) {
			return c.Holds(p.Number, state, nil)
		}
	}
	return func(c system.Computer, state, next []int64) (bool, error) {
		return c.Holds(p.Number, state, next)
	}
}

func negation(f formula) formula {
	return func(c system.Computer, state, next []int64) (bool, error) {
		holds, err := f(c, state, next)
		return !holds, err
	}
}

// junction is a disjunction, which ends with true, or a conjunction, which ends with false.
func junction(args []formula, end bool) formula {
	return func(c system.Computer, state, next []int64) (bool, error) {
		for _, f := range args {
			if holds, err := f(c, state, next); err != nil || holds == end {
				return holds, err
			}
		}
		return !end, nil
	}
}

func choice(cond, yes, no formula) formula {
	return func(c system.Computer, state, next []int64) (bool, error) {
		holds, err := cond(c, state, next)
		switch {
		case err != nil:
			return false, err
		case holds:
			return yes(c, state, next)
		}
		return no(c, state, next)
	}
}

// formulasOf prepares formulas.
func formulasOf(sys *system.System, terms []*logic.Term) (out []formula, err error) {
	for _, t := range terms {
		f, err := formulaOf(sys, t)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}
