package core

import (
	"fmt"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/syntax"
)

// Property is what a formula about runs says of initial states, of all states and of all steps.
// A run has the property if and only if these formulas hold, and its Rest.
type Property struct {
	Name                     string
	Span                     diag.Span
	Initially, States, Steps []Node
	Lasting                  []Lasting
	Rest                     []Node // what it says of runs otherwise, as fairness
	Other                    bool   // it is about runs with other fairness than the model has
}

// Lasting says [](When => []Then) of formulas of states.
type Lasting struct{ When, Then Node }

// property makes a property of a formula. What is wrong with it is an error in the result.
func (e *elaborator) property(name string, x syntax.Expr, sc *scope) (*Property, *diag.List) {
	p := &Property{Name: name, Span: x.Span()}
	outer, errs := e.Errs, &diag.List{}
	e.Errs = errs
	e.temporal = true
	protect(func() { p.take(e.node(x, sc), func(n Node) Node { return n }) })
	e.temporal, e.depth = false, 0
	e.Errs = outer
	return p, errs
}

// take sorts the conjuncts of a formula about runs. Around puts what stands around the formula
// around a part of it.
func (p *Property) take(n Node, around func(Node) Node) {
	if split(n, Temporal, around, p.take) {
		return
	}
	a, always := n.(*Always)
	switch {
	case always:
		p.always(a.Arg, around)
	case n.Level() <= State:
		p.Initially = append(p.Initially, around(n))
	default:
		p.Rest = append(p.Rest, around(n))
	}
}

// always sorts the conjuncts of a formula that is always true.
func (p *Property) always(n Node, around func(Node) Node) {
	if split(n, Step, around, p.always) {
		return
	}
	a, step := n.(*Action)
	when, then := lasting(n)
	switch {
	case then != nil && alone(around, n):
		p.Lasting = append(p.Lasting, Lasting{around(when), around(then)})
	case step && !a.Angle:
		p.Steps = append(p.Steps, around(&Junction{over(a.Span(), a.Body, a.Unchanged), false,
			[]Node{a.Body, a.Unchanged}}))
	case n.Level() <= State:
		p.States = append(p.States, around(n))
	default:
		p.Rest = append(p.Rest, around(&Always{base{Temporal, n.Lowest(), n.Span()}, n}))
	}
}

// lasting are the formulas P and Q of states of P => []Q, nil for any other formula.
func lasting(n Node) (when, then Node) {
	i, ok := n.(*Implies)
	if !ok || i.Left.Level() > State {
		return nil, nil
	}
	if a, ok := i.Right.(*Always); ok && a.Arg.Level() <= State {
		return i.Left, a.Arg
	}
	return nil, nil
}

// alone reports whether no quantifier stands around a formula.
func alone(around func(Node) Node, n Node) bool {
	m := around(n)
	for m != n {
		g, ok := m.(*Global)
		if !ok {
			return false
		}
		m = g.Value
	}
	return true
}

// split goes on with what a formula stands for, with its conjuncts, and with the body of a
// universal quantifier of at least a level. It reports false for other formulas.
func split(n Node, least Level, around func(Node) Node, each func(Node, func(Node) Node)) bool {
	switch m := n.(type) {
	case *Shared:
		each(m.Value, around)
	case *Named:
		each(m.Body, around)
	case *Global:
		each(m.Value, func(part Node) Node {
			return around(&Global{over(part.Span(), part), part, m.Frame})
		})
	case *Junction:
		if !m.And {
			return false
		}
		for _, a := range m.Args {
			each(a, around)
		}
	case *Quantified:
		if !m.All || m.Level() < least {
			return false
		}
		each(m.Body, func(part Node) Node {
			b := over(m.Span(), part)
			b.joinAll(m.Bindings)
			return around(&Quantified{b, true, m.Bindings, part})
		})
	default:
		return false
	}
	return true
}

// properties are the properties of runs that a configuration and theorems claim, but for the ones
// that are known. Failed are the ones that have no meaning here, with the reason.
func (e theorems) properties(m *Model, c *syntax.Config, claims []theorem, runs string,
	known map[string]bool) (out []*Property, failed []*Untold) {
	add := func(name string, x syntax.Expr, sc *scope, other bool) {
		if known[name] {
			return
		}
		known[name] = true
		p, errs := e.property(name, x, sc)
		if errs.Err() != nil {
			failed = append(failed, &Untold{name, x.Span(), errs})
			return
		}
		p.Other = other
		out = append(out, p)
	}
	for _, n := range c.Properties {
		x := syntax.Expr(&syntax.Apply{At: syntax.At{Where: n.Span}, Name: n})
		sc := e.root.scope
		if op, ok := e.root.names[n.Text].(*operator); ok && op.body != nil && len(op.params) == 0 {
			x, sc = op.body, op.scope
		}
		add(n.Text, x, sc, false)
	}
	for _, t := range claims {
		if t.runs == runs && !t.taken {
			add(t.named(), t.claim, e.root.scope, text(t.specification) != m.fairly)
		}
	}
	return out, failed
}

// Untold is a claim that has no meaning here, with the reason.
type Untold struct {
	Name string
	Span diag.Span
	Errs *diag.List
}

// named is the name of a theorem: of what it claims, its own, or of its line.
func (t *theorem) named() string {
	if a, ok := t.claim.(*syntax.Apply); ok && len(a.Args) == 0 {
		var path []string
		for _, q := range a.Path {
			path = append(path, q.Name.Text)
		}
		return strings.Join(append(path, a.Name.Text), "_")
	}
	if t.label == "" {
		return fmt.Sprintf("theorem_%d", t.span.Line())
	}
	return t.label
}
