package translate

import (
	"slices"

	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/types"
)

// term is a value: an expression of the language, or what is known of it by its parts. A function
// has no expression.
type term struct {
	typ   *types.Type
	x     *syntax.Expr // nil where the value has parts only
	text  string       // of a string that is written
	parts []*term      // of a tuple; of a record by the sorted names
	names []string     // of the parts of a record
	set   *set
	fun   *function
	tag   *term // the record whose tag this is
	// Injected is set where this has become a value of a sum.
	injected *injected
	// Selected is set where only the elements of a sequence are known.
	selected *selected
	view     *view // of a sequence that is written as a function
	// Symbol is the symbol that holds a constant, family the sort of its sets if it is a set of
	// sets.
	symbol, family string
	finite         bool // a set that is finite in all states
	from           *set // a set in which this is known to be; nil if none is
	// Low and high are the least and the greatest number that this can be; nil if nothing says so.
	low, high *syntax.Expr
}

// set is a set by what it contains. Each is a formula about all elements, or about some.
type set struct {
	has  func(e *term) *syntax.Expr
	each func(all bool, name string, body func(e *term) *syntax.Expr) *syntax.Expr
	// value makes an expression of the set; nil where it has none but a comprehension.
	value func() *syntax.Expr
	// sort has all elements of the set and no other, nil if there is none.
	sort *syntax.SortExpr
	// within has all elements of the set and perhaps others, nil if there is no such sort.
	within *syntax.SortExpr
	parts  []*set // of a product
	finite bool   // in all states
	base   *set   // a set of which this is a part; nil if none is known
	// known are its elements, if these are written numbers and strings, each of them once.
	known []*term
}

// inside reports whether a value is known to be in a set by where it was taken from.
func inside(t *term, s *set) bool {
	for f := t.from; f != nil; f = f.base {
		if f == s {
			return true
		}
	}
	for i, p := range s.parts {
		if t.parts == nil || !defined(p, t.parts[i]) {
			return false
		}
	}
	return s.parts != nil
}

// defined reports whether a function with a domain has a value at an argument, for all that the
// sort of its arguments leaves open.
func defined(domain *set, arg *term) bool { return !domain.partial() || inside(arg, domain) }

// partial reports whether values of the type may be outside of the set, for all that its sort says.
func (s *set) partial() bool {
	if s.parts != nil {
		return slices.ContainsFunc(s.parts, (*set).partial)
	}
	return s.sort == nil
}

// function is a function by its values.
type function struct {
	at     func(arg *term) *term
	domain *set
	// except says which function this is but for some values; nil where that is not known.
	except *except
	// added says which function this is but for a value that is added; nil where it is not known.
	added *except
}

// except is a function with other values at some arguments.
type except struct {
	of      *term
	updates []update
}

// update is a value at a path of arguments and fields.
type update struct {
	path  []*term
	value *term
}

// choice is one of two values.
func (w *algebra) choice(cond *syntax.Expr, a, b *term) *term {
	switch {
	case build.IsTrue(cond) || a == b:
		return a
	case build.IsFalse(cond):
		return b
	}
	out := &term{typ: a.typ}
	switch {
	case a.typ.Kind() == types.Map && a.x != nil && b.x != nil:
		return w.of(a.typ, build.If(cond, a.x, b.x))
	case a.typ.Kind() == types.Map:
		f, g := a.fun, b.fun
		domain := either(w, cond, a.typ, f.domain, g.domain)
		out.fun = &function{domain: domain, at: func(arg *term) *term {
			return w.choice(cond, f.at(arg), g.at(arg))
		}}
	case a.typ.Kind() == types.Set && (a.x == nil || b.x == nil):
		s, t := w.set(a), w.set(b)
		out.set = &set{has: func(e *term) *syntax.Expr {
			return build.If(cond, s.has(e), t.has(e))
		}, each: func(all bool, name string, body func(*term) *syntax.Expr) *syntax.Expr {
			return build.If(cond, s.each(all, name, body), t.each(all, name, body))
		}}
		if s.value != nil && t.value != nil {
			out.set.value = func() *syntax.Expr { return build.If(cond, s.value(), t.value()) }
		}
	case len(a.parts) > 0 && len(a.parts) == len(b.parts) && slices.Equal(a.names, b.names):
		out.names = a.names
		for i := range a.parts {
			out.parts = append(out.parts, w.choice(cond, a.parts[i], b.parts[i]))
		}
	default:
		out.x = build.If(cond, w.expr(a), w.expr(b))
	}
	return out
}

