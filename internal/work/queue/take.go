package queue

import (
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// take takes jobs from each consumer in turn. While jobs are small it takes several at a time,
// which saves the way to the server; otherwise it takes none in advance.
func (w *Worker) take(
	ctx context.Context, needs []need, consumers []jetstream.Consumer, turn int,
) {
	n, returns := 1, w.returns.Load()
	for ctx.Err() == nil {
		if now := w.returns.Load(); now != returns { // the server may have lost what it had
			if again, err := w.rejoin(ctx, needs); err == nil {
				consumers, returns = again, now
			}
		}
		jobs := w.next(ctx, consumers, turn, n)
		turn++
		if len(jobs) == 0 {
			continue
		}
		began := time.Now()
		h := &hand{jobs: jobs}
		late := time.AfterFunc(min(patience, w.conn.wait/4), h.back)
		for m := h.take(); m != nil && ctx.Err() == nil; m = h.take() {
			w.handle(ctx, m)
		}
		late.Stop()
		h.back()
		n = together(time.Since(began) / time.Duration(len(jobs)))
	}
}

// Jobs that are taken together.
const (
	spell    = 20 * time.Millisecond  // how long they should take
	most     = 64                     // of them
	patience = 250 * time.Millisecond // the ones not begun then go to other workers
)

// together is how many jobs are taken together, where each takes some time.
func together(each time.Duration) int {
	return int(min(max(spell/max(each, 1), 1), most))
}

// hand is jobs that a worker has taken and not begun.
type hand struct {
	mu   sync.Mutex
	jobs []jetstream.Msg
}

// take takes a job out of the hand, nil for none.
func (h *hand) take() jetstream.Msg {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.jobs) == 0 {
		return nil
	}
	m := h.jobs[0]
	h.jobs = h.jobs[1:]
	return m
}

// back gives the jobs back to the queue.
func (h *hand) back() {
	for m := h.take(); m != nil; m = h.take() {
		_ = m.Nak()
	}
}

// next takes up to n jobs from one of the consumers.
func (w *Worker) next(
	ctx context.Context, consumers []jetstream.Consumer, turn, n int,
) []jetstream.Msg {
	here := turn % len(consumers)
	heard := w.bell.heard()
	for i := range consumers {
		if jobs := fetched(consumers[(here+i)%len(consumers)].FetchNoWait(n)); len(jobs) > 0 {
			return jobs
		}
	}
	began := time.Now()
	came := make(chan []jetstream.Msg, 1)
	w.wg.Go(func() {
		came <- fetched(consumers[here].Fetch(1, jetstream.FetchMaxWait(idle)))
	})
	var jobs []jetstream.Msg
	for waits := true; waits; {
		select {
		case jobs = <-came:
			waits = false
		case <-heard:
			heard = w.bell.heard()
			for i := 1; i < len(consumers); i++ {
				jobs := fetched(consumers[(here+i)%len(consumers)].FetchNoWait(n))
				if len(jobs) > 0 {
					w.wg.Go(func() { (&hand{jobs: <-came}).back() })
					return jobs
				}
			}
		}
	}
	if len(jobs) == 0 && time.Since(began) < idle/2 { // the server is away
		select {
		case <-time.After(idle):
		case <-ctx.Done():
		}
	}
	return jobs
}

func fetched(b jetstream.MessageBatch, err error) (out []jetstream.Msg) {
	if err != nil {
		return nil
	}
	for m := range b.Messages() {
		out = append(out, m)
	}
	return out
}
