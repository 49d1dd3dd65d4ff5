package derive

import (
	"fmt"
	"slices"
	"strconv"

	"erelong.dev/erelong/internal/result"
)

// processesLegend tells runs of the system of all processes.
type processesLegend struct{ *processes }

// begins reports whether a round begins in this state.
func (w processesLegend) begins(v *view) bool { return v.at(w.epc()) == w.name("Schedule") }

func (w processesLegend) ends(s *moment) bool { return s.action == w.name("computing") }

func (w processesLegend) events(s *moment) (out []result.StoryEvent) {
	say := func(format string, args ...any) { out = append(out, happens(format, args...)) }
	active := func(v *view, p string) bool { return v.has(w.active(), p) }
	if s.action == w.name("schedule") {
		for _, p := range w.all(s.before) {
			switch down := s.after.has(crashedWord, p); {
			case down && !s.before.has(crashedWord, p):
				say("%s crashes", p)
			case !down && !active(s.after, p):
				say("%s waits", p)
			}
		}
		return out
	}
	for _, r := range s.before.get(w.name("pc"), result.MapValue).Rows {
		p, t := r.Key[0].Text, w.alg.taskAt(r.Result.Text)
		switch {
		case t == nil:
			*s.before.missing = true
		case !active(s.before, p):
		case s.action == w.name("sending") && t.is("send"):
			out = append(out, passes("%s sends %s", p, t.Message.Text))
		case s.action == w.name("receiving") && t.is("receive"):
			out = append(out, w.receiveEvents(s, p)...)
		case s.action == w.name("computing") && t.is("compute"):
			say("%s computes %s", p, t.Location.Text)
		}
	}
	return out
}

func (w processesLegend) all(v *view) (out []string) {
	for _, r := range v.get(w.name("pc"), result.MapValue).Rows {
		out = append(out, r.Key[0].Text)
	}
	return out
}

// receiveEvents lists the messages that a process receives.
func (w processesLegend) receiveEvents(s *moment, p string) (out []result.StoryEvent) {
	for _, m := range w.alg.decl.Messages {
		for _, q := range w.all(s.before) {
			before, after := w.messages(s.before, m.Text, q, p), w.messages(s.after, m.Text, q, p)
			if text := w.describeMessages(s.before, m.Text+" from "+q,
				without(before.ages, after.ages), before.copies-after.copies); text != "" {
				out = append(out, passes("%s receives %s", p, text))
			}
		}
	}
	if len(out) == 0 {
		return []result.StoryEvent{happens("%s receives nothing", p)}
	}
	return out
}

// messages are the messages of a kind in transit from one process to another: their ages, or,
// without ages, their number.
func (w processesLegend) messages(v *view, message, from, to string) (out struct {
	ages   []int
	copies int
}) {
	r := w.relation(message)
	if w.alg.copies != "" {
		for _, row := range v.get(r, result.MapValue).Rows {
			if row.Key[0].Text == from && row.Key[1].Text == to {
				n, err := strconv.Atoi(row.Result.Text)
				*v.missing = *v.missing || err != nil
				out.copies = n
			}
		}
		return out
	}
	for _, t := range v.tuples(r) {
		switch {
		case t[0] != from || t[1] != to:
		case !w.timed():
			out.copies = 1
		default:
			age, err := strconv.Atoi(t[2])
			*v.missing = *v.missing || err != nil
			out.ages = append(out.ages, age)
		}
	}
	slices.Sort(out.ages)
	return out
}

// describeMessages describes messages by kind, ages and number, empty if there are none.
func (w processesLegend) describeMessages(v *view, what string, ages []int, copies int) string {
	switch {
	case len(ages) > 0:
		return what + " " + w.sentWhen(w.alg.limits, false, v, ages)
	case copies > 1:
		return fmt.Sprintf("%d copies of %s", copies, what)
	case copies == 1:
		return what
	}
	return ""
}

func (w processesLegend) inTransit(s *moment) (out []string) {
	v := s.after
	for _, m := range w.alg.decl.Messages {
		for _, from := range w.all(v) {
			for _, to := range w.all(v) {
				here := w.messages(v, m.Text, from, to)
				if text := w.describeMessages(v, m.Text+" from "+from+" to "+to, here.ages,
					here.copies); text != "" {
					out = append(out, text)
				}
			}
		}
	}
	return out
}

func (w processesLegend) lanes(v *view) []string { return w.all(v) }

func (w processesLegend) fallen(s *moment) (out []string) {
	if s.action != w.name("schedule") {
		return nil
	}
	for _, p := range w.all(s.before) {
		if s.after.has(crashedWord, p) && !s.before.has(crashedWord, p) {
			out = append(out, p)
		}
	}
	return out
}

func (w processesLegend) sentIn(s *moment) []result.Message {
	if s.action != w.name("sending") {
		return nil
	}
	return w.added(s.before, s.after)
}

func (w processesLegend) receivedIn(s *moment) []result.Message {
	if s.action != w.name("receiving") {
		return nil
	}
	return w.added(s.after, s.before)
}

func (w processesLegend) openIn(s *moment) []result.Message { return w.added(nil, s.after) }

// added lists the messages in transit in one state and not in another; nil stands for no messages.
func (w processesLegend) added(before, after *view) (out []result.Message) {
	for _, m := range w.alg.decl.Messages {
		for _, from := range w.all(after) {
			for _, to := range w.all(after) {
				now := w.messages(after, m.Text, from, to)
				if before != nil {
					then := w.messages(before, m.Text, from, to)
					now.ages, now.copies = without(now.ages, then.ages), now.copies-then.copies
				}
				for _, age := range now.ages {
					out = append(out,
						result.Message{Name: m.Text, From: from, To: to, Age: age,
							Older: !w.exact(w.alg.limits, false, after, age)})
				}
				for range now.copies {
					out = append(out, result.Message{Name: m.Text, From: from, To: to, Age: -1})
				}
			}
		}
	}
	return out
}
