package zone

import (
	"slices"

	"erelong.dev/erelong/internal/timed"
)

// vertex is an extrapolated zone of a state. In the second phase it holds the points that are
// reached without meeting the goal on the way.
type vertex struct {
	state, zone   int32
	parent, label int32
	coveredBy     int32 // a later vertex that contains it and stands for it, none if there is none
	missing       bool  // second phase
	urgent        bool
	edge          int32 // the newest edge that leaves it, none if there is none
	place
}

// arrow is an edge to another vertex, with the number of its effect on clocks.
type arrow struct{ to, label, effect int32 }

// link is an arrow in the list of a vertex.
type link struct {
	arrow
	next int32
}

// Labels of edges that are not steps of the network.
const (
	tick  = -1 // time passes: with the clock of the ticks, one unit or more since the last tick
	begin = -2 // the second phase begins
)

// graph is the finite graph of extrapolated zones over the clocks.
type graph struct {
	missing
	buffers
	o         Options
	result    *Result
	clockless bool // neither trigger nor goal has clocks, so the state alone determines the phase
	way
	// How often the second phase began again; from then on only known states are examined.
	level    int
	maxZones int64 // zones to visit when only the remark is open, 0 for no limit

	states   states
	zones    *matrices
	effects  effects
	vertices []vertex
	edges    []link
	// by state and zone: the vertices of a second phase that is not coarse
	index   map[[2]int32]int32
	stops   [2][]*stop // by phase and state
	waiting queue

	end       *lasso // the run found, nil for none
	remark    string // about runs on which time does not diverge
	doubts    doubts // whether a run can end in a zone that was left out
	undecided bool   // this graph does not decide the query
}

// way is how a graph is built.
type way struct {
	// Vertices of the second phase stand for covered ones, too; a found cycle may then not exist.
	coarse  bool
	ticking bool // one more clock shows the time since the last tick
}

// buffers are memory of a search that is used again for each zone.
type buffers struct {
	now, state, stack []int32
	stay              []limitOf
	from, to          zone
}

// stop is a discrete state in a phase.
type stop struct {
	table      int32
	kept       passed     // the vertices that no other vertex covers
	deadlocked *deadlocks // nil if not needed
}

// newGraph has the common part of all ways to search.
func newGraph(net *timed.Network, o Options, r *Result, trigger, goal *timed.Formula) graph {
	return graph{missing: missing{&explorer{net: net}, trigger, goal}, o: o, result: r,
		clockless: timeless(goal) && (trigger == nil || timeless(trigger))}
}

// timeless says whether a formula has no clocks.
func timeless(f *timed.Formula) bool {
	clocks := false
	f.Walk(func(f *timed.Formula) { clocks = clocks || f.Op == timed.Timing })
	return !clocks
}

// prepare makes an empty graph.
func (g *graph) prepare(a *analysis) {
	g.explorer = newExplorer(g.net, a)
	if g.ticking {
		g.n++
	}
	g.zones, g.effects = newMatrices(g.n), newEffects(g.n)
	g.index = map[[2]int32]int32{}
	g.from, g.to = zero(g.n), zero(g.n)
}

// A lasso near the start is found soonest if vertices of the second phase go first. Where there is
// none, that order visits many zones before the zones that cover them, so it ends after a while.
const (
	nearby = 1 << 16 // visits
	first  = 1 << 24 // what is added to the rank
)

// next takes a waiting vertex.
func (g *graph) next() (k int32, some bool) {
	for g.waiting.some() {
		k = g.waiting.next(false)
		g.place(k).rest()
		if g.vertices[k].coveredBy == none {
			return k, true
		}
	}
	return 0, false
}

