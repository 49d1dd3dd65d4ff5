package infer

import (
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
)

// ground is a formula for values of its variables, over the slots of a state: quantifiers are
// expanded. It is evaluated in one state, or in many at once.
type ground struct {
	op    groundOp
	slot  int      // of isTrue, equals, and same
	value int64    // of equals and atMost; of same, the other slot
	sum   []scaled // of atMost
	parts []*ground
	// What is not grounded is evaluated as it stands.
	term *logic.Term
	env  []binding
}

type groundOp uint8

const (
	isTrue groundOp = iota // a truth value of the state
	equals                 // a value of the state has a known value
	same                   // two values of the state are equal
	atMost                 // a sum of values of the state is at most a value
	negation
	conjunction
	disjunction
	other
)

// scaled is the value of a slot, times a number.
type scaled struct {
	slot  int
	times int64
}

// columnKey names a formula by its shape and the values of its free variables.
type columnKey struct {
	shape  int
	values [maxFree]int8
}

// maxFree bounds the free variables of an atom.
const maxFree = 8

// grounded gives the formula with a key. It panics with errEval where a quantifier is over an
// infinite or unknown set.
func (s *structure) grounded(key columnKey, t *logic.Term, env []binding) *ground {
	g, ok := s.grounds[key]
	if !ok {
		g = s.ground(t, env)
		s.grounds[key] = g
	}
	return g
}

func (s *structure) ground(t *logic.Term, env []binding) *ground {
	switch t.Op {
	case logic.OpTrue:
		return &ground{op: conjunction}
	case logic.OpFalse:
		return &ground{op: disjunction}
	case logic.OpNot:
		return &ground{op: negation, parts: []*ground{s.ground(t.Args[0], env)}}
	case logic.OpAnd, logic.OpOr:
		g := &ground{op: conjunction}
		if t.Op == logic.OpOr {
			g.op = disjunction
		}
		for _, a := range t.Args {
			g.parts = append(g.parts, s.ground(a, env))
		}
		return g
	case logic.OpImplies:
		no := &ground{op: negation, parts: []*ground{s.ground(t.Args[0], env)}}
		return &ground{op: disjunction, parts: []*ground{no, s.ground(t.Args[1], env)}}
	case logic.OpApp:
		if slot, ok := s.place(t, env); ok {
			return &ground{op: isTrue, slot: slot}
		}
		if g := s.nested(t, env); g != nil {
			return g
		}
		if d := s.derived[t.Symbol]; d != nil && !slices.ContainsFunc(t.Args, readsState) {
			var inner []binding
			for i, v := range d.Vars {
				inner = append(inner, binding{v, (&sample{structure: s}).eval(t.Args[i], env)})
			}
			return s.ground(d.Body, inner)
		}
	case logic.OpEq:
		if g := s.equation(t, env); g != nil {
			return g
		}
		if g := s.nested(t, env); g != nil {
			return g
		}
	case logic.OpLe:
		if g := s.atMost(t.Args[0], t.Args[1], env); g != nil {
			return g
		}
	case logic.OpForall, logic.OpExists:
		g := &ground{op: conjunction}
		if t.Op == logic.OpExists {
			g.op = disjunction
		}
		s.instances(t.Vars, env, func(env []binding) {
			g.parts = append(g.parts, s.ground(t.Args[0], env))
		})
		return g
	}
	return &ground{op: other, term: t, env: append([]binding(nil), env...)}
}

// place gives the slot of a symbol that is applied to variables.
func (s *structure) place(t *logic.Term, env []binding) (slot int, ok bool) {
	if t.Op != logic.OpApp {
		return 0, false
	}
	tab, ok := s.tables[t.Symbol]
	if !ok || !allVars(t.Args) {
		return 0, false
	}
	return (&sample{structure: s}).index(tab, t.Args, env), true
}

// nested grounds a formula about the values of functions: for some value of an inner term, the term
// has it, and the formula holds with the value in its place. It gives nil where there is no inner
// term with elements or members as values.
func (s *structure) nested(t *logic.Term, env []binding) *ground {
	for i, a := range t.Args {
		inner := a
		replaced := func(x *logic.Term) *logic.Term { return x }
		if t.Op == logic.OpEq {
			k := slices.IndexFunc(a.Args, applies)
			if a.Op != logic.OpApp || k < 0 {
				continue
			}
			inner = a.Args[k]
			replaced = func(x *logic.Term) *logic.Term {
				return logic.App(a.Symbol, a.Step, with(a.Args, k, x)...)
			}
		} else if !applies(a) {
			continue
		}
		x := &logic.Var{Name: "value", Sort: inner.Sort}
		is := logic.Eq(inner, logic.Ref(x))
		then := &logic.Term{Op: t.Op, Sort: t.Sort, Symbol: t.Symbol, Step: t.Step,
			Args: with(t.Args, i, replaced(logic.Ref(x)))}
		g := &ground{op: disjunction}
		s.instances([]*logic.Var{x}, env, func(env []binding) {
			g.parts = append(g.parts, &ground{op: conjunction,
				parts: []*ground{s.ground(is, env), s.ground(then, env)}})
		})
		return g
	}
	return nil
}

