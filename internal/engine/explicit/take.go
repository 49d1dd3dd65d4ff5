package explicit

import (
	"slices"

	"erelong.dev/erelong/internal/engine/explicit/store"
)

// take adds the transitions of one state, in the order of the actions. Equal actions with equal
// successors are one transition. The successor of a transition becomes a candidate unless it is
// known already.
func (x *expander) take(t *task, states []uint64, actions []uint16, parent uint32) {
	first := t.found
	kept := slices.Grow(x.kept[:0], len(states))[:len(states)]
	hashes := slices.Grow(x.hashes[:0], len(actions))[:len(actions)]
	x.kept, x.hashes = kept, hashes
	count := 0
	for len(actions) > 0 {
		n := 1
		for n < len(actions) && actions[n] == actions[0] {
			n++
		}
		t.enabled[actions[0]] = true
		x.taken.start(states[:n*x.words], x.words)
		for k := range n {
			var hash uint64
			if x.words == 1 {
				state := states[k]
				hash = store.Hash1(state)
				if x.taken.has(k, hash) {
					continue
				}
				t.found++
				if x.recent != nil && x.recent.hasWord(state, hash) {
					t.left = append(t.left, uint32(t.Len()+count))
					continue
				}
				kept[count] = state
			} else {
				state := states[k*x.words : (k+1)*x.words]
				hash = store.Hash(state)
				if x.taken.has(k, hash) {
					continue
				}
				t.found++
				if x.recent != nil && x.recent.has(state, hash) {
					t.left = append(t.left, uint32(t.Len()+count))
					continue
				}
				copy(kept[count*x.words:], state)
			}
			hashes[count] = hash
			count++
			if x.trail {
				t.Ordinals = append(t.Ordinals, uint32(t.found-1-first))
			}
		}
		states, actions = states[n*x.words:], actions[n:]
	}
	t.AddAll(kept[:count*x.words], hashes[:count], parent)
}

// foundBefore is the number of transitions before the one of a candidate.
func (t *task) foundBefore(candidate int) int {
	left, exact := slices.BinarySearch(t.left, uint32(candidate))
	for exact && left < len(t.left) && t.left[left] == uint32(candidate) {
		left++
	}
	return candidate + left
}

// takenSet finds the states of a list that come before in it.
type takenSet struct {
	states []uint64
	words  int
	table  []entry // by hash, used for long lists
	mask   uint64  // 0 where the list is short
	stamp  uint32
}

type entry struct {
	stamp uint32
	index uint32
}

const few = 16

func (s *takenSet) start(states []uint64, words int) {
	s.states, s.words, s.mask = states, words, 0
	n := len(states) / words
	if n <= few {
		return
	}
	size := 64
	for size < 2*n {
		size *= 2
	}
	if len(s.table) < size {
		s.table = make([]entry, size)
		s.stamp = 0
	}
	if s.stamp++; s.stamp == 0 {
		clear(s.table)
		s.stamp = 1
	}
	s.mask = uint64(size - 1)
}

func (s *takenSet) state(k int) []uint64 { return s.states[k*s.words : (k+1)*s.words] }

// has reports whether the state with an index comes before. It is asked for each index in turn.
func (s *takenSet) has(k int, hash uint64) bool {
	if s.mask == 0 {
		if s.words == 1 {
			return slices.Contains(s.states[:k], s.states[k])
		}
		for i := range k {
			if slices.Equal(s.state(i), s.state(k)) {
				return true
			}
		}
		return false
	}
	at := hash & s.mask
	for ; s.table[at].stamp == s.stamp; at = (at + 1) & s.mask {
		if slices.Equal(s.state(int(s.table[at].index)), s.state(k)) {
			return true
		}
	}
	s.table[at] = entry{s.stamp, uint32(k)}
	return false
}
