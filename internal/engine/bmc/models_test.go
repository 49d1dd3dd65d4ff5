package bmc_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

var models = []struct {
	name, text string
	instance   bool     // search the instance of the file
	depth      int      // steps
	want       []string // property, verdict, states; and the reason if it is given
}{
	{"counter", `
mutable constant n: int
init n = 0
action up() { n := n + 1; }
action double() { require n > 0; n := 2 * n; }
safety [small] n != 12
safety [odd] n != 1000
instance here { }`, true, 6, []string{"small: violated 6", "odd: holds up to k 7"}},

	{"counter of all instances", `
immutable constant top: int
mutable constant n: int
axiom top > 2
init n = 0
action up() { n := n + 1; }
safety [below] n < top`, false, 6, []string{"below: violated 4"}},

	{"a parameter that axioms fix", `
type digit = 0..9
immutable function weight(digit): int
immutable constant last: int
axiom weight(0) = 1
axiom forall D: digit. D > 0 -> weight(D) = 3 * weight(D - 1)
axiom last = weight(9)
mutable constant n: 0..9
init n = 0
action up() { n := n + 1; }
safety [light] weight(n) < 700
safety [least] last > 19682
instance here { }`, true, 12, []string{"light: violated 7", "least: holds up to k 13", "range:n: violated 11"}},

	{"a run ends where a range is left", `
mutable constant n: 0..2
mutable constant steps: int
init n = 0 & steps = 0
action up() { n := n + 1; steps := steps + 1; }
safety [short] steps < 4
instance here { }`, true, 9, []string{"short: holds up to k 10 (no run of at most 9 steps violates it; runs end where they violate range:n)", "range:n: violated 4"}},

	{"the same in all instances", `
mutable constant n: 0..2
mutable constant steps: int
init n = 0 & steps = 0
action up() { n := n + 1; steps := steps + 1; }
safety [short] steps < 4`, false, 5, []string{"short: holds up to k 6 (no run of at most 5 steps violates it; runs end where they violate range:n)", "range:n: violated 4"}},

	{"no step", `
mutable relation p
init !p
action never() { require p; p := true; }
safety [quiet] !p
instance here { }`, true, 9, []string{"quiet: holds up to k 10 (no run of at most 9 steps violates it; no run has more than 0 steps)"}},

	{"no initial state", `
mutable relation p
init p & !p
action flip() { p := !p; }
safety [quiet] p
instance here { }`, true, 3, []string{"quiet: nothing checked 0 (no initial state)"}},

	{"no initial state in any instance", `
mutable relation p
init p & !p
action flip() { p := !p; }
safety [quiet] p`, false, 3, []string{"quiet: nothing checked 0 (no initial state)"}},

	{"read outside of a range", `
mutable constant n: int
mutable relation mark(0..2)
mutable relation seen
init n = 0 & !mark(K) & !seen
action up() { require n < 4; n := n + 1; }
action wait() { }
action look() { require mark(n); seen := true; }
safety [blind] !seen
instance here { }`, true, 4, []string{"blind: holds up to k 5", "argument:mark: violated 4"}},

	{"integers without bounds are left to the solver", `
mutable constant n: int
mutable constant m: int
init n >= 0 & n < 5 & m = 3
action up() { n := n + 1; }
safety [small] n < 7
instance here { }`, true, 4, []string{"small: violated 4"}},

	{"an equation about a point that is not known", `
mutable relation p
mutable function f(bool): int
init f(true) = 3 & f(p) = 4
action flip() { p := !p; }
safety [first] !p
instance here { }`, true, 0, []string{"first: holds initially 1"}},

	{"choices of relations, and a derived relation without a body", `
sort node
mutable relation up(node)
mutable relation reach(node, node)
derived relation some: some -> (exists N. up(N))
init !up(N) & !reach(M, N)
action change() { up := *; assume forall N. old(up(N)) -> up(N); assume exists N. up(N) & !old(up(N)); }
action link(m: node, n: node) { require up(m) & m != n; reach(m, n) := true; }
safety [alone] !(exists M, N. reach(M, N) & reach(N, M))
safety [quiet] !some
instance here { node = 2 }`, true, 5, []string{"alone: violated 4", "quiet: violated 2"}},

	{"trusted", `
sort node
mutable relation held(node)
trusted invariant [one] held(X) & held(Y) -> X = Y
init !held(X)
action take(n: node) { held(n) := true; }
action drop(n: node) { require held(n); held(n) := false; }
safety [mutex] held(X) & held(Y) -> X = Y
safety [free] !held(X)
instance here { node = 3 }`, true, 4, []string{"mutex: holds up to k 5", "free: violated 2"}},
}

