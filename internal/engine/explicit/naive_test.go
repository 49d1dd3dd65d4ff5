package explicit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"erelong/internal/interp"
	"erelong/internal/system"
	"erelong/internal/verdict"
)

// search is the state of an exploration. States are numbered in the order in which they are found.
type search struct {
	*interp.Model
	opts     Options
	begin    time.Time
	claims   []*claim
	deadlock *claim             // nil when not asked for
	ranges   []*system.Property // all of them, asked for or not

	seen    map[string]int // key of a state -> its number
	states  []node
	level   int64 // the number of states of the runs to the last level that is complete
	upTo    int64 // the number of states up to that level
	enabled map[*system.Action]bool
	outside string // a range property that some state violates
	stopped string // why the search ended early, empty while it has not
	stats   Stats
	told    time.Time
	key     []byte
}

// node is a state that was found, and the step that led to it.
type node struct {
	key    string
	parent int  // -1 for an initial state
	closed bool // outside of a range, so not to be expanded
	step   interp.Step
}

// explore runs the search. It returns an error only for what is no verdict.
func (s *search) explore(ctx context.Context) error {
	err := s.levels(ctx)
	var action *interp.ActionError
	var term *interp.EvalError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		s.stopped = fmt.Sprintf("interrupted after %d states", len(s.states))
	case errors.Is(err, errLimit):
		s.stopped = fmt.Sprintf("stopped at the limit of %d states", s.opts.MaxStates)
	case errors.As(err, &action):
		s.stopped = err.Error()
	case errors.As(err, &term):
		s.stopped = err.Error()
		for _, c := range s.claims {
			if !c.decided() {
				c.result.Verdict, c.result.Reason = verdict.Unknown, err.Error()
			}
		}
	default:
		return err
	}
	s.countLevel(int64(len(s.states)))
	return nil
}

// levels finds the states level by level until all are expanded or all claims are decided.
func (s *search) levels(ctx context.Context) error {
	err := s.Initial(ctx, func(state interp.State) error { return s.visit(ctx, state, -1, interp.Step{}, 1) })
	if err != nil {
		return err
	}
	s.stats.Initial = int64(len(s.states))
	from := 0
	for from < len(s.states) {
		to := len(s.states)
		s.level++
		s.upTo = int64(to)
		s.countLevel(s.upTo)
		switch {
		case s.allDecided():
			s.stopped = "all properties are decided"
			return nil
		case s.opts.MaxDepth > 0 && s.level >= s.opts.MaxDepth:
			s.stopped = fmt.Sprintf("stopped at the limit of %d states a run", s.opts.MaxDepth)
			return nil
		}
		for i := from; i < to; i++ {
			if err := s.expand(ctx, i); err != nil {
				return err
			}
			s.progress(int64(len(s.states) - i - 1))
		}
		from = to
	}
	return nil
}

// allDecided reports whether there is nothing left to search for. Without any claim the search goes on, for its statistics.
func (s *search) allDecided() bool {
	return len(s.claims) > 0 && !slices.ContainsFunc(s.claims, func(c *claim) bool { return !c.decided() })
}

// countLevel sets the States of the violations that were found since it was last called.
func (s *search) countLevel(states int64) {
	for _, c := range s.claims {
		if c.decided() && c.result.States == 0 {
			c.result.States, c.result.Transitions = states, s.stats.Transitions
		}
	}
}

// successor identifies a transition within the expansion of a state.
type successor struct {
	action *system.Action
	params string
	state  int
}

// expand finds the successors of a state.
func (s *search) expand(ctx context.Context, number int) error {
	if s.states[number].closed {
		return nil
	}
	state := s.StateOfKey(s.states[number].key)
	taken := map[successor]bool{}
	for _, a := range s.System.Actions {
		err := s.Steps(ctx, state, a, func(step interp.Step) error {
			s.enabled[a] = true
			if err := s.visit(ctx, step.State, number, step, s.level+1); err != nil {
				return err
			}
			var params []byte
			for _, p := range step.Args[:len(a.Params)] {
				params = fmt.Append(params, p.Value, ",")
			}
			taken[successor{a, string(params), s.seen[string(s.key)]}] = true
			return nil
		})
		if err != nil {
			s.stats.Transitions += int64(len(taken))
			return s.failed(err, number)
		}
	}
	s.stats.Transitions += int64(len(taken))
	if len(taken) == 0 {
		s.stats.Deadlocks++
		if d := s.deadlock; d != nil && !d.decided() {
			d.result.Verdict = verdict.Violated
			d.result.Trace = s.trace(number)
			d.result.Trace.Violates = interp.Deadlock
			d.result.Depth = int64(len(d.result.Trace.Steps))
			d.result.States, d.result.Transitions = s.upTo, s.stats.Transitions
		}
	}
	return nil
}

// visit takes note of a state, and checks it when it is new. It leaves the key of the state in s.key.
func (s *search) visit(ctx context.Context, state interp.State, parent int, step interp.Step, depth int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.key = s.AppendKey(s.key[:0], state)
	if _, ok := s.seen[string(s.key)]; ok {
		return nil
	}
	if s.opts.MaxStates > 0 && int64(len(s.states)) >= s.opts.MaxStates {
		return errLimit
	}
	number := len(s.states)
	key := string(s.key)
	step.State = nil // it is in the key
	s.seen[key] = number
	s.states = append(s.states, node{key: key, parent: parent, step: step})
	for _, p := range s.ranges {
		if holds, err := s.Holds(p.Term, state); err == nil && !holds {
			s.states[number].closed = true
			s.outside = p.Name
		}
	}
	for _, c := range s.claims {
		if c.property == nil || c.decided() {
			continue
		}
		holds, err := s.Holds(c.property.Term, state)
		switch {
		case err == nil && holds, err != nil && s.states[number].closed:
			continue
		case err != nil:
			c.result.Verdict = verdict.Unknown
			c.result.Reason = fmt.Sprintf("%s cannot be evaluated in a reachable state: %v", c.property.Name, err)
			c.result.Trace = s.trace(number)
		default:
			c.result.Verdict = verdict.Violated
			c.result.Trace = s.trace(number)
			c.result.Trace.Violates = c.property.Name
			c.result.Trace.Line = s.FalseConjunct(c.property.Term, state).Line()
		}
		c.result.Depth = depth
	}
	return nil
}

// failed makes every undecided claim unknown when an action could not be evaluated in a state.
func (s *search) failed(err error, number int) error {
	var failed *interp.ActionError
	if errors.Is(err, errLimit) || !errors.As(err, &failed) {
		return err
	}
	for _, c := range s.claims {
		if !c.decided() {
			c.result.Verdict = verdict.Unknown
			c.result.Reason = failed.Error()
			c.result.Trace = s.trace(number)
			c.result.Depth = int64(len(c.result.Trace.Steps))
		}
	}
	return err
}

// trace is the run by which a state was found.
func (s *search) trace(number int) *verdict.Trace {
	var steps []interp.Step
	for ; s.states[number].parent >= 0; number = s.states[number].parent {
		step := s.states[number].step
		step.State = s.StateOfKey(s.states[number].key)
		steps = append(steps, step)
	}
	slices.Reverse(steps)
	return s.TraceOf(s.StateOfKey(s.states[number].key), steps...)
}

func (s *search) progress(frontier int64) {
	if s.opts.Progress == nil {
		return
	}
	if now := time.Now(); now.Sub(s.told) >= progressPeriod {
		s.told = now
		s.opts.Progress(Progress{States: int64(len(s.states)), Depth: s.level, Frontier: frontier})
	}
}
