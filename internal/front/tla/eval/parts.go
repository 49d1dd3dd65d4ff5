package eval

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// part is what an action reads of the state: a variable, an element of it, or the value of a node
// that depends on nothing else of the state. The keys are constants, but for the parameters.
type part struct {
	variable int
	keys     []Code
	nodes    []core.Node
	node     core.Node // nil for the element itself
	code     Code      // of the node
	slots    []int     // the parameters that the node reads
	guard    bool      // where it is false there is no step
	// Where the node selects elements of a set, which are the ones that matter; nil elsewhere.
	matters matter
	asks    bool // the node asks for nothing but whether elements are in the set
}

// statePart is a part for values of the parameters.
type statePart struct {
	variable int
	keys     []*value.Value
	// The number, plus 1, of its value in the state that was looked at last; 0 for none.
	id       uint32
	value    *value.Value
	readers  []*instance
	derived  []int32     // the parts that are computed of it
	choosers []*instance // that choose an element of it
	// Of the parts that are computed of it, the ones that select no elements, and for each element
	// that moved, by its number, the others for which it matters.
	others  []int32
	matters map[uint32]*caring

	// Of one that is not computed: the component that has it, or the node that is it, if states
	// are packed, and the keys within the component.
	node   *node
	within []*value.Value

	// Of one that is computed: the part that it is computed of, and for which instance.
	base  int32
	of    *part
	in    *instance
	stale bool // the value is not known yet
	known memory
	asked []uint32 // the elements that were asked for
}

// caring are the parts that are computed of another one for which an element of it matters, among
// the first ones.
type caring struct {
	among int
	parts []int32
}

// parted is what a machine knows of the parts of the state.
type parted struct {
	parts   []statePart
	places  map[string]int32 // of parts
	partsOf [][]int32        // of variables, or components: the ones that are not computed
	numbers []int64          // of the values in the state that was looked at last
	state   []*value.Value
	moved   []moved
	packed
	room [2][]*value.Value
	// While a part is computed that asks for elements of a set: the set, and the elements so far.
	asking     *value.Value
	askingBits *component // or the set, whose elements have bits, and which is not made
	asked      []uint32
}

// moved is a part that changed, and was another value before.
type moved struct {
	part   int32
	before *value.Value
	// Of a set whose elements have bits: the elements that it lost and got, which are known.
	known         bool
	lost, lostEnd int
	got, gotEnd   int
}

// lookAt makes a state the one that is looked at.
func (m *Machine) lookAt(numbers []int64) error {
	if m.over {
		return ErrInterrupted
	}
	if m.numbers == nil {
		m.numbers, m.state = make([]int64, len(numbers)), make([]*value.Value, len(numbers))
		m.partsOf = make([][]int32, len(numbers))
		for i := range m.numbers {
			m.numbers[i] = -1
		}
	}
	m.before, m.moved = m.state, m.moved[:0]
	for i, n := range numbers {
		if n == m.numbers[i] {
			continue
		}
		m.numbers[i], m.state[i] = n, m.Space.Of(uint32(n))
		for _, k := range m.partsOf[i] {
			p := &m.parts[k]
			v, id := parting{m}.valueOf(p)
			m.becomes(k, v, id)
		}
	}
	return parting{m}.tellMoved()
}

// becomes gives a part its value.
func (m *parted) becomes(k int32, v *value.Value, id uint32) {
	p := &m.parts[k]
	old := p.value
	if !p.stale && p.id == id {
		return
	}
	p.value, p.id, p.stale = v, id, false
	forget(p.readers)
	if len(p.derived)+len(p.choosers) > 0 {
		m.moved = append(m.moved, moved{part: k, before: old})
	}
}

// tellMoved says what the changes of parts are for what is computed of them.
func (m parting) tellMoved() error {
	if len(m.moved) == 0 {
		return nil
	}
	return m.protect(func() {
		for i := range m.moved {
			m.derive(&m.moved[i])
		}
	})
}

// parting is a machine that finds the values of parts.
type parting struct{ *Machine }

// forget says that what instances read has changed.
func forget(readers []*instance) {
	for _, in := range readers {
		in.known = false
	}
}

