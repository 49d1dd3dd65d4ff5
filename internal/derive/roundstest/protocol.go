// Package roundstest is the oracle of protocols under a model of time: it generates small protocols
// and runs them round by round, as docs/partial-synchrony.md states it.
//
// It imports nothing of the program. A protocol is data, from which both its text and its runs are
// made. A round is tried with all its crashes, all orders of steps, and all orders in which a step
// receives messages; a step or the end of a round is left out if it breaks a bound as the bound is
// stated, in numbers of rounds. Package derive, which the tests compare with it, has no numbers of
// rounds but ages, and small steps with flags.
package roundstest

import (
	"fmt"
	"strings"
)

// Timing is a model of time.
type Timing string

const (
	Synchrony        Timing = "synchrony"
	Asynchrony       Timing = "asynchrony"
	PartialSynchrony Timing = "partial_synchrony"
)

// Protocol is a protocol of one role, or of two, which have the numbers 0 and 1.
type Protocol struct {
	Timing   Timing
	TwoRoles bool
	HasGst   bool
	// Drift says that clocks may be fast or slow.
	Drift bool
	// What happens to messages in transit: the first two before the bounds hold.
	Lossy, Duplicating, Fifo bool
	// Copies is the greatest number of copies of a message in transit; 0 for a set.
	Copies int
	// Faults are none, or one or two of: crash or recover; omission, send_omission,
	// receive_omission or byzantine. Each perhaps with (1) for at most one process.
	Faults []string
	// Forges has the conditions for what Byzantine processes make up, by the message; nil for none.
	Forges []*Forge
	// Records says that a property speaks of everything that was ever sent.
	Records bool
	// Quick, where it is set, is the bound for the delay of the first message.
	Quick    bool
	Messages []Message
	Vars     []Var
	Handlers map[int]*Handler // by the message
	Steps    []Step
}

// Message has fields: numbers from 0 to the greatest, or where that is negative, processes of the
// role -1 - most.
type Message struct {
	Name     string
	Fields   []int
	From, To int // the roles
}

// Var is a variable from 0 to Most, for each peer of the role Of if Peer is set.
type Var struct {
	Name        string
	Most, First int
	Role, Of    int
	Peer, Timer bool
	Clock       bool
	Disk        bool // kept in a crash
}

// Handler is what is done with a message. The fields are named f0, f1, ..., and the sender p.
type Handler struct{ Body []Stmt }

// Step is what is done in each step: with a timer, where that is at least After.
type Step struct {
	Role  int
	Timer *Int // nil without a timer
	After int
	When  *Cond
	Body  []Stmt
}

// Int is an expression for a number: a constant, a variable of the process, perhaps for a peer, a
// field of the message, or a variable of a choice.
type Int struct {
	Kind  string // const, var, field, local
	Value int    // of a constant; the index of a variable or of a field
	At    *Proc  // of a variable for a peer
	Name  string // of a local
}

// Proc is an expression for a process: self, p for the sender, a field, P for each one, or a
// variable of a choice.
type Proc struct {
	Kind string // self, sender, field, point, local
	At   int    // the index of a field
	Name string
}

// Cond is a condition.
type Cond struct {
	Kind string // less, equal, same, not, and
	A, B *Int
	P, Q *Proc
	L, R *Cond
}

// Stmt is a statement.
type Stmt struct {
	Kind string // set, bump, each, reset, if, send, chooseInt, chooseProc
	Var  int
	At   *Proc // the peer of a variable; the receiver of a message
	Int  *Int
	Cond *Cond
	Then []Stmt
	Else []Stmt
	// Of a send: the message, its arguments, and to whom: one, all, every, reply.
	Message int
	Args    []Arg
	To      string
	Name    string // of the variable of a choice, and of every
	Role    int    // of the process that is chosen
}

// Arg is a value of a field.
type Arg struct {
	Int  *Int
	Proc *Proc
}

