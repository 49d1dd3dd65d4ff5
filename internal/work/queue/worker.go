package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/work"
)

// idle is how long a worker waits at one of its consumers.
const idle = 500 * time.Millisecond

// Worker carries jobs out until its context ends.
type Worker struct {
	Name         string // unique, such as host-pid
	Jobs         int    // at the same time
	Tags         []string
	Here         work.Here
	Limits       Limits
	Saves        Saves
	Log          *slog.Logger
	conn         *Conn
	done, failed atomic.Int64

	sources work.Sources
	heap    heap
	bell    bell
	lives   lives
	returns atomic.Int64  // how often the server was lost, and came back
	ending  chan struct{} // room for jobs that are done and not yet told of
	wg      sync.WaitGroup

	mu      sync.Mutex
	active  map[string]*activity // by subject
	members map[*member]bool
}

// activity is a job at work.
type activity struct {
	run, title string
	since      time.Time
	cancel     context.CancelCauseFunc
	over       chan struct{} // closed at its end
}

// Presence is what a worker tells of itself.
type Presence struct {
	Name, Build, Host string
	Jobs              int      // at the same time
	Tags              []string // besides the solvers
	Solvers           []string
	Active            []string
	Begun             []string  // the subjects of the jobs at work
	Portions          []Portion // of divided explorations
	Saves             bool      // it has a folder for saves
	Done, Failed      int64
	Memory            int64 // bytes from the system
	Since             time.Time

	told   time.Time     // when it told this, by the clock of the server
	silent time.Duration // since then, where it ought to have told more by now
}

// Now says what the worker does.
func (p Presence) Now() []string {
	if p.silent > 0 {
		return []string{p.silence()}
	}
	return p.Active
}

func (p Presence) silence() string {
	return fmt.Sprintf("silent for %s", p.silent.Round(time.Second))
}

var errCancelled = errors.New("the run cancelled it")

// goodbye is the time in which a worker that ends says so to the server, which may be lost.
// Otherwise its silence says so.
const goodbye = 2 * time.Second

// Work carries jobs out. It ends, with nil, when ctx ends; a job at work then goes to another
// worker.
func (w *Worker) Work(ctx context.Context, c *Conn) error {
	w.conn, w.active, w.ending = c, map[string]*activity{}, make(chan struct{}, endings)
	w.members = map[*member]bool{}
	var solvers []string
	if drivers, err := smt.Find(ctx, nil); err == nil {
		for _, d := range drivers {
			solvers = append(solvers, d.Name())
		}
	}
	var tags []string
	for _, tag := range w.Tags {
		name, ok := strings.CutPrefix(tag, solverTag(""))
		switch {
		case !ok:
			tags = append(tags, tag)
		case !slices.Contains(solvers, name):
			return fmt.Errorf("the tag %s: this solver is not here; install it, or leave the tag "+
				"out", tag)
		}
	}
	host, _ := os.Hostname()
	here := Presence{Name: w.Name, Build: c.build, Host: host, Jobs: w.Jobs, Tags: tags,
		Solvers: solvers, Saves: w.Saves.Dir != "", Since: time.Now()}
	consumers, err := w.consumers(ctx, here.needs())
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	sub, err := c.nats.Subscribe(cancelSubject+"*", w.cancelled)
	if err != nil {
		return fmt.Errorf("listening for cancellations: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	rings, err := c.nats.Subscribe(bellSubject+c.token, w.bell.rung)
	if err != nil {
		return fmt.Errorf("listening for jobs: %w", err)
	}
	defer func() { _ = rings.Unsubscribe() }()
	c.link.listen(w.heard)
	var wg sync.WaitGroup
	wg.Go(func() { w.present(ctx, here) })
	wg.Go(func() { w.watchMemory(ctx) })
	w.Log.Info("ready", "worker", w.Name, "build", c.build, "solvers", strings.Join(solvers, " "),
		"jobs", w.Jobs)
	for i := range w.Jobs {
		wg.Go(func() { w.take(ctx, here.needs(), consumers, i) })
	}
	wg.Wait()
	w.wg.Wait()
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
	defer cancel()
	_ = c.keys[workerBucket].Delete(within, w.Name)
	return nil
}

// consumers are the queues of this build from which the worker can take.
func (w *Worker) consumers(
	ctx context.Context, needs []need,
) (out []jetstream.Consumer, err error) {
	jobs := w.conn.jobs
	for _, n := range needs {
		c, err := made(ctx, jobs.CreateConsumer, jobs.CreateOrUpdateConsumer,
			jetstream.ConsumerConfig{
				Durable:       w.conn.token + "-" + n.token(),
				FilterSubject: jobSubject + w.conn.token + "." + n.token() + ".>",
				AckPolicy:     jetstream.AckExplicitPolicy, AckWait: w.conn.wait, MaxDeliver: -1,
				MaxAckPending: 100_000, InactiveThreshold: 24 * time.Hour,
				Description: "jobs of erelong " + w.conn.build,
			})
		if err != nil {
			return nil, fmt.Errorf("joining the queue: %w", err)
		}
		out = append(out, c)
	}
	return out, nil
}

// present tells of the worker until ctx ends: more often while it works.
func (w *Worker) present(ctx context.Context, p Presence) {
	tick := time.NewTicker(min(presence/3, w.conn.wait/12))
	defer tick.Stop()
	var told time.Time
	for {
		worked := len(p.Active) > 0
		w.describe(&p)
		if worked || len(p.Active) > 0 || time.Since(told) >= presence/3 {
			told = time.Now()
			if text, err := json.Marshal(p); err == nil {
				if _, err := w.conn.keys[workerBucket].Put(ctx, p.Name, text); err != nil &&
					ctx.Err() == nil {
					w.Log.Warn("the server does not answer", "error", err)
				}
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// describe has p say what the worker does now.
func (w *Worker) describe(p *Presence) {
	p.Active, p.Begun, p.Portions = nil, nil, nil
	w.mu.Lock()
	defer w.mu.Unlock()
	for subject, a := range w.active {
		p.Active = append(p.Active,
			fmt.Sprintf("%s, %s", a.title, time.Since(a.since).Round(time.Second)))
		p.Begun = append(p.Begun, subject)
	}
	for m := range w.members {
		p.Portions = append(p.Portions, m.portion())
	}
	p.Memory = memoryInUse()
	p.Done, p.Failed = w.done.Load(), w.failed.Load()
}

// memoryInUse is the memory that this process has from the system.
func memoryInUse() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 ||
		sample[1].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(sample[0].Value.Uint64() - sample[1].Value.Uint64())
}

// cancelled ends the jobs of a run.
func (w *Worker) cancelled(m *nats.Msg) {
	run := m.Subject[len(cancelSubject):]
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range w.active {
		if a.run == run {
			a.cancel(errCancelled)
		}
	}
}

// begin notes a job at work; done notes its end.
func (w *Worker) begin(subject string, a *activity) (done func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active[subject] = a
	return func() {
		close(a.over)
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.active, subject)
	}
}
