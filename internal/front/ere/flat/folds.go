package flat

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// Sums, greatest and least values, and sizes in arithmetic become an ExprFold over all values of a
// type, of which a condition says which ones count. Only engines that explore instances compute it.

// choices are some values of the variables of a fold: the condition says which ones count.
type choices struct {
	binders []*syntax.Binder
	cond    *syntax.Expr
	value   *syntax.Expr
}

// foldOf is a fold over choices: their sum, or their greatest or least value, which must exist.
func (f *values) foldOf(name string, all []choices) *value {
	of := func(c choices) *syntax.Expr {
		return &syntax.Expr{Kind: syntax.ExprFold, Name: syntax.Name{Text: name},
			Binders: c.binders, Args: []*syntax.Expr{c.cond, c.value}}
	}
	if len(all) == 0 {
		return scalarValue(intType, build.Number(0))
	}
	out := of(all[0])
	some := existsIn(all[0])
	for _, c := range all[1:] {
		if name == "sum" {
			out = build.Binary(syntax.ExprAdd, out, of(c))
			continue
		}
		here, worse := existsIn(c), build.LessOrEqual(of(c), out)
		if name == "min" {
			worse = build.LessOrEqual(out, of(c))
		}
		out = build.If(build.And(some, build.Or(build.Not(here), worse)), out, of(c))
		some = build.Or(some, here)
	}
	v := scalarValue(intType, out)
	if name == "sum" {
		return v
	}
	return needing(f.waiting, some, v)
}

func existsIn(c choices) *syntax.Expr {
	out := c.cond
	for _, b := range slices.Backward(c.binders) {
		out = build.Quantified(false, b, out)
	}
	return out
}

// domain lists the values of a type, for each constructor. An integer without a range has its ends
// in the condition of the fold, which package check looks for.
func (f *values) domain(name string, t *typ, within *syntax.SortExpr) []typeForm {
	t = t.root()
	if t.form == scalar && within != nil {
		c := *t
		c.sort = within
		t = &c
	}
	if t.form == unknown {
		f.unknownCollection()
		return nil
	}
	return f.forms(name, t)
}

// members are the elements of a set or the keys of a map, with a value for each. All of them must
// lie in the ranges of their type.
func (f *values) members(
	s *value, of func(*value) *syntax.Expr,
) (all []choices, need *syntax.Expr) {
	if s.each == nil {
		f.unknownCollection()
		return nil, build.Truth(true)
	}
	if s.disjoint != nil {
		need = build.Truth(true)
		for _, p := range s.disjoint {
			more, inner := f.members(p, of)
			all, need = append(all, more...), build.And(need, inner)
		}
		return all, need
	}
	element := s.typ.root().parts[0]
	for _, form := range f.domain(f.nameFor("e"), element, s.within) {
		all = append(all, apart(f, choices{form.binders, s.has(form.value), of(form.value)})...)
		f.setActive(form, false)
	}
	return all, s.each(true, func(e *value) *syntax.Expr {
		if s.within != nil {
			return build.Truth(true) // positions
		}
		return f.inRanges(e, element)
	})
}

// mostApart is the number of members of an enum for each of which elements are counted apart.
const mostApart = 3

// apart counts what has a member of a small enum in it for each member apart: a size of pairs is
// one of first parts then, which proofs can compare with others.
func apart(f *values, c choices) (out []choices) {
	for i, b := range c.binders {
		if b.Sort == nil || len(c.binders) == 1 {
			continue
		}
		d, ok := f.sorts[b.Sort.Name].(*syntax.EnumDecl)
		if !ok || len(d.Members) > mostApart {
			continue
		}
		rest := slices.Delete(slices.Clone(c.binders), i, i+1)
		for _, m := range d.Members {
			member := build.Ref(m.Text)
			out = append(out, apart(f, choices{rest, put(c.cond, b.Name.Text, member),
				put(c.value, b.Name.Text, member)})...)
		}
		return out
	}
	return []choices{c}
}

// put is an expression with another one in the place of a name. What was lowered before may bind
// the name again.
func put(x *syntax.Expr, name string, by *syntax.Expr) *syntax.Expr {
	if x.Kind == syntax.ExprName && x.Name.Text == name && len(x.Args) == 0 {
		return by
	}
	if slices.ContainsFunc(x.Binders, func(b *syntax.Binder) bool { return b.Name.Text == name }) {
		return x
	}
	c := *x
	c.Args, c.Binders = nil, nil
	for _, a := range x.Args {
		c.Args = append(c.Args, put(a, name, by))
	}
	for _, b := range x.Binders {
		inner := *b
		if b.In != nil {
			inner.In = put(b.In, name, by)
		}
		c.Binders = append(c.Binders, &inner)
	}
	return &c
}

// sizeOfSet is the number of elements of a set, or of keys of a map.
func (f *values) sizeOfSet(s *value) *value {
	all, need := f.members(s, func(*value) *syntax.Expr { return build.Number(1) })
	return needing(f.waiting, need, f.foldOf("sum", all))
}

// sizeOfSort is the number of elements of a sort, or of members of an enum.
func (f *lowerer) sizeOfSort(x *syntax.Expr) *value {
	name := x.Args[0].Name.Text
	if d, ok := f.sorts[name].(*syntax.EnumDecl); ok {
		return scalarValue(intType, build.Number(int64(len(d.Members))))
	}
	t := f.typeAt(&syntax.SortExpr{Name: name, Span: x.Args[0].Span}, nil)
	var all []choices
	for _, form := range f.domain("e", t, nil) {
		all = append(all, choices{form.binders, build.Truth(true), build.Number(1)})
		f.setActive(form, false)
	}
	return f.foldOf("sum", all)
}

