package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/conformance/bounds"
	"erelong.dev/erelong/internal/conformance/observe"
	"erelong.dev/erelong/internal/conformance/runlog"
	"erelong.dev/erelong/internal/diagram"
	"erelong.dev/erelong/internal/logic"
)

// Drawing is a picture of a part of a log along its times.
type Drawing struct {
	Title string
	*diagram.Timing
}

// A log that is longer is shown only around what forces its bounds.
const (
	mostRounds = 400
	mostEvents = 3000
	around     = 8 // rounds before and after what is shown
)

// Pictures draws the lanes of a log, its steps, its messages, the declared intervals of the run,
// and what forces the bounds.
func (c *Checker) Pictures(events []*runlog.Event, run *Run, b *bounds.Result) []Drawing {
	whole := &diagram.Timing{Lanes: lanesOf(events), Round: b.Round}
	whole.Since, whole.Until = at(events[0]), at(events[0])
	for _, e := range events {
		whole.Since, whole.Until = min(whole.Since, at(e)), max(whole.Until, at(e))
		if slices.Contains(c.file.Timing.Steps, e.Name) {
			lane := slices.Index(whole.Lanes, e.Node)
			whole.Steps = append(whole.Steps, diagram.Moment{Lane: lane, At: at(e)})
		}
	}
	whole.Messages = messages(whole.Lanes, events, b)
	whole.Intervals = c.intervals(whole, run)
	for _, f := range b.Phi {
		whole.Gaps = append(whole.Gaps, diagram.Interval{
			Lane: slices.Index(whole.Lanes, f.What), Since: at(f.From), Until: at(f.To),
			Text: fmt.Sprintf("Phi ≥ %d", f.Rounds),
		})
	}
	if (whole.Until-whole.Since)/b.Round <= mostRounds && len(events) <= mostEvents {
		return []Drawing{{"the whole log", whole}}
	}
	var out []Drawing
	for _, f := range []*bounds.Force{largest(b.Phi), largest(b.Delta)} {
		if f == nil {
			continue
		}
		part := *whole
		margin := b.Round * around
		part.Since = max(whole.Since, at(f.From)-margin)
		part.Until = min(whole.Until, at(f.To)+margin)
		title := fmt.Sprintf("%s, from %s to %s, and %d rounds before and after",
			f.What, f.From.Place(), f.To.Place(), around)
		out = append(out, Drawing{title, &part})
	}
	return out
}

// at is the moment at which an event is drawn: the middle of its interval.
func at(e *runlog.Event) int64 { return e.Since + (e.Until-e.Since)/2 }

func lanesOf(events []*runlog.Event) []string {
	nodes := map[string]bool{}
	for _, e := range events {
		nodes[e.Node] = true
	}
	return slices.Sorted(maps.Keys(nodes))
}

func largest(list []bounds.Force) *bounds.Force {
	var out *bounds.Force
	for i, f := range list {
		if f.Rounds > 0 && (out == nil || f.UnitsApart > out.UnitsApart) {
			out = &list[i]
		}
	}
	return out
}

// messages lists what is sent and received. The first reception of a message counts.
func messages(lanes []string, events []*runlog.Event, b *bounds.Result) (out []diagram.Flight) {
	received := map[string]*runlog.Event{}
	for _, e := range events {
		if e.Receive != "" && received[e.Receive] == nil {
			received[e.Receive] = e
		}
	}
	for _, e := range events {
		if e.Send == "" {
			continue
		}
		m := diagram.Flight{From: slices.Index(lanes, e.Node), Sent: at(e), Text: e.Send}
		m.To = m.From
		to := received[e.Send]
		if m.Lost = to == nil; !m.Lost {
			m.To, m.Received = slices.Index(lanes, to.Node), at(to)
			pair := e.Node + " to " + to.Node
			i := slices.IndexFunc(b.Delta, func(f bounds.Force) bool {
				return f.What == pair && f.From == e
			})
			if m.Forces = i >= 0 && b.Delta[i].Rounds > 0; m.Forces {
				m.Text = fmt.Sprintf("%s: Delta ≥ %d", pair, b.Delta[i].Rounds)
			}
		}
		out = append(out, m)
	}
	return out
}

// intervals lists when the declared relations are true in the run.
func (c *Checker) intervals(t *diagram.Timing, run *Run) (out []diagram.Interval) {
	shown := map[int]diagram.Interval{} // by slot, while the relation is true
	symbols, arguments := c.model.SlotSymbols(), c.model.SlotArguments()
	begin := func(slot int, since int64) {
		s := symbols[slot]
		named := func(w observe.Word) bool { return w.Text == s.Name }
		if !slices.ContainsFunc(c.file.Timing.Intervals, named) {
			return
		}
		var names []string
		for i, sort := range s.Args {
			names = append(names, c.logName(sort, arguments[slot][i]))
		}
		lane := slices.Index(t.Lanes, names[0])
		if lane < 0 {
			lane = len(t.Lanes)
			t.Lanes = append(t.Lanes, names[0])
		}
		names[0] = s.Name
		shown[slot] = diagram.Interval{Lane: lane, Since: since, Text: strings.Join(names, " ")}
	}
	end := func(slot int, until int64) {
		if i, ok := shown[slot]; ok {
			i.Until = until
			out = append(out, i)
			delete(shown, slot)
		}
	}
	for slot, v := range run.First {
		if v == 1 {
			begin(slot, t.Since)
		}
	}
	now := t.Since
	for _, s := range run.Steps {
		if s.Event != nil {
			now = at(s.Event)
		}
		for _, x := range s.changes {
			if x.To == 1 {
				begin(x.Slot, now)
			} else {
				end(x.Slot, now)
			}
		}
	}
	for _, slot := range slices.Sorted(maps.Keys(shown)) {
		end(slot, t.Until)
	}
	return out
}

// logName is what the log calls a value.
func (c *Checker) logName(s *logic.Sort, v int64) string {
	for name, x := range c.names.sorts[s] {
		if x == v {
			return name
		}
	}
	return c.show(s, v)
}
