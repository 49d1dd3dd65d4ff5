package temporal

import (
	"math/rand/v2"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/testkit"
)

// The search for a fair cycle in one pass agrees with the one that makes the product, on each part
// of each property, with packed edges and others.
func TestEmptiness(t *testing.T) {
	cycles, none, wide := 0, 0, 0
	for seed := range uint64(testkit.Size(75, 400)) {
		gen := &generator{Rand: rand.New(rand.NewPCG(seed, 11))}
		sys, inst := gen.system(t, 2+gen.IntN(14))
		m, err := interp.NewModel(sys, inst)
		if err != nil {
			t.Fatal(err)
		}
		g, err := interpret(t.Context(), m, limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range sys.Properties {
			if !p.IsTemporal() {
				continue
			}
			tr := newTranslator(m)
			negation, err := tr.formula(p.Term, true)
			if err != nil {
				t.Fatal(err)
			}
			d := domainOf(t, g, tr.atoms.terms)
			a, err := translate(negation)
			if err != nil {
				t.Fatal(err)
			}
			product, err := newProduct(t.Context(), d, a, 0)
			if err != nil {
				t.Fatal(err)
			}
			fair, err := fairComponents(t.Context(), product)
			if err != nil {
				t.Fatal(err)
			}
			want := len(fair.found) > 0
			found, sure, err := mayBeFair(t.Context(), d, a, 0)
			if err != nil || !sure || found != want {
				t.Fatalf("seed %d: %s: %t %t %v, want %t\n%s", seed, p.Name, found, sure, err, want,
					sys)
			}
			for _, c := range a.components() {
				if len(c) > 1 {
					wide++
				}
			}
			if want {
				cycles++
			} else {
				none++
			}
		}
	}
	if cycles < 100 || none < 100 || wide < 20 {
		t.Errorf("the products are too much alike: %d with a fair cycle, %d without, %d large components",
			cycles, none, wide)
	}
}

// domainOf is a graph with the atoms of a formula.
func domainOf(t *testing.T, g *graph, terms []*logic.Term) *domain {
	t.Helper()
	atoms, err := g.evaluateAtoms(t.Context(), terms, func(uint32) {})
	if err != nil {
		t.Fatal(err)
	}
	fair, err := g.fairness(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &domain{g, atoms.holds, fair}
}
