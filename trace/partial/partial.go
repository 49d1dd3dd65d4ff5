// Package partial runs programs under partial synchrony: messages arrive within Delta rounds, and
// processes take a step at least once in Phi rounds (Dwork, Lynch and Stockmeyer, 1988).
//
// In a bubble of testing/synctest, where time is virtual, long runs take no time:
//
//	world := partial.New(partial.Bounds{Round: time.Millisecond, Delta: 3, Phi: 2}, seed)
//	...
//	world.Deliver(func() { inbox <- m }) // in a transport
//	for world.Rest(ctx) { step() }       // in a process
//
// erelong trace --bounds measures of a log what this package injects.
package partial

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// Bounds are Delta and Phi, in rounds.
type Bounds struct {
	Round      time.Duration
	Delta, Phi int
}

// World draws delays and pauses within bounds. Its methods may be called by several goroutines.
type World struct {
	bounds Bounds

	mu     sync.Mutex
	random *rand.Rand
}

// New makes a world.
func New(b Bounds, seed uint64) *World {
	return &World{bounds: b, random: rand.New(rand.NewPCG(seed, 0))}
}

// draw gives a number from lo to hi, each end often.
func (w *World) draw(lo, hi int64) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch w.random.IntN(4) {
	case 0:
		return lo
	case 1:
		return hi
	}
	return lo + w.random.Int64N(hi-lo+1)
}

// Deliver calls arrive before Delta rounds are over: a step that is at least Delta rounds after the
// sending finds the message.
func (w *World) Deliver(arrive func()) {
	most := int64(w.bounds.Delta) * int64(w.bounds.Round)
	if most <= 0 {
		arrive()
		return
	}
	time.AfterFunc(time.Duration(w.draw(0, most-1)), arrive)
}

// Rest waits for the next step of a process: at least a round, and at most Phi rounds. It returns
// false when the context ends first.
func (w *World) Rest(ctx context.Context) bool {
	round := int64(w.bounds.Round)
	t := time.NewTimer(time.Duration(w.draw(round, max(int64(w.bounds.Phi), 1)*round)))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
