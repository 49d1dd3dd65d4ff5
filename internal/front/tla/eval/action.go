package eval

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// actions makes acts of nodes.
type actions struct{ *compiler }

// complete checks that all variables have values at the end of an action.
func (c actions) complete(n core.Node, then Act) Act {
	at := n.Span()
	return func(m *Machine) bool {
		for i, v := range m.after {
			if v == nil {
				m.fail(&at, fmt.Sprintf(
					"the action gives %s no value: add %[1]s' = .. or UNCHANGED "+
						"%[1]s", m.Model.Variables[i]))
			}
		}
		return then(m)
	}
}

// act runs a node as an action, and then what follows for each way in which it is true.
func (c actions) act(n core.Node, then Act) Act {
	switch n := n.(type) {
	case *core.Junction:
		if n.And {
			return c.conjunction(n.Args, then)
		}
		ways := make([]Act, len(n.Args))
		for i, a := range n.Args {
			ways[i] = c.act(a, then)
		}
		return func(m *Machine) bool {
			for _, w := range ways {
				if w(m) {
					return true
				}
			}
			return false
		}
	case *core.Named:
		return c.act(n.Body, then)
	case *core.Let:
		return holding(c.compiler, n, func(x core.Node) Act { return c.act(x, then) })
	case *core.If:
		return choice(c.test(n.Cond), c.act(n.Then, then), c.act(n.Else, then))
	case *core.Implies:
		return choice(c.test(n.Left), c.act(n.Right, then), then)
	case *core.Case:
		return cases(c.compiler, n, func(x core.Node) func(*Machine) bool { return c.act(x, then) })
	case *core.Quantified:
		if !n.All {
			return c.exists(n, then)
		}
		if branches(n.Body) {
			return c.forall(n, then)
		}
	case *core.Equal:
		if v, ok := n.Left.(*core.Variable); ok && v.Primed {
			return c.assign(v.Index, n, then)
		}
	case *core.In:
		if v, ok := n.Elem.(*core.Variable); ok && v.Primed {
			return c.assignSome(v.Index, c.code(n.Set), n.Set, n, then)
		}
	case *core.Operator:
		if v, ok := primed(n); ok {
			return c.assignSome(v, c.powerset(n.Args[1]), n.Args[1], n, then)
		}
	case *core.Taken:
		return c.taken(n, then)
	case *core.Composed:
		return c.composed(n, then)
	case *core.Action:
		if !n.Angle {
			break
		}
	}
	t := c.test(n)
	return func(m *Machine) bool { return t(m) && then(m) }
}

// steps runs the parts of an action, each with what it remembers where this is worth it.
func (c actions) steps(n core.Node, done Act) Act {
	parts := []core.Node{n}
	if j, ok := n.(*core.Junction); ok && !j.And {
		parts = j.Args
	}
	var acts []Act
	for _, p := range parts {
		acts = append(acts, projector(c).project(p, done))
	}
	return func(m *Machine) bool {
		for _, a := range acts {
			if a(m) {
				return true
			}
		}
		return false
	}
}

// conjunction runs conjuncts from left to right, perhaps after others.
func (c actions) conjunction(args []core.Node, then Act) Act {
	for _, a := range slices.Backward(args) {
		then = c.pending(a, then)
	}
	return then
}

// pending runs a node after others. When all variables have values already, it is a test: so TLC
// counts one step, however many of its disjuncts are true.
func (c actions) pending(n core.Node, then Act) Act {
	act := c.act(n, then)
	if !branches(n) {
		return act
	}
	t, ofStep := c.test(n), n.Level() >= core.Step
	return func(m *Machine) bool {
		if slices.Contains(m.after, nil) {
			return act(m)
		}
		m.unfit = m.unfit || ofStep
		return t(m) && then(m)
	}
}

// branches reports whether a node can be true in several ways as an action, or gives values to
// variables. So TLC counts a step for each element of a quantifier, and each true disjunct, even of
// formulas about states.
func branches(n core.Node) bool {
	switch n := n.(type) {
	case *core.Taken:
		return false
	case *core.Junction:
		return !n.And || slices.ContainsFunc(n.Args, branches)
	case *core.Quantified:
		return !n.All || branches(n.Body)
	case *core.Named:
		return branches(n.Body)
	case *core.Let:
		return branches(n.Body)
	case *core.Implies:
		return branches(n.Right)
	case *core.If:
		return branches(n.Then) || branches(n.Else)
	case *core.Case:
		return slices.ContainsFunc(n.Values, branches) || n.Other != nil && branches(n.Other)
	}
	return n.Level() >= core.Step
}

// composed runs the second action from the state that the first one leads to.
func (c actions) composed(n *core.Composed, then Act) Act {
	at := n.Span()
	second := c.act(n.Second, c.complete(n.Second, func(m *Machine) bool {
		between := m.before
		top := len(m.origins) - 1
		m.before = m.origins[top]
		m.origins = m.origins[:top]
		over := then(m)
		m.origins = append(m.origins, m.before)
		m.before = between
		return over
	}))
	return c.act(n.First, c.complete(n.First, func(m *Machine) bool {
		m.where = &at
		before, after := m.before, m.after
		m.origins = append(m.origins, before)
		m.before, m.after = slices.Clone(after), make([]*value.Value, len(after))
		over := second(m)
		m.before, m.after = before, after
		m.origins = m.origins[:len(m.origins)-1]
		return over
	}))
}

func (c actions) taken(n *core.Taken, then Act) Act {
	args := c.all(n.Args)
	return func(m *Machine) bool {
		old := m.args
		m.args = m.list(args)
		over := then(m)
		m.args = old
		return over
	}
}

