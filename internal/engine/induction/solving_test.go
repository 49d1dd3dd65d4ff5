package induction

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// prove gives the results, which must be there.
func prove(ctx context.Context, t *testing.T, sys *system.System, opts Options) []result.Result {
	t.Helper()
	results, err := Prove(ctx, sys, opts)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// obligations calls f for each obligation of the results.
func obligations(results []result.Result, f func(result.Obligation)) {
	for _, r := range results {
		for _, o := range r.Evidence.Obligations {
			f(o)
		}
	}
}

// Split at once, with cores, and then from a cache, the engine gives the verdicts of the oracle.
func TestSplitAndCached(t *testing.T) {
	ctx := testkit.Solving(t)
	seen := map[string]int{}
	for seed := range testkit.Size(5, 12) {
		sys := generate(seed)
		cache := smt.NewCache(t.TempDir())
		var notes []string
		opts := discharge.Options{Note: func(n string) { notes = append(notes, n) }}
		cached := opts
		cached.Cores, cached.Cache = true, cache
		verified := cached
		verified.Verify = true
		split := opts
		split.Split = true
		for _, o := range []discharge.Options{split, cached, cached, verified} {
			results := prove(ctx, t, sys, Options{Options: o})
			comparison{t, seed, sys, newOracle(sys), results, seen}.compare()
			obligations(results, func(o result.Obligation) {
				if o.Cached {
					seen["cached"]++
				}
				if strings.Contains(o.Method, "parts") {
					seen["split"]++
				}
				if strings.Contains(o.Method, "held before") {
					seen["split as before"]++
				}
				if len(o.Needs) > 0 {
					seen["needs"]++
				}
			})
		}
		if len(notes) > 0 {
			t.Errorf("seed %d: %q", seed, notes)
		}
	}
	for _, want := range []string{"cached", "split", "split as before", "needs",
		"safety holds", "safety not inductive"} {
		if seen[want] == 0 {
			t.Errorf("nothing was %s: %v", want, seen)
		}
	}
}

// agree compares with an undisturbed run: an answer may be missing, but not different.
func agree(t *testing.T, seed int64, undisturbed, results []result.Result) (missing int) {
	t.Helper()
	if len(results) != len(undisturbed) {
		t.Fatalf("seed %d: %d results instead of %d", seed, len(results), len(undisturbed))
	}
	for i, r := range results {
		want := undisturbed[i]
		switch {
		case r.Verdict == want.Verdict:
		case r.Verdict == result.Unknown:
			missing++
		case want.Verdict == result.NothingChecked:
			// it is unknown whether there are initial states
			missing++
		default:
			t.Errorf("seed %d: %s is %s (%s), undisturbed %s", seed, r.Property, r.Verdict,
				r.Reason, want.Verdict)
		}
	}
	return missing
}

// With very little for the first attempt, many obligations are raced, and the verdicts are the
// same.
func TestRaced(t *testing.T) {
	ctx := testkit.Solving(t)
	raced := 0
	for seed := range testkit.Size(3, 5) {
		sys := generate(seed)
		undisturbed := prove(ctx, t, sys, Options{})
		results := prove(ctx, t, sys, Options{Options: discharge.Options{Jobs: 4, Lead: 400}})
		agree(t, seed, undisturbed, results)
		obligations(results, func(o result.Obligation) {
			if strings.Contains(o.Method, "new process") {
				raced++
			}
		})
	}
	if raced == 0 {
		t.Error("there was no race")
	}
}

// A limit that is too low for most questions costs a few more of them, and not many.
func TestLowLimit(t *testing.T) {
	ctx := testkit.Solving(t)
	sys := testkit.Compile(t, `sort client
mutable relation waiting(client), inside(client)
init !waiting(C) & !inside(C)
action ask(c: client) { waiting(c) := true; }
action enter(c: client) { require waiting(c) & !(exists D. inside(D)); inside(c) := true; waiting(c) := false; }
action leave(c: client) { require inside(c); inside(c) := false; }
safety [mutex] inside(C) & inside(D) -> C = D
safety [apart] !(waiting(C) & inside(C)) | (exists D. inside(D))
`)
	asked := func(rlimit int64) (n int64) {
		for _, r := range prove(ctx, t, sys,
			Options{Options: discharge.Options{Solving: discharge.Solving{Rlimit: rlimit}}}) {
			n += r.Queries
			if rlimit == 0 && r.Verdict != result.Holds {
				t.Fatalf("%s: %s", r.Property, r.Verdict)
			}
		}
		return n
	}
	if usual, low := asked(0), asked(100); low > 5*usual {
		t.Errorf("%d questions at a low limit, and %d at the usual one", low, usual)
	} else {
		t.Logf("%d questions at a low limit, and %d at the usual one", low, usual)
	}
}

// TestManyBranches proves properties of an action with hundreds of branches in a row, which read
// the results, with each solver alone, at a low limit.
func TestManyBranches(t *testing.T) {
	text := "mutable constant x: 0..7\nmutable constant y: int\nmutable constant c: int\nmutable constant d: int\nmutable constant s: int\n" +
		"init x = 0 & y = 0 & c = 0 & d = 0 & s = 0\naction a() {\n" +
		strings.Repeat("if x = y { c := c + 1; x := if x < 7 then x + 1 else 0; } else { d := d + 1; y := x; }\n", 300) +
		"s := s + 300;\n}\nsafety [sum] c + d = s\ninvariant [positive] c >= 0 & d >= 0\n"
	ctx := testkit.Solving(t)
	for _, d := range testkit.Solvers(t) {
		results := prove(ctx, t, testkit.Compile(t, text),
			Options{Options: discharge.Options{Drivers: []smt.Driver{d},
				Solving: discharge.Solving{Rlimit: 1_000_000}}})
		if len(results) != 3 {
			t.Fatalf("%d results", len(results))
		}
		for _, r := range results {
			if r.Verdict != result.Holds {
				t.Errorf("%s: %s: %s, %s", smt.Label(d), r.Property, r.Verdict, r.Reason)
			}
		}
		obligations(results, func(o result.Obligation) {
			if o.Rlimit > 100_000 {
				t.Errorf("%s: %s costs %d", smt.Label(d), o.Name, o.Rlimit)
			}
		})
	}
}

// TestHopelessBranches asks about a step of hundreds of branches that solvers cannot decide. They
// get a few small questions, and the reason names the limit.
func TestHopelessBranches(t *testing.T) {
	text := "mutable constant x: 0..7\nmutable constant y: 0..7\ninit x = 0 & y = 1\naction a() {\n" +
		strings.Repeat("if x = y { x := if x < 7 then x + 1 else 0; } else { y := if y < 7 then y + 1 else 0; }\n", 500) +
		"}\nsafety [p] x != 3\n"
	ctx, drivers := testkit.Solving(t), testkit.Solvers(t)
	for _, r := range prove(ctx, t, testkit.Compile(t, text),
		Options{Options: discharge.Options{Drivers: drivers}}) {
		if r.Property != "p" {
			continue
		}
		if r.Verdict == result.Holds {
			t.Error("the property is not inductive")
		}
		if r.Verdict == result.Unknown && !strings.Contains(r.Reason.Text, "has a thirtieth of the limit") {
			t.Errorf("reason: %s", r.Reason.Text)
		}
		obligations([]result.Result{r}, func(o result.Obligation) {
			if o.Rlimit > 4*discharge.DefaultRlimit/30 || o.Queries > 4 {
				t.Errorf("%s: %d queries cost %d", o.Name, o.Queries, o.Rlimit)
			}
		})
	}
}

// TestManyConjuncts proves hundreds of conjuncts with a few questions, and finds the ones among
// them that are not inductive.
func TestManyConjuncts(t *testing.T) {
	conjuncts := make([]string, 220)
	for i := range conjuncts {
		conjuncts[i] = fmt.Sprintf("x <= %d", i+5)
	}
	file := func(safety string) *system.System {
		return testkit.Compile(t, "mutable constant x: int\nmutable constant y: int\ninit x = 0 & y = 0\n"+
			"action a() { if x < 5 { x := x + 1; } y := y + x; }\n"+safety)
	}
	ctx := testkit.Solving(t)
	queries := func(results []result.Result) (n int64) {
		for _, r := range results {
			n += r.Queries
		}
		return n
	}
	cache := smt.NewCache(t.TempDir())
	opts := Options{Options: discharge.Options{Cores: true, Cache: cache}}
	for cached := range 2 {
		results := prove(ctx, t, file("safety [p] "+strings.Join(conjuncts, " & ")), opts)
		n := queries(results)
		if results[0].Verdict != result.Holds || n > 10 || n > 0 && cached == 1 {
			t.Errorf("%s after %d queries", results[0].Verdict, n)
		}
	}
	for _, place := range []int{0, 130} {
		all := slices.Insert(slices.Clone(conjuncts), place, "y <= 7")
		results := prove(ctx, t, file("safety [p] "+strings.Join(all, " & ")), Options{})
		if results[0].Verdict != result.NotInductive || queries(results) > 100 {
			t.Errorf("%s after %d queries", results[0].Verdict, queries(results))
		}
		obligations(results, func(o result.Obligation) {
			if wrong := o.Action == "a" &&
				o.Conjunct == place; wrong != (o.Verdict == result.NotInductive) {
				t.Errorf("%s, conjunct %d: %s", o.Name, o.Conjunct, o.Verdict)
			}
		})
	}
}

// disjunctive is a system of which a disjunction of conjunctions is claimed of each element; the
// oracle needs two elements. Actions change some truth values of one element, or of all.
func disjunctive(t *testing.T, seed int64) *system.System {
	rng := rand.New(rand.NewSource(seed))
	literal := func(of string) string {
		return []string{"", "!"}[rng.Intn(2)] + string("pqr"[rng.Intn(3)]) + "(" + of + ")"
	}
	several := func(n int, with string, one func() string) string {
		var out []string
		for range n {
			out = append(out, one())
		}
		return "(" + strings.Join(out, with) + ")"
	}
	cases := func(of string) string {
		return several(2+rng.Intn(2), " | ", func() string {
			return several(1+rng.Intn(2), " & ", func() string { return literal(of) })
		})
	}
	text := `
sort node
immutable constant one: node
immutable constant two: node
axiom one != two & (forall X. X = one | X = two)
mutable relation p(node), q(node), r(node)
`
	text += "init forall X. " + several(2, " & ", func() string { return literal("X") }) + "\n"
	for i := range 1 + rng.Intn(2) {
		text += fmt.Sprintf("action a%d(n: node) { require %s; ", i, literal("n"))
		for _, relation := range "pqr" {
			if rng.Intn(2) == 0 {
				text += fmt.Sprintf("%c(n) := %s; ", relation,
					[]string{"true", "false", literal("n")}[rng.Intn(3)])
			}
		}
		text += "}\n"
	}
	claim := several(2+rng.Intn(2), " | ", func() string {
		return literal("X") + " & (" + []string{"forall Y. X != Y -> ", "exists Y. "}[rng.Intn(2)] +
			cases("Y") + ")"
	})
	return testkit.Compile(t, text+"safety [claim] forall X. "+claim+"\n")
}

// TestSplitAsBefore proves disjunctions by the cases of what held before the step.
func TestSplitAsBefore(t *testing.T) {
	ctx := testkit.Solving(t)
	seen := map[string]int{}
	for seed := range testkit.Size(60, 400) {
		sys := disjunctive(t, seed)
		results := prove(ctx, t, sys, Options{Options: discharge.Options{Split: true}})
		comparison{t, seed, sys, newOracle(sys), results, seen}.compare()
		obligations(results, func(o result.Obligation) {
			if strings.Contains(o.Method, "held before") {
				seen["by cases"]++
			}
		})
	}
	t.Log(seen)
	for _, want := range []string{"by cases", "safety holds", "safety not inductive"} {
		if seen[want] < 5 {
			t.Errorf("%s: %d", want, seen[want])
		}
	}
}
