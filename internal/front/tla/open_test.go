package tla

import (
	"context"
	"os"
	"strings"
	"testing"
)

// translation is the text that a module becomes, or the error.
func translation(module string) string {
	text, err := Text(context.Background(), "M.tla", module, func(string) ([]byte, error) {
		return nil, os.ErrNotExist
	})
	if err != nil {
		return err.Error()
	}
	return text
}

// TestTheoremsOfOthers has theorems about two specifications: only the ones of what is read
// count.
func TestTheoremsOfOthers(t *testing.T) {
	text := translation(`---- MODULE M ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = x + 1
Stay == x' = x
Spec == Init /\ [][Stay]_x
Same == Init /\ [][Stay]_x /\ WF_x(Stay)
Other == Init /\ [][Next]_x
Zero == x = 0
Nought == x < 1
THEOREM Spec => []Zero
THEOREM Same => []Nought
THEOREM T == Other => [](x = 0)
====
`)
	for _, c := range []struct {
		want string
		is   bool
	}{{"safety [Zero]", true}, {"safety [Nought]", true}, {"[T]", false}} {
		if strings.Contains(text, c.want) != c.is {
			t.Errorf("%q: %v\n%s", c.want, !c.is, text)
		}
	}
}

// TestChosenInClaim has a value that only a claim speaks of: what is known of it is said.
func TestChosenInClaim(t *testing.T) {
	text := translation(`---- MODULE M ----
CONSTANT P
VARIABLE x
Init == x \in P
Next == x' \in P
Spec == Init /\ [][Next]_x
None == CHOOSE n : n \notin P
Never == x # None
THEOREM Spec => []Never
====
`)
	if want := "axiom !P(chosen)"; !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
}

