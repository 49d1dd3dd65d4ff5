package induction_test

import (
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// Products are first replaced by unknowns. Only proofs count there: an obligation with a model then
// is asked unchanged.
func TestProducts(t *testing.T) {
	z3 := testkit.Solvers(t, "z3")
	const text = `
immutable constant a: int
immutable constant b: int
immutable constant x: int
mutable constant n: int
mutable constant sum: int
axiom a >= 1 & b >= 1
init n = b & sum = a * b
action more() { n := n + 1; sum := sum + a; }
action less() { require n > 0; sum := sum - a; n := n - 1; }
action triple() { n := 3 * n; sum := 3 * sum; }
safety [product] sum = a * n
safety [large] sum >= n
safety [positive] n >= 0
safety [wrong] sum >= 2 * n
theorem [needs_products] x * x >= 5 * x - 6
theorem [false_at_2] x * x >= 5 * x - 5`
	want := map[string]result.Verdict{
		"product": result.Holds, "large": result.Holds, "positive": result.Holds,
		"wrong":          result.NotInductive,
		"needs_products": result.Holds, "false_at_2": result.Violated,
	}
	results, err := induction.Prove(t.Context(), testkit.Compile(t, text),
		induction.Options{Options: discharge.Options{Drivers: z3}})
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != len(want) {
		t.Errorf("%d results", len(results))
	}
	for _, r := range results {
		if r.Verdict != want[r.Property] {
			t.Errorf("%s: %s, %s", r.Property, r.Verdict, r.Reason)
		}
	}

	results, err = induction.Prove(t.Context(), testkit.Compile(t, `
immutable constant a: int
mutable constant n: int
axiom a >= 2
init a * a = a
action more() { n := n + 1; }
safety [anything] n = 0`), induction.Options{Options: discharge.Options{Drivers: z3}})
	if err != nil {
		t.Fatal(err)
	}
	if r := results[0]; r.Verdict != result.NothingChecked {
		t.Errorf("without an initial state: %s, %s", r.Verdict, r.Reason)
	}
}
