package zone

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math/big"
	"slices"
)

// linear decides whether numbers exist that satisfy linear inequalities, and gives some (Dutertre,
// de Moura: A fast linear-arithmetic solver for DPLL(T), section 3). The numbers are at least zero.
// Sums of them are variables, too; each sum that was asked for is a row of the table.
type linear struct {
	count int // the numbers; the variables behind them are sums
	value []amount
	lower []*amount // nil for none
	upper []*amount
	rows  map[int]row    // of the basic variables, over the others
	sums  map[string]int // the variables of sums
	work  int            // multiplications so far
}

// row gives a variable as a sum of others with coefficients that are not zero.
type row map[int]*big.Rat

// amount is a number plus a multiple of a small amount, which stands for strict bounds.
type amount struct{ whole, small *big.Rat }

func (a amount) cmp(b amount) int {
	if c := a.whole.Cmp(b.whole); c != 0 {
		return c
	}
	return a.small.Cmp(b.small)
}

// plus is a + k·b.
func (a amount) plus(k *big.Rat, b amount) amount {
	whole, small := new(big.Rat).Mul(k, b.whole), new(big.Rat).Mul(k, b.small)
	return amount{whole.Add(whole, a.whole), small.Add(small, a.small)}
}

func (a amount) over(k *big.Rat) amount {
	return amount{new(big.Rat).Quo(a.whole, k), new(big.Rat).Quo(a.small, k)}
}

var minusOne = big.NewRat(-1, 1)

func nothing() amount { return amount{new(big.Rat), new(big.Rat)} }

func newLinear(count int) *linear {
	l := &linear{count: count, rows: map[int]row{}, sums: map[string]int{}}
	for range count {
		zero := nothing()
		l.value, l.lower, l.upper = append(l.value, zero), append(l.lower, &zero),
			append(l.upper, nil)
	}
	return l
}

// clone is a copy for further inequalities.
func (l *linear) clone() *linear {
	c := *l
	c.value, c.lower, c.upper = slices.Clone(l.value), slices.Clone(l.lower), slices.Clone(l.upper)
	c.rows, c.sums = map[int]row{}, maps.Clone(l.sums)
	for x, r := range l.rows {
		c.rows[x] = maps.Clone(r)
	}
	return &c
}

// term is a number with a factor that is not zero.
type term struct{ number, factor int }

// atMost states that a sum of different numbers, in their order, is at most a bound, or less. It
// gives false where this contradicts another bound of the same sum.
func (l *linear) atMost(sum []term, b bound) bool {
	x, sign := l.sum(sum)
	if x < 0 {
		return b >= leZero
	}
	limit := amount{big.NewRat(int64(b>>1), 1), big.NewRat(int64(b&1)-1, 1)}
	if sign > 0 {
		if u := l.upper[x]; u == nil || limit.cmp(*u) < 0 {
			l.upper[x] = &limit
		}
	} else {
		limit = nothing().plus(minusOne, limit)
		if u := l.lower[x]; u == nil || limit.cmp(*u) > 0 {
			l.lower[x] = &limit
		}
	}
	if l.lower[x] != nil && l.upper[x] != nil && l.lower[x].cmp(*l.upper[x]) > 0 {
		return false
	}
	if l.rows[x] == nil { // variables that are not basic are always within their bounds
		switch {
		case l.upper[x] != nil && l.value[x].cmp(*l.upper[x]) > 0:
			l.move(x, *l.upper[x])
		case l.lower[x] != nil && l.value[x].cmp(*l.lower[x]) < 0:
			l.move(x, *l.lower[x])
		}
	}
	return true
}

// move gives a variable that is not basic another value.
func (l *linear) move(x int, to amount) {
	step := to.plus(minusOne, l.value[x])
	l.value[x] = to
	l.work += len(l.rows)
	for z, r := range l.rows {
		if k := r[x]; k != nil {
			l.value[z] = l.value[z].plus(k, step)
		}
	}
}

