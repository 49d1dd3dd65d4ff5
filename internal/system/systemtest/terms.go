package systemtest

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// context is what a random term may contain.
type context struct {
	vars  []*logic.Var
	steps []int // the states in which mutable symbols may be read; none if empty
	// after restricts the symbols that may be read in state Post; nil allows all.
	after []*logic.Symbol
}

func (c context) with(vs ...*logic.Var) context {
	c.vars = append(slices.Clone(c.vars), vs...)
	return c
}

// apply picks a symbol with the given result, and applies it; nil if there is none.
func (g *generator) apply(result *logic.Sort, depth int, c context) *logic.Term {
	step := logic.Pre
	if len(c.steps) > 0 {
		step = pick(g, c.steps)
	}
	var candidates []*logic.Symbol
	for _, s := range g.sys.Symbols {
		ok := s.Mutable && len(c.steps) > 0 || !s.Mutable
		if s.Mutable && step == logic.Post && c.after != nil && !slices.Contains(c.after, s) {
			ok = false
		}
		if ok && s != g.limit && logic.SameSort(s.Result, result) {
			candidates = append(candidates, s)
		}
	}
	if len(candidates) == 0 {
		return nil
	}
	s := pick(g, candidates)
	args := make([]*logic.Term, len(s.Args))
	for i, a := range s.Args {
		args[i] = g.argument(a, depth-1, c)
	}
	return logic.App(s, step, args...)
}

// argument makes an argument of a sort. With Options.Outside it may lie outside of a range.
func (g *generator) argument(s *logic.Sort, depth int, c context) *logic.Term {
	t := g.term(s, depth, c)
	if g.outside && s.Kind == logic.KindRange && g.one(3) {
		return logic.Add(t, logic.IntLit(int64(g.rng.Intn(2)*2-1)))
	}
	return t
}

// term makes a term whose value lies in a sort.
func (g *generator) term(s *logic.Sort, depth int, c context) *logic.Term {
	if s == logic.Bool {
		return g.bool(depth, c)
	}
	var vars []*logic.Var
	for _, v := range c.vars {
		if logic.SameSort(v.Sort, s) {
			vars = append(vars, v)
		}
	}
	switch {
	case len(vars) > 0 && !g.one(3):
		return logic.Ref(pick(g, vars))
	case depth > 0 && g.one(3):
		return logic.Ite(g.bool(depth-1, c), g.term(s, depth-1, c), g.term(s, depth-1, c))
	case depth > 0 && s.Kind == logic.KindRange && g.one(2):
		t := g.term(s, depth-1, c)
		return logic.Ite(logic.Lt(t, logic.App(g.limit, logic.Pre)), logic.Add(t, logic.IntLit(1)),
			logic.IntLit(0))
	case depth > 0 && !g.one(4):
		if t := g.apply(s, depth, c); t != nil {
			return t
		}
	}
	switch s.Kind {
	case logic.KindEnum:
		return logic.Member(s, g.rng.Intn(len(s.Members)))
	case logic.KindRange:
		return pick(g, []*logic.Term{logic.IntLit(0), logic.App(g.limit, logic.Pre)})
	}
	for _, sym := range g.sys.Symbols {
		if !sym.Mutable && sym.Result == s && len(sym.Args) == 0 {
			return logic.App(sym, logic.Pre)
		}
	}
	panic("systemtest: no constant of sort " + s.Name) // symbols declares one
}

// integer makes a term of sort int that may lie outside the range.
func (g *generator) integer(depth int, c context) *logic.Term {
	t := g.term(g.upTo(), depth, c)
	kind := g.rng.Intn(8)
	if g.opts.Undivided && (kind == 4 || kind == 5) {
		return t
	}
	switch kind {
	case 0:
		return logic.Add(t, g.term(g.upTo(), depth, c))
	case 1:
		return logic.Sub(t, logic.IntLit(1))
	case 2:
		return logic.Mul(logic.IntLit(2), t)
	case 3:
		return logic.Neg(t)
	case 4:
		return logic.Div(logic.Sub(t, logic.IntLit(1)), 2)
	case 5:
		return logic.Mod(logic.Sub(t, logic.IntLit(2)), 3)
	}
	return t
}

// bool makes a formula.
func (g *generator) bool(depth int, c context) *logic.Term {
	if depth <= 0 {
		return g.atom(c)
	}
	sub := func() *logic.Term { return g.bool(depth-1, c) }
	switch g.rng.Intn(11) {
	case 0:
		return logic.Not(sub())
	case 1:
		return logic.And(sub(), sub())
	case 2:
		return logic.Or(sub(), sub())
	case 3:
		return logic.Implies(sub(), sub())
	case 4:
		return logic.Iff(sub(), sub())
	case 5:
		return logic.Ite(sub(), sub(), sub())
	case 6, 7:
		v := &logic.Var{Name: pick(g, []string{"P", "Q"}), Sort: g.domain()}
		body := g.bool(depth-1, c.with(v))
		if g.one(2) {
			return logic.Forall([]*logic.Var{v}, body)
		}
		return logic.Exists([]*logic.Var{v}, body)
	case 8:
		v := &logic.Var{Name: "v", Sort: g.domain()}
		return logic.Let(v, g.term(v.Sort, depth-1, c), g.bool(depth-1, c.with(v)))
	}
	return g.atom(c)
}

func (g *generator) atom(c context) *logic.Term {
	if g.outside && g.one(4) {
		if t := g.guarded(c); t != nil {
			return t
		}
	}
	switch g.rng.Intn(8) {
	case 0:
		return logic.Le(g.integer(1, c), g.integer(1, c))
	case 1:
		return logic.Lt(g.integer(1, c), g.integer(1, c))
	case 2, 3:
		s := g.domain()
		return logic.Eq(g.term(s, 1, c), g.term(s, 1, c))
	case 4:
		s := g.domain()
		return logic.Distinct(g.term(s, 0, c), g.term(s, 1, c))
	}
	if t := g.apply(logic.Bool, 1, c); t != nil {
		return t
	}
	return logic.BoolLit(g.one(2))
}

// guarded makes a formula that applies a symbol with an argument of a range, under a condition that
// just suffices for it to lie there, or just not; nil if there is no such symbol.
func (g *generator) guarded(c context) *logic.Term {
	for range 10 {
		t := g.apply(logic.Bool, 0, c)
		if t == nil {
			return nil
		}
		i := slices.IndexFunc(t.Symbol.Args, func(s *logic.Sort) bool {
			return s.Kind == logic.KindRange
		})
		if i < 0 {
			continue
		}
		of := g.term(t.Symbol.Args[i], 1, c)
		shift, slack := int64(g.rng.Intn(5)-2), int64(g.rng.Intn(3)-1)
		moved := func(by int64) *logic.Term { return logic.Add(of, logic.IntLit(by)) }
		applied := *t
		applied.Args = slices.Clone(t.Args)
		applied.Args[i] = moved(shift)
		cond := logic.Le(moved(shift+slack), logic.App(g.limit, logic.Pre))
		if shift < 0 {
			cond = logic.Lt(logic.IntLit(-1), moved(shift+slack))
		}
		if g.one(3) {
			v := &logic.Var{Name: "V", Sort: logic.Bool}
			return logic.Let(v, &applied, logic.Implies(cond, logic.Ref(v)))
		}
		switch g.rng.Intn(4) {
		case 0:
			return logic.And(cond, &applied)
		case 1:
			return logic.Or(logic.Not(cond), &applied)
		case 2:
			return logic.Ite(cond, &applied, g.bool(0, c))
		}
		return logic.Implies(cond, &applied)
	}
	return nil
}
