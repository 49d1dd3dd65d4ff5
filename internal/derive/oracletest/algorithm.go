// Package oracletest is the oracle of package derive. It runs algorithms of processes as sections 2
// and 3 of Tran, Konnov and Widder (A case study on parametric verification of failure detectors,
// LMCS 2023) state them, configuration by configuration, and decides properties on the graph of all
// configurations.
//
// In: an algorithm as plain data, and numbers for its parameters. Out: its text in the language,
// and a verdict for each of its properties with N processes. Nothing is reduced: each of the N
// processes has N buffers, every message in transit is in its buffer, any processes may crash
// together, and every sub-round is a configuration.
// The package is slow and obvious, and shares nothing with the rest of the program, not even a
// parser: it generates an algorithm as data and prints its text.
package oracletest

import (
	"fmt"
	"strings"
)

// Kind is the kind of a task: what it does beside its body.
type Kind int

// The kinds of tasks.
const (
	Send Kind = iota
	Receive
	Compute
)

// Timing is the model of time.
type Timing int

// The models of time.
const (
	PartialSynchrony Timing = iota
	Synchrony
	Asynchrony
)

// Algorithm is the program of every process, with the constants and the names that its text uses.
type Algorithm struct {
	Messages  []string
	Variables []Variable
	Tasks     []Task
	Start     int // the task at which processes start
	Sender    int // the task where the sender is assumed to start, plus one; 0 for no assumption
	Timing    Timing
	HasGst    bool // partial synchrony has a third parameter
	Constants []Constant
	DeltaName string // what the text calls the parameters
	PhiName   string
	GstName   string

	HasCopies  bool // without ages, buffers have a number of copies
	CopiesName string
}

// Constant is an immutable integer of the text, and its value.
type Constant struct {
	Name  string
	Value int
}

// Variable is a variable that a process has for each of its peers: true or false, or Lo to Hi.
type Variable struct {
	Name   string
	Bool   bool
	Lo, Hi int
	Init   Expr
}

// Task is a location with its task.
type Task struct {
	Kind    Kind
	Message int // that is sent
	Loc     string
	Next    int
	Body    []Stmt
}

// Stmt is an assignment to Var, a `let` of the name Let, or an `if` when both are empty.
type Stmt struct {
	Var, Let   string
	Value      Expr // the condition of an `if`
	Then, Else []Stmt
}

// Expr is an expression of a task or a property. Truth values are 0 and 1.
type Expr struct {
	Op    Op
	Name  string // of a variable, a constant or a message
	Value int    // of a number
	I, J  int    // of a property: which of the processes P, Q, R it is about
	Args  []Expr
}

// Op is the head of an expression.
type Op string

// Heads of expressions.
const (
	Number   Op = "number"
	Truth    Op = "truth"
	Name     Op = "name"     // a variable of a task, or a constant
	Received Op = "received" // whether message Name has just arrived
	Not      Op = "!"
	And      Op = "&"
	Or       Op = "|"
	Implies  Op = "->"
	Iff      Op = "<->"
	Equal    Op = "="
	Less     Op = "<"
	AtMost   Op = "<="
	Plus     Op = "+"
	Minus    Op = "-"
	If       Op = "if"

	// Of properties.
	Of         Op = "of" // the value of process I's variable Name for process J
	Correct    Op = "correct"
	Crashed    Op = "crashed"
	Same       Op = "same"   // I and J are the same process
	Always     Op = "always" // temporal from here on
	Eventually Op = "eventually"
	Until      Op = "until"
	LeadsTo    Op = "~>"
)

// processNames are the names of the processes in properties.
var processNames = []string{"P", "Q", "R"}

// String is the text of an expression, its parts in parentheses.
func (e Expr) String() string {
	arg := func(i int) string {
		a := e.Args[i]
		if len(a.Args) == 0 {
			return a.String()
		}
		return "(" + a.String() + ")"
	}
	switch e.Op {
	case Number:
		return fmt.Sprint(e.Value)
	case Truth:
		return fmt.Sprint(e.Value != 0)
	case Name:
		return e.Name
	case Received:
		return "received(" + e.Name + ")"
	case Of:
		return fmt.Sprintf("%s(%s, %s)", e.Name, processNames[e.I], processNames[e.J])
	case Correct, Crashed:
		return fmt.Sprintf("%s(%s)", e.Op, processNames[e.I])
	case Same:
		return fmt.Sprintf("%s = %s", processNames[e.I], processNames[e.J])
	case Not:
		if e.Args[0].Op == Same {
			return fmt.Sprintf("%s != %s", processNames[e.Args[0].I], processNames[e.Args[0].J])
		}
		return "!(" + e.Args[0].String() + ")"
	case Always, Eventually:
		return string(e.Op) + " (" + e.Args[0].String() + ")"
	case If:
		return fmt.Sprintf("if %s then %s else %s", arg(0), arg(1), arg(2))
	default:
		return arg(0) + " " + string(e.Op) + " " + arg(1)
	}
}

// Temporal reports whether there is a temporal operator in the expression.
func (e Expr) Temporal() bool {
	switch e.Op {
	case Always, Eventually, Until, LeadsTo:
		return true
	}
	for _, a := range e.Args {
		if a.Temporal() {
			return true
		}
	}
	return false
}

// processes gives the processes among P, Q, R in an expression, a bit each.
func (e Expr) processes() int {
	is := 0
	switch e.Op {
	case Of, Same:
		is = 1<<e.I | 1<<e.J
	case Correct, Crashed:
		is = 1 << e.I
	}
	for _, a := range e.Args {
		is |= a.processes()
	}
	return is
}

