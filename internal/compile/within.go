package compile

import (
	"math"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/logic"
)

// An integer without a range takes the values between the bounds that formulas give it, as in the
// interpreter: what a formula says of one variable is an interval, whose ends are expressions. A
// formula that does not mention the variable says nothing here, though it may be false. So a
// program tries at least the values that the interpreter tries.

// mostIntegers bounds the integers between bounds, as in the interpreter.
const mostIntegers = 1 << 24

// ends are the least and the greatest value of an integer, nil where there is none.
type ends struct {
	lo, hi *expr
	never  bool // there is no value
	closed bool // the formula is not about the integer
	// loose says that in some states the formula says more of the integer.
	loose bool
}

func (e ends) finite() bool { return e.never || e.lo != nil && e.hi != nil }

// and holds the values that both ends allow.
func (e ends) and(d ends) ends {
	switch {
	case e.never || d.closed:
		return e
	case d.never || e.closed:
		return d
	}
	return ends{lo: tighter(e.lo, d.lo, larger), hi: tighter(e.hi, d.hi, smaller),
		loose: e.loose || d.loose}
}

// or holds the values that one of the ends allows.
func (e ends) or(d ends) ends {
	switch {
	case e.never:
		return d
	case d.never:
		return e
	}
	out := ends{loose: e.loose || d.loose || e.closed || d.closed}
	if e.lo != nil && d.lo != nil {
		out.lo = smaller(e.lo, d.lo)
	}
	if e.hi != nil && d.hi != nil {
		out.hi = larger(e.hi, d.hi)
	}
	return out
}

// tighter is one of two ends if there is no other, or if the other may have no value; else the
// tighter one.
func tighter(a, b *expr, choose func(a, b *expr) *expr) *expr {
	switch {
	case a == nil || b != nil && a.fails && !b.fails:
		return b
	case b == nil || b.fails && !a.fails:
		return a
	}
	return choose(a, b)
}

func larger(a, b *expr) *expr {
	return extreme(a, b, b, a, Interval{max(a.Lo, b.Lo), max(a.Hi, b.Hi)})
}

func smaller(a, b *expr) *expr {
	return extreme(a, b, a, b, Interval{min(a.Lo, b.Lo), min(a.Hi, b.Hi)})
}

// extreme is x where a < b, and y elsewhere.
func extreme(a, b, x, y *expr, within Interval) *expr {
	e := ite(lt(a, b), x, y)
	if e.op == opIte {
		narrow := *e
		narrow.Interval = within
		return &narrow
	}
	return e
}

// bounder finds what formulas say of a variable. Open variables have no value yet.
type bounder struct {
	x    *variable
	open func(*variable) bool
}

func (b bounder) isOpen(e *expr) bool {
	return e.op == opVar && b.open(e.v) || slices.ContainsFunc(e.args, b.isOpen)
}

// within is what a formula with a truth value says.
func (b bounder) within(e *expr, want bool) ends {
	switch {
	case e.isConst():
		return ends{never: e.is(0) == want}
	case !b.isOpen(e):
		return ends{closed: true}
	}
	switch e.op {
	case opNot:
		return b.within(e.args[0], !want)
	case opAnd:
		return b.operands(e.args, want, want)
	case opOr:
		return b.operands(e.args, !want, want)
	case opIte:
		out := b.within(e.args[1], want).or(b.within(e.args[2], want))
		out.loose = out.loose || !b.isOpen(e.args[0])
		return out
	case opLet:
		return b.within(e.args[1].subst(map[*variable]*expr{e.v: e.args[0]}), want)
	case opEq, opLt, opLe:
		return b.relation(e, want)
	case opAll, opAny:
		return ends{loose: true}
	}
	return ends{}
}

// operands is within for operands of which all have the truth value, or one.
func (b bounder) operands(args []*expr, all, want bool) ends {
	out := b.within(args[0], want)
	for _, a := range args[1:] {
		if e := b.within(a, want); all {
			out = out.and(e)
		} else {
			out = out.or(e)
		}
	}
	return out
}

// relation is within for two values, of which one is known.
func (b bounder) relation(e *expr, want bool) ends {
	x, y := e.args[0], e.args[1]
	left := !b.isOpen(x)
	if left == !b.isOpen(y) {
		return ends{}
	}
	known, open := y, x
	if left {
		known, open = x, y
	}
	switch {
	case x.boolean:
		return b.within(open, true).or(b.within(open, false)).or(ends{closed: true})
	case e.op == opEq && want:
		return b.inverse(open, ends{lo: known, hi: known})
	case e.op == opEq:
		return ends{}
	}
	strict := (e.op == opLt) == want
	if left == want { // known < open, or !(open < known)
		if strict {
			known = add(known, konst(1))
		}
		return b.inverse(open, ends{lo: known})
	}
	if strict {
		known = sub(known, konst(1))
	}
	return b.inverse(open, ends{hi: known})
}

