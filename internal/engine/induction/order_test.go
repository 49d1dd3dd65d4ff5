package induction_test

import (
	"fmt"
	"math/rand"
	"path/filepath"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// merged conjoins all invariants.
func merged(props []*system.Property) (out []*system.Property) {
	all := &system.Property{Name: "all", Kind: system.Invariant, Term: logic.True}
	for _, p := range props {
		if p.Kind != system.Invariant {
			out = append(out, p)
			continue
		}
		all.Term = logic.And(all.Term, p.Term)
	}
	return append(out, all)
}

// separate makes an invariant of each conjunct.
func separate(props []*system.Property) (out []*system.Property) {
	for _, p := range props {
		if p.Kind != system.Invariant {
			out = append(out, p)
			continue
		}
		for i, c := range logic.Conjuncts(p.Term) {
			out = append(out,
				&system.Property{Name: fmt.Sprintf("%s:%d", p.Name, i), Kind: system.Invariant,
					Term: c})
		}
	}
	return out
}

// The order and the grouping of the invariants do not decide whether a proof is found. The paper
// with these examples had to find an order and a grouping that suited its prover (appendix H).
func TestOrderAndGroupingOfInvariants(t *testing.T) {
	z3 := testkit.Solvers(t, "z3")
	tests := []struct {
		file string
		want map[string]result.Verdict // of the properties that are not invariants
	}{
		{"whole_rounds", map[string]result.Verdict{"strong_accuracy": result.Holds}},
		{"eventual_accuracy", map[string]result.Verdict{"eventual_strong_accuracy": result.Holds}},
		{"completeness_fixed_timeout",
			map[string]result.Verdict{"strong_completeness": result.Holds}},
		{"completeness_large_timeout",
			map[string]result.Verdict{"strong_completeness": result.Holds}},
		{"completeness", map[string]result.Verdict{"strong_completeness": result.Holds}},
		{"least_timeout", map[string]result.Verdict{
			"strong_accuracy": result.Holds, "eventual_strong_accuracy": result.Holds,
			"one_less": result.NotInductive,
		}},
	}
	keep := func(props []*system.Property) []*system.Property { return props }
	for i, tt := range tests {
		for seed, regroup := range []func([]*system.Property) []*system.Property{keep, keep, merged,
			separate} {
			if i%4 != seed && !testkit.CI() {
				continue // one way for each file
			}
			t.Run(fmt.Sprintf("%s/%d", tt.file, seed), func(t *testing.T) {
				sys, _, err := ere.Load(filepath.Join("..", "..", "..", "examples", "failure_detector", tt.file+".ere"))
				if err != nil {
					t.Fatal(err)
				}
				rng := rand.New(rand.NewSource(int64(seed)))
				shuffle := func() {
					rng.Shuffle(len(sys.Properties), func(i, j int) {
						sys.Properties[i], sys.Properties[j] = sys.Properties[j], sys.Properties[i]
					})
				}
				shuffle()
				sys.Properties = regroup(sys.Properties)
				shuffle()
				results, err := induction.Prove(t.Context(), sys,
					induction.Options{Options: discharge.Options{Drivers: z3}})
				if err != nil {
					t.Fatal(err)
				}
				found := 0
				for _, r := range results {
					want, ok := tt.want[r.Property]
					if ok {
						found++
					} else {
						want = result.Holds
					}
					if r.Verdict != want {
						t.Errorf("%s: %s, want %s: %s", r.Property, r.Verdict, want, r.Reason)
					}
				}
				if found != len(tt.want) {
					t.Errorf("%d of %d properties have a result", found, len(tt.want))
				}
			})
		}
	}
}
