package derive

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// selfWord is the process that takes a step, in its program.
const selfWord = "self"

// program makes statements of an action of the statements of a process: its variables get the
// process as an argument, and a message that is sent is put among the messages in transit.
//
// No statement of a process can block: a step that could not be taken would stop the time of the
// model, and runs would be missing.
type program struct {
	*rounds
	role *role
	// sender is the process that sent the message that is handled; empty in a step.
	sender name
	errs   *diag.List
}

func (c *program) block(body []syntax.Stmt) (out []syntax.Stmt) {
	for i, s := range body {
		if s, ok := s.(*syntax.ChooseStmt); ok {
			out = append(out, c.choose(s, body[i+1:]))
			if !s.Block {
				return out
			}
			continue
		}
		if s, ok := s.(*syntax.SendStmt); ok {
			out = append(out, c.send(s)...)
			continue
		}
		out = append(out, c.stmt(s))
	}
	return out
}

func (c *program) stmt(s syntax.Stmt) syntax.Stmt {
	switch s := s.(type) {
	case *syntax.AssignStmt:
		return c.assign(s)
	case *syntax.IfStmt:
		return &syntax.IfStmt{Span: s.Span, Cond: c.expr(s.Cond), Then: c.block(s.Then),
			Else: c.block(s.Else)}
	case *syntax.LetStmt:
		return &syntax.LetStmt{Span: s.Span, Binder: c.binder(s.Binder), Value: c.expr(s.Value)}
	case *syntax.MatchStmt:
		m := &syntax.MatchStmt{Span: s.Span, Value: c.expr(s.Value)}
		for _, a := range s.Arms {
			arm := *a
			arm.Body = c.block(a.Body)
			m.Arms = append(m.Arms, &arm)
		}
		return m
	case *syntax.ResetStmt:
		c.counter(s.Timer)
		return &syntax.AssignStmt{Span: s.Span, Target: c.expr(s.Timer),
			Value: build.At(build.Number(0), s.Span)}
	case *syntax.RequireStmt:
		c.errs.Errorf(diag.AlgorithmForm, s.Span, "a condition that can block a step: a process "+
			"takes each step that it comes to, and receives whatever arrives").
			Suggest("Write if ... { ... }, or step when ... { ... }.")
	}
	return s
}

// counter is the timer or clock of the process that an expression stands for; nil, which is
// reported, for another one.
func (c *program) counter(x *syntax.Expr) *syntax.StateVar {
	v := c.role.vars[x.Name.Text]
	if v == nil || !v.Counts() {
		c.errs.Errorf(diag.AlgorithmForm, x.Span, "'%s' is no timer of this process, and no clock",
			x.Span.Text()).Suggest("A timer is declared: timer NAME: 0..n")
		return nil
	}
	return v
}

// choose runs the rest of the block only if there is a value to choose.
func (c *program) choose(s *syntax.ChooseStmt, rest []syntax.Stmt) syntax.Stmt {
	out := &syntax.ChooseStmt{Span: s.Span, Binder: c.binder(s.Binder), Block: true}
	body := s.Body
	if !s.Block {
		body = rest
	}
	some := build.Truth(true)
	if s.Such != nil {
		out.Such = c.expr(s.Such)
		some = out.Such
	}
	out.Body = c.block(body)
	if s.Such == nil && s.Binder.In == nil {
		return out // no sort is empty
	}
	cond := &syntax.Expr{Kind: syntax.ExprExists, Span: s.Span,
		Binders: []*syntax.Binder{c.binder(s.Binder)}, Args: []*syntax.Expr{some}}
	return &syntax.IfStmt{Span: s.Span, Cond: cond, Then: []syntax.Stmt{out}}
}

func (c *program) binder(b *syntax.Binder) *syntax.Binder {
	out := *b
	if b.In != nil {
		out.In = c.expr(b.In)
	}
	return &out
}

func (c *program) assign(s *syntax.AssignStmt) syntax.Stmt {
	out := &syntax.AssignStmt{Span: s.Span, Target: c.expr(s.Target)}
	if s.Value != nil {
		out.Value = c.expr(s.Value)
	}
	root := changed(s.Target)
	n := root.Name.Text
	if d, ok := c.p.globals[n].(*syntax.SymbolDecl); (!ok || !d.Ghost) && c.role.vars[n] == nil &&
		c.p.owner(n) == nil && c.p.message(n) == nil {
		c.errs.Errorf(diag.NotATarget, root.Span, "'%s' is no variable of this process", n).
			Suggest("A process assigns to what is declared with var, and to ghosts.")
	}
	return out
}

// expr gives the process its own variables as they are named in the system.
func (c *program) expr(x *syntax.Expr) *syntax.Expr {
	if x == nil {
		return nil
	}
	out := *x
	out.Args = nil
	for _, a := range x.Args {
		out.Args = append(out.Args, c.expr(a))
	}
	out.Binders = nil
	for _, b := range x.Binders {
		out.Binders = append(out.Binders, c.binder(b))
	}
	out.Arms = nil
	for _, a := range x.Arms {
		arm := *a
		arm.Value = c.expr(a.Value)
		out.Arms = append(out.Arms, &arm)
	}
	if x.Kind == syntax.ExprName {
		c.ownName(x, &out)
	}
	return &out
}

