package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"erelong.dev/erelong/internal/conformance"
	"erelong.dev/erelong/internal/conformance/observe"
	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/itf"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// conform is the handler of the command trace.
type conform struct {
	Pass    *passOptions
	Conform *conformOptions
	Whole   *wholeOptions
}

// conformOptions are the options of trace alone.
type conformOptions struct {
	instance  string
	observe   string
	format    string
	itf       string
	silent    int
	maxStates int
	mutants   int
	seed      uint64
	bounds    bool
	html      string
	follow    bool
}

func (o *conformOptions) flags(fl *pflag.FlagSet) {
	fl.StringVarP(&o.instance, "instance", "i", "",
		"the instance that the log is of: a name of the file, or as in node=3,N=4 (default: "+
			"what the declarations say, else the first of the file)")
	fl.StringVar(&o.observe, "observe", "",
		"the declarations that relate the events to the specification (default: its lines "+
			"that begin with #:, or the file with its name and .observe)")
	fl.StringVar(&o.format, "format", "text", "text or json")
	fl.StringVar(&o.itf, "itf", "",
		"write the run, or the longest one, as an ITF trace to this file (.itf.json)")
	fl.IntVar(&o.silent, "silent", -1,
		"silent actions between two events (default: what the declarations say, else 3)")
	fl.Lookup("silent").DefValue = "0" // the text says what the default is
	fl.IntVar(&o.maxStates, "max-states", 0,
		"give up after this number of pairs of positions and states (0: 5,000,000)")
	fl.IntVar(&o.mutants, "mutants", 0,
		"changed logs that are tried after a log was accepted (0: 40; negative: none)")
	fl.Uint64Var(&o.seed, "seed", 0, "of the changes")
	fl.StringVar(&o.html, "html", "",
		"write the result, and with --bounds a picture of the timing, as a page to this file")
	fl.BoolVarP(&o.follow, "follow", "f", false,
		"go on as the log grows, until Ctrl-C, or until it is no run: the order is that of the "+
			"lines")
	fl.BoolVar(&o.bounds, "bounds", false,
		"measure Delta and Phi: the least bounds for which the log is a run under "+
			"partial synchrony")
}

