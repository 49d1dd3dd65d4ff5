package tla

import "testing"

// TestPairs compares what is looked for among pairs with what is looked for among all elements.
func TestPairs(t *testing.T) {
	const module = `---- MODULE S ----
EXTENDS Integers, FiniteSets
VARIABLES S, E, v
Init == /\ \/ S \in SUBSET {1, 2}
           \/ S \in SUBSET {{}, {1}}
           \/ S \in {1..3, 2..1}
           \/ S = {<<1, 2>>, <<1>>}
        /\ \/ E \in SUBSET {<<1, 2>>, <<2, 1>>, <<2, 2>>, <<1, 3>>}
           \/ E \in SUBSET {<<{1}, {}>>, <<{}, {1}>>}
           \/ E \in {{<<1>>, <<1, 2, 1>>, <<2, 1>>}, {<<1, 2>>, [a |-> 1]}}
           \/ E \in {{{1}}, {<<1, {1}>>, <<2, {}>>}, {<<"a", 1>>}}
        /\ \/ v = 1 \/ v = {1} \/ v = {} \/ v = "a" \/ v = <<1, 2>>
Next == UNCHANGED <<S, E, v>>
After == {c \in S : <<v, c>> \in E} = {c \in S : ~(<<v, c>> \notin E)}
Before == {c \in S : <<c, v>> \in E} = {c \in S : ~(<<c, v>> \notin E)}
More == {c \in S : <<v, c>> \in E /\ c # v} = {c \in S : ~(<<v, c>> \notin E) /\ c # v}
Some == (\E c \in S : <<c, v>> \in E) <=> (\E c \in S : ~(<<c, v>> \notin E))
Mixed == {c \in S : <<c, c>> \in E} = {c \in S : ~(<<c, c>> \notin E)}
Alone == {c \in S : <<v, c>> \in E} \subseteq S
====
`
	spec, err := read(t, "-- S.tla --\n"+module+"-- S.cfg --\nINIT Init\nNEXT Next\n"+
		"INVARIANTS After Before More Some Mixed Alone\n")
	if err != nil {
		t.Fatal(err)
	}
	c := spec.System.Computed
	quick, plain, truths := c.Computer(t.Context()), c.Plain(), 0
	err = c.Computer(t.Context()).Initial(t.Context(), func(s []int64) error {
		for _, d := range spec.System.Derived {
			want, err := plain.Holds(d.Predicate.Number, s, nil)
			got, failed := quick.Holds(d.Predicate.Number, s, nil)
			if got != want || (err == nil) != (failed == nil) || err == nil && !want {
				t.Fatalf("%s is %v %v, not %v %v, in %v", d.Symbol.Name, got, failed, want, err, s)
			}
			if err == nil {
				truths++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if truths < 500 {
		t.Errorf("only %d formulas have a value", truths)
	}
}
