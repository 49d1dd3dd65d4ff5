package derive

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// protocol is a protocol under a model of time, after its check. Its processes may do anything with
// what they receive, so no theorem makes it smaller: it becomes a system as it is (rounds.go).
type protocol struct {
	decl *syntax.ProtocolDecl
	// model is synchrony, asynchrony or partial_synchrony.
	model string
	limits
	roles    []*role
	messages []*message
	globals  map[string]syntax.Decl // the declarations of the file, by name
	extents  map[string]bool        // the roles that the file declares, `sort client @finite`
}

// role is a kind of process.
type role struct {
	*syntax.Role
	sort name
	vars map[string]*syntax.StateVar
}

// message is a kind of message. Its handler is nil if its receivers ignore it.
type message struct {
	*syntax.MessageDecl
	from, to *role
	handler  *syntax.Handler
	forged   *syntax.Forge // nil where liars send it whenever they like
	recorded bool          // the file speaks of what was ever sent
}

func (p *protocol) timed() bool { return p.model == "partial_synchrony" }

// ownDelay is the bound that messages of a kind have of their own, ownSpeed the one of the
// processes of a role; empty if there is none.
func (p *protocol) ownDelay(m *message, from, to name) expr {
	return p.own(m.Name.Text, from, to)
}

func (p *protocol) ownSpeed(r *role, of name) expr { return p.own(string(r.sort), of) }

func (p *protocol) own(kind string, of ...name) expr {
	for _, b := range p.decl.Bounds {
		if b.Model.Text != kind {
			continue
		}
		bound := b.Args[0].Text
		if s, ok := p.globals[bound].(*syntax.SymbolDecl); ok && s.Word == "function" {
			return exprOf("%s(%s)", name(bound), list(of))
		}
		return expr(bound)
	}
	return ""
}

func (p *protocol) message(name string) *message {
	for _, m := range p.messages {
		if m.Name.Text == name {
			return m
		}
	}
	return nil
}

func (p *protocol) role(name string) *role {
	for _, r := range p.roles {
		if string(r.sort) == name {
			return r
		}
	}
	return nil
}

// of gives the word for a fact about a process, such as crashed, for a role.
func (p *protocol) of(word string, r *role) string {
	if len(p.roles) == 1 {
		return word
	}
	return word + "_" + string(r.sort)
}

// owner finds the role that has a variable.
func (p *protocol) owner(variable string) *role {
	for _, r := range p.roles {
		if r.vars[variable] != nil {
			return r
		}
	}
	return nil
}

// protocolCheck reads the protocol of a file.
type protocolCheck struct {
	file   *syntax.File
	layers []*syntax.ProtocolDecl
	errs   *diag.List
	p      *protocol
	seen   map[string]diag.Span
}

// readProtocol gives the protocol of a file. After an error it must not be used.
func readProtocol(
	file *syntax.File, decl *syntax.ProtocolDecl, layers []*syntax.ProtocolDecl, errs *diag.List,
) *protocol {
	c := &protocolCheck{file: file, layers: layers, errs: errs, seen: map[string]diag.Span{},
		p: &protocol{decl: decl, globals: map[string]syntax.Decl{}, extents: map[string]bool{}}}
	c.declarations()
	c.timing()
	c.faults()
	c.network()
	for _, r := range decl.Roles {
		c.role(r)
	}
	for _, m := range decl.Messages {
		c.message(m)
	}
	c.record()
	c.bounds()
	c.drift()
	for _, r := range c.p.roles {
		c.handlers(r)
	}
	c.forges()
	for _, r := range c.p.roles {
		(&programScope{c, r}).check()
	}
	c.about()
	c.effects()
	return c.p
}

func (c *protocolCheck) fail(span diag.Span, format string, args ...any) *diag.Diagnostic {
	return c.errs.Errorf(diag.AlgorithmForm, span, format, args...)
}

