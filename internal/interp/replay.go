package interp

import (
	"context"
	"errors"
	"fmt"
	"slices"

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
	m, err := NewModel(sys, inst)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	var states []State
	for i, step := range t.Steps {
		s, err := m.StateOf(slices.Concat(t.Params, step.State)...)
		if err != nil {
			return fmt.Errorf("replay: state %d: %w", i+1, err)
		}
		if err := m.Check(s, i == 0 && t.Kind != result.ToInduction); err != nil {
			return fmt.Errorf("replay: state %d is not possible: %w", i+1, err)
		}
		if i > 0 {
			if err := m.replayStep(ctx, step, states[i-1], s); err != nil {
				return fmt.Errorf("replay: state %d does not follow from state %d by action %s: %w",
					i+1, i, step.Action, err)
			}
		}
		states = append(states, s)
	}
	last := states[len(states)-1]
	if named := sys.Instance(t.Instance); named != nil && t.Instance != "" {
		if err := m.checkNamed(named, last); err != nil {
			return fmt.Errorf("replay: %w", err)
		}
	}
	if t.Loop >= 0 {
		if err := m.replayLoop(ctx, t, property, states); err != nil {
			return err
		}
	}
	return m.replayEnd(ctx, t, property, last)
}

// checkNamed checks that a run belongs to the instance that it names.
func (m *Model) checkNamed(named *system.Instance, s State) error {
	for sort, n := range named.Sizes {
		if m.Instance.Sizes[sort] != n {
			return fmt.Errorf("sort %s has %d elements, but %d in instance %s", sort,
				m.Instance.Sizes[sort], n, named.Name)
		}
	}
	return m.checkValues(named, s)
}

func (m *Model) replayEnd(
	ctx context.Context, t *result.Trace, property *system.Property, last State,
) error {
	switch {
	case property != nil && t.Kind != result.Witness && !property.IsTemporal():
		holds, err := m.Holds(property.Term, last)
		if err != nil {
			return fmt.Errorf("replay: %s in the last state: %w", property.Name, err)
		}
		if holds {
			return fmt.Errorf("replay: the last state satisfies %s", property.Name)
		}
	case property == nil && t.Violates == result.Deadlock:
		if err := m.noSuccessor(ctx, last); err != nil {
			return fmt.Errorf("replay: the last state is no deadlock: %w", err)
		}
	}
	return nil
}

var errNoStep = errors.New("no step of the action with these arguments leads there")

func (m *Model) replayStep(ctx context.Context, step result.Step, pre, post State) error {
	i := slices.IndexFunc(m.System.Actions, func(a *system.Action) bool {
		return a.Name == step.Action
	})
	if i < 0 {
		return errors.New("there is no such action")
	}
	a := m.System.Actions[i]
	if args, ok := m.relationArgs(a, step.Args, pre); ok {
		related, err := m.Related(ctx, a, args, pre, post)
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
	err := m.Steps(ctx, pre, a, func(s Step) error {
		if slices.Equal(s.State, post) && m.sameArgs(s.Args, step.Args) {
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

// relationArgs reads the arguments of a step for the action's relation, and says whether the
// relation can be evaluated.
func (m *Model) relationArgs(a *system.Action, given []result.Binding, pre State) ([]Arg, bool) {
	if a.Relation == nil || len(a.Relation.Inputs) > 0 {
		return nil, false
	}
	f, err := m.machine(pre)
	if err != nil {
		return nil, false
	}
	defer m.release(f)
	var args []Arg
	combinations, read := int64(1), 0
	for i, v := range slices.Concat(a.Params, a.Relation.Choices) {
		if at := slices.IndexFunc(given,
			func(b result.Binding) bool { return b.Name == v.Name }); at >= 0 {
			x, err := m.valueOf(v.Sort, given[at].Value)
			if err != nil {
				return nil, false
			}
			args = append(args, Arg{v, x})
			read++
			continue
		}
		d, ok := f.varDomain(v)
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
			return a.Var.Name == w.Name && m.value(a.Var.Sort, a.Value).Equal(w.Value)
		}) {
			return false
		}
	}
	return true
}
