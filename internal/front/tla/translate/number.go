package translate

import (
	"math/big"

	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/types"
)

// sum is a sum or a difference. With a number added, the ends of an interval move.
func (w *algebra) sum(t *types.Type, kind syntax.ExprKind, a, b *term) *term {
	make := build.Sum
	if kind == syntax.ExprSub {
		make = build.Difference
	}
	x, y := w.expr(a), w.expr(b)
	out := w.of(t, make(x, y))
	if a.low != nil && y.Kind == syntax.ExprInt {
		out.low, out.high = make(a.low, y), make(a.high, y)
	}
	return out
}

// division is a quotient or a remainder of what is divided by a number. By anything else, it is
// the remainder of what is known to lie between -1 and the divisor: as in (i + 1) % N for i in
// 0..N-1.
func (w *algebra) division(kind syntax.ExprKind, a *term, by *syntax.Expr) *syntax.Expr {
	x := w.expr(a)
	if by.Kind == syntax.ExprInt {
		if by.Int.Sign() <= 0 {
			w.fail("a division by a number below 1 is not translated")
		}
		return build.Binary(kind, x, by)
	}
	if kind == syntax.ExprMod && a.low != nil {
		least, ok := constantPart(a.low, nil)
		above, near := constantPart(a.high, by)
		if ok && near && least >= -1 && above <= 0 {
			r := x
			if above == 0 {
				r = build.If(build.Equal(x, by), build.Number(0), r)
			}
			if least < 0 {
				r = build.If(build.Equal(x, build.Number(-1)), build.Difference(by,
					build.Number(1)), r)
			}
			return r
		}
	}
	w.refuse("a division by what is no number that is written is not translated",
		"For the remainder of x + 1 for x in 0..N-1, say IF x = N - 1 THEN 0 ELSE x + 1, or add "+
			"x \\in 0..N-1 where x is chosen.")
	return nil
}

// mostMultiplied is the greatest exponent for which a power is written as a product, and
// mostRaised the greatest one of a number.
const (
	mostMultiplied = 8
	mostRaised     = 1024
)

// power is a number raised to a written exponent. 0^0 has no value.
func power(w *algebra, t *types.Type, of, by *syntax.Expr) *term {
	if by.Kind == syntax.ExprInt && by.Int.Sign() >= 0 && by.Int.IsInt64() {
		switch n := by.Int.Int64(); {
		case n == 0:
			return w.needing(build.Not(build.Equal(of, build.Number(0))), w.of(t, build.Number(1)))
		case of.Kind == syntax.ExprInt && n <= mostRaised:
			return w.of(t, &syntax.Expr{Kind: syntax.ExprInt,
				Int: new(big.Int).Exp(of.Int, by.Int, nil)})
		case n <= mostMultiplied:
			out := of
			for range n - 1 {
				out = build.Binary(syntax.ExprMul, out, of)
			}
			return w.of(t, out)
		}
	}
	w.refuse("a power whose exponent is no small number that is written is not translated",
		"Write the number out.")
	return nil
}

// neverBelow reports whether a number is of an interval that begins at a written number or above.
func neverBelow(a *term, b *syntax.Expr) bool {
	if a.low == nil {
		return false
	}
	least, ok := constantPart(a.low, nil)
	return ok && b.Kind == syntax.ExprInt && b.Int.Cmp(big.NewInt(least)) <= 0
}

// constantPart is c of an expression base + c; a base of nil is 0.
func constantPart(x, base *syntax.Expr) (c int64, ok bool) {
	switch {
	case base == nil && x.Kind == syntax.ExprInt:
		return x.Int.Int64(), true
	case base != nil && x.Kind == syntax.ExprName && base.Kind == syntax.ExprName &&
		x.Name.Text == base.Name.Text && len(x.Args)+len(base.Args) == 0:
		return 0, true
	case x.Kind == syntax.ExprAdd || x.Kind == syntax.ExprSub:
		if n := x.Args[1]; n.Kind == syntax.ExprInt {
			if c, ok = constantPart(x.Args[0], base); ok && x.Kind == syntax.ExprAdd {
				return c + n.Int.Int64(), true
			}
			return c - n.Int.Int64(), ok
		}
	}
	return 0, false
}
