package flat

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// writer makes the assignments of one assignment of structured data.
type writer struct {
	f    *actions
	span diag.Span
	out  []*syntax.AssignStmt
	// every reports whether the target has capital letters, which stand for every value.
	every bool
	room  []syntax.Stmt // conditions that a sequence does not outgrow its capacity
	need  *syntax.Expr  // what the target leads to is there
	after []syntax.Stmt // what gives parts any values
	reads bool          // the value is a change of the target, as in x := x with e
}

// assign lowers an assignment. All parts are assigned at once.
func (f *actions) assign(s *syntax.AssignStmt, e *env) []syntax.Stmt {
	root := rootOf(s.Target)
	g := f.globals[root.Name.Text]
	if root.Kind != syntax.ExprName || g == nil || g.symbol == nil || root.Primes > 0 ||
		!g.symbol.Mutable || root.Applied && len(root.Args) != len(g.params) {
		c := *s // package check says what is wrong
		if s.Value != nil {
			c.Value = f.lowerExpr(s.Value, e)
		}
		if s.Target.Kind != syntax.ExprName {
			f.errs.Errorf(diag.NotATarget, s.Target.Span, "this cannot be assigned to").
				Suggest("The target of ':=' is a mutable symbol, a point f(a, b) of one, or a " +
					"part of it: f(a).field, f(a)[i].")
		}
		return []syntax.Stmt{&c}
	}
	w := &writer{f: f, span: s.Span}
	mark := f.waiting.mark()
	var bound []string
	w.everyForm(s, g, root, nil, e, &bound)
	f.assignments++
	f.assigned[root.Name.Text] = f.assignments
	if w.every {
		f.waiting.ended(mark, variables(bound...))
	}
	for _, name := range bound {
		f.leave(name)
	}
	switch len(w.out) {
	case 0:
	case 1:
		w.room = append(w.room, w.out[0])
	default:
		w.room = append(w.room, &syntax.TogetherStmt{Span: s.Span, Assigns: w.out})
	}
	return append(w.room, w.after...)
}

// rootOf is the symbol of which a target is a part, at its arguments.
func rootOf(target *syntax.Expr) *syntax.Expr {
	for target.Kind == syntax.ExprAt || target.Kind == syntax.ExprField {
		target = target.Args[0]
	}
	return target
}

func (f *actions) lowerTarget(root *syntax.Expr, args []*value) *syntax.Expr {
	c := *root
	c.Args = nil
	for _, a := range args {
		c.Args = append(c.Args, a.expr)
	}
	return &c
}

// everyForm assigns for each form of what the arguments of the target stand for: a capital letter
// that nothing declares stands for every value, part by part, of each constructor.
func (w *writer) everyForm(
	s *syntax.AssignStmt, g *global, root *syntax.Expr, args []*value, e *env, bound *[]string,
) {
	f := w.f
	i := len(args)
	if i == 0 && f.repeats(root, e) {
		return
	}
	if i == len(root.Args) {
		w.need = build.Truth(true)
		w.toPoint(s, g, root, args, e)
		return
	}
	a := root.Args[i]
	if !f.standsForAll(a, e) {
		w.everyForm(s, g, root, append(args[:i:i], f.lower(a, e)), e, bound)
		return
	}
	w.every = true
	for _, form := range f.forms(a.Name.Text, g.params[i]) {
		if form.value.expr != nil {
			form.value.expr = build.At(form.value.expr, a.Span)
		}
		names := namesOf(form.binders)
		*bound = append(*bound, names...)
		w.everyForm(s, g, root, append(args[:i:i], form.value), e.with(a.Name.Text, form.value),
			bound)
	}
}

// standsForAll reports whether an argument of a target is a capital letter for every value.
func (f *actions) standsForAll(a *syntax.Expr, e *env) bool {
	_, known := e.find(a.Name.Text)
	return a.Kind == syntax.ExprName && !a.Applied && a.Primes == 0 && !known &&
		syntax.IsCapital(a.Name.Text) && f.globals[a.Name.Text] == nil
}

// repeats reports a capital letter that stands for every value of two arguments.
func (f *actions) repeats(root *syntax.Expr, e *env) bool {
	for i, a := range root.Args {
		for _, b := range root.Args[:i] {
			if f.standsForAll(a, e) && b.Kind == syntax.ExprName && b.Name.Text == a.Name.Text {
				f.errs.Errorf(diag.PointVariable, a.Span,
					"'%s' stands for every value of two arguments", a.Name.Text).
					Because(b.Span, "it is used here already").
					Suggest("Use two letters, and if only equal ones are meant, an if-then-else " +
						"on the right.")
				return true
			}
		}
	}
	return false
}

