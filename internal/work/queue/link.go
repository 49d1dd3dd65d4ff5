package queue

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A server that falls silent without a word is lost after pings that it does not answer.
const (
	pingEvery = 5 * time.Second
	pingsLost = 3
)

// settles is how long after its return a server may not have all that it stores.
const settles = 10 * time.Second

// link is what is known of the connection to the server.
type link struct {
	mu     sync.Mutex
	lost   time.Time     // since when there is none; zero if there is one
	back   time.Time     // when it came back last
	losses int           // how often it was lost
	here   chan struct{} // closed while there is a connection
	tell   []func(loss)
}

// loss is the news that the connection is lost, or is there again.
type loss struct {
	since time.Time
	back  time.Time // zero while it is lost
}

func newLink() *link {
	here := make(chan struct{})
	close(here)
	return &link{here: here}
}

// follow has the link know of the losses of a connection.
func (l *link) follow(c *nats.Conn) {
	c.SetDisconnectErrHandler(func(*nats.Conn, error) {
		l.mu.Lock()
		if !l.lost.IsZero() {
			l.mu.Unlock()
			return
		}
		l.lost, l.here = time.Now(), make(chan struct{})
		l.losses++
		l.news(loss{since: l.lost})
	})
	c.SetReconnectHandler(func(*nats.Conn) {
		l.mu.Lock()
		if l.lost.IsZero() {
			l.mu.Unlock()
			return
		}
		news := loss{l.lost, time.Now()}
		l.lost, l.back = time.Time{}, news.back
		close(l.here)
		l.news(news)
	})
}

// news unlocks the link, and tells who listens.
func (l *link) news(n loss) {
	tell := l.tell
	l.mu.Unlock()
	for _, f := range tell {
		f(n)
	}
}

// listen has a function hear of losses.
func (l *link) listen(f func(loss)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tell = append(l.tell[:len(l.tell):len(l.tell)], f)
}

// present waits until there is a connection.
func (l *link) present(ctx context.Context) error {
	l.mu.Lock()
	here := l.here
	l.mu.Unlock()
	select {
	case <-here:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// state says how often the connection was lost, and whether it is away or came back just now.
func (l *link) state() (losses int, unsettled bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.losses, !l.lost.IsZero() || time.Since(l.back) < settles
}

// patiently does something at the server, and does it again where the server was away meanwhile.
func (c *Conn) patiently(ctx context.Context, do func() error) error {
	for {
		if err := c.link.present(ctx); err != nil {
			return err
		}
		before, _ := c.link.state()
		err := do()
		losses, unsettled := c.link.state()
		if err == nil || ctx.Err() != nil || losses == before && !unsettled {
			return err
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// restore makes what a server lacks that came back without what it had stored.
func (c *Conn) restore(ctx context.Context) error {
	_, err := c.jobs.Info(ctx)
	if !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	anew := *c // what is made has the old names, so that c reaches it, too
	anew.keys = maps.Clone(c.keys)
	return anew.prepare(ctx)
}

// heard tells the user that the server is lost, with what is safe meanwhile, or is there again.
func (r *Run) heard(record Record) func(loss) {
	return func(n loss) {
		if n.back.IsZero() {
			r.note(fmt.Sprintf("the server at %s is lost since %s, trying again; %s here, and "+
				"what the server has stored is safe; workers go on with the jobs that they have "+
				"begun", r.conn.address, n.since.Format(time.TimeOnly), r.tally.safe()))
			return
		}
		r.note(fmt.Sprintf("the server is there again since %s, after %s: the run goes on",
			n.back.Format(time.TimeOnly), n.back.Sub(n.since).Round(time.Second)))
		ctx, cancel := context.WithTimeout(context.Background(), settles)
		defer cancel()
		_ = r.conn.patiently(ctx, func() error { return r.conn.restore(ctx) })
		if _, err := r.conn.Record(ctx, r.ID); errors.Is(err, ErrNoRun) {
			_ = r.conn.record(ctx, record)
		}
	}
}

// heard writes to the log of a worker that the server is lost, or is there again.
func (w *Worker) heard(n loss) {
	if n.back.IsZero() {
		w.Log.Warn("the server is lost, trying again", "server", w.conn.address)
		return
	}
	w.Log.Info("the server is there again", "after", n.back.Sub(n.since).String())
	w.returns.Add(1)
}

// rejoin joins the queue of a server that came back.
func (w *Worker) rejoin(ctx context.Context, needs []need) ([]jetstream.Consumer, error) {
	if err := w.conn.restore(ctx); err != nil {
		return nil, err
	}
	return w.consumers(ctx, needs)
}
