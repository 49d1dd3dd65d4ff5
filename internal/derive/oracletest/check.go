package oracletest

import (
	"fmt"
	"math/bits"
	"strings"
)

// Property is a formula about processes P, Q, R, claimed for all processes, equal or not.
type Property struct {
	Name    string
	Formula Expr
	Form    Form
}

// Form is a way to write a property.
type Form int

// The forms. Quantifiers can be moved out of `always` and out of `eventually always`, since there
// are finitely many processes.
const (
	Free  Form = iota // P, Q and R are not bound
	Outer             // they are bound around the formula
	// they are bound within `always` and `eventually always`, if it is one of these
	Inner
	AsRun // what holds in all states is written as a property of runs
)

// Text is the property in the language.
func (p Property) Text() string {
	f := p.Formula
	kind := "safety"
	switch {
	case f.Op == LeadsTo && !f.Args[0].Temporal() && !f.Args[1].Temporal():
		kind = "liveness"
	case f.Temporal():
		kind = "temporal"
	}
	text := f.String()
	var binders []string
	for i, n := range processNames {
		if f.processes()>>i&1 == 1 {
			binders = append(binders, n+": process")
		}
	}
	forall := "forall " + strings.Join(binders, ", ") + ". "
	switch {
	case p.Form == Free && f.sorted() == f.processes() || len(binders) == 0:
	case p.Form == AsRun && kind == "safety":
		kind, text = "temporal", "always ("+text+")"
	case p.Form == Inner && f.Op == Eventually && f.Args[0].Op == Always &&
		!f.Args[0].Args[0].Temporal():
		text = "eventually always (" + forall + f.Args[0].Args[0].String() + ")"
	case p.Form == Inner && f.Op == Always && !f.Args[0].Temporal():
		text = "always (" + forall + f.Args[0].String() + ")"
	default:
		text = forall + text
	}
	return fmt.Sprintf("%s [%s] %s\n", kind, p.Name, text)
}

// Holds decides a property of all admissible sequences. By symmetry it is enough to check one
// choice of processes for each pattern of equalities between them.
func (g *Graph) Holds(p Property) bool {
	n := bits.Len(uint(p.Formula.processes()))
	var choose func(who []int) bool
	choose = func(who []int) bool {
		if len(who) == n {
			return g.HoldsOf(p.Formula, who)
		}
		known := 0
		for _, x := range who {
			known = max(known, x+1)
		}
		for x := 0; x <= known && x < g.N; x++ {
			if !choose(append(who[:len(who):len(who)], x)) {
				return false
			}
		}
		return true
	}
	return choose(nil)
}

// HoldsOf decides a property where P, Q, R are given processes.
func (g *Graph) HoldsOf(f Expr, who []int) bool {
	if !f.Temporal() {
		for c := range g.Configs {
			if g.value(f, c, who) == 0 {
				return false
			}
		}
		return true
	}
	if f.Op == Eventually && f.Args[0].Op == Always && !f.Args[0].Args[0].Temporal() {
		return g.eventuallyAlways(f.Args[0].Args[0], who)
	}
	return g.linear(f, who)
}

// value is that of a formula without temporal operators in a configuration.
func (g *Graph) value(f Expr, c int, who []int) int {
	config := g.Configs[c]
	switch f.Op {
	case Number, Truth:
		return f.Value
	case Name:
		v, ok := g.names[f.Name]
		if !ok {
			panic("no value for " + f.Name)
		}
		return v
	case Of:
		for v, x := range g.Variables {
			if x.Name == f.Name {
				return int(config[g.variable(who[f.I], who[f.J])+v]) + x.Lo
			}
		}
		panic("no variable " + f.Name)
	case Correct:
		return bit(config[g.location(who[f.I])] != crashed)
	case Crashed:
		return bit(config[g.location(who[f.I])] == crashed)
	case Same:
		return bit(who[f.I] == who[f.J])
	}
	return f.apply(func(a Expr) int { return g.value(a, c, who) })
}

// eventuallyAlways: f is true from some time on in every run, so no cycle has a configuration where
// f is false.
func (g *Graph) eventuallyAlways(f Expr, who []int) bool {
	for _, component := range components(g.Next, []int32{0}) {
		for _, c := range component {
			if g.value(f, int(c), who) == 0 {
				return false
			}
		}
	}
	return true
}

