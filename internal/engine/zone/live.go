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
	coarse   bool // vertices of the second phase stand for what they cover as well; a cycle may then be none
	ticking  bool // one more clock shows the time since the last tick
	states   states
	zones    pool[bound]
	effects  effects
	vertices []vertex
	index    map[place]int32
	kept     [2][][]int32 // by phase and state: the vertices that no other one covers
	waiting  [2][]int32   // vertices of the first phase, and of the second one, which go first
	result   *Result
	trigger  *timed.Formula // begins the second phase, nil for the start
	goal     *timed.Formula
	now      []int32
	end      *lasso // what was found, nil for nothing
	remark   string // about runs on which time does not diverge
	unsure   bool   // this graph does not tell
}

// lasso is a run that misses the goal, as labels: it ends after the prefix where there is no loop.
type lasso struct {
	prefix, loop []int32
	at           int32 // the vertex where the loop begins
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
	var g *graph
	for _, prepare := range []func(*graph){(*graph).covering, (*graph).exactly, (*graph).tick} {
		g = newGraph(net, a, o, r, trigger, goal)
		if prepare(g); g.unsure {
			continue
		}
		if err = g.search(ctx); err != nil {
			return r, err
		}
		if !g.unsure {
			break
		}
	}
	bad, good := NotSatisfied, Satisfied
	if q.Kind == timed.Always {
		bad, good = Satisfied, NotSatisfied
	}
	if g.end == nil {
		r.Answer = good
		r.Reason = g.remark
		return r, nil
	}
	r.Answer = bad
	return r, g.show(g.end.prefix, g.end.loop)
}

// newGraph has no vertices yet. Where the goal speaks of clocks the ticks are needed from the start.
func newGraph(net *timed.Network, a *analysis, o Options, r *Result, trigger, goal *timed.Formula) *graph {
	g := &graph{explorer: newExplorer(net, a), o: o, index: map[place]int32{}, result: r, trigger: trigger, goal: goal}
	g.zones, g.effects = newPool[bound](g.n*g.n), newEffects(g.n)
	goal.Walk(func(f *timed.Formula) { g.unsure = g.unsure || f.Op == timed.Timing })
	return g
}

// covering is the first way to search. An infinite path stays one when a zone is replaced by one that holds its regions; so without a
// cycle on which time diverges there is no such run. What seems to be a cycle has to be looked at.
func (g *graph) covering() { g.coarse = true }

func (g *graph) exactly() {}

