package temporal

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/system"
)

// fairness is what is asked of the runs of a graph: conditions, by their numbers. Where actions are
// fair, a condition is a mark: it is enabled in the states that have an edge with the mark, and
// these edges take it. In a computed system, a state predicate says where it is enabled, and an
// edge takes all conditions whose steps it is one of.
type fairness struct {
	of       []system.Fairness // of each condition
	computed bool
	// Of a computed system: the states in which each condition is enabled, and what each mark
	// takes.
	enabled []bits
	takes   [][]uint32
}

// fairness gives the conditions of a graph.
func (g *graph) fairness(ctx context.Context) (*fairness, error) {
	if g.computed != nil {
		return g.computed.fairness(ctx, g)
	}
	f := &fairness{}
	for _, l := range g.labels {
		kind := system.Unfair
		if l.action != nil {
			kind = l.action.Fairness
		}
		f.of = append(f.of, kind)
	}
	return f, nil
}

// enable adds the conditions that are enabled in a state with edges with these marks.
func (f *fairness) enable(s uint32, marks []uint32, to bits) {
	if f.computed {
		for c, states := range f.enabled {
			if states.has(s) {
				to.set(uint32(c))
			}
		}
		return
	}
	for _, mark := range marks {
		to.set(mark)
	}
}

// enables reports whether one of some conditions is enabled in a state with edges with these marks.
func (f *fairness) enables(s uint32, marks []uint32, of bits) bool {
	if f.computed {
		for c, states := range f.enabled {
			if of.has(uint32(c)) && states.has(s) {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(marks, of.has)
}

// take adds the conditions that an edge with a mark takes.
func (f *fairness) take(mark uint32, to bits) {
	if !f.computed {
		to.set(mark)
		return
	}
	for _, c := range f.takes[mark] {
		to.set(c)
	}
}

// isTaken reports whether an edge with a mark takes a condition.
func (f *fairness) isTaken(mark, c uint32) bool {
	if !f.computed {
		return mark == c
	}
	return slices.Contains(f.takes[mark], c)
}

// took reports whether a set has all conditions that an edge with a mark takes.
func (f *fairness) took(mark uint32, set bits) bool {
	if !f.computed {
		return mark < conditions || set.has(mark)
	}
	for _, c := range f.takes[mark] {
		if !set.has(c) {
			return false
		}
	}
	return true
}

// eachTaken calls visit with each condition that an edge with a mark takes.
func (f *fairness) eachTaken(mark uint32, visit func(c uint32)) {
	if !f.computed {
		if mark >= conditions {
			visit(mark)
		}
		return
	}
	for _, c := range f.takes[mark] {
		visit(c)
	}
}

// eachEnabled calls visit with each condition that is enabled in a state with edges with these
// marks, with repetitions.
func (f *fairness) eachEnabled(s uint32, marks []uint32, visit func(c uint32)) {
	if f.computed {
		for c, states := range f.enabled {
			if states.has(s) {
				visit(uint32(c))
			}
		}
		return
	}
	for _, mark := range marks {
		if mark >= conditions {
			visit(mark)
		}
	}
}