func (g *graph) expand(k int32) {
	v := g.vertices[k]
	g.zones.load(g.stop(v.state, v.missing).table)
	g.zones.read(v.zone, g.from)
	state := g.states.state(nil, v.state)
	g.steps.Load(state)
	g.stay = g.invariants(g.stay[:0])
	if v.missing && g.ends(k) {
		return
	}
	ordinal, z := int32(-1), g.to
	g.each(func(m guardedStep) {
		ordinal++
		copy(z.m, g.from.m)
		if g.steps.Memory.Fault != nil || !z.constrainAll(g.guards(m.parts)) ||
			!z.intersect(m.free) {
			return
		}
		if v.missing && !g.ticking {
			g.effects.bound(g.stay, g.buf.limits)
			g.undecided = !g.effects.within(m.free) || g.undecided
		}
		s, ok := g.take(m.parts)
		if ok && z.constrainAll(s.limits) {
			s.assign(z)
			g.result.Steps++
			a := arrow{to: k, label: ordinal}
			if v.missing && !g.ticking {
				for _, r := range s.resets {
					g.undecided = g.undecided || r.Value != 0
				}
				a.effect = g.effects.number(s.resets)
			}
			g.arrive(z, s, a, v.missing)
		}
		g.steps.Load(state)
	})
	if !v.missing {
		if !g.clockless {
			g.arrive(g.from, g.here(), arrow{to: k, label: begin}, true)
		}
		return
	}
	copy(z.m, g.from.m)
	if g.ticking && !g.steps.Committed() && z.constrain(0, g.n-1, atMost(-1, false)) {
		z.reset(g.n-1, 0)
		g.arrive(z, g.here(), arrow{to: k, label: tick}, true)
	}
}

// ends says whether a run can end in a vertex of the second phase: no step is possible any more, or
// time passes for ever.
func (g *graph) ends(k int32) bool {
	v, free := g.vertices[k], !slices.ContainsFunc(g.stay, func(l limitOf) bool { return l.i != 0 })
	if !timeless(g.goal) {
		if _, ok := g.dead(g.from); ok {
			g.end = &lasso{g.pathTo(k), nil, k}
		} else if _, ok := g.idle(g.from); ok && free && !v.urgent {
			g.end = &lasso{g.pathTo(k), []int32{tick}, k}
		}
		return g.end != nil
	}
	at := g.stop(v.state, true)
	if at.deadlocked == nil {
		at.deadlocked = g.deadlocks()
	}
	halt := &timed.Formula{Op: timed.Deadlock}
	possible := at.deadlocked.many || len(at.deadlocked.parts) > 0
	switch {
	case possible && len(g.satisfying(halt, []zone{g.from}, at.deadlocked)) > 0:
		g.end = &lasso{g.pathTo(k), nil, k}
	case free && !v.urgent:
		g.end = &lasso{g.pathTo(k), []int32{tick}, k}
	case possible && !g.a.equal:
		g.doubts.consider(g.explorer, g.from,
			g.a.table(g.states.state(nil, v.state)[:len(g.net.Processes)]), halt, at.deadlocked,
			g.result.Visited)
	}
	return g.end != nil
}

// arrive lets time pass from a zone in the state of the memory, and adds the edge to it. Here
// from.to is the vertex where the edge begins, -1 at the start. In the second phase time ends where
// the goal holds; a plain second phase ends there, and begins with the trigger.
func (g *graph) arrive(z zone, s *step, from arrow, missing bool) {
	if !g.clockless {
		ways := []avoidance{{}}
		if missing {
			ways = g.avoidances(from.label)
		}
		for _, w := range ways {
			if y, ok := s.settle(z, w); ok {
				g.enter(y, s.urgent, from, missing)
			}
		}
		return
	}
	switch {
	case !g.holds(g.goal):
		missing = missing || g.holds(g.trigger)
	case g.trigger == nil:
		return
	default:
		missing = false
	}
	if !s.urgent {
		z.up()
		z.constrainAll(s.stay)
	}
	g.enter(z, s.urgent, from, missing)
}

// holds evaluates a formula without clocks in the state of the memory.
func (m *missing) holds(f *timed.Formula) bool {
	return f.Holds(func(f *timed.Formula) bool { return f.Eval(&m.steps.Memory) != 0 })
}

// stop gives the discrete state with this number, which g.now holds if it is new.
func (g *graph) stop(state int32, missing bool) *stop {
	phase := 0
	if missing {
		phase = 1
	}
	for int(state) >= len(g.stops[phase]) {
		g.stops[phase] = append(g.stops[phase], nil)
	}
	at := &g.stops[phase][state]
	if *at == nil {
		t := g.a.table(g.now[:len(g.net.Processes)])
		if g.ticking {
			number := int32(none)
			if missing {
				number = 1
			}
			t.lower, t.upper = append(t.lower, number), append(t.upper, number)
		}
		*at = &stop{table: g.zones.table(t), kept: nobody}
	}
	return *at
}

func (g *graph) place(k int32) *place { return &g.vertices[k].place }

