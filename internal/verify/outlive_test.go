package verify

import (
	"testing"

	"erelong.dev/erelong/internal/engine/ranking"
	"erelong.dev/erelong/internal/engine/temporal"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// Once liveness is proved, the exploration of a larger instance ends: this one has 67 million
// states. A small instance keeps its own row, and without a proof so does a large one.
func TestExplorationEndsWithProof(t *testing.T) {
	ctx := testkit.Solving(t)
	const text = `
		sort node
		mutable relation done(node)
		init !done(N)
		fair action act(n: node) { require !done(n); done(n) := true; }
		action rest() { require true; }
		liveness [all_done] forall N: node. true ~> done(N)
		instance small { node = 3 }
		instance large { node = 26 }`
	sys := testkit.Compile(t, text)
	out, err := Run(ctx, sys, Options{Explore: true, Live: true, LiveOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	engines := map[string]string{"all": ranking.Name, "small": temporal.Name,
		"large": ranking.Name}
	for _, r := range out.Results {
		if r.Verdict != result.Holds || r.Engine != engines[r.Scope] || r.Scope == "large" &&
			r.States != 0 {
			t.Errorf("%s: %s by %s, %d states", r.Scope, r.Verdict, r.Engine, r.States)
		}
		delete(engines, r.Scope)
	}
	if len(engines) > 0 {
		t.Errorf("no result for %v", engines)
	}
	o := Options{Explore: true, LiveOnly: true}
	o.Explicit.Limits.States = headStart + headStart/10
	if out, err = Run(ctx, sys, o); err != nil {
		t.Fatal(err)
	}
	for _, r := range out.Results {
		if r.Scope == "large" && (r.Engine != temporal.Name || r.States < headStart) {
			t.Errorf("without a proof: %+v", r)
		}
	}
}
