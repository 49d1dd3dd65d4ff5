package oracletest

import (
	"errors"
	"fmt"
	"slices"
)

// Parameters fix an instance of an algorithm.
type Parameters struct {
	N          int // processes
	Delta, Phi int
	// The number of rounds before (TC1) and (TC2) hold, if the algorithm has this parameter.
	Gst int
	// Copies is the number of copies of a message that a buffer can hold, where the model of time
	// has no ages and the algorithm gives a number. By the predicate Sending of section 3.2, which
	// allows one copy, a process does not send one more. Otherwise a buffer is a set. Under partial
	// synchrony each message has an age, which distinguishes all copies.
	Copies int
	// Pair keeps only the variables of process 0 for process 1, and only the messages from 1 to 0.
	// Nothing else depends on the omitted ones, which the tests confirm with all of them.
	Pair   bool
	Starts []int // the task at which each process starts, unless all start at Algorithm.Start
}

// Config is a global configuration (section 3.2), as bytes: the last sub-round, the time as far as
// it matters, the processes, their variables, and the buffers.
type Config string

// The sub-rounds. A configuration is named after the one that made it; the initial configuration
// counts as made by computation.
const (
	afterComputation = iota
	afterSchedule
	afterSend
	afterReceive
)

const crashed = 255 // the location of crashes

// Model runs an algorithm. The layout of a configuration:
//
//	0                  the sub-round
//	1                  the time, at most T0
//	2 + 3 i            the location of process i, whether it is active, how many rounds ago it
//	                   took a step (counted from T0 on)
//	variables + ...    for each process i, each peer j: the variables, less Lo
//	buffers + ...      for each sender s, receiver r, message m, number d: how many messages
//	                   m have d rounds until they are due
//
// A message that is sent at time t is due from max(t, T0) + Delta on: its receiver gets it at the
// next receive (TC1). All due messages of a kind arrive together, as one set, so one of them stands
// for all.
type Model struct {
	*Algorithm
	Parameters
	// T0: (TC1) and (TC2) hold from this time on; round k is at time k = 1, 2, ...
	t0                             int
	variables, buffers, ages, size int
	steps                          map[string]string // nextVal, as far as it has been computed
	names                          map[string]int    // values of constants
}

// NewModel prepares an instance.
func NewModel(a *Algorithm, p Parameters) *Model {
	m := &Model{Algorithm: a, Parameters: p, steps: map[string]string{}, names: map[string]int{},
		ages: 1}
	if !a.HasGst {
		m.Gst = 0
	}
	m.t0 = m.Gst + 1
	if a.Timing == PartialSynchrony {
		m.ages = p.Delta + m.t0
		m.names[a.DeltaName], m.names[a.PhiName] = p.Delta, p.Phi
		if a.HasGst {
			m.names[a.GstName] = p.Gst
		}
	}
	if a.HasCopies {
		m.names[a.CopiesName] = p.Copies
	}
	for _, c := range a.Constants {
		m.names[c.Name] = c.Value
	}
	m.variables = 2 + 3*p.N
	m.buffers = m.variables + p.N*p.N*len(a.Variables)
	m.size = m.buffers + p.N*p.N*len(a.Messages)*m.ages
	return m
}

func (m *Model) location(i int) int { return 2 + 3*i }
func (m *Model) active(i int) int   { return 3 + 3*i }
func (m *Model) waited(i int) int   { return 4 + 3*i }

func (m *Model) variable(i, j int) int { return m.variables + (i*m.N+j)*len(m.Variables) }

func (m *Model) messages(s, r, kind int) int {
	return m.buffers + ((s*m.N+r)*len(m.Messages)+kind)*m.ages
}

// initial is the initial configuration.
func (m *Model) initial() Config {
	c := make([]byte, m.size)
	for i := range m.N {
		c[m.location(i)] = byte(m.Start)
		if m.Starts != nil {
			c[m.location(i)] = byte(m.Starts[i])
		}
		for j := range m.N {
			for v, x := range m.Variables {
				c[m.variable(i, j)+v] = m.pack(x, environment{values: m.names}.value(x.Init))
			}
		}
	}
	return Config(c)
}

func (m *Model) pack(x Variable, value int) byte {
	if x.Bool && (value < 0 || value > 1) || !x.Bool && (value < x.Lo || value > x.Hi) {
		panic(fmt.Sprintf("%s is %d", x.Name, value))
	}
	return byte(value - x.Lo)
}

