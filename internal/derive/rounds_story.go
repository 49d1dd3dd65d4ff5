package derive

import (
	"slices"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/result"
)

// roundsLegend tells runs of the system of a protocol.
type roundsLegend struct{ *rounds }

// begins reports whether a round begins in this state. A run begins there.
func (w roundsLegend) begins(v *view) bool {
	for _, r := range w.p.roles {
		if len(v.rows(w.stepping(r))) > 0 || w.bounded() && len(v.rows(w.acted(r))) > 0 {
			return false
		}
	}
	return true
}

// ends reports whether a step ends a round. Where rounds have no ends, each step of a process is
// one.
func (w roundsLegend) ends(s *moment) bool {
	if w.bounded() {
		return s.action == w.name("end_round")
	}
	return w.stepOf(s) != nil
}

// stepOf is the role of which a process ends its step; nil if none does.
func (w roundsLegend) stepOf(s *moment) *role {
	for _, r := range w.p.roles {
		if s.action == w.name(w.p.of("step", r)) {
			return r
		}
	}
	return nil
}

func (w roundsLegend) events(s *moment) (out []result.StoryEvent) {
	for _, m := range w.p.messages {
		switch s.action {
		case w.name("lose_" + m.Name.Text), w.name("omit_" + m.Name.Text):
			return []result.StoryEvent{happens("%s is lost", w.list(w.lostIn(s, m)))}
		case w.name("repeat_" + m.Name.Text):
			return []result.StoryEvent{happens("%s is duplicated", w.list(w.sentIn(s)))}
		}
	}
	for _, x := range w.receivedIn(s) {
		out = append(out, passes("%s receives %s", x.To, w.received(x)))
	}
	for _, r := range w.p.roles {
		for verb, text := range map[string]string{"crash": "crashes", "turn_faulty": "turns faulty",
			"recover": "recovers", "clock_fast": "has a fast clock in this round",
			"clock_slow": "has a slow clock in this round"} {
			if s.action == w.name(w.p.of(verb, r)) {
				return append(out, happens("%s "+text, s.args.text(w.name("victim"))))
			}
		}
	}
	if s.action == w.name("end_round") {
		return append(out, w.waits(s)...)
	}
	sent := w.sentIn(s)
	if w.stepOf(s) != nil && len(sent) == 0 {
		return append(out, happens("%s takes a step", s.args.text(selfWord)))
	}
	for len(sent) > 0 {
		// The same to several is one event.
		same := slices.DeleteFunc(slices.Clone(sent), func(x result.Message) bool {
			return x.Name != sent[0].Name || x.From != sent[0].From
		})
		var to []string
		for _, x := range same {
			to = append(to, x.To)
		}
		out = append(out, passes("%s sends %s to %s", same[0].From, same[0].Name,
			strings.Join(to, " and ")))
		sent = slices.DeleteFunc(sent, func(x result.Message) bool {
			return slices.Contains(same, x)
		})
	}
	return out
}

// waits lists the processes that take no step in a round that ends.
func (w roundsLegend) waits(s *moment) (out []result.StoryEvent) {
	for _, r := range w.p.roles {
		for _, p := range s.before.universe(r.sort) {
			if !s.before.holds(w.acted(r), p) && !w.down(s.before, r, p) {
				out = append(out, happens("%s waits", p))
			}
		}
	}
	return out
}

func (w roundsLegend) down(v *view, r *role, process string) bool {
	return w.p.suffers(func(f fault) bool {
		return f.stops && v.holds(name(w.p.of(f.word, r)), process)
	})
}

// received describes a message that is received.
func (w roundsLegend) received(x result.Message) string {
	text := x.Name + " from " + x.From
	switch {
	case x.Age == 0:
		return text + " (sent in this round)"
	case x.Age == 1:
		return text + " (sent 1 round ago)"
	case x.Age > 1:
		return text + " (sent " + strconv.Itoa(x.Age) + " rounds ago)"
	}
	return text
}

