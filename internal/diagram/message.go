package diagram

import (
	"slices"

	"erelong.dev/erelong/internal/result"
)

// ends are the names that the fields of a message have for its sender and its receiver.
var ends = [][2]string{{"from", "to"}, {"src", "dst"}, {"source", "dest"}, {"sender", "receiver"}}

// posted is a message of a specification: a record, or a constructor with fields, that names the
// elements from and to which it goes.
type posted struct {
	name     string
	from, to int // lanes
}

// messageOf reads a value as a message between lanes, which are the elements of a sort.
func (c *Chart) messageOf(v result.Value, sort string) (posted, bool) {
	if v.Kind != result.RecordValue && v.Kind != result.VariantValue {
		return posted{}, false
	}
	field := func(name string) (result.Value, bool) {
		for _, r := range v.Rows {
			if len(r.Key) == 1 && r.Key[0].Text == name {
				return r.Result, true
			}
		}
		return result.Value{}, false
	}
	lane := func(name string) int {
		if w, ok := field(name); ok && w.Kind == result.AtomValue && w.Sort == sort {
			return slices.Index(c.Lanes, w.Text)
		}
		return -1
	}
	for _, e := range ends {
		out := posted{v.Text, lane(e[0]), lane(e[1])}
		if out.from < 0 || out.to < 0 {
			continue
		}
		for _, name := range []string{"type", "kind"} { // a record tells its kind so
			if w, ok := field(name); ok && out.name == "" {
				out.name = w.Text
			}
		}
		if out.name == "" {
			out.name = "message"
		}
		return out, true
	}
	return posted{}, false
}

// exchange draws the messages of a run, which are elements of its sets: one is sent where it
// becomes an element, and received where it is none any more, or first where a step has it as an
// argument.
func (c *Chart) exchange(t *result.Trace, sort string) {
	open := map[string]int{} // arrows, by the set and the message
	for i, s := range t.Steps {
		for _, a := range s.Args {
			for _, b := range s.State {
				c.receive(open, b.Name+" "+a.Value.String(), i)
			}
		}
		for _, b := range s.State {
			if b.Value.Kind != result.ElementsValue {
				continue
			}
			before := elements(t, i-1, b.Name)
			for _, v := range before {
				if !slices.ContainsFunc(elements(t, i, b.Name), v.Equal) {
					c.receive(open, b.Name+" "+v.String(), i)
				}
			}
			for _, v := range elements(t, i, b.Name) {
				m, ok := c.messageOf(v, sort)
				if !ok || i == 0 || slices.ContainsFunc(before, v.Equal) {
					continue
				}
				open[b.Name+" "+v.String()] = len(c.Arrows)
				c.Arrows = append(c.Arrows, Arrow{Name: m.name, From: m.from, To: m.to, Sent: i,
					Received: len(t.Steps) - 1, Fate: Transit})
			}
		}
	}
	c.markEnds()
}

// receive ends the arrow of a message in a row, if it is under way.
func (c *Chart) receive(open map[string]int, key string, row int) {
	if i, ok := open[key]; ok {
		c.Arrows[i].Received, c.Arrows[i].Fate = row, Arrived
		delete(open, key)
	}
}

// elements are the elements of a set in a state.
func elements(t *result.Trace, state int, name string) (out []result.Value) {
	if state < 0 {
		return nil
	}
	for _, b := range t.Steps[state].State {
		if b.Name == name && b.Value.Kind == result.ElementsValue {
			for _, r := range b.Value.Rows {
				out = append(out, r.Key[0])
			}
		}
	}
	return out
}

// markEnds has the senders and receivers of messages take part in their rows. A sender comes first.
func (c *Chart) markEnds() {
	for i := range c.Rows {
		for _, a := range c.Arrows {
			if a.Sent == i && !slices.Contains(c.Rows[i].Dots, a.From) {
				c.Rows[i].Dots = append(c.Rows[i].Dots, a.From)
			}
			if a.Received == i && a.Fate == Arrived && !slices.Contains(c.Rows[i].Dots, a.To) {
				c.Rows[i].Dots = append(c.Rows[i].Dots, a.To)
			}
		}
	}
}
