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
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
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
}

var errCancelled = errors.New("the run cancelled it")

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
	var wg sync.WaitGroup
	wg.Go(func() { w.present(ctx, here) })
	wg.Go(func() { w.watchMemory(ctx) })
	w.Log.Info("ready", "worker", w.Name, "build", c.build, "solvers", strings.Join(solvers, " "),
		"jobs", w.Jobs)
	for i := range w.Jobs {
		wg.Go(func() { w.take(ctx, consumers, i) })
	}
	wg.Wait()
	w.wg.Wait()
	_ = c.keys[workerBucket].Delete(context.WithoutCancel(ctx), w.Name)
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

// take takes jobs from each consumer in turn. While jobs are small it takes several at a time,
// which saves the way to the server; otherwise it takes none in advance.
func (w *Worker) take(ctx context.Context, consumers []jetstream.Consumer, turn int) {
	n := 1
	for ctx.Err() == nil {
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
	if meta.NumDelivered > 1 || time.Since(meta.Timestamp) > looked {
		key := w.conn.key(x.Job, x.Run, !x.Fresh)
		if have, err := w.conn.entryOf(ctx, key, x.Job); have != nil && err == nil {
			// somebody else was faster, or another run asked for the same
			w.end(ctx, func(ctx context.Context) { w.finish(ctx, m, x, nil, log) })
			return
		}
	}
	var last begun
	if meta.NumDelivered > 1 { // something happened to the worker that had it
		if e, err := w.conn.keys[activeBucket].Get(ctx, x.Run+"."+x.Job); err == nil {
			_ = json.Unmarshal(e.Value(), &last)
		}
	}
	switch {
	case x.Build != w.conn.build:
		w.fail(ctx, m, x,
			fmt.Sprintf("the job is of the version %s, and the worker %s of the version %s",
				x.Build, w.Name, w.conn.build), log)
		return
	case last.Again >= deliveries-1:
		cause := fmt.Sprintf("%d workers began it, and each ended or fell silent; the last "+
			"one: %s", last.Again+1, last.Worker)
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
	if meta.NumDelivered > 1 {
		x.again = last.Again + 1
		w.note(ctx, x, begun{x.again, w.Name + ", " + j.Title()})
	}
	w.do(ctx, m, x, j, log)
}

// looked is how long after its submission a job may have a result that its run did not see.
const looked = 5 * time.Second

// begun says who began a job that had been delivered before.
type begun struct {
	Again  int    // how often that was so
	Worker string // the last one, or why it could not
}

// note keeps it for the next worker.
func (w *Worker) note(ctx context.Context, x message, b begun) {
	if text, err := json.Marshal(b); err == nil {
		_, _ = w.conn.keys[activeBucket].Put(ctx, x.Run+"."+x.Job, text)
	}
}

// do carries a job out, with a sign of life now and then.
func (w *Worker) do(
	ctx context.Context, m jetstream.Msg, x message, j *work.Job, log *slog.Logger,
) {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	began := time.Now()
	w.mu.Lock()
	over := make(chan struct{})
	w.active[m.Subject()] = &activity{x.Run, j.Title(), began, cancel, over}
	w.mu.Unlock()
	defer func() {
		close(over)
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
	stop := w.bound(cancel)
	found, err := w.guarded(within, x, j)
	stop()
	alive.Stop()
	log = log.With("seconds", time.Since(began).Seconds())
	var broken *panicError
	var beyond *beyondError
	switch {
	case errors.Is(context.Cause(within), errCancelled):
		log.Info("cancelled")
		_ = m.TermWithReason("cancelled")
	case err != nil && errors.As(context.Cause(within), &beyond):
		w.fail(ctx, m, x, beyond.Error(), log)
	case within.Err() != nil:
		log.Info("handed back")
		_ = m.Nak()
	case errors.As(err, &broken):
		log.Error("failed", "error", err)
		w.fail(ctx, m, x, err.Error(), log)
	case errors.Is(err, smt.ErrNoSolver):
		log.Warn("left to another worker", "error", err)
		w.note(ctx, x, begun{x.again, fmt.Sprintf("%s: %v", w.Name, err)})
		_ = m.NakWithDelay(time.Second)
	default:
		w.end(ctx, func(ctx context.Context) { w.keep(ctx, m, x, found, err, log) })
	}
}

// endings is the number of jobs that are done and not yet told of, which bounds their memory.
const endings = 64

// end ends a job while the next one is at work: the way to the server takes time. What is done is
// told also after the worker was asked to end.
func (w *Worker) end(ctx context.Context, do func(context.Context)) {
	w.ending <- struct{}{}
	w.wg.Go(func() {
		defer func() { <-w.ending }()
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.conn.wait)
		defer cancel()
		do(within)
	})
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
	here.Join = func(
		ctx context.Context, j *work.Job, share func(explicit.Peers) *explicit.Share,
	) error {
		return w.join(ctx, x.Run, j, share)
	}
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
		lasting = engine.IsRefusal(refused) // any other failure may be one of this machine
	} else {
		lasting = found.Lasting() && !x.Fresh
		var text []byte
		if text, err = json.Marshal(found); err == nil {
			e.Content, err = w.conn.pack(ctx, text)
		}
	}
	first := false
	if err == nil {
		e.Sum = w.conn.sum(e)
		var text []byte
		if text, err = json.Marshal(e); err == nil {
			first, err = w.conn.put(ctx, w.conn.key(x.Job, x.Run, lasting), x.Job, text)
		}
	}
	if err != nil {
		log.Error("the result cannot be kept", "error", err)
		_ = m.NakWithDelay(time.Second)
		return
	}
	w.done.Add(1)
	if !first {
		e = nil // the run looks for the first result
	}
	w.finish(ctx, m, x, e, log)
}

// put writes an entry, unless there is a good one. It reports whether it did.
func (c *Conn) put(ctx context.Context, key, job string, text []byte) (bool, error) {
	_, err := c.keys[resultBucket].Create(ctx, key, text)
	if !errors.Is(err, jetstream.ErrKeyExists) {
		return err == nil, err
	}
	if _, err := c.entryOf(ctx, key, job); err == nil {
		return false, nil
	}
	_, err = c.keys[resultBucket].Put(ctx, key, text)
	return err == nil, err
}

// finish tells the queue and the run that a job is done. A queue that does not hear it gives the
// job to a worker again, which then finds the result.
func (w *Worker) finish(
	ctx context.Context, m jetstream.Msg, x message, e *entry, log *slog.Logger,
) {
	if err := m.Ack(); err != nil {
		log.Warn("the server did not hear that the job is done", "error", err)
	}
	if x.again > 0 {
		_ = w.conn.keys[activeBucket].Delete(ctx, x.Run+"."+x.Job)
	}
	w.tell(x, note{Done: true, Entry: e})
	log.Info("done", "refused", e != nil && e.Refused != "")
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
