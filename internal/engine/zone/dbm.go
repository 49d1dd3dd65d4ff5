package zone

import (
	"math"
	"slices"
)

// bound is an upper bound of a difference of two clocks: twice the number, plus one where equality
// is allowed. So bounds are ordered by strength (Bengtsson, Yi: Timed automata: semantics,
// algorithms and tools, section 4).
type bound int32

const (
	infinity bound = math.MaxInt32
	leZero   bound = 1
	ltZero   bound = 0
)

// limit is the largest number in a bound; sums of two bounds cannot overflow.
const limit = 1 << 28

func atMost(n int64, strict bool) bound {
	if strict {
		return bound(n * 2)
	}
	return bound(n*2 + 1)
}

func add(a, b bound) bound {
	if a == infinity || b == infinity {
		return infinity
	}
	return a + b - (a|b)&1
}

// negate gives the complement: not x-y <= c is y-x < -c.
func negate(b bound) bound { return 1 - b }

// zone is a difference bound matrix over n clocks in a flat slice, where clock 0 is always zero:
// entry i*n+j bounds clock i minus clock j. Every zone is canonical (each bound is the tightest)
// and not empty, except after a method has returned false.
type zone struct {
	n int
	m []bound
}

// zero is the zone in which all clocks are zero.
func zero(n int) zone {
	z := zone{n, make([]bound, n*n)}
	for i := range z.m {
		z.m[i] = leZero
	}
	return z
}

// whole is the zone of all values.
func whole(n int) zone {
	z := zero(n)
	for i := 1; i < n; i++ {
		for j := 0; j < n; j++ {
			if i != j {
				z.m[i*n+j] = infinity
			}
		}
	}
	return z
}

func (z zone) clone() zone { return zone{z.n, append([]bound(nil), z.m...)} }

// over restricts a zone to these clocks, which are in ascending order and include clock 0. It uses
// the memory of y unless these are all clocks.
func (z zone) over(clocks []int, y []bound) zone {
	if len(clocks) == z.n {
		return z
	}
	size := len(clocks)
	for k, i := range clocks {
		row, to := z.m[i*z.n:i*z.n+z.n], y[k*size:k*size+size]
		for l, j := range clocks {
			to[l] = row[j]
		}
	}
	return zone{size, y[:size*size]}
}

// extend makes a zone over all clocks of y from a zone over some clocks; the other clocks have any
// value.
func (z zone) extend(clocks, others []int, y zone) {
	for i, x := range clocks {
		row, from := y.m[x*y.n:x*y.n+y.n], z.m[i*z.n:i*z.n+z.n]
		for k, b := range from {
			row[clocks[k]] = b
		}
		for _, k := range others {
			row[k] = from[0] // they are at least zero
		}
	}
	var free []bound // of the first other clock: copying is faster than writing again
	for _, x := range others {
		row := y.m[x*y.n : x*y.n+y.n]
		if free == nil {
			free = row
			for k := range free {
				free[k] = infinity
			}
		}
		copy(row, free)
	}
	for _, x := range others {
		y.m[x*y.n+x] = leZero
	}
}

// up lets time pass.
func (z zone) up() {
	for i := z.n; i < len(z.m); i += z.n {
		z.m[i] = infinity
	}
}

// upBut lets time pass while some clocks stand still. The result is the least zone with all points
// that are reached: it may have others, since what is reached need not be a zone (Cassez, Larsen:
// The impressive power of stopwatches).
func (z zone) upBut(still []int) {
	if len(still) == 0 {
		z.up()
		return
	}
	for i := 1; i < z.n; i++ {
		if slices.Contains(still, i) {
			continue
		}
		row := z.m[i*z.n : i*z.n+z.n]
		row[0] = infinity
		for _, j := range still {
			row[j] = infinity
		}
	}
}

// down gives the clock values from which the zone is reached by letting time pass.
func (z zone) down() {
	for j := 1; j < z.n; j++ {
		z.m[j] = leZero
		for i := 1; i < z.n; i++ {
			z.m[j] = min(z.m[j], z.m[i*z.n+j])
		}
	}
}

// reset sets clock x to v.
func (z zone) reset(x int, v int64) {
	n, m := z.n, z.m
	up, low := atMost(v, false), atMost(-v, false)
	row, first := m[x*n:x*n+n], m[:n]
	for j := range first {
		row[j] = add(up, first[j])
		m[j*n+x] = add(m[j*n], low)
	}
	row[x] = leZero
}