// declarations collects the names of the file, and refuses steps beside the protocol's.
func (c *protocolCheck) declarations() {
	for _, d := range c.file.Decls {
		if s, ok := d.(*syntax.SortDecl); ok && len(s.Annotations) > 0 &&
			roleOf(c.p.decl, s.Name.Text) >= 0 && !c.p.extents[s.Name.Text] {
			c.p.extents[s.Name.Text] = true
			continue
		}
		if n := declared(d); n != nil {
			c.enter(*n)
			c.p.globals[n.Text] = d
		}
		switch d := d.(type) {
		case *syntax.EnumDecl:
			for _, m := range d.Members {
				c.enter(m)
			}
		case *syntax.ActionDecl:
			c.fail(d.Name.Span, "an action beside a protocol").
				Suggest("What processes do stands in the protocol: on MESSAGE, step, or after n " +
					"steps of TIMER.")
		case *syntax.DefinitionDecl:
			if d.Transition {
				c.fail(d.Name.Span, "a transition beside a protocol").
					Suggest("What processes do stands in the protocol.")
			}
		case *syntax.SymbolDecl:
			if d.Mutable && !d.Ghost && d.Derived == nil {
				c.fail(d.Name.Span, "'%s' is no process's: processes share no memory",
					d.Name.Text).
					Suggest("Declare it in the protocol, var %s: SORT = VALUE, or as a ghost if "+
						"only properties read it.", d.Name.Text)
			}
		case *syntax.ProtocolDecl:
			if !slices.Contains(c.layers, d) {
				c.second(d)
			}
		case *syntax.AlgorithmDecl:
			c.errs.Errorf(diag.Unsupported, d.Name.Span, "an algorithm beside a protocol").
				Because(c.p.decl.Name.Span, "the protocol is here").
				Suggest("%s", asProtocol)
		case *syntax.ReduceDecl, *syntax.FbiiDecl, *syntax.TraceDecl:
			c.errs.Errorf(diag.Unsupported, d.Pos(), "this is not supported beside a protocol")
		}
	}
}

// enter refuses a name that is declared twice, or that has a meaning of its own.
func (c *protocolCheck) enter(n syntax.Name) {
	c.notReserved(n)
	if before, twice := c.seen[n.Text]; twice {
		c.errs.Errorf(diag.Duplicate, n.Span, "'%s' is declared twice", n.Text).Because(before,
			"it is declared here")
	}
	c.seen[n.Text] = n.Span
}

// notReserved refuses a name that has a meaning of its own.
func (c *protocolCheck) notReserved(n syntax.Name) {
	words := []string{selfWord}
	for _, w := range append(c.p.faultWords(), correctWord, crashedWord) {
		words = append(words, w)
		for _, r := range c.p.decl.Roles {
			if len(c.p.decl.Roles) > 1 {
				words = append(words, w+"_"+r.Name.Text)
			}
		}
	}
	if slices.Contains(words, n.Text) {
		c.errs.Errorf(diag.Duplicate, n.Span, "'%s' has a meaning of its own beside a protocol",
			n.Text).Suggest("Give this another name.")
	}
}

func (c *protocolCheck) timing() {
	t := c.p.decl.Timing
	if t == nil {
		c.fail(c.p.decl.Name.Span, "the model of time is missing").
			Suggest("Write one of: timing synchrony, timing asynchrony, timing " +
				"partial_synchrony(Delta, Phi); here, or in a protocol on this one.")
		return
	}
	model := timings[t.Model.Text]
	if model == nil {
		c.fail(t.Model.Span, "there is no model of time '%s'", t.Model.Text).
			Suggest("The models are synchrony, asynchrony and partial_synchrony(Delta, Phi).")
		return
	}
	c.p.model = t.Model.Text
	switch least, most, what := model.parameters(); {
	case len(t.Args) > most && most == 0:
		c.fail(t.Args[0].Span, "%s takes no parameters", t.Model.Text).
			Suggest("Bounds, and a time from which they hold, are part of " +
				"partial_synchrony(Delta, Phi, Gst).")
		return
	case len(t.Args) < least, len(t.Args) > most:
		c.fail(t.Span, "%s takes %s", t.Model.Text, what)
		return
	}
	for i, n := range t.Args {
		*[]*name{&c.p.delta, &c.p.phi, &c.p.gst}[i] = c.constant(n)
	}
}

// bounds checks the bounds of kinds of messages and of roles.
func (c *protocolCheck) bounds() {
	given := map[string]diag.Span{}
	for _, b := range c.p.decl.Bounds {
		n := b.Model
		switch before, twice := given[n.Text]; {
		case c.p.message(n.Text) == nil && c.p.role(n.Text) == nil:
			c.fail(n.Span, "there is no message and no role '%s'", n.Text).
				Suggest("Beside timing partial_synchrony(Delta, Phi), write timing m(D) for " +
					"messages that arrive sooner, or timing r(P) for a role that is faster.")
		case !c.p.timed():
			c.fail(b.Span, "a bound where there are none: the model of time is %s", c.p.model).
				Suggest("Bounds are part of partial_synchrony(Delta, Phi).")
		case twice:
			c.errs.Errorf(diag.Duplicate, n.Span, "this is given twice").
				Because(before, "the first is here")
		default:
			c.ownBound(b)
		}
		given[n.Text] = n.Span
	}
}

