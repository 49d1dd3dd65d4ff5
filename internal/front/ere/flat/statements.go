package flat

import (
	"maps"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/result"
)

// actions replaces the structured data of statements.
type actions struct {
	*lowerer
	chosen []result.NamedShape // the structured choices of the action that is being lowered
}

// block lowers statements. A variable that they bind is in scope up to the end of the block.
func (f *actions) block(stmts []syntax.Stmt, e *env) (out []syntax.Stmt) {
	var bound []string
	mark, begin := f.waiting.mark(), 0
	for i, s := range stmts {
		out = f.settleBefore(out, begin, mark, &bound)
		begin = len(out)
		switch s := s.(type) {
		case *syntax.RequireStmt:
			out = append(out, &syntax.RequireStmt{Span: s.Span, Cond: f.lowerClosed(s.Cond, e)})
		case *syntax.IfStmt:
			c := &syntax.IfStmt{Span: s.Span, Cond: f.lowerClosed(s.Cond, e)}
			before := maps.Clone(f.assigned)
			c.Then = f.block(s.Then, e)
			then := f.assigned
			f.assigned = before
			c.Else = f.block(s.Else, e)
			latest(f.assigned, then)
			out = append(out, c)
		case *syntax.LetStmt:
			t, value := f.binderType(s.Binder), (*syntax.Expr)(nil)
			if t.plain() {
				value = f.lowerExpr(s.Value, e)
			}
			if value == nil || build.MayLack(value) { // a value is needed where it is used
				later := stmts[i+1:]
				stored, subject := f.keep(s.Binder.Name.Text, s.Value, t, later, e, &bound)
				out, e = append(out, stored...), e.lazily(s.Binder.Name.Text, subject)
				continue
			}
			b, v := f.rename(s.Binder, &bound)
			out = append(out, &syntax.LetStmt{Span: s.Span, Binder: b, Value: value})
			e = e.with(s.Binder.Name.Text, v)
		case *syntax.ChooseStmt:
			chosen, inner := f.choose(s, e, &bound)
			if !s.Block {
				out, e = append(out, chosen...), inner
				continue
			}
			first := chosen[0].(*syntax.ChooseStmt)
			first.Block = true
			first.Body = append(chosen[1:], f.block(s.Body, inner)...)
			out = append(out, first)
		case *syntax.MatchStmt:
			out = append(out, f.matchStatement(s, e, &bound)...)
		case *syntax.AssignStmt:
			out = append(out, f.assign(s, e)...)
		default:
			out = append(out, stmts[i])
		}
	}
	out = f.settleBefore(out, begin, mark, &bound)
	for _, name := range bound {
		f.leave(name)
	}
	return out
}

// settleBefore puts, before the last statements, the choices of the codes that they wait for.
func (f *actions) settleBefore(
	out []syntax.Stmt, begin, mark int, bound *[]string,
) []syntax.Stmt {
	for f.waiting.mark() > mark {
		c, is := f.waiting.last()
		*bound = append(*bound, c.name)
		f.chosen = append(f.chosen, result.NamedShape{Shape: &result.Shape{Leaf: c.name}})
		out = slices.Insert(out, begin, syntax.Stmt(&syntax.ChooseStmt{Span: f.span,
			Binder: c.binder(), Such: build.At(is, f.span)}))
	}
	return out
}

// rename gives a variable of a sort a name that no variable around has.
func (f *actions) rename(b *syntax.Binder, bound *[]string) (*syntax.Binder, *value) {
	name := f.variable(b.Name.Text)
	*bound = append(*bound, name)
	c := &syntax.Binder{Name: syntax.Name{Text: name, Span: b.Name.Span}, Sort: b.Sort}
	return c, scalarValue(f.binderType(b), build.At(build.Ref(name), b.Name.Span))
}

// keep is the value that an expression has now, for later statements, with statements that keep it
// where its parts are values of sorts that statements have changed before and change later.
func (f *actions) keep(
	name string, x *syntax.Expr, t *typ, later []syntax.Stmt, e *env, bound *[]string,
) ([]syntax.Stmt, func() *value) {
	reads := f.readsOf(x)
	if !storable(t) || !f.changed(reads) || !changes(later, reads) {
		return nil, f.snapshot(x, reads, e)
	}
	s := &store{f: f, span: x.Span, bound: bound}
	v := s.value(name, t, f.lower(x, e))
	return s.out, func() *value { return v }
}

