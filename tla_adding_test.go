package erelong_test

import (
	"strings"
	"testing"

	"erelong.dev/erelong"
	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/front/tla"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// addingModule moves goods between shelves, and walks along a row of numbers. It adds up the goods
// on some shelves by a recursive function of sets, and a sequence by one of sequences.
const addingModule = `---- MODULE Goods ----
EXTENDS Integers, Sequences
CONSTANTS N
ASSUME N \in Nat /\ N > 0
VARIABLES on, sold, row, at, total
vars == <<on, sold, row, at, total>>
Shelf == 1..N
Goods(f, S) == LET G[T \in SUBSET S] == IF T = {} THEN 0 ELSE
  LET s == CHOOSE s \in T : TRUE
      rest == G[T \ {s}]
  IN rest + f[s] IN G[S]
Twice(f, S) == LET G[T \in SUBSET S] == IF T = {} THEN 1 ELSE
  LET s == CHOOSE s \in T : TRUE IN 2 * f[s] + G[T \ {s}] IN G[S]
All(q) == LET A[p \in Seq(Int)] == IF p = << >> THEN 0 ELSE A[Tail(p)] + Head(p) IN A[q]
Until(k) == {s \in Shelf : s <= k}
From(k) == {s \in Shelf : s >= k}
Init == /\ on = [s \in Shelf |-> 0] /\ sold = 0
        /\ row \in {<<1, 0>>, <<2>>, << >>} /\ at = 0 /\ total = 0
Buy(s) == on[s] < 2 /\ on' = [on EXCEPT ![s] = @ + 1] /\ sold' = sold - 1
          /\ UNCHANGED <<row, at, total>>
Sell(s) == on[s] > 0 /\ on' = [on EXCEPT ![s] = @ - 1] /\ sold' = sold + 1
           /\ UNCHANGED <<row, at, total>>
Move(s, t) == s # t /\ on[s] > 0 /\ on[t] < 2
              /\ on' = [on EXCEPT ![s] = @ - 1, ![t] = @ + 1] /\ UNCHANGED <<sold, row, at, total>>
Walk == at < Len(row) /\ at' = at + 1 /\ total' = total + row[at + 1] /\ UNCHANGED <<on, sold, row>>
Next == Walk \/ \E s \in Shelf : Buy(s) \/ Sell(s) \/ \E t \in Shelf : Move(s, t)
Spec == Init /\ [][Next]_vars
InRow == at >= 0 /\ at <= Len(row) /\ total = All([i \in 1..at |-> row[i]])
Stock == \A s \in Shelf : on[s] >= 0
Claim == CLAIM
====
`

// addingClaims are true or false of the module.
var addingClaims = map[string]erelong.Verdict{
	`Goods(on, Shelf) + sold = 0`:                                 erelong.Holds,
	`Goods(on, Shelf) = Goods(on, Until(1)) + Goods(on, From(2))`: erelong.Holds,
	`at = Len(row) => total = All(row)`:                           erelong.Holds,
	`Twice(on, Shelf) + 2 * sold = 1`:                             erelong.Holds,
	`Goods(on, Shelf) = 0 => \A s \in Shelf : on[s] = 0`:          erelong.Holds,
	`Goods(on, Shelf) + sold = 1`:                                 erelong.Violated,
	`Goods(on, Shelf) = Goods(on, Until(1)) + Goods(on, From(3))`: erelong.Violated,
	`Goods(on, Shelf) = Goods(on, Until(2)) + Goods(on, From(2))`: erelong.Violated,
	`Twice(on, Shelf) + 2 * sold = 0`:                             erelong.Violated,
	`total = All(row)`:                                            erelong.Violated,
	`Goods(on, From(2)) + sold <= 0 /\ Goods(on, From(2)) <= 1`:   erelong.Violated,
	`at > 0 => total = All([i \in 1..at - 1 |-> row[i]])`:         erelong.Violated,
}

// adding is the module with a claim.
func adding(t *testing.T, module, claim string) (l *erelong.Loader, text string) {
	t.Helper()
	module = strings.Replace(module, "CLAIM", claim, 1)
	files := map[string]string{"Goods.tla": module, "Goods.cfg": "SPECIFICATION Spec\n" +
		"INVARIANT Claim InRow Stock\nCHECK_DEADLOCK FALSE\nCONSTANT N = 3\n"}
	l = &erelong.Loader{ReadFile: readFrom(files)}
	return l, module
}

// TestAddingUp explores a module that adds up, and proves what is true of it for all constants, and
// nothing that is false.
func TestAddingUp(t *testing.T) {
	testkit.InCI(t)
	for claim, verdict := range addingClaims {
		l, module := adding(t, addingModule, claim)
		if r := claimIn(t, l, "Goods.tla", module); r.Verdict != verdict {
			t.Errorf("%s: %v, not %v", claim, r.Verdict, verdict)
		}
		text, err := tla.Text(t.Context(), "Goods.tla", module, l.ReadFile)
		if err != nil {
			t.Fatalf("%s: %v", claim, err)
		}
		results, err := induction.Prove(testkit.Solving(t), testkit.Compile(t, text),
			induction.Options{Options: discharge.Options{Solving: discharge.Solving{
				Rlimit: claimLimit(verdict)}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			if r.Property == "Claim" && (r.Verdict == result.Holds) != (verdict == erelong.Holds) {
				t.Errorf("%s: %v by proof, %s\n%s", claim, r.Verdict, r.Reason.Text, text)
			}
		}
	}
}

// TestNotAddingUp refuses recursive functions that add up nothing of the kind: outside of their
// domain, with the rest counted twice, with what depends on the rest, or on the order.
func TestNotAddingUp(t *testing.T) {
	for _, change := range [][2]string{
		{"IN G[S]\nTwice", "IN G[S \\union {N + 1}]\nTwice"},
		{"IN rest + f[s]", "IN rest + rest"},
		{"IN rest + f[s]", "IN rest + (IF rest > 3 THEN 0 ELSE f[s])"},
		{"IN rest + f[s]", "IN f[s] - rest"},
		{"rest == G[T \\ {s}]", "rest == G[T]"},
		{"CHOOSE s \\in T : TRUE\n", "CHOOSE s \\in T : s > 1\n"},
		{"A[Tail(p)] + Head(p)", "A[Tail(p)] + Len(p)"},
		{"A[Tail(p)] + Head(p)", "A[Tail(p)] + p[2]"},
		{"A[Tail(p)] + Head(p)", "A[p] + Head(p)"},
		{"Seq(Int)", "Seq(Nat)"},
	} {
		if !strings.Contains(addingModule, change[0]) {
			t.Fatalf("no %q", change[0])
		}
		l, module := adding(t, strings.Replace(addingModule, change[0], change[1], 1),
			`Goods(on, Shelf) + sold = 0 \/ total = All(row)`)
		if text, err := tla.Text(t.Context(), "Goods.tla", module, l.ReadFile); err == nil &&
			strings.Contains(text, "[Claim]") {
			t.Errorf("%v is translated\n%s", change, text)
		}
	}
}

// claimLimit is the limit of a question about a claim of such a module. A false claim has no proof:
// an ordinary run gives it up early.
func claimLimit(verdict erelong.Verdict) int64 {
	if verdict == erelong.Holds || testkit.CI() {
		return discharge.DefaultRlimit / 30
	}
	return discharge.DefaultRlimit / 1000
}
