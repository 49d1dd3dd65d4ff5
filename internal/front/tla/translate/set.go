package translate

import (
	"slices"

	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/types"
)

// set is what a value that is a set contains.
func (w *algebra) set(t *term) *set {
	if t.set != nil {
		return t.set
	}
	if t.typ.Kind() == types.Sum {
		t = kinds{w}.ofKind(t, types.Set)
	}
	x, elem := t.x, t.typ.Elem()
	return &set{finite: t.finite,
		has: func(e *term) *syntax.Expr { return build.Binary(syntax.ExprIn, w.expr(e), x) },
		each: func(all bool, name string, body func(*term) *syntax.Expr) *syntax.Expr {
			return w.quantify(all, name, &syntax.Binder{In: x}, elem, body)
		},
		value: func() *syntax.Expr { return x },
	}
}

// quantify is a formula about all values, or some, that a variable stands for.
func (w *algebra) quantify(
	all bool, name string, b *syntax.Binder, t *types.Type, body func(*term) *syntax.Expr,
) *syntax.Expr {
	if b.Name.Text == "" {
		b.Name.Text = w.variable(name)
	}
	b.Name.Span = w.span
	e := w.of(t, build.Ref(b.Name.Text))
	if b.Sort != nil && b.Sort.Lo != nil {
		e.low, e.high = b.Sort.Lo, b.Sort.Hi
	}
	x := body(e)
	if b.In != nil && (build.IsTrue(x) || build.IsFalse(x)) && all == build.IsFalse(x) {
		x = build.Equal(e.x, e.x) // the set may be empty
		if all {
			x = build.Not(x)
		}
	}
	return build.Quantified(all, b, x)
}

// setValue is the expression of a set: a comprehension where there is no other.
func (w *algebra) setValue(t *term) *syntax.Expr {
	if t.set.value != nil {
		return t.set.value()
	}
	elem := t.typ.Elem()
	name := w.variable("e")
	b := &syntax.Binder{Name: syntax.Name{Text: name, Span: w.span}, Sort: t.set.within}
	if b.Sort == nil {
		b.Sort = w.sort(elem)
	}
	x := build.Ref(name)
	return &syntax.Expr{Kind: syntax.ExprEach, Binders: []*syntax.Binder{b},
		Args: []*syntax.Expr{x, t.set.has(w.of(elem, x))}}
}

// whole is the set of all elements of a sort.
func (w *algebra) whole(t *types.Type, sort *syntax.SortExpr) *set {
	return &set{sort: sort, within: sort,
		has: func(*term) *syntax.Expr { return build.Truth(true) },
		each: func(all bool, name string, body func(*term) *syntax.Expr) *syntax.Expr {
			return w.quantify(all, name, &syntax.Binder{Sort: sort}, t, body)
		}}
}

// where is the set of the elements of a set with a condition.
func (w *algebra) where(s *set, cond func(*term) *syntax.Expr) *set {
	out := &set{within: s.within, base: s, finite: s.finite}
	out.has = func(e *term) *syntax.Expr {
		if inside(e, out) {
			return build.Truth(true)
		}
		return build.And(s.has(e), cond(e))
	}
	out.each = func(all bool, name string, body func(*term) *syntax.Expr) *syntax.Expr {
		return s.each(all, name, func(e *term) *syntax.Expr {
			member := *e
			member.from = out
			return build.Guarded(all, cond(e), body(&member))
		})
	}
	return out
}

// interval is the set of the numbers from one to another.
func (w *algebra) interval(t *types.Type, from, to *syntax.Expr) *set {
	whole := w.whole(t, &syntax.SortExpr{Name: "int"})
	s := w.where(whole, func(e *term) *syntax.Expr {
		x := w.expr(e)
		return build.And(build.LessOrEqual(from, x), build.LessOrEqual(x, to))
	})
	if w.fixed(from) && w.fixed(to) {
		s.sort = &syntax.SortExpr{Lo: from, Hi: to}
		s.within = s.sort
		s.each = w.whole(t, s.sort).each
	}
	return s
}

// distinct are the values among some that are written numbers and strings, each once; nil if there
// is any other one.
func distinct(elems []*term) []*term {
	out, seen := []*term{}, map[string]bool{}
	for _, e := range elems {
		key := "text " + e.text
		if e.x != nil && e.x.Kind == syntax.ExprInt {
			key = e.x.Int.String()
		} else if e.text == "" {
			return nil
		}
		if !seen[key] {
			seen[key], out = true, append(out, e)
		}
	}
	return out
}

// listed is the set of some values.
func (w *algebra) listed(elems []*term) *set {
	known := distinct(elems)
	if known != nil {
		elems = known
	}
	s := &set{finite: true, known: known,
		has: func(e *term) *syntax.Expr {
			var some []*syntax.Expr
			for _, x := range elems {
				some = append(some, w.equal(e, x))
			}
			return build.Or(some...)
		},
		each: func(all bool, _ string, body func(*term) *syntax.Expr) *syntax.Expr {
			var parts []*syntax.Expr
			for _, x := range elems {
				parts = append(parts, body(x))
			}
			if all {
				return build.And(parts...)
			}
			return build.Or(parts...)
		}}
	s.value = func() *syntax.Expr {
		x := &syntax.Expr{Kind: syntax.ExprSet}
		for _, e := range elems {
			x.Args = append(x.Args, w.expr(e))
		}
		return x
	}
	return s
}

// image is the set of what a function gives for the elements of a set.
func (w *algebra) image(s *set, of func(*term) *term) *set {
	return &set{finite: s.finite,
		has: func(e *term) *syntax.Expr {
			return s.each(false, "e", func(x *term) *syntax.Expr { return w.equal(e, of(x)) })
		},
		each: func(all bool, name string, body func(*term) *syntax.Expr) *syntax.Expr {
			return s.each(all, name, func(x *term) *syntax.Expr { return body(of(x)) })
		}}
}

