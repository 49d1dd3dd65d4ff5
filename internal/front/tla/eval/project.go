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
	r.visit(body)
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

// reads collects what an action reads.
type reads struct {
	c       *compiler
	bound   []int
	paths   []path
	whole   []bool
	unknown bool // it reads what is not known
}

// partial reports whether some variable is not read as a whole.
func (r *reads) partial() bool { return slices.Contains(r.whole, false) }

// minimal leaves out parts of variables that are read as a whole.
func (r *reads) minimal() (out []path) {
	for _, p := range r.paths {
		if !r.whole[p.variable] {
			out = append(out, p)
		}
	}
	for i, w := range r.whole {
		if w {
			out = append(out, path{variable: i})
		}
	}
	return out
}

func (r *reads) visit(n core.Node) {
	switch n := n.(type) {
	case *core.Variable:
		r.whole[n.Index%len(r.whole)] = true
		r.unknown = r.unknown || n.Index >= len(r.whole)
		return
	case *core.Shared, *core.Literal:
		return
	case *core.Call:
		r.unknown = r.unknown || n.Level() > core.Constant || n.Procedure.Outer > 0
	case *core.Enabled, *core.Composed:
		r.unknown = true
		return
	case *core.Named:
		r.visit(n.Body) // the arguments are read where they are used
		return
	case *core.Global: // its places are of a frame of its own, so none is bound there
		bound := r.bound
		r.bound = nil
		r.visit(n.Value)
		r.bound = bound
		return
	case *core.Operator:
		r.unknown = r.unknown || core.Volatile(n.Name)
		if v, keys, ok := r.element(n); ok {
			r.add(v, keys)
			return
		}
	case *core.Equal:
		if v, ok := n.Left.(*core.Variable); ok && v.Primed {
			r.visitAssigned(v.Index, n.Right)
			return
		}
	case *core.In:
		if v, ok := n.Elem.(*core.Variable); ok && v.Primed {
			r.visit(n.Set)
			return
		}
	}
	core.Parts(n, r.visit)
}

// visitAssigned visits the value that a variable gets. An update of the variable itself reads what
// it replaces.
func (r *reads) visitAssigned(i int, n core.Node) {
	if v, ok := n.(*core.Variable); ok && v.Index == i && !v.Primed {
		return
	}
	e := ownUpdate(i, n)
	if e == nil {
		r.visit(n)
		return
	}
	for _, u := range e.Updates {
		// Even an update that does not need the old value depends on whether there is one.
		if r.isKey(u.Path[0]) {
			r.add(i, u.Path[:1])
		} else {
			r.whole[i] = true
		}
		for _, p := range u.Path {
			r.visit(p)
		}
		r.visit(u.Value)
	}
}

// ownUpdate is a value that a variable gets as an update of itself; nil for another one.
func ownUpdate(i int, n core.Node) *core.Except {
	e, ok := n.(*core.Except)
	if !ok {
		return nil
	}
	if v, ok := e.Function.(*core.Variable); !ok || v.Index != i || v.Primed {
		return nil
	}
	return e
}

// element takes x[a] or x[a][b] apart.
func (r *reads) element(n *core.Operator) (variable int, keys []core.Node, ok bool) {
	if n.Name != "[]" || !r.isKey(n.Args[1]) {
		return 0, nil, false
	}
	switch f := n.Args[0].(type) {
	case *core.Variable:
		return f.Index, n.Args[1:2], !f.Primed
	case *core.Operator:
		v, keys, ok := r.element(f)
		return v, append(slices.Clip(keys), n.Args[1]), ok
	}
	return 0, nil, false
}

// isKey reports whether a node is a constant but for the parameters.
func (r *reads) isKey(n core.Node) bool {
	if n.Level() != core.Constant {
		return false
	}
	switch n.(type) {
	case *core.Literal, *core.Slot, *core.Shared:
	default:
		return false
	}
	for _, s := range r.c.readingOf(n).slots {
		if !slices.Contains(r.bound, s) {
			return false
		}
	}
	return true
}

func (r *reads) add(variable int, keys []core.Node) {
	for _, p := range r.paths {
		if p.variable == variable && slices.EqualFunc(p.nodes, keys, sameKey) {
			return
		}
	}
	r.paths = append(r.paths, path{variable, r.c.all(keys), slices.Clone(keys)})
}

func sameKey(a, b core.Node) bool {
	if x, ok := a.(*core.Slot); ok {
		y, ok := b.(*core.Slot)
		return ok && x.Slot == y.Slot
	}
	return a == b
}

// steps runs the action for each of its instances.
func (p *projected) steps(m *Machine) bool {
	pr := &m.projections[p.index]
	if pr.instances == nil {
		pr.instances = p.allInstances(m)
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
	for _, k := range key {
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

// source says how a variable got its value after a step. What an expression gives it may be its old
// value: this does not make it unchanged, since in another state it may be another one.
type source struct {
	kind    sourceKind
	changes []change // of an update
}

type sourceKind uint8

const (
	expression sourceKind = iota
	unchanged
	update
)

// ownSource says how an assignment gives a variable its value.
func ownSource(i int, n core.Node) sourceKind {
	if v, ok := n.(*core.Variable); ok && v.Index == i && !v.Primed {
		return unchanged
	}
	if ownUpdate(i, n) != nil {
		return update
	}
	return expression
}
