package ranking

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// What is first in a set exists because the set is finite, if the relation is total and transitive
// on it, and only then.
func TestAFirstValueExists(t *testing.T) {
	testkit.InFull(t)
	const order = "sort s\nimmutable relation le(s, s)\nmutable relation open(s)\nmutable relation at(s, s)\nliveness true ~> open(X)\n"
	const total, transitive = "axiom le(X, Y) | le(Y, X)\n", "axiom le(X, Y) & le(Y, Z) -> le(X, Z)\n"
	const first = "action a() { choose x: s with open(x) & (forall Y. open(Y) -> le(x, Y)); open(x) := false; }\n"
	for _, c := range []struct{ name, text, when string }{
		{"an order", total + transitive + first, "exists x:s. open(x)"},
		{"not total", transitive + first, ""},
		{"not transitive", total + first, ""},
		{"the last one", total + transitive + "action a() { choose x: s with open(x) & (forall Y. open(Y) -> le(Y, x)); open(x) := false; }\n", "exists x:s. open(x)"},
		{"if there is one", total + transitive + "action a() { choose x: s with (exists Y. open(Y)) -> open(x) & (forall Y. open(Y) -> le(x, Y)); open(x) := false; }\n", "true"},
		{"of a pair", total + transitive + "action a() { choose x: s with forall Y, Z. at(Y, Z) -> le(x, Y); open(x) := false; }\n", "true"},
		{"not in the set", total + transitive + "action a() { choose x: s with !open(x) & (forall Y. open(Y) -> le(x, Y)); open(x) := false; }\n", ""},
		{"before all others", total + transitive + "action a() { choose x: s with open(x) & (forall Y. open(Y) & Y != x -> le(x, Y) & !le(Y, x)); open(x) := false; }\n", ""},
		{"strictly before what matters", total + transitive + "axiom le(X, Y) & le(Y, X) -> X = Y\nmutable relation hot(s)\n" +
			"action a() { choose x: s with open(x) & (forall Y. open(Y) & (hot(x) | hot(Y)) -> Y = x | le(x, Y) & x != Y); open(x) := false; }\n",
			"exists x:s. open(x)"},
		{"integers", "mutable relation on(int)\naction a() { choose x: int with on(x) & (forall Y. on(Y) -> x <= Y); on(x) := false; }\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := testkit.Compile(t, order+c.text)
			got, opts := "", options(t).Options
			opts.Rlimit = 2_000_000 // what has a proof has a short one
			claims, err := provedPossible(t.Context(), sys, nil, opts)
			if err != nil {
				t.Fatal(err)
			}
			for _, claim := range claims {
				got = claim.when.String()
			}
			if got != c.when {
				t.Errorf("%q instead of %q", got, c.when)
			}
		})
	}
}

// A claim that a state refutes is left out, and of an action the first one that none refutes is
// taken: a value is there to choose where some value is in the set, and not always.
func TestLikely(t *testing.T) {
	sys := testkit.Compile(t, `
		sort s
		immutable relation le(s, s)
		axiom le(X, Y) | le(Y, X)
		axiom le(X, Y) & le(Y, Z) -> le(X, Z)
		mutable relation open(s)
		init !open(X)
		action put(x: s) { open(x) := true; }
		action take() { choose x: s with open(x) & (forall Y. open(Y) -> le(x, Y)); open(x) := false; }
		liveness [l] true ~> open(X)
		instance two { s = 2 }`)
	seen := runsOf(t.Context(), sys, sys.Instances)
	if n := len(seen); n == 0 {
		t.Fatal("nothing is seen")
	}
	out := likely(sys, seen, math.MaxInt)
	const want = "take can be taken where exists x:s. open(x)"
	if len(out) != 1 || out[0].String() != want {
		t.Errorf("%v instead of %s", out, want)
	}
	if out := likely(sys, nil, math.MaxInt); len(out) != 1 || !out[0].when.IsTrue() {
		t.Errorf("%v where nothing refutes it", out)
	}
}

