package oracletest

import (
	"fmt"
	"strings"
)

type variable struct {
	name string
	typ  *typ
}

// context is what surrounds an expression.
type context struct {
	vars []variable
	// The expression may have no value: the last element of a sequence that may be empty. Otherwise
	// it asks first.
	partial bool
	pure    bool // of a definition: fewer symbols
}

func (c context) with(name string, t *typ) context {
	c.vars = append(c.vars[:len(c.vars):len(c.vars)], variable{name, t})
	return c
}

// safe is the context of a part that may not be evaluated.
func (c context) safe() context {
	c.partial = false
	return c
}

// source is an expression that reads, with what must be true for it to have a value.
type source struct {
	text   string
	typ    *typ
	guards []string
}

// sources lists what the context has of a type: variables, symbols and their parts.
func (g *generator) sources(t *typ, depth int, c context) []source {
	var out []source
	var walk func(s source, deep int)
	walk = func(s source, deep int) {
		if s.typ.key() == t.key() {
			out = append(out, s)
		}
		if deep == 0 {
			return
		}
		with := func(text string, typ *typ, guard string) {
			n := source{text, typ, s.guards}
			if guard != "" {
				n.guards = append(n.guards[:len(n.guards):len(n.guards)], guard)
			}
			walk(n, deep-1)
		}
		switch s.typ.kind {
		case record, tuple:
			for i, f := range s.typ.fields {
				with(s.text+"."+f, s.typ.parts[i], "")
			}
		case option:
			with(s.text+".value", s.typ.parts[0], s.text+" is some")
		case variant:
			for _, k := range s.typ.cases {
				for i, f := range k.fields {
					if s.typ.unique(f) {
						with(s.text+"."+f, k.parts[i], s.text+" is "+k.name)
					}
				}
			}
		case seq:
			some := "size(" + s.text + ") > 0"
			with("first("+s.text+")", s.typ.parts[0], some)
			with("last("+s.text+")", s.typ.parts[0], some)
			i := g.index(c)
			with(s.text+"["+i+"]", s.typ.parts[0],
				fmt.Sprintf("1 <= %s & %s <= size(%s)", i, i, s.text))
		case mapping:
			k := g.argument(s.typ.parts[0], 0, c)
			with(s.text+"["+k+"]", s.typ.parts[1], fmt.Sprintf("%s in keys(%s)", k, s.text))
		}
	}
	for _, v := range c.vars {
		walk(source{v.name, v.typ, nil}, 3)
	}
	for _, f := range g.symbols {
		text := f.name
		if len(f.args) > 0 {
			text += "(" + g.argument(f.args[0], depth-2, c) + ")"
		}
		walk(source{text, f.typ, nil}, 3)
	}
	return out
}

// argument is an expression for a place that every reading of the state has.
func (g *generator) argument(t *typ, depth int, c context) string {
	if depth > 0 {
		return g.expr(t, depth, c.safe())
	}
	for _, v := range c.vars {
		if v.typ.key() == t.key() && g.one(2) {
			return v.name
		}
	}
	return g.literal(t, 1)
}

// unique reports whether one constructor only has a field.
func (t *typ) unique(field string) bool {
	n := 0
	for _, c := range t.cases {
		for _, f := range c.fields {
			if f == field {
				n++
			}
		}
	}
	return n == 1
}

// index is a number for a position.
func (g *generator) index(c context) string {
	for _, v := range c.vars {
		if v.typ.kind == number && g.one(2) {
			return v.name
		}
	}
	return pick(g, "1", "1", "2")
}

// expr is an expression of a type.
func (g *generator) expr(t *typ, depth int, c context) string {
	if depth <= 0 || g.one(3) {
		return g.leaf(t, depth, c)
	}
	switch g.Intn(10) {
	case 0:
		return fmt.Sprintf("(if %s then %s else %s)", g.expr(boolType, depth-1, c),
			g.expr(t, depth-1, c), g.expr(t, depth-1, c))
	case 1:
		of := g.typ(2, false)
		name := g.name("l")
		return fmt.Sprintf("(let %s: %s = %s in %s)", name, of.text(),
			g.expr(of, depth-1, c.safe()), g.expr(t, depth-1, c.with(name, of)))
	case 2:
		if m := g.matching(t, depth, c); m != "" {
			return m
		}
	case 3:
		if d := g.call(t, depth, c); d != "" {
			return d
		}
	}
	return g.operation(t, depth, c)
}

