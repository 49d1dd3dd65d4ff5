package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// search is a depth-first search over pairs of positions in the lanes of a log and states of the
// model. It has one current pair; each frame knows how its pair was reached, and undoes that when
// nothing is left to try there.
type search struct {
	c           *Checker
	p           *problem
	silent      int // actions without an event between two events
	limit       int // pairs
	acceptAfter int // events after which a log counts as accepted
	// feed, if it is not nil, gives the problem its next event before it is looked for, and sets
	// acceptAfter where there is none. It gets the way to the pair, which no frame has yet.
	feed func(by transition) error

	at     []int // positions
	done   int   // events so far
	state  *interp.Cursor
	hash   fingerprint // of the pair
	first  interp.State
	frames []frame
	// the silent actions since the last event with which a pair was reached
	seen         map[fingerprint]uint8
	best         *best
	stuck        []stuck // for each lane, if there are several
	limitReached string  // the limit that was reached
	args         map[string]int64

	decisive struct{ observations, requirements int }
	branched bool // there was more than one way to go on somewhere
	// beginning says that the log is the beginning of a longer one, which alone need have all that
	// declarations are about
	beginning bool
}

// frame is a pair on the current path.
type frame struct {
	by          transition // how it was reached
	since       int        // silent actions since the last event
	candidates  []candidate
	transitions []transition // of the candidate before the next, which were not tried yet
	// differs has the lanes whose next event is possible but for what is observed after it
	differs []int
}

// candidate is something that could come next: an alternative of an event, or a silent action.
type candidate struct {
	event  *event
	chosen int // index of the alternative
	silent *system.Action
}

// transition is a way from one pair to another.
type transition struct {
	event *event // nil for a silent action
	steps []Step
}

// best is a longest prefix of the log that is a run.
type best struct {
	done  int
	paths []path
}

// path is the way to a state in which the search ended.
type path struct {
	first interp.State
	steps []Step
	at    []int
	state interp.State
}

const (
	maxSuccessors = 10_000 // of one event in one state
	maxPaths      = 3
)

var (
	errFound = errors.New("found")
	errMany  = errors.New("too many steps") // s.ended says of what
)

func newSearch(c *Checker, p *problem) *search {
	s := &search{c: c, p: p, limit: c.o.MaxStates, seen: map[fingerprint]uint8{},
		args: map[string]int64{}, acceptAfter: len(p.events)}
	if s.limit <= 0 {
		s.limit = defaultMaxStates
	}
	switch {
	case len(c.silent) == 0:
	case c.o.SilentMost >= 0:
		s.silent = c.o.SilentMost
	case c.file.SilentMost >= 0:
		s.silent = c.file.SilentMost
	default:
		s.silent = defaultSilent
	}
	s.silent = min(s.silent, 255)
	return s
}

// run searches from every initial state. Once a run is found, it only asks whether there are other
// initial states.
func (s *search) run(ctx context.Context) error {
	initial, found := 0, false
	var failed error // of the search; an error of the initial states says so in its text
	err := s.c.model.Initial(ctx, func(first interp.State) error {
		if initial++; initial > 1 {
			s.branched = true
		}
		if found {
			return interp.ErrStop
		}
		if err := s.begin(first); err != nil {
			return err
		}
		err := s.from(ctx)
		if found = errors.Is(err, errFound); found {
			return nil
		}
		failed = err
		return err
	})
	switch {
	case failed != nil && !errors.Is(failed, interp.ErrStop):
		return failed
	case err == nil && initial == 0:
		return errors.New("the instance has no initial state")
	}
	return err
}

func (s *search) begin(first interp.State) (err error) {
	s.first = first
	s.at = make([]int, len(s.p.lanes))
	if len(s.p.lanes) > 1 && s.stuck == nil && s.feed == nil {
		s.stuck = make([]stuck, len(s.p.lanes))
	}
	s.done, s.frames, s.hash = 0, nil, fingerprint{}
	for slot, v := range first {
		s.hash.add(slot, v)
	}
	if s.state, err = s.c.model.Cursor(first); err != nil {
		return err
	}
	return s.push(transition{}, 0)
}

