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
		said := slices.Concat(p.Initially, p.States, p.Steps)
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

// about are the formulas of properties that are translated.
func about(safe []*core.Property, promises []*promise) (out []core.Node) {
	for _, p := range safe {
		out = slices.Concat(out, p.Initially, p.States, p.Steps)
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

// seen gives a ghost its value after a step.
func (w *ways) seen(g *ghost, st step) (out []syntax.Stmt) {
	if g.relation == "" {
		return nil
	}
	x := properties{w.writer}.saying(g, g.Steps, w.within(scope{}, st))
	return append(out, &syntax.AssignStmt{Span: w.action.Span,
		Target: build.At(build.Ref(g.relation), w.action.Span), Value: build.At(x, w.action.Span)})
}

// watched claims that the ghosts are always true, where all that they are is translated.
func (w properties) watched() {
	for _, g := range w.ghosts {
		w.begin()
		w.span = g.Span
		x := w.saying(g, g.States, scope{})
		if g.errs.Err() != nil {
			w.missing(g.Name, g.Span, g.errs)
			w.forget(g.relation)
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
