package synth

import "math/bits"

// set is a set of small numbers.
type set []uint64

func newSet(n int) set { return make(set, (n+63)/64) }

func (b set) add(i int)      { b[i/64] |= 1 << (i % 64) }
func (b set) has(i int) bool { return b[i/64]>>(i%64)&1 == 1 }

// fill makes it the numbers below n.
func (b set) fill(n int) {
	for i := range b {
		b[i] = ^uint64(0)
	}
	if n%64 != 0 {
		b[len(b)-1] = 1<<(n%64) - 1
	}
}

// keep leaves what another set has, or what it has not.
func (b set) keep(other set, negated bool) {
	for i, w := range other {
		if negated {
			w = ^w
		}
		b[i] &= w
	}
}

// unite adds what another set has.
func (b set) unite(other set) {
	for i, w := range other {
		b[i] |= w
	}
}

func (b set) len() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}
