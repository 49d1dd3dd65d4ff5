package ranking

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// Without hints, the search finds whom a property waits for. The proof can be derived again, and
// names what was found. Where nobody is fair, there is no proof.
func TestGuess(t *testing.T) {
	opts := options(t)
	opts.unfitted = true
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
	const phase = "sort data\nmutable relation a, b, done\n" +
		"mutable relation here(data)\nmutable relation bit(data)\ninit a & b & !done\n" +
		"fair action send() { choose m: data with !here(m); here(m) := true; bit(m) := a; }\n" +
		"strong fair action receive() { require a <-> b; choose m: data with here(m); " +
		"here(m) := false; if bit(m) <-> b { b := !b; } }\n" +
		"action drop(m: data) { require here(m); here(m) := false; }\n" +
		"fair action finish() { require !(a <-> b); done := true; }\n" + rest +
		"liveness [live] true ~> done"
	const number = "sort item\nimmutable function number(item): int\n" +
		"immutable constant last: int\naxiom number(I) = number(J) -> I = J\n" +
		"axiom forall N: int. 0 <= N & N < last -> exists I. number(I) = N\n" +
		"mutable constant next: 0..last\nmutable relation data(item)\nmutable relation there(item)\n" +
		"init next = 0 & !data(I) & !there(I)\n" +
		"fair action send(i: item) { require number(i) <= next; data(i) := true; }\n" +
		"strong fair action receive(i: item) " +
		"{ require data(i); data(i) := false; there(i) := true; }\n" +
		"action lose(i: item) { require data(i); data(i) := false; }\n" +
		"fair action take(i: item) { require number(i) + 1 = next + 1 & next < last & there(i); " +
		"next := next + 1; }\n" + rest + "liveness [live] true ~> next = last"
	for _, c := range []struct {
		name, text, choice string
		set                int
	}{
		{"one after the other", one, "ready_n", 0},
		{"pairs", two, "receive_m", 0},
		{"in line", line, "ready_n", 0},
		{"phases", phase, "", 1},
		{"by number", number, "take_i", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := testkit.Compile(t, c.text)
			r := prove1(t, opts, sys)
			if r.Verdict != result.Holds {
				t.Fatalf("%s: %s", r.Verdict, r.Reason)
			}
			if k := r.Evidence.Ranking; !k.Proof.Guessed ||
				k.Proof.Guesses != c.set ||
				c.choice != "" && !slices.ContainsFunc(k.Choices, func(x result.Choice) bool {
					return x.Name == c.choice
				}) {
				t.Errorf("%+v", k)
			}
			restate(t, sys, r)
			other := *r.Evidence.Ranking.Proof
			other.Guesses = 9
			if _, err := Obligations(sys, sys.Property("live"), nil, &other); err == nil {
				t.Error("a set of guesses that does not exist is accepted")
			}
			if c.choice == "ready_n" && !slices.Contains(other.Sure, c.choice) {
				t.Errorf("%s always exists while it is pending, and the proof has %v", c.choice, other.Sure)
			}
			other = *r.Evidence.Ranking.Proof
			other.Sure = []string{"nobody"}
			if _, err := Obligations(sys, sys.Property("live"), nil, &other); err == nil {
				t.Error("a value that is not guessed is accepted")
			}
			unfair := testkit.Compile(t,
				strings.NewReplacer("strong fair ", "", "fair ", "").Replace(c.text))
			if r := prove1(t, opts, unfair); r.Verdict != result.Unknown {
				t.Errorf("%s without fairness", r.Verdict)
			}
		})
	}
}

// Examples with their invariants are proved without their hints.
func TestExamplesWithoutHints(t *testing.T) {
	if !testkit.Full() {
		t.Skip("takes half a minute")
	}
	for _, name := range []string{"alternating_bit", "hybrid_broadcast", "bakery",
		"sliding_window"} {
		if name == "sliding_window" && os.Getenv("ERELONG_LONG") == "" {
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
