package erelong_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"erelong.dev/erelong"
	"erelong.dev/erelong/internal/front/tla"
	"erelong.dev/erelong/internal/testkit"
)

// fairModel is a module of a seed with fairness and a property of what happens at some time. Exact
// says that all of its fairness has a translation.
func fairModel(seed uint64) (text string, exact bool) {
	g := rand.New(rand.NewPCG(seed, 5))
	pick := func(of ...string) string { return of[g.IntN(len(of))] }
	test := func() string {
		return pick("f[p]", "~f[p]", "w[p] = \"on\"", "n = 1", "\\E q \\in P : f[q] /\\ q # p",
			"f[p] /\\ n # 2", "w[p] = \"off\" \\/ n = 0", "TRUE")
	}
	change := func() string {
		return pick("f' = [f EXCEPT ![p] = TRUE] /\\ UNCHANGED <<w, n>>",
			"f' = [f EXCEPT ![p] = ~@] /\\ UNCHANGED <<w, n>>",
			"w' = [w EXCEPT ![p] = \"on\"] /\\ n' = (n + 1) % 3 /\\ UNCHANGED f",
			"w' = [w EXCEPT ![p] = IF @ = \"on\" THEN \"off\" ELSE \"on\"] /\\ UNCHANGED <<f, n>>",
			"n' = (n + 1) % 3 /\\ UNCHANGED <<f, w>>", "UNCHANGED vars")
	}
	var fair []string
	exact = true
	for _, c := range []struct {
		text  string
		exact bool
	}{
		{"WF_vars(Next)", true}, {"(\\A p \\in P : WF_vars(A(p)))", true},
		{"(\\A p \\in P : SF_vars(B(p)))", true}, {"WF_vars(C)", true},
		{"(\\A q \\in P : WF_vars(B(q)) /\\ SF_vars(A(q)))", true},
		{"WF_vars(\\E p \\in P : A(p))", false}, {"(\\A p \\in P : WF_f(A(p)))", false},
		{"(\\A p \\in P : WF_vars(A(p) \\/ B(p)))", false}, {"SF_<<n, w>>(C)", false},
		{"(\\E p \\in P : WF_vars(A(p)))", false}, {"(\\E p \\in P : SF_vars(B(p)))", false},
		{"WF_vars(C \\/ D)", false}, {"SF_vars(C \\/ D)", false},
		{"WF_vars(\\E p \\in P : T(p))", false}, {"WF_vars(D \\/ \\E p \\in P : T(p))", false},
	} {
		if g.IntN(5) == 0 {
			fair = append(fair, " /\\ "+c.text)
			exact = exact && c.exact
		}
	}
	claim := pick("\\A p \\in P : (%s) ~> (%s)", "(\\E p \\in P : %s) ~> (\\A p \\in P : %s)",
		"\\A p \\in P : []((%s) => <>(%s))", "\\A p \\in P : []<>((%s) \\/ (%s))",
		"\\A p \\in P : <>((%s) \\/ (%s))")
	a, b := change(), change()
	for _, c := range []string{a, b} { // a step that changes nothing counts in the translation
		exact = exact && c != "UNCHANGED vars" && !strings.Contains(c, "= TRUE]")
	}
	return fmt.Sprintf(`---- MODULE S ----
EXTENDS Integers
CONSTANT P
VARIABLES f, w, n, o
vars == <<f, w, n, o>>
Init == f = [p \in P |-> FALSE] /\ w \in [P -> {"on", "off"}] /\ n = 0 /\ o \in P
A(p) == (%s) /\ %s /\ o' = o
B(p) == (%s) /\ %s /\ o' = o
C == n = 2 /\ n' = 0 /\ UNCHANGED <<f, w, o>>
D == %s /\ n' = 1 /\ f' = [p \in P |-> TRUE] /\ UNCHANGED <<w, o>>
T(p) == %s /\ n' = (n + 2) %% 3 /\ w' = [w EXCEPT ![p] = "on"] /\ UNCHANGED <<f, o>>
Next == (\E p \in P : A(p) \/ B(p) \/ T(p)) \/ C \/ D
Spec == Init /\ [][Next]_vars%s
Claim == %s
====
`, test(), a, test(), b, pick("n = 0", "n = 2", "n # 1", "n = 1"),
		pick("o = p", "o = p /\\ n = 2", "o # p", "f[p] /\\ o = p"), strings.Join(fair, ""),
		fmt.Sprintf(claim, test(), test())), exact
}

// TestTranslatedLiveness compares fair runs of modules and of their translations: what holds of
// these holds of the module, and the other way round where all fairness has a translation.
func TestTranslatedLiveness(t *testing.T) {
	holds, violated, weaker := 0, 0, 0
	for seed := range uint64(testkit.Size(120, 1000)) {
		module, exact := fairModel(seed)
		read := func(path string) ([]byte, error) {
			if path == "S.cfg" {
				return []byte("SPECIFICATION Spec\nPROPERTY Claim\nCONSTANT P = {p1, p2}\n" +
					"CHECK_DEADLOCK FALSE\n"), nil
			}
			return nil, os.ErrNotExist
		}
		text, err := tla.Text(t.Context(), "S.tla", module, read)
		if err != nil {
			t.Fatalf("%d: %v\n%s", seed, err, module)
		}
		want := claimIn(t, &erelong.Loader{ReadFile: read}, "S.tla", module).Verdict
		got := claimIn(t, &erelong.Loader{ReadFile: read}, "S.ere", text).Verdict
		switch {
		case got == erelong.Holds && want == erelong.Holds:
			holds++
		case got == erelong.Violated && want == erelong.Violated:
			violated++
		case got == erelong.Violated && want == erelong.Holds && !exact:
			weaker++
		default:
			t.Fatalf("%d: the translation: %v, not %v\n%s%s", seed, got, want, module, text)
		}
	}
	if holds < 3 || violated < 3 || weaker > holds {
		t.Errorf("%d hold, %d violated, %d hold of the module alone", holds, violated, weaker)
	}
}
