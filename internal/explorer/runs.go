package explorer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/zone"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/verify"
)

// The commands that a page can give, as on the command line.
const (
	verifyCommand = "verify"
	checkCommand  = "check"
	proveCommand  = "prove"
	liveCommand   = "live"
	boundCommand  = "bmc"
)

// commands are the commands for the files of a kind. The only engine of a model is one that
// explores.
func (s *Service) commands(k front.Kind) []string {
	switch {
	case s.o.NoSolver:
		return []string{checkCommand}
	case k == front.Model:
		return []string{verifyCommand, checkCommand}
	}
	return []string{verifyCommand, checkCommand, proveCommand, liveCommand, boundCommand}
}

// Event is one event of a run of engines.
type Event struct {
	Text     string          `json:"text"`
	Subtask  string          `json:"part"`
	Unit     string          `json:"unit"`
	Done     int64           `json:"done"`
	Total    int64           `json:"total"`
	Finished bool            `json:"finished"` // the part is over
	Violated string          `json:"violated"` // a property of which a violation was found
	Seconds  float64         `json:"seconds"`  // since the start of the run
	Report   json.RawMessage `json:"report"`   // of the last event, by the schema of package report
	Problem  *Problem        `json:"problem"`  // of the last event
	Last     bool            `json:"last"`
}

// Run is a run of engines.
type Run struct {
	ID      int
	Command string
	file    *opened
	saved   bool // it was read from a file, and may be about another text
	cancel  context.CancelFunc
	began   time.Time

	mu      sync.Mutex
	kept    []Event // one for each finished part, and the last event
	present *Event  // of the part at work
	number  int     // of events so far
	changed chan struct{}
	report  *report.Report
}

func (s *Service) run(id int) (*Run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.runs, func(r *Run) bool { return r.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("%w: run %d is not kept", ErrRequest, id)
	}
	return s.runs[i], nil
}

func (r *Run) results() []result.Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.report == nil {
		return nil
	}
	return r.report.Results
}

// over reports whether the run has ended.
func (r *Run) over() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.kept) > 0 && r.kept[len(r.kept)-1].Last
}

func (r *Run) tell(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.Seconds = time.Since(r.began).Seconds()
	r.number++
	r.present = &e
	if e.Finished || e.Last {
		r.kept, r.present = append(r.kept, e), nil
	}
	close(r.changed)
	r.changed = make(chan struct{})
}

