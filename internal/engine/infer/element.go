package infer

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// A property about each element alone, such as that a node that is suspected has crashed, often
// holds because of what happens to this element. So a system with one sort is projected onto one
// element: a function of the elements becomes a constant, and what another element does may have
// any effect on what they share. Where integers belong to the elements, the projection has bounds
// between them. Each step of the system is one of the projection, for every choice of the element;
// so what is inductive there is inductive of all elements. This is not trusted: the lemmas are
// proved of the system.

// element is the projection of a system onto one element of a sort.
type element struct {
	whole  *system.System
	sys    *system.System // the projection
	sort   *logic.Sort
	flat   map[*logic.Symbol]*logic.Symbol
	of     map[*logic.Symbol]*logic.Symbol // the reverse, for symbols that have lost an argument
	bodies map[*logic.Symbol]*system.Derived
}

// scope says which variables of the sort are the element; the others are other elements.
type scope map[*logic.Var]bool

func (s scope) with(is bool, vars ...*logic.Var) scope {
	out := scope{}
	for v, x := range s {
		out[v] = x
	}
	for _, v := range vars {
		out[v] = is
	}
	return out
}

// mostOthers bounds the elements of one action.
const mostOthers = 3

// newElement projects a system, nil where that loses a property, or gives no integers.
func newElement(sys *system.System, goals []*goal) *element {
	p := &element{whole: sys, flat: map[*logic.Symbol]*logic.Symbol{},
		of: map[*logic.Symbol]*logic.Symbol{}, bodies: map[*logic.Symbol]*system.Derived{}}
	for _, s := range sys.Sorts {
		switch {
		case s.Kind != logic.KindUninterpreted:
		case p.sort != nil:
			return nil
		default:
			p.sort = s
		}
	}
	if p.sort == nil || undefined(sys) {
		return nil
	}
	out := &system.System{Name: sys.Name, Source: sys.Source}
	p.sys = out
	for _, s := range sys.Sorts {
		if s != p.sort {
			out.Sorts = append(out.Sorts, s)
		}
	}
	p.symbols(sys)
	formulas := func(fs []*system.Formula) (out []*system.Formula) {
		for _, f := range fs {
			if t := p.approximate(f.Term, true, nil); !t.IsTrue() {
				out = append(out, &system.Formula{Name: f.Name, Term: t, Span: f.Span})
			}
		}
		return out
	}
	out.Axioms, out.Inits = formulas(sys.Axioms), formulas(sys.Inits)
	for _, a := range sys.Actions {
		if !p.action(a) {
			return nil
		}
	}
	for _, g := range goals {
		if g.property == nil {
			continue
		}
		t, ok := p.claim(g.property.Term)
		if !ok {
			return nil
		}
		out.Properties = append(out.Properties, &system.Property{Name: g.property.Name,
			Kind: g.property.Kind, Term: t, Span: g.property.Span})
	}
	if system.Validate(out) != nil || newLinear(out) == nil {
		return nil
	}
	return p
}

// symbols takes the argument of the sort from the symbols that have one. A symbol with two, or with
// an element as its value, has no counterpart.
func (p *element) symbols(sys *system.System) {
	for _, d := range sys.Derived {
		p.bodies[d.Symbol] = d
	}
	for _, sym := range sys.Symbols {
		at := slices.Index(sym.Args, p.sort)
		switch {
		case p.bodies[sym] != nil || sym.Result == p.sort:
			continue
		case at < 0:
			p.flat[sym] = sym
		case slices.Contains(sym.Args[at+1:], p.sort):
			continue
		default:
			c := *sym
			c.Args = slices.Delete(slices.Clone(sym.Args), at, at+1)
			if len(c.Args) == 0 && c.Result != logic.Bool {
				c.Kind = logic.Constant
			}
			p.flat[sym], p.of[&c] = &c, sym
		}
		p.sys.Symbols = append(p.sys.Symbols, p.flat[sym])
	}
}

