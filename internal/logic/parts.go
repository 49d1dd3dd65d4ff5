package logic

import (
	"iter"
	"math/big"
)

// Entailed lists formulas with their values: where t has the value holds, and nowhere else, all of
// them have theirs. It takes negations, conjunctions, disjunctions and implications apart, from
// left to right, as far as they determine the values of their parts.
func Entailed(t *Term, holds bool) iter.Seq2[*Term, bool] {
	return func(yield func(*Term, bool) bool) { entailed(t, holds, yield) }
}

func entailed(t *Term, holds bool, yield func(*Term, bool) bool) bool {
	switch {
	case t.Op == OpNot:
		return entailed(t.Args[0], !holds, yield)
	case t.Op == OpAnd && holds, t.Op == OpOr && !holds:
		for _, a := range t.Args {
			if !entailed(a, holds, yield) {
				return false
			}
		}
		return true
	case t.Op == OpImplies && !holds:
		return entailed(t.Args[0], true, yield) && entailed(t.Args[1], false, yield)
	}
	return yield(t, holds)
}

// Summands lists the parts of an integer, with the numbers by which they are multiplied: the
// integer is their sum. The part is nil where a number stands alone.
func Summands(t *Term) iter.Seq2[*Term, *big.Int] {
	return func(yield func(*Term, *big.Int) bool) { summands(t, one, yield) }
}

func summands(t *Term, factor *big.Int, yield func(*Term, *big.Int) bool) bool {
	opposite := func(t *Term) bool { return summands(t, new(big.Int).Neg(factor), yield) }
	switch t.Op {
	case OpInt:
		return yield(nil, new(big.Int).Mul(factor, t.Int))
	case OpAdd:
		for _, a := range t.Args {
			if !summands(a, factor, yield) {
				return false
			}
		}
		return true
	case OpSub:
		return summands(t.Args[0], factor, yield) && opposite(t.Args[1])
	case OpNeg:
		return opposite(t.Args[0])
	case OpMul:
		for i, a := range t.Args {
			if a.Op == OpInt {
				return summands(t.Args[1-i], new(big.Int).Mul(factor, a.Int), yield)
			}
		}
	}
	return yield(t, factor)
}
