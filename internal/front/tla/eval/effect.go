package eval

import (
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// effect is a step that is remembered: what it changes, and the numbers of its arguments.
type effect struct {
	changes []change
	args    []int64
	ops     []op // the changes of packed states
}

// change is what a step does to a variable.
type change struct {
	variable int
	number   uint32 // of what is done, plus 1; 0 where the variable gets the value
	deed
}

// deed is how a value becomes another one.
type deed struct {
	how   deedKind
	path  path // of put
	value *value.Value
}

// path are the keys that lead to a part of a value; behind the last one there is nil.
type path [mostKeysOfPath]*value.Value

const mostKeysOfPath = 3

type deedKind uint8

const (
	give   deedKind = iota // it becomes the value
	put                    // the part at the path becomes the value
	join                   // the set gets the elements of the value
	remove                 // the set loses the elements of the value
)

// done is what becomes of an interned value, interned. The values of a deed are interned, too.
func (d *deed) done(s *value.Space, old *value.Value) *value.Value {
	switch d.how {
	case put:
		return putAt(s, old, d.path[:], d.value)
	case join:
		if d.value.Kind() == value.Set && value.Size(d.value) == 1 {
			return s.With(old, d.value.Listed()[0])
		}
		return s.Intern(value.Cup(old, d.value))
	case remove:
		return s.Intern(value.Minus(old, d.value))
	}
	return d.value
}

// putAt is a value with another part at a path.
func putAt(s *value.Space, old *value.Value, path []*value.Value, v *value.Value) *value.Value {
	if len(path) == 0 || path[0] == nil {
		return v
	}
	part, ok := value.At(old, path[0])
	if !ok {
		return old
	}
	return s.Except(old, path[0], putAt(s, part, path[1:], v))
}

// deeds are what steps do, and what became of values by them.
type deeds struct {
	numbersOf map[deed]uint32
	results   []became // a deed and a value have one place
	taken     int
}

// became is the number of a value after something was done to another one.
type became struct{ deed, old, out uint32 }

const (
	firstResults = 1 << 10
	mostResults  = 1 << 18
)

// interned is a deed with values that have numbers.
func (m *Machine) interned(d deed) deed {
	for i, k := range d.path {
		if k != nil {
			d.path[i] = m.Space.Intern(k)
		}
	}
	d.value = m.Space.Intern(d.value)
	return d
}

// changeOf is a change whose deed has a number.
func (d *deeds) changeOf(variable int, does deed) change {
	c := change{variable: variable, deed: does}
	if does.how == give {
		return c
	}
	n, ok := d.numbersOf[does]
	if !ok {
		if d.numbersOf == nil {
			d.numbersOf, d.results = map[deed]uint32{}, make([]became, firstResults)
		}
		n = uint32(len(d.numbersOf)) + 1
		d.numbersOf[does] = n
	}
	c.number = n
	return c
}

// changed is the number of the value that a change makes of the one with a number.
func (m *Machine) changed(c *change, old int64) int64 {
	if c.number == 0 {
		id, _ := c.value.ID()
		return int64(id)
	}
	r := m.result(c.number, uint32(old))
	if r.deed == c.number && r.old == uint32(old) {
		return int64(r.out)
	}
	id, _ := c.done(m.Space, m.Space.Of(uint32(old))).ID()
	if r.deed == 0 {
		m.taken++
	}
	*r = became{c.number, uint32(old), id}
	if n := len(m.results); m.taken > n/2 && n < mostResults {
		before := m.results
		m.results, m.taken = make([]became, 4*n), 0
		for _, b := range before {
			if r := m.result(b.deed, b.old); b.deed != 0 {
				*r = b
				m.taken++
			}
		}
	}
	return int64(id)
}

func (d *deeds) result(deed, old uint32) *became {
	return &d.results[stir(stir(0, deed), old)&uint64(len(d.results)-1)]
}

// effect is what the step that is complete changes.
func (m *Machine) effect() effect {
	e := effect{args: m.numbered(m.args, nil)}
	for i, v := range m.after {
		switch s := &m.sources[i]; s.kind {
		case unchanged:
		case update:
			for _, d := range s.changes {
				e.changes = append(e.changes, m.changeOf(i, d))
			}
		default:
			e.changes = append(e.changes, m.changeOf(i, deed{value: m.Space.Intern(v)}))
		}
	}
	if m.packer != nil {
		Packed{m}.bitsOf(&e)
	}
	return e
}

// replay yields steps that are remembered.
func (m *Machine) replay(effects []effect) bool {
	if m.packer != nil {
		return Packed{m}.replay(effects)
	}
	for i := range effects {
		e := &effects[i]
		m.next = append(m.next[:0], m.numbers...)
		for k := range e.changes {
			c := &e.changes[k]
			m.next[c.variable] = m.changed(c, m.next[c.variable])
		}
		if m.found(e.args, m.next) {
			return true
		}
	}
	return false
}

// numbered gives values their numbers.
func (m *Machine) numbered(vs []*value.Value, out []int64) []int64 {
	out = slices.Grow(out[:0], len(vs))
	for _, v := range vs {
		id, _ := m.Space.Intern(v).ID()
		out = append(out, int64(id))
	}
	return out
}

// source says how a variable got its value after a step. What an expression gives it may be its old
// value: this does not make it unchanged, since in another state it may be another one.
type source struct {
	kind    sourceKind
	changes []deed // of an update
}

type sourceKind uint8

const (
	expression sourceKind = iota
	unchanged
	update
)

// ownSource says how an assignment gives a variable its value.
func ownSource(i int, n core.Node) sourceKind {
	if isOld(i, n) {
		return unchanged
	}
	if ownUpdate(i, n) != nil {
		return update
	}
	return expression
}

// isOld reports whether a node is a variable before the step.
func isOld(i int, n core.Node) bool {
	v, ok := n.(*core.Variable)
	return ok && v.Index == i && !v.Primed
}

// ownUpdate is a value that a variable gets as an update of itself: an Except, a union or a
// difference; nil for another one.
func ownUpdate(i int, n core.Node) core.Node {
	switch n := n.(type) {
	case *core.Except:
		if isOld(i, n.Function) {
			return n
		}
	case *core.Operator:
		if (n.Name == `\union` || n.Name == `\`) && isOld(i, n.Args[0]) {
			return n
		}
	}
	return nil
}

// updated is the code of an update of a variable, which is recorded where the machine records.
func (c *compiler) updated(i int, n core.Node) Code {
	if e, ok := n.(*core.Except); ok {
		return c.recorded(i, e)
	}
	o := n.(*core.Operator)
	code, by, at, how := c.code(n), c.code(o.Args[1]), n.Span(), join
	if o.Name == `\` {
		how = remove
	}
	return func(m *Machine) *value.Value {
		if !m.recording {
			return code(m)
		}
		v := by(m)
		m.where = &at
		if !v.IsSet() || !value.Finite(v) {
			m.unfit = true
			return code(m)
		}
		d := deed{how: how, value: m.Space.Intern(v)}
		m.sources[i].changes = []deed{d}
		return d.done(m.Space, m.Space.Intern(m.old(i)))
	}
}
