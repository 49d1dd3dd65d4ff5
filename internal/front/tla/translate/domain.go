package translate

import (
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/types"
)

// A function whose domain depends on the state is kept with a relation that says what is in its
// domain. Outside of it, its values are not read (see valued), and they are the usual ones.

// domained are the functions of a type in a symbol: a symbol may hold functions in functions.
type domained struct {
	symbol string
	of     *types.Type
}

// varies reports whether the functions of a type have domains that depend on the state.
func (w *declarer) varies(t *types.Type) bool { return w.varying[t.Root()] }

// declareDomain declares the relation for the domain of the functions in a symbol.
func (w *writer) declareDomain(name string, t *types.Type, args []*syntax.SortExpr, mutable bool) {
	if !mutable {
		w.fail("a constant function is not translated where functions of its type have domains " +
			"that depend on the state")
	}
	in := w.name("in_" + name)
	w.keys[domained{name, t.Root()}] = in
	w.symbol("relation", in, args, nil, true)
}

// domainAt is the domain of a function that a symbol has at arguments.
func (w *writer) domainAt(name string, t *types.Type, args []*syntax.Expr) *set {
	if common := w.domainOf(t); !w.varies(t) {
		return common
	}
	in := w.keys[domained{name, t.Root()}]
	return w.where(w.all(t.Key()), func(e *term) *syntax.Expr {
		return build.Apply(in, append(args[:len(args):len(args)], w.keysOf(e)...)...)
	})
}

// either is the domain of one of two functions.
func either(w *algebra, cond *syntax.Expr, t *types.Type, f, g *set) *set {
	if f == g || !w.varies(t) {
		return f
	}
	return w.where(w.all(t.Key()), func(e *term) *syntax.Expr {
		return build.If(cond, f.has(e), g.has(e))
	})
}

// equalDomains says that functions have the same domain, and the same values there.
func equalDomains(w *algebra, a, b *term) *syntax.Expr {
	from := a
	if a.symbol != "" {
		from = b // whose domain may be written out
	}
	at := func(f *term, arg *term) *term {
		within := *arg
		within.from = f.fun.domain
		return f.fun.at(&within)
	}
	return build.And(sameElements(a.fun.domain, b.fun.domain),
		from.fun.domain.each(true, "x", func(e *term) *syntax.Expr {
			return w.equal(at(a, e), at(b, e))
		}))
}

// sameElements says that sets have the same elements.
func sameElements(s, t *set) *syntax.Expr { return build.And(subset(s, t), subset(t, s)) }

// within is the value of a function at an argument, which has to be in its domain. Where domains
// depend on the state, nothing else shows that it is.
func within(w *algebra, t *types.Type, domain *set, arg, value *term) *term {
	if !w.varies(t) {
		return value
	}
	return w.valued(domain, arg, value)
}

// joined is the function with one value, k :> v, or one that has the values of two, f @@ g.
func joined(w *writer, n *core.Operator, t *types.Type, s scope) *term {
	a, b := w.term(n.Args[0], s), w.term(n.Args[1], s)
	if n.Name == ":>" {
		domain := w.listed([]*term{a})
		return &term{typ: t, fun: &function{domain: domain, at: func(arg *term) *term {
			return within(w.algebra, t, domain, arg, b)
		}}}
	}
	f, g := a.fun, b.fun
	domain := w.combined(syntax.ExprUnion, &term{typ: t.Key(), set: f.domain},
		&term{typ: t.Key(), set: g.domain})
	var added *except // k :> v @@ g is g with a value
	if op, ok := core.Strip(n.Args[0]).(*core.Operator); ok && op.Name == ":>" {
		key := w.term(op.Args[0], s)
		added = &except{b, []update{{[]*term{key}, w.term(op.Args[1], s)}}}
	}
	return &term{typ: t, fun: &function{domain: domain, added: added, at: func(arg *term) *term {
		first := *arg
		first.from = f.domain
		return w.choice(f.domain.has(arg), f.at(&first), g.at(arg))
	}}}
}
