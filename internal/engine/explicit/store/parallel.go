package store

import (
	"sync"
	"sync/atomic"
)

// Parallel calls f for the numbers below n, each time with the number of a worker. At most the
// given number of workers are busy at the same time; each takes the next number when it is done
// with one.
func Parallel(n, workers int, f func(worker, i int)) {
	var next atomic.Int64
	work := func(w int) {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			f(w, i)
		}
	}
	var wg sync.WaitGroup
	for w := 1; w < min(n, workers); w++ {
		wg.Go(func() { work(w) })
	}
	work(0)
	wg.Wait()
}
