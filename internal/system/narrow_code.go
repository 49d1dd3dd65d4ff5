package system

import (
	"fmt"
	"maps"
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// block is a block of statements, with conditions that what they write lies in the window. The map
// has the variables that were restricted to it.
func (n *narrower) block(code []Stmt, m map[*logic.Var]*logic.Term) (out []Stmt) {
	m = maps.Clone(m)
	term := func(t *logic.Term) *logic.Term { return n.term(logic.Subst(t, m)) }
	for _, s := range code {
		switch s := s.(type) {
		case Require:
			s.Cond = term(s.Cond)
			out = append(out, s)
		case Let:
			s.Value = term(s.Value)
			out = append(out, s)
		case Choose:
			such := logic.Subst(s.Such, m)
			s.Var = n.restricted(s.Var, such, logic.False, m)
			s.Such = term(s.Such)
			out = append(out, s)
		case If:
			s.Cond = term(s.Cond)
			s.Then, s.Else = n.block(s.Then, m), n.block(s.Else, m)
			out = append(out, s)
		case Havoc:
			if n.symbols[s.Symbol] != nil {
				n.err = &NarrowError{s.Symbol, "a step gives it any value"}
			}
			s.Args = slices.Clone(s.Args)
			rewriteAll(s.Args, term)
			out = append(out, s)
		case Assign:
			out = append(out, n.assign(s, m)...)
		default:
			panic(fmt.Sprintf("system: statement %T", s))
		}
	}
	return out
}

// assign is an assignment after the conditions that it stays in the window.
func (n *narrower) assign(s Assign, m map[*logic.Var]*logic.Term) (out []Stmt) {
	var updates []Update
	for _, u := range s.Updates {
		c := u
		c.Symbol = n.symbol(u.Symbol)
		inner := maps.Clone(m)
		if c.Symbol != u.Symbol {
			for i, fits := range n.fits {
				if in := n.writes(u, i, m); !in.IsTrue() {
					out = append(out, Require{Cond: logic.App(fits, logic.Pre, in).At(u.Span),
						Span: u.Span})
				}
			}
			c.Vars = slices.Clone(u.Vars)
			for i, v := range u.Vars {
				if v.Sort == logic.Int {
					c.Vars[i] = n.windowed(v, inner)
				}
			}
		}
		c.Args = slices.Clone(u.Args)
		rewriteAll(c.Args, func(t *logic.Term) *logic.Term {
			return n.term(logic.Subst(t, inner))
		})
		c.Value = n.term(logic.Subst(u.Value, inner))
		updates = append(updates, c)
	}
	return append(out, Assign{updates})
}

// writes says that a change of a sparse symbol does not go beyond an end of the window: no element
// that it adds does. The values of keys lie where the keys do.
func (n *narrower) writes(u Update, end int, m map[*logic.Var]*logic.Term) *logic.Term {
	m = maps.Clone(m)
	vars := make([]*logic.Var, len(u.Vars))
	for i, v := range u.Vars {
		c := *v
		vars[i] = &c
		m[v] = logic.Ref(&c)
	}
	points, elements := logic.True, logic.True
	for i, sort := range u.Symbol.Args {
		if sort != logic.Int {
			continue
		}
		a := n.term(logic.Subst(u.Args[i], m))
		if in := n.end(end, a); a.Op == logic.OpVar && slices.Contains(vars, a.Var) {
			elements = logic.And(elements, in)
		} else {
			points = logic.And(points, in)
		}
	}
	if u.Symbol.Result != logic.Bool || elements.IsTrue() {
		return points
	}
	value := n.term(logic.Subst(u.Value, m))
	return logic.And(points, around(vars, logic.Implies(value, elements)))
}

// start is the system with empty sets and maps, and what it is to say of its initial states: the
// integers that a set or map can have there lie in the window.
func (n *narrower) start(sys *System) (*System, *logic.Term, error) {
	out := n.declared(sys)
	out.Inits, out.Properties = nil, nil
	for _, f := range sys.Inits {
		for _, c := range logic.Conjuncts(f.Term) {
			if !n.mentions(c) {
				out.Inits = append(out.Inits, &Formula{Name: f.Name, Term: c, Span: f.Span})
			}
		}
	}
	most := &mosts{n: n, of: map[*logic.Symbol]*logic.Term{},
		vars: map[*logic.Symbol][]*logic.Var{}}
	sparse := Sparse(sys)
	for _, sym := range sparse {
		for _, a := range sym.Args {
			most.vars[sym] = append(most.vars[sym], &logic.Var{Name: "e", Sort: a})
		}
		c := n.symbols[sym]
		vars := make([]*logic.Var, len(c.Args))
		for i, a := range c.Args {
			vars[i] = &logic.Var{Name: "e", Sort: a}
		}
		out.Inits = append(out.Inits, &Formula{Term: logic.Forall(vars, logic.Eq(
			logic.App(c, logic.Pre, logic.Refs(vars)...), n.usual[sym]))})
	}
	within := logic.True
	if open := most.find(sys, sparse); open != nil {
		return nil, nil, &NarrowError{open, "the initial conditions do not say which elements or " +
			"keys it has at most, so there may be infinitely many: write what it is at first, as " +
			"in = {}, or write a range such as 0..9 in place of int"}
	}
	for _, sym := range sparse {
		if sym.Result != logic.Bool {
			continue
		}
		in := logic.True
		for i, v := range most.vars[sym] {
			if sym.Args[i] == logic.Int {
				in = logic.And(in, n.end(0, logic.Ref(v)), n.end(1, logic.Ref(v)))
			}
		}
		within = logic.And(within, logic.Forall(most.vars[sym], logic.Implies(most.of[sym], in)))
	}
	return out, within, nil
}

func (n *narrower) mentions(t *logic.Term) bool {
	return logic.Has(t, func(t *logic.Term) bool {
		return t.Op == logic.OpApp && n.symbols[t.Symbol] != nil
	})
}

// mosts finds for each sparse relation a formula that is true of at least the elements that it has
// in initial states. It speaks of no sparse symbol.
type mosts struct {
	n    *narrower
	of   map[*logic.Symbol]*logic.Term
	vars map[*logic.Symbol][]*logic.Var
}

// find finds the formulas, and gives a symbol for which there is none.
func (k *mosts) find(sys *System, sparse []*logic.Symbol) (open *logic.Symbol) {
	for changed := true; changed; {
		changed = false
		next := map[*logic.Symbol]*logic.Term{}
		for _, f := range sys.Inits {
			k.read(f.Term, nil, nil, next)
		}
		for _, sym := range sparse {
			if k.of[sym] == nil && next[sym] != nil {
				k.of[sym], changed = next[sym], true
			}
		}
	}
	i := slices.IndexFunc(sparse, func(sym *logic.Symbol) bool {
		return sym.Result == logic.Bool && k.of[sym] == nil
	})
	if i < 0 {
		return nil
	}
	return sparse[i]
}

// read reads `R(x) -> phi`, `!R(x)` and the like, for all x. The formula need be true only where
// none of some others is.
func (k *mosts) read(
	t *logic.Term, vars []*logic.Var, others []*logic.Term, to map[*logic.Symbol]*logic.Term,
) {
	but := func(more ...*logic.Term) []*logic.Term {
		return append(others[:len(others):len(others)], more...)
	}
	switch t.Op {
	case logic.OpForall:
		k.read(t.Args[0], append(vars[:len(vars):len(vars)], t.Vars...), others, to)
	case logic.OpAnd:
		for _, a := range t.Args {
			k.read(a, vars, others, to)
		}
	case logic.OpOr:
		for i, a := range t.Args {
			k.read(a, vars, but(slices.Delete(slices.Clone(t.Args), i, i+1)...), to)
		}
	case logic.OpImplies:
		k.read(logic.Not(t.Args[0]), vars, but(t.Args[1]), to)
		k.read(t.Args[1], vars, but(logic.Not(t.Args[0])), to)
	case logic.OpIff:
		k.read(logic.Implies(t.Args[0], t.Args[1]), vars, others, to)
		k.read(logic.Implies(t.Args[1], t.Args[0]), vars, others, to)
	case logic.OpNot:
		given := conjuncts(t.Args[0])
		for i, g := range given {
			k.bound(g, vars, but(opposites(slices.Delete(slices.Clone(given), i, i+1))...), to)
		}
	}
}

// bound notes that where a relation is true of variables, one of some formulas is.
func (k *mosts) bound(
	g *logic.Term, vars []*logic.Var, others []*logic.Term, to map[*logic.Symbol]*logic.Term,
) {
	if g.Op != logic.OpApp || k.vars[g.Symbol] == nil || g.Symbol.Result != logic.Bool {
		return
	}
	m := map[*logic.Var]*logic.Term{}
	for j, a := range g.Args {
		if a.Op == logic.OpVar && slices.Contains(vars, a.Var) &&
			logic.SameSort(a.Var.Sort, g.Symbol.Args[j]) {
			m[a.Var] = logic.Ref(k.vars[g.Symbol][j])
		}
	}
	most, ok := k.without(logic.Or(others...), true)
	most = logic.Subst(most, m)
	free := logic.FreeVars(most)
	if !ok || len(m) < len(g.Args) || slices.ContainsFunc(vars, func(v *logic.Var) bool {
		return m[v] == nil && (slices.Contains(free, v) || v.Sort.Kind == logic.KindRange)
	}) {
		return
	}
	if to[g.Symbol] == nil {
		to[g.Symbol] = logic.True
	}
	to[g.Symbol] = logic.And(to[g.Symbol], most)
}

func opposites(ts []*logic.Term) (out []*logic.Term) {
	for _, t := range ts {
		out = append(out, logic.Not(t))
	}
	return out
}

// without is a formula that a formula entails, and that speaks of no sparse symbol. Positive says
// that it stands under an even number of negations.
func (k *mosts) without(t *logic.Term, positive bool) (*logic.Term, bool) {
	if !k.n.mentions(t) {
		return t, true
	}
	switch t.Op {
	case logic.OpApp:
		most := k.of[t.Symbol]
		if most == nil || !positive || slices.ContainsFunc(t.Args, k.n.mentions) {
			return t, false
		}
		m := map[*logic.Var]*logic.Term{}
		for i, v := range k.vars[t.Symbol] {
			m[v] = t.Args[i]
		}
		return logic.Subst(most, m), true
	case logic.OpAnd, logic.OpOr, logic.OpExists, logic.OpForall, logic.OpNot:
		ok := true
		out := logic.MapArgs(t, func(a *logic.Term) *logic.Term {
			a, good := k.without(a, positive == (t.Op != logic.OpNot))
			ok = ok && good
			return a
		})
		return out, ok
	}
	return t, false
}

// conjuncts are the parts of a conjunction.
func conjuncts(t *logic.Term) []*logic.Term {
	if t.Op == logic.OpAnd {
		return t.Args
	}
	return []*logic.Term{t}
}
