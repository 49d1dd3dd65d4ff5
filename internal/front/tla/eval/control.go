package eval

import (
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// What follows is the same for values, truths and actions, which differ in what they give.

// choice is IF.
func choice[T any](cond Test, yes, no func(*Machine) T) func(*Machine) T {
	return func(m *Machine) T {
		if cond(m) {
			return yes(m)
		}
		return no(m)
	}
}

// cases is CASE: the first way whose condition is true.
func cases[T any](
	c *compiler, n *core.Case, compile func(core.Node) func(*Machine) T,
) func(*Machine) T {
	at := n.Span()
	var conds []Test
	var ways []func(*Machine) T
	for i, x := range n.Conds {
		conds, ways = append(conds, c.test(x)), append(ways, compile(n.Values[i]))
	}
	other := func(m *Machine) (none T) {
		m.fail(&at, "no case applies")
		return none
	}
	if n.Other != nil {
		other = compile(n.Other)
	}
	return func(m *Machine) T {
		for i, t := range conds {
			if t(m) {
				return ways[i](m)
			}
		}
		return other(m)
	}
}

// holding is a LET: a body with a place for a value that is computed when it is read.
func holding[T any, F ~func(*Machine) T](
	c *compiler, n *core.Let, compile func(core.Node) F,
) F {
	i, v := n.Slot, &lazy{code: c.code(n.Value), light: c.readingOf(n.Value).light()}
	outer := c.lets
	c.lets = &let{n.Slot, n.Value, outer}
	body := compile(n.Body)
	c.lets = outer
	return func(m *Machine) T {
		m.frame[i] = slot{lazy: v}
		return body(m)
	}
}

// framed is a body in a frame of its own.
func framed[T any, F ~func(*Machine) T](
	c *compiler, n *core.Global, compile func(core.Node) F,
) F {
	c.frame = max(c.frame, n.Frame)
	lets := c.lets
	c.lets = nil // these places are of another frame
	body := compile(n.Value)
	c.lets = lets
	return func(m *Machine) T {
		frame := m.enter()
		v := body(m)
		m.leave(frame)
		return v
	}
}

// enter takes a frame that is not in use, and gives the one that is.
func (m *Machine) enter() []slot {
	frame := m.frame
	if last := len(m.frames) - 1; last >= 0 {
		m.frame, m.frames = m.frames[last], m.frames[:last]
	} else {
		m.frame = make([]slot, m.Program.frame)
	}
	return frame
}

// leave gives the frame in use back. A lambda has a copy of what it needs.
func (m *Machine) leave(frame []slot) {
	m.frames = append(m.frames, m.frame)
	m.frame = frame
}

// compute computes what a place stands for.
func (m *Machine) compute(s *slot) *value.Value {
	if s.lazy == nil {
		panic(&value.Error{Message: "internal error: a name has no value"})
	}
	if s.lazy.frame == nil {
		s.value = s.lazy.code(m)
		return s.value
	}
	frame := m.frame
	m.frame = s.lazy.frame
	s.value = s.lazy.code(m)
	m.frame = frame
	return s.value
}

// stir adds a number to a hash.
func stir(h uint64, n uint32) uint64 {
	h = (h ^ uint64(n)) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}
