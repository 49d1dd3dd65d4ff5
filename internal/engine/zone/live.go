package zone

import (
	"context"
	"slices"

	"erelong/internal/timed"
)

// vertex is an extrapolated zone of a state. In the second phase it holds what is reached without meeting the goal on the way.
type vertex struct {
	place
	parent int32
	label  int32
	edges  []arrow
}

type place struct {
	state, zone int32
	missing     bool // second phase
}

type arrow struct{ to, label int32 }

// Labels of edges that are no steps of the network.
const (
	tick  = -1 // one time unit or more has passed since the last tick
	begin = -2 // the second phase begins
)

// graph is the finite graph of extrapolated zones over the clocks and one more, which shows the time since the last tick.
type graph struct {
	*explorer
	states   states
	zones    pool[bound]
	vertices []vertex
	index    map[place]int32
	result   *Result
	trigger  *timed.Formula // begins the second phase, nil for the start
	goal     *timed.Formula
	now      []int32
	stuck    int32 // a vertex of the second phase with a point without successors, -1 for none
}

// live decides A<>, E[] and -->: is there a maximal run that misses the goal for ever? Runs of infinitely many steps count when time
// diverges on them; a run that ends where neither a step nor time is possible any more counts as well, as in UPPAAL.
func live(ctx context.Context, net *timed.Network, q *timed.Query, o Options) (*Result, error) {
	r := &Result{Loop: -1}
	var trigger *timed.Formula
	goal := q.Formula
	switch q.Kind {
	case timed.Always:
		goal = timed.Not(goal)
	case timed.LeadsTo:
		trigger, goal = q.Formula, q.Then
	}
	formulas := []*timed.Formula{{Op: timed.Deadlock}}
	for _, f := range []*timed.Formula{goal, trigger} {
		if f == nil {
			continue
		}
		formulas = append(formulas, f)
		deadlock := false
		f.Walk(func(g *timed.Formula) { deadlock = deadlock || g.Op == timed.Deadlock || g.Op == timed.Alive })
		if deadlock {
			r.Reason = "deadlock is not supported in A<>, E[] and -->"
			return r, nil
		}
	}
	a, err := analyse(ctx, net, formulas)
	if err != nil {
		return r, err
	}
	if len(a.diagonals) > 0 {
		r.Reason = "A<>, E[] and --> are not supported where differences of clocks are compared"
		return r, nil
	}
	g := &graph{explorer: newExplorer(net, a), index: map[place]int32{}, result: r, trigger: trigger, goal: goal, stuck: -1}
	g.n++ // the clock of the ticks
	g.zones = newPool[bound](g.n * g.n)
	if err := g.build(ctx, o); err != nil {
		return r, err
	}
	bad, good := NotSatisfied, Satisfied
	if q.Kind == timed.Always {
		bad, good = Satisfied, NotSatisfied
	}
	prefix, loop, zeno := g.lasso()
	if prefix == nil && g.stuck >= 0 {
		prefix = g.pathTo(g.stuck)
	}
	if prefix == nil {
		r.Answer = good
		if zeno {
			r.Reason = "of the runs on which time diverges; there are others, with infinitely many steps in bounded time, that miss it"
		}
		return r, nil
	}
	r.Answer = bad
	return r, g.show(prefix, loop)
}

// show makes the run: the prefix and one round of the loop, without what are no steps.
func (g *graph) show(prefix, loop []int32) error {
	labels := slices.DeleteFunc(slices.Concat(prefix, loop), func(l int32) bool { return l == tick })
	x := &graph{explorer: newExplorer(g.net, g.a), trigger: g.trigger, goal: g.goal}
	final := func(zone) (zone, bool) { return unbounded(x.n), true }
	switch {
	case loop == nil:
		final = x.dead
	case !slices.ContainsFunc(loop, func(l int32) bool { return l != tick }):
		final = x.idle
	}
	_, path, ending, ok := x.exact(zero(x.n), x.here(), 0, labels, g.trigger == nil, final)
	if !ok {
		return errSchedule
	}
	slices.Reverse(path)
	end := &timed.Formula{Op: timed.Data, Eval: func(*timed.Memory) int32 { return 1 }}
	if loop == nil {
		end = &timed.Formula{Op: timed.Deadlock}
	} else {
		g.result.Loop = len(slices.DeleteFunc(slices.Clone(prefix), func(l int32) bool { return l < 0 }))
	}
	var err error
	if g.result.Run, err = schedule(g.net, path, end, ending); err != nil {
		return err
	}
	return timed.Replay(g.net, g.result.Run, end)
}

