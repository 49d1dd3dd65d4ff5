package interp

import (
	"context"

	"erelong.dev/erelong/internal/system"
)

// Graph is states of a model by their numbers, with all steps from some of them.
type Graph struct {
	Model  *Model
	States []State
	Edges  []Edge

	numbers map[string]int // of states, by their keys
}

// Edge is a step between two states, by their numbers.
type Edge struct {
	From, To int
	Action   *system.Action
	Args     []Arg // parameters, then choices
}

// NewGraph makes a graph without states.
func NewGraph(m *Model) *Graph { return &Graph{Model: m, numbers: map[string]int{}} }

// Place gives the number of a state, a new one if the graph does not have the state.
func (g *Graph) Place(s State) int {
	key := g.Model.Key(s)
	n, ok := g.numbers[key]
	if !ok {
		n = len(g.States)
		g.numbers[key], g.States = n, append(g.States, s.Clone())
	}
	return n
}

// Expand adds the steps from a state, and gives them. It is to be called once for a state. After an
// error some of the steps are missing.
func (g *Graph) Expand(ctx context.Context, from int) ([]Edge, error) {
	first := len(g.Edges)
	if err := g.Model.EachStep(ctx, g.States[from], func(s Step) error {
		if !s.Outside {
			g.Edges = append(g.Edges, Edge{from, g.Place(s.State), s.Action, s.Args})
		}
		return nil
	}); err != nil {
		return nil, err
	}
	return g.Edges[first:len(g.Edges):len(g.Edges)], nil
}
