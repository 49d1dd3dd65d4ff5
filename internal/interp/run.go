package interp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/result"
)

// RunOf gives the states of a trace. Values that a front end computes cannot be read from their
// texts: there, the run is looked for among the initial states and their steps, and the error says
// where it is none.
func RunOf(ctx context.Context, m *Model, t *result.Trace) ([]State, error) {
	if m.System.Computed != nil {
		return (&follower{m, map[string]int64{}}).follow(ctx, t)
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

// follower finds the states of a trace of a computed system again.
type follower struct {
	*Model
	numbers map[string]int64 // of the values that were met, by their texts
}

func (f *follower) follow(ctx context.Context, t *result.Trace) ([]State, error) {
	if len(t.Steps) == 0 {
		return nil, nil
	}
	var states []State
	err := f.Initial(ctx, func(s State) error {
		if f.isState(s, t.Steps[0].State) {
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
		if want.Action == result.Stutter && f.System.Computed.Stutters &&
			f.isState(states[i], want.State) {
			states = append(states, states[i])
			continue
		}
		err := f.EachStep(ctx, states[i], func(s Step) error {
			if s.Action.Name == want.Action && f.sameArgs(s.Args, want.Args) &&
				f.isState(s.State, want.State) {
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

// isState reports whether a state has the values of a trace.
func (f *follower) isState(s State, given []result.Binding) bool {
	if len(given) != len(s) {
		return false
	}
	for i, b := range given {
		sort := f.owners[i].symbol.Result
		n, met := f.numbers[b.Value.Text]
		if met && n != s[i] || f.owners[i].symbol.Name != b.Name {
			return false
		}
		if met {
			continue
		}
		if !f.value(sort, s[i]).Equal(b.Value) {
			return false
		}
		f.numbers[b.Value.Text] = s[i]
	}
	return true
}
