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

// A computed system (system.Computation) has no terms to evaluate but connectives over computed
// predicates. Its front end gives initial states, steps and the truth of predicates. The model asks
// the plain computer, which remembers nothing.

// plain is the plain computer of a machine.
func (f *machine) plain() system.Computer {
	if f.computer == nil {
		f.computer = f.m.System.Computed.Plain()
	}
	return f.computer
}

// ComputedError makes an EvalError of the error of a computed expression that has no value.
// Any other error it returns as it is.
func ComputedError(err error) error {
	var computed *system.ComputedError
	if errors.As(err, &computed) {
		return &EvalError{Span: computed.Span, Message: computed.Message}
	}
	return err
}

// predicate is the truth of a computed predicate.
func (f *machine) predicate(t *logic.Term, p *system.Predicate) (int64, bool) {
	from, to := f.base+t.Step, f.base+t.Step+1
	if p.OfStep {
		to++
	}
	n := f.m.size
	if to > 2 {
		return f.fail(t.Span, "%s is about a step that is not given", t.Symbol)
	}
	if i := slices.Index(f.known[from*n:to*n], false); i >= 0 {
		return f.lack(from*n + i)
	}
	var next State
	if p.OfStep {
		next = f.val[(from+1)*n : to*n]
	}
	holds, err := f.plain().Holds(p.Number, f.val[from*n:(from+1)*n], next)
	if err != nil {
		f.err = ComputedError(err)
		return 0, false
	}
	return truth(holds), true
}

// computedInitial is Initial for a computed system.
func computedInitial(ctx context.Context, m *Model, yield func(State) error) error {
	err := m.System.Computed.Plain().Initial(ctx, func(s []int64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return yield(slices.Clone(s))
	})
	if err != nil && !errors.Is(err, ErrStop) {
		return fmt.Errorf("initial states: %w", ComputedError(err))
	}
	return nil
}

// computedSteps is EachStep for a computed system.
func computedSteps(ctx context.Context, m *Model, s State, yield func(Step) error) error {
	var outside error // of yield
	err := m.System.Computed.Plain().Steps(ctx, s, func(action int, args, next []int64) error {
		a := m.System.Actions[action]
		step := Step{Action: a, State: slices.Clone(next)}
		for i, x := range args {
			step.Args = append(step.Args, Arg{a.Params[i], x})
		}
		inside, err := Bounded(m, s, step.State)
		if step.Outside = !inside; err != nil {
			outside = &ActionError{m, a, step.Args, err}
		} else {
			outside = yield(step)
		}
		return outside
	})
	var computed *system.ComputedError
	switch {
	case errors.Is(outside, ErrStop):
		return nil
	case outside != nil:
		return outside
	case errors.As(err, &computed):
		return &ActionError{Model: m, Err: ComputedError(err)}
	}
	return err
}

// guidedComputed is GuidedSteps for a computed system. The steps of all actions are computed.
func guidedComputed(
	ctx context.Context, m *Model, s State, a *system.Action, g Guide, yield func(Step) error,
) error {
	if len(g.Args)+len(g.After) > 0 || g.Blocked != nil {
		return m.System.NeedsFormulas("be guided along a record")
	}
	return computedSteps(ctx, m, s, func(step Step) error {
		if step.Action != a {
			return nil
		}
		return yield(step)
	})
}

// Bounded reports whether a step of a computed system stays within its boundary; for an initial
// state from is nil.
func Bounded(m *Model, from, to State) (bool, error) {
	if m.System.Computed == nil {
		return true, nil
	}
	for _, f := range m.System.Computed.Boundary {
		states := []State{to}
		if m.System.OfStep(f.Term) {
			if from == nil {
				continue
			}
			states = []State{from, to}
		}
		if holds, err := m.Holds(f.Term, states...); err != nil || !holds {
			return false, err
		}
	}
	return true, nil
}

// computedFairness is LoopFairness for the states of a loop, which is part of a run from a position
// on.
func computedFairness(m *Model, loop []State, at int) (out []result.Fairness, err error) {
	for _, c := range m.System.Computed.Conditions {
		f := result.Fairness{Strong: c.Strong, Action: c.Name}
		enabled, disabled, taken := -1, -1, -1
		for i, s := range loop {
			can, err := m.Holds(c.Enabled, s)
			if err != nil {
				return nil, fmt.Errorf("whether %s is enabled in state %d: %w", c.Name, at+i+1, err)
			}
			does, err := m.Holds(c.Taken, s, loop[(i+1)%len(loop)])
			if err != nil {
				return nil, fmt.Errorf("whether %s is taken in state %d: %w", c.Name, at+i+1, err)
			}
			switch {
			case does && taken < 0:
				taken = (i + 1) % len(loop)
			case can && enabled < 0:
				enabled = i
			case !can && disabled < 0:
				disabled = i
			}
		}
		switch {
		case taken >= 0:
			f.Why, f.At = result.Taken, at+taken
		case !f.Strong && disabled >= 0:
			f.Why, f.At = result.Disabled, at+disabled
		case f.Strong && enabled < 0:
			f.Why = result.NeverEnabled
		default:
			return nil, fmt.Errorf("the loop is not fair to %s: it is enabled but never taken",
				c.Name)
		}
		out = append(out, f)
	}
	return out, nil
}
