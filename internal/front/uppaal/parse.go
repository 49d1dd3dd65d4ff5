package uppaal

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
)

// maxDepth bounds the nesting of elements and of terms that are elaborated.
const maxDepth = 200

// parser reads one fragment.
type parser struct {
	terms
	*loader
}

// parse runs f over a fragment, and reports whether there was no error.
func (l *loader) parse(frag fragment, query bool, f func(*parser)) (ok bool) {
	tokens := l.lex(frag, query)
	return tokens != nil && parse.Catch(func() {
		p := &parser{terms{parse.NewCursor(l.src, tokens, l.list)}, l}
		f(p)
		if !p.At(parse.EOF) {
			p.fail("%q is not expected here", p.Peek().Text)
		}
	})
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

// xta reads a whole XTA file.
func (p *parser) xta(s *system) {
	for !p.At(parse.EOF) {
		if p.At("process") {
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
	case p.At("system"):
		p.systemLine(s)
	case p.global(s):
	case p.At("gantt") || p.At("progress"):
		p.readOver()
	case p.At(parse.Word) && p.isInstance():
		s.instances = append(s.instances, p.instance())
	default:
		return false
	}
	return true
}

// readOver skips a block about showing or exploring a model, which does not change its behaviour.
func (p *parser) readOver() {
	p.note("%s is read over: no verdict depends on it", p.Peek().Text)
	p.Next()
	p.Expect("{")
	for depth := 1; depth > 0; {
		switch t := p.Next(); {
		case t.Kind == parse.EOF:
			p.fail("\"}\" is expected here, not the end")
		case t.Kind == "{":
			depth++
		case t.Kind == "}":
			depth--
		}
	}
}

// isInstance reports whether name = or name(...) = follows.
func (p *parser) isInstance() bool {
	t := p.Ahead(1)
	if t.Kind == "=" || t.Kind == ":=" {
		return true
	}
	if t.Kind != "(" {
		return false
	}
	depth := 0
	for i := 1; ; i++ {
		switch t := p.Ahead(i); {
		case t.Kind == parse.EOF:
			return false
		case t.Kind == "(":
			depth++
		case t.Kind == ")":
			if depth--; depth == 0 {
				after := p.Ahead(i + 1).Kind
				return after == "=" || after == ":="
			}
		}
	}
}

func (p *parser) instance() *instance {
	t := p.name()
	in := &instance{name: t.Text}
	if p.At("(") {
		in.params = p.params()
	}
	if !p.Accept("=") {
		p.Expect(":=")
	}
	in.base = p.name().Text
	in.args = p.arguments()
	p.Expect(";")
	in.span = p.Since(t)
	return in
}

func (p *parser) systemLine(s *system) {
	if len(s.processes) > 0 {
		p.list.Errorf(diag.Duplicate, p.Span(p.Peek()), "there is a system line already").
			Suggest("Name all processes in one line, as in system P, Q;")
		parse.Bail()
	}
	p.Expect("system")
	for rank := 0; ; {
		s.processes = append(s.processes, p.processItem())
		s.ranks = append(s.ranks, rank)
		if p.Accept("<") {
			rank++
		} else if !p.Accept(",") {
			break
		}
	}
	p.Expect(";")
}

// channelPriorities reads levels of channels, from the lowest; a nil item stands for all unnamed
// channels.
func (p *parser) channelPriorities(s *system) {
	if s.priorities != nil {
		p.failAs(diag.Duplicate, "the priorities of channels are declared already")
	}
	t := p.Next()
	p.Next()
	level := []*expr{}
	for {
		if p.Accept("default") {
			level = append(level, nil)
		} else {
			level = append(level, p.postfix())
		}
		if p.Accept("<") {
			s.priorities, level = append(s.priorities, level), []*expr{}
		} else if !p.Accept(",") {
			break
		}
	}
	s.priorities = append(s.priorities, level)
	s.prioritySpan = p.Since(t)
	p.Expect(";")
}

// processItem reads a name, possibly with arguments.
func (p *parser) processItem() *expr {
	t := p.name()
	e := &expr{op: "name", text: t.Text, span: p.Since(t)}
	if p.At("(") {
		e = &expr{op: "call", kids: append([]*expr{e}, p.arguments()...), span: p.Since(t)}
	}
	return e
}

// declarations reads the contents of a <declaration> of an XML file.
func (p *parser) declarations(s *system) (out []*declaration) {
	for !p.At(parse.EOF) {
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
	case p.At("chan") && p.Ahead(1).Kind == "priority":
		p.channelPriorities(s)
	case p.At("before_update"):
		p.everyStep(&s.before)
	case p.At("after_update"):
		p.everyStep(&s.after)
	default:
		return false
	}
	return true
}

// everyStep reads the updates of every step.
func (p *parser) everyStep(into *[]*expr) {
	if *into != nil {
		p.failAs(diag.Duplicate, "%s is declared already", p.Peek().Text)
	}
	p.Next()
	p.Expect("{")
	*into = p.expressions()
	p.Expect("}")
}

// declaration reads one declaration, which may declare several variables; none for a lone
// semicolon.
func (p *parser) declaration() (out []*declaration) {
	for _, word := range []parse.Kind{"dynamic", "import", "IO"} {
		if p.At(word) {
			p.refuse("%s is not supported", word)
		}
	}
	if p.At("before_update") || p.At("after_update") {
		p.fail("%s belongs to the global declarations", p.Peek().Text)
	}
	if p.At("gantt") || p.At("progress") {
		p.readOver()
		return nil
	}
	if p.Accept(";") {
		return nil
	}
	if p.Accept("typedef") {
		t := p.typeExpr()
		p.Commas(func() { out = append(out, &declaration{typedef: p.declarator(t, false)}) })
		p.Expect(";")
		return out
	}
	t := p.typeExpr()
	if p.At(parse.Word) && p.Ahead(1).Kind == "(" {
		return []*declaration{{function: p.function(t)}}
	}
	p.Commas(func() { out = append(out, &declaration{variable: p.declarator(t, true)}) })
	p.Expect(";")
	return out
}

func (p *parser) function(t *typeExpr) *function {
	n := p.name()
	f := &function{name: n.Text, result: &variable{name: n.Text, typ: t, span: t.span},
		span: p.Since(n)}
	f.params = p.params()
	f.body = p.block()
	return f
}

func (p *parser) params() []*variable {
	p.Expect("(")
	out := p.paramsTo(")")
	p.Expect(")")
	return out
}

// paramsTo reads parameters, perhaps none; end is what follows.
func (p *parser) paramsTo(end parse.Kind) (out []*variable) {
	for !p.At(end) {
		t := p.typeExpr()
		ref := p.Accept("&")
		v := p.declarator(t, false)
		v.ref = ref
		out = append(out, v)
		if !p.Accept(",") && !p.At(";") {
			break
		}
		p.Accept(";") // version 3 separates parameters so
	}
	return out
}
