package eval

import (
	"slices"

	"erelong.dev/erelong/internal/value"
)

// instance is an action with values of its parameters.
type instance struct {
	*projected
	values []*value.Value // of the binders
	number uint32         // among the instances of the action, plus 1
	reads  []int32        // the parts of the state
	// What is remembered for the state that the machine looked at last: its steps, or the elements
	// to choose from. It is known where no part has changed since.
	known bool
	outcome
	elements map[uint32]*instance // by the numbers of the elements

	// Of one that chooses from a part of the state: the part, and the instances of its elements.
	source int32
	listed bool
	all    []*instance
}

// outcome is what an instance does in a state.
type outcome struct {
	// Where the elements are the ones of a part of the state, and of a formula that is true.
	enabled bool
	effects []effect
	choices []*instance
}

// projection is what a machine remembers of a projected action.
type projection struct {
	ready         bool
	off           bool // nothing is remembered
	blind         bool // nothing but the truth of tests
	instances     []*instance
	made          uint32
	table         table
	outcomes      []outcome // by the numbers of the table
	tries, misses int
}

// keep remembers an outcome.
func (pr *projection) keep(key []uint32, out outcome) {
	n, taken := pr.table.place(key)
	if !taken {
		*n = uint32(len(pr.outcomes))
		pr.outcomes = append(pr.outcomes, outcome{})
	}
	pr.outcomes[*n] = out
}

// end ends what is remembered.
func (pr *projection) end() { pr.off, pr.table, pr.outcomes = true, table{}, nil }

// giveUp ends it where steps are hardly ever found. Tests are parts of their own, which few changes
// of the state make another value: they go on telling where there is no step.
func (pr *projection) giveUp(p *projected) {
	isTest := func(x part) bool { return x.guard }
	if pr.end(); p.chosen == nil && p.test == nil && slices.ContainsFunc(p.parts, isTest) {
		pr.off, pr.blind = false, true
	}
}

// steps runs the action for each of its instances.
func (p *projected) steps(m *Machine) bool {
	pr := &m.projections[p.index]
	if !pr.ready {
		p.prepare(m, pr)
	}
	if pr.off {
		return p.plain(m)
	}
	for _, in := range pr.instances {
		if in.steps(m) {
			return true
		}
	}
	return false
}

// prepare makes the instances.
func (p *projected) prepare(m *Machine, pr *projection) {
	pr.ready = true
	if pr.off = p.parts == nil; pr.off {
		return
	}
	ok := m.try(func() {
		pr.off = !p.each(m, func(values []*value.Value) bool {
			if in := p.instance(m, values...); in != nil {
				pr.instances = append(pr.instances, in)
			}
			return len(pr.instances) <= mostInstances
		})
	})
	if pr.off = pr.off || !ok; pr.off {
		pr.instances = nil
	}
}

// instance makes an instance, whose parameters are bound; nil where it has no steps.
func (p *projected) instance(m *Machine, values ...*value.Value) *instance {
	for _, t := range p.fixed {
		truth := true
		if !m.try(func() { truth = t(m) }) {
			break // it has no value: the action is run, and says so
		}
		if !truth {
			return nil
		}
	}
	pr := &m.projections[p.index]
	pr.made++
	in := &instance{projected: p, number: pr.made,
		values: append([]*value.Value(nil), values...)}
	for i := range p.parts {
		k, ok := m.partOf(&p.parts[i], in)
		if !ok {
			in.reads = nil
			return in
		}
		in.reads = append(in.reads, k)
	}
	if p.from != nil {
		var ok bool
		if in.source, ok = m.partOf(p.from, in); !ok {
			in.reads = nil
			return in
		}
		m.parts[in.source].choosers = append(m.parts[in.source].choosers, in)
	}
	for _, k := range in.reads {
		m.parts[k].readers = append(m.parts[k].readers, in)
	}
	return in
}

func (in *instance) bind(m *Machine) {
	for k, bind := range in.binders {
		bind(m, in.values[k])
	}
}

// steps runs an instance, or takes its steps from what is remembered.
func (in *instance) steps(m *Machine) bool {
	if !in.known {
		if over, done := in.look(m); done {
			return over
		}
	}
	if in.chosen == nil {
		return m.replay(in.effects)
	}
	if in.from != nil && in.enabled && !in.listed && !in.listAll(m) {
		in.bind(m)
		return in.run(m)
	}
	choices := in.choices
	if in.from != nil && in.enabled {
		choices = in.all
	}
	for _, c := range choices {
		if c.steps(m) {
			return true
		}
	}
	return false
}