// assign gives a variable a value after the step; if it has one, it compares.
func (c actions) assign(i int, n *core.Equal, then Act) Act {
	kind := ownSource(i, n.Right)
	e, at := c.code(n.Right), n.Span()
	if kind == update {
		e = c.updated(i, n.Right)
	}
	return func(m *Machine) bool {
		v := e(m)
		if old := m.after[i]; old != nil {
			m.where, m.unfit = &at, true
			return value.Equal(old, v) && then(m)
		}
		m.where = &at
		m.after[i] = v.Forced()
		m.sources[i].kind = kind
		over := then(m)
		m.after[i] = nil
		return over
	}
}

// assignSome gives a variable each value of a set, which depends on a node.
func (c actions) assignSome(i int, s Code, of, n core.Node, then Act) Act {
	at, each := n.Span(), eachOf(c.compiler, of)
	return func(m *Machine) bool {
		set := s(m)
		m.where = &at
		if old := m.after[i]; old != nil {
			m.unfit = true
			return value.Member(old, set) && then(m)
		}
		over := !each(m, set, func(v *value.Value) bool {
			m.turn()
			m.where = &at
			m.after[i] = v.Forced()
			m.sources[i].kind = expression
			return !then(m)
		})
		m.after[i] = nil
		return over
	}
}

// eachOf runs through the elements of a set that depends on a node. Where this is nothing, as in
// [1..n -> S], they are listed once, so they have numbers.
func eachOf(
	c *compiler, of core.Node,
) func(m *Machine, s *value.Value, yield func(*value.Value) bool) bool {
	if r := c.readingOf(of); r.opaque || r.keys() > 0 {
		return func(_ *Machine, s *value.Value, yield func(*value.Value) bool) bool {
			return value.Each(s, yield)
		}
	}
	k := c.lists
	c.lists++
	return func(m *Machine, s *value.Value, yield func(*value.Value) bool) bool {
		if m.lists[k] == nil {
			if !isListable(s) {
				return value.Each(s, yield)
			}
			var all []*value.Value
			value.Each(s, func(v *value.Value) bool {
				m.turn()
				all = append(all, m.Space.Intern(v))
				return true
			})
			m.lists[k] = all // not a part of it, if the search is interrupted
		}
		for _, v := range m.lists[k] {
			if !yield(v) {
				return false
			}
		}
		return true
	}
}

// primed is the variable v of v' \subseteq S.
func primed(n *core.Operator) (index int, ok bool) {
	if n.Name != `\subseteq` {
		return 0, false
	}
	v, ok := n.Args[0].(*core.Variable)
	if !ok || !v.Primed {
		return 0, false
	}
	return v.Index, true
}

func (c actions) powerset(n core.Node) Code {
	set := c.code(n)
	return func(m *Machine) *value.Value { return value.SubsetOf(set(m)) }
}

// exists runs an action for each element of its sets.
func (c actions) exists(n *core.Quantified, then Act) Act {
	act := c.act(n.Body, then)
	for i := len(n.Bindings) - 1; i >= 0; i-- {
		act = c.eachElement(&n.Bindings[i], n, act)
	}
	return act
}

func (c actions) eachElement(b *core.Binding, n core.Node, body Act) Act {
	run := c.loop(b, n)
	return func(m *Machine) bool {
		return !run(m, func(m *Machine) bool { return !body(m) })
	}
}

// placesOf are the places that a node and its parts bind.
func placesOf(n core.Node) []int {
	out := slices.Clone(core.Bound(n))
	core.Parts(n, func(p core.Node) { out = append(out, placesOf(p)...) })
	slices.Sort(out)
	return slices.Compact(out)
}

// iteration is how far a forall is.
type iteration struct {
	elems []*value.Value
	next  int
}

// forall runs an action for all elements of its sets, one after the other.
func (c actions) forall(n *core.Quantified, then Act) Act {
	if len(n.Bindings) > 1 {
		rest := *n
		rest.Bindings = n.Bindings[1:]
		first := *n
		first.Bindings = n.Bindings[:1]
		first.Body = &rest
		return c.forall(&first, then)
	}
	b := &n.Bindings[0]
	set, bind := c.code(b.Set), c.binder(b)
	at := n.Span()
	var first, later Act
	step := func(m *Machine) bool {
		it := m.iterations[len(m.iterations)-1]
		if it.next == len(it.elems) {
			m.iterations = m.iterations[:len(m.iterations)-1]
			over := then(m)
			m.iterations = append(m.iterations, it)
			return over
		}
		it.next++
		bind(m, it.elems[it.next-1])
		body := later
		if it.next == 1 {
			body = first
		}
		over := body(m)
		it.next--
		if it.next > 0 {
			bind(m, it.elems[it.next-1])
		}
		return over
	}
	// The body runs for the next element within its own loops, whose places it takes.
	inner := placesOf(n.Body)
	next := func(m *Machine) bool {
		saved := make([]slot, len(inner))
		for i, s := range inner {
			saved[i] = m.frame[s]
		}
		over := step(m)
		for i, s := range inner {
			m.frame[s] = saved[i]
		}
		return over
	}
	first, later = c.act(n.Body, next), c.pending(n.Body, next)
	return func(m *Machine) bool {
		s := set(m)
		m.where = &at
		m.iterations = append(m.iterations, &iteration{elems: s.Sorted()})
		over := step(m)
		m.iterations = m.iterations[:len(m.iterations)-1]
		return over
	}
}
