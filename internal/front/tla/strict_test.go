package tla

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/tla/tlatest"
	"erelong.dev/erelong/internal/testkit"
)

// TestStrict compares recursive operators as TestMemory does: what they are applied to, and what a
// LET stands for, is needed in some cases, and has no value in some.
func TestStrict(t *testing.T) {
	model := func(_ *rand.Rand, _ uint64, one func(of ...string) string) tlatest.Model {
		number := func() string {
			return one("n", "q", "n - 1", "Cardinality(S)", "q + n", "1", "p", "p + q",
				"(CHOOSE x \\in S : x >= n)", "<<3, 5>>[n]", "IF n > 1 THEN q ELSE p",
				"CASE n = 1 -> q [] n = 2 -> p")
		}
		set := func() string {
			return strings.ReplaceAll(one("S", "S \\ {N}", "T", "{x \\in S : x # N}", "S \\cup {n}",
				"{x + n : x \\in T}", "T \\ S", "{N, n}"), "N", number())
		}
		call := func(name string) string {
			return fmt.Sprintf("%s(%s, %s - 1, %s)", name, set(), "n", number())
		}
		value := func(depth int) string {
			return strings.NewReplacer("NN", number(), "MM", number(), "AA", call("A"), "BB",
				call("B"), "SS", set()).Replace(one("AA", "AA + BB", "AA + NN",
				"IF NN > MM THEN AA ELSE BB", "IF NN \\in SS THEN AA ELSE NN",
				"IF \\E x \\in SS : x > NN THEN AA ELSE MM", "Cardinality({AA, BB, NN})",
				"(LET m == AA IN IF n > 2 THEN m ELSE MM)", "(LET m == AA IN m + m)",
				"Cardinality({x \\in SS : x > AA})"))
		}
		operator := func(name string) string {
			lets := strings.NewReplacer("NN", number(), "SS", set()).Replace(one("T == S \\ {q} p == n + 1",
				"T == {x \\in S : x # q} p == CHOOSE x \\in T : x # n", "T == S p == <<7, 8>>[n]",
				"p == q + 1 T == S \\cup {p}"))
			return fmt.Sprintf("%s(S, n, q) == IF n <= 0 THEN %s ELSE LET %s IN %s", name,
				one("0", "q", "Cardinality(S)"), lets, value(1))
		}
		module := fmt.Sprintf(`---- MODULE S ----
EXTENDS Integers, Sequences, FiniteSets
VARIABLES s, k
RECURSIVE A(_, _, _), B(_, _, _)
%s
%s
Init == s \in SUBSET (0..2) /\ k = 3
Next == /\ s' \in {s, s \ {1}, s \cup {k}}
        /\ k' \in 0..2
P == A(s, k, 1) > 1
None == [][UNCHANGED << >>]_s
Q == \A x \in s : B(s, k, x) > A(s \ {x}, k, k)
====
`, operator("A"), operator("B"))
		return tlatest.Model{Module: module,
			Config: "INIT Init\nNEXT Next\nINVARIANTS P Q\nPROPERTY None\n"}
	}
	compareGenerated(t, testkit.Size(150, 1500), 9, 500, ofStates, model)
}
