package accel

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/presburger"
)

// values are values of symbols of the control: truth values and members by their numbers.
type values map[*logic.Symbol]int64

// fold puts values in place of symbols in a formula or a term, and computes what is then known.
func (v values) fold(t *logic.Term) *logic.Term {
	return logic.Map(t, func(t *logic.Term) *logic.Term {
		if n, ok := v[t.Symbol]; ok && t.Op == logic.OpApp && t.Step == logic.Pre {
			return logic.Literal(t.Symbol.Result, n)
		}
		return logic.Simplified(t)
	})
}

// literal gives the number of a value, unless it is huge.
func literal(t *logic.Term) (int64, bool) {
	n, ok := logic.Number(t)
	return n, ok && !isHuge(n)
}

// sum gives a term as a linear one; false if it is none.
func sum(t *logic.Term, vars []*logic.Symbol) (presburger.Linear, bool) {
	out := presburger.Linear{Coeffs: make([]int64, len(vars))}
	for part, factor := range logic.Summands(t) {
		to := &out.Constant
		if part != nil {
			i := slices.Index(vars, part.Symbol)
			if i < 0 || part.Op != logic.OpApp || part.Step != logic.Pre {
				return out, false
			}
			to = &out.Coeffs[i]
		}
		if !factor.IsInt64() || isHuge(factor.Int64()) || isHuge(*to+factor.Int64()) {
			return out, false
		}
		*to += factor.Int64()
	}
	return out, true
}

// choice is a value under a condition.
type choice struct{ when, value *logic.Term }

// mostCases bounds the cases of a term, and the disjuncts of a guard.
const mostCases = 64

// cases makes branches out of the conditions within a term; false for too many.
func cases(t *logic.Term) (out []choice, ok bool) {
	todo := []choice{{logic.True, t}}
	for len(todo) > 0 {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		var ite *logic.Term
		logic.Walk(c.value, func(t *logic.Term) bool {
			if t.Op == logic.OpIte && ite == nil {
				ite = t
			}
			return ite == nil
		})
		if ite == nil {
			out = append(out, c)
			if len(out) > mostCases {
				return nil, false
			}
			continue
		}
		for i, when := range []*logic.Term{logic.Not(ite.Args[0]), ite.Args[0]} {
			chosen := ite.Args[2-i]
			todo = append(todo, choice{logic.And(c.when, when),
				replaced(c.value, ite, chosen)})
		}
	}
	return out, true
}

// replaced puts a term in place of all that are equal to another.
func replaced(t, old, by *logic.Term) *logic.Term {
	if t == old || t.Op == old.Op && t.Op == logic.OpIte && logic.Equal(t, old) {
		return by
	}
	return logic.MapArgs(t, func(a *logic.Term) *logic.Term { return replaced(a, old, by) })
}

// set gives the vectors for which a formula is true.
func (m *machine) set(t *logic.Term) (*presburger.Set, error) {
	s := m.store
	both := func(a, b *logic.Term, f func(x, y *presburger.Set) *presburger.Set,
	) (*presburger.Set, error) {
		x, err := m.set(a)
		if err != nil {
			return nil, err
		}
		y, err := m.set(b)
		if err != nil {
			return nil, err
		}
		return f(x, y), nil
	}
	switch t.Op {
	case logic.OpTrue:
		return s.All(m.space), nil
	case logic.OpFalse:
		return s.None(m.space), nil
	case logic.OpNot:
		x, err := m.set(t.Args[0])
		if err != nil {
			return nil, err
		}
		return s.Not(x), nil
	case logic.OpAnd, logic.OpOr:
		out := s.All(m.space)
		if t.Op == logic.OpOr {
			out = s.None(m.space)
		}
		for _, a := range t.Args {
			x, err := m.set(a)
			if err != nil {
				return nil, err
			}
			if t.Op == logic.OpAnd {
				out = s.And(out, x)
			} else {
				out = s.Or(out, x)
			}
		}
		return out, nil
	case logic.OpImplies:
		return both(t.Args[0], t.Args[1], func(x, y *presburger.Set) *presburger.Set {
			return s.Or(s.Not(x), y)
		})
	case logic.OpIff:
		return both(t.Args[0], t.Args[1], func(x, y *presburger.Set) *presburger.Set {
			return s.Or(s.And(x, y), s.Not(s.Or(x, y)))
		})
	case logic.OpIte:
		return m.set(logic.Or(logic.And(t.Args[0], t.Args[1]),
			logic.And(logic.Not(t.Args[0]), t.Args[2])))
	case logic.OpEq, logic.OpLt, logic.OpLe:
		return m.comparison(t)
	case logic.OpDistinct:
		var parts []*logic.Term
		for i, a := range t.Args {
			for _, b := range t.Args[:i] {
				parts = append(parts, logic.Not(logic.Eq(a, b)))
			}
		}
		return m.set(values{}.fold(logic.And(parts...)))
	}
	return nil, refuse("%s is no formula of linear arithmetic without quantifiers", t)
}