// constrain adds the bound of clock i minus clock j. It gives false if nothing is left; the matrix
// is then useless.
func (z zone) constrain(i, j int, b bound) bool {
	n, m := z.n, z.m
	if b >= m[i*n+j] {
		return true
	}
	if add(m[j*n+i], b) < leZero {
		return false
	}
	m[i*n+j] = b
	rowJ := m[j*n : j*n+n]
	for k := 0; k < n; k++ {
		ki := m[k*n+i]
		if ki == infinity {
			continue
		}
		d := add(ki, b)
		rowK := m[k*n : k*n+n]
		if d >= rowK[j] && k != i {
			continue // then no other entry of the row improves: rowJ is a row of a canonical matrix
		}
		for l, jl := range rowJ {
			if jl != infinity {
				if s := d + jl - (d|jl)&1; s < rowK[l] {
					rowK[l] = s
				}
			}
		}
	}
	return true
}

// cap constrains by the upper bounds among limits, and gives false if nothing is left. Every new
// bound is one on a difference with clock 0, so a shortest path goes along one of them at most, as
// the last step to clock 0: that is quadratic, however many clocks there are.
func (z zone) cap(limits []limitOf) bool {
	n, m := z.n, z.m
	for k := range n {
		row := m[k*n : k*n+n]
		least := row[0]
		for _, l := range limits {
			if l.j == 0 && l.i != 0 {
				least = min(least, add(row[l.i], l.b))
			}
		}
		if row[0] = least; k == 0 && least < leZero {
			return false
		}
	}
	for k := 1; k < n; k++ {
		row := m[k*n : k*n+n]
		if row[0] == infinity {
			continue
		}
		for j, b := range m[1:n] {
			row[j+1] = min(row[j+1], add(row[0], b))
		}
	}
	return true
}

// intersect keeps the common part. The other zone may be over fewer clocks, or none at all.
func (z zone) intersect(y zone) bool {
	for i := range y.n {
		for j := range y.n {
			if !z.constrain(i, j, y.m[i*y.n+j]) {
				return false
			}
		}
	}
	return true
}

// subtract gives the points in z and not in y, as disjoint zones.
func (z zone) subtract(y zone) (out []zone) {
	rest := z.clone()
	for i := range z.n {
		for j := range z.n {
			b := y.m[i*z.n+j]
			if b >= rest.m[i*z.n+j] {
				continue
			}
			outside := rest.clone()
			if outside.constrain(j, i, negate(b)) {
				out = append(out, outside)
			}
			if !rest.constrain(i, j, b) {
				return out
			}
		}
	}
	return out
}

// within reports whether every point of z is simulated by a point of y, where lower and upper hold
// the largest numbers with which clocks will be compared from below and from above: z is a part of
// the abstraction aLU of y (Herbreteau, Srivathsan, Walukiewicz: Better abstractions for timed
// automata, theorem 34 of the version in Information and Computation). A clock that is not compared
// has the bound none. With lower = upper it is the closure by region equivalence, a bisimulation.
func (z zone) within(y zone, lower, upper []int32) bool {
	n := z.n
	for x := 0; x < n; x++ {
		if upper[x] == none {
			continue
		}
		zx := z.m[x] // minus the least value of x
		if zx < atMost(-int64(upper[x]), false) {
			continue
		}
		for k := 0; k < n; k++ {
			if y.m[k*n+x] < z.m[k*n+x] && lower[k] != none &&
				add(y.m[k*n+x], atMost(-int64(lower[k]), true)) < zx {
				return false
			}
		}
	}
	return true
}

// none is not a number. As a bound it marks a clock that is not compared with anything before it is
// set again.
const none = math.MinInt32

// extrapolate forgets bounds beyond the largest number with which a clock is compared: ExtraM+
// (Behrmann, Bouyer, Larsen, Pelánek: Lower and upper bounds in zone-based abstractions of timed
// automata, definition 5 with L = U). It makes the matrices finitely many.
func (z zone) extrapolate(most []int32) {
	n, m := z.n, z.m
	changed := false
	beyond := func(x int) bool { // x is larger than its number in the whole zone
		return x != 0 && (most[x] == none || m[x] < atMost(-int64(most[x]), false))
	}
	for i := 1; i < n; i++ {
		row, large := m[i*n:i*n+n], beyond(i)
		for j, b := range row {
			if i != j && b != infinity &&
				(large || most[i] == none || b > atMost(int64(most[i]), false) || beyond(j)) {
				row[j] = infinity
				changed = true
			}
		}
	}
	for j := 1; j < n; j++ { // last, since the first row decides which clocks are beyond
		if beyond(j) {
			b := leZero
			if most[j] != none {
				b = atMost(-int64(most[j]), true)
			}
			changed = changed || b != m[j]
			m[j] = b
		}
	}
	if changed {
		z.close()
	}
}

// close makes a matrix canonical that is not empty.
func (z zone) close() {
	n, m := z.n, z.m
	for k := 0; k < n; k++ {
		for i := 0; i < n; i++ {
			ik := m[i*n+k]
			if ik == infinity {
				continue
			}
			for j := 0; j < n; j++ {
				if s := add(ik, m[k*n+j]); s < m[i*n+j] {
					m[i*n+j] = s
				}
			}
		}
	}
}
