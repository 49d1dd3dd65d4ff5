package roundstest

import (
	"fmt"
	"slices"
	"strings"
)

// Parameters fix an instance.
type Parameters struct {
	N, Delta, Phi, Gst int
	Firsts             int // the processes of role 0, which come first
	Less               int // the bound for the delay of the first message, where it has one
	D                  int // of D consecutive rounds, clocks are fast or slow in one at most
	// The same for each sender and receiver, and the bound for each process, where these exist.
	Delays [][]int
	Phis   []int
}

// Fault is a mistake that is planted in the model, to see whether a comparison notices it.
type Fault int

// The mistakes.
const (
	None           Fault = iota
	Late                 // a message may be a round late
	Early                // a message must be a round early
	Slow                 // a process may wait a round longer
	Quick                // a process must not wait so long
	OwnStep              // a process receives what it sends in the same step
	NextRound            // no message arrives in its round
	Merged               // equal messages of different rounds are one
	KeptForCrashed       // messages to crashed processes are kept
	CrashBetween         // crashes come between steps, too
	CountsFirst          // timers count before the step
	LostLater            // messages are lost after the bounds hold, too
	BoundsEarly          // bounds hold a round too early
	OneMessage           // a step receives one message at most
	KeepsAll             // who recovers has forgotten nothing
	CopiesLater          // messages are duplicated after the bounds hold, too
	CopiesOwn            // what a process sends to itself is duplicated, too
	CopiesOld            // a copy is as old as the message
	Unordered            // links keep no order
	OrderedKinds         // links keep the order of messages of one kind only
	OmitsAll             // what is between any processes may be omitted if one is faulty
	ForgesAll            // correct processes forge, too
	ForgesToFaulty       // forged messages to faulty processes are kept
	LiarsStep            // Byzantine processes carry out their program, too
	SameDelay            // all messages have the same bound
	BackDelay            // the bound of a message is the one for the other direction
	SameSpeed            // all processes have the same bound
	PutsBetween          // copies and forged messages come between steps, too
	OneCopy              // a bag is a set
	DriftsOften          // clocks are fast or slow a round sooner
	ClocksWait           // clocks count the rounds in which their process takes a step
	ForgesFreely         // conditions for what is made up are not heeded
	HearsAll             // liars hear what is sent to correct processes
	NotRecorded          // what is sent to faulty processes is forgotten
	EachRole             // the number of faulty processes is one for each role
	BetweenRoles         // what a process sends to all goes to the processes of all roles
	faults
)

// Faults lists all mistakes.
func Faults() (out []Fault) {
	for x := None + 1; x < faults; x++ {
		out = append(out, x)
	}
	return out
}

// Model runs a protocol.
type Model struct {
	*Protocol
	Parameters
	Fault Fault
}

// letter is a message in transit.
type letter struct {
	kind, from, to int
	args           [2]int
	sent           int  // the round; 0 where messages are a set
	fresh          bool // sent in the step that is being taken
}

// config is a state between steps. The first round is round 1.
type config struct {
	round   int
	vars    [][]int // of each process: the variables; one for peers has a place for each
	crashed []bool
	faulty  []bool // in another way
	acted   []bool // in this round
	last    []int  // the last round before this one in which a process took a step, 0 if none
	odd     []int  // the last round in which the clocks of a process were fast or slow, 0 if none
	counts  []int  // what the clocks of a process count in this round
	transit []letter
	sent    []letter // ever, of the kinds that are recorded, without the round
}

func (c *config) clone() *config {
	d := &config{round: c.round, crashed: slices.Clone(c.crashed), faulty: slices.Clone(c.faulty),
		acted: slices.Clone(c.acted), last: slices.Clone(c.last),
		odd: slices.Clone(c.odd), counts: slices.Clone(c.counts), transit: slices.Clone(c.transit),
		sent: slices.Clone(c.sent)}
	for _, v := range c.vars {
		d.vars = append(d.vars, slices.Clone(v))
	}
	return d
}

func (m *Model) timed() bool { return m.Timing == PartialSynchrony }

// first is T0, the first round with bounds.
func (m *Model) first() int {
	if m.Fault == BoundsEarly {
		return max(m.Gst, 1)
	}
	return m.Gst + 1
}

// slot is the place of a variable.
func (m *Model) slot(variable, peer int) int {
	at := 0
	for i, v := range m.Vars {
		if i == variable {
			return at + peer
		}
		at++
		if v.Peer {
			at += m.N - 1
		}
	}
	return at
}

func (m *Model) initial() *config {
	c := &config{round: 1, crashed: make([]bool, m.N), faulty: make([]bool, m.N),
		acted: make([]bool, m.N), last: make([]int, m.N), odd: make([]int, m.N)}
	for range m.N {
		c.counts = append(c.counts, 1)
		var row []int
		for _, v := range m.Vars {
			n := 1
			if v.Peer {
				n = m.N
			}
			for range n {
				row = append(row, v.First)
			}
		}
		c.vars = append(c.vars, row)
	}
	return c
}

