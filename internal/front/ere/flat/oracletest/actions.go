package oracletest

import (
	"fmt"
	"slices"
	"strings"
)

func (g *generator) action(name string) {
	var params []string
	c := context{}
	for range g.Intn(3) {
		p := g.name("p")
		t := g.typ(1, true)
		if t.size() > 6 {
			continue
		}
		in := ""
		if g.one(3) {
			s := &typ{kind: pick(g, set, seq), parts: []*typ{t}, bound: 2}
			for _, src := range g.sources(s, 1, context{}) {
				if len(src.guards) == 0 {
					in = src.text
				}
			}
		}
		if c = c.with(p, t); in != "" {
			params = append(params, p+" in "+in)
		} else {
			params = append(params, p+": "+t.text())
		}
	}
	g.line("action %s(%s) {", name, strings.Join(params, ", "))
	g.block("  ", 2, c)
	g.line("}")
}

func (g *generator) block(indent string, depth int, c context) {
	for range 1 + g.Intn(2) {
		c = g.statement(indent, depth, c)
	}
}

func (g *generator) statement(indent string, depth int, c context) context {
	name := g.name("b")
	c.partial = g.one(6)
	more := indent + "  "
	switch n := g.Intn(12); {
	case n == 0 && depth > 0:
		g.line("%srequire %s;", indent, g.expr(boolType, 2, c))
	case n == 1 && depth > 0:
		g.line("%sif %s {", indent, g.expr(boolType, 1, c))
		g.block(more, depth-1, c)
		if g.one(2) {
			g.line("%s} else {", indent)
			g.block(more, depth-1, c)
		}
		g.line("%s}", indent)
	case n == 2:
		t := g.typ(2, false)
		g.line("%slet %s: %s = %s;", indent, name, t.text(), g.expr(t, 2, c.safe()))
		return c.with(name, t)
	case n == 3 && depth > 0:
		t := g.typ(1, true)
		if t.size() > 6 {
			break
		}
		s := &typ{kind: pick(g, set, seq), parts: []*typ{t}, bound: 2}
		of := ": " + t.text()
		if g.one(2) {
			of = " in " + g.known(s, 1, c)
		}
		such := ""
		if g.one(2) {
			such = " with " + g.expr(boolType, 1, c.safe().with(name, t))
		}
		if g.one(2) {
			g.line("%schoose %s%s%s;", indent, name, of, such)
			return c.with(name, t)
		}
		g.line("%schoose %s%s%s {", indent, name, of, such)
		g.block(more, depth-1, c.with(name, t))
		g.line("%s}", indent)
	case n == 4 && depth > 0:
		g.matchStatement(indent, depth, c)
	case n == 5 && depth > 0:
		g.kept(indent, c)
	default:
		g.assignment(indent, c)
	}
	return c
}

// assignment assigns to a symbol or to a part of it. A sequence keeps to its bound, nearly always.
func (g *generator) assignment(indent string, c context) {
	f := pick(g, g.symbols[1:]...)
	target := f.name
	capital := false
	base := c
	if len(f.args) > 0 {
		arg := g.expr(f.args[0], 1, c.safe())
		if capital = g.one(4); capital {
			arg = g.name("X")
			c = c.with(arg, f.args[0])
		}
		target += "(" + arg + ")"
	}
	t := f.typ
	var guards []string
	for g.one(2) {
		c := c
		c.vars = base.vars
		switch t.kind {
		case record, tuple:
			i := g.Intn(2)
			target, t = target+"."+t.fields[i], t.parts[i]
			continue
		case seq:
			i := g.index(base)
			if !c.partial {
				guards = append(guards, fmt.Sprintf("1 <= %s & %s <= size(%s)", i, i, target))
			}
			target, t = target+"["+i+"]", t.parts[0]
			continue
		case mapping:
			k := g.argument(t.parts[0], 0, c)
			if !c.partial {
				guards = append(guards, fmt.Sprintf("%s in keys(%s)", k, target))
			}
			target, t = target+"["+k+"]", t.parts[1]
			continue
		}
		break
	}
	if !capital && t.finite() && t.size() <= 12 && g.one(4) {
		if len(guards) > 0 {
			g.line("%srequire %s;", indent, strings.Join(guards, " & "))
		}
		g.line("%s%s := *;", indent, target)
		return
	}
	value := g.expr(t, 2, c)
	if g.one(2) {
		value = g.change(t, target, c)
	}
	guards = append(guards, g.fits(t, value)...)
	if capital && len(guards) > 0 {
		return
	}
	g.set(indent, target, value, guards)
}

