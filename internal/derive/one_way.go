package derive

import (
	"slices"

	"erelong.dev/erelong/internal/front/ere/syntax"
)

// oneWay writes the system with one sender and one receiver under partial synchrony (section 7.1):
// of two processes, one only sends, and the other keeps its variables for this one peer. A round
// has the sub-rounds of appendix B of the conference version. The environment schedules the sender,
// then the receiver; then messages grow older; then each scheduled process takes its step. A
// scheduled process has its timer at 0 (section 7.3).
type oneWay struct {
	*template
	alg    *algorithm
	buffer buffer
	plan   plan
	// cycle is the number of locations of the sender's cycle when the rounds since its last send
	// replace its location. It is 0 when the location is kept.
	cycle  int
	first  expr // then, the initial value of the sender's timer
	ghosts ghosts
}

// notStarted is the location of a process before its first step, where no location precedes the
// first.
const notStarted = "not_started"

// before gives the location before the first one, as the last location at the start.
func (t *template) before(a *algorithm, start int) name {
	for _, at := range a.reached(start) {
		if a.tasks[at].next == start {
			return a.tasks[at].at()
		}
	}
	return t.name(notStarted)
}

func newOneWay(n *names, a *algorithm, p plan, props []*property) *oneWay {
	w := &oneWay{template: &template{names: n}, alg: a, plan: p}
	w.ghosts = ghosts{w, props}
	w.buffer = newBuffer(w.template, a, p)
	w.cycle, w.first = a.collapse()
	return w
}

// at is the condition that the process variable pc is at one of the locations.
func at(pc part, tasks []*task) expr {
	var at []expr
	for _, t := range tasks {
		at = append(at, exprOf("%s = %s", pc, t.at()))
	}
	return disjunction(at...)
}

// nextLocation is the location that follows pc, for a process that starts at start.
func (t *template) nextLocation(a *algorithm, pc name, start int) expr {
	last := a.tasks[len(a.tasks)-1]
	out := expr(a.tasks[last.next].at())
	for _, task := range slices.Backward(a.tasks[:len(a.tasks)-1]) {
		out = exprOf("if %s = %s then %s else %s", pc, task.at(), a.tasks[task.next].at(), out)
	}
	if t.before(a, start) == t.name(notStarted) {
		out = exprOf("if %s = %s then %s else %s", pc, t.name(notStarted), a.tasks[start].at(), out)
	}
	return out
}

// locations declares the enum of locations.
func (w *oneWay) locations() {
	var names []name
	for _, t := range w.alg.tasks {
		names = append(names, t.at())
	}
	none := w.name(notStarted)
	if w.before(w.alg, w.alg.start) == none ||
		w.cycle == 0 && w.before(w.alg, w.alg.senderStart) == none {
		names = append(names, none)
	}
	w.line("enum %s { %s }", w.name("location"), list(names))
}

// The names of a system with one sender and one receiver.
func (w *oneWay) epc() name            { return w.name("epc") }
func (w *oneWay) rpc() name            { return w.name("rpc") }
func (w *oneWay) spc() name            { return w.name("spc") }
func (w *oneWay) timer(who name) name  { return w.name(string(who) + "_timer") }
func (w *oneWay) down(who name) name   { return w.name(string(who) + "_crashed") }
func (w *oneWay) acting(who name) name { return w.name(string(who) + "_acts") }
func (w *oneWay) steps(who name) name  { return w.name(string(who) + "_steps") }

// The two processes.
const (
	sender   name = "sender"
	receiver name = "receiver"
)

