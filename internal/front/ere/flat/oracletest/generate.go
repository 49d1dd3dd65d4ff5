package oracletest

import (
	"fmt"
	"math/rand"
	"strings"
)

// Kind is the form of a generated type.
type kind int

const (
	boolean kind = iota
	number       // 0..2
	integer      // int
	named        // a sort or an enum
	record
	tuple
	variant
	option
	set
	seq
	mapping
)

// typ is a generated type.
type typ struct {
	kind   kind
	name   string // of a declared type
	fields []string
	parts  []*typ
	cases  []variantCase
	bound  int // of a sequence; 0 for none
}

type variantCase struct {
	name   string
	fields []string
	parts  []*typ
}

// text is the type as the language writes it.
func (t *typ) text() string {
	if t.name != "" {
		return t.name
	}
	return t.body()
}

func (t *typ) body() string {
	parts := make([]string, len(t.parts))
	for i, p := range t.parts {
		parts[i] = p.text()
		if t.kind == record {
			parts[i] = t.fields[i] + ": " + parts[i]
		}
	}
	list := strings.Join(parts, ", ")
	switch t.kind {
	case boolean:
		return "bool"
	case number:
		return "0..2"
	case integer:
		return "int"
	case record:
		return "{ " + list + " }"
	case tuple:
		return "(" + list + ")"
	case option:
		return "option[" + list + "]"
	case set:
		return "set[" + list + "]"
	case mapping:
		return "map[" + list + "]"
	case seq:
		if t.bound > 0 {
			list += fmt.Sprintf(", %d", t.bound)
		}
		return "seq[" + list + "]"
	}
	var cases []string
	for _, c := range t.cases {
		r := &typ{kind: record, fields: c.fields, parts: c.parts}
		text := c.name
		if len(c.parts) > 0 {
			text += "(" + strings.TrimSuffix(strings.TrimPrefix(r.body(), "{ "), " }") + ")"
		}
		cases = append(cases, text)
	}
	return strings.Join(cases, " | ")
}

// key says which types are the same.
func (t *typ) key() string {
	if t.kind == named || t.kind == variant {
		return t.name
	}
	parts := make([]string, len(t.parts))
	for i, p := range t.parts {
		parts[i] = p.key()
	}
	return fmt.Sprint(t.kind, t.fields, parts)
}

// element reports whether a type can be an element or a key: its collections have few values.
func (t *typ) element() bool { return t.flat() || t.bounded() && t.size() <= mostCodes }

// mostCodes bounds the values of a type of elements with collections in them.
const mostCodes = 16

// flat reports whether a type has no collections.
func (t *typ) flat() bool {
	for _, c := range t.cases {
		for _, p := range c.parts {
			if !p.flat() {
				return false
			}
		}
	}
	for _, p := range t.parts {
		if !p.flat() {
			return false
		}
	}
	return t.kind < set
}

// size is about how many values a type has, at most a large number.
func (t *typ) size() float64 {
	product := 1.0
	for _, p := range t.parts {
		product *= p.size()
	}
	switch t.kind {
	case boolean, named:
		return 2
	case number, integer:
		return 3
	case option:
		return product + 1
	case set:
		return float64(int(1) << min(30, int(product)))
	case seq:
		return 1 + product + product*product
	case mapping:
		out := 1.0
		for range min(30, int(t.parts[0].size())) {
			out *= 1 + t.parts[1].size()
		}
		return out
	case variant:
		sum := 0.0
		for _, c := range t.cases {
			sum += (&typ{kind: record, parts: c.parts}).size()
		}
		return sum
	}
	return product
}

// generator makes the text of one file.
type generator struct {
	*rand.Rand
	out         strings.Builder
	types       []*typ // declared
	symbols     []*function
	definitions []*function
	fresh       int
	color       *typ // an enum of the file, or its strings
}

// function is a symbol or definition.
type function struct {
	name string
	args []*typ
	typ  *typ
	// deep is set for a recursive definition that calls itself more often than it says, or with a
	// measure that does not become smaller.
	deep bool
}

var (
	boolType   = &typ{kind: boolean}
	numberType = &typ{kind: number}
	nodeType   = &typ{kind: named, name: "node"}
	colorType  = &typ{kind: named, name: "color"}
	stringType = &typ{kind: named, name: "string"}
)

