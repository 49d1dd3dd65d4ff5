package types

import (
	"context"
	"maps"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/core"
)

// InferSums is Infer where a type may be a sum. It types the assumptions, too, since they tell what
// constants are.
func InferSums(
	ctx context.Context, m *core.Model, formulas, assumptions []core.Node, errs *diag.List,
) *Typing {
	t := newTyping(ctx, m, errs)
	t.sums, t.want = true, map[core.Node]*Type{}
	t.attempt(func() { t.initially = true; t.is(formulas[0], Bool) })
	t.initially = false
	for _, n := range formulas[1:] {
		t.attempt(func() { t.is(n, Bool) })
	}
	for _, n := range assumptions {
		alone := newTyping(ctx, m, &diag.List{})
		alone.attempt(func() { alone.is(n, Bool) })
		if alone.errs.Err() == nil {
			t.attempt(func() { summing{t}.assumed(n) })
		}
	}
	t.settle()
	return t
}

// assumed types an assumption. That a constant is in a set tells what it is.
func (t summing) assumed(n core.Node) {
	switch s := core.Strip(n).(type) {
	case *core.Junction:
		if s.And {
			for _, a := range s.Args {
				t.assumed(a)
			}
			return
		}
	case *core.Quantified:
		if s.All {
			t.of[s] = at(s, Bool)
			t.bindings(s, s.Bindings)
			t.assumed(s.Body)
			return
		}
	case *core.In:
		switch core.Strip(s.Elem).(type) {
		case *core.Parameter, *core.Slot:
			t.of[s] = at(s, Bool)
			t.needs(s.Set, at(s, Set, t.node(s.Elem)), s)
			return
		}
	case *core.Operator:
		if _, ok := core.Strip(s.Args[0]).(*core.Parameter); ok && s.Name == `\subseteq` {
			t.of[s] = at(s, Bool)
			t.needs(s.Args[1], t.node(s.Args[0]), s)
			return
		}
	}
	t.is(n, Bool)
}

// into says that the value of a node becomes one of a type, at a place in the text.
func (t *Typing) into(n core.Node, x *Type, place core.Node) {
	if !t.sums {
		t.same(x, t.node(n), place)
		return
	}
	summing{t}.wants(n, x)
	t.flows = append(t.flows, &flow{from: t.node(n), to: x, at: place})
}

// compared says that the values of two nodes are compared, or the one given to the other.
func (t *Typing) compared(place, left, right core.Node) {
	if !t.sums {
		t.same(t.node(left), t.node(right), place)
		return
	}
	both := t.common(left)
	t.flows = append(t.flows, &flow{from: t.node(left), to: both, at: place},
		&flow{from: t.node(right), to: both, at: place})
}

// contained types a membership.
func (t *Typing) contained(n *core.In) {
	if !t.sums {
		t.same(t.node(n.Set), at(n, Set, t.node(n.Elem)), n)
		return
	}
	both := t.common(n.Elem)
	t.flows = append(t.flows, &flow{from: t.node(n.Elem), to: both, at: n})
	summing{t}.member(n.Set, both, n)
}

// needs says that a node has a type, at a place in the text.
func (t *Typing) needs(n core.Node, x *Type, place core.Node) {
	if !t.sums {
		t.same(t.node(n), x, place)
		return
	}
	summing{t}.wants(n, x)
	t.flows = append(t.flows, &flow{from: t.node(n), to: x, at: place, need: true})
}

// intoSet says that a node is a set whose elements become ones of a type.
func (t *Typing) intoSet(n core.Node, elem *Type, place core.Node) {
	set := at(place, Set, elem)
	if !t.sums {
		t.same(set, t.node(n), place)
		return
	}
	summing{t}.wants(n, set)
	summing{t}.member(n, elem, place)
}

// member says that a node is a set, and that its elements are compared with values of a type.
func (t summing) member(n core.Node, elem *Type, place core.Node) {
	own := &Type{}
	t.flows = append(t.flows,
		&flow{from: t.node(n), to: at(place, Set, own), at: place, need: true},
		&flow{from: own, to: elem, at: place})
}

func (t summing) wants(n core.Node, x *Type) {
	if old := t.want[n]; old != nil {
		t.unify(old, x, n.Span())
		return
	}
	t.want[n] = x
}

// Want is the type that is needed of a node where it stands; nil if nothing is known of it.
func (t *Typing) Want(n core.Node) *Type {
	if w := t.want[n]; w != nil {
		return w.real()
	}
	return nil
}

// common is the type in which the sides of an equation are compared: of a variable that the
// equation gives a value, its type.
func (t *Typing) common(left core.Node) *Type {
	if v, ok := core.Strip(left).(*core.Variable); ok && (v.Primed || t.initially) {
		return t.Variables[v.Index]
	}
	return &Type{}
}

// reachable are all types.
func (t summing) reachable() map[*Type]bool {
	all := map[*Type]bool{}
	var visit func(u *Type)
	visit = func(u *Type) {
		if u == nil || all[u] {
			return
		}
		all[u] = true
		visit(u.up)
		for _, p := range u.parts {
			visit(p)
		}
		for _, f := range u.fields {
			visit(f)
		}
		for _, a := range u.alternatives {
			visit(a)
		}
	}
	for _, of := range []map[core.Node]*Type{t.of, t.want} {
		for _, u := range of {
			visit(u)
		}
	}
	for _, us := range t.slots {
		for _, u := range us {
			visit(u)
		}
	}
	for _, u := range t.constants {
		visit(u)
	}
	for _, op := range t.operators {
		visit(op.Result)
		for _, a := range op.Args {
			visit(a)
		}
	}
	for _, f := range t.flows {
		visit(f.from)
		visit(f.to)
	}
	for _, u := range t.Variables {
		visit(u)
	}
	return all
}

// restorable notes all that is known, and gives a function that forgets what is learned after that:
// a formula that has no types changes none of others.
func (t summing) restorable() (restore func()) {
	if !t.sums {
		return func() {}
	}
	types := map[*Type]Type{}
	for u := range t.reachable() {
		was := *u
		was.parts, was.fields = slices.Clone(u.parts), maps.Clone(u.fields)
		was.alternatives = maps.Clone(u.alternatives)
		types[u] = was
	}
	of, want, slots := maps.Clone(t.of), maps.Clone(t.want), maps.Clone(t.slots)
	flows, summed := slices.Clone(t.flows), slices.Clone(t.summed)
	linked := maps.Clone(t.linked)
	return func() {
		for u, was := range types {
			*u = was
		}
		t.of, t.want, t.slots, t.linked = of, want, slots, linked
		t.flows, t.summed, t.pending = flows, summed, nil
	}
}
