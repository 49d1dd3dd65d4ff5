package interp_test

import (
	"math/rand"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system/systemtest"
)

// Formulas with every operator have their values.
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
		states := 0
		if err := m.Initial(t.Context(), func(s interp.State) error {
			states++
			for _, c := range claims {
				got, err := m.Holds(c.Term, s)
				if err != nil || got != c.Value {
					t.Errorf("seed %d, operator %d: %s is %v (%v)", seed, c.Op, c.Term, got, err)
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if states == 0 {
			t.Fatalf("seed %d: no initial state of\n%s", seed, sys)
		}
	}
}
