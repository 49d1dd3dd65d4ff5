package verify

import (
	"math/rand"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

// On generated systems no two engines contradict each other, whether the explored states are the
// reachable states or all states that satisfy the properties. So there are no false alarms.
func TestNoContradictions(t *testing.T) {
	ctx := testkit.Solving(t)
	seeds := int64(6)
	if testkit.Long() {
		seeds = 300
	}
	seen := map[result.Verdict]int{}
	for seed := range seeds {
		rng := rand.New(rand.NewSource(seed))
		sys, err := systemtest.Generate(rng, systemtest.Options{Bits: 8})
		if err != nil {
			t.Fatal(err)
		}
		systemtest.Unnamed(sys)
		if seed%3 == 0 { // with trusted invariants
			if sys, _, err = ere.Compile("generated.ere", systemtest.Processes(rng)); err != nil {
				t.Fatal(err)
			}
		}
		for _, o := range []Options{{Explore: true, Prove: true, Live: true},
			{Explore: true, Prove: true, Inductive: true}} {
			o.Induct = induction.Options{Options: discharge.Options{
				Solving: discharge.Solving{Rlimit: 2_000_000}}}
			o.Explicit = explicit.Options{Limits: engine.Limits{States: 5_000}}
			out, err := Run(ctx, sys, o)
			if err != nil && !engine.IsRefusal(err) {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for _, x := range result.Alarms(out.Results) {
				t.Errorf("seed %d, inductive %t: %s\n%s", seed, o.Inductive, x, sys)
			}
			for _, x := range out.Results {
				seen[x.Verdict]++
			}
		}
	}
	if seen[result.Holds] == 0 || seen[result.Violated] == 0 || seen[result.NotInductive] == 0 {
		t.Errorf("seen %v", seen)
	}
	t.Logf("%v", seen)
}
