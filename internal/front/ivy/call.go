package ivy

import (
	"fmt"
	"maps"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// maxCalls bounds the depth of calls: recursive actions have no step of bounded length.
const maxCalls = 50

// lift takes the calls of actions out of the terms of a statement: they come before it, and their
// results stand in their places.
func (r *runner) lift(s stmt, f frame) (pre []stmt, changed stmt, g frame) {
	g = f
	lifted := func(t *term) *term {
		if t == nil {
			return nil
		}
		x, calls := r.liftTerm(t, &g)
		pre = append(pre, calls...)
		return x
	}
	switch s := s.(type) {
	case *claimStmt:
		c := *s
		c.term = lifted(s.term)
		return pre, &c, g
	case *assignStmt:
		c := *s
		if s.rhs != nil && s.rhs.kind != termOp { // x := a is a call with one result
			if h := r.calls(s.rhs, f); h.entity != nil {
				return []stmt{&callStmt{s.span, []*term{s.lhs}, s.rhs}}, &blockStmt{span: s.span}, f
			}
		}
		if t := s.rhs; t != nil && t.op == opIte &&
			(r.callsIn(t.args[1], f) || r.callsIn(t.args[2], f)) {
			set := func(t *term) []stmt { return []stmt{&assignStmt{s.span, s.lhs, t}} }
			return []stmt{&ifStmt{span: s.span, cond: t.args[0], then: set(t.args[1]),
				alt: set(t.args[2])}}, &blockStmt{span: s.span}, f
		}
		c.lhs, c.rhs = lifted(s.lhs), lifted(s.rhs)
		return pre, &c, g
	case *varStmt:
		c := *s
		c.init = lifted(s.init)
		return pre, &c, g
	case *ifStmt:
		c := *s
		c.cond = lifted(s.cond)
		return pre, &c, g
	case *callStmt:
		c := *s
		callee := *s.callee
		callee.args = slices.Clone(s.callee.args)
		for i, a := range callee.args {
			callee.args[i] = lifted(a)
		}
		c.callee = &callee
		return pre, &c, g
	}
	return nil, s, f
}

// calls resolves a term that calls an action; otherwise the entity is nil.
func (r *runner) calls(t *term, f frame) head {
	if t.kind != termName && t.kind != termDot {
		return head{}
	}
	e := r.elaborator(f)
	e.failed = true // no messages: it is a question
	h, ok := e.head(t)
	if !ok || h.entity == nil || h.entity.act == nil {
		return head{}
	}
	return h
}

// callsIn reports whether a term calls an action anywhere.
func (r *runner) callsIn(t *term, f frame) bool {
	return r.calls(t, f).entity != nil || slices.ContainsFunc(t.args, func(a *term) bool {
		return r.callsIn(a, f)
	})
}

func (r *runner) liftTerm(t *term, f *frame) (*term, []stmt) {
	if t.kind == termQuant || t.kind == termRun || t.kind == termOld {
		return t, nil
	}
	if t.op == opIte && (r.callsIn(t.args[1], *f) || r.callsIn(t.args[2], *f)) {
		r.l.refuse(t.span, "a call within a conditional term")
		return t, nil
	}
	var pre []stmt
	c := *t
	c.args = slices.Clone(t.args)
	h := r.calls(t, *f)
	for i, a := range t.args {
		if i == 0 && t.kind == termDot && (a.kind == termName || a.kind == termDot) &&
			r.calls(a, *f).entity == nil {
			continue // an object, or a value without calls
		}
		x, calls := r.liftTerm(a, f)
		c.args[i] = x
		pre = append(pre, calls...)
	}
	if h.entity == nil {
		return &c, pre
	}
	n := name{fmt.Sprintf("\x01%d", r.locals), t.span}
	typ := &cell{}
	if res := h.entity.act.decl.returns; len(res) == 1 {
		typ = known(r.l.sortOf(res[0].typ, h.entity.act.scope))
	}
	*f = f.bind(n.text, r.local(n, typ))
	result := &term{kind: termName, name: n, span: t.span}
	return result, append(pre, &callStmt{t.span, []*term{result}, &c})
}

// callStatement writes a call: the arguments, what is done at each call of the action, the results.
func (r *runner) callStatement(s *callStmt, f frame, st state, next then) []syntax.Stmt {
	h := r.calls(s.callee, f)
	if h.entity == nil {
		e := r.elaborator(f)
		e.term(s.callee)
		if !e.failed {
			r.l.errorf(diag.NotCallable, s.callee.span, "this is no call of an action")
		}
		return nil
	}
	a := h.entity.act
	if r.depth++; r.depth > maxCalls {
		r.l.refuse(s.span, "a call of the action '%s' by itself", a.name)
		r.depth--
		return nil
	}
	defer func() { r.depth-- }()
	if len(s.lhs) > 0 && len(s.lhs) != len(a.decl.returns) {
		r.l.errorf(diag.WrongArguments, s.span,
			"the action '%s' has %d results, but here %d are taken", a.name, len(a.decl.returns),
			len(s.lhs))
		return nil
	}
	act := r.activate(a)
	st = st.clone()
	out, ok := r.pass(s, a, h.args, act, f, st)
	if !ok {
		return nil
	}
	assumed := map[string]bool{"require": f.external}
	return append(out, r.perform(a, act, assumed, st, func(st state) []syntax.Stmt {
		return r.take(s, act, f, st.clone(), next)
	})...)
}

// pass writes the arguments of a call: st gets the values of the parameters.
func (r *runner) pass(
	s *callStmt, a *action, args []*term, act *activation, f frame, st state,
) (out []syntax.Stmt, ok bool) {
	params := a.parameters()
	missing := len(params) - len(args)
	wrong := missing < 0 || missing > len(a.scope.params)
	for i := 0; i < missing && !wrong; i++ { // the parameters of an object around both
		e := r.elaborator(f)
		v := a.scope.params[i]
		if wrong = !e.within(v); wrong {
			break
		}
		x := e.parameter(v, s.span)
		if x.op != opLocal {
			r.l.refuse(s.span, "a call for every value of a parameter")
			return nil, false
		}
		st.values[act.params[i]] = r.writer(f, st, &out).local(x.loc)
	}
	if wrong {
		r.l.errorf(diag.WrongArguments, s.span,
			"the action '%s' takes %d arguments, but here it has %d", a.name, len(params),
			len(args))
		return nil, false
	}
	for i, t := range args {
		p := act.params[missing+i]
		x := r.value(t, p.typ, f, st, &out)
		if x.Kind == syntax.ExprName && !x.Applied && r.used[x.Name.Text] {
			st.values[p] = x.Name.Text // a variable, which keeps its value
			continue
		}
		out = append(out, r.let(p, x, st, t.span))
	}
	return out, true
}

// take writes what becomes of the results of a call, and what follows it.
func (r *runner) take(
	s *callStmt, act *activation, f frame, st state, next then,
) (out []syntax.Stmt) {
	for i, t := range s.lhs {
		v := act.returns[i]
		result := &term{kind: termName, name: name{"\x02", t.span}, span: t.span}
		g := f.bind("\x02", v)
		if _, ok := st.values[v]; !ok {
			n := r.fresh(v.name)
			out = append(out, r.chosen(n, v.typ.root().sort, v.span))
			st.values[v] = n
		}
		if loc := f.locals.find(t.name.text); t.kind == termName && loc != nil &&
			unify(loc.typ, v.typ) {
			st.values[loc] = st.values[v]
			continue
		}
		return append(out, r.assign(&assignStmt{s.span, t, result}, g, st, func(
			st state,
		) []syntax.Stmt {
			if i+1 < len(s.lhs) {
				r.l.refuse(s.span, "two results that are not variables of the action")
			}
			return next(st)
		})...)
	}
	return append(out, next(st)...)
}

// parameters are all parameters of an action: the parameters of the objects around it come first.
func (a *action) parameters() []binder {
	return append(bindersOf(a.scope.params), a.decl.params...)
}

func bindersOf(vars []*variable) (out []binder) {
	for _, v := range vars {
		out = append(out, binder{name: name{v.name, v.span}})
	}
	return out
}

// activation is one call of an action, with its parameters and results.
type activation struct {
	params, returns []*local
}

func (r *runner) activate(a *action) *activation {
	out := &activation{}
	for _, v := range a.scope.params {
		out.params = append(out.params, r.local(name{v.name, v.span}, v.typ))
	}
	for _, b := range a.decl.params {
		out.params = append(out.params, r.local(b.name, r.typ(b.typ, frame{scope: a.scope})))
	}
	for _, b := range a.decl.returns {
		// A result with the name of a parameter is that parameter.
		at := slices.IndexFunc(a.decl.params, func(p binder) bool {
			return p.name.text == b.name.text
		})
		if at >= 0 {
			out.returns = append(out.returns, out.params[len(a.scope.params)+at])
			continue
		}
		out.returns = append(out.returns, r.local(b.name, r.typ(b.typ, frame{scope: a.scope})))
	}
	return out
}

// perform writes what a call of an action does: its monitors before, its body, its monitors after.
// The monitor that stands last in the file is the outermost, as in Ivy.
func (r *runner) perform(
	a *action, act *activation, assumed map[string]bool, st state, k then,
) []syntax.Stmt {
	type part struct {
		body  []stmt
		frame frame
	}
	var parts []part
	around := frame{entry: maps.Clone(st.values), dirty: maps.Clone(st.dirty)}
	add := func(s *scope, params, returns []binder, body []stmt, f frame) {
		if f, ok := r.enter(a, act, s, params, returns, f); ok {
			parts = append(parts, part{body, f})
		}
	}
	body, monitor := around, around
	body.assumed, monitor.assumed = assumed, assumed
	monitor.external = assumed["require"]
	before := monitor
	if before.external {
		before.assumed = maps.Clone(assumed)
		before.assumed["assert"] = true
	}
	for _, m := range slices.Backward(a.before) {
		add(m.scope, m.decl.params, m.decl.returns, m.decl.body, before)
	}
	if m := a.implementation; m != nil {
		add(m.scope, m.decl.params, m.decl.returns, m.decl.body, body)
	} else {
		add(a.scope, a.decl.params, a.decl.returns, a.decl.body, body)
	}
	for _, m := range a.after {
		add(m.scope, m.decl.params, m.decl.returns, m.decl.body, monitor)
	}
	var from func(i int) then
	from = func(i int) then {
		return func(st state) []syntax.Stmt {
			if i == len(parts) {
				return k(st)
			}
			return r.run(parts[i].body, parts[i].frame, st, from(i+1))
		}
	}
	return from(0)(st)
}

// enter gives parameters and results of a call to the names that a body or a monitor has for them.
// The parameters of the objects around a monitor are its first parameters, as in Ivy. What it does
// not name has the name of the declaration.
func (r *runner) enter(
	a *action, act *activation, s *scope, params, returns []binder, f frame,
) (frame, bool) {
	f.scope = s
	own := append(bindersOf(s.params), params...)
	for i, b := range a.parameters() {
		if i >= len(a.scope.params) && i >= len(own) {
			f = f.bind(b.name.text, act.params[i])
		}
	}
	for i, b := range own {
		if i >= len(act.params) {
			r.l.errorf(diag.WrongArguments, b.name.span, "the action '%s' has fewer parameters",
				a.name)
			return f, false
		}
		var typ *cell
		if i < len(s.params) {
			typ = s.params[i].typ
			f = f.bind("\x00"+b.name.text, act.params[i])
		} else if f = f.bind(b.name.text, act.params[i]); b.typ.text != "" {
			typ = known(r.l.sortOf(b.typ, s))
		} else {
			continue
		}
		if !unify(typ, act.params[i].typ) {
			r.l.errorf(diag.SortMismatch, b.name.span,
				"'%s' has another type in the declaration of '%s'", b.name.text, a.name)
		}
	}
	for i, b := range a.decl.returns {
		if i >= len(returns) {
			f = f.bind(b.name.text, act.returns[i])
		}
	}
	for i, b := range returns {
		if i >= len(act.returns) {
			r.l.errorf(diag.WrongArguments, b.name.span, "the action '%s' has fewer results",
				a.name)
			return f, false
		}
		f = f.bind(b.name.text, act.returns[i])
	}
	return f, true
}
