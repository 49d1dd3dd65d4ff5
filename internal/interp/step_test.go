package interp_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system/systemtest"
)

// The two renderings of every action agree: the states that its code reaches are exactly the states
// that satisfy its relation.
func TestCodeAgreesWithRelation(t *testing.T) {
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			taken := map[string]int{}
			m := model(t, text)
			compareRenderings(t, m, 60, taken)
			for _, a := range m.System.Actions {
				if taken[a.Name] == 0 {
					t.Errorf("action %s was never taken", a.Name)
				}
			}
		})
	}
}

func TestCodeAgreesWithRelationOnGeneratedSystems(t *testing.T) {
	taken := map[string]int{}
	for seed := range int64(250) {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)), systemtest.Options{Bits: 6})
		if err != nil {
			t.Fatal(err)
		}
		m, err := interp.NewModel(sys, sys.Instances[0])
		if err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { compareRenderings(t, m, 12, taken) })
	}
	t.Log(taken)
	for _, a := range []string{"step0", "step1", "step2"} {
		if taken[a] < 500 {
			t.Errorf("action %s was taken only %d times", a, taken[a])
		}
	}
}

// compareRenderings compares the renderings of all actions in reachable states, and counts the
// steps by action.
func compareRenderings(t *testing.T, m *interp.Model, limit int, taken map[string]int) {
	ctx := context.Background()
	all := everyState(m)
	for _, pre := range reachable(t, m, limit) {
		if !inRange(t, m, pre) {
			continue
		}
		for _, a := range m.System.Actions {
			byCode, byRelation := map[string]bool{}, map[string]bool{}
			err := m.Steps(ctx, pre, a, func(s interp.Step) error {
				byCode[m.Key(s.State)] = true
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, post := range all {
				related, err := m.Related(ctx, a, nil, pre, post)
				if err != nil && inRange(t, m, post) {
					t.Fatal(err)
				}
				if related {
					byRelation[m.Key(post)] = true
				}
			}
			if !maps.Equal(byCode, byRelation) {
				t.Fatalf("action %s in\n%v\nby code:     %v\nby relation: %v\n%s", a.Name,
					m.Bindings(pre, true),
					stateList(m, byCode), stateList(m, byRelation), m.System)
			}
			taken[a.Name] += len(byCode)
		}
	}
}

func stateList(m *interp.Model, keys map[string]bool) [][]result.Binding {
	var out [][]result.Binding
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		out = append(out, m.Bindings(m.StateOfKey(key), true))
	}
	return out
}

// everyState lists all states of a model, with values of ranges up to one outside of them.
func everyState(m *interp.Model) []interp.State {
	var out []interp.State
	m.EachState(func(s interp.State) {
		if m.Check(s, false) == nil {
			out = append(out, s.Clone())
		}
	})
	return out
}

// TestInterruptedSteps asks for the steps of one action after an interrupt: an engine may go
// through thousands of actions.
func TestInterruptedSteps(t *testing.T) {
	m := model(t, "mutable constant x: 0..3\ninit x = 0\naction a() { x := 1; }\ninstance one {}\n")
	ctx, cancel := context.WithCancel(t.Context())
	var first interp.State
	if err := m.Initial(ctx, func(s interp.State) error {
		first = s
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	c, err := m.Cursor(first)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	a := m.System.Actions[0]
	err = m.Steps(ctx, first, a, func(interp.Step) error {
		t.Error("a step after the interrupt")
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	err = c.Steps(ctx, a, interp.Guide{}, func(interp.Effect) error {
		t.Error("a step of the cursor after the interrupt")
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