func TestModels(t *testing.T) {
	ds := testkit.Solvers(t)
	for _, m := range models {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			sys, _, err := ere.Compile("test.ere", m.text)
			if err != nil {
				t.Fatal(err)
			}
			var inst *system.Instance
			if m.instance {
				inst = sys.Instances[0]
			}
			for i, r := range search(t, sys, inst, m.depth, false, ds...) {
				got := fmt.Sprintf("%s: %s %d", r.Property, r.Verdict, r.Depth)
				if i < len(m.want) && strings.Contains(m.want[i], "(") {
					got += fmt.Sprintf(" (%s)", r.Reason.Text)
				}
				if i >= len(m.want) || got != m.want[i] {
					t.Errorf("%s, %s", got, r.Reason.Text)
				}
				if (r.Verdict == result.Violated) != (r.Trace != nil) || r.Engine != bmc.Name ||
					r.Line == 0 {
					t.Errorf("%+v", r)
				}
			}
		})
	}
}

// The failure detector: as deep as Apalache's searches in the paper, the shortest violations, and a
// deep one, all equal to exploration.
func TestFailureDetector(t *testing.T) {
	for _, tt := range []struct {
		file, safety string
		steps        int
		want         result.Verdict
		states       int64
	}{
		{"strong_accuracy.ere", "!suspected", 120, result.HoldsUpTo, 121},
		{"strong_accuracy.ere", "waiting_time < 14", 175, result.Violated, 118},
		{"small_timeout.ere", "!suspected", 60, result.Violated, 43},
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "failure_detector",
			tt.file))
		if err != nil {
			t.Fatal(err)
		}
		sys, _, err := ere.Compile(tt.file, strings.Replace(string(text), "[strong_accuracy] !suspected", "[strong_accuracy] "+tt.safety, 1))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range testkit.Solvers(t) {
			rs, err := bmc.Check(t.Context(), sys, sys.Instance("d2p4"), bmc.Options{
				Options: discharge.Options{Drivers: []smt.Driver{d}},
				Only:    []string{"strong_accuracy"}, Depth: tt.steps})
			if err != nil {
				t.Fatal(err)
			}
			if len(rs) != 1 || rs[0].Verdict != tt.want || rs[0].Depth != tt.states ||
				rs[0].Scope != "d2p4" {
				t.Errorf("%s, %s, %s: %+v", tt.file, tt.safety, d.Name(), rs)
			}
		}
	}
}

// What an exploration has shown is not asked again.
func TestSafe(t *testing.T) {
	ds := testkit.Solvers(t)[:1]
	sys := testkit.Compile(t, `
sort node
mutable relation on(node)
init !on(N)
action turn(n: node) { on(n) := true; }
safety [some] exists N. !on(N)
instance here { node = 3 }`)
	var asked []int64
	for _, safe := range []int{0, 3} {
		rs, err := bmc.Check(t.Context(), sys, sys.Instances[0],
			bmc.Options{Options: discharge.Options{Drivers: ds}, Depth: 6, Safe: safe})
		if err != nil || rs[0].Verdict != result.Violated || rs[0].Depth != 4 {
			t.Fatal(rs, err)
		}
		asked = append(asked, rs[0].Queries)
	}
	if asked[0] <= asked[1] {
		t.Errorf("%d queries, and %d without the first steps", asked[0], asked[1])
	}
}

// A request that cannot be searched is an error.
func TestRefused(t *testing.T) {
	sys, _, err := ere.Compile("test.ere", models[0].text+"\ntemporal [soon] eventually (n > 3)\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"soon", "none"} {
		if _, err := bmc.Check(t.Context(), sys, nil, bmc.Options{Only: []string{name}}); err ==
			nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// After an interruption, undecided properties are unknown.
func TestInterrupted(t *testing.T) {
	ds := testkit.Solvers(t)
	sys, _, err := ere.Compile("test.ere", models[0].text)
	if err != nil {
		t.Fatal(err)
	}
	for _, inst := range []*system.Instance{nil, sys.Instances[0]} {
		ctx, cancel := context.WithCancel(t.Context())
		rs, err := bmc.Check(ctx, sys, inst,
			bmc.Options{Options: discharge.Options{Drivers: ds}, Depth: 50,
				Sink: engine.Sink{Progress: func(p engine.Progress) {
					if p.Done == 2 {
						cancel()
					}
				}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rs {
			if r.Verdict != result.Unknown || !strings.Contains(r.Reason.Text, "at most 1 step ") ||
				!strings.Contains(r.Reason.Text, "interrupted") {
				t.Errorf("%+v", r)
			}
		}
		cancel()
	}
}

// Mypyvy's unsafe examples have short violations.
func TestMypyvyExamples(t *testing.T) {
	ds := testkit.Solvers(t)
	dir := testkit.Shared(t, "models", "mypyvy", "unsafe")
	for file, want := range map[string]struct {
		property string
		states   int64
	}{
		"consensus_unsafe.pyv": {"safety:55", 6}, "lockserv_unsafe.pyv": {"invariant:118", 6}, "sharded-kv_unsafe.pyv": {"keys_unique", 4},
	} {
		sys, _, err := ere.Load(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		rs, err := bmc.Check(t.Context(), sys, nil,
			bmc.Options{Options: discharge.Options{Drivers: ds}, Only: []string{want.property},
				Depth: 8})
		if err != nil {
			t.Fatal(err)
		}
		if rs[0].Verdict != result.Violated || rs[0].Depth != want.states {
			t.Errorf("%s: %+v", file, rs[0])
		}
	}
}
