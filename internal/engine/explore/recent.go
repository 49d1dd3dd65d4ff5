package explore

import (
	"slices"

	"erelong.dev/erelong/internal/engine/explore/store"
)

// recent remembers some of the states that were met last, one for each value of the lowest bits of
// a hash. Neighbours in the order of a search have many successors in common, so most successors
// that are known were met a short time before.
type recent struct {
	words  int
	states []uint64
	// Where all successors are wanted: the number of each state, or a candidate of the round.
	targets []uint64
	open    []uint32 // slots that were filled since the last round; all, if they are recentSlots
}

const (
	recentSlots = 1 << 14
	RecentFrom  = 1 << 12 // the number of states from which on it pays to remember them
	recentTrial = 1 << 16 // the number of successors that show whether it pays
)

// newRecent remembers no state: each slot holds one that belongs to another slot.
func newRecent(words int) *recent {
	r := &recent{words: words, states: make([]uint64, recentSlots*words)}
	zero := make([]uint64, words)
	at, other := recentSlot(store.Hash(zero)), make([]uint64, words)
	for other[0]++; recentSlot(store.Hash(other)) == at; {
		other[0]++
	}
	copy(r.states[at*words:], other)
	return r
}

func recentSlot(hash uint64) int { return int(hash % recentSlots) }

// has reports whether a state is remembered, and remembers it.
func (r *recent) has(state []uint64, hash uint64) bool {
	if r.words == 1 {
		return r.newWord(state[0], hash) == 0
	}
	at := recentSlot(hash)
	slot := r.states[at*r.words : (at+1)*r.words]
	if slices.Equal(slot, state) {
		return true
	}
	copy(slot, state)
	return false
}

// newWord is has for states of one word; it returns 1 for a state that is not remembered, else 0.
func (r *recent) newWord(state, hash uint64) (new int) {
	at := recentSlot(hash)
	if r.states[at] != state {
		new = 1
	}
	r.states[at] = state
	return new
}