// expr is the expression of a value.
func (w *algebra) expr(t *term) *syntax.Expr {
	switch {
	case t.x != nil:
		return t.x
	case t.text != "":
		return w.stringOf(t)
	case t.tag != nil:
		return w.tagOf(t)
	case t.injected != nil:
		return kinds{w}.injectedValue(t)
	case t.fun != nil:
		return mapOf(w, t)
	case t.view != nil:
		w.fail("a sequence that is written as a function is translated where its length or an " +
			"element is asked for")
	case t.selected != nil:
		w.fail("SelectSeq is translated where the elements are asked for, as in " +
			"{s[i] : i \\in DOMAIN s}, and not the positions")
	case t.set != nil:
		return w.setValue(t)
	case t.names != nil || t.typ.Kind() == types.Record:
		return w.recordValue(t)
	}
	var args []*syntax.Expr
	for _, p := range t.parts {
		args = append(args, w.expr(p))
	}
	return &syntax.Expr{Kind: syntax.ExprTuple, Args: args}
}

// part is a part of a tuple, by its number from 0.
func (w *algebra) part(t *term, i int) *term {
	if t.parts != nil {
		return t.parts[i]
	}
	if t.typ.Kind() != types.Tuple {
		w.fail("nothing tells that this is a tuple, so it is not translated")
	}
	x := build.Binary(syntax.ExprField, t.x, nil)
	x.Args = x.Args[:1]
	x.Name.Text = string(rune('1' + i))
	return w.of(t.typ.Parts()[i], x)
}

// of is the value of an expression.
func (w *algebra) of(t *types.Type, x *syntax.Expr) *term {
	if t = t.Root(); t.Kind() == types.Map {
		return mapped(w, t, x)
	}
	return &term{typ: t, x: x}
}

// equal is an equation.
func (w *algebra) equal(a, b *term) *syntax.Expr {
	switch {
	case a == b:
		return build.Truth(true)
	case a.text != "" && b.text != "":
		return build.Truth(a.text == b.text)
	case a.tag != nil && b.text != "":
		return w.tagged(a.tag, b.text)
	case b.tag != nil && a.text != "":
		return w.tagged(b.tag, a.text)
	}
	if unlike(a, b) {
		return kinds{w}.equalKinds(a, b)
	}
	switch a.typ.Kind() {
	case types.Sum:
		return kinds{w}.equalSums(a, b)
	case types.Bool:
		return build.Iff(w.expr(a), w.expr(b))
	case types.Map:
		if a.x != nil && b.x != nil {
			break
		}
		return equalFunctions(w, a, b)
	case types.Set:
		return w.equalSets(a, b)
	case types.Record, types.Tuple:
		if a.parts != nil && b.parts != nil {
			if !slices.Equal(a.names, b.names) {
				return build.Truth(false)
			}
			var all []*syntax.Expr
			for i := range a.parts {
				all = append(all, w.equal(a.parts[i], b.parts[i]))
			}
			return build.And(all...)
		}
	}
	return build.Equal(w.expr(a), w.expr(b))
}

// equalFunctions compares functions: where both are one function but for some values, at the
// arguments of these.
func equalFunctions(w *algebra, a, b *term) *syntax.Expr {
	of, points := a.changes()
	other, more := b.changes()
	if of == other {
		var all []*syntax.Expr
		for _, p := range append(points, more...) {
			all = append(all, build.Implies(a.fun.domain.has(p),
				w.equal(a.fun.at(p), b.fun.at(p))))
		}
		return build.And(all...)
	}
	if w.varies(a.typ) || w.varies(b.typ) {
		return equalDomains(w, a, b)
	}
	return a.fun.domain.each(true, "x", func(e *term) *syntax.Expr {
		return w.equal(a.fun.at(e), b.fun.at(e))
	})
}

// changes says which function this is but for some values, and at which arguments these are.
func (t *term) changes() (of *term, points []*term) {
	for of = t; of.fun.except != nil; of = of.fun.except.of {
		for _, u := range of.fun.except.updates {
			points = append(points, u.path[0])
		}
	}
	return of, points
}

func (w *algebra) equalSets(a, b *term) *syntax.Expr {
	s, t := w.set(a), w.set(b)
	if (a.x != nil || s.value != nil) && (b.x != nil || t.value != nil) {
		return build.Equal(w.expr(a), w.expr(b))
	}
	return sameElements(s, t)
}

func subset(s, t *set) *syntax.Expr { return s.each(true, "e", t.has) }
