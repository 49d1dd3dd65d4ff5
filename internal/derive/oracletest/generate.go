package oracletest

import (
	"fmt"
	"math/rand"
	"strings"
)

// Shape says what a generated case may have. The zero value is the simplest.
type Shape struct {
	Gst        bool // a global stabilisation time
	Untimed    bool // synchrony and asynchrony
	Names      bool // names that a derivation may use itself
	Three      bool // properties of three processes
	Starts     bool // the sender starts elsewhere
	Properties int  // how many
}

// Case is an algorithm, properties of it, and numbers for its parameters.
type Case struct {
	*Algorithm
	Properties []Property
}

// generator makes random algorithms.
type generator struct {
	*rand.Rand
	shape  Shape
	a      *Algorithm
	locals []string // of the bodies around the one being made
}

// Generate makes a case.
func Generate(r *rand.Rand, shape Shape) *Case {
	g := &generator{Rand: r, shape: shape,
		a: &Algorithm{DeltaName: "Delta", PhiName: "Phi", GstName: "Gst", CopiesName: "Copies"}}
	g.algorithm()
	c := &Case{Algorithm: g.a}
	for i := range shape.Properties {
		c.Properties = append(c.Properties,
			Property{fmt.Sprintf("p%d", i), g.property(), Form(g.Intn(4))})
	}
	return c
}

func (g *generator) one(from ...string) string { return from[g.Intn(len(from))] }
func (g *generator) chance(percent int) bool   { return g.Intn(100) < percent }

// fresh are names that a derivation may use; a user may choose them.
var fresh = []string{"K", "Self", "Age", "timer", "pc", "got", "clock", "active", "in_transit",
	"x0", "Other", "Peer", "D", "sender", "turn",
	"epc", "rpc", "spc", "sender_timer", "receiver_timer", "exists_msg", "age", "location",
	"new_age", "S", "R", "N", "M", "T", "step", "buf"}

func (g *generator) algorithm() {
	a := g.a
	names := g.Perm(len(fresh))
	name := func(usual string) string {
		if g.shape.Names && g.chance(40) && len(names) > 0 {
			usual = fresh[names[0]]
			names = names[1:]
		}
		return usual
	}
	switch {
	case g.shape.Untimed && g.chance(50):
		a.Timing = Synchrony
	case g.shape.Untimed:
		a.Timing = Asynchrony
	}
	a.HasGst = g.shape.Gst
	a.HasCopies = g.shape.Untimed && g.chance(60)
	a.DeltaName, a.PhiName, a.GstName = name("Delta"), name("Phi"), name("Gst")
	// one task of a cycle sends, and another, which is never reached, would send something else
	idle := !a.HasGst && g.chance(35)
	messages := 1 + g.Intn(2)
	if idle {
		messages = 2
	}
	for i := range messages {
		a.Messages = append(a.Messages, name(fmt.Sprintf("m%d", i)))
	}
	if g.chance(30) {
		a.Constants = append(a.Constants, Constant{name("c"), g.Intn(4) - 1})
	}
	for i := range 1 + g.Intn(2) {
		a.Variables = append(a.Variables, g.variable(name(fmt.Sprintf("x%d", i+1))))
	}
	kinds := g.kinds(idle)
	cycle := len(kinds)
	if idle {
		kinds = append(kinds, Send)
	}
	for i, k := range kinds {
		t := Task{Kind: k, Message: g.Intn(len(a.Messages)), Loc: name(fmt.Sprintf("l%d", i)),
			Next: (i + 1) % len(kinds)}
		if g.chance(25) {
			t.Next = g.Intn(len(kinds))
		}
		t.Body = g.body(k, 0)
		if k == Receive && g.chance(75) {
			t.Body = g.reaction()
		}
		a.Tasks = append(a.Tasks, t)
	}
	switch k := 1 + g.Intn(len(a.Tasks)); {
	case idle:
		g.idle(cycle)
	case g.chance(20) && k < len(a.Tasks):
		a.Tasks[k-1].Next = g.Intn(k) // most of the following tasks are unreachable
	case g.chance(20) || g.shape.Untimed && g.chance(40):
		g.once()
	case g.chance(25) || g.shape.Starts && g.chance(60):
		a.Start = g.Intn(len(a.Tasks))
	}
	if g.shape.Starts {
		a.Sender = 1 + g.Intn(len(a.Tasks))
	}
}

func (g *generator) variable(name string) Variable {
	v := Variable{Name: name, Bool: g.chance(50)}
	if v.Bool {
		v.Init = Expr{Op: Truth, Value: g.Intn(2)}
		return v
	}
	v.Lo = -g.Intn(2)
	v.Hi = v.Lo + 1 + g.Intn(2)
	v.Init = Expr{Op: Number, Value: v.Lo + g.Intn(v.Hi-v.Lo+1)}
	if c := g.a.Constants; len(c) > 0 && c[0].Value >= v.Lo && c[0].Value <= v.Hi && g.chance(70) {
		v.Init = Expr{Op: Name, Name: c[0].Name}
	}
	return v
}

