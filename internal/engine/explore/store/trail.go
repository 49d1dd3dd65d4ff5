package store

import (
	"math/bits"
)

// trail remembers how each state was found: its parent, and which of the parent's successors it is.
// Both are one sequence of bits. States are found in the order of their parents, so a state has as
// many zeros as its parent is further on than the parent of the state before, and a one. The rank
// follows in the gamma code of Elias ("Universal codeword sets and representations of the
// integers", 1975): n zeros before the n+1 bits of a number. Most ranks are small, so a state has
// three to seven bits.
type trail struct {
	bits    chunks[uint64]
	at      uint64 // bits in use
	samples []sample
	parent  uint32 // of the last state
	count   int
}

// sample is where a state begins in the bits, and the parent of the state before.
type sample struct {
	at     uint64
	parent uint32
}

// sampled is the number of states from a sample to the next one.
const sampled = 1 << 10

func newTrail() trail { return trail{bits: newChunks[uint64](1)} }

// add appends a state. Its parent is not before the parent of the last one.
func (t *trail) add(parent, ordinal uint32) {
	if t.count%sampled == 0 {
		t.samples = append(t.samples, sample{t.at, t.parent})
	}
	t.count++
	t.put(uint64(parent-t.parent), 1, 1)
	t.parent = parent
	code := uint64(ordinal) + 1
	zeros := uint64(bits.Len64(code) - 1)
	t.put(zeros, bits.Reverse64(code)>>(63-zeros), zeros+1)
}

// put appends zeros, and a number of the given width.
func (t *trail) put(zeros, number, width uint64) {
	t.at += zeros
	word, shift := int(t.at/64), t.at%64
	t.at += width
	if last := int((t.at - 1) / 64); last >= t.bits.n {
		t.bits.extend(last + 1 - t.bits.n)
	}
	t.bits.at(word)[0] |= number << shift
	if shift+width > 64 {
		t.bits.at(word + 1)[0] |= number >> (64 - shift)
	}
}

// of gives the parent of a state, and its index among the successors of the parent.
func (t *trail) of(state int) (parent, ordinal int) {
	from := t.samples[state/sampled]
	at, further := from.at, uint64(from.parent)
	for range state%sampled + 1 {
		zeros, code := t.zeros(at), uint64(1)
		further, at = further+zeros, at+zeros+1
		zeros = t.zeros(at)
		at += zeros + 1
		for range zeros {
			code = code<<1 | t.bits.at(int(at / 64))[0]>>(at%64)&1
			at++
		}
		ordinal = int(code) - 1
	}
	return int(further), ordinal
}

// zeros is the number of zeros before the next one.
func (t *trail) zeros(at uint64) (n uint64) {
	v := t.bits.at(int(at / 64))[0] >> (at % 64)
	if v != 0 {
		return uint64(bits.TrailingZeros64(v))
	}
	for n = 64 - at%64; ; n += 64 {
		if v = t.bits.at(int((at + n) / 64))[0]; v != 0 {
			return n + uint64(bits.TrailingZeros64(v))
		}
	}
}

func (t *trail) bytes() int64 { return t.bits.bytes() + int64(cap(t.samples))*16 }
