package conformance

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"erelong.dev/erelong/internal/conformance/observe"
	"erelong.dev/erelong/internal/conformance/runlog"
)

// lane is a sequence of events whose order is known: all events, or the events of a node.
type lane struct {
	node   string
	events []*event
	base   int // events before them that are no longer kept; see stream
	// soonest has, for each position, the earliest end of the time of this and all later events.
	soonest []int64
}

// end is the earliest end of the times of the events from a position on.
func (l *lane) end(at int) int64 { return l.soonest[at-l.base] }

// add puts an event behind the others.
func (l *lane) add(e *event) {
	l.events, l.soonest = append(l.events, e), append(l.soonest, math.MaxInt64)
	for i := len(l.events) - 1; i >= 0 && l.soonest[i] > e.Until; i-- {
		l.soonest[i] = e.Until
	}
}

// forget gives up a number of events.
func (l *lane) forget(n int) {
	l.base, l.events = l.base+n, slices.Delete(l.events, 0, n)
	if l.soonest != nil {
		l.soonest = slices.Delete(l.soonest, 0, n)
	}
}

// event is the event at a position; nil at the end.
func (l *lane) event(at int) *event {
	if at -= l.base; at < len(l.events) {
		return l.events[at]
	}
	return nil
}

// position is the position of an event in the lanes.
type position struct{ lane, at int }

// arrange sorts the events into lanes.
func (p *problem) arrange(order observe.Order) error {
	if len(p.events) == 0 {
		return nil
	}
	if order == "" {
		order = p.usual()
	}
	p.order = order
	if order == observe.ByFile {
		p.lanes = []lane{{events: p.events}}
	} else if err := p.byNode(); err != nil {
		return err
	}
	return p.locate()
}

// locate notes where the events and the sendings of messages are in the lanes.
func (p *problem) locate() error {
	p.sends = map[string]position{}
	for l := range p.lanes {
		for i, e := range p.lanes[l].events {
			e.position = position{l, i}
			if e.Send == "" {
				continue
			}
			if _, twice := p.sends[e.Send]; twice {
				return eventError(p.name, e.Event, "the message %q is sent twice", e.Send)
			}
			p.sends[e.Send] = e.position
		}
	}
	p.unsent()
	return p.soonest()
}

// unsent notes the events that receive what no event sends: they may come at any time.
func (p *problem) unsent() {
	var first *runlog.Event
	n := 0
	for _, e := range p.events {
		if _, sent := p.sends[e.Receive]; sent || e.Receive == "" {
			continue
		}
		if n++; first == nil {
			first = e.Event
		}
	}
	p.notes = append(p.notes, unsentNote(n, first)...)
}

// unsentNote says how many events receive what no event sends.
func unsentNote(n int, first *runlog.Event) []string {
	switch {
	case n == 0:
		return nil
	case first == nil:
		return []string{fmt.Sprintf("%d events receive a message that no event sends", n)}
	case n == 1:
		return []string{fmt.Sprintf("%s receives the message %q, which no event sends",
			first.Place(), first.Receive)}
	}
	return []string{fmt.Sprintf("%d events receive a message that no event sends, the first %q "+
		"in %s", n, first.Receive, first.Place())}
}

// lostNote says that numbers between two events of a node are missing.
func lostNote(node string, before, after int64) string {
	return fmt.Sprintf("node %s: no event has the numbers %d to %d; the log may have lost them",
		node, before+1, after-1)
}

// usual is the order that is known if nothing is declared. Between the lines of several files none
// is.
func (p *problem) usual() observe.Order {
	all := func(has func(*event) bool) bool {
		return !slices.ContainsFunc(p.events, func(e *event) bool { return !has(e) })
	}
	switch {
	case p.events[0].File == "" &&
		!all(func(e *event) bool { return e.Node != "" && e.HasSeq }):
		return observe.ByFile
	case all(func(e *event) bool { return e.HasTime }):
		return observe.ByTime
	}
	return observe.ByNode
}

// usualFrom is the usual order of a log whose events have the fields of its first one.
func usualFrom(first *runlog.Event) observe.Order {
	p := &problem{events: []*event{{Event: first}}}
	return p.usual()
}

