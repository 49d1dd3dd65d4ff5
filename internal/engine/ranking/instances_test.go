package ranking

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// What instances refute, solvers do not prove: the same formulas are found to be inductive with and
// without asking instances first, and none that follows from another one is called independent of
// it. Some formulas are refuted.
func TestInstancesRefuteNoProof(t *testing.T) {
	from, to := seeds(t, int(testkit.Size(4, 16)))
	refuted, alone := 0, 0
	for seed := from; seed < min(to, from+400); seed++ {
		text := generated(seed)
		sys := testkit.Compile(t, text)
		var open []*system.Property // also such as are false in reachable states
		rng := rand.New(rand.NewSource(int64(seed)))
		for _, term := range simplest(sys, func(*logic.Term) bool { return rng.Intn(8) == 0 }) {
			open = append(open, &system.Property{Name: fmt.Sprint("c", len(open)),
				Kind: system.Invariant, Term: term})
		}
		opts := options(t).Options
		kept := preserved(t.Context(), sys, sys.Instances, open, nil)
		refuted += len(open) - len(kept)
		want, err := inductive(t.Context(), sys, open, opts, probe)
		if err != nil {
			t.Fatal(err)
		}
		got, err := inductive(t.Context(), sys, kept, opts, probe)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: %d formulas are inductive, %d where instances are asked first\n%s",
				seed, len(want), len(got), text)
		}
		for i, p := range open {
			weaker := logic.Or(p.Term, open[(i+1)%len(open)].Term)
			if independent(t.Context(), sys, sys.Instances, []*logic.Term{p.Term}, weaker) {
				t.Errorf("seed %d: %s does not follow from %s\n%s", seed, weaker, p.Term, text)
			}
			if independent(t.Context(), sys, sys.Instances, nil, p.Term) {
				alone++
			}
		}
	}
	if refuted == 0 || alone == 0 {
		t.Errorf("instances refute %d and %d formulas", refuted, alone)
	}
}
