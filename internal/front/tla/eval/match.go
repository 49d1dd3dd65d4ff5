package eval

import (
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// A formula of a step often says what a variable becomes, as in f' = [f EXCEPT ![i] = e]. Both
// values are known there, and mostly they differ. So what is written is compared with f' part by
// part, and is not made. Where a part differs the formula is false, whether or not the other parts
// have values.

// matcher makes a test of whether a node has the value that the machine compares with; nil for a
// node whose value is as well made.
func matcher(c *compiler, n core.Node) Test {
	switch n := n.(type) {
	case *core.Named:
		return matcher(c, n.Body)
	case *core.If:
		if a, b := matcher(c, n.Then), matcher(c, n.Else); a != nil || b != nil {
			return choice(c.test(n.Cond), matched(c, n.Then), matched(c, n.Else))
		}
	case *core.Function:
		if n.Self < 0 && len(n.Bindings) == 1 {
			return matchFunction(c, n)
		}
	case *core.Except:
		if len(n.Updates) == 1 {
			return matchExcept(c, n)
		}
	case *core.Record:
		if !n.Sets {
			return matchRecord(c, n)
		}
	case *core.Operator:
		if n.Name == `\union` {
			return matchUnion(c, n)
		}
	}
	return nil
}

// matched is matcher for any node.
func matched(c *compiler, n core.Node) Test {
	if t := matcher(c, n); t != nil {
		return t
	}
	return equals(c, n)
}

// equals compares with the value of a node, which it makes.
func equals(c *compiler, n core.Node) Test {
	code, at := c.code(n), n.Span()
	return func(m *Machine) bool {
		v := m.target
		w := code(m)
		if v == w {
			return true
		}
		m.where = &at
		return value.Equal(v, w)
	}
}

// matches runs a test with another value to compare with.
func (m *Machine) matches(t Test, v *value.Value) bool {
	old := m.target
	m.target = v
	ok := t(m)
	m.target = old
	return ok
}

func matchFunction(c *compiler, n *core.Function) Test {
	b := &n.Bindings[0]
	set, bind, body, slow := c.code(b.Set), c.binder(b), matched(c, n.Body), equals(c, n)
	return func(m *Machine) bool {
		v, d := m.target, set(m)
		args, ok := argumentsIn(v, d)
		if !ok {
			return slow(m)
		}
		for i, p := range v.Parts() {
			m.turn()
			if args == nil {
				bind(m, m.Space.Int(int64(i+1)))
			} else {
				bind(m, args[i])
			}
			if !m.matches(body, p) {
				return false
			}
		}
		return true
	}
}

// argumentsIn are the arguments of a function in the order of its parts, if they are seen to be the
// elements of a set; nil for the ones of a tuple.
func argumentsIn(v, set *value.Value) (args []*value.Value, ok bool) {
	switch v.Kind() {
	case value.Tuple:
		lo, hi, ok := set.Bounds()
		return nil, ok && lo == 1 && hi == int64(len(v.Parts()))
	case value.Function:
		return set.Listed(), set == value.Domain(v)
	}
	return nil, false
}

func matchRecord(c *compiler, n *core.Record) Test {
	slow, fields := equals(c, n), n.Fields
	var values []Test
	for _, x := range n.Values {
		values = append(values, matched(c, x))
	}
	return func(m *Machine) bool {
		v := m.target
		if v.Kind() != value.Record || v.Names() != fields {
			return slow(m)
		}
		for i, t := range values {
			if !m.matches(t, v.Parts()[i]) {
				return false
			}
		}
		return true
	}
}

// matchExcept compares first what the update leaves alone.
func matchExcept(c *compiler, n *core.Except) Test {
	slow, f, u := equals(c, n), c.code(n.Function), n.Updates[0]
	keys, part, old := c.all(u.Path), matched(c, u.Value), u.Old
	var within func(m *Machine, was, is *value.Value, k int) bool
	within = func(m *Machine, was, is *value.Value, k int) bool {
		if k == len(keys) {
			if old >= 0 {
				m.frame[old] = slot{value: was}
			}
			return m.matches(part, is)
		}
		if !value.Alike(was, is) {
			return slow(m)
		}
		at := value.Place(was, keys[k](m))
		if at < 0 {
			return slow(m)
		}
		before, after := was.Parts(), is.Parts()
		for i, p := range before {
			if i != at && p != after[i] && !value.Equal(p, after[i]) {
				return false
			}
		}
		return within(m, before[at], after[at], k+1)
	}
	return func(m *Machine) bool { return within(m, f(m), m.target, 0) }
}

// matchUnion looks at the sizes of the sets before the union is made.
func matchUnion(c *compiler, n *core.Operator) Test {
	slow, a := equals(c, n), c.code(n.Args[0])
	more := len(setOfSets(n.Args[1])) // elements, at most
	var b Code
	if more == 0 {
		b = c.code(n.Args[1])
	}
	return func(m *Machine) bool {
		v, x := m.target, a(m)
		if v.Kind() != value.Set || x.Kind() != value.Set {
			return slow(m)
		}
		all, some := len(v.Listed()), len(x.Listed())
		if b == nil {
			return some <= all && all <= some+more && slow(m)
		}
		if some > all {
			return false
		}
		y := b(m)
		if y.Kind() != value.Set {
			return slow(m)
		}
		return len(y.Listed()) <= all && all <= some+len(y.Listed()) && slow(m)
	}
}

// becomes tests a formula of a step that says what a variable becomes; nil for another one. What is
// computed of the state before the step alone is the same in all of its steps, and is remembered.
func becomes(c *compiler, n *core.Equal) Test {
	v, ok := n.Left.(*core.Variable)
	if !ok || !v.Primed {
		return nil
	}
	if r := c.sides[unnamed(n.Right)]; r != nil && len(r.slots) == 0 {
		return nil
	}
	t, slow := matcher(c, n.Right), sameValue(c, n)
	if t == nil {
		return nil
	}
	return func(m *Machine) bool {
		is := m.after[v.Index]
		if is == nil || m.forgets {
			return slow(m)
		}
		return m.matches(t, is)
	}
}
