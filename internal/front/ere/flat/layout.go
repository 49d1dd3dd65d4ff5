package flat

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/result"
)

// leaf names a part of the value of a symbol. The part of a value of a sort has an empty path.
type leaf struct{ symbol, path string }

// state says about which state an expression is.
type state struct {
	primes int
	old    bool
}

// location is where a value is kept: a symbol, a path to a part of its value, and the arguments so
// far.
type location struct {
	symbol string
	path   string
	args   []*syntax.Expr
	state  state
	span   diag.Span
}

func (l location) sub(path string, args ...*syntax.Expr) location {
	l.path += path
	l.args = append(l.args[:len(l.args):len(l.args)], args...)
	return l
}

// places says which symbols hold the parts of values.
type places struct {
	*values
	leaves map[leaf]string
	parts  map[string]bool // the symbols that hold parts
	bounds map[string]bool // the constants that are numbers of places
}

// leafName is the symbol that holds a part.
func (f *places) leafName(symbol, path string) string {
	if path == "" {
		f.parts[symbol] = true
		return symbol
	}
	l := leaf{symbol, path}
	if f.leaves[l] == "" {
		f.leaves[l] = f.fresh(symbol + path)
		f.parts[f.leaves[l]] = true
	}
	return f.leaves[l]
}

// apply is the expression of the part at a location. It has no position yet: it is not what the
// file has there.
func (f *places) apply(l location) *syntax.Expr {
	x := build.Apply(f.leafName(l.symbol, l.path), l.args...)
	x.Name.Span = l.span
	x.Primes = l.state.primes
	if !l.state.old {
		return x
	}
	// The arguments are about the state now, so they are computed outside of old(..).
	x.Args = slices.Clone(x.Args)
	wrap := func(x *syntax.Expr) *syntax.Expr { return x }
	for i, a := range x.Args {
		if f.isVariable(a) {
			continue
		}
		name := f.fresh("argument")
		outer, value := wrap, a
		wrap = func(x *syntax.Expr) *syntax.Expr {
			return outer(&syntax.Expr{Kind: syntax.ExprLet, Args: []*syntax.Expr{value, x},
				Binders: []*syntax.Binder{{Name: syntax.Name{Text: name, Span: l.span}}}})
		}
		x.Args[i] = build.Ref(name)
	}
	return wrap(&syntax.Expr{Kind: syntax.ExprOld, Name: syntax.Name{Text: "old", Span: l.span},
		Applied: true, Args: []*syntax.Expr{x}})
}

// isVariable reports whether an expression has the same value in every state.
func (f *places) isVariable(x *syntax.Expr) bool {
	return x.Kind == syntax.ExprInt || x.Kind == syntax.ExprName && !x.Applied &&
		f.globals[x.Name.Text] == nil && !f.parts[x.Name.Text]
}

// alternative is one of the ways in which values of a type become arguments of a relation: a
// variant has one for each constructor.
type alternative struct {
	suffix string
	sorts  []*syntax.SortExpr
	keys   []*result.Key // by value: how it is made of the arguments
}

// alternatives lists the ways for arguments of several types.
func (f *places) alternatives(ts []*typ) []alternative {
	out := []alternative{{}}
	for _, t := range ts {
		var next []alternative
		for _, a := range out {
			for _, b := range f.alternativesOf(t) {
				next = append(next, alternative{a.suffix + b.suffix,
					append(a.sorts[:len(a.sorts):len(a.sorts)], b.sorts...),
					append(a.keys[:len(a.keys):len(a.keys)], b.keys...)})
			}
		}
		out = next
	}
	return out
}

// alternativesOf lists the ways for one type, each with one key.
func (f *places) alternativesOf(t *typ) (out []alternative) {
	t = t.root()
	switch {
	case t.form == record:
		out = f.alternatives(t.parts)
		for i, a := range out {
			out[i].keys = []*result.Key{{Form: recordForm(t), Names: t.fields, Parts: a.keys}}
		}
		return out
	case t.form == variant && !t.enumeration():
		for _, c := range t.ctors {
			for _, a := range f.alternatives(c.parts) {
				key := &result.Key{Form: result.Variant, Name: c.name, Names: c.fields,
					Parts: a.keys}
				out = append(out, alternative{"_" + c.name + a.suffix, a.sorts, []*result.Key{key}})
			}
		}
		return out
	}
	sort := t.sort
	switch {
	case t.form == variant:
		sort = &syntax.SortExpr{Name: t.enum}
	case !t.plain():
		c := f.codeOf(t)
		return []alternative{{"", []*syntax.SortExpr{c.typ.sort},
			[]*result.Key{{Sort: c.typ.name}}}}
	}
	return []alternative{{"", []*syntax.SortExpr{sort},
		[]*result.Key{{Sort: t.name, All: f.valuesOf(t)}}}}
}

