package flat

import (
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// mapped is a value each of whose parts is changed in the same way. The change keeps the type; with
// another value, both are changed into one. What is asked twice is computed once: the values that
// an action makes one after the other are parts of one another many times.
func mapped(
	w *waiting, v, other *value, change func(a, b *syntax.Expr) *syntax.Expr,
) *value {
	t := v.typ.root()
	if w.f.ended() {
		return v
	}
	out := &value{typ: v.typ, depth: 1 + max(v.depth, other.depth)}
	if v.code != nil && other.code != nil && codeKey(v.typ) == codeKey(other.typ) {
		out.code = change(v.code, other.code)
	}
	formula := func(ask func(*value) *syntax.Expr) *syntax.Expr {
		x := ask(v)
		if other == v {
			return change(x, x)
		}
		return change(x, ask(other))
	}
	part := func(of func(*value) *value) *value {
		p := of(v)
		if other == v {
			return mapped(w, p, p, change)
		}
		return mapped(w, p, of(other), change)
	}
	elements := func() {
		out.has = remembered(w, func(e *value) *syntax.Expr {
			return formula(func(v *value) *syntax.Expr { return v.has(e) })
		})
		out.each = func(all bool, body func(*value) *syntax.Expr) *syntax.Expr {
			return formula(func(v *value) *syntax.Expr { return v.each(all, body) })
		}
		if out.depth > deepest && !hasNumbers(t.parts[0]) {
			out.each = w.f.setValue(setOf(t.parts[0]), out.has, nil).each
		}
	}
	switch t.form {
	case record:
		out.fields = map[string]*value{}
		for _, name := range t.fields {
			out.fields[name] = part(func(v *value) *value { return v.fields[name] })
		}
	case variant:
		if v.expr != nil && other.expr != nil {
			return enumerated(v.typ, change(v.expr, other.expr))
		}
		mappedVariant(w, out, v, other, formula, change)
	case set:
		elements()
	case mapping:
		elements()
		out.lookup = remembered(w, func(k *value) *value {
			return part(func(v *value) *value { return v.lookup(k) })
		})
	case seq:
		out.within = wider(v.within, other.within)
		out.size = formula(func(v *value) *syntax.Expr { return v.size })
		out.positions = func(all bool, body func(*syntax.Expr) *syntax.Expr) *syntax.Expr {
			return formula(func(v *value) *syntax.Expr { return v.positions(all, body) })
		}
		out.item = remembered(w, func(i *syntax.Expr) *value {
			return part(func(v *value) *value { return v.item(i) })
		})
	default:
		out.expr = change(v.expr, other.expr)
	}
	return out
}

// deepest is how many changes of a set may be around one another before a quantifier over its
// elements is one over all values of their type: else it is repeated for each.
const deepest = 3

func mappedVariant(
	w *waiting, out, v, other *value, formula func(func(*value) *syntax.Expr) *syntax.Expr,
	change func(a, b *syntax.Expr) *syntax.Expr,
) {
	if v.ctor.is(other.ctor) {
		out.ctor = v.ctor
	}
	made := remembered(w, func(c *ctor) *syntax.Expr {
		return formula(func(v *value) *syntax.Expr { return v.made(c) })
	})
	out.made = func(c *ctor) *syntax.Expr {
		if out.ctor != nil {
			return build.Truth(out.ctor.is(c))
		}
		return made(c)
	}
	type field struct {
		of *ctor
		i  int
	}
	payload := remembered(w, func(at field) *value {
		a, b := v.payload(at.of, at.i), other.payload(at.of, at.i)
		switch {
		case a == nil:
			return b
		case b == nil:
			return a
		}
		return mapped(w, a, b, change)
	})
	out.payload = func(c *ctor, i int) *value { return payload(field{c, i}) }
}

// remembered is a function that computes its value once for each argument, unless codes belong to
// what it gives: their meaning depends on where it stands.
func remembered[K comparable, V any](w *waiting, compute func(K) V) func(K) V {
	known := map[K]V{}
	return func(k K) V {
		if v, ok := known[k]; ok {
			return v
		}
		before := w.added
		v := compute(k)
		if w.added == before {
			known[k] = v
		}
		return v
	}
}
