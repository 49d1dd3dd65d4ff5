package ranking

import (
	"testing"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// What moves to an end of its range gets there, where the end has no name, too.
func TestEndsOfRanges(t *testing.T) {
	opts := options(t)
	for _, c := range []struct{ name, text, function string }{
		{"up", "mutable constant x: 0..3 init x = 0 fair action up() { require x < 3; x := x + 1; } " +
			"liveness [live] true ~> x = 3", "3 - x"},
		{"down", "mutable constant x: 2..5 init x = 5 " +
			"fair action down() { require x > 2; x := x - 1; } " +
			"liveness [live] true ~> x = 2", "x"},
		{"below zero", "immutable constant n: int mutable constant x: 0 - n..0 init x = 0 " +
			"fair action down() { require x > 0 - n; x := x - 1; } " +
			"liveness [live] true ~> x = 0 - n", "x - (0 - n)"},
	} {
		r := prove1(t, opts, testkit.Compile(t, c.text))
		if r.Verdict != result.Holds {
			t.Errorf("%s: %s: %s", c.name, r.Verdict, r.Reason)
		} else if tiers := r.Evidence.Ranking.Tiers; len(tiers) != 1 ||
			tiers[0].Function != c.function {
			t.Errorf("%s: %+v", c.name, tiers)
		}
	}
}
