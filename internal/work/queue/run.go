package queue

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

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
	metNeeds map[string]bool // needs that a worker met, by token

	tally   tally
	ringer  ringer
	listing listing
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
		waiting: map[string]chan note{}, metNeeds: map[string]bool{}}
	if err := c.record(ctx, r); err != nil {
		return nil, err
	}
	results, err := c.keys[resultBucket].Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("looking for results: %w", err)
	}
	run.noOtherResults = !again && results.Values() == 0
	c.link.listen(run.heard(r))
	if err := run.answers(); err != nil {
		return nil, fmt.Errorf("answering workers: %w", err)
	}
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

// End ends the run: what is left of its jobs is cancelled.
func (r *Run) End(how string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = r.conn.Cancel(ctx, r.ID, how)
}

// Summary says in a line who did the work.
func (r *Run) Summary() string { return r.tally.summary() }
