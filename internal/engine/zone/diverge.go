package zone

import "slices"

// On which cycles does time diverge? A run takes the steps of an infinite path of the graph. If
// time converges on it, all clocks that are reset again and again are near zero in the end. So half
// a unit may be added where time can pass, once in each round in which all of these clocks are
// reset. No guard can notice this, with two exceptions: a clock must be zero that has not been
// reset since, or a clock must be small that is never reset. Conversely, when time diverges, no
// clock stays bounded without being reset. So time diverges on some run within a strongly connected
// component if all clocks that are bounded in it are reset, time can pass somewhere, and from there
// no clock is asked for zero before it is reset (Herbreteau, Srivathsan, Walukiewicz: Efficient
// emptiness check for timed Büchi automata). If a clock is bounded and not reset, a smaller
// component may do: the one without the steps that bound the clock. The argument requires that
// clocks are set to zero only, and that there are no differences of clocks.

// digraph holds for each node the edges that leave it.
type digraph [][]arrow

// digraph gives the second phase, without vertices that others stand for.
func (g *graph) digraph() digraph {
	d, all := make(digraph, len(g.vertices)), make([]arrow, 0, len(g.edges))
	for k, v := range g.vertices {
		first := len(all)
		for l := v.edge; v.coveredBy == none && l != none; l = g.edges[l].next {
			e := g.edges[l].arrow
			for g.vertices[e.to].coveredBy != none {
				e.to = g.vertices[e.to].coveredBy
			}
			all = append(all, e)
		}
		d[k] = all[first:len(all):len(all)]
		slices.Reverse(d[k])
	}
	return d
}

// diverging finds a cycle of the second phase on which time diverges. A cycle is suspect if no
// argument shows that a run can repeat it for ever.
func (g *graph) diverging() (found *lasso, suspect bool) {
	d, part := g.digraph().inner()
	if g.ticking {
		return g.ticks(d), false
	}
	d, part = g.effects.unblocked(d, part)
	tight := map[int32]set{} // by component: the clocks that must be zero somewhere
	for k, edges := range d {
		for _, e := range edges {
			if tight[part[k]] == nil {
				tight[part[k]] = make(set, g.effects.words)
			}
			tight[part[k]].join(g.effects.tight(e.effect))
		}
	}
	tried := map[int32]bool{}
	for k, edges := range d {
		if len(edges) == 0 || g.vertices[k].urgent || tried[part[k]] {
			continue
		}
		tried[part[k]] = true
		l := &lasso{g.pathTo(int32(k)), nil, int32(k)}
		if !tight[part[k]].some() {
			l.loop = g.effects.round(d, int32(k))
		} else if l = g.lassoWithZeros(d, part, part[k], tight[part[k]]); l == nil {
			continue
		}
		if g.repeats(l) {
			return l, false
		}
		suspect = true
	}
	return nil, suspect
}

// maxTries bounds the tried cycles of steps, and the parts of the graph in which they are sought.
const maxTries = 64

// convergingCycle says whether there is a repeating cycle of steps, or else whether there may be
// one.
func (g *graph) convergingCycle() (found, doubtful bool) {
	d, _ := g.digraph().inner()
	tries, budget := 0, maxTries
	if !g.ticking { // the steps then have no effects, and their cycles are cycles with effects
		d = g.effects.quick(d, make(set, g.effects.words), &budget)
	}
	for k, edges := range d {
		if len(edges) == 0 {
			continue
		}
		if tries++; tries > maxTries {
			break
		}
		path := d.path(edges[0].to, func(a int32, _ arrow) bool { return a == int32(k) })
		l := &lasso{loop: append([]int32{edges[0].label}, labels(path)...), at: int32(k)}
		if g.repeats(l) {
			return true, false
		}
	}
	return false, tries > 0
}

