package value

import (
	"math"
	"math/big"
	"slices"
)

// lazy describes a set that is not listed, or a function that is not.
type lazy struct {
	lo, hi int64      // of an interval
	ends   []*big.Int // of a filtered set that is an interval with a large end
	parts  []*Value   // the sets that it is made of
	test   func(*Value) bool
	apply  func(*Value) *Value
}

// describe makes a set of parts.
func describe(kind Kind, parts ...*Value) *Value {
	return &Value{kind: kind, more: &more{lazy: &lazy{parts: parts}}}
}

// IntervalOf is lo..hi.
func IntervalOf(lo, hi int64) *Value {
	v := describe(Interval)
	v.more.lazy.lo, v.more.lazy.hi = lo, hi
	return v
}

// Bounds are the ends of an interval; ok is false for any other value.
func (v *Value) Bounds() (lo, hi int64, ok bool) {
	if v.kind != Interval {
		return 0, 0, false
	}
	return v.more.lazy.lo, v.more.lazy.hi, true
}

// sameInterval reports whether a listed set has the elements of an interval.
func sameInterval(s, interval *Value) bool {
	l := interval.more.lazy
	if int64(len(s.elems)) != max(0, l.hi-l.lo+1) {
		return false
	}
	for _, e := range s.elems {
		if !Member(e, interval) {
			return false
		}
	}
	return true
}

// SubsetOf is the set of all subsets of s.
func SubsetOf(s *Value) *Value { return describe(Subset, set(s)) }

// FunctionsOf is the set of all functions from one set to another.
func FunctionsOf(domain, codomain *Value) *Value {
	return describe(Functions, set(domain), set(codomain))
}

// RecordsOf is the set of all records whose fields are in sets, which are given by the fields.
func RecordsOf(f *Fields, sets ...*Value) *Value {
	v := describe(Records, sets...)
	v.more.fields = f
	return v
}

// ProductOf is the set of all tuples with elements of sets.
func ProductOf(sets ...*Value) *Value { return describe(Product, sets...) }

// SequencesOf is the set of all sequences of elements of a set.
func SequencesOf(s *Value) *Value { return describe(Sequences, set(s)) }

// AnythingOf is the set of everything.
func AnythingOf() *Value { return describe(Everything) }

// FilterOf is the set of the elements of an infinite set that pass a test.
func FilterOf(s *Value, test func(*Value) bool) *Value {
	v := describe(Filtered, set(s))
	v.more.lazy.test = test
	return v
}

// LambdaOf is the function on a set that apply gives. Apply is called for elements of the set.
func LambdaOf(domain *Value, apply func(*Value) *Value) *Value {
	v := describe(Lambda)
	v.more.domain, v.more.lazy.apply = set(domain), apply
	return v
}

// Computes reports whether a value holds code that its elements, or its values, are computed by.
func (v *Value) Computes() bool {
	if v.kind <= Function {
		return false
	}
	l := v.more.lazy
	return l.test != nil || l.apply != nil || slices.ContainsFunc(l.parts, (*Value).Computes)
}

// set checks that a value is a set.
func set(v *Value) *Value {
	if !v.IsSet() {
		fail("%s is not a set", v)
	}
	return v
}

// Finite reports whether the elements of a set can be listed.
func Finite(s *Value) bool {
	switch s.kind {
	case Naturals, Integers, Strings, Sequences, Everything:
		if s.kind != Sequences {
			return false
		}
		of := s.more.lazy.parts[0]
		return Finite(of) && Size(of) == 0
	case Lambda:
		return Finite(s.more.domain)
	case Intersection:
		return Finite(s.more.lazy.parts[0]) || Finite(s.more.lazy.parts[1])
	case Difference, Filtered:
		return s.more.lazy.ends != nil || Finite(s.more.lazy.parts[0])
	case Product, Records:
		for _, p := range s.more.lazy.parts {
			if Finite(p) && Size(p) == 0 {
				return true
			}
		}
	}
	if s.kind >= Interval {
		for _, p := range s.more.lazy.parts {
			if !Finite(p) {
				return false
			}
		}
	}
	return true
}

// sameDescription reports whether two sets of a kind have the same parts, where this decides
// whether they are equal.
func sameDescription(a, b *Value) (same, known bool) {
	x, y := a.more.lazy, b.more.lazy
	switch a.kind {
	case Interval:
		return x.lo == y.lo && x.hi == y.hi || x.lo > x.hi && y.lo > y.hi, true
	case Naturals, Integers, Strings, Everything:
		return true, true
	case Subset:
		return Equal(x.parts[0], y.parts[0]), true
	case Sequences, Functions, Product:
		if len(x.parts) != len(y.parts) {
			return false, false
		}
		for i, p := range x.parts {
			if !Equal(p, y.parts[i]) {
				return false, false
			}
		}
		return true, true
	}
	return false, false
}

