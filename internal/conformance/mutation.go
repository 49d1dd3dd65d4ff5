package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"

	"erelong.dev/erelong/internal/conformance/runlog"
)

// mutation is a change of a log.
type mutation struct {
	event *event // the first that is changed
	after int    // events of the run up to the last that is changed
	what  string
	apply func([]*event) ([]*event, error) // the events in the order of the file
}

// mutations draws changes of events, which are given in the order of the run.
func (s *search) mutations(random *rand.Rand, want int, order []*event) (out []mutation) {
	seen := map[string]bool{}
	place := map[*event]int{}
	for i, e := range order {
		place[e] = i + 1
	}
	for range 4 * want {
		if len(out) == want {
			break
		}
		m := mutation{event: order[random.IntN(len(order))]}
		m.after = place[m.event]
		var ok bool
		switch random.IntN(3) {
		case 0:
			ok = s.drop(&m)
		case 1:
			ok = s.swap(&m, place)
		default:
			ok = s.change(&m, random)
		}
		key := fmt.Sprint(m.event.Place(), " ", m.what)
		if ok && !seen[key] {
			seen[key] = true
			out = append(out, m)
		}
	}
	sort.SliceStable(out, func(i, j int) bool {
		return place[out[i].event] < place[out[j].event]
	})
	return out
}

func (s *search) drop(m *mutation) bool {
	e := m.event
	m.what = "the event is left out"
	m.apply = func(events []*event) ([]*event, error) {
		i := slices.Index(events, e)
		return slices.Delete(events, i, i+1), nil
	}
	// without its last event the log is a beginning of itself
	return e.at+1 < len(s.p.lanes[e.lane].events)
}

// swap exchanges an event with the next of its lane: each gets the line, the number and the time of
// the other.
func (s *search) swap(m *mutation, place map[*event]int) bool {
	lane, e := s.p.lanes[m.event.lane].events, m.event
	if e.at+1 >= len(lane) || e.Text == lane[e.at+1].Text {
		return false
	}
	next := lane[e.at+1]
	m.after = max(m.after, place[next])
	m.what = fmt.Sprintf("the event is exchanged with the one of %s", next.Place())
	m.apply = func(events []*event) ([]*event, error) {
		i, j := slices.Index(events, e), slices.Index(events, next)
		var err error
		if events[i], err = s.movedTo(next, e); err != nil {
			return nil, err
		}
		events[j], err = s.movedTo(e, next)
		return events, err
	}
	return true
}

// movedTo is an event at the place of another one.
func (s *search) movedTo(e, to *event) (*event, error) {
	record := any(e.Record())
	shape := s.shape()
	for _, p := range []runlog.Path{shape.Inc, shape.Seq, shape.Time} {
		if v, ok := p.In(to.Record()); ok {
			record = with(record, p, v)
		}
	}
	return s.reread(record, to)
}

// shape names the fields of the records: a trace has the usual ones, whatever is declared.
func (s *search) shape() runlog.Shape {
	if s.p.events[0].Name == runlog.FirstState {
		return runlog.Standard()
	}
	return s.c.file.Shape
}

// reread reads a changed record in the place of an event; nil if it is ignored.
func (s *search) reread(record any, at *event) (*event, error) {
	text, err := json.Marshal(record)
	if err != nil {
		return nil, fmt.Errorf("writing a changed record: %w", err)
	}
	read, err := runlog.Read(s.p.name, bytes.NewReader(text), s.shape())
	if err != nil {
		return nil, err
	}
	raw := read[0]
	raw.File, raw.Line = at.File, at.Line
	if err := Identify(s.p.name, s.c.file, read); err != nil {
		return nil, err
	}
	if s.c.ignores(raw) {
		return nil, nil
	}
	return s.c.prepare(s.p.name, raw)
}

// change gives another value to a field that is read.
func (s *search) change(m *mutation, random *rand.Rand) bool {
	e := m.event
	paths := s.c.read(e)
	if len(paths) == 0 {
		return false
	}
	path := paths[random.IntN(len(paths))]
	old, _ := path.In(e.Record())
	value, ok := s.another(old, path, random)
	if !ok {
		return false
	}
	m.what = fmt.Sprintf("%s is %v instead of %v", path, value, old)
	m.apply = func(events []*event) ([]*event, error) {
		changed, err := s.reread(with(e.Record(), path, value), e)
		events[slices.Index(events, e)] = changed
		return events, err
	}
	return true
}

