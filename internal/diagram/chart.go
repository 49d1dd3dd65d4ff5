// Package diagram draws runs and graphs of states.
//
// In: traces (package result), and graphs of nodes and edges. Out: pictures as data, as text, and
// as SVG without scripts and styles, so a page gives them its own colours. A chart has a lane for
// each process, and time goes downwards: a message is an arrow from where it is sent to where it is
// received, as in the message sequence charts of ITU-T Z.120. A graph is drawn in layers (Sugiyama,
// Tagawa and Toda, 1981).
package diagram

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/result"
)

// Chart is a run with a lane for each process.
type Chart struct {
	Lanes  []string
	Values []string // names of clocks or variables whose values stand beside the lanes
	Rows   []Row
	Arrows []Arrow
	// the sorts whose elements can be the lanes; none where the trace names processes
	By    []string
	Timed bool // rows have a time
}

// Row is a step of a chart, or a round.
type Row struct {
	State int // of the trace, to which it leads
	Label string
	Time  string // since the start; empty if no time has passed since the row before
	Text  string
	Value []string // of the Values, in their order
	Dots  []int    // lanes that take part, the first one first
	Falls []int    // lanes whose process crashes here
	Loop  bool     // it is repeated for ever
}

// Fate is what became of a message.
type Fate string

const (
	Arrived Fate = "arrived"
	Transit Fate = "in transit" // where the chart ends
	Lost    Fate = "lost"
)

// Arrow is a message.
type Arrow struct {
	Name     string
	From, To int // lanes
	Sent     int // a row
	Received int // a row; the last one for a message that has not arrived
	Fate     Fate
}

// ChartOf makes the chart of a trace: of an algorithm, with its messages; of timed automata, where
// a message takes no time; or of another system, with the elements of a sort as lanes, which take
// part in the steps that name them, and messages where its sets have some. By chooses the sort, and
// may be empty. It gives nil where there is nothing to draw.
func ChartOf(t *result.Trace, by string) *Chart {
	t = t.Shown()
	switch {
	case len(t.Steps) == 0, t.Story != nil && len(t.Story.Segments) == 0: // no round was taken
		return nil
	case t.Story != nil && len(t.Story.Processes) > 0:
		return chartOfStory(t)
	case !slices.ContainsFunc(t.Steps, func(s result.Step) bool { return s.Sync == nil }):
		return chartOfAutomata(t)
	}
	return chartOfElements(t, by)
}

// chartOfAutomata has a lane for each process that takes part in some step.
func chartOfAutomata(t *result.Trace) *Chart {
	c := &Chart{Timed: true}
	c.measure(t, func(b result.Binding) bool { return b.Value.Sort == "time" })
	for _, s := range t.Steps {
		for _, p := range s.Sync.Processes {
			if !slices.Contains(c.Lanes, p) {
				c.Lanes = append(c.Lanes, p)
			}
		}
	}
	order := map[string]int{}
	for i, b := range t.Steps[0].State {
		order[b.Name] = i
	}
	slices.SortFunc(c.Lanes, func(a, b string) int { return order[a] - order[b] })
	for i, s := range t.Steps {
		r := Row{State: i, Label: fmt.Sprint(i), Time: s.Sync.Time, Text: s.Action,
			Value: c.values(s.State), Loop: t.Loop >= 0 && i > t.Loop}
		if i > 0 && s.Sync.Time == t.Steps[i-1].Sync.Time {
			r.Time = ""
		}
		if s.Sync.Channel != "" {
			r.Text = s.Sync.Channel + ": " + r.Text
		}
		for _, p := range s.Sync.Processes {
			r.Dots = append(r.Dots, slices.Index(c.Lanes, p))
		}
		for _, to := range r.Dots[min(1, len(r.Dots)):] {
			c.Arrows = append(c.Arrows,
				Arrow{Name: s.Sync.Channel, From: r.Dots[0], To: to, Sent: i, Received: i,
					Fate: Arrived})
		}
		c.Rows = append(c.Rows, r)
	}
	return c
}

// mostValues is the number of clocks or variables that have a column.
const mostValues = 8

