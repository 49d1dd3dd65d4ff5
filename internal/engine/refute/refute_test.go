package refute

import (
	"slices"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/testkit"
)

// A violation that shows only where one sort has one element and another three: two elements of a
// cannot agree.
const oneAndThree = `
sort a
sort b
mutable relation used(b)
mutable relation many(b)
mutable constant here: b
init !used(B)
init !many(B)
transition take(x: b, y: b)
  modifies used
  & (forall P:a, Q:a. P = Q) & x != y
  & (used(B) <-> old(used(B)) | B = x)
safety [few] !(exists X:b, Y:b, Z:b. X != Y & Y != Z & X != Z & used(X) & used(Y) & used(Z))
safety [fine] used(B) -> used(B)
`

func TestOneElementHereThreeThere(t *testing.T) {
	sys := testkit.Compile(t, oneAndThree)
	found, err := Find(t.Context(), sys, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Results) != 1 || found.Results[0].Property != "few" || found.Results[0].Scope != "a=1,b=3" {
		t.Fatalf("found %v in %s", found.Results, found.Summary())
	}
	if err := interp.Replay(t.Context(), sys, found.Results[0].Trace, sys.Property("few")); err !=
		nil {
		t.Error(err)
	}
}

// A free derived relation, and too many orders and functions to explore all states: solvers find
// the violation.
const free = `
sort node
sort round
immutable relation le(round, round)
axiom le(X, X)
axiom le(X, Y) & le(Y, Z) -> le(X, Z)
axiom le(X, Y) & le(Y, X) -> X = Y
axiom le(X, Y) | le(Y, X)
mutable relation vote(node, round)
mutable relation heard(node, round, round)
mutable relation old_heard(node, round, round)
mutable relation led(round)
derived relation safe(round): (exists N. vote(N, R)) -> safe(R)
init !led(R)
transition lead(r: round)
  modifies led
  & old(safe(r)) & (forall R. old(led(R)) -> le(R, r) & R != r)
  & (led(R) <-> old(led(R)) | R = r)
safety [one] !(exists X:round, Y:round, Z:round. X != Y & Y != Z & X != Z & led(X) & led(Y) & led(Z))
`

func TestTooManyInitialStates(t *testing.T) {
	drivers := testkit.Solvers(t)
	sys := testkit.Compile(t, free)
	found, err := Find(t.Context(), sys,
		Options{Options: discharge.Options{Drivers: drivers, Jobs: 1}, States: 200})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Results) != 1 || found.Results[0].Engine != "bmc" || found.Results[0].Scope != "node=1,round=3" {
		t.Fatalf("found %v in %s", found.Results, found.Summary())
	}
	if found.States > 2000 {
		t.Errorf("%d states, more than the limit", found.States)
	}
}

// A violation that needs a shape that stands late, after many with ten thousand states each: every
// shape has its share.
func TestLateShape(t *testing.T) {
	sys := testkit.Compile(t, `
sort a
sort b
sort c
sort d
type digit = 0..9
mutable constant u: digit
mutable constant v: digit
mutable constant w: digit
mutable constant x: digit
mutable relation used(d)
init u = 0 & v = 0 & w = 0 & x = 0 & !used(D)
action addu() { require u < 9; u := u + 1; }
action addv() { require v < 9; v := v + 1; }
action addw() { require w < 9; w := w + 1; }
action addx() { require x < 9; x := x + 1; }
action take(e: d) {
  require forall P:a, Q:a. P = Q;
  require forall P:b, Q:b. P = Q;
  require forall P:c, Q:c. P = Q;
  used(e) := true;
}
safety [few] !(exists X:d, Y:d, Z:d. X != Y & Y != Z & X != Z & used(X) & used(Y) & used(Z))
`)
	opts := Options{Only: []string{"few"},
		Options: discharge.Options{Solving: discharge.Solving{Solvers: []string{"none"}}}}
	found, err := Find(t.Context(), sys, opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Results) != 1 || found.Results[0].Scope != "a=1,b=1,c=1,d=3" {
		t.Errorf("found %v in %s", found.Results, found.Summary())
	}
}

