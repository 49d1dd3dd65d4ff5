package diagram

import (
	"fmt"
	"slices"
	"strings"
)

// Graph is a graph of states, or of classes of states.
type Graph struct {
	Nodes []Node
	Edges []Edge
}

// Node is a state, or a class of states.
type Node struct {
	Label    string
	Title    string // more about it
	Initial  bool
	Violates bool // it violates a property
	Deadlock bool // it has no successor
	Here     bool // to be marked
	Link     string
}

// Edge is a step from one node to another, or several.
type Edge struct {
	From, To int
	Label    string
}

// MostNodes is the number of nodes that can be taken in by a reader, and laid out.
const MostNodes = 300

const (
	nodeHeight  = 26.0
	layerHeight = 74.0
	nodeGap     = 22.0
	sweeps      = 8
)

// depths gives the layer of each node: its distance from the initial nodes. So an edge leads at
// most one layer down. A node that cannot be reached is in the first layer.
func (g *Graph) depths() []int {
	depth := make([]int, len(g.Nodes))
	seen := make([]bool, len(g.Nodes))
	var queue []int
	for i, n := range g.Nodes {
		if n.Initial {
			seen[i] = true
			queue = append(queue, i)
		}
	}
	next := make([][]int, len(g.Nodes))
	for _, e := range g.Edges {
		next[e.From] = append(next[e.From], e.To)
	}
	for len(queue) > 0 {
		from := queue[0]
		queue = queue[1:]
		for _, to := range next[from] {
			if !seen[to] {
				seen[to], depth[to] = true, depth[from]+1
				queue = append(queue, to)
			}
		}
	}
	return depth
}

// layers orders the nodes of each layer so that few edges cross: by the mean place of their
// neighbours in the layer above, and below, in turn.
func (g *Graph) layers(depth []int) [][]int {
	var layers [][]int
	for i := range g.Nodes {
		for len(layers) <= depth[i] {
			layers = append(layers, nil)
		}
		layers[depth[i]] = append(layers[depth[i]], i)
	}
	place := make([]float64, len(g.Nodes))
	set := func(layer []int) {
		for k, n := range layer {
			place[n] = float64(k) - float64(len(layer)-1)/2
		}
	}
	for _, l := range layers {
		set(l)
	}
	for sweep := range sweeps {
		for k := range layers {
			l := layers[k]
			if sweep%2 == 1 {
				l = layers[len(layers)-1-k]
			}
			mean := g.means(l, sweep%2 == 0, place, depth)
			slices.SortStableFunc(l, func(a, b int) int {
				switch d := mean[a] - mean[b]; {
				case d < 0:
					return -1
				case d > 0:
					return 1
				}
				return 0
			})
			set(l)
		}
	}
	return layers
}

// means gives, for each node of a layer, the mean place of its neighbours above or below; without
// any, its own place.
func (g *Graph) means(layer []int, above bool, place []float64, depth []int) map[int]float64 {
	sum, n := map[int]float64{}, map[int]float64{}
	for _, e := range g.Edges {
		from, to := e.From, e.To
		if depth[from] == depth[to] {
			continue
		}
		for _, pair := range [][2]int{{from, to}, {to, from}} {
			node, other := pair[0], pair[1]
			if above == (depth[other] < depth[node]) {
				sum[node] += place[other]
				n[node]++
			}
		}
	}
	out := map[int]float64{}
	for _, node := range layer {
		out[node] = place[node]
		if n[node] > 0 {
			out[node] = sum[node] / n[node]
		}
	}
	return out
}

// box is the place of a node.
type box struct{ x, y, w float64 } // x and y of its centre

// SVG draws a graph from top to bottom.
func (g *Graph) SVG(o Options) string {
	depth := g.depths()
	layers := g.layers(depth)
	boxes := make([]box, len(g.Nodes))
	wide, gap := 0.0, g.gap()
	for k, layer := range layers {
		total := -gap
		for _, n := range layer {
			boxes[n] = box{w: max(width(short(g.Nodes[n].Label, longestName))+16, 30),
				y: 30 + layerHeight*float64(k)}
			total += boxes[n].w + gap
		}
		at := -total / 2
		for _, n := range layer {
			boxes[n].x = at + boxes[n].w/2
			at += boxes[n].w + gap
		}
		wide = max(wide, total)
	}
	for i := range boxes {
		boxes[i].x += wide/2 + 60
	}
	b := begin("graph", wide+120+gap, 30+layerHeight*float64(len(layers)), o.Title)
	several := map[[2]int]bool{} // which edges have one in the other direction
	for _, e := range g.Edges {
		several[[2]int{e.From, e.To}] = true
	}
	for _, e := range g.Edges {
		g.drawEdge(b, e, boxes, depth[e.To]-depth[e.From], several[[2]int{e.To, e.From}])
	}
	for i, n := range g.Nodes {
		n.draw(b, boxes[i], i)
	}
	b.WriteString("</svg>")
	return b.String()
}

