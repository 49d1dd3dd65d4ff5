package bmc

import (
	"math/rand"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/sat"
	"erelong.dev/erelong/internal/system/systemtest"
)

// A grounded formula with any operator has its value in every initial state, and not the other.
func TestOperators(t *testing.T) {
	for seed := range int64(10) {
		sys, claims, err := systemtest.Operators(rand.New(rand.NewSource(seed)), 3)
		if err != nil {
			t.Fatal(err)
		}
		m, err := interp.NewModel(sys, sys.Instances[0])
		if err != nil {
			t.Fatal(err)
		}
		u := unrollingFrom(m, sys.Inits, Start{}, nil)
		first := scope{states: [2][]value{u.states[0]}}
		for _, c := range claims {
			l := u.truth(c.Term, first)
			for _, is := range []bool{true, false} {
				k := newClauses(u.circuit)
				k.assume()
				goal := u.xor(l, truth(!is))
				switch {
				case goal == no:
					k.solver.Add()
				case goal != yes:
					k.solver.Add(k.literal(goal))
				}
				want := sat.Unsat
				if is == c.Value {
					want = sat.Sat
				}
				if got := k.solver.Solve(t.Context(), UsualConflicts); got != want {
					t.Errorf("seed %d, operator %d: %s can be %v: %v", seed, c.Op, c.Term, is, got)
				}
			}
		}
	}
}
