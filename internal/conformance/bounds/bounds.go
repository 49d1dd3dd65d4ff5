// Package bounds measures the partial synchrony of a recorded run.
//
// In: the events of a log, with times, of which some are steps of processes and some send or
// receive messages; and the length of a round. Out: the pairs (Delta, Phi), least first, for which
// the log is a run under partial synchrony (Dwork, Lynch and Stockmeyer, Consensus in the presence
// of partial synchrony, 1988): a process takes a step at least once in Phi rounds, and a message is
// received at the latest at the first step of its receiver that is Delta rounds after its sending.
// If times are intervals, a pair is possible if there are moments in the intervals for which the
// run keeps it.
//
// For given bounds the moments are the solution of a system of differences, which relaxation finds:
// every moment begins at its latest value and is lowered as long as a constraint asks for it. If
// one falls below its earliest value, there is no solution.
package bounds

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"erelong.dev/erelong/internal/conformance/runlog"
)

// Input is a log as package bounds reads it.
type Input struct {
	Events []*runlog.Event // of each node in its order
	Steps  []string        // the names of events that are steps
	// the length of a round; 0 for the shortest time between two steps of a process
	Round int64
}

// Pair is a pair of bounds in rounds.
type Pair struct{ Delta, Phi int64 }

// Force is what makes a bound at least so large: two events and the rounds between them.
type Force struct {
	What       string // the process, or sender and receiver
	Rounds     int64
	From, To   *runlog.Event
	UnitsApart int64 // at least, in units of the log
}

// Result holds the bounds of a log.
type Result struct {
	Round int64
	// no pair is as small as another in both; the last has Least.Delta, unless there are too many
	Front    []Pair
	Least    Pair    // each bound alone
	Phi      []Force // for each process with two steps, its longest time without one
	Delta    []Force // for each pair of processes, the slowest message
	Messages int
	// Lost counts messages that are never received. They are not part of the bounds.
	Lost int
}

// maxFront bounds the number of pairs that are computed.
const maxFront = 50

