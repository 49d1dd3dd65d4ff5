package explicit

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// Each case has 2^27 combinations of values in one step, in one evaluation, or initially. The work
// is bounded, and the search says that it is not complete. What it found before that counts.
func TestWorkIsBounded(t *testing.T) {
	const (
		head = "sort node\nmutable constant n: 0..3\nmutable relation r(node, node, node)\n" +
			"init n = 0\naction up() { require n < 3; n := n + 1; }\n" +
			"safety [small] n < 1\nsafety [fine] n < 4\ninstance i { node = 3 }\n"
		known = "init !r(X, Y, Z)\n"
	)
	for _, c := range []struct {
		name, text string
		first      bool // already the first step, or the initial states
	}{
		{name: "derived relation", first: true, text: known +
			"derived relation d(node, node, node): n = 0 -> (d(X, Y, Z) <-> r(X, Y, Z))\n"},
		{name: "outcomes", text: known + "action guess() { require n = 1; r(X, Y, Z) := *; }\n"},
		{name: "no outcome", text: known + "action guess() { require n = 1; r(X, Y, Z) := *; " +
			"require forall X. exists Y. forall Z. r(X, Y, Z) != r(Y, X, Z); }\n"},
		{name: "evaluation", text: known + "type number = 1..500\naction wait() { require n = 1; " +
			"require forall I: number, J: number, K: number. I + J + K > 2; }\n"},
		{name: "initial states", first: true, text: "init forall X. exists Y. forall Z. " +
			"r(X, Y, Z) != r(Y, X, Z)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := testkit.Compile(t, head+c.text)
			x, err := Explore(t.Context(), sys, sys.Instances[0],
				Options{Work: 20_000, Only: []string{"small", "fine"}})
			if err != nil {
				t.Fatal(err)
			}
			if x.Stats.Complete || !x.Stats.OutOfWork {
				t.Errorf("all of it was explored: %+v", x.Stats)
			}
			for _, r := range x.Results {
				switch {
				case r.Verdict == result.Holds && r.Reason.Text == "":
					t.Errorf("%s holds", r.Property)
				case c.first || r.Property == "fine":
				case r.Verdict != result.Violated || r.Depth != 2:
					t.Errorf("%s: %s, %s", r.Property, r.Verdict, r.Reason.Text)
				default:
					if err := interp.Replay(t.Context(), sys, r.Trace, sys.Property("small")); err !=
						nil {
						t.Error(err)
					}
				}
			}
		})
	}
}

// Work that is used up on the level of the last violation is told, too: nothing is compiled then.
func TestWorkBesideViolation(t *testing.T) {
	sys := testkit.Compile(t, "sort node\nmutable constant n: 0..3\n"+
		"mutable relation r(node, node, node)\ninit n = 0 & !r(X, Y, Z)\n"+
		"action up() { require n < 3; n := n + 1; }\n"+
		"action guess() { require n = 1; r(X, Y, Z) := *; }\n"+
		"safety [small] n < 1\ninstance i { node = 3 }\n")
	x, err := Explore(t.Context(), sys, sys.Instances[0], Options{
		Strategy: Strategy{Brief: true},
		Work:     20_000,
		Only:     []string{"small"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if x.Stats.Complete || !x.Stats.OutOfWork || x.Results[0].Verdict != result.Violated {
		t.Errorf("%+v, %+v", x.Results, x.Stats)
	}
}

// With enough work a search is the one without a limit. With less, it finds the same violations, or
// says that it is not complete.
func TestBoundedWorkOfGeneratedSystems(t *testing.T) {
	ended := 0
	for seed := range testkit.Size(15, 200) {
		sys, inst := generate(t, seed)
		want, wantStats := explored(t, sys, inst, Options{Deadlock: true})
		got, stats := explored(t, sys, inst, Options{Deadlock: true, Work: 1 << 40})
		if diff := cmp.Diff(want, got, ignoreTimes); diff != "" || stats.States != wantStats.States {
			t.Fatalf("seed %d: %s", seed, diff)
		}
		for work := 10; work < 1<<20; work *= 7 {
			got, stats := explored(t, sys, inst, Options{Deadlock: true, Work: work})
			if stats.OutOfWork {
				ended++
			}
			for i, r := range got {
				complete := stats.Complete || r.Verdict != result.Holds
				same := r.Verdict == want[i].Verdict && r.Depth == want[i].Depth
				if !complete || !same && (r.Verdict == result.Violated || !stats.OutOfWork) {
					t.Fatalf("seed %d, work %d: %s %s at depth %d (%s); want %s at depth %d", seed,
						work, r.Property, r.Verdict, r.Depth, r.Reason.Text, want[i].Verdict,
						want[i].Depth)
				}
			}
		}
	}
	if ended < 30 {
		t.Errorf("only %d searches ran out of work", ended)
	}
}
