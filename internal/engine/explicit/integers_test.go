package explicit_test

import (
	"errors"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// TestIntegersInSets explores sets and maps of integers without a range, and the same ones with
// one.
func TestIntegersInSets(t *testing.T) {
	const text = `sort node
type msg = { from: node, ballot: INT }
mutable constant sent: set[msg]
mutable function clock(node): int
mutable function acked(node): map[INT, node]
init sent = {} & clock(N) = FIRST & acked(N) = [:]
action tick(n: node) {
  require clock(n) < FIRST + 2;
  clock(n) := clock(n) + 1;
  sent := sent with {from: n, ballot: clock(n)};
}
action receive(n: node, m in sent) {
  require m.ballot > clock(n);
  clock(n) := m.ballot;
  acked(n)[m.ballot] := m.from;
}
action forget(n: node) { acked(n) := [k: acked(n)[k] for k in keys(acked(n)) if k > FIRST + 1]; }
safety [small] forall x in sent. x.ballot <= FIRST + 2
safety [large] forall x in sent. x.ballot < FIRST + 2
instance two { node = 2 }
`
	for _, first := range []string{"0", "-9", "30"} {
		var states []int64
		for _, integer := range []string{"int", "-20..40"} {
			text := strings.NewReplacer("INT", integer, "FIRST", first).Replace(text)
			sys := testkit.Compile(t, text)
			x, err := explicit.Explore(t.Context(), sys, sys.Instances[0], explicit.Options{})
			if err != nil {
				t.Fatal(err)
			}
			states = append(states, x.Stats.States)
			for _, r := range x.Results {
				want := result.Holds
				if r.Property == "large" {
					want = result.Violated
				}
				if r.Verdict != want || r.Verdict == result.Violated && r.Depth != 3 {
					t.Errorf("%s %s: %s is %s %d", integer, first, r.Property, r.Verdict, r.Depth)
				}
			}
		}
		if states[0] != states[1] || states[0] < 10 {
			t.Errorf("from %s: %d states without a range, and %d with one", first, states[0], states[1])
		}
	}
}

// TestIntegersThatAreNotFinite: a run that needs ever more integers is explored up to a bound, and
// what may need any integer is refused.
func TestIntegersThatAreNotFinite(t *testing.T) {
	const head = "mutable constant s: set[int]\nmutable constant n: int\n"
	const foot = "\nsafety [few] forall x in s. x <= n\ninstance one { }\n"
	sys := testkit.Compile(t, head+"init s = {} & n = 0\n"+
		"action next() { n := n + 1; s := {n}; }"+foot)
	x, err := explicit.Explore(t.Context(), sys, sys.Instances[0], explicit.Options{})
	if err != nil || x.Results[0].Verdict != result.HoldsUpTo || x.Stats.Complete ||
		!strings.Contains(x.Results[0].Reason.Text, "write a range") {
		t.Errorf("%v, %+v", err, x)
	}
	for _, body := range []string{
		"init n = 0\naction next() { s := s with n; }",
		"init n = 0 & (forall x: int. x in s -> x >= n)\naction next() { s := s with n; }",
		"init n = 0 & s = {}\naction next(x: int) { s := s with x; }",
		"init n = 0 & s = {}\naction next(x: int) { require x > n; s := s with x; }",
		"init n = 0 & s = {}\naction next() { s := *; }",
	} {
		sys := testkit.Compile(t, head+body+foot)
		x, err := explicit.Explore(t.Context(), sys, sys.Instances[0], explicit.Options{})
		var infinite *interp.InfiniteError
		if !errors.As(err, &infinite) || infinite.Symbol.Name != "s" {
			t.Errorf("%s: %v, %+v", body, err, x)
		}
	}
}

// Initial conditions about a relation of integers may stand in one formula with others.
func TestIntegersBesideOthers(t *testing.T) {
	const text = `sort node
immutable constant top: int
mutable function term(node): int
mutable relation asked(node, INT)
INIT
action ask(n: node) { require term(n) < top; term(n) := term(n) + 1; asked(n, term(n)) := true; }
action hear(n: node, m: node, k: INT) { require asked(m, k) & k > term(n); term(n) := k; }
safety [fine] asked(N, K) -> K <= top
instance two { node = 2, top = 3 }
`
	var seen []int64
	for _, c := range [][2]string{
		{"int", "init term(N) = 0 & !asked(M, K)"},
		{"int", "init (forall M, N, K. !asked(M, K) & term(N) = 0)"},
		{"int", "init term(N) = 0\ninit !asked(M, K)"},
		{"0..5", "init term(N) = 0 & !asked(M, K)"},
	} {
		sys := testkit.Compile(t, strings.NewReplacer("INT", c[0], "INIT", c[1]).Replace(text))
		x, err := explicit.Explore(t.Context(), sys, sys.Instances[0], explicit.Options{})
		if err != nil {
			t.Fatalf("%s: %v", c[1], err)
		}
		if r := x.Results[0]; r.Verdict != result.Holds {
			t.Errorf("%s: %s", c[1], r.Verdict)
		}
		seen = append(seen, x.Stats.States)
	}
	if seen[0] != seen[1] || seen[1] != seen[2] || seen[2] != seen[3] || seen[0] < 10 {
		t.Errorf("%d states", seen)
	}
}