// TestConcluded has lemmas that nobody claims: where their premises are claimed or tried too, only
// the conclusion is tried.
func TestConcluded(t *testing.T) {
	text := translation(`---- MODULE M ----
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == x' = x + 1 /\ y' = y
Spec == Init /\ [][Next]_<<x, y>>
Inv == x >= 0 /\ y = 0
Other == y < 5
THEOREM Spec => []Inv
LEMMA L1 == Inv /\ Other => y < 1
LEMMA L2 == Inv => (y = 0 => (x > y => x > 0 /\ y < 7))
LEMMA L3 == y = 2 /\ Inv => x > y
LEMMA L4 == (\A v : v \in {} => v = x) => y < 9
====
`)
	for _, want := range []string{
		"definition L1() = y < 1 ", "definition L2() = x > y -> x > 0 & y < 7 ",
		"definition L3() = y = 2 & x >= 0 & y = 0 -> x > y ", "definition L4() = ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestChosenFunction has a function that is chosen, and a set.
func TestChosenFunction(t *testing.T) {
	text := translation(`---- MODULE M ----
EXTENDS Integers
VARIABLE x
F == CHOOSE f \in [1..2 -> 1..3] : \A i \in 1..2 : f[i] = 3
S == CHOOSE s \in SUBSET (1..3) : 2 \in s
Init == x = 0
Next == x' = F[1] \/ x' = F[2] \/ x' \in S
Spec == Init /\ [][Next]_x
THEOREM Spec => [](x # 4)
====
`)
	if want := "a formula about all functions is not translated"; !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
}

// TestInstance gives constants values that do not fit what the module does with them.
func TestInstance(t *testing.T) {
	files := map[string]string{"M.cfg": "SPECIFICATION Spec\nCONSTANTS P = {1, a}\nN = b\nQ = {c}"}
	text, err := Text(context.Background(), "M.tla", `---- MODULE M ----
EXTENDS Integers
CONSTANTS P, N, Q
VARIABLE x
Init == x \in P /\ x > N
Next == x' \in P /\ Q = {}
Spec == Init /\ [][Next]_x
====
`, func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, os.ErrNotExist
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"the value of P is left out of the instance: the module needs " +
		"a set of integers", "the value of N is left out", "instance configured { q = 1 }"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestProperties has claims about runs: what they say of states and steps is kept in a relation.
func TestProperties(t *testing.T) {
	for _, c := range []struct{ claim, want, not string }{
		{`[][x' > x]_x`, "x_kept := x + 1 > x | x + 1 = x;", ""},
		{`x = 0 /\ [][x' > x]_x`, "init x_kept <-> x = 0", ""},
		{`[](x >= 0)`, "safety [Always] x >= 0", "x_kept"},
		{`\A n \in 0..2 : [][x' > n]_x`, "forall n: 0..2. x + 1 > n | x + 1 = x", ""},
		{`[][x' > x]_x /\ <>(x = 5)`, "safety [Always_safety] Always_safety_kept", ""},
		{`<>(x = 5)`, "liveness [Always] begun ~> x = 5", "x_kept"},
		{`[](x = CHOOSE n \in 0..x : n = x)`,
			"Always is left out: a CHOOSE that depends on the state is translated in actions", "x_kept"},
		{`\A n \in 0..x : [][x' > n]_x`, "set: this one depends on the state", "x_kept"},
	} {
		got := translation("---- MODULE M ----\nEXTENDS Integers\nVARIABLE x\n" +
			"Next == x' = x + 1\nSpec == x = 0 /\\ [][Next]_x\nAlways == " + c.claim +
			"\nTHEOREM Spec => Always\n====\n")
		got = strings.ReplaceAll(got, "Always_kept", "x_kept")
		if !strings.Contains(got, c.want) || c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s\nnot %q, or %q, but\n%s", c.claim, c.want, c.not, got)
		}
	}
}

// TestFairnessOfChosen translates fair steps that depend on a CHOOSE of the state. The translation
// has more of these steps, since it may choose anything that fits. Fairness of them would say that
// one is taken where the module has none, so it is left out.
func TestFairnessOfChosen(t *testing.T) {
	for _, fair := range []string{"WF_vars(A)", "SF_vars(A)", "WF_vars(Next)"} {
		module := "---- MODULE M ----\nCONSTANT P\nVARIABLES s, done\nvars == <<s, done>>\n" +
			"A == (CHOOSE x \\in s : TRUE) \\in s /\\ ~done /\\ done' = TRUE /\\ s' = s\n" +
			"Next == A\nSpec == s = P /\\ done = FALSE /\\ [][Next]_vars /\\ " + fair +
			"\nTHEOREM Spec => <>done\n====\n"
		got := translation(module)
		for want, is := range map[string]bool{"action A(chosen: p)": true, "action stop()": true,
			"fair action": false} {
			if strings.Contains(got, want) != is {
				t.Errorf("%s: %q in the translation: %v\n%s", fair, want, !is, got)
			}
		}
	}
}

// TestFairness has conditions of fairness, and what they become.
func TestFairness(t *testing.T) {
	for _, c := range []struct{ fair, want, not, config string }{
		{`\A p \in P : WF_vars(A(p))`, "\nfair action A(p_1: p)", "fair action B", ""},
		{`\A p \in P : SF_vars(A(p)) /\ WF_vars(B)`, "\nstrong fair action A(p_1: p)", "", ""},
		{`WF_vars(Next)`, "liveness [Live] true ~> 2 in s", "action stop", ""},
		{`\A p \in P : WF_vars(A(p)) /\ WF_s(Next)`, "\naction stop()", "", ""},
		{`\A p \in P : WF_s(A(p))`, "\naction stop()", "fair action", ""}, // n may change
		{`WF_vars(\E p \in P : A(p))`, "\naction stop()", "fair action", ""},
		{`WF_vars(A(CHOOSE p \in P : TRUE))`, "\naction stop()", "fair action", ""},
		{`\A p \in P : WF_vars(A(p) \/ B)`, "\naction stop()", "fair action", ""},
		{`WF_vars(Next)`, "proofs leave Live out", "liveness", "SPECIFICATION Spec"},
		{`WF_vars(Next)`, "liveness [Live]", "action stop", "SPECIFICATION Fair"},
	} {
		module := "---- MODULE M ----\nEXTENDS Integers\nCONSTANT P\nVARIABLES s, n\n" +
			"vars == <<s, n>>\nA(p) == p \\in P /\\ s' = s \\cup {1} /\\ n' = n + 1\n" +
			"B == s' = s \\cup {2} /\\ UNCHANGED n\nNext == (\\E p \\in P : A(p)) \\/ B\n" +
			"Spec == s = {} /\\ n = 0 /\\ [][Next]_vars\nFair == Spec /\\ (" + c.fair +
			")\nLive == []<>(2 \\in s)\nTHEOREM Fair => Live\n====\n"
		spec := func(path string) ([]byte, error) {
			if path == "M.cfg" && c.config != "" {
				return []byte(c.config + "\n"), nil
			}
			return nil, os.ErrNotExist
		}
		got, err := Text(context.Background(), "M.tla", module, spec)
		if err != nil {
			t.Fatal(err)
		}
		if s, _, err := Beside(t.Context(), "M.tla", module, spec); err != nil {
			t.Error(err)
		} else {
			got += strings.Join(s.System.Remarks, "\n")
		}
		if !strings.Contains(got, c.want) || c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s\nnot %q, or %q, but\n%s", c.fair, c.want, c.not, got)
		}
	}
}

// TestTranslation has for each form of TLA+ what it becomes, or why it is refused.
func TestTranslation(t *testing.T) {
	for _, c := range []struct{ module, want string }{
		{`CONSTANT P VARIABLE f Init == f = [p \in P |-> 0]
Next == \E p \in P : f' = [f EXCEPT ![p] = @ + 1]`, "f(p_1) := f(p_1) + 1;"},
		{`CONSTANT N ASSUME N \in Nat VARIABLE f Init == f = [i \in 0..N-1 |-> FALSE]
Next == \E i \in 0..N-1 : f' = [f EXCEPT ![i] = f[(i + 1) % N]]`,
			"mutable relation f(0..N - 1)"},
		{`CONSTANT N ASSUME N \in Nat VARIABLE f Init == f = [i \in 0..N-1 |-> FALSE]
Next == \E i \in 0..N-1 : f' = [f EXCEPT ![i] = f[(i + 1) % N]]`,
			"f(i) := f(if i + 1 = N then 0 else i + 1);"},
		{`VARIABLES x, y Init == x = 0 /\ y = 1 Next == x' = y /\ y' = x`,
			"y := old(x);"},
		{`VARIABLE m Init == m = {} Next == m' = m \cup {[t |-> "a", n |-> 1]}
Other == m' = {[t |-> "b"]}`, "type record = { n: int, t: text }"},
		{`VARIABLE m Init == m = {} Next == m' = m \cup {[t |-> "a", n |-> 1], [t |-> "b"]}`,
			"type record = a(n: int) | b"},
		{`VARIABLE m Init == m = {} Next == m' = m \cup {[n |-> 1], [b |-> 1]}`,
			"type record = with_n(n: int) | with_b(b: int)"},
		{`VARIABLE r Init == r = [n |-> 1] Next == r' = [b |-> 1, c |-> 1] \/ r' = [r EXCEPT !.b = 2]`,
			"r := if r is with_b_c then with_b_c(2, r.c) else r;"},
		{`VARIABLE l Init == l = <<>> Next == l' = Append(l, 1) \/ l' = Tail(l)`,
			"mutable constant l: seq[int]"},
		{`CONSTANT P VARIABLE s Init == s = {} Next == \E t \in SUBSET P : s' = t`,
			"t := *;"},
		{`CONSTANTS P, None ASSUME None \notin P VARIABLE o Init == o = None Next == o' \in P`,
			"axiom !P(None)"},
		{`CONSTANT P VARIABLE o None == CHOOSE n : n \notin P Init == o = None Next == o' \in P`,
			"axiom !P(chosen)"},
		{`VARIABLE x Init == x = {} Next == x' = {x}`,
			"the type of this expression contains itself"},
		{`CONSTANT N VARIABLE x Init == x = 0 Next == x' = x + 1 /\ x \in 0..N`,
			"require 0 <= x & x <= N;"},
		{`CONSTANT P VARIABLES x, y Init == x = {} /\ y = {} Next == \E s \in SUBSET P : x' = s /\ y' = x \cup s`,
			"y := old(x) union s;"},
		{`CONSTANT P VARIABLE f Init == f = [p \in P |-> 0] Next == \E p, q \in P : f' = [f EXCEPT ![p] = 1, ![q] = f[p]]`,
			"f(q) := old(f(p_1));"},
		{`CONSTANT P VARIABLES s, f Init == s = {} /\ f = [p \in s |-> 0] Next == s' = P /\ f' = f`,
			"init (forall e: p. in_f(e) -> e in s) & (forall e_1 in s. in_f(e_1))"},
		{`CONSTANT P VARIABLE f Init == f = [p \in {} |-> 0] Next == \E p \in P : f' = (p :> 1) @@ f`,
			"  in_f(X1) := X1 = p_1 | in_f(X1);"},
		{`CONSTANT P VARIABLE f Init == f = [p \in {} |-> [a |-> 0, b |-> {}]]
Next == \E p \in P : f' = (p :> [a |-> 1, b |-> {p}]) @@ f`,
			"  in_f(X1) := X1 = p_1 | in_f(X1);"},
		{`CONSTANTS P, g ASSUME g \in [P -> Int] VARIABLE f Init == f = g
Next == \E p \in P : f' = (p :> 1) @@ f`, "a constant function is not translated where"},
		{`CONSTANT P VARIABLE f Init == f = [p \in {} |-> 0] Next == \E s \in SUBSET P : f' \in [s -> {1}]`,
			"a choice of functions is not translated where"},
		{`CONSTANTS P, Q VARIABLE f Init == f = [p \in P |-> 0] Next == f' = [q \in Q |-> f[q]]`,
			"  in_f(X1) := Q(X1);"},
		{`CONSTANTS P, None ASSUME None \in P \cup {None} VARIABLE x Init == x = None Next == x' \in P`,
			"immutable relation P(p)"},
		{`CONSTANTS P, Some ASSUME Some \in P VARIABLE x Init == x = Some Next == x' \in P`,
			"init x = Some"},
		{`VARIABLE x Odd == CHOOSE v : v \notin Int Init == x = Odd Next == x' = x + 1`,
			"this CHOOSE without a set is not translated"},
		{`VARIABLE x Init == x = 0 Next == x' = x + "a"`, "two uses disagree: a string in one"},
		{`CONSTANTS Node, None ASSUME IsFiniteSet(Node) /\ None \notin Node VARIABLE x Init == x = None
Next == \E n \in Node : x' = n`, "sort node @finite"},
		{`CONSTANTS Node, Quorum ASSUME IsFiniteSet(Node) VARIABLE x Init == x \in Quorum
Next == x' \in SUBSET Node`, "sort node\n"}, // a quorum may have any elements
		{`CONSTANT Max VARIABLE x Init == x = 0 Next == x = Max /\ x' = "full"`,
			"nothing tells whether the constant Max is a number"},
		{`CONSTANT None ASSUME None \notin Int VARIABLE x Init == x = 0 Next == x = None /\ x' = "full"`,
			"of_element(element: element)"},
		{`VARIABLE x Init == x = 0 Next == x' = "a"`,
			"type either = of_number(number: int) | of_element(element: text)"},
		{`CONSTANT P VARIABLE x Init == x = "a" Next == x' = <<>> \/ \E p, q \in P : x' = <<p, q>>`,
			"type either = of_element(element: text) | of_tuple | of_tuple_1(tuple: (p, p))"},
		{`VARIABLE x Init == x = <<1, "a">> Next == x' = [a |-> 1] \/ x' = Append(x, 1)`,
			"two uses disagree"},
		{`VARIABLE x Init == x = 0 Next == x' > x`, "x' is used before it has a value"},
		{`VARIABLES x, y Init == x = 0 /\ y = 0 Next == x' = 1`,
			"the action Next does not say what y' is"},
		{`VARIABLE x Init == x = 0 Next == ENABLED (x' = 1) /\ x' = 1`,
			"ENABLED is not translated"},
		{`VARIABLE x Init == x = 0 RECURSIVE F(_) F(n) == IF n = 0 THEN 0 ELSE F(n - 1)
Next == x' = F(x)`, "the recursive operator F is not translated"},
		{`VARIABLE x Init == x = 0 F[n \in Nat] == 1 + F[n] Next == x' = F[x]`,
			"line 3 is not seen to be smaller"},
		{`VARIABLE x Init == x = 0 F[n \in Int] == IF n = 0 THEN 0 ELSE F[n - 1] Next == x' = F[x]`,
			"no argument is from Nat, or from a range of numbers"},
		{`VARIABLE x Init == x = 0 F[n \in 0..5] == IF n = 5 THEN F[n - 1] ELSE F[n + 1]
Next == x' = F[x]`, "is not seen to be smaller"},
		{`VARIABLE x Init == x = 0 F[n \in Nat] == IF n = 0 THEN 0 ELSE F[F[n - 1]]
Next == x' = F[x]`, "is not seen to be smaller"},
		{`VARIABLE x Init == x = 0 F[n \in Nat] == IF \E y \in 0..n : F[y] > 0 THEN 1 ELSE 0
Next == x' = F[x]`, "is not seen to be smaller"},
		{`VARIABLE x Init == x = 0 F[n \in Nat] == IF DOMAIN F = {} THEN 1 ELSE 0
Next == x' = F[x]`, "line 3 uses the function itself"},
		{`VARIABLE x Init == x = {} F[n \in SUBSET Int] == IF n = {} THEN 0 ELSE F[n \ {1}]
Next == x' = IF F[x] = 0 THEN {} ELSE {1}`, "no argument is from Nat"},
		{`VARIABLE x Init == x = {} F[n \in Nat] == IF n = 0 \/ n \in x THEN 0 ELSE F[n - 1]
Next == x' = {F[2]}`, "is translated where its values are truth values"},
		{`VARIABLE x Init == x = 0 F[n \in 0..3] == IF n = 3 THEN x ELSE F[n + 1]
Next == x' = F[x]`, "axiom forall k: int, x_1: 0..3. F(k, x_1) = (if x_1 = 3 then k else F(k, x_1 + 1))"},
		{`VARIABLES x, y Init == x = {} /\ y = FALSE
F[n \in 0..3] == n \in x \/ (n > 0 /\ F[n - 1]) Next == x' = {} /\ y' = F[2]`,
			"\n  y := old(F(2));"}, // its value before the step
		{`VARIABLE x Init == x = 2 Next == x' = x ^ 3`, "x := x * x * x;"},
		{`VARIABLE x Init == x = 2^70 - 1 Next == x' = x ^ 0`, "init x = 1180591620717411303423"},
		{`VARIABLE x Init == x = 2 Next == x' = x ^ 0`,
			"x := (if !(x = 0) then some(1) else none).value;"}, // 0^0 has no value
		{`VARIABLE x Init == x = 2 Next == x' = 2 ^ x`, "a power whose exponent is no small number"},
		{`CONSTANT P VARIABLES x, y Init == \E f \in [P -> 0..3] : y = f /\ x = [p \in P |-> f[p] + 1]
Next == UNCHANGED <<x, y>>`, "init forall x_1: p. x(x_1) = f(x_1) + 1"},
		{`CONSTANT P VARIABLES x, y Init == x = 0 /\ y = [p \in P |-> 0]
Next == \E f \in [P -> 1..2] : x' = 1 /\ y' = [p \in P |-> f[p] + 1]`, "  f := *;"},
		{`CONSTANT P VARIABLE y Init == y = [p \in P |-> 0] Next == y' \in [P -> 1..2]`,
			"  y_1(X2) := 0;"},
		{`CONSTANT P VARIABLE y Init == ~(\E f \in [P -> 0..3] : y = f) Next == y' = y`,
			"a formula about all functions is not translated"},
		{`VARIABLE f Init == f = [i, j \in 0..1 |-> 0] Next == f' = [f EXCEPT ![0, 1] = f[1, 0] + 1]`,
			"mutable function f(0..1, 0..1): int"},
		{`CONSTANTS First(_), Send(_, _) VARIABLE x Init == First(x) Next == Send(x, x')`,
			"action Next(x_1: element) {\n  require Send(x, x_1);\n  x := x_1;"},
		{`CONSTANTS P, Send(_) VARIABLE x Init == x \in P Next == Send(x')`,
			"immutable relation P(p)"}, // Send may bring others
		{`CONSTANT Op(_, _) VARIABLE x Init == x = 0 Next == x' = Op(x, TRUE)`,
			"immutable function Op(int, bool): int"},
		{`CONSTANT Op(_) VARIABLE x Init == x = 0 Next == Op(x')`,
			"x' is used before it has a value"},
		{`CONSTANT Op(_) VARIABLE x Init == x = {1} Next == x' = {2} /\ Op(x)`,
			"the constant operator Op has a set of integers as argument or value"},
		{`VARIABLE x Init == x = 0 Next == x' = CASE x = 0 -> 1 [] x = 1 -> 0`,
			"x := if x = 0 then 1 else if x = 1 then 0 else unspecified;"},
		{`VARIABLE x Init == x = 0 Next == x' = 7 % x`,
			"a division by what is no number that is written is not translated"},
	} {
		module := "---- MODULE M ----\nEXTENDS Integers, Sequences, FiniteSets, TLC\n" + c.module +
			"\nSpec == Init /\\ [][Next]_<<>>\nTrue == TRUE\nTHEOREM Spec => []True\n====\n"
		if got := translation(module); !strings.Contains(got, c.want) {
			t.Errorf("%s\nnot %q but\n%s", c.module, c.want, got)
		}
	}
}
