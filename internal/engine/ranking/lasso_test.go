package ranking

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/temporal"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

const pairs = `
	enum e { a, b }
	mutable relation r(e, e)
	mutable relation x, y, z
	init !r(D, E) & x & !y & !z
	action fill() { require x; x := false; r(a, D) := true; }
	action one(c: e) { require !x & !y & r(a, c); r(a, c) := false; y := true; }
	action two(c: e) { require !x & y & r(a, c); r(a, c) := false; y := false; x := true; }
	invariant !r(b, E) & (x -> !y & !r(D, E)) & (!x & !y -> r(a, E)) & (y -> (exists E. r(a, E)) & (exists E. !r(a, E)))
	liveness [live] true ~> z
	rank [live] { count (X: e, Y: e) with r(X, Y); case x; case y; }`

// Each of these systems has a lasso. A rule about its steps that is slightly wrong would exclude
// the lasso; the system is named after the right rule.
func TestNoProofWhereThereIsALasso(t *testing.T) {
	opts := options(t)
	for _, c := range []struct{ name, text string }{
		{"no fairness is assumed where none is written", `
			mutable relation z
			init !z
			action set() { z := true; }
			action stay() { z := z; }
			liveness [live] true ~> z`},
		{"weak fairness ends where the action is not possible", `
			mutable relation x, z
			init x & !z
			fair action set() { require x; z := true; }
			action toggle() { x := !x; }
			liveness [live] true ~> z`},
		{"weak fairness says nothing of what is never possible", `
			mutable relation x, z
			init !x & !z
			fair action set() { require x; z := true; }
			action stay() { z := z; }
			liveness [live] true ~> z`},
		{"strong fairness says nothing of what is never possible", `
			mutable relation x, z
			init !x & !z
			strong fair action set() { require x; z := true; }
			action stay() { z := z; }
			liveness [live] true ~> z`},
		{"weak fairness under a condition ends where it is false", `
			mutable relation x, z
			init x & !z
			action set() fair if x { z := true; }
			action toggle() { x := !x; }
			liveness [live] true ~> z`},
		{"strong fairness under a condition says nothing of other steps", `
			mutable relation x, z
			init !x & !z
			action set() strong fair if x { z := true; }
			action stay() { z := z; }
			liveness [live] true ~> z`},
		{"strong fairness goes on where the action is not possible", `
			mutable relation x, z
			init x & !z
			action toggle() { x := !x; }
			strong fair action off() { require x; x := false; }
			liveness [live] x ~> z`},
		{"a fair action that was taken may be taken later again", `
			mutable relation z
			init !z
			fair action stay() { z := z; }
			liveness [live] true ~> z`},
		{"a choice stays only while it fits", `
			mutable constant x: 0..1
			mutable relation z
			init x = 0 & !z
			action flip() { x := 1 - x; }
			liveness [live] true ~> z
			rank [live] { choose n: 0..1 with n = x; }`},
		{"what is triggered is pending", `
			mutable relation z
			init !z
			action stay() { z := z; }
			liveness [live] true ~> z
			rank [live] { pending z; }`},
		{"what is pending stays so", `
			mutable relation x, z
			init x & !z
			action toggle() { x := !x; }
			liveness [live] x ~> z
			rank [live] { pending x; }`},
		{"only invariants that are proved are assumed", `
			mutable relation x, z
			init !x & !z
			action set() { x := true; }
			invariant [never] !x
			liveness [live] true ~> z`},
		{"hints about steps are proved", `
			mutable relation z
			init !z
			action stay() { z := z; }
			liveness [live] true ~> z
			rank [live] { never stay(); }`},
		{"one is counted more", `
			enum e { a, b }
			mutable relation r(e)
			mutable relation x, z
			init !r(E) & x & !z
			action up(c: e) { require !r(c) & x; r(c) := true; x := false; }
			action down(c: e) { require r(c) & !x; r(c) := false; x := true; }
			invariant (x -> !r(E)) & (!x -> (exists E. r(E)) & (exists E. !r(E)))
			liveness [live] true ~> z
			rank [live] { count (X: e) with r(X); case x; }`},
		{"one is counted in place of another", `
			enum e { a, b }
			mutable relation r(e)
			mutable relation z
			init (r(E) <-> E = a) & !z
			action swap(c: e, d: e) { require r(c) & !r(d); r(c) := false; r(d) := true; }
			invariant (exists E. r(E)) & (exists E. !r(E))
			liveness [live] true ~> z
			rank [live] { count (X: e) with r(X); }`},
		{"two are counted more", `
			enum e { a, b }
			mutable relation r(e)
			mutable relation x, y, z
			init !r(E) & x & !y & !z
			action fill() { require x; x := false; r(E) := true; }
			action one(c: e) { require !x & !y & r(c); r(c) := false; y := true; }
			action two(c: e) { require !x & y & r(c); r(c) := false; y := false; x := true; }
			invariant (x -> !y & !r(E)) & (!x & !y -> r(E)) & (y -> (exists E. r(E)) & (exists E. !r(E)))
			liveness [live] true ~> z
			rank [live] { count (X: e) with r(X); case x; case y; }`},
		{"two are counted more in place of one", `
			enum e { a, b, c }
			mutable relation r(e)
			mutable relation x, z
			init (r(E) <-> E = a) & x & !z
			action up(d: e) { require r(d) & x; r(D) := D != d; x := false; }
			action down(d: e) { require r(d) & !x & exists D. r(D) & D != d; r(d) := false; x := true; }
			invariant (exists D. r(D)) & (!x -> (exists D, E. D != E & r(D) & r(E)))
			liveness [live] true ~> z
			rank [live] { count (X: e) with r(X); case x; }`},
		{"two pairs are counted more", pairs},
		{"two pairs are counted more, the other way round",
			strings.NewReplacer("(a, D)", "(D, a)", "(a, c)", "(c, a)", "(a, E)", "(E, a)",
				"(b, E)", "(E, b)").Replace(pairs)},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := testkit.Compile(t, c.text+"\ninstance i { }\n")
			found, err := temporal.Check(t.Context(), sys, sys.Instances[0], temporal.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(found) != 1 || found[0].Verdict != result.Violated {
				t.Fatalf("no lasso: %+v", found)
			}
			if r := prove1(t, opts, sys); r.Verdict != result.Unknown {
				t.Errorf("%s: %+v", r.Verdict, r.Evidence.Ranking)
			}
		})
	}
}

// A run that shows what is missing is found, too, where a choice of the hints has the name of a
// choice of the action.
func TestChoicesOfOneName(t *testing.T) {
	sys := testkit.Compile(t, `
		sort item
		mutable relation done(item)
		init !done(I)
		fair action some() { choose i: item { done(i) := true; } }
		liveness [live] true ~> (forall I. done(I))
		rank [live] { choose i: item with !done(i); }
		instance two { item = 2 }`)
	opts := options(t)
	opts.Instances = sys.Instances
	results, err := Prove(t.Context(), sys, opts)
	if err != nil || results[0].Trace == nil {
		t.Errorf("%+v, %v", results, err)
	}
}
