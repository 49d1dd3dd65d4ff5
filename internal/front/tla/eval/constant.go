package eval

import (
	"sync"
	"sync/atomic"

	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// constant is the value of a constant, for all machines: nil before it is known. One machine
// computes it, and others wait.
type constant struct {
	value     atomic.Pointer[value.Value]
	computing sync.Mutex
}

// sharedCode computes a constant once: for all machines, or for each where the value holds on to
// the machine. What a constant prints, or reads of an exploration, each machine computes for
// itself.
func (c *compiler) sharedCode(n *core.Shared) Code {
	k, ok := c.places[n.Index]
	if !ok {
		k = c.shared
		c.places[n.Index] = k
		c.shared++
		c.constants = append(c.constants, &constant{})
	}
	code, known := c.code(n.Value), c.constants[k]
	c.frame = max(c.frame, n.Frame)
	return func(m *Machine) *value.Value {
		if v := m.shared[k]; v != nil {
			return v
		}
		own := m.Printed != nil || m.Explored != nil || m.Level > 0
		if own || m.within[k] { // the constant is a part of itself, in a call
			return m.constant(k, code)
		}
		if v := known.value.Load(); v != nil {
			m.shared[k] = v
			return v
		}
		known.computing.Lock()
		m.within[k] = true
		defer func() {
			delete(m.within, k)
			known.computing.Unlock()
		}()
		if v := known.value.Load(); v != nil {
			m.shared[k] = v
			return v
		}
		v := m.constant(k, code)
		if !v.Computes() {
			known.value.Store(v)
		}
		return v
	}
}

// constant computes a constant in a frame of its own.
func (m *Machine) constant(k int, code Code) *value.Value {
	frame := m.frame
	m.frame = make([]slot, len(frame))
	v := code(m)
	m.frame = frame
	if v.Kind() <= value.Function {
		v = m.Space.Intern(v)
	}
	m.shared[k] = v
	return v
}
