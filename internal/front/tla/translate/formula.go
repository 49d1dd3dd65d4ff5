package translate

import (
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/types"
	"erelong.dev/erelong/internal/value"
)

// scope gives values to the places of a frame, and to the variables after a step.
type scope struct {
	places *place
	after  func(variable int) *term
}

// place is a place with its value.
type place struct {
	slot int
	term func() *term
	up   *place
}

func (s scope) with(slot int, t *term) scope { return s.lazy(slot, func() *term { return t }) }

func (s scope) lazy(slot int, t func() *term) scope {
	s.places = &place{slot, t, s.places}
	return s
}

func (s scope) at(slot int) *term {
	for p := s.places; p != nil; p = p.up {
		if p.slot == slot {
			return p.term()
		}
	}
	return nil
}

// formula is a formula as an expression.
func (w *writer) formula(n core.Node, s scope) *syntax.Expr {
	outer := w.span
	w.span = placeOf(n, outer)
	x := build.At(w.plain(n, s), w.span)
	w.span = outer
	return x
}

func (w *writer) plain(n core.Node, s scope) *syntax.Expr {
	switch n := n.(type) {
	case *core.Junction:
		var parts []*syntax.Expr
		for _, a := range n.Args {
			parts = append(parts, w.formula(a, s))
		}
		if n.And {
			return build.And(parts...)
		}
		return build.Or(parts...)
	case *core.Not:
		return build.Not(w.formula(n.Arg, s))
	case *core.Implies:
		return build.Implies(w.formula(n.Left, s), w.formula(n.Right, s))
	case *core.Equivalent:
		return build.Iff(w.formula(n.Left, s), w.formula(n.Right, s))
	case *core.Equal:
		return w.equal(w.term(n.Left, s), w.term(n.Right, s))
	case *core.In:
		return kinds{w.algebra}.in(w.term(n.Elem, s), w.term(n.Set, s))
	case *core.Quantified:
		return w.bindings(n.All, n.Bindings, s, func(s scope) *syntax.Expr {
			return w.formula(n.Body, s)
		})
	case *core.Taken:
		return build.Truth(true)
	case *core.Operator:
		switch n.Name {
		case "<", ">", "<=", ">=":
			a, b := w.term(n.Args[0], s), w.term(n.Args[1], s)
			if n.Name == "<" && neverBelow(a, w.expr(b)) {
				return build.Truth(false)
			}
			return build.Binary(comparisons[n.Name], w.expr(a), w.expr(b))
		case `\subseteq`:
			return subset(w.set(w.term(n.Args[0], s)), w.set(w.term(n.Args[1], s)))
		case "IsFiniteSet":
			v, ok := core.Strip(n.Args[0]).(*core.Variable)
			if ok && w.finite[v.Index] || limited(w.declarer, w.term(n.Args[0], s)) {
				return build.Truth(true)
			}
			w.fail("IsFiniteSet is not translated here: it is known of variables whose sets " +
				"are finite in all states, of ranges, and of constant sets that an assumption " +
				"says to be finite, with what is a part of them")
		}
	}
	return w.expr(w.term(n, s))
}

var comparisons = map[string]syntax.ExprKind{"<": syntax.ExprLt, ">": syntax.ExprGt,
	"<=": syntax.ExprLe, ">=": syntax.ExprGe}

// bindings is a formula about all values of what is bound, or about some.
func (w *writer) bindings(
	all bool, bs []core.Binding, s scope, body func(scope) *syntax.Expr,
) *syntax.Expr {
	// The sets do not see the names.
	var sets []*set
	for _, b := range bs {
		sets = append(sets, w.set(w.term(b.Set, s)))
	}
	var next func(i int, s scope) *syntax.Expr
	next = func(i int, s scope) *syntax.Expr {
		if i == len(bs) {
			return body(s)
		}
		return sets[i].each(all, bs[i].Names[0], func(e *term) *syntax.Expr {
			return next(i+1, w.bound(bs[i], e, s))
		})
	}
	return next(0, s)
}

// bound gives the names of a binding their values.
func (w *writer) bound(b core.Binding, e *term, s scope) scope {
	if !b.Tuple {
		return s.with(b.Slots[0], e)
	}
	for i, slot := range b.Slots {
		s = s.with(slot, w.part(e, i))
	}
	return s
}

// term is the value of a node.
func (w *writer) term(n core.Node, s scope) *term {
	outer := w.span
	if !n.Span().IsZero() {
		w.span = placeOf(n, outer)
	}
	t := kinds{w.algebra}.as(w.termOf(n, s), w.types.Want(n))
	w.span = outer
	return t
}

