package roundstest

import (
	"fmt"
	"slices"
	"strings"
)

// Forge is the condition under which a Byzantine process makes up a message.
type Forge struct {
	Kind  string // never, heard, consistent, own, receiver
	Heard int    // the kind of message that the liars must have heard
	Not   bool
}

// condition is the condition in the language; p and q are sender and receiver, f0 the field.
func (p *Protocol) condition(kind int, f *Forge) string {
	cond := "false"
	field := len(p.Messages[kind].Fields) > 0
	switch f.Kind {
	case "heard":
		// What a process has sent to one that is faulty by now, with the same field where both
		// have one.
		of := p.Messages[f.Heard]
		var bound, args string
		if len(of.Fields) > 0 {
			args = ", f0"
			if !p.sameField(kind, f.Heard) {
				bound, args = ", x: "+p.sortOf(of.Fields[0]), ", x"
			}
		}
		cond = fmt.Sprintf("exists r: process, s: process%s. faulty(s) & %s_sent(r, s%s)", bound,
			of.Name, args)
	case "consistent":
		of := p.Messages[kind]
		cond = fmt.Sprintf("forall r: process. !%s_sent(p, r)", of.Name)
		if field {
			cond = fmt.Sprintf("forall r: process, x: %s. %s_sent(p, r, x) -> x = f0",
				p.sortOf(of.Fields[0]), of.Name)
		}
	case "own":
		cond = p.Vars[0].Name + "(p) > 0"
	case "receiver":
		cond = "p != q & !faulty(q)"
	}
	if f.Not {
		return "!(" + cond + ")"
	}
	return cond
}

// sameField reports whether two kinds of messages have fields of the same values.
func (p *Protocol) sameField(a, b int) bool {
	return slices.Equal(p.Messages[a].Fields, p.Messages[b].Fields)
}

// forgeText writes the conditions.
func (p *Protocol) forgeText(line func(string, ...any)) {
	for kind, f := range p.Forges {
		if f == nil {
			continue
		}
		args := ""
		if len(p.Messages[kind].Fields) > 0 {
			args = "(f0)"
		}
		line("  forge %s%s from p to q when %s", p.Messages[kind].Name, args, p.condition(kind, f))
	}
}

// Recorded reports whether the text speaks of what was ever sent of a kind of messages.
func (p *Protocol) Recorded(kind int) bool {
	if p.Records {
		return true
	}
	for k, f := range p.Forges {
		if f != nil && strings.Contains(p.condition(k, f), p.Messages[kind].Name+"_sent(") {
			return true
		}
	}
	return false
}

// recordText is a property about all records.
func (p *Protocol) recordText() string {
	if !p.Records {
		return ""
	}
	var all []string
	for i, m := range p.Messages {
		args := ""
		if len(m.Fields) > 0 {
			args = fmt.Sprintf(", X%d", i)
		}
		all = append(all, fmt.Sprintf("(%s_sent(P, Q%s) -> true)", m.Name, args))
	}
	return "\nsafety [recorded] " + strings.Join(all, " & ")
}

// note keeps in mind that a message was sent.
func (m *Model) note(c *config, x letter) {
	if !m.Recorded(x.kind) || m.Fault == NotRecorded && m.down(c, x.to) {
		return
	}
	x.sent, x.fresh = 0, false
	if !slices.Contains(c.sent, x) {
		c.sent = append(c.sent, x)
	}
}

// may reports whether a liar may make up a message.
func (m *Model) may(c *config, x letter) bool {
	f := m.Forges[x.kind]
	if f == nil || m.Fault == ForgesFreely {
		return true
	}
	holds := false
	switch f.Kind {
	case "heard":
		for _, y := range c.sent {
			holds = holds || y.kind == f.Heard && (c.faulty[y.to] || m.Fault == HearsAll) &&
				(len(m.Messages[y.kind].Fields) == 0 || !m.sameField(x.kind, y.kind) ||
					x.args == y.args)
		}
	case "consistent":
		holds = !slices.ContainsFunc(c.sent, func(y letter) bool {
			return y.kind == x.kind && y.from == x.from &&
				(len(m.Messages[y.kind].Fields) == 0 || y.args != x.args)
		})
	case "own":
		holds = c.vars[x.from][m.slot(0, 0)] > 0
	case "receiver":
		holds = x.from != x.to && !c.faulty[x.to]
	}
	return holds != f.Not
}

// record is what is seen of what was ever sent.
func (c *config) record(m *Model) (out []string) {
	for _, x := range c.sent {
		out = append(out, Letter(x.kind, x.from, x.to,
			x.args[:len(m.Messages[x.kind].Fields)], 0))
	}
	slices.Sort(out)
	return out
}

// forges gives a protocol with liars conditions of their own.
func (g *generator) forges() {
	p := g.p
	p.Forges = make([]*Forge, len(p.Messages))
	lies := slices.ContainsFunc(p.Faults, func(f string) bool {
		return strings.HasPrefix(f, "byzantine")
	})
	for i := range p.Messages {
		if lies && !p.TwoRoles && g.chance(60) {
			kinds := []string{"never", "heard", "heard", "consistent", "own", "receiver"}
			p.Forges[i] = &Forge{Kind: kinds[g.Intn(len(kinds))],
				Heard: g.Intn(len(p.Messages)), Not: g.chance(20)}
		}
	}
	p.Records = !p.TwoRoles && g.chance(10)
}
