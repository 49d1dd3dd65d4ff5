package interp_test

import (
	"context"
	"math/rand"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system/systemtest"
)

// A cursor has the steps of the model, as changes, and comes back to where it was. A guide leaves
// the steps with the given arguments and conditions.
func TestCursorAgainstSteps(t *testing.T) {
	ctx := context.Background()
	seen := 0
	for seed := range int64(60) {
		r := rand.New(rand.NewSource(seed))
		sys, err := systemtest.Generate(r, systemtest.Options{Actions: 4, Bits: 8})
		if err != nil {
			t.Fatal(err)
		}
		m, err := interp.NewModel(sys, sys.Instances[0])
		if err != nil {
			t.Fatal(err)
		}
		var s interp.State
		if err := m.Initial(ctx, func(first interp.State) error {
			s = first
			return interp.ErrStop
		}); err != nil {
			t.Fatal(err)
		}
		if s == nil {
			continue
		}
		c, err := m.Cursor(s)
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			var next []interp.Change
			for _, a := range sys.Actions {
				var want []interp.Step
				if err := m.Steps(ctx, s, a, func(x interp.Step) error {
					want = append(want, x)
					return nil
				}); err != nil {
					t.Fatal(err)
				}
				var got []interp.Effect
				if err := c.Steps(ctx, a, interp.Guide{}, func(x interp.Effect) error {
					got = append(got, x)
					return nil
				}); err != nil {
					t.Fatal(err)
				}
				if len(got) != len(want) {
					t.Fatalf("seed %d, %s: %d steps instead of %d", seed, a.Name, len(got),
						len(want))
				}
				for i, x := range got {
					after := s.Clone()
					for _, ch := range x.Changes {
						if after[ch.Slot] != ch.From || ch.From == ch.To {
							t.Fatalf("seed %d, %s: change %+v", seed, a.Name, ch)
						}
						after[ch.Slot] = ch.To
					}
					if !slices.Equal(after, want[i].State) || !slices.Equal(x.Args, want[i].Args) {
						t.Fatalf("seed %d, %s: step %d differs", seed, a.Name, i)
					}
				}
				if len(got) == 0 {
					continue
				}
				seen++
				one := got[r.Intn(len(got))]
				if r.Intn(3) == 0 || next == nil {
					next = one.Changes
				}
				guided(t, m, c, s, one, want)
			}
			c.Do(next)
			c.Undo(next)
			if !slices.Equal(c.State(), s) {
				t.Fatalf("seed %d: undo leads elsewhere", seed)
			}
			c.Do(next)
			s = c.State()
		}
	}
	if seen < 500 {
		t.Errorf("only %d actions had steps", seen)
	}
}

// guided compares a guided search for a step with a choice among all steps.
func guided(
	t *testing.T, m *interp.Model, c *interp.Cursor, s interp.State, one interp.Effect,
	all []interp.Step,
) {
	t.Helper()
	a := all[0].Action
	guide := interp.Guide{Args: map[string]int64{}}
	for _, x := range one.Args[:len(a.Params)] {
		guide.Args[x.Var.Name] = x.Value
	}
	after := s.Clone()
	for _, ch := range one.Changes {
		after[ch.Slot] = ch.To
	}
	symbols := m.SlotSymbols()
	for slot, args := range m.SlotArguments() {
		if sym := symbols[slot]; sym.Mutable && !sym.Derived && len(args) == 0 &&
			sym.Result.Kind == logic.KindBool {
			guide.After = append(guide.After,
				logic.Iff(logic.App(sym, logic.Pre), logic.BoolLit(after[slot] == 1)))
		}
	}
	fits := func(x interp.Step) bool {
		for i := range a.Params {
			if x.Args[i].Value != one.Args[i].Value {
				return false
			}
		}
		for _, f := range guide.After {
			if ok, err := m.Holds(f, x.State); err != nil || !ok {
				return false
			}
		}
		return true
	}
	want := 0
	for _, x := range all {
		if fits(x) {
			want++
		}
	}
	got := 0
	if err := c.Steps(context.Background(), a, guide, func(interp.Effect) error {
		got++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got != want || got == 0 {
		t.Fatalf("%s: %d guided steps instead of %d", a.Name, got, want)
	}
}
