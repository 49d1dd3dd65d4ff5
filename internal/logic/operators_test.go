package logic_test

import (
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/system/systemtest/states"
)

// simplified builds a term again by the functions of logic, which simplify.
func simplified(t *logic.Term) *logic.Term {
	return logic.Map(t, func(t *logic.Term) *logic.Term {
		switch t.Op {
		case logic.OpNot:
			return logic.Opposite(t.Args[0])
		case logic.OpAnd:
			return logic.And(t.Args...)
		case logic.OpOr:
			return logic.Or(t.Args...)
		case logic.OpImplies:
			return logic.Implies(t.Args[0], t.Args[1])
		case logic.OpIff, logic.OpEq:
			return logic.Eq(t.Args[0], t.Args[1])
		case logic.OpAdd:
			return logic.Add(t.Args...)
		case logic.OpIte:
			return logic.Ite(t.Args[0], t.Args[1], t.Args[2])
		}
		return t
	})
}

// Rewriting keeps the value of formulas with every operator.
func TestOperators(t *testing.T) {
	rewritings := map[string]func(*logic.Term) *logic.Term{
		"simplified": simplified,
		"conjuncts":  func(t *logic.Term) *logic.Term { return logic.And(logic.Conjuncts(t)...) },
		"negated":    func(t *logic.Term) *logic.Term { return logic.Not(logic.Opposite(t)) },
		"negated conjuncts": func(t *logic.Term) *logic.Term {
			return logic.Not(logic.And(logic.Conjuncts(logic.Not(t))...))
		},
		"renamed":    logic.Rename,
		"shared":     logic.Share,
		"two shared": func(t *logic.Term) *logic.Term { return logic.Share(logic.And(t, t)) },
	}
	states.Operators(t, func(
		seed int64, m *interp.Model, s interp.State, claims []systemtest.Claim,
	) {
		for _, c := range claims {
			for name, rewrite := range rewritings {
				r := rewrite(c.Term)
				if got, err := m.Holds(r, s); err != nil || got != c.Value {
					t.Errorf("seed %d, operator %d: %s, %s, is %s, which is %v (%v)", seed, c.Op,
						c.Term, name, r, got, err)
				}
			}
			if !logic.Equal(c.Term, logic.Rename(c.Term)) {
				t.Errorf("%s is not equal to itself with other variables", c.Term)
			}
		}
	})
}
