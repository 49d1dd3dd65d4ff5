package store

import (
	"math/bits"
	"slices"
)

// trail remembers how each state was found: its parent, and which of the parent's successors it is.
// States are found in the order of their parents, so the parents are kept as one sequence of bits:
// a one for each state, and before it as many zeros as its parent is further on than the parent of
// the state before. A state has about two bits and a byte.
type trail struct {
	bits    chunks[uint64]
	at      uint64 // bits in use
	samples []uint64
	parent  uint32 // of the last state
	count   int
	which   chunks[uint8]
	large   []largeOrdinal // in the order of the states
}

type largeOrdinal struct{ state, ordinal uint32 }

const (
	sampled = 1 << 10 // states from a sample to the next one
	large   = 1<<8 - 1
)

func newTrail() trail { return trail{bits: newChunks[uint64](1), which: newChunks[uint8](1)} }

// add appends a state. Its parent is not before the parent of the last one.
func (t *trail) add(parent, ordinal uint32) {
	t.at += uint64(parent - t.parent)
	t.parent = parent
	if t.count%sampled == 0 {
		t.samples = append(t.samples, t.at)
	}
	word := int(t.at / 64)
	if word >= t.bits.n {
		t.bits.extend(word + 1 - t.bits.n)
	}
	t.bits.at(word)[0] |= 1 << (t.at % 64)
	t.at++
	t.which.extend(1)
	t.which.at(t.count)[0] = uint8(min(ordinal, large))
	if ordinal >= large {
		t.large = append(t.large, largeOrdinal{uint32(t.count), ordinal})
	}
	t.count++
}

// of gives the parent of a state, and its index among the successors of the parent.
func (t *trail) of(state int) (parent, ordinal int) {
	at, left := t.samples[state/sampled], state%sampled
	word := int(at / 64)
	v := t.bits.at(word)[0] &^ (1<<(at%64) - 1)
	for ; bits.OnesCount64(v) <= left; v = t.bits.at(word)[0] {
		left -= bits.OnesCount64(v)
		word++
	}
	for range left {
		v &= v - 1
	}
	parent = word*64 + bits.TrailingZeros64(v) - state
	if ordinal = int(t.which.at(state)[0]); ordinal == large {
		i, _ := slices.BinarySearchFunc(t.large, state, func(l largeOrdinal, state int) int {
			return int(l.state) - state
		})
		ordinal = int(t.large[i].ordinal)
	}
	return parent, ordinal
}

func (t *trail) bytes() int64 {
	return t.bits.bytes() + t.which.bytes() + int64(cap(t.samples)+cap(t.large))*8
}
