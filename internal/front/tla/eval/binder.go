package eval

import (
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// binder gives the places of a binding an element.
func (c *compiler) binder(b *core.Binding) func(m *Machine, v *value.Value) {
	slots := b.Slots
	if !b.Tuple {
		i := slots[0]
		return func(m *Machine, v *value.Value) { m.frame[i] = slot{value: v} }
	}
	return func(m *Machine, v *value.Value) {
		elems := v.Elems()
		if len(elems) != len(slots) {
			panic(&value.Error{Message: v.String() +
				" does not have as many elements as there are " +
				"names for them"})
		}
		for k, i := range slots {
			m.frame[i] = slot{value: elems[k]}
		}
	}
}

// mostListed bounds the elements of a described set that a loop lists once.
const mostListed = 1 << 12

// isListable reports whether a value is a described set that a loop lists once.
func isListable(s *value.Value) bool {
	return s.Kind() > value.Interval && s.IsSet() && !s.Computes() && value.Finite(s) &&
		value.Size(s) <= mostListed
}

// steady is the set of a binding. One that depends on nothing but places, such as [1..n -> S], is
// listed once for their values, so its elements have numbers.
func (c *compiler) steady(n core.Node) Code {
	code, r := c.code(n), c.readingOf(n)
	depends := len(r.variables)+len(r.primes) > 0 || r.opaque || len(r.slots) > mostKeys
	if depends || !isDescribed(n) {
		return code
	}
	listed := func(m *Machine) *value.Value {
		s := code(m)
		if !isListable(s) {
			return s
		}
		return m.Space.Intern(s)
	}
	if len(r.slots) > 0 {
		return c.remember(r, listed)
	}
	k := c.listings
	c.listings++
	return func(m *Machine) *value.Value {
		if m.listings[k] == nil {
			m.listings[k] = listed(m)
		}
		return m.listings[k]
	}
}

// sequence is what a loop runs through: numbers, then elements, then the ones of a set that are
// made one by one.
type sequence struct {
	lo, hi int64
	elems  []*value.Value
	made   *value.Value
}

// sequenceOf gives the elements of the set of a binding in the order that all loops have: the
// numbers of an interval and the elements of a constant set go up.
func sequenceOf(c *compiler, b *core.Binding, n core.Node) func(m *Machine) sequence {
	set, at := c.steady(b.Set), n.Span()
	constant := b.Set.Level() == core.Constant && b.Set.Lowest() > 1<<20
	return func(m *Machine) sequence {
		s := set(m)
		m.where = &at
		if lo, hi, ok := s.Bounds(); ok {
			return sequence{lo: lo, hi: hi}
		}
		switch {
		case s.Kind() == value.Union: // its elements may have no order
			return sequence{hi: -1, made: s}
		case constant:
			return sequence{hi: -1, elems: s.Sorted()}
		case s.Kind() == value.Set:
			return sequence{hi: -1, elems: s.Listed()}
		}
		return sequence{hi: -1, made: s}
	}
}

// each runs through a sequence until yield returns false, and reports whether it came to the end.
func (q *sequence) each(m *Machine, yield func(*value.Value) bool) bool {
	for i := q.lo; i <= q.hi; i++ {
		m.turn()
		if !yield(m.Space.Int(i)) {
			return false
		}
	}
	for _, e := range q.elems {
		m.turn()
		if !yield(e) {
			return false
		}
	}
	return q.made == nil || value.Each(q.made, func(e *value.Value) bool {
		m.turn()
		return yield(e)
	})
}

// loop runs a body for the elements of a binding's set until it returns false, and reports whether
// it came to the end. It is each, without a function that is made in each run.
func (c *compiler) loop(b *core.Binding, n core.Node) func(*Machine, Test) bool {
	of, bind := sequenceOf(c, b, n), c.binder(b)
	return func(m *Machine, body Test) bool {
		q := of(m)
		for i := q.lo; i <= q.hi; i++ {
			m.turn()
			if bind(m, m.Space.Int(i)); !body(m) {
				return false
			}
		}
		for _, e := range q.elems {
			m.turn()
			if bind(m, e); !body(m) {
				return false
			}
		}
		return q.made == nil || value.Each(q.made, func(e *value.Value) bool {
			m.turn()
			bind(m, e)
			return body(m)
		})
	}
}

// nest runs loops within each other.
func (c *compiler) nest(bs []core.Binding, n core.Node, body Test) Test {
	for i := len(bs) - 1; i >= 0; i-- {
		run, within := c.loop(&bs[i], n), body
		body = func(m *Machine) bool { return run(m, within) }
	}
	return body
}

func (c *compiler) quantified(n *core.Quantified) Test {
	body := c.test(n.Body)
	if b := &n.Bindings[0]; !n.All && len(n.Bindings) == 1 {
		if p := partnersOf(c, b, n.Body); p != nil && p.rest == nil {
			set := c.steady(b.Set)
			slow := c.nest(n.Bindings, n, func(m *Machine) bool { return !body(m) })
			return func(m *Machine) bool {
				if some, known := p.of(m, set(m)); known {
					return len(some) > 0
				}
				return !slow(m)
			}
		}
	}
	if n.All {
		return c.nest(n.Bindings, n, body)
	}
	none := c.nest(n.Bindings, n, func(m *Machine) bool { return !body(m) })
	return func(m *Machine) bool { return !none(m) }
}

// choose takes the first element in the order of values.
func (c *compiler) choose(n *core.Choose) Code {
	set, bind, body, at := c.code(n.Binding.Set), c.binder(&n.Binding), c.test(n.Body), n.Span()
	return func(m *Machine) *value.Value {
		s := set(m)
		m.where = &at
		var found *value.Value
		try := func(e *value.Value) bool {
			m.turn()
			bind(m, e)
			if body(m) {
				found = e
			}
			return found == nil
		}
		if s.Kind() == value.Subset || s.Kind() == value.Functions {
			value.Each(s, try)
		} else {
			for _, e := range s.Sorted() {
				if !try(e) {
					break
				}
			}
		}
		if found == nil {
			m.fail(&at, "no element of the set satisfies the CHOOSE")
		}
		return found
	}
}

func (c *compiler) filter(n *core.Filter) Code {
	set, bind, body, at := c.code(n.Binding.Set), c.binder(&n.Binding), c.test(n.Body), n.Span()
	p := partnersOf(c, &n.Binding, n.Body)
	return func(m *Machine) *value.Value {
		s := set(m)
		if p != nil {
			if some, known := p.of(m, s); known {
				return value.Ordered(some)
			}
		}
		m.where = &at
		if s.IsSet() && !value.Finite(s) {
			frame := snapshot(m.frame, map[*slot][]slot{})
			return value.FilterOf(s, func(v *value.Value) bool {
				old := m.frame
				m.frame = frame
				bind(m, v)
				b := body(m)
				m.frame = old
				return b
			})
		}
		return value.Keep(s, func(v *value.Value) bool {
			m.turn()
			bind(m, v)
			return body(m)
		})
	}
}

func (c *compiler) image(n *core.Image) Code {
	body, at := c.code(n.Body), n.Span()
	collect := c.nest(n.Bindings, n, func(m *Machine) bool {
		v := body(m)
		top := len(m.collected) - 1
		m.collected[top] = append(m.collected[top], v)
		return true
	})
	return func(m *Machine) *value.Value {
		m.collected = append(m.collected, nil)
		collect(m)
		top := len(m.collected) - 1
		elems := m.collected[top]
		m.collected = m.collected[:top]
		m.where = &at
		return value.SetOf(elems...)
	}
}

// function is a function by its values. One that is recursive or has an infinite domain is computed
// where it is applied.
func (c *compiler) function(n *core.Function) Code {
	body, at := c.code(n.Body), n.Span()
	var sets []Code
	var binders []func(*Machine, *value.Value)
	for i := range n.Bindings {
		sets, binders = append(sets, c.code(n.Bindings[i].Set)),
			append(binders, c.binder(&n.Bindings[i]))
	}
	bind := func(m *Machine, v *value.Value) { binders[0](m, v) }
	if len(binders) > 1 {
		bind = func(m *Machine, v *value.Value) {
			for i, e := range v.Elems() {
				binders[i](m, e)
			}
		}
	}
	domainOf := func(m *Machine) *value.Value {
		if len(sets) == 1 {
			return sets[0](m)
		}
		return value.ProductOf(m.list(sets)...)
	}
	self := n.Self
	return func(m *Machine) *value.Value {
		d := domainOf(m)
		m.where = &at
		if self < 0 && d.IsSet() && value.Finite(d) {
			d = d.Forced()
			values := make([]*value.Value, 0, value.Size(d))
			value.Each(d, func(e *value.Value) bool {
				m.turn()
				bind(m, e)
				values = append(values, body(m))
				return true
			})
			return value.FunctionOf(d, values)
		}
		return m.lambda(d, self, bind, body)
	}
}

// lambda is a function that is computed where it is applied, in the frame of its definition. It
// remembers its values.
func (m *Machine) lambda(
	domain *value.Value, self int, bind func(*Machine, *value.Value), body Code,
) *value.Value {
	frame := snapshot(m.frame, map[*slot][]slot{})
	known := map[uint64][2]*value.Value{} // an argument and its value, by the argument's hash
	var f *value.Value
	before, after := m.before, m.after
	f = value.LambdaOf(domain, func(x *value.Value) *value.Value {
		x = x.Forced()
		if v := known[x.Hash()]; v[0] != nil && value.Equal(v[0], x) {
			return v[1]
		}
		m.turn()
		if m.calls++; m.calls > maxCalls {
			panic(&value.Error{Message: "a recursive function calls itself too often: does it " +
				"come to an end?"})
		}
		old, oldBefore, oldAfter := m.frame, m.before, m.after
		m.frame = append([]slot(nil), frame...)
		m.before, m.after = before, after
		bind(m, x)
		if self >= 0 {
			m.frame[self] = slot{value: f}
		}
		v := body(m)
		m.frame, m.before, m.after = old, oldBefore, oldAfter
		m.calls--
		known[x.Hash()] = [2]*value.Value{x, v}
		return v
	})
	return f
}

// snapshot copies a frame, and the frames in which arguments of calls will be computed: what is
// computed later must not see what these frames hold then.
func snapshot(frame []slot, known map[*slot][]slot) []slot {
	if len(frame) == 0 {
		return nil
	}
	if copied := known[&frame[0]]; copied != nil {
		return copied
	}
	out := append([]slot(nil), frame...)
	known[&frame[0]] = out
	for i := range out {
		if l := out[i].lazy; out[i].value == nil && l != nil && l.frame != nil {
			out[i].lazy = &lazy{l.code, snapshot(l.frame, known), l.light}
		}
	}
	return out
}
