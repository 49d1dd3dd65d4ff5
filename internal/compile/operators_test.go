package compile

import (
	"math/rand"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system/systemtest"
)

// Compiled formulas with every operator have their values.
func TestOperators(t *testing.T) {
	for seed := range int64(10) {
		sys, claims, err := systemtest.Operators(rand.New(rand.NewSource(seed)), 3)
		if err != nil {
			t.Fatal(err)
		}
		m := model(t, sys, sys.Instances[0])
		var states []interp.State
		if err := m.Initial(t.Context(), func(s interp.State) error {
			states = append(states, s.Clone())
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		var terms []*logic.Term
		for _, c := range claims {
			terms = append(terms, c.Term)
		}
		p, packed := compileWide(t, m, terms, Options{}, states)
		w, err := p.Worker()
		if err != nil {
			t.Fatal(err)
		}
		b, err := w.Expand(packed)
		if err != nil || len(b.Failed) > 0 {
			t.Fatalf("seed %d: %v, %d states fail", seed, err, len(b.Failed))
		}
		words := (len(terms) + 63) / 64
		for i := range states {
			for k, c := range claims {
				if violated := b.Violated[i*words+k/64]>>(k%64)&1 == 1; violated == c.Value {
					t.Errorf("seed %d, operator %d: %s is %v", seed, c.Op, c.Term, !violated)
				}
			}
		}
		w.Close()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}
