package translate

import (
	"fmt"
	"maps"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/types"
)

// step is a way through an action, up to some part of it.
type step struct {
	params []*syntax.Binder
	guards []*syntax.Expr
	after  map[int]*term    // the variables that have a value after the step
	sets   []*syntax.Binder // parameters that are sets or sequences
	maps   []*term          // what is chosen of the functions
}

func (s step) guarded(x *syntax.Expr) step {
	if build.IsTrue(x) {
		return s
	}
	s.guards = append(s.guards[:len(s.guards):len(s.guards)], x)
	return s
}

func (s step) assigned(variable int, t *term) step {
	s.after = maps.Clone(s.after)
	s.after[variable] = t
	return s
}

// maxWays bounds the number of actions that one is split into.
const maxWays = 200

// ways splits an action into steps without disjunctions.
type ways struct {
	*writer
	action *core.Steps
	made   int
}

// action declares the steps of an action: one action of the language for each way through it.
func (w *writer) action(a *core.Steps) {
	w.begin()
	all := &ways{writer: w, action: a}
	w.span = a.Span
	w.picks, w.stepping = nil, true
	defer func() { w.picks, w.stepping = nil, false }()
	all.take(a.Node, scope{}, step{after: map[int]*term{}}, all.declareStep)
}

// then goes on with a way.
type then func(step)

// within is a scope in which the variables after the step have their values.
func (w *ways) within(s scope, st step) scope {
	s.after = func(i int) *term {
		t := st.after[i]
		if t == nil {
			w.fail("%s' is used before it has a value", w.model.Variables[i])
		}
		return t
	}
	return s
}

// take goes all ways through a part of an action, from left to right as TLC does.
func (w *ways) take(n core.Node, s scope, st step, next then) {
	w.goOn()
	outer := w.span
	if !n.Span().IsZero() {
		w.span = n.Span()
	}
	defer func() { w.span = outer }()
	if n.Level() < core.Step {
		next(st.guarded(w.formula(n, w.within(s, st))))
		return
	}
	st = w.freed(n, st)
	switch n := n.(type) {
	case *core.Shared:
		w.take(n.Value, s, st, next)
	case *core.Named:
		w.take(n.Body, s, st, next)
	case *core.Global:
		w.take(n.Value, scope{}, st, next)
	case *core.Taken:
		next(st)
	case *core.Junction:
		if n.And {
			w.conjuncts(n.Args, s, st, next)
			return
		}
		names := w.local
		for _, a := range n.Args {
			w.local = maps.Clone(names) // another way may have the same names
			w.take(a, s, st, next)
		}
	case *core.Let:
		in := w.within(s, st)
		var made *term
		w.take(n.Body, s.lazy(n.Slot, func() *term {
			if made == nil {
				made = w.term(n.Value, in)
			}
			return made
		}), st, next)
	case *core.If:
		cond := w.formula(n.Cond, w.within(s, st))
		if !build.IsFalse(cond) {
			w.take(n.Then, s, st.guarded(cond), next)
		}
		if !build.IsTrue(cond) {
			w.take(n.Else, s, st.guarded(build.Not(cond)), next)
		}
	case *core.Case:
		w.arms(n, s, st, next)
	case *core.Quantified:
		if n.All {
			next(st.guarded(w.formula(n, w.within(s, st))))
			return
		}
		w.some(n.Bindings, 0, s, st, func(s scope, st step) { w.take(n.Body, s, st, next) })
	case *core.Equal:
		if v, ok := w.unassigned(n.Left, st); ok {
			t := kinds{w.algebra}.as(w.term(n.Right, w.within(s, st)), w.types.Variables[v].Root())
			next(st.assigned(v, t))
			return
		}
		next(st.guarded(w.formula(n, w.within(s, st))))
	case *core.In:
		if v, ok := w.unassigned(n.Elem, st); ok {
			set := w.set(w.term(n.Set, w.within(s, st)))
			w.pickOf(w.types.Of(n.Set), set, w.model.Variables[v], st, func(e *term, st step) {
				next(st.assigned(v, kinds{w.algebra}.as(e, w.types.Variables[v].Root())))
			})
			return
		}
		next(st.guarded(w.formula(n, w.within(s, st))))
	default:
		next(st.guarded(w.formula(n, w.within(s, st))))
	}
}

