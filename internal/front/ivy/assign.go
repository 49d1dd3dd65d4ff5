package ivy

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// assign writes an assignment: to a local, to points of a symbol, or to a field of either.
func (r *runner) assign(s *assignStmt, f frame, st state, next then) []syntax.Stmt {
	e := r.elaborator(f)
	lhs := e.term(s.lhs)
	if e.failed {
		return nil
	}
	var out []syntax.Stmt
	if lhs.op == opLocal && s.rhs != nil {
		x := r.value(s.rhs, lhs.typ, f, st, &out)
		out = append(out, r.let(lhs.loc, x, st, s.span))
		return append(out, next(st)...)
	}
	// The letters of the target stand for every value.
	rhs := (*expr)(nil)
	if s.rhs != nil {
		e.nofree = "in an assignment a letter stands for every value only if it is an argument " +
			"of the target"
		rhs = e.want(s.rhs, lhs.typ)
		e.complete(rhs)
	}
	e.complete(lhs)
	if e.failed {
		return nil
	}
	w := r.writer(f, st, &out)
	for _, v := range e.free {
		n := upper(v.name)
		for i := 1; w.taken[n]; i++ {
			n = fmt.Sprintf("%s_%d", upper(v.name), i)
		}
		w.taken[n] = true
		defer w.with(v, ident(n, v.span))()
	}
	switch {
	case lhs.op == opLocal:
		n := r.fresh(lhs.loc.name)
		st.values[lhs.loc] = n
		out = append(out, r.chosen(n, lhs.typ.root().sort, s.span))
	case lhs.op == opSymbol && lhs.sym.field != nil && f.every:
		r.l.refuse(s.lhs.span,
			"an assignment to a field in the initialisation of an object with parameters")
	case lhs.op == opSymbol && lhs.sym.field != nil:
		out = append(out, r.field(s, lhs, rhs, w, st)...)
	case lhs.op == opSymbol && lhs.sym.enum == nil && lhs.sym.def == nil:
		out = append(out, r.points(s, lhs, rhs, w, st)...)
	case lhs.op == opSymbol && lhs.sym.def != nil:
		r.l.errorf(diag.DerivedTarget, lhs.span, "'%s' is defined, so it cannot be assigned to",
			lhs.sym.name).Because(lhs.sym.def.span, "it is defined here")
	default:
		r.l.errorf(diag.NotATarget, s.lhs.span, "this cannot be assigned to")
	}
	return append(out, next(st)...)
}

// target records that a symbol is assigned.
func (r *runner) target(s *symbol, st state) {
	st.dirty[s] = true
	if r.initial {
		s.initial = true
	} else {
		s.assigned = true
	}
}

// points writes an assignment to points of a symbol.
func (r *runner) points(s *assignStmt, lhs, rhs *expr, w *writer, st state) []syntax.Stmt {
	r.target(lhs.sym, st)
	target := w.expr(lhs)
	target.Span = s.lhs.span
	// A letter that is two arguments, or a part of one, has no such form: a condition says it.
	var conds []*syntax.Expr
	seen := map[*variable]bool{}
	for i, a := range lhs.args {
		free := freeOf(a)
		if len(free) == 0 {
			continue
		}
		if a.op == opVar && !seen[a.v] {
			seen[a.v] = true
			continue
		}
		n := fmt.Sprintf("P%d", i)
		for w.taken[n] {
			n += "_"
		}
		w.taken[n] = true
		conds = append(conds, apply(syntax.ExprEq, a.span, ident(n, a.span), target.Args[i]))
		target.Args[i] = ident(n, a.span)
		for _, v := range free {
			if !slices.ContainsFunc(lhs.args, func(b *expr) bool {
				return b.op == opVar && b.v == v
			}) {
				r.l.refuse(s.lhs.span, "a target with a letter in an argument")
				return nil
			}
		}
	}
	as := &syntax.AssignStmt{Span: s.span, Target: target}
	if rhs != nil {
		as.Value = w.expr(rhs)
		if len(conds) > 0 {
			as.Value = apply(syntax.ExprIf, s.span, conjunction(conds, s.span), as.Value, target)
		}
		return []syntax.Stmt{as}
	}
	if len(conds) > 0 {
		r.l.refuse(s.lhs.span, "':= *' with a letter in an argument")
		return nil
	}
	if len(target.Args) > 0 && len(seen) == len(target.Args) {
		target.Args, target.Applied = nil, false // the whole symbol
	}
	out := []syntax.Stmt{as}
	if t := lhs.typ.root().sort; t.partial() {
		var vars []*variable
		for _, a := range lhs.args {
			if a.op == opVar {
				vars = append(vars, a.v)
			}
		}
		v := &writer{l: r.l, vars: map[*variable]*syntax.Expr{}, taken: map[string]bool{},
			values: w.values, choose: w.choose}
		out = append(out,
			&syntax.RequireStmt{Span: s.span,
				Cond: v.quantified(opForall, vars, s.span, func() *syntax.Expr {
					return within(t, v.expr(lhs))
				})})
	}
	return out
}

