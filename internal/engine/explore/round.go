package explore

import (
	"context"
	"errors"

	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/interp"
)

// largeRound is the largest number of words of successors in a round, about; and the usual one if
// states on disk are compared, once a round.
const largeRound = 1 << 18

// plan divides the next states, up to one, into tasks.
func (s *Search) plan(upTo int, onlyCheck bool) []*Task {
	words := largeRound
	if s.Store.InMemory() == s.Store.Len() {
		words = min(words, store.CachedRound*len(s.Workers))
	}
	n := s.pace.States(words, s.Program.Words())
	if most := s.MaxStates - int64(s.Store.Len()); s.MaxStates > 0 && !onlyCheck {
		n = min(n, int(most)+1) // expanding many more states than the limit allows is useless
	}
	if program.IsSlow(s.Program) {
		n = min(n, 2048)
	}
	n = max(n, 16)
	if s.MostInRound > 0 {
		n = min(n, s.MostInRound)
	}
	end := min(upTo, s.Next+n)
	var out []*Task
	for from, to := range store.Tasks(s.Next, end, program.Grain(s.Program), len(s.Workers)) {
		if len(out) == len(s.tasks) {
			s.tasks = append(s.tasks, &Task{})
		}
		t := s.tasks[len(out)]
		t.Reset(s.Space, s.Store, from, to)
		t.place = len(out)
		out = append(out, t)
	}
	for _, t := range out {
		t.round = out
	}
	s.Next = end
	return out
}

// expandAll runs tasks. It returns them up to the first in which an action could not be evaluated;
// with an error, the ones before it.
func (s *Search) expandAll(ctx context.Context, tasks []*Task, onlyCheck bool) ([]*Task, error) {
	errs := make([]error, len(tasks))
	threads := store.Threads(len(s.Workers), tasks[len(tasks)-1].To-tasks[0].From)
	if program.Grain(s.Program) < store.TaskSize {
		threads = len(s.Workers)
	}
	// What a worker remembers as recent has to come before in the order of the states.
	store.Forwards(len(tasks), threads, func(w, i int) {
		if errs[i] = s.Workers[w].Run(ctx, tasks[i], s.Store, onlyCheck); errs[i] == nil {
			tasks[i].Partition()
		}
	})
	for i, t := range tasks {
		if errs[i] != nil {
			return tasks[:i], errs[i]
		}
		if t.Failed != nil {
			return tasks[:i+1], nil
		}
	}
	return tasks, nil
}

// CheckTo evaluates the terms in the next states, up to one, without expanding them.
func (s *Search) CheckTo(ctx context.Context, upTo int) error {
	for s.Next < upTo {
		begin := s.Next
		tasks, err := s.expandAll(ctx, s.plan(upTo, true), true)
		if err != nil {
			s.Next = begin
			return err
		}
		for _, t := range tasks {
			if err := s.Tell(t, t.From); err != nil {
				return err
			}
		}
	}
	return nil
}

// Round expands some states of the level, and adds the new states. At the limit of states, or where
// an action cannot be evaluated, Next is the first state that is not expanded as a whole.
func (s *Search) Round(ctx context.Context) error {
	begin := s.Next
	s.Store.Forget(begin) // a limit or a failure goes back to here at most
	s.Remember()
	tasks, ended := s.expandAll(ctx, s.plan(s.To, false), false)
	if ended != nil && (len(tasks) == 0 || !errors.Is(ended, interp.ErrWork)) {
		s.Next = begin
		return ended
	}
	batch, ordinal, limit := s.Insert(tasks)
	if limit != nil && !errors.Is(limit, store.ErrLimit) {
		s.Next = begin
		return limit
	}
	if limit != nil {
		tasks = tasks[:batch+1]
	}
	found, candidates := 0, 0
	for i, t := range tasks {
		end := t.To
		if t.Failed != nil {
			end = t.Stop
		}
		if limit != nil && i == batch {
			t.Found, end = t.foundBefore(ordinal), int(t.Parents[ordinal])
		}
		if err := s.Tell(t, end); err != nil {
			return err
		}
		s.Next = end
		found, candidates = found+t.Found, candidates+t.Len()
	}
	switch last := tasks[len(tasks)-1]; {
	case limit != nil:
		return limit
	case last.Failed != nil:
		return &Failure{last.Failed, last.Stop}
	case ended != nil:
		return ended
	}
	s.settle(tasks)
	s.Count(found, candidates)
	s.pace.Saw(s.Next-begin, candidates)
	return nil
}

// Remember begins to remember recent states when a search is no longer small, and ends it when less
// than a quarter of the successors was known by it.
func (s *Search) Remember() {
	begin := s.lookups == 0 && s.Store.Len() >= s.RecentFrom
	end := s.lookups >= recentTrial && s.avoided < s.lookups/4
	for _, w := range s.Workers {
		switch {
		case end:
			w.recent = nil
		case begin:
			w.recent = newRecent(w.words)
			if s.Label != nil {
				w.recent.targets = make([]uint64, recentSlots)
			}
		}
	}
}

// Count counts successors, and how many of them were not known.
func (s *Search) Count(found, candidates int) {
	if s.Workers[0].recent != nil {
		s.lookups += found
		s.avoided += found - candidates
	}
}

// Insert adds the successors in tasks to the store. At the limit of states it gives the task and
// the index of the candidate that exceeds it.
func (s *Search) Insert(tasks []*Task) (batch, ordinal int, err error) {
	round := make([]*store.Candidates, len(tasks))
	for i, t := range tasks {
		round[i] = &t.Candidates
	}
	batch, ordinal, err = s.Store.Insert(round, int(s.MaxStates), len(s.Workers))
	if err != nil && !errors.Is(err, store.ErrLimit) {
		err = &DiskError{err}
	}
	return batch, ordinal, err
}
