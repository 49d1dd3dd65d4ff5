package derive

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// Processes is the name of the system of all processes.
const Processes = "processes"

// processes writes the global system of N processes (section 3.2), in which a round has the four
// sub-rounds Schedule, Send, Receive and Compute, with clean crashes. Under partial synchrony
// (section 3.3) messages have ages, where Delta stands for all greater ones (section 7.2.3), and
// each process has a timer (section 7.3).
//
// Without ages, the messages in transit are a set, to which sending adds. By the predicate Sending
// of section 3.2, a process cannot send a message that is still in transit to some process; this is
// `network copies(C)` with C = 1. In general, C copies of a message can be in transit from one
// process to another, and they may arrive one by one.
type processes struct {
	*template
	alg *algorithm
}

func (w *processes) timed() bool { return w.alg.timing.aged() }

func (w *processes) relation(message string) name { return w.transit(w.alg, message, "in_transit") }

// point denotes the messages from one process to another, of one age where messages have ages.
func (w *processes) point(message string, from, to, age part) expr {
	if w.timed() {
		return exprOf("%s(%s, %s, %s)", w.relation(message), from, to, age)
	}
	return exprOf("%s(%s, %s)", w.relation(message), from, to)
}

// The names of the system's symbols. P, Q and K range over processes and ages. An assignment for
// every pair is for every process Self and every peer Peer.
func (w *processes) p() name        { return w.name("P") }
func (w *processes) q() name        { return w.name("Q") }
func (w *processes) k() name        { return w.name("K") }
func (w *processes) self() name     { return w.name("Self") }
func (w *processes) peer() name     { return w.name("Peer") }
func (w *processes) epc() name      { return w.name("epc") }
func (w *processes) active() name   { return w.name("active") }
func (w *processes) timer() name    { return w.name("timer") }
func (w *processes) pc(p name) expr { return exprOf("%s(%s)", w.name("pc"), p) }

// acts is the condition that a process is scheduled and at one of the tasks.
func (w *processes) acts(p name, tasks ...*task) expr {
	return exprOf("%s(%s) & %s", w.active(), p, at(w.pc(p), tasks))
}

func (w *processes) write() {
	a, p, q := w.alg, w.p(), w.q()
	w.line("sort %s", name(ProcessSort))
	if w.timed() {
		w.bounds(a.limits)
	}
	subround, location := w.name("subround"), w.name("location")
	w.line("enum %s { %s }", subround,
		list([]name{w.name("Schedule"), w.name("Send"), w.name("Receive"), w.name("Compute")}))
	var locations []name
	for _, t := range a.tasks {
		locations = append(locations, t.at())
	}
	w.line("enum %s { %s }", location, list(locations))
	w.line("mutable constant %s: %s", w.epc(), subround)
	w.line("mutable function %s(process): %s", w.name("pc"), location)
	w.line("mutable relation crashed(process)")
	w.line("mutable relation %s(process)", w.active())
	some := w.name("some")
	w.line("definition correct(%s: process) = !crashed(%s)", some, some)
	w.line("init %s = %s & %s = %s & !crashed(%s) & !%s(%s)", w.epc(), w.name("Schedule"), w.pc(p),
		a.tasks[a.start].at(), p, w.active(), p)
	if w.timed() {
		w.line("type %s = 0..%s", w.name("age"), w.oldest(a, false))
		w.line("mutable function %s(process): 0..%s - 1", w.timer(), a.phi)
		w.line("init %s(%s) = 0", w.timer(), p)
	}
	w.clock(a.limits)
	if a.copies != "" {
		w.line("axiom %s >= 1", a.copies)
	}
	for _, m := range a.decl.Messages {
		switch r := w.relation(m.Text); {
		case w.timed():
			w.line("mutable relation %s(process, process, %s)", r, w.name("age"))
		case a.copies != "":
			w.line("mutable function %s(process, process): 0..%s", r, a.copies)
			w.line("init %s(%s, %s) = 0", r, p, q)
			continue
		default:
			w.line("mutable relation %s(process, process)", r)
		}
		w.line("init !%s", w.point(m.Text, p, q, w.k()))
	}
	for _, v := range a.vars {
		w.line("init %s(%s, %s) = %s", name(v.Name.Text), p, q, w.hole(v.Value))
	}
	w.schedule()
	w.step("send", "sending", "Send", "Receive")
	w.step("receive", "receiving", "Receive", "Compute")
	w.step("compute", "computing", "Compute", "Schedule")
}

