package threshold

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// model is a checked automaton.
type model struct {
	*automaton
	src   *diag.Source
	errs  *diag.List
	names []string // of the rules, as actions
	rests bool     // each run has finitely many steps that change something
}

func newModel(src *diag.Source, a *automaton, errs *diag.List) *model {
	m := &model{automaton: a, src: src, errs: errs}
	seen := map[string]bool{}
	for _, n := range slices.Concat(a.parameters, a.unknowns, a.shared, a.locations) {
		if seen[n.Text] {
			errs.Errorf(diag.Duplicate, n.Span, "'%s' is declared twice", n.Text)
		}
		if a.defines[n.Text] != nil {
			errs.Errorf(diag.Duplicate, n.Span,
				"'%s' is declared, and stands for an expression by define", n.Text)
		}
		seen[n.Text] = true
	}
	for _, r := range a.rules {
		for _, n := range []syntax.Name{r.from, r.to} {
			if !among(a.locations, n.Text) {
				errs.Errorf(diag.UnresolvedName, n.Span, "there is no location '%s'", n.Text)
			}
		}
		for i, c := range r.changes {
			m.twice(c, r.changes[:i])
			if !among(a.shared, c.name.Text) {
				errs.Errorf(diag.UnresolvedName, c.name.Span, "there is no shared variable '%s'",
					c.name.Text)
			}
		}
		name := r.from.Text + "_to_" + r.to.Text
		for k := 2; slices.Contains(m.names, name) || seen[name]; k++ {
			name = fmt.Sprintf("%s_to_%s_%d", r.from.Text, r.to.Text, k)
		}
		m.names = append(m.names, name)
	}
	m.rests = m.acyclic()
	return m
}

// twice complains of a change to what the rule has changed before.
func (m *model) twice(c change, before []change) {
	for _, b := range before {
		switch {
		case b.name.Text != c.name.Text:
		case b.value != nil && c.value != nil:
			m.errs.Errorf(diag.Duplicate, c.name.Span,
				"'%s' is changed twice in a step: keep one of the changes", c.name.Text)
		case b.value != nil || c.value != nil:
			m.errs.Warnf(diag.ThresholdUnchanged, c.name.Span,
				"the rule changes '%s' and lists it as unchanged: it is changed", c.name.Text)
		}
	}
}

func among(names []syntax.Name, text string) bool {
	return slices.ContainsFunc(names, func(n syntax.Name) bool { return n.Text == text })
}

// idle reports whether a rule changes nothing.
func (r *rule) idle() bool {
	return r.from.Text == r.to.Text &&
		!slices.ContainsFunc(r.changes, func(c change) bool { return c.value != nil })
}

// acyclic reports whether no process returns to a location that it has left, and no rule changes
// something without moving a process. Then the sum, over the processes, of the rules that are still
// before them decreases with each step.
func (m *model) acyclic() bool {
	const open, done = 1, 2
	state := map[string]int{}
	var visit func(location string) bool
	visit = func(location string) bool {
		if state[location] > 0 {
			return state[location] == done
		}
		state[location] = open
		for _, r := range m.rules {
			if r.from.Text == location && !r.idle() && !visit(r.to.Text) {
				return false
			}
		}
		state[location] = done
		return true
	}
	return !slices.ContainsFunc(m.locations, func(n syntax.Name) bool { return !visit(n.Text) })
}

// changes reports whether an expression reads what steps change.
func (m *model) changes(x *syntax.Expr) bool {
	return x.Kind == syntax.ExprName && (among(m.shared, x.Name.Text) ||
		among(m.locations, x.Name.Text)) || slices.ContainsFunc(x.Args, m.changes)
}

