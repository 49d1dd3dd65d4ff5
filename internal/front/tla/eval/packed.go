package eval

import (
	"math/bits"

	"erelong.dev/erelong/internal/value"
)

// packed is what a machine knows of packed states; nothing where states are numbers of values.
type packed struct {
	packer    *Packer
	words     []uint64                 // of the state that was looked at last; nil before
	out       []uint64                 // a step
	lost, got []*value.Value           // by the sets that moved
	step      func(next []uint64) bool // is given the steps
	give      func(*Machine) bool      // gives a step of which the values are known
}

// Packed is a machine that looks at packed states only.
type Packed struct{ *Machine }

// Packed makes a machine for packed states.
func (p *Program) Packed(f *Form) Packed {
	m := Packed{p.Machine()}
	m.packer = f.Packer()
	m.state = make([]*value.Value, len(f.nodes))
	m.partsOf = make([][]int32, len(f.components))
	m.out = make([]uint64, f.Words())
	m.give = m.complete
	return m
}

// complete gives a step of which the values are known.
func (m Packed) complete(*Machine) bool {
	copy(m.out, m.words)
	for i, v := range m.after {
		if v != m.before[i] {
			m.packer.place(m.packer.nodes[i], m.Space.Intern(v), m.out)
		}
	}
	return m.step(m.out)
}

// old is the value of a variable before the step.
func (m *Machine) old(i int) *value.Value {
	v := m.before[i]
	if v == nil && m.packer != nil {
		v = Packed{m}.composed(m.packer.nodes[i])
		m.before[i] = v
	}
	return v
}

// composed is the value of a node in the state that was looked at last.
func (m Packed) composed(n *node) *value.Value {
	if n.depth > 0 {
		return m.packer.compose(n, m.words)
	}
	if m.state[n.variable] == nil {
		m.state[n.variable] = m.packer.compose(n, m.words)
	}
	return m.state[n.variable]
}

// LookAt makes a packed state the one that is looked at.
func (m Packed) LookAt(words []uint64) error {
	if m.over {
		return ErrInterrupted
	}
	m.before, m.moved, m.lost, m.got = m.state, m.moved[:0], m.lost[:0], m.got[:0]
	if m.words == nil {
		m.words = append(m.words, words...)
		return nil // there are no parts yet
	}
	for i, x := range words {
		d := m.words[i] ^ x
		m.words[i] = x
		for d != 0 {
			c := m.packer.at[i][bits.TrailingZeros64(d)/8]
			if c.set {
				m.elements(c, i, d&c.mask(), x)
			} else {
				m.another(c)
			}
			d &^= c.mask()
		}
	}
	return parting(m).tellMoved()
}

// another gives the parts of a component their values.
func (m Packed) another(c *component) {
	m.state[c.variable] = nil
	for _, k := range m.partsOf[c.index] {
		p := &m.parts[k]
		if p.node != c.node {
			m.unknown(k)
			continue
		}
		v, id := partAt(m.packer.compose(c.node, m.words), p.within)
		m.becomes(k, v, id)
	}
}

// unknown says that a part has another value, which is found when it is asked for.
func (m Packed) unknown(k int32) {
	p := &m.parts[k]
	if p.stale {
		return
	}
	p.stale = true
	forget(p.readers)
	if len(p.derived)+len(p.choosers) > 0 {
		m.moved = append(m.moved, moved{part: k})
	}
}

// elements tells the parts of a set which elements it lost and got in one of its words.
func (m Packed) elements(c *component, word int, changed, now uint64) {
	m.state[c.variable] = nil
	lost, got := len(m.lost), len(m.got)
	for d := changed; d != 0; d &= d - 1 {
		at := bits.TrailingZeros64(d)
		e := m.packer.valueOf(c, uint32((word-c.word)*64+at-c.shift))
		if now>>at&1 == 0 {
			m.lost = append(m.lost, e)
		} else {
			m.got = append(m.got, e)
		}
	}
	for _, k := range m.partsOf[c.index] {
		p := &m.parts[k]
		if p.within != nil { // a set has no parts
			continue
		}
		p.stale = true
		forget(p.readers)
		if len(p.derived)+len(p.choosers) > 0 {
			m.moved = append(m.moved, moved{part: k, known: true,
				lost: lost, lostEnd: len(m.lost), got: got, gotEnd: len(m.got)})
		}
	}
}

// has reports whether a set whose elements have bits has a value, and notes that it was asked for.
// It is not known where the value is of another kind than the elements, which may be an error.
func (m Packed) has(c *component, x *value.Value) (has, known bool) {
	id, _ := x.ID()
	m.asked = append(m.asked, id)
	if at, ok := m.packer.find(c, x); ok {
		at += uint32(c.shift)
		if m.words[c.word+int(at)/64]>>(at%64)&1 != 0 {
			return true, true
		}
	}
	for i := 0; i < c.width; i += 64 {
		if w := m.words[c.word+i/64] & c.mask() >> c.shift; w != 0 {
			first := m.packer.valueOf(c, uint32(i+bits.TrailingZeros64(w)))
			return false, first.Kind() == x.Kind()
		}
	}
	return false, true
}