// Measure finds the bounds.
func Measure(in Input) (*Result, error) {
	p, err := newProblem(in)
	if err != nil {
		return nil, err
	}
	r := &Result{Round: p.round, Messages: len(p.messages), Lost: p.lost}
	r.Phi, r.Delta = p.forces()
	most := p.most() // as a bound it excludes nothing
	least := func(ok func(int64) bool) (int64, bool) {
		if !ok(most) {
			return 0, false
		}
		lo, hi := int64(0), most
		for lo < hi {
			mid := lo + (hi-lo)/2
			if ok(mid) {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
		return lo, true
	}
	phi, ok := least(func(x int64) bool { return x >= 1 && p.feasible(Pair{most, x}) })
	if !ok {
		return nil, errors.New("the times of the log contradict its order: a message is " +
			"received before it is sent, or a node goes back in time")
	}
	delta, ok := least(func(x int64) bool { return p.feasible(Pair{x, most}) })
	if !ok {
		return nil, errors.New("no bound on the delay of messages fits the log")
	}
	r.Least = Pair{delta, phi}
	for {
		d, _ := least(func(d int64) bool { return p.feasible(Pair{d, phi}) })
		r.Front = append(r.Front, Pair{d, phi})
		if d == delta || len(r.Front) == maxFront {
			return r, nil
		}
		phi, _ = least(func(x int64) bool { return p.feasible(Pair{d - 1, x}) })
	}
}

// message is a message with the last step of its receiver before it is received.
type message struct {
	sent, missed int // indices of moments
}

type problem struct {
	round    int64
	events   []*runlog.Event
	gaps     [][2]int // two steps of a process, one after the other
	messages []message
	order    [][2]int // the first comes before the second
	lost     int
}

func newProblem(in Input) (*problem, error) {
	if len(in.Steps) == 0 {
		return nil, errors.New("no event is declared to be a step: `step EVENT` does it")
	}
	p := &problem{round: in.Round, events: in.Events}
	steps := map[string][]int{} // of each node
	last := map[string]int{}
	sent := map[string]int{}
	for i, e := range in.Events {
		switch {
		case !e.HasTime:
			return nil, fmt.Errorf("the event in line %d has no time", e.Line)
		case e.Node == "":
			return nil, fmt.Errorf("the event in line %d has no node", e.Line)
		}
		if before, ok := last[e.Node]; ok {
			p.order = append(p.order, [2]int{before, i})
		}
		last[e.Node] = i
		if e.Send != "" {
			sent[e.Send] = i
		}
		if slices.Contains(in.Steps, e.Name) {
			steps[e.Node] = append(steps[e.Node], i)
		}
	}
	received := map[string]bool{}
	for i, e := range in.Events {
		s, ok := sent[e.Receive]
		if e.Receive == "" || !ok || received[e.Receive] {
			continue
		}
		received[e.Receive] = true
		p.order = append(p.order, [2]int{s, i})
		p.receive(s, i, steps[e.Node])
	}
	for id := range sent {
		if !received[id] {
			p.lost++
		}
	}
	if len(steps) == 0 {
		return nil, errors.New("the log has no step")
	}
	for _, list := range steps {
		for k := range list[1:] {
			p.gaps = append(p.gaps, [2]int{list[k], list[k+1]})
		}
	}
	slices.SortFunc(p.gaps, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	if len(p.gaps) == 0 {
		return nil, errors.New("no process takes two steps")
	}
	return p, p.chooseRound()
}

// receive notes the last step before the one in which a message is received. It is received in the
// last step up to its reception.
func (p *problem) receive(sent, received int, steps []int) {
	k := len(steps)
	for k > 0 && steps[k-1] > received {
		k--
	}
	if k >= 2 {
		p.messages = append(p.messages, message{sent, steps[k-2]})
	} else {
		p.messages = append(p.messages, message{sent, -1})
	}
}

// chooseRound takes the shortest time between two steps of a process, so that a process takes at
// most one step in a round.
func (p *problem) chooseRound() error {
	if p.round > 0 {
		return nil
	}
	p.round = math.MaxInt64
	for _, g := range p.gaps {
		if apart := p.events[g[1]].Since - p.events[g[0]].Since; apart > 0 {
			p.round = min(p.round, apart)
		}
	}
	if p.round == math.MaxInt64 {
		return errors.New("all steps have the same time")
	}
	return nil
}

// most is a number of rounds that is longer than the log.
func (p *problem) most() int64 {
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for _, e := range p.events {
		lo, hi = min(lo, e.Since), max(hi, e.Until)
	}
	return (hi-lo)/p.round + 2
}

// constraint says that moment a is at most w after moment b.
type constraint struct {
	a, b int
	w    int64
}

func (p *problem) constraints(x Pair) (out []constraint) {
	for _, o := range p.order {
		out = append(out, constraint{o[0], o[1], 0})
	}
	for _, g := range p.gaps {
		out = append(out, constraint{g[1], g[0], x.Phi * p.round})
	}
	for _, m := range p.messages {
		if m.missed >= 0 {
			out = append(out, constraint{m.missed, m.sent, x.Delta*p.round - 1})
		}
	}
	return out
}

// feasible reports whether there are moments that keep the bounds.
func (p *problem) feasible(x Pair) bool {
	all := p.constraints(x)
	from := make([][]int, len(p.events)) // the constraints by b
	for i, c := range all {
		from[c.b] = append(from[c.b], i)
	}
	at := make([]int64, len(p.events))
	queue := make([]int, len(p.events))
	queued := make([]bool, len(p.events))
	chain := make([]int, len(p.events)) // constraints that lowered a moment, one after the other
	for i, e := range p.events {
		at[i], queue[i], queued[i] = e.Until, i, true
	}
	for len(queue) > 0 {
		b := queue[0]
		queue, queued[b] = queue[1:], false
		for _, i := range from[b] {
			c := all[i]
			if at[b]+c.w >= at[c.a] {
				continue
			}
			at[c.a], chain[c.a] = at[b]+c.w, chain[b]+1
			if at[c.a] < p.events[c.a].Since || chain[c.a] > len(p.events) { // a negative cycle
				return false
			}
			if !queued[c.a] {
				queue, queued[c.a] = append(queue, c.a), true
			}
		}
	}
	return true
}

// forces lists, for each process and each pair, what the log surely has: the times that no choice
// of moments makes shorter.
func (p *problem) forces() (phi, delta []Force) {
	longest := map[string]Force{}
	note := func(what string, from, to int, rounds func(int64) int64) {
		apart := p.events[to].Since - p.events[from].Until
		f := Force{What: what, Rounds: rounds(apart), From: p.events[from], To: p.events[to],
			UnitsApart: apart}
		if old, ok := longest[what]; !ok || f.UnitsApart > old.UnitsApart {
			longest[what] = f
		}
	}
	collect := func() (out []Force) {
		for _, f := range longest {
			out = append(out, f)
		}
		slices.SortFunc(out, func(a, b Force) int { return cmp.Compare(a.What, b.What) })
		clear(longest)
		return out
	}
	for _, g := range p.gaps {
		note(p.events[g[0]].Node, g[0], g[1], func(apart int64) int64 {
			return max((apart+p.round-1)/p.round, 1)
		})
	}
	phi = collect()
	for _, m := range p.messages {
		if m.missed >= 0 {
			what := p.events[m.sent].Node + " to " + p.events[m.missed].Node
			note(what, m.sent, m.missed, func(apart int64) int64 {
				if apart < 0 {
					return 0
				}
				return apart/p.round + 1
			})
		}
	}
	return phi, collect()
}
