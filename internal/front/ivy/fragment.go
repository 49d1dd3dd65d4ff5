package ivy

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
)

// The fragment of Ge and de Moura, Complete instantiation for quantified formulas in satisfiability
// modulo theories (CAV 2009), in which solvers decide every question, and on which Ivy insists. In:
// the axioms, properties and invariants of a file without isolates and without Ivy's library (an
// isolate has formulas of its own, and the library has isolates). Out: a warning at the first term
// that leaves the fragment: an interpreted symbol over a variable, or terms that instantiate
// quantifiers without end.

// ground is a set of ground terms: what is put in the place of a variable, or what an argument of a
// symbol is applied to. Sets that are known to be equal have one root.
type ground struct {
	link *ground
	typ  *sort
}

func (g *ground) root() *ground {
	for g.link != nil {
		g = g.link
	}
	return g
}

func (g *ground) join(h *ground) {
	if g, h = g.root(), h.root(); g != h {
		g.link = h
	}
}

// shape is what matters of a term: the set of the variable that it is, nil if it is none, and the
// sets of variables below its top.
type shape struct {
	top   *ground
	below []*ground
}

// all are the sets of all variables of a term.
func (s shape) all() []*ground {
	if s.top == nil {
		return s.below
	}
	return append(slices.Clone(s.below), s.top)
}

// place is an argument of a symbol.
type place struct {
	s  *symbol
	at int
}

// arc says that terms over one set are in another.
type arc struct {
	from, to *ground
	span     diag.Span
}

// maxFragment bounds the terms that are looked at: definitions are put in the place of their uses.
const maxFragment = 20_000

// fragment looks at formulas.
type fragment struct {
	l      *loader
	places map[place]*ground
	equal  map[*sort]*ground // what is compared with =
	macros map[*symbol]macro
	env    map[*variable]shape
	arcs   []arc
	left   int
	warned bool
}

// macro is an axiom f(X, Y) = e, which is a definition of f.
type macro struct {
	params []*variable
	body   *expr
}

// checkFragment warns of formulas outside of the fragment.
func checkFragment(l *loader) {
	if l.isolates || l.errs.Err() != nil {
		return
	}
	g := &fragment{l: l, places: map[place]*ground{}, equal: map[*sort]*ground{},
		macros: map[*symbol]macro{}, env: map[*variable]shape{}, left: maxFragment}
	type formula struct {
		x                *expr
		free             []*variable
		assumed, claimed bool
	}
	var all []formula
	for _, c := range l.claims {
		e := &elaborator{l: l, scope: c.scope}
		x := e.formula(c.decl.term)
		if e.failed {
			return
		}
		if c.decl.word == "init" || c.decl.explicit || !c.decl.proof.IsZero() {
			continue
		}
		if m, s, ok := macroOf(x); ok && c.decl.word == "axiom" && g.macros[s].body == nil {
			g.macros[s] = m
			continue
		}
		all = append(all,
			formula{x, e.free, c.decl.word != "property", c.decl.word != "axiom"})
	}
	for _, f := range all {
		if f.assumed {
			for _, v := range f.free {
				g.env[v] = g.universal(v)
			}
			g.term(f.x, 1)
		}
		if f.claimed { // its negation is asked for
			for _, v := range f.free {
				g.env[v] = shape{}
			}
			g.term(f.x, -1)
		}
	}
	if g.left > 0 {
		g.cycle()
	}
}

// macroOf reads an axiom as a definition, as Ivy does.
func macroOf(x *expr) (m macro, s *symbol, ok bool) {
	if x.op != "=" || x.args[0].op != opSymbol || x.args[0].sym.body != nil {
		return m, nil, false
	}
	left, right := x.args[0], x.args[1]
	for _, a := range left.args {
		if a.op != opVar || slices.Contains(m.params, a.v) {
			return m, nil, false
		}
		m.params = append(m.params, a.v)
	}
	if len(m.params) == 0 || mentions(right, left.sym) {
		return m, nil, false
	}
	m.body = right
	return m, left.sym, true
}

func mentions(x *expr, s *symbol) bool {
	return x.op == opSymbol && (x.sym == s || x.sym.body != nil && mentions(x.sym.body, s)) ||
		slices.ContainsFunc(x.args, func(a *expr) bool { return mentions(a, s) })
}

// universal is a variable that stands for infinitely many values.
func (g *fragment) universal(v *variable) shape {
	t := v.typ.root().sort
	if t == nil || t.kind != sortUninterpreted && t.kind != sortInt && t.kind != sortNat {
		return shape{}
	}
	return shape{top: &ground{typ: t}}
}

