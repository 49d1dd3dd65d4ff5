package explicit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit/store"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// search is a breadth-first exploration. States are numbered in the order in which they are found,
// so a level is a range of numbers: from, from+1, ..., to-1. It is expanded in rounds. In a round,
// tasks expand sequences of states, then the shards of the store look up the successors, both in
// parallel; then the new states are numbered in the order of the tasks. So the order of states is
// that of a sequential search.
type search struct {
	*space
	*claims
	opts    Options
	begin   time.Time
	store   *store.Store
	workers []*expander
	tasks   []*task

	position
	files          files
	lookups        int // successors since recent states are remembered
	avoidedLookups int // of these, the ones known by that
	pace           store.Pace
	remark         result.Reason // on violations
	stopped        result.Reason // why the search ended early, zero before that
	workUsedUp     bool          // the work is used up
	wantsBits      bool          // whether to try a set of bits for many initial states
	manyInitial    bool          // there are many initial states
	bits           *store.Bits   // the states, if a set of bits was used
	told           time.Time
	bytesAhead     int64 // bytes for later states, outside the store

	scouting      scouting
	initialStates []interp.State // the initial states of a scout, nil for all
}

// position is the position of a search.
type position struct {
	Level    int64 // the number of states of the runs to the current level
	From, To int   // the level
	Next     int   // the next state of it to expand
	Stats    Stats
	Before   Stats // when the level began
	Enabled  []bool
	Outside  int // a range property that some state violates, -1 for none
	Deadlock int // the first deadlock of the level, -1 for none
	events   []event
}

func newSearch(sp *space, cs *claims, opts Options, begin time.Time) (*search, error) {
	s := &search{space: sp, claims: cs, opts: opts, begin: begin, pace: 4}
	s.Enabled, s.Outside, s.Deadlock = make([]bool, len(sp.System.Actions)), -1, -1
	s.events = make([]event, len(sp.props))
	s.planScouts()
	s.wantsBits = opts.Search == BreadthFirst && opts.Store == Exact && opts.Checkpoint == "" &&
		opts.MaxStates == 0 && opts.Work == 0
	var err error
	if s.store, err = newStore(sp, opts); err != nil {
		return nil, err
	}
	for range opts.Threads {
		w, err := newExpander(sp)
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		w.trail = opts.Store == Packed
		s.workers = append(s.workers, w)
	}
	return s, nil
}

func (s *search) close() error {
	err := errors.Join(s.store.Close(), s.files.close())
	for _, w := range s.workers {
		err = errors.Join(err, w.worker.Close())
	}
	return err
}

// failure is an error in evaluating an action in a state, which ends a search.
type failure struct {
	error
	state int
}

func (f *failure) Unwrap() error { return f.error }

// explore runs the search. Findings and limits end up in its claims; the error is for failures of
// the program.
func (s *search) explore(ctx context.Context) error {
	err := s.levels(ctx)
	why := result.Ended(ctx, fmt.Sprintf("after %d states", s.store.Len()))
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		switch saveErr := s.save(); {
		case saveErr != nil:
			why = why.Then(fmt.Sprintf("; the checkpoint could not be written: %v", saveErr))
		case s.files.dir != "" && s.Stats.Initial > 0:
			why = why.Then("; with --resume the same command goes on from there")
		}
	} else if err != nil {
		err = s.conclude(ctx, err)
	}
	var disk *diskError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &disk):
		why = result.Because(result.Machine,
			fmt.Sprintf("stopped after %d states: %v", s.store.Len(), err))
	case errors.Is(err, interp.ErrWork): // not even the states that were found could be checked
		why = s.outOfWork()
	case ctx.Err() == nil:
		return err
	}
	// The level was checked only in part, so an undecided claim holds up to the level before.
	if !s.settle() {
		s.stopped = why
	}
	s.Level = max(s.Level-1, 0)
	return nil
}

// conclude turns an error that ended the search early into verdicts, if it is a limit or a failed
// evaluation.
func (s *search) conclude(ctx context.Context, err error) error {
	var action *failure
	var term *interp.EvalError
	switch {
	case ctx.Err() != nil:
		return err
	case errors.Is(err, store.ErrLimit):
		_, err = s.checkRest(ctx, s.atLimit())
		return err
	case errors.Is(err, interp.ErrWork):
		_, err = s.checkRest(ctx, s.outOfWork())
		return err
	case errors.As(err, &action):
		if done, err := s.checkRest(ctx,
			engine.Unevaluated(action, action.Error())); done || err != nil {
			return err
		}
		depth, err := s.depth(action.state)
		if err != nil {
			return err
		}
		for _, c := range s.list {
			if !c.decided() {
				c.decide(result.Unknown, s.stopped, action.state, depth, int64(s.store.Len()),
					s.Stats.Transitions)
			}
		}
		return nil
	case errors.As(err, &term): // in the search for initial states
		if done, err := s.checkRest(ctx, engine.Unevaluated(err, err.Error())); done ||
			err != nil {
			return err
		}
		for _, c := range s.list {
			if !c.decided() {
				c.decide(result.Unknown, s.stopped, 0, s.Level, int64(s.store.Len()),
					s.Stats.Transitions)
				c.shown = false
			}
		}
		return nil
	}
	return err
}

