package cutoff

import (
	"fmt"
	"slices"
	"strings"

	"erelong/internal/diag"
	"erelong/internal/lang/syntax"
)

// Processes is the name of the system of all processes.
const Processes = "processes"

// processes writes the global system of N processes (section 3.2), in which a round has the four sub-rounds Schedule, Send,
// Receive and Compute, with clean crashes. Under partial synchrony (section 3.3) messages have ages, with the abstraction
// of those older than Delta (section 7.2.3), and each process has a timer (section 7.3).
//
// One thing is read differently. By the predicate Sending of section 3.2, a process cannot send a message that is still in
// transit to somebody, so that under synchrony the system would stop. Here the buffer is a set, and sending adds to it.
type processes struct {
	*template
	alg *algorithm
}

// self and peer are the variables of assignments for every pair: a process, and the peer that its variable is about.
const (
	self = "Self"
	peer = "Peer"
)

func (w *processes) timed() bool { return w.alg.model == partialModel }

func (w *processes) relation(message string) string { return w.alg.transit(message, "in_transit") }

// point is the messages from one process to another, of age k where messages have ages.
func (w *processes) point(message, from, to, k string) string {
	if w.timed() {
		return fmt.Sprintf("%s(%s, %s, %s)", w.relation(message), from, to, k)
	}
	return fmt.Sprintf("%s(%s, %s)", w.relation(message), from, to)
}

func (w *processes) write() {
	a := w.alg
	w.line("sort process")
	w.line("enum subround { Schedule, Send, Receive, Compute }")
	var names []string
	for _, t := range a.tasks {
		names = append(names, t.Location.Text)
	}
	w.line("enum location { %s }", strings.Join(names, ", "))
	w.line("mutable constant epc: subround")
	w.line("mutable function pc(process): location")
	w.line("mutable relation crashed(process)")
	w.line("mutable relation active(process)")
	w.line("definition correct(some__process: process) = !crashed(some__process)")
	w.line("init epc = Schedule & pc(P) = %s & !crashed(P) & !active(P)", a.tasks[a.start].Location.Text)
	if w.timed() {
		w.line("type age = 0..%s", a.delta)
		w.line("mutable function timer(process): 0..%s - 1", a.phi)
		w.line("init timer(P) = 0")
	}
	w.clock(a)
	for _, m := range a.decl.Messages {
		sorts := "process, process"
		if w.timed() {
			sorts += ", age"
		}
		w.line("mutable relation %s(%s)", w.relation(m.Text), sorts)
		w.line("init !%s", w.point(m.Text, "P", "Q", "K"))
	}
	for _, v := range a.vars {
		w.line("init %s(P, Q) = %s", v.Name.Text, w.hole(v.Value))
	}
	w.schedule()
	w.step("send", "Send", "Receive")
	w.step("receive", "Receive", "Compute")
	w.step("compute", "Compute", "Schedule")
}

func (w *processes) schedule() {
	a := w.alg
	w.line("action schedule() {\n  require epc = Schedule;")
	w.line("  crashed := *;\n  assume old(crashed(P)) -> crashed(P);")
	w.line("  active := *;\n  assume crashed(P) -> !active(P);")
	switch a.model {
	case synchrony:
		w.line("  assume active(P) | crashed(P);")
	case asynchrony:
		w.line("  assume active(P) & active(Q) -> P = Q;")
	default:
		w.line("  assume %sactive(P) | crashed(P) | timer(P) < %s - 1;", a.unbounded(), a.phi)
		idle := "timer(P) + 1"
		if a.gst != "" {
			idle = fmt.Sprintf("if clock < %s then 0 else timer(P) + 1", a.gst)
		}
		w.line("  timer(P) := if active(P) | crashed(P) then 0 else (%s);", idle)
	}
	for _, m := range a.decl.Messages {
		r := w.relation(m.Text)
		if !w.timed() {
			w.line("  %s(P, Q) := %s(P, Q) & !crashed(Q);", r, r)
			continue
		}
		w.line("  if %s > 0 {", a.delta)
		w.line("    %s(P, Q, K) := !crashed(Q) & K > 0 & (%s(P, Q, K - 1) | K = %s & %s(P, Q, %s));", r, r, a.delta, r, a.delta)
		w.line("  } else {\n    %s(P, Q, K) := %s(P, Q, K) & !crashed(Q);\n  }", r, r)
	}
	w.line("  epc := Send;\n}")
}

