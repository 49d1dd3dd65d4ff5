// Package states helps tests that evaluate generated formulas in a state.
package states

import (
	"math/rand"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system/systemtest"
)

// Operators calls f in the initial states of generated systems, with formulas that have every
// operator and their values there.
func Operators(
	t testing.TB, f func(seed int64, m *interp.Model, s interp.State, claims []systemtest.Claim),
) {
	t.Helper()
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
			f(seed, m, s, claims)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if states == 0 {
			t.Fatalf("seed %d: no initial state of\n%s", seed, sys)
		}
	}
}
