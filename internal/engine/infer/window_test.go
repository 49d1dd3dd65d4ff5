package infer

import (
	"slices"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// Relations and functions of integers are seen at the integers of a window: there are lemmas about
// them for all integers, and violations.
func TestArgumentsThatAreIntegers(t *testing.T) {
	testkit.InCI(t)
	const votes = `sort node
		mutable function term(node): int
		mutable relation vote(node, node, int)
		init term(N) = 0 & !vote(N, M, T)
		action bump(n: node) { term(n) := term(n) + 1; }
		`
	for _, c := range []struct {
		name, text string
		want       result.Verdict
	}{
		{"a relation that grows with a number", votes +
			`action give(n: node, m: node, t: int) {
				require t > term(n);
				term(n) := t;
				vote(n, m, t) := true;
			}
			safety [once] vote(N, M, T) & vote(N, O, T) -> M = O`, result.Holds},
		{"a violation", votes +
			`action give(n: node, m: node, t: int) {
				require t >= term(n);
				term(n) := t;
				vote(n, m, t) := true;
			}
			safety [once] vote(N, M, T) & vote(N, O, T) -> M = O`, result.Violated},
		{"the largest value of a function", `immutable constant len: int
			axiom len >= 0
			immutable function f(int): int
			axiom 1 <= I & I <= len -> f(I) >= 0
			mutable constant h: int
			mutable constant i: int
			init h = -1 & i = 1
			action step() { require i <= len; h := if h >= f(i) then h else f(i); i := i + 1; }
			safety [largest] i > len -> (forall K: int. 1 <= K & K <= len -> f(K) <= h)`,
			result.Holds},
		// No instance can be asked about it: it has no symbol with an integer as argument.
		{"a property of all integers", `type place = 1..9
			mutable constant last: int
			mutable constant n: 0..9
			mutable function log(place): int
			init last = 0 & n = 0 & log(I) = 0
			action write(i: place) {
				require i = n + 1;
				last := last + 1;
				log(i) := last;
				n := i;
			}
			safety [ordered] forall I: int, J: int. 1 <= I & I < J & J <= n -> log(I) < log(J)`,
			result.Holds},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := testkit.Compile(t, c.text)
			out, err := Find(testkit.Solving(t), sys, Options{})
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(out.Results, func(r result.Result) bool {
				return r.Kind == system.Safety
			})
			if i < 0 || out.Results[i].Verdict != c.want {
				t.Fatalf("%+v, want %s", out.Results, c.want)
			}
			r := out.Results[i]
			if c.want == result.Violated {
				p := sys.Property(r.Property)
				if err := interp.Replay(t.Context(), sys, r.Trace, p); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
