package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
)

// tally counts what a run exercises.
type tally struct {
	taken                       map[*system.Action]int
	made                        map[int]int // observations, by their index
	steps, silent, observations int
}

func newTally() *tally {
	return &tally{taken: map[*system.Action]int{}, made: map[int]int{}}
}

func (t *tally) add(m transition) {
	for _, s := range m.steps {
		if s.Action != nil {
			t.taken[s.Action]++
			t.steps++
		}
	}
	if m.event == nil {
		t.silent += len(m.steps)
		return
	}
	t.observations += len(m.event.observations)
	for _, o := range m.event.observations {
		if o.index >= 0 {
			t.made[o.index]++
		}
	}
}

// into writes the counts of a search to a result.
func (t *tally) into(s *search, r *Result) {
	r.Steps = t.steps
	c := Coverage{Silent: t.silent, Made: t.observations,
		DecisiveObservations: s.decisive.observations,
		DecisiveRequirements: s.decisive.requirements}
	for _, a := range s.c.spec.System.Actions {
		name, all := s.c.caller().shown(a), c.Taken
		if n := len(all); n > 0 && all[n-1].Name == name { // for another constructor
			all[n-1].N += t.taken[a]
			continue
		}
		c.Taken = append(all, Count{name, t.taken[a]})
	}
	for i, o := range s.c.file.Observations {
		c.Observations = append(c.Observations, Count{o.Text, t.made[i]})
	}
	r.Coverage = c
}

// maxTried bounds the values of variables that the properties are evaluated for along a run.
const maxTried = 5_000_000

// watch follows a run, and notes the first state in which each safety property or invariant is
// false: then the program has left what the specification claims. A property is evaluated where
// something that it reads has changed, up to a limit.
type watch struct {
	state  *interp.Cursor
	claims []claim
	tried  int // values
	over   bool
	args   map[string]int64
	states int // in which the properties were looked at
	all    int // states
	notes  []string
}

// claim is a property of states, and the symbols that it speaks of.
type claim struct {
	property *system.Property
	slots    []bool // the slots that it reads
}

func (c claim) reads(changes []interp.Change) bool {
	return slices.ContainsFunc(changes, func(x interp.Change) bool {
		return c.slots[x.Slot]
	})
}

// where says in which state the claims are evaluated: after a step, or in the first one.
func (s *Step) where() string {
	switch {
	case s == nil:
		return "in the first state"
	case s.Event == nil:
		return "after a silent step"
	}
	return "after " + s.Event.Place()
}

// newWatch begins in the first state of a run.
func newWatch(m *interp.Model, first interp.State) (*watch, error) {
	state, err := m.Cursor(first)
	if err != nil {
		return nil, err
	}
	w := &watch{state: state, args: map[string]int64{}}
	of := m.SlotSymbols()
	for _, p := range m.System.Properties {
		if p.Kind == system.Safety || p.Kind == system.Invariant {
			reads, slots := m.Reads(p.Term), make([]bool, len(of))
			for slot, symbol := range of {
				slots[slot] = reads[symbol]
			}
			w.claims = append(w.claims, claim{p, slots})
		}
	}
	w.look(nil, func(claim) bool { return true })
	return w, nil
}

func (w *watch) look(s *Step, concerns func(claim) bool) {
	w.all++
	defer func() {
		if !w.over {
			w.states++
		}
	}()
	w.claims = slices.DeleteFunc(w.claims, func(c claim) bool {
		if w.over || !concerns(c) {
			return false
		}
		before := w.state.Tried()
		v, err := w.state.EvalWithin(c.property.Term, maxTried-w.tried)
		w.tried += w.state.Tried() - before
		if w.over = errors.Is(err, interp.ErrWork); err != nil || v != 0 {
			return false
		}
		w.notes = append(w.notes, fmt.Sprintf("%s is violated %s: the specification allows this "+
			"run, against what it claims", c.property.Name, s.where()))
		return true
	})
}

// step goes on by a step.
func (w *watch) step(s Step) {
	w.state.Do(s.changes)
	w.look(&s, func(c claim) bool { return c.reads(s.changes) })
}

// leads reports whether the steps of frames, and of one more way, lead from the state to another
// one.
func (w *watch) leads(frames []frame, last transition, to interp.State) bool {
	now := w.state.State()
	for _, f := range frames {
		if !f.by.follow(now) {
			return false
		}
	}
	return last.follow(now) && slices.Equal(now, to)
}

// follow makes the changes of its steps; false if one of them begins in another state.
func (m transition) follow(state interp.State) bool {
	for _, s := range m.steps {
		for _, x := range s.changes {
			if state[x.Slot] != x.From {
				return false
			}
			state[x.Slot] = x.To
		}
	}
	return true
}

// again computes a step once more, in the state before it.
func (w *watch) again(ctx context.Context, s Step) error {
	if s.Action == nil {
		return nil
	}
	clear(w.args)
	guide := interp.Guide{Args: w.args}
	for _, a := range s.Args {
		guide.Args[a.Var.Name] = a.Value
	}
	for _, a := range s.Args {
		if guide.Args[a.Var.Name] != a.Value { // two choices of one name: both are open
			delete(guide.Args, a.Var.Name)
		}
	}
	found := false
	err := w.state.Steps(ctx, s.Action, guide, func(x interp.Effect) error {
		if found = found || slices.Equal(x.Changes, s.changes); found {
			return interp.ErrStop
		}
		return nil
	})
	if err == nil && !found {
		return fmt.Errorf("step %d is none of %s", w.all, s.Action.Name)
	}
	return err
}

// result lists the violations, and says where the work was too much.
func (w *watch) result() []string {
	if !w.over {
		return w.notes
	}
	return append(w.notes, fmt.Sprintf("the properties are evaluated in the first %d of %d "+
		"states only: they range over many values", w.states, w.all))
}

// violations notes the properties that are false along a run.
func (r *Run) violations(ctx context.Context) ([]string, error) {
	w, err := newWatch(r.Model, r.First)
	if err != nil {
		return nil, err
	}
	for _, s := range r.Steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w.step(s)
	}
	return w.result(), ctx.Err()
}

// replayTrace is the number of values up to which a run is replayed as a trace.
const replayTrace = 2_000_000

// replay checks a run once more: as a trace, against the formulas of its actions, or if it is long
// step by step.
func (r *Run) replay(ctx context.Context) error {
	if len(r.Steps)*len(r.First) <= replayTrace {
		return interp.Replay(ctx, r.Model.System, r.Trace(), nil)
	}
	if err := r.Model.Check(r.First, true); err != nil {
		return err
	}
	w, err := newWatch(r.Model, r.First)
	if err != nil {
		return err
	}
	w.claims = nil
	for _, s := range r.Steps {
		if err := w.again(ctx, s); err != nil {
			return err
		}
		w.step(s)
	}
	return nil
}
