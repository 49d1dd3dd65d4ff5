package derive

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/result"
)

// legend translates the actions and the variables of a derived system to the algorithm. Each
// derivation has its own. The events of a step depend on the step alone: its action and choices,
// and the states before and after it.
type legend interface {
	// begins reports whether a round begins in a state.
	begins(v *view) bool
	// ends reports whether a step is the last one of a round.
	ends(s *moment) bool
	// events lists the events of a step.
	events(s *moment) []result.StoryEvent
	// inTransit lists the messages in transit after a step; after the last one of a round, as
	// they are at the end of this round.
	inTransit(s *moment) []string
	// lanes lists the processes.
	lanes(v *view) []string
	// fallen lists the processes that crash in a step.
	fallen(s *moment) []string
	// sentIn and receivedIn list the messages that a step sends and receives.
	sentIn(s *moment) []result.Message
	receivedIn(s *moment) []result.Message
	// openIn lists the messages in transit.
	openIn(s *moment) []result.Message
}

// moment is a step of a trace.
type moment struct {
	action        name
	args          *view
	before, after *view
}

// Tell tells a trace of the system; nil where it is not a run from an initial state, or some value
// is unknown. A counterexample to induction is about the derived system and its invariants, so it
// is not told.
func (d *Derived) Tell(t *result.Trace) *result.Story {
	if d.legend == nil || t.Kind == result.ToInduction || len(t.Steps) == 0 {
		return nil
	}
	t = t.Shown()
	missing := false
	views := make([]*view, len(t.Steps))
	for i, s := range t.Steps {
		views[i] = newView(&missing, t.Params, s.State)
		views[i].sorts = t.Universe
	}
	if !d.legend.begins(views[0]) {
		return nil
	}
	out := &result.Story{System: d.Name, Variables: d.variables,
		Processes: d.legend.lanes(views[0])}
	round, over := 0, true
	step := func(from, to int, taken result.Step) {
		if over {
			round++
		}
		if over || from == t.Loop {
			out.Segments = append(out.Segments, result.StorySegment{Round: round, From: from})
		}
		part := &out.Segments[len(out.Segments)-1]
		s := &moment{name(taken.Action), newView(&missing, taken.Args), views[from], views[to]}
		part.To = to
		part.Events = append(part.Events, d.legend.events(s)...)
		part.Transit = d.legend.inTransit(s)
		part.Crashes = append(part.Crashes, d.legend.fallen(s)...)
		part.Sent = append(part.Sent, d.legend.sentIn(s)...)
		part.Received = append(part.Received, d.legend.receivedIn(s)...)
		part.Open = d.legend.openIn(s)
		over = d.legend.ends(s)
	}
	for i := 1; i < len(t.Steps); i++ {
		step(i-1, i, t.Steps[i])
	}
	if t.Loop >= 0 && t.Loop < len(t.Steps) && t.Back.Action != "" {
		step(len(t.Steps)-1, t.Loop, t.Back)
	}
	if missing {
		return nil
	}
	return out
}

// happens is an event that is about no message.
func happens(format string, args ...any) result.StoryEvent {
	return result.StoryEvent{Text: fmt.Sprintf(format, args...)}
}

// passes is an event that a picture of the messages shows: one is sent or received, or none is
// sent.
func passes(format string, args ...any) result.StoryEvent {
	return result.StoryEvent{Text: fmt.Sprintf(format, args...), Message: true}
}

// view reads values by the names of the derived system.
type view struct {
	values  map[string]result.Value
	missing *bool // whether a missing value was read
	sorts   []result.Universe
}

func newView(missing *bool, bindings ...[]result.Binding) *view {
	v := &view{values: map[string]result.Value{}, missing: missing}
	for _, b := range slices.Concat(bindings...) {
		v.values[b.Name] = b.Value
	}
	return v
}

func (v *view) get(n name, kinds ...result.ValueKind) result.Value {
	x := v.values[string(n)]
	if _, ok := v.values[string(n)]; !ok || !slices.Contains(kinds, x.Kind) {
		*v.missing = true
	}
	return x
}

// is reads a relation without arguments.
func (v *view) is(n name) bool { return v.get(n, result.BoolValue).Bool }

// at reads a constant of an enum.
func (v *view) at(n name) name { return name(v.get(n, result.AtomValue).Text) }

// number reads a number, or the constant with this name.
func (v *view) number(n name) int {
	text := string(n)
	if _, err := strconv.Atoi(text); err != nil {
		text = v.get(n, result.IntValue).Text
	}
	i, err := strconv.Atoi(text)
	if err != nil {
		*v.missing = true
	}
	return i
}

// tuples reads a relation with arguments.
func (v *view) tuples(n name) (out [][]string) {
	for _, r := range v.get(n, result.SetValue).Rows {
		out = append(out, texts(r.Key))
	}
	return out
}

// rows reads a relation with arguments of any sorts.
func (v *view) rows(n name) (out [][]string) {
	for _, r := range v.get(n, result.SetValue).Rows {
		var row []string
		for _, x := range r.Key {
			row = append(row, x.String())
		}
		out = append(out, row)
	}
	return out
}

// holds reports whether a relation has a tuple of one value.
func (v *view) holds(n name, value string) bool {
	return slices.ContainsFunc(v.rows(n), func(row []string) bool { return row[0] == value })
}

// text reads a value of any sort.
func (v *view) text(n name) string {
	x, ok := v.values[string(n)]
	*v.missing = *v.missing || !ok
	return x.String()
}

// universe lists the elements of a sort.
func (v *view) universe(sort name) []string {
	for _, u := range v.sorts {
		if u.Sort == string(sort) {
			return u.Elements
		}
	}
	return nil
}

func texts(values []result.Value) (out []string) {
	for _, x := range values {
		out = append(out, x.Text)
	}
	return out
}

// has reports whether a relation has a tuple of one element.
func (v *view) has(n name, element string) bool {
	return slices.ContainsFunc(v.tuples(n), func(t []string) bool { return t[0] == element })
}

// clockRuns reports whether delays are not bounded yet in this state.
func (t *template) clockRuns(a limits, v *view) bool {
	return a.gst != "" && v.number(t.name("clock")) < v.number(a.gst)+v.number(a.delta)
}

// ago says when a message of an age was sent. Where one message of age Delta stands for all older
// ones, it may be older.
func (t *template) ago(a limits, exact bool, v *view, age int) string {
	exact = t.exact(a, exact, v, age)
	switch {
	case age == 0 && exact:
		return "in this round"
	case age == 0:
		return "in this round or before"
	case !exact:
		return fmt.Sprintf("%d or more rounds ago", age)
	case age == 1:
		return "1 round ago"
	}
	return fmt.Sprintf("%d rounds ago", age)
}

// exact reports whether a message of an age has that age, and is not older.
func (t *template) exact(a limits, exact bool, v *view, age int) bool {
	return exact || age != v.number(a.delta) || t.clockRuns(a, v)
}

// sentWhen says when messages were sent.
func (t *template) sentWhen(a limits, exact bool, v *view, ages []int) string {
	var out []string
	for _, age := range ages {
		out = append(out, t.ago(a, exact, v, age))
	}
	return "(sent " + strings.Join(out, ", and ") + ")"
}
