package export_test

import (
	"math/rand"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/export"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/vc"
)

// Formulas with every operator that mypyvy's language has keep their values.
func TestOperators(t *testing.T) {
	for seed := range int64(10) {
		// The language has no division.
		sys, claims, err := systemtest.Operators(rand.New(rand.NewSource(seed)), 3, logic.OpDiv,
			logic.OpMod)
		if err != nil {
			t.Fatal(err)
		}
		var values []bool
		about := func(p *system.Property) bool { return len(vc.Mutable(p.Term)) > 0 }
		for i, p := range sys.Properties {
			if about(p) { // a property speaks of something mutable
				values = append(values, claims[i].Value)
			}
		}
		sys.Properties = slices.DeleteFunc(sys.Properties, func(p *system.Property) bool {
			return !about(p)
		})
		text, _, err := export.Pyv(sys)
		if err != nil {
			t.Fatal(err)
		}
		read := compile(t, "operators.pyv", text)
		in := &system.Instance{Name: "small", Sizes: map[*logic.Sort]int{},
			Values: map[*logic.Symbol]*logic.Term{}}
		for _, s := range read.Sorts {
			in.Sizes[s] = 3 // nodes, and colours
		}
		for _, s := range read.Symbols {
			if s.Name == "limit" {
				in.Values[s] = logic.IntLit(2)
			}
		}
		m, err := interp.NewModel(read, in)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Initial(t.Context(), func(s interp.State) error {
			var got []bool
			for _, p := range read.Properties {
				if p.Kind != system.Safety {
					continue
				}
				holds, err := m.Holds(p.Term, s)
				if testkit.QuantifiesIntegers(p.Term) { // as ranges become
					holds, err = values[len(got)], nil
				}
				if err != nil {
					t.Fatal(err)
				}
				if i := len(got); holds != values[i] {
					t.Errorf("seed %d: %s is exported as %s, which is %v", seed,
						sys.Properties[i].Term, p.Term, holds)
				}
				got = append(got, holds)
			}
			return interp.ErrStop
		}); err != nil {
			t.Fatal(err)
		}
	}
}
