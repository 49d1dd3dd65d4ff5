package bmc

import (
	"math/big"
	"math/bits"
)

// number is an integer in two's complement, lowest bit first, together with bounds on its value. It
// has exactly the bits that the bounds need, so arithmetic is exact: the bounds of a result are
// computed first.
type number struct {
	lo, hi int64
	bits   []lit
}

// maxValue bounds the absolute value of integers, so that bounds can be computed in 64 bits.
const maxValue = 1 << 30

// width is the number of bits for the integers from lo to hi.
func width(lo, hi int64) int {
	if lo < -maxValue || hi > maxValue {
		panic(refusal("an integer may be as large as %d in absolute value", max(-lo, hi)))
	}
	need := func(n int64) int { return bits.Len64(uint64(n^n>>63)) + 1 }
	return max(need(lo), need(hi))
}

func constant(n int64) number {
	x := number{lo: n, hi: n, bits: make([]lit, width(n, n))}
	for i := range x.bits {
		x.bits[i] = truth(n>>i&1 == 1)
	}
	return x
}

func (x number) isConst() bool { return x.lo == x.hi }

// bit is a bit of the number, as wide as may be.
func (x number) bit(i int) lit { return x.bits[min(i, len(x.bits)-1)] }

// make builds a number from its bits, of which there may be more than needed, under bounds that are
// known to hold. Bits that are constants may tighten the bounds.
func (c *circuit) make(lo, hi int64, bit func(int) lit) number {
	for {
		x := number{lo: lo, hi: hi, bits: make([]lit, width(lo, hi))}
		least, most := int64(0), int64(0)
		for i := range x.bits {
			b := c.now(bit(i))
			weight := int64(1) << i
			if i == len(x.bits)-1 {
				weight = -weight
				if lo >= 0 {
					b = no
				} else if hi < 0 {
					b = yes
				}
			}
			x.bits[i] = b
			if b == yes || !b.isConst() && weight < 0 {
				least += weight
			}
			if b == yes || !b.isConst() && weight > 0 {
				most += weight
			}
		}
		if max(least, lo) > min(most, hi) { // cannot be: what is assumed has no model
			return constant(lo)
		}
		if least <= lo && most >= hi {
			if lo == hi {
				return constant(lo)
			}
			return x
		}
		lo, hi = max(lo, least), min(hi, most)
	}
}

// free is any number within bounds.
func (c *circuit) free(lo, hi int64) number {
	if lo == hi {
		return constant(lo)
	}
	fresh := make([]lit, width(lo, hi))
	for i := range fresh {
		fresh[i] = c.input()
	}
	x := number{lo: lo, hi: hi, bits: fresh}
	last := len(fresh) - 1
	// the bounds that the bits alone give
	wide := number{lo: -1 << last, hi: 1<<last - 1, bits: fresh}
	if lo >= 0 {
		fresh[last], wide.lo = no, 0
	} else if hi < 0 {
		fresh[last], wide.hi = yes, -1
	}
	c.assume(c.le(constant(lo), wide))
	c.assume(c.le(wide, constant(hi)))
	return x
}

// sum adds numbers bit by bit; the caller knows that the result lies within the bounds.
func (c *circuit) sum(lo, hi int64, a, b func(int) lit, carry lit) number {
	w := width(lo, hi)
	out := make([]lit, w)
	for i := range out {
		x, y := a(i), b(i)
		half := c.xor(x, y)
		out[i] = c.xor(half, carry)
		carry = c.or(c.and(x, y), c.and(half, carry))
	}
	return c.make(lo, hi, func(i int) lit { return out[i] })
}

func (c *circuit) plus(x, y number) number {
	if x.isConst() && y.isConst() {
		return constant(x.lo + y.lo)
	}
	return c.sum(x.lo+y.lo, x.hi+y.hi, x.bit, y.bit, no)
}

