package tla

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/tla/tlatest"
	"erelong.dev/erelong/internal/testkit"
)

// TestEnabled compares what is remembered of the truth of ENABLED, as TestMemory does: of actions
// that give variables values in many ways, some of them the old ones.
func TestEnabled(t *testing.T) {
	model := func(r *rand.Rand, seed uint64, one func(of ...string) string) tlatest.Model {
		// Where little is read, little more tells whether the variables change.
		little := seed%3 > 0
		number := func() string {
			if little {
				return one("0", "1", "2", "i", "i", "3 - i")
			}
			return one("0", "1", "f[1]", "f[i]", "i", "h.a", "3 - i", "Cardinality(s)", "f[3 - i]")
		}
		set := func() string {
			return strings.NewReplacer("NN", number(), "MM", number()).Replace(one("{}", "{NN}", "s",
				"s \\cup {NN}", "s \\ {NN}", "s \\cup {NN, MM}", "s \\ {NN, MM}", "s \\ h.b", "h.b",
				"s \\cup h.b", "{i, NN}"))
		}
		// What gives a variable its value.
		f := func() string {
			return strings.NewReplacer("NN", number()).Replace(one("f' = [f EXCEPT ![i] = NN]",
				"f' = [f EXCEPT ![i] = @]", "f' = [f EXCEPT ![i] = IF i \\in s THEN NN ELSE @]",
				"f' = [f EXCEPT ![NN] = 1]", "f' \\in {f, [f EXCEPT ![i] = NN]}", "f' = f",
				"f' = [f EXCEPT ![1] = 0, ![2] = NN]", "UNCHANGED f", "f' = <<NN, f[2]>>",
				"(f' = [f EXCEPT ![i] = NN] /\\ f' = [f EXCEPT ![2] = 1])",
				"(f' = [f EXCEPT ![1] = NN] /\\ f' = <<NN, 1>>)"))
		}
		h := func() string {
			return strings.NewReplacer("NN", number(), "SS", set()).Replace(one(
				"h' = [h EXCEPT !.a = NN]", "h' = [h EXCEPT !.b = SS]", "h' = h", "h' \\in {h}",
				"h' = [h EXCEPT !.b = @ \\cup {NN}]", "h' = [a |-> NN, b |-> h.b]", "UNCHANGED h"))
		}
		s := func() string {
			return one("s' = "+set(), "s' = "+set(), "s' = s", "s' \\in {{"+number()+"}}", "s' \\in {s, "+set()+"}",
				"s' \\subseteq "+set(), "(s' = s \\ {"+number()+"} /\\ "+number()+" \\in s')")
		}
		test := func() string {
			return strings.NewReplacer("NN", number(), "MM", number(), "SS", set()).Replace(one(
				"NN = MM", "NN \\in s", "NN \\notin h.b", "SS = {}", "s \\subseteq SS", "NN < MM",
				"(NN = 0 \\/ NN \\in SS)"))
		}
		action := func() string {
			parts := []string{test(), f(), h(), s(), test()}
			if little {
				parts = []string{f(), h(), s()}
			}
			r.Shuffle(len(parts), func(i, k int) { parts[i], parts[k] = parts[k], parts[i] })
			all := strings.Join(parts[r.IntN(len(parts)):], " /\\ ")
			for _, v := range []string{"f", "h", "s"} {
				if !strings.Contains(all, v+"'") && !strings.Contains(all, "UNCHANGED "+v) {
					all += " /\\ " + v + "' = " + v
				}
			}
			return all
		}
		within := func() string {
			a := action()
			return strings.ReplaceAll(one("#", "#", "\\E j \\in s : j = i /\\ #",
				"(# \\/ ("+action()+"))", "LET k == f[i] IN k = 0 /\\ #"), "#", "("+a+")")
		}
		module := fmt.Sprintf(`---- MODULE S ----
EXTENDS Integers, Sequences, FiniteSets
VARIABLES f, h, s
vars == <<f, h, s>>
Init == f = <<0, 1>> /\ h = [a |-> 0, b |-> {}] /\ s \in SUBSET {0, 1, 2}
Next == \E i \in {1, 2} :
  \/ f' = [f EXCEPT ![i] = 1 - @] /\ UNCHANGED <<h, s>>
  \/ UNCHANGED f /\ h' = [h EXCEPT !.b = s] /\ s' = {i}
  \/ UNCHANGED <<f, s>> /\ h' = [h EXCEPT !.a = i]
  \/ UNCHANGED <<f, h>> /\ s' = s \cup {i}
A(i) == %s
B(i) == %s
C(i) == %s
Spec == Init /\ [][Next]_vars /\ (\A i \in {1, 2} : WF_vars(A(i)) /\ SF_<<f, s>>(B(i)))
  /\ WF_vars(\E i \in {1, 2} : C(i)) /\ WF_<<h.a, s>>(C(2))
Q == \A i \in {1, 2} : [](ENABLED B(i) \/ i \in s)
====
`, within(), within(), within())
		return tlatest.Model{Module: module,
			Config: "SPECIFICATION Spec\nPROPERTY Q\nCHECK_DEADLOCK FALSE\n"}
	}
	compareGenerated(t, testkit.Size(50, 1100), 7, 5000, ofStates, model)
}
