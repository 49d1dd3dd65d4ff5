package interp_test

import (
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/system/systemtest/states"
)

// Formulas with every operator have their values.
func TestOperators(t *testing.T) {
	states.Operators(t, func(
		seed int64, m *interp.Model, s interp.State, claims []systemtest.Claim,
	) {
		for _, c := range claims {
			if got, err := m.Holds(c.Term, s); err != nil || got != c.Value {
				t.Errorf("seed %d, operator %d: %s is %v (%v)", seed, c.Op, c.Term, got, err)
			}
		}
	})
}