// enter adds the zone of the state in the memory, and the edge to it. A vertex that covers the zone
// stands for it: points of a region are bisimilar, and a point that simulates another one has its
// infinite runs. The zones that it covers are dropped in a coarse phase; this may show cycles that
// do not exist. A second phase that is not coarse only looks for the same zone.
func (g *graph) enter(z zone, urgent bool, from arrow, missing bool) {
	g.now = g.steps.State(g.now)
	state, _ := g.states.number(g.now)
	if g.level > 0 && (!missing || int(state) >= len(g.stops[1]) || g.stops[1][state] == nil) {
		return
	}
	at, rank := g.stop(state, missing), int32(0)
	g.zones.load(at.table)
	y, lower, upper := g.forget(z), g.zones.numbers.lower, g.zones.numbers.upper
	to, digest := int32(len(g.vertices)), g.zones.digest(y)
	if !missing || g.coarse {
		k := at.kept.covering(digest, func(k int32) bool {
			return y.within(g.own(k), lower, upper)
		})
		if k != none {
			g.connect(from, k, missing)
			return
		}
		if g.level == 0 {
			at.kept.drop(digest, func(k int32) bool {
				covered := g.own(k).within(y, lower, upper)
				if covered {
					g.vertices[k].coveredBy = to
					g.place(k).rest()
					rank = max(rank, rankBelow(k, &g.stack, g.place)+1)
				}
				return covered
			})
		}
		at.kept.add(kept{digest, to}, g.digestOf)
	}
	number := g.zones.number(y)
	if missing && !g.coarse {
		k, known := g.index[[2]int32{state, number}]
		if known {
			g.connect(from, k, missing)
			return
		}
		g.index[[2]int32{state, number}] = to
	}
	v := vertex{state: state, zone: number, parent: from.to, label: from.label, coveredBy: none,
		missing: missing, urgent: urgent, edge: none}
	g.vertices = append(g.vertices, v)
	if from.to >= 0 {
		adopt(from.to, to, g.place)
	}
	if missing && g.result.Visited < nearby && rank < first {
		rank += first
	}
	g.place(to).wait(rank)
	g.waiting.add(to, rank)
	g.connect(from, to, missing)
}

// own gives the zone of a vertex whose table is loaded, and digestOf its digest.
func (g *graph) own(k int32) zone        { return g.zones.at(g.vertices[k].zone) }
func (g *graph) digestOf(k int32) digest { return g.zones.digest(g.own(k)) }

// forget restricts a zone to the clocks that matter in the current state, and extrapolates it. It
// uses the memory of the zone.
func (g *graph) forget(z zone) zone {
	g.state = append(g.state[:0], g.zones.numbers.lower...)
	for i, u := range g.zones.numbers.upper {
		g.state[i] = max(g.state[i], u)
	}
	y := g.zones.over(z)
	y.extrapolate(g.state)
	return y
}

// repeats says whether a loop consists of zones that cover nothing else: whether it can be repeated
// until a zone recurs.
func (g *graph) repeats(l *lasso) bool {
	if !g.coarse {
		return true
	}
	v := g.vertices[l.at]
	g.zones.load(g.stop(v.state, v.missing).table)
	z, k := zero(g.n), v.zone
	g.zones.read(k, z)
	g.steps.Load(g.states.state(nil, v.state))
	for seen := map[int32]bool{}; !seen[k]; {
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
			s.finish(z)
		}
		g.zones.load(g.stop(v.state, v.missing).table)
		k = g.zones.number(g.forget(z))
		g.zones.read(k, z)
	}
	return true
}

// connect adds an edge of the second phase.
func (g *graph) connect(from arrow, to int32, missing bool) {
	if missing && from.to >= 0 && g.vertices[from.to].missing {
		v := &g.vertices[from.to]
		g.edges = append(g.edges, link{arrow{to, from.label, from.effect}, v.edge})
		v.edge = int32(len(g.edges) - 1)
	}
}

// pathTo gives the labels from the start to a vertex, with the last begin of the second phase.
func (g *graph) pathTo(k int32) []int32 {
	out := []int32{}
	begun := g.trigger == nil
	for ; k >= 0; k = g.vertices[k].parent {
		v := &g.vertices[k]
		if !begun && v.missing && (v.parent < 0 || !g.vertices[v.parent].missing) {
			begun = true
			if v.label != begin {
				out = append(out, begin)
			}
		}
		if v.parent >= 0 {
			out = append(out, v.label)
		}
	}
	slices.Reverse(out)
	return out
}