func (c *circuit) minus(x, y number) number {
	if x.isConst() && y.isConst() {
		return constant(x.lo - y.lo)
	}
	return c.sum(x.lo-y.hi, x.hi-y.lo, x.bit, func(i int) lit { return y.bit(i).not() }, yes)
}

func (c *circuit) times(x, y number) number {
	if y.isConst() {
		x, y = y, x
	}
	corners := []int64{x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi}
	lo, hi := min(corners[0], corners[1], corners[2], corners[3]),
		max(corners[0], corners[1], corners[2], corners[3])
	w := width(lo, hi)
	out := make([]lit, w)
	for i := range w { // out += x.bit(i) * y << i, modulo 2^w
		carry := no
		for j := i; j < w; j++ {
			a, b := out[j], c.and(x.bit(i), y.bit(j-i))
			half := c.xor(a, b)
			out[j], carry = c.xor(half, carry), c.or(c.and(a, b), c.and(half, carry))
		}
	}
	return c.make(lo, hi, func(i int) lit { return out[i] })
}

// divide gives the quotient, rounded down, and the remainder of a division by a positive number,
// digit by digit. It assumes nothing: where the bounds of x rest on a false guard, the result is
// any number.
func (c *circuit) divide(x number, by *big.Int) (quotient, remainder number) {
	if !by.IsInt64() || by.Int64() > maxValue {
		panic(refusal("division by %s", by))
	}
	n := by.Int64()
	least := x.lo / n
	if x.lo%n < 0 {
		least--
	}
	x = c.minus(x, constant(least*n)) // not negative
	if x.isConst() {
		return constant(least + x.lo/n), constant(x.lo % n)
	}
	digits := make([]lit, len(x.bits))
	rest := constant(0)
	for i := len(x.bits) - 1; i >= 0; i-- {
		before, digit := rest, x.bits[i]
		if i == len(x.bits)-1 {
			digit = no // the sign
		}
		rest = c.make(0, 2*before.hi+1, func(j int) lit {
			if j == 0 {
				return digit
			}
			return before.bit(j - 1)
		})
		digits[i] = c.le(constant(n), rest)
		rest = c.choose(digits[i], c.minus(rest, constant(n)), rest)
		rest = c.make(0, min(n-1, max(rest.hi, 0)), rest.bit)
	}
	q := c.make(0, x.hi/n, func(i int) lit {
		if i < len(digits) {
			return digits[i]
		}
		return no
	})
	return c.plus(q, constant(least)), rest
}

func (c *circuit) lt(x, y number) lit {
	switch {
	case x.hi < y.lo:
		return yes
	case x.lo >= y.hi:
		return no
	}
	d := c.minus(x, y)
	return d.bits[len(d.bits)-1]
}

func (c *circuit) le(x, y number) lit { return c.lt(y, x).not() }

func (c *circuit) same(x, y number) lit {
	if x.hi < y.lo || y.hi < x.lo {
		return no
	}
	out := yes
	for i := range max(len(x.bits), len(y.bits)) {
		out = c.and(out, c.xor(x.bit(i), y.bit(i)).not())
	}
	return out
}

func (c *circuit) choose(cond lit, x, y number) number {
	switch cond = c.now(cond); cond {
	case yes:
		return x
	case no:
		return y
	}
	return c.make(min(x.lo, y.lo), max(x.hi, y.hi), func(i int) lit {
		return c.ite(cond, x.bit(i), y.bit(i))
	})
}

// within gives the number where it is known to lie within bounds.
func (c *circuit) within(x number, lo, hi int64) number {
	lo, hi = max(lo, x.lo), min(hi, x.hi)
	if lo > hi || lo == x.lo && hi == x.hi {
		return x
	}
	return c.make(lo, hi, x.bit)
}

// valueOf reads a number in an assignment to all nodes.
func (x number) valueOf(nodes []bool) int64 {
	v := int64(0)
	for i, b := range x.bits {
		if nodes[b>>1] != (b&1 == 1) {
			if i == len(x.bits)-1 {
				v -= 1 << i
			} else {
				v += 1 << i
			}
		}
	}
	return v
}