func (w roundsLegend) inTransit(s *moment) (out []string) {
	for _, x := range w.openIn(s) {
		text := w.received(x)
		before, after, _ := strings.Cut(text, " from "+x.From)
		out = append(out, before+" from "+x.From+" to "+x.To+after)
	}
	return out
}

func (w roundsLegend) list(xs []result.Message) string {
	var out []string
	for _, x := range xs {
		out = append(out, x.Name+" from "+x.From+" to "+x.To)
	}
	return strings.Join(out, ", ")
}

func (w roundsLegend) lanes(v *view) (out []string) {
	for _, r := range w.p.roles {
		out = append(out, v.universe(r.sort)...)
	}
	return out
}

func (w roundsLegend) fallen(s *moment) (out []string) {
	for _, r := range w.p.roles {
		for _, p := range s.before.universe(r.sort) {
			if w.down(s.after, r, p) && !w.down(s.before, r, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// sentIn lists the messages that a step adds. A step that receives a message and sends an equal one
// of the same age has sent it, too; only a message to oneself is that.
func (w roundsLegend) sentIn(s *moment) (out []result.Message) {
	if s.action == w.name("end_round") {
		return nil
	}
	for _, m := range w.p.messages {
		out = append(out, w.added(s.before, s.after, m)...)
	}
	return out
}

func (w roundsLegend) receivedIn(s *moment) []result.Message {
	for _, m := range w.p.messages {
		if s.action == w.name("receive_"+m.Name.Text) {
			return []result.Message{w.taken(s, m)}
		}
	}
	return nil
}

// taken is the message that a step receives, by the arguments of the action.
func (w roundsLegend) taken(s *moment, m *message) result.Message {
	from, age := w.name("from"), w.name("age_received")
	if m.handler != nil && m.handler.From.Text != "" {
		from = name(m.handler.From.Text)
	}
	var parts []string
	for _, x := range w.payload(m, false) {
		parts = append(parts, s.args.text(x))
	}
	x := result.Message{Name: w.call(m, parts), From: s.args.text(from), To: s.args.text(selfWord),
		Age: -1}
	if w.aged() {
		x.Age = s.args.number(age)
	}
	return x
}

func (w roundsLegend) call(m *message, parts []string) string {
	if len(parts) == 0 {
		return m.Name.Text
	}
	return m.Name.Text + "(" + strings.Join(parts, ", ") + ")"
}

func (w roundsLegend) lostIn(s *moment, m *message) []result.Message {
	return w.added(s.after, s.before, m)
}

func (w roundsLegend) openIn(s *moment) (out []result.Message) {
	v := s.after
	if s.action == w.name("end_round") { // which makes them older
		v = s.before
	}
	for _, m := range w.p.messages {
		out = append(out, w.added(nil, v, m)...)
	}
	return out
}

// added lists the messages of a kind in transit in one state and not in another; nil stands for no
// messages.
func (w roundsLegend) added(before, after *view, m *message) (out []result.Message) {
	then := map[string]int{}
	if before != nil {
		for _, row := range w.messages(before, m) {
			then[strings.Join(row, "\x00")]++
		}
	}
	for _, row := range w.messages(after, m) {
		if key := strings.Join(row, "\x00"); then[key] > 0 {
			then[key]--
			continue
		}
		x := result.Message{From: row[0], To: row[1], Age: -1,
			Name: w.call(m, row[2:2+len(m.Fields)])}
		if w.aged() {
			x.Age, _ = strconv.Atoi(row[len(row)-1])
		}
		out = append(out, x)
	}
	return out
}

// messages lists the messages of a kind in transit, one of which there are copies so often.
func (w roundsLegend) messages(v *view, m *message) [][]string {
	if !w.bag() {
		return v.rows(w.transit(m))
	}
	var out [][]string
	for _, r := range v.get(w.transit(m), result.MapValue).Rows {
		copies, err := strconv.Atoi(r.Result.Text)
		*v.missing = *v.missing || err != nil
		for range copies {
			var row []string
			for _, x := range r.Key {
				row = append(row, x.String())
			}
			out = append(out, row)
		}
	}
	return out
}
