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
	var integers []*logic.Term
	for _, mutable := range []bool{false, true} {
		for _, sym := range sys.Symbols {
			if len(sym.Args) == 0 && sym.Result.Base() == logic.Int && !sym.Derived &&
				sym.Mutable == mutable {
				integers = append(integers, logic.App(sym, logic.Pre))
			}
		}
	}
	if len(integers) < 2 {
		return nil
	}
	var of hull
	known := of.equations(len(integers) + 1)
	for _, w := range worlds {
		for _, st := range w.states {
			x := &sample{w.structure, st}
			row := []int64{1}
			for _, t := range integers {
				row = append(row, x.eval(t, nil))
			}
			if !slices.ContainsFunc(known, func(e []*big.Int) bool { return !holdsOf(e, row) }) {
				continue
			}
			of.add(row)
			if known = of.equations(len(row)); len(known) == 0 {
				return nil
			}
		}
	}
	for _, e := range known {
		if t := equation(integers, e); t != nil && changes(t) {
			out = append(out, t)
		}
	}
	return out
}

// holdsOf reports whether an equation is true of a row.
func holdsOf(e []*big.Int, row []int64) bool {
	sum := new(big.Int)
	for k, c := range e {
		if c.Sign() != 0 && row[k] != 0 {
			sum.Add(sum, new(big.Int).Mul(c, big.NewInt(row[k])))
		}
	}
	return sum.Sign() == 0
}

// add takes a row into the space.
func (h *hull) add(values []int64) {
	row := make([]*big.Rat, len(values))
	for k, v := range values {
		row[k] = big.NewRat(v, 1)
	}
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

// equations is a basis of the integer coefficients with which the columns of each row add up to 0.
func (h *hull) equations(columns int) (out [][]*big.Int) {
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
		out = append(out, whole(e))
	}
	return out
}

// whole are fractions times the least number that makes them integers.
func whole(of []*big.Rat) (out []*big.Int) {
	scale := big.NewInt(1)
	for _, c := range of {
		scale.Mul(scale, new(big.Int).Quo(c.Denom(), new(big.Int).GCD(nil, nil, scale, c.Denom())))
	}
	for _, c := range of {
		out = append(out, new(big.Int).Mul(c.Num(), new(big.Int).Quo(scale, c.Denom())))
	}
	return out
}

// equation is the equation of a constant and integers with coefficients, with what is added on both
// sides; nil if these are large, or all is about one integer.
func equation(integers []*logic.Term, of []*big.Int) *logic.Term {
	var left, right []*logic.Term
	terms := 0
	for i, n := range of {
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
			if t = integers[i-1]; n.CmpAbs(big.NewInt(1)) > 0 {
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
