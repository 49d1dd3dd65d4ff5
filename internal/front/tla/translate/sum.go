package translate

import (
	"context"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/types"
)

// A value that is of several kinds is of a variant, with a constructor for each kind. A value
// becomes one of a sum where it is needed, and is taken out of it where its kind is.

// kinds are the operations on values of sums.
type kinds struct{ *algebra }

// sum is how the values of a sum are made, by its alternatives.
type sum struct {
	sort  string
	cases []*sumCase
}

type sumCase struct {
	typ         *types.Type
	maker, part string
}

// injected is a value that has become one of a sum.
type injected struct {
	by *sumCase
	of *term
}

// typing finds types: by sums only if there are none without them.
func typing(
	ctx context.Context, m *core.Model, needed []core.Node, errs *diag.List,
) *types.Typing {
	missing := func(t *types.Typing, failed *diag.List) (all int) {
		if failed.Err() != nil {
			return len(m.Assumptions) + len(m.Invariants) + 1
		}
		for _, n := range append(nodesOf(m.Assumptions), nodesOf(m.Invariants)...) {
			if t.Add(n).Err() != nil {
				all++
			}
		}
		return all
	}
	failed, others := &diag.List{}, &diag.List{}
	plain := missing(types.Infer(ctx, m, needed, failed), failed)
	if plain > 0 {
		assumed := nodesOf(m.Assumptions)
		if missing(types.InferSums(ctx, m, needed, assumed, others), others) < plain {
			return types.InferSums(ctx, m, needed, assumed, errs)
		}
	}
	return types.Infer(ctx, m, needed, errs)
}

// kindNames name the alternatives of a sum.
var kindNames = map[types.Kind]string{types.Bool: "boolean", types.Int: "number",
	types.Element: "element", types.Set: "set", types.Map: "function", types.Sequence: "sequence",
	types.Tuple: "tuple", types.Record: "record"}

// sumOf is how the values of a sum are made; its variant is declared at the first use.
func (w *declarer) sumOf(t *types.Type) *sum {
	t = t.Root()
	if s := w.sums[t]; s != nil {
		return s
	}
	for u, s := range w.sums {
		if u.Alike(t) {
			return s
		}
	}
	w.noNumbers(t)
	s := &sum{}
	w.sums[t] = s
	d := &syntax.TypeDecl{Span: w.span}
	data := &syntax.DataType{Form: syntax.VariantType}
	for _, a := range t.Alternatives() {
		name := kindNames[a.Kind()]
		c := &sumCase{typ: a, maker: w.name("of_" + name), part: name}
		s.cases = append(s.cases, c)
		made := &syntax.Case{Name: syntax.Name{Text: c.maker, Span: w.span}}
		if a.Kind() != types.Tuple || len(a.Parts()) > 0 { // there is only one empty tuple
			made.Fields = []syntax.Name{{Text: c.part, Span: w.span}}
			made.Parts = []*syntax.SortExpr{w.sort(a)}
		}
		data.Cases = append(data.Cases, made)
	}
	s.sort = w.name("either")
	d.Name = syntax.Name{Text: s.sort, Span: w.span}
	d.Sort = &syntax.SortExpr{Data: data, Span: w.span}
	w.decls = append(w.decls, d)
	return s
}

// noNumbers fails if an element of a sum may be one of its numbers or truth values: a constant that
// is compared with numbers is probably one, and only an assumption can tell that it is none.
func (w *declarer) noNumbers(t *types.Type) {
	var elements *class
	numbers := false
	for _, a := range t.Alternatives() {
		switch a.Kind() {
		case types.Element:
			elements = w.class(a)
		case types.Int, types.Bool:
			numbers = true
		}
	}
	if !numbers || elements == nil || elements.enumerated() {
		return
	}
	if w.span.IsZero() {
		w.span = w.model.Init.Span()
	}
	for _, name := range slices.Concat(elements.single, elements.sets) {
		if !slices.ContainsFunc(w.model.Assumptions, func(c *core.Claim) bool {
			return slices.ContainsFunc(conjuncts(c.Node), func(n core.Node) bool {
				return excludesNumbers(n, name)
			})
		}) {
			w.fail("nothing tells whether the constant %[1]s is a number, or has numbers in it: "+
				"an assumption tells, as %[1]s \\notin Int or \\A v \\in %[1]s : v \\notin Int",
				name)
		}
	}
	if elements.chosen > 0 || elements.loose {
		w.fail("nothing tells whether a value that may be an element or a number is both")
	}
}

