package uppaal

import (
	"fmt"
	"strconv"

	"erelong.dev/erelong/internal/diag"
)

// bail ends the parsing of a fragment after its first error, which is then in the list.
type bail struct{}

// maxDepth bounds the nesting of the text.
const maxDepth = 200

type parser struct {
	*loader
	tokens []token
	pos    int
	depth  int
}

// parse runs f over a fragment, and reports whether there was no error.
func (l *loader) parse(frag fragment, query bool, f func(*parser)) (ok bool) {
	tokens, ok := l.lex(frag, query)
	if !ok {
		return false
	}
	defer func() {
		if r := recover(); r != nil {
			if _, mine := r.(bail); !mine {
				panic(r)
			}
			ok = false
		}
	}()
	p := &parser{loader: l, tokens: tokens}
	f(p)
	if p.peek().kind != endToken {
		p.fail("%q is not expected here", p.peek().text)
	}
	return true
}

func (p *parser) peek() token       { return p.tokens[p.pos] }
func (p *parser) ahead(n int) token { return p.tokens[min(p.pos+n, len(p.tokens)-1)] }
func (p *parser) next() token {
	t := p.tokens[p.pos]
	if t.kind != endToken {
		p.pos++
	}
	return t
}
func (p *parser) is(text string) bool {
	t := p.peek()
	return t.text == text && (t.kind == opToken || t.kind == nameToken)
}
func (p *parser) accept(text string) bool {
	if p.is(text) {
		p.pos++
		return true
	}
	return false
}
func (p *parser) expect(text string) token {
	if !p.is(text) {
		t := p.peek()
		d := p.list.Errorf(diag.Syntax, p.at(t, t), "%q is expected here, not %s", text,
			t.describe())
		if text == ")" {
			d.Suggest("Close the parenthesis with ) here.")
		}
		panic(bail{})
	}
	return p.next()
}
func (t token) describe() string {
	if t.kind == endToken {
		return "the end"
	}
	return strconv.Quote(t.text)
}
func (p *parser) fail(format string, args ...any)   { p.failAs(diag.Syntax, format, args...) }
func (p *parser) refuse(format string, args ...any) { p.failAs(diag.Unsupported, format, args...) }
func (p *parser) failAs(code diag.Code, format string, args ...any) {
	t := p.peek()
	p.list.Errorf(code, p.at(t, t), "%s", fmt.Sprintf(format, args...))
	panic(bail{})
}
func (p *parser) at(a, b token) diag.Span {
	return diag.Span{Source: p.src, Start: a.start, End: b.end}
}
func (p *parser) from(a token) diag.Span { return p.at(a, p.tokens[max(p.pos-1, 0)]) }

// deeper guards the recursion of the parser.
func (p *parser) deeper() func() {
	if p.depth++; p.depth > maxDepth {
		p.failAs(diag.TooDeep, "this is nested too deeply")
	}
	return func() { p.depth-- }
}

var reserved = map[string]bool{
	"chan": true, "clock": true, "bool": true, "int": true, "commit": true, "const": true,
	"urgent": true, "broadcast": true,
	"init": true, "process": true, "state": true, "guard": true, "sync": true, "assign": true,
	"system": true, "trans": true,
	"deadlock": true, "and": true, "or": true, "not": true, "imply": true, "true": true,
	"false": true, "for": true,
	"forall": true, "exists": true, "while": true, "do": true, "if": true, "else": true,
	"return": true, "typedef": true,
	"struct": true, "rate": true, "before_update": true, "after_update": true, "meta": true,
	"priority": true,
	"progress": true, "scalar": true, "select": true, "void": true, "default": true, "sum": true,
	"double": true, "string": true,
	"gantt": true, "branchpoint": true, "probability": true, "dynamic": true, "import": true,
	"hybrid": true, "IO": true, "query": true,
}

func (p *parser) name() token {
	t := p.peek()
	if t.kind != nameToken || reserved[t.text] {
		p.fail("a name is expected here, not %s", t.describe())
	}
	return p.next()
}

// xta reads a whole XTA file.
func (p *parser) xta(s *system) {
	for p.peek().kind != endToken {
		if p.is("process") {
			s.templates = append(s.templates, p.template())
			continue
		}
		if p.systemPart(s) {
			continue
		}
		s.decls = append(s.decls, p.declaration()...)
	}
}

// systemPart reads an instantiation or the system line.
func (p *parser) systemPart(s *system) bool {
	switch {
	case p.is("system"):
		p.systemLine(s)
	case p.global(s):
	case p.is("gantt") || p.is("progress"):
		p.readOver()
	case p.peek().kind == nameToken && !reserved[p.peek().text] && p.isInstance():
		s.instances = append(s.instances, p.instance())
	default:
		return false
	}
	return true
}

