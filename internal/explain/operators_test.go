package explain_test

import (
	"testing"

	"erelong.dev/erelong/internal/explain"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/system/systemtest/states"
)

// Formulas with every operator have their values in explanations, and so has each part.
func TestOperators(t *testing.T) {
	parts := 0
	states.Operators(t, func(
		seed int64, m *interp.Model, s interp.State, claims []systemtest.Claim,
	) {
		for _, c := range claims {
			n, err := explain.Explain(m, c.Term, s)
			if err != nil || (n.Value == 1) != c.Value {
				t.Errorf("seed %d, operator %d: %s is explained as %+v (%v)", seed, c.Op, c.Term, n,
					err)
				continue
			}
			var check func(n *explain.Node)
			check = func(n *explain.Node) {
				parts++
				if v, err := m.Eval(n.Closed, s); err != nil || v != n.Value {
					t.Errorf("seed %d: %s, a part of %s, is %d, not %d (%v)", seed, n.Closed,
						c.Term, v, n.Value, err)
				}
				for _, p := range n.Subformulas {
					check(p)
				}
			}
			check(n)
		}
	})
	if parts < 10_000 {
		t.Errorf("only %d parts are explained", parts)
	}
}
