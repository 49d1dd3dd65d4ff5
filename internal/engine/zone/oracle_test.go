package zone

import (
	"fmt"
	"slices"

	"erelong/internal/timed"
)

// The oracle explores the region graph (Alur, Dill: A theory of timed automata), with its own reading of what a step is.

// region is a valuation of clocks up to what constraints with numbers up to ceiling can tell: whole parts, and the order of the
// fractions as ranks, with rank 0 for none. A clock above the ceiling has the whole part ceiling+1. Clock 0 is zero.
type region struct{ whole, rank []int }

const ceiling = 4

func (r region) clone() region { return region{slices.Clone(r.whole), slices.Clone(r.rank)} }

func (r region) String() string { return fmt.Sprint(r.whole, r.rank) }

// tidy makes ranks consecutive and forgets what lies above the ceiling.
func (r region) tidy() region {
	for x := range r.whole {
		if r.whole[x] > ceiling || r.whole[x] == ceiling && r.rank[x] > 0 {
			r.whole[x], r.rank[x] = ceiling+1, 0
		}
	}
	ranks := slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(r.rank), 0))))
	for x := range r.rank {
		r.rank[x] = slices.Index(ranks, r.rank[x])
	}
	return r
}

// later is the next region that time leads to.
func (r region) later() region {
	s := r.clone()
	highest, integral := 0, false
	for x := 1; x < len(r.whole); x++ {
		if r.whole[x] <= ceiling {
			highest = max(highest, r.rank[x])
			integral = integral || r.rank[x] == 0
		}
	}
	for x := 1; x < len(r.whole); x++ {
		switch {
		case r.whole[x] > ceiling:
		case integral:
			s.rank[x]++
		case r.rank[x] == highest:
			s.whole[x], s.rank[x] = r.whole[x]+1, 0
		}
	}
	return s.tidy()
}

func (r region) satisfies(c timed.Constraint, m *timed.Memory) bool {
	if c.Cond != nil && c.Cond(m) == 0 {
		return true
	}
	i, j, b := c.I.Index(m), c.J.Index(m), int(c.Bound.Eval(m))
	d := r.whole[i] - r.whole[j]
	switch {
	case r.rank[i] == r.rank[j] && c.Strict, r.rank[i] > r.rank[j]:
		return d < b
	}
	return d <= b
}

// configuration is a state of the region graph.
type configuration struct {
	cells  []int32
	region region
}

type oracle struct {
	net *timed.Network
	all map[string]*knot // the whole graph, once it is explored
}

func (o *oracle) memory(c configuration) *timed.Memory {
	return &timed.Memory{Cells: slices.Clone(c.cells)}
}

func (o *oracle) key(c configuration) string { return fmt.Sprint(c.cells, c.region) }

func (o *oracle) location(c configuration, p int) *timed.Location {
	return o.net.Processes[p].Locations[c.cells[p]]
}

func (o *oracle) invariant(c configuration) bool {
	m := o.memory(c)
	for p := range o.net.Processes {
		l := o.location(c, p)
		if l.Data != nil && l.Data(m) == 0 {
			return false
		}
		for _, k := range l.Clocks {
			if !c.region.satisfies(k, m) {
				return false
			}
		}
	}
	return true
}

type member struct {
	p int
	e *timed.Edge
}

// candidates gives all sets of edges that fit together, by channels and data.
func (o *oracle) candidates(c configuration) (out [][]member) {
	m := o.memory(c)
	ready := func(p int, sync timed.Sync, channel int32) (out []member) {
		for _, e := range o.location(c, p).Out {
			if e.Sync == sync && (e.Guard == nil || e.Guard(m) != 0) && (sync == timed.Internal || e.Channel.Eval(m) == channel) {
				out = append(out, member{p, e})
			}
		}
		return out
	}
	for p := range o.net.Processes {
		for _, e := range ready(p, timed.Internal, 0) {
			out = append(out, []member{e})
		}
		for k, channel := range o.net.Channels {
			for _, e := range ready(p, timed.Send, int32(k)) {
				sets := [][]member{{e}}
				for q := range o.net.Processes {
					others := ready(q, timed.Receive, int32(k))
					if q == p || len(others) == 0 {
						continue
					}
					if !channel.Broadcast {
						for _, f := range others {
							out = append(out, []member{e, f})
						}
						continue
					}
					var longer [][]member
					for _, s := range sets {
						for _, f := range others {
							longer = append(longer, append(slices.Clone(s), f))
						}
					}
					sets = longer
				}
				if channel.Broadcast {
					out = append(out, sets...)
				}
			}
		}
	}
	committed := func(p int) bool { return o.location(c, p).Committed }
	some := false
	for p := range o.net.Processes {
		some = some || committed(p)
	}
	return slices.DeleteFunc(out, func(set []member) bool {
		return some && !slices.ContainsFunc(set, func(x member) bool { return committed(x.p) })
	})
}

func (o *oracle) urgent(c configuration) bool {
	for p := range o.net.Processes {
		if l := o.location(c, p); l.Urgent || l.Committed {
			return true
		}
	}
	return slices.ContainsFunc(o.candidates(c), func(set []member) bool {
		return set[0].e.Sync == timed.Send && o.net.Channels[set[0].e.Channel.Eval(o.memory(c))].Urgent
	})
}

