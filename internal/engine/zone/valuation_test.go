package zone

import (
	"math/big"
	"slices"

	"erelong.dev/erelong/internal/timed"
)

// region is a valuation of clocks up to what constraints with numbers up to ceiling can tell (Alur,
// Dill: A theory of timed automata): whole parts, and the order of the fractions as ranks, with
// rank 0 for none. A clock above the ceiling has the whole part ceiling+1.
type region struct {
	whole, rank []int
	ceiling     int
}

func newRegion(ceiling int) func(clocks int) valuation {
	return func(n int) valuation { return region{make([]int, n), make([]int, n), ceiling} }
}

// regionOf is the region of exact values.
func regionOf(values []*big.Rat, ceiling int) region {
	r := region{make([]int, len(values)), make([]int, len(values)), ceiling}
	var fractions []*big.Rat
	for x, v := range values {
		n := new(big.Int).Quo(v.Num(), v.Denom())
		r.whole[x] = int(n.Int64())
		fractions = append(fractions, new(big.Rat).Sub(v, new(big.Rat).SetInt(n)))
	}
	for x, f := range fractions {
		for _, g := range fractions {
			if f.Sign() > 0 && g.Cmp(f) <= 0 {
				r.rank[x]++ // not consecutive yet, but equal for equal ones
			}
		}
	}
	return r.tidy()
}

func (r region) clone() region {
	return region{slices.Clone(r.whole), slices.Clone(r.rank), r.ceiling}
}

func (r region) set(x, value int) valuation {
	s := r.clone()
	s.whole[x], s.rank[x] = value, 0
	return s.tidy()
}

func (r region) String() string { return packed(r.whole, r.rank) }

// tidy makes ranks consecutive and forgets what lies above the ceiling.
func (r region) tidy() region {
	for x := range r.whole {
		if r.whole[x] > r.ceiling || r.whole[x] == r.ceiling && r.rank[x] > 0 {
			r.whole[x], r.rank[x] = r.ceiling+1, 0
		}
	}
	ranks := slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(r.rank), 0))))
	for x := range r.rank {
		r.rank[x] = slices.Index(ranks, r.rank[x])
	}
	return r
}

// later is the next region that time leads to.
func (r region) later() valuation {
	s := r.clone()
	highest, integral := 0, false
	for x := 1; x < len(r.whole); x++ {
		if r.whole[x] <= r.ceiling {
			highest = max(highest, r.rank[x])
			integral = integral || r.rank[x] == 0
		}
	}
	for x := 1; x < len(r.whole); x++ {
		switch {
		case r.whole[x] > r.ceiling:
		case integral:
			s.rank[x]++
		case r.rank[x] == highest:
			s.whole[x], s.rank[x] = r.whole[x]+1, 0
		}
	}
	return s.tidy()
}

func (r region) satisfies(c timed.Constraint, m *timed.Memory) bool {
	if c.Cond != nil && c.Cond(m) == 0 {
		return true
	}
	i, j, b := c.I.Index(m), c.J.Index(m), int(c.Bound.Eval(m))
	d := r.whole[i] - r.whole[j]
	switch {
	case r.rank[i] == r.rank[j] && c.Strict, r.rank[i] > r.rank[j]:
		return d < b
	}
	return d <= b
}

// digital is a valuation of clocks that show whole numbers, with all above ceiling as one, and all
// differences outside of it. What closed constraints can reach is reached at whole numbers
// (Henzinger, Manna, Pnueli: What good are digital clocks?).
type digital struct {
	values      []int
	differences [][]int // nil where nothing looks at them
	ceiling     int
}

func newDigital(ceiling int, differences bool) func(clocks int) valuation {
	return func(n int) valuation {
		d := digital{make([]int, n), nil, ceiling}
		for differences && len(d.differences) < n {
			d.differences = append(d.differences, make([]int, n))
		}
		return d
	}
}

func (d digital) String() string { return packed(append(d.differences, d.values)...) }

func (d digital) later() valuation {
	e := digital{slices.Clone(d.values), d.differences, d.ceiling}
	for x := 1; x < len(e.values); x++ {
		e.values[x] = min(e.values[x]+1, d.ceiling+1)
	}
	return e
}

func (d digital) set(x, value int) valuation {
	e := digital{slices.Clone(d.values), nil, d.ceiling}
	for _, row := range d.differences {
		e.differences = append(e.differences, slices.Clone(row))
	}
	e.values[x] = min(value, d.ceiling+1)
	for y := range e.differences {
		e.differences[x][y] = value - e.values[y] // value is 0 where the difference is looked at
		e.differences[y][x] = -e.differences[x][y]
	}
	return e
}

func (d digital) satisfies(c timed.Constraint, m *timed.Memory) bool {
	if c.Cond != nil && c.Cond(m) == 0 {
		return true
	}
	if c.Strict {
		panic("a strict constraint: digital clocks decide closed ones only")
	}
	i, j := c.I.Index(m), c.J.Index(m)
	difference := d.values[i] - d.values[j]
	if i != 0 && j != 0 {
		difference = d.differences[i][j]
	}
	return difference <= int(c.Bound.Eval(m))
}

func packed(rows ...[]int) string {
	var b []byte
	for _, row := range rows {
		for _, n := range row {
			b = append(b, byte(n))
		}
	}
	return string(b)
}
