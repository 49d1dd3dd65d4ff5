package roundstest

import "slices"

// duplicate tries all copies of messages in transit, at the beginning of a round before the bounds
// hold. A copy is like a message that is sent in this round. What a process sends to itself is not
// duplicated.
func (m *Model) duplicate(c *config, yield func(*config)) {
	if !m.Duplicating || !m.beginning(c) && m.Fault != PutsBetween ||
		c.round >= m.Gst+1 && m.Fault != CopiesLater {
		return
	}
	for _, x := range c.transit {
		if x.from == x.to && m.Fault != CopiesOwn {
			continue
		}
		if x.sent = c.round; m.Fault == CopiesOld {
			x.sent = max(1, c.round-1)
		}
		m.put(c, x, yield)
	}
}

// put adds a message for which there is room.
func (m *Model) put(c *config, x letter, yield func(*config)) {
	if m.room(c.transit, x) {
		d := c.clone()
		d.transit = append(d.transit, x)
		m.note(d, x)
		yield(d)
	}
}

// room reports whether one more of a message changes what is in transit.
func (m *Model) room(transit []letter, x letter) bool {
	copies := 0
	for _, y := range transit {
		if x == y {
			copies++
		}
	}
	most := max(1, m.Copies)
	if m.Fault == OneCopy {
		most = 1
	}
	return copies < most
}

// omit tries all messages that are not sent, or not received, by a process with such faults.
func (m *Model) omit(c *config, yield func(*config)) {
	for k, x := range c.transit {
		sent := m.has("omission") || m.has("send_omission")
		received := m.has("omission") || m.has("receive_omission")
		if sent && c.faulty[x.from] || received && c.faulty[x.to] ||
			m.Fault == OmitsAll && (sent || received) && slices.Contains(c.faulty, true) {
			m.lose(c, k, x, yield)
		}
	}
}

// lose takes a message out of transit. What the network or a liar has put there at the beginning of
// a round is not lost before some process has taken its step.
func (m *Model) lose(c *config, k int, x letter, yield func(*config)) {
	put := m.Duplicating || m.has("byzantine")
	if put && m.beginning(c) && m.Timing != Asynchrony && (!m.timed() || x.sent == c.round) {
		return
	}
	d := c.clone()
	d.transit = slices.Delete(d.transit, k, k+1)
	yield(d)
}

// beginning reports whether nobody has taken a step in this round.
func (m *Model) beginning(c *config) bool { return !slices.Contains(c.acted, true) }

// forge tries all messages that Byzantine processes send, to processes that are correct, at the
// beginning of a round.
func (m *Model) forge(c *config, yield func(*config)) {
	if !m.has("byzantine") || !m.beginning(c) && m.Fault != PutsBetween {
		return
	}
	for i := range m.N {
		for j := range m.N {
			if !c.faulty[i] && (m.Fault != ForgesAll || c.crashed[i]) ||
				m.down(c, j) && m.Fault != ForgesToFaulty {
				continue
			}
			for kind, of := range m.Messages {
				if of.From != m.role(i) || of.To != m.role(j) {
					continue
				}
				x := letter{kind: kind, from: i, to: j}
				if m.timed() {
					x.sent = c.round
				}
				m.payloads(x, 0, func(x letter) {
					if m.may(c, x) {
						m.put(c, x, yield)
					}
				})
			}
		}
	}
}

// payloads gives a message with all values of its fields, from one on.
func (m *Model) payloads(x letter, field int, yield func(letter)) {
	fields := m.Messages[x.kind].Fields
	if field == len(fields) {
		yield(x)
		return
	}
	values := fields[field] + 1
	if values <= 0 {
		values = m.N
	}
	for v := range values {
		if fields[field] < 0 && m.role(v) != -1-fields[field] {
			continue
		}
		x.args[field] = v
		m.payloads(x, field+1, yield)
	}
}

// overtakes reports whether a message that is received before the others on its link breaks their
// order. Messages of one step have none.
func (m *Model) overtakes(c *config, x letter) bool {
	return m.Fifo && m.Fault != Unordered && slices.ContainsFunc(c.transit, func(y letter) bool {
		return y.from == x.from && y.to == x.to && y.sent < x.sent &&
			(m.Fault != OrderedKinds || y.kind == x.kind)
	})
}

// role is the role of a process.
func (m *Model) role(i int) int {
	if m.TwoRoles && i >= m.Firsts {
		return 1
	}
	return 0
}

// has reports whether a process has a variable, for a peer.
func (v Var) has(m *Model, i, peer int) bool {
	return m.role(i) == v.Role && (m.role(peer) == v.Of || !v.Peer)
}

// some reports whether some process has a fault, beside one that is to get it.
func (m *Model) some(others []bool, i int) bool {
	for j, faulty := range others {
		if faulty && (m.role(j) == m.role(i) || m.Fault != EachRole) {
			return true
		}
	}
	return false
}