// successors are the configurations that the next sub-round can make.
func (m *Model) successors(c Config) (out []Config) {
	emit := func(b []byte) { out = append(out, Config(b)) }
	b := []byte(c)
	b[0] = (b[0] + 1) % 4
	switch int(b[0]) {
	case afterSchedule:
		m.schedule(b, emit)
	case afterSend:
		if m.send(b) {
			emit(b)
		}
	case afterReceive:
		m.receive(b, 0, emit)
	default:
		for i := range m.N {
			if m.enabled(b, i, Compute) {
				m.step(b, i, make([]int, m.N))
			}
		}
		emit(b)
	}
	return out
}

func (m *Model) enabled(b []byte, i int, k Kind) bool {
	return b[m.active(i)] == 1 && m.Tasks[b[m.location(i)]].Kind == k
}

// schedule is the sub-round Schedule: some processes crash, some of the others become active, and
// messages grow older.
func (m *Model) schedule(b []byte, emit func([]byte)) {
	now := int(b[1]) + 1 // exact as long as it is not after T0
	b[1] = byte(min(now, m.t0))
	for s := range m.N {
		for r := range m.N {
			for kind := range m.Messages {
				m.grow(b[m.messages(s, r, kind):][:m.ages])
			}
		}
	}
	var choose func(i, actives int, b []byte)
	choose = func(i, actives int, b []byte) {
		if i == m.N {
			emit(append([]byte(nil), b...))
			return
		}
		if b[m.location(i)] != crashed {
			// It becomes active.
			if m.Timing != Asynchrony || actives == 0 {
				x := append([]byte(nil), b...)
				x[m.active(i)], x[m.waited(i)] = 1, 0
				choose(i+1, actives+1, x)
			}
			// It is correct and takes no step in this round.
			x := append([]byte(nil), b...)
			may := true
			switch m.Timing {
			case Synchrony:
				may = false
			case PartialSynchrony:
				if now >= m.t0 {
					x[m.waited(i)]++
					may = int(x[m.waited(i)]) < m.Phi
				}
			}
			if may {
				choose(i+1, actives, x)
			}
		}
		// It crashes, or has crashed: it is inactive, and no messages to it are in transit.
		x := append([]byte(nil), b...)
		x[m.location(i)], x[m.active(i)], x[m.waited(i)] = crashed, 0, 0
		for s := range m.N {
			clear(x[m.messages(s, i, 0):m.messages(s, i, len(m.Messages))])
		}
		choose(i+1, actives, x)
	}
	choose(0, 0, b)
}

// grow brings messages of a kind one round nearer to being due. Without a bound on delays they stay
// as they are.
func (m *Model) grow(counts []byte) {
	if m.Timing != PartialSynchrony {
		return
	}
	for d := 1; d < len(counts); d++ {
		counts[d-1] += counts[d]
		counts[d] = 0
	}
	counts[0] = min(counts[0], 1)
}

// send is the sub-round Send. It reports false where a process cannot send.
func (m *Model) send(b []byte) bool {
	for i := range m.N {
		if !m.enabled(b, i, Send) {
			continue
		}
		for r := range m.N {
			if m.Pair && (i != 1 || r != 0) {
				continue
			}
			counts := b[m.messages(i, r, m.Tasks[b[m.location(i)]].Message):][:m.ages]
			if m.Timing == PartialSynchrony {
				now := int(b[1])
				due := m.t0 - now + m.Delta
				counts[due]++
				if due == 0 {
					counts[0] = 1
				}
				continue
			}
			switch {
			case !m.HasCopies:
				counts[0] = 1
			case int(counts[0]) == m.Copies:
				return false
			default:
				counts[0]++
			}
		}
		m.step(b, i, make([]int, m.N))
	}
	return true
}

