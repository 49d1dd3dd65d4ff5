package explorer

import (
	"context"
	"fmt"

	"erelong.dev/erelong/internal/diagram"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/sim"
)

// Drawing is a picture.
type Drawing struct {
	SVG      string   `json:"svg"`     // empty where there is nothing to draw
	Note     string   `json:"note"`    // such as why not, or what is left out
	By       []string `json:"by"`      // of a chart: the sorts whose elements can be the lanes
	Mermaid  string   `json:"mermaid"` // of a chart: the same as a text
	PlantUML string   `json:"plantuml"`

	Addresses []sim.Address `json:"addresses"` // of a graph: a state of each node
	System    string        `json:"system"`    // of the addresses
	Instance  string        `json:"instance"`
	Nodes     int           `json:"nodes"`
	Edges     int           `json:"edges"`
}

// here is where a page puts the address of a state.
func here(int) string { return "#" }

// whole is the run of a request, with its story, and the state of it that the request names.
func (s *Service) whole(ctx context.Context, q *request) (t *result.Trace, at int, err error) {
	x, d, err := s.explorer(ctx, q)
	if err == nil {
		if t, err = x.Trace(ctx, q.Address); err == nil {
			if d != nil {
				t.Story = d.Tell(t)
			}
		}
	} else if rec, missing := s.recorded(q); missing == nil && rec != nil {
		t, err = rec.trace, nil
	}
	if err != nil {
		return nil, 0, err
	}
	if at = q.Address.At; at < 0 {
		at = len(t.Steps) - 1
	}
	return t, at, nil
}

// structure draws the step to a state.
func (s *Service) structure(ctx context.Context, q *request) (any, error) {
	t, at, err := s.whole(ctx, q)
	if err != nil {
		return nil, err
	}
	d := Drawing{By: []string{},
		SVG: diagram.StepSVG(t, at, diagram.Options{Title: "picture of the step"})}
	if d.SVG == "" {
		d.Note = fmt.Sprintf("States are drawn with 1 to %d elements of sorts; this instance "+
			"has none, or more.", diagram.MostElements)
	}
	return d, nil
}

func (s *Service) chart(ctx context.Context, q *request) (any, error) {
	t, at, err := s.whole(ctx, q)
	if err != nil {
		return nil, err
	}
	c := diagram.ChartOf(t, q.By)
	if c == nil {
		return Drawing{By: []string{},
			Note: "No step of this run names an element of a sort, so there are no lanes."}, nil
	}
	return Drawing{
		SVG:     c.SVG(diagram.Options{Title: "chart of the run", Link: here, At: at}),
		By:      append([]string{}, c.By...),
		Mermaid: c.Mermaid(), PlantUML: c.PlantUML(),
	}, nil
}

func (s *Service) graph(ctx context.Context, q *request) (any, error) {
	runs, system, err := s.explorer(ctx, q)
	if err != nil {
		return nil, err
	}
	x, ok := runs.(*sim.Explorer)
	if !ok {
		return nil, fmt.Errorf("the states of timed automata are not drawn as a graph: they are " +
			"infinitely many")
	}
	g, err := x.Graph(ctx, q.Address, q.Text, diagram.MostNodes)
	if err != nil {
		return nil, err
	}
	out := &diagram.Graph{}
	for i, n := range g.Nodes {
		node := diagram.Node{Label: n.Label, Title: n.Title, Initial: n.Initial,
			Violates: len(n.Violated) > 0, Deadlock: n.Deadlock, Here: i == g.Here, Link: here(i)}
		if n.States > 1 {
			node.Title = fmt.Sprintf("%s (%d states)", n.Title, n.States)
		}
		out.Nodes = append(out.Nodes, node)
	}
	for _, e := range g.Edges {
		out.Edges = append(out.Edges, diagram.Edge{From: e.From, To: e.To, Label: e.Action})
	}
	out.Edges = diagram.JoinEdges(out.Edges)
	d := Drawing{By: []string{}, Note: g.Rest, System: system.Name, Instance: x.Instance(),
		Nodes: len(out.Nodes), Edges: len(out.Edges)}
	d.SVG = out.SVG(diagram.Options{Title: "graph of the states"})
	for _, n := range g.Nodes {
		d.Addresses = append(d.Addresses, n.Address)
	}
	return d, nil
}