// Each fact is true in all structures of small sizes, whatever its relations are: exploration finds
// no state without it.
func TestFactsAboutFiniteSorts(t *testing.T) {
	for _, text := range []string{
		"action a() { choose x: s with open(x) & (forall Y. open(Y) -> le(x, Y)); open(x) := false; }",
		"action a() { choose x: s with forall Y. !(open(Y) & !le(Y, x)); open(x) := false; }",
		"mutable relation at(s, s)\naction a() { choose x: s with forall Y, Z. at(Y, Z) & open(Z) -> le(x, Y) | open(x); open(x) := false; }",
		"mutable relation at(s, s)\naction a(z: s) { choose x: s with forall Y. at(Y, z) -> le(z, x) & at(x, Y); open(x) := false; }",
		"action a() { choose x: s with open(x) & (forall Y. open(Y) -> !le(Y, x)); open(x) := false; }",
		"action a() { choose x: s with forall Y. !le(Y, x); open(x) := false; }",
		"mutable relation at(s, s)\naction a() { choose x: s with forall Y, Z. open(Y) & at(Y, Z) -> !(le(Y, x) & open(Z)); open(x) := false; }",
	} {
		sys := testkit.Compile(t, "sort s\nimmutable relation le(s, s)\nmutable relation open(s)\nliveness true ~> open(X)\n"+text+
			"\ninstance one { s = 1 }\ninstance two { s = 2 }\ninstance three { s = 3 }\n")
		facts, _ := extrema(enabled(sys, sys.Actions[0]))
		if len(facts) == 0 {
			t.Fatalf("no fact for %s", text)
		}
		for _, f := range facts {
			sys.Properties = append(sys.Properties,
				&system.Property{Name: "fact", Kind: system.Safety, Term: f,
					Span: sys.Properties[0].Span})
		}
		for _, in := range sys.Instances[:3-strings.Count(text, "mutable")] {
			results, err := explicit.Check(t.Context(), sys, in, explicit.Options{Only: []string{"fact"}})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				if r.Verdict != result.Holds || r.States == 0 {
					t.Errorf("%s in %s of %d states: %s", r.Verdict, in.Name, r.States, text)
				}
			}
		}
	}
}

// A proof that needs a run to go on names the actions that are not fair. One where a fair action
// can always be taken does not.
func TestUnfair(t *testing.T) {
	const text = "mutable relation x, y\ninit !x & !y\n%s action first() { require !x; x := true; }\n" +
		"%s action second() { require x & !y; y := true; }\nliveness true ~> y\n"
	for _, c := range []struct {
		first, second string
		want          []string
	}{
		{"fair", "fair", nil},
		{"", "fair", []string{"first"}},
	} {
		r := prove1(t, options(t), testkit.Compile(t, fmt.Sprintf(text, c.first, c.second)))
		if r.Verdict != result.Holds {
			t.Fatalf("%+v: %s: %s", c, r.Verdict, r.Reason)
		}
		if !slices.Equal(r.Evidence.Ranking.Unfair, c.want) {
			t.Errorf("%q instead of %q", r.Evidence.Ranking.Unfair, c.want)
		}
	}
}

// A fact about a member with none before it requires that the relation relates no member to itself,
// and is transitive: without either, it is false of some structure.
func TestMinimalNeedsAnOrder(t *testing.T) {
	sys := testkit.Compile(t, "sort s\nmutable relation le(s, s)\nmutable relation open(s)\n"+
		"liveness true ~> open(X)\naction a() { choose x: s with "+
		"open(x) & (forall Y. open(Y) -> !le(Y, x)); open(x) := false; }\n"+
		"instance two { s = 2 }\n")
	guard := enabled(sys, sys.Actions[0])
	var facts []*logic.Term
	logic.Walk(guard, func(u *logic.Term) bool {
		if u.Op == logic.OpForall {
			facts = append(facts, minimal(logic.FreeVars(u)[0], u)...)
		}
		return true
	})
	if len(facts) != 1 {
		t.Fatalf("%d facts of %s", len(facts), guard)
	}
	holds := func(name string, term *logic.Term) bool {
		with := *sys
		with.Properties = []*system.Property{{Name: name, Kind: system.Safety, Term: term,
			Span: sys.Properties[0].Span}}
		results, err := explicit.Check(t.Context(), &with, sys.Instances[0], explicit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return results[0].Verdict == result.Holds
	}
	if !holds("fact", facts[0]) {
		t.Errorf("%s is false of some structure", facts[0])
	}
	requires := logic.Conjuncts(facts[0].Args[0])
	if len(requires) != 3 { // a member, and the two of the relation
		t.Fatalf("%d conditions of %s", len(requires), facts[0])
	}
	for i := range requires {
		weaker := slices.Delete(slices.Clone(requires), i, i+1)
		if holds("weaker", logic.Implies(logic.And(weaker...), facts[0].Args[1])) {
			t.Errorf("%s is true without %s", facts[0], requires[i])
		}
	}
}
