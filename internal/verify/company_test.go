package verify

import (
	"context"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

// alone checks that each property of a system has the verdict alone that it has beside the others.
func alone(ctx context.Context, t *testing.T, sys *system.System) {
	t.Helper()
	verdicts := func(only ...string) map[string]result.Outcome {
		o := Default()
		o.Only, o.Instances = only, sys.Instances
		o.Explicit.Limits.States = 20_000 // enough for all but a counter that grows
		out, err := Run(ctx, sys, o)
		if err != nil {
			t.Fatalf("%v: %v", only, err)
		}
		all := map[string]result.Outcome{}
		for _, x := range result.Outcomes(out.Results) {
			all[x.Property] = x
		}
		return all
	}
	together := verdicts()
	for name, want := range together {
		p := sys.Property(name)
		if p == nil || p.Kind == system.Range {
			continue
		}
		got := verdicts(name)[name]
		if got.Verdict != want.Verdict || got.Coverage != want.Coverage {
			t.Errorf("%s alone: %s %s; beside others: %s %s", name, got.Verdict, got.Coverage,
				want.Verdict, want.Coverage)
		}
	}
}

// No property changes the verdict of another one: safety that needs lemmas beside liveness and
// safety that are violated, one that follows from a violated one, and one that needs another one.
func TestVerdictsDoNotDependOnCompany(t *testing.T) {
	testkit.InCI(t)
	ctx := testkit.Solving(t)
	const lock = `
		sort client
		mutable relation free, a(client), b(client)
		init free & !a(C) & !b(C)
		action get(c: client) { require free; free := false; a(c) := true; }
		action move(c: client) { require a(c); a(c) := false; b(c) := true; }
		action put(c: client) { require b(c); b(c) := false; free := true; }
		action idle() { }
		safety [one] b(C) & b(D) -> C = D
		instance two { client = 2 }
		`
	for name, text := range map[string]string{
		"violated liveness": lock + "liveness [l] a(C) ~> b(C)",
		"violated safety":   lock + "safety [bug] !b(C)",
		"both":              lock + "safety [bug] !b(C)\nliveness [l] a(C) ~> b(C)",
		"violated theorem":  lock + "onestate theorem [bad] !b(C)",
		"holding liveness":  lock + "liveness [l] a(C) ~> a(C) | b(C)",
		"follows from a violated one": lock +
			"safety [bug] free | a(C)\nsafety [weaker] free | a(C) | b(C) | !b(C)\n" +
			"safety [other] b(C) & b(D) & !free -> C = D",
		"needs another": needsThree + `
			safety [less] !(exists X:node, Y:node. X != Y & on(X) & on(Y)) | true
			safety [all] on(X) | !on(X)`,
		"a counter that grows": `
			mutable constant x: int
			mutable relation on
			init x = 0 & !on
			action step() { x := x + 1; }
			fair action switch() { on := true; }
			safety [positive] on -> x >= 0
			safety [small] x < 3
			liveness [l] x = 1 ~> on
			instance whole { }`,
	} {
		t.Run(name, func(t *testing.T) {
			alone(ctx, t, testkit.Compile(t, text))
		})
	}
	for seed := range int64(testkit.Size(2, 6)) {
		text := company(seed)
		sys, list, err := ere.Compile("generated.ere", text)
		if err != nil {
			t.Fatalf("seed %d: %v (%v)\n%s", seed, err, list, text)
		}
		if alone(ctx, t, sys); t.Failed() {
			t.Fatalf("seed %d\n%s", seed, text)
		}
	}
}

// A search for invariants goes on without what is violated.
func TestInferGoesOnBesideViolations(t *testing.T) {
	sys := testkit.Compile(t, `
		sort client
		type place = 0..1
		mutable relation free, a(client), b(client), seen(place)
		mutable constant n: 0..2
		init free & !a(C) & !b(C) & !seen(I) & n = 0
		action get(c: client) { require free; free := false; a(c) := true; }
		action move(c: client) { require a(c); a(c) := false; b(c) := true; }
		action put(c: client) { require b(c); b(c) := false; free := true; }
		action count() { if n < 2 { n := n + 1; } }
		action look() { seen(n) := true; }
		safety [one] b(C) & b(D) -> C = D
		safety [bug] !b(C)
		`)
	out, found, err := Infer(testkit.Solving(t), sys, Default())
	if err != nil || found == nil {
		t.Fatal(found, err)
	}
	got := map[string]result.Verdict{}
	for _, x := range out.Results {
		got[x.Property] = x.Verdict
	}
	if want := map[string]result.Verdict{"one": result.Holds, "bug": result.Violated,
		"range:n":       result.Holds,
		"argument:seen": result.Violated}; !maps.Equal(got, want) {
		t.Errorf("%v instead of %v", got, want)
	}
}

// company writes a random specification with several safety properties, and liveness.
func company(seed int64) string {
	rng := rand.New(rand.NewSource(seed))
	text := systemtest.Processes(rng)
	text = strings.ReplaceAll(text, "\ninvariant ", "\nsafety ")
	text = strings.Replace(text, "\naction step0", "\nfair action step0", 1)
	for range 2 {
		text += fmt.Sprintf("safety %s\n", []string{"!(at(P) = 3 & open)", "count < 2 | hot",
			"flag(P) -> at(P) > 0", "at(P) < 4", "open | !hot"}[rng.Intn(5)])
	}
	return text + fmt.Sprintf("liveness at(P) = %d ~> %s\n", rng.Intn(3),
		[]string{"open", "at(P) != 0", "flag(P)", "hot | count = 0"}[rng.Intn(4)])
}

// The same is true of the examples.
func TestExamplesDoNotDependOnCompany(t *testing.T) {
	ctx := testkit.Solving(t)
	testkit.InLong(t)
	files, err := filepath.Glob("../../examples/*/*.ere")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("../../examples/*.ere")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Concat(files, more) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sys, _, err := ere.Compile(path, string(text))
		if err != nil || len(sys.Properties) < 2 {
			continue // an algorithm
		}
		t.Run(filepath.Base(path), func(t *testing.T) { alone(ctx, t, sys) })
	}
}

