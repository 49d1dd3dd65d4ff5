package infer

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"erelong.dev/erelong/internal/logic"
)

// bounds fits linear expressions to the largest values of a sum in a mode.
func (l *linear) bounds(m *mode, i int) []*candidate {
	if known, ok := m.bounds[i]; ok {
		return known
	}
	m.bounds[i] = nil
	var points [][]int64
	var values []int64
	var key []byte
	for k, w := range l.worlds {
		top := l.top(m, i, k)
		if key = append(key, '-'); top.has {
			points, values = append(points, w.params), append(values, top.value)
			key = strconv.AppendInt(key[:len(key)-1], top.value, 10)
		}
		key = append(key, ' ')
	}
	if len(points) < len(l.params)+2 {
		return nil
	}
	fitted, ok := l.fitted[string(key)]
	if !ok {
		fitted = fits(points, values, l.reach, l.dimension)
		if l.ridges && (len(fitted) == 0 || fitted[0].slack > 0) {
			fitted = append(fitted, fits(points, values, l.reach, l.dimension-1)...)
		}
		l.fitted[string(key)] = fitted
	}
	if of := l.sums[i]; len(of) == 1 && of[0].sign > 0 {
		fitted = slices.Concat(fitted, l.nearThresholds(points, values))
	}
	for _, f := range fitted {
		cost := 2*len(m.literals) + 2*len(l.sums[i]) - 2
		for _, c := range f.of[:len(f.of)-1] {
			if c != 0 {
				cost++
			}
		}
		for _, x := range l.sums[i] {
			if l.quantities[x.quantity].member != 0 {
				cost++
			}
		}
		m.bounds[i] = append(m.bounds[i], &candidate{term: l.bounded(m, l.sums[i], f.of),
			cost: cost, bound: &bound{mode: m, sum: i, fit: f.of,
				loose: l.wide && 2*f.tight < len(points)}})
	}
	return m.bounds[i]
}

// nearThresholds gives the thresholds that are at least the given values, or 1 more or less.
func (l *linear) nearThresholds(points [][]int64, values []int64) (out []fit) {
	for _, t := range l.thresholds {
		n := len(t) - 1
		top := int64(math.MinInt64)
		rest := make([]int64, len(points))
		for i, p := range points {
			rest[i] = values[i] - t[n]
			for k, c := range t[:n] {
				rest[i] -= c * p[k]
			}
			top = max(top, rest[i])
		}
		for c := max(top, -1); c <= 1; c++ {
			f := fit{of: slices.Clone(t), tight: countTight(rest, c)}
			f.of[n] += c
			out = append(out, f)
		}
	}
	return out
}

// countTight counts the points at which a bound is exact.
func countTight(rest []int64, top int64) (n int) {
	for _, r := range rest {
		if r == top {
			n++
		}
	}
	return n
}

// fit is a linear expression: the coefficients, and at last the constant.
type fit struct {
	of    []int64
	slack int64 // the sum of the differences
	tight int   // at how many points there is none
	size  int64 // of the coefficients
}

// fits finds linear expressions (the coefficients, then the constant) that are at least the given
// values at the given points: an exact one if there is one, otherwise the few with the least sum of
// differences. Such a one is a facet of the convex hull of the points with their values: it is
// exact at points that determine it. Anything else says more about the explored instances than
// about the system, and so does a large constant. But there may be too few instances for a facet:
// where the largest value depends on a remainder, as of Delta by 3, only some instances reach the
// bound. Then it may be exact on a ridge, which is one dimension less.
//
// Dimension is the one that exact points have to span. That of all instances is less than the
// number of parameters where an axiom such as `timeout = 6 * Phi + Delta` determines one of them.
func fits(points [][]int64, values, reach []int64, dimension int) (out []fit) {
	n := len(points[0])
	var best []fit
	order := func(a, b fit) int {
		return cmp.Or(cmp.Compare(a.slack, b.slack), cmp.Compare(a.size, b.size))
	}
	coefficients := make([]int64, n)
	rest := make([]int64, len(points))
	try := func() {
		top, sum := int64(math.MinInt64), int64(0)
		for i, p := range points {
			rest[i] = values[i]
			for k, c := range coefficients {
				rest[i] -= c * p[k]
			}
			top, sum = max(top, rest[i]), sum+rest[i]
		}
		f := fit{slack: int64(len(points))*top - sum, size: max(top, -top)}
		if f.slack > 0 && f.size > maxConstant {
			return
		}
		for _, c := range coefficients {
			f.size += max(c, -c)
		}
		if len(best) == fitsEach && order(best[fitsEach-1], f) <= 0 ||
			f.slack > 0 && span(points, func(i int) bool { return rest[i] == top }) != dimension {
			return
		}
		f.tight = countTight(rest, top)
		f.of = append(slices.Clone(coefficients), top)
		best = append(best, f)
		slices.SortStableFunc(best, order)
		best = best[:min(len(best), fitsEach)]
	}
	var all func(i int)
	all = func(i int) {
		if i == n {
			try()
			return
		}
		for c := -reach[i]; c <= reach[i]; c++ {
			coefficients[i] = c
			all(i + 1)
		}
	}
	all(0)
	for _, f := range best {
		if len(out) == 0 || best[0].slack > 0 {
			out = append(out, f)
		}
	}
	return out
}

