package temporal

import (
	"context"
	mathbits "math/bits"

	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/system"
)

// Observe adds the edges of the states that are expanded, and the truth of the predicates in them;
// only the truth of states that are checked.
func (s *search) Observe(t *explore.Task, end int) error {
	words := s.TermWords()
	if t.Checked {
		for i := range t.To - t.From {
			s.note(uint32(t.From+i), t.Truth[i*words:][:words])
		}
		return nil
	}
	first := 0
	for i := range end - t.From {
		n, truth := uint32(t.From+i), t.Truth[i*words:][:words]
		last := first
		for last < len(t.Steps) && t.Steps[last].From == n {
			last++
		}
		s.note(n, truth)
		if err := s.connect(t, n, truth, first, last); err != nil {
			return err
		}
		first = last
	}
	if s.computed != nil {
		s.observeComputed(t, end)
	}
	for _, e := range t.Errors {
		k := e.Term - len(s.ranges)
		if k >= 0 && e.State < end && s.predicates.failed[k] == nil {
			s.predicates.failed[k] = &predicateError{uint32(e.State), e.Err}
		}
	}
	return nil
}

// connect adds the edges of a state, which some steps of a task are.
func (s *search) connect(t *explore.Task, n uint32, truth []uint64, first, last int) error {
	s.begin()
	if p := s.closed(truth); p != nil {
		s.unexpanded, s.outside = s.unexpanded.with(n), p.Name
		return nil
	}
	if first == last && s.computed == nil {
		if s.deadlocks++; !s.add(n, repetition) {
			return errEdges
		}
	}
	s.steps.clear()
	s.edgesByMark.clear()
	s.takenActions.clear()
	once := rising(t.Steps[first:last])
	for ; first < last; first++ {
		to, l := t.Target(first), t.Steps[first].Label
		if !once && !s.steps.add(l, to) { // already, with other choices
			continue
		}
		action, mark := s.marker.markOf(l, truth)
		if action < len(s.enabled) { // otherwise the run only stays here
			s.graph.steps++
			s.enabled[action] = true
		}
		if s.limits.watch != nil && action < len(s.enabled) {
			s.moved(action, to)
		}
		// Steps of different fair actions have different marks.
		isNew := once && mark >= conditions && s.computed == nil || s.edgesByMark.add(mark, to)
		if isNew && !s.add(to, mark) {
			return errEdges
		}
	}
	return nil
}

// rising reports whether the steps of a state are sorted by their labels, which are all different.
func rising(steps []explore.Step) bool {
	for i := 1; i < len(steps); i++ {
		if steps[i].Label <= steps[i-1].Label {
			return false
		}
	}
	return true
}

// closed is a range property that is false in a state, nil if there is none.
func (s *search) closed(truth []uint64) *system.Property {
	for k := len(s.ranges) - 1; k >= 0; k-- {
		if truth[k/64]>>(k%64)&1 != 0 {
			return s.ranges[k]
		}
	}
	return nil
}

// note records the truth of the predicates in a state.
func (s *search) note(n uint32, truth []uint64) {
	for w, v := range truth {
		for ; v != 0; v &= v - 1 {
			if k := w*64 + mathbits.TrailingZeros64(v) - len(s.ranges); k >= 0 {
				s.falses[k] = s.falses[k].with(n)
			}
		}
	}
}

// evaluateRest evaluates the predicates in the states that were not expanded.
func (s *search) evaluateRest(ctx context.Context) error {
	if len(s.predicates.terms) == 0 {
		return nil
	}
	return s.CheckTo(ctx, s.count())
}
