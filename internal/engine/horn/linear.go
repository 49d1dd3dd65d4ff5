package horn

import (
	"math/big"
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// sum is a linear term: coefficients of its parts, which are no sums, and a number.
type sum struct {
	parts  []*logic.Term
	factor []*big.Int
	number *big.Int
}

func (s *sum) add(t *logic.Term, factor *big.Int) {
	for part, by := range logic.Summands(t) {
		by = new(big.Int).Mul(by, factor)
		if part == nil {
			s.number.Add(s.number, by)
			continue
		}
		same := func(p *logic.Term) bool { return logic.Equal(p, part) }
		if i := slices.IndexFunc(s.parts, same); i >= 0 {
			s.factor[i].Add(s.factor[i], by)
			continue
		}
		s.parts, s.factor = append(s.parts, part), append(s.factor, by)
	}
}

// compared is a comparison of numbers as a person writes it: nothing is subtracted, and nothing
// stands on both sides.
func compared(op string, a, b *logic.Term) *logic.Term {
	s := &sum{number: new(big.Int)}
	s.add(a, big.NewInt(1))
	s.add(b, big.NewInt(-1))
	var left, right []*logic.Term
	for i, p := range s.parts {
		f := new(big.Int).Abs(s.factor[i])
		term := p
		if f.Cmp(big.NewInt(1)) != 0 {
			term = logic.Mul(logic.BigLit(f), p)
		}
		switch s.factor[i].Sign() {
		case 1:
			left = append(left, term)
		case -1:
			right = append(right, term)
		}
	}
	if s.number.Sign() > 0 {
		left = append(left, logic.BigLit(s.number))
	} else if s.number.Sign() < 0 {
		right = append(right, logic.BigLit(new(big.Int).Neg(s.number)))
	}
	x, y := logic.Add(left...), logic.Add(right...)
	switch op {
	case "=":
		return logic.Eq(x, y)
	case "distinct":
		return logic.Not(logic.Eq(x, y))
	case "<=":
		return logic.Le(x, y)
	case "<":
		return logic.Lt(x, y)
	case ">=":
		return logic.Le(y, x)
	}
	return logic.Lt(y, x)
}