// kinds are the kinds of the tasks.
func (g *generator) kinds(idle bool) []Kind {
	kinds := []Kind{Send, Receive}
	for range []int{0, 0, 1, 1, 2, 3}[g.Intn(6)] {
		kinds = append(kinds, []Kind{Send, Send, Receive, Compute}[g.Intn(4)])
	}
	if g.chance(10) {
		kinds = kinds[1:]
	}
	if idle {
		kinds = []Kind{Send, Receive, Compute}[:2+g.Intn(2)]
	}
	g.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	return kinds
}

// idle makes the first tasks a cycle that sends one message and waits for the other one, which only
// the task after the cycle sends.
func (g *generator) idle(cycle int) {
	a := g.a
	for i := range a.Tasks[:cycle] {
		a.Tasks[i].Next = (i + 1) % cycle
		a.Tasks[i].Message = 0
		if a.Tasks[i].Kind == Receive {
			heard := Expr{Op: Received, Name: a.Messages[1]}
			a.Tasks[i].Body = append(a.Tasks[i].Body,
				Stmt{Value: heard, Then: []Stmt{g.change(a.Variables[0])},
					Else: []Stmt{{Var: a.Variables[0].Name, Value: a.Variables[0].Init}}})
		}
	}
	a.Tasks[cycle].Message = 1
}

// once has processes start at a task that sends, and never come back to it or to another one. They
// count what they receive: so messages are few, and it matters where each of them is.
func (g *generator) once() {
	a, first := g.a, -1
	for i, t := range a.Tasks {
		switch {
		case t.Kind != Send:
		case first < 0:
			first = i
		default:
			a.Tasks[i].Kind = Receive
		}
	}
	if first < 0 || len(a.Tasks) == 1 {
		return
	}
	n := Variable{Name: a.Variables[0].Name, Hi: 2, Init: Expr{Op: Number}}
	value := Expr{Op: Name, Name: n.Name}
	count := []Stmt{{Value: Expr{Op: Less, Args: []Expr{value, {Op: Number, Value: 2}}},
		Then: []Stmt{{Var: n.Name, Value: Expr{Op: Plus, Args: []Expr{value,
			{Op: Number, Value: 1}}}}}}}
	a.Start, a.Variables = first, []Variable{n}
	for i, t := range a.Tasks {
		if t.Next == first {
			a.Tasks[i].Next = (first + 1) % len(a.Tasks)
		}
		a.Tasks[i].Body = nil
		if t.Kind == Receive {
			heard := Expr{Op: Received, Name: a.Messages[a.Tasks[first].Message]}
			a.Tasks[i].Body = []Stmt{{Value: heard, Then: count}}
		}
	}
}

// body makes statements. Values of ranges stay in their ranges.
func (g *generator) body(k Kind, depth int) (out []Stmt) {
	if depth == 0 {
		g.locals = nil
	}
	locals := len(g.locals)
	for range g.Intn(3) {
		switch n := g.Intn(10); {
		case n < 4 && depth < 2:
			s := Stmt{Value: g.condition(k, 1), Then: g.body(k, depth+1)}
			if g.chance(60) {
				s.Else = g.body(k, depth+1)
			}
			out = append(out, s)
		case n == 4:
			// The same name again and again: an inner one hides an outer one.
			s := Stmt{Let: g.one("was", "now1"), Value: g.condition(k, 1)}
			out = append(out, s)
			g.locals = append(g.locals, s.Let)
		default:
			out = append(out, g.assignment(k)...)
		}
	}
	if len(out) == 0 && depth > 0 {
		out = g.assignment(k)
	}
	g.locals = g.locals[:locals]
	return out
}

func (g *generator) assignment(k Kind) []Stmt {
	v := g.a.Variables[g.Intn(len(g.a.Variables))]
	self := Expr{Op: Name, Name: v.Name}
	if v.Bool {
		return []Stmt{{Var: v.Name, Value: g.condition(k, 1)}}
	}
	number := func(n int) Expr { return Expr{Op: Number, Value: n} }
	plus := Expr{Op: Plus, Args: []Expr{self, number(1)}}
	minus := Expr{Op: Minus, Args: []Expr{self, number(1)}}
	constant := number(v.Lo + g.Intn(v.Hi-v.Lo+1))
	switch g.Intn(5) {
	case 0:
		return []Stmt{{Value: Expr{Op: Less, Args: []Expr{self, number(v.Hi)}},
			Then: []Stmt{{Var: v.Name, Value: plus}}}}
	case 1:
		return []Stmt{{Value: Expr{Op: Less, Args: []Expr{number(v.Lo), self}},
			Then: []Stmt{{Var: v.Name, Value: minus}}}}
	case 2:
		return []Stmt{{Var: v.Name,
			Value: Expr{Op: If,
				Args: []Expr{{Op: Less, Args: []Expr{self, number(v.Hi)}}, plus, constant}}}}
	case 3:
		return []Stmt{{Var: v.Name,
			Value: Expr{Op: If, Args: []Expr{g.condition(k, 1), constant, self}}}}
	}
	return []Stmt{{Var: v.Name, Value: constant}}
}

