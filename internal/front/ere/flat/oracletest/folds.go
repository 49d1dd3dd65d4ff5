package oracletest

import (
	"fmt"

	"erelong.dev/erelong/internal/front/ere/syntax"
)

// many lists the values of an expression for the values of its variables.
func (e *evaluator) many(x *syntax.Expr, s *scope) (out []Value) {
	e.bind(x.Binders, s, func(s *scope) {
		if len(x.Args) == 1 || e.holds(x.Args[1], s) {
			out = append(out, e.eval(x.Args[0], s))
		}
	})
	return out
}

// fold adds numbers up, or finds the greatest or least one.
func fold(name string, values []Value) Value {
	sum := 0
	for i, v := range values {
		switch n := v.(int); {
		case name == "sum":
			sum += n
		case i == 0 || name == "max" && n > sum || name == "min" && n < sum:
			sum = n
		}
	}
	if name != "sum" && len(values) == 0 {
		panic(noValue{"nothing has a " + name})
	}
	return sum
}

// mapEach is a map of the values of its keys.
func (g *generator) mapEach(t *typ, depth int, c context) string {
	k := g.name("k")
	inner := c.with(k, t.parts[0]).safe()
	over := k + ": " + t.parts[0].text()
	if g.one(2) {
		s := &typ{kind: pick(g, set, seq), parts: t.parts[:1], bound: 2}
		over = k + " in " + g.known(s, depth, c)
	}
	text := fmt.Sprintf("[%s: %s for %s", k, g.expr(t.parts[1], depth-1, inner), over)
	if g.one(2) {
		text += " if " + g.expr(boolType, depth-1, inner)
	}
	return text + "]"
}

// fold is a sum, or a greatest or least value, at most 2.
func (g *generator) fold(depth int, c context) string {
	s := &typ{kind: pick(g, set, seq, mapping), parts: []*typ{numberType}, bound: 2}
	if s.kind == mapping {
		s.parts = []*typ{g.typ(1, true), numberType}
	}
	of := g.known(s, depth, c)
	word := pick(g, "min", "max")
	switch {
	case g.one(3):
		e := g.typ(1, true)
		s := &typ{kind: set, parts: []*typ{e}}
		x := g.name("x")
		return fmt.Sprintf("min(sum(%s for %s in %s if %s), 2)",
			g.expr(numberType, depth-1, c.with(x, e).safe()), x, g.known(s, depth, c),
			g.expr(boolType, depth-1, c.with(x, e).safe()))
	case g.one(4):
		return sumUpTo(g, depth, c)
	case g.one(2) || s.kind == mapping:
		return fmt.Sprintf("min(sum(%s), 2)", of)
	case c.partial && g.one(2):
		return fmt.Sprintf("%s(%s)", word, of)
	}
	return fmt.Sprintf("(if size(%s) > 0 then %s(%s) else 0)", of, word, of)
}

// sumUpTo is a sum over the integers up to a number of the state, or of a variable, at most 2.
func sumUpTo(g *generator, depth int, c context) string {
	end := "1"
	for _, s := range g.sources(numberType, depth, c.safe()) {
		if len(s.guards) == 0 {
			end = s.text
		}
	}
	k := g.name("k")
	inner := c.with(k, numberType).safe()
	return fmt.Sprintf("min(sum(%s for %s: int if 0 <= %s & %s <= %s & %s), 2)",
		g.expr(numberType, depth-1, inner), k, k, k, end, g.expr(boolType, depth-1, inner))
}
