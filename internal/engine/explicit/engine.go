package explicit

import (
	"context"
	"errors"
	"fmt"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vacuity"
)

// Engine explores the instance of a task. Its options are the options of Check that no limit of the
// task gives.
type Engine struct {
	Options Options
	// explore from all states that satisfy the properties, instead of from the initial ones
	Inductive bool
	Levels    bool // results have their Levels
}

// Name is the engine's name in results.
func (e *Engine) Name() string { return Name }

// Accepts gives the reason why there is nothing to explore.
func (e *Engine) Accepts(t *engine.Task) string {
	switch {
	case t.Method != engine.Explore || t.System == nil:
		return "finite instances of a system are explored"
	case t.Has(engine.Claim.IsInvariant), t.Has(engine.Claim.IsDeadlock),
		e.Options.Deadlock && !t.Named:
		return ""
	case !t.Named && len(t.System.Scenarios) > 0:
		return "" // for the notes on vacuity
	case !t.Named && t.System.Computed != nil:
		return "" // for the counts
	}
	return "nothing is claimed of states"
}

// Run explores the instance.
func (e *Engine) Run(
	ctx context.Context, t *engine.Task, to engine.Sink,
) (*engine.Findings, error) {
	opts := e.asked(t)
	opts.Limits = t.Limits
	opts.Sink, opts.Vacuity, opts.Signs = to, true, vacuity.SignsOf(t.System, opts.Only)
	explore := Explore
	if e.Inductive {
		explore = inductive
	}
	within, cancel := t.Limits.Each.Bound(ctx)
	defer cancel()
	x, err := explore(within, t.System, t.Instance, opts)
	if err != nil {
		return nil, err
	}
	if e.Levels {
		for i := range x.Results {
			x.Results[i].Levels = x.Stats.Levels[:min(len(x.Stats.Levels), int(x.Results[i].Depth))]
		}
	}
	return e.findings(t, x, result.Over(within), opts.Deadlock), nil
}

// asked are the options with what a task asks for.
func (e *Engine) asked(t *engine.Task) Options {
	opts := e.Options
	opts.Only, opts.Deadlock = t.Names(engine.Claim.IsInvariant), opts.Deadlock ||
		t.Has(engine.Claim.IsDeadlock)
	return opts
}

func (e *Engine) findings(
	t *engine.Task, x *Exploration, over result.Reason, deadlock bool,
) *engine.Findings {
	found := &engine.Findings{Results: append(x.Results, conclude(t, &x.Stats, over)...),
		Summary: x.Stats.summary(t.Instance),
		Sample:  x.Stats.Sample}
	if !e.Inductive { // the rest is about reachable states
		found.Notes = append(x.Stats.notes(t.Instance,
			deadlock || t.System.Computed != nil), leftOut(t.System, t.Instance)...)
		if note := alike(t.System, t.Instance); note != "" {
			found.Notes = append(found.Notes, note)
		}
		if x.Stats.States > 0 {
			found.Seen = &engine.Seen{Complete: x.Stats.Complete, Shown: x.Stats.Shown,
				Missing: x.Stats.Vacuous, Idle: x.Stats.NeverEnabled}
		}
	}
	return found
}

// alike says what verdicts rest on where the file itself says which states are alike.
func alike(sys *system.System, in *system.Instance) string {
	if sys.Computed == nil {
		return ""
	}
	if _, ok := sys.Computed.Computed.(system.Representing); !ok {
		return ""
	}
	return fmt.Sprintf("%s: of the states that the file's symmetry or view makes alike, one is "+
		"counted and checked: the verdicts rest on the properties not telling them apart", in.Name)
}

// leftOut says of the bounds that an instance sets for sequences without one what they leave out.
func leftOut(sys *system.System, in *system.Instance) (notes []string) {
	for _, sym := range sys.Symbols {
		if v := in.Values[sym]; sym.Grows && v != nil {
			notes = append(notes, fmt.Sprintf("%s: steps that need more places than %s = %s are "+
				"left out", in.Name, sym, v))
		}
	}
	return notes
}

func (s *Stats) summary(in *system.Instance) string {
	text := fmt.Sprintf("explored %s: %s, depth %d", in.Name,
		engine.Counted(int(s.States), "state", "states"), s.Depth)
	if s.Bits {
		text += ", with a set of bits"
	}
	return text
}

// slowStates is the number of states for which a person waits where the steps are interpreted.
const slowStates = 20_000

func (s *Stats) notes(in *system.Instance, deadlock bool) (notes []string) {
	if s.Generated > 0 {
		notes = append(notes, fmt.Sprintf("%s: %d states generated, %d distinct", in.Name,
			s.Generated, s.States))
	}
	if s.Unreduced != "" {
		notes = append(notes,
			fmt.Sprintf("%s: no partial order reduction was done: %s", in.Name, s.Unreduced))
	}
	if s.Uncompiled != "" && s.States >= slowStates {
		notes = append(notes, fmt.Sprintf("%s: the steps are interpreted, which takes ten times "+
			"as long or more: %s", in.Name, s.Uncompiled))
	}
	if s.Asymmetric != "" {
		notes = append(notes, fmt.Sprintf("%s: explored without symmetry: %s", in.Name,
			s.Asymmetric))
	}
	if note := s.Symmetric.note(in.Name); note != "" {
		notes = append(notes, note)
	}
	if s.Deadlocks > 0 && !deadlock {
		notes = append(notes,
			fmt.Sprintf("%s: %d of %d states have no successor; --deadlock shows a run to one",
				in.Name, s.Deadlocks, s.States))
	}
	return notes
}

// inductive decides for one instance whether the properties are inductive: they hold in the initial
// states, and a step from any state that satisfies them all leads to such a state again. A property
// that is not inductive gets a counterexample to induction. If all are inductive, each holds in
// every reachable state of the instance.
func inductive(
	ctx context.Context, sys *system.System, in *system.Instance, opts Options,
) (*Exploration, error) {
	if why := sys.Unbounded(in); why != "" {
		return nil, engine.Unfit(errors.New(why))
	}
	first := opts
	first.Limits.Depth, first.Vacuity, first.Sink = 1, false, engine.Sink{}
	base, err := Check(ctx, sys, in, first)
	if err != nil {
		return nil, err
	}
	// a state that is chosen at random hardly ever satisfies all properties and has a bad successor
	opts.NoScout = true
	steps, err := Explore(ctx, system.Inductive(sys), in, opts)
	if err != nil {
		return nil, err
	}
	for i, r := range steps.Results {
		switch {
		case base[i].Verdict == result.Violated || base[i].Verdict == result.Unknown ||
			base[i].Verdict == result.NothingChecked:
			steps.Results[i] = base[i]
		case r.Verdict == result.Violated:
			steps.Results[i].Verdict = result.NotInductive
			steps.Results[i].Trace.Kind = result.ToInduction
		}
	}
	return steps, nil
}