// change counts a variable up, or notes something in it.
func (g *generator) change(v Variable) Stmt {
	x, one, most := Expr{Op: Name, Name: v.Name}, Expr{Op: Number, Value: 1},
		Expr{Op: Number, Value: v.Hi}
	if v.Bool {
		return Stmt{Var: v.Name, Value: Expr{Op: Truth, Value: 1 - v.Init.Value}}
	}
	return Stmt{Value: Expr{Op: Less, Args: []Expr{x, most}},
		Then: []Stmt{{Var: v.Name, Value: Expr{Op: Plus, Args: []Expr{x, one}}}}}
}

// reaction makes typical reactions of failure detectors to a receive: they count messages, record
// them or wait for them.
func (g *generator) reaction() []Stmt {
	received := func() Expr {
		return Expr{Op: Received, Name: g.a.Messages[g.Intn(len(g.a.Messages))]}
	}
	number := func(n int) Expr { return Expr{Op: Number, Value: n} }
	back := func(v Variable) Stmt { return Stmt{Var: v.Name, Value: v.Init} }
	v := g.a.Variables[g.Intn(len(g.a.Variables))]
	w := g.a.Variables[g.Intn(len(g.a.Variables))]
	switch g.Intn(5) {
	case 0: // how often something arrives
		return []Stmt{{Value: received(), Then: []Stmt{g.change(v)}}}
	case 1: // how long nothing arrives
		return []Stmt{{Value: received(), Then: []Stmt{back(v), g.change(w)},
			Else: []Stmt{g.change(v)}}}
	case 2: // one after the other
		return []Stmt{
			{Value: Expr{Op: And,
				Args: []Expr{received(), g.test(v, Expr{Op: Name, Name: v.Name})}},
				Then: []Stmt{g.change(w)}},
			{Value: received(), Then: []Stmt{g.change(v)}},
		}
	case 3: // what arrived last
		if v.Bool {
			return []Stmt{{Var: v.Name, Value: received()}}
		}
		return []Stmt{{Var: v.Name,
			Value: Expr{Op: If, Args: []Expr{received(), number(v.Hi), number(v.Lo)}}}}
	}
	return []Stmt{{Value: received(),
		Then: []Stmt{{Value: received(), Then: []Stmt{g.change(v)}, Else: []Stmt{g.change(w)}}},
		Else: g.body(Receive, 1)}}
}

// condition makes a formula for a task of this kind.
func (g *generator) condition(k Kind, depth int) Expr {
	if depth > 0 && g.chance(35) {
		op := []Op{And, Or, Implies, Iff, Not}[g.Intn(5)]
		args := []Expr{g.condition(k, depth-1), g.condition(k, depth-1)}
		if op == Not {
			args = args[:1]
		}
		return Expr{Op: op, Args: args}
	}
	if k == Receive && g.chance(50) {
		return Expr{Op: Received, Name: g.a.Messages[g.Intn(len(g.a.Messages))]}
	}
	if len(g.locals) > 0 && g.chance(30) {
		return Expr{Op: Name, Name: g.locals[g.Intn(len(g.locals))]}
	}
	v := g.a.Variables[g.Intn(len(g.a.Variables))]
	return g.test(v, Expr{Op: Name, Name: v.Name})
}

// test makes a formula of the value of a variable.
func (g *generator) test(v Variable, x Expr) Expr {
	if v.Bool {
		if g.chance(50) {
			return Expr{Op: Not, Args: []Expr{x}}
		}
		return x
	}
	to := Expr{Op: Number, Value: v.Lo + g.Intn(v.Hi-v.Lo+1)}
	if len(g.a.Constants) > 0 && g.chance(30) {
		to = Expr{Op: Name, Name: g.a.Constants[0].Name}
	}
	args := []Expr{x, to}
	if g.chance(30) {
		args = []Expr{to, x}
	}
	return Expr{Op: []Op{Equal, Less, AtMost}[g.Intn(3)], Args: args}
}

// Text is the algorithm with its properties in the language.
func (c *Case) Text() string {
	text := c.Algorithm.Text()
	for _, p := range c.Properties {
		text += p.Text()
	}
	return text
}

// Instance is the declaration of an instance with these parameters, and with n processes unless n
// is 0.
func (a *Algorithm) Instance(name string, p Parameters, n int) string {
	var items []string
	set := func(name string, value int) {
		items = append(items, fmt.Sprintf("%s = %d", name, value))
	}
	if a.Timing == PartialSynchrony {
		set(a.DeltaName, p.Delta)
		set(a.PhiName, p.Phi)
		if a.HasGst {
			set(a.GstName, p.Gst)
		}
	}
	if a.HasCopies {
		set(a.CopiesName, p.Copies)
	}
	for _, c := range a.Constants {
		set(c.Name, c.Value)
	}
	if n > 0 {
		set("process", n)
	}
	return fmt.Sprintf("instance %s { %s }\n", name, strings.Join(items, ", "))
}
