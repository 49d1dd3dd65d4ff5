package explicit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/interp"
)

// run is a run of the system.
type run struct {
	first interp.State
	steps []interp.Step
}

func (r *run) last() interp.State {
	if len(r.steps) == 0 {
		return r.first
	}
	return r.steps[len(r.steps)-1].State
}

// runTo rebuilds the run by which a state was found.
func (s *search) runTo(ctx context.Context, state int) (*run, error) {
	path, err := s.Path(state)
	if err != nil {
		return nil, err
	}
	if s.opts.Store == Packed {
		keys, err := s.follow(ctx, path)
		if err != nil {
			return nil, err
		}
		return s.rebuild(ctx, keys)
	}
	var keys [][]uint64
	for _, number := range path {
		var buf []uint64
		key, err := s.Store.Keys(number, number+1, &buf)
		if err != nil {
			return nil, err
		}
		keys = append(keys, slices.Clone(key))
	}
	return s.rebuild(ctx, keys)
}

// follow finds the states of a path in a packed store: the first one in the order of the initial
// states, and then each as the successor of the one before with its ordinal.
func (s *search) follow(ctx context.Context, path []int) (keys [][]uint64, err error) {
	initial := store.New(s.Program.Words())
	err = s.start(ctx, s.Model, func(state interp.State) error {
		packed, err := s.Program.Pack(state)
		if err != nil {
			return err
		}
		c := &store.Candidates{}
		c.Reset(initial)
		c.Add(packed, store.Hash(packed), 0)
		if _, _, err := initial.Add([]*store.Candidates{c}, 0); err != nil {
			return err
		}
		if initial.Len() > path[0] {
			keys = append(keys, packed)
			return interp.ErrStop
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	x, err := explore.NewExpander(s.Space)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.Worker.Close()) }()
	t := &explore.Task{}
	for _, number := range path[1:] {
		_, ordinal := s.Store.Origin(number)
		t.Reset(s.Space, initial, 0, 1)
		if err := x.Expand(ctx, t, keys[len(keys)-1], false); err != nil {
			return nil, err
		}
		if ordinal >= t.Len() {
			return nil, errors.New("internal error: a state has no such successor")
		}
		keys = append(keys, slices.Clone(t.State(ordinal)))
	}
	return keys, nil
}

// rebuild finds the run with states of these keys: actions and arguments are found again.
func (s *search) rebuild(ctx context.Context, keys [][]uint64) (*run, error) {
	r := &run{}
	m := s.Within(nil) // finding the steps again takes about as long as finding them
	for i, key := range keys {
		if i == 0 && s.manyInitial { // a representative of initial states is one of them
			r.first = s.Program.Unpack(key)
			continue
		}
		var err error
		found := false
		visit := func(step interp.Step) error {
			packed, err := s.Program.Pack(step.State)
			if err != nil {
				return err
			}
			if !slices.Equal(s.Store.Key(packed), key) {
				return nil
			}
			if found = true; i == 0 {
				r.first = step.State
			} else {
				r.steps = append(r.steps, step)
			}
			return interp.ErrStop
		}
		if i == 0 {
			err = s.start(ctx, m, func(first interp.State) error {
				return visit(interp.Step{State: first})
			})
		} else {
			from := r.last()
			for _, a := range s.System.Actions {
				if err = m.Steps(ctx, from, a, visit); err != nil || found {
					break
				}
			}
		}
		switch {
		case found:
		case err != nil:
			return nil, err
		default:
			return nil, fmt.Errorf("internal error: the interpreter does not find state %d of "+
				"the run", i+1)
		}
	}
	return r, nil
}