// split tells the variables of the sort from the others.
func (p *element) split(vars []*logic.Var) (elements, rest []*logic.Var) {
	for _, v := range vars {
		if v.Sort == p.sort {
			elements = append(elements, v)
		} else {
			rest = append(rest, v)
		}
	}
	return elements, rest
}

// claim is a property of the element.
func (p *element) claim(t *logic.Term) (*logic.Term, bool) {
	var elements, rest []*logic.Var
	if t.Op == logic.OpForall {
		elements, rest = p.split(t.Vars)
		t = t.Args[0]
	}
	if len(elements) > 1 {
		return nil, false
	}
	body, ok := p.exact(t, scope{}.with(true, elements...))
	return logic.Forall(rest, body), ok
}

// action adds the steps of an action for the element, and for others. It gives false where the
// steps have no projection.
func (p *element) action(a *system.Action) bool {
	if len(a.Relation.Inputs) > 0 {
		return false
	}
	elements, params := p.split(a.Params)
	chosen, choices := p.split(a.Relation.Choices)
	elements = append(elements, chosen...)
	if len(elements) > mostOthers {
		return false
	}
	for set := range 1 << len(elements) {
		in := scope{}
		for i, v := range elements {
			in[v] = set>>i&1 == 0
		}
		b := &system.Action{Name: fmt.Sprintf("%s %d", a.Name, set+1), Params: params, Span: a.Span}
		rel := &system.Relation{Choices: choices}
		for _, g := range a.Relation.Guard {
			if t := p.approximate(g, true, in); !t.IsTrue() {
				rel.Guard = append(rel.Guard, t)
			}
		}
		p.updates(a, in, b, rel)
		if len(b.Modifies) == 0 {
			continue
		}
		if b.Relation = rel; system.CodeOf(p.sys, b) != nil {
			return false
		}
		p.sys.Actions = append(p.sys.Actions, b)
	}
	return true
}

// updates gives an action the new values that the element has. A value that depends on other
// elements may be any.
func (p *element) updates(a *system.Action, in scope, b *system.Action, rel *system.Relation) {
	written := map[*logic.Symbol]bool{}
	for _, u := range a.Relation.Updates {
		sym := p.flat[u.Symbol]
		if written[u.Symbol] = true; sym == nil {
			continue
		}
		elements, vars := p.split(u.Vars)
		value, ok := p.exact(u.Value, in.with(true, elements...))
		switch {
		case !ok:
			b.Modifies = append(b.Modifies, sym)
		case !logic.Equal(value, logic.App(sym, logic.Pre, logic.Refs(vars)...)):
			b.Modifies = append(b.Modifies, sym)
			rel.Updates = append(rel.Updates, system.Update{Symbol: sym, Vars: vars,
				Args: logic.Refs(vars), Value: value, Span: u.Span})
		}
	}
	for _, sym := range a.Modifies {
		if !written[sym] && p.flat[sym] != nil {
			b.Modifies = append(b.Modifies, p.flat[sym])
		}
	}
}

// approximate is a formula about the element that follows from a formula about all, or from which
// that follows.
func (p *element) approximate(t *logic.Term, follows bool, in scope) *logic.Term {
	if e, ok := p.exact(t, in); ok {
		return e
	}
	all := func(positive bool) (out []*logic.Term) {
		for _, a := range t.Args {
			out = append(out, p.approximate(a, positive, in))
		}
		return out
	}
	switch t.Op {
	case logic.OpNot:
		return logic.Not(p.approximate(t.Args[0], !follows, in))
	case logic.OpAnd:
		return logic.And(all(follows)...)
	case logic.OpOr:
		return logic.Or(all(follows)...)
	case logic.OpImplies:
		return p.approximate(logic.Or(logic.Not(t.Args[0]), t.Args[1]), follows, in)
	case logic.OpIff:
		a, b := t.Args[0], t.Args[1]
		return p.approximate(logic.And(logic.Implies(a, b), logic.Implies(b, a)), follows, in)
	case logic.OpForall, logic.OpExists:
		elements, rest := p.split(t.Vars)
		// All elements are more than this one, and some element may be another one.
		if len(elements) > 0 && (t.Op == logic.OpForall) != follows {
			break
		}
		body := p.approximate(t.Args[0], follows, in.with(true, elements...))
		if t.Op == logic.OpForall {
			return logic.Forall(rest, body)
		}
		return logic.Exists(rest, body)
	}
	return logic.BoolLit(follows)
}

