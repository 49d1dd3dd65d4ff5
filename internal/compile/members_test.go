package compile

import (
	"fmt"
	"testing"
)

// Conditions that are relations over parameters, side by side: parameters in order and not, twice,
// shared by several relations, beside other conditions and other parameters.
func TestMembers(t *testing.T) {
	declarations := `sort n
		mutable relation r(n, n, n), q(n, n), u(n)
		mutable constant k: 0..3
		init k = 0 & (forall A, B, C. r(A, B, C) <-> A = B | B = C)
		init (forall A, B. q(A, B) <-> A != B) & !u(A)
		instance test { n = 3 }
		action grow(a: n, b: n) {
			require k < 3; k := k + 1; u(a) := true; q(a, b) := !q(a, b);
		}
		action go(a: n, b: n, c: n, i: 0..3) {
			require %s; r(a, b, c) := false; u(c) := i = k;
		}`
	for _, guard := range []string{
		"r(a, b, c)",
		"r(a, b, c) & q(b, c)",
		"q(b, c) & r(a, b, c)",
		"q(a, b) & u(c) & r(a, b, c)",
		"q(a, b) & q(b, c)",
		"u(b) & r(c, b, a)",
		"r(a, a, b) & q(b, c)",
		"i > 1 & q(b, c) & i = k & u(a)",
		"!q(b, c) & r(a, b, c) | u(a)",
	} {
		m := parse(t, fmt.Sprintf(declarations, guard))
		for _, l := range []*limits{nil, {}, {wordBits: 5}, {wordBits: 64, members: 9}} {
			if seen := compare(t, m, Options{limits: l}, 150); seen.successors == 0 {
				t.Errorf("%s: no step", guard)
			}
		}
	}
}