// look finds what is remembered for the state. Where nothing is, it runs the instance; done says
// that it is run.
func (in *instance) look(m *Machine) (over, done bool) {
	pr := &m.projections[in.index]
	var key [mostPaths + 1]uint32
	enabled, ok := m.identifyParts(in, &key, pr.blind)
	switch {
	case !enabled && ok:
		in.outcome, in.known = outcome{}, true
		return false, false
	case pr.off || pr.blind || !ok:
		in.bind(m)
		return in.run(m), true
	}
	if in.from != nil {
		in.outcome, in.known = outcome{enabled: true}, true
		return false, false
	}
	if pr.tries++; pr.tries == trial && pr.misses > trial*3/4 {
		if pr.giveUp(in.projected); pr.blind {
			in.bind(m)
			return in.run(m), true
		}
	}
	if n, found := pr.table.find(key[:len(in.reads)+1]); found {
		in.outcome, in.known = pr.outcomes[n], true
		return false, false
	}
	pr.misses++
	in.bind(m)
	if in.chosen != nil {
		return in.list(m, pr, key[:len(in.reads)+1])
	}
	effects, over := in.record(m, pr)
	if !over && !pr.off {
		pr.keep(key[:len(in.reads)+1], outcome{effects: effects})
		in.effects, in.known = effects, true
	}
	return over, true
}

// record runs an instance, and gives its steps as what they change.
func (in *instance) record(m *Machine, pr *projection) (effects []effect, over bool) {
	yield := m.yield
	m.yield = func(m *Machine) bool {
		effects = append(effects, m.effect())
		over = yield(m)
		return over
	}
	m.recording, m.unfit = true, false
	in.run(m)
	m.recording, m.yield = false, yield
	pr.off = pr.off || m.unfit
	return effects, over
}

// list finds the elements to choose from.
func (in *instance) list(m *Machine, pr *projection, key []uint32) (over, done bool) {
	var choices []*instance
	ok := m.try(func() {
		for _, t := range in.guards {
			if !t(m) {
				return
			}
		}
		q := in.set(m)
		q.each(m, func(e *value.Value) bool {
			if c := in.element(m, m.Space.Intern(e)); c != nil {
				choices = append(choices, c)
			}
			return true
		})
	})
	if in.tooMany(pr) || !ok {
		in.bind(m)
		return in.run(m), true
	}
	pr.keep(key, outcome{choices: choices})
	in.choices, in.known = choices, true
	return false, false
}

// tooMany ends what is remembered where there are too many elements.
func (in *instance) tooMany(pr *projection) bool {
	if len(in.elements) > mostInstances {
		pr.end()
	}
	return pr.off
}

// listAll finds the instances of the elements of a part of the state; false where it is no set, or
// has too many elements.
func (in *instance) listAll(m *Machine) bool {
	if m.parts[in.source].stale {
		parting{m}.refresh(in.source)
	}
	s := m.parts[in.source].value
	if s == nil || s.Kind() != value.Set {
		return false
	}
	in.all, in.listed = in.all[:0], true
	in.choose(m, nil, s.Listed())
	return in.listed
}

// choose takes elements from the ones to choose from, and adds others. They stand in the order of
// the set, whatever states were looked at before: the order of steps must not depend on that.
func (in *instance) choose(m *Machine, removed, added []*value.Value) {
	for _, e := range removed {
		if c := in.element(m, e); c != nil {
			in.all = slices.DeleteFunc(in.all, func(d *instance) bool { return c == d })
		}
	}
	for _, e := range added {
		if c := in.element(m, e); c != nil {
			i, _ := slices.BinarySearchFunc(in.all, e, func(d *instance, e *value.Value) int {
				return value.SetOrder(d.values[len(d.values)-1], e)
			})
			in.all = slices.Insert(in.all, i, c)
		}
	}
	in.listed = !in.tooMany(&m.projections[in.index])
}

// element is the instance for an element; nil where it has no steps.
func (in *instance) element(m *Machine, e *value.Value) *instance {
	id, _ := e.ID()
	c, known := in.elements[id]
	if !known {
		q := in.chosen
		in.bind(m)
		q.binders[len(q.binders)-1](m, e)
		c = q.instance(m, append(in.values[:len(in.values):len(in.values)], e)...)
		if in.elements == nil {
			in.elements = map[uint32]*instance{}
		}
		in.elements[id] = c
	}
	return c
}
