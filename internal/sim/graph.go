package sim

import (
	"context"
	"fmt"
	"strings"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/report"
)

// Graph is a part of the graph of the reachable states, or of their classes.
type Graph struct {
	Nodes []GraphNode
	Edges []GraphEdge
	Here  int    // the node of the current state, negative if it is not among them
	Rest  string // what is left out; empty if nothing is
}

// GraphNode is a state, or a class of states for which an expression has the same value.
type GraphNode struct {
	Label, Title string
	States       int // that were found
	Initial      bool
	Deadlock     bool     // some state of it has no successor
	Violated     []string // properties that some state of it violates
	Address      Address  // of one of its states, by a shortest run
}

// GraphEdge is a step between nodes.
type GraphEdge struct {
	From, To int
	Action   string
}

// maxGraphStates bounds the states that a graph is made of.
const maxGraphStates = 5_000

// Graph finds the reachable states breadth-first, up to a number of nodes. A text is an expression:
// states with the same value are one node. The addresses are of the instance, also where the
// explorer is of a recorded run.
func (x *Explorer) Graph(ctx context.Context, a Address, text string, most int) (*Graph, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.follow(ctx, a); err != nil {
		return nil, err
	}
	w := x.walk
	b := &graphs{walk: w, nodes: map[string]int{}, seen: map[string]int{},
		graph: &Graph{Here: -1}, most: most}
	if text != "" {
		t, err := w.expression(text)
		if err != nil {
			return nil, err
		}
		b.by = t
	}
	init, err := w.initials(ctx)
	if err != nil {
		return nil, err
	}
	for i, state := range init.states {
		if err := b.reach(state, 0, Address{First: i + 1, Steps: []int{}}, nil); err != nil {
			return nil, err
		}
	}
	for i := 0; i < len(b.queue); i++ {
		if err := b.expand(ctx, i); err != nil {
			return nil, err
		}
	}
	if b.left {
		b.graph.Rest = fmt.Sprintf("There are more states: only the %d nearest are shown",
			len(b.queue))
		if b.by != nil {
			b.graph.Rest += fmt.Sprintf(", in %d nodes", len(b.graph.Nodes))
		}
		b.graph.Rest += "."
	}
	if i, ok := b.seen[w.model.Key(w.state())]; ok {
		b.graph.Here = b.queue[i].node
	}
	return b.graph, nil
}

// graphs is the making of a graph.
type graphs struct {
	walk  *walk
	by    *logic.Term // nil for a node for each state
	graph *Graph
	nodes map[string]int
	seen  map[string]int // states by their keys
	queue []reached
	most  int
	left  bool // some states were left out
}

type reached struct {
	state   interp.State
	node    int
	depth   int
	address Address
}

// reach adds a state; from is the edge to it, without its end.
func (b *graphs) reach(state interp.State, depth int, a Address, from *GraphEdge) error {
	key := b.walk.model.Key(state)
	i, known := b.seen[key]
	if !known {
		if len(b.queue) >= maxGraphStates {
			b.left = true
			return nil
		}
		node, err := b.node(state, depth, a)
		if err != nil {
			return err
		}
		if node < 0 {
			b.left = true
			return nil
		}
		i = len(b.queue)
		b.seen[key] = i
		b.queue = append(b.queue, reached{state, node, depth, a})
	}
	if from != nil {
		from.To = b.queue[i].node
		if b.by == nil || from.From != from.To { // within a class, nothing of interest happens
			b.graph.Edges = append(b.graph.Edges, *from)
		}
	}
	return nil
}

// node finds or makes the node of a state; it is negative when there are too many.
func (b *graphs) node(state interp.State, depth int, a Address) (int, error) {
	w := b.walk
	label := fmt.Sprint(len(b.queue))
	key := label
	if b.by != nil {
		v, err := w.eval(b.by, state)
		if err != nil {
			return 0, fmt.Errorf("in a state that is reached by %d steps: %w", depth, err)
		}
		label = w.value(b.by.Sort, v).String()
		key = label
	}
	i, ok := b.nodes[key]
	if !ok {
		if len(b.graph.Nodes) >= b.most {
			return -1, nil
		}
		i = len(b.graph.Nodes)
		b.nodes[key] = i
		b.graph.Nodes = append(b.graph.Nodes,
			GraphNode{Label: label, Title: b.title(state, label), Address: a})
	}
	n := &b.graph.Nodes[i]
	n.States++
	n.Initial = n.Initial || depth == 0
	if len(n.Violated) == 0 {
		n.Violated = w.violatedBy(state)
	}
	return i, nil
}

// title tells how a state differs from the first one.
func (b *graphs) title(state interp.State, label string) string {
	if b.by != nil || len(b.queue) == 0 {
		return label
	}
	var changes []string
	for _, c := range report.Changes(b.walk.variables(b.queue[0].state),
		b.walk.variables(state)) {
		changes = append(changes, fmt.Sprintf("%s = %s", c.Path, c.New))
	}
	return shorten(strings.Join(changes, ", "))
}

func (b *graphs) expand(ctx context.Context, i int) error {
	from := b.queue[i]
	x, err := b.walk.successors(ctx, from.state, false)
	if err != nil {
		return err
	}
	if x.deadlock() {
		b.graph.Nodes[from.node].Deadlock = true
	}
	for k, m := range x.steps {
		a := Address{First: from.address.First, At: from.address.At + 1,
			Steps: append(append([]int{}, from.address.Steps...), k+1)}
		edge := &GraphEdge{From: from.node, Action: m.action}
		if b.by == nil {
			edge.Action = b.walk.call(m)
		}
		if err := b.reach(m.state, from.depth+1, a, edge); err != nil {
			return err
		}
	}
	return nil
}
