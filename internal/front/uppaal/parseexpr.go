package uppaal

import (
	"slices"
	"strconv"

	"erelong.dev/erelong/internal/front/parse"
)

// expression reads an expression. From the weakest: quantifiers, assignment, ?:, or, and, and then
// the operators of C with <? and >? between comparison and shift (UPPAAL's help, Expressions).
// Words bind as the signs do: not as !, and as &&, or as ||. imply and xor stand with or, and all
// three group from the left. Older versions of the help said otherwise; UPPAAL's parser never did.
func (p *terms) expression() *expr {
	p.Enter()
	defer p.Leave()
	return p.assignment()
}

func (p *terms) node(op string, kids ...*expr) *expr {
	return &expr{op: op, kids: kids, span: kids[0].span.To(kids[len(kids)-1].span)}
}

var assignments = map[parse.Kind]bool{"=": true, ":=": true, "+=": true, "-=": true, "*=": true,
	"/=": true, "%=": true,
	"|=": true, "&=": true, "^=": true, "<<=": true, ">>=": true}

func (p *terms) assignment() *expr {
	left := p.conditional()
	if t := p.Peek(); assignments[t.Kind] {
		p.Enter()
		defer p.Leave()
		p.Next()
		e := p.node("assign", left, p.assignment())
		e.text = t.Text
		return e
	}
	return left
}

func (p *terms) conditional() *expr {
	c := p.binary(0)
	if p.Accept("?") {
		p.Enter()
		defer p.Leave()
		a := p.expression()
		p.Expect(":")
		return p.node("?:", c, a, p.assignment())
	}
	return c
}

