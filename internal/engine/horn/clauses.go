package horn

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/smt"
)

// clauses are edges as Horn clauses, over predicates for the values of the control whose invariant
// is not known.
type clauses struct {
	p      *problem
	script *smt.Script
	known  map[int]*logic.Term
	invs   map[int]*logic.Symbol
	args   []part
}

// part is an argument of the predicates: a symbol, or a bit of it.
type part struct {
	index int // of the symbol in the state
	bit   int // -1 for the whole
}

func newClauses(p *problem, known map[int]*logic.Term) *clauses {
	c := &clauses{p: p, script: smt.NewScript(), known: known, invs: map[int]*logic.Symbol{}}
	var sorts []*logic.Sort
	for i, s := range p.state {
		vs := p.values[s]
		if vs == nil {
			c.args, sorts = append(c.args, part{i, -1}), append(sorts, number(s.Result))
			continue
		}
		for b := range bits.Len64(uint64(vs[len(vs)-1])) {
			c.args, sorts = append(c.args, part{i, b}), append(sorts, logic.Bool)
		}
	}
	for i := range p.places() {
		if known[i] == nil {
			c.invs[i] = &logic.Symbol{Name: fmt.Sprintf("Inv_%d", i), Args: sorts,
				Result: logic.Bool}
		}
	}
	return c
}

// rule adds the clause of an edge.
func (c *clauses) rule(e *edge) error {
	vars, body, head := c.parts(e)
	return c.script.Assert(&logic.Term{Op: logic.OpForall, Sort: logic.Bool, Vars: vars,
		Args: []*logic.Term{
			{Op: logic.OpImplies, Sort: logic.Bool, Args: []*logic.Term{body, head}},
		}})
}

// counterexample asks for a step along an edge that violates its clause, where all invariants are
// known.
func (c *clauses) counterexample(e *edge) ([]string, error) {
	vars, body, _ := c.parts(e)
	for _, v := range vars {
		if err := c.script.DeclareVar(v); err != nil {
			return nil, err
		}
	}
	if err := c.script.Assert(body); err != nil {
		return nil, err
	}
	return c.script.Lines(), nil
}

// parts are the parts of an edge's clause.
func (c *clauses) parts(e *edge) (vars []*logic.Var, body, head *logic.Term) {
	r := &rule{c: c, bits: map[*logic.Var][]*logic.Var{}}
	var all []*logic.Term
	if e.from != start {
		all = append(all, r.inv(e.from, e.in))
		// The few values of a number are an invariant of their own.
		for i, s := range c.p.state {
			if vs := c.p.at[int64(e.from)][s]; c.p.values[s] != nil {
				var some []*logic.Term
				for _, x := range vs {
					some = append(some, logic.Eq(logic.Ref(e.in[i]), logic.IntLit(x)))
				}
				all = append(all, logic.Or(some...))
			}
		}
	}
	all = append(all, e.body)
	head = logic.False
	if e.to != bad {
		head = r.inv(e.to, e.out)
	}
	if c.known[e.to] != nil {
		all, head = append(all, logic.Not(head)), logic.False
	}
	vars = slices.Clone(e.in)
	for _, v := range slices.Concat(e.out, e.locals) {
		if !slices.Contains(vars, v) {
			vars = append(vars, v)
		}
	}
	return append(r.vars, vars...), logic.And(append(all, r.equal...)...), head
}

// rule is a clause that is being made.
type rule struct {
	c     *clauses
	bits  map[*logic.Var][]*logic.Var
	vars  []*logic.Var
	equal []*logic.Term
}

// inv is the invariant of a value of the control, in a state.
func (r *rule) inv(place int, state []*logic.Var) *logic.Term {
	if f := r.c.known[place]; f != nil {
		to := map[*logic.Symbol]*logic.Term{}
		for i, s := range r.c.p.state {
			to[s] = logic.Ref(state[i])
		}
		return logic.Map(f, func(t *logic.Term) *logic.Term {
			switch t.Op {
			case logic.OpApp:
				return to[t.Symbol]
			case logic.OpMember:
				return logic.IntLit(int64(t.Index))
			}
			return t
		})
	}
	app := &logic.Term{Op: logic.OpApp, Sort: logic.Bool, Symbol: r.c.invs[place]}
	for _, a := range r.c.args {
		v := state[a.index]
		if a.bit < 0 {
			app.Args = append(app.Args, logic.Ref(v))
			continue
		}
		if a.bit == 0 && r.bits[v] == nil {
			r.split(v, a.index)
		}
		app.Args = append(app.Args, logic.Ref(r.bits[v][a.bit]))
	}
	return app
}

// split gives a variable its bits.
func (r *rule) split(v *logic.Var, index int) {
	sum := []*logic.Term{logic.IntLit(0)}
	for _, a := range r.c.args {
		if a.index == index {
			b := &logic.Var{Name: fmt.Sprintf("%s_b%d", v.Name, a.bit), Sort: logic.Bool}
			r.bits[v], r.vars = append(r.bits[v], b), append(r.vars, b)
			sum = append(sum, logic.Ite(logic.Ref(b), logic.IntLit(1<<a.bit), logic.IntLit(0)))
		}
	}
	r.equal = append(r.equal, logic.Eq(logic.Ref(v), logic.Add(sum...)))
}

// read takes the solver's definitions of the predicates as invariants, over the symbols of the
// system in state Pre.
func (c *clauses) read(model smt.Sexpr) (map[int]*logic.Term, error) {
	found := map[int]*logic.Term{}
	for i, inv := range c.invs {
		at := slices.IndexFunc(model.List, func(d smt.Sexpr) bool {
			return d.Head() == "define-fun" && len(d.List) == 5 && d.List[1].Atom == inv.Name+"@"
		})
		if at < 0 {
			continue // it is in no clause
		}
		d := model.List[at] // (define-fun Inv_0@ ((x Int) ...) Bool body)
		if len(d.List[2].List) != len(c.args) {
			return nil, errors.New("the solution cannot be read")
		}
		r := &reader{names: map[string]*logic.Term{}, bits: map[*logic.Term]valued{}}
		for k, x := range d.List[2].List {
			if len(x.List) != 2 {
				return nil, errors.New("the solution cannot be read")
			}
			s := c.p.state[c.args[k].index]
			if b := c.args[k].bit; b >= 0 {
				t := &logic.Term{Op: logic.OpVar, Sort: logic.Bool,
					Var: &logic.Var{Name: x.List[0].Atom, Sort: logic.Bool}}
				r.names[x.List[0].Atom], r.bits[t] = t, valued{s, c.p.values[s], 1 << b}
			} else {
				r.names[x.List[0].Atom] = logic.App(s, logic.Pre)
			}
		}
		body, err := r.formula(d.List[4])
		if err != nil {
			return nil, fmt.Errorf("the solution cannot be read: %w", err)
		}
		found[i] = r.whole(body)
	}
	if len(found) == 0 {
		return nil, errors.New("the solver printed no solution")
	}
	return found, nil
}
