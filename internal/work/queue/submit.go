package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/verify"
	"erelong.dev/erelong/internal/work"
)

// message is a job in the queue.
type message struct {
	Build, Run, Job string
	Fresh           bool `json:",omitempty"` // no result of another run counts
	Content         content
}

// note tells a run about one of its jobs.
type note struct {
	Done     bool
	Progress engine.Progress
	Entry    *entry `json:",omitempty"` // the result, where this worker made it
}

// dead says why nobody finished a job.
type dead struct{ Cause string }

// poll is how often a run looks for its jobs in the queue without being told of a result.
const poll = 5 * time.Second

// lost is the reason why nobody finished a job, as a verify.LostError.
func lost(format string, args ...any) error {
	return &verify.LostError{Reason: result.Because(result.NotProved, fmt.Sprintf(format, args...))}
}

// Do has a job carried out, or finds its result. An error that is no verify.LostError says that the
// engine refused the job.
func (r *Run) Do(ctx context.Context, j *work.Job, to engine.Sink) (*work.Findings, error) {
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	id := j.ID()
	ch := make(chan note, 8)
	r.mu.Lock()
	r.waiting[id] = ch
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.waiting, id)
		r.mu.Unlock()
	}()
	fresh := r.fresh
	var earlier *work.Findings // of another run, asked for again
	var found *foundResult
	var err error
	if !r.noOtherResults && (!fresh || r.resumed) {
		err = r.conn.patiently(ctx, func() (err error) {
			found, err = r.find(ctx, id, fresh, !r.resumed)
			return err
		})
		if found != nil && found.run != r.ID && r.recompute() {
			earlier, found, fresh = found.findings, nil, true
		}
	}
	_ = r.misfit(ctx, needOf(j, r.Needs)) // a worker that meets it now may be away later
	for found == nil && err == nil {
		if err = r.conn.patiently(ctx, func() error {
			return r.publish(ctx, j, id, fresh)
		}); err != nil {
			break
		}
		r.ringer.rings(r.conn)
		found, err = r.await(ctx, j, id, fresh, ch, to)
	}
	var l *verify.LostError
	var refused *refusal
	if err != nil && ctx.Err() == nil && !errors.As(err, &l) && !errors.As(err, &refused) {
		err = lost("%s: %v", j.Title(), err)
	}
	if err != nil {
		return nil, err
	}
	if earlier != nil && !earlier.Agree(found.findings) {
		r.note(fmt.Sprintf("ALARM: a result of another run on the server is wrong, or this one "+
			"is: %s; "+
			"the one of the server is not used, and is gone", j.Title()))
		_ = r.conn.keys[resultBucket].Delete(ctx, r.conn.key(id, r.ID, true))
	}
	return found.findings, nil
}

// sometimes doubts one of sixteen results of other runs.
func sometimes() bool { return RandomKey(1)[0] < 16 }

// foundResult is findings with the run for which they were made.
type foundResult struct {
	findings *work.Findings
	run      string
}

// refusal is what the engine of a worker said.
type refusal struct{ text string }

func (e *refusal) Error() string { return e.text }

// find looks for a result, also of another run unless it has to be fresh. Before a run has asked
// for anything, only another run can have made it.
func (r *Run) find(ctx context.Context, id string, fresh, before bool) (*foundResult, error) {
	c := r.conn
	var keys []string
	if !fresh && len(c.team) > 0 {
		keys = append(keys, c.key(id, r.ID, true))
	}
	if !before {
		keys = append(keys, c.key(id, r.ID, false))
	}
	for _, key := range keys {
		e, err := c.entryOf(ctx, key, id)
		switch {
		case errors.Is(err, errForeign):
			r.note(fmt.Sprintf("a result on the server is not used: %v (job %s, worker %q)", err,
				id[:12], e.Worker))
			if err := c.keys[resultBucket].Delete(ctx, key); err != nil {
				return nil, err
			}
			continue
		case err != nil:
			return nil, fmt.Errorf("looking for a result: %w", err)
		case e == nil:
			continue
		}
		return r.read(ctx, e)
	}
	if before {
		return nil, nil
	}
	d, err := c.keys[deadBucket].Get(ctx, r.ID+"."+id)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking for a result: %w", err)
	}
	var x dead
	if err := json.Unmarshal(d.Value(), &x); err != nil {
		return nil, err
	}
	return nil, lost("no worker finished it: %s", x.Cause)
}

// read reads a result.
func (r *Run) read(ctx context.Context, e *entry) (*foundResult, error) {
	if e.Refused != "" {
		return nil, &refusal{e.Refused}
	}
	text, err := r.conn.unpack(ctx, e.Content)
	if err != nil {
		return nil, err
	}
	f := &work.Findings{}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("reading a result: %w", err)
	}
	r.tally.count(e.Worker, e.Run == r.ID)
	return &foundResult{f, e.Run}, nil
}

