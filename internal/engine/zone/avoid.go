package zone

import (
	"slices"

	"erelong.dev/erelong/internal/timed"
)

// missing is what a run has to miss for ever: the goal, from the trigger on.
type missing struct {
	*explorer
	trigger *timed.Formula // begins the second phase, nil for the start
	goal    *timed.Formula
}

// avoidance is how a stay in a state can miss the goal: a run that arrives within arrive, and is
// within stay later, has not met the goal in between.
type avoidance struct{ arrive, stay zone }

// avoidances gives all ways to miss the goal in the state of the memory. The goal holds in some
// convex zones. On the line along which time passes each of them is an interval. Either the
// interval lies before the arrival, which is above the zone and not in it, or the later points are
// not above it. The ways depend on the state alone. The ones of the label begin arrive where the
// trigger holds.
func (m *missing) avoidances(label int32) []avoidance {
	all := unbounded(len(m.net.Clocks))
	from := []zone{all}
	if label == begin {
		from = m.satisfying(m.trigger, from, nil)
	}
	var ways []avoidance
	for _, z := range from {
		ways = append(ways, avoidance{z, all})
	}
	for _, z := range m.satisfying(m.goal, []zone{all}, nil) {
		above := z.clone()
		above.up()
		var next []avoidance
		for _, w := range ways {
			for _, behind := range above.subtract(z) {
				if behind.intersect(w.arrive) {
					next = append(next, avoidance{behind, w.stay})
				}
			}
			for _, ahead := range all.subtract(above) {
				if ahead.intersect(w.stay) {
					next = append(next, avoidance{w.arrive, ahead})
				}
			}
		}
		ways = next
	}
	return ways
}

// unbounded is the zone of all values and of negative ones.
func unbounded(n int) zone {
	z := whole(n)
	for j := 1; j < n; j++ {
		z.m[j] = infinity
	}
	return z
}

// settle gives the part of a zone that arrives in one way, with time passing.
func (s *step) settle(z zone, w avoidance) (zone, bool) {
	z = z.clone()
	if !z.intersect(w.arrive) {
		return z, false
	}
	if !s.urgent {
		z.up()
		z.constrainAll(s.stay)
	}
	return z, z.intersect(w.stay)
}

// here is the arrival in the state of the memory without a step.
func (x *explorer) here() *step {
	return &step{stay: x.invariants(nil), urgent: x.steps.Urgent()}
}

// never gives zones of the values from which passing time in the state of the memory never meets
// the goal.
func (m *missing) never() []zone {
	out := []zone{unbounded(len(m.net.Clocks))}
	s := m.here()
	if s.urgent {
		return out
	}
	stay := whole(len(m.net.Clocks))
	stay.constrainAll(s.stay)
	for _, z := range m.satisfying(m.goal, []zone{stay}, nil) {
		z = z.clone()
		z.down()
		var rest []zone
		for _, y := range out {
			rest = append(rest, y.subtract(z)...)
		}
		out = rest
	}
	return out
}

// dead gives the part of a zone that ends for ever: no step is possible, now or later, and the goal
// is never met.
func (m *missing) dead(z zone) (zone, bool) {
	for _, part := range m.never() {
		y := z.clone()
		if y.intersect(part) &&
			len(m.satisfying(&timed.Formula{Op: timed.Deadlock}, []zone{y}, nil)) > 0 {
			return part, true
		}
	}
	return zone{}, false
}

// idle gives the part of a zone that never meets a goal, for any stay.
func (m *missing) idle(z zone) (zone, bool) {
	for _, part := range m.never() {
		if z.clone().intersect(part) {
			return part, true
		}
	}
	return zone{}, false
}

// exact finds a path of these labels from a zone of arrival, the last move first, with the
// conditions at each moment, and at the end, under which the goal is missed. The ways are chosen
// again: values that extrapolated zones do not distinguish may go different ways.
func (m *missing) exact(
	z zone, s *step, label int32, rest []int32, begun bool, end func(zone) (zone, bool),
) (arrive zone, path []guardedStep, last zone, ok bool) {
	state := m.steps.State(nil)
	ways := []avoidance{{}}
	if begun {
		ways = m.avoidances(label)
	}
	for _, w := range ways {
		m.steps.Load(state)
		y, ok := s.settle(z, w)
		switch {
		case !ok:
			continue
		case len(rest) == 0:
			if part, ok := end(y); ok && part.intersect(w.stay) {
				return w.arrive, nil, part, true
			}
			continue
		}
		move, next := guardedStep{}, s
		if rest[0] != begin {
			var err error
			if move, err = m.nth(rest[0]); err != nil || !y.constrainAll(m.guards(move.parts)) ||
				!y.intersect(move.free) {
				continue
			}
			taken, ok := m.take(move.parts)
			if !ok || !y.constrainAll(taken.limits) {
				continue
			}
			taken.assign(y)
			next = &step{stay: slices.Clone(taken.stay), urgent: taken.urgent}
		}
		move.stay = w.stay
		if move.then, path, last, ok = m.exact(y, next, rest[0], rest[1:],
			begun || rest[0] == begin, end); ok {
			return w.arrive, append(path, move), last, true
		}
	}
	return zone{}, nil, zone{}, false
}