func freeOf(x *expr) (out []*variable) {
	if x.op == opVar {
		return []*variable{x.v}
	}
	for _, a := range x.args {
		out = append(out, freeOf(a)...)
	}
	return out
}

// field writes an assignment to a field of a structure: the variable gets a value that differs from
// its value before in this field only. There is one: a structure has a value for all values of its
// fields.
func (r *runner) field(s *assignStmt, lhs, rhs *expr, w *writer, st state) []syntax.Stmt {
	base, field := lhs.args[0], lhs.sym
	t := base.typ.root().sort
	if base.op != opLocal &&
		(base.op != opSymbol || base.sym.enum != nil || base.sym.def != nil ||
			base.sym.field != nil) {
		r.l.refuse(s.lhs.span, "an assignment to a field of this")
		return nil
	}
	for _, a := range base.args {
		if len(freeOf(a)) > 0 {
			r.l.refuse(s.lhs.span, "an assignment to a field with letters")
			return nil
		}
	}
	old := w.expr(base)
	n := r.fresh("changed")
	now := ident(n, s.span)
	var same []*syntax.Expr
	for _, g := range t.fields {
		if g == field && (rhs == nil && len(g.args) == 1) {
			continue
		}
		var vars []*variable
		for i, a := range g.args[1:] {
			vars = append(vars, &variable{name: fmt.Sprintf("A%d", i), typ: a, span: s.span})
		}
		same = append(same, w.quantified(opForall, vars, s.span, func() *syntax.Expr {
			args := make([]*syntax.Expr, len(vars))
			for i, v := range vars {
				args[i] = w.vars[v]
			}
			point := func(x *syntax.Expr) *syntax.Expr {
				return call(r.l.symbolName(g), s.span, append([]*syntax.Expr{x}, args...))
			}
			value := point(old)
			if g == field {
				var at []*syntax.Expr
				for i, a := range lhs.args[1:] {
					if a.op == opVar {
						defer w.with(a.v, args[i])()
						continue
					}
					at = append(at, apply(syntax.ExprEq, s.span, args[i], w.expr(a)))
				}
				switch {
				case rhs == nil:
					return apply(syntax.ExprImplies, s.span,
						apply(syntax.ExprNot, s.span, conjunction(at, s.span)),
						apply(syntax.ExprEq, s.span, point(now), value))
				case len(at) > 0:
					value = apply(syntax.ExprIf, s.span, conjunction(at, s.span), w.expr(rhs),
						value)
				default:
					value = w.expr(rhs)
				}
			}
			return apply(syntax.ExprEq, s.span, point(now), value)
		}))
	}
	choice := r.chosen(n, t, s.span)
	choice.Such = conjunction(same, s.span)
	out := []syntax.Stmt{choice}
	if base.op == opLocal {
		st.values[base.loc] = n
		return out
	}
	r.target(base.sym, st)
	return append(out, &syntax.AssignStmt{Span: s.span, Target: old, Value: now})
}
