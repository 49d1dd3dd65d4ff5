package infer

import (
	"math"
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

// quantities are integers between which equations are searched for: the ones of the whole state, or
// of one element, which is a variable.
type quantities struct {
	of      []*logic.Var // none or one
	columns []*logic.Term
	counter bool // one of them is an integer of the file that changes
}

// subjects are what equations may be about: the state, or an element of a sort.
func subjects(sys *system.System) [][]*logic.Var {
	out := [][]*logic.Var{nil}
	for _, s := range sys.Sorts {
		if s.Kind == logic.KindUninterpreted {
			out = append(out, []*logic.Var{{Name: "Of", Sort: s}})
		}
	}
	return out
}

// quantitiesOf are the integers of a subject, and the ones without arguments. What does not change
// comes first, and what is counted last, so it is what others are equal to.
func quantitiesOf(sys *system.System, of []*logic.Var) *quantities {
	q := &quantities{of: of}
	folds := map[*logic.Symbol]bool{}
	for _, d := range sys.Folds() {
		folds[d.Symbol] = true
	}
	for _, which := range []func(*logic.Symbol) bool{
		func(s *logic.Symbol) bool { return !s.Mutable && !s.Derived },
		func(s *logic.Symbol) bool { return s.Mutable && !s.Derived },
		func(s *logic.Symbol) bool { return folds[s] },
	} {
		for _, sym := range sys.Symbols {
			own := len(sym.Args) == len(of) && (len(of) == 0 || sym.Args[0] == of[0].Sort)
			if which(sym) && sym.Result.Base() == logic.Int && (own || len(sym.Args) == 0) {
				q.columns = append(q.columns,
					logic.App(sym, logic.Pre, logic.Refs(of[:len(sym.Args)])...))
				q.counter = q.counter || own && sym.Mutable && !sym.Derived
			}
		}
	}
	return q
}

// equations are the linear equations over integers that are true in all explored states and speak
// of something that changes and of something else.
func equations(sys *system.System, worlds []*world) (out []phrase) {
	for _, of := range subjects(sys) {
		q := quantitiesOf(sys, of)
		if len(q.columns) < 2 || !q.counter {
			continue
		}
		for _, e := range q.equations(worlds, math.MaxInt, func(*world) []*logic.Term {
			return q.columns
		}) {
			if changes(e) && len(logic.FreeVars(e)) == len(of) {
				out = append(out, phrase{e, of})
			}
		}
	}
	return out
}

// equations are true in some states of each world, for all elements that are the subject. Values
// are the columns in a world, nil where it cannot be said.
func (q *quantities) equations(
	worlds []*world, most int, values func(*world) []*logic.Term,
) (out []*logic.Term) {
	var of hull
	known := of.equations(len(q.columns) + 1)
	for _, w := range worlds {
		terms := values(w)
		if terms == nil {
			return nil
		}
		elements := [][]binding{nil}
		if len(q.of) > 0 {
			elements = nil
			for k := range w.domain(q.of[0].Sort).n {
				elements = append(elements, []binding{{q.of[0], k}})
			}
		}
		for _, st := range w.states[:min(most, len(w.states))] {
			x := &sample{w.structure, st}
			for _, e := range elements {
				row := []int64{1}
				if !hasValue(func() {
					for _, t := range terms {
						row = append(row, x.eval(t, e))
					}
				}) {
					return nil
				}
				if hold(known, row) {
					continue
				}
				of.add(row)
				if known = of.equations(len(row)); len(known) == 0 {
					return nil
				}
			}
		}
	}
	for _, e := range known {
		if t := equation(q.columns, e); t != nil {
			out = append(out, t)
		}
	}
	return out
}

// hold reports whether all of some equations are true of a row.
func hold(equations [][]*big.Int, row []int64) bool {
	return !slices.ContainsFunc(equations, func(e []*big.Int) bool {
		sum := new(big.Int)
		for k, c := range e {
			if c.Sign() != 0 && row[k] != 0 {
				sum.Add(sum, new(big.Int).Mul(c, big.NewInt(row[k])))
			}
		}
		return sum.Sign() != 0
	})
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
