package translate

import (
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/types"
)

// declare declares the variables.
func (w *writer) declare() {
	for _, v := range w.model.Variables {
		if reserved[v] {
			v = w.name(v)
		}
		w.taken[v] = true
		w.called = append(w.called, v)
	}
	for i, v := range w.called {
		w.begin()
		t := w.declared(v, w.types.Variables[i].Root(), true)
		t.finite = w.finite[i]
		w.variables = append(w.variables, t)
	}
}

// declared declares a symbol for a value of a type.
func (w *writer) declared(name string, t *types.Type, mutable bool) *term {
	var args []*syntax.SortExpr
	elem := t
	for elem.Kind() == types.Map {
		args = append(args, w.keySorts(elem)...)
		if w.varies(elem) {
			w.declareDomain(name, elem, args[:len(args):len(args)], mutable)
		}
		elem = elem.Elem()
	}
	switch {
	case elem.Kind() == types.Bool:
		w.symbol("relation", name, args, nil, mutable)
	case len(args) == 0:
		w.symbol("constant", name, args, w.sort(elem), mutable)
	default:
		w.symbol("function", name, args, w.sort(elem), mutable)
	}
	out := w.stored(name, t, nil)
	out.symbol = name
	return out
}

func (w *declarer) symbol(
	word, name string, args []*syntax.SortExpr, result *syntax.SortExpr, mutable bool,
) {
	w.decls = append(w.decls, &syntax.SymbolDecl{Span: w.span, Word: word, Mutable: mutable,
		Name: syntax.Name{Text: name, Span: w.span}, Args: args, Result: result})
}

// stored is the value of a symbol, at arguments.
func (w *writer) stored(name string, t *types.Type, args []*syntax.Expr) *term {
	if t.Kind() != types.Map {
		return w.of(t, build.Apply(name, args...))
	}
	domain := w.domainAt(name, t, args)
	return &term{typ: t, fun: &function{domain: domain, at: func(arg *term) *term {
		return w.valued(domain, arg, w.stored(name, t.Elem(),
			append(args[:len(args):len(args)], w.keysOf(arg)...)))
	}}}
}

// valued is the value of a function at an argument, which has to be in the domain.
func (w *algebra) valued(domain *set, arg, value *term) *term {
	if defined(domain, arg) {
		return value
	}
	return w.needing(domain.has(arg), value)
}

// needing is a value that exists only if a condition is true.
func (w *algebra) needing(cond *syntax.Expr, t *term) *term {
	out := *t
	switch {
	case build.IsTrue(cond):
		return t
	case t.x != nil:
		// The language says so of the value of an option, which has one if it is some.
		out.x = &syntax.Expr{Kind: syntax.ExprField, Name: syntax.Name{Text: "value", Span: w.span},
			Args: []*syntax.Expr{build.If(cond, build.Apply("some", t.x), build.Ref("none"))}}
		if t.fun != nil {
			return w.of(t.typ, out.x)
		}
	case t.fun != nil:
		f := *t.fun
		f.at = func(arg *term) *term { return w.needing(cond, t.fun.at(arg)) }
		out.fun = &f
	default:
		return w.needing(cond, w.of(t.typ, w.expr(t)))
	}
	return &out
}

// keysOf are the arguments of a symbol for the argument of a function: of a tuple its parts.
func (w *algebra) keysOf(arg *term) (out []*syntax.Expr) {
	if arg.typ.Kind() != types.Tuple {
		return []*syntax.Expr{w.expr(arg)}
	}
	for i := range arg.typ.Parts() {
		out = append(out, w.keysOf(w.part(arg, i))...)
	}
	return out
}

// keySorts are the sorts of the arguments of a symbol for a function.
func (w *writer) keySorts(t *types.Type) (out []*syntax.SortExpr) {
	if t.Key().Kind() != types.Tuple {
		if d := w.domainOf(t); d.sort != nil {
			return []*syntax.SortExpr{d.sort}
		}
		return []*syntax.SortExpr{w.sort(t.Key())}
	}
	d := w.domainOf(t)
	for i, p := range t.Key().Parts() {
		if d.parts != nil && d.parts[i].sort != nil {
			out = append(out, d.parts[i].sort)
		} else {
			out = append(out, w.sort(p))
		}
	}
	return out
}

// domainOf is the domain of all functions of a type. Where they have different ones, it is what can
// be in a domain, and each function has its own (see domainAt).
func (w *writer) domainOf(t *types.Type) *set {
	t = t.Root()
	if d := w.common[t]; d != nil {
		return d
	}
	var d *set
	for _, made := range w.domains[t] {
		if w.varies(t) {
			break // the variables that a domain depends on may not be declared yet
		}
		var m *set
		errs := w.errs
		w.errs = &diag.List{}
		w.attempt(func() { m = made() })
		w.errs = errs
		if m == nil || d != nil && known(d, t.Key()) != known(m, t.Key()) {
			w.varying[t] = true // a set that is not known here depends on a bound name
		}
		d = m
	}
	if d == nil || w.varies(t) {
		d = w.all(t.Key())
	}
	w.common[t] = d
	return d
}

// known is what is known of a set, as a text by which sets can be compared.
func known(s *set, elem *types.Type) string {
	text := shown(s.has(&term{typ: elem.Root(), x: build.Ref("the element")}))
	for _, p := range append(s.parts, s) {
		if p.sort != nil {
			text += " " + p.sort.Name
			if p.sort.Lo != nil {
				text += shown(p.sort.Lo) + ".." + shown(p.sort.Hi)
			}
		}
	}
	return text
}

