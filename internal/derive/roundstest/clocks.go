package roundstest

// drift tries a round in which the clocks of a process are fast, and one in which they are slow.
func (m *Model) drift(c *config, i int, yield func(*config)) {
	apart := m.D
	if m.Fault == DriftsOften {
		apart--
	}
	if !m.Drift || !m.beginning(c) || m.down(c, i) || c.odd[i] == c.round ||
		c.odd[i] > 0 && c.round-c.odd[i] < apart {
		return
	}
	for _, rounds := range []int{0, 2} {
		d := c.clone()
		d.odd[i], d.counts[i] = c.round, rounds
		yield(d)
	}
}

// tick lets the clocks of a process count a round that ends.
func (m *Model) tick(c *config, i int) {
	if !m.down(c, i) && (m.Fault != ClocksWait || c.acted[i]) {
		m.count(c, i, c.counts[i], func(v Var) bool { return v.Clock })
	}
	c.counts[i] = 1
}

// count lets some of the variables of a process count on.
func (m *Model) count(c *config, i, more int, which func(Var) bool) {
	for k, v := range m.Vars {
		if !which(v) {
			continue
		}
		n := 1
		if v.Peer {
			n = m.N
		}
		for j := range n {
			if !v.has(m, i, j) {
				continue
			}
			at := m.slot(k, j)
			c.vars[i][at] = min(c.vars[i][at]+more, v.Most)
		}
	}
}
