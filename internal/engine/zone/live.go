package zone

import (
	"context"
	"errors"
	"slices"

	"erelong.dev/erelong/internal/timed"
)

// lasso is a run that misses the goal, as labels: without a loop it ends after the prefix.
type lasso struct {
	prefix, loop []int32
	at           int32 // the vertex where the loop begins
}

// live decides A<>, E[] and -->: is there a maximal run that misses the goal for ever? A run of
// infinitely many steps counts when time diverges on it; a run that ends because neither a step nor
// time is possible any more also counts, as in UPPAAL.
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
		f.Walk(func(g *timed.Formula) {
			deadlock = deadlock || g.Op == timed.Deadlock || g.Op == timed.Alive
		})
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
	g, err := a.lassos(ctx, newGraph(net, o, r, trigger, goal))
	if err != nil {
		return r, err
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

// lassos searches in one way after the other, until one of them decides. An infinite path stays
// infinite when a zone is replaced by a zone that simulates it, or contains its regions; so without
// a cycle on which time diverges there is no such run. A cycle that is found this way must be
// examined. The last way stores each zone, and adds the clock of the ticks, which decides every
// query.
func (a *analysis) lassos(ctx context.Context, blank graph) (*graph, error) {
	exact := *a
	exact.equal = true
	for _, by := range []struct {
		a *analysis
		way
	}{{a, way{true, false}}, {&exact, way{true, false}}, {&exact, way{false, true}}} {
		if by.a == a && a.equal || !timeless(blank.goal) && !by.ticking {
			continue
		}
		for now, again := by.a, true; again; {
			g := blank
			g.way = by.way
			g.prepare(now)
			if err := g.search(ctx); err != nil {
				return nil, err
			}
			if again = g.end == nil && !g.undecided && g.doubts.some && !g.doubts.lost; again {
				now = now.afterDoubts(&g.doubts)
			} else if g.end != nil || !g.undecided && !g.doubts.some {
				return &g, nil
			}
		}
	}
	return nil, errors.New("internal: no graph tells of runs on which time diverges")
}

// show makes the run: the prefix and one round of the loop, without labels that are not steps.
func (g *graph) show(prefix, loop []int32) error {
	labels := slices.DeleteFunc(slices.Concat(prefix, loop), func(l int32) bool {
		return l == tick
	})
	x := &missing{newExplorer(g.net, g.a), g.trigger, g.goal}
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
		g.result.Loop = len(slices.DeleteFunc(slices.Clone(prefix), func(l int32) bool {
			return l < 0
		}))
	}
	var err error
	if g.result.Run, err = schedule(g.net, path, end, ending); err != nil {
		return err
	}
	return timed.Replay(g.net, g.result.Run, end)
}

// search builds the graph until a lasso is found, or there is none. If the vertices that stand for
// others leave the question open, the part of the graph with cycles is built again, with more
// vertices.
func (g *graph) search(ctx context.Context) error {
	if _, ok := g.start(); ok {
		g.arrive(zero(g.n), g.here(), arrow{to: -1}, g.trigger == nil)
	}
	for {
		if err := g.explore(ctx); err != nil {
			return err
		}
		if g.end != nil || g.undecided || g.doubts.some || g.exhausted() {
			break
		}
		var suspect, again bool
		if g.end, suspect = g.diverging(); g.end == nil && !suspect {
			again = g.comment()
		}
		switch {
		case again:
			g.refine(2)
		case suspect:
			g.refine(g.level + 1)
		}
		if !again && !suspect {
			break
		}
	}
	g.result.Stored = int64(len(g.vertices))
	return nil
}

// exhausted says whether enough zones have been visited for a remark.
func (g *graph) exhausted() bool { return g.maxZones > 0 && g.result.Visited > g.maxZones }

// comment makes the remark when time diverges on no cycle, and says whether a closer look is
// worthwhile.
func (g *graph) comment() (again bool) {
	found, doubtful := g.convergingCycle()
	switch {
	case found:
		g.remark = "of the runs on which time diverges; there are others, with infinitely many " +
			"steps in bounded time, that miss it"
	case doubtful:
		g.remark = "of the runs on which time diverges; there may be others, with infinitely " +
			"many steps in bounded time, that miss it"
		again = g.level < 2
		g.maxZones = 2 * g.result.Visited
	default:
		g.remark = ""
	}
	return again
}

// explore expands the waiting vertices. It looks for cycles each time the graph has doubled.
func (g *graph) explore(ctx context.Context) error {
	for count, next := 0, 64; g.end == nil && !g.undecided; count++ {
		k, some := g.next()
		if !some || g.exhausted() {
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
		if g.doubts.enough(g.result.Visited) {
			return nil
		}
		g.result.Visited++
		g.o.tell(g.result.Visited, g.waiting.waiting)
		g.expand(k)
		if count == next {
			if next *= 2; g.end == nil {
				g.end, _ = g.diverging()
			}
		}
	}
	if f := g.steps.Memory.Fault; f != nil {
		return f
	}
	return nil
}

// refine begins the second phase again, from the vertices on cycles, within their states. A run
// that misses the goal for ever stays among them in the end, and the zone of such a vertex holds
// the run's origin.
func (g *graph) refine(level int) {
	a := *g.a
	a.equal = true
	g.a = &a
	g.level = level
	g.coarse = level == 1
	d, _ := g.digraph().inner()
	stops := g.stops[1]
	g.stops, g.waiting = [2][]*stop{}, queue{}
	clear(g.index)
	for k := range g.vertices {
		g.vertices[k].edge = none
	}
	g.stops[1] = make([]*stop, len(stops))
	for k, edges := range d {
		v := g.vertices[k]
		if len(edges) == 0 {
			continue
		}
		at := g.stops[1][v.state]
		if at == nil {
			t := g.a.table(g.states.state(nil, v.state)[:len(g.net.Processes)])
			at = &stop{table: g.zones.table(t), kept: nobody,
				deadlocked: stops[v.state].deadlocked}
			g.stops[1][v.state] = at
		}
		v.edge = none
		v.place = place{}
		v.wait(0)
		number := int32(len(g.vertices))
		g.waiting.add(number, 0)
		g.index[[2]int32{v.state, v.zone}] = number
		g.vertices = append(g.vertices, v)
		g.zones.load(at.table)
		at.kept.add(kept{g.digestOf(number), number}, g.digestOf)
	}
}
