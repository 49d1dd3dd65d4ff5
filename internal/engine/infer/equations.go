package infer

import (
	"math/big"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// Linear equations between integers of the state, such as `free + busy = capacity`, for the
// vocabulary of clauses: the affine hull of the explored states (M. Karr, Affine relationships
// among variables of a program, Acta Informatica 1976, over samples in place of the program).

// largestCoefficient bounds the coefficients of an equation.
const largestCoefficient = 4

// hull is the linear space that some rows span, in echelon form: a row has its first entry that is
// not 0 in a column in which later rows have 0.
type hull struct{ rows [][]*big.Rat }

// equations are the linear equations over integers without arguments that are true in all explored
// states and speak of something that changes and of something else.
func equations(sys *system.System, worlds []*world) (out []*logic.Term) {
	// What does not change comes first, so it is what others are equal to.
	var symbols []*logic.Symbol
	for _, changes := range []bool{false, true} {
		for _, sym := range sys.Symbols {
			if len(sym.Args) == 0 && sym.Result.Base() == logic.Int && !sym.Derived &&
				sym.Mutable == changes {
				symbols = append(symbols, sym)
			}
		}
	}
	if len(symbols) < 2 {
		return nil
	}
	var of hull
	for _, w := range worlds {
		for _, st := range w.states {
			row := make([]*big.Rat, len(symbols)+1)
			row[0] = big.NewRat(1, 1)
			for i, sym := range symbols {
				row[i+1] = big.NewRat((&sample{w.structure, st}).eval(logic.App(sym, logic.Pre),
					nil), 1)
			}
			if of.add(row); len(of.rows) == len(row) {
				return nil
			}
		}
	}
	for _, e := range of.equations(len(symbols) + 1) {
		if t := equation(symbols, e); t != nil {
			out = append(out, t)
		}
	}
	return out
}

// add takes a row into the space.
func (h *hull) add(row []*big.Rat) {
	for _, r := range h.rows {
		at := pivot(r)
		if row[at].Sign() == 0 {
			continue
		}
		by := new(big.Rat).Quo(row[at], r[at])
		for k := at; k < len(row); k++ {
			row[k] = new(big.Rat).Sub(row[k], new(big.Rat).Mul(by, r[k]))
		}
	}
	if pivot(row) < len(row) {
		h.rows = append(h.rows, row)
	}
}

// pivot is the first column in which a row is not 0.
func pivot(row []*big.Rat) int {
	at := slices.IndexFunc(row, func(x *big.Rat) bool { return x.Sign() != 0 })
	if at < 0 {
		return len(row)
	}
	return at
}

// equations is a basis of the coefficients with which the columns of each row add up to 0.
func (h *hull) equations(columns int) (out [][]*big.Rat) {
	rows := slices.Clone(h.rows)
	slices.SortFunc(rows, func(a, b []*big.Rat) int { return pivot(a) - pivot(b) })
	for free := range columns {
		if slices.ContainsFunc(rows, func(r []*big.Rat) bool { return pivot(r) == free }) {
			continue
		}
		e := make([]*big.Rat, columns)
		for k := range e {
			e[k] = new(big.Rat)
		}
		e[free].SetInt64(1)
		for _, r := range slices.Backward(rows) {
			sum := new(big.Rat)
			for k := pivot(r) + 1; k < columns; k++ {
				sum.Add(sum, new(big.Rat).Mul(r[k], e[k]))
			}
			e[pivot(r)] = sum.Neg(sum.Quo(sum, r[pivot(r)]))
		}
		out = append(out, e)
	}
	return out
}

// equation is the equation of a constant and symbols with coefficients, with what is added on both
// sides; nil if these are large, or all is about one symbol.
func equation(symbols []*logic.Symbol, of []*big.Rat) *logic.Term {
	scale := big.NewInt(1)
	for _, c := range of {
		scale.Mul(scale, new(big.Int).Quo(c.Denom(), new(big.Int).GCD(nil, nil, scale, c.Denom())))
	}
	var left, right []*logic.Term
	terms := 0
	for i, c := range of {
		n := new(big.Int).Mul(c.Num(), new(big.Int).Quo(scale, c.Denom()))
		if n.CmpAbs(big.NewInt(largestCoefficient)) > 0 {
			return nil
		}
		var t *logic.Term
		switch size := logic.IntLit(new(big.Int).Abs(n).Int64()); {
		case n.Sign() == 0:
			continue
		case i == 0:
			t = size
		default:
			terms++
			if t = logic.App(symbols[i-1], logic.Pre); n.CmpAbs(big.NewInt(1)) > 0 {
				t = logic.Mul(size, t)
			}
		}
		if n.Sign() > 0 {
			left = append(left, t)
		} else {
			right = append(right, t)
		}
	}
	if terms < 2 {
		return nil
	}
	return logic.Eq(total(left), total(right))
}
