package ranking

import (
	"path/filepath"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// Without hints, the search finds what a property waits for. The proof can be derived again from
// the hints that it states. Where nobody is fair, there is no proof.
func TestUnaided(t *testing.T) {
	opts := options(t)
	const rest = "action rest() { require true; }\n"
	const one = "sort node\nmutable relation done(node)\ninit !done(N)\n" +
		"fair action finish(n: node) { require !done(n); done(n) := true; }\n" + rest +
		"liveness [live] true ~> (forall N. done(N))"
	const two = "sort node\nmutable relation got(node, node)\ninit !got(M, N)\n" +
		"fair action receive(m: node, n: node) { require !got(m, n) & m != n; got(m, n) := true; }\n" +
		rest + "liveness [live] true ~> (forall M, N. M != N -> got(M, N))"
	const line = "sort node\nimmutable relation le(node, node)\naxiom le(M, N) | le(N, M)\n" +
		"axiom le(M, N) & le(N, M) -> M = N\naxiom le(L, M) & le(M, N) -> le(L, N)\n" +
		"mutable relation gone(node)\ninit !gone(N)\n" +
		"fair action go(n: node) { require !gone(n) & (forall M. !gone(M) -> le(n, M)); " +
		"gone(n) := true; }\n" + rest + "liveness [live] true ~> gone(N)"
	for _, c := range []struct{ name, text string }{
		{"one after the other", one}, {"pairs", two}, {"in line", line},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := testkit.Compile(t, c.text)
			r := prove1(t, opts, sys)
			if r.Verdict != result.Holds {
				t.Fatalf("%s: %s", r.Verdict, r.Reason)
			}
			restate(t, testkit.Compile(t, c.text+"\n"+r.Evidence.Ranking.Proof.Hints), r)
			unfair := testkit.Compile(t,
				strings.NewReplacer("strong fair ", "", "fair ", "").Replace(c.text))
			if r := prove1(t, opts, unfair); r.Verdict != result.Unknown {
				t.Errorf("%s without fairness", r.Verdict)
			}
		})
	}
}

// Examples with their invariants are proved without their hints. Package verify has one more, whose
// measures need another look.
func TestExamplesWithoutHints(t *testing.T) {
	testkit.InFull(t)
	for _, name := range []string{"alternating_bit", "bakery", "sliding_window"} {
		if name == "sliding_window" && !testkit.Long() {
			continue // most of the time, and the alternating bit for more messages
		}
		sys, _, err := ere.Load(filepath.FromSlash("../../../examples/liveness/" + name + ".ere"))
		if err != nil {
			t.Fatal(err)
		}
		sys.Rankings = nil
		r := prove1(t, options(t), sys)
		if r.Verdict != result.Holds {
			t.Fatalf("%s: %s: %s", name, r.Verdict, r.Reason)
		}
		restate(t, sys, r)
	}
}
