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
	c      *Checker
	p      *problem
	silent int // actions without an event between two events
	limit  int // pairs
	until  int // events after which a log counts as accepted

	at     []int // positions
	done   int   // events so far
	state  interp.State
	first  interp.State
	frames []frame
	seen   map[fingerprint]uint8 // the silent actions since the last event with which a pair was reached
	best   *best
	ended  string // the limit that was reached

	decisive struct{ observations, requirements int }
	open     bool // there was more than one way to go on somewhere
}

// frame is a pair on the current path.
type frame struct {
	by         move // how it was reached
	since      int  // silent actions since the last event
	candidates []candidate
	moves      []move // of the candidate before the next, which were not tried yet
}

// candidate is something that could come next: an alternative of an event, or a silent action.
type candidate struct {
	event  *event
	chosen int // index of the alternative
	silent *system.Action
}

// move is a way from one pair to another.
type move struct {
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

var errFound = errors.New("found")

func newSearch(c *Checker, p *problem) *search {
	s := &search{c: c, p: p, limit: c.o.MaxStates, seen: map[fingerprint]uint8{}, until: len(p.events)}
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

// run searches from every initial state.
func (s *search) run(ctx context.Context) error {
	any := false
	err := s.c.model.Initial(ctx, func(first interp.State) error {
		s.open = s.open || any
		any = true
		s.begin(first)
		return s.from(ctx)
	})
	switch {
	case errors.Is(err, errFound):
		return nil
	case err != nil:
		return err
	case !any:
		return errors.New("the instance has no initial state")
	}
	return nil
}

func (s *search) begin(first interp.State) {
	s.first, s.state = first, first.Clone()
	s.at = make([]int, len(s.p.lanes))
	s.done, s.frames = 0, nil
	s.push(move{}, 0)
}

// from searches on from the current path. The error is errFound if the log is accepted, or
// interp.ErrStop if a limit is reached.
func (s *search) from(ctx context.Context) error {
	for len(s.frames) > 0 {
		if s.done == s.until {
			return errFound
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		f := &s.frames[len(s.frames)-1]
		switch {
		case len(f.moves) > 0:
			m := f.moves[0]
			f.moves = f.moves[1:]
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
				s.ended = fmt.Sprintf("the search ended after %d pairs of positions and states (--max-states)", s.limit)
				s.note()
				return interp.ErrStop
			}
			s.push(m, since)
		case len(f.candidates) > 0:
			c := f.candidates[0]
			f.candidates = f.candidates[1:]
			moves, err := s.moves(ctx, c)
			if err != nil {
				return err
			}
			s.open = s.open || len(moves) > 1
			f.moves = moves
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
func (s *search) push(by move, since int) {
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
	s.open = s.open || len(f.candidates) > 1
	s.frames = append(s.frames, f)
}

func (s *search) take(m move) {
	for _, step := range m.steps {
		step.apply(s.state)
	}
	if m.event != nil {
		s.at[m.event.lane]++
		s.done++
	}
}

func (s *search) undo(m move) {
	for i := len(m.steps) - 1; i >= 0; i-- {
		for _, c := range m.steps[i].changes {
			s.state[c.slot] = c.from
		}
	}
	if m.event != nil {
		s.at[m.event.lane]--
		s.done--
	}
}

// fresh reports whether the current pair was not reached before with as few silent actions.
func (s *search) fresh(since int) bool {
	key := fingerprintOf(s.at, s.state)
	before, ok := s.seen[key]
	if ok && int(before) <= since {
		return false
	}
	s.seen[key] = uint8(since)
	return true
}

// note keeps the current path if no other explains more events.
func (s *search) note() {
	if s.best != nil && (s.done < s.best.done || s.done == s.best.done && len(s.best.paths) == maxPaths) {
		return
	}
	if s.best == nil || s.done > s.best.done {
		s.best = &best{done: s.done}
	}
	s.best.paths = append(s.best.paths, path{s.first, s.steps(), slices.Clone(s.at), s.state.Clone()})
}

// steps lists the steps of the current path.
func (s *search) steps() (out []Step) {
	for _, f := range s.frames {
		out = append(out, f.by.steps...)
	}
	return out
}

// moves lists the ways to carry out a candidate in the current state.
func (s *search) moves(ctx context.Context, c candidate) ([]move, error) {
	if c.silent != nil {
		var out []move
		err := s.c.model.GuidedSteps(ctx, s.state, c.silent, interp.Guide{}, func(x interp.Step) error {
			changes := difference(s.state, x.State)
			if len(changes) == 0 {
				return nil
			}
			if len(out) == maxSuccessors {
				return s.tooMany(c.silent)
			}
			out = append(out, move{nil, []Step{{Action: c.silent, Args: x.Args, changes: changes}}})
			return nil
		})
		if err == nil && s.ended != "" {
			err = interp.ErrStop
		}
		return out, err
	}
	a := c.event.alternatives[c.chosen]
	if len(a.calls) == 0 {
		if d, err := s.differs(c.event, s.state); err != nil || len(d) > 0 {
			s.decisive.observations += min(len(d), 1)
			return nil, err
		}
		return []move{{c.event, []Step{{Event: c.event.Event}}}}, nil
	}
	var out []move
	var ends distinct
	err := s.sequence(ctx, c.event, a.calls, s.state, nil, true, func(steps []Step, end interp.State) error {
		if !ends.add(end) {
			return nil
		}
		if len(out) == maxSuccessors {
			return s.tooMany(a.calls[0].action)
		}
		out = append(out, move{c.event, steps})
		return nil
	})
	switch {
	case err != nil:
		return nil, s.located(c.event, err)
	case s.ended != "":
		return nil, interp.ErrStop
	case len(out) == 0:
		return nil, s.blame(ctx, c.event, a)
	}
	return out, nil
}

func (s *search) tooMany(a *system.Action) error {
	s.ended = fmt.Sprintf("%s has more than %d steps in a state that the search reached: the log leaves too much open", a.Name, maxSuccessors)
	s.note()
	return interp.ErrStop
}

// located says which event an error is about.
func (s *search) located(e *event, err error) error {
	var action *interp.ActionError
	if errors.As(err, &action) {
		return eventError(s.p.name, e.Event, "event %s: %v", e.Name, err)
	}
	return err
}

// sequence carries out calls one after the other. With check, the observations of the event are
// true after the last.
func (s *search) sequence(ctx context.Context, e *event, calls []call, state interp.State, before []Step, check bool, yield func([]Step, interp.State) error) error {
	last := len(calls) == 1
	guide, err := s.guide(calls[0], state)
	if err != nil {
		return eventError(s.p.name, e.Event, "event %s: %v", e.Name, err)
	}
	if last && check {
		for _, o := range e.observations {
			guide.After = append(guide.After, o.formula)
		}
	}
	var found []interp.Step
	var between distinct
	err = s.c.model.GuidedSteps(ctx, state, calls[0].action, guide, func(x interp.Step) error {
		if !last {
			if between.add(x.State) {
				found = append(found, x)
			}
			return nil
		}
		return yield(append(slices.Clip(before), s.step(e, calls[0], state, x)), x.State)
	})
	if err != nil || last {
		return err
	}
	for _, x := range found {
		if err := s.sequence(ctx, e, calls[1:], x.State, append(slices.Clip(before), s.step(e, calls[0], state, x)), check, yield); err != nil {
			return err
		}
	}
	return nil
}

func (s *search) step(e *event, c call, from interp.State, x interp.Step) Step {
	return Step{Event: e.Event, Action: c.action, Args: x.Args, changes: difference(from, x.State)}
}

// guide computes the arguments of a call.
func (s *search) guide(c call, state interp.State) (interp.Guide, error) {
	g := interp.Guide{Args: make(map[string]int64, len(c.args))}
	for _, a := range c.args {
		x := a.value
		if a.term != nil {
			v, err := s.c.model.Eval(a.term, state)
			if err != nil {
				return g, fmt.Errorf("%s of %s: %w", a.name, c.action.Name, err)
			}
			x = v
		}
		g.Args[a.name] = x
	}
	return g, nil
}

// differs lists the observations of an event that are false in a state.
func (s *search) differs(e *event, state interp.State) (out []Difference, err error) {
	for _, o := range e.observations {
		holds, err := s.c.model.Holds(o.formula, state)
		if err != nil {
			return nil, eventError(s.p.name, e.Event, "observation %s: %v", o.text, err)
		}
		if holds {
			continue
		}
		d := Difference{What: o.text}
		if o.term != nil {
			v, err := s.c.model.Eval(o.term, state)
			if err != nil {
				return nil, eventError(s.p.name, e.Event, "observation %s: %v", o.text, err)
			}
			d.Expected, d.Seen = s.c.show(o.notation, v), s.c.show(o.notation, o.value)
		}
		out = append(out, d)
	}
	return out, nil
}

// blame counts whether observations or requirements exclude an alternative.
func (s *search) blame(ctx context.Context, e *event, a alternative) error {
	if len(e.observations) > 0 {
		possible := false
		err := s.sequence(ctx, e, a.calls, s.state, nil, false, func([]Step, interp.State) error {
			possible = true
			return interp.ErrStop
		})
		if err != nil && !errors.Is(err, interp.ErrStop) {
			return s.located(e, err)
		}
		if possible {
			s.decisive.observations++
			return nil
		}
	}
	s.decisive.requirements++
	return nil
}

func difference(from, to interp.State) (out []change) {
	for i, v := range to {
		if from[i] != v {
			out = append(out, change{i, from[i], v})
		}
	}
	return out
}

// distinct is a set of states. Usually there is only one.
type distinct struct {
	first interp.State
	all   map[fingerprint]bool
}

// add reports whether a state is new.
func (d *distinct) add(s interp.State) bool {
	if d.first == nil {
		d.first = s
		return true
	}
	if d.all == nil {
		d.all = map[fingerprint]bool{fingerprintOf(nil, d.first): true}
	}
	key := fingerprintOf(nil, s)
	if d.all[key] {
		return false
	}
	d.all[key] = true
	return true
}

// fingerprint identifies a pair of positions and a state by two hashes of 64 bits.
type fingerprint [2]uint64

func fingerprintOf(at []int, state interp.State) fingerprint {
	h := fingerprint{0x9e3779b97f4a7c15, 0xd1b54a32d192ed03}
	for _, x := range at {
		h.add(uint64(x))
	}
	for _, x := range state {
		h.add(uint64(x))
	}
	return h
}

func (h *fingerprint) add(x uint64) {
	h[0] = mix(h[0]^x, 0xbf58476d1ce4e5b9)
	h[1] = mix(h[1]+x, 0xff51afd7ed558ccd)
}

// mix is the finalizer of splitmix64 with one of two constants.
func mix(x, k uint64) uint64 {
	x = (x ^ x>>30) * k
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
