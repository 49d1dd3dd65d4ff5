package explicit

import (
	"context"
	"errors"
	"fmt"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
)

// depthFirst is a depth-first exploration: it finds the same states as explore, but runs to
// violations need not be shortest. The Depth of a result that holds is the number of states of the
// longest run. It uses one thread.
func (s *search) depthFirst(ctx context.Context) error {
	s.remark = result.Because(result.Remark,
		"found depth-first: the run need not be a shortest one")
	err := s.initial(ctx)
	depths := make([]int64, 0, 1024) // for each state, the number of states of the run to it
	t := &explore.Task{}
	for err == nil && len(depths) < s.Store.Len() {
		depths = append(depths, 1)
	}
	// The stack holds found states that are not expanded; the first initial state is on top.
	var stack []int
	for i := len(depths) - 1; i >= 0; i-- {
		stack = append(stack, i)
	}
	for err == nil && len(stack) > 0 {
		number := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		s.Level = max(s.Level, depths[number])
		t.Reset(s.Space, s.Store, number, number+1)
		if err = s.Workers[0].Run(ctx, t, s.Store, false); err != nil {
			break
		}
		before := s.Store.Len()
		round := []*store.Candidates{&t.Candidates}
		_, cut, full := s.Store.Add(round, int(s.opts.Limits.States))
		if full != nil && !errors.Is(full, store.ErrLimit) {
			err = &explore.DiskError{Err: full}
			break
		}
		if full != nil {
			t.Found = cut
		}
		_ = s.Tell(t, number+1)
		s.settleAs(depths[number], int64(s.Store.Len()), s.Stats.Transitions)
		for range s.Store.Len() - before {
			depths = append(depths, depths[number]+1)
		}
		for i := s.Store.Len() - 1; i >= before; i-- {
			stack = append(stack, i)
		}
		switch why := s.enough(); {
		case why.Given():
			s.stopped = why
			return nil
		case full != nil:
			err = full
		case t.Failed != nil:
			err = &explore.Failure{Err: t.Failed, State: number}
		}
		if s.bytesAhead = int64(cap(depths)+cap(stack)) * 8; err == nil {
			err = s.keepWithinMemory()
		}
		s.Next = s.Store.Len() - len(stack)
		s.progress()
	}
	if err == nil {
		return nil
	}
	return s.concludeDepthFirst(ctx, err, stack, depths)
}

// concludeDepthFirst draws the conclusions when a depth-first exploration had to stop.
func (s *search) concludeDepthFirst(
	ctx context.Context, err error, stack []int, depths []int64,
) error {
	var action *explore.Failure
	var term *interp.EvalError
	var disk *explore.DiskError
	n := s.Store.Len()
	switch {
	case ctx.Err() != nil:
		s.stopped = result.Ended(ctx, fmt.Sprintf("after %d states", n))
		return nil
	case errors.As(err, &disk):
		s.stopped = result.Because(result.Machine,
			fmt.Sprintf("stopped after %d states: %v", n, err))
		return nil
	case errors.Is(err, store.ErrLimit):
		s.stopped = s.opts.Limits.AtStates(n)
	case errors.As(err, &action), errors.As(err, &term):
		s.stopped = engine.Unevaluated(err, err.Error())
	default:
		return err
	}
	// The states on the stack are found, so they are checked, too.
	for len(stack) > 0 {
		number := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		t := &explore.Task{}
		t.Reset(s.Space, s.Store, number, number+1)
		if err := s.Workers[0].Run(ctx, t, s.Store, true); err != nil {
			return err
		}
		_ = s.Tell(t, number)
		s.settleAs(depths[number], int64(n), s.Stats.Transitions)
	}
	if action == nil && term == nil {
		return nil
	}
	state, depth := -1, int64(0)
	if action != nil {
		state, depth = action.State, depths[action.State]
	}
	for _, c := range s.open() {
		c.decide(result.Unknown, s.stopped, state, depth, int64(n), s.Stats.Transitions)
	}
	return nil
}
