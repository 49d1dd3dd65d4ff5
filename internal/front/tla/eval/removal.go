package eval

import (
	"maps"
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// A recursive operator often takes the elements out of a finite set one by one, as in
//
//	Sum(f, S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \in S : TRUE IN f[x] + Sum(f, S \ {x})
//
// CHOOSE takes the first element, so the sets are what is left of the elements in their order. None
// of these sets is made, and no call within has a frame of its own: the place of S has the whole
// set, and another place how many elements were taken.

// removal is the body of such an operator.
type removal struct {
	procedure *core.Procedure
	param     int // the argument that is the set
	set       int // its place
	none      core.Node
	some      core.Node
	firsts    []core.Node // that choose the first element
	calls     []core.Node // that take it away
	picked    []int       // the places that have it
	failed    bool
}

// removalOf takes the body of a recursive operator apart; nil where it is another one.
func removalOf(c *compiler, p *core.Procedure) *removal {
	body, ok := unnamed(p.Body).(*core.If)
	if !ok {
		return nil
	}
	r := &removal{procedure: p, none: body.Then, some: body.Else}
	cond := unnamed(body.Cond)
	if n, ok := cond.(*core.Not); ok {
		cond, r.none, r.some = unnamed(n.Arg), body.Else, body.Then
	}
	e, ok := cond.(*core.Equal)
	if !ok {
		return nil
	}
	s, ok := unnamed(e.Left).(*core.Slot)
	if !ok || !isEmptySet(c, e.Right) {
		return nil
	}
	r.param, r.set = slices.Index(p.Params, s.Slot), s.Slot
	if r.param < 0 {
		return nil
	}
	r.visit(r.none)
	none := len(r.firsts) + len(r.calls)
	r.visit(r.some)
	if r.failed || none > 0 || len(r.calls) == 0 {
		return nil
	}
	return r
}

func isEmptySet(c *compiler, n core.Node) bool {
	if l, ok := n.(*core.Literal); ok {
		return l.Value == c.Space.EmptySet
	}
	if s, ok := n.(*core.Shared); ok {
		n = s.Value
	}
	o, ok := unnamed(n).(*core.Operator)
	return ok && o.Name == "{}" && len(o.Args) == 0
}

// visit looks for the set, which may be there only for its first element, and to take that away.
func (r *removal) visit(n core.Node) {
	switch x := n.(type) {
	case *core.Slot:
		r.failed = r.failed || x.Slot == r.set
		return
	case *core.Choose:
		if r.chooses(x) {
			r.firsts = append(r.firsts, n)
			return
		}
	case *core.Let:
		if v, ok := unnamed(x.Value).(*core.Choose); ok && r.chooses(v) {
			r.picked = append(r.picked, x.Slot)
		}
	case *core.Call:
		if x.Procedure == r.procedure {
			if r.takes(x) {
				r.calls = append(r.calls, n)
			} else {
				r.failed = true
			}
			return
		}
	}
	core.Parts(n, r.visit)
}

// chooses reports whether a node chooses the first element.
func (r *removal) chooses(n *core.Choose) bool {
	body, ok := unnamed(n.Body).(*core.Literal)
	return ok && n.Binding.Set != nil && r.isSet(n.Binding.Set) && !n.Binding.Tuple &&
		body.Value.Kind() == value.Bool && body.Value.Truth()
}

func (r *removal) isSet(n core.Node) bool {
	s, ok := unnamed(n).(*core.Slot)
	return ok && s.Slot == r.set
}

// takes reports whether a call takes the first element away, and has the same arguments otherwise.
func (r *removal) takes(n *core.Call) bool {
	for i, a := range n.Args {
		a = unnamed(a)
		if i != r.param {
			s, ok := a.(*core.Slot)
			if !ok || s.Slot != r.procedure.Params[i] {
				return false
			}
			continue
		}
		o, ok := a.(*core.Operator)
		if !ok || o.Name != `\` || !r.isSet(o.Args[0]) {
			return false
		}
		one := setOfSets(unnamed(o.Args[1]))
		if len(one) != 1 {
			return false
		}
		switch x := unnamed(one[0]).(type) {
		case *core.Slot:
			if !slices.Contains(r.picked, x.Slot) {
				return false
			}
		case *core.Choose:
			if !r.chooses(x) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// code is the code of the operator. Count is the place of how many elements were taken; plain is
// the code for what is no listed set.
func (r *removal) code(c *compiler, count int, plain Code) Code {
	codes, tests, readings, sides := c.codes, c.tests, c.readings, c.sides
	c.codes, c.tests = maps.Clone(codes), maps.Clone(tests)
	c.readings, c.sides = maps.Clone(readings), maps.Clone(sides)
	defer func() { c.codes, c.tests, c.readings, c.sides = codes, tests, readings, sides }()
	forgetAround(c, r.some)

	var level Code
	first := func(m *Machine) *value.Value {
		return m.frame[r.set].value.Sorted()[m.frame[count].value.Int()]
	}
	kept := append(placesOf(r.some), count)
	again := func(m *Machine) *value.Value {
		m.turn()
		frame := m.frame
		var room [mostArgs]slot
		saved := room[:0]
		for _, s := range kept {
			saved = append(saved, frame[s])
		}
		frame[count] = slot{value: m.Space.Int(frame[count].value.Int() + 1)}
		v := level(m)
		for i, s := range kept {
			frame[s] = saved[i]
		}
		return v
	}
	for _, n := range r.firsts {
		c.codes[n] = first
	}
	for _, n := range r.calls {
		c.codes[n] = again
	}
	for _, n := range slices.Concat(r.firsts, r.calls) { // what has one depends on the count, too
		c.readings[n] = &reading{opaque: true}
	}
	none, some := c.code(r.none), c.code(r.some)
	level = func(m *Machine) *value.Value {
		if int(m.frame[count].value.Int()) == len(m.frame[r.set].value.Sorted()) {
			return none(m)
		}
		return some(m)
	}
	return func(m *Machine) *value.Value {
		s := &m.frame[r.set]
		if s.value == nil {
			m.compute(s)
		}
		if k := s.value.Kind(); k != value.Set && k != value.Interval {
			return plain(m)
		}
		m.frame[count] = slot{value: m.Space.Int(0)}
		return level(m)
	}
}

// forgetAround forgets what was compiled of a node and its parts.
func forgetAround(c *compiler, n core.Node) {
	delete(c.codes, n)
	delete(c.tests, n)
	delete(c.readings, n)
	delete(c.sides, n)
	core.Parts(n, func(p core.Node) { forgetAround(c, p) })
}
