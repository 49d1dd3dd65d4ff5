package referee

import (
	"fmt"
	"slices"
)

// edge is a step of an action with the values of its parameters, numbered from 1; 0 for the
// repetition of a last state.
type edge struct{ label, to int }

// graph is the reachable part.
type graph struct {
	spec    *spec
	states  [][]int
	initial int
	depth   []int // states of a shortest run
	edges   [][]edge
	outside []bool // states that a range forbids have no edges
	strong  map[int]bool
	fair    map[int]bool
	taken   int // edges with different actions and successors, without the parameters
	dead    int
	ranges  map[*symbol]int // the depth of the nearest state outside
}

const mostBindings = 100

// huge is a number near which this package's own numbers may overflow.
const huge = 1 << 30

// reach finds all states by brute force, nil if there are more than a limit, or huge numbers.
func reach(s *spec, most int) *graph {
	g := &graph{spec: s, strong: map[int]bool{}, fair: map[int]bool{}, ranges: map[*symbol]int{}}
	number := map[string]int{}
	visit := func(state []int, depth int) int {
		key := fmt.Sprint(state)
		n, ok := number[key]
		if !ok {
			n = len(g.states)
			number[key] = n
			outside := false
			for _, x := range s.symbols {
				for _, p := range x.points() {
					if x.mutable && !x.result.has(state[x.slot+p]) {
						outside = true
						if g.ranges[x] == 0 {
							g.ranges[x] = depth
						}
					}
				}
			}
			g.states, g.depth, g.outside = append(g.states, state), append(g.depth, depth),
				append(g.outside, outside)
		}
		return n
	}
	for _, state := range s.initials() {
		visit(state, 1)
	}
	g.initial = len(g.states)
	for n := 0; n < len(g.states); n++ {
		if len(g.states) > most || slices.ContainsFunc(g.states[n], func(v int) bool {
			return v > huge || v < -huge
		}) {
			return nil
		}
		var out []edge
		seen := map[edge]bool{}
		if !g.outside[n] {
			for i, a := range s.actions {
				targets := map[int]bool{}
				a.steps(g.states[n], func(binding int, next []int) {
					e := edge{1 + i*mostBindings + binding, visit(next, g.depth[n]+1)}
					if !a.due(g.states[n], binding) {
						e.label = -e.label // no fairness condition is about it
					}
					if !seen[e] {
						seen[e] = true
						out = append(out, e)
					}
					targets[e.to] = true
					if e.label > 0 {
						g.fair[e.label], g.strong[e.label] = a.fair != "", a.fair == "strong fair "
					}
				})
				g.taken += len(targets)
			}
			if len(out) == 0 {
				g.dead++
				out = append(out, edge{0, n})
			}
		}
		g.edges = append(g.edges, out)
	}
	return g
}

func (g *graph) holds(e *expr, n int) bool {
	return e.eval(&frame{now: g.states[n], env: map[string]int{}}) == 1
}

// nearest is the number of states of a shortest run to a state in which a formula is false, 0 if
// there is none.
func (g *graph) nearest(e *expr) int {
	for n := range g.states {
		if !g.holds(e, n) {
			return g.depth[n]
		}
	}
	return 0
}

// nearestDeadlock is the same for a state without successor.
func (g *graph) nearestDeadlock() int {
	for n, out := range g.edges {
		if len(out) == 1 && out[0].label == 0 {
			return g.depth[n]
		}
	}
	return 0
}

// from gives the states of a set that are reachable from some states within it.
func (g *graph) from(start []int, within map[int]bool) map[int]bool {
	out := map[int]bool{}
	for len(start) > 0 {
		n := start[len(start)-1]
		start = start[:len(start)-1]
		if out[n] || !within[n] {
			continue
		}
		out[n] = true
		for _, e := range g.edges[n] {
			start = append(start, e.to)
		}
	}
	return out
}

// fairCycles reports whether there is a fair infinite run within a set that visits some of the
// states again and again; it adds the states of all such runs to found.
func (g *graph) fairCycles(within map[int]bool, again func(n int) bool, found map[int]bool) {
	reaches := map[int]map[int]bool{}
	for n := range within {
		reaches[n] = map[int]bool{}
		for _, e := range g.edges[n] {
			for m := range g.from([]int{e.to}, within) {
				reaches[n][m] = true
			}
		}
	}
	done := map[int]bool{}
	for n := range within {
		if done[n] || !reaches[n][n] {
			continue
		}
		component := map[int]bool{}
		for m := range reaches[n] {
			if reaches[m][n] {
				component[m], done[m] = true, true
			}
		}
		g.judge(component, again, found)
	}
}

// judge examines one strongly connected set.
func (g *graph) judge(component map[int]bool, again func(n int) bool, found map[int]bool) {
	visited := false
	enabled, taken := map[int]map[int]bool{}, map[int]bool{}
	for n := range component {
		visited = visited || again(n)
		for _, e := range g.edges[n] {
			if !g.fair[e.label] {
				continue
			}
			if enabled[e.label] == nil {
				enabled[e.label] = map[int]bool{}
			}
			enabled[e.label][n] = true
			taken[e.label] = taken[e.label] || component[e.to]
		}
	}
	if !visited {
		return
	}
	smaller := map[int]bool{}
	for n := range component {
		smaller[n] = true
	}
	for label, where := range enabled {
		switch {
		case taken[label]:
		case g.strong[label]:
			for n := range where {
				delete(smaller, n)
			}
		case len(where) == len(component):
			return // weakly fair, enabled in all of them, and never taken
		}
	}
	if len(smaller) < len(component) {
		g.fairCycles(smaller, again, found)
		return
	}
	for n := range component {
		found[n] = true
	}
}

// violated decides a property of runs.
func (g *graph) violated(p *property) bool {
	all, not := map[int]bool{}, map[int]bool{}
	var starts []int
	for n := range g.states {
		if g.outside[n] {
			continue
		}
		all[n] = true
		if !g.holds(p.q, n) {
			not[n] = true
		}
	}
	every := func(int) bool { return true }
	found := map[int]bool{}
	switch p.kind {
	case "eventually always":
		g.fairCycles(all, func(n int) bool { return not[n] }, found)
		return len(found) > 0
	case "always eventually":
		g.fairCycles(not, every, found)
		return len(found) > 0
	}
	g.fairCycles(not, every, found)
	for n := range not {
		if g.holds(p.p, n) {
			starts = append(starts, n)
		}
	}
	for n := range g.from(starts, not) {
		if found[n] {
			return true
		}
	}
	return false
}