// receive is the sub-round Receive, for the processes from r on: each receiving process gets, from
// each sender, all due messages and any part of the rest.
func (m *Model) receive(b []byte, r int, emit func([]byte)) {
	if r == m.N {
		emit(append([]byte(nil), b...))
		return
	}
	if !m.enabled(b, r, Receive) {
		m.receive(b, r+1, emit)
		return
	}
	// arrived[s] is the set of messages from s, a bit each. Cells are the indices of b with
	// messages to r.
	var choose func(cell int, arrived []int, b []byte)
	perSender := len(m.Messages) * m.ages
	choose = func(cell int, arrived []int, b []byte) {
		if cell == m.N*perSender {
			x := append([]byte(nil), b...)
			m.step(x, r, arrived)
			m.receive(x, r+1, emit)
			return
		}
		s, kind, due := cell/perSender, cell%perSender/m.ages, cell%m.ages
		at := m.messages(s, r, kind) + due
		least := 0
		if m.Timing == PartialSynchrony && due == 0 {
			least = int(b[at])
		}
		for n := least; n <= int(b[at]); n++ {
			x := append([]byte(nil), b...)
			x[at] -= byte(n)
			got := append([]int(nil), arrived...)
			if n > 0 {
				got[s] |= 1 << kind
			}
			choose(cell+1, got, x)
		}
	}
	choose(0, make([]int, m.N), b)
}

// step lets process i do its task: for each peer j, with the messages that arrived from it, a bit
// each. Then process i is inactive.
func (m *Model) step(b []byte, i int, arrived []int) {
	at := int(b[m.location(i)])
	for j := range m.N {
		if m.Pair && (i != 0 || j != 1) {
			continue
		}
		own := b[m.variable(i, j):][:len(m.Variables)]
		key := string(append([]byte{byte(at), byte(arrived[j])}, own...))
		next, known := m.steps[key]
		if !known {
			next = m.nextVal(at, arrived[j], own)
			m.steps[key] = next
		}
		copy(own, next)
	}
	b[m.location(i)] = byte(m.Tasks[at].Next)
	b[m.active(i)] = 0
}

func (m *Model) nextVal(at, arrived int, own []byte) string {
	env := environment{map[string]int{}, map[string]bool{}}
	for name, value := range m.names {
		env.values[name] = value
	}
	for v, x := range m.Variables {
		env.values[x.Name] = int(own[v]) + x.Lo
	}
	for kind, name := range m.Messages {
		env.received[name] = arrived>>kind&1 == 1
	}
	env.run(m.Tasks[at].Body)
	next := make([]byte, len(own))
	for v, x := range m.Variables {
		next[v] = m.pack(x, env.values[x.Name])
	}
	return string(next)
}

// Graph has all reachable configurations; the first is the initial one.
type Graph struct {
	*Model
	Configs []Config
	Next    [][]int32
}

// ErrTooLarge says that an instance has more configurations than the limit.
var ErrTooLarge = errors.New("too many configurations")

// Explore finds all configurations on admissible sequences. These are infinite, so configurations
// that only lead to an end are omitted.
func (m *Model) Explore(limit int) (*Graph, error) {
	g := &Graph{Model: m}
	number := map[Config]int32{}
	add := func(c Config) int32 {
		n, known := number[c]
		if !known {
			n = int32(len(g.Configs))
			number[c] = n
			g.Configs = append(g.Configs, c)
		}
		return n
	}
	add(m.initial())
	for i := 0; i < len(g.Configs); i++ {
		if len(g.Configs) > limit {
			return nil, ErrTooLarge
		}
		var next []int32
		for _, c := range m.successors(g.Configs[i]) {
			next = append(next, add(c))
		}
		g.Next = append(g.Next, next)
	}
	return g, g.prune()
}

// prune removes the configurations from which every sequence ends.
func (g *Graph) prune() error {
	ends := make([]bool, len(g.Configs))
	for changed := true; changed; {
		changed = false
		for c, next := range g.Next {
			if !ends[c] && !slices.ContainsFunc(next, func(d int32) bool { return !ends[d] }) {
				ends[c], changed = true, true
			}
		}
	}
	if ends[0] {
		return errors.New("there is no admissible sequence")
	}
	number := make([]int32, len(g.Configs))
	var configs []Config
	for c := range g.Configs {
		if !ends[c] {
			number[c] = int32(len(configs))
			configs = append(configs, g.Configs[c])
		}
	}
	var all [][]int32
	for c, next := range g.Next {
		if ends[c] {
			continue
		}
		var kept []int32
		for _, d := range next {
			if !ends[d] {
				kept = append(kept, number[d])
			}
		}
		all = append(all, kept)
	}
	g.Configs, g.Next = configs, all
	return nil
}