// excludesNumbers reports whether a formula says that a constant is no number, or has none in it.
func excludesNumbers(n core.Node, constant string) bool {
	is := func(n core.Node) bool {
		p, ok := core.Strip(n).(*core.Parameter)
		return ok && p.Name == constant
	}
	n = core.Strip(n)
	if q, ok := n.(*core.Quantified); ok && q.All && len(q.Bindings) == 1 && is(q.Bindings[0].Set) {
		slot := q.Bindings[0].Slots[0]
		is = func(n core.Node) bool { return isSlot(n, slot) }
		n = core.Strip(q.Body)
	}
	not, ok := n.(*core.Not)
	if !ok {
		return false
	}
	in, ok := core.Strip(not.Arg).(*core.In)
	if !ok || !is(in.Elem) {
		return false
	}
	l, ok := core.Strip(in.Set).(*core.Literal)
	return ok && l.Value.String() == "Int"
}

// likely is the alternative of the kind of a type, whose parts may be of other types.
func (s *sum) likely(t *types.Type) *sumCase {
	for _, c := range s.cases {
		if c.typ.Kind() == t.Kind() &&
			(t.Kind() != types.Tuple || len(c.typ.Parts()) == len(t.Parts())) {
			return c
		}
	}
	return nil
}

// isCase says that a value of a sum is of an alternative.
func (w kinds) isCase(t *term, c *sumCase) *syntax.Expr {
	if t.injected != nil {
		return build.Truth(t.injected.by == c)
	}
	return &syntax.Expr{Kind: syntax.ExprIs, Args: []*syntax.Expr{w.expr(t)},
		Name: syntax.Name{Text: c.maker, Span: w.span}}
}

// outOf is the value of an alternative that a value of a sum is. It has none if it is another one.
func (w kinds) outOf(t *term, c *sumCase) *term {
	if t.injected != nil && t.injected.by == c {
		return t.injected.of
	}
	if c.typ.Kind() == types.Tuple && len(c.typ.Parts()) == 0 {
		return &term{typ: c.typ, parts: []*term{}}
	}
	return w.of(c.typ, &syntax.Expr{Kind: syntax.ExprField, Args: []*syntax.Expr{w.expr(t)},
		Name: syntax.Name{Text: c.part, Span: w.span}})
}

// injectedValue is the expression of a value that has become one of a sum.
func (w kinds) injectedValue(t *term) *syntax.Expr {
	if c := t.injected.by; c.typ.Kind() != types.Tuple || len(c.typ.Parts()) > 0 {
		return build.Apply(c.maker, w.expr(t.injected.of))
	}
	return build.Ref(t.injected.by.maker)
}

// as is a value as one of another type, which is needed where it stands.
func (w kinds) as(t *term, to *types.Type) *term {
	from := t.typ.Root()
	if to == nil || from.Alike(to) {
		return t
	}
	switch {
	case from.Kind() == types.Sum:
		s := w.sumOf(from)
		if to.Kind() != types.Sum {
			c := s.likely(to)
			if c == nil {
				w.fail("%s is needed here, and this is %s", to, from)
			}
			return w.as(w.outOf(t, c), to)
		}
		if t.injected != nil {
			return w.as(t.injected.of, to)
		}
		var out *term
		for _, c := range slices.Backward(s.cases) {
			if w.sumOf(to).likely(c.typ) == nil {
				continue // then there is no value
			}
			x := w.as(w.outOf(t, c), to)
			if out == nil {
				out = x
			} else {
				out = w.choice(w.isCase(t, c), x, out)
			}
		}
		if out == nil {
			w.fail("%s is needed here, and this is %s", to, from)
		}
		return out
	case to.Kind() == types.Sum:
		c := w.sumOf(to).likely(from)
		if c == nil {
			w.fail("%s is needed here, and this is %s", to, from)
		}
		return &term{typ: to, injected: &injected{c, w.as(t, c.typ)}}
	}
	return w.partsAs(t, to)
}

