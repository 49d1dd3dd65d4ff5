package eval

import (
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// A claim such as x \in [S -> T] is one for each argument, if x is a function of S. Where states
// are packed, the form tells this of all of them. So a step that changes x for one argument has one
// membership in T decided, and x is not made.

// apart is the claim that a part of the state is in a set of functions or of records. It is taken
// apart into claims about what the part has for each argument.
type apart struct {
	variable int
	keys     []Code // of the part
	domain   Code   // the arguments
	whole    *clause
}

// fits reports whether the part is a function of the arguments in all states.
func (a *apart) fits(m *Machine) bool {
	if m.packer == nil {
		return false
	}
	n := m.packer.nodes[a.variable]
	for _, key := range a.keys {
		at := -1
		if n.component == nil {
			at = value.Place(n.like, m.Space.Intern(key(m)))
		}
		if at < 0 {
			return false
		}
		n = n.parts[at]
	}
	domain := a.domain(m)
	return n.component == nil && domain.IsSet() && value.Finite(domain) &&
		value.Equal(value.Domain(n.like), domain)
}

// ofParts takes a membership in a set of functions or of records apart; nil for another one.
func (c *claimer) ofParts(
	n *core.In, bound []int, binders []func(*Machine, *value.Value),
) *clause {
	r := &reads{c: c.compiler, bound: bound, whole: make([]bool, len(c.Model.Variables))}
	variable, keys, ok := r.element(n.Elem)
	if !ok || len(keys) >= mostKeysOfPath || !c.isFixed(n.Set, bound) {
		return nil
	}
	of, part := described(c.compiler, n.Set)
	out := &clause{}
	a := &apart{variable: variable, keys: c.all(keys)}
	switch of := of.(type) {
	case *core.Operator:
		if of.Name != "->" {
			return nil
		}
		c.frame = max(c.frame, c.Model.Frame) + 1
		b := &core.Binding{Slots: []int{c.frame}, Set: part(of.Args[0])}
		out.bind, out.set = c.binder(b), sequenceOf(c.compiler, b, n)
		a.domain = c.code(b.Set)
		out.body = c.clause(core.PartIn(n.Span(), n.Elem, core.Place(c.frame), part(of.Args[1])),
			append(bound[:len(bound):len(bound)], c.frame),
			append(binders[:len(binders):len(binders)], out.bind))
	case *core.Record:
		if !of.Sets {
			return nil
		}
		names := value.SetOf(append([]*value.Value(nil), of.Fields.Strings...)...)
		a.domain = func(*Machine) *value.Value { return names }
		for i, name := range of.Fields.Names {
			out.conjuncts = append(out.conjuncts, c.clause(core.PartIn(n.Span(), n.Elem,
				core.Text(c.Space, name), part(of.Values[i])), bound, binders))
		}
	default:
		return nil
	}
	a.whole = &clause{formula: c.formula(n, bound, binders)}
	out.apart = a
	return out
}

// described is what a set is written as. Part makes a part of it one that is computed as often as
// the set is: once where the set is a constant.
func described(c *compiler, n core.Node) (of core.Node, part func(core.Node) core.Node) {
	part = func(p core.Node) core.Node { return p }
	for {
		switch s := n.(type) {
		case *core.Named:
			n = s.Body
		case *core.Global:
			if len(placesOf(s.Value))+len(c.readingOf(s.Value).slots) > 0 {
				return n, part
			}
			n = s.Value
		case *core.Shared:
			n = s.Value
			part = func(p core.Node) core.Node {
				c.sites++
				return core.Once(p, s.Frame, -c.sites)
			}
		default:
			return n, part
		}
	}
}
