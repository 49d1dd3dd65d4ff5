package eval

import (
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// member is the membership in a set. A tuple or a record that is written there is looked for
// without being made.
func member(c *compiler, n *core.In) Test {
	a, b, at := c.code(n.Elem), c.code(n.Set), n.Span()
	slow := func(m *Machine, x, s *value.Value) bool {
		m.where = &at
		if s == m.asking && s != nil {
			x = m.Space.Intern(x)
			id, _ := x.ID()
			m.asked = append(m.asked, id)
		}
		return value.Member(x, s)
	}
	of := -1
	if v, ok := n.Set.(*core.Variable); ok && !v.Primed {
		of = v.Index
	}
	ask := func(m *Machine) bool {
		x := a(m)
		if m.askingBits != nil && of == m.askingBits.variable {
			x = m.Space.Intern(x)
			if has, known := (Packed{m}).has(m.askingBits, x); known {
				return has
			}
		}
		return slow(m, x, b(m))
	}
	args, fields := written(n.Elem)
	if args == nil {
		return ask
	}
	parts := c.all(args)
	return func(m *Machine) bool {
		if m.asking != nil || m.askingBits != nil {
			return ask(m)
		}
		var room [mostArgs]*value.Value
		vs := m.listIn(parts, room[:0])
		s := b(m)
		m.where = &at
		if has, known := s.Contains(fields, vs); known {
			return has
		}
		return slow(m, a(m), s)
	}
}

// written are the parts of a tuple, or of a record with fields, that an expression makes; nil for
// another one.
func written(n core.Node) (parts []core.Node, fields *value.Fields) {
	switch n := n.(type) {
	case *core.Record:
		if !n.Sets && len(n.Values) <= mostArgs {
			return n.Values, n.Fields
		}
	case *core.Operator:
		if n.Name == "<<>>" && len(n.Args) <= mostArgs && len(n.Args) > 0 {
			return n.Args, nil
		}
	}
	return nil, nil
}

// within is the membership in a comprehension, whose elements need not be listed for it; nil for
// another set.
func (c *compiler) within(n *core.In) Test {
	x, holds := c.code(n.Elem), holdsIn(c, n.Set)
	if holds == nil {
		return nil
	}
	return func(m *Machine) bool {
		m.sought = append(m.sought, x(m))
		found := holds(m)
		m.sought = m.sought[:len(m.sought)-1]
		return found
	}
}

// holdsIn tells of the value that is sought last whether it is in a comprehension; nil for another
// set.
func holdsIn(c *compiler, set core.Node) Test {
	at := set.Span()
	switch s := set.(type) {
	case *core.Named:
		return holdsIn(c, s.Body)
	case *core.Let:
		return inside(c, func(compile func(core.Node) Test) Test { return holding(c, s, compile) })
	case *core.Global:
		return inside(c, func(compile func(core.Node) Test) Test { return framed(c, s, compile) })
	case *core.Filter:
		of, bind, body := holdsIn(c, s.Binding.Set), c.binder(&s.Binding), c.test(s.Body)
		if of == nil {
			set := c.code(s.Binding.Set)
			of = func(m *Machine) bool {
				all := set(m)
				m.where = &at
				return value.Member(m.sought[len(m.sought)-1], all)
			}
		}
		return func(m *Machine) bool {
			if !of(m) {
				return false
			}
			bind(m, m.sought[len(m.sought)-1])
			return body(m)
		}
	case *core.Image:
		body := c.code(s.Body)
		none := c.nest(s.Bindings, s, func(m *Machine) bool {
			v := body(m)
			m.where = &at
			return !value.Equal(v, m.sought[len(m.sought)-1])
		})
		return func(m *Machine) bool { return !none(m) }
	}
	return nil
}

// inside is holdsIn of a set within something that prepares its places; nil where the set has none.
func inside(c *compiler, prepare func(compile func(core.Node) Test) Test) Test {
	var holds Test
	prepared := prepare(func(set core.Node) Test {
		holds = holdsIn(c, set)
		return holds
	})
	if holds == nil {
		return nil
	}
	return prepared
}

// unnamed is what the expansion of an operator stands for.
func unnamed(n core.Node) core.Node {
	for {
		named, ok := n.(*core.Named)
		if !ok {
			return n
		}
		n = named.Body
	}
}
