package eval

import (
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// test is the code for the truth of a node.
func (c *compiler) test(n core.Node) Test {
	if f := c.tests[n]; f != nil {
		return f
	}
	markSides(c, n)
	f := c.makeTest(n)
	switch n.(type) {
	case *core.Junction, *core.Implies, *core.Quantified:
		f = early(c, n, f)
	}
	if r := c.remembers(n); r != nil {
		if _, ok := c.codes[n]; !ok {
			space := c.Space
			truth := c.remember(r, func(m *Machine) *value.Value { return space.Bool(f(m)) })
			c.tests[n] = func(m *Machine) bool { return truth(m).Truth() }
			return c.tests[n]
		}
	}
	c.tests[n] = f
	return f
}

func (c *compiler) makeTest(n core.Node) Test {
	switch n := n.(type) {
	case *core.Literal:
		if n.Value.Kind() == value.Bool {
			b := n.Value.Truth()
			return func(*Machine) bool { return b }
		}
	case *core.Junction:
		return c.junction(n)
	case *core.Not:
		arg := c.test(n.Arg)
		return func(m *Machine) bool { return !arg(m) }
	case *core.Implies:
		a, b := c.test(n.Left), c.test(n.Right)
		return func(m *Machine) bool { return !a(m) || b(m) }
	case *core.Equivalent:
		a, b := c.test(n.Left), c.test(n.Right)
		return func(m *Machine) bool { return a(m) == b(m) }
	case *core.Equal:
		if t := becomes(c, n); t != nil {
			return t
		}
		return sameValue(c, n)
	case *core.In:
		if t := c.within(n); t != nil {
			return t
		}
		return member(c, n)
	case *core.Quantified:
		return c.quantified(n)
	case *core.If:
		return choice(c.test(n.Cond), c.test(n.Then), c.test(n.Else))
	case *core.Let:
		return holding(c, n, c.test)
	case *core.Named:
		return c.test(n.Body)
	case *core.Global:
		if len(placesOf(n.Value)) == 0 {
			return c.test(n.Value)
		}
		return framed(c, n, c.test)
	case *core.Operator:
		if t := c.comparison(n); t != nil {
			return t
		}
	case *core.Enabled:
		return c.enabled(n)
	case *core.Taken:
		return func(*Machine) bool { return true }
	case *core.Action:
		return c.step(n)
	case *core.Composed:
		return c.isComposed(n)
	}
	code, at := c.code(n), n.Span()
	return func(m *Machine) bool {
		v := code(m)
		m.where = &at
		return v.Truth()
	}
}

// sameValue tests an equation by the values of its sides.
func sameValue(c *compiler, n *core.Equal) Test {
	a, b, at := c.code(n.Left), c.code(n.Right), n.Span()
	return func(m *Machine) bool {
		x, y := a(m), b(m)
		if x == y {
			return true
		}
		m.where = &at
		return value.Equal(x, y)
	}
}

func (c *compiler) junction(n *core.Junction) Test {
	if n.And {
		return allOf(c, n.Args)
	}
	args := make([]Test, len(n.Args))
	for i, a := range n.Args {
		args[i] = c.test(a)
	}
	return func(m *Machine) bool {
		for _, a := range args {
			if a(m) {
				return true
			}
		}
		return false
	}
}

// allOf is the test of a conjunction.
func allOf(c *compiler, conjuncts []core.Node) Test {
	args := make([]Test, len(conjuncts))
	for i, a := range conjuncts {
		args[i] = c.test(a)
	}
	return func(m *Machine) bool {
		for _, a := range args {
			if !a(m) {
				return false
			}
		}
		return true
	}
}

// comparison is the test of an operator whose value is a truth value; nil for any other.
func (c *compiler) comparison(n *core.Operator) Test {
	at := n.Span()
	switch n.Name {
	case "<", ">", "<=", ">=":
		order := order(c, n)
		switch n.Name {
		case "<":
			return func(m *Machine) bool { return order(m) < 0 }
		case ">":
			return func(m *Machine) bool { return order(m) > 0 }
		case "<=":
			return func(m *Machine) bool { return order(m) <= 0 }
		}
		return func(m *Machine) bool { return order(m) >= 0 }
	case `\subseteq`:
		a, b := c.code(n.Args[0]), c.code(n.Args[1])
		return func(m *Machine) bool {
			x, y := a(m), b(m)
			m.where = &at
			return value.SubsetEq(x, y)
		}
	case "IsFiniteSet":
		a := c.code(n.Args[0])
		return func(m *Machine) bool {
			v := a(m)
			m.where = &at
			return v.IsSet() && value.Finite(v)
		}
	}
	return nil
}

// step is the truth of an action in a step.
func (c *compiler) step(n *core.Action) Test {
	body, same := c.test(n.Body), c.test(n.Unchanged)
	if n.Angle {
		return func(m *Machine) bool { return !same(m) && body(m) }
	}
	return func(m *Machine) bool { return same(m) || body(m) }
}

// isComposed looks for a step in two parts that leads to the state after the step.
func (c *compiler) isComposed(n *core.Composed) Test {
	act := actions{c}.act(n, func(m *Machine) bool {
		wanted := m.wanted[len(m.wanted)-1]
		return slices.EqualFunc(m.after, wanted, value.Equal)
	})
	return func(m *Machine) bool {
		after := m.after
		m.wanted, m.after = append(m.wanted, after), make([]*value.Value, len(after))
		found := act(m)
		m.wanted, m.after = m.wanted[:len(m.wanted)-1], after
		return found
	}
}