// measure chooses the values that stand beside the lanes.
func (c *Chart) measure(t *result.Trace, is func(result.Binding) bool) {
	for _, b := range t.Steps[0].State {
		if is(b) && len(c.Values) < mostValues {
			c.Values = append(c.Values, b.Name)
		}
	}
}

// values reads the chosen values from a state.
func (c *Chart) values(state []result.Binding) (out []string) {
	for _, name := range c.Values {
		value := ""
		i := slices.IndexFunc(state, func(b result.Binding) bool { return b.Name == name })
		if i >= 0 {
			value = state[i].Value.String()
		}
		out = append(out, value)
	}
	return out
}

// chartOfElements has a lane for each element of a sort.
func chartOfElements(t *result.Trace, by string) *Chart {
	named := map[string]int{} // how many steps name an element of a sort
	for _, s := range t.Steps {
		for _, a := range s.Args {
			seen := map[string]bool{}
			a.Value.Atoms(func(v result.Value) {
				if !seen[v.Sort] {
					seen[v.Sort] = true
					named[v.Sort]++
				}
			})
		}
	}
	c := &Chart{}
	var chosen *result.Universe
	for i, u := range t.Universe {
		if named[u.Sort] == 0 {
			continue
		}
		c.By = append(c.By, u.Sort)
		if u.Sort == by || chosen == nil ||
			chosen.Sort != by && named[u.Sort] > named[chosen.Sort] {
			chosen = &t.Universe[i]
		}
	}
	if chosen == nil {
		return nil
	}
	c.Lanes = chosen.Elements
	for i, s := range t.Steps {
		r := Row{State: i, Label: fmt.Sprint(i), Text: call(s), Loop: t.Loop >= 0 && i > t.Loop}
		for _, a := range s.Args {
			a.Value.Atoms(func(v result.Value) {
				if lane := slices.Index(c.Lanes, v.Text); v.Sort == chosen.Sort && lane >= 0 &&
					!slices.Contains(r.Dots, lane) {
					r.Dots = append(r.Dots, lane)
				}
			})
		}
		c.Rows = append(c.Rows, r)
	}
	c.exchange(t, chosen.Sort)
	return c
}

func call(s result.Step) string {
	var args []string
	for _, a := range s.Args {
		args = append(args, a.Name+" = "+a.Value.String())
	}
	if len(args) == 0 {
		return s.Action
	}
	return s.Action + "(" + strings.Join(args, ", ") + ")"
}

// sending is a message that is on its way.
type sending struct {
	message result.Message
	round   int
	arrow   int
}

// chartOfStory has a row for each round of an algorithm. A message that is received is one that was
// sent when its age says. Where only a bound of its age is known, it is the oldest that fits:
// messages of a kind are not distinguished.
func chartOfStory(t *result.Trace) *Chart {
	c := &Chart{Lanes: t.Story.Processes}
	c.measure(t, func(b result.Binding) bool {
		return slices.Contains(t.Story.Variables, b.Name) && b.Value.Kind != result.SetValue &&
			b.Value.Kind != result.MapValue
	})
	lane := func(name string) int { return slices.Index(c.Lanes, name) }
	c.Rows = append(c.Rows,
		Row{State: t.Story.Segments[0].From, Label: "start",
			Value: c.values(t.Steps[t.Story.Segments[0].From].State)})
	var open []sending
	for _, p := range t.Story.Segments {
		at := len(c.Rows)
		r := Row{State: p.To, Label: fmt.Sprintf("round %d", p.Round),
			Value: c.values(t.Steps[p.To].State), Loop: t.Loop >= 0 && p.From >= t.Loop}
		var told []string
		for _, e := range p.Events {
			if !e.Message {
				told = append(told, e.Text)
			}
		}
		told = append(told, changes(t, p, c.Values)...)
		r.Text = strings.Join(told, "; ")
		for _, who := range p.Crashes {
			r.Falls = append(r.Falls, lane(who))
		}
		for _, m := range p.Sent {
			open = append(open, sending{m, p.Round, len(c.Arrows)})
			c.Arrows = append(c.Arrows,
				Arrow{Name: m.Name, From: lane(m.From), To: lane(m.To), Sent: at, Received: at,
					Fate: Transit})
		}
		for _, m := range p.Received {
			if i := match(open, m, p.Round); i >= 0 {
				a := &c.Arrows[open[i].arrow]
				a.Received, a.Fate = at, Arrived
				open = slices.Delete(open, i, i+1)
			}
		}
		open = lose(c, open, p)
		c.Rows = append(c.Rows, r)
	}
	for _, o := range open {
		c.Arrows[o.arrow].Received = len(c.Rows) - 1
	}
	c.markEnds()
	return c
}