// ownBound checks the bound of a kind of messages, or of a role: a constant, or a function of the
// sender and the receiver, or of the process.
func (c *protocolCheck) ownBound(b *syntax.Timing) {
	bound := b.Args[0]
	f, ok := c.p.globals[bound.Text].(*syntax.SymbolDecl)
	if !ok || f.Word != "function" {
		c.constant(bound)
		return
	}
	var sorts []string
	of := "the process"
	if m := c.p.message(b.Model.Text); m != nil {
		sorts = []string{string(m.from.sort), string(m.to.sort)}
		of = "the sender and the receiver"
	} else {
		sorts = []string{b.Model.Text}
	}
	fits := slices.EqualFunc(f.Args, sorts, func(a *syntax.SortExpr, sort string) bool {
		return a.Name == sort
	})
	if f.Mutable || f.Derived != nil || !fits || f.Result.Name != "int" {
		c.fail(bound.Span, "'%s' is not an immutable function of %s", bound.Text, of).
			Suggest("Declare it: immutable function %s(%s): int", bound.Text,
				strings.Join(sorts, ", "))
	}
}

// constant is the name of an immutable constant of sort int.
func (c *protocolCheck) constant(n syntax.Name) name {
	s, ok := c.p.globals[n.Text].(*syntax.SymbolDecl)
	if !ok || s.Mutable || s.Word != "constant" || s.Result == nil || s.Result.Name != "int" {
		c.fail(n.Span, "'%s' is not an immutable constant of sort int", n.Text).
			Suggest("Declare it: immutable constant %s: int", n.Text)
	}
	return name(n.Text)
}

func (c *protocolCheck) role(r *syntax.Role) {
	out := &role{Role: r, sort: name(r.Name.Text), vars: map[string]*syntax.StateVar{}}
	c.enter(syntax.Name{Text: r.Name.Text, Span: r.Name.Span})
	for _, v := range r.Vars {
		c.enter(v.Name)
		out.vars[v.Name.Text] = v
		if v.Disk && !c.p.suffers(returns) {
			c.fail(v.Span, "'%s' is kept on disk, and nobody recovers", v.Name.Text).
				Suggest("Write faults recover, or var %s.", v.Name.Text)
		}
		if v.Counts() && c.bound(v.Sort) == nil {
			c.fail(v.Sort.Span, "the %s '%s' has no bound: how far does it count?", v.Word(),
				v.Name.Text).
				Suggest("Write %s %s: 0..n with the greatest number that matters; the %s stops "+
					"there.", v.Word(), v.Name.Text, v.Word())
		}
		if v.Clock && c.p.model == "asynchrony" {
			c.fail(v.Span, "a clock where there are no rounds").
				Suggest("Clocks count the rounds of synchrony and of partial_synchrony(Delta, " +
					"Phi); a timer counts the steps of its process.")
		}
	}
	c.p.roles = append(c.p.roles, out)
}

// bound is the end of a range, nil for another sort.
func (c *protocolCheck) bound(s *syntax.SortExpr) *syntax.Expr { return c.p.whole(s).Hi }

// whole is a sort without the name that a type gives it.
func (p *protocol) whole(s *syntax.SortExpr) *syntax.SortExpr {
	for range len(p.globals) + 1 {
		d, ok := p.globals[s.Name].(*syntax.TypeDecl)
		if s.Name == "" || !ok {
			break
		}
		s = d.Sort
	}
	return s
}

func (c *protocolCheck) message(d *syntax.MessageDecl) {
	c.enter(d.Name)
	m := &message{MessageDecl: d}
	for _, end := range []struct {
		role **role
		name syntax.Name
		what string
	}{{&m.from, d.From, "sends"}, {&m.to, d.To, "receives"}} {
		switch {
		case end.name.Text != "":
			if *end.role = c.p.role(end.name.Text); *end.role == nil {
				c.fail(end.name.Span, "there is no role '%s'", end.name.Text)
			}
		case len(c.p.roles) == 1:
			*end.role = c.p.roles[0]
		default:
			c.fail(d.Name.Span, "which role %s '%s'?", end.what, d.Name.Text).
				Suggest("Write message %s from ROLE to ROLE.", d.Name.Text)
			return
		}
	}
	c.p.messages = append(c.p.messages, m)
}

