package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"

	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/interp"
)

// Mutants says how many changed logs were rejected: a log that is accepted whatever it says shows
// nothing.
type Mutants struct {
	Tried, Rejected int
	// Same counts accepted logs that lead to the same state: the changed events commute, or one has
	// no effect.
	Same   int
	Within int      // the changes are among this number of first events
	Kept   []Mutant // the others that were not rejected
}

// Mutant is a changed log that is accepted, too.
type Mutant struct {
	Line int
	What string
}

const (
	mutantAhead  = 300  // events after the change in which it must be rejected
	mutantWhole  = 2000 // events of a log that is searched to the end, if it leaves something open
	mutantWindow = 500  // first events that are changed, if the log leaves something open
	mutantPairs  = 20_000
)

// mutation is a change of a log.
type mutation struct {
	lane, at int
	what     string
	apply    func([]*event) ([]*event, error)
}

// mutate tries changed logs: an event is left out, two of a lane are exchanged, or a value that is
// read is another. A rejected beginning of a log rejects the log.
func (s *search) mutate(ctx context.Context, r *Result) error {
	want := s.c.o.Mutants
	if want == 0 {
		want = defaultMutants
	}
	random := rand.New(rand.NewPCG(s.c.o.Seed, 1))
	within := len(s.p.events)
	forward := &forward{s: s, state: s.first.Clone()}
	if !forward.single() {
		within = min(within, mutantWindow)
	}
	all := s.mutations(random, want, within)
	out := &Mutants{Within: within}
	r.Mutants = out
	for _, m := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		o, err := s.try(ctx, m, forward)
		if err != nil {
			return err
		}
		if o == unclear {
			continue
		}
		out.Tried++
		switch o {
		case rejected:
			out.Rejected++
			continue
		case same:
			out.Same++
			continue
		}
		out.Kept = append(out.Kept, Mutant{s.p.lanes[m.lane].events[m.at].Line, m.what})
	}
	r.Coverage.DecisiveObservations, r.Coverage.DecisiveRequirements = s.decisive.observations,
		s.decisive.requirements
	return nil
}

// mutations draws changes, in the order of their places if there is only one lane.
func (s *search) mutations(random *rand.Rand, want, within int) (out []mutation) {
	seen := map[string]bool{}
	for range 4 * want {
		if len(out) == want {
			break
		}
		e := s.p.events[random.IntN(within)]
		m := mutation{lane: e.lane, at: e.at}
		var ok bool
		switch random.IntN(3) {
		case 0:
			ok = s.drop(&m)
		case 1:
			ok = s.swap(&m)
		default:
			ok = s.change(&m, random)
		}
		key := fmt.Sprint(m.lane, " ", m.at, " ", m.what)
		if ok && !seen[key] {
			seen[key] = true
			out = append(out, m)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].at < out[j].at })
	return out
}

func (s *search) drop(m *mutation) bool {
	at := m.at
	m.what = "the event is left out"
	m.apply = func(events []*event) ([]*event, error) {
		return slices.Delete(events, at, at+1), nil
	}
	// without its last event the log is a beginning of itself
	return at+1 < len(s.p.lanes[m.lane].events)
}

func (s *search) swap(m *mutation) bool {
	events, at := s.p.lanes[m.lane].events, m.at
	if at+1 >= len(events) || events[at].Text == events[at+1].Text {
		return false
	}
	m.what = "the event is exchanged with the next"
	m.apply = func(events []*event) ([]*event, error) {
		a, b := *events[at], *events[at+1]
		later, sooner := *a.Event, *b.Event // each at the time of the other
		later.Since, later.Until, sooner.Since, sooner.Until = sooner.Since, sooner.Until,
			later.Since, later.Until
		a.Event, b.Event = &later, &sooner
		events[at], events[at+1] = &b, &a
		return events, nil
	}
	return true
}

// change gives another value to a field that is read.
func (s *search) change(m *mutation, random *rand.Rand) bool {
	e := s.p.lanes[m.lane].events[m.at]
	paths := s.c.read(e)
	if len(paths) == 0 {
		return false
	}
	path := paths[random.IntN(len(paths))]
	old, _ := path.In(e.Record)
	value, ok := s.another(old, path, random)
	if !ok {
		return false
	}
	m.what = fmt.Sprintf("%s is %v instead of %v", path, value, old)
	at := m.at
	m.apply = func(events []*event) ([]*event, error) {
		raw := *e.Event
		raw.Record = with(e.Record, path, value).(map[string]any)
		shape := s.c.file.Shape
		raw.Args, raw.Obs = nil, nil
		if v, ok := shape.Args.In(raw.Record); ok {
			raw.Args, _ = v.(map[string]any)
		}
		if v, ok := shape.Obs.In(raw.Record); ok {
			raw.Obs, _ = v.(map[string]any)
		}
		switch path.String() {
		case shape.Node.String():
			raw.Node = text(value)
		case shape.Event.String():
			raw.Name = text(value)
		}
		if s.c.ignores(&raw) {
			return slices.Delete(events, at, at+1), nil
		}
		if err := Identify(s.p.name, s.c.file, []*runlog.Event{&raw}); err != nil {
			return nil, err
		}
		changed, err := s.c.prepare(s.p.name, &raw)
		if err != nil {
			return nil, err
		}
		events[at] = changed
		return events, nil
	}
	return true
}

