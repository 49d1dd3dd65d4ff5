package temporal

import (
	"context"
	"iter"
	"slices"

	"erelong.dev/erelong/internal/system"
)

// emptiness decides whether the product of a graph and an automaton has a fair accepting cycle that
// can be reached. It is the first question about a property, and usually the only one: a run is
// made by fairSearch, which needs much more memory and time.
//
// The strongly connected components of the automaton are taken one after the other, each before the
// components that it leads to. A cycle of the product stays in one of them. First what can be
// reached is marked; where a run can begin in a component and stay for ever, all is. If it has an
// accepting cycle, the nodes that lie on no fair cycle for a plain reason are left out: see prune.
// Only the others are decomposed, in one pass (Tarjan's algorithm, in the form of Pearce, A
// space-efficient algorithm for finding strongly connected components, 2016). What remains of a
// component without the states where a violated strong condition is enabled is decomposed again
// (Emerson and Lei: see fairSearch).
type emptiness struct {
	*domain
	automaton *automaton
	memory    int64 // bytes for the graph and everything here; 0 for no limit
	used      int64 // of them for sets and arrays

	allowed []bits // of each automaton node: the states that agree with its label; nil before
	reached []bits // of each automaton node: the states with which it was reached so far

	// The component of the automaton that is looked at: a node of the product is a position in it
	// times the number of states, plus the state.
	at       []int   // the nodes of the automaton
	position []int   // of each node of the automaton, -1 outside
	inner    [][]int // of each position: the next positions
	outer    [][]int // of each position: the next nodes of the automaton outside
	live     []bits  // of each position: the states that may lie on a fair accepting cycle
	index    []uint32
	calls    []call
	stack    []uint32 // completed, but not yet in a component
	ticks    int

	conditionSets
}

// conditionSets has the conditions of fairness, as sets of their numbers, and what is known of
// them.
type conditionSets struct {
	weak, strong     []uint64
	some, all, taken []uint64 // in the current component: enabled in some node, in all nodes; taken
	enabledHere      []uint64 // enabled in the current node
	dead             []uint64 // strong, enabled and not taken
}

// Values of index: 0 for nodes that were not visited, their number in the search while this is
// open, and then one of the following.
const (
	gone    = ^uint32(0)     // on no fair accepting cycle, or waiting to be decomposed again
	current = ^uint32(0) - 1 // in the component that is examined
)

// call is a node whose successors are looked at.
type call struct {
	node uint32
	root bool
	edge int // the edge to look at
	next int // the next position to enter with it
}

// mayBeFair reports whether there is a fair accepting cycle that can be reached. If sure is false,
// the product is too large for this search to tell.
func mayBeFair(
	ctx context.Context, d *domain, a *automaton, memory int64,
) (found, sure bool, err error) {
	return newEmptiness(d, a, memory).search(ctx)
}

func newEmptiness(d *domain, a *automaton, memory int64) *emptiness {
	e := &emptiness{domain: d, automaton: a, memory: memory,
		allowed: make([]bits, len(a.nodes)), reached: make([]bits, len(a.nodes)),
		position: make([]int, len(a.nodes))}
	for i := range e.position {
		e.position[i] = -1
	}
	words := (len(d.fair.of) + 63) / 64
	for _, set := range []*[]uint64{&e.weak, &e.strong, &e.some, &e.all, &e.taken, &e.enabledHere,
		&e.dead} {
		*set = make([]uint64, words)
	}
	for c, kind := range d.fair.of {
		switch kind {
		case system.Weak:
			bits(e.weak).set(uint32(c))
		case system.Strong:
			bits(e.strong).set(uint32(c))
		}
	}
	return e
}

func (e *emptiness) search(ctx context.Context) (found, sure bool, err error) {
	a := e.automaton
	for _, q := range a.initial {
		for s := range uint32(e.initial) {
			if e.allows(q).has(s) {
				e.set(q).set(s)
			}
		}
	}
	for _, c := range a.components() {
		if found, sure, err = e.component(ctx, c); found || err != nil || !sure {
			return found, sure, err
		}
		if e.memory > 0 && e.used+e.graphBytes() > forProduct(e.memory) {
			return false, true, errMemory
		}
	}
	return false, true, nil
}

// allows is the set of the states that agree with the label of a node of the automaton.
func (e *emptiness) allows(q int) bits {
	if e.allowed[q] == nil {
		n := e.count()
		set := newBits(n)
		e.used += int64(len(set)) * 8
		set.complement(nil, n)
		for _, l := range e.automaton.nodes[q].label {
			for i, w := range e.holds[l.atom] {
				if l.negated {
					w = ^w
				}
				set[i] &= w
			}
		}
		e.allowed[q] = set
	}
	return e.allowed[q]
}

