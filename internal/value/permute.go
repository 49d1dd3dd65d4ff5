package value

// Mapped is a value with each of its parts replaced: the elements of a set or tuple, the values of
// a record, the arguments and values of a function. A permutation of model values maps the parts in
// turn. Any other value has no parts, and is itself.
func Mapped(v *Value, part func(*Value) *Value) *Value {
	v = v.Forced()
	switch v.kind {
	case Set, Tuple, Record, Function:
	default:
		return v
	}
	elems, changed := v.elems, false
	for i, e := range v.elems {
		f := part(e)
		if f != e && !changed {
			changed, elems = true, append([]*Value(nil), v.elems...)
		}
		if changed {
			elems[i] = f
		}
	}
	switch v.kind {
	case Function:
		return mappedFunction(v, elems, part)
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

// mappedFunction maps the domain of a function, whose values have been mapped.
func mappedFunction(v *Value, values []*Value, part func(*Value) *Value) *Value {
	old := v.more.domain
	args := make([]*Value, len(old.elems))
	for i, e := range old.elems {
		args[i] = part(e)
	}
	domain := SetOf(args...)
	if len(domain.elems) != len(old.elems) {
		fail("a symmetry is no permutation of the model values in %s", old)
	}
	placed := make([]*Value, len(values))
	for i, e := range args {
		placed[domain.find(e)] = values[i]
	}
	return FunctionOf(domain, placed)
}

// MappedMembers are what the values that Mapped makes of a value add to the sum of the hashes of a
// set, by the hashes of these values.
func MappedMembers(hashes []uint64) []uint64 {
	if hashes == nil {
		return nil
	}
	out := make([]uint64, len(hashes))
	for i, h := range hashes {
		out[i] = member(h)
	}
	return out
}

// MappedHashes are the hashes of n values that Mapped makes of a value, by the hashes of what
// becomes of its parts, and the MappedMembers of its elements. It is nil where all of them are the
// value's own, and so for a part.
func MappedHashes(v *Value, n int, part, members func(*Value) []uint64) []uint64 {
	v = v.Forced()
	sums, fixed := make([]uint64, n), uint64(0)
	changed := false
	// each adds what the pairs of a key and a value, or the members, add to the sum of hashes.
	each := func(key, elem uint64, keys, elems []uint64, add func(key, elem uint64) uint64) {
		if keys == nil && elems == nil {
			fixed += add(key, elem)
			return
		}
		changed = true
		for i := range sums {
			k, e := key, elem
			if keys != nil {
				k = keys[i]
			}
			if elems != nil {
				e = elems[i]
			}
			sums[i] += add(k, e)
		}
	}
	for i, e := range v.elems {
		switch v.kind {
		case Set:
			of := members(e)
			if of == nil {
				fixed += member(e.hash)
				continue
			}
			changed = true
			for i, m := range of {
				sums[i] += m
			}
		case Tuple:
			each(hashInt(int64(i+1)), e.hash, nil, part(e), pair)
		case Record:
			each(v.more.fields.hashes[i], e.hash, nil, part(e), pair)
		case Function:
			arg := v.more.domain.elems[i]
			each(arg.hash, e.hash, part(arg), part(e), pair)
		}
	}
	if !changed {
		return nil
	}
	for i, s := range sums {
		sums[i] = sealedHash(v.kind, s+fixed, len(v.elems))
	}
	return sums
}
