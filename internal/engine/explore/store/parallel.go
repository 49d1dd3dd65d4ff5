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
	divide(n, workers, func(w, k int) int { return (w + k) % workers }, f)
}

// Forwards is Parallel where the numbers that a worker gets increase: it helps only with shares
// that come after its own.
func Forwards(n, workers int, f func(worker, i int)) {
	divide(n, workers, func(w, k int) int { return w + k }, f)
}

// divide gives each worker its share, and then the shares that helps gives, until there is none.
func divide(n, workers int, helps func(worker, k int) int, f func(worker, i int)) {
	if workers <= 1 || n <= 1 {
		for i := range n {
			f(0, i)
		}
		return
	}
	shares := make([]share, workers)
	work := func(w int) {
		for k := range workers {
			p := helps(w, k)
			if p >= workers {
				return
			}
			from, to := p*n/workers, (p+1)*n/workers
			for i := shares[p].take(from); i < to; i = shares[p].take(from) {
				f(w, i)
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

// take gives the next number of a share that begins with from.
func (s *share) take(from int) int { return from + int(s.next.Add(1)) - 1 }
