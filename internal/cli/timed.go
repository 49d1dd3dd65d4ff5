package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"erelong/internal/diag"
	"erelong/internal/engine/explicit"
	"erelong/internal/engine/zone"
	"erelong/internal/front/uppaal"
	"erelong/internal/report"
	"erelong/internal/system"
	"erelong/internal/timed"
	"erelong/internal/verdict"
	"erelong/internal/verify"
)

// isTimed reports whether a file is a model of timed automata, which has an engine of its own.
func isTimed(path string) bool { return uppaal.Extension(path) }

// queries is the way of verify and check with models of timed automata: their queries are checked.
type queries struct {
	command string

	Output    output
	Selection *selectionOptions
	Queries   *queryFileOptions
	Time      *timeOptions
	Instance  *instanceOptions
	Limit     *limitOptions
	Symmetry  *symmetryOptions
	Search    *searchOptions
}

func (f *queries) idle() []idleOption { return f.Output.idle() }

func (f *queries) limits() *timeOptions { return f.Time }

func (f *queries) run(ctx context.Context, s *streams, args []string) error {
	path := args[0]
	if err := f.Output.valid(); err != nil {
		return err
	}
	if f.Limit.maxStates < 0 {
		return usage("--max-states must not be negative")
	}
	if f.Search.search != explicit.DepthFirst && f.Search.search != explicit.BreadthFirst {
		return usage("--search %s: models of timed automata have the searches %s and %s", f.Search.search, explicit.BreadthFirst, explicit.DepthFirst)
	}
	if err := tryTargets(path, f.Output.targets()); err != nil {
		return err
	}
	r := &report.Report{Version: Version(), File: path, Command: f.command,
		Environment: report.Environment{Date: time.Now(), CPUs: runtime.NumCPU()}}
	instances := f.Instance.instances
	if len(instances) == 0 {
		instances = []string{""}
	}
	var source *diag.Source
	for _, instance := range instances {
		net, err := loadTimed(ctx, path, f.Queries.path, instance)
		if err != nil {
			return err
		}
		source = net.Source
		for _, note := range net.Notes {
			if !slices.Contains(r.Notes, note) {
				r.Notes = append(r.Notes, note)
			}
		}
		if err := f.checkQueries(ctx, net, instance, r); err != nil {
			return err
		}
	}
	lost := f.Output.write(s, &system.System{Source: source}, r)
	return orLost(lost, f.Output.verdict(ctx, &verify.Outcome{Results: r.Results}, r))
}