// find is the number of an interned value in a component, if it has one.
func (k *Packer) find(c *component, v *value.Value) (number uint32, known bool) {
	id, _ := v.ID()
	if l, at := &k.local[c.index], int(id>>pageBits); at < len(l.pages) && l.pages[at] != nil {
		if n := l.pages[at][id%(1<<pageBits)]; n != 0 {
			return n - 1, true
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	number, known = c.numbers[id]
	return number, known
}

// locate finds where the packed state has a part that is new.
func (m Packed) locate(k int32) {
	p := &m.parts[k]
	n, keys := m.packer.nodes[p.variable], p.keys
	for len(keys) > 0 && n.component == nil {
		at := value.Place(n.like, keys[0])
		if at < 0 {
			return // it never has a value
		}
		n, keys = n.parts[at], keys[1:]
	}
	p.node, p.within = n, keys
	if c := n.component; c != nil {
		m.partsOf[c.index] = append(m.partsOf[c.index], k)
		p.value, p.id = partAt(m.packer.compose(n, m.words), keys)
		if len(keys) == 0 {
			p.within = nil
		}
		return
	}
	p.within, p.stale = nil, true
	m.above(n, k)
}

// above has all components of a node tell a part.
func (m Packed) above(n *node, k int32) {
	if c := n.component; c != nil {
		m.partsOf[c.index] = append(m.partsOf[c.index], k)
	}
	for _, p := range n.parts {
		m.above(p, k)
	}
}

// Steps is Machine.Steps for packed states.
func (m Packed) Steps(words []uint64, found func(next []uint64) bool) error {
	if err := m.LookAt(words); err != nil {
		return err
	}
	m.step, m.yield = found, m.give
	clear(m.after)
	return m.protect(m.all)
}

// deep is a change of a component by what is done to its value.
type deep struct {
	component *component
	change
}

// bitsOf says what a step does to packed states.
func (m Packed) bitsOf(e *effect) {
	for i := range e.changes {
		m.bitsOfChange(&e.changes[i], e)
	}
}

func (m Packed) bitsOfChange(c *change, e *effect) {
	n, d := m.packer.nodes[c.variable], c.deed
	if d.how == put {
		keys := c.path[:]
		for len(keys) > 0 && keys[0] != nil && n.component == nil {
			at := value.Place(n.like, keys[0])
			if at < 0 {
				return // nothing changes
			}
			n, keys = n.parts[at], keys[1:]
		}
		d = deed{how: give, value: d.value}
		if len(keys) > 0 && keys[0] != nil {
			d.how = put
			copy(d.path[:], keys)
		}
	}
	switch {
	case d.how == give:
		e.do(m.packer.ops(n, d.value, nil)...)
	case n.component != nil && n.component.set && d.value.Kind() == value.Set && d.how != put:
		e.do(m.packer.elements(n.component, d.value.Listed(), d.how == join)...)
	case n.component != nil && !n.component.set:
		e.ops = append(e.ops, op{deep: &deep{n.component, m.changeOf(c.variable, d)}})
	default:
		m.packer.misfit(n)
	}
}

// elements are the bits of some elements of a set, to set or to clear.
func (k *Packer) elements(c *component, elems []*value.Value, in bool) (out []op) {
	for _, x := range elems {
		at := c.shift + int(k.numberOf(c, x))
		o := op{word: c.word + at/64, mask: 1 << (at % 64)}
		if in {
			o.bits = o.mask
		}
		out = append(out, o)
	}
	return out
}

// do adds operations on bits. The ones on one word become one.
func (e *effect) do(ops ...op) {
	for _, o := range ops {
		k := len(e.ops) - 1
		for k >= 0 && (e.ops[k].deep != nil || e.ops[k].word != o.word) {
			if e.ops[k].deep != nil {
				k = -1
				break
			}
			k--
		}
		if k < 0 {
			e.ops = append(e.ops, o)
			continue
		}
		p := &e.ops[k]
		p.mask, p.bits = p.mask|o.mask, p.bits&^o.mask|o.bits
	}
}

// replay is Machine.replay for packed states.
func (m Packed) replay(effects []effect) bool {
	for i := range effects {
		copy(m.out, m.words)
		for k := range effects[i].ops {
			o := &effects[i].ops[k]
			if o.deep != nil {
				m.deepen(o.deep)
				continue
			}
			w := &m.out[o.word]
			*w = *w&^o.mask | o.bits
		}
		if m.step(m.out) {
			return true
		}
	}
	return false
}

// deepen changes the value of a component.
func (m Packed) deepen(d *deep) {
	c, k := d.component, m.packer
	id, _ := k.compose(c.node, m.out).ID()
	k.place(c.node, m.Space.Of(uint32(m.changed(&d.change, int64(id)))), m.out)
}