// read lists the fields of an event that the declarations read and that are values.
func (c *Checker) read(e *event) (out []runlog.Path) {
	seen := map[string]bool{}
	add := func(p runlog.Path) {
		v, ok := p.In(e.Record)
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
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				under(append(slices.Clip(p), k), v[k])
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
		if v, ok := p.In(s.p.events[random.IntN(len(s.p.events))].Record); ok && v != old {
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
	case map[string]any:
		m := maps.Clone(v)
		m[p[0]] = with(v[p[0]], p[1:], value)
		return m
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

// outcome is what becomes of a changed log.
type outcome int

const (
	unclear  outcome = iota // a limit ended the search
	rejected                // also where a value is none of the specification
	same                    // accepted, with the same state in the end
	kept
)

// changed applies a mutation to a copy of a log.
func (p *problem) changed(m mutation) (*problem, error) {
	out := &problem{name: p.name, order: p.order, lanes: slices.Clone(p.lanes)}
	events, err := m.apply(slices.Clone(p.lanes[m.lane].events))
	if err != nil {
		return nil, err
	}
	for i, e := range events {
		moved := *e
		events[i] = &moved
	}
	out.lanes[m.lane].events = events
	for _, l := range out.lanes {
		out.events = append(out.events, l.events...)
	}
	return out, out.locate()
}

// try searches a changed log.
func (s *search) try(ctx context.Context, m mutation, f *forward) (outcome, error) {
	p, err := s.p.changed(m)
	var bad *runlog.Error
	switch {
	case errors.As(err, &bad):
		return rejected, nil
	case err != nil:
		return unclear, err
	}
	again := newSearch(s.c, p)
	again.limit = mutantPairs
	if len(p.events) > mutantWhole || f.single() {
		again.acceptAfter = min(len(p.events), s.lengthTo(m)+mutantAhead)
	}
	if !f.single() {
		err = again.run(ctx)
	} else {
		f.to(m.at)
		if err := again.begin(f.state); err != nil {
			return unclear, err
		}
		again.frames, again.at, again.done = nil, []int{m.at}, m.at
		again.push(transition{}, 0)
		if err = again.from(ctx); errors.Is(err, errFound) || errors.Is(err, interp.ErrStop) {
			err = nil
		}
	}
	s.decisive.observations += again.decisive.observations
	s.decisive.requirements += again.decisive.requirements
	switch {
	case errors.As(err, &bad):
		return rejected, nil
	case err != nil:
		return unclear, err
	case again.limitReached != "":
		return unclear, nil
	}
	if again.done != again.acceptAfter || len(again.frames) == 0 {
		return rejected, nil
	}
	// After a left out event the other log is one event further.
	end := again.acceptAfter + len(s.p.events) - len(p.events)
	if again.acceptAfter == len(p.events) || f.single() {
		if slices.Equal(again.state.State(), f.stateAt(end)) {
			return same, nil
		}
	}
	return kept, nil
}

// lengthTo is the number of events up to a change.
func (s *search) lengthTo(m mutation) int {
	if len(s.p.lanes) == 1 {
		return m.at
	}
	return slices.Index(s.p.events, s.p.lanes[m.lane].events[m.at])
}

// forward follows the run that was found, where it is the only one.
type forward struct {
	s     *search
	frame int
	state interp.State
	done  int
}

// single reports whether the run is the only one, so that its states can be returned to.
func (f *forward) single() bool { return !f.s.branched && len(f.s.p.lanes) == 1 }

// stateAt is the state of the run after a number of events.
func (f *forward) stateAt(events int) interp.State {
	if events == len(f.s.p.events) {
		return f.s.state.State()
	}
	ahead := *f
	ahead.state = f.state.Clone()
	ahead.to(events)
	return ahead.state
}

func (f *forward) to(events int) {
	for f.done < events {
		f.frame++
		m := f.s.frames[f.frame].by
		for _, step := range m.steps {
			step.apply(f.state)
		}
		f.done++
	}
}
