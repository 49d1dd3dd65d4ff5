package value

import (
	"cmp"
	"slices"
)

// SetOrder compares two elements of a set by the order in which the set lists its elements.
func SetOrder(a, b *Value) int {
	switch {
	case a.hash < b.hash:
		return -1
	case a.hash > b.hash:
		return 1
	case a == b || same(a, b):
		return 0
	}
	return cmp.Or(cmp.Compare(a.kind, b.kind), Compare(a, b))
}

// SetOf makes a set of values, of which some may be equal.
func SetOf(elems ...*Value) *Value { return setOf(slices.Clone(elems)) }

// setOf is SetOf for a slice that it may change.
func setOf(elems []*Value) *Value {
	for i, e := range elems {
		elems[i] = e.Forced()
		if i > 0 {
			checkTogether(elems[0], e)
		}
	}
	slices.SortFunc(elems, SetOrder)
	return listed(slices.CompactFunc(elems, same))
}

// checkTogether refuses values that cannot be compared as elements of one set.
func checkTogether(a, b *Value) {
	if a.kind != b.kind && a.kind != Model && b.kind != Model && a.class() != b.class() {
		fail("%s and %s cannot be elements of one set", a, b)
	}
}

// listed makes a set of elements in order.
func listed(elems []*Value) *Value {
	sum := uint64(0)
	for _, e := range elems {
		sum += member(e.hash)
	}
	return sealed(Set, elems, sum, nil)
}