// arms goes the way of the first arm whose condition is true. Without OTHER there has to be one.
func (w *ways) arms(n *core.Case, s scope, st step, next then) {
	var conds []*syntax.Expr
	for _, c := range n.Conds {
		conds = append(conds, w.formula(c, w.within(s, st)))
	}
	if n.Other == nil {
		st = st.guarded(w.needing(build.Or(conds...), w.of(types.Boolean(),
			build.Truth(true))).x)
	}
	names := w.local
	for i, c := range conds {
		w.local = maps.Clone(names)
		w.take(n.Values[i], s, st.guarded(c), next)
		st = st.guarded(build.Not(c))
	}
	if n.Other != nil {
		w.take(n.Other, s, st, next)
	}
}

func (w *ways) conjuncts(ns []core.Node, s scope, st step, next then) {
	if len(ns) == 0 {
		next(st)
		return
	}
	w.take(ns[0], s, st, func(st step) { w.conjuncts(ns[1:], s, st, next) })
}

// unassigned is the variable that a node is after the step, if it has no value yet.
func (w *ways) unassigned(n core.Node, st step) (int, bool) {
	v, ok := core.Strip(n).(*core.Variable)
	if !ok || !v.Primed || st.after[v.Index] != nil {
		return 0, false
	}
	return v.Index, true
}

// some makes parameters of the names of an existential quantifier.
func (w *ways) some(
	bs []core.Binding, i int, s scope, st step, next func(scope, step),
) {
	if i == len(bs) {
		next(s, st)
		return
	}
	b := bs[i]
	set := w.set(w.term(b.Set, w.within(s, st)))
	w.pickOf(w.types.Of(b.Set), set, b.Names[0], st, func(e *term, st step) {
		w.some(bs, i+1, w.bound(b, e, s), st, next)
	})
}

// pick makes parameters that stand for an element of a set. The formula that some element is
// marked tells which: its quantifiers are the parameters, what stands beside the mark is required.
func (w *ways) pick(s *set, name string, st step, next func(*term, step)) {
	marks := map[*syntax.Expr]*term{}
	w.choosing = true
	x := s.each(false, name, func(e *term) *syntax.Expr {
		m := build.Ref(fmt.Sprintf("mark %d", len(marks)))
		marks[m] = e
		return m
	})
	w.choosing = false
	var marked func(x *syntax.Expr) bool
	marked = func(x *syntax.Expr) bool {
		return marks[x] != nil || slices.ContainsFunc(x.Args, marked)
	}
	var follow func(x *syntax.Expr, st step)
	follow = func(x *syntax.Expr, st step) {
		switch {
		case marks[x] != nil:
			next(marks[x], st)
		case x.Kind == syntax.ExprExists:
			st.params, st.sets = slices.Clip(st.params), slices.Clip(st.sets)
			for _, b := range x.Binders {
				if isSequence(b) ||
					b.Sort != nil && b.Sort.Data != nil && b.Sort.Data.Form == syntax.SetType {
					w.setParameter(b)
					st.sets = append(st.sets, b)
				} else {
					st.params = append(st.params, b)
				}
			}
			follow(x.Args[0], st)
		case x.Kind == syntax.ExprAnd:
			var inner *syntax.Expr
			for _, a := range x.Args {
				if marked(a) {
					inner = a
				} else {
					st = st.guarded(a)
				}
			}
			follow(inner, st)
		case x.Kind == syntax.ExprOr:
			for _, a := range x.Args {
				follow(a, st)
			}
		case x.Kind == syntax.ExprIf:
			follow(x.Args[1], st.guarded(x.Args[0]))
			follow(x.Args[2], st.guarded(build.Not(x.Args[0])))
		case build.IsFalse(x):
		default:
			w.fail("a choice from this set is not translated")
		}
	}
	follow(x, st)
}

