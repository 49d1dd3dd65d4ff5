package uppaal

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
)

// terms reads types and expressions.
type terms struct{ *parse.Cursor }

func (p *terms) fail(format string, args ...any) { p.failAs(diag.Syntax, format, args...) }

func (p *terms) refuse(format string, args ...any) { p.failAs(diag.Unsupported, format, args...) }

func (p *terms) failAs(code diag.Code, format string, args ...any) {
	p.Fail(p.Span(p.Peek()), code, format, args...)
}

func (p *terms) name() parse.Token {
	if !p.At(parse.Word) {
		p.Expected("a name")
	}
	return p.Next()
}

// arguments reads expressions in parentheses, perhaps none.
func (p *terms) arguments() (out []*expr) {
	p.Expect("(")
	for !p.At(")") {
		if out = append(out, p.expression()); !p.Accept(",") {
			break
		}
	}
	p.Expect(")")
	return out
}

// expressions reads expressions that commas separate.
func (p *terms) expressions() (out []*expr) {
	p.Commas(func() { out = append(out, p.expression()) })
	return out
}

func (p *terms) declarator(t *typeExpr, initial bool) *variable {
	n := p.name()
	v := &variable{name: n.Text, typ: t}
	for p.Accept("[") {
		switch {
		case p.At("int") || p.At("scalar"):
			v.dims = append(v.dims, dimension{typ: p.typeExpr()})
		default:
			v.dims = append(v.dims, dimension{size: p.expression()})
		}
		p.Expect("]")
	}
	v.span = p.Since(n)
	if initial && (p.Accept("=") || p.Accept(":=") || p.At(numeral)) {
		v.init = p.initializer()
	}
	return v
}

func (p *terms) initializer() *initializer {
	p.Enter()
	defer p.Leave()
	t := p.Peek()
	in := &initializer{}
	if p.Accept("{") {
		in.list = []*initializer{}
		for !p.At("}") {
			name := ""
			if p.At(parse.Word) && p.Ahead(1).Kind == ":" {
				name = p.Next().Text
				p.Next()
			}
			item := p.initializer()
			item.name = name
			in.list = append(in.list, item)
			if !p.Accept(",") {
				break
			}
		}
		p.Expect("}")
	} else {
		in.expr = p.expression()
	}
	in.span = p.Since(t)
	return in
}

func (p *terms) typeExpr() *typeExpr {
	p.Enter()
	defer p.Leave()
	start := p.Peek()
	t := &typeExpr{}
	for {
		switch {
		case p.Accept("urgent"):
			t.urgent = true
		case p.Accept("broadcast"):
			t.broadcast = true
		case p.Accept("meta"):
			t.meta = true
		case p.Accept("const"):
			t.constant = true
		case p.At("double"):
			p.refuse("the type double is not supported: states hold integers only; where its " +
				"values are fractions with one denominator, write integers")
		case p.At("hybrid"):
			p.refuse("hybrid clocks are not supported: they have rates and floating-point " +
				"values, which statistical queries need and zones cannot hold")
		case p.At("string"):
			p.refuse("the type %s is not supported", p.Peek().Text)
		default:
			p.baseType(t)
			t.span = p.Since(start)
			return t
		}
	}
}

// named are the words that name types.
var named = map[parse.Kind]bool{"int": true, "bool": true, "clock": true, "chan": true,
	"void": true, "scalar": true, "struct": true}

func (p *terms) baseType(t *typeExpr) {
	n := p.Peek()
	switch {
	case n.Kind != parse.Word && !named[n.Kind]:
		p.Expected("a declaration")
	case p.Accept("int"):
		t.base = "int"
		if p.Accept("[") {
			t.base = "range"
			t.lo = p.expression()
			p.Expect(",")
			t.hi = p.expression()
			p.Expect("]")
		}
	case p.Accept("scalar"):
		t.base = "scalar"
		p.Expect("[")
		t.hi = p.expression()
		p.Expect("]")
	case p.Accept("struct"):
		t.base = "struct"
		p.Expect("{")
		for !p.Accept("}") {
			ft := p.typeExpr()
			p.Commas(func() { t.fields = append(t.fields, p.declarator(ft, false)) })
			p.Expect(";")
		}
	// version 3: const N = 5;
	case t.constant && p.Ahead(1).Kind != parse.Word && p.Ahead(1).Kind != "&" &&
		p.Ahead(1).Kind != "[":
		t.base = "int"
	default:
		t.base = p.Next().Text
	}
}