// changed applies a mutation to a copy of the log.
func (s *search) changed(m mutation) (*problem, error) {
	events, err := m.apply(slices.Clone(s.p.events))
	if err != nil {
		return nil, err
	}
	out := &problem{name: s.p.name, ignored: s.p.ignored}
	for _, e := range events {
		if e == nil { // its change makes it one that is ignored
			continue
		}
		moved := *e
		out.events = append(out.events, &moved)
	}
	return out, out.arrange(s.c.file.Order)
}

// common counts the events at the beginning and at the end that two logs of one lane share.
func (p *problem) common(q *problem) (before, behind int) {
	if len(p.lanes) != 1 || len(q.lanes) != 1 {
		return 0, 0
	}
	a, b := p.lanes[0].events, q.lanes[0].events
	for before < min(len(a), len(b)) && a[before].Event == b[before].Event {
		before++
	}
	for behind < min(len(a), len(b))-before &&
		a[len(a)-1-behind].Event == b[len(b)-1-behind].Event {
		behind++
	}
	return before, behind
}

// records lists all events, the ignored ones first.
func (p *problem) records() []*runlog.Event {
	out := slices.Clone(p.ignored)
	for _, e := range p.events {
		out = append(out, e.Event)
	}
	return out
}

// read lists the fields of an event that the declarations read and that are values.
func (c *Checker) read(e *event) (out []runlog.Path) {
	seen := map[string]bool{}
	add := func(p runlog.Path) {
		v, ok := p.In(e.Record())
		if !ok || seen[p.String()] {
			return
		}
		switch v.(type) {
		case string, bool, json.Number:
			seen[p.String()] = true
			out = append(out, p)
		}
	}
	var under func(p runlog.Path, v any)
	under = func(p runlog.Path, v any) {
		switch v := v.(type) {
		case runlog.Object:
			for _, f := range v {
				under(append(slices.Clip(p), f.Name), f.Value)
			}
		case []any:
			for i := range v {
				under(append(slices.Clip(p), strconv.Itoa(i)), v[i])
			}
		default:
			add(p)
		}
	}
	declared := false
	for _, d := range c.file.Events {
		if d.Name != e.Name || !c.meets(e.Event, d.If) {
			continue
		}
		declared = true
		for _, call := range d.Calls {
			for _, a := range call.Args {
				for _, p := range a.Value.Fields() {
					add(p.Path)
				}
			}
		}
	}
	if !declared {
		under(c.file.Shape.Args, e.Args)
	}
	under(c.file.Shape.Obs, e.Obs)
	for _, o := range c.file.Observations {
		if o.Applies(e.Name) && c.meets(e.Event, o.If) {
			for _, p := range fieldsOf(o) {
				add(p.Path)
			}
		}
	}
	return out
}

// another draws a value that is not old: one that the log has at the same place, or a neighbour.
func (s *search) another(old any, p runlog.Path, random *rand.Rand) (any, bool) {
	switch old := old.(type) {
	case bool:
		return !old, true
	case json.Number:
		n, err := old.Int64()
		if err != nil {
			return nil, false
		}
		if n > 0 && random.IntN(2) == 0 {
			return json.Number(fmt.Sprint(n - 1)), true
		}
		return json.Number(fmt.Sprint(n + 1)), true
	}
	for range 50 {
		if v, ok := p.In(s.p.events[random.IntN(len(s.p.events))].Record()); ok && v != old {
			if text, isText := v.(string); isText {
				return text, true
			}
		}
	}
	return nil, false
}

// with is a record with another value at a path; it shares the rest.
func with(v any, p runlog.Path, value any) any {
	if len(p) == 0 {
		return value
	}
	switch v := v.(type) {
	case runlog.Object:
		old, _ := v.Get(p[0])
		return v.With(p[0], with(old, p[1:], value))
	case []any:
		list := slices.Clone(v)
		for i := range list {
			if fmt.Sprint(i) == p[0] {
				list[i] = with(list[i], p[1:], value)
			}
		}
		return list
	}
	return v
}
