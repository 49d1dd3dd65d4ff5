package infer

import (
	"math/rand"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system/systemtest"
)

// Formulas with every operator have their values in a structure.
func TestOperators(t *testing.T) {
	for seed := range int64(20) {
		sys, claims, err := systemtest.Operators(rand.New(rand.NewSource(seed)), 3)
		if err != nil {
			t.Fatal(err)
		}
		m, err := interp.NewModel(sys, sys.Instances[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Initial(t.Context(), func(s interp.State) error {
			at := sample{newStructure(m), s}
			for _, c := range claims {
				value := int64(-1)
				if hasValue(func() { value = at.eval(c.Term, nil) }); value == 1 != c.Value ||
					value < 0 {
					t.Errorf("seed %d, operator %d: %s is %d", seed, c.Op, c.Term, value)
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// A number that steps change by two stays even.
func TestEven(t *testing.T) {
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