// all is the set of all values of a type.
func (w *algebra) all(t *types.Type) *set {
	if t.Kind() != types.Tuple {
		return w.whole(t, w.sort(t))
	}
	var sets []*set
	for _, p := range t.Parts() {
		sets = append(sets, w.all(p))
	}
	return w.product(t, nil, sets, w.part)
}

// sort is the type of the language for a type.
func (w *declarer) sort(t *types.Type) *syntax.SortExpr {
	t = t.Root()
	data := func(form syntax.DataForm, parts ...*types.Type) *syntax.SortExpr {
		d := &syntax.DataType{Form: form}
		for _, p := range parts {
			d.Parts = append(d.Parts, w.sort(p))
		}
		return &syntax.SortExpr{Data: d, Span: w.span}
	}
	switch t.Kind() {
	case types.Bool:
		return &syntax.SortExpr{Name: "bool", Span: w.span}
	case types.Int:
		return &syntax.SortExpr{Name: "int", Span: w.span}
	case types.Set:
		return data(syntax.SetType, t.Elem())
	case types.Sequence:
		return data(syntax.SeqType, t.Elem())
	case types.Tuple:
		return data(syntax.TupleType, t.Parts()...)
	case types.Record:
		return &syntax.SortExpr{Name: w.recordSort(t), Span: w.span}
	case types.Sum:
		return &syntax.SortExpr{Name: w.sumOf(t).sort, Span: w.span}
	case types.Map:
		return data(syntax.MapType, t.Key(), t.Elem())
	}
	return &syntax.SortExpr{Name: w.elements(t), Span: w.span}
}

// constant is the value of a constant.
func (w *writer) constant(name string) *term {
	if w.constants[name] == nil {
		w.constants[name] = w.newConstant(name, w.types.Constant(name))
	}
	return w.constants[name]
}

func (w *writer) newConstant(name string, t *types.Type) *term {
	if t.Kind() != types.Set {
		return w.declared(w.name(name), t, false)
	}
	elem := t.Elem()
	if elem.Kind() == types.Set {
		return w.family(name, t)
	}
	sort := w.sort(elem)
	if elem.Kind() == types.Element && w.class(elem).whole() {
		return &term{typ: t, set: w.whole(elem, sort)}
	}
	is := w.name(name)
	sorts := []*syntax.SortExpr{sort}
	if elem.Kind() == types.Tuple {
		sorts = nil
		for _, p := range elem.Parts() {
			sorts = append(sorts, w.sort(p))
		}
	}
	w.symbol("relation", is, sorts, nil, false)
	return &term{typ: t, symbol: is, set: w.where(w.all(elem), func(e *term) *syntax.Expr {
		return build.Apply(is, w.keysOf(e)...)
	})}
}

// family is a constant set of sets: a sort, and a relation that says what is in each.
func (w *writer) family(name string, sets *types.Type) *term {
	t := sets.Elem()
	sort := w.name(strings.ToLower(name))
	w.decls = append(w.decls, &syntax.SortDecl{Span: w.span,
		Name: syntax.Name{Text: sort, Span: w.span}})
	in := w.name("in_" + name)
	elem := t.Elem()
	elems := w.sort(elem)
	w.symbol("relation", in, []*syntax.SortExpr{{Name: sort, Span: w.span}, elems}, nil, false)
	// each is a formula about the sets of the family by the names that stand for them.
	each := func(all bool, name string, body func(*syntax.Expr) *syntax.Expr) *syntax.Expr {
		b := &syntax.Binder{Sort: &syntax.SortExpr{Name: sort, Span: w.span}}
		b.Name = syntax.Name{Text: w.variable(name), Span: w.span}
		return build.Quantified(all, b, body(build.Ref(b.Name.Text)))
	}
	member := func(q *syntax.Expr) *set {
		return w.where(w.whole(elem, elems), func(e *term) *syntax.Expr {
			return build.Apply(in, q, w.expr(e))
		})
	}
	return &term{typ: sets, symbol: in, family: sort, set: &set{
		has: func(e *term) *syntax.Expr {
			return each(false, "s", func(q *syntax.Expr) *syntax.Expr {
				return build.And(subset(w.set(e), member(q)), subset(member(q), w.set(e)))
			})
		},
		each: func(all bool, name string, body func(*term) *syntax.Expr) *syntax.Expr {
			return each(all, name, func(q *syntax.Expr) *syntax.Expr {
				return body(&term{typ: t, set: member(q)})
			})
		}}}
}

// fixed reports whether an expression is made of numbers and constants, as the ends of a range are.
func (w *algebra) fixed(x *syntax.Expr) bool {
	switch x.Kind {
	case syntax.ExprInt:
		return x.Int.IsInt64() // as numbers of ranges are
	case syntax.ExprAdd, syntax.ExprSub, syntax.ExprMul, syntax.ExprNeg:
		for _, a := range x.Args {
			if !w.fixed(a) {
				return false
			}
		}
		return true
	case syntax.ExprName:
		for _, c := range w.constants {
			if c != nil && c.x != nil && c.x.Name.Text == x.Name.Text && len(x.Args) == 0 {
				return true
			}
		}
	}
	return false
}
