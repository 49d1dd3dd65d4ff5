package ivy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/printer"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/parse"
)

// runner writes an exported action, with all actions that it calls, as one step.
//
// A local of Ivy changes its value; a variable of a specification does not. So each assignment to a
// local binds a new variable, and where the branches of a condition leave different values, what
// follows stands in both branches.
type runner struct {
	l    *loader
	used map[string]bool // names of variables
	// obligations are the conditions that must hold when they are reached.
	obligations map[*syntax.RequireStmt]*claimStmt
	depth       int
	locals      int  // how many there were
	initial     bool // an initialisation is read
	statements  int
	// trial says that only the states at the ends are asked for, and what is written is thrown
	// away. So a condition within a condition is not tried again and again.
	trial bool
}

// maxStatements bounds what one step may become.
const maxStatements = 20000

// state is what the path so far has done: the values of locals, and the symbols that it assigned.
type state struct {
	values map[*local]string
	dirty  map[*symbol]bool
}

func (s state) clone() state { return state{maps.Clone(s.values), maps.Clone(s.dirty)} }

// frame is the surroundings of statements: the body of one action, in one call.
type frame struct {
	scope  *scope
	locals *names
	entry  map[*local]string
	dirty  map[*symbol]bool // at the beginning of the call
	// Claims with these words are assumed: of the environment that calls, or is called.
	assumed map[string]bool
	// external says that calls from here are the environment's: a monitor of an exported action.
	external bool
	// every says that the statements are about every value of the parameters of the object around:
	// an initialisation. Nothing there may be decided or chosen once for all of them.
	every bool
}

func (f frame) bind(n string, v *local) frame {
	f.locals = &names{f.locals, n, v}
	return f
}

// then is what follows.
type then func(state) []syntax.Stmt

func (r *runner) fresh(wanted string) string {
	if wanted == "" || !parse.Letter(wanted[0]) {
		wanted = "value"
	}
	if wanted[0] >= 'A' && wanted[0] <= 'Z' {
		wanted = "v_" + wanted
	}
	n := wanted
	for i := 1; r.used[n] || r.l.globals[n] || printer.Reserved(n); i++ {
		n = fmt.Sprintf("%s_%d", wanted, i)
	}
	r.used[n] = true
	return n
}

// local makes a variable of an action.
func (r *runner) local(n name, typ *cell) *local {
	r.locals++
	return &local{name: n.text, typ: typ, span: n.span, number: r.locals - 1}
}

// elaborator is for a formula at this place.
func (r *runner) elaborator(f frame) *elaborator {
	return &elaborator{l: r.l, scope: f.scope, locals: f.locals, old: !r.initial}
}

// writer writes terms at this place. Choices of values that they need go to pre.
func (r *runner) writer(f frame, st state, pre *[]syntax.Stmt) *writer {
	w := &writer{l: r.l, vars: map[*variable]*syntax.Expr{}, taken: map[string]bool{},
		values: st.values, dirty: f.dirty}
	w.choose = func(v *local) string {
		n := r.fresh(v.name)
		*pre = append(*pre, r.chosen(n, v.typ.root().sort, v.span))
		st.values[v] = n
		return n
	}
	w.before = func(v *local) (string, bool) {
		n, ok := f.entry[v]
		return n, ok
	}
	return w
}

// chosen binds a variable to any value.
func (r *runner) chosen(n string, t *sort, span diag.Span) *syntax.ChooseStmt {
	b := &syntax.Binder{Name: syntax.Name{Text: n, Span: span}, Sort: r.l.sortExpr(t, span)}
	return &syntax.ChooseStmt{Span: span, Binder: b, Such: within(t, ident(n, span))}
}

// closed elaborates and writes a formula of a statement, with a universal quantifier around it.
func (r *runner) closed(
	t *term, f frame, st state, pre *[]syntax.Stmt, noFree string,
) *syntax.Expr {
	e := r.elaborator(f)
	e.nofree = noFree
	x := e.formula(t)
	e.complete(x)
	if e.failed {
		return apply(syntax.ExprTrue, t.span)
	}
	if noFree != "" && len(e.free) > 0 {
		r.l.refuse(t.span, "a condition about the parameter '%s' in an initialisation",
			e.free[0].name)
	}
	w := r.writer(f, st, pre)
	return w.quantified(opForall, e.free, t.span, func() *syntax.Expr { return w.expr(x) })
}

