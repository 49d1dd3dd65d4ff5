// Package explicit explores a finite instance of a system state by state.
//
// In: a system.System and a system.Instance. Out: a verdict for every safety, invariant and range
// property, and on demand for deadlock; counterexamples are rebuilt and replayed by package interp.
//
// The search is that of package explore, breadth-first, so that counterexamples are shortest. This
// package is its observer: it decides claims. Package store keeps the states exactly, so "holds" is
// a proof for the instance. Levels, counts and traces do not depend on the number of threads.
// Depth-first search, random walks, and stores of hashes serve instances that are too big; of
// these, only depth-first search says "holds".
package explicit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vacuity"
)

// Name is the engine's name in results.
const Name = "explicit"

// Exploration is the outcome of a search.
type Exploration struct {
	Results []result.Result
	Stats   Stats
}

// Stats describe a search. Work on a level that turned out to be the last does not count.
type Stats struct {
	States int64 // distinct
	// Of a computed system: initial states and successors, with repetitions and with the ones
	// outside of the boundary.
	Generated int64
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
	// Why the steps are interpreted, empty where they are compiled, or in a brief search.
	Uncompiled string
	// Why a requested symmetry was not used, empty otherwise.
	Asymmetric string
	Symmetric  Saving // what symmetry would save
}

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
	x, err := growing(ctx, sys, inst, opts)
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
	if sys.Computed != nil {
		if err := opts.forComputed(sys); err != nil {
			return nil, err
		}
	}
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
		if grown := compile.Grown(m, a.forced, err); grown != "" && a.opts.Limits.States == 0 &&
			opts.Crew == nil {
			a.opts.Limits.States, a.opts.Limits.StatesNote = compile.GrownStates, grown
		}
		again, err := compile.Widen(a.forced, err)
		if !again {
			return x, err
		}
		a.saved, a.divisionSaved = nil, nil
	}
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
	s.Stats.Uncompiled = program.Uncompiled(s.Program)
	s.Stats.Asymmetric = cs.asymmetric
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