// point is one of the ways in which values become arguments, with the condition under which it is
// theirs.
type point struct {
	cond   *syntax.Expr
	suffix string
	args   []*syntax.Expr
	codes  []coding // of values among the arguments that were not read from codes
}

// points lists the ways that are possible for some values, as ones of some types.
func (f *places) points(vs []*value, ts []*typ) []point {
	out := []point{{cond: build.Truth(true)}}
	for i, v := range vs {
		var next []point
		for _, p := range out {
			for _, q := range f.pointsOf(v, ts[i]) {
				next = append(next, point{build.And(p.cond, q.cond), p.suffix + q.suffix,
					append(p.args[:len(p.args):len(p.args)], q.args...),
					append(p.codes[:len(p.codes):len(p.codes)], q.codes...)})
			}
		}
		out = next
	}
	return out
}

func (f *places) pointsOf(v *value, t *typ) (out []point) {
	if t = t.root(); t.form == unknown {
		t = v.typ.root()
	}
	switch {
	case t.form == record:
		parts := make([]*value, len(t.fields))
		for i, name := range t.fields {
			parts[i] = v.fields[name]
		}
		return f.points(parts, t.parts)
	case t.form == variant && !t.enumeration():
		for _, c := range t.ctors {
			cond := v.made(c)
			if build.IsFalse(cond) {
				continue
			}
			var parts []*value
			for i := range c.parts {
				parts = append(parts, f.payload(v, c, i))
			}
			for _, p := range f.points(parts, c.parts) {
				out = append(out, point{build.And(cond, p.cond), "_" + c.name + p.suffix, p.args,
					p.codes})
			}
		}
		return out
	}
	if v.expr == nil && !t.plain() && t.form != variant {
		x, codes := f.encode(v, t)
		return []point{{build.Truth(true), "", []*syntax.Expr{x}, codes}}
	}
	return []point{{build.Truth(true), "", []*syntax.Expr{v.expr}, nil}}
}

// dispatch is the value for the way that values become arguments.
func (f *places) dispatch(vs []*value, ts []*typ, body func(point) *value) *value {
	ps := f.points(vs, ts)
	at := func(p point) *value { return f.withCodes(p.codes, body(p)) }
	out := at(ps[len(ps)-1])
	for i := len(ps) - 2; i >= 0; i-- {
		out = choice(f.waiting, ps[i].cond, at(ps[i]), out)
	}
	return out
}

// symbolValue is the value of a symbol for arguments.
func (f *places) symbolValue(g *global, args []*value, s state, span diag.Span) *value {
	if !g.symbol.Mutable {
		s = state{}
	}
	return f.dispatch(args, g.params, func(p point) *value {
		return f.read(location{g.name.Text, p.suffix, p.args, s, span}, g.result)
	})
}

// itemPath is added to the path of a sequence or map for its elements.
func itemPath(element *typ) string {
	switch element.root().form {
	case set, seq, mapping:
		return "_item"
	}
	return ""
}

// fieldPath is added to the path of a variant for a field of a constructor.
func fieldPath(t *typ, c *ctor, field int) string {
	if t.name == "option" {
		return "_value"
	}
	return "_" + c.name + "_" + c.fields[field]
}

// read is the value at a location.
func (f *places) read(l location, t *typ) *value {
	t = t.root()
	switch t.form {
	case record:
		v := &value{typ: t, fields: map[string]*value{}}
		for i, name := range t.fields {
			v.fields[name] = f.read(l.sub("_"+name), t.parts[i])
		}
		return v
	case variant:
		return f.readVariant(l, t)
	case set:
		return f.setValue(t, f.presence(l, "", t.parts[0]), nil)
	case mapping:
		v := f.setValue(setOf(t.parts[0]), f.presence(l, "_has", t.parts[0]), nil)
		return &value{typ: t, has: v.has, each: v.each, lookup: func(k *value) *value {
			return f.dispatch([]*value{k}, t.parts[:1], func(p point) *value {
				return f.read(l.sub(itemPath(t.parts[1])+p.suffix, p.args...), t.parts[1])
			})
		}}
	case seq:
		size := f.apply(l.sub("_size"))
		return &value{typ: t, size: size, within: f.positionSort(l, t),
			item: func(i *syntax.Expr) *value {
				return f.read(l.sub(itemPath(t.parts[0]), i), t.parts[0])
			},
			positions: func(all bool, body func(*syntax.Expr) *syntax.Expr) *syntax.Expr {
				name := f.variable(f.nameFor("i"))
				defer f.leave(name)
				b := &syntax.Binder{Name: syntax.Name{Text: name}, Sort: f.positionSort(l, t)}
				return build.Quantified(all, b, build.Guarded(all,
					build.LessOrEqual(build.Ref(name), f.apply(l.sub("_size"))),
					f.waiting.formula(func() *syntax.Expr { return body(build.Ref(name)) })))
			}}
	}
	return scalarValue(t, f.apply(l))
}