// partsAs is a value whose parts are needed as ones of other types.
func (w kinds) partsAs(t *term, to *types.Type) *term {
	from := t.typ.Root()
	switch {
	case from.Kind() == types.Set && to.Kind() == types.Set:
		s := w.set(t)
		out := &set{finite: s.finite, has: func(e *term) *syntax.Expr {
			fits := w.fits(e, from.Elem())
			if build.IsFalse(fits) {
				return fits
			}
			return build.And(fits, s.has(w.as(e, from.Elem())))
		}, each: func(all bool, name string, body func(*term) *syntax.Expr) *syntax.Expr {
			return s.each(all, name, func(e *term) *syntax.Expr {
				return body(w.as(e, to.Elem()))
			})
		}}
		return &term{typ: to, set: out}
	case from.Kind() == types.Map && to.Kind() == types.Map:
		if !from.Key().Same(to.Key()) {
			break
		}
		if w.varies(from) && !w.varies(to) {
			break
		}
		return &term{typ: to, fun: &function{domain: t.fun.domain, at: func(arg *term) *term {
			return w.as(t.fun.at(arg), to.Elem())
		}}}
	case from.Kind() == types.Tuple && to.Kind() == types.Tuple &&
		len(from.Parts()) == len(to.Parts()):
		out := &term{typ: to, parts: []*term{}}
		for i, p := range to.Parts() {
			out.parts = append(out.parts, w.as(w.part(t, i), p.Root()))
		}
		return out
	}
	w.fail("%s is needed here, and this is %s", to, from)
	return nil
}

// fits says that a value is one of another type.
func (w kinds) fits(t *term, to *types.Type) *syntax.Expr {
	from := t.typ.Root()
	switch {
	case from.Alike(to):
	case from.Kind() == types.Sum:
		s := w.sumOf(from)
		var some []*syntax.Expr
		for _, c := range s.cases {
			if to.Kind() == types.Sum {
				if w.sumOf(to).likely(c.typ) == nil {
					continue
				}
			} else if s.likely(to) != c {
				continue
			}
			is := w.isCase(t, c)
			if !build.IsFalse(is) {
				is = build.And(is, w.fits(w.outOf(t, c), to))
			}
			some = append(some, is)
		}
		return build.Or(some...)
	case to.Kind() == types.Sum:
		c := w.sumOf(to).likely(from)
		if c == nil {
			return build.Truth(false)
		}
		return w.fits(t, c.typ)
	case from.Kind() == types.Tuple && to.Kind() == types.Tuple:
		var all []*syntax.Expr
		for i, p := range to.Parts() {
			all = append(all, w.fits(w.part(t, i), p.Root()))
		}
		return build.And(all...)
	case from.Kind() == types.Set && to.Kind() == types.Set:
		return w.set(t).each(true, "e", func(e *term) *syntax.Expr {
			return w.fits(e, to.Elem())
		})
	case from.Kind() != to.Kind():
		return build.Truth(false)
	default:
		w.fail("%s is needed here, and this is %s", to, from)
	}
	return build.Truth(true)
}

// unlike reports whether two values are of types that differ, so that one kind at least is another
// one or may be.
func unlike(a, b *term) bool { return !a.typ.Alike(b.typ) }

