package testgen

import (
	"context"
	"errors"
	"os"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/testkit"
)

// The runs cover what all short runs cover, and each is replayed.
func TestRunsCoverPairs(t *testing.T) {
	for _, file := range []string{"lease.ere", "raft_election.ere"} {
		text, err := os.ReadFile("../../examples/" + file)
		if err != nil {
			t.Fatal(err)
		}
		sys := testkit.Compile(t, string(text))
		m, err := interp.NewModel(sys, sys.Instances[0])
		if err != nil {
			t.Fatal(err)
		}
		suite, err := Runs(context.Background(), m, Options{MaxStates: 1500})
		if err != nil {
			t.Fatal(err)
		}
		have, longest, total := map[[2]string]bool{}, 0, 0
		for i, r := range suite.Runs {
			if err := interp.Replay(context.Background(), sys, r, nil); err != nil {
				t.Errorf("%s, run %d: %v", file, i, err)
			}
			if i > 0 && len(r.Steps) < len(suite.Runs[i-1].Steps) {
				t.Errorf("%s: run %d is shorter than the one before", file, i)
			}
			for k, s := range r.Steps[1:] {
				have[[2]string{"", s.Action}] = true
				if k > 0 {
					have[[2]string{r.Steps[k].Action, s.Action}] = true
				}
			}
			longest, total = max(longest, len(r.Steps)-1), total+len(r.Steps)-1
		}
		want := map[[2]string]bool{}
		walk(t, m, longest, want)
		for g := range want {
			if !have[g] {
				t.Errorf("%s: %v is not covered", file, g)
			}
		}
		if len(have) != suite.Covered || suite.Covered != suite.Found || len(suite.Never) > 0 {
			t.Errorf("%s: %d of %d covered, never %v; the runs have %d", file, suite.Covered,
				suite.Found, suite.Never, len(have))
		}
		few, err := Runs(context.Background(), m, Options{Most: 2, MaxStates: 1500})
		if err != nil || len(few.Runs) > 2 || few.Covered > suite.Covered {
			t.Errorf("%s: two runs: %v %v", file, few, err)
		}
		t.Logf("%s: %d runs with %d steps cover %d", file, len(suite.Runs), total, suite.Covered)
	}
}

// walk finds the pairs of actions in all runs of a length, with sets of states.
func walk(t *testing.T, m *interp.Model, length int, out map[[2]string]bool) {
	t.Helper()
	at := map[string][]interp.State{} // by the last action
	if err := m.Initial(context.Background(), func(s interp.State) error {
		at[""] = append(at[""], s)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for range min(length, 4) {
		next, known := map[string][]interp.State{}, map[string]bool{}
		for last, states := range at {
			for _, s := range states {
				for _, a := range m.System.Actions {
					if err := m.Steps(context.Background(), s, a, func(x interp.Step) error {
						out[[2]string{"", a.Name}] = true
						if last != "" {
							out[[2]string{last, a.Name}] = true
						}
						if key := a.Name + m.Key(x.State); !known[key] {
							known[key] = true
							next[a.Name] = append(next[a.Name], x.State)
						}
						return nil
					}); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		at = next
	}
}

// The limit ends the search also where the state that reaches it is kept for a new pair of actions.
func TestLimit(t *testing.T) {
	sys := testkit.Compile(t, `mutable constant n: 0..60
init n = 0
action one() { n := n + 1; }
action two() { n := n + 2; }
action three() { n := n + 3; }
instance only { }
`)
	m, err := interp.NewModel(sys, sys.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	for limit := 1; limit < 20; limit++ {
		suite, err := Runs(context.Background(), m, Options{MaxStates: limit})
		if err != nil {
			t.Fatal(err)
		}
		if suite.Whole {
			t.Errorf("the limit %d does not end the search", limit)
		}
	}
}

// The end of the context ends the search between states, too.
func TestInterrupt(t *testing.T) {
	sys := testkit.Compile(t, `mutable constant n: int
init n = 0
action up() { n := n + 1; }
instance only { }
`)
	m, err := interp.NewModel(sys, sys.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Runs(ctx, m, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error: %v", err)
	}
}