// presence says which elements a relation at a location has. A number outside of the range of the
// elements is none.
func (f *places) presence(l location, path string, element *typ) func(*value) *syntax.Expr {
	return func(e *value) *syntax.Expr {
		in := f.dispatch([]*value{e}, []*typ{element}, func(p point) *value {
			return f.formulaValue(f.apply(l.sub(path+p.suffix, p.args...)))
		})
		return build.And(f.inRanges(e, element), in.expr)
	}
}

func (f *places) readVariant(l location, t *typ) *value {
	if t.enumeration() {
		return atomOf(t, f.apply(l))
	}
	v := &value{typ: t, payload: func(c *ctor, i int) *value {
		return f.read(l.sub(fieldPath(t, c, i)), c.parts[i])
	}}
	if t.name != "option" {
		v.made = func(c *ctor) *syntax.Expr {
			return build.Equal(f.apply(l),
				build.Ref(t.ctor(c.name).member))
		}
		return v
	}
	some := f.apply(l.sub("_some"))
	v.made = func(c *ctor) *syntax.Expr {
		if c.name == "some" {
			return some
		}
		return build.Not(some)
	}
	return v
}

// positionSort is the range of the positions of a sequence: up to its bound, or to a constant that
// instances let grow.
func (f *places) positionSort(l location, t *typ) *syntax.SortExpr {
	return &syntax.SortExpr{Lo: build.Number(1), Hi: f.capacity(l, t)}
}

func (f *places) capacity(l location, t *typ) *syntax.Expr {
	if t.bound != nil {
		return t.bound
	}
	name := f.leafName(l.symbol, l.path+"_capacity")
	if !f.bounds[name] {
		f.bounds[name] = true
		f.added = append(f.added, &syntax.SymbolDecl{Span: l.span, Word: "constant",
			Name: syntax.Name{Text: name, Span: l.span}, Capacity: true,
			Result: &syntax.SortExpr{Name: "int"}})
	}
	return build.Ref(name)
}

// usualValue is what stands where a value has no part.
func (f *values) usualValue(t *typ) *value {
	t = t.root()
	switch t.form {
	case record:
		v := &value{typ: t, fields: map[string]*value{}}
		for i, name := range t.fields {
			v.fields[name] = f.usualValue(t.parts[i])
		}
		return v
	case variant:
		c := t.ctors[0]
		if t.enumeration() {
			return atomOf(t, build.Ref(c.member))
		}
		var args []*value
		for _, p := range c.parts {
			args = append(args, f.usualValue(p))
		}
		return made(t, c, args)
	case set:
		return f.literalSet(t, nil)
	case seq:
		return f.literalSeq(t, nil)
	case mapping:
		return f.literalMap(t, nil)
	case unknown:
		return scalarValue(t, build.Truth(false))
	}
	return scalarValue(t, f.usualOf(t))
}

func (f *values) usualOf(t *typ) *syntax.Expr {
	switch t.name {
	case "bool":
		return build.Truth(false)
	case "int":
		if lo, _ := f.ends(t.sort); lo != nil {
			return lo
		}
		return build.Number(0)
	}
	switch d := f.sorts[t.name].(type) {
	case *syntax.EnumDecl:
		return build.Ref(d.Members[0].Text)
	case *syntax.SortDecl:
		if f.usual[t.name] == "" {
			name := f.fresh("no_" + t.name)
			f.usual[t.name] = name
			f.added = append(f.added, &syntax.SymbolDecl{Span: d.Span, Word: "constant",
				Name: syntax.Name{Text: name, Span: d.Name.Span}, Usual: true,
				Result: &syntax.SortExpr{Name: t.name, Span: d.Name.Span}})
		}
		return build.Ref(f.usual[t.name])
	}
	return build.Number(0) // after an error
}
