package zone

import (
	"erelong.dev/erelong/internal/timed"
)

// limitOf is a constraint with its number in a state.
type limitOf struct {
	i, j int
	b    bound
}

// step is a discrete step in terms of the clocks before it. They must be within the limits, which
// are the guards and, through the assignments, the invariants of the target. After the step the
// clocks are within stay.
type step struct {
	limits []limitOf
	resets []timed.Reset
	stay   []limitOf
	still  []int // the clocks that stand still after it
	urgent bool  // time must not pass after it
}

// explorer computes with zones in the states of a network.
type explorer struct {
	net   *timed.Network
	steps *timed.Stepper
	a     *analysis
	n     int
	buf   step
	reset []int32 // the value that the step assigns, none for no assignment
	quick bool    // no urgent channel
	ranks bool    // steps have priorities
	stops bool    // clocks can stand still
	// Steps are possible in parts of the clock values only, because of priorities or of the
	// receivers of a broadcast.
	parts bool
	table *stepTable // of steps whose receivers clocks decide, nil where there are none
}

// guardedStep is a step in a part of the clock values in which no step of a higher priority is
// possible, and no process outside the step can receive. No matrix stands for all values.
type guardedStep struct {
	parts []timed.Participant // none for a moment without a step
	free  zone

	stay, then zone // conditions before and after it
}

func newExplorer(net *timed.Network, a *analysis) *explorer {
	x := &explorer{net: net, steps: timed.NewStepper(net, a.done), a: a, n: len(net.Clocks),
		quick: true, ranks: net.Prioritised(), stops: net.Stops()}
	x.parts = x.ranks || net.Selective()
	if x.parts && !x.ranks {
		x.table = &stepTable{}
	}
	x.reset = make([]int32, x.n)
	for _, c := range net.Channels {
		x.quick = x.quick && !c.Urgent
	}
	return x
}

// each calls yield for every step of the state in the memory. If steps have priorities, it is
// called for each part of the values in which no step of a higher priority is possible (David,
// Håkansson, Larsen, Mikučionis, Pettersson: Model checking timed automata with priorities using
// DBM subtraction). If clocks decide who receives, it is called for each part in which no other
// process can receive. The parts depend on the state alone.
func (x *explorer) each(yield func(guardedStep)) {
	if !x.parts {
		x.steps.Each(func(parts []timed.Participant) { yield(guardedStep{parts: parts}) })
		return
	}
	type rival struct {
		priority timed.Priority
		possible zone
	}
	var rivals []rival
	state := x.steps.State(nil)
	all := whole(len(x.net.Clocks))
	if x.ranks {
		x.steps.Each(func(parts []timed.Participant) {
			priority := x.steps.Priority(parts)
			for _, z := range x.possible(all, parts) {
				rivals = append(rivals, rival{priority, z})
			}
			x.steps.Load(state)
		})
	}
	x.steps.Each(func(parts []timed.Participant) {
		mine, free := x.steps.Priority(parts), x.complete(all, parts)
		for _, r := range rivals {
			if !r.priority.Above(mine) {
				continue
			}
			var rest []zone
			for _, z := range free {
				if x.stopped() {
					return
				}
				rest = append(rest, z.subtract(r.possible)...)
			}
			free = rest
		}
		for _, z := range free {
			yield(guardedStep{parts: parts, free: z})
		}
	})
}

// complete gives the values in a zone for which no process outside a step can receive.
func (x *explorer) complete(z zone, parts []timed.Participant) []zone {
	out := []zone{z}
	x.steps.LeftOut(parts, func(part timed.Participant) {
		var rest []zone
		receives := whole(z.n)
		if receives.constrainAll(x.numbers(nil, part.Edge.Clocks)) {
			for _, z := range out {
				rest = append(rest, z.subtract(receives)...)
			}
			out = rest
		}
	})
	return out
}