// Generate makes a file with structured data. Its instance is named small.
func Generate(rng *rand.Rand) string {
	g := &generator{Rand: rng}
	g.line("sort node")
	if g.color = colorType; g.one(4) {
		g.color = stringType
		g.line(`definition texts() = "red" != "at work"`)
	} else {
		g.line("enum color { red, green }")
	}
	g.declareTypes()
	g.declareSymbols()
	for i := range g.Intn(3) {
		g.definition(fmt.Sprintf("d%d", i+1))
	}
	for i := range 1 + g.Intn(3) {
		g.action(fmt.Sprintf("a%d", i+1))
	}
	for i := range 1 + g.Intn(3) {
		g.property(fmt.Sprintf("p%d", i+1))
	}
	g.line("safety [always_true] forall N:node. N = N")
	g.line("instance small { node = %d }", 1+g.Intn(2))
	return g.out.String()
}

func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(&g.out, format+"\n", args...)
}

func (g *generator) one(n int) bool { return g.Intn(n) == 0 }

func pick[T any](g *generator, from ...T) T { return from[g.Intn(len(from))] }

// name is a name that is not in use.
func (g *generator) name(prefix string) string {
	g.fresh++
	return fmt.Sprintf("%s%d", prefix, g.fresh)
}

func (g *generator) declareTypes() {
	for i := range 1 + g.Intn(3) {
		t := &typ{}
		if g.one(2) {
			t.kind = variant
			for k := range 2 + g.Intn(2) {
				c := variantCase{name: fmt.Sprintf("c%d_%d", i+1, k+1)}
				for f := range g.Intn(3) {
					c.fields = append(c.fields, fmt.Sprintf("f%d", f+1))
					c.parts = append(c.parts, g.typ(1, g.one(2)))
				}
				t.cases = append(t.cases, c)
			}
		} else {
			t = g.composite(pick(g, record, record, tuple), 1, g.one(2))
		}
		if t.size() > 500 {
			continue
		}
		t.name = fmt.Sprintf("type%d", i+1)
		g.types = append(g.types, t)
		g.line("type %s = %s", t.name, t.body())
	}
}

// typ is a type. A flat one can be an element.
func (g *generator) typ(depth int, flat bool) *typ {
	if depth == 0 || g.one(4) {
		return pick(g, boolType, numberType, nodeType, g.color)
	}
	if len(g.types) > 0 && g.one(2) {
		if t := pick(g, g.types...); !flat || t.element() {
			return t
		}
	}
	if flat && g.one(3) {
		t := g.composite(pick(g, set, seq, mapping), depth, true)
		if t.kind == seq {
			t.bound = 2
		}
		if t.element() {
			return t
		}
	}
	k := pick(g, record, tuple, option, set, seq, mapping, set, seq)
	if flat {
		k = pick(g, record, tuple, option)
	}
	return g.composite(k, depth, flat)
}

func (g *generator) composite(k kind, depth int, flat bool) *typ {
	t := &typ{kind: k}
	switch k {
	case record, tuple:
		for i := range 2 {
			t.parts = append(t.parts, g.typ(depth-1, flat))
			t.fields = append(t.fields, string(rune('g'+i)))
		}
		if k == tuple {
			t.fields = []string{"1", "2"}
		}
	case option:
		t.parts = []*typ{g.typ(depth-1, flat)}
	case set:
		t.parts = []*typ{g.typ(depth-1, true)}
	case seq:
		t.parts = []*typ{g.typ(depth-1, flat)}
		if t.bound = 2; g.one(4) {
			t.bound = 0
		}
	case mapping:
		t.parts = []*typ{g.typ(depth-1, true), g.typ(depth-1, flat)}
	}
	return t
}

