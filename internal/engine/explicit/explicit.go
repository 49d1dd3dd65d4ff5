// Package explicit explores a finite instance of a system state by state.
//
// In: a system.System and a system.Instance. Out: a verdict for every safety, invariant and range
// property, and on demand for deadlock; counterexamples are rebuilt and replayed by package interp.
//
// The search is breadth-first, level by level (Lee, 1961; the order of TLC and Spin's BFS mode), so
// that counterexamples are shortest. Successors come from a program that package compile makes, or
// from the interpreter. Package store keeps the states exactly, so "holds" is a proof for the
// instance. Levels, counts and traces do not depend on the number of threads. Depth-first search,
// random walks, and stores of hashes serve instances that are too big; of these, only depth-first
// search says "holds".
package explicit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vacuity"
)

// Name is the engine's name in results.
const Name = "explicit"

// Options of Check. The zero value checks every property without limits, breadth-first on all
// processors.
type Options struct {
	// names of the properties to check; nil for all safety, invariant and range properties
	Only      []string
	Deadlock  bool  // add a result for deadlock, of that name and kind
	MaxStates int64 // stop after this number of distinct states; 0 for no limit
	MaxDepth  int64 // stop after states on runs of this number of states; 0 for no limit
	// Work bounds a search that must be short whatever its steps are: the values that the
	// interpreter tries (interp.Budget), for the initial states, the steps and the properties
	// together; 0 for no limit. Such a search has one thread, and is not compiled. With Brief, this
	// goes for the part before compiling, and a search that uses up the work ends there.
	Work    int
	Threads int // 0 for one a processor
	// One representative for states that differ by a permutation of elements; it alone is counted.
	Symmetry bool
	// Partial order reduction: leave out irrelevant orders of steps; counts are of the remaining
	// states.
	PartialOrder bool
	// Begin with the interpreter, and compile when the search is not short (brief.go).
	Brief bool
	Sink  engine.Sink
	// Look for signs that are never true and actions that are never enabled, for Stats.
	Vacuity bool
	// With Vacuity: the signs, also for incomplete searches; nil for the antecedents of the checked
	// properties.
	Signs []vacuity.Sign
	// Additions to the reasons at the limits of states and depth, such as how to lift them.
	StatesNote, DepthNote string
	InitialNote           string // where not even all initial states were looked at

	Store string // the stored part of a state: Exact (the default), Packed, Hash or Bitstate
	// Bytes for states in memory, the rest goes to disk; 0 for three quarters of the machine's
	// memory.
	Memory   int64
	SpillDir string // where the temporary folder for states on disk is made; empty for the system's

	Checkpoint explore.Checkpoint

	Search     string // BreadthFirst (the default), DepthFirst, RandomWalks or Swarm
	Seed       int64  // of random walks, and of a search of a swarm
	Walks      int64  // 0 for 1000
	WalkLength int64  // states of a walk, 0 for 1000

	Stop    bool // at the end of the first level with a violation
	NoScout bool // no short searches from some of many initial states

	Crew Crew // has the states of a divided exploration; nil for this process
	// Member takes part in a divided exploration with a share that join makes, until the
	// exploration ends; nil to explore. Then there are no results.
	Member func(ctx context.Context, join func(Peers) *Share) error

	// Initial states from which on a set of bits is tried, 0 for the default.
	manyInitial int
	atomBits    int          // bits of codes from which on a formula is divided, 0 for the default
	mostInRound int          // most states that are expanded together, 0 for the default
	recentFrom  int          // states from which on recent ones are remembered, 0 for the default
	savingFrom  int          // states from which on symmetry is advised, 0 for the default
	program     program.Make // nil to compile, or to interpret what cannot be compiled

	budget *interp.Budget // what is left of Work
}

// Exploration is the outcome of a search.
type Exploration struct {
	Results []result.Result
	Stats   Stats
}

// Stats describe a search. Work on a level that turned out to be the last does not count.
type Stats struct {
	States int64 // distinct
	// Distinct triples of a state, an action without its parameters, and a successor.
	Transitions  int64
	Depth        int64 // states on the longest shortest path from an initial state
	Initial      int64 // initial states
	Deadlocks    int64 // expanded states without successor
	Bits         bool  // a set of bits was used: only counts of the states are known
	Words        int64 // of a set of bits: states that were expanded by words
	Complete     bool  // all reachable states were expanded
	Work         int   // of a search with Options.Work: the values tried
	OutOfWork    bool  // the search ended since Options.Work was used up
	PeakBytes    int64 // the process's peak memory, if the system reports it
	Probes       store.Probes
	Levels       []int64        // of a breadth-first search: distinct states on each level
	Vacuous      []vacuity.Sign // signs that are true in no state, if all states were found
	Shown        []vacuity.Sign // with Options.Signs, the signs that are true in some state
	NeverEnabled []string       // actions that were enabled in no state, if all were expanded
	Sample       []uint64       // of a search of a swarm, for Cover
	// Why a requested partial order reduction was not made, empty otherwise.
	Unreduced string
	Symmetric Saving // what symmetry would save
}

// Values of Options.Store.
const (
	Exact    = "exact"
	Packed   = "packed"   // exact, in less memory, for states of at most 64 bits
	Hash     = "hash"     // 64-bit hashes of the states
	Bitstate = "bitstate" // a few bits
)

// Values of Options.Search.
const (
	BreadthFirst = "bfs"
	DepthFirst   = "dfs"
	RandomWalks  = "random"
	Swarm        = "swarm" // one search of a swarm
)

