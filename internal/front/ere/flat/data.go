package flat

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// nameFor is the name of a variable over elements: the user's, where there is one.
func (f *values) nameFor(usual string) string {
	if name := f.naming; name != "" {
		f.naming = ""
		return name
	}
	return usual
}

// contains says that a value is an element of a set or sequence, or a key of a map.
func (f *values) contains(s, e *value) *syntax.Expr {
	if s.typ.is(seq) {
		return s.positions(false, func(i *syntax.Expr) *syntax.Expr {
			return f.same(s.item(i), e)
		})
	}
	if s.has == nil {
		f.unknownCollection()
		return build.Truth(true)
	}
	return s.has(e)
}

// unknownCollection reports a name of which nothing is known in the place of a collection.
func (f *values) unknownCollection() {
	f.errs.Errorf(diag.SortMismatch, f.span, "a set, a sequence or a map is expected, and the "+
		"type of this is not known")
}

// setValue is a set of which a formula says what it contains. Without each, a quantifier over the
// elements is one over all values of their type.
func (f *values) setValue(
	t *typ, has func(*value) *syntax.Expr,
	each func(all bool, body func(*value) *syntax.Expr) *syntax.Expr,
) *value {
	if each == nil {
		each = func(all bool, body func(*value) *syntax.Expr) *syntax.Expr {
			return f.quantify(all, f.nameFor("e"), t.root().parts[0], func(e *value) *syntax.Expr {
				return build.Guarded(all, has(e), body(e))
			})
		}
	}
	return &value{typ: t, has: has, each: each}
}

func (f *values) literalSet(t *typ, elems []*value) *value {
	return f.setValue(t,
		func(e *value) *syntax.Expr {
			var cases []*syntax.Expr
			for _, x := range elems {
				cases = append(cases, f.same(e, x))
			}
			return build.Or(cases...)
		},
		func(all bool, body func(*value) *syntax.Expr) *syntax.Expr {
			var parts []*syntax.Expr
			for _, x := range elems {
				parts = append(parts, body(x))
			}
			return f.both(all, parts...)
		})
}

// both is a conjunction for a universal quantifier, and a disjunction for an existential one. As
// with a quantifier, all parts must have a value, also the ones behind the part that decides.
func (f *values) both(all bool, parts ...*syntax.Expr) *syntax.Expr {
	kind, quantifier := syntax.ExprOr, syntax.ExprExists
	if all {
		kind, quantifier = syntax.ExprAnd, syntax.ExprForall
	}
	if len(parts) == 0 || !slices.ContainsFunc(parts[1:], build.MayLack) {
		return build.Junction(kind, parts...)
	}
	// For all values of a bool, or for one, the part that belongs to it: package check makes a
	// junction of it once it has said what has a value.
	name := f.variable("part")
	defer f.leave(name)
	b := &syntax.Binder{Name: syntax.Name{Text: name}, Sort: &syntax.SortExpr{Name: "bool"}}
	cases := &syntax.Expr{Kind: syntax.ExprIf,
		Args: []*syntax.Expr{build.Ref(name), parts[0], f.both(all, parts[1:]...)}}
	return &syntax.Expr{Kind: quantifier, Binders: []*syntax.Binder{b}, Parens: true,
		Args: []*syntax.Expr{cases}}
}

// combine is the union, the intersection or the difference of two sets.
func (f *values) combine(kind syntax.ExprKind, t *typ, a, b *value) *value {
	switch kind {
	case syntax.ExprUnion:
		out := f.setValue(t,
			func(e *value) *syntax.Expr { return build.Or(a.has(e), b.has(e)) },
			func(all bool, body func(*value) *syntax.Expr) *syntax.Expr {
				return f.both(all, a.each(all, body), b.each(all, body))
			})
		if a.typ.is(set) && b.typ.is(set) {
			out.disjoint = a.disjoint
			if out.disjoint == nil {
				out.disjoint = []*value{a}
			}
			parts := b.disjoint
			if parts == nil {
				parts = []*value{b}
			}
			for _, p := range parts {
				out.disjoint = append(slices.Clip(out.disjoint),
					f.combine(syntax.ExprMinus, p.typ, p, a))
			}
		}
		return out
	case syntax.ExprIntersect:
		return f.setValue(t,
			func(e *value) *syntax.Expr { return build.And(a.has(e), b.has(e)) },
			func(all bool, body func(*value) *syntax.Expr) *syntax.Expr {
				return a.each(all, func(e *value) *syntax.Expr {
					return build.Guarded(all, b.has(e), body(e))
				})
			})
	}
	return f.setValue(t,
		func(e *value) *syntax.Expr { return build.And(a.has(e), build.Not(b.has(e))) },
		func(all bool, body func(*value) *syntax.Expr) *syntax.Expr {
			return a.each(all, func(e *value) *syntax.Expr {
				return build.Guarded(all, build.Not(b.has(e)), body(e))
			})
		})
}