// Text is the protocol in the language, with an instance.
func (p *Protocol) Text(in Parameters) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	for _, n := range []string{"Delta", "Phi", "Gst", "Less", "D"} {
		line("immutable constant %s: int", n)
	}
	if in.Delays != nil {
		line("immutable function Delay(process, process): int")
	}
	if in.Phis != nil {
		line("immutable function Speed(process): int")
	}
	line("protocol generated {")
	for _, m := range p.Messages {
		var fields []string
		for i, most := range m.Fields {
			fields = append(fields, fmt.Sprintf("f%d: %s", i, p.sortOf(most)))
		}
		between := ""
		if p.TwoRoles {
			between = fmt.Sprintf(" from %s to %s", p.Sort(m.From), p.Sort(m.To))
		}
		line("  message %s%s%s", m.Name, inParentheses(fields), between)
	}
	p.timing(line, in)
	p.trouble(line)
	p.forgeText(line)
	if p.TwoRoles {
		for role := range 2 {
			line("role %s {", p.Sort(role))
			p.role(line, role)
			line("}")
		}
	} else {
		p.role(line, 0)
	}
	line("}\nsafety [all] true%s", p.recordText())
	line("instance small { %s, Delta = %d, Phi = %d, Gst = %d, Less = %d, D = %d%s }",
		p.sizes(in), in.Delta, in.Phi, in.Gst, in.Less, in.D, in.tables())
	return b.String()
}

// Sort is the sort of the processes of a role.
func (p *Protocol) Sort(role int) string {
	if p.TwoRoles {
		return []string{"left", "right"}[role]
	}
	return "process"
}

func (p *Protocol) sizes(in Parameters) string {
	if p.TwoRoles {
		return fmt.Sprintf("left = %d, right = %d", in.Firsts, in.N-in.Firsts)
	}
	return fmt.Sprintf("process = %d", in.N)
}

// role is the program of a role.
func (p *Protocol) role(line func(string, ...any), role int) {
	for _, v := range p.Vars {
		if v.Role != role {
			continue
		}
		word, peer := "var", ""
		switch {
		case v.Timer:
			word = "timer"
		case v.Clock:
			word = "clock"
		}
		if v.Disk {
			word = "disk"
		}
		if v.Peer {
			peer = "(" + p.Sort(v.Of) + ")"
		}
		line("  %s %s%s: 0..%d = %d", word, v.Name, peer, v.Most, v.First)
	}
	for i, m := range p.Messages {
		if h := p.Handlers[i]; h != nil && m.To == role {
			var names []string
			for j := range m.Fields {
				names = append(names, fmt.Sprintf("f%d", j))
			}
			line("  on %s%s from p {", m.Name, inParentheses(names))
			p.block(line, "    ", h.Body)
			line("  }")
		}
	}
	for _, s := range p.Steps {
		if s.Role != role {
			continue
		}
		when := ""
		if s.When != nil {
			when = " when " + p.cond(s.When)
		}
		if s.Timer != nil {
			unit := "steps"
			if p.Vars[s.Timer.Value].Clock {
				unit = "rounds"
			}
			line("  after %d %s of %s%s {", s.After, unit, p.int(s.Timer), when)
		} else {
			line("  step%s {", when)
		}
		p.block(line, "    ", s.Body)
		line("  }")
	}
}

// trouble is what can go wrong with processes and messages.
func (p *Protocol) trouble(line func(string, ...any)) {
	for _, f := range p.Faults {
		line("  faults %s", f)
	}
	for what, is := range map[string]bool{"lossy": p.Lossy, "duplicating": p.Duplicating,
		"fifo": p.Fifo} {
		if is {
			line("  network %s", what)
		}
	}
	if p.Copies > 0 {
		line("  network copies(%d)", p.Copies)
	}
}

// timing is the model of time, with the bounds.
func (p *Protocol) timing(line func(string, ...any), in Parameters) {
	switch {
	case p.Timing != PartialSynchrony:
		line("  timing %s", p.Timing)
	case p.HasGst:
		line("  timing partial_synchrony(Delta, Phi, Gst)")
	default:
		line("  timing partial_synchrony(Delta, Phi)")
	}
	switch {
	case p.Quick && in.Delays != nil:
		line("  timing %s(Delay)", p.Messages[0].Name)
	case p.Quick:
		line("  timing %s(Less)", p.Messages[0].Name)
	}
	if in.Phis != nil {
		line("  timing process(Speed)")
	}
	if p.Drift {
		line("  timing drift(D)")
	}
}

