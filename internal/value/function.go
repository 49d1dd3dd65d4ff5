package value

import "slices"

// FunctionOf makes a function of its values, in the order of the elements of a listed domain. It
// keeps the slice.
func FunctionOf(domain *Value, values []*Value) *Value {
	for i, v := range values {
		values[i] = v.Forced()
	}
	if len(values) == 0 {
		return tuple(nil)
	}
	switch domain.elems[0].kind {
	case Int:
		if t := asTuple(domain, values); t != nil {
			return t
		}
	case String:
		if f := fieldsOf(domain.elems); f != nil {
			sorted := make([]*Value, len(values))
			for i, e := range domain.elems {
				sorted[f.Find(e.more.text)] = values[i]
			}
			return RecordOf(f, sorted...)
		}
	}
	sum := uint64(0)
	for i, v := range values {
		sum += pair(domain.elems[i].hash, v.hash)
	}
	return sealed(Function, values, sum, &more{domain: domain})
}

// asTuple gives the tuple that a function is, nil for none: its domain is 1..n.
func asTuple(domain *Value, values []*Value) *Value {
	n := len(values)
	for _, e := range domain.elems {
		if e.kind != Int || e.n < 1 || e.n > int64(n) {
			return nil
		}
	}
	elems := make([]*Value, n)
	for i, e := range domain.elems {
		elems[e.n-1] = values[i]
	}
	return tuple(elems)
}

// fieldsOf are the fields that strings are, nil if one is none.
func fieldsOf(strings []*Value) *Fields {
	sorted := slices.Clone(strings)
	for _, s := range sorted {
		if s.kind != String {
			return nil
		}
	}
	slices.SortFunc(sorted, func(a, b *Value) int {
		if a.more.text < b.more.text {
			return -1
		}
		return 1
	})
	return newFields(sorted)
}

// Domain is the set of the arguments of a function.
func Domain(f *Value) *Value {
	switch function(f).kind {
	case Tuple:
		return IntervalOf(1, int64(len(f.elems)))
	case Record:
		return setOf(slices.Clone(f.more.fields.Strings))
	}
	return f.more.domain
}

// place is where a function that is no lambda has the value for an argument, -1 for nowhere.
func (v *Value) place(x *Value) int {
	switch v.kind {
	case Tuple:
		if x.kind == Int && x.n >= 1 && x.n <= int64(len(v.elems)) {
			return int(x.n) - 1
		}
	case Record:
		if x.kind == String {
			return v.more.fields.Find(x.more.text)
		}
	case Function:
		return v.more.domain.find(x)
	}
	return -1
}

// Place is where a listed function or a record has the value for an argument, -1 for nowhere.
func Place(f, x *Value) int { return f.place(x) }

// Apply is f[x].
func Apply(f, x *Value) *Value {
	if function(f).kind == Lambda {
		if r := f.more.forced.Load(); r != nil {
			f = r
		} else {
			if !Member(x, f.more.domain) {
				fail("a function is applied to %s, which is not in its domain %s", x, f.more.domain)
			}
			return f.more.lazy.apply(x)
		}
	}
	i := f.place(x)
	if i < 0 {
		fail("the function %s is applied to %s, which is not in its domain", f, x)
	}
	return f.elems[i]
}

// Field is the value of a record's field.
func Field(r *Value, name string) *Value {
	if r.kind == Lambda {
		r = r.Forced()
	}
	if r.kind != Record {
		fail("%s has no field %s, since it is no record", r, name)
	}
	i := r.more.fields.Find(name)
	if i < 0 {
		fail("the record %s has no field %s", r, name)
	}
	return r.elems[i]
}

// Except is a function with another value for one argument. It is the function itself where the
// argument is not in its domain, as TLC has it.
func Except(f, x, value *Value) *Value {
	f, value = function(f).Forced(), value.Forced()
	i := f.place(x)
	if i < 0 {
		f.argued(x)
		return f
	}
	if f.elems[i] == value {
		return f
	}
	key := f.keyHash(i)
	elems := slices.Clone(f.elems)
	elems[i] = value
	sum := uint64(f.n) - pair(key, f.elems[i].hash) + pair(key, value.hash)
	return sealed(f.kind, elems, sum, f.more)
}

// argued refuses a value that cannot be compared with the arguments of a function.
func (v *Value) argued(x *Value) {
	like := x.class()
	switch {
	case x.kind == Model || len(v.elems) == 0:
		return
	case v.kind == Tuple:
		like = Int
	case v.kind == Record:
		like = String
	case v.more.domain.elems[0].kind != Model:
		like = v.more.domain.elems[0].class()
	}
	if x.class() != like {
		fail("%s cannot be an argument of the function %s", x, v)
	}
}

// Merge is f @@ g: the values of f, and elsewhere the ones of g.
func Merge(f, g *Value) *Value {
	f, g = function(f).Forced(), function(g).Forced()
	domain := Cup(Domain(f), Domain(g)).Forced()
	values := make([]*Value, len(domain.elems))
	for i, e := range domain.elems {
		from := f
		if f.place(e) < 0 {
			from = g
		}
		values[i] = from.elems[from.place(e)]
	}
	return FunctionOf(domain, values)
}

// Restrict is a function on the ones elements of a set that are in its domain.
func Restrict(f, s *Value) *Value {
	f = function(f).Forced()
	domain := Cap(Domain(f).Forced(), s).Forced()
	values := make([]*Value, len(domain.elems))
	for i, e := range domain.elems {
		values[i] = f.elems[f.place(e)]
	}
	return FunctionOf(domain, values)
}

// Concat is the first sequence followed by the second.
func Concat(a, b *Value) *Value {
	x, y := a.Elems(), b.Elems()
	return tuple(append(append(make([]*Value, 0, len(x)+len(y)), x...), y...))
}

// Append is a sequence with one more element.
func Append(s, x *Value) *Value {
	old := s.Elems()
	x = x.Forced()
	elems := make([]*Value, len(old)+1)
	copy(elems, old)
	elems[len(old)] = x
	return sealed(Tuple, elems, uint64(s.Forced().n)+pair(hashInt(int64(len(elems))), x.hash), nil)
}

// Part is the part of a sequence from one index to another, counted from 1.
func Part(s *Value, from, to int64) *Value {
	elems := s.Elems()
	if from > to {
		return tuple(nil)
	}
	if from < 1 || to > int64(len(elems)) {
		fail("%s has no part from %d to %d", s, from, to)
	}
	return tuple(slices.Clone(elems[from-1 : to]))
}

// At is the value of a function or record for an argument, and whether there is one.
func At(f, x *Value) (v *Value, ok bool) {
	f = function(f).Forced()
	i := f.place(x.Forced())
	if i < 0 {
		return nil, false
	}
	return f.elems[i], true
}

// Element is At for a value that may be no function: then there is none.
func Element(f, x *Value) (v *Value, ok bool) {
	if f.kind < Tuple || f.kind > Function {
		return nil, false
	}
	i := f.place(x)
	if i < 0 {
		return nil, false
	}
	return f.elems[i], true
}
