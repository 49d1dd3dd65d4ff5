package verify

import (
	"context"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

// findAll gives the findings of some pending tasks.
func findAll(t *testing.T, all []pending) (out []*engine.Findings) {
	t.Helper()
	for _, p := range all {
		found, err := p.findings()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, found)
	}
	return out
}

// compareOne compares one exploration for properties of states and temporal properties with two. It
// gives the findings on states, and what the explorations tell.
func compareOne(t *testing.T, r *run, task *engine.Task) (*engine.Findings, []string) {
	t.Helper()
	engines := accepting(r.engines(), task)
	want := findAll(t, r.begin(t.Context(), task, engines, r.sink()))
	var texts []string
	r.o.Progress = func(p engine.Progress) { texts = append(texts, p.Text) }
	got := findAll(t, r.beginTogether(t.Context(), task, engines))
	r.o.Progress = nil
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(result.Result{}, "Elapsed"),
		cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("(-two +one)\n%s\n%s", diff, r.sys)
	}
	return want[0], texts
}

// exploring makes a run and its task for the first instance of a system.
func exploring(t *testing.T, sys *system.System) (*run, *engine.Task) {
	t.Helper()
	r, err := newRun(sys, Options{})
	if err != nil {
		t.Fatal(err)
	}
	task := r.task(engine.Explore)
	task.Instance = sys.Instances[0]
	return r, task
}

// One exploration finds what two find, whether the properties hold or not.
func TestOneExploration(t *testing.T) {
	holding, violated := 0, 0
	for seed := range int64(testkit.Size(25, 80)) {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)),
			systemtest.Options{Bits: 6 + 6*int(seed%2)})
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range sys.Actions {
			a.Fairness = []system.Fairness{system.Unfair, system.Weak, system.Strong}[i%3]
		}
		sys.Properties = append(sys.Properties, &system.Property{Name: "again",
			Kind: system.Temporal, Term: logic.Temporal(logic.OpAlways,
				logic.Temporal(logic.OpEventually, sys.Properties[0].Term))})
		r, task := exploring(t, sys)
		states, _ := compareOne(t, r, task)
		if slices.ContainsFunc(states.Results, isViolated) {
			violated++
		} else {
			holding++
		}
		task.Named = true
		task.Claims = slices.DeleteFunc(slices.Clone(task.Claims), func(c engine.Claim) bool {
			return slices.ContainsFunc(states.Results, func(x result.Result) bool {
				return x.Property == c.Name && x.Verdict != result.Holds
			})
		})
		if task.Has(engine.Claim.IsInvariant) {
			compareOne(t, r, task)
			holding++
		}
	}
	if holding < 15 || violated < 5 {
		t.Errorf("%d explorations of what holds, %d of what is violated", holding, violated)
	}
}

// Where the states are too many for the interpreter, it is one exploration exactly if there is
// nothing to say of the properties of states but that they hold.
func TestOneExplorationCompiled(t *testing.T) {
	const text = `
		mutable constant x: 0..29
		mutable constant y: 0..29
		mutable relation p
		immutable relation r(0..29)
		axiom r(N)
		init x = 0 & y = 0
		fair action up(n: 1..2) { require x < 28; x := x + n; }
		strong fair action on() { require y < 29; y := y + 1; p := x > y; }
		action back() { require y = 29 & p; y := 0; }
		temporal [far] eventually (x >= 28)
		temporal [down] always (y = 7 -> eventually (y = 8))
		instance i { }
		safety [s] `
	for _, c := range []struct {
		safety string
		one    bool
	}{
		{"x <= 29 & y <= 29", true},
		{"x = 3 -> x + y < 40", true},
		{"x = 31 -> p", true},
		{"x + y < 50", false},
		{"p -> y < 20", false},
		{"x + y >= 0 & r(x + 1)", false}, // it has no value where x is 29
	} {
		r, task := exploring(t, testkit.Compile(t, text+c.safety))
		states, texts := compareOne(t, r, task)
		one := !slices.ContainsFunc(texts, func(text string) bool {
			return strings.HasPrefix(text, "exploring") && !strings.Contains(text, "temporal")
		})
		if one != c.one || states.Results[0].States <= 300 {
			t.Errorf("%s: one exploration: %t, want %t; %d states; %q", c.safety, one, c.one,
				states.Results[0].States, texts)
		}
	}
}

// An exploration that is interrupted has seen that the properties of states hold up to a depth.
func TestOneExplorationInterrupted(t *testing.T) {
	r, task := exploring(t, testkit.Compile(t, `
		mutable constant x: int
		mutable constant y: int
		init x = 0 & y = 0
		fair action right() { x := x + 1; }
		action up() { y := y + 1; }
		temporal [again] always eventually (x > 5)
		safety [s] x >= 0 & x + y < 1000000
		instance i { }`))
	ctx, cancel := context.WithCancel(t.Context())
	r.o.Progress = func(p engine.Progress) {
		if p.Done > 2000 {
			cancel()
		}
	}
	defer cancel()
	found := findAll(t, r.beginTogether(ctx, task, accepting(r.engines(), task)))
	x := found[0].Results[0]
	if x.Verdict != result.HoldsUpTo || x.Depth < 10 || x.States < 2000 ||
		x.States < x.Depth*(x.Depth+1)/2 || x.States > (x.Depth+2)*(x.Depth+3)/2 {
		t.Errorf("%+v", x)
	}
	if y := found[1].Results[0]; y.Verdict != result.Unknown {
		t.Errorf("%+v", y)
	}
}