// derive says what a change of a part is for what is computed of it.
func (m parting) derive(c *moved) {
	p := &m.parts[c.part]
	lost, got, ofSet := m.lost[c.lost:c.lostEnd], m.got[c.got:c.gotEnd], c.known
	if !ofSet && !p.stale && c.before != nil && p.value != nil &&
		c.before.Kind() == value.Set && p.value.Kind() == value.Set {
		m.room[0], m.room[1] = value.Differ(c.before, p.value, m.room[0][:0], m.room[1][:0])
		lost, got, ofSet = m.room[0], m.room[1], true
	}
	if ofSet = ofSet && len(lost)+len(got) <= mostMoved; ofSet {
		m.matter(c.part, lost)
		m.matter(c.part, got)
	} else {
		m.outdate(p.derived)
	}
	for _, in := range p.choosers {
		if !ofSet {
			in.listed = false
		} else if in.listed {
			in.choose(m.Machine, lost, got)
		}
	}
}

// mostMoved bounds the elements by which two sets differ, for looking at each of them.
const mostMoved = 8

// outdate says that what is computed has another value.
func (m parting) outdate(parts []int32) {
	for _, d := range parts {
		if q := &m.parts[d]; !q.stale {
			q.stale = true
			forget(q.readers)
		}
	}
}

// matter says that a part lost or got some elements.
func (m parting) matter(part int32, elems []*value.Value) {
	p := &m.parts[part]
	for _, e := range elems {
		id, _ := e.ID()
		c := p.matters[id]
		if c == nil {
			c = &caring{}
			if p.matters == nil {
				p.matters = map[uint32]*caring{}
			}
			p.matters[id] = c
		}
		for ; c.among < len(p.derived); c.among++ {
			if d := p.derived[c.among]; m.parts[d].of.matters != nil && m.mattersFor(d, e) {
				c.parts = append(c.parts, d)
			}
		}
		m.outdate(c.parts)
	}
	for i, d := range p.others {
		q := &m.parts[d]
		if !q.stale && slices.ContainsFunc(elems, func(e *value.Value) bool {
			id, _ := e.ID()
			return !q.of.asks || slices.Contains(q.asked, id)
		}) {
			m.outdate(p.others[i : i+1])
		}
	}
}

// mattersFor reports whether an element matters for a part that selects elements.
func (m parting) mattersFor(part int32, e *value.Value) bool {
	p, yes := &m.parts[part], true // so is what has no value
	m.try(func() {
		p.in.bind(m.Machine)
		yes = p.of.matters(m.Machine, e)
	})
	return yes
}

// valueOf is the value of a part that is not computed, with its number plus 1; 0 where the state
// has none.
func (m parting) valueOf(p *statePart) (v *value.Value, number uint32) {
	return partAt(m.state[p.variable], p.keys)
}

// partAt is the part of a value behind some keys, with its number plus 1; 0 where it has none.
func partAt(of *value.Value, keys []*value.Value) (v *value.Value, number uint32) {
	v = of
	for _, k := range keys {
		var ok bool
		if v, ok = value.Element(v, k); !ok {
			return nil, 0
		}
	}
	id, ok := v.ID()
	if !ok {
		return nil, 0
	}
	return v, id + 1
}

// partOf is the place of a part for an instance, whose parameters are bound; false where the keys
// have no values.
func (m *Machine) partOf(p *part, in *instance) (place int32, ok bool) {
	keys := make([]*value.Value, len(p.keys))
	ok = m.try(func() {
		for i, code := range p.keys {
			keys[i] = m.Space.Intern(code(m))
		}
	})
	if !ok {
		return 0, false
	}
	name := fmt.Append(nil, p.variable)
	for _, k := range keys {
		id, _ := k.ID()
		name = fmt.Append(name, " ", id)
	}
	place, known := m.places[string(name)]
	if !known {
		place = m.addPart(string(name), statePart{variable: p.variable, keys: keys, base: -1})
		q := &m.parts[place]
		if m.packer != nil {
			Packed{m}.locate(place)
		} else {
			q.value, q.id = parting{m}.valueOf(q)
			m.partsOf[p.variable] = append(m.partsOf[p.variable], place)
		}
	}
	if p.node == nil {
		return place, true
	}
	name = fmt.Appendf(name, "/%p", p.node)
	for _, s := range p.slots {
		v := m.frame[s].value
		if v == nil {
			return 0, false
		}
		id, _ := m.Space.Intern(v).ID()
		name = fmt.Append(name, " ", id)
	}
	computed, known := m.places[string(name)]
	if !known {
		computed = m.addPart(string(name), statePart{base: place, of: p, in: in, stale: true,
			known: memory{keys: 1}})
		of := &m.parts[place]
		if of.derived = append(of.derived, computed); p.matters == nil {
			of.others = append(of.others, computed)
		}
	}
	return computed, true
}

