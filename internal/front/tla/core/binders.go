package core

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/syntax"
	"erelong.dev/erelong/internal/value"
)

// binders makes nodes of the expressions that bind names.
type binders struct{ *elaborator }

// bind gives the names of bounds places, in a new scope. A set does not see the names of its own
// bound or of others.
func (e binders) bind(bounds []syntax.Bound, sc *scope) ([]Binding, *scope) {
	body := inner(sc)
	var out []Binding
	for _, b := range bounds {
		if b.Tuple {
			bd := Binding{Tuple: true}
			for _, n := range b.Names {
				e.bindName(&bd, n, body)
			}
			out = append(out, bd)
			continue
		}
		for _, n := range b.Names {
			var bd Binding
			e.bindName(&bd, n, body)
			out = append(out, bd)
		}
	}
	// The places of the sets lie behind the ones of all names, which are in use when they are
	// computed.
	k := 0
	for _, b := range bounds {
		var set Node
		if b.Set != nil {
			set = e.state(b.Set, sc)
		}
		out[k].Set = set
		k++
		if !b.Tuple {
			for range b.Names[1:] {
				out[k].Set = set
				k++
			}
		}
	}
	return out, body
}

func (e binders) bindName(b *Binding, n syntax.Name, sc *scope) {
	slot := e.place()
	b.Names, b.Slots = append(b.Names, n.Text), append(b.Slots, slot)
	sc.names[n.Text] = &place{slot: slot}
}

// joinAll joins bindings to a base.
func (b *base) joinAll(bs []Binding) {
	for _, x := range bs {
		b.join(x.Set)
		for _, s := range x.Slots {
			b.lowest = min(b.lowest, s)
		}
	}
}

func (e binders) quantified(x *syntax.Quantified, sc *scope) (out Node) {
	span := x.Span()
	if x.Quantifier > syntax.Exists {
		e.fail(diag.Unsupported, span, `\EE and \AA (hidden variables) are not supported`)
	}
	if e.temporal && !e.open { // the elements of its sets are not known where constants are open
		return e.instances(x, sc)
	}
	e.scoped(func() {
		bs, body := e.bind(guarded(x), sc)
		q := &Quantified{base: over(span), All: x.Quantifier == syntax.Forall, Bindings: bs}
		for _, b := range bs {
			if b.Set == nil {
				e.fail(diag.Infinite, span, "the quantifier has no set: write it as x \\in S")
			}
		}
		q.Body = e.branch(x.Body, body)
		q.join(q.Body)
		q.joinAll(bs)
		if e.temporal && !constantSets(bs) {
			e.fail(diag.Unsupported, span, "a temporal formula with a quantifier needs a constant "+
				"set: this one depends on the state")
		}
		out = q
	})
	return out
}

func constantSets(bs []Binding) bool {
	return !slices.ContainsFunc(bs, func(b Binding) bool { return b.Set.Level() > Constant })
}

// instances is a quantifier over temporal formulas, one for each element of a constant set.
func (e binders) instances(x *syntax.Quantified, sc *scope) Node {
	j := &Junction{base: over(x.Span()), And: x.Quantifier == syntax.Forall}
	j.level = Temporal
	var each func(bounds []syntax.Bound, sc *scope)
	each = func(bounds []syntax.Bound, sc *scope) {
		if len(bounds) == 0 {
			j.Args = append(j.Args, e.node(x.Body, sc))
			return
		}
		b := bounds[0]
		if b.Set == nil {
			e.fail(diag.Infinite, x.Span(), "the quantifier has no set: write it as x \\in S")
		}
		set := e.known(b.Set, sc)
		if b.Tuple {
			for _, v := range set.Sorted() {
				in := inner(sc)
				for i, part := range v.Elems() {
					in.names[b.Names[i].Text] = &constant{value: part}
				}
				each(bounds[1:], in)
			}
			return
		}
		rest := bounds[1:]
		if len(b.Names) > 1 {
			more := b
			more.Names = b.Names[1:]
			rest = append([]syntax.Bound{more}, rest...)
		}
		for _, v := range set.Sorted() {
			in := inner(sc)
			in.names[b.Names[0].Text] = &constant{value: v}
			each(rest, in)
		}
	}
	each(x.Bounds, sc)
	return j
}