// quick leaves out edges that no run takes for ever in bounded time. In the end such a run has less
// than a unit of time left. Therefore it cannot both set a clock to zero and ask that it is one or
// more: for each clock that is not settled one of the two is left out. It gives a graph with
// cycles, or none. When the budget is spent, edges stay.
func (e *effects) quick(d digraph, settled set, budget *int) digraph {
	resets, late := make(set, e.words), make(set, e.words)
	some := false
	for _, edges := range d {
		for _, x := range edges {
			some = true
			resets.join(e.resets(x.effect))
			late.join(e.late(x.effect))
		}
	}
	if !some {
		return nil
	}
	if *budget--; *budget < 0 {
		return d
	}
	for clock := range e.clocks {
		one := make(set, e.words)
		one.add(clock)
		if !resets.meets(one) || !late.meets(one) || settled.meets(one) {
			continue
		}
		settled.join(one)
		for _, of := range []func(int32) set{e.late, e.resets} {
			rest := make(digraph, len(d))
			for k, edges := range d {
				rest[k] = slices.DeleteFunc(slices.Clone(edges), func(x arrow) bool {
					return of(x.effect).meets(one)
				})
			}
			rest, _ = rest.inner()
			if rest = e.quick(rest, slices.Clone(settled), budget); rest != nil {
				return rest
			}
		}
		return nil
	}
	return d
}

// ticks finds a cycle with a tick.
func (g *graph) ticks(d digraph) *lasso {
	for k, edges := range d {
		for _, e := range edges {
			if e.label == tick {
				path := d.path(e.to, func(a int32, _ arrow) bool { return a == int32(k) })
				return &lasso{g.pathTo(int32(k)), append([]int32{tick}, labels(path)...), int32(k)}
			}
		}
	}
	return nil
}

// unblocked leaves out edges until each component resets all clocks that it bounds.
func (e *effects) unblocked(d digraph, part []int32) (digraph, []int32) {
	for {
		bounded, reset := map[int32]set{}, map[int32]set{}
		for k, edges := range d {
			p := part[k]
			if len(edges) > 0 && bounded[p] == nil {
				bounded[p], reset[p] = make(set, e.words), make(set, e.words)
			}
			for _, x := range edges {
				if x.label != tick {
					bounded[p].join(e.bounded(x.effect))
					reset[p].join(e.resets(x.effect))
				}
			}
		}
		some := false
		for p := range bounded {
			bounded[p].remove(reset[p])
			some = some || bounded[p].some()
		}
		if !some {
			return d, part
		}
		fewer := make(digraph, len(d))
		for k, edges := range d {
			for _, x := range edges {
				if x.label == tick || !e.bounded(x.effect).meets(bounded[part[k]]) {
					fewer[k] = append(fewer[k], x)
				}
			}
		}
		d, part = fewer.inner()
	}
}

// lassoWithZeros looks for a lasso in a component in which clocks must be zero: a node of the
// product records which of them have not been reset since time has passed.
func (g *graph) lassoWithZeros(d digraph, part []int32, p int32, tight set) *lasso {
	nodes := newPool[uint32](1 + len(tight))
	var product digraph
	node := func(k int32, spoilt set) int32 {
		n, fresh := nodes.number(append([]uint32{uint32(k)}, spoilt...))
		if fresh {
			product = append(product, nil)
		}
		return n
	}
	for k := range d {
		if part[k] == p && len(d[k]) > 0 && !g.vertices[k].urgent {
			node(int32(k), tight)
		}
	}
	for n := int32(0); n < nodes.count; n++ {
		k, spoilt := int32(nodes.at(n)[0]), set(nodes.at(n)[1:])
		for _, e := range d[k] {
			if !g.effects.tight(e.effect).meets(spoilt) {
				left := slices.Clone(spoilt)
				left.remove(g.effects.resets(e.effect))
				product[n] = append(product[n], arrow{node(e.to, left), e.label, e.effect})
			}
		}
		if !g.vertices[k].urgent {
			product[n] = append(product[n], arrow{to: node(k, tight), label: tick})
		}
	}
	inner, parts := product.inner()
	inner, _ = g.effects.unblocked(inner, parts)
	for n, edges := range inner {
		// A node where time has just passed must be left by a step.
		steps := slices.ContainsFunc(edges, func(e arrow) bool { return e.label != tick })
		passed := slices.ContainsFunc(edges, func(e arrow) bool {
			return e.label == tick && e.to == int32(n)
		})
		if steps && passed {
			k := int32(nodes.at(int32(n))[0])
			return &lasso{g.pathTo(k), g.effects.round(inner, int32(n)), k}
		}
	}
	return nil
}

