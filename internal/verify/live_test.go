package verify

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/ranking"
	"erelong.dev/erelong/internal/front/ere/strip"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// A proof of liveness uses the invariants that inference finds for a safety property; without them,
// there is none.
func TestLivenessWithLemmas(t *testing.T) {
	ctx := testkit.Solving(t)
	sys := testkit.Compile(t, `
		mutable relation x, y, done, bad
		init !x & !y & !done & !bad
		fair action begin() { require !x; x := true; y := true; }
		fair action end() { require x & y & !done; done := true; }
		action fail() { require x & !y; bad := true; }
		safety [good] !bad
		liveness [ends] true ~> done
		instance one { }`)
	for _, infer := range []bool{true, false} {
		out, err := Run(ctx, sys, Options{Prove: true, Live: true, Infer: infer})
		if err != nil {
			t.Fatal(err)
		}
		proved := false
		for _, r := range out.Results {
			proved = proved || r.Property == "ends" && r.Engine == ranking.Name &&
				r.Verdict == result.Holds
		}
		if proved != infer {
			t.Errorf("proved is %v, with inference %v: %+v", proved, infer, out.Results)
		}
	}
}

// Where the file has neither invariants nor safety properties, what a proof of liveness asks of
// pending states is looked for: what is inductive by itself, with simple invariants, or with
// lemmas. What is false in a reachable state is not.
func TestLivenessWithoutInvariants(t *testing.T) {
	ctx := testkit.Solving(t)
	const begin = `
		mutable relation x, y, z, done
		init !x & !y & !z & !done
		fair action begin() { require !x; x := true; y := true; }
		fair action end() { require x & y & !done; done := true; }
		action rest() { require true; }
		`
	const spoil = `
		action spoil() { require x & z; y := false; }
		action prepare() { require x & !y; z := true; }
		`
	// Not x, a and b together: a clause of three literals is no simple invariant.
	const meet = `
		mutable relation x, y, a, b, done
		init !x & !y & !a & !b & !done
		fair action begin() { require !x; x := true; y := true; a := false; }
		fair action end() { require x & y & !done; done := true; }
		action set_a() { require !x | !b; a := true; }
		action set_b() { require !x | !a; b := true; }
		action spoil() { require x & a & b; y := false; }
		`
	for _, c := range []struct {
		name, text string
		lemmas     int // -1 for no proof
	}{
		{"inductive", begin, 1},
		{"with a lemma that is searched", meet, 2},
		{"with simple invariants", begin + spoil, 2}, // what is wanted follows from them
		{"false", begin + "action spoil() { require x; y := false; }", -1},
	} {
		sys := testkit.Compile(t, c.text+"\nliveness [ends] true ~> done\ninstance one { }")
		for _, infer := range []bool{true, false} {
			out, err := Run(ctx, sys, Options{Prove: true, Live: true, LiveOnly: true,
				Infer: infer})
			if err != nil {
				t.Fatal(err)
			}
			proved := false
			for _, r := range out.Results {
				proved = proved || r.Property == "ends" && r.Verdict == result.Holds
			}
			want := max(c.lemmas, 0)
			if !infer {
				want = 0
			}
			if proved != (infer && c.lemmas >= 0) || len(out.Lemmas) != want {
				t.Errorf("%s, inference %v: proved is %v with %+v: %+v", c.name, infer, proved,
					out.Lemmas, out.Results)
			}
		}
	}
}

