package derive

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/engine/infer"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// generateTimed writes an algorithm whose property speaks of its parameters: how far a count of
// silent receives gets, or whether a timeout that may be too small is met. Beside the text there
// are two small instances, and larger ones.
func generateTimed(r *rand.Rand) (text, small, larger string) {
	pick := func(from ...string) string { return from[r.Intn(len(from))] }
	timing := pick("Delta, Phi", "Delta, Phi", "Delta, Phi, Gst")
	most := pick("Delta + Phi", "Phi", "Delta + 1", "2 * Phi + Delta", "3")
	heard := pick("n := 0;", "n := 0; a := true;", "if n > 0 { n := n - 1; }", "a := true;")
	silent := pick("n := n + 1;", "n := n + 1;", "if !a { n := n + 1; }",
		"n := n + 1; a := false;")
	full := pick("a := false;", "n := 0;", "")
	task := pick("", "", "compute at c { "+pick("a := a & n < K;", "if n > 0 { n := n - 1; }",
		"a := n = 0 | a;")+" }\n")
	property := pick("n(P, Q) <= K", "n(P, Q) = K -> !a(P, Q)", "a(P, Q) | n(P, Q) > 0",
		"n(P, Q) < K", "n(P, Q) < K | !a(P, Q)", "n(P, Q) > 0 -> a(P, Q)")
	text = fmt.Sprintf(`immutable constant Delta: int
immutable constant Phi: int
immutable constant Gst: int
immutable constant K: int
axiom Delta >= 0 & Phi >= 1 & Gst >= 0
axiom K = %s
algorithm timed {
  message m
  var a: bool = %s
  var n: 0..K = 0
  timing partial_synchrony(%s)
  send m at s { %s }
  receive at l { if received(m) { %s } else if n < K { %s } else { %s } }
%s}
safety [p] %s -> %s
`, most, pick("true", "false"), timing, pick("", "", "a := n < K;"), heard, silent, full, task,
		pick("P != Q", "correct(P) & correct(Q)", "P != Q & correct(P)", "correct(Q)"), property)
	value := map[string]func(d, p int) int{
		"Delta + Phi": func(d, p int) int { return d + p }, "Phi": func(_, p int) int { return p },
		"Delta + 1":       func(d, _ int) int { return d + 1 },
		"2 * Phi + Delta": func(d, p int) int { return 2*p + d },
		"3":               func(int, int) int { return 3 }}[most]
	for i, in := range instances {
		line := fmt.Sprintf("instance i%d { Delta = %d, Phi = %d, Gst = %d, K = %d, process = %d }\n",
			i, in.delta, in.phi, in.gst, value(in.delta, in.phi), in.processes)
		if i < 2 {
			small += line
		}
		larger += line
	}
	return text, small, larger
}

// instances are two that a proof may look at, and the ones in which what is proved is explored.
var instances = []struct{ delta, phi, gst, processes int }{
	{0, 1, 0, 2}, {1, 1, 1, 2}, {1, 2, 3, 2}, {3, 1, 6, 2}, {0, 4, 5, 2}, {3, 3, 4, 2},
	{5, 2, 0, 2}, {0, 1, 0, 3}, {1, 2, 2, 3}, {2, 1, 4, 3}, {0, 1, 1, 4},
}

// A property that is proved for all parameters and all numbers of processes is violated in no
// instance: of the derived system, and of the system of all processes, which no reduction has made.
func TestProvedForAll(t *testing.T) {
	testkit.InCI(t)
	t.Parallel()
	count := map[string]int{}
	r := rand.New(rand.NewSource(1))
	options := infer.Options{Effort: 60}
	options.Options.Options = discharge.Options{Drivers: testkit.Solvers(t),
		Solving: discharge.Solving{Rlimit: 1_000_000}}
	for range testkit.Size(18, 36) {
		text, small, larger := generateTimed(r)
		o := Options{BigSteps: r.Intn(2) == 0, Counter: r.Intn(2) == 0}
		if v, known := limited(t, text+small, "i1", o); known && v == result.Violated {
			count["violated"]++
			continue
		}
		d := read1(t, text+small, "p", o)
		if !proved(t, d.Spec.System, options) {
			count["not proved"]++
			continue
		}
		count["proved, "+d.Name]++
		for i, in := range instances {
			for _, o := range []Options{{}, {Unreduced: true}} {
				if !o.Unreduced && in.processes > 2 {
					continue // the system is that of two
				}
				v, known := limited(t, text+larger, fmt.Sprintf("i%d", i), o)
				if !known {
					count["too large"]++
					continue
				}
				count[fmt.Sprintf("%s, processes %d", v, in.processes)]++
				if v != result.Holds {
					t.Fatalf("p is proved in %s, and %s in instance i%d, %+v\n%s", d.Name, v, i, o,
						text+larger)
				}
			}
		}
	}
	t.Log(count)
	if count["violated"] == 0 || count["holds, processes 2"] < 20 ||
		count["holds, processes 3"] == 0 {
		t.Errorf("too little was compared: %v", count)
	}
}

// proved reports whether the property p has a proof, by its own invariants or with found ones.
func proved(t *testing.T, sys *system.System, o infer.Options) bool {
	t.Helper()
	ctx := testkit.Solving(t)
	results, err := induction.Prove(ctx, sys, o.Options)
	if err != nil {
		t.Fatal(err)
	}
	holds := func(r result.Result) bool { return r.Property == "p" && r.Verdict == result.Holds }
	if slices.ContainsFunc(results, holds) {
		return true
	}
	o.Only = []string{"p"}
	out, err := infer.Find(ctx, sys, o)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(out.Results, holds)
}
