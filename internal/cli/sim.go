package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/itf"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/screen"
	"erelong.dev/erelong/internal/sim"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/verify"
)

// lastState is the value of --step that stands for the end of the trace.
const lastState = "last"

// simulation is the handler of sim.
type simulation struct {
	Pass   *passOptions
	View   *traceOptions
	Screen *screenOptions
	Sim    *simOptions
}

// simOptions are the options of sim alone.
type simOptions struct {
	trace     string
	step      string
	seed      uint64
	maxStates int
	generate  int
	to        string
}

// screenOptions say of what, and where, steps are shown.
type screenOptions struct {
	instance string
	screen   bool
}

func (o *screenOptions) flags(fl *pflag.FlagSet) {
	fl.StringVarP(&o.instance, "instance", "i", "",
		"the instance: a name of the file, or as in node=3,N=4 (default: the first of the file)")
	fl.BoolVar(&o.screen, "screen", false,
		"use the whole screen of the terminal, with keys in place of commands")
}

func (o *simOptions) flags(fl *pflag.FlagSet) {
	fl.StringVar(&o.trace, "trace", "", "replay this trace, an .itf.json file")
	fl.StringVar(&o.step, "step", "",
		"with --trace: step on from the end of the trace, or as in --step=3 from a state of it")
	fl.Lookup("step").NoOptDefVal = lastState
	fl.Uint64Var(&o.seed, "seed", 0, "of the random steps")
	fl.IntVar(&o.maxStates, "max-states", 0,
		"the number of states that 'until' may examine, and --generate (0: 50,000)")
	fl.IntVar(&o.generate, "generate", 0,
		"write at most this number of runs that cover actions and pairs of actions, for tests "+
			"of a program")
	fl.StringVar(&o.to, "to", "",
		"with --generate: the folder for the runs, each as .ndjson and .itf.json")
}

func simCommand(s *streams) *cobra.Command {
	place := &screenOptions{}
	return attach(&cobra.Command{
		Use:   "sim FILE",
		Short: "Step through a specification by hand, or replay a recorded trace",
		Long: `sim shows a state and the steps that it has; a number takes one, and 'help' lists what else can be done: go back, evaluate
expressions, look for a state, save the run. Commands may also come through a pipe, a line each.

With --trace it reads a trace in the ITF format, checks with the interpreter that it is a run of the specification (each
state follows from the one before by the action that the trace names), and shows it. --step opens the prompt at its end,
--step=K at its state K.

With --generate it writes runs that cover the actions, and pairs of actions one after the other, the shortest first: tests for a
program (erelong help real-systems).

With --screen it uses the whole screen: the arrows choose steps and go through the run, c shows the run as a chart. So a
model of timed automata is stepped through, too: its choices are steps and delays, and beside the exact values of the clocks
stands the zone of all values with which the same steps lead to the state.`,
		Args: oneFile,
	}, s, map[kind]handler{
		specifications: &simulation{&passOptions{}, &traceOptions{}, place, &simOptions{}},
		models:         &timedSimulation{place},
	})
}

// timedSimulation is the handler of sim with models of timed automata.
type timedSimulation struct{ Screen *screenOptions }

func (f *timedSimulation) run(ctx context.Context, s *streams, args []string) error {
	if !f.Screen.screen {
		return usage("a model of timed automata is stepped through on the whole screen: give " +
			"--screen")
	}
	if !s.interactive() {
		return usage("--screen needs a terminal")
	}
	net, err := loadTimed(ctx, s, args[0], "", f.Screen.instance)
	if err != nil {
		return err
	}
	x, err := sim.NewTimedExplorer(net, nil, f.Screen.instance)
	if err != nil {
		return unopened(ctx, err)
	}
	m, err := screen.New(ctx, x, sim.Address{First: 1},
		strings.TrimSpace(spoken(args[0])+" "+f.Screen.instance), nil)
	if err != nil {
		return &exitError{ExitFile, err}
	}
	return screen.Run(ctx, m)
}

// idle names the options without effect beside others.
func (f *simulation) idle() (out []idleOption) {
	if f.Sim.generate != 0 {
		why := "nothing is replayed or stepped through where runs are generated"
		return []idleOption{{"trace", why}, {"step", why}, {"seed", why}, {"screen", why}}
	}
	out = []idleOption{{"to", "it is about generated runs: give --generate, too"}}
	if f.Screen.screen {
		out = append(out, idleOption{"seed", "with --screen no steps are random"})
	}
	switch {
	case f.Sim.trace == "":
		return append(out, idleOption{"step", "it is about a trace: give --trace, too"})
	case f.Sim.step == "":
		why := "a trace is only replayed, unless --step is given, too"
		out = append(out, idleOption{"seed", why}, idleOption{"max-states", why},
			idleOption{"screen", why})
	}
	return append(out, idleOption{"instance", "the trace names its instance"})
}

