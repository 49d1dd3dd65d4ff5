package accel

import (
	"slices"

	"erelong.dev/erelong/internal/presburger"
)

// loop is an edge from a place to itself that is accelerated. The matrices of f^first and
// f^(first + period) are equal. So after the first rounds, f^period adds the same vector always.
type loop struct {
	*edge
	first, period int
	vector        []int64
	guard         *presburger.Set // of period rounds
}

// longestPeriod bounds first and period of loops.
const longestPeriod = 6

// newLoop gives the loop of an edge; nil if it cannot be accelerated, or changes nothing.
func (m *machine) newLoop(e *edge) *loop {
	n := len(m.space)
	if len(e.any) > 0 && !m.independent(e) {
		return nil
	}
	powers := []presburger.Affine{presburger.Identity(n)}
	for len(powers) <= 2*longestPeriod {
		next, ok := then(powers[len(powers)-1], e.f)
		if !ok {
			return nil
		}
		powers = append(powers, next)
		k := len(powers) - 1
		for j := k - 1; j >= 0; j-- {
			if !sameMatrix(powers[j], powers[k]) {
				continue
			}
			l := &loop{edge: e, first: j, period: k - j, guard: e.guard, vector: make([]int64, n)}
			for i := range n {
				l.vector[i] = powers[k][i].Constant - powers[j][i].Constant
			}
			if k == 1 && len(e.any) == 0 && !slices.ContainsFunc(l.vector, func(v int64) bool {
				return v != 0
			}) {
				return nil
			}
			for i := 1; i < l.period; i++ {
				l.guard = m.store.And(l.guard, m.store.Before(e.guard, m.space, powers[i]))
			}
			return l
		}
	}
	return nil
}

// independent reports whether neither guard nor map of an edge reads a component that gets any
// value.
func (m *machine) independent(e *edge) bool {
	for _, h := range e.any {
		if !m.store.Forget(e.guard, h).Equal(e.guard) {
			return false
		}
		for i, l := range e.f {
			if i != h && l.Coeffs[h] != 0 {
				return false
			}
		}
	}
	return true
}

func sameMatrix(f, g presburger.Affine) bool {
	return slices.EqualFunc(f, g, func(a, b presburger.Linear) bool {
		return slices.Equal(a.Coeffs, b.Coeffs)
	})
}

// rounds gives the states after any number of rounds of a loop from states of x, or before them.
func (m *machine) rounds(d direction, l *loop, x *presburger.Set) *presburger.Set {
	s := m.store
	if len(l.any) > 0 {
		// No round reads these components, and each gives them any value.
		plain, once := *l, *l.edge
		once.any = nil
		plain.edge = &once
		if d == forwards {
			return s.Or(x, m.rounds(d, &plain, m.after(l.edge, x)))
		}
		y := x
		for _, h := range l.any {
			y = s.Forget(y, h)
		}
		return s.Or(x, m.before(&once, m.rounds(d, &plain, y)))
	}
	all, y := x, x
	step := func() { y = m.step(d, l.edge, y) }
	if d == forwards {
		for range l.first {
			step()
			all = s.Or(all, y)
		}
		y = s.Or(y, m.added(d, l, y))
		all = s.Or(all, y)
		for range l.period - 1 {
			step()
			all = s.Or(all, y)
		}
		return all
	}
	// There are fewer than first rounds; or first rounds, then a multiple of period, then fewer
	// than period.
	for range max(l.first, l.period) - 1 {
		step()
		all = s.Or(all, y)
	}
	y = s.Or(all, m.added(d, l, all))
	for range l.first {
		step()
	}
	return s.Or(all, y)
}

// added gives the states after at least one time period rounds, from states of x after the first
// rounds; or backwards the states from which they lead to x.
func (m *machine) added(d direction, l *loop, x *presburger.Set) *presburger.Set {
	s := m.store
	if d == forwards {
		return s.Before(m.along(x, l.vector, l), m.space, shift(l.vector, -1))
	}
	back := make([]int64, len(l.vector))
	for i, v := range l.vector {
		back[i] = -v
	}
	return m.along(s.Before(x, m.space, shift(l.vector, 1)), back, l)
}

// shift is the map that adds a multiple of a vector.
func shift(vector []int64, times int64) presburger.Affine {
	f := presburger.Identity(len(vector))
	for i, v := range vector {
		f[i].Constant = times * v
	}
	return f
}

// along is the set of the vectors u within the guard such that u - k * vector is in x, for some
// k >= 0, and all vectors between are within the guard, too.
func (m *machine) along(x *presburger.Set, vector []int64, l *loop) *presburger.Set {
	s := m.store
	n := len(m.space)
	x = s.And(x, l.guard)
	if x.IsEmpty() || !slices.ContainsFunc(vector, func(v int64) bool { return v != 0 }) {
		return x
	}
	// The components are k and u.
	back := func(extra int) presburger.Affine {
		f := make(presburger.Affine, n)
		for i, v := range vector {
			f[i].Coeffs = make([]int64, n+extra)
			f[i].Coeffs[extra+i] = 1
			f[i].Coeffs[0] = -v
		}
		return f
	}
	y := s.Before(x, presburger.Naturals(1)+m.space, back(1))
	if !l.convex {
		// Not so where there is an i <= k with u - i * vector outside of the guard. The components
		// are i, k and u.
		outside := s.Before(s.Not(l.guard), presburger.Naturals(2)+m.space, back(2))
		order := presburger.Linear{Coeffs: make([]int64, n+2)}
		order.Coeffs[0], order.Coeffs[1] = 1, -1
		outside = s.And(outside, s.AtMostZero(presburger.Naturals(2)+m.space, order))
		y = s.Minus(y, s.Without(s.Forget(outside, 0), 0))
	}
	return s.And(s.Without(s.Forget(y, 0), 0), l.guard)
}
