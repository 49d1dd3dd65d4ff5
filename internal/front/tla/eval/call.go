package eval

import (
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// maxCalls bounds how deep recursive operators call each other.
const maxCalls = 100_000

// procedure is a recursive operator.
type procedure struct {
	code  Code
	index int
	size  int // of its frames
}

// argument is an argument of a call: it is computed when it is read, but for one that is a place,
// or takes no work.
type argument struct {
	code  Code
	place int // -1 for no place
	plain bool
	light bool
}

func argumentOf(c *compiler, n core.Node) argument {
	a := argument{code: c.code(n), place: -1, light: c.readingOf(n).light()}
	switch n := n.(type) {
	case *core.Slot:
		a.place = n.Slot
	case *core.Literal:
		a.plain = true
	}
	return a
}

// in is the argument in the frame of a caller.
func (a *argument) in(m *Machine, caller []slot) slot {
	if a.place >= 0 {
		if s := &caller[a.place]; s.value != nil {
			return slot{value: s.value}
		}
	}
	if a.plain {
		return slot{value: a.code(m)}
	}
	return slot{lazy: &lazy{a.code, caller, a.light}}
}

// call runs a recursive operator in a frame of its own.
func (c *compiler) call(n *core.Call) Code {
	p := c.procedures[n.Procedure]
	if p == nil {
		p = &procedure{index: len(c.procedures), size: n.Procedure.Frame + 1}
		c.procedures[n.Procedure] = p
		lets := c.lets
		c.lets = nil // these places are of another frame
		r := removalOf(c, n.Procedure)
		if r != nil {
			p.size++
		}
		if p.code = c.code(n.Procedure.Body); r != nil {
			p.code = r.code(c, p.size-1, p.code)
		}
		c.lets = lets
	}
	args, at := make([]argument, len(n.Args)), n.Span()
	for i, a := range n.Args {
		args[i] = argumentOf(c, a)
	}
	outer, params := n.Procedure.Outer, n.Procedure.Params
	return func(m *Machine) *value.Value {
		caller := m.frame
		var frame []slot
		if free := m.free[p.index]; len(free) > 0 {
			frame, m.free[p.index] = free[len(free)-1], free[:len(free)-1]
		} else {
			frame = make([]slot, p.size)
		}
		copy(frame, caller[:outer])
		for i := range args {
			frame[params[i]] = args[i].in(m, caller)
		}
		m.turn()
		if m.calls++; m.calls > maxCalls {
			m.fail(&at, "a recursive operator calls itself too often: does it come to an end?")
		}
		m.frame = frame
		v := p.code(m)
		m.frame = caller
		m.calls--
		// What is computed later has copies of frames. An argument may be read until the call ends.
		clear(frame)
		m.free[p.index] = append(m.free[p.index], frame)
		return v
	}
}