// value elaborates and writes a term of a statement.
func (r *runner) value(t *term, typ *cell, f frame, st state, pre *[]syntax.Stmt) *syntax.Expr {
	e := r.elaborator(f)
	e.nofree = "a value has no variables"
	x := e.want(t, typ)
	e.complete(x)
	if e.failed {
		return apply(syntax.ExprTrue, t.span)
	}
	if len(e.free) > 0 {
		r.l.refuse(t.span, "a value that depends on the parameter '%s' in an initialisation",
			e.free[0].name)
	}
	return r.writer(f, st, pre).expr(x)
}

// run writes statements and what follows them.
func (r *runner) run(list []stmt, f frame, st state, k then) []syntax.Stmt {
	if len(list) == 0 || r.l.errs.Err() != nil {
		return k(st)
	}
	if r.statements++; r.statements > maxStatements {
		r.l.refuse(list[0].pos(), "a step of more than %d statements", maxStatements)
		return nil
	}
	s, rest := list[0], list[1:]
	if pre, changed, g := r.lift(s, f); len(pre) > 0 {
		return r.run(append(append(pre, changed), rest...), g, st, k)
	}
	if f.every && chooses(s) {
		r.l.refuse(s.pos(),
			"a choice, a loop or a call in the initialisation of an object with parameters")
		return nil
	}
	next := func(st state) []syntax.Stmt { return r.run(rest, f, st, k) }
	switch s := s.(type) {
	case *claimStmt:
		return r.claim(s, f, st, next)
	case *assignStmt:
		return r.assign(s, f, st, next)
	case *callStmt:
		return r.callStatement(s, f, st, next)
	case *ifStmt:
		return r.condition(s, f, st, next)
	case *blockStmt:
		return r.run(s.body, f, st, next)
	case *localStmt:
		g := f
		for _, b := range s.vars {
			g = g.bind(b.name.text, r.local(b.name, r.typ(b.typ, f)))
		}
		return r.run(s.body, g, st, next)
	case *varStmt:
		if len(s.args) > 0 {
			r.l.refuse(s.span, "a local function")
			return nil
		}
		v := r.local(s.v.name, r.typ(s.v.typ, f))
		g := f.bind(v.name, v)
		if s.init == nil {
			return r.run(rest, g, st, k)
		}
		var pre []syntax.Stmt
		x := r.value(s.init, v.typ, f, st, &pre)
		pre = append(pre, r.let(v, x, st, s.span))
		return append(pre, r.run(rest, g, st, k)...)
	case *whileStmt:
		return r.loop(s, f, st, next)
	case *nativeStmt:
		r.l.errs.Warnf(diag.IvyReadOver, s.span,
			"code in another language changes nothing here, and its results may be any")
		return next(st)
	}
	return nil
}

// chooses reports whether a statement, apart from the ones in it, may choose a value.
func chooses(s stmt) bool {
	switch s := s.(type) {
	case *ifStmt:
		return s.cond == nil
	case *varStmt:
		return s.init == nil
	case *localStmt, *whileStmt, *callStmt:
		return true
	}
	return false
}

func (r *runner) typ(n name, f frame) *cell {
	if n.text == "" {
		return &cell{}
	}
	return known(r.l.sortOf(n, f.scope))
}

// let binds a new variable to the new value of a local.
func (r *runner) let(v *local, x *syntax.Expr, st state, span diag.Span) syntax.Stmt {
	n := r.fresh(v.name)
	st.values[v] = n
	b := &syntax.Binder{Name: syntax.Name{Text: n, Span: span},
		Sort: r.l.sortExpr(v.typ.root().sort, span)}
	return &syntax.LetStmt{Span: span, Binder: b, Value: x}
}

// claim writes assume, assert, require and ensure.
func (r *runner) claim(s *claimStmt, f frame, st state, next then) []syntax.Stmt {
	var out []syntax.Stmt
	req := &syntax.RequireStmt{Span: s.span, Cond: r.closed(s.term, f, st, &out, "")}
	switch {
	case s.word == "assume" || f.assumed[s.word]:
	case f.scope.trusts() && s.word != "require":
		r.l.trust(f.scope, s)
	default:
		r.obligations[req] = s
	}
	out = append(out, req)
	return append(out, next(st)...)
}

// trust says that a claim of a trusted object is assumed, once for each object.
func (l *loader) trust(s *scope, c *claimStmt) {
	if !s.warned {
		s.warned = true
		l.errs.Warnf(diag.IvyReadOver, c.span,
			"'%s' is trusted: what its actions %s is assumed", strings.TrimSuffix(s.path, "."),
			c.word)
	}
}