// inverse holds the values of the variable for which a term lies between ends.
func (b bounder) inverse(e *expr, to ends) ends {
	switch e.op {
	case opVar:
		if e.v == b.x {
			return to
		}
	case opAdd, opSub:
		return b.inverseSum(e, to)
	case opLet:
		return b.inverse(e.args[1].subst(map[*variable]*expr{e.v: e.args[0]}), to)
	case opIte:
		if !b.isOpen(e.args[0]) {
			out := b.inverse(e.args[1], to).or(b.inverse(e.args[2], to))
			out.loose = true
			return out
		}
	}
	return ends{}
}

// inverseSum is inverse for a sum or a difference.
func (b bounder) inverseSum(e *expr, to ends) ends {
	x, y := e.args[0], e.args[1]
	moved := func(by *expr, how func(a, b *expr) *expr) ends {
		out := ends{loose: to.loose}
		if to.lo != nil {
			out.lo = how(to.lo, by)
		}
		if to.hi != nil {
			out.hi = how(to.hi, by)
		}
		return out
	}
	switch {
	case !b.isOpen(y) && e.op == opAdd:
		return b.inverse(x, moved(y, sub))
	case !b.isOpen(y):
		return b.inverse(x, moved(y, add))
	case b.isOpen(x):
		return ends{}
	case e.op == opAdd:
		return b.inverse(y, moved(x, sub))
	}
	back := moved(x, func(end, x *expr) *expr { return sub(x, end) })
	back.lo, back.hi = back.hi, back.lo
	return b.inverse(y, back)
}

// between gives the ends of the values of the first of some integers with which formulas can have a
// truth value. Of the formulas, the ones up to the one that leaves finitely many values count. It
// is false where they leave more, or where in some states fewer formulas would count.
func (b bounder) between(formulas func(i int) *expr, want bool) (lo, hi *expr, ok bool) {
	all := ends{}
	for i := 0; !all.finite(); i++ {
		f := formulas(i)
		if f == nil || all.loose {
			return nil, nil, false
		}
		all = all.and(b.within(f, want))
		all.closed = false
	}
	if all.never {
		return konst(1), konst(0), true
	}
	return few(all.lo, all.hi), all.hi, true
}

// few is the lower end of integers, which fails where there are too many of them.
func few(lo, hi *expr) *expr {
	if lo.Lo > math.MinInt64 && hi.Hi < math.MaxInt64 &&
		(hi.Hi < lo.Lo || uint64(hi.Hi)-uint64(lo.Lo) < mostIntegers) {
		return lo
	}
	return named(lo, func(lo *expr) *expr {
		return named(hi, func(hi *expr) *expr {
			in := or(lt(hi, lo), and(lt(konst(math.MinInt64), lo), lt(hi, konst(math.MaxInt64)),
				lt(sub(hi, lo), konst(mostIntegers))))
			return ite(in, lo, failure(false))
		})
	})
}

// ends are the least and the greatest value of the first of some variables, of which formulas have
// a truth value. The other variables have no value yet.
func (tr *translator) ends(
	vars []*logic.Var, formulas []*logic.Term, want bool, span diag.Span, s scope,
) (lo, hi *expr) {
	x := vars[0]
	if !tr.layout.isInfinite(x.Sort) {
		return tr.bounds(x.Sort, span, s)
	}
	open := map[*variable]bool{}
	b := bounder{x: &variable{}, open: func(v *variable) bool { return open[v] }}
	v := b.x
	for _, y := range vars {
		open[v] = true
		i := everything
		if y.Sort.Kind == logic.KindBool {
			i = flip
		}
		s = s.bind(y, ref(v, y.Sort.Kind == logic.KindBool, i))
		v = &variable{}
	}
	lo, hi, ok := b.between(func(i int) *expr {
		if i == len(formulas) {
			return nil
		}
		return tr.term(formulas[i], s)
	}, want)
	if !ok {
		tr.unsupported(span, "the formulas about %s give it no bounds for all states", x)
		return failure(false), failure(false)
	}
	return lo, hi
}
