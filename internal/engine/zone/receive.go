package zone

import (
	"encoding/binary"
	"slices"
	"sync"

	"erelong.dev/erelong/internal/timed"
)

// Where clocks decide who receives a broadcast, each set of receivers is a step that is possible
// for a part of the clock values. Most sets are possible nowhere in a zone, so the zone guides the
// choice: a receiver takes part where its guard holds, and is left out where a limit of it does
// not.

// eachFrom is each for the values of a zone: it gives the steps, each with the limits outside of
// which another process can receive.
func (x *explorer) eachFrom(z zone, yield func(parts []timed.Participant, apart []limitOf)) {
	var apart []limitOf
	divide := func(sender timed.Participant, ways []timed.Receivers, emit func(
		[]timed.Participant,
	)) {
		if len(ways) == 0 {
			emit([]timed.Participant{sender})
			return
		}
		from := z.clone()
		x.steps.Bind([]timed.Participant{sender})
		if !from.constrainAll(x.numbers(nil, sender.Edge.Clocks)) {
			return
		}
		d := &divided{explorer: x, ways: ways, emit: func(c *divided) {
			apart = c.apart
			emit(c.parts)
			apart = nil
		}}
		d.parts = append(d.parts, sender)
		d.choose(0, from)
	}
	x.steps.EachDivided(divide, func(parts []timed.Participant) { yield(parts, apart) })
}

// divided is a broadcast whose receivers are chosen.
type divided struct {
	*explorer
	ways  []timed.Receivers
	parts []timed.Participant // the sender, and the receivers so far
	apart []limitOf           // where the others cannot receive
	emit  func(*divided)
}

// choose chooses the receivers from a process on, for the values in a zone.
func (d *divided) choose(k int, z zone) {
	if !d.steps.Memory.Round(d.parts[0].Edge.Span) {
		return
	}
	if k == len(d.ways) {
		d.emit(d)
		return
	}
	way := d.ways[k]
	at := len(d.parts)
	for _, part := range way.Parts {
		if y := z.clone(); y.constrainAll(d.guard(part)) {
			d.parts = append(d.parts[:at], part)
			d.choose(k+1, y)
		}
	}
	if d.parts = d.parts[:at]; !way.Must {
		d.leave(k, way.Parts, z)
	}
}

// leave leaves out a process, whose edges are all impossible then.
func (d *divided) leave(k int, parts []timed.Participant, z zone) {
	if len(parts) == 0 {
		d.choose(k+1, z)
		return
	}
	limits := d.guard(parts[0])
	if y := z.clone(); !y.constrainAll(limits) { // it is impossible everywhere
		d.leave(k, parts[1:], z)
		return
	}
	at := len(d.apart)
	for i, l := range limits { // the first limit that does not hold
		not := limitOf{l.j, l.i, negate(l.b)}
		if y := z.clone(); y.constrainAll(append(slices.Clone(limits[:i]), not)) {
			d.apart = append(append(d.apart[:at], limits[:i]...), not)
			d.leave(k, parts[1:], y)
		}
	}
	d.apart = d.apart[:at]
}

// guard gives the limits of a receiver.
func (d *divided) guard(part timed.Participant) []limitOf {
	d.steps.Bind([]timed.Participant{part})
	return d.numbers(nil, part.Edge.Clocks)
}

// stepTable numbers steps with their limits: which steps a state has depends on the zone. Several
// threads may use it.
type stepTable struct {
	mu    sync.Mutex
	edges map[*timed.Edge]int64
	index map[string]int32
	steps []partedStep
}

type partedStep struct {
	parts []timed.Participant
	apart []limitOf
}

// number gives the number of a step.
func (t *stepTable) number(parts []timed.Participant, apart []limitOf) int32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.index == nil {
		t.index, t.edges = map[string]int32{}, map[*timed.Edge]int64{}
	}
	var key []byte
	for _, p := range parts {
		e, known := t.edges[p.Edge]
		if !known {
			e = int64(len(t.edges))
			t.edges[p.Edge] = e
		}
		key = binary.AppendVarint(binary.AppendVarint(key, int64(p.Process)), e)
		for _, v := range p.Values {
			key = binary.AppendVarint(key, int64(v))
		}
	}
	key = binary.AppendVarint(key, -1)
	for _, l := range apart {
		for _, v := range []int{l.i, l.j, int(l.b)} {
			key = binary.AppendVarint(key, int64(v))
		}
	}
	k, known := t.index[string(key)]
	if !known {
		k = int32(len(t.steps))
		t.index[string(key)] = k
		t.steps = append(t.steps, partedStep{slices.Clone(parts), slices.Clone(apart)})
	}
	return k
}

// step gives a step of n clocks by its number.
func (t *stepTable) step(k int32, n int) guardedStep {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.steps[k]
	free := whole(n)
	free.constrainAll(s.apart)
	return guardedStep{parts: s.parts, free: free}
}
