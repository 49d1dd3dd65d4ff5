package ranking

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/ranking/synth"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// A chain hands values on from its first node to its last one. The guard asks for a next node,
// which exists in finite orders only.
const handOver = testkit.Chain + `
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
	testkit.Transitive, "before(B, C) -> before(A, B) -> before(A, C)",
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
		strings.ReplaceAll(handOver, testkit.Transitive, axiom))
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
		trueEverywhere(t, sys, property, p, all)
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

// trueEverywhere holds facts to be true in all states of the first instance.
func trueEverywhere(
	t *testing.T, sys *system.System, property *system.Property, p *problem, facts []*logic.Term,
) {
	t.Helper()
	with := *sys
	with.Properties = nil
	for _, f := range facts {
		with.Properties = append(with.Properties, &system.Property{Name: "fact",
			Kind: system.Safety, Term: p.forAll(property, f), Span: property.Span})
	}
	results, err := explicit.Check(t.Context(), &with, sys.Instances[0],
		explicit.Options{Only: []string{"fact"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		if r.Verdict != result.Holds || r.States == 0 {
			t.Errorf("%s: %s in %d states", r.Verdict, with.Properties[i].Term, r.States)
		}
	}
}

// Items go through numbered stages, each of which holds one item at most. The item that is furthest
// can go on.
const stages = `
	immutable constant last: int
	axiom last >= 1
	sort item
	mutable function at(item): 0..last
	mutable relation inside(item), out(item), busy(0..last)
	init !inside(I) & !out(I) & at(I) = 0 & !busy(S)
	action enter(i: item) {
		require !inside(i) & !out(i) & !busy(0);
		inside(i) := true;
		at(i) := 0;
		busy(0) := true;
	}
	fair action move(i: item) {
		require inside(i) & at(i) < last & !busy(at(i) + 1);
		busy(at(i)) := false;
		busy(at(i) + 1) := true;
		at(i) := at(i) + 1;
	}
	fair action leave(i: item) {
		require inside(i) & at(i) = last;
		busy(last) := false;
		inside(i) := false;
		out(i) := true;
	}
	action idle() { require true; }
	invariant busy(S) -> exists I: item. inside(I) & at(I) = S
	invariant inside(I) & inside(J) & at(I) = at(J) -> I = J
	invariant inside(I) -> busy(at(I)) & !out(I)
	liveness [leaves] forall I: item. inside(I) ~> out(I)
	instance two { item = 2, last = 2 }
	`

// The values of a sort have an order by each number that the state says of them.
func TestEndsOfNumbers(t *testing.T) {
	sys, _ := normal(testkit.Compile(t, stages))
	property := sys.Property("leaves")
	p := newProblem(sys, property, nil, nil)
	facts := ends(p)
	if len(facts) == 0 {
		t.Fatal("no facts")
	}
	trueEverywhere(t, sys, property, p, facts)
}

// What has a next value goes on: the first node of a chain gets its value to the last one, and a
// node of a tree reports when its children have reported.
func TestEndsProve(t *testing.T) {
	for name, text := range map[string]string{
		"stages":  stages,
		"a chain": "immutable relation has0(node)\n" + handOver,
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
			if name != "stages" {
				testkit.InCI(t)
			}
			sys, opts := testkit.Compile(t, text), options(t)
			opts.Drivers = testkit.Solvers(t) // z3 alone does not prove it of the chain
			opts.Instances = sys.Instances
			got := prove1(t, opts, sys)
			if got.Verdict != result.Holds {
				t.Fatalf("%s: %s", got.Verdict, got.Reason)
			}
			if len(got.Evidence.Ranking.Finite) == 0 {
				t.Error("the proof names no sort that it takes for finite")
			}
		})
	}
}
