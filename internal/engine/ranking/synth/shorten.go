package synth

import (
	"context"
	"slices"
)

// A list that was taken greedily may say step by step what happens in small instances. One measure
// that does as much as several is more often the reason why no run is infinite, and fits larger
// instances, too: of the lists that explain all steps the one with the shortest text is the best
// (minimum description length: Rissanen, Modeling by shortest data description, Automatica 1978).

// cost is about the length of a candidate as a text: its variables, literals and action.
func (c *candidate) cost() int {
	if c.number != nil {
		return 1
	}
	n := len(c.scope.vars) + len(c.such)
	if c.action != nil || c.order != "" {
		n++
	}
	return n
}

// shorten puts one candidate in the place of several that follow each other, where it explains all
// that they explain and costs less.
func (f *fitting) shorten(ctx context.Context, list []*candidate) []*candidate {
	share := mostShorter / max(len(list)-1, 1)
	for i := 0; i < len(list)-1; i++ {
		by, to := f.inPlaceOf(ctx, list, i, f.work-share)
		if f.values < 0 || ctx.Err() != nil {
			return list
		}
		if by != nil {
			list = slices.Concat(list[:i], []*candidate{by}, list[to:])
		}
	}
	return list
}

// inPlaceOf finds the candidate that saves most in the place of the ones from place i on, and the
// place after the last of these; nil if none saves anything. It costs no more than one of these.
func (f *fitting) inPlaceOf(
	ctx context.Context, list []*candidate, i, enough int,
) (best *candidate, to int) {
	most, dearest := 0, 0
	for _, c := range list[i:] {
		dearest = max(dearest, c.cost())
	}
	needed, costs := f.explainedFrom(list, i)
	f.replay(list[:i])
	for _, stage := range f.stages() {
		for c := range stage {
			if f.work <= enough || f.values < 0 || ctx.Err() != nil {
				return best, to
			}
			if c.cost() > dearest || costs[len(costs)-1]-c.cost() <= most {
				continue
			}
			smaller, n := f.try(c)
			if n == 0 {
				continue
			}
			for k := len(needed) - 1; k > 0 && costs[k]-c.cost() > most; k-- {
				if holdsAll(smaller, needed[k]) {
					best, to, most = c, i+k+1, costs[k]-c.cost()
				}
			}
		}
	}
	return best, to
}

// explainedFrom is what the candidates from place i on explain together, for each graph, and what
// they cost: the first of them, the first two, and so on.
func (f *fitting) explainedFrom(list []*candidate, i int) (needed [][]set, costs []int) {
	f.replay(list[:i])
	cost := 0
	before := make([]set, len(f.graphs))
	for k, g := range f.graphs {
		before[k] = slices.Clone(g.isLeft)
	}
	for _, c := range list[i:] {
		f.take(c)
		cost += c.cost()
		explained := make([]set, len(f.graphs))
		for k, g := range f.graphs {
			explained[k] = slices.Clone(before[k])
			explained[k].keep(g.isLeft, true)
		}
		needed, costs = append(needed, explained), append(costs, cost)
	}
	return needed, costs
}

// holdsAll reports whether the sets contain all of other ones.
func holdsAll(sets, others []set) bool {
	for i, o := range others {
		rest := slices.Clone(o)
		if rest.keep(sets[i], true); rest.len() > 0 {
			return false
		}
	}
	return true
}