func (c *program) ownName(x, out *syntax.Expr) {
	n := x.Name.Text
	v := c.role.vars[n]
	switch {
	case v != nil && len(x.Args) == len(v.Args):
		self := build.At(build.Ref(selfWord), x.Name.Span)
		out.Applied, out.Args = true, append([]*syntax.Expr{self}, out.Args...)
	case v != nil:
		c.errs.Errorf(diag.AlgorithmForm, x.Span, "'%s' has %s here, and is declared with %s", n,
			several(len(x.Args), "argument"), several(len(v.Args), "argument")).
			Because(v.Span, "it is declared here").
			Suggest("A process reads its own variables only: the process is not an argument.")
	case c.p.owner(n) != nil:
		c.errs.Errorf(diag.AlgorithmForm, x.Span,
			"'%s' is a variable of %s, and a process reads its own variables only", n,
			c.p.owner(n).sort).
			Suggest("What it is to know of others comes in messages.")
	case c.p.recorded(n) != nil:
		c.errs.Errorf(diag.AlgorithmForm, x.Span, "a process does not see what others send").
			Suggest("'%s' is a word of properties, and of forge.", n)
	case c.p.message(n) != nil:
		c.errs.Errorf(diag.AlgorithmForm, x.Span,
			"'%s' is a message: a process does not see what is in transit", n).
			Suggest("It receives a message: on %s { ... }", n)
	case c.p.isWord(n):
		c.errs.Errorf(diag.AlgorithmForm, x.Span, "a process does not see who is faulty").
			Suggest("'%s' is a word of properties.", n)
	default:
		if of := c.p.reads(n, c.p.hidden); of != "" {
			c.errs.Errorf(diag.AlgorithmForm, x.Span,
				"'%s' speaks of '%s', and a process reads its own variables only", n, of).
				Because(c.p.globals[n].Pos(), "it is declared here").
				Suggest("Give the values that it needs as arguments.")
		}
	}
}

// send puts a message, or one for each receiver, among the messages in transit. What is sent to a
// crashed process is not kept.
func (c *program) send(s *syntax.SendStmt) []syntax.Stmt {
	m := c.p.message(s.Message.Text)
	switch {
	case m == nil:
		(&protocolCheck{errs: c.errs, p: c.p}).unknownMessage(s.Message)
		return nil
	case len(s.Args) != len(m.Fields):
		c.errs.Errorf(diag.AlgorithmForm, s.Span, "'%s' has %s, and %s here", m.Name.Text,
			several(len(m.Fields), "field"), several(len(s.Args), "value")).
			Because(m.Span, "the message is declared here")
		return nil
	case m.from != c.role:
		c.errs.Errorf(diag.AlgorithmForm, s.Message.Span, "'%s' is sent by %s, not by %s",
			m.Name.Text, m.from.sort, c.role.sort).Because(m.Span, "the message is declared here")
		return nil
	case s.Reply && c.sender == "":
		c.errs.Errorf(diag.AlgorithmForm, s.Span, "a reply to nobody: nothing was received here").
			Suggest("Write send %s to ..., or reply in an 'on MESSAGE { ... }'.", m.Name.Text)
		return nil
	}
	args := []*syntax.Expr{build.Ref(selfWord), nil}
	var cond []*syntax.Expr
	switch peer := build.Ref(string(c.name("Peer"))); {
	case s.Reply:
		args[1] = build.Ref(string(c.sender))
	case s.To != nil:
		args[1] = c.expr(s.To)
	default:
		args[1] = peer
	}
	each := func(x *syntax.Expr) *syntax.Expr { return c.expr(x) }
	if s.Each != nil {
		each = func(x *syntax.Expr) *syntax.Expr {
			return renamed(c.expr(x), s.Each.Name.Text, string(c.name("Peer")))
		}
		if s.If != nil {
			cond = append(cond, each(s.If))
		}
	}
	for i, a := range s.Args {
		if s.Each == nil || !mentions(a, s.Each.Name.Text) {
			args = append(args, c.expr(a))
			continue
		}
		x := build.Ref(string(c.name(fmt.Sprintf("Part%d", i+1))))
		args = append(args, x)
		cond = append(cond, build.Equal(x, each(a)))
	}
	return c.put(s.Span, m, args, cond)
}

// put puts messages with some arguments among the ones in transit, under conditions. What is sent
// to a process that has stopped is not kept.
func (c *program) put(span diag.Span, m *message, args, cond []*syntax.Expr) (out []syntax.Stmt) {
	record := m.recorded && !c.untimed
	if record {
		out = append(out, add(store{}, span, m.Name.Text+sentWord, args, cond))
	}
	var kept []*syntax.Expr
	for _, f := range c.p.faults() {
		if f.stops && (record || !m.recorded) {
			kept = append(kept, build.Not(build.Apply(c.p.of(f.word, m.to), args[1])))
		}
	}
	cond = append(kept, cond...)
	if c.aged() {
		args = append(args, build.Number(0))
	}
	own := c.itself(m)
	if own == "" {
		return append(out, add(c.store(), span, string(c.transit(m)), args, cond))
	}
	same := build.Equal(args[1], args[0])
	// Where the receiver is every process, self is the one that is meant.
	var here []*syntax.Expr
	for _, x := range append(cond, same) {
		here = append(here, renamed(x, string(c.name("Peer")), selfWord))
	}
	return append(out,
		add(c.store(), span, string(c.transit(m)), args, append(cond, build.Not(same))),
		add(c.store(), span, string(own), slices.Delete(slices.Clone(args), 1, 2), here))
}

// add puts messages with some arguments into a relation, under conditions.
func add(
	in store, span diag.Span, relation string, args, cond []*syntax.Expr,
) *syntax.AssignStmt {
	point := build.Apply(relation, args...)
	return &syntax.AssignStmt{Span: span, Target: build.At(point, span),
		Value: build.At(in.sent(point, build.And(cond...)), span)}
}

// renamed is an expression with another name in place of a variable.
func renamed(x *syntax.Expr, from, to string) *syntax.Expr {
	return replace(x, func(x *syntax.Expr) *syntax.Expr {
		if x.Name.Text != from || x.Applied {
			return nil
		}
		y := *x
		y.Name.Text = to
		return &y
	})
}
