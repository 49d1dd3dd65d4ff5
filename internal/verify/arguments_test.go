package verify

import (
	"context"
	"math/rand"
	"testing"

	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

// Where solvers prove that arguments lie in their ranges, no exploration meets an argument outside
// of its range, whatever the properties are.
func TestArgumentsAreProved(t *testing.T) {
	testkit.InCI(t)
	ctx := testkit.Solving(t)
	proved, violated := 0, 0
	for seed := range int64(testkit.Size(9, 50)) {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)),
			systemtest.Options{Outside: true, Actions: 2})
		if err != nil {
			t.Fatal(err)
		}
		explored, err := explicit.Check(ctx, sys, sys.Instances[0], explicit.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		outside := map[string]bool{} // claims that are violated; "" for an error
		for _, x := range explored {
			switch {
			case x.Verdict == result.Violated &&
				(x.Kind == result.Argument || x.Kind == result.Defined):
				outside[x.Property] = true
				violated++
			case x.Reason.Code == result.OutsideOfRange:
				outside[""] = true
			}
		}
		all, err := proofsOf(ctx, sys)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		holds := true // all that is implicit
		for _, p := range sys.Properties {
			if !p.IsImplicit() {
				continue
			}
			holds = holds && all[p.Name] == result.Holds
			if p.Kind == system.Range || all[p.Name] != result.Holds {
				continue
			}
			if proved++; outside[p.Name] {
				t.Errorf("seed %d: %s is proved, and violated\n%s", seed, p.Name, sys)
			}
		}
		if holds && outside[""] {
			t.Errorf("seed %d: an error in spite of proofs\n%s", seed, sys)
		}
	}
	t.Logf("%d claims proved, %d violated", proved, violated)
	if proved < 3 || violated < 3 {
		t.Error("hardly anything was compared")
	}
}

// proofsOf gives the verdicts of induction.
func proofsOf(ctx context.Context, sys *system.System) (map[string]result.Verdict, error) {
	results, err := induction.Prove(ctx, sys, induction.Options{Induction: 1})
	out := map[string]result.Verdict{}
	for _, x := range results {
		if x.Scope == result.ScopeAll {
			out[x.Property] = x.Verdict
		}
	}
	return out, err
}
