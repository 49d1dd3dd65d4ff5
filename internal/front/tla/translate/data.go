package translate

import (
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/types"
)

// apply is what a function, sequence, tuple or record has at an argument.
func (w *algebra) apply(f, arg *term) *term {
	f = kinds{w}.functional(f, arg)
	switch f.typ.Kind() {
	case types.Map:
		return f.fun.at(arg)
	case types.Record:
		return w.field(f, arg.text)
	case types.Tuple:
		return w.part(f, int(arg.x.Int.Int64())-1)
	}
	return w.at(f, arg)
}

// at is the element of a sequence at a position.
func (w *algebra) at(q, i *term) *term {
	if q.view != nil {
		return q.view.at(i)
	}
	if q.typ.Kind() != types.Sequence {
		w.fail("nothing tells what this function is, so it is not translated")
	}
	return w.of(q.typ.Elem(), build.Binary(syntax.ExprAt, w.expr(q), i.x))
}

// field is a field of a record.
func (w *algebra) field(r *term, name string) *term {
	r = kinds{w}.functional(r, &term{text: name})
	t := r.typ.Field(name)
	if r.parts != nil {
		for i, n := range r.names {
			if n == name {
				return r.parts[i]
			}
		}
		w.fail("a record without the field %s is not translated here", name)
	}
	if v := w.variant(r.typ); v != nil && v.tag != "" && v.tag == name {
		return &term{typ: t.Root(), tag: r}
	}
	x := &syntax.Expr{Kind: syntax.ExprField, Args: []*syntax.Expr{w.expr(r)},
		Name: syntax.Name{Text: name, Span: w.span}}
	return w.of(t, x)
}

func (w *writer) record(n *core.Record, t *types.Type, s scope) *term {
	names := n.Fields.Names
	var parts []*term
	for _, v := range n.Values {
		parts = append(parts, w.term(v, s))
	}
	if !n.Sets {
		return &term{typ: t, parts: parts, names: names}
	}
	elem := t.Elem()
	var sets []*set
	for _, p := range parts {
		sets = append(sets, w.set(p))
	}
	all := w.product(elem, names, sets, func(e *term, i int) *term { return w.field(e, names[i]) })
	has := all.has
	all.has = func(e *term) *syntax.Expr { return build.And(w.shaped(e, names), has(e)) }
	return &term{typ: t, set: all}
}

// except is a function or record with other values at some places.
func (w *writer) except(n *core.Except, t *types.Type, s scope) *term {
	base := w.term(n.Function, s)
	now := base
	var updates []update
	for _, u := range n.Updates {
		var path []*term
		for _, p := range u.Path {
			path = append(path, w.term(p, s))
		}
		old := now
		for _, p := range path {
			old = w.apply(old, p)
		}
		in := s
		if u.Old >= 0 {
			in = in.with(u.Old, old)
		}
		v := w.term(u.Value, in)
		updates = append(updates, update{path, v})
		now = w.updated(now, path, v)
	}
	if now.fun != nil {
		c := *now
		f := *now.fun
		f.except = &except{base, updates}
		c.fun = &f
		return &c
	}
	return now
}

// updated is a value with another value at a path.
func (w *algebra) updated(f *term, path []*term, v *term) *term {
	if len(path) == 0 {
		return v
	}
	arg := path[0]
	if f.typ.Kind() == types.Sum {
		return kinds{w}.as(w.updated(kinds{w}.functional(f, arg), path, v), f.typ)
	}
	part := func() *term { return w.updated(w.apply(f, arg), path[1:], v) }
	switch f.typ.Kind() {
	case types.Map:
		return &term{typ: f.typ, fun: &function{domain: f.fun.domain, at: func(x *term) *term {
			return w.choice(w.equal(x, arg), part(), f.fun.at(x))
		}}}
	case types.Record:
		if f.parts != nil {
			c := *f
			c.parts = append([]*term{}, f.parts...)
			for i, n := range f.names {
				if n == arg.text {
					c.parts[i] = part()
				}
			}
			return &c
		}
		return w.of(f.typ, changed(w, f, arg.text, part))
	case types.Sequence:
		with := &syntax.Expr{Kind: syntax.ExprMap,
			Args: []*syntax.Expr{w.expr(arg), w.expr(part())}}
		return w.of(f.typ, build.Binary(syntax.ExprWith, w.expr(f), with))
	}
	w.fail("an EXCEPT of a tuple is not translated")
	return nil
}

// arithmetic are the operators on integers.
var arithmetic = map[string]syntax.ExprKind{"+": syntax.ExprAdd, "-": syntax.ExprSub,
	"*": syntax.ExprMul, `\div`: syntax.ExprDiv, "%": syntax.ExprMod}

