package zone

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"erelong.dev/erelong/internal/timed"
)

// The oracle explores the states of a network with clocks of some finite representation, and has
// its own reading of steps.

// valuation represents the values of the clocks. Clock 0 is always zero.
type valuation interface {
	satisfies(c timed.Constraint, m *timed.Memory) bool
	later() valuation // after the shortest delay that can be distinguished
	set(x int, value int) valuation
	String() string // different for different valuations
}

type configuration struct {
	cells  []int32
	clocks valuation
}

type oracle struct {
	net  *timed.Network
	zero valuation
	all  map[string]*knot // the whole graph, once it is explored
}

// decide answers a query.
func (o *oracle) decide(q *timed.Query) bool {
	switch q.Kind {
	case timed.Possibly:
		return o.reaches(q.Formula)
	case timed.Invariantly:
		return !o.reaches(timed.Not(q.Formula))
	case timed.Inevitably:
		return !o.misses(o.start(), q.Formula)
	case timed.Always:
		return o.misses(o.start(), timed.Not(q.Formula))
	}
	var from []configuration
	for _, n := range o.reachable() {
		if o.holds(n.configuration, q.Formula) {
			from = append(from, n.configuration)
		}
	}
	return !o.misses(from, q.Then)
}

func (o *oracle) memory(c configuration) *timed.Memory {
	return &timed.Memory{Cells: slices.Clone(c.cells)}
}

func (o *oracle) key(c configuration) string {
	k := []byte(c.clocks.String())
	for p := range o.net.Processes {
		k = append(k, byte(c.cells[p]))
	}
	for _, v := range o.net.Variables {
		k = append(k, byte(c.cells[v.Cell]))
	}
	return string(k)
}

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
			if !c.clocks.satisfies(k, m) {
				return false
			}
		}
	}
	return true
}

// member is the edge of a process in a step, with the values that it selects.
type member struct {
	p      int
	e      *timed.Edge
	values []int32
}

// choose sets the selected values of the edge.
func (x member) choose(m *timed.Memory) {
	for i, s := range x.e.Selects {
		m.Cells[s.Cell] = x.values[i]
	}
}

// members gives an edge with all values that it can select.
func members(p int, e *timed.Edge) []member {
	out := []member{{p, e, nil}}
	for _, s := range e.Selects {
		var longer []member
		for _, x := range out {
			for v := s.Lo; v <= s.Hi; v++ {
				longer = append(longer, member{p, e, append(slices.Clone(x.values), v)})
			}
		}
		out = longer
	}
	return out
}