func (c *protocolCheck) handlers(r *role) {
	for _, h := range r.Handlers {
		c.parameters(append(h.Params[:len(h.Params):len(h.Params)], h.From))
		m := c.p.message(h.Message.Text)
		switch {
		case m == nil:
			c.unknownMessage(h.Message)
		case m.to != r:
			c.fail(h.Message.Span, "'%s' goes to %s, not to %s", m.Name.Text, m.to.sort, r.sort)
		case m.handler != nil:
			c.errs.Errorf(diag.Duplicate, h.Message.Span, "'%s' is received twice", m.Name.Text).
				Because(m.handler.Message.Span, "it is received here").
				Suggest("Put both into one.")
		case len(h.Params) != len(m.Fields):
			c.fields(m, h.Message, h.Params)
			m.handler = h
		default:
			m.handler = h
		}
	}
}

// fields refuses too many or too few names for the parts of a message.
func (c *protocolCheck) fields(m *message, at syntax.Name, names []syntax.Name) {
	c.fail(at.Span, "'%s' has %s, and %s here", m.Name.Text,
		several(len(m.Fields), "field"), several(len(names), "name")).
		Because(m.Span, "the message is declared here")
}

// parameters checks names for the parts and the ends of a message, which must hide nothing.
func (c *protocolCheck) parameters(names []syntax.Name) {
	own := map[string]diag.Span{}
	for _, n := range names {
		before, twice := own[n.Text]
		if outer, hides := c.seen[n.Text]; hides {
			before, twice = outer, true
		}
		switch {
		case n.Text == "":
		case n.Text == selfWord:
			c.errs.Errorf(diag.Duplicate, n.Span, "'%s' is the process that takes a step",
				n.Text).
				Suggest("Give this another name.")
		case twice:
			c.errs.Errorf(diag.Shadowing, n.Span, "'%s' is already declared", n.Text).
				Because(before, "it is declared here").Suggest("Give this another name.")
		}
		own[n.Text] = n.Span
	}
}

// several is a number of things in words.
func several(n int, what string) string {
	switch n {
	case 0:
		return "no " + what
	case 1:
		return "one " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (c *protocolCheck) unknownMessage(n syntax.Name) {
	var names []string
	for _, m := range c.p.decl.Messages {
		names = append(names, m.Name.Text)
	}
	d := c.fail(n.Span, "there is no message '%s'", n.Text)
	if near := diag.Closest(n.Text, names); near != "" {
		d.DidYouMean(near)
	}
}

// effects warns of messages that have no effect.
func (c *protocolCheck) effects() {
	sent := map[string]bool{}
	send := func(s syntax.Stmt) {
		if s, ok := s.(*syntax.SendStmt); ok {
			sent[s.Message.Text] = true
		}
	}
	for _, r := range c.p.roles {
		for _, h := range r.Handlers {
			eachStmt(h.Body, send)
		}
		for _, s := range r.Steps {
			eachStmt(s.Body, send)
		}
	}
	for _, m := range c.p.messages {
		switch s := sent[m.Name.Text]; {
		case s && m.handler == nil:
			c.errs.Warnf(diag.NoEffect, m.Name.Span,
				"'%s' is sent, and its receivers ignore it: no 'on %s'", m.Name.Text, m.Name.Text)
		case !s && m.handler != nil:
			c.errs.Warnf(diag.NoEffect, m.Name.Span, "'%s' is received and never sent", m.Name.Text)
		case !s:
			c.errs.Warnf(diag.NoEffect, m.Name.Span, "'%s' is neither sent nor received",
				m.Name.Text)
		}
	}
}

// eachStmt calls visit with the statements of a program, and with the ones inside of them.
func eachStmt(body []syntax.Stmt, visit func(syntax.Stmt)) {
	for _, s := range body {
		visit(s)
		switch s := s.(type) {
		case *syntax.IfStmt:
			eachStmt(s.Then, visit)
			eachStmt(s.Else, visit)
		case *syntax.ChooseStmt:
			eachStmt(s.Body, visit)
		case *syntax.MatchStmt:
			for _, a := range s.Arms {
				eachStmt(a.Body, visit)
			}
		}
	}
}

// changed is the variable of which the target of an assignment is all, or a part.
func changed(target *syntax.Expr) *syntax.Expr {
	for target.Kind != syntax.ExprName && len(target.Args) > 0 {
		target = target.Args[0]
	}
	return target
}