// setParameter declares what stands for a parameter that is a set or a sequence, since an action
// has no such parameters. A set is any one within the step, and empty in all states. A sequence has
// grown before, in steps that change nothing else, and is empty after the step.
func (w *ways) setParameter(b *syntax.Binder) {
	name := b.Name.Text
	if w.taken[name] {
		return
	}
	w.taken[name] = true
	w.symbol("constant", name, nil, b.Sort, true)
	w.decls = append(w.decls, &syntax.FormulaDecl{Span: w.span, Word: "init",
		Name: syntax.Name{Span: w.span}, Expr: build.At(build.Binary(syntax.ExprEq,
			build.Ref(name), noneOf(b.Sort)), w.span)})
	if isSequence(b) {
		e := &syntax.Binder{Sort: b.Sort.Data.Parts[0],
			Name: syntax.Name{Text: w.variable("e"), Span: w.span}}
		w.decls = append(w.decls, &syntax.ActionDecl{Span: w.span,
			Name:   syntax.Name{Text: w.name(name + "_grows"), Span: w.span},
			Params: []*syntax.Binder{e}, Body: []syntax.Stmt{&syntax.AssignStmt{Span: w.span,
				Target: build.At(build.Ref(name), w.span),
				Value: build.At(build.Apply("append", build.Ref(name),
					build.Ref(e.Name.Text)), w.span)}}})
	}
}

// anything are the symbols that stand for parameters and have any value within a step.
func (s step) anything() (out []string) {
	for _, b := range s.sets {
		if !isSequence(b) {
			out = append(out, b.Name.Text)
		}
	}
	for _, f := range s.maps {
		out = append(out, f.symbol)
	}
	return out
}

// declareStep declares an action for a way.
func (w *ways) declareStep(st step) {
	if w.made++; w.made > maxWays {
		w.fail("the action %s has more than %d ways", w.action.Name, maxWays)
	}
	if build.IsFalse(build.And(st.guards...)) {
		return
	}
	d := &syntax.ActionDecl{Span: w.action.Span,
		Name: syntax.Name{Text: w.name(w.action.Name), Span: w.action.Span}}
	body := w.assignments(st)
	var values []*syntax.Expr
	for _, s := range body {
		values = append(values, s.(*syntax.AssignStmt).Target, s.(*syntax.AssignStmt).Value)
	}
	st = w.withPicks(st, values)
	d.Params = st.params
	for _, s := range st.anything() {
		d.Body = append(d.Body, &syntax.AssignStmt{Span: w.action.Span,
			Target: build.At(build.Ref(s), w.action.Span)})
	}
	if guard := build.And(st.guards...); !build.IsTrue(guard) {
		d.Body = append(d.Body, &syntax.RequireStmt{Span: w.action.Span,
			Cond: build.At(guard, w.action.Span)})
	}
	d.Body = append(d.Body, body...)
	for _, s := range st.sets {
		d.Body = append(d.Body, &syntax.AssignStmt{Span: w.action.Span,
			Target: build.At(build.Ref(s.Name.Text), w.action.Span),
			Value:  build.At(noneOf(s.Sort), w.action.Span)})
	}
	w.decls = append(w.decls, d)
}

// assignments give the ghosts and the variables their values after a step.
func (w *ways) assignments(st step) (body []syntax.Stmt) {
	for _, g := range w.ghosts {
		body = append(body, w.seen(g, st)...)
	}
	a := &assigner{writer: w.writer, span: w.action.Span, sets: st.anything()}
	for i, name := range w.model.Variables {
		t := st.after[i]
		if t == nil {
			w.fail("the action %s does not say what %s' is", w.action.Name, name)
		}
		if t != w.variables[i] {
			a.assign(w.called[i], w.variables[i], t)
		}
	}
	for _, f := range st.maps {
		if u := usualMap(w.writer, f.typ); u != nil {
			a.everywhere(f.symbol, nil, u)
		}
	}
	return append(body, a.body...)
}

// assigner writes the assignments of a step, whose values are the ones before it.
type assigner struct {
	*writer
	span     diag.Span
	sets     []string // parameters, which have no value before the step
	assigned []string // the variables that have been assigned
	body     []syntax.Stmt
}