// Follow calls yield for the events of a run until the last one, or until ctx ends. Events that
// were overtaken by later ones of the same part are left out.
func (s *Service) Follow(ctx context.Context, id int, yield func(Event) error) error {
	r, err := s.run(id)
	if err != nil {
		return err
	}
	told, number := 0, 0
	for {
		r.mu.Lock()
		fresh := slices.Clone(r.kept[told:])
		if r.present != nil && r.number > number {
			fresh = append(fresh, *r.present)
		}
		told, number = len(r.kept), r.number
		changed := r.changed
		r.mu.Unlock()
		for _, e := range fresh {
			if err := yield(e); err != nil || e.Last {
				return err
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// start begins a run of engines.
func (s *Service) start(ctx context.Context, q *request) (any, error) {
	f, err := s.open(ctx, q.File)
	if err != nil {
		return nil, err
	}
	if all := s.commands(f.file.Kind); !slices.Contains(all, q.Command) {
		return nil, fmt.Errorf("%w: there is no command %q for a %s; there is %s", ErrRequest,
			q.Command, f.file.Kind, strings.Join(all, ", "))
	}
	own, cancel := context.WithCancel(context.Background())
	r := &Run{Command: q.Command, file: f, cancel: cancel, began: time.Now(),
		changed: make(chan struct{})}
	s.mu.Lock()
	atWork := 0
	for _, x := range s.runs {
		if !x.over() {
			atWork++
		}
	}
	if atWork >= maxAtOnce {
		s.mu.Unlock()
		cancel()
		return nil, fmt.Errorf("%d runs are at work: stop one of them first", atWork)
	}
	s.last++
	r.ID = s.last
	s.forgetRun()
	s.runs = append(s.runs, r)
	s.mu.Unlock()
	go s.work(own, r, q)
	return r.summary(), nil
}

// work runs the engines.
func (s *Service) work(ctx context.Context, r *Run, q *request) {
	if q.Seconds > 0 {
		var cancel context.CancelFunc
		ctx, cancel = result.TimeLimit(time.Duration(q.Seconds)*time.Second, "the page",
			result.OutOfTime).Bound(ctx)
		defer cancel()
	}
	ctx, end := smt.WithProcesses(ctx)
	defer end()
	outcome, err := s.outcome(ctx, r, q)
	last := Event{Last: true}
	if outcome != nil {
		var view *result.View
		if fs := r.file.file.Systems; len(fs) > 0 {
			view = fs[0].Spec.System.View
		}
		rep := &report.Report{
			Version: s.o.Version, File: r.file.name, Command: q.Command, Results: outcome.Results,
			Notes: outcome.Notes, Instances: outcome.Instances,
			Unfinished: result.UnfinishedOf(outcome.Results, view),
			Warnings:   r.file.file.Warnings.All,
			Environment: report.Environment{Date: time.Now(), CPUs: runtime.NumCPU(),
				Elapsed: time.Since(r.began), Solvers: outcome.Solvers},
		}
		for _, l := range outcome.Lemmas {
			rep.Lemmas = append(rep.Lemmas,
				report.Lemma{Name: l.Name, Formula: l.Term.String(), For: l.For})
		}
		var b bytes.Buffer
		if e := report.WriteJSON(&b, rep); e != nil {
			err = errors.Join(err, e)
		} else {
			last.Report = b.Bytes()
		}
		r.mu.Lock()
		r.report = rep
		r.mu.Unlock()
		if len(outcome.Refused) > 0 {
			err = errors.Join(err, outcome.Refusal())
		}
		if outcome.NoSolver != nil {
			err = errors.Join(err, outcome.NoSolver)
		}
	}
	if err != nil {
		last.Problem = new(ProblemOf(err))
	}
	r.tell(last)
}

func (s *Service) outcome(ctx context.Context, r *Run, q *request) (*verify.Outcome, error) {
	o := verify.Default()
	o.LiveOnly = q.Command == liveCommand
	both := q.Command == verifyCommand || o.LiveOnly
	o.Explore, o.Prove = both || q.Command == checkCommand, both || q.Command == proveCommand
	o.Live, o.Infer = both, both
	o.Bound, o.Bmc.Depth = q.Command == boundCommand, q.Depth
	o.Only, o.Explicit.Deadlock = q.Properties, q.Deadlock
	if s.o.Configure != nil {
		s.o.Configure(&o)
	}
	o.Progress = func(p engine.Progress) {
		r.tell(Event{Text: p.Text, Subtask: p.Subtask, Unit: p.Unit, Done: p.Done, Total: p.Total,
			Finished: p.Finished, Violated: p.Violated})
	}
	if net := r.file.file.Network; net != nil {
		claims, err := zone.Claims(net, q.Properties)
		if err != nil {
			return nil, err
		}
		outcome, err := verify.RunNetwork(ctx, net, claims, "", o)
		if outcome != nil {
			outcome.Notes = append(slices.Clone(net.Notes), outcome.Notes...)
		}
		return outcome, err
	}
	return verify.RunAll(ctx, r.file.file.Systems, o, func(
		sys *system.System,
	) (out []*system.Instance, err error) {
		for _, text := range q.Instances {
			some, err := instances(sys, text)
			if err != nil {
				return nil, err
			}
			out = append(out, some...)
		}
		return out, nil
	})
}

func (s *Service) stop(_ context.Context, q *request) (any, error) {
	r, err := s.run(q.Run)
	if err != nil {
		return nil, err
	}
	r.cancel()
	return r.summary(), nil
}

// Summary is a run in short.
type Summary struct {
	Run     int    `json:"run"`
	Command string `json:"command"`
	File    string `json:"file"`
	Over    bool   `json:"over"`
	Digest  string `json:"digest"` // of the texts that it is about, empty if that is not known
	Saved   bool   `json:"saved"`  // it was read from a file
}

func (r *Run) summary() Summary {
	out := Summary{Run: r.ID, Command: r.Command, File: r.file.name, Over: r.over(), Saved: r.saved}
	if !r.saved {
		out.Digest = r.file.digest()
	}
	return out
}

func (s *Service) list(context.Context, *request) (any, error) {
	s.mu.Lock()
	runs := slices.Clone(s.runs)
	s.mu.Unlock()
	out := []Summary{}
	for _, r := range runs {
		out = append(out, r.summary())
	}
	return map[string][]Summary{"runs": out}, nil
}

// WriteHTML writes the report of a run that has ended.
func (s *Service) WriteHTML(w io.Writer, id int) error {
	r, err := s.run(id)
	if err != nil {
		return err
	}
	r.mu.Lock()
	rep := r.report
	r.mu.Unlock()
	if rep == nil {
		return fmt.Errorf("run %d has no report yet", id)
	}
	o := report.Options{File: rep.File}
	if fs := r.file.file.Systems; len(fs) > 0 {
		o.Snippet = fs[0].Spec.System.Source.Line
	}
	return report.WriteHTML(w, rep, o)
}

// Close ends all runs.
func (s *Service) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.runs {
		r.cancel()
	}
}

// keep keeps results as a run of a file that is over. It gives its number.
func (s *Service) keep(f *opened, rep *report.Report, saved bool) (int, error) {
	r := &Run{Command: verifyCommand, file: f, saved: saved, cancel: func() {},
		began: time.Now(), changed: make(chan struct{}), report: rep}
	var b bytes.Buffer
	if err := report.WriteJSON(&b, rep); err != nil {
		return 0, fmt.Errorf("keeping results: %w", err)
	}
	s.mu.Lock()
	s.last++
	r.ID = s.last
	s.forgetRun()
	s.runs = append(s.runs, r)
	s.mu.Unlock()
	r.tell(Event{Last: true, Report: b.Bytes()})
	return r.ID, nil
}

// Keep keeps results that were found elsewhere, for the present text of a file, as a run that is
// over. It gives its number.
func (s *Service) Keep(ctx context.Context, file string, results []result.Result) (int, error) {
	f, err := s.open(ctx, file)
	if err != nil {
		return 0, err
	}
	return s.keep(f, &report.Report{Version: s.o.Version, File: f.name, Command: verifyCommand,
		Results: results}, false)
}

// forgetRun makes room for one more run. The caller holds mu.
func (s *Service) forgetRun() {
	if len(s.runs) >= maxRuns {
		i := slices.IndexFunc(s.runs, (*Run).over)
		s.runs = slices.Delete(s.runs, i, i+1)
	}
}
