package translate

import (
	"slices"

	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/types"
)

// A function whose domain is a part of a sort is kept with values at the other elements, too. They
// are not read (see valued); so that they make no states, they are the same in all of them.

// outside says that a variable has usual values outside of its domain; nil where there is nothing
// to say.
func (w *writer) outside(name string, t *types.Type) *syntax.Expr {
	var args []*syntax.Expr
	var within []*syntax.Expr
	partial := false
	var next func(t *types.Type) *syntax.Expr
	next = func(t *types.Type) *syntax.Expr {
		if t.Kind() != types.Map {
			usual := w.usual(t)
			if !partial || usual == nil {
				return build.Truth(true)
			}
			return build.Implies(build.Not(build.And(within...)),
				w.equal(w.of(t, build.Apply(name, args...)), usual))
		}
		domain := w.domainAt(name, t, args)
		unread := build.Truth(false) // a function that is not read has no domain
		if partial && w.varies(t) {
			unread = build.Not(build.And(within...))
		}
		partial = partial || domain.partial()
		return w.all(t.Key()).each(true, "x", func(x *term) *syntax.Expr {
			args = append(args[:len(args):len(args)], w.keysOf(x)...)
			within = append(within, domain.has(x))
			return build.And(build.Implies(unread, build.Not(domain.has(x))), next(t.Elem()))
		})
	}
	if x := next(t); !build.IsTrue(x) {
		return x
	}
	return nil
}

// usual is a value of a type that can always be named; nil where there is none.
func (w *algebra) usual(t *types.Type) *term {
	switch t.Kind() {
	case types.Bool:
		return w.of(t, build.Truth(false))
	case types.Int:
		return w.of(t, build.Number(0))
	case types.Sum:
		for _, a := range t.Alternatives() {
			if x := w.usual(a); x != nil {
				return kinds{w}.as(x, t)
			}
		}
	case types.Set:
		return w.of(t, &syntax.Expr{Kind: syntax.ExprSet})
	case types.Sequence:
		return w.of(t, &syntax.Expr{Kind: syntax.ExprSeq})
	case types.Element:
		if c := w.class(t); len(c.texts) > 0 {
			return &term{typ: t, text: c.texts[0]}
		}
		for _, name := range w.elementConstants() {
			if c := w.constants[name]; c.typ.Same(t) {
				return c
			}
		}
	}
	return nil
}

// elementConstants are the constants that are elements, by their names.
func (w *algebra) elementConstants() (out []string) {
	for name, c := range w.constants {
		if c.typ.Kind() == types.Element {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
