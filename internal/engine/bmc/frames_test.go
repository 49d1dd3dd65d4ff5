package bmc_test

import (
	"fmt"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// TestManyFrames searches runs of a system with 101 actions and symbols, where what does not change
// is said for each symbol. A step is still of one action, and changes nothing else.
func TestManyFrames(t *testing.T) {
	drivers := testkit.Solvers(t)[:1]
	var text strings.Builder
	text.WriteString("sort c\nmutable relation r(c)\ninit !r(X)\n")
	for i := range 101 {
		fmt.Fprintf(&text, "mutable constant b%d: bool\ninit !b%d\n", i, i)
		fmt.Fprintf(&text, "action a%d() { require !b%d; b%d := true; }\n", i, i, i)
	}
	text.WriteString("safety [both] !(b7 & b9)\nsafety [still] !r(X)\n")
	results, err := bmc.Check(t.Context(), testkit.Compile(t, text.String()), nil,
		bmc.Options{Depth: 2, Options: discharge.Options{Drivers: drivers}})
	if err != nil {
		t.Fatal(err)
	}
	both, still := results[0], results[1]
	if both.Verdict != result.Violated || len(both.Trace.Steps) != 3 {
		t.Errorf("both: %s, %s", both.Verdict, both.Reason)
	}
	if still.Verdict != result.HoldsUpTo || still.Depth != 3 {
		t.Errorf("still: %s after %d states, %s", still.Verdict, still.Depth,
			still.Reason)
	}
}
