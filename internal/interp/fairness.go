package interp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// LoopFairness states, for every fair action and all values of its parameters, why the loop of a
// run is fair to it; or it returns an error that names a condition that the loop violates. It
// examines the steps of the loop, and the steps that each action could take in its states.
// An action that is fair under a condition is due where it is enabled and the condition is true.
func (m *Model) LoopFairness(ctx context.Context, t *result.Trace) ([]result.Fairness, error) {
	if t.Loop < 0 || t.Loop >= len(t.Steps) {
		return nil, errors.New("the run has no loop")
	}
	if m.System.Computed != nil {
		states, err := RunOf(ctx, m, t)
		if err != nil {
			return nil, err
		}
		return computedFairness(m, states[t.Loop:], t.Loop)
	}
	return actionFairness(ctx, m, t)
}

// actionFairness is LoopFairness for the fairness of actions.
func actionFairness(
	ctx context.Context, m *Model, t *result.Trace,
) (out []result.Fairness, err error) {
	var states []State // of the loop
	for i := t.Loop; i < len(t.Steps); i++ {
		s, err := m.StateOf(slices.Concat(t.Params, t.Steps[i].State)...)
		if err != nil {
			return nil, fmt.Errorf("state %d: %w", i+1, err)
		}
		states = append(states, s)
	}
	for _, a := range m.System.Actions {
		if a.Fairness == system.Unfair {
			continue
		}
		// For each state, the parameters for which the action can be taken, and whether it is due.
		possible := make([]map[string]bool, len(states))
		for i, s := range states {
			possible[i] = map[string]bool{}
			err := m.Steps(ctx, s, a, func(step Step) error {
				params := step.Args[:len(a.Params)]
				due, err := m.FairIn(s, a, params)
				possible[i][parametersKey(params)] = due
				return err
			})
			if err != nil {
				return nil, fmt.Errorf("steps of action %s in state %d: %w", a.Name, t.Loop+i+1,
					err)
			}
		}
		err := eachParameters(m, a, states[0], func(args []Arg) error {
			f := result.Fairness{Strong: a.Fairness == system.Strong, Action: a.Name,
				Args: m.ArgBindings(args)}
			key := parametersKey(args)
			due := func(p map[string]bool) bool { return p[key] }
			enabled := func(p map[string]bool) bool { _, ok := p[key]; return ok }
			taken := func(s result.Step, from int) bool { // parameters come before choices
				return s.Action == a.Name && len(s.Args) >= len(args) &&
					m.sameArgs(args, s.Args[:len(args)]) && due(possible[from])
			}
			step, disabled, excused := -1, -1, -1
			for i, p := range possible {
				switch {
				case step < 0 && i > 0 && taken(t.Steps[t.Loop+i], i-1):
					step = i
				case disabled < 0 && !enabled(p):
					disabled = i
				case excused < 0 && !due(p):
					excused = i
				}
			}
			switch {
			case step >= 0:
				f.Why, f.At = result.Taken, t.Loop+step
			case taken(t.Back, len(possible)-1):
				f.Why, f.At = result.Taken, t.Loop
			case !f.Strong && disabled >= 0:
				f.Why, f.At = result.Disabled, t.Loop+disabled
			case !f.Strong && excused >= 0:
				f.Why, f.At = result.Excused, t.Loop+excused
			case f.Strong && !slices.ContainsFunc(possible, enabled):
				f.Why = result.NeverEnabled
			case f.Strong && !slices.ContainsFunc(possible, due):
				f.Why = result.NeverDue
			default:
				return fmt.Errorf(
					"the loop is not fair to action %s: it is enabled but never taken", call(f))
			}
			out = append(out, f)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// FairIn reports whether fairness asks for the steps of an action with some parameters from a
// state: whether the action is fair, and its condition of fairness is true there.
func (m *Model) FairIn(s State, a *system.Action, params []Arg) (bool, error) {
	if a.Fairness == system.Unfair || a.FairIf == nil {
		return a.Fairness != system.Unfair, nil
	}
	f, err := m.machine(s)
	if err != nil {
		return false, err
	}
	defer m.release(f)
	for _, p := range params {
		f.env = append(f.env, binding{v: p.Var, value: p.Value})
	}
	v, err := f.value(a.FairIf, "the condition of fairness speaks of a state that is not given")
	if err != nil {
		err = &ActionError{m, a, params, err}
	}
	return v == 1, err
}

// call prints an action with its arguments.
func call(f result.Fairness) string {
	out := f.Action + "("
	for i, a := range f.Args {
		if i > 0 {
			out += ", "
		}
		out += a.Name + " = " + a.Value.String()
	}
	return out + ")"
}

func parametersKey(args []Arg) string {
	var key []byte
	for _, a := range args {
		key = binary.AppendVarint(key, a.Value)
	}
	return string(key)
}

// eachParameters calls visit for all values of an action's parameters.
func eachParameters(m *Model, a *system.Action, s State, visit func([]Arg) error) error {
	f, err := m.machine(s)
	if err != nil {
		return err
	}
	defer m.release(f)
	var guard []*logic.Term
	if a.Relation != nil {
		guard = a.Relation.Guard
	}
	all := among(f, a.Params, 1, guard, func() bool {
		args := make([]Arg, len(a.Params))
		for i, b := range f.env[len(f.env)-len(args):] {
			args[i] = Arg{b.v, b.value}
		}
		err = visit(args)
		return err == nil
	})
	if !all && err == nil {
		err = &ActionError{Model: m, Action: a, Err: f.err}
	}
	return err
}