// comprehension is {e for x in s if c}. Where e is the only variable, what is in the set is said
// without a quantifier.
func (f *lowerer) comprehension(x *syntax.Expr, t *typ, e *env) *value {
	over := func(all bool, body func(*value) *syntax.Expr) *syntax.Expr {
		return f.lowerQuantifier(all, x.Binders, e, func(inner *env) *syntax.Expr {
			cond := build.Truth(true)
			if len(x.Args) > 1 {
				cond = f.lowerExpr(x.Args[1], inner)
			}
			return build.Guarded(all, cond, body(f.lower(x.Args[0], inner)))
		})
	}
	if b := x.Binders[0]; len(x.Binders) == 1 && x.Args[0].Kind == syntax.ExprName &&
		x.Args[0].Name.Text == b.Name.Text && (b.In == nil || !f.typeOf[b.In].is(seq)) {
		return f.setValue(t, func(v *value) *syntax.Expr {
			in, cond := f.inRanges(v, f.binderType(b)), build.Truth(true)
			if b.In != nil {
				in = f.lower(b.In, e).has(v)
			}
			if len(x.Args) > 1 {
				cond = f.lowerExpr(x.Args[1], e.with(b.Name.Text, v))
			}
			return build.And(in, cond)
		}, over)
	}
	return f.setValue(t, func(v *value) *syntax.Expr {
		return over(false, func(w *value) *syntax.Expr { return f.same(v, w) })
	}, over)
}

// mapComprehension is [k: e for k in s if c].
func (f *lowerer) mapComprehension(x *syntax.Expr, t *typ, e *env) *value {
	b := x.Binders[0]
	keys := &syntax.Expr{Kind: syntax.ExprEach, Span: x.Span, Binders: x.Binders,
		Args: append([]*syntax.Expr{x.Args[0]}, x.Args[2:]...)}
	s := f.comprehension(keys, setOf(t.parts[0]), e)
	return &value{typ: t, has: s.has, each: s.each, lookup: func(k *value) *value {
		return f.lower(x.Args[1], e.with(b.Name.Text, k))
	}}
}

// ends are the ends of a range, nil for another sort.
func (f *known) ends(s *syntax.SortExpr) (lo, hi *syntax.Expr) {
	if s == nil {
		return nil, nil
	}
	if d, ok := f.sorts[s.Name].(*syntax.TypeDecl); ok {
		return f.ends(d.Sort)
	}
	return s.Lo, s.Hi
}

// without takes an element from a set, or a key from a map.
func (f *values) without(t *typ, s, e *value) *value {
	has := func(x *value) *syntax.Expr { return build.And(s.has(x), build.Not(f.same(x, e))) }
	each := func(all bool, body func(*value) *syntax.Expr) *syntax.Expr {
		return s.each(all, func(x *value) *syntax.Expr {
			return build.Guarded(all, build.Not(f.same(x, e)), body(x))
		})
	}
	return strict(f, &value{typ: t, has: has, each: each, lookup: s.lookup}, e)
}

