package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// TestTLAExamples compares what the examples in TLA+ are expected to say with what verify says, for
// the module and for its configuration.
func TestTLAExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/tla/*.tla")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	header := regexp.MustCompile(`(?s)\\\* From: .*\\\* Shows: .*\\\* Expect:  ([^\n]*)\n`)
	for i, file := range files {
		if !testkit.One(i, 3) {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m := header.FindSubmatch(text)
		if m == nil {
			t.Errorf("%s: no header with From, Shows and Expect", file)
			continue
		}
		for _, path := range []string{file, strings.TrimSuffix(file, ".tla") + ".cfg"} {
			if got := verdictsOf(t, path, strings.Contains(string(m[1]), "states")); got != string(m[1]) {
				t.Errorf("%s: %s, not %s", path, got, m[1])
			}
		}
	}
}

// verdictsOf are the verdicts on a model, and its states, as the examples say them.
func verdictsOf(t *testing.T, path string, states bool) string {
	t.Helper()
	var out, errs bytes.Buffer
	code := Main(t.Context(), []string{"verify", "--format", "json", path}, nil, &out, &errs)
	var report struct {
		Results []struct {
			Property, Verdict, Scope string
			States                   int
		}
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatalf("%s: exit code %d: %s %v", path, code, errs.String(), err)
	}
	var parts, proved []string
	violated := false
	for _, r := range report.Results {
		if r.Scope == "all" {
			proved = append(proved, r.Property+" "+r.Verdict)
			continue
		}
		parts = append(parts, r.Property+" "+r.Verdict)
		violated = violated || r.Verdict == "violated"
	}
	if violated != (code != 0) {
		t.Errorf("%s: exit code %d", path, code)
	}
	if states && len(report.Results) > 0 {
		parts = append(parts, fmt.Sprintf("%d states", report.Results[0].States))
	}
	if len(proved) > 0 {
		parts = append(parts, "for all constants "+strings.Join(proved, ", "))
	}
	return strings.Join(parts, ", ")
}

// TestRecursiveProofs proves claims with recursive functions for all values of a constant. What is
// false is not proved, nor is a claim that would follow from an equation without a solution.
func TestRecursiveProofs(t *testing.T) {
	testkit.InCI(t)
	module := `---- MODULE M ----
EXTENDS Integers
CONSTANTS N, P
ASSUME N \in Nat
VARIABLES n, sum, k, on
vars == <<n, sum, k, on>>
Tri[x \in Nat] == IF x = 0 THEN 0 ELSE x + Tri[x - 1]
Pow(b, e) == LET F[i \in Nat] == IF i = 0 THEN 1 ELSE 2 * F[i - 1] + b IN F[e]
Down(p) == LET D[x \in 0..N] == (x = 0 \/ p \in on[x]) /\ \A y \in 0..x - 1 : D[y] IN D[n]
Loop[x \in Nat] == 1 + Loop[x]
Bare[x \in Nat] == 1 + Bare[x - 1]
Init == n = 0 /\ sum = 0 /\ k \in 0..3 /\ on = [x \in 0..N |-> {}]
Next == n < N /\ n' = n + 1 /\ sum' = sum + n + 1 /\ k' = k /\ on' = on
Spec == Init /\ [][Next]_vars
TypeOK == n \in 0..N /\ k \in Nat /\ \A x \in 0..N : on[x] = {}
TRUE1 == sum = Tri[n]
TRUE2 == n = 0 => Pow(k, n) = 1
TRUE3 == Pow(k, 2) = 4 + 3 * k
TRUE4 == \A p \in P : Down(p) <=> n = 0
FALSE1 == sum = Tri[n] + n
FALSE2 == Pow(k, 2) = 4 + 2 * k
FALSE3 == \A p \in P : Down(p)
FALSE4 == Loop[n] = Loop[n] + 1
FALSE5 == n = n + Bare[0] - Bare[0] + 1
THEOREM Spec => []TypeOK
CLAIMS====
`
	claims := ""
	for _, name := range []string{"TRUE1", "TRUE2", "TRUE3", "TRUE4", "FALSE1", "FALSE2", "FALSE3",
		"FALSE4", "FALSE5"} {
		claims += "THEOREM Spec => []" + name + "\n"
	}
	path := filepath.Join(t.TempDir(), "M.tla")
	text := strings.Replace(module, "CLAIMS", claims, 1)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	Main(t.Context(), []string{"prove", "--format", "json", "--rlimit", "300000", path}, nil,
		&out, &errs)
	var report struct {
		Results []struct{ Property, Verdict string }
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatalf("%s %v", errs.String(), err)
	}
	proved := 0
	for _, r := range report.Results {
		holds := r.Verdict == "holds"
		if wanted := strings.HasPrefix(r.Property, "TRUE"); wanted && holds {
			proved++
		} else if wanted || holds && strings.HasPrefix(r.Property, "FALSE") {
			t.Errorf("%s: %s", r.Property, r.Verdict)
		}
		// Whether all calls are in the domain is a claim of its own.
		if r.Property == "defined:Bare_equation" && holds {
			t.Error("a call outside of the domain is taken for one within it")
		}
	}
	if proved != 4 {
		t.Errorf("%d of 4 claims are proved: %s", proved, errs.String())
	}
	if !strings.Contains(out.String(), "the argument in line 10 is not seen to be smaller") {
		t.Errorf("no word about the recursion without an end: %s", out.String())
	}
}
