package eval

import "erelong.dev/erelong/internal/value"

// An operation that makes a value of interned ones is carried out once: its result is interned, and
// found again by the operation and the numbers of its arguments. So most values of most steps are
// not made, but looked up.

// made remembers results, in a table in which an operation on some values has one place.
type made struct{ entries []result }

// result is what an operation gave.
type result struct {
	op   uint32 // plus 1
	args [mostArgs]uint32
	out  uint32
}

const (
	mostArgs   = 5
	madePlaces = 1 << 15
)

// The operations that have no place of their own in the file.
const (
	opExcept uint32 = iota
	opWith
	opCup
	opMinus
	opCap
	opAppend
	opTail
	opConcat
	firstSite // the operations that a node carries out
)

// make gives the result of an operation, which it carries out if it is not remembered.
func (m *Machine) make(op uint32, run func() *value.Value, args ...*value.Value) *value.Value {
	if m.forgets || len(args) > mostArgs {
		return run()
	}
	r := result{op: op + 1}
	h := uint64(op)
	for i, a := range args {
		id, ok := a.ID()
		if !ok {
			return run()
		}
		r.args[i] = id
		h = stir(h, id)
	}
	if m.made.entries == nil {
		m.made.entries = make([]result, madePlaces)
	}
	e := &m.made.entries[h&(madePlaces-1)]
	if e.op == r.op && e.args == r.args {
		return m.Space.Of(e.out)
	}
	v := run()
	if v.Kind() > value.Function {
		return v
	}
	v = m.Space.Intern(v)
	r.out, _ = v.ID()
	m.made.entries[h&(madePlaces-1)] = r
	return v
}

// except is value.Except, remembered.
func (m *Machine) except(f, x, v *value.Value) *value.Value {
	return m.make(opExcept, func() *value.Value {
		if m.forgets || !haveNumbers(f, x, v) {
			return value.Except(f, x, v)
		}
		return m.Space.Except(f, x, v)
	}, f, x, v)
}

func haveNumbers(vs ...*value.Value) bool {
	for _, v := range vs {
		if _, ok := v.ID(); !ok {
			return false
		}
	}
	return true
}