// progressPeriod is the least time between two reports of progress.
const progressPeriod = 250 * time.Millisecond

// Check explores an instance. It stops at the end of a level when every property is decided, or
// when all safety properties, and deadlock if asked for, are violated. An undecided property then
// holds up to that level. A property that holds has the counts of the whole search. A violated
// property has as Depth the states of its trace, as States the distinct states up to and including
// that level, and as Transitions the transitions between them. States outside a declared range are
// found but not expanded; if there are any, nothing holds without reservation.
func Check(
	ctx context.Context, sys *system.System, inst *system.Instance, opts Options,
) ([]result.Result, error) {
	x, err := Explore(ctx, sys, inst, opts)
	if err != nil {
		return nil, err
	}
	return x.Results, nil
}

// Explore is Check with the statistics of the search.
func Explore(
	ctx context.Context, sys *system.System, inst *system.Instance, opts Options,
) (*Exploration, error) {
	x, err := attempts(ctx, sys, inst, opts)
	if err != nil {
		return nil, fmt.Errorf("explicit: %w", err)
	}
	return x, nil
}

// attempts explores with packed states that are made wider until they suffice.
func attempts(
	ctx context.Context, sys *system.System, inst *system.Instance, opts Options,
) (*Exploration, error) {
	if err := opts.complete(); err != nil {
		return nil, engine.Unfit(err)
	}
	opts.Sink = opts.Sink.Once()
	if opts.Brief && opts.Member == nil && opts.Search == BreadthFirst {
		if x := brief(ctx, sys, inst, opts); x != nil {
			return x, nil
		}
		opts.Work = 0
	}
	m, err := interp.NewModel(sys, inst)
	if err == nil {
		err = m.Enumerable()
	}
	if err != nil {
		return nil, err
	}
	if opts.Work > 0 {
		opts.budget = &interp.Budget{Left: opts.Work}
		m = m.Within(opts.budget)
	}
	if opts.Member != nil {
		return &Exploration{}, opts.member(ctx, m)
	}
	a := &attempt{opts: opts, begin: time.Now(), forced: map[int]compile.Interval{}}
	if opts.Checkpoint.Dir != "" {
		prepare := a.prepare
		if opts.Crew != nil {
			prepare = a.prepareDivided
		}
		if err := prepare(m); err != nil {
			return nil, err
		}
	}
	for {
		explore := a.run
		if opts.Crew != nil {
			explore = a.divided
		}
		x, err := explore(ctx, m)
		if grown := compile.Grown(m, a.forced, err); grown != "" && a.opts.MaxStates == 0 &&
			opts.Crew == nil {
			a.opts.MaxStates, a.opts.StatesNote = compile.GrownStates, grown
		}
		again, err := compile.Widen(a.forced, err)
		if !again {
			return x, err
		}
		a.saved, a.divisionSaved = nil, nil
	}
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
	o.Walks, o.WalkLength = cmp.Or(o.Walks, 1000), cmp.Or(o.WalkLength, 1000)
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
	case o.PartialOrder && o.MaxDepth > 0:
		return errors.New("a limit of depth says nothing with a partial order reduction, which " +
			"puts steps off")
	case o.Search == DepthFirst && o.MaxDepth > 0:
		return errors.New("a limit of depth says nothing in a depth-first search")
	case o.Crew != nil && o.Undivided() != "":
		return &UndividedError{o.Undivided()}
	case min(o.MaxStates, o.MaxDepth, o.Memory, o.Walks, o.WalkLength, int64(o.Work)) < 0:
		return errors.New("limits must not be negative")
	}
	return nil
}

// attempt explores an instance with one layout of the packed states.
type attempt struct {
	opts   Options
	begin  time.Time
	forced map[int]compile.Interval
	dir    string // of the checkpoint, empty for none
	saved  *saved // the checkpoint to continue from, nil for none
	// the one of a divided exploration
	divisionSaved *dividedSaved
}

func (a *attempt) run(ctx context.Context, m *interp.Model) (_ *Exploration, err error) {
	sp, cs, err := newSpace(ctx, m, a.opts, a.forced)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, sp.Program.Close()) }()
	ctxAfter := context.WithoutCancel(ctx)
	if a.opts.Search == RandomWalks || a.opts.Search == Swarm {
		return walks(ctx, sp, cs, a.opts, a.begin)
	}
	s, err := newSearch(sp, cs, a.opts, a.begin)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	s.forced, s.Stats.Unreduced = a.forced, cs.unreduced
	if cs.reduced {
		s.remark = result.Because(result.Remark,
			"found with partial order reduction: the run need not be a shortest one")
	}
	if a.dir != "" {
		if err := s.attach(ctx, a); err != nil {
			return nil, err
		}
	}
	search := s.explore
	if a.opts.Search == DepthFirst {
		search = s.depthFirst
	}
	if err := search(ctx); err != nil {
		return nil, err
	}
	s.finish()
	s.Stats.Symmetric = s.sampleSymmetry()
	inOrder := a.opts.Store == Exact // an incomplete search looks at its first states
	if a.opts.Vacuity && s.tells() && (inOrder || a.opts.Store == Packed && s.Stats.Complete) {
		if err = s.vacuous(ctx, a.opts.program, a.forced); err != nil {
			return nil, err
		}
	}
	results, err := cs.results(ctxAfter, m.Within(nil), func(state int) (*run, error) {
		return s.runTo(ctxAfter, state)
	})
	return &Exploration{results, s.Stats}, err
}
