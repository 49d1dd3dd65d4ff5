package verify

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// A report does not depend on which engine was faster, nor does it say a violation twice.
func TestOrderOfResults(t *testing.T) {
	sys := &system.System{Properties: []*system.Property{{Name: "p"}, {Name: "q"}},
		Scenarios: []*system.Scenario{{Name: "run"}},
		Instances: []*system.Instance{{Name: "two"}, {Name: "one"}}}
	given := []result.Result{
		{Property: "q", Scope: "one", Engine: "explicit", Verdict: result.Holds, States: 4},
		{Property: "p", Scope: "node=3", Engine: "bmc", Verdict: result.Violated},
		{Property: "p", Scope: "two", Engine: "explicit", Verdict: result.Violated, States: 9},
		{Property: "run", Scope: "two", Engine: "explicit", Verdict: result.Holds, States: 3},
		{Property: "p", Scope: result.ScopeAll, Engine: "induct", Verdict: result.Unknown},
		{Property: "p", Scope: result.ScopeAll, Engine: "pdr", Verdict: result.Holds, States: 6},
		{Property: result.Deadlock, Scope: "one", Engine: "explicit", Verdict: result.Violated,
			States: 2},
		{Property: "p", Scope: "two", Engine: "explicit", Verdict: result.Violated, States: 7},
		{Property: "p", Scope: "one", Engine: "explicit", Verdict: result.Violated, States: 5},
	}
	want := []string{"deadlock one 2", "p all 6", "p all 0", "p two 9", "p one 5", "p node=3 0", "q one 4",
		"run two 3"}
	for seed := range int64(50) {
		results := slices.Clone(given)
		rand.New(rand.NewSource(seed)).Shuffle(len(results), func(i, j int) {
			results[i], results[j] = results[j], results[i]
		})
		known := &ledger{sys: sys, results: results}
		known.sort(nil)
		var got []string
		for _, x := range known.results {
			got = append(got, fmt.Sprint(x.Property, " ", x.Scope, " ", x.States))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %q, want %q", seed, got, want)
		}
	}
}