// A property whose invariants are not found does not keep the others from theirs.
func TestLivenessOfTheNextProperty(t *testing.T) {
	ctx := testkit.Solving(t)
	sys := testkit.Compile(t, `
		mutable relation x, y, done, never
		init !x & !y & !done & !never
		fair action begin() { require !x; x := true; y := true; }
		fair action end() { require x & y & !done; done := true; }
		action rest() { require true; }
		invariant [ends_1] true
		invariant [nothing] done | !done
		liveness [first] true ~> never
		liveness [ends] true ~> done
		instance one { }`)
	out, err := Run(ctx, sys, Options{Prove: true, Live: true, LiveOnly: true, Infer: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range out.Results {
		if r.Property == "ends" && r.Verdict != result.Holds ||
			r.Property == "first" && r.Verdict != result.Unknown {
			t.Errorf("%s: %s %s", r.Property, r.Verdict, r.Reason)
		}
	}
}

// What is good in all states is pending in none: that is found, and is the whole proof.
func TestLivenessOfWhatIsNeverPending(t *testing.T) {
	ctx := testkit.Solving(t)
	sys := testkit.Compile(t, `
		mutable relation on, off
		init on & !off
		action keep() { require on; off := *; }
		action rest() { require true; }
		liveness [lit] true ~> on
		instance one { }`)
	for _, infer := range []bool{true, false} {
		out, err := Run(ctx, sys, Options{Prove: true, Live: true, LiveOnly: true,
			Infer: infer})
		if err != nil {
			t.Fatal(err)
		}
		want := result.Unknown
		if infer {
			want = result.Holds
		}
		if got := out.Results[0]; got.Verdict != want || infer && len(out.Lemmas) != 1 {
			t.Errorf("inference %v: %s: %s, with %+v", infer, got.Verdict, got.Reason, out.Lemmas)
		}
	}
}

// What follows from the invariants needs no lemma, also where a stronger formula before it is not
// inductive.
func TestFirstThatFollows(t *testing.T) {
	sys := testkit.Compile(t, `
		mutable relation x, y
		init x & y
		action spoil() { x := false; }
		invariant [known] y
		liveness [ends] true ~> x
		instance one { }`)
	r, err := newRun(sys, Options{})
	if err != nil {
		t.Fatal(err)
	}
	x := logic.App(sys.Symbols[0], logic.Pre)
	y := logic.App(sys.Symbols[1], logic.Pre)
	l := &liveness{run: r, p: sys.Property("ends")}
	n, alone, err := l.first(testkit.Solving(t), []*system.Property{
		{Name: "stronger", Kind: system.Invariant, Term: x},
		{Name: "weaker", Kind: system.Invariant, Term: logic.Or(x, y)}})
	if n != 1 || alone != nil || err != nil {
		t.Errorf("formula %d with lemmas %v (%v), want 1 without", n, alone, err)
	}
}

// What steps establish, but for values that actions without fairness spoil, is found where no
// invariant is given, and the proof has no other.
func TestLivenessWithWhatStepsEstablish(t *testing.T) {
	ctx := testkit.Solving(t)
	sys := testkit.Compile(t, `
		sort node
		immutable relation bad(node)
		mutable relation sent(node, node)
		mutable relation heard(node, node)
		init !sent(M, N) & !heard(M, N)
		action send(n: node) { require !bad(n); sent(n, N) := true; }
		action trickle(n: node, m: node) { require bad(n); sent(n, m) := true; }
		fair action hear(m: node, n: node) {
			require sent(m, n) & !heard(m, n) & !bad(n);
			heard(m, n) := true;
		}
		action imagine(n: node, m: node) { require bad(n); heard(m, n) := !heard(m, n); }
		action rest() { require true; }
		liveness [all_hear] forall M: node, N: node.
			!bad(M) & !bad(N) & (exists K. !bad(K) & heard(M, K)) ~> heard(M, N)
		instance two { node = 2 }`)
	out, err := Run(ctx, sys, Options{Prove: true, Live: true, LiveOnly: true, Infer: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := out.Results[0]; got.Verdict != result.Holds {
		t.Errorf("%s: %s", got.Verdict, got.Reason)
	}
	var found []string
	for _, l := range out.Lemmas {
		found = append(found, l.Term.String())
	}
	if !slices.Equal(found, []string{
		"forall V1:node, V2:node, W2:node. bad(V1) | (sent(V1, V2) -> sent(V1, W2))",
		"forall V1:node, V2:node. bad(V2) | (heard(V1, V2) -> sent(V1, V2))",
	}) {
		t.Errorf("found: %s", strings.Join(found, "; "))
	}
}

// withoutHelp is an example of liveness without its invariants and hints.
func withoutHelp(t *testing.T, name string) *system.System {
	t.Helper()
	return stripped(t, name, func(name, text string) (string, error) {
		return strip.Source(name, text, true)
	})
}

// stripped is an example of liveness of which something is taken away.
func stripped(
	t *testing.T, name string, of func(name, text string) (string, error),
) *system.System {
	t.Helper()
	path := filepath.Join("..", "..", "examples", "liveness", name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := of(path, string(text))
	if err != nil {
		t.Fatal(err)
	}
	return testkit.Compile(t, rest)
}

// Hybrid broadcast is proved without its hints, with one solver.
func TestHybridBroadcastWithoutHints(t *testing.T) {
	testkit.InFull(t)
	sys, o := stripped(t, "hybrid_broadcast.ere", strip.Hints), Default() // as the command live
	o.LiveOnly, o.Instances, o.Effort = true, sys.Instances, 0            // no limit
	o.Induct.Drivers = testkit.Solvers(t)[:1]
	out, err := Run(testkit.Solving(t), sys, o)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(out.Results, func(r result.Result) bool {
		return r.Property == "relay" && r.Scope == result.ScopeAll && r.Verdict == result.Holds
	}) {
		t.Errorf("no proof: %+v", out.Results)
	}
}

// Hybrid broadcast is proved without its invariants and hints.
func TestHybridBroadcastWithoutHelp(t *testing.T) {
	testkit.InLong(t)
	ctx := testkit.Solving(t)
	out, err := Run(ctx, withoutHelp(t, "hybrid_broadcast.ere"), Options{Prove: true,
		Live: true, LiveOnly: true, Infer: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := out.Results[0]; got.Verdict != result.Holds {
		t.Errorf("%s: %s", got.Verdict, got.Reason)
	}
}