// tables are the bounds of pairs and of processes in an instance.
func (in Parameters) tables() (out string) {
	var delays, speeds []string
	for i, row := range in.Delays {
		for j, d := range row {
			delays = append(delays, fmt.Sprintf("(process%d, process%d): %d", i, j, d))
		}
	}
	for i, phi := range in.Phis {
		speeds = append(speeds, fmt.Sprintf("process%d: %d", i, phi))
	}
	if delays != nil {
		out += ", Delay = { " + strings.Join(delays, ", ") + " }"
	}
	if speeds != nil {
		out += ", Speed = { " + strings.Join(speeds, ", ") + " }"
	}
	return out
}

func (p *Protocol) sortOf(most int) string {
	if most < 0 {
		return p.Sort(-1 - most)
	}
	return fmt.Sprintf("0..%d", most)
}

func inParentheses(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

func (p *Protocol) block(line func(string, ...any), indent string, body []Stmt) {
	for _, s := range body {
		p.stmt(line, indent, s)
	}
}

func (p *Protocol) stmt(line func(string, ...any), indent string, s Stmt) {
	v := func() string {
		if s.At != nil {
			return p.Vars[s.Var].Name + "(" + proc(s.At) + ")"
		}
		return p.Vars[s.Var].Name
	}
	switch s.Kind {
	case "set":
		most := p.Vars[s.Var].Most
		line("%s%s := if %s > %d then %d else %s;", indent, v(), p.int(s.Int), most, most,
			p.int(s.Int))
	case "bump":
		line("%s%s := if %s < %d then %s + 1 else 0;", indent, v(), v(), p.Vars[s.Var].Most, v())
	case "each":
		line("%s%s := if %s then %d else %s;", indent, v(), p.cond(s.Cond), s.Int.Value, v())
	case "reset":
		line("%sreset %s;", indent, v())
	case "if":
		line("%sif %s {", indent, p.cond(s.Cond))
		p.block(line, indent+"  ", s.Then)
		line("%s} else {", indent)
		p.block(line, indent+"  ", s.Else)
		line("%s}", indent)
	case "chooseInt":
		line("%schoose %s: 0..1 {", indent, s.Name)
		p.block(line, indent+"  ", s.Then)
		line("%s}", indent)
	case "chooseProc":
		line("%schoose %s: %s with %s {", indent, s.Name, p.Sort(s.Role), p.cond(s.Cond))
		p.block(line, indent+"  ", s.Then)
		line("%s}", indent)
	case "send":
		p.sendText(line, indent, s)
	}
}

func (p *Protocol) sendText(line func(string, ...any), indent string, s Stmt) {
	var args []string
	for _, a := range s.Args {
		if a.Proc != nil {
			args = append(args, proc(a.Proc))
		} else {
			args = append(args, p.int(a.Int))
		}
	}
	what := p.Messages[s.Message].Name + inParentheses(args)
	switch s.To {
	case "reply":
		line("%sreply %s;", indent, what)
	case "all":
		line("%ssend %s to all;", indent, what)
	case "every":
		line("%ssend %s to every %s with %s;", indent, what, s.Name, p.cond(s.Cond))
	default:
		line("%ssend %s to %s;", indent, what, proc(s.At))
	}
}

func (p *Protocol) int(x *Int) string {
	switch x.Kind {
	case "const":
		return fmt.Sprint(x.Value)
	case "field":
		return fmt.Sprintf("f%d", x.Value)
	case "local":
		return x.Name
	}
	if x.At != nil {
		return p.Vars[x.Value].Name + "(" + proc(x.At) + ")"
	}
	return p.Vars[x.Value].Name
}

func proc(x *Proc) string {
	switch x.Kind {
	case "self":
		return "self"
	case "sender":
		return "p"
	case "field":
		return fmt.Sprintf("f%d", x.At)
	case "point":
		return "P"
	}
	return x.Name
}

func (p *Protocol) cond(c *Cond) string {
	switch c.Kind {
	case "less":
		return p.int(c.A) + " < " + p.int(c.B)
	case "equal":
		return p.int(c.A) + " = " + p.int(c.B)
	case "same":
		return proc(c.P) + " = " + proc(c.Q)
	case "not":
		return "!(" + p.cond(c.L) + ")"
	}
	return "(" + p.cond(c.L) + " & " + p.cond(c.R) + ")"
}
