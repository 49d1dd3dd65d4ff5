package zone

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestMatrices compares the operations with the definition, by closing naively after each.
// Forgetting a clock means dropping all bounds of a canonical matrix on it.
func TestMatrices(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	const n = 4
	for range 2000 {
		z := zero(n)
		for range 6 {
			before := z.clone()
			kind := rnd.IntN(3)
			i, j, b := rnd.IntN(n), rnd.IntN(n), atMost(int64(rnd.IntN(9)-3), rnd.IntN(2) == 0)
			switch {
			case kind == 0:
				z.up()
			case kind == 1 && i > 0:
				z.reset(i, int64(rnd.IntN(3)))
			case i != j:
				ok := z.constrain(i, j, b)
				naive := before.clone()
				naive.m[i*n+j] = min(naive.m[i*n+j], b)
				naive.close()
				empty := false
				for k := range n {
					empty = empty || naive.m[k*n+k] < leZero
				}
				if ok == empty {
					t.Fatalf("constrain %d %d %d of %v: %v", i, j, b, before.m, ok)
				}
				if !ok {
					z = before
				} else if fmt.Sprint(z.m) != fmt.Sprint(naive.m) {
					t.Fatalf("constrain %d %d %d of %v: %v, want %v", i, j, b, before.m, z.m,
						naive.m)
				}
			}
			closed := z.clone()
			closed.close()
			if fmt.Sprint(closed.m) != fmt.Sprint(z.m) {
				t.Fatalf("%v is not canonical", z.m)
			}
			clocks, others := []int{0}, []int(nil)
			for x := 1; x < n; x++ {
				if rnd.IntN(2) == 0 {
					clocks = append(clocks, x)
					continue
				}
				others = append(others, x)
				for k := range n {
					if k != x {
						closed.m[x*n+k], closed.m[k*n+x] = infinity, infinity
					}
				}
				closed.m[x] = leZero
			}
			closed.close()
			wide := whole(n)
			z.over(clocks, make([]bound, 0, n*n)).extend(clocks, others, wide)
			if fmt.Sprint(wide.m) != fmt.Sprint(closed.m) {
				t.Fatalf("%v without clocks %v: %v, want %v", z.m, others, wide.m, closed.m)
			}
		}
	}
}

// TestSubtract: every point of a grid is in exactly one of the parts, or in the subtracted zone.
func TestSubtract(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	random := func() zone {
		z := zero(3)
		z.up()
		for range 4 {
			y := z.clone()
			i, j := rnd.IntN(3), rnd.IntN(3)
			if k := rnd.IntN(3); k == 0 && i > 0 {
				y.reset(i, int64(rnd.IntN(2)))
				y.up()
				z = y
			} else if i != j && y.constrain(i, j, atMost(int64(rnd.IntN(7)-2), rnd.IntN(2) == 0)) {
				z = y
			}
		}
		return z
	}
	contains := func(z zone, v [3]int64) bool { // in halves
		for i := range 3 {
			for j := range 3 {
				b := z.m[i*3+j]
				if d := v[i] - v[j]; b != infinity &&
					(d > int64(b>>1)*2 || d == int64(b>>1)*2 && b&1 == 0) {
					return false
				}
			}
		}
		return true
	}
	for range 500 {
		z, y := random(), random()
		parts := z.subtract(y)
		for x1 := int64(0); x1 < 12; x1++ {
			for x2 := int64(0); x2 < 12; x2++ {
				v := [3]int64{0, x1, x2}
				in := 0
				for _, p := range parts {
					if contains(p, v) {
						in++
					}
				}
				if want := contains(z, v) && !contains(y, v); in > 1 || (in == 1) != want {
					t.Fatalf("%v minus %v at %v: in %d parts", z.m, y.m, v, in)
				}
			}
		}
	}
}

