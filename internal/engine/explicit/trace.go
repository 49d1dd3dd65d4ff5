package explicit

import (
	"cmp"
	"context"
	"errors"
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
	if s.manyInitial { // a representative of initial states is one of them
		r.first = s.Program.Unpack(keys[0])
	} else {
		err := s.start(ctx, s.Within(nil), func(first interp.State) error {
			packed, err := s.Program.Pack(first)
			if err == nil && slices.Equal(s.Store.Key(packed), keys[0]) {
				r.first, err = first, interp.ErrStop
			}
			return err
		})
		if r.first == nil {
			return nil, cmp.Or(err, errLost)
		}
	}
	return r, r.extend(ctx, s.Space, keys[1:], s.Store.Key)
}

// retrace finds the run of packed states.
func retrace(ctx context.Context, sp *explore.Space, walk []uint64) (*run, error) {
	states := slices.Collect(slices.Chunk(walk, sp.Program.Words()))
	r := &run{first: sp.Program.Unpack(states[0])}
	return r, r.extend(ctx, sp, states[1:], func(packed []uint64) []uint64 { return packed })
}

var errLost = errors.New("internal error: the interpreter does not find a state of the run")

// extend appends steps to states of these keys.
func (r *run) extend(
	ctx context.Context, sp *explore.Space, keys [][]uint64, keyOf func(packed []uint64) []uint64,
) error {
	m := sp.Within(nil) // finding the steps again takes about as long as finding them
	for _, key := range keys {
		from, found := r.last(), false
		err := m.EachStep(ctx, from, func(step interp.Step) error {
			if step.Outside {
				return nil
			}
			packed, err := sp.Program.Pack(step.State)
			if err == nil && slices.Equal(keyOf(packed), key) {
				r.steps, found, err = append(r.steps, step), true, interp.ErrStop
			}
			return err
		})
		if err != nil && !found {
			return err
		}
		if !found {
			return errLost
		}
	}
	return nil
}
