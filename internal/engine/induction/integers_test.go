package induction_test

import (
	"testing"

	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/testkit"
)

// A counterexample whose integers are beyond the bounds of small models says of which of them
// relations are true, and can be replayed.
func TestCounterexamplesWithLargeIntegers(t *testing.T) {
	const text = `
sort node
mutable constant n: int
mutable relation sent(node, int)
mutable function last(node): int
init n = 0 & !sent(P, T) & last(P) = 0
action send(p: node) { n := n + 1; sent(p, n) := true; last(p) := n; }
safety [sent_before] n > 90 & n < 120 -> !sent(P, n + 1)
safety [last_sent] last(P) > 90 & last(P) < 120 -> sent(P, last(P))
safety [few] n > 90 & n < 120 & T < 200 & sent(P, T) -> T < n + 3
`
	sys := testkit.Compile(t, text)
	results, err := induction.Prove(testkit.Solving(t), sys, induction.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := replayed(t, sys, results); n < 2 {
		t.Errorf("%d counterexamples of %v", n, results)
	}
}