// set is the set of the states with which a node of the automaton was reached.
func (e *emptiness) set(q int) bits {
	if e.reached[q] == nil {
		e.reached[q] = newBits(e.count())
		e.used += int64(len(e.reached[q])) * 8
	}
	return e.reached[q]
}

// component looks for a fair accepting cycle in a component of the automaton, and marks what can be
// reached from it.
func (e *emptiness) component(ctx context.Context, c []int) (found, sure bool, err error) {
	if !slices.ContainsFunc(c, func(q int) bool { return e.reached[q] != nil }) {
		return false, true, nil
	}
	e.enter(c)
	defer e.leave()
	missing, cycle := uint64(1)<<e.automaton.sets-1, false // all bits for 64 sets
	for i, q := range c {
		missing &^= e.automaton.nodes[q].accepting
		cycle = cycle || len(e.inner[i]) > 0
	}
	accepting := cycle && missing == 0
	always := len(c) == 1 && cycle && len(e.automaton.nodes[c[0]].label) == 0 &&
		(e.automaton.permits == nil || e.automaton.permits[c[0]] == nil)
	if always && !accepting && slices.Contains(e.automaton.initial, c[0]) {
		e.everywhere()
		return false, true, nil
	}
	nodes := uint64(e.count()) * uint64(len(c))
	if nodes >= uint64(current) {
		return false, false, nil
	}
	if err := e.mark(ctx); err != nil || !accepting {
		return false, true, err
	}
	any, err := e.prune(ctx)
	if err != nil || !any {
		return false, true, err
	}
	e.used += int64(nodes) * 4
	if e.memory > 0 && e.used+e.graphBytes() > forProduct(e.memory) {
		return false, true, errMemory
	}
	e.index = make([]uint32, nodes)
	defer func() {
		e.index = nil
		e.used -= int64(nodes) * 4
	}()
	open, found, err := e.decompose(ctx, e.nodes(e.live))
	for !found && err == nil && len(open) > 0 {
		region := open[len(open)-1]
		open = open[:len(open)-1]
		for _, n := range region {
			e.index[n] = 0
		}
		var more [][]uint32
		more, found, err = e.decompose(ctx, slices.Values(region))
		open = append(open, more...)
	}
	return found, true, err
}

// enter prepares the search in a component of the automaton, and leave ends it.
func (e *emptiness) enter(c []int) {
	e.at = c
	for i, q := range c {
		e.position[q] = i
	}
	e.inner, e.outer = make([][]int, len(c)), make([][]int, len(c))
	for i, q := range c {
		for _, next := range e.automaton.nodes[q].next {
			if p := e.position[next]; p >= 0 {
				e.inner[i] = append(e.inner[i], p)
			} else {
				e.outer[i] = append(e.outer[i], next)
			}
		}
	}
}

func (e *emptiness) leave() {
	e.used -= int64(len(e.live)*len(e.reached[e.at[0]])) * 8
	e.live = nil
	for _, q := range e.at {
		e.position[q] = -1
		for _, set := range []*bits{&e.reached[q], &e.allowed[q]} {
			e.used -= int64(len(*set)) * 8
			*set = nil
		}
	}
}

// everywhere marks what can be reached from a node of the automaton in which a run can begin and
// then stay as long as it likes: all states are reached with it.
func (e *emptiness) everywhere() {
	for _, q := range e.outer[0] {
		set := e.set(q)
		for i, w := range e.allows(q) {
			set[i] |= w
		}
		if slices.Contains(e.automaton.initial, q) {
			continue
		}
		// An initial state is entered only if it has a predecessor.
		entered := newBits(e.initial)
		for s := range uint32(e.count()) {
			list := e.list(s)
			for i := range list.marks {
				if to := list.to(i); to < uint32(e.initial) {
					entered.set(to)
				}
			}
		}
		for s := range uint32(e.initial) {
			if !entered.has(s) {
				set[s/64] &^= 1 << (s % 64)
			}
		}
	}
}

func (e *emptiness) tick(ctx context.Context) error {
	if e.ticks++; e.ticks%(1<<14) == 0 {
		return ctx.Err()
	}
	return nil
}

