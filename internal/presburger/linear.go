package presburger

import (
	"fmt"
	"math/bits"
)

// Linear is the sum of the components of a vector, each times a number, and a constant.
type Linear struct {
	Coeffs   []int64
	Constant int64
}

// Of is the value for a vector.
func (l Linear) Of(x []int64) int64 {
	v := l.Constant
	for i, a := range l.Coeffs {
		v += a * x[i]
	}
	return v
}

// largest bounds numbers in constraints, so that sums of them do not overflow.
const largest = 1 << 40

// within checks that sums with these numbers do not overflow.
func (s *Store) within(numbers ...int64) {
	for _, n := range numbers {
		if n > largest || n < -largest {
			s.stop("a number larger than 2^%d", bits.Len64(largest)-1)
		}
	}
}

// AtMostZero is the set of the vectors for which l is at most 0.
func (s *Store) AtMostZero(space Space, l Linear) *Set {
	return s.constraint("<=", space, l, func(c int64, round bool) (int64, bool) {
		return c >> 1, true // the largest integer that is at most c / 2
	}, func(c int64) bool { return c >= 0 })
}

// IsZero is the set of the vectors for which l is 0.
func (s *Store) IsZero(space Space, l Linear) *Set {
	return s.constraint("=", space, l, func(c int64, round bool) (int64, bool) {
		return c >> 1, c&1 == 0
	}, func(c int64) bool { return c == 0 })
}

// remaining is what the rest of a sum has to be compared with.
type remaining struct {
	value  int64
	failed bool
}

// constraint makes the automaton of a comparison of the sum of a[i] x[i] with a number c, which is
// the negative constant. As x = 2 y + b, with digits b, the sum for y is compared with half of what
// is left of c without the digits.
func (s *Store) constraint(
	what string, space Space, l Linear, half func(int64, bool) (int64, bool), ok func(int64) bool,
) *Set {
	s.within(append([]int64{l.Constant}, l.Coeffs...)...)
	n := len(space)
	op := operation{what: what, arg: fmt.Sprint(space, l)}
	return s.memo(op, func() *Set {
		return automaton(s, space, remaining{value: -l.Constant},
			func(k remaining, level, digit int) remaining {
				if k.failed {
					return k
				}
				if digit == 1 {
					k.value -= l.Coeffs[level]
				}
				if level == n-1 {
					v, possible := half(k.value, true)
					if k.value = v; !possible {
						return remaining{failed: true}
					}
				}
				return k
			}, func(k remaining) sign {
				if k.failed {
					return no
				}
				return s.bySigns(space, l.Coeffs, k.value, ok)
			})
	})
}

// bySigns says for which signs c without the sum is accepted, where a component is -1 if it is
// negative, else 0.
func (s *Store) bySigns(space Space, coeffs []int64, c int64, ok func(int64) bool) sign {
	type key struct {
		at int
		c  int64
	}
	known := map[key]sign{}
	var from func(at int, c int64) sign
	from = func(at int, c int64) sign {
		for at < len(coeffs) && (coeffs[at] == 0 || !space.signed(at)) {
			at++
		}
		if at == len(coeffs) {
			if ok(c) {
				return yes
			}
			return no
		}
		k := key{at, c}
		f, found := known[k]
		if !found {
			f = s.signs.node(int32(at), from(at+1, c), from(at+1, c+coeffs[at]))
			known[k] = f
		}
		return f
	}
	return from(0, c)
}

// Multiple is the set of the vectors for which l is a multiple of m, which is positive.
func (s *Store) Multiple(space Space, l Linear, m int64) *Set {
	// l = m * q, with a new component q.
	wide := space + Space(Integer)
	s.within(m)
	with := Linear{append(append([]int64{}, l.Coeffs...), -m), l.Constant}
	x := s.Forget(s.IsZero(wide, with), len(space))
	return s.Without(x, len(space))
}

// All is the set of all vectors of a space, and None the empty set.
func (s *Store) All(space Space) *Set  { return s.constant(space, yes) }
func (s *Store) None(space Space) *Set { return s.constant(space, no) }

func (s *Store) constant(space Space, end sign) *Set {
	return automaton(s, space, 0, func(k, _, _ int) int { return k },
		func(int) sign { return end })
}
