package explicit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/result"
)

// Where there are many initial states, as in the question whether an invariant is inductive, states
// take a good part of all their possible codes, and a set of bits is smaller and faster than a
// table. It has no parents, so a run to show is found backwards (backward.go). It is a shortest
// one, but need not be that of the ordinary search. Where that is not possible, or memory does not
// suffice, the ordinary search begins. A compiled program enumerates the initial states.

// manyInitial is the number of initial states from which on a set of bits is tried.
const manyInitial = 1 << 14

// errUnfit says that a set of bits is not suitable.
var errUnfit = errors.New("not for a set of bits")

// inBits is a search with a set of bits.
type inBits struct {
	*search
	initials cubes
	set      *store.Bits
	none     *store.Store // empty; tasks need a store
	threads  []*bitThread
	limit    int64 // of memory
	found    atomic.Int64
	stop     atomic.Bool // a thread failed
	plan     *plan       // for words of states, nil for none

	mu sync.Mutex
	// The violations on a level: for the index of a property, or the number of properties for a
	// deadlock, the first state in the order of the set.
	violations map[int]uint64
}

// bitThread holds the results of a worker.
type bitThread struct {
	task        explore.Task
	err         error
	buf         []uint64
	transitions int64
	deadlocks   int64
	enabled     []bool
	words       *wordwise // nil to expand states one by one
}

// tryBits explores with a set of bits. It returns false when the ordinary search must run.
func (s *search) tryBits(ctx context.Context) (done bool, err error) {
	if s.Program.Words() != 1 || s.Program.Bits() > store.MostBits {
		return false, nil
	}
	initials, ok, err := cubesOf(ctx, s.Program)
	if !ok || err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, initials.Close()) }()
	b := &inBits{search: s, initials: initials, none: store.New(1), limit: s.memory() / 2,
		violations: map[int]uint64{}}
	for range s.Workers {
		b.threads = append(b.threads, &bitThread{enabled: make([]bool, len(s.Enabled))})
	}
	before, place := s.seen, s.Place
	if b.set, err = b.newSet(ctx); err == nil {
		err = b.enumerate(ctx)
	}
	if err == nil {
		err = b.divide(ctx)
	}
	defer func() { err = errors.Join(err, b.close()) }()
	ended := false
	for reached := int64(0); err == nil && !ended; {
		parts := b.set.Take(int(s.Level) + 1)
		if len(parts) == 0 {
			break
		}
		s.Level++
		s.Stats.Levels = append(s.Stats.Levels, b.found.Load()-reached)
		reached = b.found.Load()
		b.count()
		s.Stats.States = reached
		s.Before = s.Stats
		last := s.opts.Limits.Depth > 0 && s.Level >= s.opts.Limits.Depth
		if err = b.level(ctx, parts, last); err == nil {
			ended, err = b.settle(ctx, reached, s.Before.Transitions)
		}
		if err == nil && last && !ended {
			s.stopped = s.opts.Limits.AtDepth()
			break
		}
	}
	switch {
	case errors.Is(err, errUnfit):
		s.seen, s.Place = before, place
		return false, nil
	case err != nil && (ctx.Err() == nil || !errors.Is(err, ctx.Err())):
		return false, err
	case err != nil:
		s.stopped = result.Ended(ctx, fmt.Sprintf("after %d states", b.found.Load()))
		s.Level = max(s.Level-1, 0)
	}
	s.bits = b.set
	b.count()
	s.Stats.States = b.found.Load()
	if ended {
		s.Stats = s.Before
	}
	s.Stats.Bits = true
	return true, nil
}

// count adds up what the threads have counted.
func (b *inBits) count() {
	s := &b.Stats
	s.Transitions, s.Words, s.Deadlocks = 0, 0, 0
	for _, t := range b.threads {
		s.Transitions += t.transitions
		s.Deadlocks += t.deadlocks
		if t.words != nil {
			s.Words += t.words.states
		}
		for i, on := range t.enabled {
			b.Enabled[i] = b.Enabled[i] || on
		}
	}
}

// each calls f for the numbers below n, on all threads, until one fails.
func (b *inBits) each(ctx context.Context, n int, f func(worker, i int) error) error {
	store.Parallel(n, len(b.Workers), func(w, i int) {
		if b.stop.Load() {
			return
		}
		err := ctx.Err()
		if err == nil {
			err = f(w, i)
		}
		if err == nil && b.set.Bytes() > b.limit {
			err = errUnfit
		}
		if err != nil {
			b.threads[w].err = err
			b.stop.Store(true)
		}
		if w == 0 {
			b.tell(b.found.Load(), 0)
		}
	})
	for _, t := range b.threads {
		if t.err != nil {
			return t.err
		}
	}
	return nil
}

// Bounds on the initial states that newSet samples: in total, from one call, and on the calls.
const someStates, fromOneCall, someCalls = 256, 16, 1 << 10