// possible gives the values in a zone from which a step is possible by itself. It leaves the memory
// after the step. A step with an error of the model counts as possible where its guards hold: the
// error shows when the step is taken.
func (x *explorer) possible(z zone, parts []timed.Participant) (out []zone) {
	within := func(zs []zone, limits []limitOf) (out []zone) {
		for _, z := range zs {
			if z = z.clone(); z.constrainAll(limits) {
				out = append(out, z)
			}
		}
		return out
	}
	if out = within(x.complete(z, parts), x.guards(parts)); len(out) == 0 {
		return nil
	}
	m := &x.steps.Memory
	before := m.Fault
	s, ok := x.take(parts)
	if m.Fault != before {
		m.Fault = before
		return out
	}
	if !ok {
		return nil
	}
	return within(out, s.limits)
}

// numbers appends the constraints that apply in the current state.
func (x *explorer) numbers(out []limitOf, cs []timed.Constraint) []limitOf {
	m := &x.steps.Memory
	for i := range cs {
		c := &cs[i]
		if c.Cond == nil || c.Cond(m) != 0 {
			out = append(out,
				limitOf{c.I.Index(m), c.J.Index(m), atMost(int64(c.Bound.Eval(m)), c.Strict)})
		}
	}
	return out
}

// invariants gives the constraints of the current locations.
func (x *explorer) invariants(out []limitOf) []limitOf {
	for p := range x.net.Processes {
		if l := x.steps.Location(p); len(l.Clocks) > 0 {
			out = x.numbers(out, l.Clocks)
		}
	}
	return out
}

// constrainAll constrains a zone by limits, and gives false if nothing is left. Upper bounds of
// several clocks, as the invariants of many processes are, come together.
func (z zone) constrainAll(limits []limitOf) bool {
	together := 0
	for _, l := range limits {
		if l.j == 0 && l.i != 0 && l.b < z.m[l.i*z.n] {
			together++
		}
	}
	if together > 1 && !z.cap(limits) {
		return false
	}
	for _, l := range limits { // an upper bound that is met changes nothing
		if l.i == l.j {
			if l.b < leZero {
				return false
			}
			continue
		}
		if !z.constrain(l.i, l.j, l.b) {
			return false
		}
	}
	return true
}

// guards gives the limits of the guards alone.
func (x *explorer) guards(parts []timed.Participant) []limitOf {
	x.steps.Bind(parts)
	x.buf.limits = x.buf.limits[:0]
	for _, p := range parts {
		x.buf.limits = x.numbers(x.buf.limits, p.Edge.Clocks)
	}
	return x.buf.limits
}

// take makes the step in the memory, after guards. It gives false when the data part of an
// invariant forbids it or when the model has an error. The result is valid until the next call.
func (x *explorer) take(parts []timed.Participant) (*step, bool) {
	s, m := &x.buf, &x.steps.Memory
	x.steps.Apply(parts)
	if m.Fault != nil || !x.steps.Admissible() {
		return nil, false
	}
	s.resets = m.Resets
	s.stay = x.invariants(s.stay[:0])
	for i := range x.reset {
		x.reset[i] = none
	}
	for _, r := range s.resets {
		x.reset[r.Clock] = r.Value
		if r.Value >= limit/4 {
			m.Fail(parts[0].Edge.Span, "the number %d is too large for a clock", r.Value)
		}
		if r.Value != 0 && len(x.a.diagonals) > 0 {
			m.Fail(parts[0].Edge.Span,
				"clocks that are set to numbers but 0 are not supported where differences of "+
					"clocks are compared")
		}
	}
	for _, l := range s.stay {
		if v := x.reset[l.i]; v != none {
			l.i, l.b = 0, l.b-bound(2*v)
		}
		if v := x.reset[l.j]; v != none {
			l.j, l.b = 0, l.b+bound(2*v)
		}
		s.limits = append(s.limits, l)
	}
	if x.quick {
		s.urgent = false
		for p := range x.net.Processes {
			if l := x.steps.Location(p); l.Urgent || l.Committed {
				s.urgent = true
				break
			}
		}
	} else {
		s.urgent = x.steps.Urgent()
	}
	if x.stops && !s.urgent {
		s.still = x.steps.Still(s.still)
	}
	return s, m.Fault == nil
}

// assign makes the assignments in a zone that is within the limits.
func (s *step) assign(z zone) {
	for _, r := range s.resets {
		z.reset(r.Clock, int64(r.Value))
	}
}