// leaf is a part of the state, or a literal.
func (g *generator) leaf(t *typ, depth int, c context) string {
	if list := g.sources(t, depth, c); len(list) > 0 && !g.one(4) {
		s := pick(g, list...)
		if len(s.guards) == 0 || c.partial {
			return s.text
		}
		return fmt.Sprintf("(if %s then %s else %s)", strings.Join(s.guards, " & "), s.text,
			g.literal(t, 1))
	}
	return g.literal(t, depth)
}

// literal is a value.
func (g *generator) literal(t *typ, depth int) string {
	return g.build(t, depth, func(p *typ) string { return g.literal(p, depth-1) })
}

// build makes a value of parts.
func (g *generator) build(t *typ, depth int, part func(*typ) string) string {
	parts := func() (out []string) {
		for i, p := range t.parts {
			text := part(p)
			if t.kind == record {
				text = t.fields[i] + ": " + text
			}
			out = append(out, text)
		}
		return out
	}
	several := func(n int, text func() string) string {
		var out []string
		for range g.Intn(n) {
			out = append(out, text())
		}
		return strings.Join(out, ", ")
	}
	switch t.kind {
	case boolean:
		return pick(g, "true", "false")
	case number, integer:
		return pick(g, "0", "1", "2")
	case named:
		switch t.name {
		case "color":
			return pick(g, "red", "green")
		case "string":
			return pick(g, `"red"`, `"at work"`)
		}
		return g.node()
	case record:
		return "{" + strings.Join(parts(), ", ") + "}"
	case tuple:
		return "(" + strings.Join(parts(), ", ") + ")"
	case option:
		if g.one(2) {
			return "none"
		}
		return "some(" + parts()[0] + ")"
	case set:
		return "{" + several(3, func() string { return part(t.parts[0]) }) + "}"
	case seq:
		return "[" + several(3, func() string { return part(t.parts[0]) }) + "]"
	case mapping:
		entries := several(3, func() string { return part(t.parts[0]) + ": " + part(t.parts[1]) })
		if entries == "" {
			return "[:]"
		}
		return "[" + entries + "]"
	}
	k := pick(g, t.cases...)
	if len(k.parts) == 0 {
		return k.name
	}
	var args []string
	for _, p := range k.parts {
		args = append(args, part(p))
	}
	return k.name + "(" + strings.Join(args, ", ") + ")"
}

// node is an element of the sort, which has no literals.
func (g *generator) node() string { return "start" }

func (g *generator) call(t *typ, depth int, c context) string {
	for _, d := range g.definitions {
		if d.typ.key() == t.key() && (!d.deep || c.partial) && g.one(2) {
			var args []string
			for _, a := range d.args {
				args = append(args, g.expr(a, depth-1, c.safe()))
			}
			return d.name + "(" + strings.Join(args, ", ") + ")"
		}
	}
	return ""
}

// operation applies an operator that gives a type.
func (g *generator) operation(t *typ, depth int, c context) string {
	sub := func(t *typ) string { return g.expr(t, depth-1, c) }
	same := func() string { return sub(t) }
	part := func(i int) string { return g.expr(t.parts[i], depth-1, c.safe()) }
	switch t.kind {
	case boolean:
		return g.formula(depth, c)
	case number:
		return g.numeric(depth, c)
	case record:
		i := g.Intn(2)
		return fmt.Sprintf("(%s with {%s: %s})", same(), t.fields[i],
			part(i))
	case set:
		return g.setOperation(t, depth, c)
	case seq:
		return g.seqOperation(t, depth, c)
	case mapping:
		if g.one(3) {
			return fmt.Sprintf("(%s without %s)", same(), part(0))
		}
		if g.one(2) {
			return g.mapEach(t, depth, c)
		}
		return fmt.Sprintf("(%s with [%s: %s])", same(), part(0), part(1))
	}
	return g.build(t, depth, func(p *typ) string { return g.expr(p, depth-1, c.safe()) })
}

