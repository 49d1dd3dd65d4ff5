package explicit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// search is an exploration that decides claims.
type search struct {
	*explore.Search
	*claims
	seen
	forced      map[int]compile.Interval // intervals that slots have room for
	opts        Options
	begin       time.Time
	files       files
	remark      result.Reason // on violations
	stopped     result.Reason // why the search ended early, zero before that
	workUsedUp  bool          // the work is used up
	wantsBits   bool          // whether to try a set of bits for many initial states
	manyInitial bool          // there are many initial states
	bits        *store.Bits   // the states, if a set of bits was used
	told        engine.Ticker
	bytesAhead  int64 // bytes for later states, outside the store

	scouting      scouting
	initialStates []interp.State // the initial states of a scout, nil for all
}

// seen is what the states of a search showed so far.
type seen struct {
	Stats    Stats
	Before   Stats // when the level began
	Enabled  []bool
	Outside  int // a range property that some state violates, -1 for none
	Deadlock int // the first deadlock of the level, -1 for none
	events   []explore.Event
	beyond   []explore.Event // as in explore.Task; empty for none
}

func newSearch(sp *explore.Space, cs *claims, opts Options, begin time.Time) (*search, error) {
	s := &search{claims: cs, opts: opts, begin: begin}
	s.Enabled, s.Outside, s.Deadlock = make([]bool, len(sp.System.Actions)), -1, -1
	s.events = make([]explore.Event, len(sp.Terms))
	st, err := newStore(sp, opts)
	if err != nil {
		return nil, err
	}
	if s.Search, err = explore.New(sp, st, opts.Threads); err != nil {
		return nil, err
	}
	s.Observers, s.MaxStates = []explore.Observer{&s.seen}, opts.Limits.States
	s.MostInRound, s.RecentFrom = opts.mostInRound, opts.recentFrom
	for _, w := range s.Workers {
		w.Trail = opts.Store == Packed
	}
	s.planScouts()
	s.wantsBits = opts.Search == BreadthFirst && opts.Store == Exact && opts.Checkpoint.Dir == "" &&
		opts.Limits.States == 0 && opts.Work == 0 && sp.System.Computed == nil
	return s, nil
}

func (s *search) close() error { return errors.Join(s.Search.Close(), s.files.close()) }

// Observe records what the states of a task showed.
func (s *seen) Observe(t *explore.Task, end int) error {
	for i, e := range t.Events {
		if e.Found && !s.events[i].Found {
			s.events[i] = e
		}
	}
	if len(t.Beyond) > 0 && len(s.beyond) == 0 {
		s.beyond = make([]explore.Event, len(t.Beyond))
	}
	for i, e := range t.Beyond {
		if e.Found && !s.beyond[i].Found {
			s.beyond[i] = e
		}
	}
	s.Stats.Generated += t.Generated
	for i, on := range t.Enabled {
		s.Enabled[i] = s.Enabled[i] || on
	}
	for _, d := range t.Deadlocks {
		if d < end {
			s.Stats.Deadlocks++
			if s.Deadlock < 0 {
				s.Deadlock = d
			}
		}
	}
	if s.Outside < 0 {
		s.Outside = t.Outside
	}
	s.Stats.Transitions += int64(t.Found)
	return nil
}

// explore runs the search. Findings and limits end up in its claims; the error is for failures of
// the program.
func (s *search) explore(ctx context.Context) error {
	err := s.levels(ctx)
	why := result.Ended(ctx, fmt.Sprintf("after %d states", s.Store.Len()))
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		switch saveErr := s.save(true); {
		case saveErr != nil:
			why = why.Then(fmt.Sprintf("; the checkpoint could not be written: %v", saveErr))
		case s.files.folder != nil && s.Stats.Initial > 0:
			why = why.Then("; with --resume the same command goes on from there")
		}
	} else if err != nil {
		err = s.conclude(ctx, err)
	}
	var disk *explore.DiskError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &disk):
		why = result.Because(result.Machine,
			fmt.Sprintf("stopped after %d states: %v", s.Store.Len(), err))
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
	var action *explore.Failure
	var term *interp.EvalError
	switch {
	case ctx.Err() != nil:
		return err
	case errors.Is(err, store.ErrLimit):
		_, err = s.checkRest(ctx, s.opts.Limits.AtStates(s.Store.Len()))
		return err
	case errors.Is(err, interp.ErrWork):
		_, err = s.checkRest(ctx, s.outOfWork())
		return err
	case errors.As(err, &action), errors.As(err, &term): // a term in the search for initial states
		if done, err := s.checkRest(ctx, engine.Unevaluated(err, err.Error())); done ||
			err != nil {
			return err
		}
		state, depth := -1, s.Level
		if action != nil {
			path, err := s.Path(action.State)
			if err != nil {
				return err
			}
			state, depth = action.State, int64(len(path))
		}
		for _, c := range s.open() {
			c.decide(result.Unknown, s.stopped, state, depth, int64(s.Store.Len()),
				s.Stats.Transitions)
		}
		return nil
	}
	return err
}

