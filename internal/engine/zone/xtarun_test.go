package zone_test

import (
	"fmt"
	"slices"
)

// This file runs the models of the generator in xtagen_test.go, state by state and region by
// region. It is independent of package timed and of the front end: a model consists of Go
// functions, which were made beside the text that erelong reads.

// env is the environment of expressions.
type env struct {
	vars   []int
	clocks region
	locs   []int
	self   *process // whose edge or invariant is evaluated
	// bound variables, parameters and locals of functions: each has a place of its own
	frame []int
	fault bool
}

func (e *env) clone() *env {
	c := *e
	c.vars, c.locs, c.frame, c.clocks = slices.Clone(e.vars), slices.Clone(e.locs),
		slices.Clone(e.frame), e.clocks.clone()
	return &c
}

func (e *env) key() string { return fmt.Sprint(e.locs, e.vars, e.clocks) }

type network struct {
	vars     []int // initial values
	frame    int
	clocks   int
	ceiling  int
	channels []*channel
	procs    []*process
	ranked   bool
}

type channel struct {
	broadcast, urgent bool
	rank              int
}

type process struct {
	number int
	locs   []*location
	rank   int
	param  int // the value of its parameter
	vars   int // where its variables begin
	clock  int // its clock
	bound  int // the number of the variable that a reference parameter stands for
}

type location struct {
	urgent, committed bool
	invariant         func(*env) bool
	edges             []*edgeModel
}

type edgeModel struct {
	target  int
	selects []bind
	guard   func(*env) bool
	sync    int // 0 for none, 1 send, 2 receive
	channel func(*env) int
	update  func(*env)
}

// bind is a variable that takes the values from lo to hi.
type bind struct{ place, lo, hi int }

// region is the distinguishable part of the clocks: the whole parts up to a ceiling, and the order
// of the fractions, where 0 is none. A clock above its ceiling has the whole part ceiling + 1 and
// no fraction. The first clock is not a clock of the model: it shows whether time diverges.
type region struct {
	whole, frac []int
	ceiling     []int
}

func (r region) clone() region {
	return region{slices.Clone(r.whole), slices.Clone(r.frac), r.ceiling}
}

func (r region) String() string { return fmt.Sprint(r.whole, r.frac) }

// twice is a number that compares with 2n as the value of the clock does with n.
func (r region) twice(x int) int { return 2*r.whole[x] + min(r.frac[x], 1) }

func (r region) beyond(x int) bool { return r.whole[x] > r.ceiling[x] }

// normal makes fractions the numbers 1, 2, ... without a gap.
func (r region) normal() region {
	for x := range r.whole {
		if r.whole[x] > r.ceiling[x] || r.whole[x] == r.ceiling[x] && r.frac[x] > 0 {
			r.whole[x], r.frac[x] = r.ceiling[x]+1, 0
		}
	}
	var used []int
	for _, f := range r.frac {
		if f > 0 {
			used = append(used, f)
		}
	}
	slices.Sort(used)
	used = slices.Compact(used)
	for x, f := range r.frac {
		if f > 0 {
			r.frac[x] = slices.Index(used, f) + 1
		}
	}
	return r
}

// later is the next region, the same where there is none.
func (r region) later() region {
	n, sharp := r.clone(), false
	for x := range n.whole {
		sharp = sharp || !n.beyond(x) && n.frac[x] == 0
	}
	if sharp { // a clock without a fraction gets the smallest
		for x := range n.whole {
			if !n.beyond(x) {
				n.frac[x]++
			}
		}
		return n.normal()
	}
	most := slices.Max(n.frac)
	for x := range n.whole {
		if !n.beyond(x) && n.frac[x] == most {
			n.whole[x], n.frac[x] = n.whole[x]+1, 0
		}
	}
	return n.normal()
}

func (r region) set(x, n int) region {
	c := r.clone()
	c.whole[x], c.frac[x] = n, 0
	return c.normal()
}