func (g *generator) numeric(depth int, c context) string {
	sub := func() string { return g.expr(numberType, depth-1, c) }
	switch g.Intn(6) {
	case 0:
		return fmt.Sprintf("min(%s + %s, 2)", sub(), sub())
	case 1:
		return fmt.Sprintf("max(%s - 1, 0)", sub())
	case 2:
		return fmt.Sprintf("%s(%s, %s)", pick(g, "min", "max"), sub(), sub())
	case 3:
		s := &typ{kind: pick(g, set, mapping), parts: []*typ{g.typ(1, true), numberType}}
		if s.kind == set {
			s.parts = s.parts[:1]
		}
		return fmt.Sprintf("min(size(%s), 2)", g.known(s, depth, c))
	case 4:
		return g.fold(depth, c)
	}
	s := &typ{kind: seq, parts: []*typ{g.typ(1, false)}, bound: 2}
	return fmt.Sprintf("min(size(%s), 2)", g.expr(s, depth-1, c))
}

func (g *generator) setOperation(t *typ, depth int, c context) string {
	e := t.parts[0]
	sub := func(t *typ) string { return g.expr(t, depth-1, c.safe()) }
	name := g.name("x")
	switch g.Intn(8) {
	case 0, 1:
		return fmt.Sprintf("(%s %s %s)", sub(t), pick(g, "with", "without"), sub(e))
	case 2, 3:
		return fmt.Sprintf("(%s %s %s)", sub(t), pick(g, "union", "intersect", "minus"), sub(t))
	case 4:
		inner := c.safe().with(name, e)
		return fmt.Sprintf("{%s for %s in %s if %s}", name, name, g.known(t, depth-1, c),
			g.expr(boolType, depth-1, inner))
	case 5:
		s := &typ{kind: pick(g, set, seq), parts: []*typ{g.typ(1, true)}, bound: 2}
		inner := c.safe().with(name, s.parts[0])
		return fmt.Sprintf("{%s for %s in %s}", g.expr(e, depth-1, inner), name,
			g.known(s, depth-1, c))
	case 6:
		inner := c.safe().with(name, e)
		return fmt.Sprintf("{%s for %s: %s if %s}", name, name, e.text(),
			g.expr(boolType, depth-1, inner))
	}
	s := &typ{kind: seq, parts: []*typ{e}, bound: 2}
	if e.kind == number && g.one(2) {
		s.parts[0] = g.typ(1, false)
		return fmt.Sprintf("positions(%s)", g.expr(s, depth-1, c))
	}
	if g.one(2) {
		return fmt.Sprintf("elements(%s)", sub(s))
	}
	return fmt.Sprintf("keys(%s)", sub(&typ{kind: mapping, parts: []*typ{e, g.typ(1, false)}}))
}

func (g *generator) seqOperation(t *typ, depth int, c context) string {
	s := g.expr(t, depth-1, c)
	n := pick(g, "0", "1", "1", g.expr(numberType, depth-1, c.safe()))
	var text, guard string
	switch g.Intn(7) {
	case 0, 1:
		return fmt.Sprintf("append(%s, %s)", s, g.expr(t.parts[0], depth-1, c.safe()))
	case 2:
		return fmt.Sprintf("concat(%s, %s)", s, g.expr(t, depth-1, c))
	case 3:
		text = fmt.Sprintf("%s(%s)", pick(g, "tail", "front"), s)
		guard = fmt.Sprintf("size(%s) > 0", s)
	case 4:
		text = fmt.Sprintf("prefix(%s, %s)", s, n)
		guard = fmt.Sprintf("%s <= size(%s)", n, s)
	case 5:
		text = fmt.Sprintf("suffix(%s, %s)", s, n)
		guard = fmt.Sprintf("1 <= %s & %s <= size(%s) + 1", n, n, s)
	case 6:
		if g.one(2) {
			text = fmt.Sprintf("slice(%s, 1, %s)", s, n)
			guard = fmt.Sprintf("%s <= size(%s)", n, s)
			break
		}
		text = fmt.Sprintf("(%s with [%s: %s])", s, n, g.expr(t.parts[0], depth-1, c.safe()))
		guard = fmt.Sprintf("1 <= %s & %s <= size(%s)", n, n, s)
	}
	if c.partial {
		return text
	}
	return fmt.Sprintf("(if %s then %s else %s)", guard, text, g.literal(t, 1))
}

