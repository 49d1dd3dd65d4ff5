package ranking

import (
	"math/big"
	"math/rand"
	"testing"
)

// The optimum is compared with the best point of a grid: it is never less, and satisfies every row.
func TestMaximise(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	better := 0
	for range 300 {
		n, m := 1+rng.Intn(3), rng.Intn(3)
		objective := make([]int64, n)
		var rows [][]int64
		var bounds []int64
		for j := range objective {
			objective[j] = rng.Int63n(7) - 2
			row := make([]int64, n) // makes the objective bounded
			row[j] = 1
			rows, bounds = append(rows, row), append(bounds, rng.Int63n(4))
		}
		for range m {
			row := make([]int64, n)
			for j := range row {
				row[j] = rng.Int63n(7) - 3
			}
			rows, bounds = append(rows, row), append(bounds, rng.Int63n(5))
		}
		dot := func(a []int64, x []*big.Rat) *big.Rat {
			sum := new(big.Rat)
			for j := range a {
				sum.Add(sum, new(big.Rat).Mul(new(big.Rat).SetInt64(a[j]), x[j]))
			}
			return sum
		}
		fits := func(x []*big.Rat) bool {
			for i, row := range rows {
				if dot(row, x).Cmp(new(big.Rat).SetInt64(bounds[i])) > 0 {
					return false
				}
			}
			for _, v := range x {
				if v.Sign() < 0 {
					return false
				}
			}
			return true
		}
		got := maximise(objective, rows, bounds)
		if !fits(got) {
			t.Fatalf("%v violates %v <= %v", got, rows, bounds)
		}
		best := new(big.Rat)
		point := make([]*big.Rat, n)
		var grid func(j int)
		grid = func(j int) {
			if j == n {
				if v := dot(objective, point); fits(point) && v.Cmp(best) > 0 {
					best.Set(v)
				}
				return
			}
			for k := range int64(7) { // halves from 0 to 3
				point[j] = big.NewRat(k, 2)
				grid(j + 1)
			}
		}
		grid(0)
		switch dot(objective, got).Cmp(best) {
		case -1:
			t.Fatalf("%v has %v, and the best of the grid is %v: max %v, %v <= %v", got,
				dot(objective, got), best, objective, rows, bounds)
		case 1:
			better++
		}
	}
	if better == 300 {
		t.Error("the grid never had the optimum")
	}
}

func TestIntegers(t *testing.T) {
	got := integers([]*big.Rat{big.NewRat(1, 2), big.NewRat(2, 3), new(big.Rat), big.NewRat(5, 1)})
	for i, want := range []int64{3, 4, 0, 30} {
		if got[i].Int64() != want {
			t.Fatalf("%v", got)
		}
	}
}
