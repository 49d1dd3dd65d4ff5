package accel

import (
	"slices"

	"erelong.dev/erelong/internal/presburger"
)

// at is a state of a run, and the single edge that leads to it; nil for the first state.
type at struct {
	edge  *edge
	place int
	x     []int64
}

// run gives a run to the state of the target that ended a search forwards. The journal is followed
// back: the first entry that has a state added it, so it leads there from a state of earlier ones.
func (s *search) run(init, target region) []at {
	p := s.targetPlace
	v := s.store.Some(s.store.And(s.reach[p], s.target[p]))
	end := s.onwards(p, v, target)
	var back [][]at
	for limit := len(s.journal); !s.store.Has(init[p], v); {
		i := slices.IndexFunc(s.journal[:limit], func(e entry) bool {
			return e.edge.to == p && s.store.Has(e.after, v)
		})
		e := s.journal[i]
		u, times := s.origin(e, v)
		back = append(back, s.between(u, slices.Repeat(e.edge.steps(), times), v))
		p, v, limit = e.edge.from, u, i
	}
	out := []at{{nil, p, v}}
	for _, part := range slices.Backward(back) {
		out = append(out, part...)
	}
	return append(out, end...)
}

// origin gives a state from which an entry leads to v, and how often its edge is taken.
func (s *search) origin(e entry, v []int64) (u []int64, times int) {
	for x := s.store.Point(s.space, v); ; {
		x = s.before(e.edge, x)
		times++
		if from := s.store.And(x, e.source); !from.IsEmpty() {
			return s.store.Some(from), times
		}
		if x.IsEmpty() {
			panic("accel: a state without origin")
		}
	}
}

// between gives the states after u on the way to v by the given single edges.
func (s *search) between(u []int64, steps []*edge, v []int64) []at {
	sets := []*presburger.Set{s.store.Point(s.space, u)}
	for _, e := range steps {
		sets = append(sets, s.after(e, sets[len(sets)-1]))
	}
	out := make([]at, len(steps))
	for i := len(steps) - 1; i >= 0; i-- {
		out[i] = at{steps[i], steps[i].to, v}
		v = s.store.Some(s.store.And(sets[i], s.before(steps[i], s.store.Point(s.space, v))))
	}
	return out
}

// onwards gives the rest of a run to the target, through places that were passed by.
func (s *search) onwards(p int, v []int64, target region) (out []at) {
	for !s.store.Has(target[p], v) {
		found := false
		for _, g := range s.composedPlaces {
			for _, e := range g.edges {
				if found || e.from != p || e.to != g.place {
					continue
				}
				x := s.store.And(s.after(e, s.store.Point(s.space, v)), s.target[e.to])
				if x.IsEmpty() {
					continue
				}
				u := s.store.Some(x)
				out = append(out, s.between(v, e.steps(), u)...)
				p, v, found = e.to, u, true
			}
		}
		if !found {
			panic("accel: no way to a target")
		}
	}
	return out
}
