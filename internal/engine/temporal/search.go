package temporal

import (
	"cmp"
	"context"
	"errors"
	"runtime"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// packed are states in a store.
type packed struct {
	store   *store.Store
	program compile.Program
	keys    *program.Keyed // the same where the interpreter explores, else nil
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

func (p *packed) stateBytes() int64 {
	if p.keys != nil {
		return p.store.Bytes() + p.keys.Bytes()
	}
	return p.store.Bytes()
}

// search explores, and builds the graph as its observer. The graph is that of a sequential search.
type search struct {
	*graph
	*explore.Search
	limits limits
	packed *packed
	ranges []*system.Property // the first terms of the program; the predicates follow

	nextNearCheck int           // see lookNear: expanded states from which on the next look is due
	files         *files        // nil where nothing is saved
	marker        marker        // of the transitions
	marks         []actionMarks // for each action, of a compiled program
	outside       string        // a range property that some state violates
	watched       []int         // the predicates that have to be true in all states
	steps         taken         // of the current state: by label
	edgesByMark   taken         // by mark
}

// marker says what a transition with a label is, from a state in which claims have a truth.
type marker interface {
	markOf(label uint32, truth []uint64) (action int, mark uint32)
}

// rangeTerms are the terms of the ranges.
func (s *search) rangeTerms() (out []*logic.Term) {
	s.ranges = s.model.System.Ending()
	for _, p := range s.ranges {
		out = append(out, p.Term)
	}
	return out
}

// open begins an exploration with a program, whose terms are the ranges and the predicates.
func (s *search) open(
	p compile.Program, terms []*logic.Term,
	label func(int, interp.State, interp.Step) (uint32, error),
) (err error) {
	threads := s.limits.threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	s.packed = &packed{store: store.NewNumbered(p.Words()), program: p}
	s.states, s.nextNearCheck = s.packed, cmp.Or(s.limits.firstLook, firstLook)
	s.Search, err = explore.New(&explore.Space{Model: s.model, Program: p, Terms: terms,
		Ranges: len(s.ranges), Truth: true, Label: label}, s.packed.store, threads)
	if err != nil {
		return errors.Join(err, p.Close())
	}
	s.Observers, s.MaxStates = []explore.Observer{s}, s.limits.States
	return nil
}

// release frees all but the states.
func (s *search) release() error { return errors.Join(s.EndWorkers(), s.Program.Close()) }

// run explores. The error says why it ended early.
func (s *search) run(ctx context.Context) error {
	if s.initial == 0 { // nothing was saved
		if err := s.start(ctx); err != nil {
			s.unexpandedFrom = 0
			return err
		}
	}
	err := s.Levels(ctx, s)
	var failure *explore.Failure
	switch {
	case err != nil:
		s.unexpandedFrom = uint32(s.Next)
		if errors.As(err, &failure) {
			s.failedState = uint32(failure.State)
		}
		if ctx.Err() != nil {
			err = errors.Join(err, s.keep(true))
		}
		return err
	case s.stopped.Given():
		return nil
	}
	if s.outside != "" {
		s.stopped = engine.Outside(s.outside)
	}
	return s.keep(true)
}

// Begin begins a level, unless it is the last one that the graph may have.
func (s *search) Begin(context.Context, bool) (over bool, err error) {
	s.graph.depth = s.Level
	if s.limits.Depth > 0 && s.Level >= s.limits.Depth {
		s.stopped, s.unexpandedFrom = s.limits.AtDepth(), uint32(s.Next)
		return true, nil
	}
	return false, nil
}

// Step expands some states.
func (s *search) Step(ctx context.Context) error {
	if s.limits.tell != nil {
		s.limits.tell(int64(s.count()), s.graph.depth)
	}
	if err := s.Round(ctx); err != nil {
		return err
	}
	if s.predicates.fails(s.watched) || s.watched != nil && s.outsideFails() {
		if err := s.separate(); err != nil {
			return err
		}
	}
	if s.full(s.limits.memory) {
		return errMemory
	}
	return s.keep(false)
}

// End looks at the part that is expanded.
func (s *search) End(ctx context.Context) (over bool, err error) {
	if s.Next == s.count() {
		return false, nil
	}
	if err := s.lookNear(ctx); err != nil {
		return false, errors.Join(err, s.keep(true))
	}
	return false, nil
}

// start finds the initial states.
func (s *search) start(ctx context.Context) error {
	return s.Start(store.TaskSize, func(yield func(packed []uint64) error) error {
		add := func(state interp.State) error {
			key, err := s.Program.Pack(state)
			if err == nil {
				err = yield(key)
			}
			return cmp.Or(err, ctx.Err())
		}
		if p, ok := s.Program.(*program.Computed); ok {
			return p.Initial(ctx, func(state interp.State, inside bool) error {
				return s.addComputed(state, inside, add)
			})
		}
		return s.model.Initial(ctx, add)
	}, func(last bool) error {
		s.initial, s.packed.initial = s.Initials, s.Initials
		if !last && s.full(s.limits.memory) {
			return errMemory
		}
		return nil
	})
}
