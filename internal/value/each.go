package value

// Each gives the elements of a finite set until yield returns false, and reports whether it gave
// all. The order is the same in every run, but not that of the values.
func Each(s *Value, yield func(*Value) bool) bool {
	if s.kind != Set {
		set(s)
		if f := s.more.forced.Load(); f != nil {
			s = f
		}
	}
	if s.kind == Set {
		for _, e := range s.elems {
			if !yield(e) {
				return false
			}
		}
		return true
	}
	l := s.more.lazy
	switch s.kind {
	case Interval:
		for n := l.lo; n <= l.hi; n++ {
			if !yield(newInt(n)) {
				return false
			}
		}
		return true
	case Subset:
		return eachSubset(l.parts[0].Sorted(), yield)
	case Functions:
		return eachFunction(l.parts[0].Forced(), l.parts[1].Sorted(), yield)
	case Product:
		return eachChoice(l.parts, func(vs []*Value) bool { return yield(tuple(vs)) })
	case Records:
		return eachChoice(l.parts, func(vs []*Value) bool {
			return yield(RecordOf(s.more.fields, vs...))
		})
	case Filtered:
		return Each(l.parts[0], func(e *Value) bool { return !l.test(e) || yield(e) })
	case Union:
		return Each(l.parts[0], yield) && Each(l.parts[1], func(e *Value) bool {
			return !unlike(e, l.parts[0]) && Member(e, l.parts[0]) || yield(e)
		})
	case Intersection:
		a, b := l.parts[0], l.parts[1]
		if !Finite(a) {
			a, b = b, a
		}
		return Each(a, func(e *Value) bool { return !Member(e, b) || yield(e) })
	case Difference:
		return Each(l.parts[0], func(e *Value) bool { return Member(e, l.parts[1]) || yield(e) })
	case Sequences:
		if Finite(s) {
			return yield(tuple(nil))
		}
	}
	fail("the elements of %s cannot be listed, since it is infinite", s)
	return false
}

// eachSubset gives the subsets of some sorted elements in TLC's order: smaller ones first.
func eachSubset(elems []*Value, yield func(*Value) bool) bool {
	chosen := make([]int, 0, len(elems))
	give := func() bool {
		out := make([]*Value, len(chosen))
		for i, c := range chosen {
			out[i] = elems[c]
		}
		return yield(setOf(out))
	}
	var choose func(from, left int) bool
	choose = func(from, left int) bool {
		if left == 0 {
			return give()
		}
		for i := from; i <= len(elems)-left; i++ {
			chosen = append(chosen, i)
			if !choose(i+1, left-1) {
				return false
			}
			chosen = chosen[:len(chosen)-1]
		}
		return true
	}
	for size := range len(elems) + 1 {
		if !choose(0, size) {
			return false
		}
	}
	return true
}

// eachFunction gives the functions from a listed domain to some sorted values, in TLC's order: the
// value for the first element of the domain changes last.
func eachFunction(domain *Value, codomain []*Value, yield func(*Value) bool) bool {
	keys := domain.Sorted()
	place := make([]int, len(keys))
	for i, k := range keys {
		place[i] = domain.find(k)
	}
	sets := make([][]*Value, len(keys))
	for i := range sets {
		sets[i] = codomain
	}
	return choices(sets, func(vs []*Value) bool {
		values := make([]*Value, len(vs))
		for i, v := range vs {
			values[place[i]] = v
		}
		return yield(FunctionOf(domain, values))
	})
}

func eachChoice(parts []*Value, yield func([]*Value) bool) bool {
	sets := make([][]*Value, len(parts))
	for i, p := range parts {
		sets[i] = p.Sorted()
	}
	return choices(sets, func(vs []*Value) bool { return yield(append([]*Value(nil), vs...)) })
}

// choices gives one element of each set, the last ones changing first. Yield must not keep the
// slice.
func choices(sets [][]*Value, yield func([]*Value) bool) bool {
	chosen := make([]*Value, len(sets))
	var choose func(i int) bool
	choose = func(i int) bool {
		if i == len(sets) {
			return yield(chosen)
		}
		for _, e := range sets[i] {
			chosen[i] = e
			if !choose(i + 1) {
				return false
			}
		}
		return true
	}
	return choose(0)
}
