package interp

import (
	"math"
	"math/bits"

	"erelong.dev/erelong/internal/logic"
)

// binary applies a comparison, equality or integer operation to two values.
func (f *machine) binary(t *logic.Term, a, b int64) (int64, bool) {
	switch t.Op {
	case logic.OpLt:
		return truth(a < b), true
	case logic.OpLe:
		return truth(a <= b), true
	case logic.OpSub:
		if v, ok := subInt(a, b); ok {
			return v, true
		}
		return f.overflow(t, "-")
	case logic.OpMul:
		if v, ok := mulInt(a, b); ok {
			return v, true
		}
		return f.overflow(t, "*")
	case logic.OpDiv, logic.OpMod: // by a positive number; Go rounds towards 0
		q, r := a/b, a%b
		if r < 0 {
			q, r = q-1, r+b
		}
		if t.Op == logic.OpDiv {
			return q, true
		}
		return r, true
	}
	return truth(a == b), true
}

func (f *machine) overflow(t *logic.Term, op string) (int64, bool) {
	return f.fail(t.Span, "the result of %s does not fit in 64 bits", op)
}

func addInt(a, b int64) (int64, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}

func subInt(a, b int64) (int64, bool) {
	c := a - b
	return c, (c < a) == (b > 0)
}

func mulInt(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	negative := (a < 0) != (b < 0)
	limit := uint64(math.MaxInt64)
	if negative {
		limit++
	}
	return a * b, hi == 0 && lo <= limit
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}
