package syntax

import (
	"strings"

	"erelong.dev/erelong/internal/diag"
)

// ProtocolDecl is a protocol under a model of time: what processes do with the messages that they
// receive and in the steps that they take.
type ProtocolDecl struct {
	Span     diag.Span
	Name     Name
	Below    Name // the protocol on which it stands; Text is empty without one
	Messages []*MessageDecl
	Timing   *Timing
	Bounds   []*Timing // of a kind of message or a role, which Model names; Args has the bound
	Drift    *Timing   // how often clocks are fast or slow; nil for never
	Faults   []*Faults
	Forges   []*Forge
	Network  []*Network
	// Roles lists the kinds of processes. A protocol without roles has one, which is called process
	// and has no place of its own.
	Roles []*Role
}

// MessageDecl declares a kind of message with its payload.
type MessageDecl struct {
	Span   diag.Span
	Name   Name
	Fields []MessageField
	// From and To are the roles of sender and receiver; Text is empty without roles.
	From, To Name
}

// MessageField is a part of a payload.
type MessageField struct {
	Name Name
	Sort *SortExpr
}

// Faults is what can go wrong with processes: `none`, or a kind of fault with the number of
// processes that are faulty at most, nil for any.
type Faults struct {
	Span diag.Span
	Kind Word
	Most *Expr
}

// Forge is the condition under which a Byzantine process sends a message that it makes up.
type Forge struct {
	Span     diag.Span
	Message  Name
	Params   []Name
	From, To Name // sender and receiver; Text is empty if they have no name
	When     *Expr
}

// Network is something that can happen to messages in transit, or cannot: `reliable`, `lossy`,
// `duplicating`, `fifo`, or `copies` with a number.
type Network struct {
	Span diag.Span
	Kind Word
	Most *Expr // of copies; nil for none
}

// Role is a kind of process with its program.
type Role struct {
	Span     diag.Span
	Name     Name
	Vars     []*StateVar
	Handlers []*Handler
	Steps    []*StepDecl
}

// StateVar is a variable of a process, for each value of its arguments. A timer counts the steps of
// its process, a clock the rounds.
type StateVar struct {
	Span  diag.Span
	Timer bool
	Clock bool
	Disk  bool // it is kept in a crash
	Name  Name
	Args  []*SortExpr
	Sort  *SortExpr
	Value *Expr // at the start; nil for a timer or clock that starts with 0
}

// Counts reports whether the variable counts by itself.
func (v *StateVar) Counts() bool { return v.Timer || v.Clock }

// Word is the word that declares the variable.
func (v *StateVar) Word() string {
	switch {
	case v.Timer:
		return "timer"
	case v.Clock:
		return "clock"
	case v.Disk:
		return "disk"
	}
	return "var"
}

// Handler is what a process does with a message when it receives it.
type Handler struct {
	Span    diag.Span
	Message Name
	Params  []Name
	From    Name // the sender; Text is empty if it has no name
	Body    []Stmt
}

// StepDecl is what a process does in each of its steps, under a condition.
type StepDecl struct {
	Span   diag.Span
	After  *Expr // steps counted by Timer, or rounds; nil without a timer
	Rounds bool
	Timer  *Expr
	When   *Expr // nil for always
	Body   []Stmt
}

// SendStmt is `send message(args) to ...;` or `reply message(args);`.
type SendStmt struct {
	Span    diag.Span
	Message Name
	Args    []*Expr
	Reply   bool
	// Where the message goes: to a process (To), to every process (neither), or to each one that
	// Each stands for, under the condition If.
	To   *Expr
	Each *Binder
	If   *Expr // nil for none
}

// ResetStmt is `reset timer;`.
type ResetStmt struct {
	Span  diag.Span
	Timer *Expr
}

func (*SendStmt) stmt()  {}
func (*ResetStmt) stmt() {}

func (d *ProtocolDecl) Pos() diag.Span { return d.Span }

// Variables lists the variables of all roles.
func (d *ProtocolDecl) Variables() (out []*StateVar) {
	for _, r := range d.Roles {
		out = append(out, r.Vars...)
	}
	return out
}

// programParser reads protocols.
type programParser struct{ *parser }

