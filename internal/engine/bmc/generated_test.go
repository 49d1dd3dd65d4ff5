package bmc_test

import (
	"fmt"
	"math/rand"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

func generate(t *testing.T, seed int64, bits int) *system.System {
	t.Helper()
	sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)), systemtest.Options{Bits: bits})
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

func search(
	t *testing.T, sys *system.System, inst *system.Instance, depth int, quantified bool,
	ds ...smt.Driver,
) []result.Result {
	t.Helper()
	opts := bmc.Options{Options: discharge.Options{Drivers: ds, Jobs: 1}, Depth: depth}
	if quantified {
		opts = opts.Quantified()
	}
	rs, err := bmc.Check(t.Context(), sys, inst, opts)
	if err != nil {
		t.Fatalf("%v\n%s", err, sys)
	}
	return rs
}

// explored gives the result of exploration for one property: the verdict of a search of the given
// number of steps, and its depth.
func explored(
	t *testing.T, sys *system.System, inst *system.Instance, property string, steps int,
) (result.Verdict, int64) {
	t.Helper()
	rs, err := explicit.Check(t.Context(), sys, inst,
		explicit.Options{Only: []string{property}, Threads: 1})
	if err != nil {
		t.Fatalf("%v\n%s", err, sys)
	}
	switch r := rs[0]; {
	case r.Verdict == result.NothingChecked:
		return r.Verdict, 0
	case r.Verdict == result.Violated && r.Depth <= int64(steps)+1:
		return r.Verdict, r.Depth
	case r.Verdict == result.Violated || r.Verdict == result.Holds || r.Verdict == result.HoldsUpTo:
		return result.HoldsUpTo, int64(steps) + 1
	default:
		t.Fatalf("exploration says %s of %s: %s\n%s", r.Verdict, property, r.Reason, sys)
		return "", 0
	}
}

