package explicit

import (
	"context"
	"errors"

	"erelong.dev/erelong/internal/engine/explicit/store"
	"erelong.dev/erelong/internal/interp"
)

// largeRound is the largest number of words of successors in a round, about; and the usual one if
// states on disk are compared, once a round.
const largeRound = 1 << 18

// plan divides the next states, up to one, into tasks.
func (s *search) plan(upTo int, onlyCheck bool) []*task {
	words := largeRound
	if s.store.InMemory() == s.store.Len() {
		words = min(words, store.CachedRound*len(s.workers))
	}
	n := s.pace.States(words, s.program.Words())
	if most := s.opts.MaxStates - int64(s.store.Len()); s.opts.MaxStates > 0 && !onlyCheck {
		n = min(n, int(most)+1) // expanding many more states than the limit allows is useless
	}
	size := store.TaskSize
	if _, slow := s.program.(*interpreted); slow {
		n, size = min(n, 2048), 16
	}
	end := min(upTo, s.Next+min(max(n, 16), s.opts.mostInRound))
	var out []*task
	for from, to := range store.Tasks(s.Next, end, size, len(s.workers)) {
		if len(out) == len(s.tasks) {
			s.tasks = append(s.tasks, &task{})
		}
		t := s.tasks[len(out)]
		t.reset(s.space, s.store, from, to)
		out = append(out, t)
	}
	s.Next = end
	return out
}

// expandAll runs tasks. It returns them up to the first in which an action could not be evaluated;
// with an error, the ones before it.
func (s *search) expandAll(ctx context.Context, tasks []*task, onlyCheck bool) ([]*task, error) {
	errs := make([]error, len(tasks))
	threads := store.Threads(len(s.workers), tasks[len(tasks)-1].to-tasks[0].from)
	if _, slow := s.program.(*interpreted); slow {
		threads = len(s.workers)
	}
	// What a worker remembers as recent has to come before in the order of the states.
	store.Forwards(len(tasks), threads, func(w, i int) {
		if errs[i] = s.workers[w].run(ctx, tasks[i], s.store, onlyCheck); errs[i] == nil {
			tasks[i].Partition()
		}
	})
	for i, t := range tasks {
		if errs[i] != nil {
			return tasks[:i], errs[i]
		}
		if t.failed != nil {
			return tasks[:i+1], nil
		}
	}
	return tasks, nil
}

// merge records the results of the tasks, in their order; it records only deadlocks before a state.
func (s *search) merge(tasks []*task, before int) {
	for _, t := range tasks {
		for i, e := range t.events {
			if e.found && !s.events[i].found {
				s.events[i] = e
			}
		}
		for i, on := range t.enabled {
			s.Enabled[i] = s.Enabled[i] || on
		}
		for _, d := range t.deadlocks {
			if d < before {
				s.Stats.Deadlocks++
				if s.Deadlock < 0 {
					s.Deadlock = d
				}
			}
		}
		if s.Outside < 0 {
			s.Outside = t.outside
		}
	}
}

// check looks for violations in the next states, up to one, without expanding them.
func (s *search) check(ctx context.Context, upTo int) error {
	for s.Next < upTo {
		begin := s.Next
		tasks, err := s.expandAll(ctx, s.plan(upTo, true), true)
		if err != nil {
			s.Next = begin
			return err
		}
		s.merge(tasks, 0)
	}
	return nil
}

// round expands some states of the level, and adds the new states.
func (s *search) round(ctx context.Context) error {
	begin := s.Next
	s.store.Forget(begin) // a limit or a failure goes back to here at most
	s.remember()
	tasks, ended := s.expandAll(ctx, s.plan(s.To, false), false)
	if ended != nil && (len(tasks) == 0 || !errors.Is(ended, interp.ErrWork)) {
		s.Next = begin
		return ended
	}
	cut, err := s.insert(tasks)
	if err != nil && !errors.Is(err, store.ErrLimit) {
		s.Next = begin
		return err
	}
	last := tasks[len(tasks)-1]
	found := int64(0)
	for i, t := range tasks {
		switch {
		case err != nil && i == cut.batch:
			found += int64(t.foundBefore(cut.ordinal))
		case err == nil || i < cut.batch:
			found += int64(t.found)
		}
	}
	s.Stats.Transitions += found
	switch {
	case err != nil:
		s.Next = begin // the states of the round are checked again, with the following ones
		s.merge(tasks[:cut.batch+1], int(tasks[cut.batch].Parents[cut.ordinal]))
		return err
	case last.failed != nil:
		s.merge(tasks, last.to)
		s.Next = last.stop
		return &failure{last.failed, last.stop}
	}
	s.merge(tasks, last.to)
	if ended != nil {
		s.Next = last.to
		return ended
	}
	candidates := 0
	for _, t := range tasks {
		candidates += t.Len()
	}
	s.count(int(found), candidates)
	s.pace.Saw(last.to-begin, candidates)
	return nil
}

// remember begins to remember recent states when a search is no longer small, and ends it when less
// than a quarter of the successors was known by it.
func (s *search) remember() {
	begin := s.lookups == 0 && s.store.Len() >= s.opts.recentFrom
	end := s.lookups >= recentTrial && s.avoidedLookups < s.lookups/4
	for _, w := range s.workers {
		switch {
		case end:
			w.recent = nil
		case begin:
			w.recent = newRecent(w.words)
		}
	}
}

// count counts successors, and how many of them were not known.
func (s *search) count(found, candidates int) {
	if s.workers[0].recent != nil {
		s.lookups += found
		s.avoidedLookups += found - candidates
	}
}

// batchPosition is the position of a candidate: its task, and its index there.
type batchPosition struct{ batch, ordinal int }

// insert adds the successors in tasks to the store.
func (s *search) insert(tasks []*task) (batchPosition, error) {
	round := make([]*store.Candidates, len(tasks))
	for i, t := range tasks {
		round[i] = &t.Candidates
	}
	batch, ordinal, err := s.store.Insert(round, int(s.opts.MaxStates), len(s.workers))
	if err != nil && !errors.Is(err, store.ErrLimit) {
		err = &diskError{err}
	}
	return batchPosition{batch, ordinal}, err
}
