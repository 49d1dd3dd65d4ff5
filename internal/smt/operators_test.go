package smt_test

import (
	"math/rand"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

// Every solver says of formulas with every operator that they have their values, and no others.
func TestOperators(t *testing.T) {
	for _, d := range testkit.Solvers(t) {
		t.Run(d.Name(), func(t *testing.T) {
			for seed := range testkit.Size(3, 20) {
				sys, claims, err := systemtest.Operators(rand.New(rand.NewSource(seed)), 2)
				if err != nil {
					t.Fatal(err)
				}
				base := smt.NewScript()
				var known []*logic.Term
				for _, f := range append(sys.Axioms, sys.Inits...) {
					known = append(known, f.Term)
				}
				for sym, value := range sys.Instances[0].Values {
					known = append(known, logic.Eq(logic.App(sym, logic.Pre), value))
				}
				for _, f := range known {
					if err := base.Assert(f); err != nil {
						t.Fatal(err)
					}
				}
				values := make([]*logic.Term, len(claims))
				for i, c := range claims {
					values[i] = logic.Iff(c.Term, logic.BoolLit(c.Value))
				}
				if got := ask(t, d, base, logic.And(values...)); got == smt.Unsat {
					t.Errorf("seed %d: all values together are %v", seed, got)
				}
				if got := ask(t, d, base, logic.Not(logic.And(values...))); got == smt.Unsat {
					continue
				}
				for i, c := range claims {
					if got := ask(t, d, base, logic.Not(values[i])); got != smt.Unsat {
						t.Errorf("seed %d, operator %d: %s is not %v: %v", seed, c.Op, c.Term,
							c.Value, got)
					}
				}
			}
		})
	}
}

// ask asks whether a formula is possible beside a script.
func ask(t *testing.T, d smt.Driver, base *smt.Script, f *logic.Term) smt.Status {
	t.Helper()
	script := base.Fork()
	if err := script.Assert(f); err != nil {
		t.Fatal(err)
	}
	s := smt.NewSession(d, smt.Config{})
	defer s.Close()
	a, err := s.Check(t.Context(), smt.Query{Base: base.Lines(), Body: script.Lines()})
	if err != nil {
		t.Fatal(err)
	}
	return a.Status
}
