package translate

import (
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/types"
)

// A fold is translated where its operator only adds to the value so far: in Op(a, x), a stands once
// in each branch, as an operand of +, of \union, of \/ or of /\. Then Op(a, x) is a with what
// Op(zero, x) is, for the zero of that operator. So by induction over the number of elements, the
// fold is its base with the values of Op(zero, x) for all elements, in any order.
//
// Of the elements of a set, an operator may also replace a[x]: no two elements replace the same.

// folding is a fold.
type folding struct {
	*writer
	op    *core.Abstraction
	scope scope
	typ   *types.Type
	base  *term
	elem  *types.Type
	set   *set  // what it takes the elements of: a set,
	along *view // or a sequence, of which set has the elements then
}

// fold is FoldLeft of an operator, a base and a sequence, or of a set that is listed in any order.
func fold(w *writer, n *core.Operator, t *types.Type, s scope) *term {
	op, ok := n.Args[0].(*core.Abstraction)
	if !ok {
		w.fail("the operator %s is not translated", n.Name)
	}
	f := &folding{writer: w, op: op, scope: s, typ: t}
	from, listed := operands(n.Args[2], "SetToSeq", 1)
	if !listed {
		from, listed = operands(n.Args[2], "Listed", 1)
	}
	if listed {
		over := w.term(from[0], s)
		f.elem, f.set = over.typ.Elem(), w.set(over)
	} else {
		f.sequence(w.term(n.Args[2], s))
	}
	f.base = kinds{w.algebra}.as(w.term(n.Args[1], s), t)
	switch t.Kind() {
	case types.Int:
		if f.adds(op.Body, "+") {
			return f.total()
		}
	case types.Set:
		if f.adds(op.Body, `\union`) {
			return f.union()
		}
	case types.Bool:
		for _, all := range []bool{false, true} {
			if f.adds(op.Body, junctions[all]) {
				return f.truth(all)
			}
		}
	case types.Map:
		if listed && f.replaces(op.Body) {
			return f.replaced()
		}
	}
	w.refuse("a fold is translated where its operator only adds to the value so far, by +, a "+
		"union, or, and, or by another value for the element of a set",
		"Write the value with the elements of the set, as with a filter, forall or exists.")
	return nil
}

// junctions are the names by which adds knows a disjunction and a conjunction.
var junctions = map[bool]string{false: `\/`, true: `/\`}

// sequence takes the elements of a sequence.
func (f *folding) sequence(q *term) {
	if q.typ.Kind() != types.Sequence {
		f.fail("nothing tells what this function is, so it is not translated")
	}
	f.elem = q.typ.Elem()
	if q.view == nil {
		f.set = f.listing(q, types.SetOf(f.elem))
		if q.selected == nil {
			f.along = viewOf(f.writer, q)
		}
		return
	}
	f.along = q.view
	places := f.interval(types.Integer(), build.Number(1), q.view.size)
	f.set = f.image(places, q.view.at)
}

// reads reports whether a node reads the value so far.
func (f *folding) reads(n core.Node) bool { return mentionsSlot(n, f.op.Slots[0]) }

// adds reports whether a node is the value so far with what an operator adds to it.
func (f *folding) adds(n core.Node, by string) bool {
	n = core.Strip(n)
	switch n := n.(type) {
	case *core.Slot:
		return n.Slot == f.op.Slots[0]
	case *core.If:
		return !f.reads(n.Cond) && f.adds(n.Then, by) && f.adds(n.Else, by)
	case *core.Let:
		return !f.reads(n.Value) && f.adds(n.Body, by)
	case *core.Case:
		return n.Other != nil && !some(n.Conds, f.reads) && f.adds(n.Other, by) &&
			all(n.Values, func(v core.Node) bool { return f.adds(v, by) })
	case *core.Junction:
		return by == junctions[n.And] && f.one(n.Args, by)
	case *core.Operator:
		if n.Name == "-" && by == "+" {
			return f.adds(n.Args[0], by) && !f.reads(n.Args[1])
		}
		return n.Name == by && f.one(n.Args, by)
	}
	return false
}

// one reports whether one of some operands is the value so far with what an operator adds to it,
// and no other one reads it.
func (f *folding) one(args []core.Node, by string) bool {
	with := 0
	for _, a := range args {
		if f.reads(a) {
			if with++; !f.adds(a, by) {
				return false
			}
		}
	}
	return with == 1
}

// some reports whether some node is of a kind.
func some(ns []core.Node, is func(core.Node) bool) bool {
	return !all(ns, func(n core.Node) bool { return !is(n) })
}

// at is what the operator gives for a value and an element.
func (f *folding) at(so, e *term) *term {
	s := f.scope.with(f.op.Slots[0], so).with(f.op.Slots[1], e)
	return kinds{f.algebra}.as(f.term(f.op.Body, s), f.typ)
}

// total is the sum of what is added for each element.
func (f *folding) total() *term {
	zero := f.of(f.typ, build.Number(0))
	adds := func(e *term) *term { return f.at(zero, e) }
	if f.along != nil {
		return totalAlong(f.writer, f.typ, f.along, f.base, adds)
	}
	return totalOver(f.writer, f.typ, f.set, f.elem, f.base, adds)
}

// union is the base with what is added for each element.
func (f *folding) union() *term {
	none := &term{typ: f.typ, set: f.listed(nil)}
	base := f.writer.set(f.base)
	of := func(e *term) *set { return f.writer.set(f.at(none, e)) }
	out := &set{finite: base.finite && f.set.finite,
		has: func(e *term) *syntax.Expr {
			return build.Or(base.has(e), f.set.each(false, "x", func(x *term) *syntax.Expr {
				return of(x).has(e)
			}))
		},
		each: func(all bool, name string, body func(*term) *syntax.Expr) *syntax.Expr {
			more := f.set.each(all, "x", func(x *term) *syntax.Expr {
				return of(x).each(all, name, body)
			})
			if all {
				return build.And(base.each(all, name, body), more)
			}
			return build.Or(base.each(all, name, body), more)
		}}
	return &term{typ: f.typ, set: out}
}

// truth is whether the base and what is added for all elements are true, or one of them is.
func (f *folding) truth(all bool) *term {
	zero := f.of(f.typ, build.Truth(all))
	more := f.set.each(all, "x", func(x *term) *syntax.Expr { return f.expr(f.at(zero, x)) })
	if all {
		return f.of(f.typ, build.And(f.expr(f.base), more))
	}
	return f.of(f.typ, build.Or(f.expr(f.base), more))
}

// replaces reports whether a node is the value so far with another value at the element.
func (f *folding) replaces(n core.Node) bool {
	switch n := core.Strip(n).(type) {
	case *core.Slot:
		return n.Slot == f.op.Slots[0]
	case *core.If:
		return !f.reads(n.Cond) && f.replaces(n.Then) && f.replaces(n.Else)
	case *core.Let:
		return !f.reads(n.Value) && f.replaces(n.Body)
	case *core.Except:
		if len(n.Updates) != 1 || len(n.Updates[0].Path) == 0 {
			return false
		}
		u := n.Updates[0]
		return isSlot(n.Function, f.op.Slots[0]) && isSlot(u.Path[0], f.op.Slots[1]) &&
			!f.reads(u.Value) && !some(u.Path, f.reads)
	}
	return false
}

// replaced is the base with other values at the elements.
func (f *folding) replaced() *term {
	base := f.base.fun
	return &term{typ: f.typ, fun: &function{domain: base.domain, at: func(k *term) *term {
		return f.choice(f.set.has(k), f.apply(f.at(f.base, k), k), base.at(k))
	}}}
}