// write writes the declarations. The properties are added by the caller.
func (w *oneWay) write() {
	a := w.alg
	if !w.plan.bigSteps {
		w.line("enum %s { %s }", w.name("subround"),
			list([]name{w.name("SSched"), w.name("RSched"), w.name("IncMsgAge"), w.name("SSnd"),
				w.name("RNoSnd"), w.name("RRcv"), w.name("RComp")}))
	}
	w.bounds(a.limits)
	w.locations()
	if !w.plan.bigSteps {
		w.line("mutable constant %s: %s", w.epc(), w.name("subround"))
		w.line("init %s = %s", w.epc(), w.name("SSched"))
	}
	location := w.name("location")
	w.line("mutable constant %s: %s", w.rpc(), location)
	w.line("init %s = %s", w.rpc(), w.before(a, a.start))
	if w.cycle > 0 {
		w.line("mutable constant %s: 0..%s * %s - 1", w.timer(sender), number(w.cycle), a.phi)
		w.line("init %s = %s", w.timer(sender), w.first)
	} else {
		w.line("mutable constant %s: %s", w.spc(), location)
		w.line("mutable constant %s: 0..%s - 1", w.timer(sender), a.phi)
		w.line("init %s = %s & %s = 0", w.spc(), w.before(a, a.senderStart), w.timer(sender))
	}
	w.line("mutable constant %s: 0..%s - 1", w.timer(receiver), a.phi)
	w.line("init %s = 0", w.timer(receiver))
	if w.remembers() {
		w.line("mutable relation %s, %s", w.acting(sender), w.acting(receiver))
		w.line("init !%s & !%s", w.acting(sender), w.acting(receiver))
	}
	w.clock(a.limits)
	w.buffer.declare()
	for _, who := range w.crashing() {
		w.line("mutable relation %s", w.down(who))
		w.line("init !%s", w.down(who))
	}
	w.starts()
	w.ghosts.declare()
	if w.plan.bigSteps {
		w.round()
	} else {
		w.subrounds()
	}
}

// crashing lists the processes that may crash.
func (w *oneWay) crashing() (out []name) {
	if w.plan.senderCrashes {
		out = append(out, sender)
	}
	if w.plan.receiverCrashes {
		out = append(out, receiver)
	}
	return out
}

// starts sets the initial values of the variables.
func (w *oneWay) starts() {
	for _, v := range w.alg.vars {
		w.line("init %s = %s", name(v.Name.Text), w.hole(v.Value))
	}
}

// mayStep and mayWait are the conditions of the two choices for a process.
func (w *oneWay) mayStep(who name) expr {
	if who == sender && w.cycle > 0 {
		return exprOf("%s >= %s", w.timer(sender), number(w.cycle-1))
	}
	return yes
}

func (w *oneWay) mayWait(who name) expr {
	most := expr(w.alg.phi)
	if who == sender && w.cycle > 0 {
		most = exprOf("%s * %s", number(w.cycle), w.alg.phi)
	}
	return either(w.unhurried(w.alg.limits), exprOf("%s < %s - 1", w.timer(who), most))
}

// tick is the value of a timer after a round without a step.
func (w *oneWay) tick(who name) expr {
	next := exprOf("%s + 1", w.timer(who))
	if w.alg.gst != "" {
		return exprOf("if %s then 0 else %s", w.unhurried(w.alg.limits), next)
	}
	return next
}

// advance is the statement that moves a process to its next location.
func (w *oneWay) advance(who, indent name) {
	switch {
	case who == receiver:
		w.line("%s%s := %s;", indent, w.rpc(), w.nextLocation(w.alg, w.rpc(), w.alg.start))
	case w.cycle == 0:
		w.line("%s%s := %s;", indent, w.spc(), w.nextLocation(w.alg, w.spc(), w.alg.senderStart))
	}
}

// acts is the condition that a process takes its step in this round. Where the bounds hold from the
// start, its timer is then at 0. Before the bounds hold the timer does not run, so the choice is
// kept within the round.
func (w *oneWay) acts(who name) expr {
	var out expr
	switch {
	case w.remembers():
		out = expr(w.acting(who))
	case w.alg.gst != "":
		out = expr(w.steps(who))
	default:
		out = exprOf("%s = 0", w.timer(who))
	}
	if slices.Contains(w.crashing(), who) {
		out = conjunction(out, exprOf("!%s", w.down(who)))
	}
	return out
}