func (f *simulation) run(ctx context.Context, s *streams, args []string) error {
	path, at := args[0], -1
	switch {
	case f.Sim.maxStates < 0:
		return usage("--max-states must not be negative")
	case f.Sim.generate < 0:
		return usage("--generate must not be negative")
	case f.Sim.generate > 0 && f.Sim.to == "":
		return usage("--generate needs --to FOLDER")
	case f.Sim.step != "" && f.Sim.step != lastState:
		k, err := strconv.ParseUint(f.Sim.step, 10, 31)
		if err != nil {
			return usage("--step=%s: the number of a state is expected", f.Sim.step)
		}
		at = int(k)
	}
	if f.Screen.screen && !s.interactive() {
		return usage("--screen needs a terminal")
	}
	derived, err := loadDerived(ctx, s, path, f.Pass, front.Options{})
	if err != nil {
		return err
	}
	spec := derived.Spec
	for _, h := range f.View.hide {
		if !slices.ContainsFunc(spec.System.Symbols, func(x *logic.Symbol) bool {
			return x.Name == h
		}) {
			return usage("--hide: the file has no symbol %q", h)
		}
	}
	if f.Sim.generate != 0 {
		return f.generated(ctx, s, spec.System)
	}
	view := report.Options{
		Color: s.color(), Width: s.width(), Full: f.View.full, Hide: f.View.hide,
		File: positions(spec.System, path), Snippet: spec.System.Source.Line,
	}
	o := sim.Options{View: view, Seed: f.Sim.seed, MaxStates: f.Sim.maxStates, Save: writeFile}
	if f.Sim.trace == "" {
		inst, err := f.chosen(spec.System)
		if err != nil {
			return err
		}
		if f.Screen.screen {
			return f.onScreen(ctx, derived, inst, nil, sim.Address{First: 1}, o)
		}
		return f.prompt(ctx, s, spec, inst, o)
	}
	trace, err := replay(ctx, spec.System, path, f.Sim.trace)
	if err != nil {
		return err
	}
	if f.Sim.step == "" {
		return report.WriteTrace(s.out, trace, view)
	}
	if f.Screen.screen {
		return f.onScreen(ctx, derived, nil, trace, sim.Address{At: at}, o)
	}
	session, err := sim.NewOfTrace(ctx, spec, trace, at, o)
	if err != nil {
		return usage("--step: %v", err)
	}
	return converse(ctx, s, session)
}

// prompt opens a session in an initial state.
func (f *simulation) prompt(
	ctx context.Context, s *streams, spec *ere.Specification, inst *system.Instance, o sim.Options,
) error {
	session, err := sim.New(ctx, spec, inst, o)
	if err != nil {
		return unopened(ctx, err)
	}
	return converse(ctx, s, session)
}

// unopened says why a session cannot begin.
func unopened(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return &exitError{ExitInterrupted, errors.New("interrupted")}
	case errors.Is(err, sim.ErrNothing):
		return &exitError{ExitNothingChecked, err}
	}
	return &exitError{ExitFile, err}
}

// onScreen shows a run on the whole screen, from an initial state of the instance or in a trace.
func (f *simulation) onScreen(
	ctx context.Context, d *derive.Derived, inst *system.Instance, t *result.Trace, at sim.Address,
	o sim.Options,
) error {
	x, err := sim.NewExplorer(ctx, d.Spec, inst, t, o)
	if err != nil {
		return unopened(ctx, err)
	}
	m, err := screen.New(ctx, x, at, strings.TrimSuffix(d.Spec.System.Name+" "+x.Instance(), " "),
		d.Tell)
	if err != nil {
		return usage("--step: %v", err)
	}
	m.Full(o.View.Full)
	return screen.Run(ctx, m)
}

// chosen finds the instance.
func (f *simulation) chosen(sys *system.System) (*system.Instance, error) {
	switch {
	case f.Screen.instance != "":
		all, err := (&instanceOptions{[]string{f.Screen.instance}}).chosen(sys)
		if err != nil {
			return nil, err
		}
		if len(all) > 1 {
			return nil, usage("--instance %s: these are %d instances, and a session has one",
				f.Screen.instance, len(all))
		}
		return all[0], nil
	case len(sys.Instances) > 0:
		return sys.Instances[0], nil
	}
	inst, why := verify.Guess(sys)
	if inst == nil {
		return nil, &exitError{ExitFile, fmt.Errorf("%s; or say --instance", why)}
	}
	return inst, nil
}

// replay reads a trace and checks that it is a run.
func replay(ctx context.Context, sys *system.System, file, path string) (*result.Trace, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, &exitError{ExitFile, fmt.Errorf("reading the trace: %w", err)}
	}
	defer in.Close()
	trace, err := itf.Read(in)
	if err != nil {
		return nil, &exitError{ExitFile, fmt.Errorf("reading the trace %s: %w", path, err)}
	}
	if trace, err = trace.Flat(sys.View); err != nil {
		return nil, &exitError{ExitFile, fmt.Errorf("the trace %s does not fit %s: %w", path, file,
			err)}
	}
	var property *system.Property
	if trace.Violates != "" && trace.Kind == result.Counterexample {
		if property = sys.Property(trace.Violates); property == nil &&
			trace.Violates != result.Deadlock {
			return nil, &exitError{ExitFile,
				fmt.Errorf("the trace violates %s, which the file does not have", trace.Violates)}
		}
	}
	if err := interp.Replay(ctx, sys, trace, property); err != nil {
		return nil, &exitError{ExitFile, fmt.Errorf("the trace is not a run of %s: %w", file, err)}
	}
	return trace, nil
}
