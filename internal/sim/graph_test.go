package sim

import (
	"slices"
	"testing"

	"erelong.dev/erelong/internal/interp"
)

// A graph has the states and steps that a plain search finds, and the address of a node leads to
// its state.
func TestGraph(t *testing.T) {
	x := explorer(t, nil)
	g, err := x.Graph(t.Context(), Address{First: 1}, "", 10_000)
	if err != nil {
		t.Fatal(err)
	}
	m := x.walk.model
	found, err := m.Nearest(t.Context(), nil, func([]interp.Reached) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Nodes) != len(found) || g.Rest != "" || g.Here != 0 {
		t.Errorf("%d nodes for %d states; here is %d; %s", len(g.Nodes), len(found), g.Here, g.Rest)
	}
	keys := map[string]bool{}
	for _, n := range g.Nodes {
		p, err := x.View(t.Context(), n.Address)
		if err != nil {
			t.Fatal(err)
		}
		key := m.Key(x.walk.state())
		if keys[key] {
			t.Errorf("two nodes are one state: %+v", n)
		}
		keys[key] = true
		if p.Deadlock != n.Deadlock ||
			!slices.Equal(p.Run[len(p.Run)-1].Violated, append([]string{}, n.Violated...)) {
			t.Errorf("the node %+v is the state %s", n, words(p))
		}
	}
	steps := 0
	for _, r := range found {
		y, err := x.walk.successors(t.Context(), r.State, false)
		if err != nil {
			t.Fatal(err)
		}
		steps += len(y.steps)
	}
	if len(g.Edges) != steps {
		t.Errorf("%d edges for %d steps", len(g.Edges), steps)
	}
}

// Classes of states are the values of an expression, and a limit is told.
func TestGraphOfClasses(t *testing.T) {
	x := explorer(t, nil)
	g, err := x.Graph(t.Context(), Address{First: 1}, "n", 100)
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	states := 0
	for _, n := range g.Nodes {
		labels = append(labels, n.Label)
		states += n.States
	}
	slices.Sort(labels)
	if !slices.Equal(labels, []string{"0", "1", "2", "3", "4"}) {
		t.Errorf("the classes are %v", labels)
	}
	all, err := x.Graph(t.Context(), Address{First: 1}, "", 10_000)
	if err != nil || states != len(all.Nodes) {
		t.Errorf("the classes have %d of %d states, %v", states, len(all.Nodes), err)
	}
	if small, err := x.Graph(t.Context(), Address{First: 1}, "", 3); err != nil ||
		len(small.Nodes) != 3 || small.Rest != "There are more states: only the 3 nearest are shown." {
		t.Errorf("at most 3 nodes give %+v, %v", small, err)
	}
	if _, err := x.Graph(t.Context(), Address{First: 1}, "m", 3); err == nil {
		t.Error("an unknown name makes classes")
	}
}
