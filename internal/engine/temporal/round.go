package temporal

import (
	"context"
	"errors"
	"fmt"
	"math"
	mathbits "math/bits"
	"slices"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// task is a sequence of states to expand, with the results.
type task struct {
	from, to int
	store.Candidates
	ends   []uint32 // for each state, the candidates up to and including its successors
	labels []uint32 // of the candidates: the action, and the index of its parameters
	truth  []uint64 // of each state: the false claims
	errs   []claimError
	failed error // why an action could not be evaluated in the last state
	buf    []uint64
}

type claimError struct {
	claim, state int
	err          error
}

// plan divides the next states, up to one, into tasks.
func (s *search) plan(upTo int) []*task {
	n := s.pace.States(store.CachedRound*len(s.workers), s.packed.program.Words())
	if s.limits.states > 0 {
		n = min(n, int(s.limits.states)-s.count()+1)
	}
	end := min(upTo, s.next+max(n, 16))
	var out []*task
	for from, to := range store.Tasks(s.next, end, store.TaskSize, len(s.workers)) {
		if len(out) == len(s.tasks) {
			s.tasks = append(s.tasks, &task{})
		}
		t := s.tasks[len(out)]
		t.from, t.to = from, to
		out = append(out, t)
	}
	return out
}

func (s *search) insert(tasks []*task) (batch, ordinal int, err error) {
	round := make([]*store.Candidates, len(tasks))
	for i, t := range tasks {
		round[i] = &t.Candidates
	}
	return s.packed.store.Insert(round, int(s.limits.states), len(s.workers))
}

// round expands some states of the level that ends before a state.
func (s *search) round(ctx context.Context, level int) error {
	tasks := s.plan(level)
	errs := make([]error, len(tasks))
	threads := store.Threads(len(s.workers), tasks[len(tasks)-1].to-s.next)
	store.Parallel(len(tasks), threads, func(w, i int) {
		if errs[i] = s.expand(ctx, s.workers[w], tasks[i]); errs[i] == nil {
			tasks[i].Partition()
		}
	})
	for i, t := range tasks {
		if errs[i] != nil {
			return errs[i]
		}
		if t.failed != nil {
			tasks = tasks[:i+1]
			break
		}
	}
	batch, ordinal, limit := s.insert(tasks)
	if limit != nil && !errors.Is(limit, store.ErrLimit) {
		return limit
	}
	begin, found := s.next, 0
	for i, t := range tasks {
		upTo := t.from + len(t.ends)
		if limit != nil && i == batch {
			upTo = int(t.Parents[ordinal])
		}
		if t.failed != nil {
			upTo = min(upTo, t.from+len(t.ends)-1)
		}
		if err := s.commit(t, upTo); err != nil {
			return err
		}
		found += t.Len()
		switch {
		case limit != nil && i == batch:
			return limit
		case t.failed != nil:
			s.failedState = uint32(s.next)
			return t.failed
		}
	}
	s.pace.Saw(s.next-begin, found)
	if s.predicates.fails(s.watched) {
		return s.separate()
	}
	return nil
}

// expand runs a task.
func (s *search) expand(ctx context.Context, w compile.Worker, t *task) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t.Reset(s.packed.store)
	t.ends, t.labels, t.truth, t.errs, t.failed = t.ends[:0], t.labels[:0], t.truth[:0], t.errs[:0],
		nil
	states, err := s.packed.store.Keys(t.from, t.to, &t.buf)
	if err != nil {
		return err
	}
	b, err := w.Expand(states)
	if err != nil {
		return fmt.Errorf("expanding states: %w", err)
	}
	slices.Sort(b.Failed)
	failed := slices.Compact(b.Failed)
	words := s.packed.program.Words()
	t.truth = append(t.truth, b.Violated...)
	next := 0
	for i := range t.to - t.from {
		first := next
		for next < len(b.Source) && b.Source[next] == uint32(i) {
			next++
		}
		switch {
		case len(failed) > 0 && failed[0] == uint32(i):
			failed = failed[1:]
			if err := s.interpret(ctx, t, i, states[i*words:(i+1)*words]); err != nil {
				return err
			}
		case s.closed(t.truth[i*s.claimWords():]) != nil:
		default:
			for k := first; k < next; k++ {
				state := b.States[k*words : (k+1)*words]
				t.Candidates.Add(state, store.Hash(state), uint32(t.from+i))
				t.labels = append(t.labels, uint32(b.Action[k])<<16|uint32(b.Binding[k]))
			}
		}
		t.ends = append(t.ends, uint32(t.Len()))
		if t.failed != nil {
			return nil
		}
	}
	if next != len(b.Source) || len(failed) > 0 {
		return errors.New("internal error: the successors of a batch are out of order")
	}
	return nil
}

func (s *search) claimWords() int { return (len(s.ranges) + len(s.predicates.terms) + 63) / 64 }