// setOperators are the operators on two sets.
var setOperators = map[string]syntax.ExprKind{`\union`: syntax.ExprUnion,
	`\intersect`: syntax.ExprIntersect, `\`: syntax.ExprMinus}

// sequenceOperators are the operators on sequences, by their names in the language.
var sequenceOperators = map[string]string{"Len": "size", "Head": "first", "Tail": "tail",
	"Append": "append", `\o`: "concat", "SubSeq": "slice"}

func (w *writer) operator(n *core.Operator, t *types.Type, s scope) *term {
	arg := func(i int) *term { return w.term(n.Args[i], s) }
	if kind, ok := arithmetic[n.Name]; ok {
		if kind == syntax.ExprDiv || kind == syntax.ExprMod {
			return w.of(t, w.division(kind, arg(0), w.expr(arg(1))))
		}
		a, b := w.expr(arg(0)), w.expr(arg(1))
		switch kind {
		case syntax.ExprAdd, syntax.ExprSub:
			return w.sum(t, kind, arg(0), arg(1))
		}
		return w.of(t, build.Binary(kind, a, b))
	}
	if kind, ok := setOperators[n.Name]; ok {
		return &term{typ: t, set: w.combined(kind, arg(0), arg(1))}
	}
	if name, ok := sequenceOperators[n.Name]; ok {
		if q := arg(0); q.view != nil && n.Name == "Len" {
			return w.of(t, q.view.size)
		} else if q.view != nil && n.Name == "Head" {
			return q.view.at(w.of(types.Integer(), build.Number(1)))
		}
		var args []*syntax.Expr
		for i := range n.Args {
			args = append(args, w.expr(arg(i)))
		}
		if n.Name == "SubSeq" {
			return w.of(t, slice(args[0], args[1], args[2]))
		}
		return w.of(t, build.Apply(name, args...))
	}
	switch n.Name {
	case "^":
		return power(w.algebra, t, w.expr(arg(0)), w.expr(arg(1)))
	case "-.":
		return w.of(t, &syntax.Expr{Kind: syntax.ExprNeg, Args: []*syntax.Expr{w.expr(arg(0))}})
	case "..":
		if of, ok := operands(n.Args[1], "Len", 1); ok && isNumber(n.Args[0], 1) {
			return &term{typ: t, set: w.positions(t.Elem(), w.term(of[0], s))}
		}
		if t.Elem().Kind() == types.Element {
			return ranges{w}.whole(t)
		}
		return &term{typ: t, set: w.interval(t.Elem(), w.expr(arg(0)), w.expr(arg(1)))}
	case "[]":
		return w.apply(arg(0), arg(1))
	case ":>", "@@":
		return joined(w, n, t, s)
	case "SelectSeq":
		return selection(w, n, t, s)
	case "FoldLeft", "Folded":
		return fold(w, n, t, s)
	case "Cardinality":
		return w.of(t, build.At(sizeOf(w, arg(0)), n.Span()))
	case "{}", "<<>>":
		return w.written(n, t, s)
	case "SUBSET":
		return &term{typ: t, set: w.subsets(t.Elem(), w.set(arg(0)))}
	case "UNION":
		return &term{typ: t, set: w.union(w.set(arg(0)))}
	case "Seq":
		return &term{typ: t, set: w.sequences(t.Elem(), w.set(arg(0)))}
	case "->":
		return &term{typ: t, set: w.functions(w.set(arg(0)), w.set(arg(1)))}
	case `\X`:
		var sets []*set
		for i := range n.Args {
			sets = append(sets, w.set(arg(i)))
		}
		return &term{typ: t, set: w.product(t.Elem(), nil, sets, w.part)}
	case "DOMAIN":
		return w.domain(arg(0), t)
	}
	if _, ok := comparisons[n.Name]; !ok && n.Name != `\subseteq` && n.Name != "IsFiniteSet" {
		w.fail("the operator %s is not translated", n.Name)
	}
	return w.of(t, w.formula(n, s))
}

// sizeOf is the number of elements of a set.
func sizeOf(w *writer, of *term) *syntax.Expr {
	if of.set != nil && of.set.known != nil {
		return build.Number(int64(len(of.set.known)))
	}
	return build.Apply("size", w.expr(of))
}

// written is a set or a sequence by its elements, or a tuple by its parts.
func (w *writer) written(n *core.Operator, t *types.Type, s scope) *term {
	parts := []*term{}
	for _, a := range n.Args {
		parts = append(parts, w.term(a, s))
	}
	switch t.Kind() {
	case types.Set:
		return &term{typ: t, set: w.listed(parts)}
	case types.Tuple:
		return &term{typ: t, parts: parts}
	}
	x := &syntax.Expr{Kind: syntax.ExprSeq}
	for _, p := range parts {
		x.Args = append(x.Args, w.expr(p))
	}
	return w.of(t, x)
}

func (w *writer) domain(f *term, t *types.Type) *term {
	if f.typ.Kind() == types.Map {
		return &term{typ: t, set: f.fun.domain}
	}
	return &term{typ: t, set: w.positions(t.Elem(), f)}
}
