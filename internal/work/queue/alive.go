package queue

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// A run answers to workers as long as its command lives. The jobs of a run that nobody answers for
// are dropped: a command that goes on with the run submits again what has no result.

// aliveSubject is where a run answers.
const aliveSubject = "erelong.alive."

var errAbandoned = errors.New("its command is gone")

// answers has a run say that it lives.
func (r *Run) answers() error {
	_, err := r.conn.nats.Subscribe(aliveSubject+r.ID, func(m *nats.Msg) { _ = m.Respond(nil) })
	return err
}

// lives is what a worker knows of the commands of runs.
type lives struct {
	mu     sync.Mutex
	asked  map[string]time.Time // when the run was asked last
	silent map[string]time.Time // since when nobody answers
}

// absence is how a command is missing.
type absence int

const (
	isHere      absence = iota
	isMissing           // it may have lost its connection, and come back
	isAbandoned         // for so long that its jobs are dropped
)

// absence asks for the command of a run, if it did not answer just now.
func (w *Worker) absence(ctx context.Context, run string) absence {
	l := &w.lives
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asked == nil {
		l.asked, l.silent = map[string]time.Time{}, map[string]time.Time{}
	}
	wait := w.conn.wait
	if time.Since(l.asked[run]) > wait/10 || !l.silent[run].IsZero() {
		within, cancel := context.WithTimeout(ctx, wait/10)
		_, err := w.conn.nats.RequestWithContext(within, aliveSubject+run, nil)
		cancel()
		l.asked[run] = time.Now()
		switch {
		case err == nil:
			delete(l.silent, run)
		case errors.Is(err, nats.ErrNoResponders) && l.silent[run].IsZero():
			l.silent[run] = time.Now()
		}
	}
	switch since := l.silent[run]; {
	case since.IsZero():
		return isHere
	case time.Since(since) < wait:
		return isMissing
	}
	return isAbandoned
}