func (m *machine) comparison(t *logic.Term) (*presburger.Set, error) {
	if t.Args[0].Sort != logic.Int {
		return nil, refuse("%s compares what has no value yet", t)
	}
	branches, ok := cases(logic.Sub(t.Args[0], t.Args[1]))
	if !ok {
		return nil, refuse("%s has more than %d cases", t, mostCases)
	}
	out := m.store.None(m.space)
	for _, c := range branches {
		l, ok := m.linear(c.value)
		if !ok {
			return nil, refuse("%s is not linear", t)
		}
		var x *presburger.Set
		switch t.Op {
		case logic.OpEq:
			x = m.store.IsZero(m.space, l)
		case logic.OpLe:
			x = m.store.AtMostZero(m.space, l)
		default:
			l.Constant++
			x = m.store.AtMostZero(m.space, l)
		}
		if !c.when.IsTrue() {
			when, err := m.set(c.when)
			if err != nil {
				return nil, err
			}
			x = m.store.And(x, when)
		}
		out = m.store.Or(out, x)
	}
	return out, nil
}

// linear gives a term as a sum of components.
func (m *machine) linear(t *logic.Term) (presburger.Linear, bool) {
	l, ok := sum(t, m.vars)
	for len(l.Coeffs) < len(m.space) {
		l.Coeffs = append(l.Coeffs, 0)
	}
	return l, ok
}

// disjuncts gives a formula as a disjunction of conjunctions of comparisons, each of which is a
// convex set; nil where there are too many, or other formulas in it.
func disjuncts(t *logic.Term, is bool) (out [][]*logic.Term) {
	one := func(t *logic.Term) [][]*logic.Term { return [][]*logic.Term{{t}} }
	if t.IsTrue() || t.IsFalse() {
		if t.IsTrue() == is {
			return [][]*logic.Term{{}}
		}
		return [][]*logic.Term{}
	}
	a := t.Args
	switch t.Op {
	case logic.OpNot:
		return disjuncts(a[0], !is)
	case logic.OpAnd, logic.OpOr:
		if (t.Op == logic.OpOr) == is {
			out = [][]*logic.Term{}
			for _, b := range a {
				more := disjuncts(b, is)
				if more == nil || len(out)+len(more) > mostCases {
					return nil
				}
				out = append(out, more...)
			}
			return out
		}
		out = [][]*logic.Term{{}}
		for _, b := range a {
			more := disjuncts(b, is)
			if more == nil || len(out)*len(more) > mostCases {
				return nil
			}
			product := [][]*logic.Term{}
			for _, x := range out {
				for _, y := range more {
					product = append(product, slices.Concat(x, y))
				}
			}
			out = product
		}
		return out
	case logic.OpImplies:
		return disjuncts(logic.Or(logic.Not(a[0]), a[1]), is)
	case logic.OpIff:
		return disjuncts(logic.Or(logic.And(a[0], a[1]),
			logic.And(logic.Not(a[0]), logic.Not(a[1]))), is)
	case logic.OpLt, logic.OpLe, logic.OpEq:
		if ite := hasIte(t); ite {
			return nil
		}
		switch {
		case is:
			return one(t)
		case t.Op == logic.OpEq:
			return [][]*logic.Term{{logic.Lt(a[0], a[1])}, {logic.Lt(a[1], a[0])}}
		}
		return one(logic.Opposite(t))
	}
	return nil
}

func hasIte(t *logic.Term) (found bool) {
	return logic.Has(t, func(t *logic.Term) bool { return t.Op == logic.OpIte })
}
