package synth

import (
	"math/rand"
	"testing"
)

// Sets are compared with lists of truth values.
func TestSet(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 200 {
		n := 1 + rng.Intn(200)
		var sets [2]set
		var lists [2][]bool
		for i := range sets {
			sets[i], lists[i] = newSet(n), make([]bool, n)
			if rng.Intn(4) == 0 {
				sets[i].fill(n)
			}
			for j := range n {
				if rng.Intn(2) == 0 {
					sets[i].add(j)
				}
				lists[i][j] = sets[i].has(j)
			}
		}
		negated := rng.Intn(2) == 0
		united := append(set{}, sets[0]...)
		united.unite(sets[1])
		sets[0].keep(sets[1], negated)
		count := 0
		for j := range n {
			kept := lists[0][j] && lists[1][j] != negated
			if kept {
				count++
			}
			if sets[0].has(j) != kept || united.has(j) != (lists[0][j] || lists[1][j]) {
				t.Fatalf("%d of %d, negated %v", j, n, negated)
			}
		}
		if sets[0].len() != count {
			t.Errorf("%d elements, not %d", sets[0].len(), count)
		}
	}
}
