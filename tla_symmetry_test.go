package erelong_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"erelong.dev/erelong"
	"erelong.dev/erelong/internal/testkit"
)

// symmetricModel is a module of a seed whose steps do not tell the elements of P apart, with a
// property of steps that may, by the name of an element or by an order.
func symmetricModel(seed uint64) string {
	g := rand.New(rand.NewPCG(seed, 41))
	pick := func(of ...string) string { return of[g.IntN(len(of))] }
	guard := func() string {
		return pick("TRUE", "~f[p]", "f[p]", "\\E q \\in P : q # p /\\ f[q]", "o = p", "o # p")
	}
	change := func() string {
		return pick("f' = [f EXCEPT ![p] = ~@] /\\ UNCHANGED o", "o' = p /\\ UNCHANGED f",
			"f' = [f EXCEPT ![p] = TRUE] /\\ o' = p",
			"\\E q \\in P \\ {p} : f' = [f EXCEPT ![p] = f[q]] /\\ o' = q")
	}
	step := pick("Cardinality({p \\in P : f[p] # f'[p]}) <= 1", "f[o] => f'[o]", "o' # o => f'[o']",
		"\\A p \\in P : f[p] => f'[p]", "\\E p \\in P : f[p] = f'[p]", "f[a] => f'[a]",
		"o = b => o' # c", "f[First] => f'[First] \\/ o' = o", "o' # o => ~f[o] \\/ f'[o]",
		"\\A p \\in P : f'[p] /\\ ~f[p] => o' = p \\/ o = p")
	return fmt.Sprintf(`---- MODULE S ----
EXTENDS FiniteSets, Integers, TLC
CONSTANTS a, b, c, P
VARIABLES f, o
vars == <<f, o>>
First == CHOOSE p \in P : TRUE
A(p) == %s /\ %s
B(p) == %s /\ %s
Init == f \in [P -> BOOLEAN] /\ o \in P
Next == \E p \in P : A(p) \/ B(p)
Spec == Init /\ [][Next]_vars%s
Perms == Permutations(P)
Claim == (\A p \in P : f[p] \in BOOLEAN) /\ [][%s]_vars
Kept == %s
====
`, guard(), change(), guard(), change(), pick("", " /\\ WF_vars(Next)"), step,
		pick("o \\in P", "f[o] \\/ o \\in P", "\\E p \\in P : ~f[p]", "f[o] \\/ ~f[o]"))
}

// explored verifies the module S in the instance of its configuration.
func explored(t *testing.T, module, config string) *erelong.Report {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"S.tla": module, "S.cfg": config} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	spec, err := erelong.Load(context.Background(), filepath.Join(dir, "S.cfg"))
	if err != nil {
		t.Fatal(err)
	}
	report, err := spec.Verify(context.Background(), erelong.Options{NoProof: true})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestSymmetricConstraint has a constraint of steps that each step satisfies, but no step from a
// state to the one that stands for the next state: that one has the same v.
func TestSymmetricConstraint(t *testing.T) {
	const module = `---- MODULE S ----
EXTENDS Integers, TLC
CONSTANTS a, b, P
VARIABLES v, n
Init == v \in P /\ n = 0
Next == n < 2 /\ n' = n + 1 /\ v' \in P
Other == v' # v
Few == n < 2
Perms == Permutations(P)
====
`
	const config = "CONSTANTS a = a b = b P = {a, b}\nINIT Init\nNEXT Next\nINVARIANT Few\n" +
		"ACTION_CONSTRAINT Other\nCHECK_DEADLOCK FALSE\n"
	for _, symmetry := range []string{"", "SYMMETRY Perms\n"} {
		seen := false
		for _, r := range explored(t, module, config+symmetry).Results {
			if r.Property == "Few" && r.Trace != nil {
				seen = len(r.Trace.Steps) == 3
			}
		}
		if !seen {
			t.Errorf("%q: no run of 3 states to n = 2", symmetry)
		}
	}
}

// TestSymmetricSteps compares the verdicts on properties of steps with and without a symmetry.
func TestSymmetricSteps(t *testing.T) {
	verdict := func(module, config string) string {
		report := explored(t, module, config)
		for _, r := range report.Results {
			if r.Property == "Claim" && r.Engine == "temporal" {
				steps := 0
				if r.Trace != nil {
					steps = len(r.Trace.Steps)
				}
				return fmt.Sprint(r.Verdict, steps)
			}
		}
		t.Fatalf("no verdict: %+v", report.Results)
		return ""
	}
	const config = "CONSTANTS a = a b = b c = c P = {a, b, c}\nSPECIFICATION Spec\n" +
		"PROPERTY Claim\nCHECK_DEADLOCK FALSE\n"
	met := map[bool]int{}
	for seed := range uint64(testkit.Size(60, 600)) {
		module := symmetricModel(seed)
		want := verdict(module, config)
		got := verdict(module, config+"SYMMETRY Perms\n")
		if got != want {
			t.Errorf("seed %d: %s with a symmetry, %s without\n%s", seed, got, want, module)
		}
		met[want[0] == 'h']++
	}
	if met[true] == 0 || met[false] == 0 {
		t.Errorf("there were no verdicts of one kind: %v", met)
	}
}

// TestSymmetricTogether compares what is said of an invariant beside a property of steps, with a
// symmetry, with what is said of it alone: states that stand for others are what is counted.
func TestSymmetricTogether(t *testing.T) {
	said := func(module, config string) string {
		for _, r := range explored(t, module, config).Results {
			if r.Property == "Kept" && r.Engine == "explicit" {
				steps := 0
				if r.Trace != nil {
					steps = len(r.Trace.Steps)
				}
				return fmt.Sprint(r.Verdict, steps, r.States, r.Generated, r.Depth)
			}
		}
		t.Fatal("nothing is said of the invariant")
		return ""
	}
	const config = "CONSTANTS a = a b = b c = c P = {a, b, c}\nSPECIFICATION Spec\n" +
		"INVARIANT Kept\nCHECK_DEADLOCK FALSE\nSYMMETRY Perms\n"
	met := map[bool]int{}
	for seed := range uint64(testkit.Size(60, 600)) {
		module := symmetricModel(seed)
		want := said(module, config)
		if got := said(module, config+"PROPERTY Claim\n"); got != want {
			t.Errorf("seed %d: %s beside the property, %s alone\n%s", seed, got, want, module)
		}
		met[want[0] == 'h']++
	}
	if met[true] == 0 || met[false] == 0 {
		t.Errorf("there were no verdicts of one kind: %v", met)
	}
}
