package bmc_test

import (
	"fmt"
	"maps"
	"math/rand"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// States drawn at random are initial states of the interpreter, as the start says, and they differ
// everywhere else.
func TestInitial(t *testing.T) {
	sys := testkit.Compile(t, `
sort node
sort quorum
enum color { red, green, blue }
immutable constant first: node
immutable relation member(node, quorum)
axiom exists N. member(N, Q1) & member(N, Q2)
mutable function of(node, node): color
mutable function next(node): node
mutable relation on(node)
init !on(first) & of(N, N) != blue & (next(N) != N)
action step(n: node) { require on(n); on(n) := false; }
safety true
`)
	inst := &system.Instance{Sizes: map[*logic.Sort]int{sys.Sorts[0]: 3, sys.Sorts[1]: 3}}
	m, err := interp.NewModel(sys, inst)
	if err != nil {
		t.Fatal(err)
	}
	fixed := 0 // the first slot of next
	for m.SlotSymbols()[fixed].Name != "next" {
		fixed++
	}
	start := bmc.Start{Values: map[int]int64{fixed: 2}}
	drawn, err := bmc.Initial(t.Context(), m, start, 100, rand.New(rand.NewSource(1)))
	if err != nil || len(drawn) != 100 {
		t.Fatalf("%d states, %v", len(drawn), err)
	}
	values := make([]map[int64]bool, len(m.SlotSymbols()))
	for _, s := range drawn {
		for _, fs := range [][]*system.Formula{sys.Axioms, sys.Inits} {
			for _, f := range fs {
				if is, err := m.Holds(f.Term, s); err != nil || !is {
					t.Fatalf("%s is false in %v (%v)", f.Term, s, err)
				}
			}
		}
		for slot, v := range s {
			if values[slot] == nil {
				values[slot] = map[int64]bool{}
			}
			values[slot][v] = true
		}
	}
	for slot, seen := range values {
		if few := len(seen) < 2; few != (slot == fixed) {
			t.Errorf("slot %d, of %s, has %d values", slot, m.SlotSymbols()[slot].Name, len(seen))
		}
	}
	if drawn, err := bmc.Initial(t.Context(), m, bmc.Start{Values: map[int]int64{fixed: 0}}, 5,
		rand.New(rand.NewSource(1))); err != nil || len(drawn) != 0 {
		t.Errorf("%d states where there is none, %v", len(drawn), err)
	}
}

// TestInitialBetween draws exactly the initial states of the interpreter where inequations bound
// integers without a range; an integer that nothing bounds from above is refused.
func TestInitialBetween(t *testing.T) {
	const text = `
sort node
immutable constant n: int
mutable constant x: int
mutable constant y: int
mutable function f(node): int
init -1 <= x & x < n & (y = 5 | y = n)
init forall P. !(f(P) < 1 | f(P) > n)
action step(p: node) { f(p) := f(p) + 1; }
`
	for _, n := range []int64{1, 2, 3} {
		sys := testkit.Compile(t, text)
		inst := &system.Instance{Sizes: map[*logic.Sort]int{sys.Sorts[0]: 2},
			Values: map[*logic.Symbol]*logic.Term{sys.Symbols[0]: logic.IntLit(n)}}
		m, err := interp.NewModel(sys, inst)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{}
		if err := m.Initial(t.Context(), func(s interp.State) error {
			want[fmt.Sprint(s)] = true
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		drawn, err := bmc.Initial(t.Context(), m, bmc.Start{}, 3000, rand.New(rand.NewSource(1)))
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, s := range drawn {
			got[fmt.Sprint(s)] = true
		}
		if !maps.Equal(want, got) {
			t.Errorf("n = %d: %d states, and %d of the interpreter", n, len(got), len(want))
		}
	}
	sys := testkit.Compile(t, strings.ReplaceAll(text, "(y = 5 | y = n)", "y >= x"))
	m, err := interp.NewModel(sys, &system.Instance{Sizes: map[*logic.Sort]int{sys.Sorts[0]: 2},
		Values: map[*logic.Symbol]*logic.Term{sys.Symbols[0]: logic.IntLit(2)}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bmc.Initial(t.Context(), m, bmc.Start{}, 5, rand.New(rand.NewSource(1))); err ==
		nil || !strings.Contains(err.Error(), "y") {
		t.Errorf("an integer without a bound: %v", err)
	}
}