// Graph is what is seen of the states between steps, with all steps between them.
type Graph struct {
	States []string
	Edges  map[[2]string]bool
}

// Graph explores the instance; false if it has more states than most.
func (m *Model) Graph(most int) (*Graph, bool) {
	out := &Graph{Edges: map[[2]string]bool{}}
	known := map[string]bool{}
	var queue []*config
	add := func(c *config) string {
		key := m.see(c)
		if !known[key] {
			known[key] = true
			out.States = append(out.States, key)
			queue = append(queue, c)
		}
		return key
	}
	add(m.initial())
	for len(queue) > 0 {
		c := queue[0]
		queue = queue[1:]
		from := m.see(c)
		m.successors(c, func(d *config) { out.Edges[[2]string{from, add(d)}] = true })
		if len(out.States) > most {
			return nil, false
		}
	}
	return out, true
}

// see is the part of a state that a run depends on.
func (m *Model) see(c *config) string {
	var b strings.Builder
	fmt.Fprint(&b, "vars=", c.vars, " crashed=", c.crashed, " faulty=", c.faulty)
	if m.Timing != Asynchrony {
		fmt.Fprint(&b, " acted=", c.acted)
	}
	if m.timed() {
		clock := m.Delta // without a stabilisation time, nothing depends on the round
		if m.HasGst {
			clock = min(c.round-1, m.Gst+m.Delta)
		}
		fmt.Fprint(&b, " clock=", clock, " waited=[")
		for i := range m.N {
			w := max(0, c.round-1-max(c.last[i], m.Gst))
			if m.down(c, i) {
				w = 0
			}
			fmt.Fprint(&b, w, " ")
		}
		b.WriteString("]")
	}
	for i := range m.N {
		if m.Drift {
			even := m.D - 1
			if c.odd[i] > 0 && c.odd[i] < c.round {
				even = min(even, c.round-1-c.odd[i])
			}
			fmt.Fprint(&b, " clock", i, "=", c.counts[i], ",", even)
		}
	}
	var in []string
	for _, x := range c.transit {
		age := 0
		if m.timed() {
			age = c.round - x.sent
		}
		in = append(in, Letter(x.kind, x.from, x.to, x.args[:len(m.Messages[x.kind].Fields)], age))
	}
	slices.Sort(in)
	fmt.Fprint(&b, " transit=", in, " sent=", c.record(m))
	return b.String()
}

// Letter is what is seen of a message in transit.
func Letter(kind, from, to int, args []int, age int) string {
	return fmt.Sprint(kind, ":", from, ">", to, args, "@", age)
}

func (m *Model) successors(c *config, yield func(*config)) {
	for i := range m.N {
		if m.mayFail(c, i, c.crashed, "crash", "recover") {
			d := c.clone()
			d.crashed[i] = true
			m.fallen(d, i, yield)
		}
		if m.mayFail(c, i, c.faulty, "omission", "send_omission", "receive_omission", "byzantine") {
			d := c.clone()
			d.faulty[i] = true
			m.fallen(d, i, yield)
		}
		if (!m.down(c, i) || m.Fault == LiarsStep && c.faulty[i]) && !c.acted[i] {
			m.receive(c, i, 0, map[string]bool{}, yield)
		}
		if c.crashed[i] && m.has("recover") {
			yield(m.recovered(c, i))
		}
	}
	if m.Lossy && (!m.timed() || c.round < m.Gst+1 ||
		m.Fault == LostLater) {
		for k, x := range c.transit {
			m.lose(c, k, x, yield)
		}
	}
	for i := range m.N {
		m.drift(c, i, yield)
	}
	m.duplicate(c, yield)
	m.omit(c, yield)
	m.forge(c, yield)
	if m.Timing != Asynchrony && m.mayEnd(c) {
		yield(m.ended(c))
	}
}

// has reports whether a kind of faults can happen.
func (m *Model) has(kind string) bool {
	return slices.Contains(m.Faults, kind) || slices.Contains(m.Faults, kind+"(1)")
}

// down reports whether a process takes no steps since it is faulty.
func (m *Model) down(c *config, i int) bool {
	return c.crashed[i] || c.faulty[i] && m.has("byzantine")
}

// mayFail reports whether a process may get a fault of one of some kinds, which others have.
func (m *Model) mayFail(c *config, i int, others []bool, kinds ...string) bool {
	return !others[i] && !m.down(c, i) && (m.beginning(c) || m.Fault == CrashBetween) &&
		slices.ContainsFunc(kinds, func(kind string) bool {
			return slices.Contains(m.Faults, kind) ||
				slices.Contains(m.Faults, kind+"(1)") && !m.some(others, i)
		})
}

// fallen takes what is in transit to a process that has stopped out of transit.
func (m *Model) fallen(c *config, i int, yield func(*config)) {
	if m.down(c, i) && m.Fault != KeptForCrashed {
		c.transit = slices.DeleteFunc(c.transit, func(x letter) bool { return x.to == i })
	}
	yield(c)
}

