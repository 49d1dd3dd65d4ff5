package induction_test

import (
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// TestFolds proves what is true of sizes, sums and greatest values, and nothing that is false. The
// names of false claims begin with no.
func TestFolds(t *testing.T) {
	testkit.InCI(t)
	const text = `
sort node
immutable constant N: int
axiom N >= 1
mutable relation has(node)
mutable function w(node): 0..3
mutable function pc(1..N): 0..2
mutable constant n: int
mutable constant s: int
mutable constant k: int
init !has(X) & n = 0 & w(X) = 0 & s = 0 & pc(I) = 0 & k = 0
action enter(x: node) { require !has(x); has(x) := true; n := n + 1; }
action change(x: node, y: node) { require has(x) & !has(y); has(x) := false; has(y) := true; }
action more(x: node) { require w(x) < 3; w(x) := w(x) + 1; s := s + 1; }
action move(x: node, y: node) {
  require x != y & w(x) > 0 & w(y) < 3;
  w(x) := w(x) - 1;
  w(y) := w(y) + 1;
}
action step(i: 1..N) { require pc(i) = 0; pc(i) := 1; k := k + 1; }
safety [count] n = size({x for x: node if has(x)})
safety [some] n > 0 <-> exists x. has(x)
safety [two] (exists x, y. x != y & has(x) & has(y)) -> n >= 2
safety [total] s = sum(w(x) for x: node)
safety [steps] k = size({i for i: 1..N if pc(i) = 1})
safety [most] k <= N
safety [done] k = N -> forall i: 1..N. pc(i) = 1
safety [greatest] (exists x. has(x)) -> max(w(x) for x: node if has(x)) <= 3
safety [no_size] n = size({x for x: node if has(x)}) + 1
safety [no_two] n <= 1
safety [no_sum] s = sum(w(x) for x: node if has(x))
safety [no_steps] 2 * k <= N
safety [no_all] n < size(node)
safety [no_least] (exists x. has(x)) -> min(w(x) for x: node if has(x)) >= 1
`
	results, err := induction.Prove(testkit.Solving(t), testkit.Compile(t, text),
		induction.Options{Options: discharge.Options{Solving: discharge.Solving{
			Rlimit: discharge.DefaultRlimit / 30}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		isFalse := len(r.Property) > 3 && r.Property[:3] == "no_"
		switch {
		case isFalse == (r.Verdict == result.Holds):
			t.Errorf("%s: %s, %s", r.Property, r.Verdict, r.Reason.Text)
		case r.Verdict == result.Holds && len(r.Assumptions) != 1:
			t.Errorf("%s: assumes %v", r.Property, r.Assumptions)
		}
	}
}

// TestCounterexamplesNextToFolds replays counterexamples to induction with the interpreter, which
// knows what sums and sizes are: solvers know some laws of them.
func TestCounterexamplesNextToFolds(t *testing.T) {
	testkit.InCI(t)
	const text = `
sort node
mutable relation has(node)
mutable function w(node): 0..3
mutable constant n: int
mutable constant s: int
init !has(X) & n = 0 & w(X) = 0 & s = 0
action enter(x: node) { require !has(x) & n < 2; has(x) := true; n := n + 1; }
action more(x: node) { require w(x) < 3; w(x) := w(x) + 1; s := s + 1; }
action both(x: node) { require size({y for y: node if has(y)}) > 1; has(x) := !has(x); n := n - 1; }
safety [few] n <= 2 | size({x for x: node if has(x)}) != n
safety [count] size({x for x: node if has(x)}) <= 2
safety [total] s < 4 | sum(w(x) for x: node) > 3
safety [greatest] max(w(x) for x: node) <= s
safety [each] forall x. has(x) -> size({y for y: node if w(y) >= w(x)}) > n - 2
`
	sys := testkit.Compile(t, text)
	results, err := induction.Prove(testkit.Solving(t), sys, induction.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := replayed(t, sys, results); n < 3 {
		t.Errorf("%d counterexamples of %v", n, results)
	}
}

// replayed counts the properties that are not inductive. Each has a counterexample that the
// interpreter replays.
func replayed(t *testing.T, sys *system.System, results []result.Result) (n int) {
	t.Helper()
	for _, r := range results {
		if r.Verdict != result.NotInductive {
			continue
		}
		n++
		if r.Trace == nil {
			t.Errorf("%s: no counterexample", r.Property)
			continue
		}
		err := interp.Replay(t.Context(), sys, r.Trace, sys.Property(r.Property))
		if err != nil {
			t.Errorf("%s: %v\n%v", r.Property, err, r.Trace)
		}
	}
	return n
}