// tree is the specification for a group of questions.
func (m *model) tree(g group) tree {
	out := tree{file: &syntax.File{Source: m.src}}
	add := func(d syntax.Decl) { out.file.Decls = append(out.file.Decls, d) }
	formula := func(word string, x *syntax.Expr) {
		add(&syntax.FormulaDecl{Span: x.Span, Word: word, Expr: x})
	}
	integer := func(n syntax.Name, mutable bool) {
		add(&syntax.SymbolDecl{Span: n.Span, Word: "constant", Mutable: mutable, Name: n,
			Result: &syntax.SortExpr{Name: "int", Span: n.Span}})
	}
	natural := func(word string, n syntax.Name) {
		formula(word, build.At(build.LessOrEqual(build.Number(0), build.Ref(n.Text)), n.Span))
	}
	for _, n := range slices.Concat(m.parameters, m.unknowns) {
		integer(n, false)
	}
	for _, n := range m.parameters {
		natural("axiom", n)
	}
	for _, x := range m.assumptions {
		formula("axiom", x)
	}
	for _, n := range slices.Concat(m.locations, m.shared) {
		integer(n, true)
		natural("init", n)
	}
	for _, x := range m.inits {
		formula("init", x)
	}
	var flags []*flag
	for _, q := range g {
		flags = append(flags, q.flags...)
		for _, x := range q.init {
			formula("init", x)
		}
	}
	for _, f := range flags {
		add(&syntax.SymbolDecl{Span: f.name.Span, Word: "relation", Mutable: true, Name: f.name})
		formula("init", build.At(build.Not(build.Ref(f.name.Text)), f.name.Span))
	}
	for i, r := range m.rules {
		if !r.idle() {
			add(m.action(r, m.names[i], flags))
		}
	}
	m.claimed(&out, g)
	return out
}

// claimed adds the claims of a group.
func (m *model) claimed(out *tree, g group) {
	for _, q := range g {
		word := "safety"
		if q.runs {
			word = "temporal"
			out.file.Decls = append(out.file.Decls, &syntax.ActionDecl{Span: m.span,
				Name: syntax.Name{Text: "rest", Span: m.span}})
		}
		out.claims = append(out.claims, q.claim.name.Text)
		out.file.Decls = append(out.file.Decls, &syntax.FormulaDecl{Span: q.claim.expr.Span,
			Word: word, Name: q.claim.name, Expr: build.At(q.holds, q.claim.expr.Span)})
		if m.rests && !safe(q.claim.expr) {
			out.remarks = append(out.remarks, fmt.Sprintf("%s is decided for the states in which "+
				"a run may rest: no process returns to a location that it has left",
				q.claim.name.Text))
		}
	}
}

// action is a rule. Its changes happen at once, so a value that is read later is named before.
func (m *model) action(r *rule, name string, flags []*flag) *syntax.ActionDecl {
	out := &syntax.ActionDecl{Span: r.span, Name: syntax.Name{Text: name, Span: r.span}}
	require := func(x *syntax.Expr) {
		if x.Kind != syntax.ExprTrue {
			out.Body = append(out.Body, &syntax.RequireStmt{Span: x.Span, Cond: x})
		}
	}
	at := func(n syntax.Name) *syntax.Expr { return build.At(build.Ref(n.Text), n.Span) }
	require(build.At(build.LessOrEqual(build.Number(1), at(r.from)), r.from.Span))
	require(r.guard)
	for _, f := range flags {
		out.Body = append(out.Body, &syntax.AssignStmt{Span: f.name.Span, Target: at(f.name),
			Value: f.value})
	}
	var sets []syntax.Stmt
	for i, c := range r.changes {
		if c.value == nil {
			continue
		}
		value := c.value
		if slices.ContainsFunc(r.changes[:i], func(b change) bool {
			return b.value != nil && reads(c.value, b.name.Text)
		}) {
			n := syntax.Name{Text: "new_" + c.name.Text, Span: c.name.Span}
			out.Body = append(out.Body, &syntax.LetStmt{Span: c.name.Span,
				Binder: &syntax.Binder{Name: n, Sort: &syntax.SortExpr{Name: "int",
					Span: c.name.Span}}, Value: value})
			value = at(n)
		}
		sets = append(sets, &syntax.AssignStmt{Span: c.name.Span, Target: at(c.name), Value: value})
	}
	if r.from.Text != r.to.Text {
		sets = append(sets,
			&syntax.AssignStmt{Span: r.from.Span, Target: at(r.from),
				Value: build.At(build.Difference(at(r.from), build.Number(1)), r.from.Span)},
			&syntax.AssignStmt{Span: r.to.Span, Target: at(r.to),
				Value: build.At(build.Plus(at(r.to), 1), r.to.Span)})
	}
	out.Body = append(out.Body, sets...)
	return out
}

func reads(x *syntax.Expr, name string) bool {
	return x.Kind == syntax.ExprName && x.Name.Text == name ||
		slices.ContainsFunc(x.Args, func(a *syntax.Expr) bool { return reads(a, name) })
}
