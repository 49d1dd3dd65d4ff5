package temporal

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

const line = `
	mutable constant x: 0..3
	init x = 0
	action up() { require x < 3; x := x + 1; }
	instance i { }
	`

const lock = `
	sort process
	mutable relation free
	mutable relation waits(process)
	mutable relation has(process)
	init free & !waits(P) & !has(P)
	action ask(p: process) { require !waits(p) & !has(p); waits(p) := true; }
	FAIR action take(p: process) { require waits(p) & free; waits(p) := false; has(p) := true; free := false; }
	fair action give(p: process) { require has(p); has(p) := false; free := true; }
	liveness [served] waits(P) ~> has(P)
	liveness [given] has(P) ~> !has(P)
	instance i { process = 2 }
	`

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       string // verdict, states of a counterexample, start of its loop
		reason     string
	}{
		{"a run that ends stays there", line + `temporal eventually always (x = 3)`, "holds", ""},
		{"it stays for ever", line + `temporal always eventually (x = 0)`, "violated 4 3", ""},
		{"a run goes on while it can", line + `liveness x = 0 ~> x = 3`, "holds", ""},
		{"unless steps are loops", line + `action stay() { x := x; }
			liveness x = 0 ~> x = 3`, "violated 1 0", ""},
		{"and it is not fair", line + `fair action stay() { x := x; }
			liveness x = 0 ~> x = 3`, "violated 1 0", ""},
		{"a trusted invariant cuts steps", line + `trusted invariant x < 2
			liveness x = 0 ~> x = 3`, "violated 2 1", ""},
		{"what is cut is not enabled", line + `trusted invariant x < 2
			action down() { x := 0; }
			fair action leap() { require x < 2; x := 3; }
			liveness x = 0 ~> x = 3`, "violated 1 0", ""},
		{"until is strong", line + `action stay() { x := x; }
			temporal x < 3 until x = 3`, "violated 1 0", ""},
		{"until holds before", line + `temporal x < 2 until x = 2`, "holds", ""},
		{"a property without temporal operators is about the first state", line + `temporal x = 0`,
			"holds", ""},
		{"and may be false", line + `temporal x = 1`, "violated 4 3", ""},
		{"a quantifier over nothing", line + `temporal forall N: 2..1. always (x = N)`, "holds",
			""},
		{"a name for a value", line + `enum parity { even, odd }
			mutable constant p: parity
			init p = even
			action swap() { p := if p = even then odd else even; }
			temporal always (let now = p in eventually (p != now | x > 0))`, "holds", ""},
		{"parameters that are chosen freely", `
			immutable constant k: 1..2
			mutable constant x: 0..2
			init x = 0
			action up() { require x < k; x := x + 1; }
			temporal eventually (x = 2)
			instance i { }`, "violated 2 1", ""},
		{"weak fairness does not give a lock", strings.Replace(lock, "FAIR", "fair", 1), "violated 4 1", ""},
		{"strong fairness does", strings.Replace(lock, "FAIR", "strong fair", 1), "holds", ""},
		{"each value of the parameters counts", `
			mutable constant x: 0..2
			init x = 0
			fair action go(n: 0..2) { x := n; }
			temporal forall N: 0..2. always eventually (x = N)
			instance i { }`, "holds", ""},
		{"but not each choice", `
			mutable constant x: 0..2
			init x = 0
			fair action go() { choose n: 0..2 { x := n; } }
			temporal forall N: 0..2. always eventually (x = N)
			instance i { }`, "violated 2 1", ""},
		{"no initial state", line + `init x = 1
			temporal always (x = 0)`, "nothing checked", "no initial state"},
		{"a state outside of its range", `
			mutable constant x: 0..2
			init x = 0
			action up() { x := x + 1; }
			temporal eventually (x = 1)
			instance i { }`, "holds up to k", "states that violate range:x were not explored further"},
		{"an action without a value", `
			mutable constant x: 0..2
			mutable relation r(0..2)
			init x = 0
			action up() { require r(x + 1); x := x + 1; }
			temporal eventually (x = 2)
			instance i { }`, "violated 1 0", ""},
		{"an action without a number", `
			mutable constant x: int
			init x = 1
			action up() { x := x * 4611686018427387904; }
			temporal eventually (x = 0)
			instance i { }`, "unknown", "does not fit in 64 bits"},
		{"a predicate without a value", line + `immutable relation r(0..3)
			temporal always eventually r(x + 1)`, "unknown", "cannot be evaluated in a reachable state: test.ere:"},
		{"a guard protects a predicate", line + `immutable relation r(0..3)
			temporal always (x < 3 -> r(x + 1) | !r(x + 1) | eventually (x = 0))`, "holds", ""},
		{"too many numbers", line + `temporal forall N: int. eventually (x = N)`, "unknown", "int has infinitely many values"},
		{"a name for a number", line + `temporal always (let now = x in eventually (x = now))`, "unknown", "int has infinitely many values"},
		{"a range that is not fixed", line + `immutable constant k: 0..2
			temporal forall N: 0..k. eventually (x = N)`, "unknown", "constant k has no value: `k = n` is missing from the instance"},
		{"a temporal operator in an argument", line + `immutable relation r(bool)
			temporal r(always (x = 0))`, "unknown", "a temporal operator cannot stand inside of"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := testkit.Compile(t, c.text)
			results, err := Check(t.Context(), sys, sys.Instances[0], Options{})
			if err != nil {
				t.Fatal(err)
			}
			r := results[0]
			got := string(r.Verdict)
			if r.Trace != nil && r.Trace.Loop >= 0 {
				got += fmt.Sprint(" ", len(r.Trace.Steps), " ", r.Trace.Loop)
			}
			if got != c.want || !strings.Contains(r.Reason.Text, c.reason) ||
				c.reason == "" && r.Reason.Text != "" {
				t.Errorf("%s: %s", got, r.Reason.Text)
			}
			if c.name == "a predicate without a value" &&
				(r.Trace == nil || len(r.Trace.Steps) != 4) {
				t.Errorf("no run leads to the state: %v", r.Trace)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	sys := testkit.Compile(t, line+`
		safety [small] x <= 3
		temporal [ends] eventually (x = 3)
		temporal [returns] always eventually (x = 0)
		temporal [starts] always (x = 0)`)
	check := func(ctx context.Context, o Options) ([]result.Result, string) {
		results, err := Check(ctx, sys, sys.Instances[0], o)
		var out []string
		for _, r := range results {
			out = append(out,
				fmt.Sprint(r.Property, " ", r.Verdict, " ", r.States, " ", r.Transitions, " ",
					r.Depth, " ", r.Reason.Text))
		}
		if err != nil {
			out = append(out, err.Error())
		}
		return results, strings.Join(out, "; ")
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		o    Options
		want string
	}{
		{t.Context(), Options{}, "ends holds 4 3 4 ; returns violated 4 3 4 ; starts violated 4 3 4 "},
		{t.Context(), Options{Only: []string{"ends"}}, "ends holds 4 3 4 "},
		{t.Context(), Options{Only: []string{}}, ""},
		{t.Context(), Options{Only: []string{"small"}}, "temporal: small is safety: only liveness and temporal properties can be checked here"},
		{t.Context(), Options{Only: []string{"large"}}, `temporal: there is no property "large"`},
		{t.Context(), Options{Only: []string{"returns"}, Limits: engine.Limits{States: 3}}, "returns holds up to k 3 2 3 stopped at the limit of 3 states"},
		{t.Context(), Options{Only: []string{"returns"}, Limits: engine.Limits{States: 4}}, "returns violated 4 3 4 "},
		{t.Context(), Options{Only: []string{"returns"}, Limits: engine.Limits{Depth: 2}}, "returns holds up to k 2 1 2 stopped at the limit of 2 states a run"},
		{cancelled, Options{Only: []string{"ends"}}, "ends unknown 0 0 0 interrupted"},
	} {
		if _, got := check(c.ctx, c.o); got != c.want {
			t.Errorf("%+v: %s\nwant %s", c.o, got, c.want)
		}
	}
	results, _ := check(t.Context(), Options{Only: []string{"returns"}})
	if r := results[0]; r.Engine != Name || r.Scope != "i" || r.Kind != result.Liveness ||
		r.Line != 9 || r.Trace.Violates != "returns" || r.Trace.Line != 9 {
		t.Errorf("%+v", r)
	}
}

// Each search for a violation is reported, with the number of all.
func TestSearchesAreReported(t *testing.T) {
	sys := testkit.Compile(t, line+"temporal [ends] always (x = 1 -> eventually (x = 3)) & always (x = 0 -> eventually (x = 3))")
	var told []string
	opts := Options{Threads: 1, Sink: engine.Sink{Progress: func(p engine.Progress) {
		if p.Unit == "searches" {
			told = append(told, fmt.Sprintf("%d/%d %s", p.Done, p.Total, p.Text))
		}
	}}}
	if _, err := Check(t.Context(), sys, sys.Instances[0], opts); err != nil {
		t.Fatal(err)
	}
	want := []string{"0/2 checking ends on i: 0 of 2 searches for a violation",
		"1/2 checking ends on i: 1 of 2 searches for a violation"}
	if !slices.Equal(told, want) {
		t.Errorf("%q, want %q", told, want)
	}
}

// With a limit, the verdict is open only if no violation was found.
func TestViolationWithinLimit(t *testing.T) {
	sys := testkit.Compile(t, line+`action stay() { x := x; }
		temporal eventually (x = 3)`)
	results, err := Check(t.Context(), sys, sys.Instances[0],
		Options{Limits: engine.Limits{States: 2}})
	if err != nil || results[0].Verdict != result.Violated {
		t.Errorf("%+v %v", results, err)
	}
}

func TestTooLargeFormula(t *testing.T) {
	sys := testkit.Compile(t, `
		sort s
		mutable relation r(s)
		init !r(X)
		action set(x: s) { r(x) := true; }
		temporal [wide] exists X: s. always eventually r(X)
		temporal [long] forall A: s, B: s, C: s, D: s. always (r(A) -> eventually (r(B) & eventually (r(C) & eventually r(D))))
		instance i { s = 70 }`)
	results, err := Check(t.Context(), sys, sys.Instances[0],
		Options{Limits: engine.Limits{States: 80}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"more than 64 eventualities", "too large when its quantifiers are expanded"} {
		if r := results[i]; r.Verdict != result.Unknown || !strings.Contains(r.Reason.Text, want) {
			t.Errorf("%s: %s %s", r.Property, r.Verdict, r.Reason.Text)
		}
	}
}