// known is the value of a constant expression.
func (e binders) known(x syntax.Expr, sc *scope) *value.Value {
	n := e.state(x, sc)
	if n.Level() > Constant {
		e.fail(diag.Unsupported, x.Span(), "a temporal formula with a quantifier needs a constant "+
			"set: this one depends on the state")
	}
	v, err := e.evaluate(n, e.most)
	if err != nil {
		e.fail(diag.BadValue, x.Span(), "%v", err)
	}
	return v
}

// comprehension makes what an expression has that binds names in a body: its base, the bindings and
// the body.
func (e binders) comprehension(
	x syntax.Expr, bounds []syntax.Bound, body syntax.Expr, sc *scope,
) (b base, bs []Binding, n Node) {
	e.scoped(func() {
		e.action = false
		var in *scope
		bs, in = e.bind(bounds, sc)
		n = e.state(body, in)
		b = over(x.Span(), n)
		b.joinAll(bs)
	})
	return b, bs, n
}

// choose is a CHOOSE.
func (e binders) choose(x *syntax.Choose, sc *scope) Node {
	b, bs, body := e.comprehension(x, []syntax.Bound{x.Bound}, x.Body, sc)
	if bs[0].Set == nil {
		return e.unbounded(x, b, bs[0], body)
	}
	return &Choose{b, bs[0], body}
}

// unbounded is a CHOOSE without a set. CHOOSE v : v \notin S is the usual way to name a value that
// differs from others: it is a model value. Any other has no value here.
func (e binders) unbounded(x *syntax.Choose, b base, binding Binding, body Node) Node {
	if e.open {
		return &Choose{b, binding, body}
	}
	if not, ok := body.(*Not); ok {
		if in, ok := not.Arg.(*In); ok && in.Set.Level() == Constant {
			if s, ok := in.Elem.(*Slot); ok && s.Slot == binding.Slots[0] {
				return e.literal(x.Span(), e.Space.Model(text(x)))
			}
		}
	}
	return &Refused{over(x.Span()), "this CHOOSE has no set to choose from: write it as " +
		"CHOOSE x \\in S : .., or give the definition a model value in the configuration"}
}

func (e binders) filter(x *syntax.Filter, sc *scope) Node {
	b, bs, body := e.comprehension(x, []syntax.Bound{x.Bound}, x.Body, sc)
	return &Filter{b, bs[0], body}
}

func (e binders) image(x *syntax.Image, sc *scope) Node {
	b, bs, body := e.comprehension(x, x.Bounds, x.Body, sc)
	return &Image{b, bs, body}
}

// lambda is a function by its values. In a recursive one, self is its name.
func (e binders) lambda(
	span diag.Span, bounds []syntax.Bound, x syntax.Expr, sc *scope, self string,
) (out Node) {
	e.scoped(func() {
		e.action = false
		f := &Function{base: over(span), Name: self, Self: -1}
		bs, body := e.bind(bounds, sc)
		if self != "" {
			f.Self = e.place()
			f.lowest = f.Self
			body = inner(sc)
			body.names[self] = &place{slot: f.Self}
			for _, b := range bs {
				for i, n := range b.Names {
					body.names[n] = &place{slot: b.Slots[i]}
				}
			}
		}
		f.Bindings = bs
		f.Body = e.state(x, body)
		f.join(f.Body)
		f.joinAll(bs)
		f.Frame = e.most
		out = f
	})
	return out
}

// functionOf is the function that a definition f[x \in S] == e defines.
func (e binders) functionOf(op *operator, span diag.Span) Node {
	u := op.function
	self := ""
	if Mentions(u.Body, u.Name.Text) {
		self = u.Name.Text
	}
	make := func() Node {
		depth := e.depth
		return e.share(e.lambda(u.Span, u.Bounds, u.Body, op.scope, self), depth)
	}
	if op.scope.global() {
		return e.global(&op.nodes, make)
	}
	return make()
}
