package compile

import (
	"fmt"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// A branch on a comparison with a constant, on either side, takes the way that the interpreter
// takes, for all values of a slot.
func TestBranchesOnComparisons(t *testing.T) {
	wrong := 0
	for _, op := range []string{"<", "<=", ">", ">=", "=", "!="} {
		for c := range 3 {
			for _, cond := range []string{
				fmt.Sprintf("y %s %d", op, c), fmt.Sprintf("%d %s y", c, op),
				fmt.Sprintf("!(y %s %d)", op, c), fmt.Sprintf("y %s %d | z = y", op, c),
				fmt.Sprintf("y %s z", op), fmt.Sprintf("f(z) %s %d", op, c),
			} {
				alone := testkit.Compile(t, `
mutable constant y: 0..2
mutable constant z: 0..2
mutable function f(0..2): 0..2
mutable relation on
init !on & f(I) = I
action branch() { if `+cond+` { on := true; } }
instance one { }
`)
				sys := testkit.Compile(t, `
mutable constant y: 0..2
mutable constant z: 0..2
mutable function f(0..2): 0..2
mutable relation on
mutable constant n: 0..3
init !on & n = 0 & f(0) = 0 & f(1) = 1 & f(2) = 2
action branch() { if `+cond+` { on := true; n := n + 1; } else { n := 2; } }
action ask() { require `+cond+`; on := true; }
action value() { on := `+cond+`; }
action choice() { n := if `+cond+` then 1 else 3; }
action each(k: 0..2) { f(k) := if `+cond+` then k else y; }
instance one { }
`)
				wrong += differences(t, alone, cond) + differences(t, sys, cond)
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d steps of compiled programs differ", wrong)
	}
}

// differences compares the steps of all initial states, action by action.
func differences(t *testing.T, sys *system.System, cond string) (n int) {
	t.Helper()
	m, err := interp.NewModel(sys, sys.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(t.Context(), m, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	w, err := p.Worker()
	if err != nil {
		t.Fatal(err)
	}
	err = m.Initial(t.Context(), func(st interp.State) error {
		packed, err := p.Pack(st)
		if err != nil {
			return err
		}
		b, err := w.Expand(packed)
		if err != nil {
			return err
		}
		for i, a := range sys.Actions {
			var got, want []string
			for k, by := range b.Action {
				if int(by) == i {
					got = append(got, fmt.Sprint(p.Unpack(b.States[k*p.Words():(k+1)*p.Words()])))
				}
			}
			if err := m.Steps(t.Context(), st, a, func(step interp.Step) error {
				want = append(want, fmt.Sprint(step.State))
				return nil
			}); err != nil {
				return err
			}
			slices.Sort(got)
			slices.Sort(want)
			if got, want = slices.Compact(got), slices.Compact(want); !slices.Equal(got, want) {
				if n++; n == 1 {
					t.Errorf("%s: %s in %v: got %v, want %v", cond, a.Name, st, got, want)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
