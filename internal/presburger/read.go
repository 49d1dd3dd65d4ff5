package presburger

// Has reports whether a vector is in a set. A vector outside of the space is in none.
func (s *Store) Has(x *Set, v []int64) bool {
	n := len(x.space)
	rest := append([]int64{}, v...)
	for i, c := range rest {
		if c < 0 && !x.space.signed(i) {
			return false
		}
	}
	node := int32(0)
	for {
		ends := true
		for _, c := range rest {
			ends = ends && (c == 0 || c == -1)
		}
		if ends {
			return s.signs.value(x.end[node], func(at int) bool { return rest[at] < 0 })
		}
		for i := range n {
			node = x.next[node][rest[i]&1]
			rest[i] >>= 1
		}
	}
}

// Some is a vector of a set with as few digits as possible, nil if there is none. Of these it is
// the first in the order of digits.
func (s *Store) Some(x *Set) []int64 {
	type seen struct{ from, digit int32 }
	if x.IsEmpty() {
		return nil
	}
	by := make([]seen, len(x.next))
	for i := range by {
		by[i].from = -1
	}
	by[0].from = 0
	todo := []int32{0}
	for i := 0; i < len(todo); i++ {
		at := todo[i]
		if x.level[at] == 0 && x.end[at] != no {
			return s.vector(x, at, func(n int32) (int32, int32) { return by[n].from, by[n].digit })
		}
		for digit, to := range x.next[at] {
			if by[to].from < 0 && !x.none[to] {
				by[to] = seen{at, int32(digit)}
				todo = append(todo, to)
			}
		}
	}
	return nil
}

// vector is what leads to a node by the edges that from gives, continued by signs.
func (s *Store) vector(x *Set, at int32, from func(int32) (int32, int32)) []int64 {
	out := make([]int64, len(x.space))
	for i := range s.signs.some(x.end[at]) {
		out[i] = -1
	}
	for rounds := 0; at != 0; {
		if rounds++; rounds > 60*len(x.space) {
			s.stop("a number with more than 60 digits")
		}
		prior, digit := from(at)
		i := x.level[prior]
		out[i] = out[i]<<1 | int64(digit)
		at = prior
	}
	return out
}

// Point is the set with one vector.
func (s *Store) Point(space Space, v []int64) *Set {
	x := s.All(space)
	for i, c := range v {
		l := Linear{make([]int64, len(space)), -c}
		l.Coeffs[i] = 1
		x = s.And(x, s.IsZero(space, l))
	}
	return x
}

// List gives the vectors of a set, if there are not more than most; false for a larger set.
func (s *Store) List(x *Set, most int) (out [][]int64, ok bool) {
	for !x.IsEmpty() {
		if len(out) == most {
			return nil, false
		}
		v := s.Some(x)
		out = append(out, v)
		x = s.Minus(x, s.Point(x.space, v))
	}
	return out, true
}
