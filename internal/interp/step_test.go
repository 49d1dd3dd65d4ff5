package interp_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"erelong/internal/interp"
	"erelong/internal/verdict"
)

// The two renderings of every action agree: the states that its code reaches are the states, among all of them, that
// satisfy its relation.
func TestCodeAgreesWithRelation(t *testing.T) {
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			m := model(t, text)
			all := everyState(t, m)
			taken := map[string]int{}
			for _, pre := range reachable(t, m, 60) {
				if !inRange(t, m, pre) {
					continue
				}
				for _, a := range m.System.Actions {
					byCode := map[string]bool{}
					err := m.Steps(context.Background(), pre, a, func(s interp.Step) error {
						byCode[m.Key(s.State)] = true
						return nil
					})
					if err != nil {
						t.Fatal(err)
					}
					byRelation := map[string]bool{}
					for _, post := range all {
						related, err := m.Related(context.Background(), a, nil, pre, post)
						if err != nil {
							t.Fatal(err)
						}
						if related {
							byRelation[m.Key(post)] = true
						}
					}
					if !maps.Equal(byCode, byRelation) {
						t.Fatalf("action %s in\n%v\nby code:     %v\nby relation: %v\n%s", a.Name, m.Bindings(pre, true),
							stateList(m, byCode), stateList(m, byRelation), m.System)
					}
					taken[a.Name] += len(byCode)
				}
			}
			for _, a := range m.System.Actions {
				if taken[a.Name] == 0 {
					t.Errorf("action %s was never taken", a.Name)
				}
			}
		})
	}
}

func stateList(m *interp.Model, keys map[string]bool) [][]verdict.Binding {
	var out [][]verdict.Binding
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		out = append(out, m.Bindings(m.StateOfKey(key), true))
	}
	return out
}

// everyState lists all states of a model, with values of ranges up to one outside of them.
func everyState(t *testing.T, m *interp.Model) []interp.State {
	t.Helper()
	var out []interp.State
	m.EachState(func(s interp.State) bool {
		if m.Check(s, false) == nil {
			out = append(out, s.Clone())
		}
		return true
	})
	if len(out) < 10 {
		t.Fatalf("only %d states", len(out))
	}
	return out
}
