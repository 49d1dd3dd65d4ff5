package translate

import (
	"slices"

	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/types"
)

// starts declares what is known of initial states.
type starts struct{ *writer }

// declare declares the initial states.
func (w starts) declare() {
	w.each(w.model.Init, scope{after: func(i int) *term { return w.variables[i] }})
	for i, v := range w.called {
		w.begin()
		w.span = w.model.Init.Span()
		w.outsideOf(v, w.types.Variables[i].Root())
	}
}

// outsideOf declares what a symbol is outside of its domain.
func (w starts) outsideOf(name string, t *types.Type) {
	if x := w.outside(name, t); x != nil {
		w.holds(x)
	}
}

// holds declares a formula of initial states.
func (w starts) holds(x *syntax.Expr) {
	w.decls = append(w.decls, &syntax.FormulaDecl{Span: w.span, Word: "init",
		Expr: build.At(x, w.span)})
}

// each declares each conjunct of a formula of initial states.
func (w starts) each(n core.Node, s scope) {
	switch inner := n.(type) {
	case *core.Junction:
		if inner.And {
			for _, a := range inner.Args {
				w.each(a, s)
			}
			return
		}
	case *core.Named:
		w.each(inner.Body, s)
		return
	case *core.Quantified:
		if w.choosesFunction(inner) {
			for _, b := range inner.Bindings {
				s = w.kept(b, s)
			}
			w.each(inner.Body, s)
			return
		}
	}
	w.begin()
	w.span = placeOf(n, w.model.Init.Span())
	w.holds(w.writer.formula(n, s))
}

// choosesFunction reports whether a formula says that there is some function. No variable of the
// language stands for one.
func (w starts) choosesFunction(n core.Node) bool {
	q, ok := core.Strip(n).(*core.Quantified)
	return ok && !q.All && (w.choosesFunction(q.Body) ||
		slices.ContainsFunc(q.Bindings, func(b core.Binding) bool {
			return w.types.Of(b.Set).Elem().Kind() == types.Map
		}))
}

// kept is a scope in which a name has the value of a new variable. No step changes this variable.
func (w starts) kept(b core.Binding, s scope) scope {
	w.begin()
	w.span = placeOf(b.Set, w.span)
	from := w.set(w.term(b.Set, s))
	name, t := w.name(w.parameter(b.Names[0])), w.types.Of(b.Set).Elem().Root()
	e := w.declared(name, t, true)
	w.holds(from.has(e))
	w.outsideOf(name, t)
	return w.bound(b, e, s)
}

// pickOf is pick, where the elements of the set may be functions: a function that is chosen is a
// variable, which has any value within the step.
func (w *ways) pickOf(t *types.Type, s *set, name string, st step, next func(*term, step)) {
	t = t.Elem().Root()
	if t.Kind() != types.Map {
		w.pick(s, name, st, next)
		return
	}
	for m := t; m.Kind() == types.Map; m = m.Elem().Root() {
		if w.varies(m) {
			w.fail("a choice of functions is not translated where functions of their type have " +
				"domains that depend on the state")
		}
	}
	f := w.declared(w.name(w.parameter(name)), t, true)
	first := starts{w.writer}
	if u := usualMap(w.writer, t); u != nil {
		first.holds(w.equal(f, u))
	}
	first.outsideOf(f.symbol, t)
	if x := w.outside(f.symbol, t); x != nil {
		st = st.guarded(x)
	}
	st.maps = append(slices.Clip(st.maps), f)
	next(f, st.guarded(s.has(f)))
}

// usualMap is the value that a function has between the steps that choose it, so that it makes no
// states; nil where nothing can be named.
func usualMap(w *writer, t *types.Type) *term {
	if t.Kind() != types.Map {
		return w.usual(t)
	}
	value := usualMap(w, t.Elem())
	if value == nil {
		return nil
	}
	domain := w.domainOf(t)
	if w.varies(t) {
		domain = w.listed(nil)
	}
	return &term{typ: t, fun: &function{domain: domain,
		at: func(*term) *term { return value }}}
}
