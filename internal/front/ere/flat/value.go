package flat

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// value is a value of a type as its parts: expressions, and functions to expressions. Which fields
// are set depends on the form of its type. The functions may be called any number of times.
type value struct {
	typ  *typ
	expr *syntax.Expr // of a scalar, and the member of the enum of an enumeration

	fields map[string]*value // of a record

	// Of a variant: is it made by a constructor, and the fields of this one, which mean something
	// only then; it may be nil otherwise. Ctor is the constructor where it is known.
	made    func(c *ctor) *syntax.Expr
	payload func(c *ctor, field int) *value
	ctor    *ctor

	// Of a set, and of the keys of a map: is this an element; for all elements, or for one of them.
	has  func(e *value) *syntax.Expr
	each func(all bool, body func(e *value) *syntax.Expr) *syntax.Expr

	// Of a sequence: its size, and for all positions, or for one of them.
	size      *syntax.Expr
	positions func(all bool, body func(i *syntax.Expr) *syntax.Expr) *syntax.Expr
	item      func(i *syntax.Expr) *value // the element at a position that exists

	lookup func(key *value) *value // of a map, for a key that exists

	code *syntax.Expr // the code that the value of a collection was read from; nil for none

	// Of a sequence the range of its positions, of a set of positions the range of its elements;
	// nil where none is known.
	within *syntax.SortExpr

	depth int // how many changes of it are around one another

	// Of a union of sets: sets of which each element is in one, with their own types. The ranges of
	// their elements may differ.
	disjoint []*value
}

// values makes values and formulas about them.
type values struct {
	*typer
	span    diag.Span       // of the expression that is being lowered
	naming  string          // the user's name for the next variable over elements
	active  map[string]bool // variables that are bound around what is being lowered
	quorum  map[string]*quorum
	usual   map[string]string // by sort: the constant that stands where there is no value
	codes   map[string]*code  // by codeKey
	coded   []*code           // in their order
	waiting *waiting
	// recursive is set in the body of a recursive definition.
	recursive bool
	claims    bool          // what is being lowered is to be proved, and not assumed
	added     []syntax.Decl // that the flat declarations need
	// decode is the value of a code.
	decode func(c *code, x *syntax.Expr) *value
}

func scalarValue(t *typ, x *syntax.Expr) *value { return &value{typ: t, expr: x} }

// wider is a range of positions that has all positions of two; nil where none is known.
func wider(a, b *syntax.SortExpr) *syntax.SortExpr {
	switch {
	case a == b:
		return a
	case a == nil || b == nil || !sameText(a.Lo, b.Lo) || a.Hi.Kind != syntax.ExprInt ||
		b.Hi.Kind != syntax.ExprInt:
		return nil
	case a.Hi.Int.Cmp(b.Hi.Int) < 0:
		return b
	}
	return a
}

// enumerated is a value of an enumeration.
func enumerated(t *typ, x *syntax.Expr) *value {
	return &value{typ: t, expr: x, made: func(c *ctor) *syntax.Expr {
		return build.Equal(x, build.Ref(c.member))
	}}
}

// needing is a value that exists only if a condition is true.
func needing(w *waiting, cond *syntax.Expr, v *value) *value {
	if build.IsTrue(cond) {
		return v
	}
	out := mapped(w, v, v, func(a, _ *syntax.Expr) *syntax.Expr { return build.Needs(cond, a) })
	out.ctor = nil // a constructor that is known answers without the condition
	return out
}

// strict is a value that exists only if a part of it exists, whatever is asked about it. In the
// body of a recursive definition, which is repeated, what no value depends on is left out.
func strict(f *values, v, part *value) *value {
	if f.recursive || part.expr != nil && !build.MayLack(part.expr) {
		return v
	}
	has := f.waiting.formula(func() *syntax.Expr { return f.same(part, part) })
	if !build.MayLack(has) {
		return v
	}
	return needing(f.waiting, has, v)
}

// choice is one of two values.
func choice(w *waiting, c *syntax.Expr, a, b *value) *value {
	switch {
	case build.IsTrue(c):
		return a
	case build.IsFalse(c):
		return b
	}
	out := mapped(w, a, b, func(x, y *syntax.Expr) *syntax.Expr { return build.If(c, x, y) })
	if made := out.ctor; made != nil && build.MayLack(c) {
		// The condition is part of what is asked about the constructor, though it decides nothing.
		out.ctor = nil
		out.made = func(k *ctor) *syntax.Expr {
			is := build.Truth(made.is(k))
			return &syntax.Expr{Kind: syntax.ExprIf, Args: []*syntax.Expr{c, is, is}}
		}
	}
	return out
}

