package value

import "slices"

// Partners gives, for a listed set of pairs, what stands beside x in them: behind it, or with
// before in front of it. It gives as much of it as is in another listed set, in the order of that.
// It is not known where the sets are others, or where looking for a pair may be an error.
func Partners(pairs, x *Value, before bool, within *Value) (out []*Value, known bool) {
	if pairs.kind != Set || within.kind != Set || x.kind > Function {
		return nil, false
	}
	at, other := 0, 1
	if before {
		at, other = 1, 0
	}
	for _, p := range pairs.elems {
		switch {
		case p.class() != Function:
			return nil, false
		case p.kind == Tuple && len(p.elems) == 2 && same(p.elems[at], x) &&
			within.lists(p.elems[other]):
			out = append(out, p.elems[other])
		}
	}
	slices.SortFunc(out, SetOrder)
	return out, true
}

// lists reports whether a listed set has an element, whatever the kinds of its elements are.
func (v *Value) lists(x *Value) bool {
	i, _ := slices.BinarySearchFunc(v.elems, x, func(e, x *Value) int {
		if e.hash < x.hash {
			return -1
		}
		return 1
	})
	for ; i < len(v.elems) && v.elems[i].hash == x.hash; i++ {
		if same(v.elems[i], x) {
			return true
		}
	}
	return false
}

// Ordered is the set of elements that are in the order in which a set lists them. It keeps the
// slice.
func Ordered(elems []*Value) *Value { return listed(elems) }