// steps gives the successors by edges.
func (o *oracle) steps(c configuration) (out []configuration) {
next:
	for _, set := range o.candidates(c) {
		m := o.memory(c)
		for _, x := range set {
			for _, k := range x.e.Clocks {
				if !c.region.satisfies(k, m) {
					continue next
				}
			}
		}
		d := configuration{region: c.region.clone()}
		for _, x := range set {
			if x.e.Update != nil {
				x.e.Update(m)
			}
			m.Cells[x.p] = int32(x.e.Target)
		}
		for _, r := range m.Resets {
			d.region.whole[r.Clock], d.region.rank[r.Clock] = int(r.Value), 0
		}
		d.region.tidy()
		if d.cells = m.Cells; o.invariant(d) {
			out = append(out, d)
		}
	}
	return out
}

// delayed gives the configuration after the shortest delay that changes the region, false if time cannot pass so far.
func (o *oracle) delayed(c configuration) (configuration, bool) {
	d := configuration{c.cells, c.region.later()}
	return d, !o.urgent(c) && d.region.String() != c.region.String() && o.invariant(d)
}

func (o *oracle) deadlock(c configuration) bool {
	for ok := true; ok; c, ok = o.delayed(c) {
		if len(o.steps(c)) > 0 {
			return false
		}
	}
	return true
}

func (o *oracle) holds(c configuration, f *timed.Formula) bool {
	m := o.memory(c)
	holds := func(p *timed.Formula) bool { return o.holds(c, p) }
	switch f.Op {
	case timed.And:
		return !slices.ContainsFunc(f.Parts, func(p *timed.Formula) bool { return !holds(p) })
	case timed.Or:
		return slices.ContainsFunc(f.Parts, holds)
	case timed.Data:
		return f.Eval(m) != 0
	case timed.Timing:
		return c.region.satisfies(f.Constraint, m)
	case timed.Alive:
		return !o.deadlock(c)
	}
	return o.deadlock(c)
}

// knot is a configuration with its successors, in the part of the graph that was asked for.
type knot struct {
	configuration
	next  []string
	delay string // one of next, empty if time cannot pass
}

// explore gives the graph from these configurations within a set.
func (o *oracle) explore(from []configuration, within func(configuration) bool) map[string]*knot {
	graph := map[string]*knot{}
	var queue []*knot
	visit := func(c configuration) string {
		k := o.key(c)
		if graph[k] == nil && within(c) {
			graph[k] = &knot{configuration: c}
			queue = append(queue, graph[k])
		}
		return k
	}
	for _, c := range from {
		visit(c)
	}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, d := range o.steps(n.configuration) {
			n.next = append(n.next, visit(d))
		}
		if d, ok := o.delayed(n.configuration); ok {
			n.delay = visit(d)
			n.next = append(n.next, n.delay)
		}
	}
	return graph
}

func (o *oracle) start() []configuration {
	n := len(o.net.Clocks)
	c := configuration{slices.Clone(o.net.Init), region{make([]int, n), make([]int, n)}}
	if !o.invariant(c) {
		return nil
	}
	return []configuration{c}
}

// reachable gives the whole graph.
func (o *oracle) reachable() map[string]*knot {
	if o.all == nil {
		o.all = o.explore(o.start(), func(configuration) bool { return true })
	}
	return o.all
}

// reaches says whether a configuration with the formula can be reached.
func (o *oracle) reaches(f *timed.Formula) bool {
	for _, n := range o.reachable() {
		if o.holds(n.configuration, f) {
			return true
		}
	}
	return false
}

// misses says whether there is a run from some of these configurations that never meets the goal, and that time-diverges or ends in
// a state without step. Time diverges on a run through a set of regions if each clock is in some of them above the ceiling, or
// zero in some and positive in others; or if time can pass for ever where all clocks are above the ceiling.
func (o *oracle) misses(from []configuration, goal *timed.Formula) bool {
	graph := o.explore(from, func(c configuration) bool { return !o.holds(c, goal) })
	reach := map[string]map[string]bool{}
	for k := range graph {
		seen := map[string]bool{}
		stack := []string{k}
		for len(stack) > 0 {
			n := graph[stack[len(stack)-1]]
			stack = stack[:len(stack)-1]
			if n == nil {
				continue
			}
			for _, x := range n.next {
				if graph[x] != nil && !seen[x] {
					seen[x] = true
					stack = append(stack, x)
				}
			}
		}
		reach[k] = seen
	}
	for k, n := range graph {
		if o.deadlock(n.configuration) {
			return true
		}
		var together []region
		for other := range reach[k] {
			if reach[other][k] {
				together = append(together, graph[other].region)
			}
		}
		above := !slices.ContainsFunc(n.region.whole[1:], func(w int) bool { return w <= ceiling })
		if above && !o.urgent(n.configuration) {
			return true
		}
		if len(together) > 0 && diverges(together) {
			return true
		}
	}
	return false
}

func diverges(rs []region) bool {
	for x := 1; x < len(rs[0].whole); x++ {
		above, zero, positive := false, false, false
		for _, r := range rs {
			above = above || r.whole[x] > ceiling
			isZero := r.whole[x] == 0 && r.rank[x] == 0
			zero, positive = zero || isZero, positive || !isZero
		}
		if !above && (!zero || !positive) {
			return false
		}
	}
	return true
}