func (n Node) draw(b *svg, at box, i int) {
	class := "node"
	for _, c := range []struct {
		yes  bool
		name string
	}{{n.Initial, " initial"}, {n.Violates, " violates"}, {n.Deadlock, " stuck"},
		{n.Here, " here"}} {
		if c.yes {
			class += c.name
		}
	}
	title := n.Label
	if n.Title != "" {
		title = n.Title
	}
	if n.Link != "" {
		b.f(`<a href="%s" data-node="%d">`, escape(n.Link), i)
	}
	b.f(`<g class="%s"><title>%s</title>`, class, escape(title))
	stroke := 1.0
	if n.Initial {
		stroke = 3
	}
	b.f(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="6" fill="none" stroke="currentColor" stroke-width="%.0f"/>`,
		at.x-at.w/2, at.y-nodeHeight/2, at.w, nodeHeight, stroke)
	b.text("node-name", at.x, at.y+4, "middle", short(n.Label, longestName))
	b.f(`</g>`)
	if n.Link != "" {
		b.f(`</a>`)
	}
}

func (g *Graph) drawEdge(b *svg, e Edge, boxes []box, fall int, both bool) {
	from, to := boxes[e.From], boxes[e.To]
	b.f(`<g class="edge"><title>%s</title>`, escape(e.Label))
	var path string
	var x1, y1, x2, y2, tx, ty float64 // the end of the arrow comes from the first point; the text
	switch {
	case e.From == e.To:
		x := from.x + from.w/2
		path = fmt.Sprintf("M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", x, from.y-6, x+24, from.y-18,
			x+24, from.y+18, x, from.y+6)
		x1, y1, x2, y2, tx, ty = x+20, from.y+14, x, from.y+6, x+20, from.y+4
	case fall > 0:
		shift := 0.0
		if both {
			shift = -5
		}
		x1, y1, x2, y2 = from.x+shift, from.y+nodeHeight/2, to.x+shift, to.y-nodeHeight/2
		path = fmt.Sprintf("M%.1f %.1fL%.1f %.1f", x1, y1, x2, y2)
		tx, ty = x1+(x2-x1)*.5, y1+(y2-y1)*.5
	default: // beside or up: a curve at the side
		side := 1.0
		if to.x < from.x || to.x == from.x && e.From%2 == 1 {
			side = -1
		}
		bend := 26 + 8*float64(-fall)
		sx, sy := from.x+side*from.w/2, from.y
		x2, y2 = to.x+to.w/2*sign(from.x-to.x), to.y+nodeHeight/4
		if from.x == to.x {
			x2 = to.x + side*to.w/2
		}
		cx, cy := (sx+x2)/2+side*bend, (sy+y2)/2+nodeHeight
		path = fmt.Sprintf("M%.1f %.1fQ%.1f %.1f %.1f %.1f", sx, sy, cx, cy, x2, y2)
		x1, y1, tx, ty = cx, cy, (sx+2*cx+x2)/4, (sy+2*cy+y2)/4
	}
	b.f(`<path class="arrow" d="%s" fill="none" stroke="currentColor" stroke-opacity=".7"/>`, path)
	b.head("head", x1, y1, x2, y2)
	if len(g.Edges) <= labelled {
		anchor := "middle"
		if e.From == e.To {
			anchor = "start"
		}
		b.text("edge-name", tx, ty-2, anchor, short(e.Label, longestName))
	}
	b.f(`</g>`)
}

// labelled is the number of edges up to which all have their names. The others show them on demand.
const labelled = 30

// gap is the distance between two nodes of a layer, so that there is room for the names of edges.
func (g *Graph) gap() float64 {
	gap := nodeGap
	if len(g.Edges) <= labelled {
		for _, e := range g.Edges {
			gap = max(gap, width(short(e.Label, longestName)))
		}
	}
	return gap
}

// JoinEdges makes one edge of all edges between the same nodes.
func JoinEdges(edges []Edge) (out []Edge) {
	at := map[[2]int]int{}
	names := map[[2]int][]string{}
	for _, e := range edges {
		key := [2]int{e.From, e.To}
		if _, ok := at[key]; !ok {
			at[key] = len(out)
			out = append(out, e)
		}
		if !slices.Contains(names[key], e.Label) {
			names[key] = append(names[key], e.Label)
		}
		out[at[key]].Label = strings.Join(names[key], ", ")
	}
	return out
}