func traceCommand(s *streams) *cobra.Command {
	return attach(&cobra.Command{
		Use:   "trace FILE LOG...",
		Short: "Is a recorded run of a program a run of the specification?",
		Long: `trace reads a log, one JSON object a line with the fields node, inc, seq, t, event, args and obs, and searches for a run of the
specification whose steps are these events and whose states are as observed. An event with the name of an action is that action;
declarations in FILE's lines that begin with #:, in FILE's name with .observe, or in --observe, relate other events and fields (erelong
help real-systems). An .itf.json file is a log, too. Several logs, such as one of each process, are read as one.

If there is such a run, trace says what the log exercises, and how many changed logs are rejected. If there is none, it shows how
far the log is a run, and why each step that could come next is none.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usage("%s takes a specification and logs, but got %d arguments",
					cmd.CommandPath(), len(args))
			}
			return nil
		},
	}, s, map[kind]handler{specifications: &conform{
		&passOptions{}, &conformOptions{}, &wholeOptions{},
	}})
}

func (f *conform) run(ctx context.Context, s *streams, args []string) error {
	path, log := args[0], strings.Join(args[1:], ", ")
	o := f.Conform
	if err := o.check(); err != nil {
		return err
	}
	if err := tryTargets(path,
		[]target{{flag: "itf", path: o.itf}, {flag: "html", path: o.html}}); err != nil {
		return err
	}
	ctx, cancel, err := f.Whole.bound(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	spec, err := load(ctx, s, path, f.Pass, front.Options{})
	if err != nil {
		return err
	}
	file, err := f.declarations(path, spec.System.Source)
	if err != nil {
		return err
	}
	if o.follow {
		if err := f.followable(args[1:], file); err != nil {
			return err
		}
	}
	inst, err := f.chosen(spec.System, file)
	if err != nil {
		return err
	}
	about := conformance.Context{
		Spec: path, Log: log, Instance: inst.Name, Snippet: spec.System.Source.Line,
	}
	if o.follow {
		return f.followed(ctx, s, about, spec, inst, file)
	}
	if f.streams(args[1:]) && len(spec.System.Growing(inst)) == 0 {
		r, err := f.streamed(ctx, args[1:], spec, inst, file)
		if !errors.Is(err, conformance.ErrWhole) {
			if err != nil {
				return failed(ctx, log, err)
			}
			return f.write(s, r, about)
		}
	}
	events, err := readLogs(s, args[1:], file)
	if err != nil {
		return err
	}
	if err := conformance.Identify(log, file, events); err != nil {
		return &exitError{ExitFile, err}
	}
	checker, err := f.checker(spec, inst, file, conformance.PlacesFor(events))
	if err != nil {
		return err
	}
	r, err := checker.Check(ctx, log, events)
	if err != nil {
		return failed(ctx, log, err)
	}
	err = f.write(s, r, about)
	var measured *conformance.Measured
	if o.bounds && err == nil {
		measured = &conformance.Measured{Theorem: file.Timing.Theorem}
		if measured.Bounds, err = conformance.Bounds(log, file, events); err != nil {
			return &exitError{ExitFile, err}
		}
		measured.Pictures = checker.Pictures(events, r.Run, measured.Bounds)
		err = f.writeBounds(s, log, measured)
	}
	if o.html == "" {
		return err
	}
	return orLost(writeFile(o.html, func(w io.Writer) error {
		return conformance.WriteHTML(w, r, about, measured)
	}), err)
}

// check refuses values of options that mean nothing.
func (o *conformOptions) check() error {
	switch {
	case o.format != "text" && o.format != "json":
		return usage("--format %s: text or json is expected", o.format)
	case o.maxStates < 0:
		return usage("--max-states must not be negative")
	}
	return nil
}

// checker relates logs to an instance.
func (f *conform) checker(
	spec *ere.Specification, inst *system.Instance, file *observe.File, places int64,
) (*conformance.Checker, error) {
	o := f.Conform
	checker, err := conformance.New(spec, inst, file, conformance.Options{
		SilentMost: o.silent, MaxStates: o.maxStates, Mutants: o.mutants, Seed: o.seed,
		Places: places,
	})
	if err != nil {
		if d := interp.Diagnostic(err, inst); d != nil {
			err = &diag.List{All: []*diag.Diagnostic{d}}
		}
		return nil, &exitError{ExitFile, err}
	}
	return checker, nil
}

// failed is the end of the program for an error of a check.
func failed(ctx context.Context, log string, err error) error {
	var defect *conformance.DefectError
	var end *exitError
	var limit *result.Limit
	switch {
	case errors.As(context.Cause(ctx), &limit):
		return &exitError{ExitUnknown, fmt.Errorf("%s: unknown: %s", log, limit.Reached())}
	case ctx.Err() != nil:
		return &exitError{ExitInterrupted, errors.New("interrupted")}
	case conformance.ErrNothing(err):
		return &exitError{ExitNothingChecked, fmt.Errorf("%s: %w", log, err)}
	case errors.As(err, &defect), errors.As(err, &end):
		return err
	}
	return &exitError{ExitFile, err}
}

// writeBounds prints the bounds of a log that is accepted.
func (f *conform) writeBounds(s *streams, log string, m *conformance.Measured) error {
	var err error
	if f.Conform.format == "json" {
		err = conformance.WriteBoundsJSON(s.out, log, m.Bounds)
	} else {
		err = conformance.WriteBounds(s.out, m.Bounds, m.Theorem)
	}
	if err != nil {
		return fmt.Errorf("writing the bounds: %w", err)
	}
	return nil
}

// write prints the result, and writes the run.
func (f *conform) write(s *streams, r *conformance.Result, c conformance.Context) error {
	write := conformance.WriteText
	if f.Conform.format == "json" {
		write = conformance.WriteJSON
	}
	if err := write(s.out, r, c); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	var lost error
	if f.Conform.itf != "" {
		trace := r.Run.Trace()
		lost = writeFile(f.Conform.itf, func(w io.Writer) error { return itf.Write(w, trace) })
	}
	switch r.Answer {
	case conformance.Accepted:
		return orLost(lost, nil)
	case conformance.NotAccepted:
		return orLost(lost, &exitError{ExitNoRun, nil})
	}
	return orLost(lost, &exitError{ExitUnknown, nil})
}

// declarations reads the declarations that are named, or that stand in the specification or beside
// it.
func (f *conform) declarations(spec string, source *diag.Source) (*observe.File, error) {
	path := f.Conform.observe
	if path == "" {
		text, inside := observe.Embedded(source.Text)
		path = strings.TrimSuffix(spec, filepath.Ext(spec)) + ".observe"
		_, err := os.Stat(path)
		beside := spec != standardInput && !errors.Is(err, os.ErrNotExist)
		switch {
		case inside && beside:
			return nil, &exitError{ExitFile, fmt.Errorf(
				"declarations stand in %s and in %s: join them, or choose a file by --observe",
				spec, path)}
		case inside:
			return parsed(observe.Parse(spec, text))
		case !beside:
			return observe.Default(), nil
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, &exitError{ExitFile, fmt.Errorf("reading the declarations: %w", err)}
	}
	return parsed(observe.Parse(path, string(text)))
}

func parsed(file *observe.File, err error) (*observe.File, error) {
	if err != nil {
		return nil, &exitError{ExitFile, err}
	}
	return file, nil
}

// chosen finds the instance.
func (f *conform) chosen(sys *system.System, file *observe.File) (*system.Instance, error) {
	if f.Conform.instance == "" && file.Instance != "" {
		inst, err := (&simulation{Sim: &simOptions{},
			Screen: &screenOptions{instance: file.Instance}}).chosen(sys)
		if err != nil {
			return nil, &exitError{ExitFile,
				fmt.Errorf("%s:%d: %w", file.Name, file.InstanceLine, err)}
		}
		return inst, nil
	}
	return (&simulation{Sim: &simOptions{},
		Screen: &screenOptions{instance: f.Conform.instance}}).chosen(sys)
}

// readLogs reads logs as one.
func readLogs(s *streams, paths []string, file *observe.File) (all []*runlog.Event, err error) {
	for _, path := range paths {
		events, err := readLog(s, path, file)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			if len(paths) > 1 {
				e.File = path
			}
			if len(paths) > 1 && e.Name == runlog.FirstState {
				return nil, &exitError{ExitFile,
					fmt.Errorf("%s is a whole run: it is no part of several logs", path)}
			}
		}
		all = append(all, events...)
	}
	return all, nil
}

// readLog reads a log: lines of JSON, or an ITF trace.
func readLog(s *streams, path string, file *observe.File) ([]*runlog.Event, error) {
	in := s.in
	if path != standardInput {
		f, err := os.Open(path)
		if err != nil {
			return nil, &exitError{ExitFile, fmt.Errorf("reading the log: %w", err)}
		}
		defer f.Close()
		in = f
	}
	read := runlog.Read
	if strings.HasSuffix(path, ".itf.json") {
		read = runlog.ReadITF
	}
	events, err := read(path, in, file.Shape)
	if err != nil {
		return nil, &exitError{ExitFile, err}
	}
	return events, nil
}
