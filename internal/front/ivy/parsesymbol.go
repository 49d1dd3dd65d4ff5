package ivy

import (
	"strings"

	"erelong.dev/erelong/internal/front/parse"
)

func (p *parser) typeDecl() decl {
	t := p.Next()
	d := &typeDecl{name: p.name()}
	if p.Accept("=") {
		switch {
		case p.AcceptWord("struct"):
			d.structs = true
			p.Expect("{")
			for !p.Accept("}") {
				if len(d.fields) > 0 {
					p.Expect(",")
				}
				f := binder{name: p.name()}
				d.args = append(d.args, p.parameters())
				if p.Accept(":") {
					f.typ = p.dotted()
				}
				d.fields = append(d.fields, f)
			}
		default:
			p.Expect("{")
			p.Commas(func() { d.members = append(d.members, p.name()) })
			if len(d.members) == 1 && p.Accept("..") {
				d.lo, d.hi, d.members = d.members[0].text, p.name().text, nil
			}
			p.Expect("}")
		}
	}
	d.span = p.Since(t)
	return d
}

// symbols reads the symbols of one declaration, which commas separate.
func (p *parser) symbols() (out []decl) {
	t := p.Next()
	w := p.Text(t)
	for {
		d := &symbolDecl{word: w}
		d.name, d.args, d.typ = p.signature()
		if p.Accept("=") {
			d.def = p.definedAs()
		}
		d.span = p.Since(t)
		if w == "derived" && d.def == nil {
			p.Expected("'=' and the definition")
		}
		out = append(out, d)
		if !p.Accept(",") {
			return out
		}
		t = p.Peek()
	}
}

// signature reads a symbol with its parameters and its type.
func (p *parser) signature() (symbol name, args []binder, typ name) {
	if p.Accept("(") { // (X:t < Y:t)
		left := p.binder()
		symbol = p.operator()
		args = []binder{left, p.binder()}
		p.Expect(")")
	} else {
		symbol = p.dotted()
		args = p.parameters()
	}
	if p.Accept(":") {
		typ = p.dotted()
	}
	return symbol, args, typ
}

// definedAs reads what a symbol is defined as.
func (p *parser) definedAs() *term {
	if p.At(native) {
		t := p.Next()
		return &term{kind: termOther, op: nativeCode, span: p.Span(t)}
	}
	if p.AtWord("some") {
		p.refuse(p.Span(p.Peek()), "a definition by choice ('some')")
	}
	return p.formula()
}

func (p *parser) operator() name {
	t := p.Next()
	switch t.Kind {
	case "<", "<=", ">", ">=", "+", "-", "*", "/", "*>":
		return name{string(t.Kind), p.Span(t)}
	}
	p.Back()
	p.Expected("an operator")
	return name{}
}

func (p *parser) definitions() (out []decl) {
	t := p.Next()
	if p.Text(t) == "macro" {
		p.refuse(p.Span(t), "a macro of statements ('macro')")
	}
	p.label()
	braces := p.Accept("{")
	p.Commas(func() {
		d := &definitionDecl{}
		d.name, d.args, d.typ = p.signature()
		p.Expect("=")
		d.body = p.definedAs()
		d.span = p.Since(t)
		out = append(out, d)
	})
	if braces {
		p.Expect("}")
	}
	p.proof()
	return out
}

func (p *parser) interpret() decl {
	t := p.Next()
	d := &interpretDecl{}
	switch p.Peek().Kind {
	case parse.Word:
		d.name = p.dotted()
	default:
		d.name = p.operator()
	}
	p.Expect("->")
	switch {
	case p.At(native):
		p.Next()
		d.native = true
	case p.Accept("{"):
		d.lo = p.bound()
		switch {
		case p.Accept(".."):
			d.hi = p.bound()
		default:
			p.refuse(p.Since(t), "a type that is interpreted by an enumeration")
		}
		p.Expect("}")
	case p.At(parse.Word):
		d.as = p.dotted()
	default:
		d.as = p.operator()
	}
	d.span = p.Since(t)
	return d
}

// bound reads the end of a range: a numeral or a constant.
func (p *parser) bound() string {
	t := p.Peek()
	p.level(levelSum)
	return strings.TrimSpace(p.Since(t).Text())
}