// isFold reports whether an expression is a sum, or a greatest or least element.
func (f *known) isFold(x *syntax.Expr) bool {
	name := x.Name.Text
	return x.Kind == syntax.ExprName && x.Applied && f.globals[name] == nil &&
		len(x.Args) == 1 && (name == "sum" || name == "min" || name == "max")
}

func inferFold(f *typer, x *syntax.Expr, env *scope) *typ {
	if len(x.Args) == 2 {
		return inferNumbers(f, x, env)
	}
	of := x.Args[0]
	if of.Kind == syntax.ExprMany {
		inner := f.bindAll(of.Binders, env)
		if len(of.Args) > 1 {
			f.want(of.Args[1], inner, boolType)
		}
		f.want(of.Args[0], inner, intType)
		f.typeOf[of] = intType
		return intType
	}
	switch t := f.infer(of, env).root(); {
	case t.form == set || t.form == seq, t.form == mapping && x.Name.Text == "sum":
		if part := t.parts[len(t.parts)-1]; !unify(part, intType) {
			f.errs.Errorf(diag.SortMismatch, of.Span, "'%s' is about numbers, and these are "+
				"values of type %s", x.Name.Text, part).
				Suggest("Say what is meant of each: %s(e.field for e in s).", x.Name.Text)
		}
	case t.form != unknown:
		f.errs.Errorf(diag.SortMismatch, of.Span, "'%s' is about a set or a sequence of numbers, "+
			"and this has type %s", x.Name.Text, t).
			Suggest("Write %s(e for x in s).", x.Name.Text)
	}
	return intType
}

// lowerFold lowers a sum, or a greatest or least value.
func (f *lowerer) lowerFold(x *syntax.Expr, e *env) *value {
	var all []choices
	need := build.Truth(true)
	if of := x.Args[0]; of.Kind == syntax.ExprMany {
		all, need = f.many(of, of.Binders, e, choices{cond: build.Truth(true)})
	} else {
		s := f.lower(of, e)
		switch {
		case s.typ.is(seq):
			all = f.eachPlace(s, func(i *syntax.Expr) *syntax.Expr { return s.item(i).expr })
		case s.typ.is(mapping):
			all, need = f.members(s, func(k *value) *syntax.Expr { return s.lookup(k).expr })
		default:
			all, need = f.members(s, func(e *value) *syntax.Expr { return e.expr })
		}
	}
	return needing(f.waiting, need, f.foldOf(x.Name.Text, all))
}

// eachPlace lists the positions of a sequence, with a value for each.
func (f *values) eachPlace(s *value, of func(i *syntax.Expr) *syntax.Expr) []choices {
	if s.within == nil {
		f.errs.Errorf(diag.Unsupported, f.span, "the positions of this sequence cannot be listed").
			Suggest("Take the elements of the sequences that it is made of.")
		return nil
	}
	name := f.variable("i")
	defer f.leave(name)
	return []choices{{[]*syntax.Binder{{Name: syntax.Name{Text: name}, Sort: s.within}},
		exists(s, build.Ref(name)), of(build.Ref(name))}}
}

// many are the values of an expression for some variables.
func (f *lowerer) many(
	x *syntax.Expr, bs []*syntax.Binder, e *env, so choices,
) (all []choices, need *syntax.Expr) {
	need = build.Truth(true)
	if len(bs) == 0 {
		if len(x.Args) > 1 {
			so.cond = build.And(so.cond, f.lowerExpr(x.Args[1], e))
		}
		mark := f.waiting.mark()
		so.value = f.lowerExpr(x.Args[0], e)
		f.waiting.ended(mark, variables(namesOf(so.binders)...))
		return []choices{so}, need
	}
	b := bs[0]
	rest := func(binders []*syntax.Binder, cond *syntax.Expr, v *value) {
		next := choices{binders: append(slices.Clip(so.binders), binders...),
			cond: build.And(so.cond, cond)}
		more, inner := f.many(x, bs[1:], e.with(b.Name.Text, v), next)
		all = append(all, more...)
		if build.IsTrue(inner) {
			return
		}
		inner = build.Implies(cond, inner)
		for _, c := range slices.Backward(binders) {
			inner = build.Quantified(true, c, inner)
		}
		need = build.And(need, inner)
	}
	if b.In == nil {
		for _, form := range f.domain(b.Name.Text, f.binderType(b), nil) {
			rest(form.binders, build.Truth(true), form.value)
			f.setActive(form, false)
		}
		return all, need
	}
	s := f.lower(b.In, e)
	if s.typ.is(seq) {
		for _, c := range f.eachPlace(s, func(i *syntax.Expr) *syntax.Expr { return i }) {
			f.active[c.binders[0].Name.Text] = true
			rest(c.binders, c.cond, s.item(c.value))
			f.leave(c.binders[0].Name.Text)
		}
		return all, need
	}
	_, need = f.members(s, func(*value) *syntax.Expr { return build.Number(0) })
	parts := s.disjoint
	if parts == nil {
		parts = []*value{s}
	}
	for _, p := range parts {
		for _, form := range f.domain(b.Name.Text, p.typ.root().parts[0], p.within) {
			rest(form.binders, p.has(form.value), form.value)
			f.setActive(form, false)
		}
	}
	return all, need
}
