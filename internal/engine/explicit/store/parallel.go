package store

import (
	"sync"
	"sync/atomic"
)

// Parallel calls f for the numbers below n, each time with the number of a worker. At most the
// given number of workers are busy at the same time. Each has a share of the numbers, which is the
// same for the same n, so that it finds in its caches what it had there before; when it is done
// with it, it helps others.
func Parallel(n, workers int, f func(worker, i int)) {
	workers = min(n, workers)
	if workers <= 1 {
		for i := range n {
			f(0, i)
		}
		return
	}
	shares := make([]share, workers)
	work := func(w int) {
		for k := range workers {
			p := (w + k) % workers
			from, to := p*n/workers, (p+1)*n/workers
			for i := from + int(shares[p].next.Add(1)) - 1; i < to; {
				f(w, i)
				i = from + int(shares[p].next.Add(1)) - 1
			}
		}
	}
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() { work(w) })
	}
	work(0)
	wg.Wait()
}

// share counts the numbers that were taken of a worker's share.
type share struct {
	next atomic.Int64
	_    [56]byte // keeps shares on different cache lines
}
