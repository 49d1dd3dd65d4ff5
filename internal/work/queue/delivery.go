package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/work"
)

// delivery is a message with a job that the queue gave to this worker.
type delivery struct {
	*Worker
	message
	msg     jetstream.Msg
	log     *slog.Logger
	attempt uint64 // how often the queue has given it
	again   int    // how often it was begun after it had been delivered before
}

// handle carries out the job of a message.
func (w *Worker) handle(ctx context.Context, m jetstream.Msg) {
	d := &delivery{Worker: w, msg: m}
	meta, err := m.Metadata()
	if err == nil {
		err = json.Unmarshal(m.Data(), &d.message)
	}
	if err != nil {
		w.Log.Error("a message is no job", "subject", m.Subject(), "error", err)
		_ = m.TermWithReason("it is no job")
		return
	}
	d.log, d.attempt = w.Log.With("run", d.Run, "job", d.Job[:min(len(d.Job), 12)]),
		meta.NumDelivered
	switch w.absence(ctx, d.Run) {
	case isMissing:
		_ = m.NakWithDelay(w.conn.wait / 10)
		return
	case isAbandoned:
		d.drop()
		return
	}
	if d.attempt > 1 || time.Since(meta.Timestamp) > looked {
		key := w.conn.key(d.Job, d.Run, !d.Fresh)
		if have, err := w.conn.entryOf(ctx, key, d.Job); have != nil && err == nil {
			// somebody else was faster, or another run asked for the same
			d.end(ctx, func(ctx context.Context) { d.finish(ctx, nil) })
			return
		}
	}
	if j, err := d.open(ctx); err != nil {
		d.fail(ctx, err.Error())
	} else {
		d.do(ctx, j)
	}
}

// looked is how long after its submission a job may have a result that its run did not see.
const looked = 5 * time.Second

// begun says who began a job that had been delivered before.
type begun struct {
	Again  int    // how often that was so
	Worker string // the last one, or why it could not
}

// open reads the job. The error says why nobody is to carry it out.
func (d *delivery) open(ctx context.Context) (*work.Job, error) {
	var last begun
	if d.attempt > 1 { // something happened to the worker that had it
		if e, err := d.conn.keys[activeBucket].Get(ctx, d.name()); err == nil {
			_ = json.Unmarshal(e.Value(), &last)
		}
	}
	switch {
	case d.Build != d.conn.build:
		return nil, fmt.Errorf("the job is of the version %s, and the worker %s of the version %s",
			d.Build, d.Name, d.conn.build)
	case last.Again >= deliveries-1:
		return nil, fmt.Errorf("%d workers began it, and each ended or fell silent; the last "+
			"one: %s", last.Again+1, last.Worker)
	}
	text, err := d.conn.unpack(ctx, d.Content)
	j := &work.Job{}
	if err == nil {
		err = json.Unmarshal(text, j)
	}
	if err == nil && j.ID() != d.Job {
		err = errors.New("the content is not the named job")
	}
	if err != nil {
		return nil, fmt.Errorf("reading the job: %w", err)
	}
	d.log = d.log.With("title", j.Title(), "attempt", d.attempt)
	if d.attempt > 1 {
		d.again = last.Again + 1
		d.remember(ctx, begun{d.again, d.Name + ", " + j.Title()})
	}
	return j, nil
}

// name is the name of the job among what the server keeps of its run.
func (d *delivery) name() string { return d.Run + "." + d.Job }

// remember tells the next worker who began the job.
func (d *delivery) remember(ctx context.Context, b begun) {
	if text, err := json.Marshal(b); err == nil {
		_, _ = d.conn.keys[activeBucket].Put(ctx, d.name(), text)
	}
}

