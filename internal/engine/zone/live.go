package zone

import (
	"context"
	"slices"

	"erelong/internal/timed"
)

// vertex is an extrapolated zone of a state. In the second phase it holds what is reached without meeting the goal on the way.
type vertex struct {
	place
	parent  int32
	label   int32
	urgent  bool
	covered bool // another one of the first phase covers it
	edges   []arrow
}

type place struct {
	state, zone int32
	missing     bool // second phase
}

// arrow is an edge to another vertex, with the number of its effect on clocks.
type arrow struct{ to, label, effect int32 }

// Labels of edges that are no steps of the network.
const (
	tick  = -1 // time passes: with the clock of the ticks, one unit or more since the last tick
	begin = -2 // the second phase begins
)

// graph is the finite graph of extrapolated zones over the clocks.
type graph struct {
	*explorer
	o        Options
	ticking  bool // one more clock shows the time since the last tick
	states   states
	zones    pool[bound]
	effects  effects
	vertices []vertex
	index    map[place]int32
	kept     [][]int32  // by state: the vertices of the first phase that no other one covers
	waiting  [2][]int32 // vertices of the first phase, and of the second one, which go first
	result   *Result
	trigger  *timed.Formula // begins the second phase, nil for the start
	goal     *timed.Formula
	now      []int32
	end      *lasso // what was found, nil for nothing
	odd      bool   // effects do not say all; ticks are needed
}

// lasso is a run that misses the goal, as labels: it ends after the prefix where there is no loop.
type lasso struct{ prefix, loop []int32 }

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
	g := newGraph(net, a, o, r, trigger, goal)
	zeno, err := g.search(ctx)
	if err == nil && g.odd {
		g = newGraph(net, a, o, r, trigger, goal)
		g.tick()
		zeno, err = g.search(ctx)
	}
	if err != nil {
		return r, err
	}
	bad, good := NotSatisfied, Satisfied
	if q.Kind == timed.Always {
		bad, good = Satisfied, NotSatisfied
	}
	if g.end == nil {
		r.Answer = good
		if zeno {
			r.Reason = "of the runs on which time diverges; there are others, with infinitely many steps in bounded time, that miss it"
		}
		return r, nil
	}
	r.Answer = bad
	return r, g.show(g.end.prefix, g.end.loop)
}

// newGraph has no vertices yet. Where the goal speaks of clocks the ticks are needed from the start.
func newGraph(net *timed.Network, a *analysis, o Options, r *Result, trigger, goal *timed.Formula) *graph {
	g := &graph{explorer: newExplorer(net, a), o: o, index: map[place]int32{}, result: r, trigger: trigger, goal: goal}
	g.zones, g.effects = newPool[bound](g.n*g.n), newEffects(g.n)
	goal.Walk(func(f *timed.Formula) { g.odd = g.odd || f.Op == timed.Timing })
	return g
}