// exact is a term about the element alone; ok is false if it is about others, too.
func (p *element) exact(t *logic.Term, in scope) (out *logic.Term, ok bool) {
	switch t.Op {
	case logic.OpVar:
		return t, t.Var.Sort != p.sort
	case logic.OpApp:
		return p.application(t, in)
	case logic.OpEq:
		if a, b := t.Args[0], t.Args[1]; a.Sort == p.sort {
			known := a.Op == logic.OpVar && b.Op == logic.OpVar
			return logic.BoolLit(known && in[a.Var] && in[b.Var]), known && (in[a.Var] || in[b.Var])
		}
	case logic.OpForall, logic.OpExists:
		if slices.ContainsFunc(t.Vars, func(v *logic.Var) bool { return v.Sort == p.sort }) {
			return nil, false
		}
	}
	args := make([]*logic.Term, len(t.Args))
	for i, a := range t.Args {
		if args[i], ok = p.exact(a, in); !ok {
			return nil, false
		}
	}
	switch t.Op {
	case logic.OpNot:
		return logic.Not(args[0]), true
	case logic.OpAnd:
		return logic.And(args...), true
	case logic.OpOr:
		return logic.Or(args...), true
	case logic.OpImplies:
		return logic.Implies(args[0], args[1]), true
	case logic.OpIff:
		return logic.Iff(args[0], args[1]), true
	case logic.OpIte:
		return logic.Ite(args[0], args[1], args[2]), true
	}
	c := *t
	c.Args = args
	return &c, true
}

// valueOf is what a definition says of an application of its symbol.
func valueOf(d *system.Derived, app *logic.Term) *logic.Term {
	m := map[*logic.Var]*logic.Term{}
	for i, v := range d.Vars {
		m[v] = app.Args[i]
	}
	return logic.Shift(logic.Subst(d.Body, m), app.Step)
}

func (p *element) application(t *logic.Term, in scope) (*logic.Term, bool) {
	if d := p.bodies[t.Symbol]; d != nil {
		return p.exact(valueOf(d, t), in)
	}
	sym := p.flat[t.Symbol]
	if sym == nil {
		return nil, false
	}
	var args []*logic.Term
	for i, a := range t.Args {
		if t.Symbol.Args[i] == p.sort {
			if a.Op != logic.OpVar || !in[a.Var] {
				return nil, false
			}
			continue
		}
		arg, ok := p.exact(a, in)
		if !ok {
			return nil, false
		}
		args = append(args, arg)
	}
	return logic.App(sym, t.Step, args...), true
}

// lift is a formula about the element as one about all of them.
func (p *element) lift(t *logic.Term) *logic.Term {
	e := (&vocabulary{sys: p.whole}).variable(p.sort.Name, p.sort)
	lifted := logic.Map(t, func(t *logic.Term) *logic.Term {
		if t.Op != logic.OpApp || p.of[t.Symbol] == nil {
			return t
		}
		sym := p.of[t.Symbol]
		return logic.App(sym, t.Step, slices.Insert(slices.Clone(t.Args),
			slices.Index(sym.Args, p.sort), logic.Ref(e))...)
	})
	if !slices.Contains(logic.FreeVars(lifted), e) {
		return lifted
	}
	return logic.Forall([]*logic.Var{e}, lifted)
}
