package interp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/result"
)

// RunOf gives the states of a trace. A computed system has no terms that say whether they are a
// run: there, the run is looked for among the initial states and their steps, and the error says
// where it is none.
func RunOf(ctx context.Context, m *Model, t *result.Trace) ([]State, error) {
	if m.System.Computed != nil {
		return follow(ctx, m, t)
	}
	var states []State
	for i, step := range t.Steps {
		s, err := m.StateOf(slices.Concat(t.Params, step.State)...)
		if err != nil {
			return nil, fmt.Errorf("state %d: %w", i+1, err)
		}
		states = append(states, s)
	}
	return states, nil
}

// follow finds the states of a trace of a computed system again.
func follow(ctx context.Context, m *Model, t *result.Trace) ([]State, error) {
	if len(t.Steps) == 0 {
		return nil, nil
	}
	wanted, err := m.StateOf(t.Steps[0].State...)
	if err != nil {
		return nil, fmt.Errorf("state 1: %w", err)
	}
	var states []State
	err = m.Initial(ctx, func(s State) error {
		if slices.Equal(s, wanted) {
			states = append(states, s)
			return ErrStop
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(states) == 0:
		return nil, errors.New("state 1 is not possible: it is no initial state")
	}
	for i, want := range t.Steps[1:] {
		if wanted, err = m.StateOf(want.State...); err != nil {
			return nil, fmt.Errorf("state %d: %w", i+2, err)
		}
		if want.Action == result.Stutter && m.System.Computed.Stutters &&
			slices.Equal(states[i], wanted) {
			states = append(states, states[i])
			continue
		}
		err := m.EachStep(ctx, states[i], func(s Step) error {
			if s.Action.Name == want.Action && m.sameArgs(s.Args, want.Args) &&
				slices.Equal(s.State, wanted) {
				states = append(states, s.State)
				return ErrStop
			}
			return nil
		})
		switch {
		case err != nil:
			return nil, fmt.Errorf("the steps from state %d: %w", i+1, err)
		case len(states) == i+1:
			return nil, fmt.Errorf("state %d does not follow from state %d by action %s: %w", i+2,
				i+1, want.Action, errNoStep)
		}
	}
	return states, nil
}
