package syntax

import "erelong.dev/erelong/internal/diag"

// AlgorithmDecl is the program of every process of a symmetric point-to-point algorithm.
type AlgorithmDecl struct {
	Span     diag.Span
	Name     Name
	Messages []Name
	Vars     []*PeerVar
	Timing   *Timing
	Copies   Name // of `network copies(C)`: the constant; Text is empty without it
	Start    Name // Text is empty when it is the first location
	// SenderStart is where the sender starts in a system of one sender and one receiver; Text is
	// empty when it is Start.
	SenderStart Name
	Tasks       []*Task
}

// PeerVar is a variable that each process has once for each of its peers.
type PeerVar struct {
	Span  diag.Span
	Name  Name
	Sort  *SortExpr
	Value *Expr // at the start
}

// Timing is the model of time: Model(Args), where Args is empty unless the model has parameters.
type Timing struct {
	Span  diag.Span
	Model Name
	Args  []Name // immutable constants
}

// Task is the action of a process at one of its locations.
type Task struct {
	Span     diag.Span
	Kind     string // send, receive, compute
	Message  Name   // of a send
	Location Name
	// Text is empty for the location of the next task, or after the last task the first location.
	Next Name
	Body []Stmt
}

// AboutDecl holds declarations about a system that is derived from the algorithm, such as
// invariants.
type AboutDecl struct {
	Span  diag.Span
	Name  Name // of the system
	Decls []Decl
}

// ReduceDecl says how a property of runs follows from a property of states.
//
//	reduce [p] within e       it holds as soon as e rounds have passed since the crash
//	                          that it requires
//	reduce [p] by x until e   it is right as soon as x, which grows whenever it is found
//	                          to be wrong, is at least e
type ReduceDecl struct {
	Span     diag.Span
	Property Name
	Within   *Expr
	By       Name // a variable for each peer; Text is empty when Within is set
	Until    *Expr
}

func (d *AlgorithmDecl) Pos() diag.Span { return d.Span }
func (d *AboutDecl) Pos() diag.Span     { return d.Span }
func (d *ReduceDecl) Pos() diag.Span    { return d.Span }

// algorithmDecl reads the program of the processes:
//
//	algorithm name {
//	  message m, ...
//	  var x: sort = e
//	  timing model(constant, ...)
//	  network copies(constant)
//	  start location
//	  sender starts location
//	  (send m | receive | compute) at location (then location)? { statement* }
//	}
func (p *parser) algorithmDecl(t Token) Decl {
	d := &AlgorithmDecl{Name: p.name("a name for the algorithm")}
	p.expect("{", "before the program of a process")
	for !p.at("}") {
		p.algorithmItem(d)
	}
	p.next()
	d.Span = p.since(t)
	return d
}

// once refuses what is given twice, from a token on.
func (p *parser) once(t Token, given bool) {
	if given {
		p.errs.Errorf(diag.Duplicate, p.span(t), "this is given twice")
		panic(bailout{})
	}
}

// oneModel refuses a second model of time, from a token on.
func oneModel(p *parser, t Token, given *Timing, kind, name string) {
	if given == nil {
		return
	}
	d := p.errs.Errorf(diag.Duplicate, p.span(t), "a second model of time").
		Because(given.Span, "the first is here")
	if kind == "protocol" {
		d.Suggest("A file has one. Leave both lines out, and write a file for each model that "+
			"includes this one: include \"FILE.ere\" protocol timed on %s { timing ... }", name)
	} else {
		d.Suggest("A file has one. Write another file for the other model.")
	}
	panic(bailout{})
}

