package value

import (
	"cmp"
	"slices"
)

// Compare is TLC's order of values: truth values, integers by size, strings and model values as
// they were met, sets and functions by their number of elements and then element by element. A
// model value is less than all others. The other kinds cannot be compared.
func Compare(a, b *Value) int {
	if a == b {
		return 0
	}
	a, b = a.Forced(), b.Forced()
	switch {
	case a.kind == Model && b.kind != Model:
		return -1
	case b.kind == Model && a.kind != Model:
		return 1
	}
	if a.class() != b.class() {
		fail("%s cannot be compared with %s", a, b)
	}
	switch a.class() {
	case Bool, Int:
		return compareIntegers(a, b)
	case String, Model:
		return cmp.Or(cmp.Compare(a.more.order, b.more.order),
			cmp.Compare(a.more.text, b.more.text))
	case Set:
		return cmp.Or(cmp.Compare(len(a.elems), len(b.elems)),
			slices.CompareFunc(a.Sorted(), b.Sorted(), Compare))
	}
	if c := cmp.Compare(len(a.elems), len(b.elems)); c != 0 {
		return c
	}
	if a.kind == Tuple && b.kind == Tuple {
		return slices.CompareFunc(a.elems, b.elems, Compare)
	}
	x, y := Domain(a).Sorted(), Domain(b).Sorted()
	for i, k := range x {
		if c := Compare(k, y[i]); c != 0 {
			return c
		}
		if c := Compare(Apply(a, k), Apply(b, k)); c != 0 {
			return c
		}
	}
	return 0
}

// Sorted are the elements of a set in TLC's order.
func (v *Value) Sorted() []*Value {
	s := set(v).Forced()
	if len(s.elems) < 2 {
		return s.elems
	}
	if p := s.sorted.Load(); p != nil {
		return *p
	}
	sorted := slices.SortedFunc(slices.Values(s.elems), Compare)
	s.sorted.Store(&sorted)
	return sorted
}
