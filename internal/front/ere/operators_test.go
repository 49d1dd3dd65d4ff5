package ere_test

import (
	"fmt"
	"math/rand"
	"testing"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/printer"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system/systemtest"
)

// Formulas with every operator have their values after they were printed and read again, as terms
// and as syntax trees.
func TestOperators(t *testing.T) {
	for seed := range int64(20) {
		sys, claims, err := systemtest.Operators(rand.New(rand.NewSource(seed)), 3)
		if err != nil {
			t.Fatal(err)
		}
		text := systemtest.Text(sys)
		errs := &diag.List{}
		file := syntax.Parse(diag.NewSource("operators.ere", text), errs)
		if len(errs.All) > 0 {
			t.Fatal(errs)
		}
		printed, err := printer.Text("operators.ere", file.Decls)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{text, printed} {
			read, _, err := ere.Compile("operators.ere", text)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			m, err := interp.NewModel(read, read.Instances[0])
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Initial(t.Context(), func(s interp.State) error {
				for i, c := range claims {
					p := read.Property(fmt.Sprintf("p%d", i))
					if got, err := m.Holds(p.Term, s); err != nil || got != c.Value {
						t.Errorf("seed %d, operator %d: %s is read as %s, which is %v (%v)", seed,
							c.Op, c.Term, p.Term, got, err)
					}
				}
				return interp.ErrStop
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