// levels are the binary operators from the weakest on; xor may be a name elsewhere.
var levels = [][]parse.Kind{{"||", "or", "imply"}, {"&&", "and"}, {"|"}, {"^"}, {"&"},
	{"==", "!="}, {"<", "<=", ">=", ">"}, {"<?", ">?"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

func (p *terms) binary(level int) *expr {
	if level == len(levels) {
		return p.unary()
	}
	left := p.binary(level + 1)
	for slices.Contains(levels[level], p.Peek().Kind) || level == 0 && p.AtWord("xor") {
		op := p.Next().Text
		left = p.operation(op, left, p.binary(level+1))
	}
	return left
}

func (p *terms) operation(op string, left, right *expr) *expr {
	switch op {
	case "or":
		op = "||"
	case "and":
		op = "&&"
	case "xor":
		return p.node("!=", p.node("!", left), p.node("!", right))
	}
	return p.node(op, left, right)
}

func (p *terms) unary() *expr {
	p.Enter()
	defer p.Leave()
	t := p.Peek()
	switch t.Kind {
	case "!", "-", "+", "++", "--", "not":
		p.Next()
		e := p.node(prefixes[t.Kind], p.unary())
		e.span = p.Since(t)
		return e
	case "forall", "exists", "sum":
		p.Next()
		p.Expect("(")
		name := p.name().Text
		p.Expect(":")
		e := &expr{op: t.Text, text: name, domain: p.typeExpr()}
		p.Expect(")")
		e.kids = []*expr{p.expression()}
		e.span = p.Since(t)
		return e
	}
	return p.postfix()
}

// prefixes are the names of the operators before an operand.
var prefixes = map[parse.Kind]string{"!": "!", "-": "neg", "+": "plus", "++": "pre++",
	"--": "pre--", "not": "!"}

func (p *terms) postfix() *expr {
	t := p.Peek()
	e := p.primary()
	for {
		switch {
		case p.Accept("["):
			i := p.expression()
			p.Expect("]")
			e = &expr{op: "index", kids: []*expr{e, i}}
		case p.Accept("."):
			f := p.Next()
			if f.Kind != parse.Word && !reserved[f.Text] {
				p.fail("a name is expected here")
			}
			e = &expr{op: "field", text: f.Text, kids: []*expr{e}}
		case p.At("("):
			e = &expr{op: "call", kids: append([]*expr{e}, p.arguments()...)}
		case p.At("++") || p.At("--"):
			e = &expr{op: "post" + p.Next().Text, kids: []*expr{e}}
		case p.Accept("'"):
			e = &expr{op: "rate", kids: []*expr{e}}
		default:
			return e
		}
		e.span = p.Since(t)
	}
}

func (p *terms) primary() *expr {
	t := p.Peek()
	switch {
	case t.Kind == numeral:
		p.Next()
		n, err := strconv.ParseInt(t.Text, 10, 32)
		if err != nil {
			p.Back()
			p.fail("the number %s is out of range", t.Text)
		}
		return &expr{op: "num", value: n, span: p.Since(t)}
	case p.Accept("true"):
		return &expr{op: "num", value: 1, text: "bool", span: p.Since(t)}
	case p.Accept("false"):
		return &expr{op: "num", text: "bool", span: p.Since(t)}
	case p.Accept("deadlock"):
		return &expr{op: "deadlock", span: p.Since(t)}
	case p.Accept("("):
		e := p.expression()
		p.Expect(")")
		return e
	}
	n := p.name()
	return &expr{op: "name", text: n.Text, span: p.Since(n)}
}

// block reads { ... }.
func (p *parser) block() *stmt {
	p.Enter()
	defer p.Leave()
	t := p.Expect("{")
	s := &stmt{kind: "block"}
	for !p.At("}") {
		if p.startsDeclaration() {
			s.decls = append(s.decls, p.declaration()...)
			continue
		}
		s.body = append(s.body, p.statement())
	}
	p.Expect("}")
	s.span = p.Since(t)
	return s
}

// startsDeclaration: a word for a type, or two names in a row.
func (p *parser) startsDeclaration() bool {
	t := p.Peek()
	switch t.Kind {
	case "const", "meta", "int", "bool", "clock", "chan", "urgent", "broadcast", "scalar", "struct",
		"typedef", "double", "string":
		return true
	}
	return t.Kind == parse.Word && p.Ahead(1).Kind == parse.Word
}

func (p *parser) statement() *stmt {
	p.Enter()
	defer p.Leave()
	t := p.Peek()
	s := &stmt{}
	switch {
	case p.At("{"):
		return p.block()
	case p.Accept(";"):
		s.kind = "block"
	case p.Accept("if"):
		s.kind = "if"
		p.Expect("(")
		s.exprs = []*expr{p.expression()}
		p.Expect(")")
		s.body = []*stmt{p.statement()}
		if p.Accept("else") {
			s.body = append(s.body, p.statement())
		}
	case p.Accept("while"):
		s.kind = "while"
		p.Expect("(")
		s.exprs = []*expr{p.expression()}
		p.Expect(")")
		s.body = []*stmt{p.statement()}
	case p.Accept("do"):
		s.kind = "do"
		s.body = []*stmt{p.statement()}
		p.Expect("while")
		p.Expect("(")
		s.exprs = []*expr{p.expression()}
		p.Expect(")")
		p.Expect(";")
	case p.Accept("for"):
		p.forStatement(s)
	case p.Accept("return"):
		s.kind = "return"
		if !p.At(";") {
			s.exprs = []*expr{p.expression()}
		}
		p.Expect(";")
	default:
		s.kind = "expr"
		s.exprs = []*expr{p.expression()}
		p.Expect(";")
	}
	s.span = p.Since(t)
	return s
}

func (p *parser) forStatement(s *stmt) {
	p.Expect("(")
	if p.At(parse.Word) && p.Ahead(1).Kind == ":" {
		n := p.name()
		p.Expect(":")
		s.kind, s.bound = "each", &variable{name: n.Text, typ: p.typeExpr(), span: p.Since(n)}
		p.Expect(")")
		s.body = []*stmt{p.statement()}
		return
	}
	s.kind = "for"
	clause := func(end parse.Kind) *expr {
		if p.Accept(end) {
			return nil
		}
		e := p.expression()
		for p.Accept(",") {
			e = p.node(",", e, p.expression())
		}
		p.Expect(end)
		return e
	}
	s.exprs = []*expr{clause(";"), clause(";"), clause(")")}
	s.body = []*stmt{p.statement()}
}
