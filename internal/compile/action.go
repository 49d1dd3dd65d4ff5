package compile

import (
	"math"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/wasm"
)

// The code of an action is compiled in the order in which it runs, each statement with a
// continuation that compiles the following statements. A choice is a loop around its continuation;
// a failed condition branches to the end of the innermost loop. The continuation of a conditional
// is compiled once if the branches have no choices, and otherwise once in each branch.

// repeat compiles a body for every value of a variable: expanded, or as a loop.
func (g *generator) repeat(boolean, writeOut bool, lo, hi *expr, body func(x *expr)) {
	f := g.f
	outer := g.blocked
	if lo.isConst() && hi.isConst() && (writeOut || lo.Lo == hi.Lo) {
		for v := lo.Lo; v <= hi.Lo && g.err == nil; v++ {
			x := konst(v)
			if boolean {
				x = truth(v == 1)
			}
			mark := f.Mark()
			g.blocked = f.Block()
			body(x)
			f.End()
			f.Release(mark)
		}
		g.blocked = outer
		return
	}
	mark := f.Mark()
	v := &variable{local: f.Temp(wasm.I64)}
	last := f.Temp(wasm.I64)
	g.value(lo)
	f.Set(v.local)
	g.value(hi)
	f.Set(last)
	exit := f.Block()
	again := f.Loop()
	f.Get(v.local)
	f.Get(last)
	f.Op(wasm.I64GtS)
	f.BrIf(exit)
	g.blocked = f.Block()
	body(ref(v, boolean, Interval{lo.Lo, max(lo.Lo, hi.Hi)}))
	f.End()
	f.Get(v.local)
	f.I64(1)
	f.Op(wasm.I64Add)
	f.Set(v.local)
	f.Br(again)
	f.End()
	f.End()
	f.Release(mark)
	g.blocked = outer
}

// unrolls decides whether code is expanded for each of n values.
func (g *generator) unrolls(n int64, code []system.Stmt) bool {
	limit := int64(g.layout.limits.code)
	if havocs(code) {
		limit = int64(g.layout.limits.unknownCode)
	}
	return n <= limit && n*int64(codeSize(code)) <= limit
}

// codeSize counts the nodes of the terms of code.
func codeSize(code []system.Stmt) int {
	n := 0
	terms := func(ts ...*logic.Term) {
		for _, t := range ts {
			logic.Walk(t, func(*logic.Term) bool { n++; return true })
		}
	}
	for _, s := range code {
		n++
		switch s := s.(type) {
		case system.Require:
			terms(s.Cond)
		case system.Assign:
			for _, u := range s.Updates {
				terms(u.Args...)
				terms(u.Value)
			}
		case system.Havoc:
			terms(s.Args...)
		case system.Choose:
			terms(s.Such)
		case system.Let:
			terms(s.Value)
		case system.If:
			terms(s.Cond)
			n += codeSize(s.Then) + codeSize(s.Else)
		}
	}
	return n
}

// occurs reports whether code has a statement that satisfies is.
func occurs(code []system.Stmt, is func(system.Stmt) bool) bool {
	return slices.ContainsFunc(code, func(s system.Stmt) bool {
		c, ok := s.(system.If)
		return is(s) || ok && (occurs(c.Then, is) || occurs(c.Else, is))
	})
}

func havocs(code []system.Stmt) bool {
	return occurs(code, func(s system.Stmt) bool { _, ok := s.(system.Havoc); return ok })
}

func choices(code []system.Stmt) bool {
	return havocs(code) || occurs(code, func(s system.Stmt) bool {
		_, ok := s.(system.Choose)
		return ok
	})
}

// loosen makes the derived relations unknown whose definitions do not give their values. The code
// of a formula reads them in the final state, where finish requires the definitions.
func (g *generator) loosen(a *system.Action, s scope, next func(scope)) {
	for _, d := range g.layout.freeDerived {
		if a.Imperative {
			g.unsupported(a.Span,
				"the definition of %s does not give its value after each statement", d.Symbol)
			return
		}
		rest, array := next, g.layout.arrays[d.Symbol]
		points := make([]*expr, array.points)
		for i := range points {
			points[i] = konst(int64(i))
		}
		next = func(s scope) {
			g.forget(system.Havoc{Symbol: d.Symbol, Span: a.Span}, array, points, s, rest)
		}
	}
	next(s)
}

