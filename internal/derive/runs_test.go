package derive

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/temporal"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// generateRuns writes an algorithm with several messages, several sending tasks, and possibly
// unreachable locations, and a property of two processes: of states, of the states from some time
// on, or of whole runs.
func generateRuns(r *rand.Rand, timing string) string {
	pick := func(from ...string) string { return from[r.Intn(len(from))] }
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%salgorithm generated {\n  message m, k\n  var a: bool = false\n  var n: 0..2 = %d\n  timing %s", timedHead, r.Intn(2), timing)
	tasks := 2 + r.Intn(3)
	for i := range tasks {
		then := ""
		if r.Intn(3) == 0 {
			then = fmt.Sprintf(" then l%d", r.Intn(tasks))
		}
		change := pick("", "", "if n < 2 { n := n + 1; }", "a := !a;", "n := if a then 0 else 1;")
		kind := pick("send m", "send m", "send k", "receive", "receive", "compute")
		if kind == "receive" {
			change = pick("if received(m) { a := true; } if received(k) { n := 0; }", "a := received(m) & n < 2; if received(k) & n < 2 { n := n + 1; }",
				"if received(m) | received(k) { if n < 2 { n := n + 1; } } else { a := !a; }")
		}
		line("  %s at l%d%s { %s }", kind, i, then, change)
	}
	line("}")
	atom := func() string {
		return pick("correct(P)", "correct(Q)", "crashed(P)", "crashed(Q)", "a(P, Q)", "!a(P, Q)", "n(P, Q) = 0", "n(P, Q) = 2", "n(P, Q) < 2")
	}
	var formula func(depth int) string
	formula = func(depth int) string {
		if depth == 0 || r.Intn(5) == 0 {
			return atom()
		}
		x, y := formula(depth-1), formula(depth-1)
		return pick("("+x+" & "+y+")", "("+x+" | "+y+")", "!("+x+")", "(always ("+x+"))", "(eventually ("+x+"))", "(("+x+") until ("+y+"))")
	}
	switch r.Intn(4) {
	case 0:
		line("safety [p] %s & %s -> %s | %s", pick("P != Q", "correct(P)", "correct(Q)"), atom(),
			atom(), atom())
	case 1:
		line("temporal [p] eventually always (%s & %s -> %s)", pick("P != Q", "correct(P)", "correct(Q)", "crashed(Q)"), atom(), atom())
	default:
		line("temporal [p] P != Q & %s -> %s", formula(2), formula(3))
	}
	for delta := range 2 {
		for phi := 1; phi <= 2; phi++ {
			for gst := range 3 {
				line("instance d%dp%dg%d { Delta = %d, Phi = %d, Gst = %d, process = 2 }", delta,
					phi, gst, delta, phi, gst)
			}
		}
	}
	return b.String()
}

// One sender and one receiver, in all encodings, give the verdict of two whole processes, for every
// property.
func TestOneWay(t *testing.T) {
	t.Parallel()
	n := int(testkit.Size(6, 24))
	if testkit.Long() {
		n = 500
	}
	r := rand.New(rand.NewSource(1))
	count := map[result.Verdict]int{}
	for i := range n {
		text := generateRuns(r, []string{"partial_synchrony(Delta, Phi)", "partial_synchrony(Delta, Phi, Gst)"}[i%2])
		in := fmt.Sprintf("d%dp%dg%d", r.Intn(2), 1+r.Intn(2), r.Intn(3))
		want, known := limited(t, text, in, Options{Unreduced: true})
		if !known {
			continue
		}
		count[want]++
		for _, o := range encodings {
			if o.KeepOld && endless(text) {
				continue
			}
			if got, known := limited(t, text, in, o); known && got != want {
				t.Fatalf("%s, %+v: %s, want %s\n%s", in, o, got, want, text)
			}
		}
	}
	if count[result.Holds] < n/6 || count[result.Violated] < n/6 {
		t.Errorf("%v", count)
	}
}

// limited is the verdict of the property p, if it is known after some states.
func limited(t *testing.T, text, instance string, o Options) (v result.Verdict, known bool) {
	t.Helper()
	sys := read1(t, text, "p", o).Spec.System
	in := sys.Instance(instance)
	limits := explicit.Options{Only: []string{"p"}, Limits: engine.Limits{States: 20_000}}
	var results []result.Result
	var err error
	if sys.Property("p").Kind == system.Temporal {
		results, err = temporal.Check(t.Context(), sys, in,
			temporal.Options{Only: limits.Only,
				Limits: engine.Limits{States: limits.Limits.States}})
	} else {
		results, err = explicit.Check(t.Context(), sys, in, limits)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return results[0].Verdict,
		results[0].Verdict == result.Holds || results[0].Verdict == result.Violated
}