func (n *network) initial() *env {
	size := n.clocks + 1
	e := &env{vars: slices.Clone(n.vars), locs: make([]int, len(n.procs)),
		frame:  make([]int, n.frame),
		clocks: region{make([]int, size), make([]int, size), slices.Repeat([]int{n.ceiling}, size)}}
	e.clocks.ceiling[0] = 1
	return e
}

func (n *network) at(e *env, p *process) *location { return p.locs[e.locs[p.number]] }

func (n *network) admissible(e *env) bool {
	for _, p := range n.procs {
		if l := n.at(e, p); l.invariant != nil {
			e.self = p
			if !l.invariant(e) {
				return false
			}
		}
	}
	return true
}

// act is a process in a step, with its selected values.
type act struct {
	p      *process
	e      *edgeModel
	values []int
}

func (a act) enter(e *env) {
	e.self = a.p
	for i, b := range a.e.selects {
		e.frame[b.place] = a.values[i]
	}
}

// acts lists what a process can do by itself.
func (n *network) acts(e *env, p *process) (out []act) {
	for _, edge := range n.at(e, p).edges {
		all := [][]int{nil}
		for _, b := range edge.selects {
			var longer [][]int
			for _, vs := range all {
				for v := b.lo; v <= b.hi; v++ {
					longer = append(longer, append(slices.Clone(vs), v))
				}
			}
			all = longer
		}
		for _, vs := range all {
			a := act{p, edge, vs}
			a.enter(e)
			if edge.guard == nil || edge.guard(e) {
				out = append(out, a)
			}
		}
	}
	return out
}

func (a act) on(e *env) int {
	a.enter(e)
	return a.e.channel(e)
}

// together lists the sets of processes that can do a step.
func (n *network) together(e *env) (out [][]act) {
	able := make([][]act, len(n.procs))
	for i, p := range n.procs {
		able[i] = n.acts(e, p)
	}
	for i := range n.procs {
		for _, a := range able[i] {
			switch a.e.sync {
			case 0:
				out = append(out, []act{a})
			case 1:
				c := a.on(e)
				sets := [][]act{{a}}
				for j := range n.procs {
					var hears []act
					for _, b := range able[j] {
						if j != i && b.e.sync == 2 && b.on(e) == c {
							hears = append(hears, b)
						}
					}
					if !n.channels[c].broadcast {
						for _, b := range hears {
							out = append(out, []act{a, b})
						}
						continue
					}
					if len(hears) > 0 {
						var longer [][]act
						for _, s := range sets {
							for _, b := range hears {
								longer = append(longer, append(slices.Clone(s), b))
							}
						}
						sets = longer
					}
				}
				if n.channels[c].broadcast {
					out = append(out, sets...)
				}
			}
		}
	}
	committed := func(p *process) bool { return n.at(e, p).committed }
	if slices.ContainsFunc(n.procs, committed) {
		out = slices.DeleteFunc(out, func(s []act) bool {
			return !slices.ContainsFunc(s, func(a act) bool { return committed(a.p) })
		})
	}
	return out
}

// steps gives the successors without delay, except steps with a lower priority than another
// possible one.
func (n *network) steps(e *env) (out []*env) {
	type successor struct {
		to            *env
		channel, proc int
	}
	var all []successor
	for _, set := range n.together(e) {
		s := successor{to: e.clone(), proc: set[0].p.rank}
		if set[0].e.sync != 0 {
			s.channel = n.channels[set[0].on(e)].rank
		}
		for _, a := range set {
			s.proc = max(s.proc, a.p.rank)
			a.enter(s.to)
			if a.e.update != nil {
				a.e.update(s.to)
			}
			e.fault = e.fault || s.to.fault
		}
		for _, a := range set {
			s.to.locs[a.p.number] = a.e.target
		}
		clear(s.to.frame)
		if n.admissible(s.to) {
			all = append(all, s)
		}
	}
	for _, s := range all {
		if !slices.ContainsFunc(all, func(o successor) bool {
			return o.channel > s.channel || o.channel == s.channel && o.proc > s.proc
		}) {
			out = append(out, s.to)
		}
	}
	return out
}