// from searches on from the current path. The error is errFound if the log is accepted, or
// interp.ErrStop if a limit is reached.
func (s *search) from(ctx context.Context) error {
	for len(s.frames) > 0 {
		if s.done == s.acceptAfter {
			return errFound
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		f := top(s.frames)
		switch {
		case len(f.transitions) > 0:
			m := f.transitions[0]
			f.transitions = f.transitions[1:]
			s.take(m)
			since := 0
			if m.event == nil {
				since = f.since + 1
			}
			if !s.fresh(since) { // a pair that was examined
				s.undo(m)
				continue
			}
			if len(s.seen) > s.limit {
				s.undo(m)
				s.limitReached = fmt.Sprintf("the search ended after %d pairs of positions and "+
					"states (--max-states)", s.limit)
				s.note()
				return interp.ErrStop
			}
			if err := s.push(m, since); err != nil {
				return err
			}
		case len(f.candidates) > 0:
			c := f.candidates[0]
			f.candidates = f.candidates[1:]
			moves, err := s.transitions(ctx, c)
			switch {
			case errors.Is(err, errMany):
				s.note()
				return interp.ErrStop
			case err != nil:
				return err
			}
			s.branched = s.branched || len(moves) > 1
			f.transitions = moves
		default:
			s.note()
			m := f.by
			s.frames = s.frames[:len(s.frames)-1]
			s.undo(m)
		}
	}
	return nil
}

// push puts the current pair on the path.
func (s *search) push(by transition, since int) error {
	if s.feed != nil {
		if err := s.feed(by); err != nil {
			return err
		}
	}
	f := frame{by: by, since: since}
	for _, e := range s.p.next(s.at) {
		for i := range e.alternatives {
			f.candidates = append(f.candidates, candidate{event: e, chosen: i})
		}
	}
	if since < s.silent {
		for _, a := range s.c.silent {
			f.candidates = append(f.candidates, candidate{silent: a})
		}
	}
	s.branched = s.branched || len(f.candidates) > 1
	s.frames = append(s.frames, f)
	return nil
}

// top is the frame of the current pair.
func top(frames []frame) *frame { return &frames[len(frames)-1] }

func (s *search) take(m transition) {
	for _, step := range m.steps {
		s.do(step.changes)
	}
	if m.event != nil {
		s.position(m.event.lane, +1)
	}
}

func (s *search) undo(m transition) {
	if m.event != nil {
		s.position(m.event.lane, -1)
	}
	for _, step := range slices.Backward(m.steps) {
		s.undoChanges(step.changes)
	}
}

func (s *search) do(changes []interp.Change) {
	s.state.Do(changes)
	s.hash = s.hash.after(changes)
}

func (s *search) undoChanges(changes []interp.Change) {
	s.state.Undo(changes)
	s.hash = s.hash.before(changes)
}

// position moves a lane on or back by an event. Positions are hashed beside the slots of the state.
func (s *search) position(lane, by int) {
	s.hash.remove(-1-lane, int64(s.at[lane]))
	s.at[lane] += by
	s.done += by
	s.hash.add(-1-lane, int64(s.at[lane]))
}

// fresh reports whether the current pair was not reached before with as few silent actions.
func (s *search) fresh(since int) bool {
	before, ok := s.seen[s.hash]
	if ok && int(before) <= since {
		return false
	}
	s.seen[s.hash] = uint8(since)
	return true
}

// note keeps the current path if no other explains more events.
func (s *search) note() {
	s.noteLanes()
	if s.best != nil &&
		(s.done < s.best.done || s.done == s.best.done && len(s.best.paths) == maxPaths) {
		return
	}
	if s.best == nil || s.done > s.best.done {
		s.best = &best{done: s.done}
	}
	s.best.paths = append(s.best.paths,
		path{s.first, s.steps(), slices.Clone(s.at), s.state.State()})
}

// steps lists the steps of the current path.
func (s *search) steps() (out []Step) {
	for _, f := range s.frames {
		out = append(out, f.by.steps...)
	}
	return out
}

// transitions lists the ways to carry out a candidate in the current state.
func (s *search) transitions(ctx context.Context, c candidate) (out []transition, err error) {
	switch {
	case c.silent != nil:
		err = s.state.Steps(ctx, c.silent, interp.Guide{}, func(x interp.Effect) error {
			if len(x.Changes) == 0 {
				return nil
			}
			out = append(out,
				transition{nil, []Step{{Action: c.silent, Args: x.Args, changes: x.Changes}}})
			return s.few(len(out), c.silent)
		})
	case len(c.alternative().calls) == 0:
		return s.observe(c.event)
	default:
		calls := c.alternative().calls
		var ends distinct
		err = s.sequence(ctx, c.event, calls, nil, true, func(steps []Step, end fingerprint) error {
			if !ends.add(end) {
				return nil
			}
			out = append(out, transition{c.event, steps})
			return s.few(len(out), calls[len(calls)-1].action)
		})
		if err == nil && len(out) == 0 {
			err = s.blame(ctx, c.event, calls)
		}
		err = s.located(c.event, err)
	}
	return out, err
}

func (c candidate) alternative() alternative { return c.event.alternatives[c.chosen] }

// few is errMany when there are too many steps: then the search ends.
func (s *search) few(n int, a *system.Action) error {
	if n <= maxSuccessors {
		return nil
	}
	s.limitReached = fmt.Sprintf("%s has more than %d steps in a state that the search reached: "+
		"the log leaves too much open", a.Name, maxSuccessors)
	return errMany
}

// observe is an event without a step: its observations are true, or it is not possible here.
func (s *search) observe(e *event) ([]transition, error) {
	if e.Name == runlog.FirstState && len(s.frames) > 1 {
		return nil, nil // silent steps have led here
	}
	for _, o := range e.observations {
		v, err := s.state.Eval(o.formula)
		if err != nil {
			return nil, eventError(s.p.name, e.Event, "observation %s: %v", o.text, err)
		}
		if v == 0 {
			s.decisive.observations++
			f := top(s.frames)
			f.differs = append(f.differs, e.lane)
			return nil, nil
		}
	}
	return []transition{{e, []Step{{Event: e.Event}}}}, nil
}

// located says which event an error is about.
func (s *search) located(e *event, err error) error {
	if err == nil { // before a variable that costs memory
		return nil
	}
	var action *interp.ActionError
	if errors.As(err, &action) {
		return eventError(s.p.name, e.Event, "event %s: %v", e.Name, err)
	}
	return err
}

// sequence carries out calls one after the other. With check, the observations of the event are
// true after the last.
func (s *search) sequence(
	ctx context.Context, e *event, calls []call, before []Step, check bool, yield func(
		[]Step, fingerprint,
	) error,
) error {
	if len(calls) == 1 {
		return s.lastStep(ctx, e, calls[0], before, check, yield)
	}
	guide, err := s.guide(calls[0], s.state.Eval)
	if err != nil {
		return eventError(s.p.name, e.Event, "event %s: %v", e.Name, err)
	}
	var found []interp.Effect
	var ends distinct
	err = s.state.Steps(ctx, calls[0].action, guide, func(x interp.Effect) error {
		if ends.add(s.hash.after(x.Changes)) {
			found = append(found, x)
		}
		return s.few(len(found), calls[0].action)
	})
	if err != nil {
		return err
	}
	for _, x := range found {
		s.do(x.Changes)
		err := s.sequence(ctx, e, calls[1:], append(slices.Clip(before), step(e, calls[0], x)),
			check, yield)
		s.undoChanges(x.Changes)
		if err != nil {
			return err
		}
	}
	return nil
}

// lastStep carries out the last call of an event.
func (s *search) lastStep(
	ctx context.Context, e *event, c call, before []Step, check bool, yield func(
		[]Step, fingerprint,
	) error,
) error {
	guide, err := s.guide(c, s.state.Eval)
	if err != nil {
		return eventError(s.p.name, e.Event, "event %s: %v", e.Name, err)
	}
	if check {
		guide.After = e.formulas()
	}
	return s.state.Steps(ctx, c.action, guide, func(x interp.Effect) error {
		return yield(append(slices.Clip(before), step(e, c, x)), s.hash.after(x.Changes))
	})
}

func step(e *event, c call, x interp.Effect) Step {
	return Step{Event: e.Event, Action: c.action, Args: x.Args, changes: x.Changes}
}

// formulas lists what is true after an event.
func (e *event) formulas() []*logic.Term {
	out := make([]*logic.Term, len(e.observations))
	for i, o := range e.observations {
		out[i] = o.formula
	}
	return out
}

// guide computes the arguments of a call.
func (s *search) guide(c call, eval func(*logic.Term) (int64, error)) (interp.Guide, error) {
	clear(s.args) // of the call before, whose steps were computed
	g := interp.Guide{Args: s.args}
	for _, a := range c.args {
		x := a.value
		if a.term != nil {
			if has, err := eval(a.needs); err == nil && has == 0 {
				return g, fmt.Errorf("%s of %s has no value here: a part does not exist", a.name,
					c.action.Name)
			}
			v, err := eval(a.term)
			if err != nil {
				return g, fmt.Errorf("%s of %s: %w", a.name, c.action.Name, err)
			}
			x = v
		}
		g.Args[a.name] = x
	}
	return g, nil
}

// blame counts whether observations or requirements exclude an alternative.
func (s *search) blame(ctx context.Context, e *event, calls []call) error {
	possible := false
	if len(e.observations) > 0 {
		err := s.sequence(ctx, e, calls, nil, false, func([]Step, fingerprint) error {
			possible = true
			return errFound
		})
		if err != nil && !errors.Is(err, errFound) {
			return err
		}
	}
	if possible {
		s.decisive.observations++
		f := top(s.frames)
		f.differs = append(f.differs, e.lane)
	} else {
		s.decisive.requirements++
	}
	return nil
}
