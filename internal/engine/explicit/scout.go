package explicit

import (
	"context"
	"errors"
	"fmt"
	"math/rand"

	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
)

// Where there are many initial states, the first steps matter more than all initial states. So the
// enumeration of initial states pauses, and another search, the scout, begins with some initial
// states that are chosen at random: they differ more than the first ones of the enumeration.
// The scout is short. It begins again each time there are four times as many initial states. A
// violation that it finds counts; the rest of what it finds only tells how far it looked.

const (
	scouted      = 64      // initial states of a scout, at most
	scoutStates  = 1 << 16 // states of a scout, at most
	leastScouted = 4       // fewer initial states are not worth a scout
	decisions    = 256     // for one initial state, on average
)

// scouting says when the next scout begins, and what they have seen.
type scouting struct {
	threshold int   // the number of initial states, 0 for never
	count     int64 // the scouts so far
	examined  int   // initial states of the last one
	depth     int64 // it looked at all runs from them of up to this number of states
	complete  bool  // it looked at all runs from them
}

// scoutSizes gives the number of initial states with which scouts begin, and the limit of their
// states.
func (o *Options) scoutSizes() (initial, states int) {
	if o.Limits.States == 0 {
		return scouted, scoutStates
	}
	return min(scouted, int(o.Limits.States)/64), min(scoutStates, int(o.Limits.States)/2)
}

// planScouts decides whether there are scouts.
func (s *search) planScouts() {
	initial, _ := s.opts.scoutSizes()
	if s.opts.Search != BreadthFirst || s.opts.Store != Exact || s.opts.NoScout ||
		initial < leastScouted || len(s.list) == 0 ||
		s.opts.Limits.Depth == 1 {
		return
	}
	s.scouting.threshold = manyInitial
	if s.opts.Limits.States > 0 {
		s.scouting.threshold = min(s.scouting.threshold, int(s.opts.Limits.States)/4)
	}
}

// scout looks for violations of the undecided claims from some initial states.
func (s *search) scout(ctx context.Context) (err error) {
	s.scouting.threshold *= 4
	s.scouting.count++
	number, states := s.opts.scoutSizes()
	given, err := s.sample(ctx, number)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || len(given) == 0 {
		return nil // the enumeration shows what the error is about, if it comes to that
	}
	opts := s.opts
	opts.Limits.States, opts.NoScout, opts.Checkpoint = int64(states), true, explore.Checkpoint{}
	opts.Vacuity, opts.Signs = false, nil
	opts.Only, opts.Deadlock, opts.Sink.Progress = nil, false, nil
	for _, c := range s.list {
		if c.decided() {
			continue
		}
		if opts.Deadlock = opts.Deadlock || c.property == nil; c.property != nil {
			opts.Only = append(opts.Only, c.property.Name)
		}
	}
	cs, err := selectClaims(s.Model, opts)
	if err != nil {
		return err
	}
	cs.props = s.props
	if len(opts.Only) == 0 { // then only deadlocks are open
		cs.list = []*claim{cs.deadlock}
	}
	sub, err := newSearch(s.Space, cs, opts, s.begin)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sub.close()) }()
	sub.initialStates = given
	if err := sub.explore(ctx); err != nil {
		return err
	}
	s.scouting.examined, s.scouting.depth, s.scouting.complete = int(sub.Stats.Initial), sub.Level,
		!sub.stopped.Given()
	remark := s.remark
	if !remark.Given() {
		remark = result.Because(result.Remark,
			"found from one of many initial states: the run need not be a shortest one")
	}
	for _, found := range cs.list {
		if found.result.Verdict != result.Violated {
			continue
		}
		for _, c := range s.list {
			if c.property == found.property && !c.decided() {
				if c.run, err = sub.runTo(context.WithoutCancel(ctx), found.state); err != nil {
					return err
				}
				r := found.result
				c.decide(result.Violated, remark, found.state, r.Depth, r.States, r.Transitions)
			}
		}
	}
	return nil
}

// sample gives initial states that are chosen at random. The choice depends on the system alone.
func (s *search) sample(ctx context.Context, number int) (out []interp.State, err error) {
	rng := rand.New(rand.NewSource(s.scouting.count))
	left := number * decisions
	for len(out) < number && left > 0 {
		state, spent, err := s.Sample(ctx, rng, left)
		if err != nil {
			return nil, err
		}
		left -= max(spent, 1)
		if state != nil {
			out = append(out, state)
		}
	}
	return out, nil
}

// told says how far the last scout looked, empty if there was none.
func (s *scouting) told() string {
	switch {
	case s.examined == 0:
		return ""
	case s.complete:
		return fmt.Sprintf("; of %d initial states that were chosen at random, all runs were "+
			"looked at", s.examined)
	}
	return fmt.Sprintf("; of %d initial states that were chosen at random, all runs of up to %d "+
		"states were looked at", s.examined, s.depth)
}
