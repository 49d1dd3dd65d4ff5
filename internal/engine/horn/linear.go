package horn

import (
	"math/big"

	"erelong.dev/erelong/internal/logic"
)

// compared is a comparison of numbers as a person writes it: nothing is subtracted, and nothing
// stands on both sides.
func compared(op string, a, b *logic.Term) *logic.Term {
	s := logic.SumOf(logic.Sub(a, b))
	left, right := s.Sides()
	if s.Number.Sign() > 0 {
		left = append(left, logic.BigLit(s.Number))
	} else if s.Number.Sign() < 0 {
		right = append(right, logic.BigLit(new(big.Int).Neg(s.Number)))
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