// made is a value that a constructor makes.
func made(t *typ, c *ctor, args []*value) *value {
	return &value{typ: t, ctor: c,
		made: func(other *ctor) *syntax.Expr { return build.Truth(c.is(other)) },
		payload: func(other *ctor, i int) *value {
			if !c.is(other) {
				return nil
			}
			return args[i]
		}}
}

// payload is a field of a constructor, and the usual value where another one made the value.
func (f *values) payload(v *value, c *ctor, i int) *value {
	if p := v.payload(c, i); p != nil {
		return p
	}
	return f.usualValue(c.parts[i])
}

// same is the equation of two values.
func (f *values) same(a, b *value) *syntax.Expr {
	t := a.typ.root()
	if t.form == unknown {
		t = b.typ.root()
	}
	if f.ended() {
		return build.Truth(true)
	}
	if a.code != nil && b.code != nil && codeKey(a.typ) == codeKey(b.typ) {
		return build.Equal(a.code, b.code)
	}
	switch t.form {
	case record:
		var parts []*syntax.Expr
		for _, name := range t.fields {
			parts = append(parts, f.same(a.fields[name], b.fields[name]))
		}
		return build.And(parts...)
	case variant:
		return f.sameVariant(t, a, b)
	case set:
		return f.sameElements(a, b)
	case mapping:
		return build.And(f.sameElements(a, b), a.each(true, func(k *value) *syntax.Expr {
			return f.same(a.lookup(k), b.lookup(k))
		}))
	case seq:
		if b.size.Kind == syntax.ExprInt {
			a, b = b, a // a number of positions needs no quantifier
		}
		return build.And(build.Equal(b.size, a.size), a.positions(true,
			func(i *syntax.Expr) *syntax.Expr {
				return f.same(a.item(i), b.item(i))
			}))
	}
	if t.name == "bool" {
		return build.Iff(a.expr, b.expr)
	}
	return build.Equal(a.expr, b.expr)
}

func (f *values) sameVariant(t *typ, a, b *value) *syntax.Expr {
	if t.enumeration() && a.expr != nil && b.expr != nil {
		return build.Equal(a.expr, b.expr)
	}
	if a.ctor == nil && b.ctor != nil {
		a, b = b, a
	}
	var cases []*syntax.Expr
	for _, c := range t.ctors {
		if build.IsFalse(a.made(c)) || build.IsFalse(b.made(c)) {
			continue
		}
		parts := []*syntax.Expr{a.made(c), b.made(c)}
		for i := range c.parts {
			parts = append(parts, f.same(f.payload(a, c, i), f.payload(b, c, i)))
		}
		cases = append(cases, build.And(parts...))
	}
	return build.Or(cases...)
}

// sameElements is the equation of two sets. It asks about the elements of the two only, since a
// type such as int has infinitely many, and one of the two may have numbers outside of a range.
func (f *values) sameElements(a, b *value) *syntax.Expr {
	part := a.typ.root().parts[0]
	if !hasNumbers(part) {
		return f.quantify(true, "e", part, func(e *value) *syntax.Expr {
			return build.Iff(a.has(e), b.has(e))
		})
	}
	return build.And(a.each(true, b.has), b.each(true, a.has))
}

// hasNumbers reports whether values of a type have numbers as parts.
func hasNumbers(t *typ) bool {
	t = t.root()
	if t.form == scalar {
		return t.name == "int"
	}
	for _, c := range t.ctors {
		if slices.ContainsFunc(c.parts, hasNumbers) {
			return true
		}
	}
	return t.form == unknown || slices.ContainsFunc(t.parts, hasNumbers)
}

// hasBounds reports whether values of a type have sequences with bounds.
func hasBounds(t *typ) bool {
	t = t.root()
	for _, c := range t.ctors {
		if slices.ContainsFunc(c.parts, hasBounds) {
			return true
		}
	}
	return t.form == seq && t.bound != nil || slices.ContainsFunc(t.parts, hasBounds)
}

