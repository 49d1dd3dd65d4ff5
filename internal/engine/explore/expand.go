package explore

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
)

// Space is an instance with a program that expands its states.
type Space struct {
	*interp.Model
	Program compile.Program
	Terms   []*logic.Term // that the program evaluates in each state
	Ranges  int           // the first terms: a state where one of these is false is not expanded
	Truth   bool          // tasks have the truth of the terms in each state
	// Label is the label of a step of the interpreter. Of a step of the program, it is the action,
	// shifted by 16 bits, and the index of the values of its parameters. It is nil where tasks need
	// no labels.
	Label func(action int, from interp.State, step interp.Step) (uint32, error)
	// Stay is the label of the step with which a run stays in a state that has a number of other
	// steps; false where it cannot. It is nil where the steps say so themselves.
	Stay func(state interp.State, steps int) (label uint32, can bool, err error)
}

// TermWords is the number of words with a bit for each term.
func (s *Space) TermWords() int { return (len(s.Terms) + 63) / 64 }

// Event is the first state in which a term is false, or has no value.
type Event struct {
	Found bool
	State int
	Err   error
}

// TermError says that a term has no value in a state.
type TermError struct {
	Term, State int
	Err         error
}

// Task is a sequence of states to expand, with what is found there.
type Task struct {
	From, To int
	Checked  bool // the states are not expanded: only the terms are evaluated
	store.Candidates
	Found     int      // transitions
	before    []uint32 // for each candidate, the transitions before the one to it
	Deadlocks []int    // the states without successor

	// Without Space.Label: whether each action had a step, what the terms showed, and the first
	// range that is violated in one of the states, -1 for none.
	Enabled []bool
	Events  []Event
	Outside int
	// Of a computed system: Beyond is Events for the successors of a state that are outside of the
	// boundary, and Generated the number of successors, with these and with repetitions.
	Beyond    []Event
	Generated int64

	// With Space.Truth: the terms that are false in each state, and the ones without a value.
	Truth  []uint64
	Errors []TermError
	Steps  []Step // with Space.Label, all transitions

	round []*Task // all tasks of the round, and the place of this one among them
	place int

	// Why an action could not be evaluated in state Stop; the states after it are omitted.
	Failed error
	Stop   int // the state of Failed
}

// Reset begins a task for some states of a store.
func (t *Task) Reset(s *Space, st *store.Store, from, to int) {
	t.From, t.To, t.Checked = from, to, false
	t.Candidates.Reset(st)
	t.Found, t.before = 0, t.before[:0]
	t.Enabled = slices.Grow(t.Enabled[:0], len(s.System.Actions))[:len(s.System.Actions)]
	clear(t.Enabled)
	t.Events = slices.Grow(t.Events[:0], len(s.Terms))[:len(s.Terms)]
	clear(t.Events)
	t.Beyond, t.Generated = t.Beyond[:0], 0
	t.Errors, t.Steps, t.Truth = t.Errors[:0], t.Steps[:0], t.Truth[:0]
	t.Deadlocks, t.Outside, t.Failed, t.Stop = t.Deadlocks[:0], -1, nil, 0
}

func (t *Task) note(term, state int, err error) {
	if !t.Events[term].Found {
		t.Events[term] = Event{true, state, err}
	}
}

// noteBeyond is note for a successor of the state that is outside of the boundary.
func (t *Task) noteBeyond(term, state int, err error) {
	if len(t.Beyond) == 0 {
		t.Beyond = slices.Grow(t.Beyond, len(t.Events))[:len(t.Events)]
		clear(t.Beyond)
	}
	if !t.Beyond[term].Found {
		t.Beyond[term] = Event{true, state, err}
	}
}

// leaves records that a state violates a range.
func (t *Task) leaves(term int) {
	if t.Outside < 0 {
		t.Outside = term
	}
}

// Expander expands states in one thread.
type Expander struct {
	*Space
	Worker compile.Worker
	Trail  bool // whether candidates need ordinals
	buf    []uint64
	words  int
	taken  takenSet
	recent *recent // nil where nothing is remembered
	kept   keptStates

	// The transitions of a state that the interpreter expands.
	states  []uint64
	actions []uint16
}

// NewExpander makes an expander, whose Worker is to be closed.
func NewExpander(s *Space) (*Expander, error) {
	w, err := s.Program.Worker()
	if err != nil {
		return nil, fmt.Errorf("starting a worker: %w", err)
	}
	return &Expander{Space: s, Worker: w, words: s.Program.Words()}, nil
}

// Forget ends the memory of recent states: all successors are candidates from here on.
func (x *Expander) Forget() { x.recent = nil }

// Run expands the states of a task, or only checks the terms in them.
func (x *Expander) Run(ctx context.Context, t *Task, st *store.Store, onlyCheck bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	states, err := st.States(t.From, t.To, &x.buf)
	if err != nil {
		return &DiskError{err}
	}
	return x.Expand(ctx, t, states, onlyCheck)
}

