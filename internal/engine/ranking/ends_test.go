package ranking

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/ranking/synth"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// A chain hands values on from its first node to its last one. The guard asks for a next node,
// which exists in finite orders only.
const handOver = `
	sort node
	sort item
	immutable relation before(node, node), next(node, node)
	immutable constant head: node
	immutable constant tail: node
	axiom TRANSITIVE
	axiom !before(X, X)
	axiom before(X, Y) | before(Y, X) | X = Y
	axiom next(X, Y) <-> before(X, Y) & (forall Z. !(before(X, Z) & before(Z, Y)))
	axiom X != head -> before(head, X)
	axiom X != tail -> before(X, tail)
	mutable relation has(node, item)
	mutable function at(item): node
	init !has(N, I) & at(I) = head
	action give(i: item) { require !has(head, i); has(head, i) := true; }
	fair action forward(m: node, n: node, i: item) {
		require next(m, n) & has(m, i) & !has(n, i);
		has(n, i) := true;
		at(i) := n;
	}
	liveness [arrives] has(head, I) ~> has(tail, I)
	instance three { node = 3, item = 1 }
	`

var transitivity = []string{
	"before(X, Y) & before(Y, Z) -> before(X, Z)", "before(B, C) -> before(A, B) -> before(A, C)",
	"before(X, Z) | !(before(X, Y) & before(Y, Z))",
	"!(before(X, Y) & before(Y, Z) & !before(X, Z))",
}

var otherwise = []string{
	"before(X, Y) & before(Y, X) -> before(X, X)", "before(X, Y) & before(Y, Z) -> before(Z, X)",
	"before(X, Y) & before(Z, Y) -> before(X, Z)", "before(head, Y) & before(Y, Z) -> before(head, Z)",
	"before(X, Y) & before(Y, Z) -> before(X, Z) | has0(X)", "before(X, Y) -> before(X, Y)",
}

func handingOver(t *testing.T, axiom string) *system.System {
	t.Helper()
	return testkit.Compile(t, "immutable relation has0(node)\n"+
		strings.ReplaceAll(handOver, "TRANSITIVE", axiom))
}

// The facts about ends are true in all states, whatever the words of the axiom are, and there are
// none where no axiom says that the relation is transitive.
func TestEnds(t *testing.T) {
	facts := -1
	for _, axiom := range transitivity {
		sys, _ := normal(handingOver(t, axiom))
		property := sys.Properties[0]
		p := newProblem(sys, property, nil, nil)
		all := ends(p)
		if facts < 0 {
			facts = len(all)
		}
		if len(all) != facts || facts != 2*3+2*2 {
			t.Errorf("%s: %d facts", axiom, len(all))
		}
		sys.Properties = nil
		for _, f := range all {
			sys.Properties = append(sys.Properties, &system.Property{Name: "fact",
				Kind: system.Safety, Term: p.forAll(property, f), Span: property.Span})
		}
		results, err := explicit.Check(t.Context(), sys, sys.Instances[0],
			explicit.Options{Only: []string{"fact"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			if r.Verdict != result.Holds || r.States == 0 {
				t.Errorf("%s: %s in %d states", axiom, r.Verdict, r.States)
			}
		}
	}
	for _, axiom := range otherwise {
		sys, _ := normal(handingOver(t, axiom))
		for _, order := range synth.Orders(sys) {
			if isTransitive(sys, order) {
				t.Errorf("%s: %s is transitive", axiom, order.Before)
			}
		}
	}
}

// What has a next value goes on: the first node of a chain gets its value to the last one, and a
// node of a tree reports when its children have reported.
func TestEndsProve(t *testing.T) {
	for name, text := range map[string]string{
		"a chain": "immutable relation has0(node)\n" +
			strings.Replace(handOver, "TRANSITIVE", transitivity[0], 1),
		"a tree": `
			sort node
			immutable relation above(node, node)
			axiom above(X, Y) & above(Y, Z) -> above(X, Z)
			axiom !above(X, X)
			immutable function parent(node): node
			immutable constant root: node
			axiom N != root -> above(parent(N), N) & above(root, N)
			mutable relation reported(node)
			init !reported(N)
			fair action report(n: node) {
				require !reported(n) & (forall M. M != root & parent(M) = n -> reported(M));
				reported(n) := true;
			}
			action idle() { require true; }
			liveness [done] true ~> reported(root)
			instance three { node = 3 }
			`,
	} {
		t.Run(name, func(t *testing.T) {
			opts := options(t)
			opts.Drivers = testkit.Solvers(t) // z3 alone proves it of the tree only
			got := prove1(t, opts, testkit.Compile(t, text))
			if got.Verdict != result.Holds {
				t.Errorf("%s: %s", got.Verdict, got.Reason)
			}
		})
	}
}