// loadTimed reads a model, with the constants of an instance such as N=2,FIFO=true.
func loadTimed(ctx context.Context, path, queries, instance string) (*timed.Network, error) {
	constants := map[string]string{}
	if instance != "" {
		for item := range strings.SplitSeq(instance, ",") {
			name, value, ok := strings.Cut(item, "=")
			if !ok {
				return nil, usage("--instance %s: %q is not of the form name=value", instance, item)
			}
			constants[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	net, err := uppaal.Load(ctx, path, queries, constants)
	var d *diag.List
	switch {
	case err != nil && verdict.Interrupted(ctx):
		return nil, &exitError{verdict.ExitInterrupted, errors.New("interrupted")}
	case err != nil && ctx.Err() != nil:
		return nil, &exitError{verdict.ExitUnknown, fmt.Errorf("reading %s: %s", path, verdict.Over(ctx))}
	case errors.Is(err, uppaal.ErrConstant):
		return nil, usage("--instance %s: %v", instance, err)
	case errors.As(err, &d) || errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) || err != nil && isDirectory(path):
		return nil, &exitError{verdict.ExitFile, err}
	}
	return net, err
}

// patience is how long a query may take before the others have had their turn. The verdicts do not depend on it.
const patience = 2 * time.Second

// checkQueries adds the verdicts of one instance to a report. Queries that take long are put off until the others are answered.
func (f *queries) checkQueries(ctx context.Context, net *timed.Network, instance string, r *report.Report) error {
	for _, p := range f.Selection.properties {
		if !slices.ContainsFunc(net.Queries, func(q *timed.Query) bool { return q.Text == p }) {
			return usage("--property: the file has no query %q", p)
		}
	}
	var asked []*timed.Query
	for _, q := range net.Queries {
		if len(f.Selection.properties) == 0 || slices.Contains(f.Selection.properties, q.Text) {
			asked = append(asked, q)
		}
	}
	answers := make([]*verdict.Result, len(asked))
	for _, limit := range []time.Duration{patience, 0} {
		for i, q := range asked {
			if answers[i] != nil || limit > 0 && len(asked) == 1 {
				continue
			}
			var err error
			if answers[i], err = f.checkWithin(ctx, net, q, limit); err != nil {
				return err
			}
		}
	}
	for i, q := range asked {
		x := answers[i]
		if instance != "" {
			x.Scope, x.Whole = instance, false
			if x.Trace != nil {
				x.Trace.Instance = instance
			}
		}
		r.Results = append(r.Results, *x)
		if e := recorded(q, x); e != nil && instance == "" { // verdicts are recorded for the file as it is
			r.Expectations = append(r.Expectations, *e)
		}
	}
	if len(net.Queries) == 0 {
		r.Notes = append(r.Notes, "the model has no queries, so nothing was checked")
	}
	return nil
}

// checkWithin decides a query. It gives nil where that takes longer than a limit that is not the user's.
func (f *queries) checkWithin(ctx context.Context, net *timed.Network, q *timed.Query, limit time.Duration) (*verdict.Result, error) {
	each := f.Time.each
	mine := limit > 0 && (each == 0 || limit < each)
	if mine {
		each = limit
	}
	within, cancel := ctx, context.CancelFunc(func() {})
	if each > 0 {
		within, cancel = context.WithTimeout(ctx, each)
	}
	defer cancel()
	start := time.Now()
	x, err := f.checkTimed(within, net, q)
	if err == nil || within.Err() == nil {
		return x, err
	}
	x = newTimedResult(net, q)
	x.Elapsed = time.Since(start)
	switch {
	case ctx.Err() != nil:
		x.Reason = verdict.Over(ctx)
	case mine:
		return nil, nil
	default:
		x.Reason = f.Time.perProperty().Reached()
	}
	return x, nil
}

// newTimedResult is the row of a query before it is decided.
func newTimedResult(net *timed.Network, q *timed.Query) *verdict.Result {
	x := &verdict.Result{Property: q.Text, Kind: timedKind(q), Verdict: verdict.Unknown, Scope: "model", Engine: "zone", Whole: true}
	if q.Span.Source == net.Source {
		x.Line = q.Span.Line()
	}
	return x
}

// checkTimed decides one query.
func (f *queries) checkTimed(ctx context.Context, net *timed.Network, q *timed.Query) (*verdict.Result, error) {
	start := time.Now()
	found, err := zone.Check(ctx, net, q, zone.Options{
		DepthFirst: f.Search.search == explicit.DepthFirst, MaxStates: f.Limit.maxStates,
		Shortest: f.Search.given() && f.Search.search == explicit.BreadthFirst, Asymmetric: f.Symmetry.given() && !f.Symmetry.symmetry,
	})
	if err != nil {
		return nil, err
	}
	x := newTimedResult(net, q)
	x.States, x.Transitions, x.Depth = found.Stored, found.Steps, found.Depth
	x.Elapsed, x.Reason = time.Since(start), found.Reason
	switch found.Answer {
	case zone.Satisfied:
		x.Verdict = verdict.Holds
	case zone.NotSatisfied:
		x.Verdict = denied(q)
	}
	if found.Visited > found.Stored {
		x.Reason = joinReasons(x.Reason, fmt.Sprintf("%d zones visited, %d kept", found.Visited, found.Stored))
	}
	if found.Value != "" {
		x.Reason = joinReasons("the value is "+found.Value, x.Reason)
	}
	if found.Run == nil {
		return x, nil
	}
	if x.Trace, err = zone.Trace(net, found); err != nil {
		return nil, err
	}
	x.Trace.Kind, x.Trace.Violates = verdict.Counterexample, x.Property
	if x.Kind == "deadlock" {
		x.Trace.Violates = "deadlock"
	}
	if x.Verdict == verdict.Holds {
		x.Trace.Kind, x.Trace.Violates = verdict.Witness, ""
	}
	return x, nil
}

// denied is the verdict on a query that is not satisfied. Where it asks for a run there is none to show.
func denied(q *timed.Query) verdict.Verdict {
	if q.Kind == timed.Possibly || q.Kind == timed.Always {
		return verdict.NoRun
	}
	return verdict.Violated
}

func joinReasons(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

func timedKind(q *timed.Query) string {
	switch {
	case q.Refused != "" || q.Kind == timed.Invariantly && q.Formula.Op != timed.Alive:
		return string(system.Safety)
	case q.Kind == timed.Invariantly:
		return "deadlock"
	case q.Kind == timed.Possibly:
		return "scenario"
	}
	return string(system.Liveness)
}

// recorded compares with the verdict that the file records; nil if it records none.
func recorded(q *timed.Query, x *verdict.Result) *report.Expectation {
	if q.Recorded == "" {
		return nil
	}
	want := verdict.Holds
	if q.Recorded == "not satisfied" {
		want = denied(q)
	}
	e := &report.Expectation{Property: q.Text, Want: string(want), Got: string(x.Verdict), Detail: "recorded in the file"}
	if q.Value != "" && len(q.Measures) > 0 {
		e.Want, e.Got = "the value is "+q.Value, x.Reason
		e.Met = x.Verdict == verdict.Holds && (x.Reason == e.Want || strings.HasPrefix(x.Reason, e.Want+";"))
		return e
	}
	e.Met = want == x.Verdict
	return e
}
