package bmc_test

import (
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// Formulas that may be assumed, and goals.
var formulas = []string{
	"a(M) & a(N) -> M = N", "!a(N) | !b(N)", "free -> !a(N)", "free -> !b(N)", "a(N) -> good(N)",
	"b(N) -> good(N)", "exists N. !a(N)", "(exists N. a(N)) | free", "a(M) & b(N) -> M = N",
	"a(N) -> N = leader", "(forall N. !a(N)) & (b(M) & b(N) -> M = N | free)",
}

// moves makes a system in which things move between two relations.
func moves(rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString("sort node\nmutable relation a(node), b(node)\nmutable relation free\n")
	b.WriteString("immutable constant leader: node\nimmutable relation good(node)\ninit free & !a(N) & !b(N)\n")
	guards := []string{"free", "a(n)", "b(n)", "good(n)", "!b(n)", "!a(n)", "a(n) & b(m)",
		"n != m", "n = leader"}
	updates := []string{
		"a(n) := true", "b(n) := true", "a(n) := false", "b(n) := a(n)", "free := !free",
		"free := false", "a(X) := b(X)", "if good(n) { b(n) := false; }", "a(m) := a(n)", "b(m) := !a(m)",
	}
	for i := range 3 {
		fmt.Fprintf(&b, "action move%d(n: node, m: node) { require %s; ", i, guards[rng.Intn(len(guards))])
		for range 1 + rng.Intn(2) {
			u := updates[rng.Intn(len(updates))]
			b.WriteString(strings.TrimSuffix(u, "; }"))
			b.WriteString(map[bool]string{true: "; } ", false: "; "}[strings.HasSuffix(u, "}")])
		}
		b.WriteString("}\n")
	}
	for i, f := range formulas {
		fmt.Fprintf(&b, "safety [f%d] %s\n", i, f)
	}
	return b.String()
}

// Steps out of a goal are found if and only if there are any, by enumeration of all states and
// their steps; also where earlier answers are used again, and where values are known at the start.
func TestInduction(t *testing.T) {
	answers := map[bool]int{}
	seeds := testkit.Size(10, 60)
	for seed := range seeds {
		rng := rand.New(rand.NewSource(seed))
		sys := testkit.Compile(t, moves(rng))
		node := sys.Sorts[0]
		inst := &system.Instance{Sizes: map[*logic.Sort]int{node: 2 + int(seed%4/3)},
			Values: map[*logic.Symbol]*logic.Term{}}
		m, err := interp.NewModel(sys, inst)
		if err != nil {
			t.Fatal(err)
		}
		start := bmc.Start{Values: map[int]int64{}}
		known := map[int]int64{}
		leader := slices.IndexFunc(m.SlotSymbols(), func(sym *logic.Symbol) bool {
			return sym.Name == "leader"
		})
		switch seed % 5 {
		case 0:
			known[leader] = 1
			inst.Values[m.SlotSymbols()[leader]] = logic.Member(node, 1)
		case 1:
			known[leader], start.Values[leader] = 1, 1
		case 2:
			for slot, sym := range m.SlotSymbols() {
				if sym.Name == "good" {
					start.Values[slot] = int64(rng.Intn(2))
					known[slot] = start.Values[slot]
				}
			}
		}
		ind, err := bmc.NewInduction(sys, inst, start)
		if err != nil {
			t.Fatal(err)
		}
		for range 8 {
			var assumed []*logic.Term
			for _, p := range sys.Properties {
				if rng.Intn(3) == 0 {
					assumed = append(assumed, p.Term)
				}
			}
			goal := sys.Properties[rng.Intn(len(sys.Properties))].Term
			if !slices.Contains(assumed, goal) {
				assumed = append(assumed, goal)
			}
			pre, step, found, err := ind.Counterexample(t.Context(), assumed, goal, nil,
				rng.Intn(3))
			if err != nil {
				t.Fatal(err)
			}
			answers[found]++
			if want := leaves(t, m, known, assumed, goal); found != want {
				t.Fatalf("seed %d: found is %v, by enumeration %v: %v, %s\n%s", seed, found, want,
					assumed, goal, moves(rand.New(rand.NewSource(seed))))
			}
			if found && (!all(t, m, pre, assumed) || all(t, m, step.State, []*logic.Term{goal})) {
				t.Fatalf("seed %d: %v to %v does not leave %s", seed, pre, step.State, goal)
			}
			if found {
				continue
			}
			core := ind.Core(goal)
			if leaves(t, m, known, append(core, goal), goal) {
				t.Fatalf("seed %d: %v do not preserve %s", seed, core, goal)
			}
		}
	}
	if answers[true] < int(seeds) || answers[false] < int(seeds) {
		t.Errorf("the questions are one-sided: %v", answers)
	}
}

// all reports whether formulas hold in a state.
func all(t *testing.T, m *interp.Model, s interp.State, formulas []*logic.Term) bool {
	t.Helper()
	return !slices.ContainsFunc(formulas, func(f *logic.Term) bool {
		is, err := m.Holds(f, s)
		if err != nil {
			t.Fatal(err)
		}
		return !is
	})
}

// leaves looks at all states in which some formulas hold for a step out of a goal.
func leaves(
	t *testing.T, m *interp.Model, known map[int]int64, assumed []*logic.Term, goal *logic.Term,
) bool {
	t.Helper()
	symbols := m.SlotSymbols()
	out := errors.New("a step leaves the goal")
	states := 1
	values := func(slot int) int {
		if s := symbols[slot].Result; s != logic.Bool {
			return m.Instance.Sizes[s]
		}
		return 2
	}
	for slot := range symbols {
		states *= values(slot)
	}
	for number := range states {
		s := make(interp.State, len(symbols))
		as := true
		for slot := range s {
			s[slot] = int64(number % values(slot))
			number /= values(slot)
			v, is := known[slot]
			as = as && (!is || v == s[slot])
		}
		if !as || !all(t, m, s, assumed) {
			continue
		}
		for _, a := range m.System.Actions {
			err := m.Steps(t.Context(), s, a, func(step interp.Step) error {
				if all(t, m, step.State, []*logic.Term{goal}) {
					return nil
				}
				return out
			})
			if errors.Is(err, out) {
				return true
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return false
}

// A question that needs too many conflicts is said to be hard, unless another action has a step out
// of the goal: more pigeons than holes are no easy matter.
func TestHardQuestions(t *testing.T) {
	const pigeons = `
sort pigeon
sort hole
mutable relation at(pigeon, hole)
mutable relation ready, on
init !at(P, H) & !ready & !on
action pack() {
  require (forall P. exists H. at(P, H)) & (forall P, Q, H. at(P, H) & at(Q, H) -> P = Q);
  on := true;
}
`
	for _, c := range []struct {
		more  string
		limit int64
		found bool
		err   error
	}{
		{"", 1, false, bmc.ErrHard},
		{"", 0, false, nil},
		{"action start() { require ready; on := true; }", 1, true, nil},
	} {
		sys := testkit.Compile(t, pigeons+c.more+"\nsafety !on\n")
		ind, err := bmc.NewInduction(sys, &system.Instance{Sizes: map[*logic.Sort]int{
			sys.Sorts[0]: 7, sys.Sorts[1]: 6}}, bmc.Start{})
		if err != nil {
			t.Fatal(err)
		}
		ind.Limit = c.limit
		goal := sys.Properties[0].Term
		_, _, found, err := ind.Counterexample(t.Context(), []*logic.Term{goal}, goal, nil, 0)
		if found != c.found || !errors.Is(err, c.err) {
			t.Errorf("%q with a limit of %d: found is %v, error %v", c.more, c.limit, found, err)
		}
	}
}
