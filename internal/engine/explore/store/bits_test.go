package store

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// With any order of the bits, a set of bits agrees with a map: it finds each state new once, and
// marks it for one level.
func TestBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{0, 1, 6, 11, 12, 13, 23, 24, 25, 33, MostBits} {
		set, err := NewBits(rng.Perm(size))
		if err != nil {
			t.Fatal(err)
		}
		all := map[uint64]bool{}
		for level := 1; level <= 3; level++ {
			var found [4][]uint64
			var wg sync.WaitGroup
			var states []uint64
			for range 2000 {
				states = append(states, rng.Uint64()&rng.Uint64N(1<<size))
			}
			for w := range found {
				wg.Go(func() {
					for _, s := range states {
						if set.Add(s, level) {
							found[w] = append(found[w], s)
						}
					}
				})
			}
			wg.Wait()
			var want, marked []uint64
			for _, s := range states {
				if !all[s] {
					all[s] = true
					want = append(want, s)
				}
			}
			got := slices.Concat(found[:]...)
			for _, p := range set.Take(level) {
				marked = p.Append(marked)
			}
			slices.Sort(want)
			slices.Sort(got)
			slices.Sort(marked)
			if !slices.Equal(got, want) || !slices.Equal(marked, want) {
				t.Fatalf("size %d, level %d: %d states were new and %d marked; want %d", size,
					level, len(got), len(marked), len(want))
			}
			if set.Take(level) != nil {
				t.Fatalf("size %d, level %d: the states are still marked", size, level)
			}
		}
		var have []uint64
		set.All(func(p PageStates) bool {
			have = p.Append(have)
			return true
		})
		n := len(have)
		slices.Sort(have)
		have = slices.Compact(have)
		if len(have) != n || n != len(all) || slices.ContainsFunc(have, func(s uint64) bool {
			return !all[s]
		}) {
			t.Fatalf("size %d: %d states, of them %d distinct; want %d", size, n, len(have),
				len(all))
		}
	}
	if _, err := NewBits(rng.Perm(MostBits + 1)); err == nil {
		t.Error("a set of larger states was made")
	}
}