// assign gives a variable another value.
func (a *assigner) assign(name string, old, t *term) {
	if t.fun == nil {
		a.write(name, nil, a.expr(t))
		return
	}
	if e := t.fun.except; e != nil && e.of == old {
		now := old
		for _, u := range e.updates {
			now = a.updated(now, u.path, u.value)
			at, args, rest := now, []*syntax.Expr(nil), u.path
			var conds []*syntax.Expr // an EXCEPT outside of the domain changes nothing
			for at.fun != nil && len(rest) > 0 {
				args = append(args, a.keysOf(rest[0])...)
				if d := at.fun.domain; !defined(d, rest[0]) {
					conds = append(conds, d.has(rest[0]))
				}
				at, rest = a.apply(at, rest[0]), rest[1:]
			}
			a.everywhere(name, args, a.choice(build.And(conds...), at,
				a.stored(name, at.typ, args)))
		}
	} else {
		a.everywhere(name, nil, t)
	}
}

// everywhere gives a function, at some arguments, the values of another one.
func (a *assigner) everywhere(name string, args []*syntax.Expr, t *term) {
	if t.fun == nil {
		a.write(name, args, a.expr(t))
		return
	}
	arg := a.point(t.typ.Key())
	args = append(args[:len(args):len(args)], a.keysOf(arg)...)
	if a.varies(t.typ) {
		a.varied(name, args, t, arg)
		return
	}
	value := t.fun.at(arg)
	if domain := a.domainOf(t.typ); domain.partial() {
		value = a.choice(domain.has(arg), value, a.stored(name, value.typ, args))
	}
	a.everywhere(name, args, value)
}

// varied gives a function whose domain depends on the state the domain of another one at a point,
// and its value there.
func (a *assigner) varied(name string, args []*syntax.Expr, t, point *term) {
	inside := t.fun.domain.has(point)
	a.write(a.declarer.keys[domained{name, t.typ.Root()}], args, inside)
	within := *point
	within.from = t.fun.domain
	value := t.fun.at(&within)
	other := usualMap(a.writer, t.typ.Elem().Root())
	if other == nil {
		other = a.stored(name, value.typ, args)
	}
	a.everywhere(name, args, a.choice(inside, value, other))
}

// point is a value of a type that stands for every one: its names begin with a capital letter.
func (a *assigner) point(t *types.Type) *term {
	if t.Kind() != types.Tuple {
		for i := 1; ; i++ {
			if n := fmt.Sprintf("X%d", i); !a.taken[n] && !a.local[n] {
				a.local[n] = true
				return a.of(t, build.Ref(n))
			}
		}
	}
	out := &term{typ: t}
	for _, p := range t.Parts() {
		out.parts = append(out.parts, a.point(p))
	}
	return out
}

func (a *assigner) write(name string, args []*syntax.Expr, value *syntax.Expr) {
	var points []*syntax.Expr
	for _, x := range args {
		points = append(points, a.before(build.At(x, a.span)))
	}
	target := build.At(build.Apply(name, points...), a.span)
	a.body = append(a.body, &syntax.AssignStmt{Span: a.span, Target: target,
		Value: a.before(build.At(value, a.span))})
	a.assigned = append(a.assigned, name)
}

// before is an expression with the values of variables before the step.
func (a *assigner) before(x *syntax.Expr) *syntax.Expr {
	assigned := a.assigned
	if len(assigned) > 0 { // then what is derived may have changed
		assigned = slices.Concat(assigned, a.derived)
	}
	switch {
	case !mentions(x, assigned):
		return x
	case !mentions(x, a.sets):
		return &syntax.Expr{Kind: syntax.ExprOld, Span: a.span, Args: []*syntax.Expr{x}}
	case x.Kind == syntax.ExprName:
		a.fail("a function at an argument that depends on a set is not translated here")
	}
	c := *x
	c.Args, c.Binders = nil, slices.Clone(x.Binders)
	for _, p := range x.Args {
		c.Args = append(c.Args, a.before(p))
	}
	for i, b := range c.Binders {
		if b.In != nil {
			inner := *b
			inner.In = a.before(b.In)
			c.Binders[i] = &inner
		}
	}
	return &c
}

// mentions reports whether an expression has one of some names.
func mentions(x *syntax.Expr, names []string) bool {
	is := func(x *syntax.Expr) bool { return mentions(x, names) }
	return x.Kind == syntax.ExprName && slices.Contains(names, x.Name.Text) ||
		slices.ContainsFunc(x.Args, is) ||
		slices.ContainsFunc(x.Binders, func(b *syntax.Binder) bool {
			return b.In != nil && is(b.In)
		})
}
