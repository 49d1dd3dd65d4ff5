package symmetry

import "slices"

// swap exchanges the only two elements that there are. Then there is one permutation, and the least
// of a state and its image is the representative: nothing needs to be refined. Slots that move by
// the same number of bits move together.
type swap struct {
	moves []move
	flip  []uint64 // for each word, the last bits of the slots with an element, which is 0 or 1
}

// move takes bits of a word to bits of another one.
type move struct {
	from, to    int32
	left, right uint8 // by how many bits, one of them zero
	bits        uint64
}

// newSwap gives nil where there are other elements, or slots of one symbol that differ in size.
func (r *Reducer) newSwap() *swap {
	if len(r.elements) != 2 || r.elements[0].named || r.elements[1].named {
		return nil
	}
	s := &swap{flip: make([]uint64, len(r.words))}
	for i := range r.slots {
		from := &r.slots[i]
		at := int32(0)
		for k, e := range from.args {
			at += r.elements[1-e].number * from.strides[k]
		}
		to := &r.slots[from.family[at]]
		if to.mask != from.mask {
			return nil
		}
		if to.result >= 0 {
			s.flip[to.word] |= 1 << to.shift
		}
		s.add(move{from: from.word, to: to.word, left: max(to.shift, from.shift) - from.shift,
			right: max(to.shift, from.shift) - to.shift, bits: from.mask << from.shift})
	}
	return s
}

// add adds a move, to one of the same kind if there is one.
func (s *swap) add(m move) {
	same := func(x move) bool {
		x.bits = m.bits
		return x == m
	}
	if i := slices.IndexFunc(s.moves, same); i >= 0 {
		s.moves[i].bits |= m.bits
		return
	}
	s.moves = append(s.moves, m)
}

// least gives the least of the state and its image.
func (s *swap) least(r *Reducer) []uint64 {
	for w, v := range r.state {
		r.image[w] = v&r.words[w].rest ^ s.flip[w]
	}
	for _, m := range s.moves {
		r.image[m.to] ^= (r.state[m.from] & m.bits) << m.left >> m.right
	}
	if less(r.image, r.state) {
		return r.image
	}
	return r.state
}
