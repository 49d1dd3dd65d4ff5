package interp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// maxChoices bounds the number of combinations of choices for which Replay evaluates a relation.
const maxChoices = 1 << 16

// Replay checks that a trace is a run. Its first state is initial; each further state is reached by
// a step of the named action with the named arguments. In a counterexample the last state violates
// the property; with property nil and Violates equal to result.Deadlock, it has no successor. A
// counterexample to induction may begin in any state that satisfies the axioms, definitions and
// trusted properties. If the run ends in a loop, the closing step is checked, too. A counterexample
// to a temporal property must have a loop that is fair (see LoopFairness), and the property must be
// false of it.
//
// A step is checked against the action's Relation, which engines that run its Code do not use, if
// the action has a Relation without Inputs, with few choices, and with a value in these states.
// Otherwise the step has to be among the steps of the Code.
func Replay(
	ctx context.Context, sys *system.System, t *result.Trace, property *system.Property,
) error {
	if len(t.Steps) == 0 {
		return errors.New("replay: the trace has no states")
	}
	if t.Loop < 0 && t.Kind == result.Counterexample && property != nil && property.IsTemporal() {
		return fmt.Errorf("replay: a run without a loop cannot violate %s", property.Name)
	}
	inst, err := InstanceOf(sys, t)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	if inst.Integers, err = windowOf(sys, t, property); err != nil {
		return fmt.Errorf("replay: it holds a part of what has infinitely many points: %w", err)
	}
	m, err := NewModel(sys, inst)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	r := &replay{m, t, property}
	states, err := r.states(ctx)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	last := states[len(states)-1]
	if named := sys.Instance(t.Instance); named != nil && t.Instance != "" {
		if err := r.named(named, last); err != nil {
			return fmt.Errorf("replay: %w", err)
		}
	}
	if t.Loop >= 0 {
		if err := r.loop(ctx, states); err != nil {
			return err
		}
	}
	return r.end(ctx, last)
}

// replay is a trace that is checked.
type replay struct {
	*Model
	trace    *result.Trace
	property *system.Property // nil for none
}

// states reads the states of the run, and checks that each follows from the one before.
func (r *replay) states(ctx context.Context) (states []State, err error) {
	if r.System.Computed != nil {
		return RunOf(ctx, r.Model, r.trace)
	}
	for i, step := range r.trace.Steps {
		s, err := r.StateOf(slices.Concat(r.trace.Params, step.State)...)
		if err != nil {
			return nil, fmt.Errorf("state %d: %w", i+1, err)
		}
		if err := r.Check(s, i == 0 && r.trace.Kind != result.ToInduction); err != nil {
			return nil, fmt.Errorf("state %d is not possible: %w", i+1, err)
		}
		if i > 0 {
			if err := r.step(ctx, step, states[i-1], s); err != nil {
				return nil, fmt.Errorf("state %d does not follow from state %d by action %s: %w",
					i+1, i, step.Action, err)
			}
		}
		states = append(states, s)
	}
	return states, nil
}

// named checks that a run belongs to the instance that it names.
func (r *replay) named(named *system.Instance, s State) error {
	for sort, n := range named.Sizes {
		if r.Instance.Sizes[sort] != n {
			return fmt.Errorf("sort %s has %d elements, but %d in instance %s", sort,
				r.Instance.Sizes[sort], n, named.Name)
		}
	}
	return r.checkValues(named, s)
}

// end checks the last state.
func (r *replay) end(ctx context.Context, last State) error {
	property, t := r.property, r.trace
	switch {
	case property != nil && t.Kind != result.Witness && !property.IsTemporal():
		holds, err := r.Holds(property.Term, last)
		if err != nil {
			return fmt.Errorf("replay: %s in the last state: %w", property.Name, err)
		}
		if holds {
			return fmt.Errorf("replay: the last state satisfies %s", property.Name)
		}
	case property == nil && t.Violates == result.Deadlock:
		if err := r.noSuccessor(ctx, last); err != nil {
			return fmt.Errorf("replay: the last state is no deadlock: %w", err)
		}
	}
	return nil
}

var errNoStep = errors.New("no step of the action with these arguments leads there")

func (r *replay) step(ctx context.Context, step result.Step, pre, post State) error {
	i := slices.IndexFunc(r.System.Actions, func(a *system.Action) bool {
		return a.Name == step.Action
	})
	if i < 0 {
		return errors.New("there is no such action")
	}
	a := r.System.Actions[i]
	if args, ok := r.relationArgs(a, step.Args, pre); ok {
		related, err := r.Related(ctx, a, args, pre, post)
		switch {
		case err == nil && related:
			return nil
		case err == nil:
			return errNoStep
		case ctx.Err() != nil:
			return err
		}
	}
	found := false
	err := r.GuidedSteps(ctx, pre, a, r.along(a, step.Args), func(s Step) error {
		if slices.Equal(s.State, post) && r.sameArgs(s.Args, step.Args) {
			found = true
			return ErrStop
		}
		return nil
	})
	switch {
	case found:
		return nil
	case err != nil:
		return err
	}
	return errNoStep
}