// condition writes if.
func (r *runner) condition(s *ifStmt, f frame, st state, next then) []syntax.Stmt {
	var out []syntax.Stmt
	g, cond := f, (*syntax.Expr)(nil)
	var inThen []syntax.Stmt
	thenState := st
	switch {
	case s.some != nil:
		g, cond, inThen, thenState = r.some(s.some, f, st, &out)
	case s.cond == nil:
		n := r.fresh("branch")
		out = append(out, r.chosen(n, boolean, s.span))
		cond = ident(n, s.span)
	default:
		cond = r.closed(s.cond, f, st, &out, "variables in the condition of 'if' need a quantifier")
	}
	mark := r.locals
	var ends []state
	stop := func(st state) []syntax.Stmt {
		ends = append(ends, st)
		return nil
	}
	marks, count := maps.Clone(r.obligations), r.statements
	used := maps.Clone(r.used)
	branches := func(k then) *syntax.IfStmt {
		a := append(slices.Clone(inThen), r.run(s.then, g, thenState.clone(), k)...)
		return &syntax.IfStmt{Span: s.span, Cond: cond, Then: a,
			Else: r.run(s.alt, f, st.clone(), k)}
	}
	trial := r.trial
	r.trial = true
	branches(stop)
	r.trial = trial
	after, same := merge(st, ends, mark)
	switch {
	case trial && same:
		return next(after)
	case trial:
		for _, end := range ends {
			next(end)
		}
		return nil
	}
	r.obligations, r.used, r.statements = marks, used, count
	if !same {
		return append(out, branches(next))
	}
	out = append(out, branches(func(state) []syntax.Stmt { return nil }))
	return append(out, next(after)...)
}

// merge joins the states at the ends of branches, if each local that was declared before them, with
// a number below mark, has one value.
func merge(before state, ends []state, mark int) (state, bool) {
	after := before.clone()
	for _, end := range ends {
		maps.Copy(after.dirty, end.dirty)
		for v, n := range end.values {
			if v.number < mark && before.values[v] != n {
				return after, false
			}
		}
	}
	return after, true
}

// some writes the condition of `if some`, and the choice in its first branch.
func (r *runner) some(
	s *some, f frame, st state, pre *[]syntax.Stmt,
) (g frame, cond *syntax.Expr, choices []syntax.Stmt, after state) {
	g = f
	e := r.elaborator(f)
	e.nofree = "variables in a condition need a quantifier"
	var vars []*variable
	for _, b := range s.vars {
		vars = append(vars, &variable{name: b.name.text, typ: r.typ(b.typ, f), span: b.name.span})
	}
	e.bound = slices.Clone(vars)
	for _, v := range vars { // a local of the same name is hidden
		e.locals = &names{e.locals, v.name, nil}
	}
	x := e.formula(s.such)
	e.complete(x)
	var by *expr
	if s.best != "" {
		by = e.term(s.by)
		e.complete(by)
	}
	if e.failed {
		return g, apply(syntax.ExprTrue, s.such.span), nil, st
	}
	w := r.writer(f, st, pre)
	cond = w.quantified(opExists, vars, s.such.span, func() *syntax.Expr { return w.expr(x) })
	after = st.clone()
	var undo []func()
	such := func() *syntax.Expr {
		if by == nil {
			return w.expr(x)
		}
		// No other values are better.
		least := w.expr(by)
		others := make([]*variable, len(vars))
		for i, v := range vars {
			others[i] = &variable{name: upper(v.name), typ: v.typ, span: v.span}
		}
		best := w.quantified(opForall, others, s.such.span, func() *syntax.Expr {
			for i, v := range vars {
				defer w.with(v, w.vars[others[i]])()
			}
			other := w.expr(by)
			if s.best == "minimizing" {
				least, other = other, least
			}
			return apply(syntax.ExprImplies, s.such.span, w.expr(x),
				apply(syntax.ExprNot, s.such.span,
					r.less(w, by.typ.root().sort, s.such.span, least, other)))
		})
		return apply(syntax.ExprAnd, s.such.span, w.expr(x), best)
	}
	for i, v := range vars {
		n := r.fresh(v.name)
		loc := r.local(name{v.name, v.span}, v.typ)
		g = g.bind(v.name, loc)
		after.values[loc] = n
		choice := r.chosen(n, v.typ.root().sort, v.span)
		undo = append(undo, w.with(v, ident(n, v.span)))
		choices = append(choices, choice)
		if i == len(vars)-1 {
			c := such()
			if choice.Such != nil {
				c = apply(syntax.ExprAnd, v.span, choice.Such, c)
			}
			choice.Such = c
		}
	}
	for _, u := range undo {
		u()
	}
	return g, cond, choices, after
}

func (r *runner) less(w *writer, t *sort, span diag.Span, a, b *syntax.Expr) *syntax.Expr {
	if t.number() {
		return apply(syntax.ExprLt, span, a, b)
	}
	return w.operator(r.l.operatorOf(t, "<", span), span, a, b)
}