// finish makes the assignments and lets time pass.
func (s *step) finish(z zone) {
	s.assign(z)
	if !s.urgent {
		z.upBut(s.still)
		z.constrainAll(s.stay)
	}
}

// successors calls yield, until it gives false, for each step from a zone of a state, with the
// number of the step. The other zone, and the memory, then hold where it leads to.
func (x *explorer) successors(state []int32, from, to zone, yield func(ordinal int32) bool) {
	x.steps.Load(state)
	more := true
	take := func(parts []timed.Participant, number func() int32) {
		step, ok := x.take(parts)
		if ok && to.constrainAll(step.limits) {
			step.finish(to)
			more = yield(number())
		}
		x.steps.Load(state)
	}
	if x.table != nil {
		x.eachFrom(from, func(parts []timed.Participant, apart []limitOf) {
			copy(to.m, from.m)
			if more && x.steps.Memory.Fault == nil && to.constrainAll(x.guards(parts)) &&
				to.constrainAll(apart) {
				take(parts, func() int32 { return x.table.number(parts, apart) })
			}
		})
		return
	}
	ordinal := int32(-1)
	x.each(func(m guardedStep) {
		ordinal++
		if !more || x.steps.Memory.Fault != nil {
			return
		}
		copy(to.m, from.m)
		if to.constrainAll(x.guards(m.parts)) && to.intersect(m.free) {
			take(m.parts, func() int32 { return ordinal })
		}
	})
}

// start gives the first zone, false if there is none.
func (x *explorer) start() (zone, bool) {
	z := zero(x.n)
	x.buf.stay = x.invariants(x.buf.stay[:0])
	if !x.steps.Admissible() || !z.constrainAll(x.buf.stay) {
		return z, false
	}
	s := step{stay: x.buf.stay, urgent: x.steps.Urgent()}
	if x.stops && !s.urgent {
		s.still = x.steps.Still(nil)
	}
	s.finish(z)
	return z, x.steps.Memory.Fault == nil
}

// stopped reports whether the answer is not needed any more, so that it may be wrong.
func (x *explorer) stopped() bool {
	select {
	case <-x.a.done:
		return true
	default:
		return false
	}
}

// satisfying gives the parts of a zone in which a formula holds. The memory is the state of the
// zone, whose deadlocks may be known.
func (x *explorer) satisfying(f *timed.Formula, zs []zone, known *deadlocks) []zone {
	switch f.Op {
	case timed.And:
		for _, p := range f.Args {
			if zs = x.satisfying(p, zs, known); len(zs) == 0 {
				return nil
			}
		}
		return zs
	case timed.Or:
		var out []zone
		for _, p := range f.Args {
			if x.stopped() {
				return nil
			}
			out = append(out, x.satisfying(p, zs, known)...)
		}
		return out
	case timed.Data:
		if f.Eval(&x.steps.Memory) == 0 {
			return nil
		}
		return zs
	case timed.Timing:
		limits := x.numbers(nil, []timed.Constraint{f.Constraint})
		var out []zone
		for _, z := range zs {
			if z = z.clone(); z.constrainAll(limits) {
				out = append(out, z)
			}
		}
		return out
	case timed.Alive:
		var out []zone
		x.enabled(func(g zone) bool {
			for _, z := range zs {
				if z = z.clone(); z.intersect(g) {
					out = append(out, z)
				}
			}
			return true
		})
		return out
	}
	if known != nil && !known.many {
		return known.of(zs)
	}
	var out []zone
	for _, z := range zs {
		rest, _ := z.without(x.live(z), func() bool { return !x.stopped() })
		out = append(out, rest...)
	}
	return out
}

// enabled calls yield, until it gives false, for zones that together hold every point of the
// state's invariants from which some step is possible, now or after a delay.
func (x *explorer) enabled(yield func(zone) bool) {
	state := x.steps.State(nil)
	urgent := x.steps.Urgent()
	stay := whole(x.n)
	stay.constrainAll(x.invariants(nil))
	more := true
	x.steps.Each(func(parts []timed.Participant) {
		if !more {
			return
		}
		for _, z := range x.possible(stay, parts) {
			if !urgent {
				z.down()
			}
			more = more && yield(z)
		}
		x.steps.Load(state)
	})
}