// toPoint assigns to a symbol at a point.
func (w *writer) toPoint(
	s *syntax.AssignStmt, g *global, root *syntax.Expr, args []*value, e *env,
) {
	f := w.f
	if !f.structured(g) {
		c := &syntax.AssignStmt{Span: s.Span, Target: f.lowerTarget(root, args)}
		if s.Value != nil {
			c.Value = f.lowerExpr(s.Value, e)
		}
		w.out = append(w.out, c)
	} else if !root.Applied && len(g.params) > 0 {
		f.errs.Errorf(diag.Unsupported, s.Target.Span, "write the arguments of '%s' here",
			root.Name.Text).Suggest("A capital letter stands for every value: %s(X) := ...",
			root.Name.Text)
	} else {
		w.toSymbol(s, g, args, e)
	}
}

// toSymbol assigns to a location of a symbol, and to what the path of the target leads to.
func (w *writer) toSymbol(s *syntax.AssignStmt, g *global, args []*value, e *env) {
	f := w.f
	ps := f.points(args, g.params)
	if len(ps) != 1 {
		f.forget(ps)
		f.errs.Errorf(diag.Unsupported, s.Target.Span, "the constructor of an argument of '%s' "+
			"is not known here", g.name.Text).Suggest("Write match on it, and assign in each arm.")
		return
	}
	f.waiting.add(ps[0].codes)
	root := location{g.name.Text, ps[0].suffix, ps[0].args, state{}, s.Target.Span}
	w.reads = isChange(s)
	l, t := w.path(s.Target, s.Target, root, g.result, e)
	if t == nil {
		return
	}
	if s.Value == nil {
		w.anyValue(l, t)
		return
	}
	if !w.every && w.reads && w.change(l, t, s.Value, e) {
		return
	}
	w.write(l, t, f.lower(s.Value, e))
}

// path is the location that a part of a target leads to; its type is nil after an error. A key of a
// map that is assigned to belongs to the map afterwards.
func (w *writer) path(target, x *syntax.Expr, l location, t *typ, e *env) (location, *typ) {
	f := w.f
	if x.Kind == syntax.ExprName {
		return l, t.root()
	}
	l, t = w.path(target, x.Args[0], l, t, e)
	switch {
	case t == nil:
		return l, nil
	case x.Kind == syntax.ExprField && t.form == record:
		return l.sub("_" + x.Name.Text), t.field(x.Name.Text).root()
	case x.Kind == syntax.ExprAt && t.form == seq:
		i := f.lowerExpr(x.Args[1], e)
		w.need = build.And(w.need, exists(f.read(l, t), i))
		return l.sub(itemPath(t.parts[0]), build.At(i, x.Args[1].Span)), t.parts[0].root()
	case x.Kind == syntax.ExprAt && t.form == mapping:
		ps := f.points([]*value{f.lower(x.Args[1], e)}, t.parts[:1])
		if len(ps) != 1 {
			f.forget(ps)
			f.errs.Errorf(diag.Unsupported, x.Args[1].Span, "the constructor of this key is not "+
				"known here").Suggest("Write match on it, and assign in each arm.")
			return l, nil
		}
		f.waiting.add(ps[0].codes)
		has := l.sub("_has"+ps[0].suffix, ps[0].args...)
		if x != target || w.reads { // of the value of a key, which must be there
			w.need = build.And(w.need, f.apply(has))
		}
		w.set(has, build.Truth(true))
		return l.sub(itemPath(t.parts[1])+ps[0].suffix, ps[0].args...), t.parts[1].root()
	}
	f.errs.Errorf(diag.NotATarget, x.Span, "this part cannot be assigned to").
		Because(diag.Span{}, "it is part of a value of type %s", t).
		Suggest("Assign the whole value.")
	return l, nil
}

func (w *writer) set(l location, x *syntax.Expr) {
	target := w.f.apply(l)
	w.out = append(w.out, &syntax.AssignStmt{Span: w.span, Target: build.At(target, w.span),
		Value: build.At(build.Needs(w.need, x), w.span)})
}

// isChange reports whether a value is its target with a small change.
func isChange(s *syntax.AssignStmt) bool {
	x := s.Value
	return x != nil && (x.Kind == syntax.ExprWith || x.Kind == syntax.ExprWithout ||
		x.Kind == syntax.ExprName && x.Name.Text == "append" && len(x.Args) > 0) &&
		sameText(x.Args[0], s.Target)
}