// levels finds the states level by level until all are expanded or enough is decided.
func (s *search) levels(ctx context.Context) error {
	if s.Stats.Initial == 0 { // not a resumed search
		err := s.initial(ctx)
		if errors.Is(err, errMany) {
			if done, err := s.tryBits(ctx); done || err != nil {
				return err
			}
			s.wantsBits, s.manyInitial = false, true
			err = s.initial(ctx)
		}
		if err != nil {
			return err
		}
		if err := s.housekeeping(true); err != nil {
			return err
		}
	}
	if why := s.enough(); why.Given() && s.scouting.examined > 0 {
		s.stopped = why
		return nil
	}
	for resumed := s.Level > 0; resumed || s.To < s.store.Len(); resumed = false {
		if !resumed {
			s.Level++
			s.From, s.Next, s.To = s.To, s.To, s.store.Len()
			s.Stats.Levels = append(s.Stats.Levels, int64(s.To-s.From))
			s.Before = s.Stats
		}
		if s.opts.MaxDepth > 0 && s.Level >= s.opts.MaxDepth {
			if err := s.check(ctx, s.To); err != nil {
				return err
			}
			if !s.settle() {
				s.stopped = s.opts.atDepth()
			}
			return nil
		}
		for s.Next < s.To {
			step := s.round
			if s.endsWithLevel() {
				step = func(ctx context.Context) error { return s.check(ctx, s.To) }
			}
			if err := step(ctx); err != nil {
				return err
			}
			if err := s.housekeeping(false); err != nil {
				return err
			}
			s.progress()
		}
		if s.settle() {
			return nil
		}
	}
	return nil
}

// settle makes the decisions that follow from the states of the current level. It returns true when
// they end the search, which then has the statistics from before the level was expanded.
func (s *search) settle() bool {
	s.settleAs(s.Level, int64(s.To), s.Before.Transitions)
	if why := s.enough(); why.Given() {
		s.stopped = why
		s.Stats = s.Before
		s.Stats.States = int64(s.To)
		return true
	}
	return false
}

// endsWithLevel reports whether the search ends with this level, so that its states need no
// successors.
func (s *search) endsWithLevel() bool {
	trial := &claims{}
	for _, c := range s.list {
		copied := *c
		switch {
		case c.decided():
		case c.property == nil && s.Deadlock >= 0,
			c.property != nil && s.events[s.index(c.property)].found &&
				s.events[s.index(c.property)].err == nil:
			copied.result.Verdict = result.Violated
		case c.property != nil && s.events[s.index(c.property)].found:
			copied.result.Verdict = result.Unknown
		}
		trial.list = append(trial.list, &copied)
	}
	return trial.enough().Given()
}

func (s *search) settleAs(level, states, transitions int64) {
	for _, c := range s.list {
		switch {
		case c.decided():
		case c.property == nil && s.Deadlock >= 0:
			c.decide(result.Violated, s.remark, s.Deadlock, level, states, transitions)
		case c.property != nil:
			e := s.events[s.index(c.property)]
			if e.found && e.err == nil {
				c.decide(result.Violated, s.remark, e.state, level, states, transitions)
			} else if e.found {
				why := engine.Unevaluated(e.err,
					fmt.Sprintf("%s cannot be evaluated in a reachable state: %v", c.property.Name,
						e.err))
				c.decide(result.Unknown, why, e.state, level, states, transitions)
			}
		}
	}
	s.Deadlock = -1
	clear(s.events)
}

// checkRest checks the properties in all states that were found but not expanded, after the search
// had to end for a reason. It returns true when a violation on the current level is the better
// reason.
func (s *search) checkRest(ctx context.Context, why result.Reason) (decided bool, err error) {
	if s.opts.budget != nil {
		s.opts.budget.Left = s.opts.Work
	}
	if err := s.check(ctx, s.To); err != nil {
		return false, err
	}
	if s.settle() {
		return true, nil
	}
	s.Next = s.To
	if err := s.check(ctx, s.store.Len()); err != nil {
		return false, err
	}
	s.settleAs(s.Level+1, int64(s.store.Len()), s.Stats.Transitions)
	s.stopped = why
	return false, nil
}

