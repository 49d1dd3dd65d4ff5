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

// plan chooses one of the possible systems.
type plan struct {
	// the messages in transit are the bits of a number (section 7.2.2), else a predicate (7.2.1)
	counter         bool
	keepOld         bool // no abstraction of old messages (section 7.2.3)
	bigSteps        bool // one action a round
	senderCrashes   bool
	receiverCrashes bool
}

// name is the name of the system in blocks about it.
func (p plan) name() string {
	name := OneWay
	for _, part := range []struct {
		is   bool
		name string
	}{{p.senderCrashes || p.receiverCrashes, crashesPart}, {p.counter, counterPart},
		{p.keepOld, agesPart}, {p.bigSteps, roundsPart}} {
		if part.is {
			name += part.name
		}
	}
	return name
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

// reached lists the locations that a process reaches from one, in order, beginning with it.
func (a *algorithm) reached(start int) (out []int) {
	for at := start; !slices.Contains(out, at); at = a.tasks[at].next {
		out = append(out, at)
	}
	return out
}

// collapse gives the length of the cycle and the initial value of the sender's timer, when the
// location of the sender need not be kept: its locations form one cycle with one send, so a send
// comes cycle to cycle*Phi rounds after the previous one. The first send must come after 1 to Phi
// rounds, or, after a whole cycle, like a send after a send.
func (a *algorithm) collapse() (cycle int, timer expr) {
	round := a.reached(a.senderStart)
	last := a.tasks[round[len(round)-1]]
	var sends []int
	for i, at := range round {
		if a.tasks[at].is("send") {
			sends = append(sends, i)
		}
	}
	switch {
	case last.next != a.senderStart || len(sends) != 1 || a.gst != "":
		return 0, ""
	case sends[0] == 0:
		return len(round), exprOf("%s * %s", number(len(round)-1), a.phi)
	case sends[0] == len(round)-1:
		return len(round), "0"
	}
	return 0, ""
}

func newOneWay(n *names, a *algorithm, p plan, props []*property) *oneWay {
	w := &oneWay{template: &template{names: n}, alg: a, plan: p}
	w.ghosts = ghosts{w, props}
	w.buffer = newBuffer(w.template, a, p)
	w.cycle, w.first = a.collapse()
	return w
}

// of lists the tasks of a kind.
func (a *algorithm) of(kind string) (out []*task) {
	for _, t := range a.tasks {
		if t.is(kind) {
			out = append(out, t)
		}
	}
	return out
}

// at is the location of a task.
func (t *task) at() name { return name(t.Location.Text) }

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
	w.bounds(a)
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
	w.clock(a)
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

// bounds states that the parameters of partial synchrony are numbers of rounds.
func (t *template) bounds(a *algorithm) {
	t.line("axiom %s >= 0 & %s >= 1", a.delta, a.phi)
	if a.gst != "" {
		t.line("axiom %s >= 0", a.gst)
	}
}

// clock declares the number of rounds that are over, up to the time from which all delays are
// bounded. The bound on speeds holds in a round if Gst rounds were over when it began.
func (t *template) clock(a *algorithm) {
	if a.gst != "" {
		t.line("mutable constant %s: 0..%s + %s", t.name("clock"), a.gst, a.delta)
		t.line("init %s = 0", t.name("clock"))
	}
}

// endRound counts a round.
func (t *template) endRound(a *algorithm) {
	if a.gst != "" {
		clock := t.name("clock")
		t.line("  %s := if %s then %s + 1 else %s;", clock, t.delayed(a), clock, clock)
	}
}

// unhurried is the condition that speeds are not bounded yet; false when they always are.
func (t *template) unhurried(a *algorithm) expr {
	if a.gst == "" {
		return no
	}
	return exprOf("%s < %s", t.name("clock"), a.gst)
}

// peerVariables declares the variables that a process has for each of its peers; args are the sorts
// of their arguments.
func (a *algorithm) peerVariables(args ...name) []syntax.Decl {
	var out []syntax.Decl
	for _, v := range a.vars {
		d := &syntax.SymbolDecl{Span: v.Span, Word: "constant", Mutable: true, Name: v.Name,
			Result: v.Sort}
		for _, s := range args {
			d.Args = append(d.Args, &syntax.SortExpr{Name: string(s), Span: v.Span})
		}
		switch {
		case v.Sort.Name == "bool":
			d.Word, d.Result = "relation", nil
		case len(args) > 0:
			d.Word = "function"
		}
		out = append(out, d)
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
	return either(w.unhurried(w.alg), exprOf("%s < %s - 1", w.timer(who), most))
}

// tick is the value of a timer after a round without a step.
func (w *oneWay) tick(who name) expr {
	next := exprOf("%s + 1", w.timer(who))
	if w.alg.gst != "" {
		return exprOf("if %s then 0 else %s", w.unhurried(w.alg), next)
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

// changes reports whether a task changes anything.
func (t *task) changes() bool { return len(t.update) > 0 }

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

// action writes an action that is possible in a sub-round and leads to another.
func (w *oneWay) action(action, from, to string, cond expr, body func()) {
	w.line("action %s() {", w.name(action))
	w.line("  require %s;", conjunction(exprOf("%s = %s", w.epc(), w.name(from)), cond))
	body()
	if from != to {
		w.line("  %s := %s;", w.epc(), w.name(to))
	}
	w.line("}")
}

// scheduled writes the actions of the environment that schedule a process.
func (w *oneWay) scheduled(who name, from, to string) {
	up := yes
	crashes := slices.Contains(w.crashing(), who)
	if crashes {
		up = exprOf("!%s", w.down(who))
	}
	acting := func(is expr) {
		if w.remembers() {
			w.line("  %s := %s;", w.acting(who), is)
		}
	}
	w.action(string(who)+"_steps", from, to, conjunction(up, w.mayStep(who)), func() {
		w.line("  %s := 0;", w.timer(who))
		w.advance(who, "  ")
		acting(yes)
	})
	w.action(string(who)+"_waits", from, to, conjunction(up, w.mayWait(who)), func() {
		acting(no)
		w.line("  %s := %s;", w.timer(who), w.tick(who))
	})
	if crashes {
		w.action(string(who)+"_is_down", from, to, expr(w.down(who)), func() {})
	}
}

// crashes writes the actions in which processes crash, at the start of a round, possibly both in
// one round. After the sender alone has crashed, the receiver takes the steps of the round before
// it can crash, too. The other order needs no such care: after the receiver has crashed nothing
// changes.
func (w *oneWay) crashes() {
	fall := func(who name) {
		w.line("  %s := true;", w.down(who))
		w.line("  %s := 0;", w.timer(who))
		if who == receiver {
			w.buffer.clear("  ")
		}
	}
	up := func(who name) expr { return exprOf("!%s", w.down(who)) }
	if w.plan.senderCrashes {
		w.action("sender_crashes", "SSched", "RSched", up(sender), func() { fall(sender) })
	}
	if w.plan.receiverCrashes {
		w.action("receiver_crashes", "SSched", "SSched", up(receiver), func() { fall(receiver) })
	}
	if w.plan.senderCrashes && w.plan.receiverCrashes {
		w.action("both_crash", "SSched", "RSched", conjunction(up(sender), up(receiver)), func() {
			fall(sender)
			fall(receiver)
		})
	}
}

func (w *oneWay) subrounds() {
	a := w.alg
	w.crashes()
	w.scheduled(sender, "SSched", "RSched") // a round begins here
	w.scheduled(receiver, "RSched", "IncMsgAge")
	w.action("messages_age", "IncMsgAge", "SSnd", yes, func() { w.buffer.age("  ") })
	w.action("send", "SSnd", "RNoSnd", yes, w.send)
	w.tasksOf("send", "send_nothing", "RNoSnd", "RRcv")
	receives := a.of("receive")
	receiving := conjunction(w.acts(receiver), at(w.rpc(), receives))
	w.action("deliver", "RRcv", "RComp", receiving, func() {
		w.buffer.deliver("  ")
		w.cases(receives, "  ", w.receivedBy())
	})
	w.action("deliver_nothing", "RRcv", "RComp", conjunction(receiving, w.buffer.mayWait()),
		func() { w.cases(receives, "  ", none) })
	w.action("not_receiving", "RRcv", "RComp", exprOf("!%s", receiving), func() {})
	w.tasksOf("compute", "compute", "RComp", "SSched")
}

// tasksOf writes the sub-round of the receiver's tasks of a kind that receive nothing.
func (w *oneWay) tasksOf(kind, action, from, to string) {
	w.action(action, from, to, yes, func() {
		for _, t := range w.alg.of(kind) {
			if t.changes() {
				w.line("  if %s {",
					conjunction(w.acts(receiver), exprOf("%s = %s", w.rpc(), t.at())))
				w.update(t, "    ", none)
				w.line("  }")
			}
		}
		if to == "SSched" {
			w.endRound(w.alg)
		}
	})
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