// subject is the subject of a job. Exactly one message has it, from when the job is submitted to
// when it is done.
func (c *Conn) subject(n need, run, id string) string {
	return jobSubject + c.token + "." + n.token() + "." + run + "." + id
}

// publish puts a job into the queue, unless it is there.
func (r *Run) publish(ctx context.Context, j *work.Job, id string, fresh bool) error {
	c := r.conn
	subject := c.subject(needOf(j, r.Needs), r.ID, id)
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	m := message{Build: c.build, Run: r.ID, Job: id, Fresh: fresh}
	if m.Content, err = c.pack(ctx, text); err != nil {
		return fmt.Errorf("submitting a job: %w", err)
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	// Where there is such a message it is this job, which has been submitted before: the server
	// need not remember the names of messages to know that.
	_, err = c.js.Publish(ctx, subject, data, jetstream.WithExpectLastSequencePerSubject(0),
		jetstream.WithRetryAttempts(10))
	if err != nil && !taken(err) {
		return fmt.Errorf("submitting a job: %w", err)
	}
	return nil
}

// taken reports whether the server refused a message because its subject has one.
func taken(err error) bool {
	var refused *jetstream.APIError
	return errors.As(err, &refused) &&
		(refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
			refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// await waits for a result. It gives nil when the job is neither done nor in the queue.
func (r *Run) await(
	ctx context.Context, j *work.Job, id string, fresh bool, ch <-chan note, to engine.Sink,
) (*foundResult, error) {
	look := time.NewTicker(poll)
	defer look.Stop()
	needs := needOf(j, r.Needs)
	unmet := time.NewTimer(r.patience)
	defer unmet.Stop()
	subject := r.conn.subject(needs, r.ID, id)
	submitted := time.Now()
	told := 0 // how often a result was looked for that a worker told of
	for {
		select {
		case n := <-ch:
			if !n.Done {
				to.Tell(n.Progress)
				continue
			}
			if e := n.Entry; e != nil && e.Run == r.ID && r.conn.signed(e, id) {
				f, err := r.read(ctx, e)
				if err == nil || errors.As(err, new(*refusal)) {
					return f, err
				}
			}
			look.Reset(poll / 50) // a copy of the bucket on another server may be late
			told = 1
		case <-look.C:
		case <-unmet.C:
			if why := r.misfit(ctx, needs); why != nil {
				return nil, lost("%s: %v", j.Title(), why)
			}
			continue
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		// Before a result is looked for: it is there before its job is gone.
		gone := r.listing.gone(ctx, r.conn, r.ID, subject, submitted)
		if told == 0 && !gone {
			continue
		}
		f, err := r.find(ctx, id, fresh, false)
		switch {
		case f != nil:
			return f, nil
		case errors.As(err, new(*refusal)), errors.As(err, new(*verify.LostError)):
			return nil, err
		case err != nil:
			continue // the server is away for the moment
		case told > 50:
			return nil, lost("a worker did it, and its result cannot be used: it has another " +
				"key of the team")
		case told > 0:
			told++
		case gone:
			if x, err := r.conn.Record(ctx, r.ID); err == nil && x.Ended != "" {
				return nil, lost("the run is over: %s", x.Ended)
			}
			return nil, nil
		}
	}
}

// misfit says that no worker meets a need, nil if one does or did: then the job waits for another.
func (r *Run) misfit(ctx context.Context, n need) error {
	r.mu.Lock()
	met := r.metNeeds[n.token()]
	r.mu.Unlock()
	if met || len(n.tags) == 0 && !n.solves {
		return nil
	}
	fit, others, err := r.conn.fitting(ctx, n)
	if err != nil {
		return nil // the server is away for the moment
	}
	if len(fit) == 0 {
		return &misfits{r.conn.build, n, others}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.metNeeds[n.token()] = true
	return nil
}

// listing is what the server had of a run's jobs when it was asked last. One list of all jobs
// serves all that ask at about the same time.
type listing struct {
	mu   sync.Mutex
	jobs map[string]uint64 // messages by subject
	at   time.Time
}

// gone reports whether the queue is known to have no job of a run with a subject.
func (l *listing) gone(
	ctx context.Context, c *Conn, run, subject string, submitted time.Time,
) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); now.Sub(l.at) > poll/2 {
		jobs, err := c.open(ctx, run)
		if err != nil {
			return false
		}
		l.jobs, l.at = jobs, now
	}
	return l.at.After(submitted) && l.jobs[subject] == 0
}

// ofRun is the subjects of the jobs of a run.
func ofRun(run string) string { return jobSubject + "*.*." + run + ".>" }