// Forced lists a set, or the values of a function, and gives any other value as it is.
func (v *Value) Forced() *Value {
	if v.kind <= Function {
		return v
	}
	if f := v.more.forced.Load(); f != nil {
		return f
	}
	var f *Value
	if v.kind == Lambda {
		d := v.more.domain.Forced()
		values := make([]*Value, len(d.elems))
		for i, e := range d.elems {
			values[i] = v.more.lazy.apply(e).Forced()
		}
		f = FunctionOf(d, values)
	} else {
		if !Finite(v) {
			fail("the elements of %s cannot be listed, since it is infinite", v)
		}
		if n := Size(v); n > maxListed {
			fail("the set %s has %d elements, too many to list them", v, n)
		}
		var elems []*Value
		Each(v, func(e *Value) bool {
			elems = append(elems, e)
			return true
		})
		f = setOf(elems)
	}
	v.more.forced.Store(f)
	return f
}

// maxListed bounds the elements of a set that is listed.
const maxListed = 1 << 26

// Size is the number of elements of a finite set.
func Size(s *Value) int64 {
	if s.kind == Set {
		return int64(len(s.elems))
	}
	set(s)
	l := s.more.lazy
	switch s.kind {
	case Interval:
		return max(0, l.hi-l.lo+1)
	case Subset:
		return power(2, Size(l.parts[0]))
	case Functions:
		return power(Size(l.parts[1]), Size(l.parts[0]))
	case Product, Records:
		n := int64(1)
		for _, p := range l.parts {
			n = times(n, Size(p))
		}
		return n
	case Naturals, Integers, Strings, Everything:
		fail("%s has infinitely many elements", s)
	case Sequences:
		if Finite(s) {
			return 1
		}
		fail("%s has infinitely many elements", s)
	}
	return countOf(s)
}

// countOf counts the elements of a set that is made of two others or filtered.
func countOf(s *Value) (n int64) {
	Each(s, func(*Value) bool { n++; return true })
	return n
}

func times(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	if a > math.MaxInt64/b {
		fail("a set has more than %d elements", int64(math.MaxInt64))
	}
	return a * b
}

func power(base, exponent int64) int64 {
	if exponent == 0 {
		return 1
	}
	if base <= 1 {
		return base
	}
	n := int64(1)
	for range exponent {
		n = times(n, base)
	}
	return n
}

// Member reports whether x is an element of a set.
func Member(x, s *Value) bool {
	switch s.kind {
	case Set:
		return s.has(x)
	case Interval:
		if x.kind != Int {
			if x.kind != Model && s.more.lazy.lo <= s.more.lazy.hi {
				fail("%s is asked for in %s, whose elements are integers", x, s)
			}
			return false
		}
		return x.more == nil && s.more.lazy.lo <= x.n && x.n <= s.more.lazy.hi
	case Naturals, Integers:
		if x.kind == Model {
			return false
		}
		if x.kind != Int {
			fail("%s is not an integer", x)
		}
		return s.kind == Integers || x.n >= 0
	case Strings:
		return x.kind == String
	case Everything:
		return true
	}
	set(s)
	l := s.more.lazy
	switch s.kind {
	case Filtered:
		return Member(x, l.parts[0]) && l.test(x)
	case Union:
		a, b := l.parts[0], l.parts[1]
		if unlike(x, a) {
			return !unlike(x, b) && Member(x, b)
		}
		return Member(x, a) || !unlike(x, b) && Member(x, b)
	case Intersection:
		return Member(x, l.parts[0]) && Member(x, l.parts[1])
	case Difference:
		return Member(x, l.parts[0]) && !Member(x, l.parts[1])
	}
	if x.kind == Model {
		return false
	}
	switch s.kind {
	case Subset:
		return SubsetEq(set(x), l.parts[0])
	case Sequences:
		x = function(x).Forced()
		return x.kind == Tuple && allIn(x.elems, l.parts[0])
	case Product:
		x = function(x).Forced()
		return x.kind == Tuple && len(x.elems) == len(l.parts) && eachIn(x.elems, l.parts)
	case Records:
		x = function(x).Forced()
		return x.kind == Record && x.more.fields.same(s.more.fields) && eachIn(x.elems, l.parts)
	case Functions:
		return hasDomain(function(x), l.parts[0]) && allIn(x.Values(), l.parts[1])
	}
	fail("internal error: membership in a set of kind %d", s.kind)
	return false
}

// hasDomain reports whether a set is the domain of a function.
func hasDomain(f, s *Value) bool {
	switch {
	case f.kind == Tuple && s.kind == Interval:
		lo, hi, n := s.more.lazy.lo, s.more.lazy.hi, int64(len(f.elems))
		return lo == 1 && hi == n || n == 0 && lo > hi
	case f.kind == Tuple && s.kind == Set:
		if len(f.elems) != len(s.elems) {
			return false
		}
		for _, e := range s.elems {
			if e.kind != Int || e.n < 1 || e.n > int64(len(f.elems)) {
				return false
			}
		}
		return true
	case f.kind == Function:
		return Equal(f.more.domain, s)
	}
	return Equal(Domain(f), s)
}

func function(v *Value) *Value {
	if !v.IsFunction() {
		fail("%s is not a function", v)
	}
	return v
}

func allIn(xs []*Value, s *Value) bool {
	for _, x := range xs {
		if !Member(x, s) {
			return false
		}
	}
	return true
}

func eachIn(xs, sets []*Value) bool {
	for i, x := range xs {
		if !Member(x, sets[i]) {
			return false
		}
	}
	return true
}