// protocolDecl reads a protocol:
//
//	protocol name ('on' name)? {
//	  message m(field: sort, ...) (from role to role)?, ...
//	  timing model(constant, ...)
//	  timing message-or-role(constant), ...
//	  timing drift(constant)
//	  faults kind (e)?, ...
//	  forge m(x, ...) ('from' p)? ('to' q)? 'when' e
//	  network kind (e)?, ...
//	  role name { item* } | item
//	}
//
//	item ::= ('var' | 'disk') x (sorts)? ':' sort '=' e
//	       | ('timer' | 'clock') t (sorts)? ':' range ('=' e)?
//	       | 'on' m(x, ...) ('from' p)? block
//	       | 'step' ('when' e)? block
//	       | 'after' e ('steps' | 'rounds') 'of' t ('when' e)? block
func (p programParser) protocolDecl(t Token) Decl {
	d := &ProtocolDecl{Name: p.name("a name for the protocol")}
	if p.acceptWord("on") {
		d.Below = p.name("the protocol on which it stands")
	}
	p.expect("{", "before the messages and the program of a process")
	p.program = true
	own := &Role{Name: Name{Text: "process", Span: d.Name.Span}}
	for !p.at("}") {
		p.protocolItem(d, own)
	}
	p.program = false
	p.next()
	d.Span = p.since(t)
	if own.Span = d.Span; len(d.Roles) == 0 || own.Vars != nil || own.Handlers != nil ||
		own.Steps != nil {
		d.Roles = append([]*Role{own}, d.Roles...)
	}
	return d
}

func (p programParser) protocolItem(d *ProtocolDecl, own *Role) {
	t := p.tok()
	switch {
	case p.acceptWord("message"):
		p.list(func() { d.Messages = append(d.Messages, p.messageDecl()) })
	case p.acceptWord("timing"):
		m := p.timing(t)
		if m.Model.Text == "drift" {
			p.once(t, d.Drift != nil)
			d.Drift = m
			return
		}
		if len(m.Args) == 1 && !strings.Contains(m.Model.Text, "synchrony") {
			d.Bounds = append(d.Bounds, m)
			return
		}
		oneModel(p.parser, t, d.Timing, "protocol", d.Name.Text)
		d.Timing = m
	case p.acceptWord("faults"):
		f := &Faults{Kind: Word(p.name("none, or a kind of fault"))}
		if p.accept("(") {
			f.Most = p.expr()
			p.expect(")", "after the number of processes")
		}
		f.Span = p.since(t)
		d.Faults = append(d.Faults, f)
	case p.acceptWord("forge"):
		d.Forges = append(d.Forges, p.forge(t))
	case p.acceptWord("network"):
		n := &Network{Kind: Word(p.name("reliable, lossy, duplicating, fifo or copies"))}
		if p.accept("(") {
			n.Most = p.expr()
			p.expect(")", "after the number of copies")
		}
		n.Span = p.since(t)
		d.Network = append(d.Network, n)
	case p.atWord("role") && p.peek(1).Kind == Ident:
		p.next()
		r := &Role{Name: p.name("a name for the role")}
		p.expect("{", "before the program of the role")
		for !p.at("}") {
			if !p.roleItem(r) {
				p.failIn(program, "var, disk, timer, clock, on, step or after")
			}
		}
		p.next()
		r.Span = p.since(t)
		d.Roles = append(d.Roles, r)
	default:
		if !p.roleItem(own) {
			p.failIn(program, "message, timing, faults, forge, network, role, var, disk, "+
				"timer, clock, on, step or after")
		}
	}
}

func (p programParser) messageDecl() *MessageDecl {
	t := p.tok()
	m := &MessageDecl{Name: p.name("a name for the message")}
	if p.accept("(") {
		p.list(func() {
			f := MessageField{Name: p.name("a name for the field")}
			p.expect(":", "and the sort of the field")
			f.Sort = p.sort()
			m.Fields = append(m.Fields, f)
		})
		p.expect(")", "after the payload")
	}
	if p.acceptWord("from") {
		m.From = p.name("the role of the sender")
		if !p.acceptWord("to") {
			p.fail("'to' and the role of the receiver")
		}
		m.To = p.name("the role of the receiver")
	}
	m.Span = p.since(t)
	return m
}

// forge reads what follows the word.
func (p programParser) forge(t Token) *Forge {
	f := &Forge{Message: p.name("a message")}
	f.Params = p.parameters()
	if p.acceptWord("from") {
		f.From = p.name("a name for the sender")
	}
	if p.acceptWord("to") {
		f.To = p.name("a name for the receiver")
	}
	if !p.acceptWord("when") {
		p.fail("'when' and the condition under which a process that lies sends it")
	}
	f.When = p.expr()
	f.Span = p.since(t)
	return f
}

