package interp_test

import (
	"context"
	"errors"
	"math/rand"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

// Where a step or a claim cannot be evaluated in a reachable state, a claim about arguments or
// ranges is violated there. Where none is, everything has a value.
func TestArguments(t *testing.T) {
	ctx := t.Context()
	systems := map[int64]bool{}
	errs, claims, states, strict := 0, 0, 0, 0
	for seed := range int64(testkit.Size(300, 2_000)) {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)),
			systemtest.Options{Outside: true})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		m, err := interp.NewModel(sys, sys.Instances[0])
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		implicit := slices.DeleteFunc(slices.Clone(sys.Properties),
			func(p *system.Property) bool { return !p.IsImplicit() })
		claims += len(implicit)
		reach(ctx, m, 300, func(s interp.State) bool {
			states++
			closed := ""
			for _, p := range implicit {
				// A claim has no value only where another one is violated.
				holds, err := m.Holds(p.Term, s)
				if err == nil && !holds {
					closed = p.Name
				}
			}
			err := evaluate(ctx, m, s)
			switch {
			case err != nil && closed == "":
				t.Fatalf("seed %d: in %v\n%v, but no claim about arguments is violated\n%s", seed,
					m.TraceOf(s), err, sys)
			case err != nil:
				errs++
				systems[seed] = true
			case closed != "":
				strict++
			}
			return closed == ""
		})
	}
	t.Logf("%d states of systems with %d claims; no value in %d states of %d systems, and a claim "+
		"that is stronger than needed in %d", states, claims, errs, len(systems), strict)
	if len(systems) < 20 {
		t.Error("hardly any system has a state without a value")
	}
}

// evaluate evaluates all steps and claims in a state.
func evaluate(ctx context.Context, m *interp.Model, s interp.State) error {
	for _, p := range m.System.Properties {
		if _, err := m.Holds(p.Term, s); err != nil {
			return err
		}
	}
	for _, a := range m.System.Actions {
		if err := m.Steps(ctx, s, a, func(interp.Step) error { return nil }); err != nil {
			return err
		}
	}
	return nil
}

// reach calls visit for reachable states, and looks for the successors of the ones for which it
// returns true. It leaves out systems whose initial states cannot be evaluated.
func reach(ctx context.Context, m *interp.Model, most int, visit func(interp.State) bool) {
	var queue []interp.State
	seen := map[string]bool{}
	add := func(s interp.State) error {
		if k := m.Key(s); !seen[k] {
			seen[k] = true
			queue = append(queue, s)
		}
		if len(queue) > most {
			return interp.ErrStop
		}
		return nil
	}
	if err := m.Initial(ctx, add); err != nil && !errors.Is(err, interp.ErrStop) {
		return
	}
	for i := 0; i < len(queue) && i < most; i++ {
		if !visit(queue[i]) {
			continue
		}
		for _, a := range m.System.Actions {
			_ = m.Steps(ctx, queue[i], a, func(s interp.Step) error { return add(s.State) })
		}
	}
}