// lowerWith adds an element to a set, changes fields of a record, or entries of a map or sequence.
func (f *lowerer) lowerWith(x *syntax.Expr, t *typ, e *env) *value {
	v := f.lower(x.Args[0], e)
	change := x.Args[1]
	switch t.form {
	case record:
		out := &value{typ: t, fields: map[string]*value{}}
		for _, name := range t.fields {
			out.fields[name] = v.fields[name]
		}
		for i, a := range change.Args {
			out.fields[change.Fields[i].Text] = f.lower(a, e)
		}
		return out
	case seq:
		args := f.lowerAll(change.Args, e)
		for i := 0; i < len(args); i += 2 {
			v = f.replaced(t, v, args[i].expr, args[i+1])
		}
		return v
	case mapping:
		return f.overridden(t, v, f.lower(change, e))
	}
	elem := f.lower(change, e)
	out := f.combine(syntax.ExprUnion, t, v, f.literalSet(t, []*value{elem}))
	return strict(f.values, out, elem)
}

// replaced is a sequence with another element at a position, which must exist.
func (f *values) replaced(t *typ, s *value, i *syntax.Expr, e *value) *value {
	out := *s
	out.typ = t
	out.item = func(k *syntax.Expr) *value {
		return choice(f.waiting, build.Equal(k, i), e, s.item(k))
	}
	return needing(f.waiting, exists(s, i), &out)
}

// exists says that a sequence has a position.
func exists(s *value, i *syntax.Expr) *syntax.Expr {
	return build.And(build.LessOrEqual(build.Number(1), i), build.LessOrEqual(i, s.size))
}

// overridden is a map with the entries of another one.
func (f *values) overridden(t *typ, m, with *value) *value {
	keys := f.combine(syntax.ExprUnion, setOf(t.parts[0]), m, with)
	return &value{typ: t, has: keys.has, each: keys.each, lookup: func(k *value) *value {
		return choice(f.waiting, with.has(k), with.lookup(k), m.lookup(k))
	}}
}

func (f *values) literalMap(t *typ, args []*value) *value {
	var keys, values []*value
	for i := 0; i < len(args); i += 2 {
		keys, values = append(keys, args[i]), append(values, args[i+1])
	}
	s := f.literalSet(setOf(t.parts[0]), keys)
	return &value{typ: t, has: s.has, each: s.each, lookup: func(k *value) *value {
		if len(values) == 0 {
			return f.usualValue(t.parts[1])
		}
		out := values[0]
		for i := 1; i < len(values); i++ {
			out = choice(f.waiting, f.same(k, keys[i]), values[i], out)
		}
		return out
	}}
}

func (f *values) literalSeq(t *typ, elems []*value) *value {
	last := build.Number(int64(len(elems)))
	return &value{typ: t, size: last, within: &syntax.SortExpr{Lo: build.Number(1), Hi: last},
		positions: func(all bool, body func(*syntax.Expr) *syntax.Expr) *syntax.Expr {
			var parts []*syntax.Expr
			for i := range elems {
				parts = append(parts, body(build.Number(int64(i+1))))
			}
			return f.both(all, parts...)
		},
		item: func(i *syntax.Expr) *value {
			if len(elems) == 0 {
				return f.usualValue(t.parts[0])
			}
			out := elems[len(elems)-1]
			for k := len(elems) - 2; k >= 0; k-- {
				out = choice(f.waiting, build.Equal(i, build.Number(int64(k+1))), elems[k], out)
			}
			return out
		}}
}

// fieldOf is a field of a record, or of a variant, of which some constructor must have it.
func (f *lowerer) fieldOf(v *value, x *syntax.Expr) *value {
	if v.typ.is(record) {
		return v.fields[x.Name.Text]
	}
	var out *value
	var cases []*syntax.Expr
	for _, c := range v.typ.root().ctors {
		for i, name := range c.fields {
			if name != x.Name.Text || build.IsFalse(v.made(c)) {
				continue
			}
			if cases = append(cases, v.made(c)); out == nil {
				out = f.payload(v, c, i)
			} else {
				out = choice(f.waiting, v.made(c), f.payload(v, c, i), out)
			}
		}
	}
	if out == nil { // the constructor is known, and has no such field
		out = f.usualValue(f.typeOf[x])
	}
	return needing(f.waiting, build.Or(cases...), out)
}

// elementAt is the element of a sequence at a position, or the value that a map has for a key.
func (f *values) elementAt(s, i *value) *value {
	if s.typ.is(mapping) {
		return needing(f.waiting, s.has(i), s.lookup(i))
	}
	return needing(f.waiting, exists(s, i.expr), s.item(i.expr))
}
