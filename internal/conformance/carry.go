package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/slab"
	"erelong.dev/erelong/internal/system"
)

// hand is what carries out events: what it needs for a moment, and where what it finds is
// allocated.
type hand struct {
	s     *search
	found found
	last  last
	after []*logic.Term    // what is true after the event
	args  map[string]int64 // of the call
	// the methods that get what is found, made once
	onFound func([]Step, fingerprint) error
	onLast  func(interp.Effect) error

	candidates  slab.Of[candidate]
	transitions slab.Of[transition]
	steps       slab.Of[Step]
}

func newHand(s *search) *hand {
	h := &hand{s: s, args: map[string]int64{}}
	h.onFound, h.onLast = h.way, h.ended
	return h
}

// found is what carries out a candidate.
type found struct {
	event *event
	calls []call
	ends  distinct
	ways  []transition
}

// last is the last call of an event that is being carried out.
type last struct {
	event  *event
	call   call
	before []Step
	yield  func([]Step, fingerprint) error
}

// transitions lists the ways to carry out a candidate in the current state.
func (s *search) transitions(ctx context.Context, c candidate) (out []transition, err error) {
	switch {
	case c.silent != nil:
		return silently(ctx, s, c.silent)
	case len(c.alternative().calls) == 0:
		return s.observe(c.event)
	default:
		calls := c.alternative().calls
		s.hand.found = found{event: c.event, calls: calls}
		err = s.sequence(ctx, c.event, calls, nil, true, s.hand.onFound)
		out = s.hand.found.ways
		if err == nil && len(out) == 0 {
			err = s.blame(ctx, c.event, calls)
		}
		err = s.located(c.event, err)
	}
	return out, err
}

// silently lists the ways to carry out an action without an event.
func silently(
	ctx context.Context, s *search, a *system.Action,
) (out []transition, err error) {
	err = s.state.Steps(ctx, a, interp.Guide{}, func(x interp.Effect) error {
		if len(x.Changes) == 0 {
			return nil
		}
		out = append(out, transition{nil, []Step{{Action: a, Args: x.Args, changes: x.Changes}}})
		return s.few(len(out), a)
	})
	return out, err
}

// way adds a way to carry out a candidate, unless one leads to the same state.
func (h *hand) way(steps []Step, end fingerprint) error {
	f := &h.found
	if !f.ends.add(end) {
		return nil
	}
	if f.ways == nil {
		f.ways = h.transitions.Room(1)
	}
	f.ways = append(f.ways, transition{f.event, steps})
	return h.s.few(len(f.ways), f.calls[len(f.calls)-1].action)
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
		s.hand.after = e.formulas(s.hand.after[:0])
		guide.After = s.hand.after
	}
	s.hand.last = last{e, c, before, yield}
	return s.state.Steps(ctx, c.action, guide, s.hand.onLast)
}

// ended gives the steps of an event, of which the last one has an effect.
func (h *hand) ended(x interp.Effect) error {
	l := &h.last
	steps := append(h.steps.Room(len(l.before)+1), l.before...)
	return l.yield(append(steps, step(l.event, l.call, x)), h.s.hash.after(x.Changes))
}

func step(e *event, c call, x interp.Effect) Step {
	return Step{Event: e.Event, Action: c.action, Args: x.Args, changes: x.Changes}
}

// formulas adds what is true after an event to a list.
func (e *event) formulas(out []*logic.Term) []*logic.Term {
	for _, o := range e.observations {
		out = append(out, o.formula)
	}
	return out
}

// guide computes the arguments of a call.
func (s *search) guide(c call, eval func(*logic.Term) (int64, error)) (interp.Guide, error) {
	clear(s.hand.args) // of the call before, whose steps were computed
	g := interp.Guide{Args: s.hand.args}
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