// wait gives the next region, nil where time must not pass or nothing changes any more.
func (n *network) wait(e *env) *env {
	for _, p := range n.procs {
		if l := n.at(e, p); l.urgent || l.committed {
			return nil
		}
	}
	for _, set := range n.together(e) {
		if set[0].e.sync == 1 && n.channels[set[0].on(e)].urgent {
			return nil
		}
	}
	d := e.clone()
	if d.clocks = e.clocks.later(); d.clocks.String() == e.clocks.String() || !n.admissible(d) {
		return nil
	}
	return d
}

// dead: no step is possible, now or later.
func (n *network) dead(e *env) bool {
	for ; e != nil; e = n.quiet(e) {
		if len(n.steps(e)) > 0 {
			return false
		}
	}
	return true
}

// quiet waits without the clock that shows whether time diverges: it would never stop.
func (n *network) quiet(e *env) *env {
	d := e.clone()
	d.clocks.whole[0], d.clocks.frac[0] = 2, 0
	d.clocks = d.clocks.normal()
	return n.wait(d)
}

// graph is the part that is reachable within some states.
type graph struct {
	index map[string]int
	nodes []*env
	next  [][]int
	ticks []int // the successor of a tick, -1 for none
	fault bool
}

// explore gives the graph, nil where it is too large. With ticking, the first clock starts anew
// whenever it shows one.
func (n *network) explore(from []*env, within func(*env) bool, ticking bool, most int) *graph {
	g := &graph{index: map[string]int{}}
	visit := func(e *env) int {
		k := e.key()
		i, known := g.index[k]
		switch {
		case known:
			return i
		case !within(e):
			g.index[k] = -1
			return -1
		}
		i = len(g.nodes)
		g.index[k] = i
		g.nodes, g.next, g.ticks = append(g.nodes, e), append(g.next, nil), append(g.ticks, -1)
		return i
	}
	still := func(e *env) *env {
		if !ticking {
			e.clocks.whole[0], e.clocks.frac[0] = 2, 0
			e.clocks = e.clocks.normal()
		}
		return e
	}
	for _, e := range from {
		visit(still(e.clone()))
	}
	for k := 0; k < len(g.nodes); k++ {
		if len(g.nodes) > most {
			return nil
		}
		e := g.nodes[k]
		add := func(d *env) int {
			to := visit(still(d))
			if to >= 0 {
				g.next[k] = append(g.next[k], to)
			}
			return to
		}
		for _, d := range n.steps(e) {
			add(d)
		}
		g.fault = g.fault || e.fault
		if ticking && e.clocks.whole[0] == 1 && e.clocks.frac[0] == 0 {
			d := e.clone()
			d.clocks = d.clocks.set(0, 0)
			g.ticks[k] = add(d)
		} else if d := n.wait(e); d != nil {
			add(d)
		}
	}
	return g
}

// misses says whether a run from some of these states never meets the goal: time diverges on it, or
// it ends where no step is possible.
func (n *network) misses(from []*env, goal func(*env) bool, most int) (missed bool, g *graph) {
	for i, e := range from {
		from[i] = e.clone()
		from[i].clocks = from[i].clocks.set(0, 0)
	}
	g = n.explore(from, func(e *env) bool { return !goal(e) }, true, most)
	if g == nil {
		return false, nil
	}
	for _, e := range g.nodes {
		if !n.dead(e) {
			continue
		}
		met := false
		for d := e; d != nil; d = n.quiet(d) {
			met = met || goal(d)
		}
		if !met {
			return true, g
		}
	}
	for k, to := range g.ticks { // a tick on a cycle
		if to >= 0 && g.reaches(to, k) {
			return true, g
		}
	}
	return false, g
}

func (g *graph) reaches(from, to int) bool {
	seen := map[int]bool{from: true}
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == to {
			return true
		}
		for _, k := range g.next[queue[0]] {
			if !seen[k] {
				seen[k] = true
				queue = append(queue, k)
			}
		}
	}
	return false
}