// snapshot is the value that an expression has now, for later statements. A value with many parts
// is not stored: it is computed where it is used, in the state now or in the one at the start of
// the action. Reads are the symbols that it speaks of.
func (f *actions) snapshot(x *syntax.Expr, reads map[string]bool, e *env) func() *value {
	assignedBefore := f.changed(reads)
	seen := maps.Clone(f.assigned)
	reported := false
	now := once(f.waiting, func() *value { return f.lower(x, e) })
	first := once(f.waiting, func() *value { return f.lower(x, e.within(0, true)) })
	return func() *value {
		changed := false
		for name := range reads {
			changed = changed || f.assigned[name] != seen[name]
		}
		switch {
		case !changed:
			return now()
		case !assignedBefore:
			return first()
		case !reported:
			reported = true
			f.errs.Errorf(diag.Unsupported, x.Span, "this value is used after statements that "+
				"change what it is made of, both before and after it is named").
				Suggest("Name the value at the start of the action, write the expression where " +
					"it is used, or name the parts of it that are needed.")
		}
		return f.lower(x, e)
	}
}

// once is a value that is computed where it is used first.
func once(w *waiting, compute func() *value) func() *value {
	all := remembered(w, func(struct{}) *value { return compute() })
	return func() *value { return all(struct{}{}) }
}

// latest adds the assignments of another branch: the later one of each symbol counts.
func latest(to, other map[string]int) {
	for name, n := range other {
		to[name] = max(to[name], n)
	}
}

// changed reports whether statements before have assigned to one of some symbols.
func (f *actions) changed(symbols map[string]bool) bool {
	for name := range symbols {
		if f.assigned[name] > 0 {
			return true
		}
	}
	return false
}

// readsOf are the mutable symbols that an expression speaks of, also through definitions.
func (f *actions) readsOf(x *syntax.Expr) map[string]bool {
	out := map[string]bool{}
	f.reads(x, out, map[*syntax.DefinitionDecl]bool{})
	return out
}

// reads adds the mutable symbols that an expression speaks of, also through definitions.
func (f *actions) reads(
	x *syntax.Expr, to map[string]bool, seen map[*syntax.DefinitionDecl]bool,
) {
	if g := f.globals[x.Name.Text]; x.Kind == syntax.ExprName && g != nil {
		if g.symbol != nil && g.symbol.Mutable {
			to[x.Name.Text] = true
		}
		if g.def != nil && !seen[g.def] {
			seen[g.def] = true
			f.reads(g.def.Expr, to, seen)
		}
	}
	for _, a := range x.Args {
		f.reads(a, to, seen)
	}
	for _, b := range x.Binders {
		if b.In != nil {
			f.reads(b.In, to, seen)
		}
	}
	for _, a := range x.Arms {
		if a.Value != nil {
			f.reads(a.Value, to, seen)
		}
	}
}

// choose lowers the choice of a value: of a sort, or part by part.
func (f *actions) choose(
	s *syntax.ChooseStmt, e *env, bound *[]string,
) ([]syntax.Stmt, *env) {
	t := f.binderType(s.Binder)
	name := s.Binder.Name.Text
	var binders []*syntax.Binder
	var v *value
	cond := build.Truth(true)
	switch {
	case t.plain() && s.Binder.In == nil:
		b, val := f.rename(s.Binder, bound)
		binders, v = []*syntax.Binder{b}, val
	case s.Binder.In != nil && f.typeOf[s.Binder.In].is(seq) &&
		(collection(t) != nil || !f.bounded(t)):
		in := f.lower(s.Binder.In, e)
		position := f.variable(name + "_position")
		*bound = append(*bound, position)
		if in.within == nil {
			f.errs.Errorf(diag.Unsupported, s.Binder.In.Span, "an element of this sequence cannot "+
				"be chosen").Suggest("Choose a position: choose i in positions(s); or an element " +
				"of a sequence that a symbol holds.")
			return []syntax.Stmt{s}, e
		}
		binders = []*syntax.Binder{{Name: syntax.Name{Text: position, Span: s.Binder.Name.Span},
			Sort: in.within}}
		v, cond = in.item(build.Ref(position)), exists(in, build.Ref(position))
	case collection(t) != nil && f.codable(collection(t)) != "":
		f.errs.Errorf(diag.Unsupported, s.Binder.Name.Span, "a whole %s cannot be chosen: %s",
			collection(t).word(), f.codable(collection(t))).
			Suggest("Assign := * to a symbol of this type, or choose the elements.")
		return []syntax.Stmt{s}, e
	default:
		binders, v, cond = f.parameter(name, t, bound)
		if !t.plain() {
			f.notes(name, v)
		}
		if s.Binder.In != nil {
			in := f.lower(s.Binder.In, e)
			f.boundElements(binders, in)
			cond = build.And(cond, f.contains(in, v))
		}
	}
	inner := e.with(name, v)
	if s.Such != nil {
		cond = build.And(cond, f.lowerClosed(s.Such, inner))
	}
	var out []syntax.Stmt
	for i, b := range binders {
		c := &syntax.ChooseStmt{Span: s.Span, Binder: b}
		if i == len(binders)-1 && !build.IsTrue(cond) {
			c.Such = build.At(cond, s.Span)
		}
		out = append(out, c)
	}
	return out, inner
}