// round gives the labels of a closed walk from a node in its component that resets each clock that
// it bounds.
func (e *effects) round(d digraph, from int32) []int32 {
	home := func(k int32, _ arrow) bool { return k == from }
	first := slices.IndexFunc(d[from], func(x arrow) bool { return x.label != tick })
	walk := []arrow{d[from][first]}
	walk = append(walk, d.path(walk[0].to, home)...)
	for {
		missing, reset := make(set, e.words), make(set, e.words)
		for _, x := range walk {
			if x.label != tick {
				missing.join(e.bounded(x.effect))
				reset.join(e.resets(x.effect))
			}
		}
		if missing.remove(reset); !missing.some() {
			return labels(walk)
		}
		walk = append(walk, d.path(from, func(_ int32, x arrow) bool {
			return x.label >= 0 && e.resets(x.effect).meets(missing)
		})...)
		walk = append(walk, d.path(walk[len(walk)-1].to, home)...)
	}
}

func labels(path []arrow) (out []int32) {
	for _, e := range path {
		out = append(out, e.label)
	}
	return out
}

// path gives a shortest path from a node to a goal, which is a node with the edge that enters it.
// At the start the edge has the label begin.
func (d digraph) path(from int32, goal func(int32, arrow) bool) (out []arrow) {
	type origin struct {
		node int32
		edge arrow
	}
	if goal(from, arrow{label: begin}) {
		return nil
	}
	came := map[int32]origin{}
	for queue := []int32{from}; ; queue = queue[1:] {
		k := queue[0]
		for _, e := range d[k] {
			if goal(e.to, e) {
				for out = []arrow{e}; k != from; k = came[k].node {
					out = append(out, came[k].edge)
				}
				slices.Reverse(out)
				return out
			}
			if _, seen := came[e.to]; !seen && e.to != from {
				came[e.to] = origin{k, e}
				queue = append(queue, e.to)
			}
		}
	}
}

// inner gives the edges within strongly connected components, and the numbers of these.
func (d digraph) inner() (digraph, []int32) {
	part := d.components()
	out := make(digraph, len(d))
	for k, edges := range d {
		apart := func(e arrow) bool { return part[e.to] != part[k] }
		if !slices.ContainsFunc(edges, apart) {
			out[k] = edges
		} else if slices.ContainsFunc(edges, func(e arrow) bool { return !apart(e) }) {
			out[k] = slices.DeleteFunc(slices.Clone(edges), apart)
		}
	}
	return out, part
}

// components numbers the strongly connected components (Tarjan), without recursion.
func (d digraph) components() []int32 {
	part, low, number := make([]int32, len(d)), make([]int32, len(d)), make([]int32, len(d))
	var stack, path []int32
	next := make([]int, len(d))
	count, parts := int32(0), int32(0)
	for root := range d {
		if number[root] != 0 {
			continue
		}
		path = append(path, int32(root))
		for len(path) > 0 {
			k := path[len(path)-1]
			if number[k] == 0 {
				count++
				number[k], low[k] = count, count
				stack = append(stack, k)
			}
			if next[k] < len(d[k]) {
				to := d[k][next[k]].to
				next[k]++
				if number[to] == 0 {
					path = append(path, to)
				} else if part[to] == 0 {
					low[k] = min(low[k], number[to])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				up := path[len(path)-1]
				low[up] = min(low[up], low[k])
			}
			if low[k] == number[k] {
				parts++
				for {
					top := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					part[top] = parts
					if top == k {
						break
					}
				}
			}
		}
	}
	return part
}
