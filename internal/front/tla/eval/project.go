package eval

import (
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// The steps of an action depend on what it reads: often one element each of some variables, as
// clock[p] for a process p. So an action is run for the values of its constant parameters one by
// one, and its steps are remembered by the numbers of what it reads there: its projection of the
// state. A step is remembered as what it changes.

// projected is an action of which the projection is known: for each value of its parameters an
// instance.
type projected struct {
	binders []func(*Machine, *value.Value)
	sets    []Code
	run     Act
	paths   []path
	index   int // among the projected actions
}

// path is a variable, or an element of it, that an action reads. The keys are constants, but for
// the parameters.
type path struct {
	variable int
	keys     []Code
	nodes    []core.Node
}

// instance is an action with values of its parameters.
type instance struct {
	values []*value.Value   // of the binders
	keys   [][]*value.Value // of the paths
}

// change is what a step does to a variable: it gives it a value or, with a key, gives it another
// value for an argument.
type change struct {
	variable   int
	key, value *value.Value
}

// effect is a step.
type effect struct {
	changes []change
	args    []*value.Value
}

const (
	mostPaths     = 12
	mostInstances = 1 << 12
	mostEntries   = 1 << 17
	// After this number of lookups an action whose steps are hardly ever found is no longer looked
	// up.
	trial = 1 << 12
)

// projection is what a machine remembers of a projected action.
type projection struct {
	instances     []instance
	paths         int // how many numbers a key has
	entries       []entry
	filled        int
	tries, misses int
	off           bool
}

// entry holds the steps for a key: the number of the instance, plus 1, and the numbers of what it
// reads.
type entry struct {
	instance uint32
	key      [mostPaths]uint32
	effects  []effect
}

// project makes an act of an action that remembers its steps; ok is false where too much is read.
func (c *compiler) project(n core.Node, done Act) (act Act, ok bool) {
	p := &projected{}
	body := n
	var bound []int
	for {
		q, isQuantified := body.(*core.Quantified)
		if !isQuantified || q.All || !areConstant(c, q.Bindings, &bound) {
			break
		}
		for i := range q.Bindings {
			p.sets = append(p.sets, c.code(q.Bindings[i].Set))
			p.binders = append(p.binders, c.binder(&q.Bindings[i]))
		}
		body = q.Body
	}
	r := &reads{c: c, bound: bound, whole: make([]bool, len(c.Model.Variables))}
	r.act(body)
	if r.paths = r.minimal(); r.unknown || len(r.paths) > mostPaths || !r.partial() {
		return nil, false
	}
	p.paths = r.paths
	p.run = actions{c}.act(body, actions{c}.complete(body, done))
	p.index = c.projections
	c.projections++
	return p.steps, true
}

// areConstant reports whether the sets of bindings depend on nothing but the places that are bound
// already, to which it adds theirs.
func areConstant(c *compiler, bs []core.Binding, bound *[]int) bool {
	for _, b := range bs {
		if b.Set.Level() != core.Constant {
			return false
		}
		for _, s := range c.readingOf(b.Set).slots {
			if !slices.Contains(*bound, s) {
				return false
			}
		}
	}
	for _, b := range bs {
		*bound = append(*bound, b.Slots...)
	}
	return true
}

// steps runs the action for each of its instances.
func (p *projected) steps(m *Machine) bool {
	pr := &m.projections[p.index]
	if pr.instances == nil {
		pr.instances, pr.paths = p.allInstances(m), len(p.paths)
		pr.off = len(pr.instances) > mostInstances
	}
	for i := range pr.instances {
		in := &pr.instances[i]
		for k, bind := range p.binders {
			bind(m, in.values[k])
		}
		if p.instance(m, pr, i, in) {
			return true
		}
	}
	return false
}

// allInstances lists the values of the parameters.
func (p *projected) allInstances(m *Machine) []instance {
	out := []instance{}
	var values []*value.Value
	var choose func(k int)
	choose = func(k int) {
		if k == len(p.binders) {
			in := instance{values: slices.Clone(values)}
			for _, path := range p.paths {
				keys := []*value.Value{}
				for _, code := range path.keys {
					keys = append(keys, code(m))
				}
				in.keys = append(in.keys, keys)
			}
			out = append(out, in)
			return
		}
		for _, v := range p.sets[k](m).Sorted() {
			v = m.Space.Intern(v)
			p.binders[k](m, v)
			values = append(values, v)
			choose(k + 1)
			values = values[:len(values)-1]
		}
	}
	choose(0)
	return out
}

// instance runs one instance, or takes its steps from what is remembered.
func (p *projected) instance(m *Machine, pr *projection, number int, in *instance) bool {
	var key [mostPaths]uint32
	if pr.off || m.forgets || !p.identify(m, in, &key) {
		return p.run(m)
	}
	pr.tries++
	if pr.tries == trial && pr.misses > trial*3/4 {
		pr.off, pr.entries = true, nil
		return p.run(m)
	}
	e := pr.find(uint32(number+1), &key)
	if e.instance == uint32(number+1) && e.key == key {
		return m.replay(e.effects)
	}
	pr.misses++
	effects := []effect{}
	yield := m.yield
	over := false
	m.yield = func(m *Machine) bool {
		effects = append(effects, m.effect())
		over = yield(m)
		return over
	}
	m.recording, m.twice = true, false
	p.run(m)
	m.recording, m.yield = false, yield
	if over || m.twice {
		pr.off = pr.off || m.twice
		return over
	}
	e = pr.find(uint32(number+1), &key)
	if e.instance == 0 {
		pr.filled++
	}
	*e = entry{uint32(number + 1), key, effects}
	return false
}

// identify gives the numbers of what an instance reads; false where there is none.
func (p *projected) identify(m *Machine, in *instance, out *[mostPaths]uint32) bool {
	for i := range p.paths {
		v := m.before[p.paths[i].variable]
		for _, k := range in.keys[i] {
			var ok bool
			if v, ok = value.Element(v, k); !ok {
				return false
			}
		}
		id, ok := v.ID()
		if !ok {
			return false
		}
		out[i] = id
	}
	return true
}

// find is the place for a key. The table grows where it is half full.
func (pr *projection) find(number uint32, key *[mostPaths]uint32) *entry {
	if pr.entries == nil {
		pr.entries = make([]entry, 1<<6)
	}
	if n := len(pr.entries); pr.filled > n/2 && n < mostEntries {
		old := pr.entries
		pr.entries, pr.filled = make([]entry, 4*n), 0
		for i := range old {
			if old[i].instance != 0 {
				if e := pr.place(old[i].instance, &old[i].key); e.instance == 0 {
					pr.filled++
					*e = old[i]
				}
			}
		}
	}
	return pr.place(number, key)
}

func (pr *projection) place(number uint32, key *[mostPaths]uint32) *entry {
	h := stir(0, number)
	for _, k := range key[:pr.paths] {
		h = stir(h, k)
	}
	return &pr.entries[h&uint64(len(pr.entries)-1)]
}

// effect is what the step that is complete changes.
func (m *Machine) effect() effect {
	e := effect{args: slices.Clone(m.args)}
	for i := range e.args {
		e.args[i] = m.Space.Intern(e.args[i])
	}
	for i, v := range m.after {
		switch s := &m.sources[i]; s.kind {
		case unchanged:
		case update:
			e.changes = append(e.changes, s.changes...)
		default:
			e.changes = append(e.changes, change{variable: i, value: m.Space.Intern(v)})
		}
	}
	return e
}

// replay yields steps that are remembered.
func (m *Machine) replay(effects []effect) bool {
	for i := range effects {
		e := &effects[i]
		copy(m.after, m.before)
		for _, c := range e.changes {
			if c.key == nil {
				m.after[c.variable] = c.value
			} else {
				m.after[c.variable] = m.except(m.after[c.variable], c.key, c.value)
			}
		}
		args := m.args
		m.args = e.args
		over := m.yield(m)
		m.args = args
		clear(m.after)
		if over {
			return true
		}
	}
	return false
}
