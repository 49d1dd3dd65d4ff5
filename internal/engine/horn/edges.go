package horn

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/vc"
)

// The ends of edges that are no value of the control.
const (
	start = -1
	bad   = -2
)

// edge is a step between two values of the control, or from the start, or to a violation.
type edge struct {
	from, to int
	in, out  []*logic.Var // the state before and after; an unchanged part has the same variable
	locals   []*logic.Var // further variables of the body
	body     *logic.Term
}

// copyOf is a symbol in a state.
type copyOf struct {
	symbol *logic.Symbol
	step   int
}

// edges makes the steps of the system: at most one between two values of the control.
func (p *problem) edges(goals []*logic.Term) ([]*edge, error) {
	var all []*edge
	add := func(t *vc.Theory, pre, post vc.Versions) error {
		for i := range p.places() {
			for j := range p.places() {
				same := pre != nil &&
					(post == nil || p.control == nil || post[p.control] == pre[p.control])
				if pre == nil && i > 0 || same && i != j {
					continue
				}
				e, err := p.edge(t, pre, post, i, j)
				if err != nil {
					return err
				}
				if !e.body.IsFalse() {
					all = append(all, e)
				}
			}
		}
		return nil
	}
	first := vc.Versions{}
	if err := add(vc.InitialState(p.sys), nil, first); err != nil {
		return nil, err
	}
	for _, a := range p.sys.Actions {
		post := first.Next(p.sys, a.Modifies, 1)
		t := &vc.Theory{}
		t.Background(p.sys, p.sys.Trusted(), first, post)
		t.Step(a, first, post)
		if err := add(t, first, post); err != nil {
			return nil, err
		}
	}
	for _, g := range goals {
		t := &vc.Theory{}
		t.Background(p.sys, p.sys.Trusted(), first)
		t.Assume(logic.Not(g))
		if err := add(t, first, nil); err != nil {
			return nil, err
		}
	}
	return merged(all), nil
}

// number is the sort of a value in clauses: members of enums are numbers.
func number(s *logic.Sort) *logic.Sort {
	if s.Kind == logic.KindBool {
		return logic.Bool
	}
	return logic.Int
}

// edge states what a theory says of a step from the value i of the control to the value j.
func (p *problem) edge(t *vc.Theory, pre, post vc.Versions, i, j int) (*edge, error) {
	c := &translator{vars: map[copyOf]*logic.Var{}, locals: map[*logic.Var]*logic.Var{},
		fixed: map[copyOf]int{}}
	e := &edge{from: start, to: bad, body: logic.True}
	if p.control != nil && post != nil {
		c.fixed[copyOf{p.control, post[p.control]}] = j
	}
	if pre != nil {
		e.from = i
		if p.control != nil {
			c.fixed[copyOf{p.control, pre[p.control]}] = i
		}
		for _, s := range p.state {
			e.in = append(e.in, c.variable(s, pre[s]))
		}
	}
	if post != nil {
		e.to = j
		for _, s := range p.state {
			e.out = append(e.out, c.variable(s, post[s]))
		}
	}
	for _, v := range t.Consts {
		if v.Sort.Kind == logic.KindUninterpreted {
			return nil, fmt.Errorf("%w: %s is no truth value, number or member of an enum",
				ErrNotHorn, v.Name)
		}
		w := &logic.Var{Name: v.Name, Sort: number(v.Sort)}
		c.locals[v], c.all = w, append(c.all, w)
		c.member(w, v.Sort)
	}
	var terms []*logic.Term
	for _, h := range t.Hypotheses {
		terms = append(terms, h.Term)
	}
	for _, u := range t.Updates { // of constants: newProblem refuses all else
		terms = append(terms, logic.Eq(logic.App(u.Symbol, u.Version), u.Value))
	}
	for _, term := range terms {
		f, err := c.formula(term)
		if err != nil {
			return nil, err
		}
		c.body = append(c.body, f)
	}
	e.body = logic.And(c.body...)
	for _, v := range c.all {
		if !slices.Contains(e.in, v) && !slices.Contains(e.out, v) {
			e.locals = append(e.locals, v)
		}
	}
	return e, nil
}

// translator makes formulas over variables and numbers of formulas over symbols.
type translator struct {
	vars   map[copyOf]*logic.Var
	locals map[*logic.Var]*logic.Var // of the action, by the variables of the file
	fixed  map[copyOf]int            // the control
	all    []*logic.Var
	body   []*logic.Term
}

// variable is the value of a symbol in a state.
func (c *translator) variable(s *logic.Symbol, step int) *logic.Var {
	if !s.Mutable {
		step = 0
	}
	k := copyOf{s, step}
	v := c.vars[k]
	if v == nil {
		v = &logic.Var{Name: fmt.Sprintf("%s_%d", s.Name, step), Sort: number(s.Result)}
		c.vars[k], c.all = v, append(c.all, v)
		c.member(v, s.Result)
	}
	return v
}

// member says that a number stands for a member, if its sort is an enum.
func (c *translator) member(v *logic.Var, s *logic.Sort) {
	if s.Kind == logic.KindEnum {
		c.body = append(c.body, logic.Le(logic.IntLit(0), logic.Ref(v)),
			logic.Lt(logic.Ref(v), logic.IntLit(int64(len(s.Members)))))
	}
}

