package erelong

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/engine/zone"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/verify"
)

// Options are the settings of a verification. The zero value is `erelong verify` without options,
// but without the cache of proofs. [Spec.Verify] refuses settings that contradict each other, that
// have no effect beside others, or that the language of the specification has no use for. The error
// is an [*OptionError].
type Options struct {
	Properties []string // names; none for all
	// Instances are names of instances of the file, or texts such as "node = 3, last = 2..4"; none
	// for all instances of the file. For a model of timed automata, a text gives values of its
	// constants.
	Instances []string

	NoExplore   bool // do not explore instances: only prove
	NoProof     bool // prove nothing for all instances: only explore
	NoInference bool // do not look for invariants where a proof lacks some
	NoLiveness  bool // do not look for ranking functions, which prove liveness

	Exploration Exploration
	Induction   Induction
	Liveness    Liveness
	Solving     Solving
	// Effort bounds the work of each search for invariants or ranking functions, in million units
	// of resources of z3, of which 5 stand for a second; 0 for the default, and NoLimit for none.
	Effort int64

	Timeout         time.Duration // for everything; 0 for no limit. Finished results are reported
	PropertyTimeout time.Duration // for each proof, and each exploration; 0 for no limit
	// Progress gets lines about the progress, from one goroutine at a time; may be nil.
	Progress func(text string)
}

// NoLimit lifts the limit of [Options].Effort.
const NoLimit = -1

// Exploration is how instances are explored, state by state.
type Exploration struct {
	Deadlock  bool  // a reachable state without successor is a violation
	MaxStates int64 // distinct states of an instance, 0 for no limit
	MaxDepth  int64 // states of a run, 0 for no limit
	// Memory is the number of bytes for states, of which the rest goes to disk; 0 for three
	// quarters of the machine's memory.
	Memory  int64
	Threads int    // 0 for one a processor; results do not depend on it
	Search  Search // the order of the search
	Store   Store  // what is kept of a state
	// Symmetry explores and counts one of the states that differ by a permutation of elements.
	Symmetry bool
	// PartialOrder leaves out orders of steps that do not change a verdict.
	PartialOrder bool
	// StopAtViolation ends an exploration at its first violation.
	StopAtViolation bool
}

// Search is the order in which states are found.
type Search string

// The orders of a search.
const (
	BreadthFirst Search = explicit.BreadthFirst // the default, with shortest counterexamples
	DepthFirst   Search = explicit.DepthFirst
)

// Store is what is kept of a state. Both are exact.
type Store string

// The stores of states.
const (
	Exact Store = explicit.Exact // the default
	// slower, in less memory, for states of at most 64 bits
	Packed Store = explicit.Packed
)

// Induction is how properties are proved by induction.
type Induction struct {
	// States is the number of consecutive states that satisfy the hypothesis: 0 or 1 for plain
	// induction, k for k-induction.
	States int
	// SimplePath makes these states distinct, as they are on every shortest run to a violation.
	SimplePath bool
}

// Liveness is what a proof of liveness tells beside the verdict.
type Liveness struct {
	// Bounds compares the bounds on the number of steps with the runs of the instances, see
	// [Ranking].Observed.
	Bounds bool
	Rounds string // with Bounds: the action whose steps are counted; empty for all steps
}

// Solving is how SMT solvers are asked.
type Solving struct {
	Solvers []string // names, in the order of preference; none for all that are installed
	Rlimit  int64    // for each question, in units of z3; 0 for the default
	Seed    int      // of the solvers
	Jobs    int      // questions at a time, 0 for one a processor
}

// OptionError says that a setting contradicts another one, or does not fit the specification.
type OptionError struct {
	Option string // such as Options.Induction.SimplePath; empty where several are concerned
	Reason string
}

// Error gives the setting and the reason.
func (e *OptionError) Error() string {
	if e.Option == "" {
		return e.Reason
	}
	return e.Option + ": " + e.Reason
}

// rule is a condition that settings must not satisfy.
type rule struct {
	broken bool
	option string // without the word Options
	reason string
}

func firstBroken(rules []rule) error {
	for _, r := range rules {
		if r.broken {
			return &OptionError{"Options." + r.option, r.reason}
		}
	}
	return nil
}

