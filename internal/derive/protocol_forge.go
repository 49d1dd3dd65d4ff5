package derive

import (
	"cmp"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// sentWord is the end of the name of the messages of a kind that were ever sent.
const sentWord = "_sent"

// recorded finds the message of which a name is the record: m_sent(P, Q, x) says that P has ever
// sent m(x) to Q. There is a record only where the file speaks of it.
func (p *protocol) recorded(n string) *message {
	for _, m := range p.messages {
		if m.recorded && n == m.Name.Text+sentWord {
			return m
		}
	}
	return nil
}

// record notes of which messages the file asks whether they were ever sent.
func (c *protocolCheck) record() {
	spoken := map[string]bool{}
	syntax.AddNames(c.file.Decls, spoken)
	for _, m := range c.p.messages {
		n := m.Name.Text + sentWord
		_, declared := c.seen[n]
		m.recorded = spoken[n] && !declared
	}
}

// forges checks the conditions under which processes that lie make up messages. Such a condition
// restricts the liars, not the processes, so it may be about everything in a state. But it is not
// about what is in transit: without time, that is all that was ever sent, and the liars would do
// something else there.
func (c *protocolCheck) forges() {
	for _, f := range c.p.decl.Forges {
		m := c.p.message(f.Message.Text)
		names := append(f.Params[:len(f.Params):len(f.Params)], f.From, f.To)
		c.parameters(names)
		switch {
		case m == nil:
			c.unknownMessage(f.Message)
			continue
		case !c.p.suffers(forges):
			c.fail(f.Span, "nobody makes up a message").
				Suggest("Processes that lie exist with faults byzantine, or faults byzantine(f).")
			continue
		case m.forged != nil:
			c.errs.Errorf(diag.Duplicate, f.Message.Span, "two conditions for '%s'", m.Name.Text).
				Because(m.forged.Message.Span, "the first is here").
				Suggest("Put both into one: forge %s when A & B", m.Name.Text)
			continue
		case len(f.Params) != len(m.Fields):
			c.fields(m, f.Message, f.Params)
			continue
		}
		m.forged = f
		var bound []string
		for _, n := range names {
			bound = append(bound, n.Text)
		}
		(&programScope{c, m.from}).expr(f.When, bound)
		eachName(f.When, func(x *syntax.Expr) {
			of := c.p.reads(x.Name.Text, func(n string) bool { return c.p.message(n) != nil })
			if of != "" && !slices.Contains(bound, x.Name.Text) {
				c.fail(x.Span, "'%s' is in transit, and gone when it is received", of).
					Suggest("%s%s(P, Q, ...) says that P has ever sent it to Q.", of, sentWord)
			}
		})
	}
}

// record writes what was ever sent of a kind of messages.
type record struct {
	*rounds
	of *message
}

// sent are the messages that a process has ever sent to another.
func (w record) sent(from, to name, payload []name) expr {
	return exprOf("%s(%s)", name(w.of.Name.Text+sentWord),
		list(append([]name{from, to}, payload...)))
}

// declare says that nothing was sent at first. Without time, what was ever sent is what is in
// transit.
func (w record) declare() {
	if !w.of.recorded {
		return
	}
	if !w.untimed {
		w.line("init !%s", w.sent(w.name("P"), w.name("Q"), w.payload(w.of, true)))
		return
	}
	params, parts := w.parameters(w.of)
	w.line("definition %s(%s) = %s(%s)", name(w.of.Name.Text+sentWord), list(params),
		name(w.of.Name.Text), list(parts))
}

// forge writes what a Byzantine process sends: any message of its kinds, or one that a condition
// allows, at the beginning of a round.
func (w record) forge() {
	m := w.of
	from, to, x := w.name("from"), w.name("to"), w.payload(m, false)
	if f := m.forged; f != nil {
		from, to = cmp.Or(name(f.From.Text), from), cmp.Or(name(f.To.Text), to)
		x = nil
		for _, n := range f.Params {
			x = append(x, name(n.Text))
		}
	}
	w.header("forge", m, from, to, x, "")
	w.line("  require %s & !%s;", w.suffering(m.from, from, forges), w.down(m.to, to))
	w.onlyStepping(nil)
	w.beginning()
	if m.forged != nil {
		w.line("  require %s;", w.hole(m.forged.When))
	}
	point := w.point(m, from, to, x, name("0"))
	w.line("  require %s;", w.store().room(point))
	w.line("  %s := %s;", name(point), w.store().with(point, w.store().one()))
	if m.recorded && !w.untimed {
		w.line("  %s := true;", name(w.sent(from, to, x)))
	}
	w.line("}")
}
