package interp

import (
	"fmt"
	"math"

	"erelong.dev/erelong/internal/logic"
)

// An integer without a range can be enumerated where formulas bound it on both sides, in any words:
// x = 2, x <= 2 & x >= 2, !(x < 0 | x > 2), x = 0 | x = 5. What a formula says of one slot, or of
// one variable, is an interval, which holds all values for which the formula can have the wanted
// value.

// interval is the set of integers from lo to hi; an end that is the least or the largest number of
// 64 bits is none.
type interval struct{ lo, hi int64 }

var (
	anything = interval{math.MinInt64, math.MaxInt64}
	nothing  = interval{math.MaxInt64, math.MinInt64}
)

func (i interval) empty() bool { return i.lo > i.hi }

func (i interval) finite() bool { return i.lo > math.MinInt64 && i.hi < math.MaxInt64 }

func (i interval) and(j interval) interval {
	if i = (interval{max(i.lo, j.lo), min(i.hi, j.hi)}); i.empty() {
		return nothing
	}
	return i
}

// or is the smallest interval that holds both.
func (i interval) or(j interval) interval {
	switch {
	case i.empty():
		return j
	case j.empty():
		return i
	}
	return interval{min(i.lo, j.lo), max(i.hi, j.hi)}
}

// below and above are the integers up to a number, and from it on.
func below(v int64) interval { return interval{math.MinInt64, v} }
func above(v int64) interval { return interval{v, math.MaxInt64} }

// integers gives the values that an integer slot can have under constraints, if these bound it. For
// a parameter of the instance they must leave one value: several are several instances.
func (f *machine) integers(cs []constraint, slot int) (domain, bool) {
	sym := f.owner(slot).symbol
	if sym.Result.Kind != logic.KindInt {
		return domain{}, false
	}
	all := anything
	for _, c := range cs {
		base := f.base
		f.base = c.base
		all = all.and(bounds{machine: f, slot: slot}.within(c.term, 1))
		f.base = base
	}
	switch {
	case all.empty():
		return domain{0, 0}, true
	case !all.finite() || uint64(all.hi)-uint64(all.lo) >= maxPoints:
		return domain{}, false
	case !sym.Mutable && all.lo != all.hi:
		return domain{}, false
	}
	return domain{all.lo, all.hi - all.lo + 1}, true
}

// Between gives the least and the greatest value that formulas about one state leave to a slot that
// holds an integer without a range; ok is false where they do not bound it on both sides. Both are
// 0 where the formulas leave no value.
func Between(
	m *Model, slot int, formulas []*logic.Term,
) (lo, hi int64, ok bool, err error) {
	f, err := m.machine()
	if err != nil {
		return 0, 0, false, err
	}
	defer m.release(f)
	if err := f.setInstance(); err != nil {
		return 0, 0, false, err
	}
	var cs []constraint
	for _, t := range formulas {
		cs = append(cs, constraint{t, logic.Pre})
	}
	d, ok := f.integers(cs, slot)
	return d.lo, d.lo + max(d.n, 1) - 1, ok, nil
}

// bounds is what formulas say of a slot, or of a variable.
type bounds struct {
	*machine
	slot     int
	variable *logic.Var
	unknown  *int // of a variable: the first slot without a value that is needed, or noSlot
}

// noSlot is in the place of a slot where there is none.
const noSlot = -1

// between is the set of values of the first of some variables with which the formulas can have the
// value want. The other variables have no value yet. Of an integer without a range, the formulas up
// to the one that leaves finitely many values count.
func between(
	f *machine, vars []*logic.Var, want int64, formulas []*logic.Term,
) (domain, bool) {
	v := vars[0]
	if !endless(f.m, v.Sort) || len(formulas) == 0 {
		return f.enumerable(v)
	}
	at, unknown := len(f.env), noSlot
	for _, v := range vars {
		f.env = append(f.env, binding{v: v, open: true})
	}
	b, all := bounds{f, noSlot, v, &unknown}, anything
	for i := 0; i < len(formulas) && !all.finite(); i++ {
		all = all.and(b.within(formulas[i], want))
	}
	f.env, f.err = f.env[:at], nil
	switch {
	case all.empty():
		return domain{}, true
	case all.finite() && uint64(all.hi)-uint64(all.lo) < maxPoints:
		return domain{all.lo, all.hi - all.lo + 1}, true
	case all.finite():
		f.err = &TooManyError{v.Span, fmt.Sprintf("the variable %s has", v)}
	case unknown != noSlot:
		f.miss = unknown
	default:
		f.err = &EvalError{Span: v.Span, Message: fmt.Sprintf("the integers of variable %s cannot "+
			"be enumerated: use a range, or bound it on both sides, as in 0 <= %s & %s < n",
			v, v, v)}
	}
	return domain{}, false
}

// value is the value of a term, if it has one.
func (b bounds) value(t *logic.Term) (int64, bool) {
	v, ok := b.eval(t)
	if !ok && b.variable != nil {
		if b.err == nil && *b.unknown == noSlot {
			*b.unknown = b.miss
		}
		b.err = nil
	}
	return v, ok
}