// valid refuses settings that make no sense for any specification.
func (o *Options) valid() error {
	const negative, unused = "must not be negative", "would have no effect: "
	explores, proves, k := unused+"NoExplore is set", unused+"NoProof is set", o.Induction.States
	searches := !o.NoProof && !(o.NoInference && o.NoLiveness)
	e := o.Exploration
	err := firstBroken([]rule{
		{o.NoExplore && o.NoProof, "NoProof", "with NoExplore there is nothing to do"},
		{e.MaxStates < 0, "Exploration.MaxStates", negative},
		{e.MaxDepth < 0, "Exploration.MaxDepth", negative},
		{e.Memory < 0, "Exploration.Memory", negative},
		{e.Threads < 0, "Exploration.Threads", negative},
		{k < 0, "Induction.States", negative},
		{o.Solving.Rlimit < 0, "Solving.Rlimit", negative},
		{o.Solving.Jobs < 0, "Solving.Jobs", negative},
		{o.Timeout < 0, "Timeout", negative},
		{o.PropertyTimeout < 0, "PropertyTimeout", negative},
		{o.Effort < NoLimit, "Effort", "is neither a limit nor NoLimit"},
		{o.NoExplore && e != Exploration{}, "Exploration", explores},
		{o.NoExplore && len(o.Instances) > 0 && !o.Liveness.Bounds, "Instances", explores},
		{o.NoProof && o.Induction != Induction{}, "Induction", proves},
		{o.NoProof && o.Liveness != Liveness{}, "Liveness", proves},
		{o.NoProof && !o.Solving.isZero(), "Solving", proves},
		{o.NoLiveness && o.Liveness != Liveness{}, "Liveness", unused + "NoLiveness is set"},
		{o.Effort != 0 && !searches, "Effort", unused + "nothing is searched for"},
		{o.Induction.SimplePath && k < 2, "Induction.SimplePath",
			"needs States of at least 2: one state is distinct anyway"},
		{o.Liveness.Rounds != "" && !o.Liveness.Bounds, "Liveness.Rounds",
			unused + "Bounds is not set"},
		{e.Search == DepthFirst && e.Threads > 1, "Exploration.Threads",
			"a depth-first search has one thread"},
		{e.Search == DepthFirst && e.MaxDepth > 0, "Exploration.MaxDepth",
			"a depth-first search does not go by depth"},
		{!slices.Contains([]Search{"", BreadthFirst, DepthFirst}, e.Search), "Exploration.Search",
			fmt.Sprintf("there is no search %q", e.Search)},
		{!slices.Contains([]Store{"", Exact, Packed}, e.Store), "Exploration.Store",
			fmt.Sprintf("there is no store %q", e.Store)},
	})
	if err != nil {
		return err
	}
	for _, name := range o.Solving.Solvers {
		if !slices.Contains(smt.Names(), name) {
			return &OptionError{"Options.Solving.Solvers", fmt.Sprintf("there is no solver %q, "+
				"but %s", name, strings.Join(smt.Names(), ", "))}
		}
	}
	if err := o.explicit().Valid(); err != nil {
		return &OptionError{"Options.Exploration", err.Error()}
	}
	return nil
}

// fitsModel refuses settings that are not for models of timed automata.
func (o *Options) fitsModel() error {
	const explored = "a model of timed automata is explored by its zones, and nothing else"
	rest := o.Exploration
	rest.MaxStates, rest.Threads, rest.Search = 0, 0, ""
	return firstBroken([]rule{
		{o.NoExplore, "NoExplore", explored},
		{rest != Exploration{}, "Exploration",
			"of a model of timed automata, MaxStates, Threads and Search are read only"},
		{o.Induction != Induction{}, "Induction", explored},
		{o.Liveness != Liveness{}, "Liveness", explored},
		{!o.Solving.isZero(), "Solving", explored},
		{o.Effort != 0, "Effort", explored},
	})
}

// fits refuses settings that do not fit the systems of a specification.
func (o *Options) fits(systems []*derive.Derived) error {
	rounds := o.Liveness.Rounds
	if rounds == "" {
		return nil
	}
	var names []string
	for _, d := range systems {
		for _, a := range d.Spec.System.Actions {
			if a.Name == rounds {
				return nil
			}
			names = append(names, a.Name)
		}
	}
	return &OptionError{"Options.Liveness.Rounds", fmt.Sprintf("there is no action %q; the file "+
		"has %s", rounds, strings.Join(names, ", "))}
}

func (s *Solving) isZero() bool {
	return len(s.Solvers) == 0 && s.Rlimit == 0 && s.Seed == 0 && s.Jobs == 0
}

// run gives the settings of the engines.
func (o *Options) run() verify.Options {
	run := verify.Default()
	run.Explore, run.Prove = !o.NoExplore, !o.NoProof
	run.Infer, run.Live = run.Prove && !o.NoInference, run.Prove && !o.NoLiveness
	run.Only, run.Explicit, run.Stop = o.Properties, o.explicit(), o.Exploration.StopAtViolation
	solving := discharge.Options{Jobs: o.Solving.Jobs, Solving: discharge.Solving{
		Solvers: o.Solving.Solvers, Rlimit: o.Solving.Rlimit, Seed: o.Solving.Seed}}
	run.Induct = induction.Options{Options: solving, Induction: max(o.Induction.States, 1),
		SimplePath: o.Induction.SimplePath}
	run.Bmc = bmc.Options{Options: solving}
	run.Observe, run.Rounds = o.Liveness.Bounds, o.Liveness.Rounds
	switch {
	case o.Effort == NoLimit:
		run.Effort = 0
	case o.Effort > 0:
		run.Effort = o.Effort * effort.Million
	}
	if o.Exploration.MaxStates > 0 {
		run.GuessStates, run.GuessTime = 0, 0 // the user sets the limits
	}
	if o.PropertyTimeout > 0 {
		run.Each = result.TimeLimit(o.PropertyTimeout, "Options.PropertyTimeout",
			result.PropertyOutOfTime)
	}
	return run
}

func (o *Options) explicit() explicit.Options {
	e := &o.Exploration
	return explicit.Options{
		Deadlock:  e.Deadlock,
		Limits:    engine.Limits{States: e.MaxStates, Depth: e.MaxDepth},
		Storage:   explicit.Storage{Memory: e.Memory, Store: string(e.Store)},
		Threads:   e.Threads,
		Reduction: explicit.Reduction{Symmetry: e.Symmetry, PartialOrder: e.PartialOrder},
		Strategy:  explicit.Strategy{Search: string(e.Search), Stop: e.StopAtViolation},
	}
}

// zone gives the settings for models of timed automata.
func (o *Options) zone() zone.Options {
	return zone.Options{DepthFirst: o.Exploration.Search == DepthFirst,
		Shortest: o.Exploration.Search == BreadthFirst, Threads: o.Exploration.Threads}
}
