package syntax

import (
	"testing"

	"erelong.dev/erelong/internal/diag"
)

// everything is a module with each kind of unit and of expression.
const everything = `Text before. ---- no module
---- MODULE M ----
EXTENDS Naturals, Sequences
CONSTANTS C, F(_, _), _ ++ _, -. _, _^+
VARIABLES x, y
RECURSIVE R(_)
LOCAL INSTANCE TLC
LOCAL P(a) == a
I(v) == INSTANCE N WITH x <- v, ++ <- +, F <- LAMBDA a, b : a
R(n) == IF n = 0 THEN 0 ELSE R(n - 1)
f[i, j \in 1..2, <<k, l>> \in S] == i
a \oplus b == a
a ^+ == a
-. a == 0 - a
(* a comment (* in a comment *) *)
A == /\ \/ x = 1
        \/ y = 2
     /\ \A i \in S, <<j, k>> \in T : \E n : TRUE \* the end
     /\ LET q == 1
            g[w \in S] == w
            J == INSTANCE N
        IN q + g[1]
B == CASE x = 1 -> 1 [] x = 2 -> 2 [] OTHER -> {z \in S : z > 0}
D == [x EXCEPT ![1].a = @ + 1, !.b[2] = {e : e \in S}] \X {1, 2} \X <<>>
E == [a |-> 1, IN |-> 2].IN + CHOOSE m : m \notin [a : S, b : T]
G == [][A]_<<x, y>> /\ WF_x(A) /\ SF_<<x, y>>(A) /\ <><<A>>_I(1)!x /\ (x' ~> ENABLED A)
H == I(1)!A!1!<<!:!@!(2) + +(1, 2) + \hFF + 1.5 + [i \in S |-> "a\"\n"][1] + [S -> T]
K == lab(x) :: x
----
ASSUME Positive == C > 0
THEOREM T == ASSUME NEW n \in S, CONSTANT q PROVE n = q
<1>1. SUFFICES TRUE BY DEF A, +
<1> DEFINE z == 1
<1>2. PICK i \in S : TRUE
  <2>a. CASE TRUE OBVIOUS
  <2> QED BY <1>1, <2>a, MODULE N DEFS A
<1> HIDE DEF A
<1> QED
USE A
---- MODULE Inner ----
====
====
Text after. ---- MODULE Second ----
====
`

func TestAllConstructs(t *testing.T) {
	errs := &diag.List{}
	modules := Parse(diag.NewSource("M.tla", everything), errs)
	if len(errs.All) > 0 || len(modules) != 2 {
		t.Fatal(errs, len(modules))
	}
	if n := len(modules[0].Units); n != 21 {
		t.Errorf("%d units", n)
	}
}
