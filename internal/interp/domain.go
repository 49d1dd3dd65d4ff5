package interp

import (
	"fmt"
	"math"

	"erelong.dev/erelong/internal/logic"
)

// domain is the set of the n integers from lo.
type domain struct{ lo, n int64 }

func (d domain) has(v int64) bool { return v >= d.lo && v-d.lo < d.n }

// endless says whether a sort has infinitely many values in the instance: all integers.
func endless(m *Model, s *logic.Sort) bool {
	return s.Kind == logic.KindInt && m.Instance.Integers == nil
}

// enumerable is the set of values of a variable whose values are all tried.
func (f *machine) enumerable(v *logic.Var) (domain, bool) {
	if endless(f.m, v.Sort) {
		f.err = &EvalError{Span: v.Span,
			Message: fmt.Sprintf("the integers of variable %s cannot be enumerated: use a range",
				v)}
		return domain{}, false
	}
	d, ok := f.domain(v.Sort)
	if ok && d.n > maxPoints {
		f.err = &TooManyError{v.Span, fmt.Sprintf("the variable %s has", v)}
		return d, false
	}
	return d, ok
}

// domain is the set of values of a sort. It is undecided for a range whose ends need an unknown
// slot.
func (f *machine) domain(s *logic.Sort) (domain, bool) {
	switch s.Kind {
	case logic.KindBool:
		return domain{0, 2}, true
	case logic.KindEnum:
		return domain{0, int64(len(s.Members))}, true
	case logic.KindUninterpreted:
		n, ok := f.m.Instance.Sizes[s]
		if !ok {
			f.err = &SizeError{s}
			return domain{}, false
		}
		return domain{0, int64(n)}, true
	case logic.KindInt:
		if d, ok := window(f.m.Instance); ok {
			return d, true
		}
		f.err = &InfiniteError{What: "int has infinitely many values"}
		return domain{}, false
	case logic.KindInterned:
		f.fail(s.Span, "the values of %s are computed: they cannot be enumerated", s)
		return domain{}, false
	}
	if d, ok := f.ranges[s]; ok {
		return d, true
	}
	lo, ok := f.eval(s.Lo)
	if !ok {
		return domain{}, false
	}
	hi, ok := f.eval(s.Hi)
	if !ok {
		return domain{}, false
	}
	n, ok := logic.Calculate(logic.OpSub, 1, hi, lo)
	if !ok || n == math.MaxInt64 {
		f.fail(s.Span, "range %s has more values than fit in 64 bits", s)
		return domain{}, false
	}
	d := domain{lo, max(n+1, 0)}
	if f.isFixed(s.Lo) && f.isFixed(s.Hi) {
		f.ranges[s] = d
	}
	return d, true
}

// isFixed reports whether the value of a term is the same in all states of the model.
func (f *machine) isFixed(t *logic.Term) bool {
	for _, s := range symbolsOf(t) {
		l := f.m.layouts[s]
		if f.m.fixed == nil || s.Mutable || len(s.Args) > 0 || l.body != nil ||
			!f.m.fixed.known[l.offset] {
			return false
		}
	}
	return true
}
