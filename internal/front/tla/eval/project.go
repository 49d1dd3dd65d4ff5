package eval

import (
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// The steps of an action depend on what it reads: often one element each of some variables, as
// clock[p] for a process p. So an action is run for the values of its constant parameters one by
// one, and its steps are remembered by the numbers of what it reads there: its projection of the
// state. A step is remembered as what it changes. Where an action chooses from a set, as in
// \E m \in msgs, each element that the set ever had is a parameter, too, and what is remembered are
// the elements to choose from.

// projected is a part of an action of which the projection is known: for each value of its
// parameters an instance.
type projected struct {
	binders []func(*Machine, *value.Value)
	sets    []func(*Machine) sequence // of the parameters, but for an element that is chosen
	fixed   []Test                    // of the parameters: where one is false there is no step
	parts   []part                    // what it reads
	run     Act                       // of an instance
	plain   Act                       // of all instances
	test    Test                      // of a formula, in place of an action

	// Where an element is chosen: the tests before, the set, and what is done with an element.
	guards []Test
	set    func(*Machine) sequence
	from   *part // where all tests are parts, and the set is a part of the state; nil elsewhere
	chosen *projected

	index int // among the projected actions
}

const (
	mostPaths     = 12
	mostInstances = 1 << 12
	mostEntries   = 1 << 17
	// After this number of lookups an action whose steps are hardly ever found is no longer looked
	// up.
	trial = 1 << 12
)

// projector makes projected actions.
type projector struct{ *compiler }

// project makes an act of an action that remembers its steps.
func (c projector) project(n core.Node, done Act) Act {
	a := actions(c)
	plain := a.act(n, a.complete(n, done))
	var acts []Act
	useful := false
	for _, o := range c.outlines(n) {
		p := c.projectedOf(o, n, done)
		useful = useful || p.parts != nil
		acts = append(acts, p.steps)
	}
	if !useful {
		return plain
	}
	return func(m *Machine) bool {
		if m.forgets {
			return plain(m)
		}
		for _, act := range acts {
			if act(m) {
				return true
			}
		}
		return false
	}
}

// projectedOf makes the projected action of an outline. It has no parts where it reads so much that
// its steps are not remembered.
func (c projector) projectedOf(o outline, n core.Node, done Act) *projected {
	p := &projected{}
	for i := range o.bindings {
		p.sets = append(p.sets, sequenceOf(c.compiler, &o.bindings[i], o.at))
		p.binders = append(p.binders, c.binder(&o.bindings[i]))
	}
	a := actions(c)
	then := a.complete(n, done)
	body := a.conjunction(o.rest, then)
	if o.some != nil {
		c.choosing(p, &o, then)
		body = a.eachElement(o.some, o.at, body)
	}
	if p.chosen == nil {
		rest := o.rest
		if o.some != nil {
			rest = []core.Node{o.at}
			rest = append(rest, o.rest[1:]...)
		}
		p.reading(c.compiler, o.bound, o.guards, rest)
	}
	p.run = a.conjunction(append(slices.Clip(o.guards), o.still...), body)
	p.plain = p.run
	for i := len(o.bindings) - 1; i >= 0; i-- {
		p.plain = a.eachElement(&o.bindings[i], o.at, p.plain)
	}
	p.number(c.compiler)
	return p
}

func (p *projected) number(c *compiler) {
	p.index = c.projections
	c.projections++
}

// choosing makes what is done with an element that is chosen, if this can be remembered.
func (c projector) choosing(p *projected, o *outline, then Act) {
	bound := append(slices.Clone(o.bound), o.some.Slots...)
	rest := append(slices.Clip(o.still), flat(o.rest)...)
	k := len(o.still)
	for k < len(rest) && isGuard(rest[k]) {
		k++
	}
	q := &projected{binders: append(slices.Clone(p.binders), c.binder(o.some)),
		run: actions(c).conjunction(rest, then)}
	if q.reading(c.compiler, bound, rest[len(o.still):k], rest[k:]); q.parts == nil {
		return
	}
	r := p.reading(c.compiler, o.bound, o.guards, nil, o.some.Set)
	if v, keys, ok := r.element(o.some.Set); ok && r.allGuards(o.guards[len(p.fixed):]) {
		from := r.path(v, keys)
		p.from, p.parts = &from, r.guards()
	}
	if p.parts == nil {
		return
	}
	q.number(c.compiler)
	p.chosen, p.set = q, sequenceOf(c.compiler, o.some, o.at)
	for _, g := range o.guards {
		p.guards = append(p.guards, c.test(g))
	}
}

// reading finds what an action reads: its tests, its other conjuncts, and what else is computed.
// The first tests are remembered by themselves, or are fixed.
func (p *projected) reading(
	c *compiler, bound []int, guards, rest []core.Node, computed ...core.Node,
) *reads {
	r := &reads{c: c, bound: bound, whole: make([]bool, len(c.Model.Variables))}
	fixed := guards
	for len(guards) > 0 && c.isFixed(guards[0], bound) {
		guards = guards[1:]
	}
	fixed = fixed[:len(fixed)-len(guards)]
	for len(guards) > 0 && r.guard(guards[0]) {
		guards = guards[1:]
	}
	for _, g := range guards {
		r.visit(g)
	}
	if len(guards) == 0 && len(rest) > 0 {
		r.guard(rest[0]) // a test that is true in several ways, if it is one
	}
	for _, a := range rest {
		r.act(a)
	}
	for _, x := range computed {
		r.visit(x)
	}
	for _, f := range fixed {
		p.fixed = append(p.fixed, c.test(f))
	}
	p.remembering(r)
	return r
}

// remembering makes what is read the parts by which is remembered, if this is worth it.
func (p *projected) remembering(r *reads) {
	if parts := r.minimal(); !r.unknown && len(parts) <= mostPaths && r.partial() {
		p.parts = append([]part{}, parts...)
	}
}

// each gives the values of the parameters until yield returns false. They are bound.
func (p *projected) each(m *Machine, yield func(values []*value.Value) bool) bool {
	var values []*value.Value
	var choose func(k int) bool
	choose = func(k int) bool {
		if k == len(p.sets) {
			return yield(values)
		}
		q := p.sets[k](m)
		return q.each(m, func(v *value.Value) bool {
			v = m.Space.Intern(v)
			p.binders[k](m, v)
			values = append(values, v)
			more := choose(k + 1)
			values = values[:k]
			return more
		})
	}
	return choose(0)
}