// find is the place of an element in a listed set, -1 for none.
func (v *Value) find(x *Value) int {
	x = x.Forced()
	lo, hi := 0, len(v.elems)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if v.elems[mid].hash < x.hash {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for ; lo < len(v.elems) && v.elems[lo].hash == x.hash; lo++ {
		if same(v.elems[lo], x) {
			return lo
		}
	}
	if len(v.elems) > 0 {
		if e := v.elems[0]; e.kind != x.kind && e.kind != Model && x.kind != Model &&
			e.class() != x.class() {
			fail("%s is asked for in %s, whose elements are of another kind", x, v)
		}
	}
	return -1
}

func (v *Value) has(x *Value) bool {
	if x.kind > Function && x.kind != Lambda && !Finite(x) {
		return false
	}
	return v.find(x) >= 0
}

// With is a set and one more element.
func With(s, x *Value) *Value {
	if old := s.Forced().elems; len(old) > 0 {
		checkTogether(old[0], x)
	}
	s, x = s.Forced(), x.Forced()
	if s.find(x) >= 0 {
		return s
	}
	at, _ := slices.BinarySearchFunc(s.elems, x, SetOrder)
	elems := make([]*Value, len(s.elems)+1)
	copy(elems, s.elems[:at])
	elems[at] = x
	copy(elems[at+1:], s.elems[at:])
	return sealed(Set, elems, uint64(s.n)+member(x.hash), nil)
}

// Cup is the union of two sets.
func Cup(a, b *Value) *Value {
	if !Finite(set(a)) || !Finite(set(b)) || isMixed(a, b) {
		return describe(Union, a, b)
	}
	a, b = a.Forced(), b.Forced()
	switch {
	case len(a.elems) == 0:
		return b
	case len(b.elems) == 0:
		return a
	case len(b.elems) == 1:
		return With(a, b.elems[0])
	case len(a.elems) == 1:
		return With(b, a.elems[0])
	}
	checkTogether(a.elems[0], b.elems[0])
	elems := make([]*Value, 0, len(a.elems)+len(b.elems))
	i, j := 0, 0
	for i < len(a.elems) && j < len(b.elems) {
		switch c := SetOrder(a.elems[i], b.elems[j]); {
		case c < 0:
			elems = append(elems, a.elems[i])
			i++
		case c > 0:
			elems = append(elems, b.elems[j])
			j++
		default:
			elems = append(elems, a.elems[i])
			i, j = i+1, j+1
		}
	}
	elems = append(append(elems, a.elems[i:]...), b.elems[j:]...)
	switch len(elems) {
	case len(a.elems):
		return a
	case len(b.elems):
		return b
	}
	return listed(elems)
}

// isMixed reports whether a set that is described and another one have elements that cannot be
// compared, as in {"idle"} \cup [op : {"get", "put"}]. Such a union is described, too: its elements
// can be listed one by one, and a value be asked for in it.
func isMixed(a, b *Value) bool {
	if a.kind <= Interval && b.kind <= Interval {
		return false
	}
	of, known := classIn(a)
	like, both := classIn(b)
	return known && both && of != like || a.kind == Union || b.kind == Union
}

// classIn is the class of the elements of a finite set, if it is known without looking at all of
// them.
func classIn(s *Value) (class Kind, known bool) {
	switch s.kind {
	case Interval:
		return Int, s.more.lazy.lo <= s.more.lazy.hi
	case Subset:
		return Set, true
	case Functions, Records, Product:
		return Function, true
	case Set:
		if len(s.elems) > 0 && s.elems[0].kind != Model {
			return s.elems[0].class(), true
		}
	}
	return 0, false
}

// unlike reports whether a value cannot be compared with the elements of a set, and so is none.
func unlike(x, s *Value) bool {
	class, known := classIn(s)
	return known && x.kind != Model && x.class() != class
}

// Cap is the intersection of two sets.
func Cap(a, b *Value) *Value {
	if !Finite(set(a)) {
		a, b = b, a
	}
	if !Finite(set(a)) {
		set(b)
		return describe(Intersection, a, b)
	}
	return keep(a.Forced(), func(e *Value) bool { return Member(e, b) })
}

// Minus is the difference of two sets.
func Minus(a, b *Value) *Value {
	set(b)
	if !Finite(set(a)) {
		return describe(Difference, a, b)
	}
	return keep(a.Forced(), func(e *Value) bool { return !Member(e, b) })
}

// Keep is the set of the elements of a finite set that pass a test; s itself where all do.
func Keep(s *Value, test func(*Value) bool) *Value {
	if set(s).kind == Set || s.kind == Interval || s.more.forced.Load() != nil || !Finite(s) {
		return keep(s.Forced(), test)
	}
	var elems []*Value // the others are not listed
	Each(s, func(e *Value) bool {
		if test(e) {
			elems = append(elems, e)
		}
		return true
	})
	return setOf(elems)
}

func keep(s *Value, test func(*Value) bool) *Value {
	var elems []*Value
	sum := uint64(0)
	for _, e := range s.elems {
		if test(e) {
			elems = append(elems, e)
			sum += member(e.hash)
		}
	}
	if len(elems) == len(s.elems) {
		return s
	}
	return sealed(Set, elems, sum, nil)
}

// SubsetEq reports whether all elements of a are elements of b.
func SubsetEq(a, b *Value) bool {
	set(b)
	if set(a) == b {
		return true
	}
	if !Finite(a) {
		switch {
		case a.kind == b.kind && a.kind == Naturals, b.kind == Integers && a.kind == Naturals,
			a.kind == b.kind && a.kind == Integers, b.kind == Everything:
			return true
		case a.kind == b.kind && (a.kind == Sequences || a.kind == Subset):
			return SubsetEq(a.more.lazy.parts[0], b.more.lazy.parts[0])
		}
	}
	if a.kind == Subset && b.kind == Subset {
		return SubsetEq(a.more.lazy.parts[0], b.more.lazy.parts[0])
	}
	if a.kind == Set && b.kind == Set && len(a.elems) > len(b.elems) {
		return false
	}
	return Each(a, func(e *Value) bool { return Member(e, b) })
}

// BigUnion is the union of the elements of a set.
func BigUnion(s *Value) *Value {
	if s.kind == Subset {
		return s.more.lazy.parts[0]
	}
	var elems []*Value
	var described *Value
	Each(s, func(e *Value) bool {
		if !Finite(set(e)) {
			if described == nil {
				described = e
			} else {
				described = describe(Union, described, e)
			}
			return true
		}
		elems = append(elems, e.Forced().elems...)
		return true
	})
	if described != nil {
		return describe(Union, described, setOf(elems))
	}
	return setOf(elems)
}

// Listed are the elements of a finite set, in the order in which it keeps them.
func (v *Value) Listed() []*Value { return set(v).Forced().elems }

// Differ appends the elements that only one of two listed sets has, whose elements are interned:
// the ones of a, and the ones of b.
func Differ(a, b *Value, ofA, ofB []*Value) (onlyA, onlyB []*Value) {
	x, y := a.elems, b.elems
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0] == y[0]:
			x, y = x[1:], y[1:]
		case x[0].hash <= y[0].hash:
			ofA, x = append(ofA, x[0]), x[1:]
		default:
			ofB, y = append(ofB, y[0]), y[1:]
		}
	}
	return append(ofA, x...), append(ofB, y...)
}

// Contains reports whether a tuple of parts, or with fields a record, is in a listed set, without
// making it; known is false where this takes more.
func (v *Value) Contains(f *Fields, parts []*Value) (has, known bool) {
	kind := Tuple
	if f != nil {
		kind = Record
	}
	if v.kind != Set || len(parts) == 0 || len(v.elems) > 0 && v.elems[0].kind != kind {
		return false, false
	}
	sum := uint64(0)
	for i, p := range parts {
		if p.kind > Function {
			return false, false
		}
		if f != nil {
			sum += pair(f.hashes[i], p.hash)
		} else {
			sum += pair(hashInt(int64(i+1)), p.hash)
		}
	}
	hash := sealedHash(kind, sum, len(parts))
	lo, hi := 0, len(v.elems)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if v.elems[mid].hash < hash {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for ; lo < len(v.elems) && v.elems[lo].hash == hash; lo++ {
		e := v.elems[lo]
		if e.kind == kind && len(e.elems) == len(parts) &&
			(f == nil || e.more.fields.same(f)) && slices.EqualFunc(e.elems, parts, same) {
			return true, true
		}
	}
	return false, true
}