// term looks at a term; sign is 1 under an even number of negations, -1 under an odd one, and 0
// where it is not known.
func (g *fragment) term(x *expr, sign int) shape {
	if g.left--; g.left <= 0 || g.warned {
		return shape{}
	}
	switch x.op {
	case opVar:
		return g.env[x.v]
	case opForall, opExists:
		return g.quantifier(x, sign)
	case "~":
		return shape{below: g.term(x.args[0], -sign).all()}
	case "->":
		return over(g.term(x.args[0], -sign), g.term(x.args[1], sign))
	case "<->":
		return over(g.term(x.args[0], 0), g.term(x.args[1], 0))
	case opIte:
		c, a, b := g.term(x.args[0], 0), g.term(x.args[1], sign), g.term(x.args[2], sign)
		out := over(c, a, b)
		if out.top = a.top; a.top == nil {
			out.top = b.top
		} else if b.top != nil {
			a.top.join(b.top)
		}
		return out
	case opSymbol:
		if s := x.sym; s.body != nil && s.enum == nil {
			return g.expand(append(slices.Clone(s.params), s.formals...), s.body, x.args, sign)
		}
		if m := g.macros[x.sym]; m.body != nil && len(m.params) == len(x.args) {
			return g.expand(m.params, m.body, x.args, sign)
		}
	}
	var args []shape
	for _, a := range x.args {
		args = append(args, g.term(a, sign))
	}
	switch {
	case x.op == opSymbol:
		for i, a := range args {
			p := place{x.sym, i}
			if g.places[p] == nil {
				g.places[p] = &ground{typ: x.args[i].typ.root().sort}
			}
			g.flows(a, g.places[p], x.span)
		}
	case slices.Contains([]string{"=", "~=", "<", "<=", ">", ">=", "+", "-", "*", "/"}, x.op):
		g.operator(x, args, sign)
	}
	return over(args...)
}

// over is a term over others.
func over(args ...shape) (out shape) {
	for _, a := range args {
		out.below = append(out.below, a.all()...)
	}
	return out
}

// flows says that a term is put in the place of what a set instantiates.
func (g *fragment) flows(a shape, to *ground, span diag.Span) {
	if a.top != nil {
		a.top.join(to)
	}
	for _, from := range a.below {
		g.arcs = append(g.arcs, arc{from, to, span})
	}
}

// expand looks at a definition in the place of a use.
func (g *fragment) expand(params []*variable, body *expr, args []*expr, sign int) shape {
	var values []shape
	for _, a := range args {
		values = append(values, g.term(a, sign))
	}
	before := make([]shape, len(params))
	for i, v := range params {
		before[i], g.env[v] = g.env[v], values[i]
	}
	out := g.term(body, sign)
	for i, v := range params {
		g.env[v] = before[i]
	}
	return out
}

// quantifier looks at a quantified formula. A variable that exists for others is a function of
// them.
func (g *fragment) quantifier(x *expr, sign int) shape {
	others := g.around(x, nil)
	exists := x.op == opExists && sign > 0 || x.op == opForall && sign < 0
	for _, v := range x.vars {
		switch {
		case exists:
			g.env[v] = shape{below: others}
		case sign == 0:
			g.env[v] = shape{top: g.universal(v).top, below: others}
		default:
			g.env[v] = g.universal(v)
		}
	}
	return shape{below: g.term(x.args[0], sign).all()}
}

// around are the sets of the free variables of a term.
func (g *fragment) around(x *expr, bound []*variable) (out []*ground) {
	if x.op == opVar && !slices.Contains(bound, x.v) {
		return g.env[x.v].all()
	}
	bound = slices.Concat(bound, x.vars)
	for _, a := range x.args {
		out = append(out, g.around(a, bound)...)
	}
	return out
}

// operator looks at an operator. On interpreted types a variable may be compared only: with a
// variable by < where it is claimed, or with a term without variables.
func (g *fragment) operator(x *expr, args []shape, sign int) {
	t := x.args[0].typ.root().sort
	switch {
	case t == nil || t.kind == sortBool || t.kind == sortEnum || len(args) < 2:
		return
	case t.kind == sortUninterpreted:
		if g.equal[t] == nil {
			g.equal[t] = &ground{typ: t}
		}
		if x.op == "=" || x.op == "~=" {
			g.flows(args[0], g.equal[t], x.span)
			g.flows(args[1], g.equal[t], x.span)
		}
		return
	}
	whole := t.kind == sortInt || t.kind == sortNat
	for i, a := range args {
		other := args[1-i]
		strict := sign > 0 && (x.op == "<" || x.op == ">") ||
			sign < 0 && (x.op == "<=" || x.op == ">=")
		compares := whole && !slices.Contains([]string{"+", "-", "*", "/"}, x.op)
		switch {
		case a.top == nil || compares && other.top == nil && len(other.below) == 0:
		case compares && strict && other.top != nil:
			a.top.join(other.top)
		default:
			g.warn(x.span, "an interpreted symbol is applied to a universally quantified "+
				"variable: '%s' on %s", x.op, t.name)
			return
		}
	}
}

func (g *fragment) warn(span diag.Span, format string, args ...any) {
	if !g.warned {
		g.warned = true
		g.l.errs.Warnf(diag.IvyFragment, span, format, args...)
	}
}

// cycle warns of terms that are put in the place of variables in them.
func (g *fragment) cycle() {
	next := map[*ground][]arc{}
	for _, a := range g.arcs {
		next[a.from.root()] = append(next[a.from.root()], a)
	}
	state := map[*ground]int{} // 1: on the path, 2: done
	var visit func(n *ground) bool
	visit = func(n *ground) bool {
		state[n] = 1
		for _, a := range next[n] {
			to := a.to.root()
			if state[to] == 1 || state[to] == 0 && visit(to) {
				if state[to] == 1 {
					g.warn(a.span, "this may instantiate quantifiers without end: a function "+
						"from %s is put in the place of what it is a function of", n.typ.name)
				}
				return true
			}
		}
		state[n] = 2
		return false
	}
	for _, a := range g.arcs {
		if n := a.from.root(); state[n] == 0 && visit(n) {
			return
		}
	}
}