// sorted gives the processes among P, Q, R that are known to be processes by their position: not
// only beside an equality sign.
func (e Expr) sorted() int {
	if e.Op == Same {
		return 0
	}
	if len(e.Args) == 0 {
		return e.processes()
	}
	is := 0
	for _, a := range e.Args {
		is |= a.sorted()
	}
	return is
}

// Recurs reports whether a process reaches a task of this kind again and again.
func (a *Algorithm) Recurs(k Kind) bool {
	at := a.Start
	for range a.Tasks {
		at = a.Tasks[at].Next
	}
	for range a.Tasks {
		if a.Tasks[at].Kind == k {
			return true
		}
		at = a.Tasks[at].Next
	}
	return false
}

// Text is the algorithm in the language, without properties and instances.
func (a *Algorithm) Text() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	timing := map[Timing]string{Synchrony: "synchrony", Asynchrony: "asynchrony"}[a.Timing]
	if a.Timing == PartialSynchrony {
		line("immutable constant %s: int\nimmutable constant %s: int\naxiom %s >= 0 & %s >= 1",
			a.DeltaName, a.PhiName, a.DeltaName, a.PhiName)
		timing = fmt.Sprintf("partial_synchrony(%s, %s)", a.DeltaName, a.PhiName)
		if a.HasGst {
			line("immutable constant %s: int\naxiom %s >= 0", a.GstName, a.GstName)
			timing = fmt.Sprintf("partial_synchrony(%s, %s, %s)", a.DeltaName, a.PhiName, a.GstName)
		}
	}
	if a.HasCopies {
		line("immutable constant %s: int\naxiom %s >= 1", a.CopiesName, a.CopiesName)
	}
	for _, c := range a.Constants {
		line("immutable constant %s: int", c.Name)
	}
	line("algorithm generated {")
	for _, m := range a.Messages {
		line("  message %s", m)
	}
	for _, v := range a.Variables {
		sort := "bool"
		if !v.Bool {
			sort = fmt.Sprintf("%d..%d", v.Lo, v.Hi)
		}
		line("  var %s: %s = %s", v.Name, sort, v.Init)
	}
	line("  timing %s", timing)
	if a.HasCopies {
		line("  network copies(%s)", a.CopiesName)
	}
	if a.Start != 0 {
		line("  start %s", a.Tasks[a.Start].Loc)
	}
	if a.Sender != 0 {
		line("  sender starts %s", a.Tasks[a.Sender-1].Loc)
	}
	for i, t := range a.Tasks {
		head := map[Kind]string{Send: "send ", Receive: "receive", Compute: "compute"}[t.Kind]
		if t.Kind == Send {
			head += a.Messages[t.Message]
		}
		then := ""
		if t.Next != (i+1)%len(a.Tasks) {
			then = " then " + a.Tasks[t.Next].Loc
		}
		line("  %s at %s%s {", head, t.Loc, then)
		printBody(&b, "    ", t.Body)
		line("  }")
	}
	line("}")
	return b.String()
}

func printBody(b *strings.Builder, indent string, body []Stmt) {
	for _, s := range body {
		switch {
		case s.Let != "":
			fmt.Fprintf(b, "%slet %s = %s;\n", indent, s.Let, s.Value)
		case s.Var != "":
			fmt.Fprintf(b, "%s%s := %s;\n", indent, s.Var, s.Value)
		default:
			fmt.Fprintf(b, "%sif %s {\n", indent, s.Value)
			printBody(b, indent+"  ", s.Then)
			if len(s.Else) > 0 {
				fmt.Fprintf(b, "%s} else {\n", indent)
				printBody(b, indent+"  ", s.Else)
			}
			fmt.Fprintf(b, "%s}\n", indent)
		}
	}
}

// environment gives names their values in a task: nextVal of section 3.1 is a body run in it.
type environment struct {
	values   map[string]int
	received map[string]bool
}

func (env environment) run(body []Stmt) {
	shadowed := map[string]*int{}
	for _, s := range body {
		value := env.value(s.Value)
		switch {
		case s.Let != "":
			if _, again := shadowed[s.Let]; !again {
				shadowed[s.Let] = nil
				if before, ok := env.values[s.Let]; ok {
					shadowed[s.Let] = &before
				}
			}
			env.values[s.Let] = value
		case s.Var != "":
			env.values[s.Var] = value
		case value != 0:
			env.run(s.Then)
		default:
			env.run(s.Else)
		}
	}
	for name, before := range shadowed {
		if before == nil {
			delete(env.values, name)
		} else {
			env.values[name] = *before
		}
	}
}

func (env environment) value(e Expr) int {
	switch e.Op {
	case Number, Truth:
		return e.Value
	case Name:
		v, ok := env.values[e.Name]
		if !ok {
			panic("no value for " + e.Name)
		}
		return v
	case Received:
		return bit(env.received[e.Name])
	}
	return e.apply(env.value)
}

// apply evaluates an operator that is no name and not temporal; value evaluates its arguments.
func (e Expr) apply(value func(Expr) int) int {
	x := value(e.Args[0])
	if e.Op == Not {
		return 1 - x
	}
	y := value(e.Args[1])
	switch e.Op {
	case And:
		return x & y
	case Or:
		return x | y
	case Implies:
		return (1 - x) | y
	case Iff, Equal:
		return bit(x == y)
	case Less:
		return bit(x < y)
	case AtMost:
		return bit(x <= y)
	case Plus:
		return x + y
	case Minus:
		return x - y
	case If:
		if x != 0 {
			return y
		}
		return value(e.Args[2])
	}
	panic("no operator " + string(e.Op))
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
