package infer

import (
	"math/rand"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/testkit"
)

// Renaming the elements of a sort without an order changes neither signature of a state.
func TestSignaturesOfRenamedStates(t *testing.T) {
	sys := testkit.Compile(t, ordered)
	among := newInstances(sys)
	orders := findOrders(t.Context(), among)
	of, err := among.structure(among.uniform(3))
	if err != nil {
		t.Fatal(err)
	}
	w, err := explore(t.Context(), of, orders, nil, 0, exploreAll)
	if err != nil {
		t.Fatal(err)
	}
	node := sys.Sorts[slices.IndexFunc(sys.Sorts, func(s *logic.Sort) bool {
		return s.Name == "node"
	})]
	g := newSignatures(w.structure, orders, nil)
	fine := map[uint64]bool{}
	rng := rand.New(rand.NewSource(1))
	for _, st := range w.states[:min(len(w.states), 500)] {
		other := renamedState(w.structure, st, node, rng.Perm(3))
		if g.coarse(st) != g.coarse(other) {
			t.Fatalf("the coarse signatures of %v and %v differ", st, other)
		}
		if g.fine(st) != g.fine(other) {
			t.Fatalf("the fine signatures of %v and %v differ", st, other)
		}
		fine[g.fine(st)] = true
	}
	if len(fine) < 50 {
		t.Errorf("only %d fine signatures", len(fine))
	}
}

// renamedState gives new names to the elements of a sort.
func renamedState(s *structure, st interp.State, sort *logic.Sort, to []int) interp.State {
	out := slices.Clone(st)
	for slot, args := range s.model.SlotArguments() {
		sym := s.symbols[slot]
		tab := s.tables[sym]
		at := int64(0)
		for i, a := range args {
			if sym.Args[i] == sort {
				a = int64(to[a])
			}
			at = at*tab.args[i].n + a - tab.args[i].lo
		}
		v := st[slot]
		if sym.Result == sort {
			v = int64(to[v])
		}
		out[tab.offset+int(at)] = v
	}
	return out
}

// Two edges that meet, or lead in opposite directions, or are apart, are as many; only the fine
// signature tells them apart. A claim tells states apart in the coarse one, too.
func TestSignaturesOfGraphs(t *testing.T) {
	sys := testkit.Compile(t, `
sort node
mutable relation edge(node, node)
init !edge(N, M)
action add(n: node, m: node) { edge(n, m) := true; }
safety edge(N, M) -> !edge(M, N)
`)
	among := newInstances(sys)
	of, err := among.structure(among.uniform(4))
	if err != nil {
		t.Fatal(err)
	}
	graph := func(edges ...[2]int) interp.State {
		st := make([]int64, len(of.symbols))
		for _, e := range edges {
			st[4*e[0]+e[1]] = 1
		}
		return st
	}
	graphs := []interp.State{
		graph([2]int{0, 1}, [2]int{1, 0}), graph([2]int{0, 1}, [2]int{0, 2}),
		graph([2]int{0, 1}, [2]int{2, 1}), graph([2]int{0, 1}, [2]int{1, 2}),
		graph([2]int{0, 1}, [2]int{2, 3}), graph([2]int{0, 0}, [2]int{1, 1}),
	}
	plain, claimed := newSignatures(of, nil, nil), newSignatures(of, nil,
		[]*logic.Term{sys.Properties[0].Term})
	fine := map[uint64]bool{}
	for i, st := range graphs {
		fine[plain.fine(st)] = true
		if plain.coarse(st) != plain.coarse(graphs[0]) {
			t.Errorf("the coarse signature of %v tells it apart", st)
		}
		differs := claimed.coarse(st) != claimed.coarse(graphs[1])
		if violated := i == 0 || i == 5; differs != violated {
			t.Errorf("with a claim, the coarse signature of %v differs: %v", st, differs)
		}
	}
	if len(fine) != len(graphs) {
		t.Errorf("%d fine signatures of %d graphs", len(fine), len(graphs))
	}
}

// No claim, and no lemma, is a literal of candidates as a whole; what is inside of a claim is.
func TestClaimsAreNoLiterals(t *testing.T) {
	sys := testkit.Compile(t, `
sort node
mutable relation on(node), linked(node, node)
init !on(N) & !linked(N, M)
action mark(n: node) { on(n) := true; }
safety forall N. on(N) -> exists M. linked(N, M)
`)
	s := newClauses(newSamples(sys, &claims{}))
	goals := []*goal{
		{property: sys.Properties[0], term: sys.Properties[0].Term},
		{name: "lemma", term: testkit.Compile(t, `
sort node
mutable relation on(node)
safety forall N. !on(N)
`).Properties[0].Term, from: &candidate{}},
	}
	s.grow(0, goals)
	inside := false
	for _, form := range s.templates {
		for _, a := range form.atoms {
			if a.term == goals[0].term || a.term == goals[1].term {
				t.Errorf("%s is an atom", a.term)
			}
			inside = inside || a.term.Op == logic.OpExists
		}
	}
	if !inside {
		t.Error("the part about links is no atom")
	}
}
