package explicit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine/explicit/store"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// space is an instance with a program that expands its states.
type space struct {
	*interp.Model
	program compile.Program
	forced  map[int]compile.Interval // intervals that slots have room for
	// The properties that the program evaluates: first all ranges, then the other claims.
	props  []*system.Property
	ranges int
	// unreduced is the reason why the program has no partial order reduction, though it was asked
	// for.
	unreduced string
}

// newSpace makes the program for an instance, and the claims about it.
func newSpace(
	ctx context.Context, m *interp.Model, opts Options, forced map[int]compile.Interval,
) (*space, *claims, error) {
	cs, err := selectClaims(m, opts)
	if err != nil {
		return nil, nil, err
	}
	sp := &space{Model: m, forced: forced, props: slices.Clone(cs.ranges), ranges: len(cs.ranges)}
	for _, c := range cs.list {
		if c.property != nil && !slices.Contains(sp.props, c.property) {
			sp.props = append(sp.props, c.property)
		}
	}
	if opts.PartialOrder {
		sp.program, sp.unreduced, err = newReduced(ctx, m, sp.props, sp.ranges, opts.program,
			forced)
		cs.reduced = sp.unreduced == ""
	} else {
		var terms []*logic.Term
		for _, p := range sp.props {
			terms = append(terms, p.Term)
		}
		sp.program, err = opts.program(ctx, m, terms, forced)
	}
	if err != nil {
		return nil, nil, err
	}
	if opts.Symmetry {
		p, err := newSymmetric(m, sp.program)
		if err != nil {
			return nil, nil, errors.Join(err, sp.program.Close())
		}
		sp.program = p
	}
	return sp, cs, nil
}

// index is the index of a property among the properties that the program evaluates.
func (s *space) index(p *system.Property) int { return slices.Index(s.props, p) }

// event is the first state in which a property is false, or has no value.
type event struct {
	found bool
	state int
	err   error
}

// task is a sequence of states to expand, with the results.
type task struct {
	from, to int
	store.Candidates
	found     int      // transitions
	before    []uint32 // for each candidate, the transitions before the one to it
	enabled   []bool   // for each action, whether it had a step
	events    []event  // for each property
	deadlocks []int    // the states without successor
	outside   int      // the first range property violated in one of the states, -1 for none

	// Why an action could not be evaluated in state stop; the states after it are omitted.
	failed error
	stop   int // the state of failed
}

func (t *task) reset(s *space, st *store.Store, from, to int) {
	t.from, t.to = from, to
	t.Candidates.Reset(st)
	t.found, t.before = 0, t.before[:0]
	t.enabled = slices.Grow(t.enabled[:0], len(s.System.Actions))[:len(s.System.Actions)]
	clear(t.enabled)
	t.events = slices.Grow(t.events[:0], len(s.props))[:len(s.props)]
	clear(t.events)
	t.deadlocks, t.outside, t.failed, t.stop = t.deadlocks[:0], -1, nil, 0
}

func (t *task) note(prop, state int, err error) {
	if !t.events[prop].found {
		t.events[prop] = event{true, state, err}
	}
}

// leaves records that a state violates a range property.
func (t *task) leaves(prop int) {
	if t.outside < 0 {
		t.outside = prop
	}
}

// expander expands states in one thread.
type expander struct {
	*space
	worker compile.Worker
	buf    []uint64
	words  int
	taken  takenSet
	recent *recent // nil where all successors are wanted
	trail  bool    // whether candidates need ordinals
	kept   keptStates

	// The transitions of a state that the interpreter expands.
	states  []uint64
	actions []uint16
}

func newExpander(s *space) (*expander, error) {
	w, err := s.program.Worker()
	if err != nil {
		return nil, fmt.Errorf("starting a worker: %w", err)
	}
	return &expander{space: s, worker: w, words: s.program.Words()}, nil
}

// checker is a worker that can evaluate the properties without computing successors.
type checker interface {
	Check(states []uint64) (*compile.Batch, error)
}

// run expands the states of a task, or only checks the properties in them.
func (x *expander) run(ctx context.Context, t *task, st *store.Store, onlyCheck bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	states, err := st.States(t.from, t.to, &x.buf)
	if err != nil {
		return &diskError{err}
	}
	return x.expand(ctx, t, states, onlyCheck)
}

func (x *expander) expand(ctx context.Context, t *task, states []uint64, onlyCheck bool) error {
	ask := x.worker.Expand
	if c, ok := x.worker.(checker); ok && onlyCheck {
		ask = c.Check
	}
	b, err := ask(states)
	if err != nil {
		return fmt.Errorf("expanding states: %w", err)
	}
	if !onlyCheck && x.takeBatch(t, b) {
		return nil
	}
	slices.Sort(b.Failed)
	failed := slices.Compact(b.Failed)
	claimWords := (len(x.props) + 63) / 64
	next := 0
	for i := range t.to - t.from {
		first := next
		for next < len(b.Source) && b.Source[next] == uint32(i) {
			next++
		}
		if len(failed) > 0 && failed[0] == uint32(i) {
			failed = failed[1:]
			if err := x.interpret(ctx, t, i, states[i*x.words:(i+1)*x.words], onlyCheck); err !=
				nil {
				return err
			}
			if t.failed != nil {
				return nil
			}
			continue
		}
		closed := false
		for w, v := range b.Violated[i*claimWords : (i+1)*claimWords] {
			for k := w * 64; v != 0; k, v = k+1, v>>1 {
				if v&1 == 0 {
					continue
				}
				t.note(k, t.from+i, nil)
				if k < x.ranges {
					closed = true
					t.leaves(k)
				}
			}
		}
		if closed || onlyCheck {
			continue
		}
		if first == next {
			t.deadlocks = append(t.deadlocks, t.from+i)
			continue
		}
		x.take(t, b.States[first*x.words:next*x.words], b.Action[first:next], uint32(t.from+i))
	}
	if next != len(b.Source) || len(failed) > 0 {
		return errors.New("internal error: the successors of a batch are out of order")
	}
	return nil
}

// interpret does the work of expand for one state with the interpreter, which can name errors.
func (x *expander) interpret(
	ctx context.Context, t *task, i int, packed []uint64, onlyCheck bool,
) error {
	state, number := x.program.Unpack(packed), t.from+i
	closed := false
	errs := make([]error, len(x.props))
	for k, p := range x.props {
		holds, err := x.Holds(p.Term, state)
		errs[k] = err
		if err == nil && !holds {
			t.note(k, number, nil)
			if k < x.ranges {
				closed = true
				t.leaves(k)
			}
		}
	}
	if closed {
		return nil // errors outside a range do not count
	}
	for k, err := range errs {
		if err != nil {
			t.note(k, number, err)
		}
	}
	if onlyCheck {
		return nil
	}
	x.states, x.actions = x.states[:0], x.actions[:0]
	for k, a := range x.System.Actions {
		err := x.Steps(ctx, state, a, func(step interp.Step) error {
			packed, err := x.program.Pack(step.State)
			if err != nil {
				return err
			}
			x.states, x.actions = append(x.states, packed...), append(x.actions, uint16(k))
			return nil
		})
		var action *interp.ActionError
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &action):
			x.take(t, x.states, x.actions, uint32(number))
			t.failed, t.stop = err, number
			return nil
		default:
			return err
		}
	}
	if len(x.actions) == 0 {
		t.deadlocks = append(t.deadlocks, number)
	}
	x.take(t, x.states, x.actions, uint32(number))
	return nil
}
