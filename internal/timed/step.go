package timed

import "slices"

// Participant is the share of one process in a step: its edge, and the values of the variables that
// the edge binds.
type Participant struct {
	Process int
	Edge    *Edge
	Values  []int32
}

// Stepper enumerates the steps of a network in one state, as far as data decide. It is for one
// goroutine.
type Stepper struct {
	net    *Network
	Memory Memory
	yield  func([]Participant)
	divide Divide // nil for none
	parts  []Participant
	spare  []Participant // memory for the parts of an inner search, which then takes it
	rates  []int32       // of the clocks, in Still
	// For each channel the processes that receive on it somewhere; nil before they are needed.
	hearers [][]int
	// Able, if it is not nil, decides by the clocks whether a process can receive a broadcast. Then
	// no process that can is left out.
	Able func(Participant) bool
}

// NewStepper gives a stepper whose memory is the initial state. When done is closed, the steps that
// are looked for end with a fault.
func NewStepper(net *Network, done <-chan struct{}) *Stepper {
	s := &Stepper{net: net}
	s.Memory.Done = done
	s.Memory.Cells = append([]int32(nil), net.Init...)
	return s
}

// Location is the location of process p.
func (s *Stepper) Location(p int) *Location {
	return s.net.Processes[p].Locations[s.Memory.Cells[p]]
}

// Committed reports whether a process is in a committed location.
func (s *Stepper) Committed() bool {
	for p := range s.net.Processes {
		if s.Location(p).Committed {
			return true
		}
	}
	return false
}

// Each calls yield for every step whose data guards hold, with the sender first and then the
// receivers in the order of the processes. Clock constraints are not looked at, so a process that
// receives a broadcast if its clocks allow it is in some steps and left out of others. The slice is
// valid during the call only, and yield may change the memory if it restores it.
func (s *Stepper) Each(yield func([]Participant)) { s.EachDivided(nil, yield) }

// Receivers are the ways in which a process can receive a broadcast, as far as data decide. Must
// says that it can whatever the clocks are.
type Receivers struct {
	Parts []Participant
	Must  bool
}

// Divide chooses the receivers of a broadcast: it calls emit for each choice, the sender first.
type Divide func(sender Participant, ways []Receivers, emit func([]Participant))

// EachDivided is Each where divide, if it is not nil, chooses the receivers of broadcasts.
func (s *Stepper) EachDivided(divide Divide, yield func([]Participant)) {
	defer s.gives(divide, yield)()
	committed := s.Committed()
	for p := range s.net.Processes {
		for _, e := range s.Location(p).Out {
			s.begun(p, e, committed)
		}
	}
}

// gives has steps given to a yield, until the function that it returns is called: a yield may look
// for the steps of its own state.
func (s *Stepper) gives(divide Divide, yield func([]Participant)) (back func()) {
	outer, parts, before := s.yield, s.parts, s.divide
	s.yield, s.parts, s.spare, s.divide = yield, s.spare, nil, divide
	return func() { s.yield, s.parts, s.spare, s.divide = outer, parts, s.parts[:0], before }
}

// begun gives the steps that an edge begins, of a process in its location.
func (s *Stepper) begun(p int, e *Edge, committed bool) {
	if e.Sync == Receive {
		return
	}
	s.instances(p, e, func(part Participant) {
		s.parts = append(s.parts[:0], part)
		if e.Sync == Internal {
			s.emit(committed)
			return
		}
		c := e.Channel.Eval(&s.Memory)
		if s.Memory.Fault != nil {
			return
		}
		if s.net.Channels[c].Broadcast {
			s.broadcast(c, p, committed)
		} else {
			s.handshake(c, p, committed)
		}
	})
}

// emit gives the step in s.parts to the caller, unless some process is committed and none of the
// step is.
func (s *Stepper) emit(committed bool) {
	if committed {
		ok := false
		for _, p := range s.parts {
			ok = ok || s.Location(p.Process).Committed
		}
		if !ok {
			return
		}
	}
	if !s.Memory.Round(s.parts[0].Edge.Span) {
		return
	}
	s.Bind(s.parts)
	s.yield(s.parts)
}

// Bind sets the variables that the edges of a step bind.
func (s *Stepper) Bind(parts []Participant) {
	for _, p := range parts {
		for i, v := range p.Values {
			s.Memory.Cells[p.Edge.Selects[i].Cell] = v
		}
	}
}

// instances calls body for all values of the bound variables with which the data guard holds.
func (s *Stepper) instances(p int, e *Edge, body func(Participant)) {
	s.instancesWith(p, e, -1, 0, body)
}

