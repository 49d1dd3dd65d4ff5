package zone

import (
	"math"
	"math/bits"
	"slices"
)

// states numbers discrete states. They are packed: a value has the bits that the values at its
// index have needed so far. When a value does not fit, all states are packed again.
type states struct {
	pool[uint32]
	fields []field
	packed []uint32
}

// field is the position of a value, stored as its distance from the least one, which is at most
// mask.
type field struct {
	least int32
	mask  uint32
	word  int
	shift uint
}

func (f *field) fits(v int32) bool { return v >= f.least && uint32(v-f.least) <= f.mask }

// number gives the number of a state, and whether it is new.
func (s *states) number(state []int32) (k int32, fresh bool) {
	if !s.pack(state, s.packed) {
		s.widen(state)
		s.pack(state, s.packed)
	}
	return s.pool.number(s.packed)
}

// find gives the number of a state, if it has one. It uses memory of the caller.
func (s *states) find(state []int32, memory *[]uint32) (k int32, known bool) {
	*memory = slices.Grow((*memory)[:0], len(s.packed))[:len(s.packed)]
	if !s.pack(state, *memory) {
		return 0, false
	}
	return s.pool.find(*memory)
}

// pack gives false if a value does not fit.
func (s *states) pack(state []int32, into []uint32) bool {
	if len(s.fields) != len(state) {
		return false
	}
	clear(into)
	for i, v := range state {
		f := &s.fields[i]
		if !f.fits(v) {
			return false
		}
		into[f.word] |= uint32(v-f.least) << f.shift
	}
	return true
}

// state appends the values of a state.
func (s *states) state(into []int32, k int32) []int32 {
	row := s.at(k)
	for i := range s.fields {
		f := &s.fields[i]
		into = append(into, f.least+int32(row[f.word]>>f.shift&f.mask))
	}
	return into
}

// admit makes room for a value. The spare values lie on the side of the new value, above or below.
// So each time there is one bit more, and states are packed again only a few times, in whichever
// direction a value goes.
func (f *field) admit(v int32) {
	least, most := int64(f.least), min(int64(f.least)+int64(f.mask), math.MaxInt32)
	if int64(v) > most {
		f.mask = 1<<bits.Len64(uint64(int64(v)-least)) - 1
		return
	}
	f.mask = 1<<bits.Len64(uint64(most-int64(v))) - 1
	f.least = int32(max(most-int64(f.mask), math.MinInt32))
}

// widen makes room for the values of a state. The numbers of the states remain.
func (s *states) widen(state []int32) {
	old := *s
	if s.fields = slices.Clone(old.fields); s.fields == nil {
		s.fields = make([]field, len(state))
		for i, v := range state {
			s.fields[i].least = v
		}
	}
	word, used := 0, uint(0)
	for i, v := range state {
		f := &s.fields[i]
		if !f.fits(v) {
			f.admit(v)
		}
		size := uint(bits.Len32(f.mask))
		if used+size > 32 {
			word, used = word+1, 0
		}
		f.word, f.shift = word, used
		used += size
	}
	s.pool, s.packed = newPool[uint32](word+1), make([]uint32, word+1)
	var buf []int32
	for k := range old.count {
		buf = old.state(buf[:0], k)
		s.pack(buf, s.packed)
		s.pool.number(s.packed)
	}
}
