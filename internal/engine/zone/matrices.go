package zone

import "math/bits"

// matrices holds zones, each once. Most states share tables of numbers, and zones, with other
// states. A zone is kept for the clocks that matter only: the clocks with a number in the state's
// table.
type matrices struct {
	n      int
	tables pool[int32]
	zones  []pool[bound] // by the number of clocks that matter

	clocks  []int // the clocks that matter in the current state
	numbers table // their numbers
	others  []int
	small   []bound
}

func newMatrices(n int) *matrices {
	m := &matrices{n: n, tables: newPool[int32](2 * n), small: make([]bound, n*n)}
	for clocks := range n + 1 {
		m.zones = append(m.zones, newPool[bound](max(clocks*clocks, 1)))
	}
	return m
}

// table gives the number of a table.
func (m *matrices) table(t table) int32 {
	k, _ := m.tables.number(append(t.lower, t.upper...))
	return k
}

// load finds the clocks that matter by the table with this number, and the zones over them.
func (m *matrices) load(at int32) *pool[bound] {
	t := m.tables.at(at)
	clocks, others, lower, upper := m.clocks[:0], m.others[:0], m.numbers.lower[:0],
		m.numbers.upper[:0]
	for x, l := range t[:m.n] {
		if u := t[m.n+x]; l == none && u == none {
			others = append(others, x)
		} else {
			clocks, lower, upper = append(clocks, x), append(lower, l), append(upper, u)
		}
	}
	m.clocks, m.others, m.numbers = clocks, others, table{lower, upper}
	return &m.zones[len(m.clocks)]
}

// over restricts a zone to the clocks that matter, in memory that the next call uses again.
func (m *matrices) over(z zone) zone { return z.over(m.clocks, m.small) }

// read extends a zone over the clocks that matter to all clocks.
func (m *matrices) read(k int32, into zone) {
	zone{len(m.clocks), m.zones[len(m.clocks)].at(k)}.extend(m.clocks, m.others, into)
}

// digest is a summary of the bounds on single clocks: seven bits for the least value of each, and
// seven for the largest one, as far as within reads them. A zone is within another one only if none
// of its numbers is larger. There is room for eight clocks.
type digest [2]uint64

// tops are the highest bits of the numbers, which are free.
const tops = 0x8080808080808080

// digest gives the digest of a zone over the clocks that matter.
func (m *matrices) digest(z zone) (d digest) {
	for x := 1; x < min(z.n, 9); x++ {
		lane := uint(8 * (x - 1))
		if u := m.numbers.upper[x]; u != none {
			floor := atMost(-int64(u), false) - 1 // for all least values above upper
			d[0] |= sevenBits(max(z.m[x], floor)-floor, leZero-floor) << lane
		}
		if l := m.numbers.lower[x]; l != none {
			ceiling := atMost(int64(l)+1, true) // for all largest values above lower
			d[1] |= sevenBits(min(z.m[x*z.n], ceiling), ceiling) << lane
		}
	}
	return d
}

// sevenBits keeps the order of numbers up to a largest one.
func sevenBits(b, most bound) uint64 { return uint64(b) >> max(bits.Len32(uint32(most))-7, 0) }

// within is true of the digests of two zones if the first zone is within the second.
func (d digest) within(e digest) bool {
	return ((e[0]|tops)-d[0])&((e[1]|tops)-d[1])&tops == tops
}

// lanes is how many numbers a digest has.
const lanes uint = 16

// lane gives one of the numbers of a digest.
func (d digest) lane(k uint) uint64 { return d[k/8] >> (8 * (k % 8)) & 0x7f }
