package translate

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/system"
)

// ghost is a relation that says whether the last step, or the initial state, is one that a property
// allows. A run has the property if and only if the ghost is true in all of its states, and what
// the property says of all states.
type ghost struct {
	*core.Property
	relation string
	seen     []string   // for each of Lasting, a relation that says whether When was true
	errs     *diag.List // what has no translation
}

// properties translates what is claimed of runs.
type properties struct{ *writer }

// safe are the properties that have types, as far as they are about states and steps. What they say
// otherwise is left out, which is said.
func (w properties) safe(promises []*promise) (out []*core.Property) {
	for _, u := range w.model.Untold {
		w.missing(u.Name, u.Span, u.Errs)
	}
	for _, p := range w.model.Safe {
		said := said(p)
		switch {
		case slices.ContainsFunc(promises, func(l *promise) bool { return l.Property == p }):
			continue
		case len(said) == 0:
			w.unsaid = append(w.unsaid, unsaid(p.Name))
			continue
		case len(p.Rest) > 0:
			w.unsaid = append(w.unsaid, fmt.Sprintf("%[1]s_safety is what %[1]s says of states "+
				"and steps: proofs leave out what it says of fairness, or of what happens at "+
				"some time", p.Name))
			p.Name += "_safety"
		}
		errs := &diag.List{}
		for _, n := range said {
			errs.All = append(errs.All, w.types.Add(n).All...)
		}
		if errs.Err() != nil {
			w.missing(p.Name, p.Span, errs)
			continue
		}
		out = append(out, p)
	}
	return out
}

// said are the formulas of states and steps of a property.
func said(p *core.Property) []core.Node {
	out := slices.Concat(p.Initially, p.States, p.Steps)
	for _, l := range p.Lasting {
		out = append(out, l.When, l.Then)
	}
	return out
}

// about are the formulas of properties that are translated.
func about(safe []*core.Property, promises []*promise) (out []core.Node) {
	for _, p := range safe {
		out = append(out, said(p)...)
	}
	for _, p := range promises {
		out = append(out, p.Rest...)
	}
	return out
}

func unsaid(name string) string {
	return "proofs leave " + name + " out, which is about what happens at some time: it is " +
		"explored in instances"
}

// missing says of a property that it has no translation.
func (w properties) missing(name string, at diag.Span, errs *diag.List) {
	for _, d := range errs.All {
		if d.Severity == diag.Error {
			w.unread = append(w.unread, system.Unread{Name: name, Why: d.Message, Line: at.Line()})
			w.errs.Warnf(diag.NoEffect, d.Span, "%s is left out: %s", name, d.Message)
			return
		}
	}
}

// watch declares the ghosts.
func (w properties) watch(properties []*core.Property) {
	for _, p := range properties {
		g := &ghost{Property: p, errs: &diag.List{}}
		if len(p.Initially)+len(p.Steps) > 0 {
			w.span = p.Span
			g.relation = w.name(p.Name + "_kept")
			w.symbol("relation", g.relation, nil, nil, true)
			x := w.saying(g, p.Initially, scope{})
			w.decls = append(w.decls, &syntax.FormulaDecl{Span: p.Span, Word: "init",
				Expr: build.At(build.Iff(build.Ref(g.relation), x), p.Span)})
		}
		for _, l := range p.Lasting {
			w.begin()
			w.span = p.Span
			name := w.name(p.Name + "_seen")
			w.symbol("relation", name, nil, nil, true)
			g.seen = append(g.seen, name)
			x := w.saying(g, []core.Node{l.When}, scope{})
			w.decls = append(w.decls, &syntax.FormulaDecl{Span: p.Span, Word: "init",
				Expr: build.At(build.Iff(build.Ref(name), x), p.Span)})
		}
		w.ghosts = append(w.ghosts, g)
	}
}

// saying is the conjunction of some formulas of a property. What has no translation is kept as an
// error of the ghost.
func (w properties) saying(g *ghost, formulas []core.Node, s scope) *syntax.Expr {
	outer, span := w.errs, w.span
	w.errs = g.errs
	x := build.Truth(true)
	w.attempt(func() {
		var all []*syntax.Expr
		for _, n := range formulas {
			all = append(all, w.formula(n, s))
		}
		x = build.And(all...)
		if w.span = g.Span; nodes(x) > mostSaid {
			w.fail("what %s says of a step is too large to be translated", g.Name)
		}
	})
	w.errs, w.span = outer, span
	return x
}

// mostSaid bounds what a property says of a step, which is written for each action: a solver reads
// all of it.
const mostSaid = 3000

// nodes is the size of an expression.
func nodes(x *syntax.Expr) int {
	n := 1
	for _, a := range x.Args {
		n += nodes(a)
	}
	return n
}

// seen gives a ghost its values after a step.
func (w *ways) seen(g *ghost, st step) (out []syntax.Stmt) {
	assign := func(relation string, x *syntax.Expr) {
		out = append(out, &syntax.AssignStmt{Span: w.action.Span,
			Target: build.At(build.Ref(relation), w.action.Span),
			Value:  build.At(x, w.action.Span)})
	}
	if g.relation != "" {
		assign(g.relation, properties{w.writer}.saying(g, g.Steps, w.within(scope{}, st)))
	}
	for i, l := range g.Lasting {
		x := properties{w.writer}.after(g, l.When, st)
		assign(g.seen[i], build.Or(build.Ref(g.seen[i]), x))
	}
	return out
}

// after is a formula of states in the state after a step.
func (w properties) after(g *ghost, n core.Node, st step) *syntax.Expr {
	variables := w.variables
	defer func() { w.variables = variables }()
	w.variables = slices.Clone(variables)
	for i := range w.variables {
		if t := st.after[i]; t != nil {
			w.variables[i] = t
		}
	}
	x := w.saying(g, []core.Node{n}, scope{})
	if mentions(x, w.derived) {
		g.errs.Errorf(diag.Unsupported, g.Span, "%s", "[](P => []Q) is not translated where a "+
			"recursive function of P reads the state")
	}
	return x
}

// watched claims that the ghosts are always true, where all that they are is translated.
func (w properties) watched() {
	for _, g := range w.ghosts {
		w.begin()
		w.span = g.Span
		x := w.saying(g, g.States, scope{})
		for i, l := range g.Lasting {
			x = build.And(x, build.Implies(build.Ref(g.seen[i]),
				w.saying(g, []core.Node{l.Then}, scope{})))
		}
		if g.errs.Err() != nil {
			w.missing(g.Name, g.Span, g.errs)
			for _, r := range append(g.seen, g.relation) {
				w.forget(r)
			}
			continue
		}
		if g.relation != "" {
			x = build.And(build.Ref(g.relation), x)
		}
		w.decls = append(w.decls, &syntax.FormulaDecl{Span: g.Span, Word: "safety",
			Name: w.label(&core.Claim{Name: g.Name, Span: g.Span}), Expr: build.At(x, g.Span)})
	}
}

// forget takes a ghost away again.
func (w properties) forget(relation string) {
	is := func(x *syntax.Expr) bool { return mentions(x, []string{relation}) }
	w.decls = slices.DeleteFunc(w.decls, func(d syntax.Decl) bool {
		switch d := d.(type) {
		case *syntax.SymbolDecl:
			return d.Name.Text == relation
		case *syntax.FormulaDecl:
			return is(d.Expr)
		case *syntax.ActionDecl:
			d.Body = slices.DeleteFunc(d.Body, func(s syntax.Stmt) bool {
				a, ok := s.(*syntax.AssignStmt)
				return ok && is(a.Target)
			})
		}
		return false
	})
}