func (p *problem) byNode() error {
	index := map[string]int{}
	for _, e := range p.events {
		if e.Node == "" {
			return eventError(p.name, e.Event,
				"the event has no node, and the order of events is known for each node only "+
					"(order %s)", p.order)
		}
		i, ok := index[e.Node]
		if !ok {
			i = len(p.lanes)
			index[e.Node] = i
			p.lanes = append(p.lanes, lane{node: e.Node})
		}
		p.lanes[i].events = append(p.lanes[i].events, e)
	}
	for _, l := range p.lanes {
		if err := p.number(l); err != nil {
			return err
		}
	}
	return nil
}

// number sorts the events of a node by its incarnations, and in each by their numbers, if they have
// any.
func (p *problem) number(l lane) error {
	numbered := l.events[0].HasSeq
	for _, e := range l.events {
		if e.HasSeq != numbered {
			return eventError(p.name, e.Event,
				"some events of node %s have a number, and others have none", l.node)
		}
	}
	slices.SortStableFunc(l.events, func(a, b *event) int {
		return cmp.Or(cmp.Compare(a.Inc, b.Inc), cmp.Compare(a.Seq, b.Seq))
	})
	if !numbered {
		return nil
	}
	for i, e := range l.events[1:] {
		switch before := l.events[i]; {
		case before.Inc == e.Inc && before.Seq == e.Seq:
			return eventError(p.name, e.Event,
				"node %s has two events with number %d: the other is in %s; after a restart, the "+
					"field inc has a greater number", l.node, e.Seq, before.Place())
		case before.Inc == e.Inc && before.Seq+1 < e.Seq && len(p.ignored) == 0:
			p.notes = append(p.notes, lostNote(l.node, before.Seq, e.Seq))
		}
	}
	return nil
}

// soonest computes the earliest ends.
func (p *problem) soonest() error {
	if p.order != observe.ByTime {
		return nil
	}
	for i := range p.lanes {
		l := &p.lanes[i]
		l.soonest = make([]int64, len(l.events)+1)
		l.soonest[len(l.events)] = math.MaxInt64
		for k := len(l.events) - 1; k >= 0; k-- {
			e := l.events[k]
			if !e.HasTime {
				return eventError(p.name, e.Event,
					"the event has no time, and the order is by time")
			}
			if l.soonest[k+1] < e.Since {
				return eventError(p.name, e.Event,
					"a later event of node %s ends before this one begins: its clock has gone "+
						"back; `order node` does not read times", l.node)
			}
			l.soonest[k] = min(l.soonest[k+1], e.Until)
		}
	}
	return nil
}

// next lists the events that can come next, the first of the file first. The list is valid until
// the next one.
func (p *problem) next(at []int) []*event {
	out := p.nexts[:0]
	defer func() { p.nexts = out }()
	if len(p.lanes) == 1 {
		if e := p.lanes[0].event(at[0]); e != nil && p.received(at, e) {
			out = append(out, e)
		}
		return out
	}
	ends := p.ends(at)
	for i := range p.lanes {
		if e := p.lanes[i].event(at[i]); e != nil && p.received(at, e) && ends.allow(e) {
			out = append(out, e)
		}
	}
	if len(out) == 1 {
		return out
	}
	slices.SortFunc(out, func(a, b *event) int {
		if p.order == observe.ByTime {
			if c := cmp.Compare(a.Since, b.Since); c != 0 {
				return c
			}
		}
		return cmp.Compare(a.Line, b.Line)
	})
	return out
}

// received reports whether what an event receives was sent, if it is sent at all.
func (p *problem) received(at []int, e *event) bool {
	if e.Receive == "" {
		return true
	}
	sent, ok := p.sends[e.Receive]
	return !ok || at[sent.lane] > sent.at
}

// ends are what is known of the times of the events to come.
type ends struct {
	first int64 // the earliest end
	lane  int   // where it is
	other int64 // the earliest end in the other lanes
}

// ends computes the earliest ends of the events to come; without times they are never.
func (p *problem) ends(at []int) ends {
	out := ends{first: math.MaxInt64, other: math.MaxInt64}
	if p.order != observe.ByTime {
		return out
	}
	for i := range p.lanes {
		switch end := p.lanes[i].end(at[i]); {
		case end < out.first:
			out.first, out.lane, out.other = end, i, out.first
		case end < out.other:
			out.other = end
		}
	}
	return out
}

// allow reports whether an event can be the next of all: none in another lane ends before it.
func (x ends) allow(e *event) bool {
	if e.lane == x.lane {
		return x.other >= e.Since
	}
	return x.first >= e.Since
}