// changes tells which variables of the algorithm have another value at the end of a part, except
// the shown ones.
func changes(t *result.Trace, p result.StorySegment, shown []string) (out []string) {
	before := map[string]result.Value{}
	for _, b := range t.Steps[p.From].State {
		before[b.Name] = b.Value
	}
	for _, b := range t.Steps[p.To].State {
		if old, ok := before[b.Name]; ok && slices.Contains(t.Story.Variables, b.Name) &&
			!slices.Contains(shown, b.Name) && !old.Equal(b.Value) {
			out = append(out, b.Name+" = "+b.Value.String())
		}
	}
	return out
}

// match finds the sending of a message that is received in a round.
func match(open []sending, m result.Message, round int) int {
	same := func(o sending) bool {
		return o.message.Name == m.Name && o.message.From == m.From && o.message.To == m.To
	}
	return slices.IndexFunc(open, func(o sending) bool {
		switch {
		case !same(o):
			return false
		case m.Age < 0:
			return true
		case m.Older:
			return o.round <= round-m.Age
		}
		return o.round == round-m.Age
	})
}

// lose marks what is no longer in transit and was not received. Of messages of a kind, the oldest
// ones are lost.
func lose(c *Chart, open []sending, p result.StorySegment) []sending {
	left := map[[3]string]int{}
	key := func(m result.Message) [3]string { return [3]string{m.Name, m.From, m.To} }
	for _, m := range p.Open {
		left[key(m)]++
	}
	var kept []sending
	for _, o := range slices.Backward(open) {
		if left[key(o.message)] > 0 {
			left[key(o.message)]--
			kept = append(kept, o)
			continue
		}
		a := &c.Arrows[o.arrow]
		a.Fate, a.Received = Lost, len(c.Rows)
	}
	slices.Reverse(kept)
	return kept
}

// Hide leaves out the lanes of some processes, and the values of some names.
func (c *Chart) Hide(names []string) *Chart {
	out := &Chart{By: c.By, Timed: c.Timed}
	lane := make([]int, len(c.Lanes)) // in the new chart, negative for none
	for i, name := range c.Lanes {
		lane[i] = -1
		if !slices.Contains(names, name) {
			lane[i] = len(out.Lanes)
			out.Lanes = append(out.Lanes, name)
		}
	}
	visible := func(lanes []int) (some []int) {
		for _, l := range lanes {
			if lane[l] >= 0 {
				some = append(some, lane[l])
			}
		}
		return some
	}
	kept := func(values []string) (some []string) {
		for i, v := range values {
			if !slices.Contains(names, c.Values[i]) {
				some = append(some, v)
			}
		}
		return some
	}
	out.Values = kept(c.Values)
	for _, r := range c.Rows {
		r.Value = kept(r.Value)
		r.Dots, r.Falls = visible(r.Dots), visible(r.Falls)
		out.Rows = append(out.Rows, r)
	}
	for _, a := range c.Arrows {
		if a.From, a.To = lane[a.From], lane[a.To]; a.From >= 0 && a.To >= 0 {
			out.Arrows = append(out.Arrows, a)
		}
	}
	return out
}

// arrowsAt lists the arrows within a row.
func (c *Chart) arrowsAt(row int) (out []Arrow) {
	for _, a := range c.Arrows {
		if a.Sent == row && a.Received == row {
			out = append(out, a)
		}
	}
	slices.SortStableFunc(out, func(a, b Arrow) int { return cmp.Compare(a.From, b.From) })
	return out
}