// tick adds the clock of the ticks, with which everything can be told.
func (g *graph) tick() {
	g.ticking, g.unsure = true, false
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

// search builds the graph until a lasso is found. It looks for cycles each time the graph has doubled.
func (g *graph) search(ctx context.Context) error {
	if _, ok := g.start(); ok {
		g.arrive(zero(g.n), g.here(), arrow{to: -1}, g.trigger == nil)
	}
	for count, next := 0, 64; g.end == nil && !g.unsure; count++ {
		k, some := g.next()
		if !some {
			break
		}
		if count%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if f := g.steps.Memory.Fault; f != nil {
			return f
		}
		if g.o.MaxStates > 0 && int64(len(g.vertices)) > g.o.MaxStates {
			return errLimit
		}
		g.result.Visited++
		g.expand(k)
		if count == next {
			if found, _ := g.lasso(); found != nil && g.repeats(found) {
				g.end = found
			}
			next *= 2
		}
	}
	g.result.Stored = int64(len(g.vertices))
	if f := g.steps.Memory.Fault; f != nil {
		return f
	}
	if g.end != nil || g.unsure {
		return nil
	}
	found, converging := g.lasso()
	switch {
	case found != nil && g.repeats(found):
		g.end = found
	case found != nil:
		g.unsure = true
	case converging != nil && g.repeats(converging):
		g.remark = "of the runs on which time diverges; there are others, with infinitely many steps in bounded time, that miss it"
	case converging != nil:
		g.remark = "of the runs on which time diverges; there may be others, with infinitely many steps in bounded time, that miss it"
	}
	return nil
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
			g.unsure = !g.effects.within(m.free) || g.unsure
		}
		s, ok := g.take(m.parts)
		if ok && z.constrainAll(s.limits) {
			s.assign(z)
			g.result.Steps++
			a := arrow{to: k, label: ordinal}
			if v.missing && !g.ticking {
				for _, r := range s.resets {
					g.unsure = g.unsure || r.Value != 0
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
		g.end = &lasso{g.pathTo(k), nil, k}
		return true
	}
	if g.vertices[k].urgent || slices.ContainsFunc(g.invariants(nil), func(l limitOf) bool { return l.i != 0 }) {
		return false
	}
	if _, ok := g.idle(z); ok {
		g.end = &lasso{g.pathTo(k), []int32{tick}, k}
		return true
	}
	return false
}

// arrive lets time pass from a zone in the state of the memory. There an edge leads, of which to is still the vertex where it begins,
// -1 at the start. In the second phase time ends where the goal holds.
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
	most := g.forget(z, missing)
	at := place{missing: missing}
	at.state, _ = g.states.number(g.now)
	for p := range g.kept {
		for int(at.state) >= len(g.kept[p]) {
			g.kept[p] = append(g.kept[p], nil)
		}
	}
	phase := 0
	if missing {
		phase = 1
	}
	if !missing || g.coarse {
		if by := g.covered(phase, at.state, z, most); by != none {
			g.connect(from, by, missing)
			return
		}
	}
	at.zone, _ = g.zones.number(z.m)
	to, known := g.index[at]
	if !known {
		to = int32(len(g.vertices))
		g.index[at] = to
		g.vertices = append(g.vertices, vertex{place: at, parent: from.to, label: from.label, urgent: urgent})
		g.kept[phase][at.state] = append(g.kept[phase][at.state], to)
		g.waiting[phase] = append(g.waiting[phase], to)
	}
	g.connect(from, to, missing)
}

// forget extrapolates a zone of the state that g.now holds. It gives the numbers with which clocks are compared.
func (g *graph) forget(z zone, missing bool) []int32 {
	most := g.a.table(g.now[:len(g.net.Processes)]).lower
	if g.ticking {
		most = append(most, none)
		if missing {
			most[g.n-1] = 1
		}
	}
	z.extrapolate(most)
	return most
}

// repeats says whether a loop is one of zones that cover nothing else: whether it can be gone through until a zone comes again.
func (g *graph) repeats(l *lasso) bool {
	if !g.coarse {
		return true
	}
	v := g.vertices[l.at]
	z := zone{g.n, g.zones.at(v.zone)}.clone()
	g.steps.Load(g.states.state(nil, v.state))
	for seen := map[int32]bool{}; ; {
		k, _ := g.zones.number(z.m)
		if seen[k] {
			return true
		}
		seen[k] = true
		for _, label := range l.loop {
			if label < 0 {
				continue
			}
			m, err := g.nth(label)
			if err != nil || !z.constrainAll(g.guards(m.parts)) || !z.intersect(m.free) {
				return false
			}
			s, ok := g.take(m.parts)
			if !ok || !z.constrainAll(s.limits) {
				return false
			}
			s.assign(z)
			if z, ok = s.settle(z, way{}); !ok {
				return false
			}
			g.now = g.steps.State(g.now)
			g.forget(z, true)
		}
	}
}

// connect adds an edge of the second phase.
func (g *graph) connect(from arrow, to int32, missing bool) {
	if missing && from.to >= 0 && from.label != begin {
		v := &g.vertices[from.to]
		v.edges = append(v.edges, arrow{to, from.label, from.effect})
	}
}

// covered gives a kept vertex that holds all regions of a zone, none if there is none. Points of a region are bisimilar, so the runs
// from that vertex say all. In the first phase it drops the vertices that the zone covers; in the second one edges lead to them.
func (g *graph) covered(phase int, state int32, z zone, most []int32) int32 {
	old := func(k int32) zone { return zone{g.n, g.zones.at(g.vertices[k].zone)} }
	kept := g.kept[phase][state]
	for _, k := range kept {
		if z.within(old(k), most, most) {
			return k
		}
	}
	if phase == 0 {
		g.kept[phase][state] = slices.DeleteFunc(kept, func(k int32) bool {
			g.vertices[k].covered = old(k).within(z, most, most)
			return g.vertices[k].covered
		})
	}
	return none
}

func (g *graph) pathTo(k int32) []int32 {
	out := []int32{}
	for ; g.vertices[k].parent >= 0; k = g.vertices[k].parent {
		out = append(out, g.vertices[k].label)
	}
	slices.Reverse(out)
	return out
}
