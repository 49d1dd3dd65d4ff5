package store

import (
	"slices"
	"sync/atomic"
	"testing"
)

// Each number is given out once. Forwards gives each worker increasing numbers, also where the
// workers are not equally fast.
func TestParallel(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 7} {
		for _, n := range []int{0, 1, 5, 200} {
			for name, run := range map[string]func(int, int, func(int, int)){
				"Parallel": Parallel, "Forwards": Forwards} {
				got, calls := make([][]int, workers), make([]atomic.Int32, n)
				run(n, workers, func(w, i int) {
					got[w] = append(got[w], i)
					for range (i * 7919) % 1000 * w {
						calls[i].Load()
					}
					calls[i].Add(1)
				})
				for i := range calls {
					if c := calls[i].Load(); c != 1 {
						t.Errorf("%s of %d among %d: number %d was given out %d times", name, n,
							workers, i, c)
					}
				}
				for w, list := range got {
					if name == "Forwards" && !slices.IsSorted(list) {
						t.Errorf("%s of %d among %d: worker %d got %v", name, n, workers, w, list)
					}
				}
			}
		}
	}
}
