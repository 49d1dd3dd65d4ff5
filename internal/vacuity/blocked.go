package vacuity

import (
	"context"
	"errors"
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
)

// blockedStates bounds the states whose steps are compared with the trusted invariants.
const blockedStates = 2000

// Untrusted is the system without its trusted invariants.
func Untrusted(sys *system.System) *system.System {
	c := *sys
	c.Properties = slices.DeleteFunc(slices.Clone(sys.Properties), func(p *system.Property) bool {
		return p.Kind == system.Trusted
	})
	return &c
}

// Blocked finds, for actions that are never enabled in an instance, a trusted invariant that
// excludes one of their steps: the step begins in a reachable state, and would end in a state that
// violates the invariant. It examines the first states only. An evaluation error ends the search.
func Blocked(
	ctx context.Context, sys *system.System, inst *system.Instance, actions []string,
) map[string]*system.Property {
	out := map[string]*system.Property{}
	var trusted []*system.Property
	for _, p := range sys.Properties {
		if p.Kind == system.Trusted {
			trusted = append(trusted, p)
		}
	}
	if len(trusted) == 0 || len(actions) == 0 {
		return out
	}
	strict, err := interp.NewModel(sys, inst)
	if err != nil {
		return out
	}
	free, err := interp.NewModel(Untrusted(sys), inst)
	if err != nil {
		return out
	}
	look := func(s interp.State) error {
		for _, a := range sys.Actions {
			if out[a.Name] != nil || !slices.Contains(actions, a.Name) {
				continue
			}
			err := free.Steps(ctx, s, a, func(step interp.Step) error {
				for _, p := range trusted {
					if holds, err := free.Holds(p.Term, step.State); err == nil && !holds {
						out[a.Name] = p
						return interp.ErrStop
					}
				}
				return nil
			})
			if err != nil && !errors.Is(err, interp.ErrStop) {
				return err
			}
		}
		if len(out) == len(actions) {
			return interp.ErrStop
		}
		return nil
	}
	_ = first(ctx, strict, blockedStates, look)
	return out
}

// first calls visit with the first reachable states, breadth-first, until it returns an error;
// interp.ErrStop counts as none. A run ends in a state that violates a range.
func first(ctx context.Context, m *interp.Model, most int, visit func(interp.State) error) error {
	_, err := m.Nearest(ctx, nil, func(found []interp.Reached) error {
		s := found[len(found)-1].State
		if outside(m, s) {
			return interp.ErrLeaf
		}
		if err := visit(s); err != nil {
			return err
		}
		if len(found) >= most {
			return interp.ErrStop
		}
		return nil
	})
	return err
}

// outside reports whether a state violates a declared range.
func outside(m *interp.Model, s interp.State) bool {
	return slices.ContainsFunc(m.System.Properties, func(p *system.Property) bool {
		if !p.EndsRuns() {
			return false
		}
		holds, err := m.Holds(p.Term, s)
		return err != nil || !holds
	})
}

// NeverInitially reports whether a sign is true in no initial state of an instance, and whether
// this is known.
func NeverInitially(
	ctx context.Context, sys *system.System, inst *system.Instance, s Sign,
) (never, known bool) {
	c := *sys
	c.Inits = append(slices.Clone(sys.Inits), &system.Formula{Term: s.Term, Span: s.Span})
	return initialState(ctx, &c, inst)
}

// ManyInitial reports whether an instance is known to have more than a number of initial states.
func ManyInitial(ctx context.Context, sys *system.System, inst *system.Instance, most int) bool {
	m, err := interp.NewModel(sys, inst)
	if err != nil {
		return false
	}
	found := 0
	err = m.Initial(ctx, func(interp.State) error {
		if found++; found > most {
			return interp.ErrStop
		}
		return nil
	})
	return err == nil && found > most
}