// within is what a formula with the value want says of a slot.
func (b bounds) within(t *logic.Term, want int64) interval {
	if v, ok := b.value(t); ok {
		if v == want {
			return anything
		}
		return nothing
	}
	switch t.Op {
	case logic.OpNot:
		return b.within(t.Args[0], 1-want)
	case logic.OpAnd, logic.OpForall:
		return b.withinOperands(t, want == 1, want)
	case logic.OpOr, logic.OpExists:
		return b.withinOperands(t, want == 0, want)
	case logic.OpImplies:
		x, y := b.within(t.Args[0], 1-want), b.within(t.Args[1], want)
		if want == 1 {
			return x.or(y)
		}
		return x.and(y)
	case logic.OpIte:
		if v, ok := b.value(t.Args[0]); ok {
			return b.within(t.Args[2-v], want)
		}
		return b.within(t.Args[1], want).or(b.within(t.Args[2], want))
	case logic.OpLet:
		b.env = append(b.env, binding{v: t.Vars[0], lazy: &lazy{term: t.Args[0]}})
		defer func() { b.env = b.env[:len(b.env)-1] }()
		return b.within(t.Args[1], want)
	case logic.OpIff, logic.OpEq, logic.OpLt, logic.OpLe:
		return b.withinRelation(t, want)
	case logic.OpApp:
		out := anything
		if l := b.m.layouts[t.Symbol]; l != nil && l.body != nil {
			b.inBody(t, func(body *logic.Term) { out = b.within(body, want) })
		}
		return out
	}
	return anything
}

// withinOperands is within for operands of which all have the value want, or some.
func (b bounds) withinOperands(t *logic.Term, all bool, want int64) interval {
	if t.IsQuantifier() {
		if s := b.scoped(t); s != t {
			return b.within(s, want)
		}
	}
	out := nothing
	if all {
		out = anything
	}
	complete := b.operands(t, func(a *logic.Term) bool {
		i := b.within(a, want)
		if all {
			out = out.and(i)
		} else {
			out = out.or(i)
		}
		return true
	})
	if !complete && !all {
		return anything
	}
	return out
}

// withinRelation is within for two terms, of which one has a value.
func (b bounds) withinRelation(t *logic.Term, want int64) interval {
	x, y := t.Args[0], t.Args[1]
	v, left := b.value(x)
	w, right := b.value(y)
	switch {
	case left == right:
		return anything
	case t.Op == logic.OpIff && left:
		return b.within(y, sameIf(want, v))
	case t.Op == logic.OpIff:
		return b.within(x, sameIf(want, w))
	case x.Sort != logic.Int || t.Op == logic.OpEq && want == 0:
		return anything
	case t.Op == logic.OpEq && left:
		return b.inverse(y, interval{v, v})
	case t.Op == logic.OpEq:
		return b.inverse(x, interval{w, w})
	}
	strict := (t.Op == logic.OpLt) == (want == 1)
	if left == (want == 1) { // v < y, or !(x < w)
		return b.inverse(other(x, y, left), above(next(v, w, left, strict, 1)))
	}
	return b.inverse(other(x, y, left), below(next(v, w, left, strict, -1)))
}

// other is the term that has no value.
func other(a, b *logic.Term, left bool) *logic.Term {
	if left {
		return b
	}
	return a
}

// next is the bound that follows from the known value; a strict comparison moves it by one.
func next(v, w int64, left, strict bool, by int64) int64 {
	if !left {
		v = w
	}
	if !strict || by > 0 && v == math.MaxInt64 || by < 0 && v == math.MinInt64 {
		return v
	}
	return v + by
}

// inverse is the set of values of a slot for which a term can lie in an interval.
func (b bounds) inverse(t *logic.Term, i interval) interval {
	switch t.Op {
	case logic.OpVar:
		if t.Var == b.variable {
			return i
		}
		for at := len(b.env) - 1; at >= 0; at-- {
			if x := b.env[at]; x.v == t.Var && x.lazy != nil {
				return b.inverse(x.lazy.term, i)
			}
		}
	case logic.OpApp:
		l := b.m.layouts[t.Symbol]
		switch {
		case l == nil:
		case l.body != nil:
			out := anything
			b.inBody(t, func(body *logic.Term) { out = b.inverse(body, i) })
			return out
		case b.variable == nil:
			if s, ok := b.machine.slot(l, t); ok && s == b.slot {
				return i
			}
		}
	case logic.OpIte:
		if v, ok := b.value(t.Args[0]); ok {
			return b.inverse(t.Args[2-v], i)
		}
	case logic.OpLet:
		b.env = append(b.env, binding{v: t.Vars[0], lazy: &lazy{term: t.Args[0]}})
		defer func() { b.env = b.env[:len(b.env)-1] }()
		return b.inverse(t.Args[1], i)
	case logic.OpNeg:
		return b.inverse(t.Args[0], moved(i, 0, -1))
	case logic.OpSub:
		if w, ok := b.value(t.Args[1]); ok {
			return b.inverse(t.Args[0], moved(i, w, 1))
		}
		if v, ok := b.value(t.Args[0]); ok {
			return b.inverse(t.Args[1], moved(moved(i, 0, -1), v, 1))
		}
	case logic.OpAdd:
		var open *logic.Term
		for _, a := range t.Args {
			v, ok := b.value(a)
			switch {
			case ok && v > math.MinInt64:
				i = moved(i, -v, 1)
			case open != nil || ok:
				return anything
			default:
				open = a
			}
		}
		if open != nil {
			return b.inverse(open, i)
		}
	}
	return anything
}

// moved multiplies an interval by 1 or -1, and adds a number. What leaves 64 bits has no end there.
func moved(i interval, by, sign int64) interval {
	end := func(v int64, least bool) int64 {
		none := int64(math.MaxInt64)
		if least {
			none = math.MinInt64
		}
		if v == math.MinInt64 || v == math.MaxInt64 {
			return none
		}
		if sum, ok := logic.Calculate(logic.OpAdd, 1, sign*v, by); ok {
			return sum
		}
		return none
	}
	if sign < 0 {
		return interval{end(i.hi, true), end(i.lo, false)}
	}
	return interval{end(i.lo, true), end(i.hi, false)}
}
