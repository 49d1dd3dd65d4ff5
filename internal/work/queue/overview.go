package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/work"
)

// Overview is what is going on at a server. What workers tell of themselves is some seconds old.
type Overview struct {
	Workers []Presence
	Runs    []RunState // the last ones first, and all that have open jobs
	Waiting uint64     // jobs in the queue, the ones at work among them
	Stored  uint64     // bytes of the queue
}

// RunState is a run with its open jobs.
type RunState struct {
	Record
	Open  uint64
	Waits []Waiting
}

// Waiting is jobs of a run that need the same, and that no worker has begun.
type Waiting struct {
	Jobs  int
	Title string // of one of them
	Needs string // a version, and what is special about it
	// Workers are the ones that can do them.
	Workers []string
}

// Portion is what one worker has of a divided exploration.
type Portion struct {
	Run, Title    string
	Member        string // the worker's name in it
	Parts         []int
	Level         int
	States, Bytes int64
	Order         string   // at work, empty for none
	Awaits        []string // the members that have not ended the level
}

// shownRuns is the number of runs of an overview that have ended.
const shownRuns = 20

// Overview asks the server what is going on.
func (c *Conn) Overview(ctx context.Context) (*Overview, error) {
	workers, err := c.Workers(ctx)
	if err != nil {
		return nil, fmt.Errorf("looking for workers: %w", err)
	}
	runs, err := c.Runs(ctx)
	if err != nil {
		return nil, fmt.Errorf("looking for runs: %w", err)
	}
	info, err := c.jobs.Info(ctx)
	if err != nil {
		return nil, fmt.Errorf("asking about the queue: %w", err)
	}
	for i := range workers {
		workers[i].listen(info.TimeStamp, c.wait)
	}
	out := &Overview{Workers: workers, Waiting: info.State.Msgs, Stored: info.State.Bytes}
	for i, r := range runs {
		if i >= shownRuns && r.Ended != "" {
			continue
		}
		open, err := c.open(ctx, r.ID)
		if err != nil {
			return nil, fmt.Errorf("counting jobs: %w", err)
		}
		out.Runs = append(out.Runs,
			RunState{r, uint64(len(open)), c.waiting(ctx, &r, open, workers)})
	}
	return out, nil
}

// listen notes that a worker is silent that told of itself longer ago than it ought to have: it
// tells more often while it works.
func (p *Presence) listen(now time.Time, wait time.Duration) {
	most := presence / 2
	if len(p.Active) > 0 || len(p.Portions) > 0 {
		most = min(presence/3, wait/3)
	}
	if p.silent = now.Sub(p.told); p.silent <= most {
		p.silent = 0
	}
}

// waiting says what the open jobs of a run wait for that no worker has begun. The second and third
// word of a job's subject say which version and what else it needs.
func (c *Conn) waiting(
	ctx context.Context, r *Record, open map[string]uint64, workers []Presence,
) (out []Waiting) {
	groups := map[string][]string{}
	for subject := range open {
		if !slices.ContainsFunc(workers, func(p Presence) bool {
			return slices.Contains(p.Begun, subject)
		}) {
			before, _, _ := strings.Cut(subject, "."+r.ID+".")
			groups[before] = append(groups[before], subject)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		x, j, err := c.jobAt(ctx, slices.Min(groups[key]))
		if err != nil {
			continue // it is done by now
		}
		w := Waiting{Jobs: len(groups[key]), Title: j.Title(), Needs: "version " + x.Build}
		n := needOf(j, r.Needs)
		if n.solves || len(n.tags) > 0 {
			w.Needs += ", " + n.String()
		}
		for _, p := range workers {
			if p.Build == x.Build && n.met(&p) {
				w.Workers = append(w.Workers, p.Name)
			}
		}
		out = append(out, w)
	}
	return out
}

// jobAt reads an open job.
func (c *Conn) jobAt(ctx context.Context, subject string) (x message, j *work.Job, err error) {
	m, err := c.jobs.GetLastMsgForSubject(ctx, subject)
	if err != nil {
		return x, nil, err
	}
	if err := json.Unmarshal(m.Data, &x); err != nil {
		return x, nil, err
	}
	text, err := c.unpack(ctx, x.Content)
	if err != nil {
		return x, nil, err
	}
	j = &work.Job{}
	return x, j, json.Unmarshal(text, j)
}

// For says for whom the jobs wait.
func (w Waiting) For() string {
	if len(w.Workers) == 0 {
		return "no worker has this"
	}
	return strings.Join(w.Workers, ", ")
}

// Rate is the number of jobs a minute since the worker began.
func (p Presence) Rate() float64 {
	return float64(p.Done) / max(time.Since(p.Since).Minutes(), 1.0/60)
}

// PartList writes the numbers of the parts, with neighbours together.
func (p Portion) PartList() string {
	var out []string
	for i := 0; i < len(p.Parts); {
		from, last := i, p.Parts[i]
		for i++; i < len(p.Parts) && p.Parts[i] == last+1; i++ {
			last++
		}
		if one := fmt.Sprint(p.Parts[from]); last == p.Parts[from] {
			out = append(out, one)
		} else {
			out = append(out, fmt.Sprintf("%s-%d", one, last))
		}
	}
	return strings.Join(out, " ")
}

// doing says what a member does on an order.
var doing = map[string]string{
	"":                   "waits for the next order of its run",
	explicit.BeginOrder:  "gets the states of its parts",
	explicit.ExpandOrder: "expands",
	explicit.CloseOrder:  "saves",
	explicit.MarkOrder:   "looks for the run to a violation",
	explicit.BackOrder:   "looks for the run to a violation",
	explicit.WhichOrder:  "looks for the run to a violation",
	explicit.LookOrder:   "looks for what never happens",
}

// Now says what a worker does with its portion, or for whom it waits.
func (o *Overview) Now(p Portion) string {
	for _, w := range o.Workers {
		if w.silent > 0 && slices.ContainsFunc(w.Portions, func(x Portion) bool {
			return x.Member == p.Member
		}) {
			return w.silence()
		}
	}
	switch {
	case len(p.Awaits) > 0:
		return "waits for " + strings.Join(o.named(p.Awaits), ", ")
	case len(p.Parts) == 0:
		return "waits for the next save, when it gets parts"
	}
	return cmp.Or(doing[p.Order], p.Order)
}

// named are the workers of members.
func (o *Overview) named(members []string) (out []string) {
	byMember := map[string]string{}
	for _, w := range o.Workers {
		for _, p := range w.Portions {
			byMember[p.Member] = w.Name
		}
	}
	for _, m := range members {
		out = append(out, cmp.Or(byMember[m], "a worker that is silent"))
	}
	return out
}
