package queue

import (
	"runtime/debug"
	"sync"
)

// heap is how often this process collects garbage. The states of a large exploration are tables
// without pointers, in which a collection has nothing to do, so that it may come early: then the
// process needs little more than the tables.
type heap struct {
	mu      sync.Mutex
	large   int // explorations
	percent int // as it was before
}

const (
	largeHeap  = 32 << 20 // bytes of states
	earlyShare = 20       // garbage, in percent of what is in use
)

func (h *heap) grows() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.large++; h.large == 1 {
		h.percent = debug.SetGCPercent(earlyShare)
	}
}

func (h *heap) shrinks() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.large--; h.large == 0 {
		debug.SetGCPercent(h.percent)
	}
}
