package queue

import (
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// A worker without jobs waits at one of its queues. A run that has submitted jobs rings, so that
// workers look at the other ones, too. Nothing is lost where nobody hears it: a worker waits at
// each of its queues in turn.

// bellSubject is followed by the token of a build.
const bellSubject = "erelong.bell."

// ring has the workers of this build look for jobs.
func (c *Conn) ring() { _ = c.nats.Publish(bellSubject+c.token, nil) }

// Rings of a run: how long it waits for further jobs before, and between two of them.
const (
	gathering = 5 * time.Millisecond
	quiet     = 250 * time.Millisecond
)

// ringer rings for the jobs of a run.
type ringer struct {
	mu   sync.Mutex
	soon bool // it will ring
	rang time.Time
}

// rings rings for a job, soon.
func (r *ringer) rings(c *Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.soon {
		return
	}
	r.soon = true
	time.AfterFunc(max(gathering, quiet-time.Since(r.rang)), func() {
		r.mu.Lock()
		r.soon, r.rang = false, time.Now()
		r.mu.Unlock()
		c.ring()
	})
}

// bell wakes all that wait for it.
type bell struct {
	mu   sync.Mutex
	next chan struct{}
}

// heard is closed at the next ring.
func (b *bell) heard() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

func (b *bell) rung(*nats.Msg) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}
