package value

import (
	"cmp"
	"math"
	"math/big"
)

// An integer of 64 bits is kept in the value itself. Any other one is large: it has its digits
// beside it, and stands at the end of the others in n.

func newInt(n int64) *Value { return &Value{kind: Int, n: n, hash: hashInt(n)} }

// Int is an integer.
func (s *Space) Int(n int64) *Value {
	if i := n - lowInt; i >= 0 && i < smallInts {
		return s.small[i]
	}
	return newInt(n)
}

// Integer is an integer of any size. It keeps the number.
func (s *Space) Integer(n *big.Int) *Value {
	if n.IsInt64() {
		return s.Int(n.Int64())
	}
	return integer(n)
}

func integer(n *big.Int) *Value {
	if n.IsInt64() {
		return newInt(n.Int64())
	}
	v := &Value{kind: Int, n: math.MaxInt64, hash: hashText(n.String(), seedInt),
		more: &more{large: n}}
	if n.Sign() < 0 {
		v.n = math.MinInt64
	}
	return v
}

// Small reports whether the value is an integer of 64 bits.
func (v *Value) Small() bool { return v.kind == Int && v.more == nil }

// Large reports whether the value is an integer that does not fit into 64 bits.
func (v *Value) Large() bool { return v.kind == Int && v.more != nil }

// Int is the value as an integer of 64 bits.
func (v *Value) Int() int64 {
	switch {
	case v.kind != Int:
		fail("%s is not an integer", v)
	case v.more != nil:
		fail("%s is too large here", v)
	}
	return v.n
}

// Integer is the value as an integer of any size, which is not to be changed.
func (v *Value) Integer() *big.Int {
	if v.Large() {
		return v.more.large
	}
	return big.NewInt(v.Int())
}

// compareIntegers is the order of two integers, or of two truth values.
func compareIntegers(a, b *Value) int {
	if c := cmp.Compare(a.n, b.n); c != 0 || a.more == nil && b.more == nil {
		return c
	}
	return a.Integer().Cmp(b.Integer())
}

// Range is the set of the integers from lo to hi. Its elements are not listed where an end is
// large.
func (s *Space) Range(lo, hi *Value) *Value {
	if !lo.Large() && !hi.Large() {
		return IntervalOf(lo.Int(), hi.Int())
	}
	from, to := lo.Integer(), hi.Integer()
	if from.Cmp(to) > 0 {
		return s.EmptySet
	}
	out := FilterOf(s.Integers, func(v *Value) bool {
		return from.Cmp(v.Integer()) <= 0 && v.Integer().Cmp(to) <= 0
	})
	out.more.lazy.ends = []*big.Int{from, to}
	return out
}
