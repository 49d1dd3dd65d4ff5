package value

import "math/big"

// Few gives a set of at most n elements of a set that has more than most, so that they can be
// listed; whole says that it is the set itself. Of many integers these are the ones at the ends, of
// all integers the ones near 0. A set that is made of other sets is made of few of their elements
// then. What has infinitely many elements for another reason stays as it is.
func Few(s *Value, most, n int64) (few *Value, whole bool) {
	if sizeUpTo(set(s), most) <= most {
		return s, true
	}
	return upTo(s, n)
}

// upTo gives a set of at most n elements of a set.
func upTo(s *Value, most int64) (few *Value, whole bool) {
	if sizeUpTo(s, most) <= most {
		return s, true
	}
	var l *lazy
	if s.kind != Set {
		l = s.more.lazy
	}
	switch s.kind {
	case Set:
		return SetOf(s.Sorted()[:most:most]...), false
	case Interval:
		return ends(big.NewInt(l.lo), big.NewInt(l.hi), most), false
	case Naturals:
		return IntervalOf(0, min(most, mostEnds-1)-1), false
	case Integers:
		n := min(most, mostEnds)
		return IntervalOf(-(n-1)/2, n/2), false
	case Filtered:
		if l.ends != nil {
			return ends(l.ends[0], l.ends[1], most), false
		}
		return narrow(s, most, func(few []*Value) *Value { return Keep(few[0], l.test) })
	case Union:
		return narrow(s, most, func(few []*Value) *Value { return Cup(few[0], few[1]) })
	case Intersection:
		return narrow(s, most, func(few []*Value) *Value { return Cap(few[0], l.parts[1]) })
	case Difference:
		return narrow(s, most, func(few []*Value) *Value { return Minus(few[0], l.parts[1]) })
	case Subset:
		return narrow(s, most, func(few []*Value) *Value { return SubsetOf(few[0]) })
	case Functions:
		return narrow(s, most, func(few []*Value) *Value { return FunctionsOf(l.parts[0], few[1]) })
	case Product:
		return narrow(s, most, func(few []*Value) *Value { return ProductOf(few...) })
	case Records:
		return narrow(s, most, func(few []*Value) *Value {
			return RecordsOf(s.more.fields, few...)
		})
	}
	return s, true
}

// narrow makes a set of as many elements of its parts as leave it small enough.
func narrow(s *Value, most int64, of func(few []*Value) *Value) (few *Value, whole bool) {
	for _, k := range []int64{most, 16, mostEnds, 3, 2, 1} {
		parts := make([]*Value, len(s.more.lazy.parts))
		for i, p := range s.more.lazy.parts {
			parts[i], _ = upTo(p, min(k, most))
		}
		if few := of(parts); sizeUpTo(few, most) <= most {
			return few, false
		}
	}
	return s, true
}

// mostEnds is how many integers stand for many.
const mostEnds = 5

// ends are some integers at the ends of an interval, without its listing.
func ends(lo, hi *big.Int, most int64) *Value {
	near := func(n *big.Int, by int64) *Value {
		return integer(new(big.Int).Add(n, big.NewInt(by)))
	}
	all := []*Value{near(lo, 0), near(hi, 0), near(lo, 1), near(hi, -1), near(lo, 2)}
	return SetOf(all[:min(most, mostEnds)]...)
}

// sizeUpTo is the size of a set, or at least most + 1 where it has more than most elements. A set
// of elements that pass a test counts as the one of which they are.
func sizeUpTo(s *Value, most int64) int64 {
	if s.kind == Set {
		return int64(len(s.elems))
	}
	more := func(n *big.Int) int64 {
		if n.IsInt64() && n.Int64() <= most {
			return n.Int64()
		}
		return most + 1
	}
	l := s.more.lazy
	part := func(i int) int64 { return sizeUpTo(l.parts[i], most) }
	switch s.kind {
	case Interval:
		n := new(big.Int).Sub(big.NewInt(l.hi), big.NewInt(l.lo))
		return more(n.Add(n, big.NewInt(1)))
	case Subset:
		return powerUpTo(2, part(0), most)
	case Functions:
		return powerUpTo(part(1), part(0), most)
	case Product, Records:
		n := big.NewInt(1)
		for i := range l.parts {
			n.Mul(n, big.NewInt(part(i)))
		}
		return more(n)
	case Filtered:
		if l.ends != nil {
			return most + 1
		}
		return part(0)
	case Difference:
		return part(0)
	case Intersection:
		return min(part(0), part(1))
	case Union:
		return min(part(0)+part(1), most+1)
	}
	if Finite(s) {
		return Size(s)
	}
	return most + 1
}

func powerUpTo(base, exponent, most int64) int64 {
	switch {
	case exponent == 0:
		return 1
	case base <= 1:
		return base
	}
	n := int64(1)
	for range exponent {
		if n > most/base {
			return most + 1
		}
		n *= base
	}
	return n
}