// linear decides a formula of linear temporal logic: no run satisfies its negation. A run is paired
// with guesses which of the formula's until-formulas are true at each moment. The guesses are
// consistent if a U b is true exactly where b is, or where a is and a U b is true at the next
// moment. They are right if, infinitely often, a U b is false or b is true.
func (g *Graph) linear(f Expr, who []int) bool {
	t := &tableau{g: g, who: who, index: map[string]int{}}
	root := t.normal(f)
	guesses := 1 << len(t.untils)
	node := func(c int32, guess int) int32 { return c*int32(guesses) + int32(guess) }

	// values[c*guesses+guess] has a bit for each until-formula's left and right side, and whether
	// the formula is true.
	type sides struct{ left, right int }
	at := make([]sides, len(g.Configs)*guesses)
	var initial []int32
	for c := range g.Configs {
		for guess := range guesses {
			var s sides
			for u, until := range t.untils {
				s.left |= t.value(until.Args[0], c, guess) << u
				s.right |= t.value(until.Args[1], c, guess) << u
			}
			at[node(int32(c), guess)] = s
			if c == 0 && t.value(root, c, guess) == 0 {
				initial = append(initial, node(0, guess))
			}
		}
	}
	next := make([][]int32, len(at))
	for c := range g.Configs {
		for guess := range guesses {
			from := node(int32(c), guess)
			s := at[from]
			for then := range guesses {
				if s.right|s.left&then != guess {
					continue
				}
				for _, d := range g.Next[c] {
					next[from] = append(next[from], node(d, then))
				}
			}
		}
	}
	for _, component := range components(next, initial) {
		fulfilled := 0
		for _, n := range component {
			fulfilled |= ^(int(n) % guesses) | at[n].right
		}
		if fulfilled&(guesses-1) == guesses-1 {
			return false
		}
	}
	return true
}

// tableau holds the until-formulas of a formula.
type tableau struct {
	g      *Graph
	who    []int
	untils []Expr
	index  map[string]int // of an until-formula, by its text
}

// normal rewrites a formula with `until` as its only temporal operator, and numbers the
// until-formulas.
func (t *tableau) normal(f Expr) Expr {
	args := make([]Expr, len(f.Args))
	for i, a := range f.Args {
		args[i] = t.normal(a)
	}
	not := func(e Expr) Expr { return Expr{Op: Not, Args: []Expr{e}} }
	until := func(a, b Expr) Expr {
		u := Expr{Op: Until, Args: []Expr{a, b}}
		i, known := t.index[u.String()]
		if !known {
			i = len(t.untils)
			t.index[u.String()] = i
			t.untils = append(t.untils, u)
		}
		u.Value = i
		return u
	}
	true1 := Expr{Op: Truth, Value: 1}
	switch f.Op {
	case Until:
		return until(args[0], args[1])
	case Eventually:
		return until(true1, args[0])
	case Always:
		return not(until(true1, not(args[0])))
	case LeadsTo:
		return not(until(true1,
			not(Expr{Op: Implies, Args: []Expr{args[0], until(true1, args[1])}})))
	}
	f.Args = args
	return f
}

func (t *tableau) value(f Expr, c, guess int) int {
	switch {
	case f.Op == Until:
		return guess >> f.Value & 1
	case len(f.Args) == 0:
		return t.g.value(f, c, t.who)
	}
	return f.apply(func(a Expr) int { return t.value(a, c, guess) })
}

// components are the strongly connected components of a graph that have an edge, as far as they are
// reachable (Tarjan).
func components(next [][]int32, from []int32) (out [][]int32) {
	const unseen, done = 0, -1
	// unseen, done, or the least number on the stack that is known to be reachable
	low := make([]int32, len(next))
	order := make([]int32, len(next))
	type frame struct {
		node int32
		edge int
	}
	var path []frame
	var stack []int32
	count := int32(0)
	push := func(n int32) {
		count++
		low[n], order[n] = count, count
		stack = append(stack, n)
		path = append(path, frame{n, 0})
	}
	for _, root := range from {
		if low[root] != unseen {
			continue
		}
		push(root)
		for len(path) > 0 {
			top := &path[len(path)-1]
			if top.edge < len(next[top.node]) {
				to := next[top.node][top.edge]
				top.edge++
				switch low[to] {
				case unseen:
					push(to)
				case done:
				default:
					low[top.node] = min(low[top.node], order[to])
				}
				continue
			}
			n := top.node
			path = path[:len(path)-1]
			if len(path) > 0 {
				above := path[len(path)-1].node
				low[above] = min(low[above], low[n])
			}
			if low[n] != order[n] {
				continue
			}
			var component []int32
			for {
				last := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				low[last] = done
				component = append(component, last)
				if last == n {
					break
				}
			}
			if len(component) > 1 || loops(next, n) {
				out = append(out, component)
			}
		}
	}
	return out
}

func loops(next [][]int32, n int32) bool {
	for _, to := range next[n] {
		if to == n {
			return true
		}
	}
	return false
}

// Processes is the number of processes in a property.
func (p Property) Processes() int { return bits.OnesCount(uint(p.Formula.processes())) }