func (w *processes) schedule() {
	a, p, q, k, active := w.alg, w.p(), w.q(), w.k(), w.active()
	w.line("action %s() {\n  require %s = %s;", w.name("schedule"), w.epc(), w.name("Schedule"))
	w.line("  crashed := *;\n  assume old(crashed(%s)) -> crashed(%s);", p, p)
	w.line("  %s := *;\n  assume crashed(%s) -> !%s(%s);", active, p, active, p)
	a.timing.schedule(w)
	for _, m := range a.decl.Messages {
		r := w.relation(m.Text)
		transit := func(age part) expr { return w.point(m.Text, p, q, age) }
		switch {
		case a.copies != "":
			w.line("  %s(%s, %s) := if crashed(%s) then 0 else %s(%s, %s);", r, p, q, q, r, p, q)
			for _, t := range a.of("send") {
				if t.Message.Text == m.Text {
					w.line("  assume %s -> %s(%s, %s) < %s;", w.acts(p, t), r, p, q, a.copies)
				}
			}
			continue
		case !w.timed():
			w.line("  %s(%s, %s) := %s & !crashed(%s);", r, p, q, transit(k), q)
			continue
		}
		older := exprOf("if %s > 0 then %s else %s", a.delta,
			exprOf("%s > 0 & %s", k,
				disjunction(transit(exprOf("%s - 1", k)),
					exprOf("%s = %s & %s", k, a.delta, transit(a.delta)))), transit(k))
		if a.gst != "" {
			older = exprOf("if %s then %s else %s", w.delayed(a.limits),
				exprOf("%s > 0 & %s", k, transit(exprOf("%s - 1", k))), w.merged(a, transit))
		}
		w.line("  %s(%s, %s, %s) := !crashed(%s) & %s;", r, p, q, k, q, older)
	}
	w.line("  %s := %s;\n}", w.epc(), w.name("Send"))
}

// step writes the sub-round of the tasks of a kind: all active processes at such a location take
// their step.
func (w *processes) step(kind, action, from, to string) {
	a, p := w.alg, w.p()
	tasks := a.of(kind)
	w.line("action %s() {\n  require %s = %s;", w.name(action), w.epc(), w.name(from))
	switch kind {
	case "send":
		w.sendAll(tasks)
	case "receive":
		if len(tasks) > 0 {
			w.receiveAll(tasks)
		}
	}
	w.update(tasks)
	if len(tasks) > 0 {
		next := w.pc(p)
		for _, t := range tasks {
			next = exprOf("if %s then %s else %s", w.acts(p, t), a.tasks[t.next].at(), next)
		}
		w.line("  %s(%s) := %s;", w.name("pc"), p, next)
		w.line("  %s(%s) := %s(%s) & !%s;", w.active(), p, w.active(), p,
			at(exprOf("old%s", w.pc(p)), tasks))
	}
	if kind == "compute" {
		w.endRound(a.limits)
	}
	w.line("  %s := %s;\n}", w.epc(), w.name(to))
}

func (w *processes) sendAll(tasks []*task) {
	p, q := w.p(), w.q()
	for _, t := range tasks {
		r, sent := w.relation(t.Message.Text), w.point(t.Message.Text, p, q, name("0"))
		sends := exprOf("%s & !crashed(%s)", w.acts(p, t), q)
		switch {
		case w.timed():
			w.line("  %s(%s, %s, 0) := %s | %s;", r, p, q, sent, sends)
		case w.alg.copies != "":
			w.line("  %s(%s, %s) := if %s then %s(%s, %s) + 1 else %s(%s, %s);", r, p, q, sends, r,
				p, q, r, p, q)
		default:
			w.line("  %s(%s, %s) := %s | %s;", r, p, q, sent, sends)
		}
	}
}

