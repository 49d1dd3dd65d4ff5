package fast

import (
	"math/big"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// model is a checked model.
type model struct {
	src         *diag.Source
	errs        *diag.List
	vars        []name
	states      []name
	transitions map[string]*transition
	// naturals says that variables are natural numbers, which they are in files without `?`.
	naturals bool
}

// The names of what the format has no name for.
const (
	location  = "state" // the constant, by the word of the format
	locations = "location"
)

func newModel(src *diag.Source, d *modelDecl, errs *diag.List) *model {
	m := &model{src: src, errs: errs, vars: d.vars, states: d.states,
		transitions: map[string]*transition{}, naturals: true}
	if len(d.states) == 0 {
		errs.Errorf(diag.Syntax, d.name.span, "the model '%s' has no states", d.name.text)
	}
	m.unique(slices.Concat(d.vars, d.states))
	for _, t := range d.transitions {
		if before := m.transitions[t.name.text]; before != nil {
			errs.Errorf(diag.Duplicate, t.name.span, "'%s' is declared twice", t.name.text)
		}
		m.transitions[t.name.text] = t
		m.transition(t)
	}
	return m
}

func (m *model) unique(names []name) {
	seen := map[string]bool{}
	for _, n := range names {
		if seen[n.text] {
			m.errs.Errorf(diag.Duplicate, n.span, "'%s' is declared twice", n.text)
		}
		seen[n.text] = true
	}
}

func (m *model) isVar(n string) bool {
	return slices.ContainsFunc(m.vars, func(v name) bool { return v.text == n })
}

func (m *model) isState(n string) bool {
	return slices.ContainsFunc(m.states, func(v name) bool { return v.text == n })
}

func (m *model) transition(t *transition) {
	for _, s := range []name{t.from, t.to} {
		if !m.isState(s.text) {
			m.errs.Errorf(diag.UnresolvedName, s.span, "there is no state '%s'", s.text)
		}
	}
	if t.guard != nil {
		m.formula(t.guard, false)
	}
	var targets []name
	for _, a := range t.action {
		if !m.isVar(a.target.text) {
			m.errs.Errorf(diag.UnresolvedName, a.target.span, "there is no variable '%s'",
				a.target.text)
		}
		targets = append(targets, a.target)
		if a.value.op == opAny {
			m.naturals = false
		} else {
			m.sum(a.value)
		}
	}
	m.unique(targets)
}

// comparisons are the operators between terms.
var comparisons = map[string]syntax.ExprKind{
	"=": syntax.ExprEq, "!=": syntax.ExprNe, "<": syntax.ExprLt, "<=": syntax.ExprLe,
	">": syntax.ExprGt, ">=": syntax.ExprGe,
}

// formula gives a formula; located says that it may be about the location. After an error the
// result is not complete.
func (m *model) formula(e *expr, located bool) *syntax.Expr {
	out := &syntax.Expr{Span: e.span}
	switch e.op {
	case "true":
		out.Kind = syntax.ExprTrue
	case "false":
		out.Kind = syntax.ExprFalse
	case "!":
		return not(m.formula(e.args[0], located))
	case "&&":
		return and(m.formula(e.args[0], located), m.formula(e.args[1], located))
	case "||":
		return or(m.formula(e.args[0], located), m.formula(e.args[1], located))
	default:
		k, ok := comparisons[e.op]
		if !ok {
			m.errs.Errorf(diag.SortMismatch, e.span, "a formula is expected here")
			return out
		}
		out.Kind = k
		if a, b := e.args[0], e.args[1]; a.op == opName && a.name == location {
			out.Args = []*syntax.Expr{use(location, a.span), m.stateName(b)}
			if !located {
				m.errs.Errorf(diag.FastConstruct, a.span,
					"the location in a guard is given by 'from'")
			}
			if k != syntax.ExprEq && k != syntax.ExprNe {
				m.errs.Errorf(diag.FastConstruct, e.span, "states have no order")
			}
		} else {
			out.Args = []*syntax.Expr{m.sum(a), m.sum(b)}
		}
	}
	return out
}

func (m *model) stateName(e *expr) *syntax.Expr {
	if e.op != opName || !m.isState(e.name) {
		m.errs.Errorf(diag.UnresolvedName, e.span, "the name of a state is expected here")
	}
	return use(e.name, e.span)
}

// sum gives a term.
func (m *model) sum(e *expr) *syntax.Expr {
	out := &syntax.Expr{Span: e.span}
	switch e.op {
	case opNumber:
		return numeral(e.num, e.span)
	case opName:
		switch {
		case m.isVar(e.name):
		case m.isState(e.name) || e.name == location:
			m.errs.Errorf(diag.SortMismatch, e.span, "'%s' is no number", e.name)
		default:
			m.errs.Errorf(diag.UnresolvedName, e.span, "there is no variable '%s'", e.name)
		}
		return use(e.name, e.span)
	case "-":
		if len(e.args) == 1 {
			out.Kind = syntax.ExprNeg
		} else {
			out.Kind = syntax.ExprSub
		}
	case "+":
		out.Kind = syntax.ExprAdd
	case "*":
		out.Kind = syntax.ExprMul
	case opAny:
		m.errs.Errorf(diag.FastConstruct, e.span, "'?' is read as a whole value only: x' = ?")
	default:
		m.errs.Errorf(diag.SortMismatch, e.span, "a number is expected here")
		return out
	}
	for _, a := range e.args {
		out.Args = append(out.Args, m.sum(a))
	}
	return out
}

// natural reports whether a term has no negative value where no variable has.
func natural(e *expr) bool {
	switch e.op {
	case opName, opNumber:
		return true
	case "+", "*":
		return natural(e.args[0]) && natural(e.args[1])
	}
	return false
}

// What follows builds trees of the language.

func use(n string, span diag.Span) *syntax.Expr {
	return &syntax.Expr{Kind: syntax.ExprName, Span: span, Name: syntax.Name{Text: n, Span: span}}
}

func numeral(n *big.Int, span diag.Span) *syntax.Expr {
	return &syntax.Expr{Kind: syntax.ExprInt, Span: span, Int: n}
}

func not(e *syntax.Expr) *syntax.Expr {
	switch e.Kind {
	case syntax.ExprTrue:
		return &syntax.Expr{Kind: syntax.ExprFalse, Span: e.Span}
	case syntax.ExprFalse:
		return &syntax.Expr{Kind: syntax.ExprTrue, Span: e.Span}
	case syntax.ExprNot:
		return e.Args[0]
	}
	return &syntax.Expr{Kind: syntax.ExprNot, Span: e.Span, Args: []*syntax.Expr{e}}
}

func and(es ...*syntax.Expr) *syntax.Expr {
	return junction(syntax.ExprAnd, syntax.ExprTrue, syntax.ExprFalse, es)
}

func or(es ...*syntax.Expr) *syntax.Expr {
	return junction(syntax.ExprOr, syntax.ExprFalse, syntax.ExprTrue, es)
}

// junction joins formulas, of which unit changes nothing and zero decides.
func junction(kind, unit, zero syntax.ExprKind, es []*syntax.Expr) *syntax.Expr {
	out := &syntax.Expr{Kind: kind}
	for _, e := range es {
		out.Span = out.Span.To(e.Span)
		switch e.Kind {
		case zero:
			return e
		case unit:
		case kind:
			out.Args = append(out.Args, e.Args...)
		default:
			out.Args = append(out.Args, e)
		}
	}
	switch len(out.Args) {
	case 0:
		return &syntax.Expr{Kind: unit, Span: out.Span}
	case 1:
		return out.Args[0]
	}
	return out
}
