package bmc_test

import (
	"strings"
	"testing"

	"erelong/internal/lang"
	"erelong/internal/testkit"
	"erelong/internal/verdict"
)

// TestManyNames compares an action of many branches in a row, whose values have thousands of names, with exploration.
func TestManyNames(t *testing.T) {
	const branch = "if x = y + i { x := if x < 7 then x + 1 else 0; } else { y := if y < 7 then y + i else 0; }\n"
	text := "mutable constant x: 0..7\nmutable constant y: 0..7\ninit x < 3 & y < 2\naction a(i: 0..1) {\n" + strings.Repeat(branch, 200) +
		"}\nsafety [never] !(x = 7 & y = 7)\nsafety [three] x != 3\nsafety [four] y != 4\nsafety [six] x + y != 6\nsafety [two] x + y != 2\nsafety [all] x <= 7\ninstance one { }\n"
	sys, list, err := lang.Compile("x.ere", text)
	if err != nil {
		t.Fatal(err, list)
	}
	inst := sys.Instances[0]
	decided := map[verdict.Verdict]int{}
	for _, r := range search(t, sys, inst, 2, false, testkit.Solvers(t)[:1]...) {
		v, depth := explored(t, sys, inst, r.Property, 2)
		decided[r.Verdict]++
		if r.Verdict != v || v == verdict.Violated && r.Depth != depth {
			t.Errorf("%s: %s at depth %d, %s at %d", r.Property, r.Verdict, r.Depth, v, depth)
		}
		if strings.Contains(r.Reason.Text, "not grounded") {
			t.Error(r.Reason.Text)
		}
	}
	if decided[verdict.Violated] == 0 || decided[verdict.HoldsUpTo] == 0 {
		t.Errorf("verdicts: %v", decided)
	}
}
