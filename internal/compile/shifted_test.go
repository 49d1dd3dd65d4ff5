package compile

import "testing"

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
	for _, l := range []*limits{nil, {wordBits: 64, shifted: 512, update: 4000}, {wordBits: 64},
		{wordBits: 11, shifted: 512, update: 4000}, {wordBits: 9, shifted: 130, update: 4000}} {
		if seen := compare(t, m, Options{limits: l}, 250); seen.successors == 0 {
			t.Error("no step")
		}
	}
}