// recovered is the state after a process has recovered, as it was at the start but for its disk. It
// counts as its step in this round.
func (m *Model) recovered(c *config, i int) *config {
	d := c.clone()
	d.crashed[i] = false
	first := m.initial().vars[i]
	for k, v := range m.Vars {
		for j := range m.N {
			if !v.Disk && m.Fault != KeepsAll && (v.Peer || j == 0) {
				d.vars[i][m.slot(k, j)] = first[m.slot(k, j)]
			}
		}
	}
	if m.Timing != Asynchrony {
		d.acted[i] = true
		d.last[i] = c.round - 1
	}
	return d
}

// mayEnd reports whether all processes that must have taken a step in this round.
func (m *Model) mayEnd(c *config) bool {
	for i := range m.N {
		phi := m.Phi
		if m.Phis != nil && m.Fault != SameSpeed {
			phi = m.Phis[i]
		}
		switch m.Fault {
		case Slow:
			phi++
		case Quick:
			phi--
		}
		if m.down(c, i) || c.acted[i] {
			continue
		}
		if m.Timing == Synchrony {
			return false
		}
		// No step in the rounds after the last one, as far as they have bounds.
		if without := c.round - max(c.last[i], m.first()-1); without >= phi {
			return false
		}
	}
	return true
}

func (m *Model) ended(c *config) *config {
	d := c.clone()
	for i := range m.N {
		if d.acted[i] {
			d.last[i] = d.round
		}
		m.tick(d, i)
		d.acted[i] = false
	}
	d.round++
	if m.Fault == Merged {
		var kept []letter
		for _, x := range d.transit {
			if !slices.ContainsFunc(kept, func(y letter) bool {
				x.sent = y.sent
				return x == y
			}) {
				kept = append(kept, x)
			}
		}
		d.transit = kept
	}
	return d
}

// receive tries all ways in which a step of a process goes on: it receives any message that is
// there, or it has received all that it must, and the step comes to its end. Seen are the ways that
// were tried, by where they are.
func (m *Model) receive(
	c *config, i, received int, seen map[string]bool, yield func(*config),
) {
	var in []string
	for _, x := range c.transit {
		in = append(in, fmt.Sprint(x))
	}
	slices.Sort(in)
	at := fmt.Sprint(received, c.vars, in, c.record(m))
	if seen[at] {
		return
	}
	seen[at] = true
	must := false
	for k, x := range c.transit {
		if x.to != i || x.fresh && m.Fault != OwnStep || m.overtakes(c, x) ||
			slices.Contains(c.transit[:k], x) {
			continue
		}
		if m.timed() && m.due(c, x) {
			must = true
		}
		if m.timed() && m.Fault == NextRound && x.sent == c.round ||
			m.Fault == OneMessage && received > 0 {
			continue
		}
		if received > 3 && m.Fault != None { // a step need not end then
			continue
		}
		d := c.clone()
		d.transit = slices.Delete(d.transit, k, k+1)
		e := &environment{m: m, self: i, sender: x.from, fields: x.args, locals: map[string]int{}}
		var body []Stmt
		if h := m.Handlers[x.kind]; h != nil {
			body = h.Body
		}
		e.run(d, body, func(d *config) { m.receive(d, i, received+1, seen, yield) })
	}
	if !must {
		m.compute(c, i, yield)
	}
}

// due reports whether a message must be received in this round.
func (m *Model) due(c *config, x letter) bool {
	delta := m.Delta
	if m.Quick && x.kind == 0 && m.Fault != SameDelay {
		delta = m.Less
		switch {
		case m.Delays != nil && m.Fault == BackDelay:
			delta = m.Delays[x.to][x.from]
		case m.Delays != nil:
			delta = m.Delays[x.from][x.to]
		}
	}
	switch m.Fault {
	case Late:
		delta++
	case Early:
		delta = max(0, delta-1)
	}
	return c.round >= max(x.sent, m.first())+delta
}

// compute carries out the steps of a process that are due.
func (m *Model) compute(c *config, i int, yield func(*config)) {
	e := &environment{m: m, self: i, sender: -1, locals: map[string]int{}}
	d := c.clone()
	count := func(d *config) {
		m.count(d, i, 1, func(v Var) bool { return v.Timer })
	}
	early := m.Fault == CountsFirst
	if early {
		count(d)
	}
	var steps func(d *config, from int)
	steps = func(d *config, from int) {
		if from == len(m.Steps) {
			d = d.clone()
			if !early {
				count(d)
			}
			if m.Timing != Asynchrony {
				d.acted[i] = true
			}
			var sent []letter
			for _, x := range d.transit {
				if x.fresh = false; m.room(sent, x) {
					sent = append(sent, x)
				}
			}
			d.transit = sent
			yield(d)
			return
		}
		s := m.Steps[from]
		if s.Role != m.role(i) || s.Timer != nil && e.int(d, s.Timer) < s.After ||
			s.When != nil && !e.holds(d, s.When) {
			steps(d, from+1)
			return
		}
		e.run(d, s.Body, func(d *config) { steps(d, from+1) })
	}
	steps(d, 0)
}
