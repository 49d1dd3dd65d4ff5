package temporal

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// exploreCompiled is the explorer that runs a compiled program; for what cannot be compiled it runs
// the interpreter.
func exploreCompiled(ctx context.Context, m *interp.Model, l limits) (*graph, error) {
	forced := map[int]compile.Interval{}
	var dir string
	var from *saved
	if l.checkpoint.Dir != "" {
		var err error
		if dir, from, err = l.checkpoint.savedIn(m); err != nil {
			return nil, err
		}
		if from != nil && from.Forced != nil {
			forced = from.Forced
		}
	}
	for {
		g, err := exploreWith(ctx, m, l, forced, dir, from)
		from = nil // wider states begin anew
		grown := compile.Grown(m, forced, err)
		if errors.Is(err, errApart) || grown != "" && l.watch != nil {
			l.watch.tell()
			l.predicates, l.watch = l.predicates[:len(l.predicates)-len(l.watch.terms)], nil
			continue
		}
		if grown != "" && l.states == 0 {
			l.states, l.statesNote = compile.GrownStates, grown
		}
		again, err := compile.Widen(forced, err)
		if !again {
			return g, err
		}
	}
}

// errInterpret says that a system is to be interpreted.
var errInterpret = errors.New("not compiled")

func exploreWith(
	ctx context.Context, m *interp.Model, l limits, forced map[int]compile.Interval, dir string,
	from *saved,
) (_ *graph, err error) {
	s := &search{graph: newGraph(m), limits: l}
	s.predicates.set(l.predicates)
	if l.watch != nil {
		s.watched = l.watch.numbers(&s.predicates)
	}
	err = s.compile(ctx, forced)
	if l.watch != nil && ctx.Err() == nil &&
		(errors.Is(err, errInterpret) || errors.Is(err, errApart)) {
		return nil, errApart
	}
	if errors.Is(err, errInterpret) {
		g, err := interpret(ctx, m, l)
		if g != nil {
			g.unsaved = dir != ""
		}
		return g, err
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.detach(), s.release()) }()
	if dir != "" {
		if err := s.attach(ctx, dir, from, forced); err != nil {
			return nil, err
		}
	}
	if err := s.ended(ctx, s.run(ctx), l.statesNote); err != nil {
		if l.watch != nil {
			l.watch.left = s.graph
		}
		return nil, err
	}
	if s.unknownFairness() && l.watch != nil {
		return nil, errApart
	}
	if s.unknownFairness() {
		return interpret(ctx, m, l) // it names the error
	}
	s.packed.store.Seal()
	return s.graph, s.evaluateRest()
}

// packed are states in a store.
type packed struct {
	store   *store.Store
	program compile.Program
	initial int
}

func (p *packed) count() int { return p.store.Len() }

func (p *packed) state(n uint32) interp.State {
	key, _ := p.store.Keys(int(n), int(n)+1, new([]uint64)) // all are in memory
	return p.program.Unpack(key)
}

func (p *packed) parentOf(n uint32) uint32 {
	if int(n) < p.initial {
		return n
	}
	parent, _ := p.store.Parent(int(n))
	return uint32(parent)
}

func (p *packed) stateBytes() int64 { return p.store.Bytes() }

// search is a breadth-first exploration. A level is expanded in rounds. In a round, tasks expand
// sequences of states, then the shards of the store look up the successors, both in parallel; then
// the edges are packed in the order of the states. So the graph is that of a sequential search.
type search struct {
	*graph
	limits  limits
	packed  *packed
	workers []compile.Worker
	tasks   []*task
	ranges  []*system.Property // the first claims of the program; the predicates follow

	next          int    // the next state to expand
	begins        int    // where the level begins
	level         int    // the end of the level
	nextNearCheck int    // see lookNear: with this number of expanded states comes the next look
	files         *files // nil where nothing is saved
	pace          store.Pace
	marks         []actionMarks // for each action
	outside       string        // a range property that some state violates
	watched       []int         // the predicates that have to be true in all states
	steps         taken         // of the current state: by label
	edgesByMark   taken         // by mark
}

