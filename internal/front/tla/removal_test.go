package tla

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// TestRemoval has recursive operators that take the elements out of a set one by one, and compares
// their values with the ones of the same operators in a form in which this is not seen.
func TestRemoval(t *testing.T) {
	truths := 0
	for seed := range uint64(testkit.Size(150, 2000)) {
		r := rand.New(rand.NewPCG(seed, 5))
		one := func(of ...string) string { return of[r.IntN(len(of))] }
		var number func(depth int) string
		number = func(depth int) string {
			if depth == 0 {
				return one("x", "f[x]", "REST", "REST", "1", "f[f[x]]", "Cardinality(t)")
			}
			a, b := number(depth-1), number(r.IntN(depth))
			return strings.NewReplacer("AA", a, "BB", b, "yy", fmt.Sprint("y", depth)).Replace(one(
				"(AA + BB)", "(AA - BB)", "IF AA > BB THEN AA ELSE BB", "IF x \\in t THEN AA ELSE BB",
				"(LET yy == AA IN yy + BB - yy)", "(LET yy == AA zz == BB IN yy + zz + yy)",
				"Max(AA, BB)", "Cardinality({yy + BB : yy \\in t \\cup {AA}})",
				"[yy \\in 1..4 |-> yy + BB][(x % 4) + 1]", "Twice(AA, BB)", "Other((AA) % 3, BB, t)",
				"IF \\E yy \\in t : yy = BB THEN AA ELSE 2", "(Len(<<AA>>) + BB)"))
		}
		some, none := number(1+r.IntN(3)), one("0", "1", "Cardinality(t)", "f[2]")
		if r.IntN(3) == 0 {
			some = "LET y == REST IN IF f[x] > 1 THEN y ELSE y + x"
		}
		form := one("IF S = {} THEN NONE ELSE LET x == CHOOSE x \\in S : TRUE IN SOME",
			"IF {} # S THEN LET x == CHOOSE z \\in S : TRUE IN SOME ELSE NONE",
			"IF S # {} THEN LET x == CHOOSE x \\in S : TRUE IN SOME ELSE NONE",
			"IF S = {} THEN NONE ELSE LET w == 1 x == CHOOSE x \\in S : TRUE IN SOME + w")
		body := strings.NewReplacer("NONE", none, "SOME", some).Replace(form)
		// Mostly the first element is taken away, and nothing else changes.
		rest, other, before := "S \\ {x}, t", "{z \\in S : z # x}, t", ""
		switch r.IntN(14) {
		case 0:
			rest, other = "S \\ {x}, t \\cup {x}", "{z \\in S : z # x}, t \\cup {x}"
		case 1:
			rest, other = "S \\ {x, 2}, t", "{z \\in S : z # x /\\ z # 2}, t"
		case 2:
			rest = "S \\ {CHOOSE u \\in S : \\A y \\in S : u >= y}, t"
			other = "{z \\in S : z # CHOOSE u \\in S : \\A y \\in S : u >= y}, t"
		case 3:
			rest = "S \\ {IF x > 2 THEN x ELSE x}, t"
		case 4:
			rest = "S \\ {CHOOSE u \\in S : TRUE}, t"
		case 5:
			before = "LET u == CHOOSE u \\in S : \\A y \\in S : u >= y IN "
			rest, other = "S \\ {u}, t", "{z \\in S : z # u}, t"
		case 6:
			before = "LET u == t \\cup {x} IN "
			rest, other = "S \\ {x}, u", "{z \\in S : z # x}, u"
		}
		seen := strings.ReplaceAll(body, "REST", "("+before+"A(f, "+rest+"))")
		hidden := strings.NewReplacer("REST", "("+before+"B(f, "+other+"))", "Other(", "OtherB(").
			Replace(body)
		module := fmt.Sprintf(`---- MODULE S ----
EXTENDS Integers, Sequences, FiniteSets
VARIABLES s, t, f
Max(a, b) == IF a > b THEN a ELSE b
RECURSIVE Twice(_, _)
Twice(a, b) == IF a <= 0 THEN b ELSE Twice(a - 3, b + 1)
RECURSIVE C(_), D(_)
C(S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \in S : TRUE IN Cardinality(x) + 2 * C(S \ {x})
D(S) == IF S = {} THEN 0 ELSE
  LET x == CHOOSE x \in S : TRUE IN Cardinality(x) + 2 * D({z \in S : z # x})
RECURSIVE A(_, _, _), B(_, _, _), Other(_, _, _), OtherB(_, _, _)
A(f, S, t) == %s
B(f, S, t) == %s
Other(a, b, t) == IF a <= 0 THEN b ELSE A([i \in 1..9 |-> a], t, {}) + Other(a - 1, b, t)
OtherB(a, b, t) == IF a <= 0 THEN b ELSE B([i \in 1..9 |-> a], t, {}) + OtherB(a - 1, b, t)
Init == /\ s \in SUBSET (1..4)
        /\ t \in {{}, {2}, {1, 3}}
        /\ f \in {[i \in 1..9 |-> (i %% 3) + 1], [i \in 1..9 |-> IF i > 2 THEN 1 ELSE i]}
Next == UNCHANGED <<s, t, f>>
Same == A(f, s, t) = B(f, s, t)
Interval == A(f, 1..(f[3] + 1), t) = B(f, 1..(f[3] + 1), t)
Described == C(SUBSET t) = D(SUBSET t)
====
`, seen, hidden)
		spec, err := read(t, "-- S.tla --\n"+module+"-- S.cfg --\nINIT Init\nNEXT Next\n"+
			"INVARIANTS Same Interval Described\n")
		if err != nil {
			t.Fatalf("%v\n%s", err, module)
		}
		quick := spec.System.Computed.Computer(t.Context())
		initial := spec.System.Computed.Computer(t.Context()).Initial
		err = initial(t.Context(), func(s []int64) error {
			for _, d := range spec.System.Derived {
				truth, err := quick.Holds(d.Predicate.Number, s, nil)
				if err == nil && !truth {
					return fmt.Errorf("formula %d is false in %v", d.Predicate.Number, s)
				}
				if err == nil {
					truths++
				}
			}
			return nil
		})
		if err != nil {
			t.Fatalf("%d: %v\n%s", seed, err, module)
		}
	}
	if t.Logf("%d comparisons", truths); truths < 10_000 {
		t.Errorf("only %d comparisons", truths)
	}
}

// TestRemovalOfAnother has an operator that does not take away the element that it chose.
func TestRemovalOfAnother(t *testing.T) {
	spec, err := read(t, `-- S.tla --
---- MODULE S ----
EXTENDS Integers
VARIABLE s
RECURSIVE A(_)
A(S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \in S : TRUE w == x + 8 IN x + A(S \ {w})
Init == s \in {{}, {1, 2}}
Next == UNCHANGED s
Sum == A(s) = 0
====
-- S.cfg --
INIT Init
NEXT Next
INVARIANT Sum
`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	c := spec.System.Computed.Computer(t.Context())
	predicate := spec.System.Derived[0].Predicate.Number
	err = spec.System.Computed.Computer(t.Context()).Initial(t.Context(), func(s []int64) error {
		truth, err := c.Holds(predicate, s, nil)
		got = append(got, fmt.Sprint(truth, err != nil))
		return nil
	})
	if slices.Sort(got); err != nil || fmt.Sprint(got) != "[false true true false]" {
		t.Errorf("truth and errors: %v %v", got, err)
	}
}