// receiveAll removes messages from the buffers: any, and all that must arrive.
func (w *processes) receiveAll(tasks []*task) {
	p, q := w.p(), w.q()
	here := w.acts(q, tasks...)
	for _, m := range w.alg.decl.Messages {
		r, point := w.relation(m.Text), w.point(m.Text, p, q, w.k())
		w.line("  %s := *;", r)
		if w.alg.copies != "" {
			left := exprOf("%s(%s, %s)", r, p, q)
			w.line("  assume 0 <= %s & %s <= old%s;", left, left, left)
			w.line("  assume !%s -> %s = old%s;", here, left, left)
			continue
		}
		w.line("  assume %s -> old%s;", point, point)
		w.line("  assume !%s -> (old%s -> %s);", here, point, point)
		if w.timed() {
			w.line("  assume %s;",
				either(w.delayed(w.alg.limits),
					exprOf("%s -> !%s", here, w.point(m.Text, p, q, w.alg.delta))))
		}
	}
}

// update writes the effect of the tasks on the variables of every process for every peer.
func (w *processes) update(tasks []*task) {
	self, peer := w.self(), w.peer()
	assigned := map[string]bool{}
	for _, v := range w.alg.vars {
		variable := v.Name.Text
		// The old value comes first, so that a sort error in the new value has the user's position.
		point := exprOf("%s(%s, %s)", name(variable), self, peer)
		var value expr
		var changing []*task
		for _, t := range slices.Backward(tasks) {
			x := t.update[variable]
			switch {
			case x == nil:
				continue
			case len(changing) == 0:
				value = w.hole(w.inPair(x, assigned))
			default:
				value = exprOf("if %s = %s then %s else %s", w.pc(self), t.at(),
					w.hole(w.inPair(x, assigned)), value)
			}
			changing = append(changing, t)
		}
		if len(changing) > 0 {
			w.line("  %s(%s, %s) := if !%s then %s else %s;", name(variable), self, peer,
				w.acts(self, changing...), point, value)
			assigned[variable] = true
		}
	}
}

// inPair puts the pair of processes into the expression of a task. Variables that the action has
// already assigned are read at its start.
func (w *processes) inPair(x *syntax.Expr, assigned map[string]bool) *syntax.Expr {
	return replace(x, func(x *syntax.Expr) *syntax.Expr {
		switch {
		case x.Name.Text == receivedWord && x.Applied:
			return w.received(x.Args[0].Name.Text, x.Span)
		case w.alg.variable(x.Name.Text) != nil:
			y := *x
			y.Applied, y.Args = true,
				[]*syntax.Expr{variable(w.self(), x.Span), variable(w.peer(), x.Span)}
			if assigned[x.Name.Text] {
				return &syntax.Expr{Kind: syntax.ExprOld, Span: x.Span, Args: []*syntax.Expr{&y}}
			}
			return &y
		}
		return nil
	})
}

func variable(n name, span diag.Span) *syntax.Expr {
	return &syntax.Expr{Kind: syntax.ExprName, Span: span,
		Name: syntax.Name{Text: string(n), Span: span}}
}

// received says that a message from the peer has left the buffer in this step.
func (w *processes) received(message string, span diag.Span) *syntax.Expr {
	age := w.name("Age")
	point := w.point(message, w.peer(), w.self(), age)
	text := exprOf("old%s & !%s", point, point)
	switch {
	case w.alg.copies != "":
		left := exprOf("%s(%s, %s)", w.relation(message), w.peer(), w.self())
		text = exprOf("%s < old%s", left, left)
	case w.timed():
		text = exprOf("exists %s: %s. %s", age, w.name("age"), text)
	}
	errs := &diag.List{}
	x := syntax.ParseExpr(diag.NewSource(Processes, string(text)), nil, errs)
	if x == nil {
		panic("cutoff: the text for received(m) is not an expression: " + errs.Err().Error())
	}
	return x
}