// initial finds the initial states.
func (s *search) initial(ctx context.Context) error {
	t := &task{}
	t.reset(s.space, s.store, 0, 0)
	add := func() error {
		t.Partition()
		_, err := s.insert([]*task{t})
		s.Stats.Initial = int64(s.store.Len())
		t.reset(s.space, s.store, 0, 0)
		return cmp.Or(err, s.keepWithinMemory())
	}
	size := min(store.TaskSize, s.opts.manyInitial)
	if s.scouting.threshold > 0 {
		size = min(size, s.scouting.threshold)
	}
	seen := 0
	find := func(packed []uint64) error {
		seen++
		t.Add(packed, store.Hash(packed), 0)
		t.Ordinals = append(t.Ordinals, 0)
		if t.Len() < size {
			return nil
		}
		if err := add(); err != nil {
			return err
		}
		if s.scouting.threshold > 0 && s.store.Len() >= s.scouting.threshold {
			if err := s.scout(ctx); err != nil {
				return err
			}
			if s.enough().Given() {
				return interp.ErrStop
			}
		}
		if s.wantsBits && seen >= s.opts.manyInitial {
			return errMany
		}
		return nil
	}
	if s.manyInitial {
		done, err := s.compiledInitial(ctx, find)
		if done || err != nil {
			return s.found(add, err)
		}
	}
	return s.found(add, s.start(ctx, s.Model, func(state interp.State) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		packed, err := s.program.Pack(state)
		if err != nil {
			return err
		}
		return find(packed)
	}))
}

// found adds the last initial states, unless the search for them ended at a limit.
func (s *search) found(add func() error, err error) error {
	if errors.Is(err, store.ErrLimit) || errors.Is(err, errMany) {
		return err
	}
	if errors.Is(err, interp.ErrStop) {
		err = nil
	}
	return cmp.Or(add(), err)
}

// start calls yield for each initial state, which a model lists if no states were given.
func (s *search) start(
	ctx context.Context, m *interp.Model, yield func(interp.State) error,
) error {
	if s.initialStates == nil {
		return m.Initial(ctx, yield)
	}
	for _, state := range s.initialStates {
		if err := yield(state); err != nil {
			return err
		}
	}
	return nil
}

// finish completes the statistics.
func (s *search) finish() {
	stats := &s.Stats
	if stats.States == 0 {
		stats.States = int64(s.store.Len())
	}
	limited := cmp.Or(s.stopped, s.doubt())
	stats.Depth, stats.Complete = s.Level, !limited.Given()
	stats.PeakBytes, stats.Probes = peakBytes(), s.store.Probes()
	if stats.OutOfWork = s.workUsedUp; s.workUsedUp {
		stats.Work = s.opts.Work
	} else if s.opts.budget != nil {
		stats.Work = s.opts.Work - s.opts.budget.Left
	}
	if s.tells() {
		stats.NeverEnabled = neverEnabled(s.System, s.Enabled)
	}
	if !limited.Given() && s.Outside >= 0 {
		limited = result.Because(result.Bounded,
			fmt.Sprintf("states that violate %s were not explored further",
				s.props[s.Outside].Name))
	}
	if limited.Given() {
		limited = limited.Then(s.scouting.told())
	}
	s.cut = s.stopped.Given()
	s.claims.finish(stats, limited, s.files.before, s.begin)
}

func neverEnabled(sys *system.System, enabled []bool) (names []string) {
	for i, a := range sys.Actions {
		if !enabled[i] {
			names = append(names, a.Name)
		}
	}
	return names
}

func (s *search) progress() {
	s.tell(int64(s.store.Len()), int64(s.store.Len()-s.Next))
}

// tell reports the number of states found, and of states not expanded yet.
func (s *search) tell(states, open int64) {
	if now := time.Now(); now.Sub(s.told) >= progressPeriod {
		s.told = now
		s.opts.tell(s.Instance.Name, states, s.Level, open)
	}
}

// tell reports the progress of a search at some depth.
func (o *Options) tell(instance string, states, depth, open int64) {
	o.Sink.Tell(engine.Progress{Subtask: instance, Unit: "states", Done: states,
		Text: fmt.Sprintf("exploring %s: %d states, depth %d, %d to expand", instance, states,
			depth, open)})
}

// atLimit is the reason of a search that ended at the limit of states.
func (s *search) atLimit() result.Reason {
	return result.Because(result.Bounded,
		fmt.Sprintf("stopped at the limit of %d states%s", s.store.Len(), s.opts.StatesNote))
}

// outOfWork is the reason of a search that used up its work.
func (s *search) outOfWork() result.Reason {
	s.workUsedUp = true
	return result.Because(result.Bounded, fmt.Sprintf(
		"stopped after %d states, since their steps leave too many values open", s.store.Len()))
}

// atDepth is the reason of a search that ended at the limit of depth.
func (o *Options) atDepth() result.Reason {
	return result.Because(result.Bounded,
		fmt.Sprintf("stopped at the limit of %d states a run%s", o.MaxDepth, o.DepthNote))
}
