package ranking

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/engine/temporal"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// options are for many small proofs: one solver.
func options(t *testing.T) Options {
	t.Helper()
	return Options{Options: discharge.Options{Drivers: testkit.Solvers(t)[:1], Jobs: 1}}
}

func prove1(t *testing.T, opts Options, sys *system.System) result.Result {
	t.Helper()
	results, err := Prove(t.Context(), sys, opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 1 {
		t.Fatalf("%d results", len(results))
	}
	return results[0]
}

// The ranking functions of the ticket lock are the functions of Fig. 5 of the paper, made simpler:
// no step in the critical section has to be counted.
func TestTicketLock(t *testing.T) {
	opts := options(t)
	sys, _, err := ere.Load(filepath.FromSlash("../../../examples/liveness/ticket_lock.ere"))
	if err != nil {
		t.Fatal(err)
	}
	opts.Observe, opts.Instances = true, sys.Instances
	r := prove1(t, opts, sys)
	if r.Verdict != result.Holds {
		t.Fatalf("%s: %s", r.Verdict, r.Reason)
	}
	seen := r.Evidence.Ranking.Observed
	if len(seen) != 2 || seen[0].Count != (result.Count{Steps: 6, Bound: 18}) ||
		!slices.Equal(seen[0].Fewer, []result.Count{{Steps: 3, Bound: 4}}) {
		t.Errorf("observed: %+v", seen)
	}
	var functions []string
	for _, tier := range r.Evidence.Ranking.Tiers {
		functions = append(functions, tier.Function)
	}
	want := []string{"2 * (ticket(C) - now) + if waiting(active) then 1 else 0", "left_enter(active) + left_leave(active)"}
	if !slices.Equal(functions, want) {
		t.Errorf("%q instead of %q", functions, want)
	}
	const steps = "(M_enter + M_leave + 1) * (2 * (ticket(C) - now) + if waiting(active) then 1 else 0) + (left_enter(active) + left_leave(active)) + 1"
	if r.Evidence.Ranking.Steps != steps {
		t.Errorf("%q instead of %q", r.Evidence.Ranking.Steps, steps)
	}
	for _, o := range r.Evidence.Obligations {
		if o.Verdict != result.Holds || o.Solver == (result.Solver{}) {
			t.Errorf("%s: %s by %q", o.Name, o.Verdict, o.Solver)
		}
	}
}

// Each solver that is installed proves it alone.
func TestEachSolver(t *testing.T) {
	testkit.InFull(t)
	sys, _, err := ere.Load(filepath.FromSlash("../../../examples/liveness/ticket_lock.ere"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range testkit.Solvers(t) {
		if r := prove1(t, Options{Options: discharge.Options{Drivers: []smt.Driver{d}}},
			sys); r.Verdict != result.Holds {
			t.Errorf("%s: %s: %s", d.Name(), r.Verdict, r.Reason)
		}
	}
}

const step = `
	mutable constant x: 0..3
	init x = 3
	fair action down() { require x > 0; x := x - 1; }
	action stay() { x := x; }
	instance i { }
	`

// Small systems with an obvious verdict. Each verdict is compared with the verdict of an instance.
func TestVerdicts(t *testing.T) {
	opts := options(t)
	for _, c := range []struct{ name, text, reason string }{
		{"weak fairness", step + `liveness [live] x = 3 ~> x = 0
			rank [live] { pending x > 0; }`, ""},
		{"a good state that is left again is enough", step + `liveness x = 3 ~> x = 2`, ""},
		{"what is derived decreases where its parts change", `mutable constant x: 0..3
			mutable relation on
			derived relation hot: hot <-> on & x > 0
			init x = 3 & on
			action go() { require x > 0; if on { on := false; } else { x := x - 1; } }
			liveness [live] true ~> x = 0
			rank [live] { variable if hot then 1 else 0; }
			instance i { }`, ""},
		{"without fairness", strings.Replace(step, "fair", "", 1) + `liveness true ~> x = 0`, "no ranking function was found that decreases in stay()"},
		{"what is pending must stay so", step + `liveness [live] x = 3 ~> x = 0
			rank [live] { pending x = 3; }`, "not proved: down keeps it pending, or is good"},
		{"what is triggered must be pending", step + `liveness [live] x = 3 ~> x = 0
			rank [live] { pending x < 3; }`, "not proved: what is triggered is pending"},
		{"a choice must be possible", step + `liveness [live] true ~> x = 0
			rank [live] { choose n: 0..3 with n > x; }`, "not proved: n exists"},
		{"a choice of nothing", step + `enum e { a, b }
			mutable relation r(e)
			init !r(E)
			liveness [live] true ~> x = 0
			rank [live] { choose v: e with r(v); }`, "not proved: v exists"},
		{"a choice stays as long as it fits", `
			enum e { a, b }
			mutable relation r(e)
			init r(E)
			fair action drop(c: e) { require r(c); r(c) := false; }
			action stay() { r(E) := r(E); }
			liveness [live] true ~> (forall E. !r(E))
			rank [live] { choose c: e with r(c); }
			instance i { }`, ""},
		{"a dead end", `
			mutable constant x: 0..3
			init x = 3
			action down() { require x > 1; x := x - 1; }
			liveness true ~> x = 0
			instance i { }`, "not proved: some action can be taken while it is pending; the state shown is pending"},
		{"a trusted invariant makes a dead end", `
			mutable constant x: 0..3
			init x = 3
			action down() { require x > 0; x := x - 1; }
			trusted invariant x > 0
			liveness true ~> x = 0
			instance i { }`, "not proved: some action can be taken while it is pending; the state shown is pending"},
		{"a trusted invariant cuts off any value", `
			mutable constant x: 0..1
			mutable relation done
			init x = 0 & !done
			fair action put() { require !done; x := *; done := true; }
			trusted invariant done -> 0 < x & x < 1
			liveness true ~> done
			instance i { }`, "not proved: some action can be taken while it is pending; the state shown is pending"},
		{"a derived relation that has no value", `
			mutable relation on
			derived relation d: d <-> !d & on
			init !on
			fair action put() { require !on; on := true; }
			liveness true ~> on
			instance i { }`, "not proved: some action can be taken while it is pending; put may be possible and is not counted"},
		{"what a trusted invariant cuts off is not fair", `
			mutable constant x: 0..3
			init x = 3
			fair action down() { require x > 0; x := x - 1; }
			action stay() { x := x; }
			trusted invariant x > 0
			liveness true ~> x = 0
			instance i { }`, "no ranking function was found that decreases in stay() where !(0 < x & 0 < x - 1)"},
		{"weak fairness of what comes and goes", `
			mutable relation on, done
			init on & !done
			fair action finish() { require on; done := true; }
			action flip() { on := !on; }
			liveness true ~> done
			instance i { }`, "no ranking function was found that decreases in flip()"},
		{"a range that is left", `
			mutable constant x: 0..3
			init x = 3
			action down() { x := x - 1; }
			liveness true ~> x = 0
			instance i { }`, "liveness is proved of systems that keep to their ranges, and range:x is not inductive"},
		{"a range whose proof needs what is lost", `
			mutable constant x: 0..3
			mutable constant y: int
			init x = 3 & y = 0
			action down() { require y <= 2; x := if y > 1 then x - 1 else x; y := if y > 5 then 2 else y; }
			action jump() { require y = 1; y := 2; }
			invariant [small] y <= 1
			liveness true ~> x = 0
			instance i { }`, "range:x is unknown: its proof needs the invariant small, which is not inductive"},
		{"no initial state", strings.Replace(step, "init x = 3", "init x = 3 & x = 2", 1) + `liveness true ~> x = 0`,
			"no initial state"},
		{"no initial state, and no range", `
			mutable relation on
			init on & !on
			fair action put() { on := true; }
			liveness true ~> on`, "no initial state"},
		{"one value is counted in place of another", `
			enum e { a, b }
			mutable relation r(e)
			init r(E) <-> E = a
			action swap(c: e, d: e) { require r(c) & !r(d); r(c) := false; r(d) := true; }
			invariant (exists E. r(E)) & (exists E. !r(E))
			liveness true ~> (forall E. !r(E))
			instance i { }`, "no ranking function was found that decreases in swap(c:e, d:e)"},
		{"more are counted in place of one", `
			enum e { e1, e2, e3 }
			mutable relation r(e)
			mutable relation x
			init (r(E) <-> E = e1) & x
			action up(c: e) { require r(c) & x; r(C) := C != c; x := false; }
			action down(c: e) { require r(c) & (exists C. r(C) & C != c) & !x; r(c) := false; x := true; }
			invariant (exists C. r(C)) & (!x -> (exists C, D. C != D & r(C) & r(D)))
			liveness true ~> (forall E. !r(E))
			instance i { }`, "no ranking function was found that decreases in up(c:e); down(c:e)"},
		{"two are counted more", `
			enum e { a, b }
			mutable relation r(e)
			mutable relation x
			mutable relation y
			mutable relation stop
			init !r(E) & x & !y & !stop
			action fill() { require x; x := false; r(E) := true; }
			action one(c: e) { require !x & !y & r(c); r(c) := false; y := true; }
			action two(c: e) { require !x & y & r(c); r(c) := false; y := false; x := true; }
			invariant (x -> !y & !r(E)) & (!x & !y -> r(E)) & (y -> (exists C. r(C)) & (exists C. !r(C)))
			liveness true ~> stop
			instance i { }`, "no ranking function was found that decreases in fill(); one(c:e); two(c:e)"},
		{"infinitely many are not counted", `
			mutable relation r(int)
			init r(K)
			action take(k: int) { require r(k); r(k) := false; }
			liveness true ~> (forall K. !r(K))`, "no ranking function was found that decreases in take(k:int)"},
		{"no range, no floor", `
			mutable constant x: int
			mutable relation on
			init x = 3 & !on
			action down() { x := x - 1; }
			liveness true ~> on`, "no ranking function was found that decreases in down()"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := testkit.Compile(t, c.text)
			r := prove1(t, opts, sys)
			if !strings.Contains(r.Reason.Text, c.reason) ||
				(r.Verdict == result.Holds) != (c.reason == "") {
				t.Errorf("%s: %q instead of %q", r.Verdict, r.Reason, c.reason)
			}
			for _, in := range sys.Instances {
				found, err := temporal.Check(t.Context(), sys, in, temporal.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if found[0].Verdict == result.Violated && r.Verdict == result.Holds {
					t.Errorf("it is violated in %s", in.Name)
				}
			}
		})
	}
}

// A test-and-set lock needs strong fairness: with hints that suffice for strong fairness, weak
// fairness proves nothing.
func TestWeakIsNotStrong(t *testing.T) {
	opts := options(t)
	sys, _, err := ere.Load(filepath.FromSlash("../../../examples/mutex_strong.ere"))
	if err != nil {
		t.Fatal(err)
	}
	if r := prove1(t, opts, sys); r.Verdict != result.Holds {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
	for _, a := range sys.Actions {
		if a.Fairness == system.Strong {
			a.Fairness = system.Weak
		}
	}
	if r := prove1(t, opts, sys); r.Verdict != result.Unknown {
		t.Errorf("%s: %+v", r.Verdict, r.Evidence.Ranking)
	}
}

// TestTooManyFairActions names the limit where fair actions are hundreds.
func TestTooManyFairActions(t *testing.T) {
	var text strings.Builder
	for i := range 150 {
		fmt.Fprintf(&text, "mutable relation b%d\ninit !b%d\n", i, i)
		fmt.Fprintf(&text, "fair action a%d() { require !b%d; b%d := true; }\n", i, i, i)
	}
	sys := testkit.Compile(t, text.String()+"liveness [done] true ~> b0\n")
	r := prove1(t, options(t), sys)
	if r.Verdict != result.Unknown || !strings.Contains(r.Reason.Text, "the limit is 20000") {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
}

// TestInterruptedSteps interrupts the search for steps of many actions. No further question is
// asked then.
func TestInterruptedSteps(t *testing.T) {
	var text strings.Builder
	text.WriteString("mutable relation done\ninit !done\n")
	for i := range 100 {
		fmt.Fprintf(&text, "mutable relation b%d\ninit !b%d\n", i, i)
		fmt.Fprintf(&text, "action a%d() { require !b%d; b%d := true; }\n", i, i, i)
	}
	text.WriteString("fair action end() { done := true; }\nliveness [done] true ~> done\n")
	opts := options(t)
	opts.LogDir = t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	asked := func() int {
		files, err := os.ReadDir(opts.LogDir)
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	before := 0
	opts.Sink.Progress = func(engine.Progress) {
		if before = asked(); before > 2 {
			cancel()
		}
	}
	results, err := Prove(ctx, testkit.Compile(t, text.String()), opts)
	if err != nil {
		t.Fatal(err)
	}
	if ctx.Err() == nil || results[0].Verdict != result.Unknown || asked() > before+5 ||
		!strings.HasPrefix(results[0].Reason.Text, "interrupted; the proof had come to: ") {
		t.Errorf("%d questions, %d of them before the interrupt: %s, %s", asked(), before,
			results[0].Verdict, results[0].Reason)
	}
}

// TestProgress follows a proof, and interrupts one where changes of variables are looked for. What
// was not found by then is not reported as if it were known.
func TestProgress(t *testing.T) {
	sys := testkit.Compile(t, step+"liveness [live] true ~> x = 0")
	for _, interrupt := range []bool{false, true} {
		t.Run(fmt.Sprint(interrupt), func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			opts, done := options(t), int64(0)
			var told []string
			opts.Sink.Progress = func(p engine.Progress) {
				told = append(told, p.Text)
				if p.Done < done || p.Total != 0 {
					t.Errorf("after %d obligations: %+v", done, p)
				}
				done = p.Done
				if interrupt && strings.Contains(p.Text, result.StageDeltas) {
					cancel()
				}
			}
			opts.Proved = []result.Result{{Property: "range:x", Verdict: result.Holds,
				Engine: induction.Name, Scope: result.ScopeAll}}
			results, err := Prove(ctx, sys, opts)
			if err != nil {
				t.Fatal(err)
			}
			all := strings.Join(told, "\n")
			if !strings.Contains(all, "proving liveness of live: no-deadlock, obligation 1, ") {
				t.Errorf("told:\n%s", all)
			}
			switch r := results[0]; {
			case !interrupt && (r.Verdict != result.Holds ||
				!strings.Contains(all, "live: validation")):
				t.Errorf("%s: %s\n%s", r.Verdict, r.Reason, all)
			case interrupt && (r.Verdict != result.Unknown || r.Evidence.Search != nil ||
				!strings.Contains(r.Reason.Text, "interrupted; the proof had come to: ")):
				t.Errorf("%s: %s, %+v", r.Verdict, r.Reason, r.Evidence.Search)
			}
		})
	}
}
