package infer

import (
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/system/systemtest/states"
	"erelong.dev/erelong/internal/testkit"
)

// Formulas with every operator have their values in a structure.
func TestOperators(t *testing.T) {
	states.Operators(t, func(
		seed int64, m *interp.Model, s interp.State, claims []systemtest.Claim,
	) {
		at := sample{newStructure(m), s}
		for _, c := range claims {
			value := int64(-1)
			if hasValue(func() { value = at.eval(c.Term, nil) }); value == 1 != c.Value ||
				value < 0 {
				t.Errorf("seed %d, operator %d: %s is %d", seed, c.Op, c.Term, value)
			}
		}
	})
}

// A number that steps change by two stays even.
func TestEven(t *testing.T) {
	testkit.InCI(t)
	found(t, `
mutable relation odd
mutable constant x: 0..6
init x = 0 & !odd
action up() { require x < 5; x := x + 2; }
action down() { require x > 1; x := x - 2; }
action flip() { require x mod 2 = 1; odd := true; }
safety [even] !odd
`)
}