// decompose finds the strongly connected components that can be reached from the roots, until one
// is fair. It gives the parts that are to be decomposed again.
func (e *emptiness) decompose(
	ctx context.Context, roots iter.Seq[uint32],
) (open [][]uint32, found bool, err error) {
	e.calls, e.stack = e.calls[:0], e.stack[:0]
	states := uint32(e.count())
	visited := uint32(0)
	for root := range roots {
		if e.index[root] != 0 {
			continue
		}
		visited++
		e.index[root] = visited
		e.calls = append(e.calls, call{node: root, root: true})
		for len(e.calls) > 0 {
			if err := e.tick(ctx); err != nil {
				return nil, false, err
			}
			c := &e.calls[len(e.calls)-1]
			if to, ok := e.advance(c, states); ok {
				visited++
				e.index[to] = visited
				e.calls = append(e.calls, call{node: to, root: true})
				continue
			}
			n, isRoot := c.node, c.root
			e.calls = e.calls[:len(e.calls)-1]
			low := e.index[n]
			if len(e.calls) > 0 && low < e.index[e.calls[len(e.calls)-1].node] {
				up := &e.calls[len(e.calls)-1]
				e.index[up.node], up.root = low, false
			}
			e.stack = append(e.stack, n)
			if !isRoot {
				continue
			}
			from := len(e.stack) - 1
			for from > 0 && e.index[e.stack[from-1]] >= low {
				from--
			}
			members := e.stack[from:]
			visited -= uint32(len(members))
			rest, fair := e.examine(members)
			if fair {
				return nil, true, nil
			}
			if len(rest) > 0 {
				open = append(open, rest)
			}
			e.stack = e.stack[:from]
		}
	}
	return open, false, nil
}

// advance gives the next successor of a call's node that was not visited, and lowers the index of
// the node to that of the successors before it.
func (e *emptiness) advance(c *call, states uint32) (uint32, bool) {
	p := c.node / states
	list := e.list(c.node - p*states)
	inner, low := e.inner[p], e.index[c.node]
	for ; c.edge < len(list.marks); c.edge++ {
		edge := list.edge(c.edge)
		if !e.automaton.lets(e.at[p], edge) {
			continue
		}
		to := uint32(edge)
		for c.next < len(inner) {
			q := inner[c.next]
			c.next++
			if !e.live[q].has(to) {
				continue
			}
			n := uint32(q)*states + to
			switch i := e.index[n]; {
			case i == 0:
				e.index[c.node] = low
				return n, true
			case i < low:
				low = i
				c.root = false
			}
		}
		c.next = 0
	}
	e.index[c.node] = low
	return 0, false
}

// examine judges a component, as fairSearch.examine does, and takes its nodes out of the search.
func (e *emptiness) examine(nodes []uint32) (rest []uint32, fair bool) {
	for _, n := range nodes {
		e.index[n] = current
	}
	rest, fair = e.judge(nodes)
	for _, n := range nodes {
		e.index[n] = gone
	}
	return rest, fair
}

func (e *emptiness) judge(nodes []uint32) (rest []uint32, fair bool) {
	states := uint32(e.count())
	missing := uint64(1)<<e.automaton.sets - 1
	for _, n := range nodes {
		missing &^= e.automaton.nodes[e.at[n/states]].accepting
	}
	if missing != 0 {
		return nil, false
	}
	clear(e.some)
	clear(e.taken)
	for i := range e.all {
		e.all[i] = ^uint64(0)
	}
	edge := false
	for _, n := range nodes {
		p := n / states
		clear(e.enabledHere)
		list := e.list(n - p*states)
		e.fair.enable(n-p*states, list.marks, e.enabledHere)
		for i, mark := range list.marks {
			if edge && e.fair.took(mark, e.taken) || !e.automaton.lets(e.at[p], list.edge(i)) {
				continue
			}
			to := list.to(i)
			for _, next := range e.inner[p] {
				if e.index[uint32(next)*states+to] == current {
					e.fair.take(mark, e.taken)
					edge = true
					break
				}
			}
		}
		for i, w := range e.enabledHere {
			e.some[i] |= w
			e.all[i] &= w
		}
	}
	if !edge {
		return nil, false
	}
	unfair := false
	for i := range e.some {
		if e.weak[i]&e.all[i]&^e.taken[i] != 0 {
			return nil, false
		}
		e.enabledHere[i] = e.strong[i] & e.some[i] &^ e.taken[i]
		unfair = unfair || e.enabledHere[i] != 0
	}
	if !unfair {
		return nil, true
	}
	for _, n := range nodes {
		if s := n % states; !e.fair.enables(s, e.list(s).marks, e.enabledHere) {
			rest = append(rest, n)
		}
	}
	return rest, false
}
