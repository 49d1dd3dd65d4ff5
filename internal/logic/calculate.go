package logic

import (
	"fmt"
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

// Calculate takes the argument number i of an operator on integers, b, after a, the result of the
// arguments before. It is false where the result does not fit in 64 bits. A divisor is positive.
func Calculate(op Op, i int, a, b int64) (int64, bool) {
	switch {
	case i > 0:
	case op == OpNeg:
		return Calculate(OpSub, 1, 0, b)
	default:
		return b, true
	}
	switch op {
	case OpAdd:
		c := a + b
		return c, (c > a) == (b > 0)
	case OpSub:
		c := a - b
		return c, (c < a) == (b > 0)
	case OpMul:
		hi, lo := bits.Mul64(magnitude(a), magnitude(b))
		limit := uint64(math.MaxInt64)
		if (a < 0) != (b < 0) {
			limit++
		}
		return a * b, hi == 0 && lo <= limit
	case OpDiv, OpMod:
		q, r := a/b, a%b // Go rounds towards 0
		if r < 0 {
			q, r = q-1, r+b
		}
		if op == OpDiv {
			return q, true
		}
		return r, true
	}
	panic(fmt.Sprintf("%s is no operator on integers", op))
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

// Simplified is a term of the same value whose root is decided where its arguments decide it. So
// Map(t, Simplified) computes what literals determine.
func Simplified(t *Term) *Term {
	a := t.Args
	switch t.Op {
	case OpNot:
		return Not(a[0])
	case OpAnd:
		return And(a...)
	case OpOr:
		return Or(a...)
	case OpImplies:
		return Implies(a[0], a[1])
	case OpIff:
		return Iff(a[0], a[1])
	case OpIte:
		return Ite(a[0], a[1], a[2])
	case OpEq, OpLt, OpLe:
		if a[0].Sort == Bool {
			return Iff(a[0], a[1])
		}
		if Equal(a[0], a[1]) {
			return BoolLit(t.Op != OpLt)
		}
		x, ok := Number(a[0])
		if y, both := Number(a[1]); ok && both {
			return BoolLit(x < y && t.Op != OpEq)
		}
	case OpAdd, OpSub, OpMul, OpDiv, OpMod, OpNeg:
		var out int64
		for i, b := range a {
			v, ok := Number(b)
			if ok {
				out, ok = Calculate(t.Op, i, out, v)
			}
			if !ok {
				return t
			}
		}
		return IntLit(out)
	}
	return t
}