// bindingIndex is the index of the values of an action's parameters in the lexicographic list of
// all.
func (g *generator) bindingIndex(a *system.Action, s scope, domain func(int) Interval) *expr {
	index, count := konst(0), 1
	for i, p := range a.Params {
		d := domain(i)
		if count *= max(d.size(), 1); count > math.MaxUint16+1 {
			g.unsupported(p.Span, "the parameters of %s have more than %d values", a.Name,
				math.MaxUint16+1)
			return index
		}
		index = add(mul(index, konst(int64(d.size()))), sub(number(s.lookup(p)), konst(d.Lo)))
	}
	return index
}

// block compiles statements, and then calls next with the version after them.
func (g *generator) block(code []system.Stmt, s scope, next func(*version)) {
	if g.tooLong() {
		return
	}
	if len(code) == 0 {
		next(s.post)
		return
	}
	rest := func(s scope) { g.block(code[1:], s, next) }
	switch c := code[0].(type) {
	case system.Require:
		g.require(g.term(c.Cond, s), s, rest)
	case system.Assign:
		g.assign(c, s, rest)
	case system.Havoc:
		g.havoc(c, s, rest)
	case system.Choose:
		g.choose(c, code[1:], s, rest)
	case system.Let:
		g.known(s, func(s scope) []*expr { return []*expr{g.term(c.Value, s)} }, func(
			s scope, e []*expr,
		) {
			rest(s.bind(c.Var, g.keep(e[0])))
		})
	case system.If:
		g.known(s, func(s scope) []*expr { return []*expr{g.term(c.Cond, s)} }, func(
			s scope, e []*expr,
		) {
			g.conditional(c, e[0], s, rest)
		})
	default:
		g.unsupported(diag.Span{}, "statement %T", code[0])
	}
}

// choose goes on with each value of a choice. The bounds of an integer need values.
func (g *generator) choose(c system.Choose, code []system.Stmt, s scope, next func(scope)) {
	if g.layout.isInfinite(c.Var.Sort) && s.post.isOpen() {
		g.settle(s.post, nil, func(v *version) {
			s.post = v
			g.choose(c, code, s, next)
		})
		return
	}
	g.known(s, func(s scope) []*expr {
		lo, hi := g.ends([]*logic.Var{c.Var}, []*logic.Term{c.Such}, true, c.Span, s)
		return []*expr{lo, hi}
	}, func(s scope, ends []*expr) {
		out := ends[0].isConst() && ends[1].isConst() && ends[1].Lo-ends[0].Lo < 1<<20 &&
			g.unrolls(ends[1].Lo-ends[0].Lo+1, code)
		g.repeat(c.Var.Sort == logic.Bool, out, ends[0], ends[1], func(x *expr) {
			s := s.bind(c.Var, x)
			g.require(g.term(c.Such, s), s, next)
		})
	})
}

// known calls next with expressions without unknown values. It first enumerates all unknown values
// if an expression mentions one. It also does this if an expression may fail while formulas are
// pending, because the failure counts only if these can be true.
func (g *generator) known(s scope, build func(scope) []*expr, next func(scope, []*expr)) {
	es := build(s)
	for _, e := range es {
		if !e.isKnown() || e.fails && len(s.post.pending) > 0 {
			g.settle(s.post, nil, func(v *version) {
				s.post = v
				next(s, build(s))
			})
			return
		}
	}
	next(s, es)
}

// require goes on where a formula is true. A formula over unknown values becomes pending. If it may
// fail, all unknown values are enumerated instead, so that it fails exactly where testing the
// formulas one by one would fail.
func (g *generator) require(e *expr, s scope, next func(scope)) {
	parts := []*expr{e}
	if e.op == opAnd {
		parts = e.args
	}
	for i, p := range parts {
		switch {
		case p.fails && (!p.isKnown() || len(s.post.pending) > 0):
			g.settle(s.post, parts[i:], func(v *version) {
				s.post = v
				next(s)
			})
			return
		case p.isKnown():
			g.unless(p, g.blocked)
			if p.is(0) {
				return
			}
		default:
			s.post = s.post.clone()
			s.post.pending = append(slices.Clip(s.post.pending), p)
		}
	}
	next(s)
}