// instancesWith is instances where one of the bound variables has a known value; -1 for none.
func (s *Stepper) instancesWith(p int, e *Edge, known int, value int64, body func(Participant)) {
	if len(e.Selects) == 0 {
		if e.Guard == nil || e.Guard(&s.Memory) != 0 {
			body(Participant{Process: p, Edge: e})
		}
		return
	}
	values := make([]int32, len(e.Selects))
	var choose func(k int)
	choose = func(k int) {
		if k == len(values) {
			if e.Guard == nil || e.Guard(&s.Memory) != 0 {
				body(Participant{p, e, append([]int32(nil), values...)})
				s.Bind([]Participant{{p, e, values}})
			}
			return
		}
		lo, hi := int64(e.Selects[k].Lo), int64(e.Selects[k].Hi)
		if k == known {
			lo, hi = max(lo, value), min(hi, value)
		}
		for v := lo; v <= hi && s.Memory.Round(e.Span); v++ {
			values[k] = int32(v)
			s.Memory.Cells[e.Selects[k].Cell] = int32(v)
			choose(k + 1)
		}
	}
	choose(0)
}

// hear lists the processes that receive on a channel in some location, in their order.
func (s *Stepper) hear(c int32) []int {
	if s.hearers == nil {
		s.hearers = make([][]int, len(s.net.Channels))
		for p, process := range s.net.Processes {
			for _, l := range process.Locations {
				for _, e := range l.Out {
					if e.Sync == Receive {
						s.receives(p, e)
					}
				}
			}
		}
	}
	return s.hearers[c]
}

// receives enters a process at the channels of an edge.
func (s *Stepper) receives(p int, e *Edge) {
	for c := max(e.Channel.Lo, 0); c <= min(e.Channel.Hi, int64(len(s.hearers)-1)); c++ {
		if at := s.hearers[c]; len(at) == 0 || at[len(at)-1] != p {
			s.hearers[c] = append(at, p)
		}
	}
}

// receivers calls body for every way in which process q can receive on channel c.
func (s *Stepper) receivers(c int32, q int, body func(Participant)) {
	for _, e := range s.Location(q).Out {
		if e.Sync != Receive || int64(c) < e.Channel.Lo || int64(c) > e.Channel.Hi {
			continue
		}
		known, value := -1, int64(0)
		if e.Key != nil {
			known, value = e.Key.Select, int64(c)-e.Key.First
		}
		s.instancesWith(q, e, known, value, func(part Participant) {
			if e.Channel.Eval(&s.Memory) == c {
				body(part)
			}
		})
	}
}

func (s *Stepper) handshake(c int32, p int, committed bool) {
	for _, q := range s.hear(c) {
		if q == p {
			continue
		}
		s.receivers(c, q, func(part Participant) {
			s.parts = append(s.parts[:1], part)
			s.emit(committed)
		})
	}
}

// broadcast: every process that can receive does. Where clocks decide whether it can, it may be
// left out.
func (s *Stepper) broadcast(c int32, p int, committed bool) {
	var ways []Receivers
	for _, q := range s.hear(c) {
		if q == p {
			continue
		}
		var mine []Participant
		s.receivers(c, q, func(part Participant) {
			if s.Able == nil || len(part.Edge.Clocks) == 0 || s.Able(part) {
				mine = append(mine, part)
			}
		})
		if len(mine) > 0 {
			ways = append(ways, Receivers{mine, s.Able != nil || slices.ContainsFunc(mine,
				func(part Participant) bool { return len(part.Edge.Clocks) == 0 })})
		}
	}
	if s.divide != nil {
		s.divide(s.parts[0], ways, func(parts []Participant) {
			s.parts = append(s.parts[:0], parts...)
			s.emit(committed)
		})
		return
	}
	var choose func(k int)
	choose = func(k int) {
		if k == len(ways) {
			s.emit(committed)
			return
		}
		n := len(s.parts)
		for _, part := range ways[k].Parts {
			if s.Memory.Fault != nil {
				return
			}
			s.parts = append(s.parts[:n], part)
			choose(k + 1)
		}
		if s.parts = s.parts[:n]; !ways[k].Must {
			choose(k + 1)
		}
	}
	choose(0)
}

// LeftOut calls yield for every way in which a process that is left out of a broadcast could
// receive it if its clocks allowed it. The step is possible only where none of them is. The memory
// is the state, with what that edge binds.
func (s *Stepper) LeftOut(parts []Participant, yield func(Participant)) {
	e := parts[0].Edge
	if e.Sync != Send {
		return
	}
	s.Bind(parts)
	c := e.Channel.Eval(&s.Memory)
	if !s.net.Channels[c].Broadcast {
		return
	}
	for _, q := range s.hear(c) {
		if !slices.ContainsFunc(parts, func(part Participant) bool { return part.Process == q }) {
			s.receivers(c, q, yield)
		}
	}
}