// candidates gives all sets of edges that fit together, by channels and data, and for broadcasts by
// the clocks of the receivers.
func (o *oracle) candidates(c configuration) (out [][]member) {
	m := o.memory(c)
	ready := func(p int, sync timed.Sync, channel int32) (out []member) {
		for _, e := range o.location(c, p).Out {
			for _, x := range members(p, e) {
				x.choose(m)
				if e.Sync == sync && (e.Guard == nil || e.Guard(m) != 0) &&
					(sync == timed.Internal || e.Channel.Eval(m) == channel) {
					out = append(out, x)
				}
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
					// A process that can receive must, and clocks decide whether it can.
					if channel.Broadcast {
						others = slices.DeleteFunc(others, func(x member) bool {
							x.choose(m)
							return slices.ContainsFunc(x.e.Clocks, func(k timed.Constraint) bool {
								return !c.clocks.satisfies(k, m)
							})
						})
					}
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
		m := o.memory(c)
		set[0].choose(m)
		return set[0].e.Sync == timed.Send && o.net.Channels[set[0].e.Channel.Eval(m)].Urgent
	})
}

// steps gives the successors by edges of the highest priority.
func (o *oracle) steps(c configuration) (out []configuration) {
	var highest [2]int
next:
	for _, set := range o.candidates(c) {
		m := o.memory(c)
		for _, x := range set {
			x.choose(m)
			for _, k := range x.e.Clocks {
				if !c.clocks.satisfies(k, m) {
					continue next
				}
			}
		}
		d := configuration{clocks: c.clocks}
		priority := [2]int{0, math.MinInt}
		if set[0].e.Sync != timed.Internal {
			priority[0] = o.net.Channels[set[0].e.Channel.Eval(m)].Priority
		}
		for _, x := range set {
			priority[1] = max(priority[1], o.net.Processes[x.p].Priority)
			if x.e.Update != nil {
				x.e.Update(m)
			}
			m.Cells[x.p] = int32(x.e.Target)
		}
		for _, r := range m.Resets {
			d.clocks = d.clocks.set(r.Clock, int(r.Value))
		}
		if d.cells = m.Cells; o.invariant(d) {
			switch order := slices.Compare(priority[:], highest[:]); {
			case len(out) == 0 || order > 0:
				out, highest = []configuration{d}, priority
			case order == 0:
				out = append(out, d)
			}
		}
	}
	return out
}

// delayed gives the configuration after the shortest delay that changes the region, false if time
// cannot pass so far.
func (o *oracle) delayed(c configuration) (configuration, bool) {
	d := configuration{c.cells, nil}
	if s, stops := c.clocks.(quarters); stops {
		d.clocks = s.laterBut(o.still(c))
	} else {
		d.clocks = c.clocks.later()
	}
	return d, !o.urgent(c) && d.clocks.String() != c.clocks.String() && o.invariant(d)
}

func (o *oracle) deadlock(c configuration) bool {
	for ok := true; ok; c, ok = o.delayed(c) {
		if len(o.steps(c)) > 0 {
			return false
		}
	}
	return true
}

// meets says whether the goal is met while time passes.
func (o *oracle) meets(c configuration, goal *timed.Formula) bool {
	for ok := true; ok; c, ok = o.delayed(c) {
		if o.holds(c, goal) {
			return true
		}
	}
	return false
}

func (o *oracle) holds(c configuration, f *timed.Formula) bool {
	m := o.memory(c)
	holds := func(p *timed.Formula) bool { return o.holds(c, p) }
	switch f.Op {
	case timed.And:
		return !slices.ContainsFunc(f.Args, func(p *timed.Formula) bool { return !holds(p) })
	case timed.Or:
		return slices.ContainsFunc(f.Args, holds)
	case timed.Data:
		return f.Eval(m) != 0
	case timed.Timing:
		return c.clocks.satisfies(f.Constraint, m)
	case timed.Alive:
		return !o.deadlock(c)
	}
	return o.deadlock(c)
}

// knot is a configuration with its successors, in the part of the graph that was asked for.
type knot struct {
	configuration
	next []string
	tick string // one of next, empty for no tick
}

// explore gives the graph from these configurations within a set. The clock tick, if it is not 0,
// ticks.
func (o *oracle) explore(
	from []configuration, within func(configuration) bool, tick int,
) map[string]*knot {
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
		if r, ok := n.clocks.(region); ok && tick > 0 && r.whole[tick] == 1 {
			n.tick = visit(configuration{n.cells, r.set(tick, 0)})
			n.next = append(n.next, n.tick)
		} else if d, ok := o.delayed(n.configuration); ok {
			n.next = append(n.next, visit(d))
		}
	}
	return graph
}

func (o *oracle) start() []configuration {
	c := configuration{slices.Clone(o.net.Init), o.zero}
	if !o.invariant(c) {
		return nil
	}
	return []configuration{c}
}

