package erelong_test

import (
	"os"
	"strings"
	"testing"

	"erelong.dev/erelong"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/front/tla"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// TestConstructs explores modules with constructs that are translated in a way of their own, and
// their translations. Each claim begins with its verdict.
func TestConstructs(t *testing.T) {
	for _, c := range []struct {
		module string
		claims []string
	}{
		{`VARIABLES s, n
Top == [top |-> "top"]
Init == s = Top /\ n = 0
Next == \/ s = Top /\ s' = [id |-> "a", val |-> 2] /\ n' = n
        \/ s # Top /\ s' = (IF s.val = 0 THEN Top ELSE [s EXCEPT !.val = @ - 1])
           /\ n' = (n + 1) % 3`, []string{
			`+ s = Top \/ s.val \in 0..2`, `+ s = Top \/ s.id = "a"`, `- s = Top`,
			`- s = Top \/ s.val > 0`, `+ s \in {Top} \cup [id : {"a"}, val : 0..2]`,
			`- s \in [id : {"a"}, val : 0..2]`, `+ s = Top => s # [id |-> "a", val |-> 0]`,
			`+ [s EXCEPT !.top = "top"] = s`}},
		{`VARIABLES q, n
Get(s) == {s[i] : i \in DOMAIN s}
Odd(e) == e[1] = "odd"
Init == q = <<>> /\ n = 0
Next == \/ Len(q) < 3 /\ q' = Append(q, <<IF n = 1 THEN "odd" ELSE "even", n>>) /\ n' = (n + 1) % 3
        \/ q # <<>> /\ q' = Tail(q) /\ n' = CASE Odd(Head(q)) -> 0 [] OTHER -> n
        \/ q # <<>> /\ CASE Head(q)[2] = 1 -> n' = 1 /\ q' = q [] Head(q)[2] # 1 -> n' = 2 /\ q' = <<>>`,
			[]string{
				`+ \A e \in Get(SelectSeq(q, Odd)) : e[2] = 1`,
				`- \A e \in Get(q) : e[2] = 1`,
				`- {e[2] : e \in Get(SelectSeq(q, LAMBDA e : e[2] > 0))} # {1, 2}`,
				`+ Get(SelectSeq(q, LAMBDA e : e[2] > 2)) = {}`,
				`- Get(SelectSeq(q, Odd)) = {q[i] : i \in 1..Len(q)}`,
				`+ Get(SelectSeq(SelectSeq(q, Odd), LAMBDA e : e[2] = 2)) = {}`}},
		{`VARIABLES q, n
Gone(i) == [j \in 1..Len(q) - 1 |-> IF j < i THEN q[j] ELSE q[j + 1]]
Init == q = <<1, 2, 3>> /\ n = 0
Next == (n < 6 /\ n' = n + 1 /\ UNCHANGED q)
          \/ (n = 6 /\ n' = 2 /\ q' = Gone(2)) \/ (Len(q) = 0 /\ q' = Append(q, 3) /\ n' = 0)`, []string{
			`+ Len(q) > 0 => Len(Gone(n)) = Len(q) - 1`, `+ q = <<>> => Gone(n) = <<>>`,
			`+ n > 2 /\ Len(q) = 3 => Gone(n) = <<1, 2>>`, `- n = 2 => Gone(n) = <<1, 3>>`,
			`+ n < 2 /\ Len(q) = 3 => Gone(n) = <<2, 3>>`, `+ n < 2 /\ q = <<3>> => Gone(n) = <<>>`,
			`+ n = 2 /\ Len(q) = 3 => Gone(n) = <<1, 3>>`, `- q # <<3>>`, `- Len(q) # 1 \/ q = <<1>>`,
			`- Len(q) = 2 => q = <<1, 2>>`, `- q # <<1, 3>>`,
			`+ SubSeq(q, 3, 0) = <<>>`, `+ SubSeq(q, n + 1, Len(q)) = <<>> \/ n < 3`,
			`- Len(SubSeq(q, n + 1, Len(q))) + n # Len(q)`}},
		{`CONSTANT P VARIABLES f, last
Init == f = [p \in P |-> FALSE] /\ last \in P
Next == \/ \E p \in P : f' = [q \in P |-> q = p] /\ UNCHANGED last
        \/ /\ \E p \in P : f[p]
           /\ LET c == CHOOSE p \in P : f[p] IN last' = c /\ f' = [f EXCEPT ![c] = FALSE]
`, []string{
			`+ \A p, q \in P : f[p] /\ f[q] => p = q`, `- \A p \in P : f[p] => p = last`,
			`- \A p \in P : f[p] => p # last`, `- \E p \in P : f[p]`}},
		{`CONSTANT P VARIABLES s, g, k
Max(S) == LET M[T \in SUBSET S] == IF T = {} THEN -1 ELSE LET n == CHOOSE n \in T : TRUE
                                                           m == M[T \ {n}]
                                                       IN IF m =< n THEN n ELSE m
          IN M[S]
Init == s = {} /\ k \in -1..2 /\ g \in [P -> 0..2]
Next == \/ \E p \in P : s' = s \cup {p} /\ UNCHANGED <<g, k>>
        \/ \E n \in -1..2 : n = Max({g[p] : p \in s}) /\ k' = n /\ s' = {} /\ UNCHANGED g`,
			[]string{
				`- \A p \in s : g[p] <= k`, `- k < 2`,
				`- k = 2 => \E p \in P : g[p] = 2`, `- k = 1 => \E p \in P : g[p] < 2`}},
	} {
		for _, claim := range c.claims {
			want := map[byte]erelong.Verdict{'+': erelong.Holds, '-': erelong.Violated}[claim[0]]
			module := "---- MODULE S ----\nEXTENDS Integers, Sequences, FiniteSets\n" + c.module +
				"\nSpec == Init /\\ [][Next]_<<>>\nClaim == " + claim[1:] + "\n====\n"
			files := map[string]string{"S.tla": module, "S.cfg": "SPECIFICATION Spec\n" +
				"INVARIANT Claim\nCHECK_DEADLOCK FALSE\n" + constantsIn(c.module)}
			l := &erelong.Loader{ReadFile: readFrom(files)}
			text, err := tla.Text(t.Context(), "S.tla", module, l.ReadFile)
			if err != nil {
				t.Fatalf("%s: %v", claim, err)
			}
			computed := claimIn(t, l, "S.tla", module)
			translated := claimIn(t, l, "S.ere", text)
			if translated.Verdict == erelong.HoldsUpTo { // its sequences have no bound
				translated.Verdict = erelong.Holds
			}
			if computed.Verdict != want || translated.Verdict != want ||
				want == erelong.Holds && computed.States != translated.States {
				t.Errorf("%s: %v with %d states, and %v with %d\n%s", claim, computed.Verdict,
					computed.States, translated.Verdict, translated.States, text)
			}
		}
	}
}

// constantsIn gives values to the constants P and N of a module.
func constantsIn(module string) string {
	out := ""
	for name, value := range map[string]string{"P": "{p1, p2, p3}", "N": "3"} {
		if strings.Contains(module, "CONSTANT "+name) || strings.Contains(module, ", "+name) {
			out += "CONSTANT " + name + " = " + value + "\n"
		}
	}
	return out
}

// TestLemmas claims the theorems of a module without variables.
func TestLemmas(t *testing.T) {
	for lemma, want := range map[string]erelong.Verdict{
		`\A x \in 0..5 : x * x >= x`: erelong.Holds, `\A x \in 0..5 : x * x > x`: erelong.Violated,
		`\E x \in 0..5 : x * x = 16`: erelong.Holds, `\E x \in 0..5 : x * x = 15`: erelong.Violated,
	} {
		module := "---- MODULE S ----\nEXTENDS Integers\nTHEOREM Claim == " + lemma +
			"\nTHEOREM ~(" + lemma + ")\n====\n"
		l := &erelong.Loader{ReadFile: func(string) ([]byte, error) { return nil, os.ErrNotExist }}
		text, err := tla.Text(t.Context(), "S.tla", module, l.ReadFile)
		if err != nil {
			t.Fatal(err)
		}
		if got := claimIn(t, l, "S.ere", text); got.Verdict != want {
			t.Errorf("%s: %v, not %v\n%s", lemma, got.Verdict, want, text)
		}
	}
}

// TestGreatestOutsideDomain refuses a set that need not be in the domain of the recursive function:
// its value there is not known, so nothing may be proved of it.
func TestGreatestOutsideDomain(t *testing.T) {
	module := `---- MODULE S ----
EXTENDS Integers
VARIABLES s, k
Max(S, D) == LET M[T \in SUBSET D] == IF T = {} THEN -1 ELSE LET n == CHOOSE n \in T : TRUE
                                                              m == M[T \ {n}]
                                                          IN IF m =< n THEN n ELSE m
             IN M[S]
Init == s = {} /\ k = -1
Next == \E n \in Nat : s' = s \cup {n} /\ k' = Max(s \cup {n}, {1, 2})
Spec == Init /\ [][Next]_<<s, k>>
THEOREM Spec => [](\A n \in s : n <= k)
====
`
	none := func(string) ([]byte, error) { return nil, os.ErrNotExist }
	_, err := tla.Text(t.Context(), "S.tla", module, none)
	if err == nil || !strings.Contains(err.Error(), "seen to be in its domain") {
		t.Errorf("it is translated: %v", err)
	}
}

// TestGreatestProved proves what is true of the greatest element of a set, and nothing that is
// false. The names of false claims begin with No.
func TestGreatestProved(t *testing.T) {
	module := `---- MODULE S ----
EXTENDS Integers
CONSTANT P
VARIABLES s, k, last
vars == <<s, k, last>>
Max(S) == LET M[T \in SUBSET S] == IF T = {} THEN -1 ELSE LET n == CHOOSE n \in T : TRUE
                                                           m == M[T \ {n}]
                                                       IN IF m =< n THEN n ELSE m
          IN M[S]
Init == s = {} /\ k = -1 /\ last = {}
Next == \/ \E n \in Nat : s' = s \cup {n} /\ k' = Max(s \cup {n}) /\ UNCHANGED last
        \/ s # {} /\ last' = {CHOOSE n \in s : TRUE} /\ UNCHANGED <<s, k>>
Spec == Init /\ [][Next]_vars
TypeOK == s \subseteq Nat /\ last \subseteq s /\ k \in Int
Greatest == (\A n \in s : n <= k) /\ (k \in s \/ (s = {} /\ k = -1))
NoFirst == 0 \notin last
NoSame == last \subseteq {k}
NoLess == \A n \in s : n < k
THEOREM Spec => []TypeOK
THEOREM Spec => []Greatest
THEOREM Spec => []NoFirst
THEOREM Spec => []NoSame
THEOREM Spec => []NoLess
====
`
	l := &erelong.Loader{ReadFile: func(string) ([]byte, error) { return nil, os.ErrNotExist }}
	text, err := tla.Text(t.Context(), "S.tla", module, l.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	results, err := induction.Prove(testkit.Solving(t), testkit.Compile(t, text),
		induction.Options{})
	if err != nil {
		t.Fatal(err)
	}
	claims := 0
	for _, r := range results {
		switch holds := r.Verdict == result.Holds; {
		case r.Property == "TypeOK" || r.Property == "Greatest":
			claims++
			if !holds {
				t.Errorf("%s: %s", r.Property, r.Verdict)
			}
		case strings.HasPrefix(r.Property, "No") && holds:
			t.Errorf("%s is proved", r.Property)
		}
	}
	if claims != 2 || !strings.Contains(text, "chosen") {
		t.Errorf("%d claims in\n%s", claims, text)
	}
}