// newSet makes the set. Its order begins with the bits of packed states that can be inverted in
// most initial states such that they remain initial states. The order only affects the memory in
// use.
func (b *inBits) newSet(ctx context.Context) (*store.Bits, error) {
	order := make([]int, b.Program.Bits())
	turns := make([]int, len(order))
	for i := range order {
		order[i] = i
	}
	w, err := b.initials.Worker()
	if err != nil {
		return nil, fmt.Errorf("starting a worker: %w", err)
	}
	defer func() { _ = w.Close() }()
	n := b.initials.calls()
	stride := n*5/8 | 1 // calls are spread over the whole range
	for seen, call := 0, 0; call < min(n, someCalls) && seen < someStates; call++ {
		states, err := b.initials.call(ctx, w, call*stride%n, &b.threads[0].buf)
		if err != nil {
			return nil, err
		}
		for k := 0; k < len(states); k += len(states)/fromOneCall + 1 {
			seen++
			for bit := range turns {
				if b.Check(b.Program.Unpack([]uint64{states[k] ^ 1<<bit}), true) == nil {
					turns[bit]++
				}
			}
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return turns[y] - turns[x] })
	return store.NewBits(order)
}

// enumerate adds the initial states.
func (b *inBits) enumerate(ctx context.Context) (err error) {
	workers := make([]compile.Worker, len(b.Workers))
	for i := range workers {
		if workers[i], err = b.initials.Worker(); err != nil {
			return fmt.Errorf("starting a worker: %w", err)
		}
		defer func() { err = errors.Join(err, workers[i].Close()) }()
	}
	err = b.each(ctx, b.initials.calls(), func(w, i int) error {
		if !worthwhileCall(i, b.found.Load()) {
			return errUnfit
		}
		states, err := b.initials.call(ctx, workers[w], i, &b.threads[w].buf)
		b.add(states, 1)
		return err
	})
	if b.Stats.Initial = b.found.Load(); err != nil {
		return err
	}
	// The interpreter has enumerated some states before.
	var buf []uint64
	known, err := b.Store.Keys(0, b.Store.Len(), &buf)
	if err != nil {
		return err
	}
	if b.add(known, 1); b.found.Load() != b.Stats.Initial {
		return errors.New("internal error: the compiled enumeration of initial states misses some")
	}
	return nil
}

func (b *inBits) add(states []uint64, level int) {
	fresh := int64(0)
	for _, state := range states {
		if b.set.Add(state, level) {
			fresh++
		}
	}
	b.found.Add(fresh)
}

// level expands the states of a level, or only checks the properties in them.
func (b *inBits) level(ctx context.Context, parts []store.PageStates, onlyCheck bool) error {
	const together = 16
	return b.each(ctx, (len(parts)+together-1)/together, func(w, i int) error {
		t := b.threads[w]
		t.buf = t.buf[:0]
		last := min((i+1)*together, len(parts))
		for k := i * together; k < last; k++ {
			if err := b.page(t, parts[k], onlyCheck); err != nil {
				return err
			}
			if len(t.buf) == 0 || len(t.buf) < store.TaskSize && k < last-1 {
				continue
			}
			if err := b.expand(ctx, w, onlyCheck); err != nil {
				return err
			}
			t.buf = t.buf[:0]
		}
		return nil
	})
}

// page expands the states of a page by words, and leaves the ones that need it to be expanded one
// by one in the buffer of the thread.
func (b *inBits) page(t *bitThread, p store.PageStates, onlyCheck bool) (err error) {
	if t.words == nil || !t.words.learningPays() {
		t.buf = p.Append(t.buf)
		return nil
	}
	for code, word := range p.Words {
		done := false
		if done, err = t.words.expand(code, word, int(b.Level)+1, onlyCheck); err != nil {
			break
		}
		if !done {
			t.buf = b.set.AppendWord(t.buf, code, word)
		}
	}
	b.found.Add(t.words.fresh)
	t.words.fresh = 0
	return err
}

// divide prepares the threads to expand words of states.
func (b *inBits) divide(ctx context.Context) (err error) {
	if b.plan, err = b.newPlan(ctx); err != nil || b.plan == nil {
		return err
	}
	for _, t := range b.threads {
		if t.words, err = b.newWordwise(b.plan, t); err != nil {
			return err
		}
	}
	return nil
}

// close ends the program for words.
func (b *inBits) close() (err error) {
	for _, t := range b.threads {
		if t.words != nil {
			err = errors.Join(err, t.words.worker.Close())
		}
	}
	if b.plan != nil {
		err = errors.Join(err, b.plan.program.Close())
	}
	return err
}

// expand expands the states in the buffer of a thread. What the set of bits cannot show is left to
// the ordinary search.
func (b *inBits) expand(ctx context.Context, w int, onlyCheck bool) error {
	t := b.threads[w]
	found := &t.task
	found.Reset(b.Space, b.none, 0, len(t.buf))
	if err := b.Workers[w].Expand(ctx, found, t.buf, onlyCheck); err != nil {
		return err
	}
	if found.Failed != nil {
		return errUnfit
	}
	for i, e := range found.Events {
		switch {
		case e.Found && (e.Err != nil || i < b.Space.Ranges):
			return errUnfit
		case e.Found:
			b.recordViolation(i, t.buf[e.State])
		}
	}
	if b.deadlock != nil && len(found.Deadlocks) > 0 {
		b.recordViolation(len(b.props), t.buf[found.Deadlocks[0]])
	}
	b.add(found.States, int(b.Level)+1)
	t.transitions += int64(found.Len())
	t.deadlocks += int64(len(found.Deadlocks))
	for i, on := range found.Enabled {
		t.enabled[i] = t.enabled[i] || on
	}
	return nil
}
