package translate

import (
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/types"
)

// A function within the data of a variable, as in a field of a record, is a map of the language,
// whose keys are its domain. A variable that is a function is none: see declared.

// embed notes the functions within data of a type: their domains depend on the value.
func (w *declarer) embed(t *types.Type, inside bool) {
	t = t.Root()
	if seen, ok := w.embedded[t]; ok && (seen || !inside) {
		return
	}
	w.embedded[t] = inside
	switch t.Kind() {
	case types.Map:
		w.varying[t] = w.varying[t] || inside
		w.embed(t.Key(), true)
		w.embed(t.Elem(), inside)
	case types.Set, types.Sequence:
		w.embed(t.Elem(), true)
	case types.Tuple:
		for _, p := range t.Parts() {
			w.embed(p, true)
		}
	case types.Record:
		for _, f := range t.Fields() {
			w.embed(t.Field(f), true)
		}
	case types.Sum:
		for _, a := range t.Alternatives() {
			w.embed(a, true)
		}
	}
}

// mapped is the function that a map of the language is.
func mapped(w *algebra, t *types.Type, x *syntax.Expr) *term {
	needEmbedded(w, t)
	domain := w.where(w.all(t.Key()), func(e *term) *syntax.Expr {
		return build.Binary(syntax.ExprIn, w.expr(e), x)
	})
	return &term{typ: t, x: x, fun: &function{domain: domain, at: func(arg *term) *term {
		return w.of(t.Elem(), build.Binary(syntax.ExprAt, x, w.expr(arg)))
	}}}
}

// needEmbedded refuses functions that are taken to be none within data: all have one domain then.
func needEmbedded(w *algebra, t *types.Type) {
	if !w.embedded[t.Root()] {
		w.lacked = true
		w.fail("a function within other data is not translated here")
	}
}

// mapOf is the map of the language for a function: another one with other values, or the values of
// all keys.
func mapOf(w *algebra, t *term) *syntax.Expr {
	needEmbedded(w, t.typ)
	if t.fun.added != nil {
		if of := t.fun.added.of; of.x != nil {
			return entry(w, of.x, t.fun.added.updates[0])
		}
	}
	if e := t.fun.except; e != nil && e.of.x != nil && e.atKeys() {
		out := e.of.x
		for _, u := range e.updates { // nothing changes outside of the domain
			out = build.If(e.of.fun.domain.has(u.path[0]), entry(w, out, u), out)
		}
		return out
	}
	name := w.variable("k")
	b := &syntax.Binder{Name: syntax.Name{Text: name, Span: w.span}, Sort: w.sort(t.typ.Key())}
	key := *w.of(t.typ.Key(), build.Ref(name))
	in := t.fun.domain.has(&key)
	key.from = t.fun.domain
	return &syntax.Expr{Kind: syntax.ExprMapEach, Binders: []*syntax.Binder{b},
		Args: []*syntax.Expr{build.Ref(name), w.expr(t.fun.at(&key)), in}}
}

// entry is a map with another value for a key.
func entry(w *algebra, of *syntax.Expr, u update) *syntax.Expr {
	with := &syntax.Expr{Kind: syntax.ExprMap,
		Args: []*syntax.Expr{w.expr(u.path[0]), w.expr(u.value)}}
	return build.Binary(syntax.ExprWith, of, with)
}

// atKeys reports whether whole values of keys are other ones, and not parts of them.
func (e *except) atKeys() bool {
	for _, u := range e.updates {
		if len(u.path) != 1 {
			return false
		}
	}
	return true
}