// parameters reads names for the parts of a message, if there are any.
func (p programParser) parameters() (out []Name) {
	if p.accept("(") {
		p.list(func() { out = append(out, p.name("a name for the field")) })
		p.expect(")", "after the payload")
	}
	return out
}

// roleItem reads a part of the program of a process, and reports whether there is one.
func (p programParser) roleItem(r *Role) bool {
	switch t := p.tok(); {
	case p.atWord("var"), p.atWord("disk"), p.atWord("timer"), p.atWord("clock"):
		r.Vars = append(r.Vars, p.stateVar(t))
	case p.acceptWord("on"):
		h := &Handler{Message: p.name("a message")}
		h.Params = p.parameters()
		if p.acceptWord("from") {
			h.From = p.name("a name for the sender")
		}
		h.Body = p.block()
		h.Span = p.since(t)
		r.Handlers = append(r.Handlers, h)
	case p.atWord("step"), p.atWord("after"):
		p.next()
		s := &StepDecl{}
		if p.text(t) == "after" {
			s.After = p.expr()
			s.Rounds = p.acceptWord("rounds") || p.acceptWord("round")
			if !s.Rounds && !p.acceptWord("steps") && !p.acceptWord("step") {
				p.fail("'steps of' and a timer, or 'rounds of' and a clock")
			}
			if !p.acceptWord("of") {
				p.fail("'of' and a timer or clock")
			}
			s.Timer = p.postfix(p.primary())
		}
		if p.acceptWord("when") {
			s.When = p.expr()
		}
		s.Body = p.block()
		s.Span = p.since(t)
		r.Steps = append(r.Steps, s)
	default:
		return false
	}
	return true
}

func (p programParser) stateVar(t Token) *StateVar {
	word := p.text(p.next())
	v := &StateVar{Timer: word == "timer", Clock: word == "clock", Disk: word == "disk"}
	v.Name = p.name("a name for the variable")
	if p.accept("(") {
		p.list(func() { v.Args = append(v.Args, p.sort()) })
		p.expect(")", "after the sorts of the arguments")
	}
	if v.Counts() && !p.at(":") {
		p.errs.Errorf(diag.AlgorithmForm, v.Name.Span,
			"the %s '%s' has no bound: how far does it count?", word, v.Name.Text).
			Suggest("Write %s %s: 0..n with the greatest number that matters; the %s stops there.",
				word, v.Name.Text, word)
		panic(bailout{})
	}
	p.expect(":", "and the sort of the variable")
	v.Sort = p.sort()
	if !v.Counts() || p.at("=") {
		p.expect("=", "and the value at the start")
		v.Value = p.expr()
	}
	v.Span = p.since(t)
	return v
}

// stmt reads a statement that only the program of a process has; nil if there is none.
func (p programParser) stmt(t Token) Stmt {
	switch follows := p.peek(1).Kind; {
	case !p.program || follows != Ident:
		return nil
	case p.acceptWord("reply"):
		s := &SendStmt{Reply: true}
		p.payload(s)
		s.Span = p.since(t)
		p.endOfStatement()
		return s
	case p.acceptWord("send"):
		s := &SendStmt{}
		p.payload(s)
		if !p.acceptWord("to") {
			p.fail("'to' and a process, 'all', or 'every' and a name for each process")
		}
		switch {
		case p.acceptWord("all"):
		case p.atWord("every") && p.peek(1).Kind == Ident:
			p.next()
			s.Each = &Binder{Name: p.name("a name for each receiver")}
			if p.at(":") || p.at("in") {
				p.errs.Errorf(diag.Syntax, p.span(p.tok()), "a sort for each receiver").
					Suggest("Leave it out: the receivers are all processes to which "+
						"%s may be sent.", s.Message.Text)
				panic(bailout{})
			}
			if p.acceptWord("with") {
				s.If = p.expr()
			}
		default:
			s.To = p.expr()
		}
		s.Span = p.since(t)
		p.endOfStatement()
		return s
	case p.acceptWord("reset"):
		s := &ResetStmt{Timer: p.postfix(p.primary())}
		s.Span = p.since(t)
		p.endOfStatement()
		return s
	}
	return nil
}

func (p programParser) payload(s *SendStmt) {
	s.Message = p.name("a message")
	if p.accept("(") {
		p.list(func() { s.Args = append(s.Args, p.expr()) })
		p.expect(")", "after the payload")
	}
}