// deepest describes, up to the names of elements, a state that is farthest from the initial states.
func deepest(t *testing.T, sys *system.System, inst *system.Instance) *logic.Term {
	t.Helper()
	m, err := interp.NewModel(sys, inst)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var found []interp.State
	add := func(s interp.State) error {
		if !seen[m.Key(s)] {
			seen[m.Key(s)] = true
			found = append(found, s)
		}
		return nil
	}
	if err := m.Initial(t.Context(), add); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(found); i++ {
		inside := true
		for _, p := range sys.Properties {
			holds, err := m.Holds(p.Term, found[i])
			if err != nil {
				t.Fatal(err)
			}
			inside = inside && (holds || p.Kind != system.Range)
		}
		for _, a := range sys.Actions {
			if !inside {
				break
			}
			if err := m.Steps(t.Context(), found[i], a, func(s interp.Step) error {
				return add(s.State)
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(found) == 0 {
		return logic.True
	}
	elements := map[*logic.Sort][]*logic.Var{}
	var all []*logic.Var
	var is []*logic.Term
	for _, s := range sys.Sorts {
		for range inst.Sizes[s] {
			elements[s] = append(elements[s], &logic.Var{Name: "E", Sort: s})
		}
		all = append(all, elements[s]...)
		is = append(is, logic.Distinct(logic.Refs(elements[s])...))
	}
	literal := func(s *logic.Sort, v int64) *logic.Term {
		switch {
		case s.Kind == logic.KindUninterpreted:
			return logic.Ref(elements[s][v])
		case s == logic.Bool:
			return logic.BoolLit(v == 1)
		case s.Base() == logic.Int:
			return logic.IntLit(v)
		}
		return logic.Member(s, int(v))
	}
	arguments := m.SlotArguments()
	for slot, sym := range m.SlotSymbols() {
		args := make([]*logic.Term, len(sym.Args))
		for i, s := range sym.Args {
			args[i] = literal(s, arguments[slot][i])
		}
		is = append(is,
			logic.Eq(logic.App(sym, logic.Pre, args...),
				literal(sym.Result, found[len(found)-1][slot])))
	}
	return logic.Exists(all, logic.And(is...))
}

// On an instance the search and the exploration give the same verdicts and the same shortest runs,
// with each solver.
func TestSearchAgreesWithExploration(t *testing.T) {
	const steps = 8
	found := map[int64]int{}
	for seed := range testkit.Size(80, 100) {
		sys := generate(t, seed, 8)
		inst := sys.Instances[0]
		sys.Properties[0].Term = logic.Not(deepest(t, sys, inst))
		for _, d := range testkit.Solvers(t) {
			for _, r := range search(t, sys, inst, steps, false, d) {
				want, depth := explored(t, sys, inst, r.Property, steps)
				if r.Verdict != want || r.Depth != depth {
					t.Fatalf("seed %d, %s: %s is %s, depth %d (%s), instead of %s, depth %d\n%s",
						seed, d.Name(), r.Property, r.Verdict, r.Depth, r.Reason, want, depth, sys)
				}
				if r.Verdict == result.Violated {
					found[r.Depth]++
				}
			}
		}
	}
	t.Logf("violations by number of states: %v", found)
	if found[1] == 0 || found[2] == 0 || found[3] == 0 || found[4] == 0 || found[5] == 0 {
		t.Errorf("the systems do not show much: violations by number of states: %v", found)
	}
}

// Grounded and quantified formulas give the same results for an instance.
func TestGroundedAgreesWithQuantified(t *testing.T) {
	const steps = 2
	decided := map[result.Verdict]int{}
	seeds := testkit.Size(10, 25)
	for seed := range seeds {
		sys := generate(t, seed, 6)
		inst := systemtest.Unnamed(sys)
		grounded := search(t, sys, inst, steps, false, testkit.Solvers(t)...)
		for i, r := range search(t, sys, inst, steps, true, testkit.Solvers(t)...) {
			if g := grounded[i]; r.Verdict != result.Unknown &&
				(r.Verdict != g.Verdict || r.Depth != g.Depth) {
				t.Fatalf("seed %d: %s is %s, depth %d, and grounded %s, depth %d\n%s", seed,
					r.Property, r.Verdict, r.Depth, g.Verdict, g.Depth, sys)
			}
			decided[r.Verdict]++
		}
	}
	t.Logf("%v", decided)
	if some := int(2 * seeds / 5); decided[result.Violated] < some ||
		decided[result.HoldsUpTo] < some || decided[result.Unknown] > some {
		t.Errorf("verdicts: %v", decided)
	}
}

// A run found in all instances is a shortest run of the instance that it shows. A property that
// holds up to the bound in all instances does so in each.
func TestAllInstances(t *testing.T) {
	const steps = 2
	decided := map[result.Verdict]int{}
	for seed := range testkit.Size(10, 25) {
		sys := generate(t, 1000+seed, 6)
		inst := systemtest.Unnamed(sys)
		for _, r := range search(t, sys, nil, steps, false, testkit.Solvers(t)...) {
			decided[r.Verdict]++
			label := fmt.Sprintf("seed %d: %s is %s, depth %d", seed, r.Property, r.Verdict,
				r.Depth)
			switch r.Verdict {
			case result.Violated:
				if err := interp.Replay(t.Context(), sys, r.Trace, sys.Property(r.Property)); err !=
					nil {
					t.Fatalf("%s: %v\n%s", label, err, sys)
				}
				own, err := interp.InstanceOf(sys, r.Trace)
				if err != nil {
					t.Fatal(err)
				}
				if v, depth := explored(t, sys, own, r.Property, steps); v != result.Violated ||
					depth != r.Depth {
					t.Fatalf("%s, but in its instance %s, depth %d\n%s", label, v, depth, sys)
				}
			case result.HoldsUpTo, result.HoldsInitially, result.NothingChecked:
				if v, depth := explored(t, sys, inst, r.Property, steps); v == result.Violated {
					t.Fatalf("%s, but in an instance %s, depth %d\n%s", label, v, depth, sys)
				}
			}
		}
	}
	t.Logf("%v", decided)
	if decided[result.Violated] < 10 || decided[result.HoldsUpTo] < 5 {
		t.Errorf("verdicts: %v", decided)
	}
}