// span is the dimension of the smallest plane that has all the points that are tight, -1 without
// such points.
func span(points [][]int64, tight func(int) bool) int {
	var origin []int64
	var basis [][]int64 // differences, each with a column in which later ones are 0
	var columns []int
	for i, p := range points {
		if !tight(i) {
			continue
		}
		if origin == nil {
			origin = p
			continue
		}
		v := make([]int64, len(p))
		for k := range v {
			v[k] = p[k] - origin[k]
		}
		for j, b := range basis {
			x, y := b[columns[j]], v[columns[j]]
			for k := range v {
				v[k] = v[k]*x - b[k]*y
			}
		}
		if at := slices.IndexFunc(v, func(x int64) bool { return x != 0 }); at >= 0 {
			basis, columns = append(basis, v), append(columns, at)
		}
	}
	if origin == nil {
		return -1
	}
	return len(basis)
}

// condition is the conjunction of literals.
func (l *linear) condition(literals []int) *logic.Term {
	var parts []*logic.Term
	for _, x := range literals {
		a := l.atoms[x/2]
		if x%2 == 1 {
			a = logic.Opposite(a)
		}
		parts = append(parts, a)
	}
	return logic.And(parts...)
}

// total is a sum as the language has it, two terms at a time: then what is read back is asked about
// in the same words.
func total(ts []*logic.Term) *logic.Term {
	sum := logic.Add()
	for i, t := range ts {
		if i == 0 {
			sum = t
		} else {
			sum = logic.Add(sum, t)
		}
	}
	return sum
}

// bounded states that in a mode an expression is at most a linear expression over the parameters.
func (l *linear) bounded(m *mode, of sum, fit []int64) *logic.Term {
	var ages []*logic.Var
	var within []*logic.Term
	exists := false
	term := func(q, sign int) *logic.Term {
		x := l.quantities[q]
		if x.factor != nil {
			return logic.Mul(logic.App(x.factor, logic.Pre), logic.App(x.symbol, logic.Pre))
		}
		if x.member == 0 {
			return logic.App(x.symbol, logic.Pre)
		}
		// The greatest member is at most b if all members are, and at least b if some member is;
		// the least member is dual.
		k := &logic.Var{Name: "K", Sort: x.symbol.Args[0]}
		is := logic.App(x.symbol, logic.Pre, logic.Ref(k))
		if x.below != nil {
			is = logic.And(is, logic.Lt(logic.Ref(k), x.below))
		}
		ages, within = append(ages, k), append(within, is)
		exists = x.member*sign < 0
		return logic.Ref(k)
	}
	sides := [2][]*logic.Term{} // at most: left, right
	place := func(q, sign int) {
		if sign > 0 {
			sides[0] = append(sides[0], term(q, sign))
		} else if sign < 0 {
			sides[1] = append(sides[1], term(q, sign))
		}
	}
	for _, x := range of {
		place(x.quantity, x.sign)
	}
	number := func(side int, c int64, t *logic.Term) {
		switch {
		case c == 0:
		case t == nil:
			sides[side] = append(sides[side], logic.IntLit(c))
		case c == 1:
			sides[side] = append(sides[side], t)
		default:
			sides[side] = append(sides[side], logic.Mul(logic.IntLit(c), t))
		}
	}
	for i, c := range fit {
		var t *logic.Term
		if i < len(l.params) {
			t = logic.App(l.params[i], logic.Pre)
		}
		number(1, max(c, 0), t)
		number(0, max(-c, 0), t)
	}
	claim := logic.Le(total(sides[0]), total(sides[1]))
	when := l.condition(m.literals)
	switch {
	case len(ages) == 0:
		return logic.Implies(when, claim)
	case exists:
		return logic.Implies(logic.And(when, logic.Exists(ages, within[0])),
			logic.Exists(ages, logic.And(within[0], claim)))
	}
	return logic.Implies(when, logic.Forall(ages, logic.Implies(within[0], claim)))
}
