package bmc_test

import (
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// manyBranches is a system with an action of n branches in a row.
func manyBranches(n int) string {
	const branch = "if x = y + i { x := if x < 7 then x + 1 else 0; } else { y := if y < 7 then y + i else 0; }\n"
	return "mutable constant x: 0..7\nmutable constant y: 0..7\ninit x < 3 & y < 2\naction a(i: 0..1) {\n" + strings.Repeat(branch, n) +
		"}\nsafety [never] !(x = 7 & y = 7)\nsafety [three] x != 3\nsafety [four] y != 4\nsafety [six] x + y != 6\nsafety [two] x + y != 2\nsafety [all] x <= 7\ninstance one { }\n"
}

// TestGroundingEnds ends the grounding of a large action at many places.
func TestGroundingEnds(t *testing.T) {
	sys, list, err := ere.Compile("x.ere", manyBranches(300))
	if err != nil {
		t.Fatal(err, list)
	}
	opts := bmc.Options{Options: discharge.Options{Drivers: testkit.Solvers(t)[:1], Jobs: 1},
		Depth: 1}
	ended := 0
	for left := 1; ; left = 2*left + 1 {
		rs, err := bmc.Check(&testkit.Late{Context: t.Context(), Left: left}, sys, sys.Instances[0],
			opts)
		if err != nil {
			t.Fatal(err)
		}
		open := slices.ContainsFunc(rs, func(r result.Result) bool {
			return r.Verdict == result.Unknown
		})
		if !open {
			break
		}
		for _, r := range rs {
			if r.Verdict == result.Unknown && !r.Reason.Ended() {
				t.Errorf("asked %d times: %s", left, r.Reason)
			}
		}
		ended++
	}
	if ended < 4 {
		t.Errorf("it could be ended at %d places", ended)
	}
}

// TestManyNames compares an action of many branches in a row, whose values have thousands of names,
// with exploration.
func TestManyNames(t *testing.T) {
	sys, list, err := ere.Compile("x.ere", manyBranches(200))
	if err != nil {
		t.Fatal(err, list)
	}
	inst := sys.Instances[0]
	decided := map[result.Verdict]int{}
	for _, r := range search(t, sys, inst, 2, false, testkit.Solvers(t)[:1]...) {
		v, depth := explored(t, sys, inst, r.Property, 2)
		decided[r.Verdict]++
		if r.Verdict != v || v == result.Violated && r.Depth != depth {
			t.Errorf("%s: %s at depth %d, %s at %d", r.Property, r.Verdict, r.Depth, v, depth)
		}
		if strings.Contains(r.Reason.Text, "not grounded") {
			t.Error(r.Reason.Text)
		}
	}
	if decided[result.Violated] == 0 || decided[result.HoldsUpTo] == 0 {
		t.Errorf("verdicts: %v", decided)
	}
}
