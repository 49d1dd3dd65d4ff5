package system_test

import (
	"maps"
	"math/rand"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

// A system in normal form has the same initial states, the same steps by the formulas of its
// actions, and the same values of its properties.
func TestNormalSystem(t *testing.T) {
	changed := 0
	for seed := range testkit.Size(20, 400) {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)),
			systemtest.Options{Bits: 7})
		if err != nil {
			t.Fatal(err)
		}
		n := system.Normal(sys)
		if n.String() != sys.String() {
			changed++
		}
		for _, s := range []*system.System{sys, n} {
			if err := system.Validate(s); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, s)
			}
		}
		if got, want := graphOf(t, byFormulas(t, n)), graphOf(t, byFormulas(t, sys)); !maps.Equal(
			got, want) {
			t.Fatalf("seed %d: the normal form has other states or steps:\n%s\n%s", seed, sys, n)
		}
	}
	if changed < 20 {
		t.Errorf("only %d systems changed", changed)
	}
}

// byFormulas is a system whose programs carry out the formulas of its actions.
func byFormulas(t *testing.T, sys *system.System) *system.System {
	out := *sys
	out.Actions = slices.Clone(sys.Actions)
	for i, a := range sys.Actions {
		if len(a.Relation.Inputs) > 0 {
			continue // it has no other program
		}
		c := *a
		c.Code, c.Imperative = nil, false
		if err := system.CodeOf(&out, &c); err != nil {
			t.Fatal(err)
		}
		out.Actions[i] = &c
	}
	return &out
}

// graphOf lists the states that are reached, with the values of the properties in them, and the
// steps between them.
func graphOf(t *testing.T, sys *system.System) map[string]bool {
	m, err := interp.NewModel(sys, systemtest.Unnamed(sys))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	var open []interp.State
	add := func(s interp.State) {
		if key := m.Key(s); !out[key] {
			out[key] = true
			open = append(open, s)
		}
	}
	if err := m.Initial(t.Context(), func(s interp.State) error {
		add(s)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for ; len(open) > 0; open = open[1:] {
		s := open[0]
		for _, p := range sys.Properties {
			if v, err := m.Holds(p.Term, s); err != nil {
				t.Fatal(err)
			} else if v {
				out[m.Key(s)+" satisfies "+p.Name] = true
			}
		}
		for _, a := range sys.Actions {
			if err := m.Steps(t.Context(), s, a, func(step interp.Step) error {
				out[m.Key(s)+" "+a.Name+" "+m.Key(step.State)] = true
				add(step.State)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}
