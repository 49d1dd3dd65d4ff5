package explicit

import (
	"fmt"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// manyStarts has a million initial states. From most of them six steps lead to count = 6.
const manyStarts = `
sort node
mutable relation edge(node, node)
mutable relation seen(node)
mutable constant count: 0..%d
init count = 0
action step(x: node) { require edge(x, x) & count < %d; edge(x, x) := count < 3; count := count + 1; }
safety [few] count < 6
safety [fine] seen(X) | !seen(X)
instance i { node = 4 }
`

// TestScout: a violation is found long before all initial states are; its run is replayed in any
// case. Without a scout, not even all initial states fit into the limit.
func TestScout(t *testing.T) {
	for _, limit := range []int64{0, 300, 20_000} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			sys := testkit.Compile(t, fmt.Sprintf(manyStarts, 7, 6))
			opts := Options{Threads: 1, Limits: engine.Limits{States: limit}, Only: []string{"few"}}
			x, err := Explore(t.Context(), sys, sys.Instances[0], opts)
			if err != nil {
				t.Fatal(err)
			}
			r := x.Results[0]
			if r.Verdict != result.Violated || r.Depth != 7 || !strings.Contains(r.Reason.Text, "one of many initial states") {
				t.Fatalf("%s after %d states: %s", r.Verdict, r.Depth, r.Reason.Text)
			}
			if err := interp.Replay(t.Context(), sys, r.Trace, sys.Property("few")); err != nil {
				t.Error(err)
			}
			if limit == 0 {
				return
			}
			opts.NoScout = true
			if x, err = Explore(t.Context(), sys, sys.Instances[0], opts); err != nil ||
				x.Results[0].Verdict != result.Unknown {
				t.Errorf("without a scout: %+v, %v", x.Results, err)
			}
		})
	}
}

// TestScoutTells: a limited search says how far it looked, with any number of threads.
func TestScoutTells(t *testing.T) {
	sys := testkit.Compile(t, fmt.Sprintf(manyStarts, 7, 5))
	x, err := Explore(t.Context(), sys, sys.Instances[0],
		Options{Threads: 1, Limits: engine.Limits{States: 20_000}})
	if err != nil {
		t.Fatal(err)
	}
	want := "not even all initial states were looked at"
	for _, r := range x.Results {
		if r.Verdict != result.Unknown || !strings.Contains(r.Reason.Text, want) ||
			!strings.Contains(r.Reason.Text, "of 64 initial states that were chosen at random, all runs were looked at") {
			t.Errorf("%s: %s: %s", r.Property, r.Verdict, r.Reason.Text)
		}
	}
	again, err := Explore(t.Context(), sys, sys.Instances[0],
		Options{Threads: 2, Limits: engine.Limits{States: 20_000}})
	if err != nil || again.Results[0].Reason != x.Results[0].Reason {
		t.Errorf("another search says %q, %v", again.Results[0].Reason.Text, err)
	}
}