// combined is a union, an intersection or a difference.
func (w *algebra) combined(kind syntax.ExprKind, a, b *term) *set {
	s, t := w.set(a), w.set(b)
	out := &set{}
	switch kind {
	case syntax.ExprUnion:
		if s.known != nil && t.known != nil {
			return w.listed(slices.Concat(s.known, t.known))
		}
		out.finite = s.finite && t.finite
		out.has = func(e *term) *syntax.Expr { return build.Or(s.has(e), t.has(e)) }
		out.each = func(all bool, n string, body func(*term) *syntax.Expr) *syntax.Expr {
			if all {
				return build.And(s.each(all, n, body), t.each(all, n, body))
			}
			return build.Or(s.each(all, n, body), t.each(all, n, body))
		}
	case syntax.ExprIntersect:
		out = w.where(s, t.has)
	default:
		out = w.where(s, func(e *term) *syntax.Expr { return build.Not(t.has(e)) })
	}
	valued := func(x *term, s *set) bool { return x.x != nil || s.value != nil }
	if valued(a, s) && valued(b, t) {
		out.value = func() *syntax.Expr { return build.Binary(kind, w.expr(a), w.expr(b)) }
	}
	return out
}

// product is the set of tuples, or of records with names, of the elements of sets.
func (w *algebra) product(t *types.Type, names []string, sets []*set, part func(*term, int) *term,
) *set {
	return &set{parts: sets,
		has: func(e *term) *syntax.Expr {
			var all []*syntax.Expr
			for i, s := range sets {
				all = append(all, s.has(part(e, i)))
			}
			return build.And(all...)
		},
		each: func(all bool, name string, body func(*term) *syntax.Expr) *syntax.Expr {
			var next func(done []*term) *syntax.Expr
			next = func(done []*term) *syntax.Expr {
				i := len(done)
				if i == len(sets) {
					return body(&term{typ: t, parts: done, names: names})
				}
				n := name
				if names != nil {
					n = names[i]
				}
				return sets[i].each(all, n, func(e *term) *syntax.Expr {
					return next(append(done[:i:i], e))
				})
			}
			return next(nil)
		}}
}

// subsets is the set of the subsets of a set.
func (w *algebra) subsets(t *types.Type, s *set) *set {
	return &set{
		has: func(e *term) *syntax.Expr { return subset(w.set(e), s) },
		each: func(all bool, name string, body func(*term) *syntax.Expr) *syntax.Expr {
			if s.known != nil && len(s.known) <= mostKnown && !w.choosing {
				return eachListed(w, all, t, s.known, body)
			}
			if !w.choosing || all { // a formula, or one within a choice
				w.fail("a formula about all subsets of a set is not translated")
			}
			b := &syntax.Binder{Sort: w.sort(t)}
			b.Name.Text = w.parameter(name)
			return w.quantify(false, name, b, t, func(e *term) *syntax.Expr {
				chosen := *e
				chosen.set = w.where(s, w.set(e).has)
				return build.And(subset(w.set(e), s), body(&chosen))
			})
		}}
}

// mostKnown is how many known elements a set has whose subsets are listed.
const mostKnown = 4

// eachListed is a formula about all sets of some elements, or about one of them.
func eachListed(
	w *algebra, all bool, t *types.Type, elems []*term, body func(*term) *syntax.Expr,
) *syntax.Expr {
	var parts []*syntax.Expr
	for choice := range 1 << len(elems) {
		var in []*term
		for i, e := range elems {
			if choice>>i&1 == 1 {
				in = append(in, e)
			}
		}
		parts = append(parts, body(&term{typ: t, set: w.listed(in)}))
	}
	if all {
		return build.And(parts...)
	}
	return build.Or(parts...)
}

// union is the union of the sets in a set.
func (w *algebra) union(s *set) *set {
	return &set{
		has: func(e *term) *syntax.Expr {
			return s.each(false, "s", func(x *term) *syntax.Expr { return w.set(x).has(e) })
		},
		each: func(all bool, name string, body func(*term) *syntax.Expr) *syntax.Expr {
			return s.each(all, "s", func(x *term) *syntax.Expr {
				return w.set(x).each(all, name, body)
			})
		}}
}

// functions is the set of the functions from one set to another.
func (w *algebra) functions(from, to *set) *set {
	return &set{
		has: func(f *term) *syntax.Expr {
			if f.typ.Kind() != types.Map {
				w.fail("a sequence as an element of a set of functions is not translated")
			}
			values := from.each(true, "x", func(x *term) *syntax.Expr {
				return to.has(w.apply(f, x))
			})
			if w.varies(f.typ) {
				return build.And(sameElements(f.fun.domain, from), values)
			}
			return values
		},
		each: func(bool, string, func(*term) *syntax.Expr) *syntax.Expr {
			w.refuse("a formula about all functions is not translated",
				"Choose a function in Init or in an action, with \\E f \\in [S -> T], or speak of "+
					"the values of one.")
			return nil
		}}
}

// sequences is the set of the sequences of the elements of a set.
func (w *algebra) sequences(t *types.Type, s *set) *set {
	return &set{
		has: func(q *term) *syntax.Expr {
			return w.quantify(true, "i", &syntax.Binder{In: build.Apply("positions", w.expr(q))},
				types.Integer(), func(i *term) *syntax.Expr { return s.has(w.at(q, i)) })
		},
		each: func(all bool, name string, body func(*term) *syntax.Expr) *syntax.Expr {
			return eachSequence(w, all, name, t, func(q *term) *syntax.Expr {
				return build.And(w.sequences(t, s).has(q), body(q))
			})
		}}
}
