package logic_test

import (
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/system/systemtest/states"
)

// entailed puts the formulas that a formula entails in its place.
func entailed(t *logic.Term, holds bool) *logic.Term {
	out := logic.True
	for a, is := range logic.Entailed(t, holds) {
		if !is {
			a = logic.Not(a)
		}
		out = logic.And(out, a)
	}
	return out
}

func opposite(t *logic.Term) *logic.Term {
	if t.Op == logic.OpNot {
		return logic.Opposite(t.Args[0])
	}
	return t
}

// summed puts the sums of their parts in the place of integers.
func summed(t *logic.Term) *logic.Term {
	return logic.Map(t, func(t *logic.Term) *logic.Term {
		if t.Sort != logic.Int {
			return t
		}
		var parts []*logic.Term
		for part, factor := range logic.Summands(t) {
			p := logic.BigLit(factor)
			if part != nil {
				p = logic.Mul(p, part)
			}
			parts = append(parts, p)
		}
		return logic.Add(parts...)
	})
}

// Rewriting keeps the value of formulas with every operator.
func TestOperators(t *testing.T) {
	rewritings := map[string]func(*logic.Term) *logic.Term{
		"simplified": func(t *logic.Term) *logic.Term { return logic.Map(t, logic.Simplified) },
		"opposite":   func(t *logic.Term) *logic.Term { return logic.Map(t, opposite) },
		"entailed":   func(t *logic.Term) *logic.Term { return entailed(t, true) },
		"denied":     func(t *logic.Term) *logic.Term { return logic.Not(entailed(t, false)) },
		"summed":     summed,
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
