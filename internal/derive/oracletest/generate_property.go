package oracletest

import (
	"fmt"
	"math/rand"
)

// property makes a formula of processes: of one process, of P and Q in the form that a sender and a
// receiver decide, of P and Q in any form, or of three processes.
func (g *generator) property() Expr {
	p := &formulas{generator: g, form: g.Intn(12) - 2}
	var out Expr
	switch n := g.Intn(10); {
	case n < 5:
		out = p.guarded(p.formula(1 + g.Intn(2)))
	case n < 7:
		out = Expr{Op: Eventually,
			Args: []Expr{{Op: Always, Args: []Expr{p.guarded(p.formula(1))}}}}
	default:
		out = p.temporal(3)
		if !out.Temporal() {
			out = Expr{Op: Eventually, Args: []Expr{out}}
		}
	}
	if p.form > 0 && g.chance(40) {
		out = Expr{Op: Implies, Args: []Expr{{Op: Not, Args: []Expr{{Op: Same, I: 0, J: 1}}}, out}}
	}
	return out
}

// formulas makes the parts of a property.
type formulas struct {
	*generator
	form      int // 0 for one process, from 7 on P and Q in any order
	temporals int // operators so far
}

func (p *formulas) atom() Expr {
	i, j := 0, 1
	switch {
	case p.form == 0:
		i, j = 0, 0
	case p.form >= 7 && p.chance(50):
		i, j = p.Intn(2), p.Intn(2)
	}
	if p.shape.Three && p.chance(40) {
		i, j = p.Intn(3), p.Intn(3)
	}
	if p.chance(35) {
		return Expr{Op: []Op{Correct, Crashed}[p.Intn(2)], I: []int{i, j}[p.Intn(2)]}
	}
	v := p.a.Variables[p.Intn(len(p.a.Variables))]
	return p.test(v, Expr{Op: Of, Name: v.Name, I: i, J: j})
}

func (p *formulas) formula(depth int) Expr {
	if depth == 0 || p.chance(25) {
		return p.atom()
	}
	op := []Op{And, Or, Implies, Implies, Or, Not, Iff}[p.Intn(7)]
	args := []Expr{p.formula(depth - 1), p.formula(depth - 1)}
	if op == Not {
		args = args[:1]
	}
	return Expr{Op: op, Args: args}
}

func (p *formulas) temporal(depth int) Expr {
	if depth == 0 || p.temporals == 3 {
		return p.formula(1)
	}
	sub := func() Expr { return p.temporal(depth - 1) }
	n := p.Intn(10)
	if n >= 7 {
		return Expr{Op: []Op{And, Or, Implies}[n-7], Args: []Expr{sub(), sub()}}
	}
	p.temporals++
	switch n {
	case 0, 1:
		return Expr{Op: Always, Args: []Expr{sub()}}
	case 2, 3, 4:
		return Expr{Op: Eventually, Args: []Expr{sub()}}
	case 5:
		return Expr{Op: Until, Args: []Expr{sub(), sub()}}
	}
	p.temporals++
	return Expr{Op: LeadsTo, Args: []Expr{p.formula(1), p.formula(1)}}
}

// guarded is a formula, often under a condition on who is correct.
func (p *formulas) guarded(f Expr) Expr {
	correct := func(i int) Expr { return Expr{Op: Correct, I: i} }
	crash := Expr{Op: Crashed, I: 1}
	guards := []Expr{
		correct(0), {Op: And, Args: []Expr{correct(0), correct(1)}},
		{Op: And, Args: []Expr{correct(0), crash}}, crash,
		{Op: Not, Args: []Expr{{Op: Same, I: 0, J: 1}}},
	}
	if p.form == 0 {
		guards = guards[:1]
	}
	if p.chance(60) {
		f = Expr{Op: Implies, Args: []Expr{guards[p.Intn(len(guards))], f}}
	}
	return f
}

// Reduction is a property that begins with `eventually always`, and the rule that is to prove it.
type Reduction struct {
	Property
	By    string // a variable, or empty for a number of rounds after the crash
	Bound int
}

// Text is the property and its reduction in the language.
func (r Reduction) Text() string {
	if r.By == "" {
		return fmt.Sprintf("%sreduce [%s] within %d\n", r.Property.Text(), r.Name, r.Bound)
	}
	return fmt.Sprintf("%sreduce [%s] by %s until %d\n", r.Property.Text(), r.Name, r.By, r.Bound)
}

// Reductions makes properties of the forms that can be reduced to properties of states.
func Reductions(r *rand.Rand, c *Case) (out []Reduction) {
	g := &generator{Rand: r, a: c.Algorithm}
	correct := Expr{Op: Correct}
	for i := range 4 {
		v := c.Variables[g.Intn(len(c.Variables))]
		body := g.test(v, Expr{Op: Of, Name: v.Name, J: 1})
		if g.chance(30) {
			w := c.Variables[g.Intn(len(c.Variables))]
			body = Expr{Op: []Op{Or, And}[g.Intn(2)],
				Args: []Expr{body, g.test(w, Expr{Op: Of, Name: w.Name, J: 1})}}
		}
		x := Reduction{Bound: g.Intn(12) - 1}
		peer := Expr{Op: Crashed, I: 1}
		if by := c.Variables[g.Intn(len(c.Variables))]; !by.Bool && g.chance(70) {
			x.By, x.Bound = by.Name, by.Lo+g.Intn(by.Hi-by.Lo+2)
			peer.Op = Correct
		}
		guarded := Expr{Op: Implies, Args: []Expr{{Op: And, Args: []Expr{correct, peer}}, body}}
		x.Property = Property{Name: fmt.Sprintf("r%d", i),
			Formula: Expr{Op: Eventually, Args: []Expr{{Op: Always, Args: []Expr{guarded}}}}}
		out = append(out, x)
	}
	return out
}