// change assigns what `x := x with e` and the like change, and nothing else. It reports whether it
// knows the change.
func (w *writer) change(l location, t *typ, x *syntax.Expr, e *env) bool {
	f := w.f
	switch {
	case x.Kind == syntax.ExprName && f.globals["append"] == nil && t.form == seq:
		size := f.read(l, t).size
		end := build.Plus(size, 1)
		w.fit(l, t, end)
		before := len(w.out)
		w.write(l.sub(itemPath(t.parts[0]), end), t.parts[0], f.lower(x.Args[1], e))
		if t.bound != nil {
			w.withinBound(before, build.LessOrEqual(end, t.bound))
		}
		w.set(l.sub("_size"), end)
		return true
	case t.form == set && x.Kind != syntax.ExprName:
		ps := f.points([]*value{f.lower(x.Args[1], e)}, t.parts[:1])
		if len(ps) > 1 && independent(ps) {
			w.oneOf(l, ps, x.Kind == syntax.ExprWith)
			return true
		}
		if len(ps) != 1 || len(ps[0].codes) > 0 && x.Kind == syntax.ExprWithout {
			f.forget(ps) // what no set has may be taken away
			return false
		}
		f.waiting.add(ps[0].codes)
		w.set(l.sub(ps[0].suffix, ps[0].args...), build.Truth(x.Kind == syntax.ExprWith))
		return true
	case t.form == record && x.Kind == syntax.ExprWith:
		for i, a := range x.Args[1].Args {
			name := x.Args[1].Fields[i].Text
			w.write(l.sub("_"+name), t.field(name), f.lower(a, e))
		}
		return true
	}
	return false
}

// sameText reports whether two expressions are written the same way.
func sameText(a, b *syntax.Expr) bool {
	if a.Kind != b.Kind || a.Name.Text != b.Name.Text || a.Primes != b.Primes ||
		len(a.Args) != len(b.Args) || len(a.Binders)+len(b.Binders)+len(a.Arms)+len(b.Arms) > 0 ||
		a.Kind == syntax.ExprInt && a.Int.Cmp(b.Int) != 0 {
		return false
	}
	for i := range a.Args {
		if !sameText(a.Args[i], b.Args[i]) {
			return false
		}
	}
	return true
}

// fit says that a sequence without a bound has room for a size. In an instance a step for which
// there is no room is left out; see positionSort and system.Room.
func (w *writer) fit(l location, t *typ, size *syntax.Expr) {
	if t.bound != nil || size.Kind == syntax.ExprInt && size.Int.Sign() == 0 {
		return
	}
	places := w.f.capacity(l, t)
	w.room = append(w.room, &syntax.RequireStmt{Span: w.span, Room: places.Name.Text,
		Cond: build.At(build.LessOrEqual(size, places), w.span)})
}

// withinBound puts the assignments from one on under the condition that a sequence has their place.
// Where it has not, its size leaves its range, and this is the one claim that is violated. They
// stand before the other ones, which speak of other parts.
func (w *writer) withinBound(from int, cond *syntax.Expr) {
	items := slices.Clone(w.out[from:])
	w.out = w.out[:from]
	w.room = append(w.room, &syntax.IfStmt{Span: w.span, Cond: build.At(cond, w.span),
		Then: []syntax.Stmt{&syntax.TogetherStmt{Span: w.span, Assigns: items}}})
}

// write assigns a value to a location, part by part. A part that the value does not have gets the
// usual value.
func (w *writer) write(l location, t *typ, v *value) {
	f := w.f
	t = t.root()
	switch t.form {
	case record:
		for i, name := range t.fields {
			w.write(l.sub("_"+name), t.parts[i], v.fields[name])
		}
	case variant:
		w.writeVariant(l, t, v)
	case set:
		w.writeRelation(l, "", t.parts[0], v)
	case mapping:
		w.writeRelation(l, "_has", t.parts[0], v)
		w.forAll(t.parts[0], func(k *value, p point) {
			w.write(l.sub(itemPath(t.parts[1])+p.suffix, p.args...), t.parts[1],
				choice(f.waiting, v.has(k), v.lookup(k), f.usualValue(t.parts[1])))
		})
	case seq:
		w.fit(l, t, v.size)
		w.set(l.sub("_size"), v.size)
		name := f.variable("P")
		defer f.leave(name)
		w.write(l.sub(itemPath(t.parts[0]), build.Ref(name)), t.parts[0],
			choice(f.waiting, build.LessOrEqual(build.Ref(name), v.size), v.item(build.Ref(name)),
				f.usualValue(t.parts[0])))
	default:
		w.set(l, v.expr)
	}
}

