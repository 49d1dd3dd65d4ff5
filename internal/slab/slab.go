// Package slab allocates values many at a time.
//
// In: how many values are needed. Out: places for them. Values of one allocation are freed
// together, when none of them is in use any more. So they are ones that live about as long as each
// other, and none that refers to an earlier one of its kind: it would keep that one's whole
// allocation, which keeps the one before, and so on.
package slab

// atOnce is the number of values of an allocation.
const atOnce = 64

// Of allocates values of a type. Only one goroutine at a time may use it.
type Of[T any] struct{ room []T }

// New is a place for a value.
func (s *Of[T]) New() *T { return &s.Room(1)[:1][0] }

// Copy is a copy of values.
func (s *Of[T]) Copy(values ...T) []T { return append(s.Room(len(values)), values...) }

// Room is an empty list with room for a number of values.
func (s *Of[T]) Room(n int) []T {
	switch {
	case n > atOnce/4:
		return make([]T, 0, n)
	case n > len(s.room):
		s.room = make([]T, atOnce)
	}
	out := s.room[:0:n]
	s.room = s.room[n:]
	return out
}
