package discharge

import (
	"context"
	"os"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/vc"
)

// The interpreter confirms each model found. A goal that follows has no model, and the same
// dialogue proves it.
func TestDialogue(t *testing.T) {
	sys, _, err := ere.Compile("test.ere", `
		sort node
		enum colour { red, green }
		immutable constant top: int
		axiom top >= 1
		type number = 0..top
		mutable relation r(node, node)
		mutable function f(node): number
		mutable function paint(colour): node
		invariant [assumed] (forall X: node. exists Y. r(X, Y) & X != Y) & (forall K: number. exists X. f(X) = K)
		invariant [in_range] 0 <= f(X) & f(X) <= top
		invariant [all_colours] forall C: colour. exists D: colour. paint(C) != paint(D)
		invariant [refuted] forall X, Y. r(X, Y) -> f(X) <= f(Y)
		invariant [follows] exists X, Y. r(X, Y) & X != Y & f(X) >= 0`)
	if err != nil {
		t.Fatal(err)
	}
	d, err := New(t.Context(), sys, Options{Drivers: testkit.Solvers(t)})
	if err != nil {
		t.Fatal(err)
	}
	here := vc.Versions{}
	theory := &vc.Theory{}
	theory.Background(sys, nil, here)
	for _, name := range []string{"assumed", "in_range", "all_colours"} {
		theory.Assume(sys.Property(name).Term)
	}
	talk := d.Dialogue(&Group{Theory: theory,
		Path: vc.Path{Kind: result.ToInduction, States: []vc.Versions{here}}})
	defer talk.Close()
	for range 2 {
		tr := talk.Model(t.Context(), sys.Property("refuted").Term)
		if tr == nil {
			t.Fatal("no model")
		}
		in, err := interp.InstanceOf(sys, tr)
		if err != nil {
			t.Fatal(err)
		}
		m, err := interp.NewModel(sys, in)
		if err != nil {
			t.Fatal(err)
		}
		state, err := m.StateOf(slices.Concat(tr.Params, tr.Steps[0].State)...)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"assumed", "in_range", "all_colours", "refuted", "follows"} {
			if holds, err := m.Holds(sys.Property(name).Term, state); err != nil ||
				holds == (name == "refuted") {
				t.Errorf("%s: %t %v", name, holds, err)
			}
		}
		if tr := talk.Model(t.Context(), sys.Property("follows").Term); tr != nil {
			t.Error("a model of what does not exist")
		}
		o := &Obligation{Goal: sys.Property("follows").Term}
		if talk.Decide(t.Context(), o.FirstAttempt()); o.Verdict != result.Holds {
			t.Errorf("%s: %s", o.Verdict, o.Reason)
		}
		talk.Close() // the second time, other processes answer
	}
}

// Nothing is asked after an interrupt.
func TestInterruptedDialogue(t *testing.T) {
	dir := t.TempDir()
	d, err := New(t.Context(), testkit.Compile(t, "safety true"),
		Options{Drivers: testkit.Solvers(t), LogDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	talk := d.Dialogue(&Group{Theory: &vc.Theory{},
		Path: vc.Path{Kind: result.ToInduction, States: []vc.Versions{{}}}})
	defer talk.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := &Obligation{Goal: p}
	if talk.Decide(ctx, o); !o.Reason.Ended() {
		t.Errorf("%s: %s", o.Verdict, o.Reason)
	}
	if talk.Model(ctx, p) != nil {
		t.Error("a model after the interrupt")
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("%d questions, %v", len(files), err)
	}
}

// Only a proof settles what it implies.
func TestFollowsFrom(t *testing.T) {
	solver := result.Solver{Name: "some", Version: "1"}
	for _, verdict := range []result.Verdict{result.Holds, result.NotInductive, result.Unknown, ""} {
		by, o := &Obligation{}, &Obligation{}
		by.Verdict, by.Solver, by.Method = verdict, solver, "macro"
		o.FollowsFrom(by)
		if holds := verdict == result.Holds; (o.Verdict == result.Holds) != holds ||
			(o.Solver == solver) != holds || !holds && o.Verdict != "" {
			t.Errorf("from %q follows %q by %s", verdict, o.Verdict, o.Solver)
		}
	}
	o := &Obligation{}
	if o.FollowsFrom(nil); o.Verdict != "" {
		t.Errorf("from nothing follows %q", o.Verdict)
	}
}
