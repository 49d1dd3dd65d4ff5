package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"erelong/internal/interp"
	"erelong/internal/lang"
	"erelong/internal/logic"
	"erelong/internal/report"
	"erelong/internal/sim"
	"erelong/internal/system"
	"erelong/internal/verdict"
	"erelong/internal/verify"
)

// lastState is the value of --step that stands for the end of the trace.
const lastState = "last"

// simFlags are the flags of sim.
type simFlags struct {
	pass      string
	instance  string
	trace     string
	step      string
	full      bool
	hide      []string
	seed      uint64
	maxStates int
}

func simCommand(s *streams) *cobra.Command {
	f := &simFlags{}
	cmd := &cobra.Command{
		Use:   "sim FILE",
		Short: "Step through a specification by hand, or replay a recorded trace",
		Long: `sim shows a state and the steps that it has; a number takes one, and 'help' lists what else can be done: go back, evaluate
expressions, look for a state, save the run. Commands may also come through a pipe, a line each.

With --trace it reads a trace in the ITF format, checks with the interpreter that it is a run of the specification (each
state follows from the one before by the action that the trace names), and shows it. --step opens the prompt at its end,
--step=K at its state K.`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), s, args[0]) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.pass, "pass", "", passUsage)
	fl.StringVarP(&f.instance, "instance", "i", "", "the instance: a name of the file, or as in node=3,N=4 (default: the first of the file)")
	fl.StringVar(&f.trace, "trace", "", "replay this trace, an .itf.json file")
	fl.StringVar(&f.step, "step", "", "with --trace: step on from the end of the trace, or as in --step=3 from a state of it")
	fl.Lookup("step").NoOptDefVal = lastState
	fl.BoolVar(&f.full, "full", false, "show every variable in every state, not only what changes")
	fl.StringSliceVar(&f.hide, "hide", nil, "leave these variables out")
	fl.Uint64Var(&f.seed, "seed", 0, "of the random steps")
	fl.IntVar(&f.maxStates, "max-states", 0, "let 'until' look at so many states (0: 50,000)")
	return cmd
}

func (f *simFlags) run(ctx context.Context, s *streams, path string) error {
	at := -1
	switch {
	case f.step != "" && f.trace == "":
		return usage("--step is about a trace: give --trace, too")
	case f.trace != "" && f.instance != "":
		return usage("--instance cannot stand beside --trace: the trace names its instance")
	case f.maxStates < 0:
		return usage("--max-states must not be negative")
	case f.step != "" && f.step != lastState:
		k, err := strconv.ParseUint(f.step, 10, 31)
		if err != nil {
			return usage("--step=%s: the number of a state is expected", f.step)
		}
		at = int(k)
	}
	spec, err := load(s, path, f.pass)
	if err != nil {
		return err
	}
	for _, h := range f.hide {
		if !slices.ContainsFunc(spec.System.Symbols, func(x *logic.Symbol) bool { return x.Name == h }) {
			return usage("--hide: the file has no symbol %q", h)
		}
	}
	view := report.Options{
		Color: s.color(), Width: s.width(), Full: f.full, Hide: f.hide, File: path, Snippet: spec.System.Source.Line,
	}
	o := sim.Options{View: view, Seed: f.seed, MaxStates: f.maxStates, Save: writeFile}
	if f.trace == "" {
		return f.prompt(ctx, s, spec, o)
	}
	trace, err := replay(ctx, spec.System, path, f.trace)
	if err != nil {
		return err
	}
	if f.step == "" {
		return report.WriteTrace(s.out, trace, view)
	}
	session, err := sim.NewOfTrace(spec, trace, at, o)
	if err != nil {
		return usage("--step: %v", err)
	}
	return converse(ctx, s, session)
}

// prompt opens a session in an initial state.
func (f *simFlags) prompt(ctx context.Context, s *streams, spec *lang.Specification, o sim.Options) error {
	inst, err := f.chosen(spec.System)
	if err != nil {
		return err
	}
	session, err := sim.New(ctx, spec, inst, o)
	switch {
	case ctx.Err() != nil:
		return &exitError{verdict.ExitInterrupted, errors.New("interrupted")}
	case err != nil:
		return &exitError{verdict.ExitFile, err}
	}
	return converse(ctx, s, session)
}

// chosen finds the instance.
func (f *simFlags) chosen(sys *system.System) (*system.Instance, error) {
	switch {
	case f.instance != "":
		all, err := (&runFlags{instances: []string{f.instance}}).chosen(sys)
		if err != nil {
			return nil, err
		}
		return all[0], nil
	case len(sys.Instances) > 0:
		return sys.Instances[0], nil
	}
	inst, why := verify.Guess(sys)
	if inst == nil {
		return nil, &exitError{verdict.ExitFile, fmt.Errorf("%s; or say --instance", why)}
	}
	return inst, nil
}

// replay reads a trace and checks that it is a run.
func replay(ctx context.Context, sys *system.System, file, path string) (*verdict.Trace, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, &exitError{verdict.ExitFile, fmt.Errorf("reading the trace: %w", err)}
	}
	defer in.Close()
	trace, err := verdict.ReadITF(in)
	if err != nil {
		return nil, &exitError{verdict.ExitFile, fmt.Errorf("reading the trace %s: %w", path, err)}
	}
	var property *system.Property
	if trace.Violates != "" && trace.Kind == verdict.Counterexample {
		if property = sys.Property(trace.Violates); property == nil && trace.Violates != verdict.Deadlock {
			return nil, &exitError{verdict.ExitFile, fmt.Errorf("the trace violates %s, which the file does not have", trace.Violates)}
		}
	}
	if err := interp.Replay(ctx, sys, trace, property); err != nil {
		return nil, &exitError{verdict.ExitFile, fmt.Errorf("the trace is not a run of %s: %w", file, err)}
	}
	return trace, nil
}