// levels finds the states level by level until all are expanded or enough is decided.
func (s *search) levels(ctx context.Context) error {
	if s.Stats.Initial == 0 { // not a resumed search
		err := s.initial(ctx)
		if errors.Is(err, explore.ErrAgain) {
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
	return s.Levels(ctx, s)
}

// Begin begins a level; the last one that the search may have is only checked.
func (s *search) Begin(ctx context.Context, resumed bool) (over bool, err error) {
	if !resumed {
		s.Stats.Levels = append(s.Stats.Levels, int64(s.To-s.From))
		s.Before = s.Stats
	}
	if s.opts.Limits.Depth == 0 || s.Level < s.opts.Limits.Depth {
		return false, nil
	}
	if err := s.CheckTo(ctx, s.To); err != nil {
		return false, err
	}
	if !s.settle() {
		s.stopped = s.opts.Limits.AtDepth()
	}
	return true, nil
}

// Step expands or checks some states.
func (s *search) Step(ctx context.Context) (err error) {
	if s.endsWithLevel() {
		err = s.CheckTo(ctx, s.To)
	} else {
		err = s.Round(ctx)
	}
	if err == nil {
		err = s.housekeeping(false)
	}
	if err == nil {
		s.progress()
	}
	return err
}

// End settles what the level shows.
func (s *search) End(context.Context) (over bool, err error) { return s.settle(), nil }

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
	trial := &claims{props: s.props}
	for _, c := range s.list {
		copied := *c
		trial.list = append(trial.list, &copied)
	}
	decide := func(c *claim, v result.Verdict, _ result.Reason, _ int) { c.result.Verdict = v }
	trial.judge(s.events, s.Deadlock, decide)
	trial.judgeBeyond(s.beyond, decide)
	return trial.enough().Given()
}

func (s *search) settleAs(level, states, transitions int64) {
	decide := func(c *claim, v result.Verdict, why result.Reason, state int) {
		if v == result.Violated {
			why = s.remark
		}
		c.decide(v, why, state, level, states, transitions)
	}
	s.judge(s.events, s.Deadlock, decide)
	level++ // a state outside of the boundary is one step further
	s.judgeBeyond(s.beyond, decide)
	s.Deadlock = -1
	clear(s.events)
	clear(s.beyond)
}

// checkRest checks the properties in all states that were found but not expanded, after the search
// had to end for a reason. It returns true when a violation on the current level is the better
// reason.
func (s *search) checkRest(ctx context.Context, why result.Reason) (decided bool, err error) {
	if s.opts.budget != nil {
		s.opts.budget.Left = s.opts.Work
	}
	if err := s.CheckTo(ctx, s.To); err != nil {
		return false, err
	}
	if s.settle() {
		return true, nil
	}
	s.Next = s.To
	if err := s.CheckTo(ctx, s.Store.Len()); err != nil {
		return false, err
	}
	s.settleAs(s.Level+1, int64(s.Store.Len()), s.Stats.Transitions)
	s.stopped = why
	return false, nil
}

// initial finds the initial states.
func (s *search) initial(ctx context.Context) error {
	size := min(store.TaskSize, s.opts.manyInitial)
	if s.scouting.threshold > 0 {
		size = min(size, s.scouting.threshold)
	}
	seen := 0
	return s.Start(size, func(yield func(packed []uint64) error) error {
		find := func(packed []uint64) error {
			seen++
			return yield(packed)
		}
		if s.manyInitial {
			if done, err := s.compiledInitial(ctx, find); done || err != nil {
				return err
			}
		}
		pack := func(state interp.State) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			packed, err := s.Program.Pack(state)
			if err != nil {
				return err
			}
			return find(packed)
		}
		if p, ok := s.Program.(*program.Computed); ok {
			return s.computedInitial(ctx, p, pack)
		}
		return s.start(ctx, s.Model, pack)
	}, func(last bool) error {
		s.Stats.Initial = int64(s.Initials)
		if err := s.keepWithinMemory(); last || err != nil {
			return err
		}
		if s.scouting.threshold > 0 && s.Store.Len() >= s.scouting.threshold {
			if err := s.scout(ctx); err != nil {
				return err
			}
			if s.enough().Given() {
				return interp.ErrStop
			}
		}
		if s.wantsBits && seen >= s.opts.manyInitial {
			return explore.ErrAgain
		}
		return nil
	})
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
		stats.States = int64(s.Store.Len())
	}
	limited := cmp.Or(s.stopped, s.doubt(), engine.Bound(s.System))
	stats.Depth, stats.Complete = s.Level, !limited.Given()
	stats.PeakBytes, stats.Probes = peakBytes(), s.Store.Probes()
	if stats.OutOfWork = s.workUsedUp; s.workUsedUp {
		stats.Work = s.opts.Work
	} else if s.opts.budget != nil {
		stats.Work = s.opts.Work - s.opts.budget.Left
	}
	if s.tells() {
		stats.NeverEnabled = neverEnabled(s.System, s.Enabled)
	}
	if !limited.Given() && s.Outside >= 0 {
		limited = engine.Outside(s.props[s.Outside].Name)
	}
	if limited.Given() {
		limited = limited.Then(s.scouting.told())
	}
	s.cut = s.stopped.Given()
	var before time.Duration
	if s.files.folder != nil {
		before = s.files.folder.Before
	}
	s.claims.finish(stats, limited, before, s.begin)
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
	s.tell(int64(s.Store.Len()), int64(s.Store.Len()-s.Next))
}

// tell reports the number of states found, and of states not expanded yet.
func (s *search) tell(states, open int64) {
	if s.told.Due() {
		s.opts.tell(s.Instance.Name, states, s.Level, open)
	}
}

// tell reports the progress of a search at some depth.
func (o *Options) tell(instance string, states, depth, open int64) {
	o.Sink.Tell(engine.Progress{Subtask: instance, Unit: "states", Done: states,
		Text: fmt.Sprintf("exploring %s: %d states, depth %d, %d to expand", instance, states,
			depth, open)})
}

// outOfWork is the reason of a search that used up its work.
func (s *search) outOfWork() result.Reason {
	s.workUsedUp = true
	return result.Because(result.Bounded, fmt.Sprintf(
		"stopped after %d states, since their steps leave too many values open", s.Store.Len()))
}
