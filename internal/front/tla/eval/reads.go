package eval

import (
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// reads collects what an action reads.
type reads struct {
	c       *compiler
	bound   []int // the places of the parameters
	paths   []part
	whole   []bool
	unknown bool // it reads what is not known
	within  bool // a node that may be a part
	formula bool // it is a formula of states
	// Of an ENABLED: whether it matters if the variables change. See enabled.go.
	changing bool
}

// partial reports whether some variable is not read as a whole.
func (r *reads) partial() bool { return slices.Contains(r.whole, false) }

// minimal leaves out parts of variables that are read as a whole, and what is computed of parts
// that are read as they are.
func (r *reads) minimal() (out []part) {
	for _, p := range r.paths {
		if p.guard || !r.whole[p.variable] && (p.node == nil || !r.has(&p)) {
			out = append(out, p)
		}
	}
	for i, w := range r.whole {
		if w {
			out = append(out, part{variable: i})
		}
	}
	return out
}

// has reports whether the element that a part is computed of is read as it is.
func (r *reads) has(p *part) bool {
	return slices.ContainsFunc(r.paths, func(q part) bool { return q.node == nil && q.sameBase(p) })
}

func (p *part) sameBase(q *part) bool {
	return p.variable == q.variable && slices.EqualFunc(p.nodes, q.nodes, sameKey)
}

// guard adds a test as a part of its own: where it is false there is no step. It adds none if the
// test depends on several parts.
func (r *reads) guard(n core.Node) bool {
	p, ok := r.computed(n)
	if ok {
		p.guard = true
		r.add(p)
	}
	return ok
}

// guards are the tests that are parts of their own.
func (r *reads) guards() []part {
	out := []part{}
	for _, p := range r.paths {
		if p.guard {
			out = append(out, p)
		}
	}
	return out
}

// allGuards reports whether all tests are parts of their own.
func (r *reads) allGuards(tests []core.Node) bool {
	return !slices.ContainsFunc(tests, func(n core.Node) bool {
		return !slices.ContainsFunc(r.paths, func(p part) bool { return p.guard && p.node == n })
	})
}

// computed is the part that a node is which depends on one part of the state, and on parameters.
func (r *reads) computed(n core.Node) (p part, ok bool) {
	all := r.c.readingOf(n)
	if n.Level() != core.State || all.opaque || len(all.primes) > 0 || !within(all.slots, r.bound) {
		return p, false
	}
	sub := &reads{c: r.c, bound: r.bound, whole: make([]bool, len(r.whole)), within: true}
	sub.visit(n)
	paths := sub.minimal()
	if sub.unknown || len(paths) != 1 {
		return p, false
	}
	p = paths[0]
	p.node, p.code, p.slots = n, r.c.code(n), all.slots
	if p.matters = r.selection(n, &p); p.matters == nil {
		p.asks = r.onlyAsks(n, &p)
	}
	return p, true
}

// onlyAsks reports whether a node asks for nothing of a set but whether elements are in it.
func (r *reads) onlyAsks(n core.Node, of *part) bool {
	switch n := n.(type) {
	case *core.In:
		if r.isElement(n.Set, of) {
			return r.onlyAsks(n.Elem, of)
		}
	case *core.Variable:
		return false
	case *core.Operator:
		if r.isElement(n, of) {
			return false
		}
	case *core.Named:
		return r.onlyAsks(n.Body, of)
	case *core.Function, *core.Call, *core.Global, *core.Shared:
		q := r.c.readingOf(n) // it may be computed later
		return !q.opaque && len(q.variables)+len(q.primes) == 0
	}
	all := true
	core.Parts(n, func(x core.Node) { all = all && r.onlyAsks(x, of) })
	return all
}

// matter tells whether an element matters.
type matter func(m *Machine, e *value.Value) bool

// selection tells which elements of a set matter for a node that selects some of them; nil for
// another node.
func (r *reads) selection(n core.Node, of *part) matter {
	switch n := n.(type) {
	case *core.Named:
		return r.selection(n.Body, of)
	case *core.Not:
		return r.selection(n.Arg, of)
	case *core.Operator:
		if n.Name == `\subseteq` && r.isElement(n.Args[0], of) {
			return r.outside(n.Args[1])
		}
	case *core.In:
		set, part := described(r.c, n.Set)
		if s, ok := set.(*core.Operator); ok && s.Name == "SUBSET" && r.isElement(n.Elem, of) {
			return r.outside(part(s.Args[0]))
		}
		from := r.selected(n.Set, of)
		if from == nil || !r.c.isFixed(n.Elem, r.bound) {
			return nil
		}
		elem := r.c.code(n.Elem)
		return func(m *Machine, e *value.Value) bool {
			return value.Equal(e, elem(m)) && from(m, e)
		}
	case *core.Filter:
		return r.selected(n, of)
	case *core.Quantified:
		if len(n.Bindings) == 1 {
			return r.bySome(&n.Bindings[0], n.Body, !n.All, of)
		}
	}
	return nil
}

// outside tells which elements are not in a set; nil where it depends on more.
func (r *reads) outside(set core.Node) matter {
	if !r.c.isFixed(set, r.bound) {
		return nil
	}
	of := r.c.code(set)
	return func(m *Machine, e *value.Value) bool { return !value.Member(e, of(m)) }
}

// selected tells which elements are in a set of elements of a part; nil where this is not known.
func (r *reads) selected(n core.Node, of *part) matter {
	switch n := n.(type) {
	case *core.Named:
		return r.selected(n.Body, of)
	case *core.Global: // its places are of a frame of its own
		bound := r.bound
		r.bound = nil
		from := r.selected(n.Value, of)
		if r.bound = bound; from == nil {
			return nil
		}
		return func(m *Machine, e *value.Value) bool {
			frame := m.enter()
			yes := from(m, e)
			m.leave(frame)
			return yes
		}
	case *core.Filter:
		return r.bySome(&n.Binding, n.Body, true, of)
	}
	if r.isElement(n, of) {
		return func(*Machine, *value.Value) bool { return true }
	}
	return nil
}

// bySome tells for which elements a formula has a truth value; nil where it depends on more.
func (r *reads) bySome(b *core.Binding, body core.Node, truth bool, of *part) matter {
	from := r.selected(b.Set, of)
	if from == nil || !r.c.isFixed(body, append(slices.Clone(r.bound), b.Slots...)) {
		return nil
	}
	bind, test := r.c.binder(b), r.c.test(body)
	return func(m *Machine, e *value.Value) bool {
		if !from(m, e) {
			return false
		}
		bind(m, e)
		return test(m) == truth
	}
}

// isElement reports whether a node is the part of the state that another part is computed of.
func (r *reads) isElement(n core.Node, of *part) bool {
	v, keys, ok := r.element(n)
	p := part{variable: v, nodes: keys}
	return ok && p.sameBase(of)
}

// isSummary reports whether what is computed of a part is likely to tell much less than the part.
func isSummary(n core.Node) bool {
	switch n := n.(type) {
	case *core.In, *core.Quantified, *core.Filter:
		return true
	case *core.Operator:
		return n.Name == "Cardinality" || n.Name == `\subseteq`
	}
	return false
}

// act visits an action. There, and only there, x' = e and x' \in S give x a value (see
// actions.act): so an x' = x does not read x.
func (r *reads) act(n core.Node) {
	if isGuard(n) {
		r.visit(n)
		return
	}
	switch n := n.(type) {
	case *core.Junction:
		for _, a := range n.Args {
			r.act(a)
		}
	case *core.Named:
		r.act(n.Body) // the arguments are read where they are used
	case *core.Let:
		r.visit(n.Value)
		r.act(n.Body)
	case *core.If:
		r.visit(n.Cond)
		r.act(n.Then)
		r.act(n.Else)
	case *core.Implies:
		r.visit(n.Left)
		r.act(n.Right)
	case *core.Case:
		for i, c := range n.Conds {
			r.visit(c)
			r.act(n.Values[i])
		}
		if n.Other != nil {
			r.act(n.Other)
		}
	case *core.Quantified:
		for _, b := range n.Bindings {
			r.visit(b.Set)
		}
		r.act(n.Body)
	case *core.Equal:
		if v, ok := n.Left.(*core.Variable); ok && v.Primed {
			r.assigned(v.Index, n.Right)
			return
		}
		r.visit(n)
	case *core.In:
		if v, ok := n.Elem.(*core.Variable); ok && v.Primed {
			r.visit(n.Set)
			r.whole[v.Index%len(r.whole)] = r.whole[v.Index%len(r.whole)] || r.changing
			return
		}
		r.visit(n)
	default:
		r.visit(n)
	}
}

// visit visits what is computed.
func (r *reads) visit(n core.Node) {
	if !r.within && isSummary(n) {
		if p, ok := r.computed(n); ok {
			r.add(p)
			return
		}
	}
	r.inside(n)
}

// inside visits what a node is computed of.
func (r *reads) inside(n core.Node) {
	switch n := n.(type) {
	case *core.Variable:
		r.whole[n.Index%len(r.whole)] = true
		r.unknown = r.unknown || n.Index >= len(r.whole)
		return
	case *core.Shared, *core.Literal:
		return
	case *core.Call:
		q := &reading{}
		q.procedure(n.Procedure, map[*core.Procedure]bool{})
		r.unknown = r.unknown || q.opaque
		for _, v := range slices.Concat(q.variables, q.primes) {
			r.whole[v%len(r.whole)] = true
			r.unknown = r.unknown || v >= len(r.whole)
		}
	case *core.Enabled:
		r.possible(n)
		return
	case *core.Composed:
		r.unknown = true
		return
	case *core.Named:
		r.visit(n.Body) // the arguments are read where they are used
		return
	case *core.Global:
		r.framed(n, r.visit)
		return
	case *core.Operator:
		r.unknown = r.unknown || core.Volatile(n.Name)
		if v, keys, ok := r.element(n); ok {
			r.add(r.path(v, keys))
			return
		}
	case *core.Select:
		if v, keys, ok := r.element(n); ok {
			r.add(r.path(v, keys))
			return
		}
	case *core.In:
		r.visit(n.Elem)
		r.visitSet(n.Set)
		return
	}
	core.Parts(n, r.visit)
}

// framed visits a value whose places are of a frame of its own, so none is bound there.
func (r *reads) framed(n *core.Global, visit func(core.Node)) {
	bound := r.bound
	r.bound = nil
	visit(n.Value)
	r.bound = bound
}

// visitSet visits a set of which only a membership is computed. What is selected from SUBSET S and
// the like need not be listed for that, so it is no part of its own.
func (r *reads) visitSet(n core.Node) {
	switch s := n.(type) {
	case *core.Named:
		r.visitSet(s.Body)
		return
	case *core.Let:
		r.visit(s.Value)
		r.visitSet(s.Body)
		return
	case *core.Global:
		r.framed(s, r.visitSet)
		return
	case *core.Filter:
		if isDescribed(s.Binding.Set) {
			r.visit(s.Binding.Set)
			r.visit(s.Body)
			return
		}
	}
	r.visit(n)
}

// assigned visits the value that a variable gets. An update of the variable itself reads what it
// replaces.
func (r *reads) assigned(i int, n core.Node) {
	if isOld(i, n) {
		return
	}
	switch e := ownUpdate(i, n).(type) {
	case *core.Except:
		r.replaced(i, e)
	case *core.Operator:
		if r.visit(e.Args[1]); r.changing {
			r.moved(i, e)
		}
	default:
		r.visit(n)
		r.whole[i] = r.whole[i] || r.changing
	}
}

func (r *reads) replaced(i int, e *core.Except) {
	for _, u := range e.Updates {
		// Even an update that does not need the old value depends on whether there is one.
		k := 0
		for k < min(len(u.Path), mostKeysOfPath) && r.c.isFixed(u.Path[k], r.bound) {
			k++
		}
		if r.add(r.path(i, u.Path[:k])); k == 0 {
			r.whole[i] = true
		}
		for _, p := range u.Path {
			r.visit(p)
		}
		r.visit(u.Value)
	}
}

// element takes x[a], x[a][b] or x[a].f apart.
func (r *reads) element(n core.Node) (variable int, keys []core.Node, ok bool) {
	switch n := n.(type) {
	case *core.Variable:
		return n.Index, nil, !n.Primed && n.Index < len(r.whole)
	case *core.Operator:
		if n.Name != "[]" || !r.c.isFixed(n.Args[1], r.bound) {
			return 0, nil, false
		}
		v, keys, ok := r.element(n.Args[0])
		return v, append(slices.Clip(keys), n.Args[1]), ok
	case *core.Select:
		v, keys, ok := r.element(n.Record)
		return v, append(slices.Clip(keys), core.Text(r.c.Space, n.Field)), ok
	}
	return 0, nil, false
}

// path is an element of a variable as a part.
func (r *reads) path(variable int, keys []core.Node) part {
	return part{variable: variable, keys: r.c.all(keys), nodes: slices.Clone(keys)}
}

func (r *reads) add(p part) {
	for _, q := range r.paths {
		if q.node == p.node && q.guard == p.guard && q.sameBase(&p) {
			return
		}
	}
	r.paths = append(r.paths, p)
}

func sameKey(a, b core.Node) bool {
	switch x := a.(type) {
	case *core.Slot:
		y, ok := b.(*core.Slot)
		return ok && x.Slot == y.Slot
	case *core.Literal:
		y, ok := b.(*core.Literal)
		return ok && x.Value == y.Value
	}
	return a == b
}
