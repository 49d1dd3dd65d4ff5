package cutoff

import (
	"fmt"
	"slices"
	"strings"

	"erelong/internal/lang/syntax"
)

// oneWay writes the system with one sender and one receiver under partial synchrony (section 7.1): of two processes, the
// sender only sends, and the receiver keeps what it has for that one peer. A round has the sub-rounds of appendix B of the
// conference version: the environment schedules the sender, then the receiver, then messages grow older, and then each
// process that was scheduled takes its step. A process that is scheduled has its timer at 0 (section 7.3).
type oneWay struct {
	*template
	alg    *algorithm
	buffer buffer
	plan   plan
	// cycle is the number of locations of the sender's cycle when its location need not be kept: the rounds since its last
	// send tell enough. It is 0 when the location is kept.
	cycle  int
	ghosts ghosts
}

// plan says which of the possible systems is wanted.
type plan struct {
	counter         bool // the messages in transit are the bits of a number (section 7.2.2), else a predicate (7.2.1)
	keepOld         bool // no abstraction of old messages (section 7.2.3)
	bigSteps        bool // one action a round
	senderCrashes   bool
	receiverCrashes bool
}

// name of the system, in the blocks that say something about it.
func (p plan) name() string {
	name := OneWay
	for _, part := range []struct {
		is   bool
		name string
	}{{p.senderCrashes || p.receiverCrashes, crashesPart}, {p.counter, counterPart}, {p.keepOld, agesPart}, {p.bigSteps, roundsPart}} {
		if part.is {
			name += part.name
		}
	}
	return name
}

// notStarted is the location of a process before its first step, where no location precedes the first.
const notStarted = "not_started"

// before gives the location that precedes the first one, as the location that was taken last at the start.
func (a *algorithm) before(start int) string {
	for at, seen := start, 0; seen < len(a.tasks); seen++ {
		if a.tasks[at].next == start {
			return a.tasks[at].Location.Text
		}
		at = a.tasks[at].next
	}
	return notStarted
}

// collapse gives the length of the cycle and the value of the sender's timer at the start, when the location of the sender
// need not be kept: its locations form one cycle with one send, so that a send comes cycle to cycle*Phi rounds after the
// one before. The first send must come after 1 to Phi rounds, or, after a whole cycle, like one after a send.
func (a *algorithm) collapse() (cycle int, timer string, ok bool) {
	sends, steps := 0, 0
	at := a.senderStart
	for range a.tasks {
		cycle++
		if a.tasks[at].is("send") {
			sends++
			if steps == 0 {
				steps = cycle
			}
		}
		if at = a.tasks[at].next; at == a.senderStart {
			break
		}
	}
	switch {
	case at != a.senderStart || sends != 1 || a.gst != "":
		return 0, "", false
	case steps == 1:
		return cycle, fmt.Sprintf("%d * %s", cycle-1, a.phi), true
	case steps == cycle:
		return cycle, "0", true
	}
	return 0, "", false
}