// sum is the variable for a sum, or with the sign -1 for its negation; negative for an empty sum.
func (l *linear) sum(sum []term) (x, sign int) {
	if len(sum) == 0 {
		return -1, 1
	}
	sign = cmp.Compare(sum[0].factor, 0)
	if len(sum) == 1 && sum[0].factor == sign {
		return sum[0].number, sign
	}
	var key []byte
	for _, t := range sum {
		key = binary.AppendVarint(binary.AppendVarint(key, int64(t.number)), int64(t.factor*sign))
	}
	if x, known := l.sums[string(key)]; known {
		return x, sign
	}
	x = len(l.value)
	l.sums[string(key)] = x
	l.value, l.lower, l.upper = append(l.value, nothing()), append(l.lower, nil),
		append(l.upper, nil)
	made := row{}
	for _, t := range sum {
		k := big.NewRat(int64(t.factor*sign), 1)
		l.value[x] = l.value[x].plus(k, l.value[t.number])
		if r, basic := l.rows[t.number]; basic {
			l.add(made, k, r)
		} else {
			l.add(made, k, row{t.number: big.NewRat(1, 1)})
		}
	}
	l.rows[x] = made
	return x, sign
}

// add adds a multiple of a row to another one.
func (l *linear) add(to row, k *big.Rat, r row) {
	l.work += len(r)
	for x, c := range r {
		v := new(big.Rat).Mul(k, c)
		if old := to[x]; old != nil {
			v.Add(v, old)
		}
		if v.Sign() == 0 {
			delete(to, x)
		} else {
			to[x] = v
		}
	}
}

// solve looks for numbers that satisfy everything. Both are false if all of the work is more than
// given, or the answer is not needed any more.
func (l *linear) solve(work int, done <-chan struct{}) (found, decided bool) {
	for l.work < work {
		select {
		case <-done:
			return false, false
		default:
		}
		x, low := l.violated()
		if x < 0 {
			return true, true
		}
		y := l.entering(x, low)
		if y < 0 {
			return false, true
		}
		target := l.upper[x]
		if low {
			target = l.lower[x]
		}
		l.pivot(x, y, *target)
	}
	return false, false
}

// violated is the first basic variable that is below or above its bounds, negative for none.
// Choosing the first one always comes to an end (Bland).
func (l *linear) violated() (x int, low bool) {
	x = -1
	for v := range l.rows {
		if x >= 0 && v > x {
			continue
		}
		switch {
		case l.lower[v] != nil && l.value[v].cmp(*l.lower[v]) < 0:
			x, low = v, true
		case l.upper[v] != nil && l.value[v].cmp(*l.upper[v]) > 0:
			x, low = v, false
		}
	}
	return x, low
}

// entering is the first variable of a row by which its variable can come nearer to its bound,
// negative for none.
func (l *linear) entering(x int, up bool) int {
	best := -1
	for y, c := range l.rows[x] {
		if best >= 0 && y > best {
			continue
		}
		grow := (c.Sign() > 0) == up
		if grow && (l.upper[y] == nil || l.value[y].cmp(*l.upper[y]) < 0) ||
			!grow && (l.lower[y] == nil || l.value[y].cmp(*l.lower[y]) > 0) {
			best = y
		}
	}
	return best
}

// pivot gives a basic variable a value, and exchanges it with another one.
func (l *linear) pivot(x, y int, target amount) {
	r := l.rows[x]
	c := r[y]
	step := target.plus(minusOne, l.value[x]).over(c)
	l.value[x] = target
	l.value[y] = l.value[y].plus(big.NewRat(1, 1), step)
	delete(l.rows, x)
	// y = (x - the rest of the row) / c
	made := row{x: new(big.Rat).Inv(c)}
	for z, k := range r {
		if z != y {
			made[z] = new(big.Rat).Neg(new(big.Rat).Quo(k, c))
		}
	}
	for z, other := range l.rows {
		k := other[y]
		if k == nil {
			continue
		}
		l.value[z] = l.value[z].plus(k, step)
		delete(other, y)
		l.add(other, k, made)
	}
	l.rows[y] = made
}

// numbers gives the numbers that were found: the small amount gets a value.
func (l *linear) numbers() []*big.Rat {
	small := big.NewRat(1, 1)
	least := func(a, b amount) { // a <= b holds, and is to hold with the value
		gap, more := new(big.Rat).Sub(b.whole, a.whole), new(big.Rat).Sub(a.small, b.small)
		if more.Sign() > 0 && gap.Quo(gap, more).Cmp(small) < 0 {
			small = gap
		}
	}
	for x := range l.value {
		if l.lower[x] != nil {
			least(*l.lower[x], l.value[x])
		}
		if l.upper[x] != nil {
			least(l.value[x], *l.upper[x])
		}
	}
	out := make([]*big.Rat, l.count)
	for i := range out {
		v := new(big.Rat).Mul(l.value[i].small, small)
		out[i] = v.Add(v, l.value[i].whole)
	}
	return out
}
