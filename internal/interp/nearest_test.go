package interp_test

import (
	"errors"
	"testing"

	"erelong.dev/erelong/internal/interp"
)

// Levels of states by sets, without parents and without an end.
func levels(t *testing.T, m *interp.Model, most int) (distance map[string]int) {
	t.Helper()
	distance = map[string]int{}
	var level []interp.State
	add := func(d int) func(s interp.State) error {
		return func(s interp.State) error {
			if k := m.Key(s); len(distance) < most {
				if _, ok := distance[k]; !ok {
					distance[k] = d
					level = append(level, s)
				}
			}
			return nil
		}
	}
	if err := m.Initial(t.Context(), add(0)); err != nil {
		t.Fatal(err)
	}
	for d := 1; len(level) > 0; d++ {
		now := level
		level = nil
		for _, s := range now {
			for _, a := range m.System.Actions {
				if err := m.Steps(t.Context(), s, a, func(x interp.Step) error {
					return add(d)(x.State)
				}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return distance
}

// Nearest finds each state once, by a shortest path of steps that there are.
func TestNearest(t *testing.T) {
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			m := model(t, text)
			const most = 300
			want := levels(t, m, most)
			found, err := m.Nearest(t.Context(), nil, func(found []interp.Reached) error {
				if len(found) == most {
					return interp.ErrStop
				}
				return nil
			})
			if err != nil || len(found) != len(want) {
				t.Fatalf("%d states, want %d; %v", len(found), len(want), err)
			}
			seen := map[string]bool{}
			for i, r := range found {
				key := m.Key(r.State)
				if seen[key] {
					t.Errorf("state %d is there twice", i)
				}
				seen[key] = true
				path := interp.Path(found, i)
				if want[key] != len(path)-1 {
					t.Errorf("state %d: a path of %d steps, want %d", i, len(path)-1, want[key])
				}
				if r.Parent < 0 {
					continue
				}
				there := false
				err := m.Steps(t.Context(), found[r.Parent].State, r.Action, func(
					x interp.Step,
				) error {
					there = there || m.Key(x.State) == key
					return nil
				})
				if err != nil || !there {
					t.Errorf("state %d: there is no step %s to it (%v)", i, r.Action.Name, err)
				}
			}
		})
	}
}

// A search ends with the error of its callback, and does not go on from leaves.
func TestNearestEnds(t *testing.T) {
	for _, text := range texts {
		m := model(t, text)
		broken := errors.New("broken")
		if _, err := m.Nearest(t.Context(), nil,
			func([]interp.Reached) error { return broken }); !errors.Is(err, broken) {
			t.Errorf("the error is %v", err)
		}
		initial := 0
		if err := m.Initial(t.Context(), func(interp.State) error { initial++; return nil }); err !=
			nil {
			t.Fatal(err)
		}
		leaves, err := m.Nearest(t.Context(), nil, func([]interp.Reached) error {
			return interp.ErrLeaf
		})
		if err != nil || len(leaves) != initial {
			t.Errorf("%d leaves of %d initial states; %v", len(leaves), initial, err)
		}
	}
}
