package compile

import (
	"fmt"
	"testing"

	"erelong.dev/erelong/internal/logic"
)

// Claims that repeat their own conditions: the ones that follow need no code, and all of them have
// the truth values and the errors that the interpreter gives them.
func TestAssuming(t *testing.T) {
	const text = `sort n
		mutable relation sent(n, 0..20), u(n)
		mutable function f(n): 0..20
		mutable constant k: 0..30
		init k = 0 & !u(A) & f(A) = 3 & (forall A, I: 0..20. !sent(A, I))
		action put(a: n, i: 0..20) { require i = f(a) & k < 24; sent(a, i) := true; k := k + 7; }
		action set(a: n, b: n) { f(a) := if f(a) < 17 then f(a) + 4 else 0; u(b) := !u(b); }
		safety [claim] %s
		instance test { n = 2 }`
	for _, c := range []struct {
		claim string
		no    bool // it needs no code
	}{
		{"forall A. u(A) -> u(A)", true},
		{"forall A, I: 0..20. sent(A, I) -> !u(A) -> sent(A, I) & !u(A)", true},
		{"forall A, I: 0..20. sent(A, I) -> (exists B. u(B) & f(B) = I) -> " +
			"(exists C. u(C) & f(C) = I) & sent(A, f(A)) | !sent(A, f(A))", false},
		{"forall A, I: 0..20. sent(A, I) & (forall B, J: 0..20. sent(B, J) -> J < I | u(B)) -> " +
			"u(A) | (forall C, L: 0..20. sent(C, L) -> L < I | u(C))", true},
		{"forall A, I: 0..20. sent(A, I) -> (forall B. u(B) -> sent(B, I) | u(A))", false},
		{"forall A, B. (u(A) -> u(B)) -> u(A) -> u(B) | f(A) = 3", false},
		{"forall A, B. u(A) & u(B) -> u(A) | f(A) = f(B)", true},
		{"forall A, B. u(A) | u(B) -> u(B) | f(A) < 12", false},
		{"forall A. !(u(A) & f(A) > 3 & !(u(A) & f(A) > 9))", false},
		// Parts that have no value in some states.
		{"forall A. sent(A, k) -> sent(A, k)", false},
		{"forall A. u(A) -> sent(A, k) -> sent(A, k) & u(A)", false},
		{"forall A. k < 20 & sent(A, k) -> k < 20", false},
		{"forall A. u(A) | sent(A, k) | !u(A)", false},
	} {
		m := parse(t, fmt.Sprintf(text, c.claim))
		claims := []*logic.Term{m.System.Property("claim").Term}
		p, err := build(t.Context(), m, claims, Options{})
		if err != nil {
			t.Fatal(err)
		}
		always, err := build(t.Context(), m, []*logic.Term{logic.True}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if no := p.instructions == always.instructions; no != c.no {
			t.Errorf("%s: %d instructions, and %d without it", c.claim, p.instructions,
				always.instructions)
		}
		for _, l := range []*limits{nil, {wordBits: 64}, {wordBits: 13}} {
			compareClaims(t, m, claims, Options{limits: l}, 300)
		}
	}
}
