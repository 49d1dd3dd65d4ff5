package ivy

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// step writes an exported action, and for each of its obligations an action that fails it.
//
// In the step itself an obligation is assumed. That it holds is a property of its own: a flag that
// is set by an action, which can be taken where a run of the step reaches the obligation and its
// condition is false. That action changes nothing but the flag: Ivy's run ends there.
func (l *loader) step(a *action) (steps, flags []syntax.Decl) {
	r := &runner{l: l, used: map[string]bool{}, obligations: map[*syntax.RequireStmt]*claimStmt{}}
	act := r.activate(a)
	st := state{map[*local]string{}, map[*symbol]bool{}}
	d := &syntax.ActionDecl{Span: a.decl.span,
		Name: syntax.Name{Text: a.name, Span: a.decl.name.span}}
	var names []string
	for _, p := range act.params {
		n := r.fresh(p.name)
		st.values[p], names = n, append(names, n)
	}
	body := r.perform(a, act, map[string]bool{"require": true}, st, func(state) []syntax.Stmt {
		return nil
	})
	for i, p := range act.params { // their types may follow from the body
		n, t := names[i], p.typ.root().sort
		if t == nil {
			l.errorf(diag.NoSort, p.span, "the type of '%s' is not given, and cannot be inferred",
				p.name)
			continue
		}
		d.Params = append(d.Params,
			&syntax.Binder{Name: syntax.Name{Text: n, Span: p.span}, Sort: l.sortExpr(t, p.span)})
		if c := within(t, ident(n, p.span)); c != nil {
			d.Body = append(d.Body, &syntax.RequireStmt{Span: p.span, Cond: c})
		}
	}
	d.Body = append(d.Body, body...)
	steps = []syntax.Decl{d}
	flag := map[*diag.Source]map[int]syntax.Name{}
	taken := map[string]bool{}
	for _, f := range r.failures(d.Body, nil) {
		o := f.claim
		at := flag[o.span.Source]
		if at == nil {
			at = map[int]syntax.Name{}
			flag[o.span.Source] = at
		}
		n, ok := at[o.span.Start]
		if !ok {
			n = syntax.Name{Text: l.unique(fmt.Sprintf("%s_fails_%d", a.name, o.span.Line())),
				Span: o.span}
			at[o.span.Start] = n
			no := func() *syntax.Expr {
				return apply(syntax.ExprNot, o.span, ident(n.Text, o.span))
			}
			label := fmt.Sprintf("%s:%s:%d", a.name, o.word, o.span.Line())
			for i := 2; taken[label]; i++ {
				label = fmt.Sprintf("%s:%s:%d:%d", a.name, o.word, o.span.Line(), i)
			}
			taken[label] = true
			flags = append(flags,
				&syntax.SymbolDecl{Span: o.span, Word: "relation", Mutable: true, Name: n},
				&syntax.FormulaDecl{Span: o.span, Word: "init", Expr: no()},
				&syntax.FormulaDecl{Span: o.span, Word: "safety",
					Name: syntax.Name{Text: label, Span: o.span}, Expr: no()})
		}
		steps = append(steps,
			&syntax.ActionDecl{Span: d.Span, Params: d.Params,
				Body: append(f.path,
					&syntax.AssignStmt{Span: o.span, Target: ident(n.Text, o.span),
						Value: apply(syntax.ExprTrue, o.span)}),
				Name: syntax.Name{Text: l.unique(a.name + "_to_failure"), Span: o.span}})
	}
	return steps, flags
}

// unique gives a name that nothing in the specification has.
func (l *loader) unique(wanted string) string {
	n := wanted
	for i := 2; l.globals[n]; i++ {
		n = fmt.Sprintf("%s_%d", wanted, i)
	}
	l.globals[n] = true
	return n
}

// failure is a path to an obligation that is not met.
type failure struct {
	claim *claimStmt
	path  []syntax.Stmt
}

// failures lists the paths through a body to its obligations. The path ends with the state as it
// was at the beginning.
func (r *runner) failures(body []syntax.Stmt, prefix []syntax.Stmt) (out []failure) {
	prefix = slices.Clone(prefix)
	for _, s := range body {
		switch s := s.(type) {
		case *syntax.RequireStmt:
			if c := r.obligations[s]; c != nil {
				path := append(slices.Clone(prefix),
					&syntax.RequireStmt{Span: s.Span,
						Cond: apply(syntax.ExprNot, s.Cond.Span, s.Cond)})
				out = append(out, failure{c, append(path, r.restored(prefix)...)})
			}
		case *syntax.IfStmt:
			out = append(out,
				r.failures(s.Then,
					append(slices.Clone(prefix),
						&syntax.RequireStmt{Span: s.Span, Cond: s.Cond}))...)
			out = append(out,
				r.failures(s.Else,
					append(slices.Clone(prefix),
						&syntax.RequireStmt{Span: s.Span,
							Cond: apply(syntax.ExprNot, s.Cond.Span, s.Cond)}))...)
		}
		prefix = append(prefix, s)
	}
	return out
}

// restored gives what statements assign its value from the beginning of the step.
func (r *runner) restored(body []syntax.Stmt) (out []syntax.Stmt) {
	for _, n := range assignedIn(body) {
		s := r.l.byName(n)
		point := func() *syntax.Expr {
			var args []*syntax.Expr
			for i := range s.arguments() {
				args = append(args, ident(fmt.Sprintf("X%d", i+1), s.span))
			}
			return call(n, s.span, args)
		}
		out = append(out,
			&syntax.AssignStmt{Span: s.span, Target: point(),
				Value: apply(syntax.ExprOld, s.span, point())})
	}
	return out
}

// assignedIn lists the symbols that statements assign.
func assignedIn(body []syntax.Stmt) (out []string) {
	for _, s := range body {
		var more []string
		switch s := s.(type) {
		case *syntax.IfStmt:
			more = append(assignedIn(s.Then), assignedIn(s.Else)...)
		case *syntax.AssignStmt:
			more = []string{s.Target.Name.Text}
		}
		for _, n := range more {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// byName finds a symbol by its name in the specification.
func (l *loader) byName(n string) *symbol {
	return l.symbols[slices.IndexFunc(l.symbols, func(s *symbol) bool {
		return l.symbolName(s) == n
	})]
}
