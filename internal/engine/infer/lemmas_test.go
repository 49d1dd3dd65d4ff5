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
	q := newQuestions(newSamples(sys, &claims{}), false)
	q.samples.asked = []*system.Instance{q.samples.uniform(2)}
	ind, err := q.of(q.samples.asked[0])
	if err != nil {
		t.Fatal(err)
	}
	var all []*goal
	for _, p := range sys.Properties[:2] {
		all = append(all, &goal{name: p.Name, term: p.Term})
	}
	safe, both := all[0], all[1]
	_, _, found, err := ind.Counterexample(t.Context(), formulas(all), safe.term, nil, 0)
	if found || err != nil {
		t.Fatalf("a step out of safe: %v, %v", found, err)
	}
	if q.dispensable(t.Context(), all, both) {
		t.Error("never_both is dispensable for safe")
	}
	never := sys.Properties[2]
	all = append(all, &goal{name: never.Name, term: never.Term})
	if !q.dispensable(t.Context(), all, both) {
		t.Error("never_both is not dispensable beside never_x")
	}
}