// readsState reports whether the value of an argument depends on the state.
func readsState(t *logic.Term) bool { return t.Op != logic.OpVar && t.Op != logic.OpMember }

// applies reports whether a term is an application with elements or members as values.
func applies(t *logic.Term) bool {
	return t.Op == logic.OpApp &&
		(t.Sort.Kind == logic.KindUninterpreted || t.Sort.Kind == logic.KindEnum)
}

// with is a list with another term at a place.
func with(ts []*logic.Term, i int, t *logic.Term) []*logic.Term {
	out := slices.Clone(ts)
	out[i] = t
	return out
}

// equation grounds an equation between values of the state, variables and members.
func (s *structure) equation(t *logic.Term, env []binding) *ground {
	a, b := t.Args[0], t.Args[1]
	x, isSlot := s.place(a, env)
	if !isSlot {
		a, b = b, a
		x, isSlot = s.place(a, env)
	}
	if !isSlot {
		return nil
	}
	if b.Op == logic.OpInt && b.Int.IsInt64() {
		return &ground{op: equals, slot: x, value: b.Int.Int64()}
	}
	if y, ok := s.place(b, env); ok {
		return &ground{op: same, slot: x, value: int64(y)}
	}
	if b.Op == logic.OpVar || b.Op == logic.OpMember {
		return &ground{op: equals, slot: x, value: (&sample{structure: s}).eval(b, env)}
	}
	return nil
}

// atMost grounds a comparison of sums over the state; it gives nil for others.
func (s *structure) atMost(a, b *logic.Term, env []binding) *ground {
	g := &ground{op: atMost}
	for part, factor := range logic.Summands(logic.Sub(a, b)) {
		switch {
		case !factor.IsInt64():
			return nil
		case part == nil:
			g.value -= factor.Int64()
		default:
			slot, ok := s.place(part, env)
			if !ok {
				return nil
			}
			g.sum = append(g.sum, scaled{slot, factor.Int64()})
		}
	}
	return g
}

// instances calls f with all values of some variables.
func (s *structure) instances(vars []*logic.Var, env []binding, f func([]binding)) {
	if len(vars) == 0 {
		f(env)
		return
	}
	d := s.domain(vars[0].Sort)
	if d.n == 0 {
		panic(errEval)
	}
	for v := d.lo; v < d.lo+d.n; v++ {
		s.instances(vars[1:], append(env[:len(env):len(env)], binding{vars[0], v}), f)
	}
}

// in evaluates a formula in a state.
func (g *ground) in(s *structure, st interp.State) bool {
	switch g.op {
	case isTrue:
		return st[g.slot] == 1
	case equals:
		return st[g.slot] == g.value
	case same:
		return st[g.slot] == st[g.value]
	case atMost:
		var sum int64
		for _, x := range g.sum {
			sum += x.times * st[x.slot]
		}
		return sum <= g.value
	case negation:
		return !g.parts[0].in(s, st)
	case conjunction:
		for _, p := range g.parts {
			if !p.in(s, st) {
				return false
			}
		}
		return true
	case disjunction:
		for _, p := range g.parts {
			if p.in(s, st) {
				return true
			}
		}
		return false
	}
	return (&sample{s, st}).eval(g.term, g.env) == 1
}

// truth evaluates a formula in all states.
func (w *world) truth(g *ground) []uint64 {
	switch g.op {
	case isTrue:
		return w.slot(g.slot)
	case negation:
		return w.not(w.truth(g.parts[0]))
	case conjunction:
		c := w.full()
		for _, p := range g.parts {
			and(c, w.truth(p))
		}
		return c
	case disjunction:
		c := make([]uint64, w.words())
		for _, p := range g.parts {
			or(c, w.truth(p))
		}
		return c
	}
	switch {
	case g.op == equals:
		return w.value(g.slot, g.value)
	case g.op == same && w.symbols[g.slot].Result.Kind == logic.KindUninterpreted:
		c := make([]uint64, w.words())
		for v := range w.domain(w.symbols[g.slot].Result).n {
			both := slices.Clone(w.value(g.slot, v))
			and(both, w.value(int(g.value), v))
			or(c, both)
		}
		return c
	}
	c := make([]uint64, w.words())
	for i, st := range w.states {
		if g.in(w.structure, st) {
			c[i/64] |= 1 << (i % 64)
		}
	}
	return c
}
