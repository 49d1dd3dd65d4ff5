package eval

import (
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// Graphs are sets of pairs in many models, and {c \in S : <<v, c>> \in E} are the neighbours of v.
// They are found among the pairs of E, where these are not many more than the elements of S: no
// pair is made or looked for.

// partners is a test whether a pair with an element, and perhaps more, is in a set.
type partners struct {
	key, pairs Code
	before     bool // the element stands before the key
	rest       Test // nil where it asks for nothing else
	bind       func(*Machine, *value.Value)
}

// partnersOf takes a test of the elements of a binding apart; nil for another one.
func partnersOf(c *compiler, b *core.Binding, body core.Node) *partners {
	var rest Test
	if j, ok := body.(*core.Junction); ok && j.And {
		body = j.Args[0]
		rest = allOf(c, j.Args[1:])
	}
	in, ok := body.(*core.In)
	if !ok || b.Tuple {
		return nil
	}
	parts, fields := written(in.Elem)
	if fields != nil || len(parts) != 2 || !independent(c, in.Set, b.Slots[0]) {
		return nil
	}
	is := func(n core.Node) bool {
		s, ok := n.(*core.Slot)
		return ok && s.Slot == b.Slots[0]
	}
	p := &partners{pairs: c.code(in.Set), rest: rest, bind: c.binder(b)}
	switch {
	case is(parts[1]) && independent(c, parts[0], b.Slots[0]):
		p.key = c.code(parts[0])
	case is(parts[0]) && independent(c, parts[1], b.Slots[0]):
		p.key, p.before = c.code(parts[1]), true
	default:
		return nil
	}
	return p
}

// independent reports whether a node has one value for all elements that a place stands for.
func independent(c *compiler, n core.Node, place int) bool {
	r := c.readingOf(n)
	return !r.opaque && !slices.Contains(r.slots, place)
}

// mostPairs bounds the pairs that are looked at for each element of the set.
const mostPairs = 8

// of lists the elements of a set for which the test is true. It is not known where the set is no
// listed one, or where the test may have no value for one.
func (p *partners) of(m *Machine, s *value.Value) (out []*value.Value, known bool) {
	if s.Kind() != value.Set || len(s.Listed()) == 0 || m.forgets ||
		m.asking != nil || m.askingBits != nil {
		return nil, false
	}
	key, pairs := p.key(m), p.pairs(m)
	if pairs.Kind() != value.Set || len(pairs.Listed()) > mostPairs*len(s.Listed()) {
		return nil, false
	}
	if out, known = value.Partners(pairs, key.Forced(), p.before, s); p.rest != nil {
		out = slices.DeleteFunc(out, func(e *value.Value) bool {
			p.bind(m, e)
			return !p.rest(m)
		})
	}
	return out, known
}
