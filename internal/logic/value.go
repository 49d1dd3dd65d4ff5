package logic

import (
	"math/big"
	"slices"
)

// normalTerm is a term with its parts in normal form.
func normalTerm(t *Term) *Term {
	if t.Sort == Bool {
		return rendered(normal(t, true))
	}
	switch t.Op {
	case OpIte:
		return cases(t)
	case OpAdd, OpSub, OpNeg:
		return summed(t)
	case OpLet:
		return named(t.Vars[0], cases(t.Args[0]), normalTerm(t.Args[1]))
	}
	return MapArgs(t, normalTerm)
}

// named is a let, unless its body does not read the value.
func named(v *Var, value, body *Term) *Term {
	if !slices.Contains(FreeVars(body), v) {
		return body
	}
	return Let(v, value, body)
}

// cases is a value in cases; the conditions affirm.
func cases(t *Term) *Term {
	if t.Op != OpIte {
		return normalTerm(t)
	}
	c, a, b := normal(t.Args[0], true), cases(t.Args[1]), cases(t.Args[2])
	if isNegative(c) {
		c, a, b = opposed(c), b, a
	}
	if Equal(a, b) {
		return a
	}
	return Ite(rendered(c), a, b)
}

// addNormal adds the normal form of an integer, as often as a factor says.
func (s *Sum) addNormal(t *Term, factor *big.Int) {
	for part, by := range Summands(t) {
		if part == nil {
			s.put(nil, new(big.Int).Mul(by, factor))
			continue
		}
		s.Add(normalTerm(part), new(big.Int).Mul(by, factor))
	}
}

// isNumber reports whether all terms cancel out.
func (s *Sum) isNumber() bool {
	plus, minus := s.Sides()
	return len(plus)+len(minus) == 0
}

// term is a sum as a term. Where a number is added to what has cases, the sum has them.
func (s *Sum) term() *Term {
	if len(s.Parts) == 1 && s.Parts[0].Op == OpIte && s.Factors[0].Sign() != 0 {
		way := func(branch *Term) *Term {
			sum := &Sum{Number: new(big.Int).Set(s.Number)}
			sum.addNormal(branch, s.Factors[0])
			return sum.term()
		}
		of := s.Parts[0].Args
		return cases(Ite(of[0], way(of[1]), way(of[2])))
	}
	plus, minus := s.Sides()
	all := Add(plus...)
	switch {
	case len(plus) == 0 && len(minus) > 0 && s.Number.Sign() <= 0:
		all, minus = Neg(minus[0]), minus[1:]
		if s.Number.Sign() < 0 {
			minus = append(minus, BigLit(new(big.Int).Neg(s.Number)))
		}
	case len(plus) == 0:
		all = BigLit(s.Number)
	case s.Number.Sign() > 0:
		all = Add(append(plus, BigLit(s.Number))...)
	case s.Number.Sign() < 0:
		minus = append(minus, BigLit(new(big.Int).Neg(s.Number)))
	}
	for _, m := range minus {
		all = Sub(all, m)
	}
	return all
}

// summed is a sum without parts that cancel out.
func summed(t *Term) *Term {
	s := newSum()
	s.addNormal(t, one)
	return s.term()
}

// equation is a = b, or its negation, of values in normal form.
func equation(a, b *Term, positive bool) *Term {
	if a.Sort == Int {
		a, b = balanced(a, b)
	}
	switch {
	case Equal(a, b):
		return BoolLit(positive)
	case isValue(a) && isValue(b):
		return BoolLit(!positive)
	case a.Op == OpIte && isValue(b):
		return chosen(a, b, positive)
	case b.Op == OpIte && isValue(a):
		return chosen(b, a, positive)
	}
	if s := a.Sort; !positive && s.Kind == KindEnum && len(s.Members) == 2 {
		switch {
		case b.Op == OpMember:
			return Eq(a, Member(s, 1-b.Index))
		case a.Op == OpMember:
			return Eq(Member(s, 1-a.Index), b)
		}
	}
	return signed(Eq(a, b), positive)
}