func (w *writer) writeVariant(l location, t *typ, v *value) {
	f := w.f
	switch {
	case t.name == "option":
		w.set(l.sub("_some"), v.made(t.ctors[1]))
	case t.enumeration():
		w.set(l, v.expr)
		return
	default:
		tag := build.Ref(t.ctors[len(t.ctors)-1].member)
		for i := len(t.ctors) - 2; i >= 0; i-- {
			tag = build.If(v.made(t.ctors[i]), build.Ref(t.ctors[i].member), tag)
		}
		w.set(l, tag)
	}
	for _, c := range t.ctors {
		for i := range c.parts {
			part := f.usualValue(c.parts[i])
			if !build.IsFalse(v.made(c)) {
				part = choice(f.waiting, v.made(c), f.payload(v, c, i), part)
			}
			w.write(l.sub(fieldPath(t, c, i)), c.parts[i], part)
		}
	}
}

// writeRelation assigns which elements a set has. It needs that all of them lie in the ranges of
// their type.
func (w *writer) writeRelation(l location, path string, element *typ, v *value) {
	defer func(before *syntax.Expr) { w.need = before }(w.need)
	w.need = build.And(w.need, v.each(true, func(e *value) *syntax.Expr {
		return w.f.inRanges(e, element)
	}))
	w.forAll(element, func(e *value, p point) {
		w.set(l.sub(path+p.suffix, p.args...), v.has(e))
	})
}

// forAll calls f with the values of a type: with capital letters for its parts, for each
// constructor.
func (w *writer) forAll(t *typ, body func(*value, point)) {
	mark := w.f.waiting.mark()
	for _, form := range w.f.forms("E", t) {
		ps := w.f.points([]*value{form.value}, []*typ{t})
		body(form.value, ps[0])
		w.f.waiting.ended(mark, variables(namesOf(form.binders)...))
		w.f.setActive(form, false)
	}
}

// typeForm is a variable of a type, for one constructor of each variant in it.
type typeForm struct {
	suffix  string
	binders []*syntax.Binder
	value   *value
}

// setActive says whether the variables of a form are in use.
func (f *values) setActive(form typeForm, active bool) {
	for _, b := range form.binders {
		f.active[b.Name.Text] = active
	}
}

// forms lists the forms of a variable of a type.
func (f *values) forms(name string, t *typ) []typeForm {
	t = t.root()
	switch t.form {
	case record:
		return f.product(name, t.fields, t.parts, func(parts []*value) *value {
			v := &value{typ: t, fields: map[string]*value{}}
			for i, p := range parts {
				v.fields[t.fields[i]] = p
			}
			return v
		})
	case variant:
		if t.enumeration() {
			break
		}
		var out []typeForm
		for _, c := range t.ctors { // their variables do not exist side by side
			forms := f.product(name, c.fields, c.parts, func(parts []*value) *value {
				return made(t, c, parts)
			})
			for _, form := range forms {
				f.setActive(form, false)
				form.suffix = "_" + c.name + form.suffix
				out = append(out, form)
			}
		}
		for _, form := range out {
			f.setActive(form, true)
		}
		return out
	}
	sort := t.sort
	switch {
	case t.form == variant:
		sort = &syntax.SortExpr{Name: t.enum}
	case t.form == scalar && sort == nil:
		sort = &syntax.SortExpr{Name: t.name}
	case !t.plain():
		c := f.codeOf(t)
		name = f.variable(name)
		return []typeForm{{"", []*syntax.Binder{{Name: syntax.Name{Text: name}, Sort: c.typ.sort}},
			f.decode(c, build.Ref(name))}}
	}
	name = f.variable(name)
	return []typeForm{{"", []*syntax.Binder{{Name: syntax.Name{Text: name}, Sort: sort}},
		atomOf(t, build.Ref(name))}}
}

func (f *values) product(
	name string, names []string, parts []*typ, build func([]*value) *value,
) []typeForm {
	type partial struct {
		form   typeForm
		values []*value
	}
	list := []partial{{}}
	for i, t := range parts {
		var next []partial
		for _, p := range list {
			for _, form := range f.forms(name+"_"+names[i], t) {
				q := partial{typeForm{suffix: p.form.suffix + form.suffix,
					binders: append(p.form.binders[:len(p.form.binders):len(p.form.binders)],
						form.binders...)},
					append(p.values[:len(p.values):len(p.values)], form.value)}
				next = append(next, q)
			}
		}
		list = next
	}
	var out []typeForm
	for _, p := range list {
		p.form.value = build(p.values)
		out = append(out, p.form)
	}
	return out
}