// equalKinds compares values of types of which at least one is a sum, or has parts that are.
func (w kinds) equalKinds(a, b *term) *syntax.Expr {
	switch ka, kb := a.typ.Kind(), b.typ.Kind(); {
	case ka == types.Sum && kb == types.Sum:
		return w.equalSums(a, b)
	case kb == types.Sum:
		return w.equalKinds(b, a)
	case ka == types.Sum:
		c := w.sumOf(a.typ).likely(b.typ)
		if c == nil {
			return build.Truth(false)
		}
		return build.And(w.isCase(a, c), w.equal(w.outOf(a, c), b))
	case ka == types.Set && kb == types.Set:
		within := func(a, b *term) *syntax.Expr {
			return w.set(a).each(true, "e", func(e *term) *syntax.Expr { return w.in(e, b) })
		}
		return build.And(within(a, b), within(b, a))
	case ka == types.Map && kb == types.Map && a.typ.Key().Same(b.typ.Key()):
		return equalFunctions(w.algebra, a, b)
	case ka == types.Tuple && kb == types.Tuple && len(a.typ.Parts()) == len(b.typ.Parts()):
		var all []*syntax.Expr
		for i := range a.typ.Parts() {
			all = append(all, w.equal(w.part(a, i), w.part(b, i)))
		}
		return build.And(all...)
	case ka != kb || ka == types.Tuple:
		return build.Truth(false)
	}
	w.fail("%s is compared with %s, which is not translated", a.typ, b.typ)
	return nil
}

// equalSums compares values of sums.
func (w kinds) equalSums(a, b *term) *syntax.Expr {
	if !unlike(a, b) && a.injected == nil && b.injected == nil {
		return build.Equal(w.expr(a), w.expr(b))
	}
	var some []*syntax.Expr
	for _, c := range w.sumOf(a.typ).cases {
		d := w.sumOf(b.typ).likely(c.typ)
		if d == nil {
			continue
		}
		is, too := w.isCase(a, c), w.isCase(b, d)
		if build.IsFalse(is) || build.IsFalse(too) {
			continue
		}
		some = append(some, build.And(is, too, w.equal(w.outOf(a, c), w.outOf(b, d))))
	}
	return build.Or(some...)
}

// in says that a value is in a set.
func (w kinds) in(e, s *term) *syntax.Expr {
	if !e.typ.Alike(s.typ.Elem()) {
		s = w.partsAs(s, types.SetOf(e.typ))
	}
	return w.set(s).has(e)
}

// ofKind is the value that a value of a sum is if it is of a kind.
func (w kinds) ofKind(t *term, k types.Kind) *term {
	for _, c := range w.sumOf(t.typ).cases {
		if c.typ.Kind() == k {
			return w.outOf(t, c)
		}
	}
	w.fail("a %s is needed here, and this is %s", kindNames[k], t.typ)
	return nil
}

// functional is a value to which an argument is applied: of a sum the alternative that can have it.
func (w kinds) functional(f, arg *term) *term {
	if f.typ.Kind() != types.Sum {
		return f
	}
	for _, c := range w.sumOf(f.typ).cases {
		if c.takes(arg) {
			return w.outOf(f, c)
		}
	}
	w.fail("nothing tells what this function is, so it is not translated")
	return nil
}

func (c *sumCase) takes(arg *term) bool {
	switch c.typ.Kind() {
	case types.Record:
		return arg.text != "" && slices.Contains(c.typ.Fields(), arg.text)
	case types.Tuple:
		return arg.x != nil && arg.x.Kind == syntax.ExprInt && arg.x.Int.Sign() > 0 &&
			arg.x.Int.Int64() <= int64(len(c.typ.Parts()))
	case types.Sequence, types.Map:
		return true
	}
	return false
}

// apart are the premises that elements are of no other kind, where they are alternatives of sums.
func (w *writer) apart() (out []string) {
	others := map[*class][]string{}
	for t := range w.sums {
		for _, a := range t.Alternatives() {
			if a.Kind() != types.Element || w.class(a).enumerated() {
				continue
			}
			c := w.class(a)
			for _, o := range t.Alternatives() {
				if k := kindNames[o.Kind()]; o != a && !slices.Contains(others[c], k) {
					others[c] = append(others[c], k)
				}
			}
			for _, name := range w.elementConstants() {
				if w.constants[name].typ.Same(a) {
					out = append(out, name)
				}
			}
		}
	}
	names := slices.Compact(slices.Sorted(slices.Values(out)))
	out = nil
	for c, of := range others {
		slices.Sort(of)
		for _, s := range c.sets {
			out = append(out, "no element of "+s+" is a "+strings.Join(of, " or "))
		}
	}
	slices.Sort(out)
	if len(names) > 0 {
		out = append(out, strings.Join(names, ", ")+" are of no other kind than elements")
	}
	return out
}
