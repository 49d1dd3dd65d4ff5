package ivy

import (
	"cmp"
	"maps"
	"slices"

	"erelong.dev/erelong/internal/front/ere/syntax"
)

// loop writes while. As for Ivy a loop is what its invariants say: they hold where it begins, each
// turn keeps them, and nothing else is known of what the loop assigns when it ends. Whether it ends
// is not asked.
func (r *runner) loop(s *whileStmt, f frame, st state, next then) []syntax.Stmt {
	if s.some == nil && s.cond == nil {
		r.l.refuse(s.span, "a loop 'while' with this condition")
		return nil
	}
	if s.cond != nil {
		e := r.elaborator(f)
		e.nofree = "variables in the condition of 'while' need a quantifier"
		if e.formula(s.cond); e.failed {
			return nil
		}
	}
	turn, end := s.turn()
	body := s.body
	if s.some != nil { // it names what is chosen
		body = turn
	}
	symbols, locals := r.assignedBy(body, f, st)
	claims := func(word string) (out []stmt) {
		for _, inv := range s.invariants {
			out = append(out, &claimStmt{span: inv.span, word: word, formula: inv})
		}
		return out
	}
	return r.run(claims("invariant"), f, st, func(st state) []syntax.Stmt {
		st = st.clone()
		var out []syntax.Stmt
		for _, sym := range symbols {
			vars, point := sym.point()
			w := r.writer(f, st, &out)
			out = append(out,
				r.points(&assignStmt{span: s.span, lhs: &term{span: s.span}}, point, nil,
					w.named(vars), st)...)
		}
		for _, v := range locals {
			n := r.fresh(v.name)
			st.values[v] = n
			out = append(out, r.chosen(n, v.typ.root().sort, s.span))
		}
		return append(out, r.run(claims("assume"), f, st, func(st state) []syntax.Stmt {
			again := r.fresh("again")
			turn := slices.Concat(turn, claims("invariant"))
			body := r.run(turn, f, st.clone(), func(state) []syntax.Stmt {
				return []syntax.Stmt{&syntax.RequireStmt{Span: s.span,
					Cond: apply(syntax.ExprFalse, s.span)}}
			})
			out := []syntax.Stmt{r.chosen(again, boolean, s.span),
				&syntax.IfStmt{Span: s.span, Cond: ident(again, s.span), Then: body}}
			return append(out, r.run(end, f, st, next)...)
		})...)
	})
}

// turn is one turn of a loop, and its end: each assumes whether the condition is true.
func (s *whileStmt) turn() (turn, end []stmt) {
	assume := func(t *term) stmt {
		return &claimStmt{span: t.span, word: "assume", formula: formula{term: t}}
	}
	if s.some == nil {
		not := &term{kind: termOp, op: "~", args: []*term{s.cond}, span: s.cond.span}
		return append([]stmt{assume(s.cond)}, s.body...), []stmt{assume(not)}
	}
	never := assume(&term{kind: termOp, op: opFalse, span: s.span})
	return []stmt{&ifStmt{span: s.span, some: s.some, then: s.body, alt: []stmt{never}}},
		[]stmt{&ifStmt{span: s.span, some: s.some, then: []stmt{never}}}
}

// assignedBy lists the symbols and the locals that statements may assign.
func (r *runner) assignedBy(body []stmt, f frame, st state) (symbols []*symbol, locals []*local) {
	marks, used, count, mark := maps.Clone(r.obligations), maps.Clone(r.used), r.statements,
		r.locals
	trial := r.trial
	r.trial = true
	seen := map[*symbol]bool{}
	changed := map[*local]bool{}
	r.run(body, f, state{maps.Clone(st.values), map[*symbol]bool{}}, func(end state) []syntax.Stmt {
		maps.Copy(seen, end.dirty)
		for v, n := range end.values {
			if v.number < mark && st.values[v] != n {
				changed[v] = true
			}
		}
		return nil
	})
	r.obligations, r.used, r.statements, r.trial = marks, used, count, trial
	symbols = slices.SortedFunc(maps.Keys(seen), func(a, b *symbol) int {
		return cmp.Compare(a.name, b.name)
	})
	locals = slices.SortedFunc(maps.Keys(changed), func(a, b *local) int {
		return cmp.Compare(a.number, b.number)
	})
	return symbols, locals
}