// Steps with 2^27 outcomes, or as many combinations of values of which none is possible, do not
// hold up a search, and its instances are not counted as seen to the end.
func TestEnormousSteps(t *testing.T) {
	for _, more := range []string{
		"", "require forall X. exists Y. forall Z. r(X, Y, Z) != r(Y, X, Z);",
	} {
		sys := testkit.Compile(t, `
sort node
mutable constant n: 0..3
mutable relation r(node, node, node)
derived relation d(node, node, node): n = 0 -> (d(X, Y, Z) <-> r(X, Y, Z))
init n = 0 & !r(X, Y, Z)
action up() { require n < 3; n := n + 1; }
action guess() { require n = 1; r(X, Y, Z) := *; `+more+` }
safety [fine] n < 4
`)
		opts := Options{Options: discharge.Options{Solving: discharge.Solving{Solvers: []string{"none"}}}}
		found, err := Find(t.Context(), sys, opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, look := range found.Examined {
			if look.Complete && look.Instance.Name != "node=1" {
				t.Errorf("%s: %d states, seen to the end", look.Instance.Name, look.States)
			}
		}
		if len(found.Examined) != 3 {
			t.Errorf("%s", found.Summary())
		}
	}
}

func TestNothingToFind(t *testing.T) {
	sys := testkit.Compile(t, "sort a\nmutable relation r(a)\ninit !r(X)\ntransition go(x: a)\n  modifies r\n  & (r(X) <-> old(r(X)) | X = x)\nsafety r(X) | !r(X)\n")
	found, err := Find(t.Context(), sys, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Results) != 0 || len(found.Examined) != 3 ||
		slices.ContainsFunc(found.Examined, func(
			l Coverage,
		) bool {
			return !l.Complete
		}) {
		t.Errorf("%v in %s", found.Results, found.Summary())
	}
	if found.States != 2+4+8 {
		t.Errorf("%d states", found.States)
	}
}

// Where the parameters need values, the instances of the file are examined, except large ones.
func TestInstancesOfTheFile(t *testing.T) {
	sys := testkit.Compile(t, `sort a
immutable constant L: int
mutable function f(a): 0..L
mutable function g(0..L): bool
init f(X) = 0 & !g(I)
action up(x: a) {
  f(x) := if f(x) < L then f(x) + 1 else L;
}
safety f(X) >= 0
instance small { a = 1, L = 2 }
instance recorded { a = 1, L = 100000 }
`)
	var names []string
	for _, inst := range Shapes(sys) {
		names = append(names, inst.Name)
	}
	if !slices.Equal(names, []string{"small"}) {
		t.Errorf("%v", names)
	}
}

// Smallest total first, no shape twice, and no more than the limit.
func TestVectors(t *testing.T) {
	for n := range 9 {
		seen := map[string]bool{}
		last := 0
		vs := vectors(n)
		for _, v := range vs {
			total, key := 0, ""
			for _, x := range v {
				total += x
				key += string(rune('0' + x))
			}
			if seen[key] || total < last || len(v) != n {
				t.Errorf("%d sorts: %v after a total of %d", n, v, last)
			}
			seen[key], last = true, total
		}
		if want := min(1<<n+1<<n-1, mostShapes); len(vs) != want {
			t.Errorf("%d sorts: %d shapes, want %d", n, len(vs), want)
		}
	}
}

// Twenty-seven points can be set in any order: two thousand states are few of them. Solvers search
// all runs of six steps after the first states, and only without solvers the exploration goes on.
const wide = `
sort a
mutable relation r(a, a, a)
init !r(X, Y, Z)
transition put(x: a, y: a, z: a)
  modifies r
  & !old(r(x, y, z))
  & (r(X, Y, Z) <-> old(r(X, Y, Z)) | X = x & Y = y & Z = z)
safety [fine] r(X, Y, Z) -> X = Y | X != Y
`

func TestBroadInstanceIsLeftToSolvers(t *testing.T) {
	drivers := testkit.Solvers(t)
	sys := testkit.Compile(t, wide)
	for _, c := range []struct {
		unsolved bool
		states   int64
		steps    int
	}{{false, leastStates, 6}, {true, 2000, -1}} {
		found, err := Find(t.Context(), sys, Options{Unsolved: c.unsolved,
			Options: discharge.Options{Drivers: drivers, Jobs: 1}})
		if err != nil {
			t.Fatal(err)
		}
		last := found.Examined[len(found.Examined)-1]
		if last.Instance.Name != "a=3" || last.Complete || last.States != c.states ||
			last.Steps != c.steps {
			t.Errorf("unsolved %t: %s, %+v", c.unsolved, found.Summary(), last)
		}
	}
}
