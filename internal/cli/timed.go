package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/zone"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/front/uppaal"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/timed"
	"erelong.dev/erelong/internal/verify"
)

// queries is the handler of verify and check with models of timed automata, which checks their
// queries.
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

func (f *queries) idle() []idleOption {
	out := f.Output.idle()
	if f.Search.search == explicit.DepthFirst {
		out = append(out, idleOption{"threads", "a depth-first search has one thread"})
	}
	return out
}

func (f *queries) limits() timeLimit { return f.Time }

func (f *queries) run(ctx context.Context, s *streams, args []string) error {
	path := args[0]
	if err := f.Output.valid(path); err != nil {
		return err
	}
	if f.Limit.maxStates < 0 || f.Search.threads < 0 {
		return usage("--max-states and --threads must not be negative")
	}
	if f.Search.search != explicit.DepthFirst && f.Search.search != explicit.BreadthFirst {
		if !f.Search.given("search") { // a project's search for its specifications
			f.Search.search = explicit.BreadthFirst
		}
	}
	if f.Search.search != explicit.DepthFirst && f.Search.search != explicit.BreadthFirst {
		return usage("--search %s: models of timed automata have the searches %s and %s",
			f.Search.search, explicit.BreadthFirst, explicit.DepthFirst)
	}
	if err := tryTargets(path, f.Output.targets(path)); err != nil {
		return err
	}
	r := &report.Report{Version: Version(), File: path, Command: f.command,
		Environment: report.Environment{Date: time.Now(), CPUs: runtime.NumCPU()}}
	source, err := f.decide(ctx, s, path, r)
	if err != nil {
		return err
	}
	lost := f.Output.write(s, &system.System{Source: source}, r)
	return orLost(lost, f.Output.verdict(ctx, &verify.Outcome{Results: r.Results}, r))
}

// decide adds the verdicts of all instances to a report, and shows progress.
func (f *queries) decide(
	ctx context.Context, s *streams, path string, r *report.Report,
) (source *diag.Source, err error) {
	instances := f.Instance.instances
	if len(instances) == 0 {
		instances = []string{""}
	}
	m := newMeter(s)
	defer m.done()
	defer collectOften()()
	progress := m.event
	if f.Output.Report.quiet {
		progress = nil
	}
	for _, instance := range instances {
		net, err := loadTimed(ctx, s, path, f.Queries.path, instance)
		if err != nil {
			return nil, err
		}
		source = net.Source
		for _, note := range net.Notes {
			if !slices.Contains(r.Notes, note) {
				r.Notes = append(r.Notes, note)
			}
		}
		if err := f.check(ctx, net, instance, r, progress); err != nil {
			return nil, err
		}
	}
	return source, nil
}

// loadTimed reads a model, with the constants of an instance such as N=2,FIFO=true.
func loadTimed(
	ctx context.Context, s *streams, path, queries, instance string,
) (*timed.Network, error) {
	constants, err := uppaal.Constants(instance)
	if err != nil {
		return nil, usage("--instance %s: %v", instance, err)
	}
	file, err := s.open(ctx, path, front.Options{Queries: queries, Constants: constants})
	var d *diag.List
	switch {
	case err != nil && result.ByUser(ctx):
		return nil, &exitError{ExitInterrupted, errors.New("interrupted")}
	case err != nil && ctx.Err() != nil:
		return nil, &exitError{ExitUnknown, fmt.Errorf("reading %s: %s", path, result.Over(ctx))}
	case errors.Is(err, uppaal.ErrConstant):
		return nil, usage("--instance %s: %v", instance, err)
	case errors.As(err, &d) || errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) ||
		err != nil && isDirectory(path):
		return nil, &exitError{ExitFile, err}
	}
	return file.Network, err
}

// check adds the verdicts of one instance to a report.
func (f *queries) check(
	ctx context.Context, net *timed.Network, instance string, r *report.Report,
	progress func(engine.Progress),
) error {
	o := verify.Options{Each: f.Time.perProperty(), Progress: progress,
		Explicit: explicit.Options{Limits: engine.Limits{States: f.Limit.maxStates}}}
	o.Zone = zone.Options{
		DepthFirst: f.Search.search == explicit.DepthFirst,
		Shortest:   f.Search.set() && f.Search.search == explicit.BreadthFirst,
		Asymmetric: f.Symmetry.set() && !f.Symmetry.symmetry,
		Threads:    f.Search.threads,
	}
	claims, err := zone.Claims(net, f.Selection.properties)
	if err != nil {
		return usage("--property: %v; --query FILE asks the queries of another file", err)
	}
	if f.Search.threads > 1 {
		one := slices.DeleteFunc(slices.Clone(claims), func(c engine.Claim) bool {
			return zone.Threaded(c.Query)
		})
		why := "--threads: the queries A<>, E[] and --> are decided by one thread"
		if len(one) == len(claims) && len(claims) > 0 && f.Search.given("threads") {
			return usage("%s", why)
		} else if len(one) > 0 && !slices.Contains(r.Notes, why) {
			r.Notes = append(r.Notes, why)
		}
	}
	outcome, err := verify.RunNetwork(ctx, net, claims, instance, o)
	if err != nil {
		return err
	}
	r.Results, r.Notes = append(r.Results, outcome.Results...), append(r.Notes, outcome.Notes...)
	for i := range outcome.Results {
		x := &outcome.Results[i]
		// Verdicts are recorded for the unchanged file.
		if e := report.Recorded(claims[i].Query, x); e != nil && instance == "" {
			r.Expectations = append(r.Expectations, *e)
		}
	}
	return nil
}
