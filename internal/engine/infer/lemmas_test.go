package infer

import (
	"testing"

	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// A lemma is dispensable if lemmas that came later exclude what it was found for, and not before.
func TestDispensable(t *testing.T) {
	sys := testkit.Compile(t, `
sort node
mutable relation x(node), y(node), bad(node)
init !x(N) & !y(N) & !bad(N)
action harm(n: node) { require x(n) & y(n); bad(n) := true; }
action turn(n: node) { require x(n); y(n) := true; }
safety [safe] !bad(N)
safety [never_both] !(x(N) & y(N))
safety [never_x] !x(N)
`)
	s := newSearch(sys, Options{})
	s.instances = []*system.Instance{s.uniform(2)}
	ind, err := s.induction(s.instances[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range sys.Properties[:2] {
		s.goals = append(s.goals, &goal{name: p.Name, term: p.Term})
	}
	safe, both := s.goals[0], s.goals[1]
	_, _, found, err := ind.Counterexample(t.Context(), formulas(s.goals), safe.term, nil, 0)
	if found || err != nil {
		t.Fatalf("a step out of safe: %v, %v", found, err)
	}
	if s.dispensable(t.Context(), both) {
		t.Error("never_both is dispensable for safe")
	}
	never := sys.Properties[2]
	s.goals = append(s.goals, &goal{name: never.Name, term: never.Term})
	if !s.dispensable(t.Context(), both) {
		t.Error("never_both is not dispensable beside never_x")
	}
}