func isValue(t *Term) bool { return t.Op == OpInt || t.Op == OpMember && t.Sort.Kind == KindEnum }

// chosen is an equation of a value in cases, which are values themselves, and a value.
func chosen(t, v *Term, positive bool) *Term {
	if !isValue(t.Args[1]) && !isValue(t.Args[2]) {
		return signed(Eq(t, v), positive)
	}
	return joined(true, joined(false, normal(t.Args[0], false), equation(t.Args[1], v, positive)),
		joined(false, normal(t.Args[0], true), equation(t.Args[2], v, positive)))
}

// balanced puts the numbers of both sides on one of them, so that it is not negative. The other
// terms keep their sides.
func balanced(a, b *Term) (*Term, *Term) {
	left, right := newSum(), newSum()
	left.addNormal(a, one)
	right.addNormal(b, one)
	right.Number.Sub(right.Number, left.Number)
	left.Number.SetInt64(0)
	if !left.isNumber() && !right.isNumber() && right.Number.Sign() < 0 {
		left.Number, right.Number = new(big.Int).Neg(right.Number), left.Number
	}
	if left.isNumber() { // a number alone has its side
		left.Number, right.Number = new(big.Int).Neg(right.Number), new(big.Int)
	}
	return left.term(), right.term()
}

var one, minusOne = big.NewInt(1), big.NewInt(-1)

func isComparison(t *Term) bool { return t.Op == OpLt || t.Op == OpLe }

// difference is the sum that is at most 0 where a comparison is true.
func (s *Sum) difference(t *Term) {
	s.addNormal(t.Args[0], one)
	s.addNormal(t.Args[1], minusOne)
	if t.Op == OpLt {
		s.Number.Add(s.Number, one)
	}
}

// bounded joins comparisons from both sides: d <= 0 & -d <= 0 is d = 0, and d <= 0 | 2 <= d is
// d != 1. It gives nil for others.
func bounded(and bool, a, b *Term) *Term {
	both := newSum()
	both.difference(a)
	both.difference(b)
	gap := int64(2)
	if and {
		gap = 0
	}
	plus, minus := both.Sides()
	if len(plus)+len(minus) > 0 || both.Number.Cmp(big.NewInt(gap)) != 0 {
		return nil
	}
	left := a.Args[0]
	if (a.Op == OpLt) == and {
		left = Add(left, IntLit(1-gap))
	}
	return equation(summed(left), a.Args[1], and)
}

// compared is a < b or a <= b of values in normal form.
func compared(op Op, a, b *Term) *Term {
	a, b = balanced(a, b)
	if a.Op == OpInt && b.Op == OpInt {
		return BoolLit(a.Int.Cmp(b.Int) < 0 || op == OpLe && a.Int.Cmp(b.Int) == 0)
	}
	if Equal(a, b) {
		return BoolLit(op == OpLe)
	}
	switch {
	case op == OpLe && a.Op == OpInt && a.Int.Sign() > 0: // 1 <= x
		return Lt(BigLit(new(big.Int).Sub(a.Int, one)), b)
	case op == OpLt && a.Op == OpInt && a.Int.Sign() < 0: // -1 < x
		return Le(BigLit(new(big.Int).Add(a.Int, one)), b)
	case op == OpLt && b.Op == OpInt: // x < 1
		return Le(a, BigLit(new(big.Int).Sub(b.Int, one)))
	case op == OpLe && oneMore(a) != nil: // x + 1 <= y
		return Lt(oneMore(a), b)
	case op == OpLt && oneMore(b) != nil: // x < y + 1
		return Le(a, oneMore(b))
	}
	return &Term{Op: op, Sort: Bool, Args: []*Term{a, b}}
}

// oneMore is x of x + 1; nil for other terms.
func oneMore(t *Term) *Term {
	if t.Op == OpAdd && t.Args[len(t.Args)-1].Op == OpInt &&
		t.Args[len(t.Args)-1].Int.Cmp(one) == 0 {
		return Add(t.Args[:len(t.Args)-1]...)
	}
	return nil
}
