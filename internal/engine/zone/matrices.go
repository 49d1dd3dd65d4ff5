package zone

// matrices holds zones, each of them once. Most states have tables of numbers, and zones, that others have as well. Of a zone only
// what it says of the clocks that matter is kept: those that the state's table has a number of.
type matrices struct {
	n      int
	tables pool[int32]
	zones  []pool[bound] // by the number of clocks that matter

	clocks  []int // those that matter in the state that was looked at
	numbers table // of them
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

// look finds the clocks that matter by the table with this number, and the zones over them.
func (m *matrices) look(at int32) *pool[bound] {
	t := m.tables.at(at)
	clocks, others, lower, upper := m.clocks[:0], m.others[:0], m.numbers.lower[:0], m.numbers.upper[:0]
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

// over gives what a zone says of the clocks that matter, in memory that the next call uses again.
func (m *matrices) over(z zone) zone { return z.over(m.clocks, m.small) }

// read makes of a zone over the clocks that matter one over all clocks.
func (m *matrices) read(k int32, into zone) {
	zone{len(m.clocks), m.zones[len(m.clocks)].at(k)}.extend(m.clocks, m.others, into)
}