// formula translates a formula, and simplifies it where the control decides.
func (c *translator) formula(t *logic.Term) (*logic.Term, error) {
	var problem error
	out := logic.Map(t, func(t *logic.Term) *logic.Term {
		switch t.Op {
		case logic.OpApp:
			k := copyOf{t.Symbol, t.Step}
			if n, ok := c.fixed[k]; ok {
				return logic.IntLit(int64(n))
			}
			return logic.Ref(c.variable(t.Symbol, t.Step))
		case logic.OpVar:
			if w := c.locals[t.Var]; w != nil {
				return logic.Ref(w)
			}
		case logic.OpMember:
			return logic.IntLit(int64(t.Index))
		case logic.OpForall, logic.OpExists:
			problem = fmt.Errorf("%w: %s", ErrNotHorn, t)
		}
		return logic.Simplified(t)
	})
	return out, problem
}

// with is a copy of an edge with other variables for the state before; its others are new.
func (e *edge) with(in []*logic.Var) *edge {
	to := map[*logic.Var]*logic.Term{}
	as := map[*logic.Var]*logic.Var{}
	rename := func(v *logic.Var) *logic.Var {
		if as[v] == nil {
			as[v] = &logic.Var{Name: v.Name, Sort: v.Sort}
			to[v] = logic.Ref(as[v])
		}
		return as[v]
	}
	for i, v := range e.in {
		as[v], to[v] = in[i], logic.Ref(in[i])
	}
	c := &edge{from: e.from, to: e.to, in: in}
	for _, v := range e.out {
		c.out = append(c.out, rename(v))
	}
	for _, v := range e.locals {
		c.locals = append(c.locals, rename(v))
	}
	c.body = logic.Subst(e.body, to)
	return c
}

// merged joins the edges with the same ends, in the order of the first of them.
func merged(all []*edge) (out []*edge) {
	for _, e := range all {
		i := slices.IndexFunc(out, func(o *edge) bool { return o.from == e.from && o.to == e.to })
		if i >= 0 {
			out[i] = out[i].or(e)
		} else {
			out = append(out, e)
		}
	}
	return out
}

// or is an edge for steps of both.
func (e *edge) or(other *edge) *edge {
	o := other.with(e.in)
	both := &edge{from: e.from, to: e.to, in: e.in, locals: slices.Concat(e.locals, o.locals)}
	first, second := []*logic.Term{e.body}, []*logic.Term{}
	same := map[*logic.Var]*logic.Term{}
	for i := range e.out {
		a, b := e.out[i], o.out[i]
		if a == b {
			both.out = append(both.out, a)
			continue
		}
		// A variable of the state before is no new value.
		v := a
		if slices.Contains(e.in, a) || slices.Contains(both.out, a) {
			v = &logic.Var{Name: a.Name, Sort: a.Sort}
			first = append(first, logic.Eq(logic.Ref(v), logic.Ref(a)))
		}
		both.out = append(both.out, v)
		if slices.Contains(e.in, b) || same[b] != nil {
			second = append(second, logic.Eq(logic.Ref(v), logic.Ref(b)))
		} else {
			same[b] = logic.Ref(v)
		}
	}
	second = append(second, o.body)
	both.body = logic.Or(logic.And(first...), logic.Subst(logic.And(second...), same))
	return both
}

// then is an edge for a step of e and one of next.
func (e *edge) then(next *edge) *edge {
	n := next.with(e.out)
	c := &edge{from: e.from, to: n.to, in: e.in, out: n.out, body: logic.And(e.body, n.body)}
	c.locals = slices.Concat(e.locals, n.locals)
	for _, v := range e.out {
		if !slices.Contains(e.in, v) && !slices.Contains(c.out, v) &&
			!slices.Contains(c.locals, v) {
			c.locals = append(c.locals, v)
		}
	}
	return c
}

// largestBlock bounds the size of composed steps, in nodes of their terms.
const largestBlock = 60_000

// block is a value of the control that was eliminated, with the edges that it had then.
type block struct {
	place int
	edges []*edge
}

// eliminate composes the steps through values of the control without loops, as long as there is
// one with few neighbours. It gives the edges that are left, and the values in their order. Steps
// to a violation are composed if within says so.
func (p *problem) eliminate(edges []*edge, within bool) (rest []*edge, gone []block) {
	for {
		l := p.passable(edges)
		if l < 0 {
			return edges, gone
		}
		var rest, ins, outs []*edge
		for _, e := range edges {
			switch l {
			case e.to:
				ins = append(ins, e)
			case e.from:
				outs = append(outs, e)
			default:
				rest = append(rest, e)
			}
		}
		gone = append(gone, block{l, slices.Concat(ins, outs)})
		for _, a := range ins {
			for _, b := range outs {
				if within || b.to != bad {
					rest = append(rest, a.then(b))
				}
			}
		}
		edges = merged(rest)
	}
}

// passable is the value of the control that is cheapest to eliminate, -1 if there is none.
func (p *problem) passable(edges []*edge) int {
	best, cost := -1, 0
	for l := range p.places() {
		in, out, size := 0, 0, 0
		loop := false
		for _, e := range edges {
			if e.from == l || e.to == l {
				size += logic.Size(e.body)
			}
			switch {
			case e.from == l && e.to == l:
				loop = true
			case e.from == l && e.to == bad:
			case e.from == l:
				out++
			case e.to == l:
				in++
			}
		}
		if loop || in == 0 || out == 0 || in*out > 6 || size*max(in, out) > largestBlock {
			continue
		}
		if best < 0 || in*out < cost {
			best, cost = l, in*out
		}
	}
	return best
}