// formula is a formula.
func (g *generator) formula(depth int, c context) string {
	sub := func(t *typ) string { return g.expr(t, depth-1, c) }
	t := g.typ(2, false)
	name := g.name("x")
	switch g.Intn(14) {
	case 12:
		s := func() string {
			return g.known(&typ{kind: set, parts: []*typ{g.typ(1, true)}}, depth, c)
		}
		return fmt.Sprintf("(size(%s) %s size(%s) %s %d)", s(), pick(g, "<", "<=", ">", ">=", "="),
			s(), pick(g, "+", "-"), g.Intn(3))
	case 0:
		return fmt.Sprintf("(%s %s %s)", sub(boolType), pick(g, "&", "|", "->", "<->"),
			sub(boolType))
	case 1:
		return "!(" + sub(boolType) + ")"
	case 2, 3:
		return fmt.Sprintf("(%s %s %s)", g.known(t, depth, c), pick(g, "=", "!="), sub(t))
	case 4:
		return fmt.Sprintf("(%s %s %s)", sub(numberType), pick(g, "<", "<=", ">", ">="),
			sub(numberType))
	case 5:
		s := &typ{kind: pick(g, set, seq), parts: []*typ{g.typ(1, true)}, bound: 2}
		e := g.expr(s.parts[0], depth-1, c.safe())
		return fmt.Sprintf("(%s in %s)", e, g.known(s, depth, c))
	case 6:
		s := &typ{kind: set, parts: []*typ{g.typ(1, true)}}
		return fmt.Sprintf("(%s subset %s)", g.known(s, depth, c),
			g.expr(s, depth-1, c.safe()))
	case 7:
		s := &typ{kind: pick(g, set, set, mapping, seq), bound: 2,
			parts: []*typ{g.typ(1, true), boolType}}
		if s.kind != mapping {
			s.parts = s.parts[:1]
		}
		return fmt.Sprintf("(size(%s) %s %d)", g.known(s, depth, c),
			pick(g, "<", "<=", ">", ">=", "=", "!="), g.Intn(3))
	case 8:
		s := &typ{kind: set, parts: []*typ{nodeType}}
		return fmt.Sprintf("(size(%s) * 2 %s size(node))", g.known(s, depth, c),
			pick(g, ">", "<="))
	case 9, 10:
		e := g.typ(1, true)
		return fmt.Sprintf("(%s %s: %s. %s)", pick(g, "forall", "exists"), name, e.text(),
			g.expr(boolType, depth-1, c.with(name, e)))
	case 11:
		s := &typ{kind: pick(g, set, seq), parts: []*typ{g.typ(1, true)}, bound: 2}
		if s.kind == seq {
			s.parts[0] = g.typ(2, false)
		}
		return fmt.Sprintf("(%s %s in %s. %s)", pick(g, "forall", "exists"), name,
			g.known(s, depth, c), g.expr(boolType, depth-1, c.with(name, s.parts[0])))
	}
	v := &typ{kind: option, parts: []*typ{g.typ(1, false)}}
	for _, d := range g.types {
		if d.kind == variant && g.one(2) {
			v = d
		}
	}
	return fmt.Sprintf("(%s is %s)", g.known(v, depth, c), pick(g, v.constructors()...).name)
}

// known is an expression of which the type is plain where it stands.
func (g *generator) known(t *typ, depth int, c context) string {
	list := g.sources(t, depth, c.safe())
	for _, s := range list {
		if len(s.guards) == 0 && g.one(2) {
			return s.text
		}
	}
	name := g.name("l")
	value := g.expr(t, depth-1, c.safe())
	return fmt.Sprintf("(let %s: %s = %s in %s)", name, t.text(), value, name)
}
