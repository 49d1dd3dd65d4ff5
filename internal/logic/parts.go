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

// Disjuncts splits a formula into formulas whose disjunction is equivalent to it: the literals, or
// larger parts, of a clause. It descends as far as Entailed.
func Disjuncts(t *Term) (out []*Term) {
	for part, holds := range Entailed(t, false) {
		if holds {
			part = Not(part)
		}
		out = append(out, part)
	}
	return out
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

// Sum is an integer as a sum of different parts, with the numbers by which they are multiplied, and
// of a number.
type Sum struct {
	Parts   []*Term // none is a sum
	Factors []*big.Int
	Number  *big.Int
}

func newSum() *Sum { return &Sum{Number: new(big.Int)} }

// SumOf is an integer as a sum.
func SumOf(t *Term) *Sum {
	s := newSum()
	s.Add(t, one)
	return s
}

// Add adds an integer, as often as a factor says.
func (s *Sum) Add(t *Term, factor *big.Int) {
	for part, by := range Summands(t) {
		s.put(part, new(big.Int).Mul(by, factor))
	}
}

// put adds a part, which is nil for a number, with a factor that nobody else has.
func (s *Sum) put(part *Term, factor *big.Int) {
	if part == nil {
		s.Number.Add(s.Number, factor)
		return
	}
	for i, p := range s.Parts {
		if Equal(p, part) {
			s.Factors[i].Add(s.Factors[i], factor)
			return
		}
	}
	s.Parts, s.Factors = append(s.Parts, part), append(s.Factors, factor)
}

// Sides are the terms that are added and the ones that are subtracted, without the number.
func (s *Sum) Sides() (plus, minus []*Term) {
	for i, t := range s.Parts {
		f, to := s.Factors[i], &plus
		if f.Sign() < 0 {
			to = &minus
		}
		switch {
		case f.Sign() == 0:
		case f.CmpAbs(one) == 0:
			*to = append(*to, t)
		default:
			*to = append(*to, Mul(BigLit(new(big.Int).Abs(f)), t))
		}
	}
	return plus, minus
}