// step writes the sub-round of the tasks of a kind: all processes that are active at such a location take their step.
func (w *processes) step(kind, from, to string) {
	a := w.alg
	tasks := a.of(kind)
	w.line("action %s() {\n  require epc = %s;", map[string]string{"send": "sending", "receive": "receiving", "compute": "computing"}[kind], from)
	here := func(p string) string { return fmt.Sprintf("active(%s) & %s", p, at("pc("+p+")", tasks)) }
	switch {
	case len(tasks) == 0:
	case kind == "send":
		for _, t := range tasks {
			point := w.point(t.Message.Text, "P", "Q", "0")
			w.line("  %s := %s | active(P) & pc(P) = %s & !crashed(Q);", point, point, t.Location.Text)
		}
	case kind == "receive":
		for _, m := range a.decl.Messages {
			r, point := w.relation(m.Text), w.point(m.Text, "P", "Q", "K")
			w.line("  %s := *;", r)
			w.line("  assume %s -> old(%s);", point, point)
			w.line("  assume !(%s) -> (old(%s) -> %s);", here("Q"), point, point)
			if w.timed() {
				w.line("  assume %s%s -> !%s;", a.unbounded(), here("Q"), w.point(m.Text, "P", "Q", a.delta))
			}
		}
	}
	assigned := map[string]bool{}
	for _, v := range a.vars {
		name := v.Name.Text
		// The old value comes first, so that a value of another sort is found where the user wrote it.
		point := fmt.Sprintf("%s(%s, %s)", name, self, peer)
		value, changing := point, []*task{}
		for _, t := range slices.Backward(tasks) {
			x := t.update[name]
			switch {
			case x == nil:
			case len(changing) == 0:
				value, changing = w.hole(w.inPair(x, assigned)), append(changing, t)
			default:
				value = fmt.Sprintf("if pc(%s) = %s then %s else (%s)", self, t.Location.Text, w.hole(w.inPair(x, assigned)), value)
				changing = append(changing, t)
			}
		}
		if len(changing) > 0 {
			w.line("  %s := if !(active(%s) & %s) then %s else (%s);", point, self, at("pc("+self+")", changing), point, value)
			assigned[name] = true
		}
	}
	if len(tasks) > 0 {
		next := "pc(P)"
		for _, t := range tasks {
			next = fmt.Sprintf("if active(P) & pc(P) = %s then %s else (%s)", t.Location.Text, a.tasks[t.next].Location.Text, next)
		}
		w.line("  pc(P) := %s;", next)
		w.line("  active(P) := active(P) & !(%s);", at("old(pc(P))", tasks))
	}
	if kind == "compute" {
		w.endRound(a)
	}
	w.line("  epc := %s;\n}", to)
}

// inPair puts the pair of processes into the expression of a task. Variables that the action has assigned already are
// read at its start.
func (w *processes) inPair(x *syntax.Expr, assigned map[string]bool) *syntax.Expr {
	return replace(x, func(x *syntax.Expr) *syntax.Expr {
		switch {
		case x.Name.Text == receivedWord && x.Applied:
			return w.received(x.Args[0].Name.Text, x.Span)
		case w.alg.variable(x.Name.Text) != nil:
			y := *x
			y.Applied, y.Args = true, []*syntax.Expr{variable(self, x.Span), variable(peer, x.Span)}
			if assigned[x.Name.Text] {
				return &syntax.Expr{Kind: syntax.ExprOld, Span: x.Span, Args: []*syntax.Expr{&y}}
			}
			return &y
		}
		return nil
	})
}

func variable(name string, span diag.Span) *syntax.Expr {
	return &syntax.Expr{Kind: syntax.ExprName, Span: span, Name: syntax.Name{Text: name, Span: span}}
}

// received says that a message from the peer has left the buffer in this step.
func (w *processes) received(message string, span diag.Span) *syntax.Expr {
	point := w.point(message, peer, self, "Age")
	text := fmt.Sprintf("old(%s) & !%s", point, point)
	if w.timed() {
		text = fmt.Sprintf("exists Age: age. %s", text)
	}
	errs := &diag.List{}
	x := syntax.ParseExpr(diag.NewSource(Processes, text), errs)
	if x == nil {
		panic("cutoff: the text for received(m) is not an expression: " + errs.Err().Error())
	}
	return x
}
