package accel

import (
	"slices"

	"erelong.dev/erelong/internal/presburger"
)

// direction is the way of a search.
type direction int

const (
	forwards direction = iota
	backwards
)

// ends gives the places of an edge in the order of a search.
func (e *edge) ends(d direction) (from, to int) {
	if d == backwards {
		return e.to, e.from
	}
	return e.from, e.to
}

// step gives the states after an edge from states of x, or before it.
func (m *machine) step(d direction, e *edge, x *presburger.Set) *presburger.Set {
	if d == backwards {
		return m.before(e, x)
	}
	return m.after(e, x)
}

// before is the set of the states in which an edge can be taken to a state of x.
func (m *machine) before(e *edge, x *presburger.Set) *presburger.Set {
	for _, i := range e.any {
		x = m.store.Forget(x, i)
	}
	return m.store.And(e.guard, m.store.Before(x, m.space, e.f))
}

// after is the set of the states to which an edge leads from states of x.
//
// Components that get a number are given it at the end. If the map of the others has an inverse
// with integers, the rest is its preimage. If not, new values are new components.
func (m *machine) after(e *edge, x *presburger.Set) *presburger.Set {
	s := m.store
	x = s.And(x, e.guard)
	if x.IsEmpty() {
		return x
	}
	f := slices.Clone(e.f)
	fixed := map[int]int64{}
	identity := presburger.Identity(len(m.space))
	for i, l := range f {
		if !slices.ContainsFunc(l.Coeffs, func(a int64) bool { return a != 0 }) {
			fixed[i] = l.Constant
			f[i] = identity[i]
		}
	}
	if back, ok := inverse(f); ok {
		x = s.Before(x, m.space, back)
	} else {
		x = m.graph(f, x)
	}
	for i := range f {
		if v, ok := fixed[i]; ok {
			l := presburger.Linear{Coeffs: identity[i].Coeffs, Constant: -v}
			x = s.And(s.Forget(x, i), s.IsZero(m.space, l))
		}
	}
	for _, i := range e.any {
		x = s.Forget(x, i)
	}
	return x
}

// graph is the image of x under f: the new values are components beside the old ones, which are
// then forgotten.
func (m *machine) graph(f presburger.Affine, x *presburger.Set) *presburger.Set {
	s := m.store
	identity := presburger.Identity(len(m.space))
	var changed []int
	for i, l := range f {
		if l.Constant != 0 || !slices.Equal(l.Coeffs, identity[i].Coeffs) {
			changed = append(changed, i)
		}
	}
	at := make([]int, len(m.space)) // of old values
	for i := range at {
		at[i] = i
		for _, c := range changed {
			if c < i {
				at[i]++
			}
		}
	}
	for _, i := range changed {
		x = s.With(x, at[i]+1, m.space[i])
	}
	wide := x.Space()
	for _, i := range changed {
		l := presburger.Linear{Coeffs: make([]int64, len(wide)), Constant: f[i].Constant}
		for j, a := range f[i].Coeffs {
			l.Coeffs[at[j]] = a
		}
		l.Coeffs[at[i]+1]--
		x = s.And(x, s.IsZero(wide, l))
	}
	for _, i := range changed {
		x = s.Forget(x, at[i])
	}
	for k := len(changed) - 1; k >= 0; k-- {
		x = s.Without(x, at[changed[k]])
	}
	return x
}

// inverse is the inverse of a map, if elimination finds one with pivots 1 and -1, so that it has
// integers only.
func inverse(f presburger.Affine) (presburger.Affine, bool) {
	n := len(f)
	a := make([][]int64, n) // the matrix, and beside it what becomes its inverse
	for i, l := range f {
		a[i] = append(slices.Clone(l.Coeffs), make([]int64, n)...)
		a[i][n+i] = 1
	}
	for c := range n {
		p := -1
		for r := c; r < n; r++ {
			if a[r][c] == 1 || a[r][c] == -1 {
				p = r
				break
			}
		}
		if p < 0 {
			return nil, false
		}
		a[c], a[p] = a[p], a[c]
		if a[c][c] < 0 {
			for k := range a[c] {
				a[c][k] = -a[c][k]
			}
		}
		for r := range n {
			if q := a[r][c]; r != c && q != 0 {
				for k := range a[r] {
					if a[r][k] -= q * a[c][k]; isHuge(a[r][k]) {
						return nil, false
					}
				}
			}
		}
	}
	out := make(presburger.Affine, n)
	for i := range out {
		out[i].Coeffs = a[i][n:]
		for j, l := range f {
			out[i].Constant -= out[i].Coeffs[j] * l.Constant
		}
	}
	return out, true
}

// huge bounds coefficients of composed maps.
const huge = 1 << 20

func isHuge(n int64) bool { return n > huge || n < -huge }

// then is the map of f and then g; false if its numbers are huge.
func then(f, g presburger.Affine) (presburger.Affine, bool) {
	out := make(presburger.Affine, len(g))
	for i, l := range g {
		sum := presburger.Linear{Coeffs: make([]int64, len(f)), Constant: l.Constant}
		for j, a := range l.Coeffs {
			if a == 0 {
				continue
			}
			sum.Constant += a * f[j].Constant
			for k, b := range f[j].Coeffs {
				sum.Coeffs[k] += a * b
			}
		}
		for _, a := range append([]int64{sum.Constant}, sum.Coeffs...) {
			if isHuge(a) {
				return nil, false
			}
		}
		out[i] = sum
	}
	return out, true
}

// same reports whether two maps are equal.
func same(f, g presburger.Affine) bool {
	return slices.EqualFunc(f, g, func(a, b presburger.Linear) bool {
		return a.Constant == b.Constant && slices.Equal(a.Coeffs, b.Coeffs)
	})
}

// compose is an edge for a step of a and then one of b, nil if no state allows both; false if there
// is no such edge.
func (m *machine) compose(a, b *edge) (*edge, bool) {
	s := m.store
	f, ok := then(a.f, b.f)
	if !ok {
		return nil, false
	}
	guard := b.guard
	free := slices.Clone(b.any)
	for _, h := range a.any {
		for i, l := range b.f {
			if i != h && l.Coeffs[h] != 0 {
				return nil, false
			}
		}
		switch {
		case slices.Contains(b.any, h) || b.f[h].Coeffs[h] == 0:
			// The value that h gets first is not seen afterwards.
		case !s.Forget(guard, h).Equal(guard) || b.f[h].Constant != 0 || b.f[h].Coeffs[h] != 1:
			return nil, false
		default:
			free = append(free, h)
		}
		guard = s.Forget(guard, h)
	}
	for _, h := range free {
		f[h] = presburger.Identity(len(m.space))[h]
	}
	slices.Sort(free)
	guard = s.And(a.guard, s.Before(guard, m.space, a.f))
	if guard.IsEmpty() {
		return nil, true
	}
	return &edge{from: a.from, to: b.to, guard: guard, convex: a.convex && b.convex, f: f,
		any: slices.Compact(free), path: slices.Concat(a.steps(), b.steps())}, true
}
