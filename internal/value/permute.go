package value

// Permuted is a value with model values replaced by others.
func Permuted(v *Value, by func(model *Value) *Value) *Value {
	v = v.Forced()
	switch v.kind {
	case Model:
		return by(v)
	case Set, Tuple, Record, Function:
	default:
		return v
	}
	elems, changed := v.elems, false
	for i, e := range v.elems {
		f := Permuted(e, by)
		if f != e && !changed {
			changed, elems = true, append([]*Value(nil), v.elems...)
		}
		if changed {
			elems[i] = f
		}
	}
	switch v.kind {
	case Function:
		return permutedFunction(v, elems, by)
	case Set:
		if changed {
			return setOf(elems)
		}
	case Tuple:
		if changed {
			return tuple(elems)
		}
	case Record:
		if changed {
			return RecordOf(v.more.fields, elems...)
		}
	}
	return v
}

// permutedFunction permutes the domain of a function, whose values have been.
func permutedFunction(v *Value, values []*Value, by func(*Value) *Value) *Value {
	old := v.more.domain
	domain := Permuted(old, by)
	if len(domain.elems) != len(old.elems) {
		fail("a symmetry is no permutation of the model values in %s", old)
	}
	placed := make([]*Value, len(values))
	for i, e := range old.elems {
		placed[domain.find(Permuted(e, by))] = values[i]
	}
	return FunctionOf(domain, placed)
}
