package uppaal

import "strconv"

// expression reads an expression. From the weakest: quantifiers, assignment, ?:, or, and, and then
// the operators of C with <? and >? between comparison and shift (UPPAAL's help, Expressions).
// Words bind as the signs do: not as !, and as &&, or as ||. imply and xor stand with or, and all
// three group from the left. Older versions of the help said otherwise; UPPAAL's parser never did.
func (p *parser) expression() *expr {
	defer p.deeper()()
	return p.assignment()
}

func (p *parser) node(op string, kids ...*expr) *expr {
	return &expr{op: op, kids: kids, span: kids[0].span.To(kids[len(kids)-1].span)}
}

var assignments = map[string]bool{"=": true, ":=": true, "+=": true, "-=": true, "*=": true,
	"/=": true, "%=": true,
	"|=": true, "&=": true, "^=": true, "<<=": true, ">>=": true}

func (p *parser) assignment() *expr {
	left := p.conditional()
	if t := p.peek(); t.kind == opToken && assignments[t.text] {
		defer p.deeper()()
		p.next()
		e := p.node("assign", left, p.assignment())
		e.text = t.text
		return e
	}
	return left
}

func (p *parser) conditional() *expr {
	c := p.binary(0)
	if p.accept("?") {
		defer p.deeper()()
		a := p.expression()
		p.expect(":")
		return p.node("?:", c, a, p.assignment())
	}
	return c
}

var levels = [][]string{{"||", "or", "xor", "imply"}, {"&&", "and"}, {"|"}, {"^"}, {"&"},
	{"==", "!="}, {"<", "<=", ">=", ">"}, {"<?", ">?"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

func (p *parser) binary(level int) *expr {
	if level == len(levels) {
		return p.unary()
	}
	left := p.binary(level + 1)
again:
	for _, op := range levels[level] {
		if p.is(op) {
			p.next()
			left = p.operation(op, left, p.binary(level+1))
			goto again
		}
	}
	return left
}

func (p *parser) operation(op string, left, right *expr) *expr {
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

func (p *parser) unary() *expr {
	defer p.deeper()()
	t := p.peek()
	for op, name := range map[string]string{"!": "!", "-": "neg", "+": "plus", "++": "pre++",
		"--": "pre--", "not": "!"} {
		if p.is(op) {
			p.next()
			e := p.node(name, p.unary())
			e.span = p.from(t)
			return e
		}
	}
	for _, op := range []string{"forall", "exists", "sum"} {
		if p.accept(op) {
			p.expect("(")
			name := p.name().text
			p.expect(":")
			e := &expr{op: op, text: name, domain: p.typeExpr()}
			p.expect(")")
			e.kids = []*expr{p.expression()}
			e.span = p.from(t)
			return e
		}
	}
	return p.postfix()
}

func (p *parser) postfix() *expr {
	t := p.peek()
	e := p.primary()
	for {
		switch {
		case p.accept("["):
			i := p.expression()
			p.expect("]")
			e = &expr{op: "index", kids: []*expr{e, i}}
		case p.accept("."):
			f := p.next()
			if f.kind != nameToken {
				p.fail("a name is expected here")
			}
			e = &expr{op: "field", text: f.text, kids: []*expr{e}}
		case p.is("("):
			p.next()
			e = &expr{op: "call", kids: []*expr{e}}
			for !p.is(")") {
				e.kids = append(e.kids, p.expression())
				if !p.accept(",") {
					break
				}
			}
			p.expect(")")
		case p.is("++") || p.is("--"):
			e = &expr{op: "post" + p.next().text, kids: []*expr{e}}
		case p.is("'"):
			p.refuse("stopwatches (rates of clocks) are not supported: clocks that stop need " +
				"polyhedra in place of zones")
		default:
			return e
		}
		e.span = p.from(t)
	}
}

func (p *parser) primary() *expr {
	t := p.peek()
	switch {
	case t.kind == numberToken:
		p.next()
		n, err := strconv.ParseInt(t.text, 10, 32)
		if err != nil {
			p.pos--
			p.fail("the number %s is out of range", t.text)
		}
		return &expr{op: "num", value: n, span: p.from(t)}
	case p.accept("true"):
		return &expr{op: "num", value: 1, text: "bool", span: p.from(t)}
	case p.accept("false"):
		return &expr{op: "num", text: "bool", span: p.from(t)}
	case p.accept("deadlock"):
		return &expr{op: "deadlock", span: p.from(t)}
	case p.accept("("):
		e := p.expression()
		p.expect(")")
		return e
	}
	n := p.name()
	return &expr{op: "name", text: n.text, span: p.from(n)}
}

// block reads { ... }.
func (p *parser) block() *stmt {
	defer p.deeper()()
	t := p.expect("{")
	s := &stmt{kind: "block"}
	for !p.is("}") {
		if p.startsDeclaration() {
			s.decls = append(s.decls, p.declaration()...)
			continue
		}
		s.body = append(s.body, p.statement())
	}
	p.expect("}")
	s.span = p.from(t)
	return s
}

// startsDeclaration: a word for a type, or two names in a row.
func (p *parser) startsDeclaration() bool {
	t := p.peek()
	switch t.text {
	case "const", "meta", "int", "bool", "clock", "chan", "urgent", "broadcast", "scalar", "struct",
		"typedef", "double", "string":
		return t.kind == nameToken
	}
	n := p.ahead(1)
	return t.kind == nameToken && !reserved[t.text] && n.kind == nameToken && !reserved[n.text]
}

func (p *parser) statement() *stmt {
	defer p.deeper()()
	t := p.peek()
	s := &stmt{}
	switch {
	case p.is("{"):
		return p.block()
	case p.accept(";"):
		s.kind = "block"
	case p.accept("if"):
		s.kind = "if"
		p.expect("(")
		s.exprs = []*expr{p.expression()}
		p.expect(")")
		s.body = []*stmt{p.statement()}
		if p.accept("else") {
			s.body = append(s.body, p.statement())
		}
	case p.accept("while"):
		s.kind = "while"
		p.expect("(")
		s.exprs = []*expr{p.expression()}
		p.expect(")")
		s.body = []*stmt{p.statement()}
	case p.accept("do"):
		s.kind = "do"
		s.body = []*stmt{p.statement()}
		p.expect("while")
		p.expect("(")
		s.exprs = []*expr{p.expression()}
		p.expect(")")
		p.expect(";")
	case p.accept("for"):
		p.forStatement(s)
	case p.accept("return"):
		s.kind = "return"
		if !p.is(";") {
			s.exprs = []*expr{p.expression()}
		}
		p.expect(";")
	default:
		s.kind = "expr"
		s.exprs = []*expr{p.expression()}
		p.expect(";")
	}
	s.span = p.from(t)
	return s
}

func (p *parser) forStatement(s *stmt) {
	p.expect("(")
	if p.peek().kind == nameToken && p.ahead(1).text == ":" {
		n := p.name()
		p.expect(":")
		s.kind, s.bound = "each", &variable{name: n.text, typ: p.typeExpr(), span: p.from(n)}
		p.expect(")")
		s.body = []*stmt{p.statement()}
		return
	}
	s.kind = "for"
	clause := func(end string) *expr {
		if p.is(end) {
			p.next()
			return nil
		}
		e := p.expression()
		for p.accept(",") {
			e = p.node(",", e, p.expression())
		}
		p.expect(end)
		return e
	}
	s.exprs = []*expr{clause(";"), clause(";"), clause(")")}
	s.body = []*stmt{p.statement()}
}
