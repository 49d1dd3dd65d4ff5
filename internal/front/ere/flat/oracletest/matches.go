package oracletest

import (
	"fmt"
	"slices"
	"strings"
)

func (g *generator) matching(t *typ, depth int, c context) string {
	v := matched(g)
	subject := g.name("l")
	var arms []string
	for _, k := range g.arms(v) {
		text, inner := g.arm(k, c)
		arms = append(arms, text+" -> "+g.expr(t, depth-1, inner))
	}
	return fmt.Sprintf("(let %s: %s = %s in match %s { %s })", subject, v.text(),
		g.expr(v, depth-1, c.safe()), subject, strings.Join(arms, "; "))
}

// matched is a type whose members a match tells apart.
func matched(g *generator) *typ {
	var of []*typ
	for _, d := range g.types {
		if d.kind == variant {
			of = append(of, d)
		}
	}
	v := &typ{kind: option, parts: []*typ{g.typ(1, false)}}
	if len(of) > 0 && g.one(2) {
		v = pick(g, of...)
	}
	if g.one(3) {
		v = g.color
	}
	return v
}

// arms are the cases of a match. At times the last one stands for all the others.
func (g *generator) arms(t *typ) []variantCase {
	out := slices.Clone(t.constructors())
	if g.one(3) {
		out = append(out[:1+g.Intn(len(out))], variantCase{name: "_"})
	}
	return out
}

// arm is the pattern of a case, and what is known where it applies.
func (g *generator) arm(k variantCase, c context) (text string, inner context) {
	var names []string
	for _, p := range k.parts {
		name := g.name("x")
		names = append(names, name)
		c = c.with(name, p)
	}
	if len(names) == 0 {
		return k.name, c
	}
	return k.name + "(" + strings.Join(names, ", ") + ")", c
}

func (t *typ) constructors() []variantCase {
	if t.kind == option {
		return []variantCase{{"none", nil, nil}, {"some", []string{"value"}, t.parts}}
	}
	switch t {
	case colorType:
		return []variantCase{{name: "red"}, {name: "green"}}
	case stringType:
		return []variantCase{{name: `"red"`}, {name: `"at work"`}}
	}
	return t.cases
}

func (g *generator) matchStatement(indent string, depth int, c context) {
	v := matched(g)
	name := g.name("b")
	g.line("%slet %s: %s = %s;", indent, name, v.text(), g.expr(v, 2, c.safe()))
	g.line("%smatch %s {", indent, name)
	for _, k := range g.arms(v) {
		text, inner := g.arm(k, c)
		g.line("%s  %s {", indent, text)
		g.block(indent+"    ", depth-1, inner)
		g.line("%s  }", indent)
	}
	g.line("%s}", indent)
}