// inRanges says that the numbers of a value lie in the ranges of a type.
func (f *values) inRanges(v *value, t *typ) *syntax.Expr {
	t = t.root()
	if !hasNumbers(t) && !hasBounds(t) || v.code != nil && codeKey(v.typ) == codeKey(t) {
		return build.Truth(true)
	}
	var parts []*syntax.Expr
	switch t.form {
	case set:
		return v.each(true, func(e *value) *syntax.Expr { return f.inRanges(e, t.parts[0]) })
	case mapping:
		return v.each(true, func(k *value) *syntax.Expr {
			return build.And(f.inRanges(k, t.parts[0]), f.inRanges(v.lookup(k), t.parts[1]))
		})
	case seq:
		if t.bound != nil {
			parts = append(parts, build.LessOrEqual(v.size, t.bound))
		}
		parts = append(parts, v.positions(true, func(i *syntax.Expr) *syntax.Expr {
			return f.inRanges(v.item(i), t.parts[0])
		}))
	case record:
		for i, name := range t.fields {
			parts = append(parts, f.inRanges(v.fields[name], t.parts[i]))
		}
	case variant:
		for _, c := range t.ctors {
			if build.IsFalse(v.made(c)) {
				continue
			}
			for i, p := range c.parts {
				parts = append(parts, build.Implies(v.made(c), f.inRanges(f.payload(v, c, i), p)))
			}
		}
	case scalar:
		lo, hi := f.ends(t.sort)
		if lo == nil || v.expr == nil {
			break
		}
		if l, h := f.ends(v.typ.root().sort); v.expr.Kind == syntax.ExprName && l != nil &&
			sameText(lo, l) && sameText(hi, h) {
			break // it is declared to lie there
		}
		parts = append(parts, build.LessOrEqual(lo, v.expr), build.LessOrEqual(v.expr, hi))
	}
	return build.And(parts...)
}

// bounded reports whether an instance has finitely many values of a type.
func (f *known) bounded(t *typ) bool {
	t = t.root()
	switch t.form {
	case scalar:
		return t.name != "int" || t.sort != nil && f.isRange(t.sort)
	case unknown:
		return false
	}
	for _, p := range t.parts {
		if !f.bounded(p) {
			return false
		}
	}
	for _, c := range t.ctors {
		for _, p := range c.parts {
			if !f.bounded(p) {
				return false
			}
		}
	}
	return true
}

// isRange reports whether a sort is a range, perhaps under another name.
func (f *known) isRange(s *syntax.SortExpr) bool {
	if d, ok := f.sorts[s.Name].(*syntax.TypeDecl); ok {
		return f.isRange(d.Sort)
	}
	return s.Data == nil && s.Name == ""
}

// quantify is a formula for all values of a type, or for one of them. A variant becomes a formula
// for each constructor.
func (f *values) quantify(
	all bool, name string, t *typ, body func(*value) *syntax.Expr,
) *syntax.Expr {
	t = t.root()
	if f.ended() {
		return build.Truth(true)
	}
	switch t.form {
	case record:
		return f.quantifyParts(all, name, t.fields, t.parts, func(parts []*value) *syntax.Expr {
			v := &value{typ: t, fields: map[string]*value{}}
			for i, p := range parts {
				v.fields[t.fields[i]] = p
			}
			return body(v)
		})
	case variant:
		if t.enumeration() {
			return f.quantifySort(all, name, t, &syntax.SortExpr{Name: t.enum}, body)
		}
		var cases []*syntax.Expr
		for _, c := range t.ctors {
			cases = append(cases, f.quantifyParts(all, name, c.fields, c.parts,
				func(parts []*value) *syntax.Expr { return body(made(t, c, parts)) }))
		}
		return f.both(all, cases...)
	case set, seq, mapping:
		c := f.codeOf(t)
		return f.quantifySort(all, name, c.typ, c.typ.sort, func(v *value) *syntax.Expr {
			return body(f.decode(c, v.expr))
		})
	}
	return f.quantifySort(all, name, t, t.sort, body)
}

func (f *values) quantifySort(
	all bool, name string, t *typ, s *syntax.SortExpr, body func(*value) *syntax.Expr,
) *syntax.Expr {
	name = f.variable(name)
	defer f.leave(name)
	b := &syntax.Binder{Name: syntax.Name{Text: name}, Sort: s}
	return build.Quantified(all, b, f.waiting.formula(func() *syntax.Expr {
		return body(atomOf(t, build.Ref(name)))
	}))
}

// atomOf is the value of an expression of a sort, or of an enumeration.
func atomOf(t *typ, x *syntax.Expr) *value {
	t = t.root()
	if t.form != variant {
		return scalarValue(t, x)
	}
	return enumerated(t, x)
}

// quantifyParts is a formula for all values of several types.
func (f *values) quantifyParts(
	all bool, name string, names []string, parts []*typ, body func([]*value) *syntax.Expr,
) *syntax.Expr {
	var next func(done []*value) *syntax.Expr
	next = func(done []*value) *syntax.Expr {
		i := len(done)
		if i == len(parts) {
			return body(done)
		}
		return f.quantify(all, name+"_"+names[i], parts[i], func(v *value) *syntax.Expr {
			return next(append(done[:i:i], v))
		})
	}
	return next(nil)
}