func (g *graph) build(ctx context.Context, o Options) error {
	if _, ok := g.start(); ok {
		g.arrive(zero(g.n), g.here(), -1, 0, g.trigger == nil)
	}
	for k := int32(0); int(k) < len(g.vertices); k++ {
		if k%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if f := g.steps.Memory.Fault; f != nil {
			return f
		}
		if o.MaxStates > 0 && int64(len(g.vertices)) > o.MaxStates {
			return errLimit
		}
		g.expand(k)
	}
	g.result.Visited, g.result.Stored = int64(len(g.vertices)), int64(len(g.vertices))
	if f := g.steps.Memory.Fault; f != nil {
		return f
	}
	return nil
}

func (g *graph) expand(k int32) {
	v := g.vertices[k]
	state, from := g.states.state(nil, v.state), zone{g.n, g.zones.at(v.zone)}
	g.steps.Load(state)
	ordinal := int32(-1)
	g.each(func(m move) {
		ordinal++
		z := from.clone()
		if g.steps.Memory.Fault != nil || !z.constrainAll(g.guards(m.parts)) || !z.intersect(m.free) {
			return
		}
		s, ok := g.take(m.parts)
		if ok && z.constrainAll(s.limits) {
			s.assign(z)
			g.result.Steps++
			g.arrive(z, s, k, ordinal, v.missing)
		}
		g.steps.Load(state)
	})
	if !v.missing {
		g.arrive(from, g.here(), k, begin, true)
		return
	}
	if g.stuck < 0 {
		if _, ok := g.dead(from); ok {
			g.stuck = k
		}
	}
	z := from.clone()
	if !g.steps.Committed() && z.constrain(0, g.n-1, atMost(-1, false)) {
		z.reset(g.n-1, 0)
		g.arrive(z, g.here(), k, tick, true)
	}
}

// arrive lets time pass from a zone in the state of the memory. In the second phase that ends where the goal holds.
func (g *graph) arrive(z zone, s *step, from, label int32, missing bool) {
	ways := []way{{}}
	if missing {
		ways = g.ways(label)
	}
	for _, w := range ways {
		if y, ok := s.settle(z, w); ok {
			g.enter(y, from, label, missing)
		}
	}
}

// enter adds the zone of the state in the memory, and the edge to it.
func (g *graph) enter(z zone, from, label int32, missing bool) {
	g.now = g.steps.State(g.now)
	most := append(g.a.table(g.now[:len(g.net.Processes)]).lower, none)
	if missing {
		most[g.n-1] = 1
	}
	z.extrapolate(most)
	at := place{missing: missing}
	at.state, _ = g.states.number(g.now)
	at.zone, _ = g.zones.number(z.m)
	to, known := g.index[at]
	if !known {
		to = int32(len(g.vertices))
		g.index[at] = to
		g.vertices = append(g.vertices, vertex{place: at, parent: from, label: label})
	}
	if from >= 0 {
		g.vertices[from].edges = append(g.vertices[from].edges, arrow{to, label})
	}
}

func (g *graph) pathTo(k int32) []int32 {
	out := []int32{}
	for ; g.vertices[k].parent >= 0; k = g.vertices[k].parent {
		out = append(out, g.vertices[k].label)
	}
	slices.Reverse(out)
	return out
}

// lasso finds a cycle of the second phase with a tick. zeno says whether there is a cycle of steps without one.
func (g *graph) lasso() (prefix, loop []int32, zeno bool) {
	part := g.components()
	for k, v := range g.vertices {
		if !v.missing {
			continue
		}
		for _, e := range v.edges {
			switch {
			case part[e.to] != part[k]:
			case e.label != tick:
				zeno = true
			case prefix == nil:
				prefix = g.pathTo(int32(k))
				loop = append([]int32{tick}, g.within(e.to, int32(k), part)...)
			}
		}
	}
	return prefix, loop, zeno
}

// within gives a path between two vertices of one component.
func (g *graph) within(from, to int32, part []int32) []int32 {
	type origin struct{ vertex, label int32 }
	came := map[int32]origin{from: {-1, 0}}
	queue := []int32{from}
	for len(queue) > 0 && queue[0] != to {
		k := queue[0]
		queue = queue[1:]
		for _, e := range g.vertices[k].edges {
			if _, seen := came[e.to]; !seen && part[e.to] == part[to] {
				came[e.to] = origin{k, e.label}
				queue = append(queue, e.to)
			}
		}
	}
	var out []int32
	for k := to; k != from; k = came[k].vertex {
		out = append(out, came[k].label)
	}
	slices.Reverse(out)
	return out
}

// components numbers the strongly connected components of the second phase (Tarjan), without recursion.
func (g *graph) components() []int32 {
	n := len(g.vertices)
	part, low, number := make([]int32, n), make([]int32, n), make([]int32, n)
	var stack, path []int32
	next := make([]int, n)
	count, parts := int32(0), int32(0)
	for root := range g.vertices {
		if number[root] != 0 || !g.vertices[root].missing {
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
			if next[k] < len(g.vertices[k].edges) {
				to := g.vertices[k].edges[next[k]].to
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