// compile makes the program; the error is errInterpret if there is none.
func (s *search) compile(ctx context.Context, forced map[int]compile.Interval) error {
	m := s.model
	var claims []*logic.Term
	s.ranges = m.System.Ending()
	for _, p := range s.ranges {
		claims = append(claims, p.Term)
	}
	for _, a := range m.System.Actions {
		marks, ok := s.marksOf(a)
		if !ok {
			return errInterpret
		}
		s.marks = append(s.marks, marks)
	}
	opts := compile.Options{Intervals: forced, Bindings: true}
	p, err := compile.Compile(ctx, m, append(slices.Clone(claims), s.predicates.terms...), opts)
	conditions := slices.ContainsFunc(s.marks, func(m actionMarks) bool { return m.fairIf != nil })
	if errors.Is(err, compile.ErrUnsupported) && s.limits.watch != nil {
		return errApart
	}
	if errors.Is(err, compile.ErrUnsupported) && len(s.predicates.terms) > 0 && !conditions {
		s.predicates.set(nil)
		p, err = compile.Compile(ctx, m, claims, opts)
	}
	var action *interp.ActionError
	var term *interp.EvalError
	switch {
	case errors.Is(err, compile.ErrUnsupported), errors.As(err, &action), errors.As(err, &term),
		err != nil && ctx.Err() != nil:
		return errInterpret // it meets the error again
	case err != nil:
		return err
	}
	s.packed = &packed{store: store.NewNumbered(p.Words()), program: p}
	s.states = s.packed
	s.pace, s.nextNearCheck = 4, cmp.Or(s.limits.firstLook, firstLook)
	if s.limits.threads <= 0 {
		s.limits.threads = runtime.GOMAXPROCS(0)
	}
	for range s.limits.threads {
		w, err := p.Worker()
		if err != nil {
			return errors.Join(err, s.release())
		}
		s.workers = append(s.workers, w)
	}
	return nil
}

func (s *search) release() error {
	var err error
	for _, w := range s.workers {
		err = errors.Join(err, w.Close())
	}
	s.workers, s.tasks = nil, nil
	return errors.Join(err, s.packed.program.Close())
}

// run explores. The error says why it ended early.
func (s *search) run(ctx context.Context) error {
	if s.initial == 0 { // nothing was saved
		if err := s.start(ctx); err != nil {
			return err
		}
	}
	for s.next < s.count() {
		if s.next == s.level {
			if err := s.lookNear(ctx); err != nil {
				s.unexpandedFrom = uint32(s.next)
				return errors.Join(err, s.keep(true))
			}
			s.begins, s.level = s.level, s.count()
			s.graph.depth++
			if s.limits.depth > 0 && s.graph.depth >= s.limits.depth {
				s.stopped, s.unexpandedFrom = atDepth(&s.limits), uint32(s.next)
				return nil
			}
		}
		if s.limits.tell != nil {
			s.limits.tell(int64(s.count()), s.graph.depth)
		}
		err := s.round(ctx, s.level)
		switch {
		case err != nil && ctx.Err() != nil:
			return errors.Join(err, s.keep(true))
		case err == nil && s.full(s.limits.memory, 0):
			err = errMemory
		case err == nil:
			err = s.keep(false)
		}
		if err != nil {
			s.unexpandedFrom = uint32(s.next)
			return err
		}
	}
	if err := s.keep(true); err != nil {
		return err
	}
	if s.outside != "" {
		s.stopped = outside(s.outside)
	}
	return nil
}

// start finds the initial states.
func (s *search) start(ctx context.Context) error {
	t := &task{}
	t.Reset(s.packed.store)
	add := func() error {
		t.Partition()
		_, _, err := s.insert([]*task{t})
		t.Reset(s.packed.store)
		s.initial, s.packed.initial = s.count(), s.count()
		return err
	}
	err := s.model.Initial(ctx, func(state interp.State) error {
		key, err := s.packed.program.Pack(state)
		if err != nil {
			return err
		}
		t.Candidates.Add(key, store.Hash(key), 0)
		if t.Len() < store.TaskSize {
			return ctx.Err()
		}
		if err := add(); err != nil {
			return err
		}
		if s.full(s.limits.memory, 0) {
			return errMemory
		}
		return ctx.Err()
	})
	if err == nil || !errors.Is(err, store.ErrLimit) {
		if last := add(); err == nil {
			err = last
		}
	}
	if err != nil {
		s.unexpandedFrom = 0
	}
	return err
}
