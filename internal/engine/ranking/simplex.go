package ranking

import "math/big"

// maximise solves a linear program exactly: it gives x >= 0 with rows·x <= bounds for which
// objective·x is largest. The bounds are not negative, so that 0 is a solution to start from, and
// the objective must be bounded. Pivots follow Bland's rule, so it ends (Bland, New finite pivoting
// rules for the simplex method, 1977).
func maximise(objective []int64, rows [][]int64, bounds []int64) []*big.Rat {
	n, m := len(objective), len(rows)
	// Column j < n is a variable, column n+i the slack of row i, the last column the right side.
	// The last row is the objective.
	table := make([][]*big.Rat, m+1)
	basis := make([]int, m)
	for i := range table {
		table[i] = make([]*big.Rat, n+m+1)
		for j := range table[i] {
			table[i][j] = new(big.Rat)
		}
		if i == m {
			for j, c := range objective {
				table[m][j].SetInt64(-c)
			}
			break
		}
		for j, a := range rows[i] {
			table[i][j].SetInt64(a)
		}
		table[i][n+i].SetInt64(1)
		table[i][n+m].SetInt64(bounds[i])
		basis[i] = n + i
	}
	for {
		enter := -1
		for j := range n + m {
			if table[m][j].Sign() < 0 {
				enter = j
				break
			}
		}
		if enter < 0 {
			break
		}
		leave := -1
		var least *big.Rat
		for i := range m {
			if table[i][enter].Sign() <= 0 {
				continue
			}
			ratio := new(big.Rat).Quo(table[i][n+m], table[i][enter])
			if leave < 0 || ratio.Cmp(least) < 0 ||
				ratio.Cmp(least) == 0 && basis[i] < basis[leave] {
				leave, least = i, ratio
			}
		}
		if leave < 0 {
			panic("rank: a linear program without a bound")
		}
		pivot(table, leave, enter)
		basis[leave] = enter
	}
	x := make([]*big.Rat, n)
	for j := range x {
		x[j] = new(big.Rat)
	}
	for i, j := range basis {
		if j < n {
			x[j].Set(table[i][n+m])
		}
	}
	return x
}

func pivot(table [][]*big.Rat, row, column int) {
	inverse := new(big.Rat).Inv(table[row][column])
	for _, a := range table[row] {
		a.Mul(a, inverse)
	}
	product := new(big.Rat)
	for i := range table {
		if i == row || table[i][column].Sign() == 0 {
			continue
		}
		factor := new(big.Rat).Set(table[i][column])
		for j, a := range table[i] {
			a.Sub(a, product.Mul(factor, table[row][j]))
		}
	}
}

// integers scales a vector to the smallest whole numbers in its direction.
func integers(x []*big.Rat) []*big.Int {
	denominators, divisor := big.NewInt(1), new(big.Int)
	for _, a := range x {
		gcd := new(big.Int).GCD(nil, nil, denominators, a.Denom())
		denominators.Mul(denominators, new(big.Int).Quo(a.Denom(), gcd))
	}
	out := make([]*big.Int, len(x))
	for i, a := range x {
		out[i] = new(big.Int).Mul(a.Num(), new(big.Int).Quo(denominators, a.Denom()))
		divisor.GCD(nil, nil, divisor, out[i])
	}
	if divisor.Sign() > 0 {
		for _, a := range out {
			a.Quo(a, divisor)
		}
	}
	return out
}
