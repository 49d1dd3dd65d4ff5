package derive

import (
	"cmp"
	"fmt"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// The names of the systems of a protocol.
const (
	Rounds  = "rounds"
	Untimed = "untimed"
)

// rounds writes the system of a protocol.
//
// Time goes in rounds (section 2). In a round each process takes at most one step, and the steps
// come one after another, in any order. A step is: the process receives messages, one by one, in
// any order, and handles each; then it carries out its steps that are due, and the step is over. At
// the end of a round all messages in transit become a round older. A message can be received in the
// round in which it was sent, by a process that takes its step later; so the runs of a model whose
// rounds send first and receive then are among these. A process does not receive in a step what it
// sends in the same step, so a step ends.
//
// Under partial synchrony, where rounds are counted from 1 and T0 = Gst + 1 (Dwork, Lynch and
// Stockmeyer), a message that was sent in round s is received at the latest in the first step of
// its receiver, after its sending, in or after round max(s, T0) + Delta; and in any Phi consecutive
// rounds from T0 on, a process takes a step. So no message grows older than Gst + Delta + Phi, and
// ages are exact: two equal messages are two, unless one step sends both.
//
// Without partial synchrony, messages in transit are a set, or numbers of copies. In the system
// Untimed they are what was ever sent, and steps have no order at all. Each run of a protocol is a
// run there when what has to do with time is left out, since a message in transit was sent and a
// step may be taken at any time.
type rounds struct {
	*template
	p       *protocol
	untimed bool
	errs    *diag.List
}

// aged reports whether messages have ages.
func (w *rounds) aged() bool { return w.p.timed() && !w.untimed }

// bounded reports whether rounds have ends.
func (w *rounds) bounded() bool { return w.p.model != "asynchrony" && !w.untimed }

// bag reports whether messages in transit are numbers of copies.
func (w *rounds) bag() bool { return w.p.copies() != nil && !w.untimed }

// transit is the relation of the messages of a kind in transit: sender, receiver, payload, age. In
// a bag it is a function to the number of copies, without age.
func (w *rounds) transit(m *message) name {
	switch {
	case w.aged():
		return w.name(m.Name.Text + "_of_age")
	case w.bag():
		return w.name(m.Name.Text + "_copies")
	}
	return name(m.Name.Text)
}

// itself is the relation of the messages of a kind that a process has sent to itself in the step
// that it takes: it receives them later. Ages say the same where there are ages; empty if
// there is none.
func (w *rounds) itself(m *message) name {
	if w.aged() || w.untimed || m.from != m.to {
		return ""
	}
	return w.name(m.Name.Text + "_to_itself")
}

func (w *rounds) stepping(r *role) name { return w.name(w.p.of("stepping", r)) }
func (w *rounds) acted(r *role) name    { return w.name(w.p.of("acted", r)) }
func (w *rounds) waited(r *role) name   { return w.name(w.p.of("waited", r)) }

// down is the condition that a process takes no steps since it is faulty.
func (w *rounds) down(r *role, p part) expr {
	return w.suffering(r, p, stops)
}

// suffering is the condition that a process has one of the faults with a property.
func (w *rounds) suffering(r *role, p part, is func(fault) bool) expr {
	var out []expr
	for _, f := range w.p.faults() {
		if is(f) {
			out = append(out, w.has(f, r, p))
		}
	}
	return disjunction(out...)
}

// has is the condition that a process has a fault.
func (w *rounds) has(f fault, r *role, p part) expr {
	return exprOf("%s(%s)", name(w.p.of(f.word, r)), p)
}

func (w *rounds) write() {
	if d := w.p.period(); d != "" && !w.untimed {
		w.line("axiom %s >= 1", d)
	}
	for _, r := range w.p.roles {
		w.role(r)
	}
	if w.aged() {
		w.bounds(w.p.limits)
		for _, m := range w.p.messages {
			if own := w.p.ownDelay(m, w.name("P"), w.name("Q")); own != "" {
				w.line("axiom 0 <= %s & %s <= %s", own, own, w.p.delta)
			}
		}
		for _, r := range w.p.roles {
			if own := w.p.ownSpeed(r, w.name("P")); own != "" {
				w.line("axiom 1 <= %s & %s <= %s", own, own, w.p.phi)
			}
		}
		w.line("type %s = 0..%s", w.name("age"), w.oldest())
		w.clock(w.p.limits)
	}
	for _, m := range w.p.messages {
		w.message(m)
		w.disturb(m)
		w.receive(m)
	}
	for _, r := range w.p.roles {
		w.step(r)
		for _, f := range w.p.faults() {
			failing := failing{w, f, r}
			if failing.begin(); f.returns {
				failing.end()
			}
		}
		clocks{w, r}.act()
	}
	if w.bounded() {
		w.endRound()
	}
}

func (w *rounds) oldest() expr {
	if w.p.gst == "" {
		return exprOf("%s + %s", w.p.delta, w.p.phi)
	}
	return exprOf("%s + %s + %s", w.p.gst, w.p.delta, w.p.phi)
}

// role declares what is known of each process beside its variables.
func (w *rounds) role(r *role) {
	p := w.name("P")
	if !w.p.extents[string(r.sort)] {
		w.line("sort %s", r.sort)
	}
	some := w.name("some")
	for _, f := range w.p.faults() {
		w.line("mutable relation %s(%s)", name(w.p.of(f.word, r)), r.sort)
		w.line("init !%s", w.has(f, r, p))
		if f.most != nil && r == w.p.roles[0] { // for all roles together
			w.line("mutable constant %s: 0..%s", failing{w, f, r}.number(), w.hole(f.most))
			w.line("init %s = 0", failing{w, f, r}.number())
		}
	}
	w.line("definition %s(%s: %s) = !%s", name(w.p.of(correctWord, r)), some, r.sort,
		w.suffering(r, some, func(fault) bool { return true }))
	if len(w.p.faults()) == 0 {
		w.line("definition %s(%s: %s) = false", name(w.p.of(crashedWord, r)), some, r.sort)
	}
	if !w.untimed {
		w.line("mutable relation %s(%s)", w.stepping(r), r.sort)
		w.line("init !%s(%s)", w.stepping(r), p)
	}
	if w.bounded() {
		w.line("mutable relation %s(%s)", w.acted(r), r.sort)
		w.line("init !%s(%s)", w.acted(r), p)
	}
	if w.aged() {
		w.line("mutable function %s(%s): 0..%s - 1", w.waited(r), r.sort, w.p.phi)
		w.line("init %s(%s) = 0", w.waited(r), p)
	}
	for _, v := range r.Vars {
		w.initial(r, v)
	}
	clocks{w, r}.declare()
}

// initial gives a variable its value at the start.
func (w *rounds) initial(r *role, v *syntax.StateVar) {
	w.line("init %s = %s", exprOf("%s(%s)", name(v.Name.Text), w.points(w.name("P"), v)),
		w.hole(w.first(v, w.name("P"))))
}

// first is the value of a variable of a process at the start.
func (w *rounds) first(v *syntax.StateVar, process name) *syntax.Expr {
	if v.Value == nil {
		return build.At(build.Number(0), v.Span)
	}
	return renamed(v.Value, selfWord, string(process))
}

// points are the arguments of a variable: the process, and a capital letter for each other one.
func (w *rounds) points(process name, v *syntax.StateVar) name {
	args := []name{process}
	for i := range v.Args {
		args = append(args, w.name(fmt.Sprintf("X%d", i+1)))
	}
	return list(args)
}

// payload are the names of the parts of a message, or a capital letter for each.
func (w *rounds) payload(m *message, capital bool) (out []name) {
	for i, f := range m.Fields {
		switch {
		case capital:
			out = append(out, w.name(fmt.Sprintf("X%d", i+1)))
		case m.handler != nil:
			out = append(out, name(m.handler.Params[i].Text))
		default:
			out = append(out, w.name(f.Name.Text+"_received"))
		}
	}
	return out
}

// turn requires that a process can take a step, or is within one.
func (w *rounds) turn(r *role) {
	self := name(selfWord)
	w.line("  require !%s;", w.down(r, self))
	if w.bounded() {
		w.line("  require !%s(%s);", w.acted(r), self)
	}
	w.onlyStepping(r)
}

// onlyStepping requires that no process but self, of a role, is within a step; with nil it is no
// process at all.
func (w *rounds) onlyStepping(self *role) {
	if w.untimed {
		return
	}
	p := w.name("P")
	for _, r := range w.p.roles {
		if r == self {
			w.line("  require forall %s: %s. %s(%s) -> %s = self;", p, r.sort, w.stepping(r), p, p)
		} else {
			w.line("  require forall %s: %s. !%s(%s);", p, r.sort, w.stepping(r), p)
		}
	}
}

// point denotes the messages from a process to another with a payload, of an age where messages
// have ages.
func (w *rounds) point(m *message, from, to part, payload []name, age part) expr {
	args := "%s, %s"
	parts := []part{from, to}
	for _, x := range payload {
		args += ", %s"
		parts = append(parts, x)
	}
	if w.aged() {
		args += ", %s"
		parts = append(parts, age)
	}
	return exprOf("%s"+"("+args+")", append([]part{w.transit(m)}, parts...)...)
}

// message says that none is in transit at first, and makes the name of the message a relation.
func (w *rounds) message(m *message) {
	x, k := w.payload(m, true), w.name("K")
	w.line("init %s", w.store().empty(w.point(m, w.name("P"), w.name("Q"), x, k)))
	if own := w.itself(m); own != "" {
		w.line("init %s", w.store().empty(exprOf("%s(%s)", own,
			list(append([]name{w.name("P")}, x...)))))
	}
	record{w, m}.declare()
	if !w.aged() && !w.bag() {
		return
	}
	params, parts := w.parameters(m)
	w.place(m.Name.Text, m.Name.Span)
	point := w.point(m, parts[0], parts[1], parts[2:], k)
	if w.bag() {
		w.line("definition %s(%s) = %s", name(m.Name.Text), list(params), w.store().some(point))
		return
	}
	w.line("definition %s(%s) = exists %s: %s. %s", name(m.Name.Text), list(params), k,
		w.name("age"), point)
}

// parameters are the sender, the receiver and the parts of a message, with and without their sorts.
func (w *rounds) parameters(m *message) (params, parts []name) {
	parts = []name{w.name("from_process"), w.name("to_process")}
	params = []name{parts[0] + ": " + m.from.sort, parts[1] + ": " + m.to.sort}
	for _, f := range m.Fields {
		part := w.name(f.Name.Text + "_part")
		parts = append(parts, part)
		params = append(params, part+": "+w.sort(f.Sort))
	}
	return params, parts
}

// header begins an action about messages of a kind; age is empty for any age.
func (w *rounds) header(verb string, m *message, from, to name, payload []name, age name) {
	params := []name{from + ": " + m.from.sort, to + ": " + m.to.sort}
	for i, x := range payload {
		params = append(params, x+": "+w.sort(m.Fields[i].Sort))
	}
	if w.aged() && age != "" {
		params = append(params, age+": "+w.name("age"))
	}
	w.line("action %s(%s) {", w.name(verb+"_"+m.Name.Text), list(params))
}

func (w *rounds) receive(m *message) {
	self, from, age := name(selfWord), w.name("from"), w.name("age_received")
	if m.handler != nil && m.handler.From.Text != "" {
		from = name(m.handler.From.Text)
	}
	payload := w.payload(m, false)
	w.header("receive", m, from, self, payload, age)
	w.turn(m.to)
	point := w.point(m, from, self, payload, age)
	w.line("  require %s;", w.store().some(point))
	if !w.untimed {
		if w.aged() && m.from == m.to {
			w.line("  require !(%s = self & %s = 0);", from, age)
		}
		w.inOrder(m, from, age)
		w.store().take(point)
		w.line("  %s(self) := true;", w.stepping(m.to))
	}
	if m.handler != nil {
		w.insert((&program{w, m.to, from, w.errs}).block(m.handler.Body))
	}
	w.line("}")
}

// step writes the part of a step after all messages were received.
func (w *rounds) step(r *role) {
	w.line("action %s(%s: %s) {", w.name(w.p.of("step", r)), name(selfWord), r.sort)
	w.turn(r)
	if w.aged() {
		w.noneDue(r)
	}
	for _, s := range r.Steps {
		w.insert((&program{w, r, "", w.errs}).due(s))
	}
	for _, v := range r.Vars {
		if v.Timer {
			t := exprOf("%s(%s)", name(v.Name.Text), w.points(selfWord, v))
			most := w.hole((&protocolCheck{p: w.p}).bound(v.Sort))
			w.line("  %s := if %s < %s then %s + 1 else %s;", name(t), t, most, t, t)
		}
	}
	for _, m := range w.p.messages {
		if own := w.itself(m); own != "" && m.from == r {
			x := w.payload(m, true)
			point := w.point(m, name(selfWord), name(selfWord), x, name(""))
			sent := exprOf("%s(%s)", own, list(append([]name{selfWord}, x...)))
			w.line("  %s := %s;", name(point), w.store().with(point, sent))
			w.store().clear(sent)
		}
	}
	if !w.untimed {
		w.line("  %s(self) := false;", w.stepping(r))
	}
	if w.bounded() {
		w.line("  %s(self) := true;", w.acted(r))
	}
	w.line("}")
}

// due are the statements of a step, under its condition.
func (c *program) due(s *syntax.StepDecl) []syntax.Stmt {
	var cond []*syntax.Expr
	if s.Timer != nil {
		switch v := c.counter(s.Timer); {
		case v == nil:
		case v.Clock && !s.Rounds:
			c.errs.Errorf(diag.AlgorithmForm, s.Timer.Span, "'%s' is a clock: it counts rounds",
				v.Name.Text).Suggest("Write after %s rounds of %s", s.After.Span.Text(),
				s.Timer.Span.Text())
		case v.Timer && s.Rounds:
			c.errs.Errorf(diag.AlgorithmForm, s.Timer.Span, "'%s' is a timer: it counts steps",
				v.Name.Text).Suggest("Write after %s steps of %s", s.After.Span.Text(),
				s.Timer.Span.Text())
		}
		cond = append(cond, build.Binary(syntax.ExprGe, c.expr(s.Timer), c.expr(s.After)))
	}
	if s.When != nil {
		cond = append(cond, c.expr(s.When))
	}
	body := c.block(s.Body)
	if len(cond) == 0 {
		return body
	}
	return []syntax.Stmt{&syntax.IfStmt{Span: s.Span, Cond: build.At(build.And(cond...), s.Span),
		Then: body}}
}

// noneDue requires that no message in transit to the process must be received now.
func (w *rounds) noneDue(r *role) {
	q, k := w.name("Q"), w.name("K")
	for _, m := range w.p.messages {
		if m.to != r {
			continue
		}
		bound := k + ": " + w.name("age")
		for i, x := range w.payload(m, true) {
			bound += ", " + x + ": " + w.sort(m.Fields[i].Sort)
		}
		limits := w.p.limits
		limits.delta = cmp.Or(name(w.p.ownDelay(m, q, selfWord)), limits.delta)
		due := exprOf("%s >= %s", k, limits.delta)
		if m.from == m.to {
			due = exprOf("%s & !(%s = self & %s = 0)", due, q, k)
		}
		w.line("  require forall %s: %s. %s;", q, m.from.sort, either(w.delayed(limits),
			exprOf("forall %s. %s -> !%s", bound, due,
				w.point(m, q, name(selfWord), w.payload(m, true), k))))
	}
}

// endRound begins the next round: all processes that must have taken their steps, and messages
// become older.
func (w *rounds) endRound() {
	p, q, k := w.name("P"), w.name("Q"), w.name("K")
	w.line("action %s() {", w.name("end_round"))
	w.onlyStepping(nil)
	for _, r := range w.p.roles {
		over := exprOf("%s(%s) | %s", w.acted(r), p, w.down(r, p))
		if w.aged() {
			phi := cmp.Or(w.p.ownSpeed(r, p), expr(w.p.phi))
			over = exprOf("%s | %s(%s) < %s - 1", over, w.waited(r), p, phi)
		}
		w.line("  require %s;", either(w.unhurried(w.p.limits),
			exprOf("forall %s: %s. %s", p, r.sort, over)))
	}
	for _, r := range w.p.roles {
		if w.aged() {
			w.line("  %s(%s) := if %s then 0 else %s(%s) + 1;", w.waited(r), p,
				either(w.unhurried(w.p.limits),
					exprOf("%s(%s) | %s", w.acted(r), p, w.down(r, p))),
				w.waited(r), p)
		}
		w.line("  %s(%s) := false;", w.acted(r), p)
		clocks{w, r}.endRound()
	}
	if w.aged() {
		for _, m := range w.p.messages {
			x := w.payload(m, true)
			w.line("  %s := %s > 0 & %s;", name(w.point(m, p, q, x, k)), k,
				w.point(m, p, q, x, exprOf("%s - 1", k)))
		}
	}
	w.template.endRound(w.p.limits)
	w.line("}")
}