// What a command for proofs, for liveness or for invariants alone proves, verify proves, with at
// most the work of all three and as much again.
func TestVerifyProvesWhatOthersProve(t *testing.T) {
	testkit.InCI(t)
	ctx := testkit.Solving(t)
	for _, name := range []string{"tpc3.ere", "mix.ere", "order.ere", "never_starts.ere"} {
		path := filepath.Join(testkit.Shared(t, "models", "tried", "company"), name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sys, list, err := ere.Compile(path, string(text))
		if err != nil {
			t.Fatalf("%v (%v)", err, list)
		}
		// of gives what is proved for all instances, and the work.
		of := func(run func(context.Context, Options) (*Outcome, error)) (map[string]bool, int64) {
			within, cancel := effort.Limit(ctx, 0, nil)
			defer cancel()
			out, err := run(within, Default())
			if err != nil {
				t.Fatal(err)
			}
			proved := map[string]bool{}
			for _, x := range out.Results {
				if x.Verdict == result.Holds && x.Scope == result.ScopeAll {
					proved[x.Property] = true
				}
			}
			return proved, effort.Spent(within)
		}
		lively, n := of(func(ctx context.Context, o Options) (*Outcome, error) {
			o.LiveOnly, o.Effort = true, 0
			for _, p := range sys.Properties {
				if p.Kind == system.Liveness {
					o.Only = append(o.Only, p.Name)
				}
			}
			if len(o.Only) == 0 {
				return &Outcome{}, nil
			}
			return Run(ctx, sys, o)
		})
		safe, m := of(func(ctx context.Context, o Options) (*Outcome, error) {
			out, _, err := Infer(ctx, sys, Options{Induct: o.Induct})
			return out, err
		})
		direct, k := of(func(ctx context.Context, o Options) (*Outcome, error) {
			results, err := induction.Prove(ctx, sys, o.Induct)
			return &Outcome{Results: results}, err
		})
		all, work := of(func(ctx context.Context, o Options) (*Outcome, error) {
			return Run(ctx, sys, o)
		})
		for _, proved := range []map[string]bool{lively, safe, direct} {
			for property := range proved {
				if !all[property] {
					t.Errorf("%s: verify does not prove %s", name, property)
				}
			}
		}
		t.Logf("%s: live %d, infer %d, prove %d, verify %d units", name, n, m, k, work)
		if work > 2*(n+m+k)+effort.Million/10 {
			t.Errorf("%s: verify takes more work", name)
		}
	}
}
