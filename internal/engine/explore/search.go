// Package explore is the core of all searches through the states of a finite instance.
//
// In: a Space, which is an instance with a program that gives successors, and an Observer. Out: the
// states in a store, in breadth-first order; the observer is told what the states show, in this
// order. Observers make verdicts of it (package explicit) or a graph (package temporal).
//
// The search is breadth-first, level by level (Lee, 1961; the order of TLC and Spin's BFS mode), so
// that counterexamples are shortest. A level is expanded in rounds. In a round, tasks expand
// sequences of states, then the shards of the store look up the successors, both in parallel; then
// the new states are numbered in the order of the tasks. So the order of states is that of a
// sequential search.
package explore

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/interp"
)

// Search is a breadth-first exploration. States are numbered in the order in which they are found,
// so a level is a range of numbers.
type Search struct {
	*Space
	Place
	Store     *store.Store
	Workers   []*Expander
	Observers []Observer
	MaxStates int64 // 0 for no limit
	Initials  int   // initial states

	MostInRound int // most states that are expanded together, 0 for no limit
	RecentFrom  int // states from which on recent ones are remembered

	tasks   []*Task
	pace    store.Pace
	lookups int // successors since recent states are remembered
	avoided int // of these, the ones known by that
}

// Place says how far a search is.
type Place struct {
	Level    int64 // the number of states of the runs to the current level
	From, To int   // the level
	Next     int   // the next state of it to expand
}

// Observer is told what a search finds.
type Observer interface {
	// Observe is told what the states of a task show. Tasks come in the order of the states. The
	// states before end are expanded, with all of their successors. The others come again, in a
	// task that is only checked: there, all states count. So a state counts once.
	Observe(t *Task, end int) error
}

// Tell tells the observers of a task.
func (s *Search) Tell(t *Task, end int) error {
	for _, o := range s.Observers {
		if err := o.Observe(t, end); err != nil {
			return err
		}
	}
	return nil
}

// Plan decides how the levels of a search are explored, and when it is over.
type Plan interface {
	// Begin begins a level, or goes on with one where a search is resumed.
	Begin(ctx context.Context, resumed bool) (over bool, err error)
	// Step expands some states of the level, by Round, or checks them.
	Step(ctx context.Context) error
	// End is called when all states of the level are expanded.
	End(ctx context.Context) (over bool, err error)
}

// Failure is an error in evaluating an action in a state, which ends a search.
type Failure struct {
	Err   error
	State int
}

func (f *Failure) Error() string { return f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }

// DiskError is a failure to keep states. It ends the search; the results so far stay.
type DiskError struct{ Err error }

func (e *DiskError) Error() string { return e.Err.Error() }
func (e *DiskError) Unwrap() error { return e.Err }

// New makes a search with a number of threads, to be closed.
func New(sp *Space, st *store.Store, threads int) (*Search, error) {
	s := &Search{Space: sp, Store: st, RecentFrom: RecentFrom, pace: 4}
	for range threads {
		w, err := NewExpander(sp)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.Workers = append(s.Workers, w)
	}
	return s, nil
}

// Close ends the workers, and closes the store.
func (s *Search) Close() error { return errors.Join(s.Store.Close(), s.EndWorkers()) }

// EndWorkers ends the workers. The states stay.
func (s *Search) EndWorkers() (err error) {
	for _, w := range s.Workers {
		err = errors.Join(err, w.Worker.Close())
	}
	s.Workers, s.tasks = nil, nil
	return err
}

// Start adds initial states, which each gives in packed form. They are added together when they are
// as many as size, and at the end; then added is called.
func (s *Search) Start(
	size int, each func(yield func(packed []uint64) error) error, added func(last bool) error,
) error {
	t := &Task{}
	t.Reset(s.Space, s.Store, 0, 0)
	add := func(last bool) error {
		t.Partition()
		_, _, err := s.Insert([]*Task{t})
		s.Initials = s.Store.Len()
		t.Reset(s.Space, s.Store, 0, 0)
		return cmp.Or(err, added(last))
	}
	err := each(func(packed []uint64) error {
		t.Add(packed, store.Hash(packed), 0)
		t.Ordinals = append(t.Ordinals, 0)
		if t.Len() < size {
			return nil
		}
		return add(false)
	})
	switch {
	case errors.Is(err, store.ErrLimit) || errors.Is(err, ErrAgain):
		return err
	case errors.Is(err, interp.ErrStop):
		err = nil
	}
	return cmp.Or(add(true), err)
}

// ErrAgain ends a search for initial states that will begin anew.
var ErrAgain = errors.New("the initial states are found in another way")

// Levels finds the states level by level, until all are expanded or the plan says that it is over.
func (s *Search) Levels(ctx context.Context, p Plan) error {
	for resumed := s.Level > 0; resumed || s.To < s.Store.Len(); resumed = false {
		if !resumed {
			s.Level++
			s.From, s.Next, s.To = s.To, s.To, s.Store.Len()
		}
		if over, err := p.Begin(ctx, resumed); over || err != nil {
			return err
		}
		for s.Next < s.To {
			if err := p.Step(ctx); err != nil {
				return err
			}
		}
		if over, err := p.End(ctx); over || err != nil {
			return err
		}
	}
	return nil
}

// Path lists the numbers of the states on the run by which a state was found.
func (s *Search) Path(state int) ([]int, error) {
	path := []int{state}
	for state >= s.Initials {
		parent, err := s.Store.Parent(state)
		if err != nil {
			return nil, err
		}
		if parent >= state {
			return nil, errors.New("internal error: a state was found before its parent")
		}
		state = parent
		path = append(path, state)
	}
	slices.Reverse(path)
	return path, nil
}
