package derive

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// algorithm is a program of the class, after the class check.
type algorithm struct {
	decl   *syntax.AlgorithmDecl
	timing timing
	limits
	// copies is the constant that bounds the copies of a message in transit; empty when the
	// messages in transit are a set.
	copies name

	globals map[string]syntax.Decl // the declarations of the file, by name

	vars  []*syntax.PeerVar
	tasks []*task // in the order of the file
	start int     // the location where every process starts
	// senderStart is where the sender starts in a system of one sender and one receiver, -1 when it
	// is start.
	senderStart int
}

// task is a location with its task.
type task struct {
	*syntax.Task
	next int
	// update gives the new value of each variable that the task may change, over the old values and
	// received(m). It is the function nextVal of the location.
	update map[string]*syntax.Expr
}

// is reports whether a task is of a kind: send, receive or compute.
func (t *task) is(kind string) bool { return t.Kind == kind }

func (a *algorithm) variable(name string) *syntax.PeerVar {
	for _, v := range a.vars {
		if v.Name.Text == name {
			return v
		}
	}
	return nil
}

func (a *algorithm) location(name string) int {
	return slices.IndexFunc(a.tasks, func(t *task) bool { return t.Location.Text == name })
}

// noEffect warns of messages and tasks without effect.
func (a *algorithm) noEffect(errs *diag.List) {
	sent, received, reached := map[string]bool{}, map[string]bool{}, map[int]bool{}
	for _, at := range append(a.reached(a.start), a.reached(a.senderStart)...) {
		t := a.tasks[at]
		reached[at] = true
		if t.is("send") {
			sent[t.Message.Text] = true
		}
		if t.is("receive") {
			for _, n := range a.decl.Messages {
				received[n.Text] = received[n.Text] || asksFor(t.Body, n.Text)
			}
		}
	}
	for i, t := range a.tasks {
		if !reached[i] {
			errs.Warnf(diag.NoEffect, t.Location.Span, "no process ever comes to '%s'",
				t.Location.Text)
		}
	}
	for _, m := range a.decl.Messages {
		switch s, r := sent[m.Text], received[m.Text]; {
		case s && !r:
			errs.Warnf(diag.NoEffect, m.Span,
				"'%s' is sent and never received: no receive that a process comes to asks "+
					"received(%s)", m.Text, m.Text)
		case r && !s:
			errs.Warnf(diag.NoEffect, m.Span,
				"'%s' is received and never sent: no process comes to a task that sends it", m.Text)
		case !s:
			errs.Warnf(diag.NoEffect, m.Span, "'%s' is neither sent nor received", m.Text)
		}
	}
}

// The words of algorithms and their properties, beside the declarations of a file.
const (
	ProcessSort  = "process"
	receivedWord = "received"
	correctWord  = "correct"
	crashedWord  = "crashed"
)

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

// changes reports whether a task changes anything.
func (t *task) changes() bool { return len(t.update) > 0 }

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

func (a *algorithm) variables() (out []string) {
	for _, v := range a.vars {
		out = append(out, v.Name.Text)
	}
	return out
}

func (a *algorithm) taskAt(location string) *task {
	if i := a.location(location); i >= 0 {
		return a.tasks[i]
	}
	return nil
}

// recurs reports whether a process reaches a task of this kind again and again, from every start.
func (a *algorithm) recurs(kind string) bool {
	return a.cycles(a.start, kind) && a.cycles(a.senderStart, kind)
}

// cycles reports whether a process that starts at a location reaches a task of this kind again and
// again.
func (a *algorithm) cycles(start int, kind string) bool {
	reached := a.reached(start)
	again := a.reached(a.tasks[reached[len(reached)-1]].next)
	return slices.ContainsFunc(again, func(at int) bool { return a.tasks[at].is(kind) })
}