// closed is a range property that is false in a state, nil if there is none.
func (s *search) closed(truth []uint64) *system.Property {
	for k := len(s.ranges) - 1; k >= 0; k-- {
		if truth[k/64]>>(k%64)&1 != 0 {
			return s.ranges[k]
		}
	}
	return nil
}

// judge evaluates the claims in a state with the interpreter.
func (s *search) judge(t *task, number int, state interp.State, truth []uint64) {
	claim := func(k int, term *logic.Term) {
		holds, err := s.model.Holds(term, state)
		switch {
		case err != nil && k >= len(s.ranges):
			t.errs = append(t.errs, claimError{k - len(s.ranges), number, err})
		case err == nil && !holds:
			truth[k/64] |= 1 << (k % 64)
		}
	}
	for k, p := range s.ranges {
		claim(k, p.Term)
	}
	before := len(t.errs)
	for k, term := range s.predicates.terms {
		claim(len(s.ranges)+k, term)
	}
	if s.closed(truth) != nil {
		t.errs = t.errs[:before]
	}
}

// interpret expands a state with the interpreter, which can name errors.
func (s *search) interpret(ctx context.Context, t *task, i int, key []uint64) error {
	state := s.packed.program.Unpack(key)
	truth := t.truth[i*s.claimWords() : (i+1)*s.claimWords()]
	clear(truth)
	s.judge(t, t.from+i, state, truth)
	if s.closed(truth) != nil {
		return nil
	}
	for k, a := range s.model.System.Actions {
		err := s.model.Steps(ctx, state, a, func(step interp.Step) error {
			key, err := s.packed.program.Pack(step.State)
			if err != nil {
				return err
			}
			t.Candidates.Add(key, store.Hash(key), uint32(t.from+i))
			t.labels = append(t.labels, uint32(k)<<16|s.index(k, step.Args))
			return nil
		})
		var action *interp.ActionError
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &action):
			t.failed = err
			return nil
		default:
			return err
		}
	}
	return nil
}

// commit adds the edges of the states of a task up to one, and the truth of the predicates in them.
func (s *search) commit(t *task, upTo int) error {
	first := uint32(0)
	for i := range upTo - t.from {
		n, last := uint32(t.from+i), t.ends[i]
		truth := t.truth[i*s.claimWords():][:s.claimWords()]
		s.note(n, truth)
		s.begin()
		s.next++
		if p := s.closed(truth); p != nil {
			s.unexpanded, s.outside = s.unexpanded.with(n), p.Name
			continue
		}
		if first == last {
			if s.deadlocks++; !s.add(n, repetition) {
				return errEdges
			}
		}
		s.steps.clear()
		s.edgesByMark.clear()
		s.takenActions.clear()
		for ; first < last; first++ {
			to, l := t.Number(int(first)), t.labels[first]
			if !s.steps.add(l, to) { // already, with other choices
				continue
			}
			s.graph.steps++
			action := int(l >> 16)
			s.enabled[action] = true
			if s.limits.watch != nil {
				s.moved(action, to)
			}
			mark := s.markIn(action, int(l&math.MaxUint16), truth)
			if s.edgesByMark.add(mark, to) && !s.add(to, mark) {
				return errEdges
			}
		}
	}
	for _, e := range t.errs {
		if e.state < upTo && s.predicates.failed[e.claim] == nil {
			s.predicates.failed[e.claim] = &predicateError{uint32(e.state), e.err}
		}
	}
	return nil
}

// note records the truth of the predicates in a state.
func (s *search) note(n uint32, truth []uint64) {
	for w, v := range truth {
		for ; v != 0; v &= v - 1 {
			if k := w*64 + mathbits.TrailingZeros64(v) - len(s.ranges); k >= 0 {
				s.falses[k] = s.falses[k].with(n)
			}
		}
	}
}

// evaluateRest evaluates the predicates in the states that were not expanded.
func (s *search) evaluateRest() error {
	if len(s.predicates.terms) == 0 {
		return nil
	}
	checker, ok := s.workers[0].(interface {
		Check(states []uint64) (*compile.Batch, error)
	})
	if !ok {
		return errors.New("internal error: the program cannot evaluate predicates alone")
	}
	words := s.packed.program.Words()
	t := &task{}
	for from := s.next; from < s.count(); from += store.TaskSize {
		to := min(from+store.TaskSize, s.count())
		states, err := s.packed.store.Keys(from, to, &t.buf)
		if err != nil {
			return err
		}
		b, err := checker.Check(states)
		if err != nil {
			return fmt.Errorf("evaluating predicates: %w", err)
		}
		for _, i := range b.Failed {
			truth := b.Violated[int(i)*s.claimWords():][:s.claimWords()]
			s.judge(t, from+int(i), s.packed.program.Unpack(states[int(i)*words:][:words]), truth)
		}
		for i := range to - from {
			s.note(uint32(from+i), b.Violated[i*s.claimWords():][:s.claimWords()])
		}
	}
	return nil
}