// along is a guide with the arguments of a step: where one is of sort int there are no other values
// to try. A name that the step has twice is left open.
func (r *replay) along(a *system.Action, given []result.Binding) Guide {
	g := Guide{Args: map[string]int64{}}
	if r.System.Computed != nil {
		return g // its steps are not guided
	}
	for _, v := range slices.Concat(a.Params, system.Choices(a.Code)) {
		named := func(b result.Binding) bool { return b.Name == v.Name }
		i := slices.IndexFunc(given, named)
		if i < 0 || slices.ContainsFunc(given[i+1:], named) {
			continue
		}
		if x, err := r.valueOf(v.Sort, given[i].Value); err == nil {
			g.Args[v.Name] = x
		}
	}
	return g
}

// relationArgs reads the arguments of a step for the action's relation, and says whether the
// relation can be evaluated.
func (r *replay) relationArgs(a *system.Action, given []result.Binding, pre State) ([]Arg, bool) {
	if a.Relation == nil || len(a.Relation.Inputs) > 0 {
		return nil, false
	}
	f, err := r.machine(pre)
	if err != nil {
		return nil, false
	}
	defer r.release(f)
	var args []Arg
	combinations, read := int64(1), 0
	for i, v := range slices.Concat(a.Params, a.Relation.Choices) {
		if at := slices.IndexFunc(given,
			func(b result.Binding) bool { return b.Name == v.Name }); at >= 0 {
			x, err := r.valueOf(v.Sort, given[at].Value)
			if err != nil {
				return nil, false
			}
			args = append(args, Arg{v, x})
			read++
			continue
		}
		d, ok := f.domain(v.Sort)
		if !ok || i < len(a.Params) || d.n > maxChoices {
			return nil, false
		}
		if combinations *= max(d.n, 1); combinations > maxChoices {
			return nil, false
		}
	}
	return args, read == len(given)
}

// sameArgs says whether a step has every argument that a trace names.
func (m *Model) sameArgs(have []Arg, want []result.Binding) bool {
	for _, w := range want {
		if !slices.ContainsFunc(have, func(a Arg) bool {
			if a.Var.Name != w.Name {
				return false
			}
			if a.Var.Sort.Kind == logic.KindInterned {
				v, err := m.valueOf(a.Var.Sort, w.Value)
				return err == nil && v == a.Value
			}
			return m.value(a.Var.Sort, a.Value).Equal(w.Value)
		}) {
			return false
		}
	}
	return true
}

// loop checks the step that closes the loop of a run. For a counterexample it also checks
// that the loop is fair, and that the property, if it is temporal, is false of the run.
func (r *replay) loop(ctx context.Context, states []State) error {
	t, property := r.trace, r.property
	if t.Loop >= len(states) {
		return fmt.Errorf("replay: the run returns to state %d, but has only %d states", t.Loop+1,
			len(states))
	}
	last := states[len(states)-1]
	stutters := r.System.Computed != nil && r.System.Computed.Stutters
	switch {
	case t.Back.Action == result.Stutter && stutters && slices.Equal(last, states[t.Loop]):
	case t.Back.Action != "":
		if err := r.step(ctx, t.Back, last, states[t.Loop]); err != nil {
			return fmt.Errorf("replay: the loop does not close: state %d does not follow from "+
				"state %d by action %s: %w",
				t.Loop+1, len(states), t.Back.Action, err)
		}
	case t.Loop != len(states)-1:
		return errors.New("replay: no action closes the loop")
	case stutters:
	default:
		if err := r.noSuccessor(ctx, last); err != nil {
			return fmt.Errorf("replay: the last state does not repeat for ever: %w", err)
		}
	}
	if t.Kind != result.Counterexample {
		return nil
	}
	reasons, err := r.LoopFairness(ctx, t)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	same := func(f, g result.Fairness) bool {
		return f.Strong == g.Strong && f.Action == g.Action && f.Why == g.Why && f.At == g.At &&
			slices.EqualFunc(f.Args, g.Args, func(a, b result.Binding) bool {
				return a.Name == b.Name && a.Value.Equal(b.Value)
			})
	}
	if t.Fairness != nil && !slices.EqualFunc(t.Fairness, reasons, same) {
		return errors.New("replay: the reasons why the loop is fair are wrong")
	}
	if property == nil || !property.IsTemporal() {
		return nil
	}
	holds, err := r.HoldsOnLasso(property.Term, states, t.Loop)
	switch {
	case err != nil:
		return fmt.Errorf("replay: %s on the run: %w", property.Name, err)
	case holds:
		return fmt.Errorf("replay: the run satisfies %s", property.Name)
	}
	return nil
}

// noSuccessor returns an error that names an action that can be taken, if there is one.
func (r *replay) noSuccessor(ctx context.Context, s State) error {
	var possible *system.Action
	err := r.EachStep(ctx, s, func(step Step) error { possible = step.Action; return ErrStop })
	switch {
	case err != nil:
		return fmt.Errorf("successors of the last state: %w", err)
	case possible != nil:
		return fmt.Errorf("action %s can be taken", possible.Name)
	}
	return nil
}
