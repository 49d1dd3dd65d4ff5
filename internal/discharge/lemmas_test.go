package discharge

import (
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/vc"
)

// TestLemmas has goals that follow from a proved one alone, from it and the step, and from neither.
// A goal that is not proved, which has the same form, is no lemma.
func TestLemmas(t *testing.T) {
	driver, end := smt.Reuse(testkit.Solvers(t)[0])
	defer end()
	symbol := func(name string) *logic.Symbol {
		return &logic.Symbol{Name: name, Result: logic.Bool, Mutable: true}
	}
	a, b, c, e := symbol("a"), symbol("b"), symbol("c"), symbol("e")
	theory := &vc.Theory{}
	theory.Updates = []vc.Update{{Symbol: b, Version: 1, Value: logic.App(a, 1)}}
	proved := &Obligation{Goal: logic.App(a, 1), provers: []string{"some solver"}}
	proved.Verdict = result.Holds
	unproved := &Obligation{Goal: logic.App(e, 1)}
	unproved.Verdict = result.Unknown
	alone := &Obligation{Goal: logic.Or(logic.App(a, 1), logic.App(c, 1))}
	step := &Obligation{Goal: logic.App(b, 1)}
	neither := &Obligation{Goal: logic.App(c, 1)}
	other := &Obligation{Goal: logic.Or(logic.App(e, 1), logic.App(c, 1))}
	g := &Group{Theory: theory, Path: vc.Path{Kind: result.ToInduction,
		Steps: [][]vc.Alternative{{}}}, Obligations: []*Obligation{neither, other, step, alone,
		proved, unproved}}
	d, err := New(t.Context(), testkit.Compile(t, "safety true"),
		Options{Drivers: []smt.Driver{driver}, Jobs: 1, Cache: smt.NewCache(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	d.byLemmas(t.Context(), g)
	for _, o := range []*Obligation{alone, step} {
		if o.Verdict != result.Holds || len(o.provers) < 2 || o.Needs != nil {
			t.Errorf("%s: %q by %q", o.Goal, o.Verdict, o.provers)
		}
	}
	for _, o := range []*Obligation{neither, other} {
		if o.Verdict != "" {
			t.Errorf("%s: %s", o.Goal, o.Verdict)
		}
	}
	// A later run has the proofs for the asking, without the lemmas.
	kept := newAsker(d, g)
	defer kept.close()
	for o, want := range map[*Obligation]bool{alone: true, step: true, neither: false} {
		if k := kept.recall(o); (k.proof != nil) != want {
			t.Errorf("%s: kept is %v", o.Goal, !want)
		}
	}
}
