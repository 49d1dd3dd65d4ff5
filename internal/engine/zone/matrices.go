package zone

import "math/bits"

// matrices holds zones, each once. Most states share tables of numbers, and zones, with other
// states. A zone is kept for the clocks that matter only: the clocks with a number in the state's
// table.
type matrices struct {
	n      int
	tables shelf[int32]
	zones  []shelf[bound] // by the number of clocks that matter
	view
}

// view reads the zones of one state after the other. Several views may read at the same time.
type view struct {
	of      *matrices
	clocks  []int // the clocks that matter in the current state
	numbers table // their numbers
	others  []int
	row     []int32 // of the tables
	small   []bound
	kept    []bound // a zone that is kept
}

func newMatrices(n int) *matrices {
	m := &matrices{n: n, tables: newShelf[int32](2 * n)}
	m.view = m.newView()
	for clocks := range n + 1 {
		m.zones = append(m.zones, newShelf[bound](clocks*clocks))
	}
	return m
}

func (m *matrices) newView() view {
	return view{of: m, row: make([]int32, 2*m.n), small: make([]bound, m.n*m.n),
		kept: make([]bound, m.n*m.n)}
}

// table gives the number of a table.
func (m *matrices) table(t table) int32 {
	return m.tables.number(append(t.lower, t.upper...))
}

// load finds the clocks that matter by the table with this number.
func (v *view) load(at int32) {
	n, t := v.of.n, v.row
	v.of.tables.read(at, t)
	clocks, others, lower, upper := v.clocks[:0], v.others[:0], v.numbers.lower[:0],
		v.numbers.upper[:0]
	for x, l := range t[:n] {
		if u := t[n+x]; l == none && u == none {
			others = append(others, x)
		} else {
			clocks, lower, upper = append(clocks, x), append(lower, l), append(upper, u)
		}
	}
	v.clocks, v.others, v.numbers = clocks, others, table{lower, upper}
}

// number gives the number of a zone over the clocks that matter.
func (v *view) number(z zone) int32 { return v.of.zones[z.n].number(z.m) }

// at gives a zone over the clocks that matter, in memory that the next call uses again.
func (v *view) at(k int32) zone {
	n := len(v.clocks)
	v.of.zones[n].read(k, v.kept)
	return zone{n, v.kept[:n*n]}
}

// over restricts a zone to the clocks that matter, in memory that the next call uses again.
func (v *view) over(z zone) zone { return z.over(v.clocks, v.small) }

// read extends a zone over the clocks that matter to all clocks.
func (v *view) read(k int32, into zone) { v.at(k).extend(v.clocks, v.others, into) }

// digest is a summary of the bounds on single clocks: seven bits for the least value of each, and
// seven for the largest one, as far as within reads them. A zone is within another one only if none
// of its numbers is larger. There is room for eight clocks.
type digest [2]uint64

// tops are the highest bits of the numbers, which are free.
const tops = 0x8080808080808080

// digest gives the digest of a zone over the clocks that matter.
func (v *view) digest(z zone) (d digest) {
	for x := 1; x < min(z.n, 9); x++ {
		lane := uint(8 * (x - 1))
		if u := v.numbers.upper[x]; u != none {
			floor := atMost(-int64(u), false) - 1 // for all least values above upper
			d[0] |= sevenBits(max(z.m[x], floor)-floor, leZero-floor) << lane
		}
		if l := v.numbers.lower[x]; l != none {
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
