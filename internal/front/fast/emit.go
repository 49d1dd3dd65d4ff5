package fast

import (
	"math/big"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// specification writes what a question is about, with its claims as safety properties.
func (m *model) specification(q *question) *syntax.File {
	out := &syntax.File{Source: m.src}
	var steps []*transition
	// What keeps its value in all transitions is a parameter, unless it has only one value.
	mutable := map[string]bool{}
	fixes(q.init, mutable)
	for _, n := range q.transitions {
		t := m.transitions[n]
		steps = append(steps, t)
		for _, a := range t.action {
			if a.value.op != opName || a.value.name != a.target.text {
				mutable[a.target.text] = true
			}
		}
	}
	enum := &syntax.EnumDecl{Span: m.states[0].span,
		Name: syntax.Name{Text: locations, Span: m.states[0].span}}
	for _, s := range m.states {
		enum.Members = append(enum.Members, ereName(s))
	}
	out.Decls = append(out.Decls, enum, &syntax.SymbolDecl{
		Span: m.states[0].span, Word: "constant", Mutable: true,
		Name:   syntax.Name{Text: location, Span: m.states[0].span},
		Result: &syntax.SortExpr{Name: locations, Span: m.states[0].span},
	})
	for _, v := range m.vars {
		out.Decls = append(out.Decls, &syntax.SymbolDecl{
			Span: v.span, Word: "constant", Mutable: mutable[v.text],
			Name:   ereName(v),
			Result: &syntax.SortExpr{Name: "int", Span: v.span},
		})
	}
	for _, v := range m.vars {
		if m.naturals {
			word := "axiom"
			if mutable[v.text] {
				word = "init"
			}
			out.Decls = append(out.Decls,
				&syntax.FormulaDecl{Span: v.span, Word: word,
					Expr: notNegative(use(v.text, v.span))})
		}
	}
	if q.init.Kind != syntax.ExprTrue {
		out.Decls = append(out.Decls, &syntax.FormulaDecl{Span: q.span, Word: "init", Expr: q.init})
	}
	for _, t := range steps {
		out.Decls = append(out.Decls, m.action(t, mutable))
	}
	for _, c := range q.claims {
		out.Decls = append(out.Decls, &syntax.FormulaDecl{
			Span: c.span, Word: "safety", Name: syntax.Name{Text: c.name, Span: c.span},
			Expr: c.holds,
		})
	}
	return out
}

// fixes adds the variables that a conjunct of a formula gives a number.
func fixes(e *syntax.Expr, to map[string]bool) {
	switch e.Kind {
	case syntax.ExprAnd:
		for _, a := range e.Args {
			fixes(a, to)
		}
	case syntax.ExprEq:
		for i, a := range e.Args {
			if a.Kind == syntax.ExprName && e.Args[1-i].Kind == syntax.ExprInt {
				to[a.Name.Text] = true
			}
		}
	}
}

func ereName(n name) syntax.Name { return syntax.Name{Text: n.text, Span: n.span} }

func notNegative(e *syntax.Expr) *syntax.Expr {
	return &syntax.Expr{Kind: syntax.ExprGe, Span: e.Span,
		Args: []*syntax.Expr{e, numeral(new(big.Int), e.Span)}}
}

// action writes a transition. Its assignments happen at once, so values that are read later are
// named before.
func (m *model) action(t *transition, mutable map[string]bool) *syntax.ActionDecl {
	out := &syntax.ActionDecl{Span: t.span, Name: ereName(t.name)}
	require := func(e *syntax.Expr) {
		if e.Kind != syntax.ExprTrue {
			out.Body = append(out.Body, &syntax.RequireStmt{Span: e.Span, Cond: e})
		}
	}
	require(&syntax.Expr{Kind: syntax.ExprEq, Span: t.from.span,
		Args: []*syntax.Expr{use(location, t.from.span), use(t.from.text, t.from.span)}})
	if t.guard != nil {
		require(m.formula(t.guard, false))
	}
	var sets []*syntax.AssignStmt
	var lets []syntax.Stmt
	assign := func(span diag.Span, target string, value *syntax.Expr) {
		sets = append(sets, &syntax.AssignStmt{Span: span, Target: use(target, span), Value: value})
	}
	for i, a := range t.action {
		span := a.target.span.To(a.value.span)
		switch {
		case !mutable[a.target.text]:
		case a.value.op == opAny:
			assign(span, a.target.text, nil)
		default:
			value := m.sum(a.value)
			if m.naturals && !natural(a.value) {
				require(notNegative(value))
			}
			if value.Kind == syntax.ExprName && value.Name.Text == a.target.text {
				continue
			}
			if slices.ContainsFunc(t.action[:i], func(b assignment) bool {
				return reads(a.value, b.target.text)
			}) {
				n := syntax.Name{Text: "new_" + a.target.text, Span: a.target.span}
				for m.isVar(n.Text) || m.isState(n.Text) {
					n.Text += "_"
				}
				lets = append(lets,
					&syntax.LetStmt{Span: span,
						Binder: &syntax.Binder{Name: n,
							Sort: &syntax.SortExpr{Name: "int", Span: span}}, Value: value})
				value = use(n.Text, span)
			}
			assign(span, a.target.text, value)
		}
	}
	if t.from.text != t.to.text {
		assign(t.to.span, location, use(t.to.text, t.to.span))
	}
	out.Body = append(out.Body, lets...)
	for _, s := range sets {
		out.Body = append(out.Body, s)
	}
	return out
}

func reads(e *expr, variable string) bool {
	return e.op == opName && e.name == variable || slices.ContainsFunc(e.args, func(a *expr) bool {
		return reads(a, variable)
	})
}
