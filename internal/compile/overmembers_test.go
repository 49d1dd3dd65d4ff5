package compile

import (
	"fmt"
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// Quantifiers over what relations contain: variables in another order than the arguments, beside
// other variables and other arguments, bools and ranges that do not begin with 0, several words of
// points, conditions that are not the first ones, points that have changed in the step.
func TestOverMembers(t *testing.T) {
	declarations := `sort n
		mutable relation sent(n, 3..5, bool), wide(n, 0..40), u(n)
		mutable constant k: 0..3
		init k = 0 & !u(A) & (forall A, I: 3..5, B: bool. sent(A, I, B) <-> I = 4 & B)
		init forall A, I: 0..40. wide(A, I) <-> I = 3 | I = 40
		instance test { n = 3 }
		action grow(a: n, i: 3..5, b: bool) {
			require k < 2; k := k + 1; sent(a, i, b) := !sent(a, i, b); wide(a, 7 * i) := b;
		}
		action go(a: n) { require %s; u(a) := !u(a); }
		action after(a: n, i: 3..5) {
			wide(n0, 40) := false; sent(a, i, true) := !sent(a, i, true); require %[1]s; u(a) := false;
		}
		safety [other] %[1]s`
	for i, formula := range []string{
		"(forall x: n, i: 3..5, b: bool. sent(x, i, b) -> b | u(x))",
		"(exists b: bool, i: 3..5, x: n. sent(x, i, b) & !b & !u(x))",
		"(forall y: n, i: 3..5, b: bool. sent(y, i, b) -> forall z: n. u(z) -> sent(z, i, b))",
		"(exists i: 3..5, b: bool, z: n. sent(z, i, b) & k + 2 = i & !u(z))",
		"(exists i: 0..40. wide(n0, i) & i > k & i != 40)",
		"(forall x: n, i: 0..40. wide(x, i) -> i >= k & " +
			"(exists j: 0..40. wide(x, j) & j > i | i = 40))",
		"(forall x: n, b: bool, i: 3..5. u(x) & sent(x, i, b) -> b)",
		"(exists i: 3..5, b: bool. sent(n0, i, !b) & b)",
		// Equations fix the first variables of the points, or do not.
		"(exists z: n, i: 3..5, b: bool. sent(z, i, b) & z = n1 & i = k + 3 & !u(z))",
		"(forall z: n, i: 3..5, b: bool. sent(z, i, b) -> n0 = z & i = 4 -> b | u(z))",
		"(forall z: n, i: 3..5, b: bool. sent(z, i, b) & i = 5 & z = n1 -> !b)",
		"(exists x: n, i: 0..40. wide(x, i) & x = n1 & 13 * k + 1 = i)",
		"(forall x: n, i: 0..40. wide(x, i) -> x = (if u(n1) then n0 else n1) -> i > 3)",
		"(exists y: n, x: n, i: 0..40. wide(x, i) & x = y & y = n1 & i > k)",
		"(exists x: n, i: 0..40. wide(x, i) & i = i & x = n0 & x = n1 & i < 41)",
		"(forall x: n, i: 0..40, b: bool. wide(x, i) -> b = u(x) -> x = n1 -> i = 40 | b)",
		"(forall z: n, i: 3..5, b: bool. sent(z, i, b) -> b = u(n1) -> z = n1 -> u(z))",
		"(exists i: 3..5, b: bool. sent(n1, i, b) & i = k + 2 & !b)",
		// The same in other words.
		"(forall z: n, i: 3..5, b: bool. !sent(z, i, b) | !(i = 5 & z = n1) | !b)",
		"(forall x: n, i: 0..40. !(wide(x, i) & x = n1) | u(x) | i > 3)",
		"(exists z: n, i: 3..5, b: bool. !(sent(z, i, b) -> z = n1 -> i = k + 3 -> u(z)))",
		"(exists x: n, i: 0..40. !(!wide(x, i) | x != n1 | 13 * k + 1 != i))",
	} {
		if !testkit.One(i, 3) {
			continue
		}
		m := parse(t, "immutable constant n0: n\nimmutable constant n1: n\n"+
			fmt.Sprintf(declarations, formula))
		for _, l := range []*limits{nil, {wordBits: 64}, {wordBits: 11}} {
			if seen := compare(t, m, Options{limits: l}, 150); seen.successors == 0 {
				t.Errorf("%s: no step", formula)
			}
		}
	}
}
