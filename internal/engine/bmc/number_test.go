package bmc

import (
	"math/big"
	"math/rand"
	"testing"
)

// built is a number of a circuit with what it should be for values of the variables.
type built struct {
	number number
	value  func([]int64) int64
}

// Arithmetic on random numbers, under all values of their variables: results are exact, and within
// their bounds.
func TestArithmetic(t *testing.T) {
	for seed := range int64(60) {
		rng := rand.New(rand.NewSource(seed))
		c := newCircuit()
		var all []built
		var domains []domain
		for i := range 3 {
			d := domain{int64(rng.Intn(9) - 5), int64(1 + rng.Intn(5))}
			domains = append(domains, d)
			all = append(all, built{c.free(d.lo, d.lo+d.n-1), func(v []int64) int64 {
				return v[i]
			}})
		}
		free := [3]number{all[0].number, all[1].number, all[2].number}
		pick := func() built { return all[rng.Intn(len(all))] }
		for range 25 {
			x, y, z, w := pick(), pick(), pick(), pick()
			var n built
			switch rng.Intn(8) {
			case 0:
				k := int64(rng.Intn(7) - 3)
				n = built{constant(k), func([]int64) int64 { return k }}
			case 1:
				n = built{c.plus(x.number, y.number), func(v []int64) int64 {
					return x.value(v) + y.value(v)
				}}
			case 2:
				n = built{c.minus(x.number, y.number), func(v []int64) int64 {
					return x.value(v) - y.value(v)
				}}
			case 3:
				if max(-x.number.lo, x.number.hi, -y.number.lo, y.number.hi) > 500 {
					continue
				}
				n = built{c.times(x.number, y.number), func(v []int64) int64 {
					return x.value(v) * y.value(v)
				}}
			case 4:
				n = built{c.choose(c.lt(x.number, y.number), z.number, w.number), func(
					v []int64,
				) int64 {
					if x.value(v) < y.value(v) {
						return z.value(v)
					}
					return w.value(v)
				}}
			case 6, 7:
				if max(-x.number.lo, x.number.hi) > 1<<20 {
					continue
				}
				by := int64(1 + rng.Intn(9))
				q, r := c.divide(x.number, big.NewInt(by))
				rest := func(v []int64) int64 { return ((x.value(v) % by) + by) % by }
				n = built{r, rest}
				if rng.Intn(2) == 0 {
					n = built{q, func(v []int64) int64 { return (x.value(v) - rest(v)) / by }}
				}
			case 5: // the smaller of two, which narrow may bound
				cond := c.le(x.number, y.number)
				n = built{c.choose(cond, c.within(x.number, x.number.lo, y.number.hi), y.number),
					func(
						v []int64,
					) int64 {
						return min(x.value(v), y.value(v))
					}}
			}
			all = append(all, n)
		}
		values := make([]int64, 3)
		for values[0] = domains[0].lo; domains[0].has(values[0]); values[0]++ {
			for values[1] = domains[1].lo; domains[1].has(values[1]); values[1]++ {
				for values[2] = domains[2].lo; domains[2].has(values[2]); values[2]++ {
					inputs := map[lit]bool{}
					for i, x := range free {
						for k, b := range x.bits {
							inputs[b] = values[i]>>k&1 == 1
						}
					}
					nodes := c.evaluate(inputs)
					for i, b := range all {
						want, got := b.value(values), b.number.valueOf(nodes)
						if got != want || got < b.number.lo || got > b.number.hi {
							t.Fatalf("seed %d, number %d: %d within %d..%d instead of %d for %v",
								seed, i, got, b.number.lo, b.number.hi, want, values)
						}
						for j, o := range all[:i] {
							same, less := c.same(b.number, o.number), c.lt(b.number, o.number)
							nodes := nodes
							if len(nodes) < len(c.gates) {
								nodes = c.evaluate(inputs)
							}
							is := func(l lit) bool { return nodes[l>>1] != (l&1 == 1) }
							if is(same) != (want == o.value(values)) ||
								is(less) != (want < o.value(values)) {
								t.Fatalf("seed %d: numbers %d and %d compare wrong for %v", seed, i,
									j, values)
							}
						}
					}
				}
			}
		}
	}
}
