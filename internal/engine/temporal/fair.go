package temporal

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/system"
)

// component is a strongly connected part of the product that contains a fair accepting cycle
// through all of its nodes.
type component struct {
	id    uint32 // as in fairSearch.component
	nodes []uint32
	first uint32 // the least node, which is nearest to an initial node
}

// maxComponents is the number of fair components, nearest to an initial node, that are kept to
// choose a short run from.
const maxComponents = 8

// fairSearch finds fair components. A fair component is strongly connected, and has an edge, a node
// in every accepting set, and for each weak condition a node where it is disabled or an edge that
// takes it. For each strong condition it has an edge that takes it or no node where it is enabled.
// Otherwise the nodes where the condition is enabled are removed, and the rest is decomposed again
// (Emerson and Lei, Modalities for model checking, 1987, §5). The decomposition is Tarjan's (1972)
// without recursion.
type fairSearch struct {
	*product
	region    []uint32 // for each node, the last region to decompose that it belongs to
	component []uint32 // for each node, the last component that it belongs to
	// For each node, its position in the search of its region, counted from 1; 0 before.
	index []uint32
	low   []uint32
	found []component

	regions, components uint32
	ticks               int

	// For each condition of fairness, in the current component.
	strong  bits     // all strong ones
	count   []uint32 // nodes where it is enabled
	last    []uint32 // the node counted last, counted from 1
	taken   []bool
	touched []uint32
}

// fairComponents finds the fair components that are nearest to an initial node, nearest first.
func fairComponents(ctx context.Context, p *product) (*fairSearch, error) {
	n, labels := len(p.state), len(p.fair.of)
	f := &fairSearch{
		product: p, region: make([]uint32, n), component: make([]uint32, n),
		index: make([]uint32, n), low: make([]uint32, n),
		strong: newBits(labels), count: make([]uint32, labels), last: make([]uint32, labels),
		taken: make([]bool, labels),
	}
	for c, kind := range p.fair.of {
		if kind == system.Strong {
			f.strong.set(uint32(c))
		}
	}
	all := make([]uint32, n)
	for i := range all {
		all[i] = uint32(i)
	}
	for open := [][]uint32{all}; len(open) > 0; {
		nodes := open[len(open)-1]
		open = open[:len(open)-1]
		err := f.decompose(ctx, nodes, func(c []uint32) {
			if rest := f.examine(c); len(rest) > 0 {
				open = append(open, rest)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return f, nil
}

type frame struct {
	node uint32
	edge int // the next edge to follow
	next int // and the next successor of the automaton's node for it
}

// decompose calls visit for every strongly connected component of a set of nodes. visit may keep
// its argument.
func (f *fairSearch) decompose(ctx context.Context, nodes []uint32, visit func([]uint32)) error {
	f.regions++
	for _, n := range nodes {
		f.region[n], f.index[n] = f.regions, 0
	}
	var calls []frame
	var stack []uint32 // found, but not yet in a component
	found := uint32(0)
	enter := func(n uint32) {
		found++
		f.index[n], f.low[n] = found, found
		stack = append(stack, n)
		calls = append(calls, frame{node: n})
	}
	for _, root := range nodes {
		if f.region[root] != f.regions || f.index[root] != 0 {
			continue
		}
		for enter(root); len(calls) > 0; {
			if f.ticks++; f.ticks%(1<<16) == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			at := len(calls) - 1
			n := calls[at].node
			if to, ok := f.step(&calls[at]); ok {
				switch {
				case f.region[to] != f.regions: // outside, or in a component already
				case f.index[to] == 0:
					enter(to)
				default:
					f.low[n] = min(f.low[n], f.index[to])
				}
				continue
			}
			calls = calls[:at]
			if at > 0 {
				up := calls[at-1].node
				f.low[up] = min(f.low[up], f.low[n])
			}
			if f.low[n] != f.index[n] {
				continue
			}
			from := len(stack) - 1
			for stack[from] != n {
				from--
			}
			f.components++
			for _, m := range stack[from:] {
				f.region[m], f.component[m] = 0, f.components
			}
			c := stack[from:]
			if len(c) > 1 || f.hasLoop(n) {
				visit(slices.Clone(c))
			}
			stack = stack[:from]
		}
	}
	return nil
}

// step gives the next successor of a frame's node.
func (f *fairSearch) step(c *frame) (uint32, bool) {
	next := f.automaton.nodes[f.node[c.node]].next
	for list := f.list(f.state[c.node]); c.edge < len(list.marks); c.edge++ {
		edge := list.edge(c.edge)
		if !f.automaton.lets(int(f.node[c.node]), edge) {
			continue
		}
		for c.next < len(next) {
			q := next[c.next]
			c.next++
			if to := f.number[q][uint32(edge)]; to != 0 {
				return to - 1, true
			}
		}
		c.next = 0
	}
	return 0, false
}

func (f *fairSearch) hasLoop(n uint32) bool {
	loop := false
	f.successors(n, func(to, _ uint32) bool { loop = to == n; return !loop })
	return loop
}

// examine records a component if it is fair. It returns the nodes to decompose further when a
// strong condition fails. When an accepting set is missing or a weak condition fails, the same is
// true of every part of the component.
func (f *fairSearch) examine(nodes []uint32) (rest []uint32) {
	missing := uint64(1)<<f.automaton.sets - 1 // for 64 sets the shift gives 0, and so all bits
	id := f.component[nodes[0]]
	for _, n := range nodes {
		missing &^= f.accepting(n)
	}
	if missing != 0 {
		return nil
	}
	defer func() {
		for _, l := range f.touched {
			f.count[l], f.last[l], f.taken[l] = 0, 0, false
		}
		f.touched = f.touched[:0]
	}()
	for _, n := range nodes {
		f.enabled(n, func(l uint32) {
			if f.last[l] == n+1 {
				return
			}
			if f.count[l] == 0 {
				f.touched = append(f.touched, l)
			}
			f.last[l] = n + 1
			f.count[l]++
		})
		f.successors(n, func(to, l uint32) bool {
			if f.component[to] == id {
				f.fair.eachTaken(l, func(c uint32) { f.taken[c] = true })
			}
			return true
		})
	}
	unfair := false
	for _, l := range f.touched {
		switch {
		case f.taken[l]:
		case f.fair.of[l] == system.Strong:
			unfair = true
		case int(f.count[l]) == len(nodes):
			return nil
		}
	}
	if !unfair {
		f.keep(component{id, nodes, slices.Min(nodes)})
		return nil
	}
	for _, n := range nodes {
		violated := false
		f.enabled(n, func(l uint32) {
			violated = violated || f.fair.of[l] == system.Strong && !f.taken[l]
		})
		if !violated {
			rest = append(rest, n)
		}
	}
	return rest
}

func (f *fairSearch) keep(c component) {
	at, _ := slices.BinarySearchFunc(f.found, c, func(a, b component) int {
		return int(a.first) - int(b.first)
	})
	f.found = slices.Insert(f.found, at, c)
	f.found = f.found[:min(len(f.found), maxComponents)]
}
