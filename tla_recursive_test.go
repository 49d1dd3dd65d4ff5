package erelong_test

import (
	"strings"
	"testing"

	"erelong.dev/erelong"
	"erelong.dev/erelong/internal/front/tla"
)

// recursiveModule has recursive functions: of a constant, of what a parameter and the state bring,
// upwards, of two arguments, and one that reads a function of the state.
const recursiveModule = `---- MODULE S ----
EXTENDS Integers
CONSTANT N
ASSUME N \in Nat
VARIABLES n, sum, k, on
vars == <<n, sum, k, on>>
Tri[x \in 0..N] == IF x = 0 THEN 0 ELSE x + Tri[x - 1]
Pow(b, e) == LET P[i \in 0..N] == IF i = 0 THEN 1 ELSE P[i - 1] + P[i - 1] + b IN P[e]
Read(e) == LET R[i \in 0..N] == IF i = 0 THEN k ELSE R[i - 1] + k IN R[e]
Up[x \in 0..N] == IF x = N THEN 0 ELSE 1 + Up[x + 1]
Two[x \in 0..N, y \in 0..N] == IF x = 0 THEN y ELSE Two[x - 1, y]
Even[x \in 0..N] == x = 0 \/ (x > 1 /\ LET y == x - 1 IN Even[y - 1])
All[x \in 0..N] == on[x] /\ (x > 0 => All[x - 1])
Init == n = 0 /\ sum = 0 /\ k \in 0..1 /\ on = [x \in 0..N |-> FALSE]
Step == n < N /\ n' = n + 1 /\ sum' = sum + n + 1 /\ on' = [on EXCEPT ![n] = TRUE] /\ k' = k
Next == Step \/ (n = N /\ n' = 0 /\ sum' = 0 /\ k' = 1 - k /\ UNCHANGED on)
TypeOK == n \in 0..N
Spec == Init /\ [][Next]_vars
Claim == CLAIM
====
`

// TestRecursive explores modules with recursive functions, and their translations.
func TestRecursive(t *testing.T) {
	compared := 0
	for claim, verdict := range map[string]erelong.Verdict{
		`sum = Tri[n]`:                            erelong.Holds,
		`n > 0 => sum = Tri[n - 1] + n`:           erelong.Holds,
		`sum = Tri[n] /\ n < 3`:                   erelong.Violated,
		`Pow(k, 0) = 1`:                           erelong.Holds,
		`n = 2 => Pow(k, n) = 4 + 3 * k`:          erelong.Holds,
		`n = 2 => Pow(k, n) = 4 + 2 * k`:          erelong.Violated,
		`n = 1 => Read(n) = 2 * k`:                erelong.Holds,
		`Read(n) = k`:                             erelong.Violated,
		`n = N - 1 => Up[n] = 1`:                  erelong.Holds,
		`n < N => Up[n] > 1`:                      erelong.Violated,
		`n = 1 => Two[n, n] = 1`:                  erelong.Holds,
		`n > 0 => Two[n, N - n] # N - n`:          erelong.Violated,
		`n = 2 => Even[n]`:                        erelong.Holds,
		`n = 1 => Even[n]`:                        erelong.Violated,
		`n > 1 => (All[n - 1] => on[n - 2])`:      erelong.Holds,
		`n = 1 => All[n - 1]`:                     erelong.Holds,
		`n > 0 => ~All[n - 1]`:                    erelong.Violated,
		`\A x \in 0..N : All[x] => on[x]`:         erelong.Holds,
		`\E x \in 0..N : All[x] \/ ~on[x]`:        erelong.Holds,
		`\A x \in 0..N : on[x] => x > 2`:          erelong.Violated,
		`\A x \in 0..N : All[x] => ~All[N-x]`:     erelong.Violated,
		`\A x \in 0..N : x < n => ~on[x]`:         erelong.Violated,
		`sum = Tri[n] \/ (n = 1 /\ All[n])`:       erelong.Holds,
		`k = 0 => Pow(k, 0) = Pow(k, 0) + Tri[0]`: erelong.Holds,
	} {
		module := strings.Replace(recursiveModule, "CLAIM", claim, 1)
		files := map[string]string{"S.tla": module, "S.cfg": "SPECIFICATION Spec\n" +
			"INVARIANT Claim\nCHECK_DEADLOCK FALSE\nCONSTANT N = 3\n"}
		l := &erelong.Loader{ReadFile: readFrom(files)}
		text, err := tla.Text(t.Context(), "S.tla", module, l.ReadFile)
		if err != nil {
			t.Fatalf("%s: %v", claim, err)
		}
		explored := []erelong.Result{claimIn(t, l, "S.tla", module)}
		if !strings.Contains(text, "(int, ") { // an instance has no function of all numbers
			explored = append(explored, claimIn(t, l, "S.ere", text))
			compared++
		}
		for _, r := range explored {
			if r.Verdict != verdict {
				t.Errorf("%s: %v, not %v\n%s", claim, r.Verdict, verdict, text)
			}
		}
	}
	if compared < 10 {
		t.Errorf("%d translations explored", compared)
	}
}
