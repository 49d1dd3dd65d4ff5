package flat

import (
	"math"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// A recursive definition may have a measure: a call inside another one has a value only if its
// measure is smaller than that of the other one, and not negative. So a claim about the value is an
// obligation to show that the recursion ends. The greatest value of the measure bounds the calls
// inside one another, and the definition is unfolded as far.

// decreases is the condition that the measure of a call is smaller than that of the call of the
// same definition around it.
func (f *lowerer) decreases(c *call) *syntax.Expr {
	for o := c.outer; o != nil; o = o.outer {
		if o.of == c.of {
			m := c.measure()
			return build.And(build.LessOrEqual(build.Number(0), m),
				build.Compare(syntax.ExprLt, m, o.measure()))
		}
	}
	return build.Truth(true)
}

// levels is how many calls of a recursive definition may be inside one another, 0 for another
// definition.
func (f *lowerer) levels(d *syntax.DefinitionDecl) int {
	if d.Measure == nil {
		return d.Depth
	}
	_, most, known := f.interval(d.Measure)
	switch {
	case known && most < math.MaxInt32 && (d.Depth == 0 || most < int64(d.Depth)):
		return int(max(most, 0)) + 1
	case d.Depth == 0:
		f.errs.Errorf(diag.Cyclic, d.Measure.Span, "the measure has no greatest value here").
			Suggest("Give the parameters types with bounds, such as 0..9 or seq[entry, 4], or say "+
				"how many calls may be inside one another, too: measure(%s) depth 4.",
				d.Measure.Span.Text())
		return 1
	}
	return d.Depth
}

// interval is what an integer lies between, where its type or the types of its parts say so in
// numbers.
func (f *typer) interval(x *syntax.Expr) (lo, hi int64, known bool) {
	part := func(i int) (lo, hi int64, known bool) { return f.interval(x.Args[i]) }
	both := func(i, j int, of func(a, b, c, d int64) (lo, hi int64)) (int64, int64, bool) {
		a, b, first := part(i)
		c, d, second := part(j)
		if !first || !second {
			return 0, 0, false
		}
		lo, hi := of(a, b, c, d)
		return lo, hi, true
	}
	switch {
	case x.Kind == syntax.ExprInt:
		return small(x)
	case x.Kind == syntax.ExprAdd:
		return both(0, 1, func(a, b, c, d int64) (lo, hi int64) { return a + c, b + d })
	case x.Kind == syntax.ExprSub:
		return both(0, 1, func(a, b, c, d int64) (lo, hi int64) { return a - d, b - c })
	case x.Kind == syntax.ExprMul:
		return both(0, 1, func(a, b, c, d int64) (lo, hi int64) {
			return min(a*c, a*d, b*c, b*d), max(a*c, a*d, b*c, b*d)
		})
	case x.Kind == syntax.ExprIf:
		return both(1, 2, func(a, b, c, d int64) (lo, hi int64) { return min(a, c), max(b, d) })
	case x.Kind == syntax.ExprName && len(x.Args) == 2 && x.Name.Text == "max":
		return both(0, 1, func(a, b, c, d int64) (lo, hi int64) { return max(a, c), max(b, d) })
	case x.Kind == syntax.ExprName && len(x.Args) == 2 && x.Name.Text == "min":
		return both(0, 1, func(a, b, c, d int64) (lo, hi int64) { return min(a, c), min(b, d) })
	case x.Kind == syntax.ExprName && len(x.Args) == 1 && x.Name.Text == "size":
		if t := f.typeOf[x.Args[0]]; t != nil && t.is(seq) && t.root().bound != nil {
			_, hi, known := small(t.root().bound)
			return 0, hi, known
		}
		return 0, 0, false
	}
	if t := f.typeOf[x]; t != nil && t.root().sort != nil {
		return f.numbers(t.root().sort)
	}
	return 0, 0, false
}

// numbers are the ends of a range, where they are numbers.
func (f *typer) numbers(s *syntax.SortExpr) (lo, hi int64, known bool) {
	for range len(f.sorts) + 1 {
		d, isType := f.sorts[s.Name].(*syntax.TypeDecl)
		if s.Lo != nil || !isType {
			break
		}
		s = d.Sort
	}
	if s.Lo == nil {
		return 0, 0, false
	}
	lo, _, first := small(s.Lo)
	_, hi, second := small(s.Hi)
	return lo, hi, first && second
}

// small is the value of a number that is small enough to compute with.
func small(x *syntax.Expr) (lo, hi int64, known bool) {
	if x.Kind != syntax.ExprInt || !x.Int.IsInt64() || x.Int.Int64() > 1<<15 {
		return 0, 0, false
	}
	return x.Int.Int64(), x.Int.Int64(), true
}