// Expand is Run for states that are given.
func (x *Expander) Expand(ctx context.Context, t *Task, states []uint64, onlyCheck bool) error {
	var b *compile.Batch
	var err error
	if t.Checked = onlyCheck; onlyCheck {
		b, err = program.Check(x.Worker, states)
	} else {
		b, err = x.Worker.Expand(states)
	}
	if err != nil {
		return fmt.Errorf("expanding states: %w", err)
	}
	truths := b.Violated
	if x.Truth {
		t.Truth = append(t.Truth, b.Violated...)
		truths = t.Truth
	}
	if !onlyCheck && x.takeBatch(t, b) {
		return nil
	}
	slices.Sort(b.Failed)
	failed, left := slices.Compact(b.Failed), b.LeftOut
	t.Generated += b.Generated
	next := 0
	for i := range t.To - t.From {
		first := next
		for next < len(b.Source) && b.Source[next] == uint32(i) {
			next++
		}
		truth := truths[i*x.TermWords() : (i+1)*x.TermWords()]
		if len(failed) > 0 && failed[0] == uint32(i) {
			failed = failed[1:]
			state := x.Program.Unpack(states[i*x.words : (i+1)*x.words])
			if err := x.interpret(ctx, t, t.From+i, state, truth); err != nil {
				return err
			}
			if t.Failed != nil {
				return nil
			}
			continue
		}
		leftOut := len(left) > 0 && left[0].Source == uint32(i)
		if leftOut {
			eachSet(left[0].Violated, func(k int) { t.noteBeyond(k, t.From+i, nil) })
			left = left[1:]
		}
		switch {
		case x.judge(t, t.From+i, truth) || onlyCheck || first == next && leftOut:
		case first == next:
			t.Deadlocks = append(t.Deadlocks, t.From+i)
		case x.Label != nil:
			for k := first; k < next; k++ {
				x.step(t, b.States[k*x.words:(k+1)*x.words], uint32(t.From+i),
					uint32(b.Action[k])<<16|uint32(b.Binding[k]))
			}
			// A run stays in a state with an action behind the last one.
			if int(b.Action[first]) == len(x.System.Actions) && !leftOut {
				t.Deadlocks = append(t.Deadlocks, t.From+i)
			}
		default:
			x.take(t, b.States[first*x.words:next*x.words], b.Action[first:next],
				uint32(t.From+i))
		}
	}
	if next != len(b.Source) || len(failed) > 0 {
		return errors.New("internal error: the successors of a batch are out of order")
	}
	return nil
}

// judge notes the terms that are false in a state, but for a graph, which is made of Truth. It
// reports whether one of them is a range.
func (x *Expander) judge(t *Task, number int, truth []uint64) (closed bool) {
	if x.Label != nil {
		return x.closed(truth)
	}
	eachSet(truth, func(k int) {
		t.note(k, number, nil)
		if k < x.Ranges {
			closed = true
			t.leaves(k)
		}
	})
	return closed
}

// eachSet calls visit with the number of each bit that is set.
func eachSet(words []uint64, visit func(k int)) {
	for w, v := range words {
		for ; v != 0; v &= v - 1 {
			visit(w*64 + bits.TrailingZeros64(v))
		}
	}
}

// closed reports whether a range is false.
func (x *Expander) closed(truth []uint64) bool {
	for k := range x.Ranges {
		if truth[k/64]>>(k%64)&1 != 0 {
			return true
		}
	}
	return false
}

// interpret does the work of Expand for one state with the interpreter, which can name errors.
func (x *Expander) interpret(
	ctx context.Context, t *Task, number int, state interp.State, truth []uint64,
) error {
	clear(truth)
	errs := t.Errors
	for k, term := range x.Terms {
		switch holds, err := x.Holds(term, state); {
		case err != nil:
			errs = append(errs, TermError{k, number, err})
		case !holds:
			truth[k/64] |= 1 << (k % 64)
		}
	}
	if x.judge(t, number, truth) {
		return nil // errors outside a range do not count
	}
	for _, e := range errs[len(t.Errors):] {
		t.note(e.Term, number, e.Err)
	}
	if t.Errors = errs; t.Checked {
		return nil
	}
	return x.interpretSteps(ctx, t, number, state)
}

// interpretSteps takes the steps from a state.
func (x *Expander) interpretSteps(
	ctx context.Context, t *Task, number int, state interp.State,
) error {
	x.states, x.actions = x.states[:0], x.actions[:0]
	leftOut := false
	err := x.EachStep(ctx, state, func(step interp.Step) error {
		if x.System.Computed != nil {
			t.Generated++
		}
		if step.Outside {
			leftOut = true
			x.judgeBeyond(t, number, step.State)
			return nil
		}
		packed, err := x.Program.Pack(step.State)
		if err != nil {
			return err
		}
		k := slices.Index(x.System.Actions, step.Action)
		x.states, x.actions = append(x.states, packed...), append(x.actions, uint16(k))
		if x.Label == nil {
			return nil
		}
		label, err := x.Label(k, state, step)
		if err == nil {
			x.step(t, packed, uint32(number), label)
		}
		return err
	})
	var action *interp.ActionError
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return ctx.Err()
	case !errors.As(err, &action):
		return err
	default:
		t.Failed, t.Stop = err, number
	}
	if len(x.actions) == 0 && t.Failed == nil && !leftOut {
		t.Deadlocks = append(t.Deadlocks, number)
	}
	switch {
	case x.Label == nil:
		x.take(t, x.states, x.actions, uint32(number))
	case x.Stay != nil && t.Failed == nil:
		return x.stay(t, number, state, leftOut)
	}
	return nil
}

// stay adds the step with which a run stays in a state.
func (x *Expander) stay(t *Task, number int, state interp.State, leftOut bool) error {
	steps := len(x.actions)
	if leftOut {
		steps++
	}
	label, can, err := x.Stay(state, steps)
	if err != nil || !can {
		return err
	}
	packed, err := x.Program.Pack(state)
	if err == nil {
		x.step(t, packed, uint32(number), label)
	}
	return err
}

// judgeBeyond evaluates the terms in a successor of a state that is outside of the boundary.
func (x *Expander) judgeBeyond(t *Task, number int, successor interp.State) {
	for k, term := range x.Terms {
		if holds, err := x.Holds(term, successor); err != nil || !holds {
			t.noteBeyond(k, number, err)
		}
	}
}
