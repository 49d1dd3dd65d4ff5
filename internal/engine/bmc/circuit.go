package bmc

import (
	"fmt"
	"strings"
)

// lit is a node of a circuit, or its negation: twice the number of the node, plus 1 if negated.
// Node 0 is false.
type lit int32

const (
	no  lit = 0
	yes lit = 1
)

func (l lit) not() lit      { return l ^ 1 }
func (l lit) isConst() bool { return l <= yes }

func truth(b bool) lit {
	if b {
		return yes
	}
	return no
}

type gateKind uint8

const (
	inputGate gateKind = iota // a free variable
	andGate                   // a & b
	xorGate                   // a xor b; neither is negated
	iteGate                   // if a then b else c; a is not negated
)

type gate struct {
	kind    gateKind
	a, b, c lit
}

// maxGates bounds a circuit, so that a formula over huge domains gives a message instead of filling
// the memory.
const maxGates = 1 << 24

// circuit is a growing Boolean circuit. Equal gates are one node, and constants are folded, so the
// known values in a state (such as its control location) remove what cannot happen in it. Assumed
// facts are used from then on.
type circuit struct {
	gates   []gate
	index   map[gate]lit
	known   map[lit]lit // node -> the constant that it must be
	facts   []lit       // what is assumed
	lines   []string    // the same, as commands for a solver
	printed []bool      // by node: whether lines define it
}

func newCircuit() *circuit {
	return &circuit{gates: make([]gate, 1), index: map[gate]lit{}, known: map[lit]lit{},
		printed: make([]bool, 1)}
}

func (c *circuit) add(g gate) lit {
	if len(c.gates) >= maxGates {
		panic(refusal("the grounded formulas have more than %d gates", maxGates))
	}
	c.gates = append(c.gates, g)
	c.printed = append(c.printed, false)
	return lit(2 * (len(c.gates) - 1))
}

func (c *circuit) gate(g gate) lit {
	if l, ok := c.index[g]; ok {
		return c.now(l)
	}
	l := c.add(g)
	c.index[g] = l
	return l
}

func (c *circuit) input() lit { return c.add(gate{kind: inputGate}) }

// now replaces a literal by its known constant.
func (c *circuit) now(l lit) lit {
	if k, ok := c.known[l&^1]; ok {
		return k ^ l&1
	}
	return l
}

func (c *circuit) and(a, b lit) lit {
	a, b = c.now(a), c.now(b)
	if a > b {
		a, b = b, a
	}
	switch {
	case a == no || a == b.not():
		return no
	case a == yes || a == b:
		return b
	}
	return c.gate(gate{kind: andGate, a: a, b: b})
}

func (c *circuit) or(a, b lit) lit { return c.and(a.not(), b.not()).not() }

func (c *circuit) xor(a, b lit) lit {
	a, b = c.now(a), c.now(b)
	if a > b {
		a, b = b, a
	}
	switch {
	case a.isConst():
		return b ^ a
	case a&^1 == b&^1:
		return truth(a != b)
	}
	return c.gate(gate{kind: xorGate, a: a &^ 1, b: b &^ 1}) ^ (a^b)&1
}

func (c *circuit) ite(cond, a, b lit) lit {
	cond, a, b = c.now(cond), c.now(a), c.now(b)
	if cond&1 == 1 && !cond.isConst() {
		cond, a, b = cond.not(), b, a
	}
	switch {
	case cond == yes || a == b:
		return a
	case cond == no:
		return b
	case a == b.not():
		return c.xor(cond, b)
	case a == yes || a == cond:
		return c.or(cond, b)
	case a == no || a == cond.not():
		return c.and(cond.not(), b)
	case b == no || b == cond:
		return c.and(cond, a)
	case b == yes || b == cond.not():
		return c.or(cond.not(), a)
	}
	return c.gate(gate{kind: iteGate, a: cond, b: a, c: b})
}

// assume adds a fact.
func (c *circuit) assume(l lit) {
	l = c.now(l)
	g := c.gates[l>>1]
	switch {
	case l == yes:
		return
	case l&1 == 0 && g.kind == andGate:
		c.assume(g.a)
		c.assume(g.b)
	default:
		c.facts = append(c.facts, l)
		text := c.text(l)
		c.lines = append(c.lines, "(assert "+text+")")
	}
	if l != no {
		c.known[l&^1] = yes ^ l&1
	}
}

// text prints a literal, after the definitions of the nodes below it. So only nodes that some fact
// or question needs are printed.
func (c *circuit) text(l lit) string {
	if l.isConst() {
		return fmt.Sprint(l == yes)
	}
	c.print(l >> 1)
	name := fmt.Sprintf("g%d", l>>1)
	if l&1 == 1 {
		return "(not " + name + ")"
	}
	return name
}

func (c *circuit) print(node lit) {
	if c.printed[node] {
		return
	}
	c.printed[node] = true
	g := c.gates[node]
	var head string
	var args []lit
	switch g.kind {
	case andGate:
		head, args = "and", []lit{g.a, g.b}
	case xorGate:
		head, args = "xor", []lit{g.a, g.b}
	case iteGate:
		head, args = "ite", []lit{g.a, g.b, g.c}
	}
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = c.text(c.now(a))
	}
	c.lines = append(c.lines, fmt.Sprintf("(declare-fun g%d () Bool)", node))
	if len(args) > 0 {
		c.lines = append(c.lines,
			fmt.Sprintf("(assert (= g%d (%s %s)))", node, head, strings.Join(texts, " ")))
	}
}

// inputs lists the printed free variables. The others may have any value.
func (c *circuit) inputs() (out []lit) {
	for i, g := range c.gates {
		if i > 0 && g.kind == inputGate && c.printed[i] {
			out = append(out, lit(2*i))
		}
	}
	return out
}

// evaluate gives the values of all nodes for values of the inputs.
func (c *circuit) evaluate(inputs map[lit]bool) []bool {
	values := make([]bool, len(c.gates))
	at := func(l lit) bool { return values[l>>1] != (l&1 == 1) }
	for i, g := range c.gates[1:] {
		switch v := &values[i+1]; g.kind {
		case inputGate:
			*v = inputs[lit(2*(i+1))]
		case andGate:
			*v = at(g.a) && at(g.b)
		case xorGate:
			*v = at(g.a) != at(g.b)
		case iteGate:
			*v = at(g.b)
			if !at(g.a) {
				*v = at(g.c)
			}
		}
	}
	return values
}
