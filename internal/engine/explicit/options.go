package explicit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/vacuity"
)

// Options of Check, in groups that commands, the engine and jobs for other processes share. The
// zero value checks every property without limits, breadth-first on all processors.
type Options struct {
	// names of the properties to check; nil for all safety, invariant and range properties
	Only     []string
	Deadlock bool          // add a result for deadlock, of that name and kind
	Limits   engine.Limits // but Each, which bounds the context of Engine.Run
	// Work bounds a search that must be short whatever its steps are: the values that the
	// interpreter tries (interp.Budget), for the initial states, the steps and the properties
	// together; 0 for no limit. Such a search has one thread, and is not compiled. With Brief, this
	// goes for the part before compiling, and a search that uses up the work ends there.
	Work    int
	Threads int // 0 for one a processor
	Sink    engine.Sink

	Reduction
	Storage
	Strategy
	Witnesses
	Division
	Checkpoint explore.Checkpoint

	tuning
	budget *interp.Budget // what is left of Work
}

// Reduction leaves out states that do not matter to the verdicts.
type Reduction struct {
	// One representative for states that differ by a permutation of elements; it alone is counted.
	Symmetry bool
	// Partial order reduction: leave out irrelevant orders of steps; counts are of the remaining
	// states.
	PartialOrder bool
}

// Storage says how states are kept.
type Storage struct {
	Store string // the stored part of a state: Exact (the default), Packed, Hash or Bitstate
	// Bytes for states in memory, the rest goes to disk; 0 for three quarters of the machine's
	// memory.
	Memory   int64
	SpillDir string // where the temporary folder for states on disk is made; empty for the system's
}

// Values of Storage.Store.
const (
	Exact    = "exact"
	Packed   = "packed"   // exact, in less memory, for states of at most 64 bits
	Hash     = "hash"     // 64-bit hashes of the states
	Bitstate = "bitstate" // a few bits
)

// Strategy is the order of a search, and when it ends.
type Strategy struct {
	Search     string // BreadthFirst (the default), DepthFirst, RandomWalks or Swarm
	Seed       int64  // of random walks, and of a search of a swarm
	Walks      int64  // 0 for DefaultWalks
	WalkLength int64  // states of a walk, 0 for DefaultWalks

	Brief   bool // begin with the interpreter, and compile when the search is not short (brief.go)
	NoScout bool // no short searches from some of many initial states
	Stop    bool // at the end of the first level with a violation
}

// Values of Strategy.Search.
const (
	BreadthFirst = "bfs"
	DepthFirst   = "dfs"
	RandomWalks  = "random"
	Swarm        = "swarm" // one search of a swarm
)

// DefaultWalks is the default number of random walks, and of the states of one.
const DefaultWalks = 1000

// Witnesses asks what the states show beside the verdicts, for Stats.
type Witnesses struct {
	Vacuity bool // look for signs that are never true and actions that are never enabled
	// With Vacuity: the signs, also for incomplete searches; nil for the antecedents of the checked
	// properties.
	Signs []vacuity.Sign
}

// Division is for explorations that several processes divide.
type Division struct {
	Crew Crew // has the states of a divided exploration; nil for this process
	// Member takes part in a divided exploration with a share that join makes, until the
	// exploration ends; nil to explore. Then there are no results.
	Member func(ctx context.Context, join func(Peers) *Share) error
}

// tuning is for tests, and for searches that a search makes; zero for the defaults.
type tuning struct {
	manyInitial int          // initial states from which on a set of bits is tried
	atomBits    int          // bits of codes from which on a formula is divided
	mostInRound int          // most states that are expanded together
	recentFrom  int          // states from which on recent ones are remembered
	savingFrom  int          // states from which on symmetry is advised
	program     program.Make // nil to compile, or to interpret what cannot be compiled
}

// Valid refuses options that contradict each other.
func (o Options) Valid() error { return o.complete() }

// complete sets the defaults, and refuses options that contradict each other.
func (o *Options) complete() error {
	if o.Work > 0 && !o.Brief {
		o.Threads = 1
	}
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.program == nil {
		o.program = program.Compiled
		switch {
		case o.PartialOrder:
			o.program = program.Bindings
		case o.Work > 0 && !o.Brief:
			o.program = program.Interpreted
		}
	}
	o.Store, o.Search = cmp.Or(o.Store, Exact), cmp.Or(o.Search, BreadthFirst)
	o.manyInitial = cmp.Or(o.manyInitial, manyInitial)
	o.atomBits = cmp.Or(o.atomBits, atomBits)
	o.recentFrom = cmp.Or(o.recentFrom, explore.RecentFrom)
	o.savingFrom = cmp.Or(o.savingFrom, savingFrom)
	o.Walks, o.WalkLength = cmp.Or(o.Walks, DefaultWalks),
		cmp.Or(o.WalkLength, DefaultWalks)
	switch {
	case !slices.Contains([]string{Exact, Packed, Hash, Bitstate}, o.Store):
		return fmt.Errorf("there is no store %q: there are %s, %s, %s and %s", o.Store, Exact,
			Packed, Hash, Bitstate)
	case !slices.Contains([]string{BreadthFirst, DepthFirst, RandomWalks, Swarm}, o.Search):
		return fmt.Errorf("there is no search %q: there are %s, %s and %s", o.Search, BreadthFirst,
			DepthFirst, RandomWalks)
	case o.Checkpoint.Resume && o.Checkpoint.Dir == "":
		return errors.New("to resume, a folder with a checkpoint is needed")
	case o.Checkpoint.Dir != "" && (o.Store != Exact || o.Search != BreadthFirst):
		return fmt.Errorf("checkpoints are written only of a search %s with the store %s",
			BreadthFirst, Exact)
	case o.Search != BreadthFirst && o.Store != Exact:
		return fmt.Errorf("the search %s needs the store %s", o.Search, Exact)
	case o.Symmetry && o.Search == RandomWalks:
		return errors.New("random walks know no states that could be told apart: symmetry says " +
			"nothing there")
	case o.PartialOrder && o.Search == RandomWalks:
		return errors.New("a partial order reduction says nothing to random walks")
	case (o.Symmetry || o.PartialOrder) && o.Search == Swarm:
		return errors.New("a swarm searches all states: it goes with no symmetry and no partial " +
			"order reduction")
	case o.PartialOrder && o.Symmetry:
		return errors.New("a partial order reduction and symmetry cannot be had at the same " +
			"time: choose one")
	case o.PartialOrder && o.Limits.Depth > 0:
		return errors.New("a limit of depth says nothing with a partial order reduction, which " +
			"puts steps off")
	case o.Search == DepthFirst && o.Limits.Depth > 0:
		return errors.New("a limit of depth says nothing in a depth-first search")
	case o.Crew != nil && o.Undivided() != "":
		return &UndividedError{o.Undivided()}
	case min(o.Limits.States, o.Limits.Depth, o.Memory, o.Walks, o.WalkLength, int64(o.Work)) < 0:
		return errors.New("limits must not be negative")
	}
	return nil
}

// Undivided is the reason why an exploration with these options cannot be divided, empty if it may
// be possible.
func (o *Options) Undivided() string {
	switch {
	case o.Search != "" && o.Search != BreadthFirst:
		return "the search is not " + BreadthFirst
	case o.Store != "" && o.Store != Exact:
		return "the store is not " + Exact
	case o.PartialOrder:
		return "a partial order reduction depends on the order of the search"
	case o.Limits.States > 0:
		return "it has a limit of states, and which states are the first depends on the order " +
			"of the search"
	}
	return ""
}
