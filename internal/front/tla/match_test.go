package tla

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/tla/tlatest"
	"erelong.dev/erelong/internal/testkit"
)

// TestBecomes compares formulas of steps that say what a variable becomes, as TestMemory does.
func TestBecomes(t *testing.T) {
	model := func(_ *rand.Rand, _ uint64, one func(of ...string) string) tlatest.Model {
		number := func() string {
			return one("0", "1", "f[1]", "f[i]", "h.a", "g[1].n", "Cardinality(s)", "f'[2]", "h'.a")
		}
		set := func() string {
			return one("{}", "{1}", "{i}", "s", "s \\cup {i}", "s \\cup g[i].t", "g[1].t")
		}
		f := func() string {
			return strings.NewReplacer("NN", number(), "MM", number()).Replace(one(
				"[f EXCEPT ![i] = NN]", "[f EXCEPT ![i] = @ + 1]", "[f EXCEPT ![3] = NN]",
				"[j \\in 1..2 |-> IF j = i THEN NN ELSE f[j]]", "[j \\in 1..i |-> NN]", "f",
				"[j \\in {1, 2} |-> f[3 - j]]", "<<NN, MM>>",
				"IF NN > MM THEN <<1, 0>> ELSE [f EXCEPT ![1] = 1]",
				"[j \\in DOMAIN g |-> g[j].n]", "[f EXCEPT ![1] = NN, ![2] = MM]"))
		}
		g := func() string {
			return strings.NewReplacer("NN", number(), "SS", set()).Replace(one(
				"[g EXCEPT ![i].n = NN]", "[g EXCEPT ![i].t = @ \\cup SS]", "[g EXCEPT ![i].t = SS]",
				"[g EXCEPT ![i] = [n |-> NN, t |-> SS]]", "[g EXCEPT ![i] = [n |-> NN]]",
				"[j \\in {1, 3} |-> IF j = i THEN [g[j] EXCEPT !.n = NN] ELSE g[j]]", "g",
				"[j \\in {1, 3} |-> [n |-> g[j].n, t |-> SS]]", "[g EXCEPT ![i].z = 1]"))
		}
		h := func() string {
			return strings.NewReplacer("NN", number(), "SS", set()).Replace(one("[a |-> NN, b |-> SS]",
				"[h EXCEPT !.a = NN]", "[h EXCEPT !.b = SS]", "h", "[a |-> NN]",
				"[k \\in {\"a\", \"b\"} |-> h[k]]"))
		}
		formula := func() string {
			e := one("f' = "+f(), "g' = "+g(), "s' = "+set(), "h' = "+h())
			return strings.ReplaceAll(one("(#)", "(# \\/ h' = h)", "(# /\\ i > 0)", "~(#)",
				"(UNCHANGED g /\\ #)", "(UNCHANGED <<f, s>> => #)", "(# \\/ ~UNCHANGED s)",
				"(\\A n \\in {} : f' = f /\\ #)",
				"(LET k == f[i] IN k > 0 /\\ #)"), "#", e)
		}
		module := fmt.Sprintf(`---- MODULE S ----
EXTENDS Integers, Sequences, FiniteSets
VARIABLES f, g, h, s
vars == <<f, g, h, s>>
Init == /\ f = <<0, 1>> /\ g = [j \in {1, 3} |-> [n |-> 0, t |-> {}]]
        /\ h = [a |-> 0, b |-> {}] /\ s \in SUBSET {1, 3}
Next == \E i \in {1, 2, 3} :
  \/ f' = [f EXCEPT ![i] = 1 - @] /\ UNCHANGED <<g, h, s>>
  \/ f' = <<i>> /\ UNCHANGED <<g, s>> /\ h' = [h EXCEPT !.a = i]
  \/ UNCHANGED <<f, h>> /\ g' = [g EXCEPT ![i].t = s, ![i].n = 1] /\ s' = {i}
  \/ UNCHANGED <<f, g>> /\ h' = [h EXCEPT !.b = s \cup {i}] /\ s' = s \cup {i}
  \/ f' = f /\ g' = [j \in {1, 3} |-> g[4 - j]] /\ h' = [a |-> i] /\ s' = s
A == [][\E i \in {1, 3} : %s]_vars
B == [][\A i \in {1, 2} : %s]_<<f[1], s>>
C == [][\E i \in s' : %s]_vars
Spec == Init /\ [][Next]_vars
====
`, formula(), formula(), formula())
		return tlatest.Model{Module: module,
			Config: "SPECIFICATION Spec\nPROPERTIES A B C\n"}
	}
	compareGenerated(t, testkit.Size(25, 550), 3, 5000, ofSteps, model)
}
