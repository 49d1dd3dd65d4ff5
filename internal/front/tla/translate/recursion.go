package translate

import (
	"slices"

	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/types"
)

// A recursive function is a symbol of which its equation is known at each argument of its domain.
// Some such function has to exist, or everything would follow: so the recursion has to be well
// founded, which descent finds in the text. Where the equation reads numbers, elements or truth
// values from around it or from the state, they are further arguments of the symbol. Where it reads
// other parts of the state, the symbol is a derived relation.
//
// What a function is outside of its domain is not known, and the equation may be false then. So the
// equation is claimed, too: whether its calls are in the domain becomes a claim about that.

// recursions translates recursive functions.
type recursions struct{ *writer }

// recursive is the symbol of a recursive function, and the equation by which it was made.
type recursive struct {
	by, name string
	typ      *types.Type
}

// captured is a further argument of the symbol: a place or a variable that the equation reads.
type captured struct {
	slot, variable int // one of them is -1
	primed         bool
	value          *term // where the function stands
}

// function is a recursive function, where it stands.
func (w recursions) function(n *core.Function, t *types.Type, s scope) *term {
	if t.Kind() != types.Map {
		w.fail("nothing tells what this recursive function is, so it is not translated")
	}
	if f := greatest(w.writer, n, t, s); f != nil {
		return f
	}
	if f := adding(w.writer, n, t, s); f != nil {
		return f
	}
	if f := permutations(w.writer, n, t, s); f != nil {
		return f
	}
	if why := descent(n, w.model.Space.Nat); why != "" {
		w.fail("a recursive function, or a fold, is translated where each of its calls is for a "+
			"smaller number of a range: %s", why)
	}
	if counts(n.Body) {
		w.fail("a recursive function with the size of a set is not translated")
	}
	more, state := w.captures(n, s)
	if state && t.Elem().Kind() != types.Bool {
		w.fail("a recursive function that reads sets, functions or records of the state is " +
			"translated where its values are truth values")
	}
	var args []*syntax.Expr
	for _, c := range more {
		args = append(args, w.expr(c.value))
	}
	return w.stored(w.defined(n, t, more, state), t, args)
}

// defined is the symbol of a recursive function. Where the same equation stands twice, after
// operators are expanded, it is the same function.
func (w recursions) defined(
	n *core.Function, t *types.Type, more []captured, state bool,
) string {
	const placeholder = "the recursive function"
	by := shown(w.equation(placeholder, n, t, more))
	for _, r := range w.recursive[n.Span()] {
		if r.by == by && w.alike(r.typ, t) {
			return r.name
		}
	}
	name := w.name(n.Name)
	w.recursive[n.Span()] = append(w.recursive[n.Span()], recursive{by, name, t})
	d := &syntax.SymbolDecl{Span: w.span, Word: "function", Mutable: state,
		Name: syntax.Name{Text: name, Span: w.span}}
	for _, c := range more {
		d.Args = append(d.Args, w.sort(c.value.typ))
	}
	elem := t
	for ; elem.Kind() == types.Map; elem = elem.Elem() {
		d.Args = append(d.Args, w.keySorts(elem)...)
	}
	if d.Result = w.sort(elem); elem.Kind() == types.Bool {
		d.Word, d.Result = "relation", nil
	}
	equation := build.At(w.equation(name, n, t, more), w.span)
	if state {
		d.Derived = equation
		w.derived = append(w.derived, name)
	} else {
		w.fact(equation)
	}
	w.decls = append(w.decls, d, &syntax.FormulaDecl{Span: w.span, Word: "safety", Expr: equation,
		Name: syntax.Name{Text: w.name(name + "_equation"), Span: w.span}})
	return name
}