func newOneWay(a *algorithm, p plan, props []*property) *oneWay {
	w := &oneWay{template: &template{}, alg: a, plan: p}
	w.ghosts = ghosts{w, props}
	w.buffer = newBuffer(w.template, a, p)
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

// at is the condition that the process variable pc is at one of the locations.
func at(pc string, tasks []*task) string {
	if len(tasks) == 0 {
		return "false"
	}
	var parts []string
	for _, t := range tasks {
		parts = append(parts, pc+" = "+t.Location.Text)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, " | ") + ")"
}

// nextLocation is the location that follows pc, as an expression, for a process that starts at start.
func (a *algorithm) nextLocation(pc string, start int) string {
	out := ""
	if a.before(start) == notStarted {
		out = fmt.Sprintf("if %s = %s then %s else ", pc, notStarted, a.tasks[start].Location.Text)
	}
	for i, t := range a.tasks {
		if i == len(a.tasks)-1 {
			return out + a.tasks[t.next].Location.Text
		}
		out += fmt.Sprintf("if %s = %s then %s else ", pc, t.Location.Text, a.tasks[t.next].Location.Text)
	}
	return out
}

// locations declares the enum of locations.
func (w *oneWay) locations() {
	var names []string
	for _, t := range w.alg.tasks {
		names = append(names, t.Location.Text)
	}
	if w.alg.before(w.alg.start) == notStarted || w.cycle == 0 && w.alg.before(w.alg.senderStart) == notStarted {
		names = append(names, notStarted)
	}
	w.line("enum location { %s }", strings.Join(names, ", "))
}

// write writes the declarations. The properties are added by the caller.
func (w *oneWay) write() {
	a := w.alg
	cycle, timer, ok := a.collapse()
	if ok {
		w.cycle = cycle
	}
	if !w.plan.bigSteps {
		w.line("enum subround { SSched, RSched, IncMsgAge, SSnd, RNoSnd, RRcv, RComp }")
	}
	w.locations()
	if !w.plan.bigSteps {
		w.line("mutable constant epc: subround")
		w.line("init epc = SSched")
	}
	w.line("mutable constant rpc: location")
	w.line("init rpc = %s", a.before(a.start))
	if w.cycle > 0 {
		w.line("mutable constant sender_timer: 0..%d * %s - 1", w.cycle, a.phi)
		w.line("init sender_timer = %s", timer)
	} else {
		w.line("mutable constant spc: location")
		w.line("mutable constant sender_timer: 0..%s - 1", a.phi)
		w.line("init spc = %s & sender_timer = 0", a.before(a.senderStart))
	}
	w.line("mutable constant receiver_timer: 0..%s - 1", a.phi)
	w.line("init receiver_timer = 0")
	if w.remembers() {
		w.line("mutable relation sender_acts, receiver_acts")
		w.line("init !sender_acts & !receiver_acts")
	}
	w.clock(a)
	w.buffer.declare()
	if w.plan.senderCrashes {
		w.line("mutable relation sender_crashed")
		w.line("init !sender_crashed")
	}
	if w.plan.receiverCrashes {
		w.line("mutable relation receiver_crashed")
		w.line("init !receiver_crashed")
	}
	w.starts()
	w.ghosts.declare()
	if w.plan.bigSteps {
		w.round()
	} else {
		w.subrounds()
	}
}

// clock declares a count of the rounds that are over, up to the time from which the bounds hold: they hold in a round if
// they did when it began.
func (t *template) clock(a *algorithm) {
	if a.gst != "" {
		t.line("mutable constant clock: 0..%s", a.gst)
		t.line("init clock = 0")
	}
}

// endRound counts a round.
func (t *template) endRound(a *algorithm) {
	if a.gst != "" {
		t.line("  clock := if clock < %s then clock + 1 else clock;", a.gst)
	}
}

// unbounded is the condition that the bounds do not hold yet, empty when they always do.
func (a *algorithm) unbounded() string {
	if a.gst == "" {
		return ""
	}
	return "clock < " + a.gst + " | "
}

// peerVariables declares what a process has for each of its peers; args are the sorts of its arguments.
func (a *algorithm) peerVariables(args ...string) []syntax.Decl {
	var out []syntax.Decl
	for _, v := range a.vars {
		d := &syntax.SymbolDecl{Span: v.Span, Word: "constant", Mutable: true, Name: v.Name, Result: v.Sort}
		for _, s := range args {
			d.Args = append(d.Args, &syntax.SortExpr{Name: s, Span: v.Span})
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

// starts says which values the variables have at the start.
func (w *oneWay) starts() {
	for _, v := range w.alg.vars {
		w.line("init %s = %s", v.Name.Text, w.hole(v.Value))
	}
}

// waits is the condition under which a process need not take its step.
func (w *oneWay) waits(timer, limit string) string {
	return fmt.Sprintf("%s%s < %s", w.alg.unbounded(), timer, limit)
}

// tick is the value of a timer after a round without a step.
func (w *oneWay) tick(timer string) string {
	if w.alg.gst == "" {
		return timer + " + 1"
	}
	return fmt.Sprintf("if clock < %s then 0 else %s + 1", w.alg.gst, timer)
}

// acts is the condition that a process takes its step in this round. Where the bounds hold from the start, its timer is then
// at 0; before they hold the timer does not run, so it has to be remembered within the round.
func (w *oneWay) acts(who string) string {
	switch {
	case w.remembers():
		return who + "_acts"
	case w.alg.gst != "":
		return who + "_steps"
	}
	return who + "_timer = 0"
}

func (w *oneWay) remembers() bool { return w.alg.gst != "" && !w.plan.bigSteps }

// acting remembers whether a process takes its step.
func (w *oneWay) acting(who, is string) []string {
	if w.remembers() {
		return []string{who + "_acts := " + is + ";"}
	}
	return nil
}

// senderStep and senderWait are the statements of the sender's two choices, with their conditions.
func (w *oneWay) senderStep() (cond string, stmts []string) {
	if w.cycle > 0 {
		return fmt.Sprintf("sender_timer >= %d", w.cycle-1), []string{"sender_timer := 0;"}
	}
	return "true", []string{"sender_timer := 0;", fmt.Sprintf("spc := %s;", w.alg.nextLocation("spc", w.alg.senderStart))}
}

func (w *oneWay) senderWait() (cond, stmt string) {
	limit := w.alg.phi + " - 1"
	if w.cycle > 0 {
		limit = fmt.Sprintf("%d * %s - 1", w.cycle, w.alg.phi)
	}
	return w.waits("sender_timer", limit), fmt.Sprintf("sender_timer := %s;", w.tick("sender_timer"))
}

// sending gives for each message the condition that the sender sends it in this round.
func (w *oneWay) sending() map[string]string {
	out := map[string]string{}
	for _, t := range w.alg.of("send") {
		cond := w.acts("sender")
		if w.plan.senderCrashes {
			cond += " & !sender_crashed"
		}
		if w.plan.receiverCrashes {
			cond += " & !receiver_crashed"
		}
		if w.cycle == 0 {
			cond += " & spc = " + t.Location.Text
		}
		if before := out[t.Message.Text]; before != "" {
			cond = before + " | " + cond
		}
		out[t.Message.Text] = cond
	}
	return out
}

// send adds what the sender sends in this round to the messages in transit.
func (w *oneWay) send() {
	sending := w.sending()
	for _, m := range w.alg.decl.Messages {
		if cond := sending[m.Text]; cond != "" {
			w.line("  if %s {", cond)
			w.buffer.add("    ", m.Text)
			w.line("  }")
		}
	}
}

// active is the condition that the receiver takes its step in this round.
func (w *oneWay) active() string {
	if w.plan.receiverCrashes {
		return w.acts("receiver") + " & !receiver_crashed"
	}
	return w.acts("receiver")
}

// update writes the assignments of a task, where received says how to read received(m).
func (w *oneWay) update(t *task, indent string, received func(message string) string) {
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
		w.line("%s%s := %s;", indent, v.Name.Text, w.hole(value))
		assigned[v.Name.Text] = true
	}
}

// changes reports whether a task changes anything.
func (t *task) changes() bool { return len(t.update) > 0 }

// receivedExpr makes the expression for received(m): true, false, or the name of a variable.
func receivedExpr(text string, x *syntax.Expr) *syntax.Expr {
	switch text {
	case "true":
		return &syntax.Expr{Kind: syntax.ExprTrue, Span: x.Span}
	case "false":
		return &syntax.Expr{Kind: syntax.ExprFalse, Span: x.Span}
	}
	return &syntax.Expr{Kind: syntax.ExprName, Span: x.Span, Name: syntax.Name{Text: text, Span: x.Span}}
}

// simplify resolves choices whose condition is true or false.
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

// one and none say that of the messages one has been received, which is then known, or none.
func one(string) string  { return "true" }
func none(string) string { return "false" }

// got is the variable that says whether a message has been received in this step.
func got(message string) string { return "got_" + message }

// receivedBy says how received(m) reads where at least one message has been received.
func (w *oneWay) receivedBy() func(string) string {
	if len(w.alg.decl.Messages) == 1 {
		return one
	}
	return got
}

func (w *oneWay) subrounds() {
	a := w.alg
	// The environment schedules the sender. This is where a round begins.
	begin := func(name, cond string, stmts ...string) {
		w.line("action %s() {\n  require epc = SSched & %s;", name, cond)
		for _, s := range stmts {
			w.line("  %s", s)
		}
		w.line("  epc := RSched;\n}")
	}
	up := ""
	if w.plan.senderCrashes {
		up = "!sender_crashed & "
	}
	cond, stmts := w.senderStep()
	begin("sender_steps", up+cond, append(stmts, w.acting("sender", "true")...)...)
	cond, stmt := w.senderWait()
	begin("sender_waits", up+"("+cond+")", append(w.acting("sender", "false"), stmt)...)
	if w.plan.senderCrashes {
		begin("sender_crashes", "!sender_crashed", "sender_crashed := true;", "sender_timer := 0;")
		begin("sender_is_down", "sender_crashed")
	}

	// The environment schedules the receiver.
	up = ""
	if w.plan.receiverCrashes {
		up = " & !receiver_crashed"
	}
	schedule := func(name, cond string, stmts ...string) {
		w.line("action %s() {\n  require epc = RSched%s;", name, cond)
		for _, s := range stmts {
			w.line("  %s", s)
		}
		w.line("  epc := IncMsgAge;\n}")
	}
	schedule("receiver_steps", up, append(w.acting("receiver", "true"), "receiver_timer := 0;", fmt.Sprintf("rpc := %s;", a.nextLocation("rpc", a.start)))...)
	schedule("receiver_waits", fmt.Sprintf("%s & (%s)", up, w.waits("receiver_timer", a.phi+" - 1")),
		append(w.acting("receiver", "false"), fmt.Sprintf("receiver_timer := %s;", w.tick("receiver_timer")))...)
	if w.plan.receiverCrashes {
		w.line("action receiver_crashes() {\n  require epc = RSched & !receiver_crashed;\n  receiver_crashed := true;\n  receiver_timer := 0;")
		w.buffer.clear("  ")
		w.line("  epc := IncMsgAge;\n}")
		w.line("action receiver_is_down() {\n  require epc = RSched & receiver_crashed;\n  epc := IncMsgAge;\n}")
	}

	w.line("action messages_age() {\n  require epc = IncMsgAge;")
	w.buffer.age("  ")
	w.line("  epc := SSnd;\n}")

	w.line("action send() {\n  require epc = SSnd;")
	w.send()
	w.line("  epc := RNoSnd;\n}")

	w.tasksOf("send", "send_nothing", "RNoSnd", "RRcv")

	receives := a.of("receive")
	w.line("action deliver() {\n  require epc = RRcv & %s & %s;", w.active(), at("rpc", receives))
	w.buffer.deliver("  ")
	w.cases(receives, "  ", w.receivedBy())
	w.line("  epc := RComp;\n}")
	w.line("action deliver_nothing() {\n  require epc = RRcv & %s & %s & (%s);", w.active(), at("rpc", receives), w.buffer.mayWait())
	w.cases(receives, "  ", none)
	w.line("  epc := RComp;\n}")
	w.line("action not_receiving() {\n  require epc = RRcv & !(%s & %s);\n  epc := RComp;\n}", w.active(), at("rpc", receives))

	w.tasksOf("compute", "compute", "RComp", "SSched")
}

// tasksOf writes the sub-round of the receiver's tasks of a kind that receive nothing.
func (w *oneWay) tasksOf(kind, name, from, to string) {
	w.line("action %s() {\n  require epc = %s;", name, from)
	for _, t := range w.alg.of(kind) {
		if t.changes() {
			w.line("  if %s & rpc = %s {", w.active(), t.Location.Text)
			w.update(t, "    ", none)
			w.line("  }")
		}
	}
	if to == "SSched" {
		w.endRound(w.alg)
	}
	w.line("  epc := %s;\n}", to)
}

// cases writes what the receiver does at one of several locations.
func (w *oneWay) cases(tasks []*task, indent string, received func(string) string) {
	tasks = slices.DeleteFunc(slices.Clone(tasks), func(t *task) bool { return !t.changes() })
	if len(tasks) == 1 && len(w.alg.of("receive")) == 1 {
		w.update(tasks[0], indent, received)
		return
	}
	for _, t := range tasks {
		w.line("%sif rpc = %s {", indent, t.Location.Text)
		w.update(t, indent+"  ", received)
		w.line("%s}", indent)
	}
}
