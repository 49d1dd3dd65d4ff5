package zone

import "erelong.dev/erelong/internal/timed"

// effects numbers the effects of steps on clocks: four sets of clocks in a row of bits. A step
// resets clocks. It bounds clocks from above, by its guards and by the invariants of the states
// that it leaves; some of these clocks are tight: they must be zero. Other clocks must be one or
// more.
type effects struct {
	pool[uint32]
	clocks int
	words  int
	row    []uint32
}

// set is a set of clocks, as bits.
type set []uint32

func newEffects(clocks int) effects {
	words := (clocks + 31) / 32
	return effects{newPool[uint32](4 * words), clocks, words, make([]uint32, 4*words)}
}

func (e *effects) resets(k int32) set  { return e.at(k)[:e.words] }
func (e *effects) bounded(k int32) set { return e.at(k)[e.words : 2*e.words] }
func (e *effects) tight(k int32) set   { return e.at(k)[2*e.words : 3*e.words] }
func (e *effects) late(k int32) set    { return e.at(k)[3*e.words:] }

// bound begins an effect: with these constraints.
func (e *effects) bound(limits ...[]limitOf) {
	clear(e.row)
	for _, ls := range limits {
		for _, l := range ls {
			e.add(l)
		}
	}
}

func (e *effects) add(l limitOf) {
	if l.i == 0 && l.j != 0 && l.b <= atMost(-1, false) {
		set(e.row[3*e.words:]).add(l.j)
	}
	if l.i == 0 || l.j != 0 || l.b == infinity {
		return
	}
	set(e.row[e.words : 2*e.words]).add(l.i)
	if l.b == leZero {
		set(e.row[2*e.words : 3*e.words]).add(l.i)
	}
}

// within adds the constraints of a zone, if there is one. It gives false if differences of clocks
// are constrained, too.
func (e *effects) within(z zone) bool {
	box := whole(z.n)
	for x := 1; x < z.n; x++ {
		e.add(limitOf{x, 0, z.m[x*z.n]})
		e.add(limitOf{0, x, z.m[x]})
		if !box.constrain(x, 0, z.m[x*z.n]) || !box.constrain(0, x, z.m[x]) {
			return false
		}
	}
	for i, b := range z.m {
		if b < box.m[i] {
			return false
		}
	}
	return true
}

// number ends an effect: with these assignments.
func (e *effects) number(resets []timed.Reset) int32 {
	for _, r := range resets {
		set(e.row[:e.words]).add(r.Clock)
	}
	k, _ := e.pool.number(e.row)
	return k
}

func (s set) add(x int) { s[x/32] |= 1 << (x % 32) }

func (s set) join(t set) {
	for i := range s {
		s[i] |= t[i]
	}
}

func (s set) remove(t set) {
	for i := range s {
		s[i] &^= t[i]
	}
}

func (s set) meets(t set) bool {
	for i := range s {
		if s[i]&t[i] != 0 {
			return true
		}
	}
	return false
}

func (s set) some() bool { return s.meets(s) }
