package explicit_test

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

// With symmetry the verdicts and the lengths of counterexamples are the same, and the states are
// the orbits of the reachable states, counted here one by one.
func TestSymmetryAgrees(t *testing.T) {
	compared, violated, smaller := 0, 0, 0
	seeds := testkit.Size(30, 150)
	for seed := range seeds {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)), systemtest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		in := systemtest.Unnamed(sys)
		plain, err := explicit.Explore(t.Context(), sys, in,
			explicit.Options{Deadlock: true, Limits: engine.Limits{States: 20_000}})
		if err != nil {
			t.Fatal(err)
		}
		if !plain.Stats.Complete {
			continue
		}
		reduced, err := explicit.Explore(t.Context(), sys, in,
			explicit.Options{Deadlock: true, Reduction: explicit.Reduction{Symmetry: true}})
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

// orbits counts the orbits of the reachable states, by all permutations of the elements.
func orbits(t *testing.T, sys *system.System, in *system.Instance) int64 {
	t.Helper()
	m, err := interp.NewModel(sys, in)
	if err != nil {
		t.Fatal(err)
	}
	seen, forms := map[string]bool{}, map[string]bool{}
	var queue []interp.State
	visit := func(s interp.State) error {
		if k := m.Key(s); !seen[k] {
			seen[k] = true
			queue = append(queue, s.Clone())
		}
		return nil
	}
	if err := m.Initial(t.Context(), visit); err != nil {
		t.Fatal(err)
	}
	for ; len(queue) > 0; queue = queue[1:] {
		forms[leastImage(m, queue[0])] = true
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

// leastImage gives the least key of all images of a state.
func leastImage(m *interp.Model, s interp.State) string {
	images := []interp.State{s}
	for _, sort := range m.System.Sorts {
		n := m.Instance.Sizes[sort]
		if sort.Kind != logic.KindUninterpreted || n < 2 {
			continue
		}
		var more []interp.State
		for _, s := range images {
			for _, p := range permutations(n) {
				more = append(more, imageOf(m, s, sort, p))
			}
		}
		images = more
	}
	least := m.Key(s)
	for _, s := range images {
		least = min(least, m.Key(s))
	}
	return least
}

// imageOf moves the element i of a sort to p[i].
func imageOf(m *interp.Model, s interp.State, sort *logic.Sort, p []int64) interp.State {
	symbols, args := m.SlotSymbols(), m.SlotArguments()
	at := func(sym *logic.Symbol, a []int64) string { return fmt.Sprint(sym.Name, a) }
	slots := map[string]int{}
	for i, sym := range symbols {
		slots[at(sym, args[i])] = i
	}
	out := s.Clone()
	for i, sym := range symbols {
		to := slices.Clone(args[i])
		for k, a := range sym.Args {
			if a == sort {
				to[k] = p[to[k]]
			}
		}
		v := s[i]
		if sym.Result == sort {
			v = p[v]
		}
		out[slots[at(sym, to)]] = v
	}
	return out
}

func permutations(n int) (out [][]int64) {
	if n == 0 {
		return [][]int64{{}}
	}
	for _, p := range permutations(n - 1) {
		for at := 0; at <= len(p); at++ {
			out = append(out, slices.Insert(slices.Clone(p), at, int64(n-1)))
		}
	}
	return out
}