func (m *Machine) addPart(name string, p statePart) int32 {
	if m.places == nil {
		m.places = map[string]int32{}
	}
	k := int32(len(m.parts))
	m.places[name] = k
	m.parts = append(m.parts, p)
	return k
}

// identifyParts gives the number of an instance and the numbers of what it reads; ok is false where
// one has none. Where it is not enabled, some test is false. Blind is only for the tests.
func (m *Machine) identifyParts(
	in *instance, out *[mostPaths + 1]uint32, blind bool,
) (enabled, ok bool) {
	if len(in.reads) < len(in.parts) {
		return true, false
	}
	out[0] = in.number
	for i, k := range in.reads {
		if blind && !in.parts[i].guard {
			continue
		}
		p := &m.parts[k]
		if p.stale {
			parting{m}.refresh(k)
			p = &m.parts[k]
		}
		if p.id == 0 {
			return true, false
		}
		if in.parts[i].guard && m.Space.Of(p.id-1) == m.Space.False {
			return false, true
		}
		out[i+1] = p.id
	}
	return true, true
}

// refresh finds the value of a part that is not known yet.
func (m parting) refresh(k int32) {
	p := &m.parts[k]
	if p.base < 0 {
		v := Packed(m).composed(p.node)
		id, _ := v.ID()
		p.value, p.id, p.stale = v, id+1, false
		return
	}
	id := m.computed(p)
	p = &m.parts[k]
	p.id, p.stale = id, false
}

// computed is the number of a part that is computed, plus 1; 0 where it has no value.
func (m parting) computed(p *statePart) uint32 {
	if b := &m.parts[p.base]; p.of.asks && b.stale && b.node.component != nil {
		// It is a set whose elements have bits, else it would not be stale.
		m.askingBits, m.asked = b.node.component, p.asked[:0]
		id := m.evaluated(p)
		p.asked, m.askingBits = m.asked, nil
		return id
	}
	if m.parts[p.base].stale {
		m.refresh(p.base)
	}
	base := &m.parts[p.base]
	switch {
	case base.id == 0:
		return 0
	case p.of.asks && base.value.Kind() == value.Set:
		m.asking, m.asked = base.value, p.asked[:0]
		id := m.evaluated(p)
		p.asked, m.asking = m.asked, nil
		return id
	case p.of.matters != nil && base.value.Kind() == value.Set:
		return m.evaluated(p) // it is stale only where it is likely to be another value
	}
	var key [mostKeys]uint32
	key[0] = base.id
	e := p.known.place(&key)
	if e[0] == base.id {
		return e[1]
	}
	id := m.evaluated(p)
	if e[0] == 0 {
		p.known.filled++
	}
	e[0], e[1] = base.id, id
	return id
}

// evaluated computes the number of a part, plus 1; 0 where it has no value.
func (m parting) evaluated(p *statePart) (id uint32) {
	m.try(func() {
		p.in.bind(m.Machine)
		v := p.of.code(m.Machine)
		if v.Kind() <= value.Function {
			n, _ := m.Space.Intern(v).ID()
			id = n + 1
		}
	})
	return id
}

// try runs f, and reports whether it has a value.
func (m *Machine) try(f func()) (ok bool) {
	frame, calls, stacks := m.frame, m.calls, m.stacks
	before, after, args := m.before, m.after, m.args
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(*value.Error); !is {
				panic(r)
			}
			m.frame, m.calls, m.stacks = frame, calls, stacks
			m.before, m.after, m.args = before, after, args
			ok = false
		}
	}()
	f()
	return true
}