func (g *generator) declareSymbols() {
	g.line("mutable constant start: node") // any element
	g.symbols = append(g.symbols, &function{name: "start", typ: nodeType})
	for i := 0; i < 4 && (i < 2 || g.one(2)); {
		f := &function{name: fmt.Sprintf("v%d", i+1), typ: g.typ(2, false)}
		if g.one(5) {
			f.typ = g.typ(0, true)
		}
		if g.one(2) {
			f.args = []*typ{pick(g, nodeType, g.color, numberType, g.typ(1, true))}
		}
		size := f.typ.size()
		for _, a := range f.args {
			size = float64(int(1)<<min(20, int(a.size()))) * size
		}
		if size > 3000 || len(f.args) > 0 && f.args[0].size() > 8 {
			continue
		}
		i++
		g.symbols = append(g.symbols, f)
		switch {
		case len(f.args) == 0 && f.typ.kind == boolean:
			g.line("mutable relation %s", f.name)
		case len(f.args) == 0:
			g.line("mutable constant %s: %s", f.name, f.typ.text())
		case f.typ.kind == boolean:
			g.line("mutable relation %s(%s)", f.name, f.args[0].text())
		default:
			g.line("mutable function %s(%s): %s", f.name, f.args[0].text(), f.typ.text())
		}
		g.initial(f, size)
	}
}

// initial gives a symbol its first value, or with few values any.
func (g *generator) initial(f *function, size float64) {
	if size <= 8 && f.typ.bounded() && g.one(3) {
		return
	}
	value := g.literal(f.typ, 2)
	target := f.name
	if len(f.args) > 0 {
		target = fmt.Sprintf("forall X:%s. %s(X)", f.args[0].text(), f.name)
	}
	if f.typ.kind == boolean {
		if value == "false" {
			target = strings.Replace(target, f.name+"(", "!"+f.name+"(", 1)
			if len(f.args) == 0 {
				target = "!" + target
			}
		}
		g.line("init %s", target)
		return
	}
	g.line("init %s = %s", target, value)
}

// bounded reports whether a type has finitely many values.
func (t *typ) bounded() bool {
	for _, c := range t.cases {
		for _, p := range c.parts {
			if !p.bounded() {
				return false
			}
		}
	}
	for _, p := range t.parts {
		if !p.bounded() {
			return false
		}
	}
	return t.kind != integer && (t.kind != seq || t.bound > 0)
}

func (g *generator) definition(name string) {
	f := &function{name: name, typ: g.typ(2, false)}
	var params []string
	c := context{pure: true}
	for range 1 + g.Intn(2) {
		t := g.typ(2, false)
		v := variable{g.name("q"), t}
		f.args = append(f.args, t)
		c.vars = append(c.vars, v)
		params = append(params, v.name+": "+t.text())
	}
	result := ": " + f.typ.text()
	if f.typ.kind == boolean {
		result = ""
	}
	body := g.expr(f.typ, 2, c)
	if g.one(3) {
		result, body = g.recursive(f, c)
		params = append([]string{"k: 0..2"}, params...)
		f.args = append([]*typ{numberType}, f.args...)
	}
	g.line("definition %s(%s)%s = %s", name, strings.Join(params, ", "), result, body)
	g.definitions = append(g.definitions, f)
}

// recursive is the result and the body of a definition that calls itself, k times within one
// another.
func (g *generator) recursive(f *function, c context) (result, body string) {
	ends, next := "depth 3", "k - 1"
	if g.one(2) {
		ends = pick(g, "measure(k)", "measure(k) depth 3", "measure(k + 1)")
	}
	if g.one(4) {
		f.deep = true
		ends = pick(g, "depth 1", "depth 2", "measure(2 - k)", "measure(k) depth 2", "measure(k)",
			"measure(k - 1)", "measure(if k = 2 then 1 else 0) depth 3")
		if ends == "measure(k)" {
			next = pick(g, "k - 2", "k", "k - 1 - k")
		}
	}
	args := []string{next}
	for _, a := range f.args {
		args = append(args, g.expr(a, 1, c))
	}
	call := fmt.Sprintf("%s(%s)", f.name, strings.Join(args, ", "))
	inner := g.name("r")
	return fmt.Sprintf(": %s %s", f.typ.text(), ends),
		fmt.Sprintf("if k = 0 then %s else (let %s: %s = %s in %s)", g.expr(f.typ, 1, c), inner,
			f.typ.text(), call, g.expr(f.typ, 2, c.with(inner, f.typ)))
}

func (g *generator) property(name string) {
	body := g.expr(boolType, 3, context{partial: g.one(3)})
	word := pick(g, "safety", "safety", "invariant")
	g.line("%s [%s] %s", word, name, body)
}
