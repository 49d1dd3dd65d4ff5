package eval

import (
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
)

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

// act visits an action. There, and only there, x' = e and x' \in S give x a value (see
// actions.act): so an x' = x does not read x.
func (r *reads) act(n core.Node) {
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
			return
		}
		r.visit(n)
	default:
		r.visit(n)
	}
}

// visit visits what is computed.
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
	}
	core.Parts(n, r.visit)
}

// assigned visits the value that a variable gets. An update of the variable itself reads what it
// replaces.
func (r *reads) assigned(i int, n core.Node) {
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