func (w *oneWay) remembers() bool { return w.alg.gst != "" && !w.plan.bigSteps }

// sending gives, for each message, the condition that the sender sends it in this round; false when
// it never does.
func (w *oneWay) sending(message string) expr {
	var tasks []*task
	for _, at := range w.alg.reached(w.alg.senderStart) {
		if t := w.alg.tasks[at]; t.is("send") && t.Message.Text == message {
			tasks = append(tasks, t)
		}
	}
	if len(tasks) == 0 {
		return no
	}
	cond := w.acts(sender)
	if w.plan.receiverCrashes {
		cond = conjunction(cond, exprOf("!%s", w.down(receiver)))
	}
	if w.cycle == 0 {
		cond = conjunction(cond, at(w.spc(), tasks))
	}
	return cond
}

// send adds the messages that the sender sends in this round to the messages in transit.
func (w *oneWay) send() {
	for _, m := range w.alg.decl.Messages {
		if cond := w.sending(m.Text); cond != no {
			w.line("  if %s {", cond)
			w.buffer.add("    ", m.Text)
			w.line("  }")
		}
	}
}

// update writes the assignments of a task; received gives the expression for received(m).
func (w *oneWay) update(t *task, indent name, received func(message string) expr) {
	assigned := map[string]bool{}
	for _, v := range w.alg.vars {
		x := t.update[v.Name.Text]
		if x == nil {
			continue
		}
		value := simplify(replace(x, func(x *syntax.Expr) *syntax.Expr {
			switch {
			case x.Name.Text == receivedWord && x.Applied:
				return receivedExpr(received(x.Args[0].Name.Text), x)
			case assigned[x.Name.Text]:
				return &syntax.Expr{Kind: syntax.ExprOld, Span: x.Span, Args: []*syntax.Expr{x}}
			}
			return nil
		}))
		w.line("%s%s := %s;", indent, name(v.Name.Text), w.hole(value))
		assigned[v.Name.Text] = true
	}
}

// receivedExpr makes the expression for received(m): true, false, or the name of a variable.
func receivedExpr(text expr, x *syntax.Expr) *syntax.Expr {
	switch text {
	case yes:
		return &syntax.Expr{Kind: syntax.ExprTrue, Span: x.Span}
	case no:
		return &syntax.Expr{Kind: syntax.ExprFalse, Span: x.Span}
	}
	return variable(name(text), x.Span)
}

// simplify resolves conditionals whose condition is true or false.
func simplify(x *syntax.Expr) *syntax.Expr {
	c := *x
	c.Args = make([]*syntax.Expr, len(x.Args))
	for i, a := range x.Args {
		c.Args[i] = simplify(a)
	}
	if c.Kind == syntax.ExprIf {
		switch c.Args[0].Kind {
		case syntax.ExprTrue:
			return c.Args[1]
		case syntax.ExprFalse:
			return c.Args[2]
		}
	}
	return &c
}

// none is the value of received(m) where no message has been received in this step.
func none(string) expr { return no }

// gotThis gives received(m) where a message may have been received.
func (w *oneWay) gotThis(message string) expr { return expr(w.got(message)) }

// receivedBy gives received(m) where at least one message has been received.
func (w *oneWay) receivedBy() func(string) expr {
	if len(w.alg.decl.Messages) == 1 {
		return func(string) expr { return yes }
	}
	return w.gotThis
}

// cases writes the receiver's steps at one of several locations.
func (w *oneWay) cases(tasks []*task, indent name, received func(string) expr) {
	tasks = slices.DeleteFunc(slices.Clone(tasks), func(t *task) bool { return !t.changes() })
	if len(tasks) == 1 && len(w.alg.of("receive")) == 1 {
		w.update(tasks[0], indent, received)
		return
	}
	for _, t := range tasks {
		w.line("%sif %s = %s {", indent, w.rpc(), t.at())
		w.update(t, indent+"  ", received)
		w.line("%s}", indent)
	}
}