// reachable gives the whole graph.
func (o *oracle) reachable() map[string]*knot {
	if o.all == nil {
		o.all = o.explore(o.start(), func(configuration) bool { return true }, 0)
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

// misses says whether there is a run from some of these configurations that never meets the goal,
// and on which time diverges or which ends in a state without step. The clocks are regions. One
// more clock is set to zero whenever it shows one, which is a tick: time diverges on a run with
// infinitely many ticks.
func (o *oracle) misses(from []configuration, goal *timed.Formula) bool {
	var ticking []configuration
	for _, c := range from {
		r := c.clocks.(region)
		ticking = append(ticking,
			configuration{c.cells,
				region{append(slices.Clone(r.whole), 0), append(slices.Clone(r.rank), 0),
					r.ceiling}})
	}
	graph := o.explore(ticking, func(c configuration) bool { return !o.holds(c, goal) },
		len(o.net.Clocks))
	for _, n := range graph {
		if o.deadlock(n.configuration) && !o.meets(n.configuration, goal) {
			return true
		}
	}
	for _, part := range components(graph) {
		if slices.ContainsFunc(part, func(k string) bool {
			return slices.Contains(part, graph[k].tick)
		}) {
			return true
		}
	}
	return false
}

// along gives the regions that a run passes through.
func (o *oracle) along(run *timed.Run) (out []configuration, err error) {
	moments, err := timed.Moments(o.net, run, nil)
	if err != nil {
		return nil, err
	}
	ceiling := o.zero.(region).ceiling
	s := timed.NewStepper(o.net, nil)
	for i, delay := range run.Delays {
		s.Load(moments[i].State)
		later := make([]*big.Rat, len(moments[i].Clocks))
		for x, v := range moments[i].Clocks {
			if later[x] = v; x > 0 {
				later[x] = new(big.Rat).Add(v, delay)
			}
		}
		end := regionOf(later, ceiling)
		for r := valuation(regionOf(moments[i].Clocks, ceiling)); ; r = r.later() {
			out = append(out, configuration{slices.Clone(s.Memory.Cells), r})
			if r.String() == end.String() {
				break
			}
		}
	}
	return out, nil
}

// missing checks the run of a result by which the goal of a query can be missed.
func (o *oracle) missing(r *Result, q *timed.Query) error {
	passed, err := o.along(r.Run)
	if err != nil {
		return err
	}
	goal := q.Formula
	switch q.Kind {
	case timed.Always:
		goal = timed.Not(goal)
	case timed.LeadsTo:
		goal = q.Then
	}
	triggered := q.Kind != timed.LeadsTo
	for i, c := range passed {
		if q.Kind == timed.LeadsTo && o.holds(c, q.Formula) {
			triggered = true
		}
		if o.holds(c, goal) {
			if q.Kind != timed.LeadsTo {
				return fmt.Errorf("the run meets the goal in region %d of %d", i, len(passed))
			}
			triggered = false
		}
	}
	last := passed[len(passed)-1]
	switch {
	case !triggered:
		return errors.New("the run meets the goal in the end")
	case r.Loop < 0 && (!o.deadlock(last) || o.meets(last, goal)):
		return errors.New("the run goes on")
	case r.Loop == len(r.Run.Steps) && o.meets(last, goal):
		return errors.New("time leads from the end of the run to the goal")
	}
	return nil
}

// components gives the sets of knots that reach each other (Kosaraju, Sharir).
func components(graph map[string]*knot) (out [][]string) {
	before := map[string][]string{}
	var order []string
	seen := map[string]bool{}
	var forward func(k string)
	forward = func(k string) {
		seen[k] = true
		for _, to := range graph[k].next {
			if graph[to] != nil {
				before[to] = append(before[to], k)
				if !seen[to] {
					forward(to)
				}
			}
		}
		order = append(order, k)
	}
	for k := range graph {
		if !seen[k] {
			forward(k)
		}
	}
	done := map[string]bool{}
	for _, k := range slices.Backward(order) {
		if done[k] {
			continue
		}
		done[k] = true
		part := []string{k}
		for i := 0; i < len(part); i++ {
			for _, from := range before[part[i]] {
				if !done[from] {
					done[from] = true
					part = append(part, from)
				}
			}
		}
		out = append(out, part)
	}
	return out
}