// readOver skips a block about showing or exploring a model, which does not change its behaviour.
func (p *parser) readOver() {
	p.note("%s is read over: no verdict depends on it", p.peek().text)
	p.next()
	p.expect("{")
	for depth := 1; depth > 0; {
		switch t := p.next(); {
		case t.kind == endToken:
			p.fail("\"}\" is expected here, not the end")
		case t.text == "{":
			depth++
		case t.text == "}":
			depth--
		}
	}
}

// isInstance reports whether name = or name(...) = follows.
func (p *parser) isInstance() bool {
	t := p.ahead(1)
	if t.text == "=" || t.text == ":=" {
		return true
	}
	if t.text != "(" {
		return false
	}
	depth := 0
	for i := 1; ; i++ {
		switch t := p.ahead(i); {
		case t.kind == endToken:
			return false
		case t.text == "(":
			depth++
		case t.text == ")":
			if depth--; depth == 0 {
				after := p.ahead(i + 1).text
				return after == "=" || after == ":="
			}
		}
	}
}

func (p *parser) instance() *instance {
	t := p.name()
	in := &instance{name: t.text}
	if p.is("(") {
		in.params = p.params()
	}
	if !p.accept("=") {
		p.expect(":=")
	}
	in.base = p.name().text
	p.expect("(")
	for !p.is(")") {
		in.args = append(in.args, p.expression())
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	p.expect(";")
	in.span = p.from(t)
	return in
}

func (p *parser) systemLine(s *system) {
	if len(s.processes) > 0 {
		p.list.Errorf(diag.Duplicate, p.at(p.peek(), p.peek()), "there is a system line already").
			Suggest("Name all processes in one line, as in system P, Q;")
		panic(bail{})
	}
	p.expect("system")
	for rank := 0; ; {
		s.processes = append(s.processes, p.processItem())
		s.ranks = append(s.ranks, rank)
		if p.accept("<") {
			rank++
		} else if !p.accept(",") {
			break
		}
	}
	p.expect(";")
}

// channelPriorities reads levels of channels, from the lowest; a nil item stands for all unnamed
// channels.
func (p *parser) channelPriorities(s *system) {
	if s.priorities != nil {
		p.failAs(diag.Duplicate, "the priorities of channels are declared already")
	}
	t := p.next()
	p.next()
	level := []*expr{}
	for {
		if p.accept("default") {
			level = append(level, nil)
		} else {
			level = append(level, p.postfix())
		}
		if p.accept("<") {
			s.priorities, level = append(s.priorities, level), []*expr{}
		} else if !p.accept(",") {
			break
		}
	}
	s.priorities = append(s.priorities, level)
	s.prioritySpan = p.from(t)
	p.expect(";")
}

// processItem reads a name, possibly with arguments.
func (p *parser) processItem() *expr {
	t := p.name()
	e := &expr{op: "name", text: t.text, span: p.from(t)}
	if p.accept("(") {
		e = &expr{op: "call", kids: []*expr{e}}
		for !p.is(")") {
			e.kids = append(e.kids, p.expression())
			if !p.accept(",") {
				break
			}
		}
		p.expect(")")
		e.span = p.from(t)
	}
	return e
}

// declarations reads the contents of a <declaration> of an XML file.
func (p *parser) declarations(s *system) (out []*declaration) {
	for p.peek().kind != endToken {
		if s != nil && p.global(s) {
			continue
		}
		out = append(out, p.declaration()...)
	}
	return out
}

// global reads a declaration that a model may have once, and processes may not have.
func (p *parser) global(s *system) bool {
	switch {
	case p.is("chan") && p.ahead(1).text == "priority":
		p.channelPriorities(s)
	case p.is("before_update"):
		p.everyStep(&s.before)
	case p.is("after_update"):
		p.everyStep(&s.after)
	default:
		return false
	}
	return true
}

// everyStep reads the updates of every step.
func (p *parser) everyStep(into *[]*expr) {
	if *into != nil {
		p.failAs(diag.Duplicate, "%s is declared already", p.peek().text)
	}
	p.next()
	p.expect("{")
	*into = p.update()
	p.expect("}")
}

// declaration reads one declaration, which may declare several variables; none for a lone
// semicolon.
func (p *parser) declaration() (out []*declaration) {
	for _, word := range []string{"dynamic", "import", "IO"} {
		if p.is(word) {
			p.refuse("%s is not supported", word)
		}
	}
	if p.is("before_update") || p.is("after_update") {
		p.fail("%s belongs to the global declarations", p.peek().text)
	}
	if p.is("gantt") || p.is("progress") {
		p.readOver()
		return nil
	}
	if p.accept(";") {
		return nil
	}
	if p.accept("typedef") {
		t := p.typeExpr()
		for {
			out = append(out, &declaration{typedef: p.declarator(t, false)})
			if !p.accept(",") {
				break
			}
		}
		p.expect(";")
		return out
	}
	t := p.typeExpr()
	if p.peek().kind == nameToken && p.ahead(1).text == "(" {
		return []*declaration{{function: p.function(t)}}
	}
	for {
		out = append(out, &declaration{variable: p.declarator(t, true)})
		if !p.accept(",") {
			break
		}
	}
	p.expect(";")
	return out
}

func (p *parser) function(t *typeExpr) *function {
	n := p.name()
	f := &function{name: n.text, result: &variable{name: n.text, typ: t, span: t.span},
		span: p.from(n)}
	f.params = p.params()
	f.body = p.block()
	return f
}

func (p *parser) params() (out []*variable) {
	p.expect("(")
	for !p.is(")") {
		t := p.typeExpr()
		ref := p.accept("&")
		v := p.declarator(t, false)
		v.ref = ref
		out = append(out, v)
		if !p.accept(",") && !p.is(";") {
			break
		}
		p.accept(";") // version 3 separates parameters so
	}
	p.expect(")")
	return out
}

func (p *parser) declarator(t *typeExpr, initial bool) *variable {
	n := p.name()
	v := &variable{name: n.text, typ: t}
	for p.accept("[") {
		switch {
		case p.is("int") || p.is("scalar"):
			v.dims = append(v.dims, dimension{typ: p.typeExpr()})
		default:
			v.dims = append(v.dims, dimension{size: p.expression()})
		}
		p.expect("]")
	}
	v.span = p.from(n)
	if initial && (p.accept("=") || p.accept(":=") || p.peek().kind == numberToken) {
		v.init = p.initializer()
	}
	return v
}

func (p *parser) initializer() *initializer {
	defer p.deeper()()
	t := p.peek()
	in := &initializer{}
	if p.accept("{") {
		in.list = []*initializer{}
		for !p.is("}") {
			name := ""
			if p.peek().kind == nameToken && p.ahead(1).text == ":" {
				name = p.next().text
				p.next()
			}
			item := p.initializer()
			item.name = name
			in.list = append(in.list, item)
			if !p.accept(",") {
				break
			}
		}
		p.expect("}")
	} else {
		in.expr = p.expression()
	}
	in.span = p.from(t)
	return in
}

func (p *parser) typeExpr() *typeExpr {
	defer p.deeper()()
	start := p.peek()
	t := &typeExpr{}
	for {
		switch {
		case p.accept("urgent"):
			t.urgent = true
		case p.accept("broadcast"):
			t.broadcast = true
		case p.accept("meta"):
			t.meta = true
		case p.accept("const"):
			t.constant = true
		case p.is("double"):
			p.refuse("the type double is not supported: states hold integers only; where its " +
				"values are fractions with one denominator, write integers")
		case p.is("hybrid"):
			p.refuse("hybrid clocks are not supported: they have rates and floating-point " +
				"values, which statistical queries need and zones cannot hold")
		case p.is("string"):
			p.refuse("the type %s is not supported", p.peek().text)
		default:
			p.baseType(t)
			t.span = p.from(start)
			return t
		}
	}
}

func (p *parser) baseType(t *typeExpr) {
	n := p.peek()
	switch {
	case n.kind != nameToken || reserved[n.text] && !map[string]bool{
		"int": true, "bool": true, "clock": true, "chan": true, "void": true, "scalar": true,
		"struct": true}[n.text]:
		p.fail("a declaration is expected here, not %s", n.describe())
	case p.accept("int"):
		t.base = "int"
		if p.accept("[") {
			t.base = "range"
			t.lo = p.expression()
			p.expect(",")
			t.hi = p.expression()
			p.expect("]")
		}
	case p.accept("scalar"):
		t.base = "scalar"
		p.expect("[")
		t.hi = p.expression()
		p.expect("]")
	case p.accept("struct"):
		t.base = "struct"
		p.expect("{")
		for !p.accept("}") {
			ft := p.typeExpr()
			for {
				t.fields = append(t.fields, p.declarator(ft, false))
				if !p.accept(",") {
					break
				}
			}
			p.expect(";")
		}
	// version 3: const N = 5;
	case t.constant && p.ahead(1).kind != nameToken && p.ahead(1).text != "&" &&
		p.ahead(1).text != "[":
		t.base = "int"
	default:
		t.base = p.next().text
	}
}
