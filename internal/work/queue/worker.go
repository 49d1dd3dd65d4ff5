package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/work"
)

// idle is how long a worker waits at one of its consumers.
const idle = 500 * time.Millisecond

// Worker carries jobs out until its context ends.
type Worker struct {
	Name         string // unique, such as host-pid
	Jobs         int    // at the same time
	Here         work.Here
	Log          *slog.Logger
	conn         *Conn
	done, failed atomic.Int64

	sources work.Sources

	mu     sync.Mutex
	active map[string]*activity // by subject
}

// activity is a job at work.
type activity struct {
	run, title string
	since      time.Time
	cancel     context.CancelCauseFunc
}

// Presence is what a worker tells of itself.
type Presence struct {
	Name, Build, Host string
	Jobs              int // at the same time
	Solvers           []string
	Active            []string
	Done, Failed      int64
	Memory            int64 // bytes from the system
	Since             time.Time
}

var errCancelled = errors.New("the run cancelled it")

// Work carries jobs out. It ends, with nil, when ctx ends; a job at work then goes to another
// worker.
func (w *Worker) Work(ctx context.Context, c *Conn) error {
	w.conn, w.active = c, map[string]*activity{}
	var solvers []string
	if drivers, err := smt.Find(ctx, nil); err == nil {
		for _, d := range drivers {
			solvers = append(solvers, d.Name())
		}
	}
	consumers, err := w.consumers(ctx, len(solvers) > 0)
	if err != nil {
		return err
	}
	sub, err := c.nats.Subscribe(cancelSubject+"*", w.cancelled)
	if err != nil {
		return fmt.Errorf("listening for cancellations: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	host, _ := os.Hostname()
	here := Presence{Name: w.Name, Build: c.build, Host: host, Jobs: w.Jobs, Solvers: solvers,
		Since: time.Now()}
	var wg sync.WaitGroup
	wg.Go(func() { w.present(ctx, here) })
	w.Log.Info("ready", "worker", w.Name, "build", c.build, "solvers", strings.Join(solvers, " "),
		"jobs", w.Jobs)
	for i := range w.Jobs {
		wg.Go(func() { w.take(ctx, consumers, i) })
	}
	wg.Wait()
	_ = c.keys[workerBucket].Delete(context.WithoutCancel(ctx), w.Name)
	return nil
}

// consumers are the queues of this build from which the worker can take.
func (w *Worker) consumers(ctx context.Context, solves bool) (out []jetstream.Consumer, err error) {
	needs := []string{needNothing}
	if solves {
		needs = append(needs, needSolver)
	}
	for _, n := range needs {
		c, err := w.conn.jobs.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable:       w.conn.token + "-" + n,
			FilterSubject: jobSubject + w.conn.token + "." + n + ".>",
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

// present tells of the worker until ctx ends.
func (w *Worker) present(ctx context.Context, p Presence) {
	tick := time.NewTicker(presence / 3)
	defer tick.Stop()
	for {
		p.Active = nil
		w.mu.Lock()
		for _, a := range w.active {
			p.Active = append(p.Active,
				fmt.Sprintf("%s, %s", a.title, time.Since(a.since).Round(time.Second)))
		}
		w.mu.Unlock()
		p.Memory = memoryInUse()
		p.Done, p.Failed = w.done.Load(), w.failed.Load()
		if text, err := json.Marshal(p); err == nil {
			if _, err := w.conn.keys[workerBucket].Put(ctx, p.Name, text); err != nil &&
				ctx.Err() == nil {
				w.Log.Warn("the server does not answer", "error", err)
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
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

// take takes one job after the other, from each consumer in turn. Nothing is taken in advance: the
// time for a job begins when the server hands it out.
func (w *Worker) take(ctx context.Context, consumers []jetstream.Consumer, turn int) {
	for ctx.Err() == nil {
		m := w.next(ctx, consumers, turn)
		turn++
		if m != nil {
			w.handle(ctx, m)
		}
	}
}

func (w *Worker) next(ctx context.Context, consumers []jetstream.Consumer, turn int) jetstream.Msg {
	for i := range consumers {
		if m := one(consumers[(turn+i)%len(consumers)].FetchNoWait(1)); m != nil {
			return m
		}
	}
	began := time.Now()
	m := one(consumers[turn%len(consumers)].Fetch(1, jetstream.FetchMaxWait(idle)))
	if m == nil && time.Since(began) < idle/2 { // the server is away
		select {
		case <-time.After(idle):
		case <-ctx.Done():
		}
	}
	return m
}

func one(b jetstream.MessageBatch, err error) jetstream.Msg {
	if err != nil {
		return nil
	}
	var out jetstream.Msg
	for m := range b.Messages() {
		out = m
	}
	return out
}

// handle carries out the job of a message.
func (w *Worker) handle(ctx context.Context, m jetstream.Msg) {
	var x message
	meta, err := m.Metadata()
	if err == nil {
		err = json.Unmarshal(m.Data(), &x)
	}
	if err != nil {
		w.Log.Error("a message is no job", "subject", m.Subject(), "error", err)
		_ = m.TermWithReason("it is no job")
		return
	}
	log := w.Log.With("run", x.Run, "job", x.Job[:min(len(x.Job), 12)])
	if have, err := w.conn.entryOf(ctx, w.conn.key(x.Job, x.Run, !x.Fresh), x.Job); have != nil &&
		err == nil {
		w.finish(ctx, m, x, nil, log) // somebody else was faster, or another run asked for the same
		return
	}
	switch {
	case x.Build != w.conn.build:
		w.fail(ctx, m, x,
			fmt.Sprintf("the job is of the version %s, and the worker %s of the version %s",
				x.Build, w.Name, w.conn.build), log)
		return
	case meta.NumDelivered > deliveries:
		cause := fmt.Sprintf("%d workers began it, and each ended or fell silent",
			meta.NumDelivered-1)
		if last, err := w.conn.keys[activeBucket].Get(ctx, x.Run+"."+x.Job); err == nil {
			cause += "; the last one: " + string(last.Value())
		}
		w.fail(ctx, m, x, cause, log)
		return
	}
	text, err := w.conn.unpack(ctx, x.Content)
	j := &work.Job{}
	if err == nil {
		err = json.Unmarshal(text, j)
	}
	if err == nil && j.ID() != x.Job {
		err = errors.New("the content is not the named job")
	}
	if err != nil {
		w.fail(ctx, m, x, fmt.Sprintf("reading the job: %v", err), log)
		return
	}
	log = log.With("title", j.Title(), "attempt", meta.NumDelivered)
	if meta.NumDelivered > 1 { // something happened to the worker that had it
		x.noted = true
		_, _ = w.conn.keys[activeBucket].Put(ctx, x.Run+"."+x.Job, []byte(w.Name+", "+j.Title()))
	}
	w.do(ctx, m, x, j, log)
}

// do carries a job out, with a sign of life now and then.
func (w *Worker) do(
	ctx context.Context, m jetstream.Msg, x message, j *work.Job, log *slog.Logger,
) {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	began := time.Now()
	w.mu.Lock()
	w.active[m.Subject()] = &activity{run: x.Run, title: j.Title(), since: began, cancel: cancel}
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.active, m.Subject())
		w.mu.Unlock()
	}()
	var alive *time.Timer
	alive = time.AfterFunc(w.conn.wait/3, func() {
		_ = m.InProgress()
		alive.Reset(w.conn.wait / 3)
	})
	log.Info("begun")
	found, err := w.guarded(within, x, j)
	alive.Stop()
	log = log.With("seconds", time.Since(began).Seconds())
	var broken *panicError
	switch {
	case errors.Is(context.Cause(within), errCancelled):
		log.Info("cancelled")
		_ = m.TermWithReason("cancelled")
	case within.Err() != nil:
		log.Info("handed back")
		_ = m.Nak()
	case errors.As(err, &broken):
		log.Error("failed", "error", err)
		w.fail(ctx, m, x, err.Error(), log)
	case errors.Is(err, smt.ErrNoSolver):
		log.Warn("left to another worker", "error", err)
		_, _ = w.conn.keys[activeBucket].Put(ctx, x.Run+"."+x.Job,
			fmt.Appendf(nil, "%s: %v", w.Name, err))
		_ = m.NakWithDelay(time.Second)
	default:
		w.keep(ctx, m, x, found, err, log)
	}
}

// panicError is a defect of an engine.
type panicError struct {
	cause any
	stack []byte
}

func (e *panicError) Error() string {
	return fmt.Sprintf("internal error: %v\n%s", e.cause, e.stack)
}

// guarded carries a job out; a defect ends the job and not the worker.
func (w *Worker) guarded(
	ctx context.Context, x message, j *work.Job,
) (found *work.Findings, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			found, err = nil, &panicError{cause, debug.Stack()}
		}
	}()
	var last time.Time
	here := w.Here
	here.Sources = &w.sources
	here.Join = w.join
	return j.Do(ctx, here, engine.Sink{Progress: func(p engine.Progress) {
		if now := time.Now(); now.Sub(last) > 300*time.Millisecond {
			last = now
			w.tell(x, note{Progress: p})
		}
	}})
}

// keep writes a result. The first one counts.
func (w *Worker) keep(
	ctx context.Context, m jetstream.Msg, x message, found *work.Findings, refused error,
	log *slog.Logger,
) {
	e := &entry{Job: x.Job, Run: x.Run, Worker: w.Name}
	lasting := true
	var err error
	if refused != nil {
		e.Refused = refused.Error()
	} else {
		lasting = found.Lasting() && !x.Fresh
		var text []byte
		if text, err = json.Marshal(found); err == nil {
			e.Content, err = w.conn.pack(ctx, text)
		}
	}
	if err == nil {
		e.Sum = w.conn.sum(e)
		var text []byte
		if text, err = json.Marshal(e); err == nil {
			err = w.conn.put(ctx, w.conn.key(x.Job, x.Run, lasting), x.Job, text)
		}
	}
	if err != nil {
		log.Error("the result cannot be kept", "error", err)
		_ = m.NakWithDelay(time.Second)
		return
	}
	w.done.Add(1)
	w.finish(ctx, m, x, refused, log)
}

// put writes an entry, unless there is a good one.
func (c *Conn) put(ctx context.Context, key, job string, text []byte) error {
	_, err := c.keys[resultBucket].Create(ctx, key, text)
	if !errors.Is(err, jetstream.ErrKeyExists) {
		return err
	}
	if _, err := c.entryOf(ctx, key, job); err == nil {
		return nil
	}
	_, err = c.keys[resultBucket].Put(ctx, key, text)
	return err
}

func (w *Worker) finish(
	ctx context.Context, m jetstream.Msg, x message, refused error, log *slog.Logger,
) {
	if err := m.DoubleAck(ctx); err != nil {
		log.Warn("the server did not hear that the job is done; it may be done again", "error", err)
	}
	if x.noted {
		_ = w.conn.keys[activeBucket].Delete(ctx, x.Run+"."+x.Job)
	}
	w.tell(x, note{Done: true})
	log.Info("done", "refused", refused)
}

// fail gives a job up for all workers.
func (w *Worker) fail(
	ctx context.Context, m jetstream.Msg, x message, cause string, log *slog.Logger,
) {
	w.failed.Add(1)
	log.Error("given up", "cause", cause)
	text, err := json.Marshal(dead{cause})
	if err == nil {
		_, err = w.conn.keys[deadBucket].Put(ctx, x.Run+"."+x.Job, text)
	}
	if err != nil {
		_ = m.NakWithDelay(time.Second)
		return
	}
	_ = m.TermWithReason("given up")
	w.tell(x, note{Done: true})
}

func (w *Worker) tell(x message, n note) {
	if text, err := json.Marshal(n); err == nil {
		_ = w.conn.nats.Publish(noteSubject+x.Run+"."+x.Job, text)
	}
}