// fits says that a sequence keeps to its bound.
func (g *generator) fits(t *typ, value string) []string {
	name := g.name("e")
	if fits := t.fits(name); len(fits) > 0 {
		return []string{fmt.Sprintf("(let %s: %s = %s in %s)", name, t.text(), value,
			strings.Join(fits, " & "))}
	}
	return nil
}

func (g *generator) set(indent, target, value string, guards []string) {
	if len(guards) > 0 {
		g.line("%srequire %s;", indent, strings.Join(guards, " & "))
	}
	g.line("%s%s := %s;", indent, target, value)
}

// kept names the value of a symbol, assigns to the symbol, and uses the name, which keeps the value
// from before. At times it assigns before that, too, or tells the cases of the value apart.
func (g *generator) kept(indent string, c context) {
	f := pick(g, g.symbols[1:]...)
	c = c.safe()
	target := f.name
	if len(f.args) > 0 {
		target += "(" + g.expr(f.args[0], 0, c) + ")"
	}
	change := func(indent string, c context) {
		value := g.expr(f.typ, 1, c)
		g.set(indent, target, value, g.fits(f.typ, value))
	}
	if g.one(2) {
		change(indent, c)
	}
	if cases := f.typ.constructors(); cases != nil && g.one(2) {
		g.line("%smatch %s {", indent, target)
		for _, k := range cases {
			text, inner := g.arm(k, c)
			g.line("%s  %s {", indent, text)
			change(indent+"    ", c)
			change(indent+"    ", inner)
			g.line("%s  }", indent)
		}
		g.line("%s}", indent)
		return
	}
	name := g.name("k")
	g.line("%slet %s: %s = %s;", indent, name, f.typ.text(), target)
	change(indent, c)
	g.set(indent, target, name, nil)
}

// change is the old value of a target with a small change.
func (g *generator) change(t *typ, old string, c context) string {
	switch t.kind {
	case seq:
		return fmt.Sprintf("append(%s, %s)", old, g.expr(t.parts[0], 1, c))
	case set:
		return fmt.Sprintf("%s %s %s", old, pick(g, "with", "with", "without"),
			g.expr(t.parts[0], 1, c))
	case mapping:
		return fmt.Sprintf("%s with [%s: %s]", old, g.expr(t.parts[0], 1, c.safe()),
			g.expr(t.parts[1], 1, c))
	case record:
		i := g.Intn(2)
		return fmt.Sprintf("%s with {%s: %s}", old, t.fields[i], g.expr(t.parts[i], 1, c))
	}
	return g.expr(t, 1, c)
}

// fits says that the sequences in a value keep to their bounds.
func (t *typ) fits(value string) (out []string) {
	switch t.kind {
	case seq:
		most := t.bound
		if most == 0 {
			most = 3
		}
		name := "e" + fmt.Sprint(len(value))
		out = append(out, fmt.Sprintf("size(%s) <= %d", value, most))
		for _, inner := range t.parts[0].fits(name) {
			out = append(out, fmt.Sprintf("(forall %s in %s. %s)", name, value, inner))
		}
	case record, tuple:
		for i, f := range t.fields {
			out = append(out, t.parts[i].fits("("+value+")."+f)...)
		}
	case option, variant:
		for _, k := range t.constructors() {
			for i, f := range k.fields {
				if t.kind == option || t.unique(f) {
					for _, fit := range k.parts[i].fits("(" + value + ")." + f) {
						out = append(out, fmt.Sprintf("((%s) is %s -> %s)", value, k.name, fit))
					}
				}
			}
		}
	case mapping:
		name := "e" + fmt.Sprint(len(value))
		for _, inner := range t.parts[1].fits("(" + value + ")[" + name + "]") {
			out = append(out, fmt.Sprintf("(forall %s in keys(%s). %s)", name, value, inner))
		}
	}
	return out
}

// finite reports whether all values of a type can be listed.
func (t *typ) finite() bool {
	parts := slices.Clone(t.parts)
	for _, c := range t.cases {
		parts = append(parts, c.parts...)
	}
	return t.kind != integer && (t.kind != seq || t.bound > 0) &&
		!slices.ContainsFunc(parts, func(p *typ) bool { return !p.finite() })
}