// Selective reports whether clocks can decide who receives a broadcast.
func (n *Network) Selective() bool {
	for _, p := range n.Processes {
		for _, l := range p.Locations {
			for _, e := range l.Out {
				if e.Sync == Receive && len(e.Clocks) > 0 && n.Channels[e.Channel.Lo].Broadcast {
					return true
				}
			}
		}
	}
	return false
}

// Apply makes the updates and moves of a step in the memory; the clock assignments are in
// Memory.Resets afterwards.
func (s *Stepper) Apply(parts []Participant) {
	s.Memory.Resets = s.Memory.Resets[:0]
	s.Bind(parts)
	if s.net.Before != nil {
		s.net.Before(&s.Memory)
	}
	for _, p := range parts {
		if p.Edge.Update != nil {
			p.Edge.Update(&s.Memory)
		}
	}
	if s.net.After != nil {
		s.net.After(&s.Memory)
	}
	for _, p := range parts {
		s.Memory.Cells[p.Process] = int32(p.Edge.Target)
	}
}

// Admissible reports whether the data parts of all invariants hold.
func (s *Stepper) Admissible() bool {
	for p := range s.net.Processes {
		if d := s.Location(p).Data; d != nil && d(&s.Memory) == 0 {
			return false
		}
	}
	return true
}

// Stops reports whether clocks can stand still.
func (n *Network) Stops() bool {
	return slices.ContainsFunc(n.Processes, func(p *Process) bool {
		return slices.ContainsFunc(p.Locations, func(l *Location) bool { return len(l.Rates) > 0 })
	})
}

// Still lists the clocks that stand still in the state, in ascending order. Rates that contradict
// each other, and other rates than 0 and 1, are faults.
func (s *Stepper) Still(into []int) []int {
	into = into[:0]
	const unknown = -1
	if s.rates == nil {
		s.rates = make([]int32, len(s.net.Clocks))
	}
	for i := range s.rates {
		s.rates[i] = unknown
	}
	for p := range s.net.Processes {
		rates := s.Location(p).Rates
		for i := range rates {
			r := &rates[i]
			if r.Cond != nil && r.Cond(&s.Memory) == 0 {
				continue
			}
			x, v := r.Clock.Index(&s.Memory), r.Value.Eval(&s.Memory)
			switch old := s.rates[x]; {
			case v != 0 && v != 1:
				s.Memory.Fail(r.Span, "the clock %s has the rate %d: 0 and 1 are supported",
					s.net.Clocks[x], v)
			case old != unknown && old != v:
				s.Memory.Fail(r.Span, "the clock %s has the rates 0 and 1", s.net.Clocks[x])
			}
			s.rates[x] = v
		}
	}
	for x, v := range s.rates {
		if v == 0 {
			into = append(into, x)
		}
	}
	return into
}

// Urgent reports whether time must not pass: in an urgent or committed location, or when an urgent
// channel can synchronise.
func (s *Stepper) Urgent() bool {
	for p := range s.net.Processes {
		if l := s.Location(p); l.Urgent || l.Committed {
			return true
		}
	}
	urgent := false
	defer s.gives(nil, func(parts []Participant) {
		urgent = urgent || s.net.Channels[parts[0].Edge.Channel.Eval(&s.Memory)].Urgent
	})()
	for p := range s.net.Processes {
		for _, e := range s.Location(p).Out {
			if e.Sync == Send && s.net.mayUrge(e) {
				if s.begun(p, e, false); urgent {
					return true
				}
			}
		}
	}
	return false
}

// mayUrge reports whether an edge can be on an urgent channel.
func (n *Network) mayUrge(e *Edge) bool {
	channels := n.Channels[max(e.Channel.Lo, 0) : e.Channel.Hi+1]
	return slices.ContainsFunc(channels, func(c Channel) bool { return c.Urgent })
}

// State copies the cells that make up the state: the locations, then the variables.
func (s *Stepper) State(into []int32) []int32 {
	into = slices.Grow(into[:0], len(s.net.Processes)+len(s.net.Variables))
	into = append(into, s.Memory.Cells[:len(s.net.Processes)]...)
	for _, v := range s.net.Variables {
		into = append(into, s.Memory.Cells[v.Cell])
	}
	return into
}

// Load makes a state that State gave the current one.
func (s *Stepper) Load(state []int32) {
	s.Memory.Begin()
	n := copy(s.Memory.Cells[:len(s.net.Processes)], state)
	for i, v := range s.net.Variables {
		s.Memory.Cells[v.Cell] = state[n+i]
	}
}