func (p *parser) algorithmItem(d *AlgorithmDecl) {
	t := p.tok()
	switch {
	case p.acceptWord("message"):
		p.list(func() {
			d.Messages = append(d.Messages, p.name("a name for the message"))
			p.noContent()
		})
	case p.acceptWord("var"):
		v := &PeerVar{Name: p.name("a name for the variable")}
		p.expect(":", "and the sort of the variable")
		v.Sort = p.sort()
		p.expect("=", "and the value at the start")
		v.Value = p.expr()
		v.Span = p.since(t)
		d.Vars = append(d.Vars, v)
	case p.acceptWord("timing"):
		oneModel(p, t, d.Timing, "algorithm", d.Name.Text)
		d.Timing = p.timing(t)
	case p.acceptWord("network"):
		p.once(t, d.Copies.Text != "")
		if !p.acceptWord("copies") {
			p.fail("'copies' and, in parentheses, how many of a message there can be in transit")
		}
		p.expect("(", "before the number of copies")
		d.Copies = p.name("an immutable constant")
		p.expect(")", "after the number of copies")
	case p.acceptWord("start"):
		p.once(t, d.Start.Text != "")
		d.Start = p.name("a location")
	case p.acceptWord("sender"):
		p.once(t, d.SenderStart.Text != "")
		if !p.acceptWord("starts") {
			p.fail("'starts' and a location")
		}
		d.SenderStart = p.name("a location")
	case p.atWord("send"), p.atWord("receive"), p.atWord("compute"):
		d.Tasks = append(d.Tasks, p.taskDecl())
	default:
		p.fail("message, var, timing, network, start, sender starts, or a task: send, receive " +
			"or compute")
	}
}

// timing reads a model of time; t is the word before it.
func (p *parser) timing(t Token) *Timing {
	m := &Timing{Model: p.name("a model of time: synchrony, asynchrony or " +
		"partial_synchrony(Delta, Phi)")}
	if p.accept("(") {
		p.list(func() { m.Args = append(m.Args, bound(p)) })
		p.expect(")", "after the parameters")
	}
	m.Span = p.since(t)
	return m
}

// bound reads a parameter of a model of time.
func bound(p *parser) Name {
	const constant = "an immutable constant"
	if p.at(Number) {
		p.failIn(parameter, constant)
	}
	return p.name(constant)
}

func (p *parser) taskDecl() *Task {
	t := p.next()
	s := &Task{Kind: p.text(t)}
	if s.Kind == "send" {
		s.Message = p.name("a message")
		p.noContent()
		if p.atWord("to") {
			p.outsideClass("a message to some processes: a send is to all",
				"A process that should not react ignores the message; or write a protocol "+
					"(docs/partial-synchrony.md).")
		}
	}
	if !p.acceptWord("at") {
		p.fail("'at' and the location of the task")
	}
	s.Location = p.name("a name for the location")
	if p.at("then") {
		p.next()
		s.Next = p.name("a location")
	}
	p.task = true
	s.Body = p.block()
	p.task = false
	s.Span = p.since(t)
	return s
}

// outsideClass reports, at the current token, a construct that symmetric point-to-point algorithms
// do not have, and unwinds.
func (p *parser) outsideClass(what, fix string) {
	p.errs.Errorf(diag.OutsideClass, p.span(p.tok()), "%s", what).Suggest("%s", fix)
	panic(bailout{})
}

// noContent refuses parameters of a message.
func (p *parser) noContent() {
	if p.at("(") {
		p.outsideClass("a message with parameters: it says nothing but its name",
			"Declare a message for each of the few things that it may say.")
	}
}

// aboutDecl reads `about name { declaration* }`.
func (p *parser) aboutDecl(t Token) Decl {
	d := &AboutDecl{Name: p.name("the name of a derived system")}
	p.expect("{", "before the declarations")
	for !p.at("}") {
		if !p.startsDeclaration() {
			p.fail("a declaration or '}'")
		}
		d.Decls = append(d.Decls, p.declaration()...)
		if p.at(EOF) {
			p.fail("'}' at the end of the block")
		}
	}
	p.next()
	d.Span = p.since(t)
	return d
}

// reduceDecl reads what follows `reduce`.
func (p *parser) reduceDecl(t Token) Decl {
	d := &ReduceDecl{}
	p.expect("[", "and the name of a property")
	d.Property = p.name("the name of a property")
	p.expect("]", "after the property")
	switch {
	case p.acceptWord("within"):
		d.Within = p.expr()
	case p.acceptWord("by"):
		d.By = p.name("a variable of the algorithm")
		if !p.acceptWord("until") {
			p.fail("'until' and a bound")
		}
		d.Until = p.expr()
	default:
		p.fail("'within' and a number of rounds, or 'by' and a variable")
	}
	d.Span = p.since(t)
	return d
}