// notes says how a chosen value is shown: under another name where its own one is taken.
func (f *actions) notes(name string, v *value) {
	unique := name
	for i := 2; slices.ContainsFunc(f.chosen, func(c result.NamedShape) bool {
		return c.Name == unique
	}); i++ {
		unique = name + "_" + itoa(i)
	}
	f.chosen = append(f.chosen, result.NamedShape{Name: unique, Shape: f.chosenShape(v)})
}

// boundElements gives a variable without a sort the range of the elements of a set.
func (f *places) boundElements(binders []*syntax.Binder, s *value) {
	if s.typ.is(set) && s.within != nil && len(binders) == 1 && binders[0].Sort == nil {
		binders[0].Sort = s.within
	}
}

// parameter is a variable of a type, part by part. A variant has the parts of all constructors; the
// condition says that the parts of the other ones have their usual values.
func (f *places) parameter(
	name string, t *typ, bound *[]string,
) (binders []*syntax.Binder, v *value, cond *syntax.Expr) {
	t = t.root()
	sorted := func(name string, s *syntax.SortExpr) *syntax.Expr {
		name = f.variable(name)
		*bound = append(*bound, name)
		binders = append(binders, &syntax.Binder{Name: syntax.Name{Text: name}, Sort: s})
		return build.Ref(name)
	}
	part := func(name string, t *typ) (*value, *syntax.Expr) {
		bs, v, cond := f.parameter(name, t, bound)
		binders = append(binders, bs...)
		return v, cond
	}
	cond = build.Truth(true)
	switch t.form {
	case record:
		v = &value{typ: t, fields: map[string]*value{}}
		for i, field := range t.fields {
			p, c := part(name+"_"+field, t.parts[i])
			v.fields[field], cond = p, build.And(cond, c)
		}
	case variant:
		if t.enumeration() {
			return binders, atomOf(t, sorted(name, &syntax.SortExpr{Name: t.enum})), cond
		}
		var tag *syntax.Expr
		if t.name == "option" {
			tag = sorted(name+"_some", &syntax.SortExpr{Name: "bool"})
		} else {
			tag = sorted(name, &syntax.SortExpr{Name: t.enum})
		}
		payload := map[string][]*value{}
		v = &value{typ: t, made: func(c *ctor) *syntax.Expr {
			switch {
			case t.name != "option":
				return build.Equal(tag, build.Ref(t.ctor(c.name).member))
			case c.name == "some":
				return tag
			}
			return build.Not(tag)
		}, payload: func(c *ctor, i int) *value { return payload[c.name][i] }}
		for _, c := range t.ctors {
			for i, field := range c.fields {
				p, inner := part(name+"_"+c.name+"_"+field, c.parts[i])
				payload[c.name] = append(payload[c.name], p)
				cond = build.And(cond, inner, build.Or(v.made(c), f.same(p,
					f.usualValue(c.parts[i]))))
			}
		}
	case set, seq, mapping:
		c := f.codeOf(t)
		return binders, f.decoded(c, sorted(name, c.typ.sort)), cond
	default:
		return binders, scalarValue(t, sorted(name, t.sort)), cond
	}
	return binders, v, cond
}

// matchStatement becomes an if for each constructor but the last.
func (f *actions) matchStatement(
	s *syntax.MatchStmt, e *env, bound *[]string,
) []syntax.Stmt {
	var later []syntax.Stmt
	for _, a := range s.Arms {
		later = append(later, a.Body...)
	}
	stored, subject := f.keep("subject", s.Value, f.typeOf[s.Value], later, e, bound)
	v := subject()
	before := maps.Clone(f.assigned)
	after := maps.Clone(f.assigned)
	var out []syntax.Stmt
	first := true
	for i := len(s.Arms) - 1; i >= 0; i-- {
		a := s.Arms[i]
		c, is := meant(f.values, v, a)
		if is == nil || build.IsFalse(is) {
			continue
		}
		f.assigned = maps.Clone(before)
		inner := e
		for k, b := range a.Variables {
			if k < len(c.parts) {
				inner = inner.lazily(b.Name.Text,
					func() *value { return f.payload(subject(), c, k) })
			}
		}
		body := f.block(a.Body, inner)
		latest(after, f.assigned)
		if first {
			out, first = body, false
			continue
		}
		out = []syntax.Stmt{&syntax.IfStmt{Span: s.Span, Cond: build.At(is, s.Value.Span),
			Then: body, Else: out}}
	}
	f.assigned = after
	return append(stored, out...)
}
