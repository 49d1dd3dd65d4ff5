package explicit_test

import (
	"math/rand"
	"testing"

	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/symmetry"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

// With symmetry the verdicts and the lengths of counterexamples are the same, and the states are
// the orbits of the reachable states, counted here one by one.
func TestSymmetryAgrees(t *testing.T) {
	compared, violated, smaller := 0, 0, 0
	seeds := testkit.Size(60, 150)
	for seed := range seeds {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)), systemtest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		in := systemtest.Unnamed(sys)
		plain, err := explicit.Explore(t.Context(), sys, in,
			explicit.Options{Deadlock: true, MaxStates: 20_000})
		if err != nil {
			t.Fatal(err)
		}
		if !plain.Stats.Complete {
			continue
		}
		reduced, err := explicit.Explore(t.Context(), sys, in,
			explicit.Options{Deadlock: true, Symmetry: true})
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range plain.Results {
			r := reduced.Results[i]
			if p.Verdict != r.Verdict || p.Depth != r.Depth || r.States > p.States {
				t.Errorf("seed %d, %s: %s, %d states, depth %d; with symmetry %s, %d, %d",
					seed, p.Property, p.Verdict, p.States, p.Depth, r.Verdict, r.States, r.Depth)
			}
			if p.Verdict == result.Violated {
				violated++
			}
		}
		if want := orbits(t, sys, in); reduced.Stats.Complete && reduced.Stats.States != want {
			t.Errorf("seed %d: %d states with symmetry, %d orbits", seed, reduced.Stats.States,
				want)
		}
		compared++
		if reduced.Stats.States < plain.Stats.States {
			smaller++
		}
	}
	some := int(seeds / 8)
	if compared < 2*some || violated < some || smaller < some {
		t.Errorf("%d systems compared, %d violations, %d with fewer states", compared, violated,
			smaller)
	}
}

func orbits(t *testing.T, sys *system.System, in *system.Instance) int64 {
	t.Helper()
	m, err := interp.NewModel(sys, in)
	if err != nil {
		t.Fatal(err)
	}
	r, err := symmetry.New(m)
	if err != nil {
		t.Fatal(err)
	}
	seen, forms := map[string]bool{}, map[string]bool{}
	var queue []interp.State
	visit := func(s interp.State) error {
		if k := m.Key(s); !seen[k] {
			seen[k] = true
			queue = append(queue, s.Clone())
			forms[m.Key(r.Canonical(s))] = true
		}
		return nil
	}
	if err := m.Initial(t.Context(), visit); err != nil {
		t.Fatal(err)
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, a := range sys.Actions {
			if err := m.Steps(t.Context(), queue[0], a, func(s interp.Step) error {
				return visit(s.State)
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return int64(len(forms))
}
