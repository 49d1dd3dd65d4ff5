package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/interp"
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
	hand         *hand

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
		acceptAfter: len(p.events)}
	s.hand = newHand(s)
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
		if f.candidates == nil {
			f.candidates = s.hand.candidates.Room(len(e.alternatives))
		}
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