// tick adds the clock of the ticks.
func (g *graph) tick() {
	g.ticking, g.odd = true, false
	g.n++
	g.zones = newPool[bound](g.n * g.n)
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

// search builds the graph until a lasso is found. It looks for cycles each time the graph has doubled. zeno says whether there are cycles
// on which time does not diverge, in a graph without a lasso.
func (g *graph) search(ctx context.Context) (zeno bool, err error) {
	if _, ok := g.start(); ok {
		g.arrive(zero(g.n), g.here(), arrow{to: -1}, g.trigger == nil)
	}
	for count, next := 0, 64; g.end == nil && !g.odd; count++ {
		k, some := g.next()
		if !some {
			break
		}
		if count%64 == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		if f := g.steps.Memory.Fault; f != nil {
			return false, f
		}
		if g.o.MaxStates > 0 && int64(len(g.vertices)) > g.o.MaxStates {
			return false, errLimit
		}
		g.result.Visited++
		g.expand(k)
		if count == next {
			g.end, _ = g.lasso()
			next *= 2
		}
	}
	g.result.Stored = int64(len(g.vertices))
	if f := g.steps.Memory.Fault; f != nil {
		return false, f
	}
	if g.end == nil && !g.odd {
		g.end, zeno = g.lasso()
	}
	return zeno, nil
}

// next takes a vertex of those that wait.
func (g *graph) next() (k int32, some bool) {
	for _, q := range []*[]int32{&g.waiting[1], &g.waiting[0]} {
		for len(*q) > 0 {
			k, *q = (*q)[0], (*q)[1:]
			if !g.vertices[k].covered {
				return k, true
			}
		}
	}
	return 0, false
}

func (g *graph) expand(k int32) {
	v := g.vertices[k]
	state, from := g.states.state(nil, v.state), zone{g.n, g.zones.at(v.zone)}
	g.steps.Load(state)
	if v.missing && g.ends(k, from) {
		return
	}
	stay := g.invariants(nil)
	ordinal := int32(-1)
	g.each(func(m move) {
		ordinal++
		z := from.clone()
		if g.steps.Memory.Fault != nil || !z.constrainAll(g.guards(m.parts)) || !z.intersect(m.free) {
			return
		}
		if v.missing && !g.ticking {
			g.effects.bound(stay, g.buf.limits)
			g.odd = !g.effects.within(m.free) || g.odd
		}
		s, ok := g.take(m.parts)
		if ok && z.constrainAll(s.limits) {
			s.assign(z)
			g.result.Steps++
			a := arrow{to: k, label: ordinal}
			if v.missing && !g.ticking {
				for _, r := range s.resets {
					g.odd = g.odd || r.Value != 0
				}
				a.effect = g.effects.number(s.resets)
			}
			g.arrive(z, s, a, v.missing)
		}
		g.steps.Load(state)
	})
	if !v.missing {
		g.arrive(from, g.here(), arrow{to: k, label: begin}, true)
		return
	}
	z := from.clone()
	if g.ticking && !g.steps.Committed() && z.constrain(0, g.n-1, atMost(-1, false)) {
		z.reset(g.n-1, 0)
		g.arrive(z, g.here(), arrow{to: k, label: tick}, true)
	}
}

// ends says whether a run can end in a vertex of the second phase: no step is possible any more, or time passes for ever.
func (g *graph) ends(k int32, z zone) bool {
	if _, ok := g.dead(z); ok {
		g.end = &lasso{prefix: g.pathTo(k)}
		return true
	}
	if g.vertices[k].urgent || slices.ContainsFunc(g.invariants(nil), func(l limitOf) bool { return l.i != 0 }) {
		return false
	}
	if _, ok := g.idle(z); ok {
		g.end = &lasso{g.pathTo(k), []int32{tick}}
		return true
	}
	return false
}

// arrive lets time pass from a zone in the state of the memory, where a vertex leads with an arrow; its end is that vertex so far, -1 at the
// start. In the second phase that ends where the goal holds.
func (g *graph) arrive(z zone, s *step, from arrow, missing bool) {
	ways := []way{{}}
	if missing {
		ways = g.ways(from.label)
	}
	for _, w := range ways {
		if y, ok := s.settle(z, w); ok {
			g.enter(y, s.urgent, from, missing)
		}
	}
}

// enter adds the zone of the state in the memory, and the edge to it.
func (g *graph) enter(z zone, urgent bool, from arrow, missing bool) {
	g.now = g.steps.State(g.now)
	most := g.a.table(g.now[:len(g.net.Processes)]).lower
	if g.ticking {
		most = append(most, none)
		if missing {
			most[g.n-1] = 1
		}
	}
	z.extrapolate(most)
	at := place{missing: missing}
	at.state, _ = g.states.number(g.now)
	if !missing && g.covered(at.state, z, most) {
		return
	}
	at.zone, _ = g.zones.number(z.m)
	to, known := g.index[at]
	if !known {
		to = int32(len(g.vertices))
		g.index[at] = to
		g.vertices = append(g.vertices, vertex{place: at, parent: from.to, label: from.label, urgent: urgent})
		phase := 0
		if missing {
			phase = 1
		} else {
			g.kept[at.state] = append(g.kept[at.state], to)
		}
		g.waiting[phase] = append(g.waiting[phase], to)
	}
	if missing && from.to >= 0 && from.label != begin {
		v := &g.vertices[from.to]
		v.edges = append(v.edges, arrow{to, from.label, from.effect})
	}
}

// covered says whether a kept vertex of the first phase holds all regions of a zone, and otherwise drops those that the zone covers. Regions are bisimilar: what
// is reached from one zone, or not left any more, is from the other.
func (g *graph) covered(state int32, z zone, most []int32) bool {
	for int(state) >= len(g.kept) {
		g.kept = append(g.kept, nil)
	}
	old := func(k int32) zone { return zone{g.n, g.zones.at(g.vertices[k].zone)} }
	if slices.ContainsFunc(g.kept[state], func(k int32) bool { return z.within(old(k), most, most) }) {
		return true
	}
	g.kept[state] = slices.DeleteFunc(g.kept[state], func(k int32) bool {
		g.vertices[k].covered = old(k).within(z, most, most)
		return g.vertices[k].covered
	})
	return false
}

func (g *graph) pathTo(k int32) []int32 {
	out := []int32{}
	for ; g.vertices[k].parent >= 0; k = g.vertices[k].parent {
		out = append(out, g.vertices[k].label)
	}
	slices.Reverse(out)
	return out
}