// alike reports whether functions have the same arguments and values.
func (w recursions) alike(a, b *types.Type) bool {
	for ; a.Kind() == types.Map && b.Kind() == types.Map; a, b = a.Elem(), b.Elem() {
		if shownSorts(w.keySorts(a)) != shownSorts(w.keySorts(b)) {
			return false
		}
	}
	return shownSorts([]*syntax.SortExpr{w.sort(a)}) == shownSorts([]*syntax.SortExpr{w.sort(b)})
}

// shownSorts are sorts as a text by which they can be compared.
func shownSorts(sorts []*syntax.SortExpr) string {
	x := &syntax.Expr{}
	for _, s := range sorts {
		x.Binders = append(x.Binders, &syntax.Binder{Sort: s})
	}
	return shown(x)
}

// equation says of all arguments in the domain what the value is.
func (w recursions) equation(
	name string, n *core.Function, t *types.Type, more []captured,
) *syntax.Expr {
	local, variables := w.local, w.variables
	defer func() { w.local, w.variables = local, variables }()
	w.begin() // so that the same equation has the same names
	w.variables = slices.Clone(variables)
	after := map[int]*term{}
	s := scope{after: func(v int) *term { return after[v] }}
	var args []*syntax.Expr
	var binders []*syntax.Binder
	for _, c := range more {
		b := &syntax.Binder{Sort: w.sort(c.value.typ)}
		b.Name = syntax.Name{Text: w.variable("k"), Span: w.span}
		binders, args = append(binders, b), append(args, build.Ref(b.Name.Text))
		k := w.of(c.value.typ, args[len(args)-1])
		switch {
		case c.slot >= 0:
			s = s.with(c.slot, k)
		case c.primed:
			after[c.variable] = k
		default:
			w.variables[c.variable] = k
		}
	}
	self := w.stored(name, t, args)
	s = s.with(n.Self, self)
	x := self.fun.domain.each(true, "x", func(e *term) *syntax.Expr {
		inner := s
		for i, b := range n.Bindings {
			part := e
			if len(n.Bindings) > 1 {
				part = w.part(e, i)
			}
			inner = w.bound(b, part, inner)
		}
		return w.equal(self.fun.at(e), w.term(n.Body, inner))
	})
	for _, b := range slices.Backward(binders) {
		x = build.Quantified(true, b, x)
	}
	return x
}

// captures are what a recursive function reads from around it. State says that it reads what is no
// argument of a symbol.
func (w recursions) captures(n *core.Function, s scope) (out []captured, state bool) {
	know := func(c captured) {
		if slices.ContainsFunc(out, func(d captured) bool {
			return c.slot == d.slot && c.variable == d.variable && c.primed == d.primed
		}) {
			return
		}
		switch c.value.typ.Kind() {
		case types.Bool, types.Int, types.Element:
			out = append(out, c)
			return
		}
		switch {
		case c.slot >= 0:
			w.fail("a recursive function that reads %s from around it is not translated",
				c.value.typ)
		case c.primed:
			w.fail("a recursive function that reads %s after a step is not translated",
				w.model.Variables[c.variable])
		}
		state = true
	}
	var visit func(m core.Node, bound []int)
	visit = func(m core.Node, bound []int) {
		if _, ok := m.(*core.Global); ok {
			bound = nil // it has a frame of its own
		}
		m = core.Strip(m)
		switch m := m.(type) {
		case *core.Slot:
			if slices.Contains(bound, m.Slot) {
				return
			}
			v := s.at(m.Slot)
			if v == nil {
				w.fail("what depends on a bound name here is not translated")
			}
			know(captured{m.Slot, -1, false, v})
		case *core.Variable:
			if !m.Primed {
				know(captured{-1, m.Index, false, w.variables[m.Index]})
			} else if s.after == nil {
				w.fail("a variable after a step is not translated here")
			} else {
				know(captured{-1, m.Index, true, s.after(m.Index)})
			}
		}
		bound = append(bound[:len(bound):len(bound)], core.Bound(m)...)
		core.Parts(m, func(p core.Node) { visit(p, bound) })
	}
	visit(n.Body, core.Bound(n))
	return out, state
}
