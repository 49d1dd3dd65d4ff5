package por

import "math/bits"

// Set is a set of small numbers, below a bound that is fixed at its creation.
type Set []uint64

func newSet(bound int) Set { return make(Set, (bound+63)/64) }

// Has reports whether a number is a member.
func (s Set) Has(i int) bool { return s[i/64]>>(i%64)&1 == 1 }

func (s Set) add(i int) { s[i/64] |= 1 << (i % 64) }

func (s Set) union(other Set) {
	for w, v := range other {
		s[w] |= v
	}
}

func (s Set) meets(other Set) bool {
	for w, v := range other {
		if s[w]&v != 0 {
			return true
		}
	}
	return false
}

// without counts the members that another Set does not have.
func (s Set) without(other Set) (n int) {
	for w, v := range s {
		n += bits.OnesCount64(v &^ other[w])
	}
	return n
}

func (s Set) each(visit func(int)) {
	for w, v := range s {
		each(v, w, visit)
	}
}

// each visits the members in one word of a set.
func each(v uint64, word int, visit func(int)) {
	for ; v != 0; v &= v - 1 {
		visit(word*64 + bits.TrailingZeros64(v))
	}
}
