package zone

import "unsafe"

// shelf numbers rows, each once. It keeps them in the narrowest width that fits all numbers so far:
// one byte, two or four. Most numbers of a zone are small. The least and the largest number of a
// width stand for none and infinity.
type shelf[E ~int32] struct {
	rows shelved[E]
	size int // of a row
}

// shelved are rows in one width.
type shelved[E ~int32] interface {
	// number numbers a row, unless one of its numbers does not fit.
	number(row []E) (k int32, fits bool)
	read(k int32, into []E)
	some() int32
	wider() shelved[E] // no rows yet
}

func newShelf[E ~int32](size int) shelf[E] {
	return shelf[E]{rows: newShelved[int8, E](size), size: size}
}

// number gives the number of a row.
func (s *shelf[E]) number(row []E) int32 {
	k, fits := s.rows.number(row)
	for !fits {
		s.widen()
		k, fits = s.rows.number(row)
	}
	return k
}

// widen keeps the rows in the next width. Their numbers remain.
func (s *shelf[E]) widen() {
	old, row := s.rows, make([]E, s.size)
	s.rows = old.wider()
	for k := range old.some() {
		old.read(k, row)
		s.rows.number(row)
	}
}

// read copies the row with this number.
func (s *shelf[E]) read(k int32, into []E) { s.rows.read(k, into[:s.size]) }

// narrow are rows whose numbers have the type N.
type narrow[N ~int8 | ~int16 | ~int32, E ~int32] struct {
	pool[N]
	row         []N
	least, most N
}

func newShelved[N ~int8 | ~int16 | ~int32, E ~int32](size int) *narrow[N, E] {
	var n N
	least := N(-1) << (8*unsafe.Sizeof(n) - 1)
	return &narrow[N, E]{newPool[N](max(size, 1)), make([]N, max(size, 1)), least, ^least}
}

func (s *narrow[N, E]) number(row []E) (k int32, fits bool) {
	into, least, most := s.row[:len(row)], s.least, s.most
	for i, v := range row {
		n := N(v)
		if E(n) != v || n == least || n == most {
			switch v {
			case none:
				n = least
			case E(infinity):
				n = most
			default:
				return 0, false
			}
		}
		into[i] = n
	}
	k, _ = s.pool.number(s.row)
	return k, true
}

func (s *narrow[N, E]) read(k int32, into []E) {
	from, least, most := s.at(k), s.least, s.most
	into = into[:min(len(from), len(into))]
	from = from[:len(into)]
	for i, n := range from {
		v := E(n)
		if n == most {
			v = E(infinity)
		}
		if n == least {
			v = none
		}
		into[i] = v
	}
}

func (s *narrow[N, E]) some() int32 { return s.count }

func (s *narrow[N, E]) wider() shelved[E] {
	if unsafe.Sizeof(s.least) == 1 {
		return newShelved[int16, E](len(s.row))
	}
	return newShelved[int32, E](len(s.row))
}