// do carries the job out, with a sign of life now and then.
func (d *delivery) do(ctx context.Context, j *work.Job) {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	began := time.Now()
	done := d.begin(d.msg.Subject(),
		&activity{d.Run, j.Title(), began, cancel, make(chan struct{})})
	defer done()
	var alive *time.Timer
	alive = time.AfterFunc(d.conn.wait/3, func() {
		_ = d.msg.InProgress()
		if d.absence(within, d.Run) == isAbandoned {
			cancel(errAbandoned)
		}
		if within.Err() == nil {
			alive.Reset(d.conn.wait / 3)
		}
	})
	d.log.Info("begun")
	stop := d.bound(cancel)
	found, err := d.guarded(within, j)
	stop()
	alive.Stop()
	d.log = d.log.With("seconds", time.Since(began).Seconds())
	var broken *panicError
	var beyond *beyondError
	switch {
	case errors.Is(context.Cause(within), errCancelled):
		d.log.Info("cancelled")
		_ = d.msg.TermWithReason("cancelled")
	case errors.Is(context.Cause(within), errAbandoned):
		d.drop()
	case err != nil && errors.As(context.Cause(within), &beyond):
		d.fail(ctx, beyond.Error())
	case within.Err() != nil:
		d.log.Info("handed back")
		_ = d.msg.Nak()
	case errors.As(err, &broken):
		d.log.Error("failed", "error", err)
		d.fail(ctx, err.Error())
	case errors.Is(err, smt.ErrNoSolver):
		d.log.Warn("left to another worker", "error", err)
		d.remember(ctx, begun{d.again, fmt.Sprintf("%s: %v", d.Name, err)})
		_ = d.msg.NakWithDelay(time.Second)
	default:
		d.end(ctx, func(ctx context.Context) { d.keep(ctx, found, err) })
	}
}

// drop takes a job out of the queue that nobody waits for.
func (d *delivery) drop() {
	d.log.Info("dropped: its command is gone")
	_ = d.msg.TermWithReason(errAbandoned.Error())
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

// guarded carries the job out; a defect ends the job and not the worker.
func (d *delivery) guarded(ctx context.Context, j *work.Job) (found *work.Findings, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			found, err = nil, &panicError{cause, debug.Stack()}
		}
	}()
	var last time.Time
	here := d.Here
	here.Sources = &d.sources
	here.Join = func(
		ctx context.Context, j *work.Job, share func(explicit.Peers) *explicit.Share,
	) error {
		return d.join(ctx, d.Run, j, share)
	}
	return j.Do(ctx, here, engine.Sink{Progress: func(p engine.Progress) {
		if now := time.Now(); now.Sub(last) > 300*time.Millisecond {
			last = now
			d.tell(note{Progress: p})
		}
	}})
}

// keep writes a result. The first one counts.
func (d *delivery) keep(ctx context.Context, found *work.Findings, refused error) {
	e := &entry{Job: d.Job, Run: d.Run, Worker: d.Name}
	lasting := true
	var err error
	if refused != nil {
		e.Refused = refused.Error()
		lasting = engine.IsRefusal(refused) // any other failure may be one of this machine
	} else {
		lasting = found.Lasting() && !d.Fresh
		var text []byte
		if text, err = json.Marshal(found); err == nil {
			e.Content, err = d.conn.pack(ctx, text)
		}
	}
	first := false
	if err == nil {
		e.Sum = d.conn.sum(e)
		var text []byte
		if text, err = json.Marshal(e); err == nil {
			first, err = d.conn.put(ctx, d.conn.key(d.Job, d.Run, lasting), d.Job, text)
		}
	}
	if err != nil {
		d.log.Error("the result cannot be kept", "error", err)
		_ = d.msg.NakWithDelay(time.Second)
		return
	}
	d.done.Add(1)
	if !first {
		e = nil // the run looks for the first result
	}
	d.finish(ctx, e)
}

// finish tells the queue and the run that a job is done. A queue that does not hear it gives the
// job to a worker again, which then finds the result.
func (d *delivery) finish(ctx context.Context, e *entry) {
	if err := d.msg.Ack(); err != nil {
		d.log.Warn("the server did not hear that the job is done", "error", err)
	}
	if d.again > 0 {
		_ = d.conn.keys[activeBucket].Delete(ctx, d.name())
	}
	d.tell(note{Done: true, Entry: e})
	d.log.Info("done", "refused", e != nil && e.Refused != "")
}

// fail gives the job up for all workers.
func (d *delivery) fail(ctx context.Context, cause string) {
	d.failed.Add(1)
	d.log.Error("given up", "cause", cause)
	text, err := json.Marshal(dead{cause})
	if err == nil {
		_, err = d.conn.keys[deadBucket].Put(ctx, d.name(), text)
	}
	if err != nil {
		_ = d.msg.NakWithDelay(time.Second)
		return
	}
	_ = d.msg.TermWithReason("given up")
	d.tell(note{Done: true})
}

// tell tells the run.
func (d *delivery) tell(n note) {
	if text, err := json.Marshal(n); err == nil {
		_ = d.conn.nats.Publish(noteSubject+d.name(), text)
	}
}
