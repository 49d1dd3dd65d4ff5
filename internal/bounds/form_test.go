package bounds

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// sizes are coefficients and numbers on both sides of the limits.
func (g generator) number() int64 {
	k := g.Int64N(5) - 2
	switch g.IntN(7) {
	case 0:
		return large - k
	case 1:
		return -large - k
	case 2:
		return (1 << 20) + k
	case 3:
		return -(1 << 20) + k
	case 4: // the product with one of these may not fit into 64 bits
		return g.Int64N(2*large) - large
	}
	return k
}

// form has nodes 0 to 3.
func (g generator) form() form {
	out := form{number: g.number()}
	for n := range 4 {
		if by := g.number(); g.IntN(2) == 0 && by != 0 {
			out.parts = append(out.parts, part{n, by})
		}
	}
	return out
}

func (f form) at(node int) int64 {
	for _, p := range f.parts {
		if p.node == node {
			return p.by
		}
	}
	return 0
}

// A sum of forms is exact, also where numbers are large: it is refused exactly where a product or
// a coefficient reaches the limit.
func TestAddIsExact(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(1, 1))}
	refused, given := 0, 0
	for range 20_000 {
		f, h, by := g.form(), g.form(), g.number()
		if slices.ContainsFunc(f.parts, func(p part) bool { return !small(p.by) }) ||
			!small(f.number) {
			continue // no form has such numbers
		}
		sum, ok := f.add(by, h)
		fits := small(by)
		limit := big.NewInt(large)
		exact := func(a, b int64, got int64) {
			product := new(big.Int).Mul(big.NewInt(by), big.NewInt(b))
			total := new(big.Int).Add(product, big.NewInt(a))
			fits = fits && product.CmpAbs(limit) <= 0 && total.CmpAbs(limit) < 0
			if ok && (total.CmpAbs(limit) >= 0 || total.Int64() != got) {
				t.Fatalf("%v + %d * %v has %d, not %s", f, by, h, got, total)
			}
		}
		exact(f.number, h.number, sum.number)
		for n := range 4 {
			exact(f.at(n), h.at(n), sum.at(n))
		}
		if ok != fits {
			t.Fatalf("%v + %d * %v: given is %v, and it fits: %v", f, by, h, ok, fits)
		}
		if !ok {
			refused++
			continue
		}
		given++
		if slices.ContainsFunc(sum.parts, func(p part) bool { return p.by == 0 }) ||
			!slices.IsSortedFunc(sum.parts, func(p, q part) int { return p.node - q.node }) {
			t.Fatalf("%v + %d * %v = %v has a part 0, or is not sorted", f, by, h, sum)
		}
	}
	if refused < 1000 || given < 1000 {
		t.Errorf("%d sums refused, %d given", refused, given)
	}
}

// Moved by a number, an interval has what it had, moved, and no bound becomes tighter than that.
func TestIntervalPlus(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(2, 1))}
	for range 20_000 {
		bound := func() int64 { return max(-large, min(large, g.number())) }
		i := interval{bound(), bound()}
		if i.lo > i.hi {
			i.lo, i.hi = i.hi, i.lo
		}
		n := max(-large+1, min(large-1, g.number()))
		got := i.plus(n)
		want := interval{-large, large}
		if i.lo > -large && i.lo+n > -large {
			want.lo = i.lo + n
		}
		if i.hi < large && i.hi+n < large {
			want.hi = i.hi + n
		}
		if want.lo >= large || want.hi <= -large {
			want = everything
		}
		if got != want {
			t.Fatalf("%v moved by %d is %v, not %v", i, n, got, want)
		}
	}
}
