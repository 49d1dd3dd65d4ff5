package explore

import (
	"math/rand/v2"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/engine/explore/store"
)

// A state is known exactly if it is the last one that was met in its slot.
func TestRecent(t *testing.T) {
	for _, words := range []int{1, 2, 3} {
		r, last := newRecent(words), map[int][]uint64{}
		rng := rand.New(rand.NewPCG(1, uint64(words)))
		known := 0
		for i := range 20000 {
			state := make([]uint64, words)
			if i > 0 { // the first state is all zeros
				for w := range state {
					state[w] = rng.Uint64N(100)
				}
			}
			hash := store.Hash(state)
			before, ok := last[recentSlot(hash)]
			want := ok && slices.Equal(before, state)
			if got := r.has(state, hash); got != want {
				t.Fatalf("%v: got %v, want %v", state, got, want)
			}
			if want {
				known++
			}
			last[recentSlot(hash)] = state
		}
		if words == 1 && known < 10000 {
			t.Errorf("only %d known states were met", known)
		}
	}
}
