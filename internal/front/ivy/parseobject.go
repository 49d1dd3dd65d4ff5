package ivy

import "erelong.dev/erelong/internal/front/parse"

func (p *parser) module() decl {
	t := p.Next()
	_ = p.AcceptWord("object") || p.AcceptWord("isolate")
	d := &moduleDecl{name: p.name()}
	if p.Accept("(") {
		for !p.Accept(")") {
			if len(d.params) > 0 {
				p.Expect(",")
			}
			if p.At(vari) {
				d.params = append(d.params, p.variable())
			} else {
				d.params = append(d.params, p.name())
			}
			if p.Accept(":") {
				p.dotted()
			}
		}
	}
	p.with()
	p.Expect("=")
	p.Expect("{")
	d.body = p.declarations("}")
	d.span = p.Since(t)
	return d
}

// with reads over what an isolate uses.
func (p *parser) with() {
	if p.AcceptWord("with") {
		p.Commas(func() { p.callAtom() })
	}
}

// object reads an object, or an isolate of either form.
func (p *parser) object() decl {
	t := p.Peek()
	trusted := p.AcceptWord("trusted")
	d := &objectDecl{word: p.Text(p.Next()), trusted: trusted}
	d.typed = d.word == "class"
	d.name = p.name()
	d.params = p.parameters()
	p.Expect("=")
	if !p.Accept("{") { // isolate i = a, b with c: a list of what is verified together
		p.Commas(func() { d.listed = append(d.listed, p.callAtom()) })
		p.with()
		d.span = p.Since(t)
		return d
	}
	p.Accept("...")
	d.body = p.declarations("}")
	p.with()
	d.span = p.Since(t)
	return d
}

// section reads a part of an object that its word describes.
func (p *parser) section() decl {
	t := p.Next()
	w := p.Text(t)
	if w == "private" && !p.At("{") {
		p.callAtom()
		return &readOverDecl{span: p.Since(t)}
	}
	p.Expect("{")
	return &objectDecl{span: p.Span(t), word: w, body: p.declarations("}")}
}

// callAtom reads a dotted name with arguments, which stand for an object with parameters.
func (p *parser) callAtom() name {
	n := p.dotted()
	for {
		switch {
		case p.At("("):
			p.arguments()
		case p.At(".") && p.Ahead(1).Kind == parse.Word:
			p.Next()
			m := p.dotted()
			n = name{n.text + "." + m.text, n.span.To(m.span)}
		default:
			return n
		}
	}
}

// port reads which action the environment calls or offers.
func (p *parser) port() decl {
	t := p.Next()
	w := p.Text(t)
	if p.AtWord("action") || p.AtWord("method") {
		a := p.action()
		a.export = w
		return a
	}
	n := p.callAtom()
	return &portDecl{p.Since(t), w, n}
}

func (p *parser) alias() decl {
	t := p.Next()
	d := &aliasDecl{name: p.name()}
	p.Expect("=")
	d.of = p.dotted()
	d.span = p.Since(t)
	return d
}

func (p *parser) instances() (out []decl) {
	t := p.Next()
	for {
		d := &instanceDecl{module: p.dotted()}
		args, params := p.moduleArguments()
		if p.Accept(":") {
			d.name = d.module
			d.params = params
			if len(args) > len(params) {
				p.refuse(p.Since(t), "an instance with a parameter without a type")
			}
			d.module = p.dotted()
			args, _ = p.moduleArguments()
		}
		d.args = args
		d.span = p.Since(t)
		out = append(out, d)
		if !p.Accept(",") {
			return out
		}
		t = p.Peek()
	}
}

// moduleArguments reads `(a, b, <)`; an argument with a type is a parameter of the instance.
func (p *parser) moduleArguments() (args []name, params []binder) {
	if !p.Accept("(") {
		return nil, nil
	}
	for !p.Accept(")") {
		if len(args) > 0 {
			p.Expect(",")
		}
		var n name
		switch p.Peek().Kind {
		case parse.Word:
			n = p.dotted()
		case vari:
			n = p.variable()
		default:
			args = append(args, p.operatorArgument())
			continue
		}
		args = append(args, n)
		if p.Accept(":") {
			params = append(params, binder{n, p.dotted()})
		}
	}
	return args, params
}

func (p *parser) operatorArgument() name {
	if p.At("=") || p.At("~=") {
		t := p.Next()
		return name{p.Text(t), p.Span(t)}
	}
	return p.operator()
}
