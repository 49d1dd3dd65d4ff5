package tla

import (
	"slices"
	"sync"

	"erelong.dev/erelong/internal/value"
)

// views are the first states that were found with a view. The view of a state is the numbers of the
// values that it is made of: mostly it is a tuple, which is not made.
type views [viewShards]firstStates

const viewShards = 1 << 4

// firstStates are some of them, by the hashes of their views.
type firstStates struct {
	sync.Mutex
	// The numbers of the states, plus 1. A state is behind the place of its hash, with no empty
	// place between.
	table  []uint32
	count  int
	keys   []uint32 // the views, one after the other
	states []uint32 // the numbers of the values of the states, one after the other
}

const firstViews = 1 << 8

// of puts the first state with a view in the place of a state with that view, whose values are
// interned. The key is room for the numbers of the view.
func (v *views) of(s *value.Space, view, state []*value.Value, key []uint32) []uint32 {
	key = appendNumbers(key[:0], view)
	h := hashOf(key)
	f := &v[h%viewShards]
	f.Lock()
	defer f.Unlock()
	if f.count >= len(f.table)/2 {
		f.grow(len(key))
	}
	at := f.place(h, key)
	if *at > 0 {
		for i, n := range f.states[int(*at-1)*len(state):][:len(state)] {
			state[i] = s.Of(n)
		}
		return key
	}
	f.count++
	*at = uint32(f.count)
	f.keys, f.states = append(f.keys, key...), appendNumbers(f.states, state)
	return key
}

// place is where a view stands, or would stand.
func (f *firstStates) place(hash uint64, key []uint32) *uint32 {
	mask := uint64(len(f.table) - 1)
	for at := hash / viewShards & mask; ; at = (at + 1) & mask {
		n := int(f.table[at])
		if n == 0 || slices.Equal(f.keys[(n-1)*len(key):n*len(key)], key) {
			return &f.table[at]
		}
	}
}

// grow makes room for more views, which are made of a number of values.
func (f *firstStates) grow(parts int) {
	f.table = make([]uint32, max(firstViews, 4*len(f.table)))
	for i := range f.count {
		key := f.keys[i*parts : (i+1)*parts]
		*f.place(hashOf(key), key) = uint32(i + 1)
	}
}

func hashOf(key []uint32) (h uint64) {
	for _, k := range key {
		h = (h ^ uint64(k)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

func appendNumbers(out []uint32, vs []*value.Value) []uint32 {
	for _, v := range vs {
		id, _ := v.ID()
		out = append(out, id)
	}
	return out
}
