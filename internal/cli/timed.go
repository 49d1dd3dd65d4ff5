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
	Instance  *instanceOptions
	Limit     *limitOptions
	Symmetry  *symmetryOptions
	Search    *searchOptions
}

func (f *queries) idle() []idleOption { return f.Output.idle() }

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
		net, err := loadTimed(ctx, path, instance)
		if err != nil {
			return err
		}
		source = net.Source
		if err := f.checkQueries(ctx, net, instance, r); err != nil {
			return err
		}
	}
	lost := f.Output.write(s, &system.System{Source: source}, r)
	return orLost(lost, f.Output.verdict(ctx, &verify.Outcome{Results: r.Results}, r))
}

// loadTimed reads a model, with the constants of an instance such as N=2,FIFO=true.
func loadTimed(ctx context.Context, path, instance string) (*timed.Network, error) {
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
	net, err := uppaal.Load(ctx, path, constants)
	var d *diag.List
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, &exitError{verdict.ExitInterrupted, errors.New("interrupted")}
	case errors.Is(err, uppaal.ErrConstant):
		return nil, usage("--instance %s: %v", instance, err)
	case errors.As(err, &d) || errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) || err != nil && isDirectory(path):
		return nil, &exitError{verdict.ExitFile, err}
	}
	return net, err
}

// checkQueries adds the verdicts of one instance to a report, and stops early when it is interrupted.
func (f *queries) checkQueries(ctx context.Context, net *timed.Network, instance string, r *report.Report) error {
	for _, p := range f.Selection.properties {
		if !slices.ContainsFunc(net.Queries, func(q *timed.Query) bool { return q.Text == p }) {
			return usage("--property: the file has no query %q", p)
		}
	}
	for _, q := range net.Queries {
		if len(f.Selection.properties) > 0 && !slices.Contains(f.Selection.properties, q.Text) {
			continue
		}
		x, err := f.checkTimed(ctx, net, q)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
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
	x := &verdict.Result{
		Property: q.Text, Kind: timedKind(q), Verdict: verdict.Unknown, Scope: "model", Engine: "zone",
		Whole: true, States: found.Stored, Transitions: found.Steps, Depth: found.Depth, Elapsed: time.Since(start), Reason: found.Reason,
	}
	if q.Span.Source == net.Source {
		x.Line = q.Span.Line()
	}
	switch found.Answer {
	case zone.Satisfied:
		x.Verdict = verdict.Holds
	case zone.NotSatisfied:
		x.Verdict = verdict.Violated
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
		want = verdict.Violated
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