func (w *writer) termOf(n core.Node, s scope) *term {
	t := w.types.Of(n)
	switch n := n.(type) {
	case *core.Shared:
		return w.term(n.Value, s)
	case *core.Named:
		return w.term(n.Body, s)
	case *core.Global:
		return w.term(n.Value, scope{after: s.after})
	case *core.Literal:
		return w.literal(n, t)
	case *core.Parameter:
		return w.constant(n.Name)
	case *core.Application:
		return operators{w}.application(n, s)
	case *core.Variable:
		if n.Primed && s.after == nil {
			w.fail("a variable after a step is not translated here")
		}
		if n.Primed {
			return s.after(n.Index)
		}
		return w.variables[n.Index]
	case *core.Slot:
		if t := s.at(n.Slot); t != nil {
			return t
		}
		w.fail("what depends on a bound name here is not translated")
	case *core.If:
		cond := w.formula(n.Cond, s)
		switch { // what is never taken may have no value
		case build.IsFalse(cond):
			return w.term(n.Else, s)
		case build.IsTrue(cond):
			return w.term(n.Then, s)
		}
		return w.choice(cond, w.term(n.Then, s), w.term(n.Else, s))
	case *core.Case:
		return w.cases(n, s)
	case *core.Let:
		var made *term
		return w.term(n.Body, s.lazy(n.Slot, func() *term {
			if made == nil {
				made = w.term(n.Value, s)
			}
			return made
		}))
	case *core.Choose:
		return w.choose(n, s)
	case *core.Filter:
		from := w.set(w.term(n.Binding.Set, s))
		return &term{typ: t, set: w.where(from, func(e *term) *syntax.Expr {
			return w.formula(n.Body, w.bound(n.Binding, e, s))
		})}
	case *core.Image:
		if of := elementsOf(n); of != nil && w.types.Of(of).Kind() == types.Sequence {
			return &term{typ: t, set: w.listing(w.term(of, s), t)}
		}
		return &term{typ: t, set: w.images(n, s)}
	case *core.Function:
		if n.Self >= 0 {
			return recursions{w}.function(n, t, s)
		}
		return w.lambda(n, t, s)
	case *core.Record:
		return w.record(n, t, s)
	case *core.Select:
		return w.field(w.term(n.Record, s), n.Field)
	case *core.Except:
		return w.except(n, t, s)
	case *core.Operator:
		return w.operator(n, t, s)
	}
	if t.Kind() != types.Bool {
		w.fail("this expression is not translated")
	}
	return w.of(t, w.formula(n, s))
}

func (w *writer) literal(n *core.Literal, t *types.Type) *term {
	v := n.Value
	switch v.Kind() {
	case value.Bool:
		return w.of(t, build.Truth(v.String() == "TRUE"))
	case value.Int:
		return w.of(t, build.Integer(v.Integer()))
	case value.String:
		out := &term{typ: t, text: v.Text()}
		if out.text == "" { // which says of a value that it is no string that is written
			return w.of(t, w.stringOf(out))
		}
		return out
	}
	switch space := w.model.Space; v {
	case space.Nat:
		whole := w.whole(t.Elem(), &syntax.SortExpr{Name: "int"})
		return &term{typ: t, set: w.where(whole, func(e *term) *syntax.Expr {
			return build.LessOrEqual(build.Number(0), e.x)
		})}
	case space.Integers:
		return &term{typ: t, set: w.whole(t.Elem(), &syntax.SortExpr{Name: "int"})}
	case space.Boolean:
		return &term{typ: t, set: w.whole(t.Elem(), &syntax.SortExpr{Name: "bool"})}
	}
	w.fail("the value %s is not translated", v)
	return nil
}

func (w *writer) cases(n *core.Case, s scope) *term {
	var out *term
	if n.Other != nil {
		out = w.term(n.Other, s)
	} else {
		out = unspecified(w, n)
	}
	for i := len(n.Conds) - 1; i >= 0; i-- {
		if cond := w.formula(n.Conds[i], s); !build.IsFalse(cond) { // else it may have no value
			out = w.choice(cond, w.term(n.Values[i], s), out)
		}
	}
	return out
}

// images is the set of the values of an expression.
func (w *writer) images(n *core.Image, s scope) *set {
	var sets []*set
	for _, b := range n.Bindings {
		sets = append(sets, w.set(w.term(b.Set, s)))
	}
	var next func(i int, s scope) *set
	next = func(i int, s scope) *set {
		b := n.Bindings[i]
		if i == len(n.Bindings)-1 {
			return w.image(sets[i], func(e *term) *term {
				return w.term(n.Body, w.bound(b, e, s))
			})
		}
		has := func(all bool, f func(*set) *syntax.Expr) *syntax.Expr {
			return sets[i].each(all, b.Names[0], func(e *term) *syntax.Expr {
				return f(next(i+1, w.bound(b, e, s)))
			})
		}
		return &set{has: func(e *term) *syntax.Expr {
			return has(false, func(rest *set) *syntax.Expr { return rest.has(e) })
		}, each: func(all bool, name string, body func(*term) *syntax.Expr) *syntax.Expr {
			return has(all, func(rest *set) *syntax.Expr { return rest.each(all, name, body) })
		}}
	}
	return next(0, s)
}

// domainBy is the domain of a function with some arguments.
func (w *writer) domainBy(bs []core.Binding, key *types.Type, s scope) *set {
	var sets []*set
	for _, b := range bs {
		sets = append(sets, w.set(w.term(b.Set, s)))
	}
	if len(sets) == 1 {
		return sets[0]
	}
	return w.product(key, nil, sets, w.part)
}

// lambda is a function by its values.
func (w *writer) lambda(n *core.Function, t *types.Type, s scope) *term {
	switch t.Kind() {
	case types.Map:
	case types.Sequence:
		if q := removal(w, n, t, s); q != nil {
			return q
		}
		if q := writtenOut(w, n, t, s); q != nil {
			return q
		}
		w.fail("a sequence that is written as a function is not translated")
	default:
		w.fail("nothing tells what this function is, so it is not translated")
	}
	f := &function{domain: w.domainBy(n.Bindings, t.Key(), s)}
	f.at = func(arg *term) *term {
		inner := s
		for i, b := range n.Bindings {
			e := arg
			if len(n.Bindings) > 1 {
				e = w.part(arg, i)
			}
			inner = w.bound(b, e, inner)
		}
		return within(w.algebra, t, f.domain, arg, w.term(n.Body, inner))
	}
	return &term{typ: t, fun: f}
}
