package logic

import (
	"math"
	"math/bits"
)

// Number is the number of a literal, as Literal takes it. It is false for any other term, and for
// an integer that does not fit in 64 bits.
func Number(t *Term) (int64, bool) {
	switch t.Op {
	case OpTrue:
		return 1, true
	case OpFalse:
		return 0, true
	case OpMember:
		return int64(t.Index), true
	case OpInt:
		return t.Int.Int64(), t.Int.IsInt64()
	}
	return 0, false
}

// Calculate applies an operator on integers to two of them; a single argument stands second, after
// 0. It is false where the result does not fit in 64 bits. A divisor is positive.
func Calculate(op Op, a, b int64) (int64, bool) {
	switch op {
	case OpAdd:
		c := a + b
		return c, (c > a) == (b > 0)
	case OpSub, OpNeg:
		c := a - b
		return c, (c < a) == (b > 0)
	case OpMul:
		hi, lo := bits.Mul64(magnitude(a), magnitude(b))
		limit := uint64(math.MaxInt64)
		if (a < 0) != (b < 0) {
			limit++
		}
		return a * b, hi == 0 && lo <= limit
	}
	q, r := a/b, a%b // Go rounds towards 0
	if r < 0 {
		q, r = q-1, r+b
	}
	if op == OpDiv {
		return q, true
	}
	return r, true
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}