// TestWithin compares the inclusion with its definition: every point of one zone is below a point
// of the other one in the preorder of lower and upper bounds. The grids of points are fine enough
// for two clocks. Extrapolation adds only points below.
func TestWithin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	const n, grain, high, higher = 3, 12, 6, 10
	contains := func(z zone, v [n]int) bool {
		for i := range n {
			for j := range n {
				b := z.m[i*n+j]
				if d, most := v[i]-v[j],
					int(b>>1)*grain; b != infinity && (d > most || d == most && b&1 == 0) {
					return false
				}
			}
		}
		return true
	}
	bounds := func() []int32 {
		out := []int32{0}
		for range n - 1 {
			out = append(out, []int32{none, 0, 1, 2}[rnd.IntN(4)])
		}
		return out
	}
	random := func() zone {
		for {
			z := whole(n)
			ok := true
			for range 5 {
				if i, j := rnd.IntN(n), rnd.IntN(n); ok && i != j {
					ok = z.constrain(i, j, atMost(int64(rnd.IntN(5)-2), rnd.IntN(2) == 0))
				}
			}
			if ok {
				return z
			}
		}
	}
	held, narrow, told := 0, 0, 0
	for range 1000 {
		y, z, lower, upper := random(), random(), bounds(), bounds()
		below := func(v [n]int) bool { // v is below a point of y
			var w [n]int
			var choose func(x int) bool
			choose = func(x int) bool {
				if x == n {
					return contains(y, w)
				}
				for w[x] = 0; w[x] <= higher*grain; w[x]++ {
					same := w[x] == v[x]
					less := w[x] < v[x] && w[x] > int(max(lower[x], -1))*grain
					more := w[x] > v[x] && v[x] > int(max(upper[x], -1))*grain
					if (same || less || more) && choose(x+1) {
						return true
					}
				}
				return false
			}
			return choose(1)
		}
		want, simulated := true, y.simulated(lower, upper)
		for v := [n]int{}; v[1] < high*grain && want; v[1] += grain / 3 {
			for v[2] = 0; v[2] < high*grain && want; v[2] += grain / 3 {
				if !contains(z, v) {
					continue
				}
				if want = below(v); want && !contains(simulated, v) {
					t.Fatalf("%v is below a point of %v with %v, %v, but not in %v", v, y.m, lower,
						upper, simulated.m)
				}
				if !contains(simulated, v) {
					narrow++
				}
			}
		}
		if want {
			held++
		}
		m := newMatrices(n)
		m.numbers = table{lower, upper}
		if want && !m.digest(z).within(m.digest(y)) {
			t.Fatalf("%v within %v with %v, %v: not so the digests", z.m, y.m, lower, upper)
		}
		if !m.digest(z).within(m.digest(y)) {
			told++
		}
		if z.within(y, lower, upper) != want {
			t.Fatalf("%v within %v with %v, %v: %v", z.m, y.m, lower, upper, !want)
		}
		wider := z.clone()
		wider.extrapolate(lower)
		if !z.within(wider, []int32{0, 100, 100}, []int32{0, 100, 100}) ||
			!wider.within(z, lower, lower) {
			t.Fatalf("%v extrapolated with %v: %v", z.m, lower, wider.m)
		}
	}
	if held < 100 || held > 900 || narrow < 50 || told < 300 {
		t.Errorf("%d of 1000 inclusions hold, digests tell of %d, %d points are not simulated",
			held, told, narrow)
	}
}

// Any integer expression with bounds is a bound of a clock; an expression without bounds is
// refused, and the message says where.
func TestBoundsOfClocks(t *testing.T) {
	frame := `const int mn[2] = {1, 2}; const struct { int p; int q; } rec[2] = {{1, 5}, {2, 6}}; const int mm[2][2] = {{1, 2}, {3, 4}}; int[0,1] w; int[0,7] v; int n; clock x;
process P() { state a { x <= 9 }, b; init a; trans a -> a { assign w = 1 - w; }, a -> b { guard x >= %s; }; } system P;`
	for _, bound := range []string{"mn[w]", "rec[w].q", "mm[w][1]", "mm[1][w]", "mm[w][w]", "(v & 3)", "(v | 1)", "(v ^ 2)", "(v << 1)", "(v >> 1)", "v % 3", "(v / 2)",
		"mn[w] * 2", "n", "sum (i : int[0,1]) mn[i]", "(w == 1 ? mn[w] : 3)", "(mn[w] >? 2)"} {
		r := check(t, fmt.Sprintf(frame, bound), "E<> P.b", Options{})[0]
		if r.Answer != Satisfied {
			t.Errorf("%s: %+v", bound, r)
		}
	}
	r := check(t, fmt.Sprintf(frame, "n * n"), "E<> P.b", Options{})[0]
	if r.Answer != Unknown || !strings.Contains(r.Reason, "m.xta:2:97") ||
		!strings.Contains(r.Reason, "x >= n * n can be as large as 1073") {
		t.Errorf("%+v", r)
	}
}

// Limits together give what they give one after the other.
func TestLimitsTogether(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	const n = 5
	empty, capped := 0, 0
	for range 20_000 {
		z := zero(n)
		for range rnd.IntN(4) { // some zone
			z.up()
			z.reset(1+rnd.IntN(n-1), int64(rnd.IntN(3)))
		}
		if rnd.IntN(4) > 0 {
			z.up()
		}
		var limits []limitOf
		for range 1 + rnd.IntN(6) {
			l := limitOf{rnd.IntN(n), 0, atMost(int64(rnd.IntN(9)-2), rnd.IntN(2) == 0)}
			if rnd.IntN(4) == 0 {
				l.j = rnd.IntN(n)
			}
			if l.i != l.j {
				limits = append(limits, l)
			}
		}
		single, ok := z.clone(), true
		for _, l := range limits {
			ok = ok && single.constrain(l.i, l.j, l.b)
		}
		got := z.constrainAll(limits)
		switch {
		case got != ok:
			t.Fatalf("%v: %v, one by one %v", limits, got, ok)
		case !ok:
			empty++
		case fmt.Sprint(z.m) != fmt.Sprint(single.m):
			t.Fatalf("%v: %v, one by one %v", limits, z.m, single.m)
		default:
			capped++
		}
	}
	if empty < 500 || capped < 500 {
		t.Errorf("%d zones are empty, %d are not", empty, capped)
	}
}
