package compile

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// Relations of many points that move as a whole: by one place along an argument, with arguments
// exchanged, to another relation, over the borders of words.
func TestShifted(t *testing.T) {
	m := parse(t, `sort n
		mutable relation old(n, n, 0..11), copy(n, n, 0..11)
		mutable function number(n, 0..40): 0..2
		mutable constant k: 0..9
		init k = 0 & !old(A, B, I) & !copy(A, B, I) & number(A, J) = 0
		action send(a: n, b: n) { require k < 2; k := k + 1; old(a, b, k) := true; number(b, 38 + k) := k; }
		action age() { require k > 0 & k < 9; old(A, B, I) := I > 0 & old(A, B, I - 1); k := k + 1; }
		action younger() { require k > 1; old(A, B, I) := I < 11 & old(A, B, I + 1); k := k - 1; }
		action turn() { old(A, B, I) := old(B, A, I); }
		action keep() { copy(A, B, I) := old(A, B, 11 - I); }
		action drop() { old(A, B, I) := !copy(A, B, I) & old(A, B, I); copy(A, B, I) := false; }
		action slide() { number(A, J) := if J > 0 then number(A, J - 1) else 0; }
		safety [few] old(A, B, I) & old(A, B, J) & I != J -> k > 1
		safety [kept] copy(A, B, I) -> k > 0
		instance test { n = 3 }`)
	for _, l := range []*limits{nil, {wordBits: 64, shifted: 1 << 14, update: 4000}, {wordBits: 64},
		{wordBits: 11, shifted: 1 << 14, update: 4000}, {wordBits: 9, shifted: 130, update: 4000}} {
		if seen := compare(t, m, Options{limits: l}, 250); seen.successors == 0 {
			t.Error("no step")
		}
	}
}

// A state of thousands of bits is compiled, and one of more is refused with what makes it smaller.
func TestWideStates(t *testing.T) {
	testkit.InCI(t)
	text := `sort n
		immutable constant top: int
		mutable relation sent(n, 0..top, 0..top, 0..3)
		mutable constant k: 0..9
		init k = 0 & !sent(A, I, J, K)
		action send(a: n, i: 0..top, j: 0..top) {
			require k < 2 & i mod 9 = k & j mod 11 = 7; k := k + 1; sent(a, i, j, 0) := true; }
		action receive(a: n, i: 0..top, j: 0..top, age: 0..3) {
			require sent(a, i, j, age) & k > 1; sent(a, i, j, age) := false; k := k - 1; }
		action older() { sent(A, I, J, K) := K > 0 & sent(A, I, J, K - 1); }
		safety [some] sent(A, I, J, K) -> k > 0
		instance test { n = 2, top = %d }`
	m := parse(t, fmt.Sprintf(text, 29))
	if seen := compare(t, m, Options{}, 40); seen.successors == 0 {
		t.Error("no step")
	}
	m = parse(t, fmt.Sprintf(text, 79))
	_, err := Compile(t.Context(), m, nil, Options{})
	if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "smaller ranges") {
		t.Errorf("error %v", err)
	}
}
