package queue

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/verify"
	"erelong.dev/erelong/internal/work"
)

// poll is how often a run looks for its jobs in the queue without being told of a result.
const poll = 5 * time.Second

// message is a job in the queue.
type message struct {
	Build, Run, Job string
	Fresh           bool `json:",omitempty"` // no result of another run counts
	Content         content

	again int // how often it was begun after it had been delivered before
}

// note tells a run about one of its jobs.
type note struct {
	Done     bool
	Progress engine.Progress
	Entry    *entry `json:",omitempty"` // the result, where this worker made it
}

// dead says why nobody finished a job.
type dead struct{ Cause string }

// Run is a run of the program that has its jobs carried out by workers.
type Run struct {
	ID             string
	conn           *Conn
	begun          time.Time
	slots          chan struct{}
	fresh          bool // asks for every result anew
	resumed        bool // goes on with what another process began
	noOtherResults bool // there were no results of other runs when it began
	// recompute reports whether a result of another run is asked for again, and compared.
	recompute func() bool
	note      func(string)
	Needs     []string // tags that a worker must have
	// patience is how long a job waits for a worker that meets what it needs.
	patience time.Duration

	mu       sync.Mutex
	waiting  map[string]chan note
	done     map[string]int // jobs by worker
	reused   int
	divided  int             // explorations
	shared   int             // the most workers that divided one
	metNeeds map[string]bool // needs that a worker met, by token
	ringing  bool            // it rings soon
	rang     time.Time

	queue sync.Mutex
	// what the server had of the run's jobs when it was asked last
	listed   map[string]uint64 // messages by subject
	listedAt time.Time
}

// Record describes a run for other programs.
type Record struct {
	ID      string
	Command []string
	File    string
	Text    string // of the file
	Begun   time.Time
	Host    string
	Build   string
	Needs   []string `json:",omitempty"` // tags that a worker must have
	Ended   string   // how, empty if it goes on or was killed
}

// Begin announces a run. A record with an ID continues the run of this ID. With fresh, no result of
// another run counts. Notice gets information for the user.
func (c *Conn) Begin(ctx context.Context, r Record, fresh bool, notice func(string)) (*Run, error) {
	again := r.ID != ""
	if again {
		if err := c.revive(ctx, r.ID); err != nil {
			return nil, err
		}
	} else {
		r.ID = hex.EncodeToString(RandomKey(5))
	}
	r.Begun, r.Build = time.Now(), c.build
	r.Host, _ = os.Hostname()
	run := &Run{ID: r.ID, resumed: again, recompute: sometimes, conn: c, begun: r.Begun,
		Needs: r.Needs, patience: 2 * poll, slots: make(chan struct{}, outstanding),
		fresh: fresh, note: notice,
		waiting: map[string]chan note{}, done: map[string]int{}, metNeeds: map[string]bool{}}
	if err := c.record(ctx, r); err != nil {
		return nil, err
	}
	results, err := c.keys[resultBucket].Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("looking for results: %w", err)
	}
	run.noOtherResults = !again && results.Values() == 0
	_, err = c.nats.Subscribe(noteSubject+run.ID+".*", run.told)
	if err != nil {
		return nil, fmt.Errorf("listening to workers: %w", err)
	}
	return run, nil
}

// revive forgets which jobs of a run were given up.
func (c *Conn) revive(ctx context.Context, run string) error {
	list, err := c.keys[deadBucket].ListKeysFiltered(ctx, run+".*")
	if err != nil {
		return fmt.Errorf("looking for the run: %w", err)
	}
	for key := range list.Keys() {
		if err := c.keys[deadBucket].Delete(ctx, key); err != nil {
			return fmt.Errorf("going on with the run: %w", err)
		}
	}
	return nil
}

// record keeps a record.
func (c *Conn) record(ctx context.Context, r Record) error {
	if len(r.Text) > inline {
		r.Text = "" // attach then reads the file
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if _, err := c.keys[runBucket].Put(ctx, r.ID, text); err != nil {
		return fmt.Errorf("announcing the run: %w", err)
	}
	return nil
}

// told passes a note on to the goroutine that waits for the job.
func (r *Run) told(m *nats.Msg) {
	job := m.Subject[strings.LastIndexByte(m.Subject, '.')+1:]
	var n note
	if json.Unmarshal(m.Data, &n) != nil {
		return
	}
	r.mu.Lock()
	ch := r.waiting[job]
	r.mu.Unlock()
	if ch == nil {
		return
	}
	if n.Done {
		ch <- n // has room for one, and a job ends once for each message
		return
	}
	select {
	case ch <- n:
	default: // progress may be lost
	}
}

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
		found, err = r.find(ctx, id, fresh, !r.resumed)
		if found != nil && found.run != r.ID && r.recompute() {
			earlier, found, fresh = found.findings, nil, true
		}
	}
	_ = r.misfit(ctx, needOf(j, r.Needs)) // a worker that meets it now may be away later
	for found == nil && err == nil {
		if err = r.publish(ctx, j, id, fresh); err != nil {
			break
		}
		r.rings()
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
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.Run == r.ID {
		r.done[e.Worker]++
	} else {
		r.reused++
	}
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
		gone := r.gone(ctx, subject, submitted)
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

// gone reports whether the queue is known to have no job with a subject. One list of all jobs of
// the run serves all that ask at about the same time.
func (r *Run) gone(ctx context.Context, subject string, submitted time.Time) bool {
	r.queue.Lock()
	defer r.queue.Unlock()
	if now := time.Now(); now.Sub(r.listedAt) > poll/2 {
		listed, err := r.conn.open(ctx, r.ID)
		if err != nil {
			return false
		}
		r.listed, r.listedAt = listed, now
	}
	return r.listedAt.After(submitted) && r.listed[subject] == 0
}

// ofRun is the subjects of the jobs of a run.
func ofRun(run string) string { return jobSubject + "*.*." + run + ".>" }

// End ends the run: what is left of its jobs is cancelled.
func (r *Run) End(how string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = r.conn.Cancel(ctx, r.ID, how)
}

// Summary says in a line who did the work.
func (r *Run) Summary() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, k := range r.done {
		n += k
	}
	var parts []string
	if n > 0 || r.divided == 0 {
		parts = append(parts, fmt.Sprintf("%s by %s", engine.Counted(n, "job", "jobs"),
			engine.Counted(len(r.done), "worker", "workers")))
	}
	if r.divided > 0 {
		parts = append(parts, fmt.Sprintf("%s divided among %s",
			engine.Counted(r.divided, "exploration", "explorations"),
			engine.Counted(r.shared, "worker", "workers")))
	}
	text := strings.Join(parts, ", ")
	if r.reused > 0 {
		text += fmt.Sprintf(", and %s of earlier runs",
			engine.Counted(r.reused, "result", "results"))
	}
	return text
}

// hidden is an address without the password.
func hidden(address string) string {
	var out []string
	for one := range strings.SplitSeq(address, ",") {
		if u, err := url.Parse(one); err == nil {
			if u.User != nil {
				u.User = url.User("xxxxx")
			}
			one = u.String()
		}
		out = append(out, one)
	}
	return strings.Join(out, ",")
}
