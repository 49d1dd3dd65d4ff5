package discharge

import (
	"fmt"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/vc"
)

// TestEasyFirst has one obligation without a proof before many that a first look proves: it is
// decided after them, so that a limit of time ends with most of them proved.
func TestEasyFirst(t *testing.T) {
	driver, end := smt.Reuse(testkit.Solvers(t)[0])
	defer end()
	a := &logic.Symbol{Name: "a", Result: logic.Bool, Mutable: true}
	theory := &vc.Theory{}
	theory.AssumeAs("invariant", logic.App(a, 0))
	g := &Group{Theory: theory, Path: vc.Path{Kind: result.ToInduction}}
	for i := range manyEasy {
		goal := logic.App(a, 0)
		if i == 0 {
			goal = logic.Not(goal)
		}
		g.Obligations = append(g.Obligations, &Obligation{Goal: goal,
			Obligation: result.Obligation{Name: fmt.Sprint(i)}})
	}
	var order []string
	d, err := New(t.Context(), testkit.Compile(t, "safety true"), Options{
		Drivers: []smt.Driver{driver},
		Jobs:    1,
		Progress: func(_, _ int, o result.Obligation) {
			order = append(order, fmt.Sprint(o.Name, " ", o.Verdict))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	d.All(t.Context(), []*Group{g})
	if len(order) != manyEasy || order[0] != "1 holds" ||
		order[manyEasy-1] != "0 not inductive" {
		t.Errorf("the obligations were decided in the order %q", order)
	}
}

// TestCountedOnce asks about an obligation before it is expected and once more, which the progress
// counts as one.
func TestCountedOnce(t *testing.T) {
	driver, end := smt.Reuse(testkit.Solvers(t)[0])
	defer end()
	o := &Obligation{Goal: logic.True, Obligation: result.Obligation{Name: "o"}}
	g := &Group{Theory: &vc.Theory{}, Path: vc.Path{Kind: result.ToInduction},
		Obligations: []*Obligation{o}}
	var told []string
	d, err := New(t.Context(), testkit.Compile(t, "safety true"), Options{
		Drivers: []smt.Driver{driver},
		Jobs:    1,
		Progress: func(done, total int, _ result.Obligation) {
			told = append(told, fmt.Sprint(done, " of ", total))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	d.Easily(t.Context(), g)
	for range 2 {
		o.Verdict = ""
		d.All(t.Context(), []*Group{g})
	}
	if fmt.Sprint(told) != "[0 of 0 1 of 1 1 of 1]" {
		t.Errorf("the progress is %q", told)
	}
}
