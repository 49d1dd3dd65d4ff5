package uppaal

import "erelong.dev/erelong/internal/front/parse"

// template reads a process of an XTA file.
func (p *parser) template() *template {
	start := p.Expect("process")
	t := &template{name: p.name().Text}
	if p.At("(") {
		t.params = p.params()
	}
	t.span = p.Since(start)
	p.Expect("{")
	for !p.At("state") {
		t.decls = append(t.decls, p.declaration()...)
	}
	p.Expect("state")
	p.Commas(func() { t.locations = append(t.locations, p.location()) })
	p.Expect(";")
	for p.At("branchpoint") || p.At("commit") || p.At("urgent") {
		word := p.Next().Kind
		p.Commas(func() {
			n := p.name()
			if word == "branchpoint" {
				t.branches = append(t.branches, n.Text)
				return
			}
			l := t.location(n.Text)
			if l == nil {
				p.Back()
				p.fail("there is no location %s", n.Text)
			}
			l.urgent = l.urgent || word == "urgent"
			l.committed = l.committed || word == "commit"
		})
		p.Expect(";")
	}
	p.Expect("init")
	t.initial = p.name().Text
	p.Expect(";")
	if p.Accept("trans") {
		source := ""
		p.Commas(func() {
			e := p.edge(source)
			source = e.source
			t.edges = append(t.edges, e)
		})
		p.Expect(";")
	}
	p.Expect("}")
	return t
}

// location reads a location with its invariant.
func (p *parser) location() *location {
	n := p.name()
	l := &location{name: n.Text, span: p.Since(n)}
	if p.Accept("{") {
		if !p.At("}") && !p.At(";") {
			l.invariant = p.expression()
		}
		if p.Accept(";") { // a rate gives probabilities to delays, and does not restrict them
			for !p.At("}") && !p.At(parse.EOF) {
				p.Next()
			}
		}
		p.Expect("}")
	}
	return l
}

func (t *template) location(name string) *location {
	for _, l := range t.locations {
		if l.name == name {
			return l
		}
	}
	return nil
}

func (p *parser) edge(source string) *edge {
	start := p.Peek()
	e := &edge{source: source}
	if !p.At("->") {
		e.source = p.name().Text
	}
	if e.source == "" {
		p.fail("the source of the first transition is missing")
	}
	p.Expect("->")
	e.target = p.name().Text
	p.Expect("{")
	for !p.At("}") {
		switch {
		case p.Accept("select"):
			e.selects = p.selects()
		case p.Accept("guard"):
			e.guard = p.guard()
		case p.Accept("sync"):
			e.channel, e.send = p.sync()
		case p.Accept("assign"):
			e.update = p.expressions()
		case p.Accept("probability"):
			e.weight = p.expression()
		default:
			p.Expected("select, guard, sync, assign or probability")
		}
		p.Expect(";")
	}
	p.Expect("}")
	e.span = p.Since(start)
	return e
}

func (p *parser) selects() (out []*variable) {
	p.Commas(func() {
		n := p.name()
		p.Expect(":")
		out = append(out, &variable{name: n.Text, typ: p.typeExpr(), span: p.Since(n)})
	})
	return out
}

// guard reads a condition; version 3 separates its parts by commas.
func (p *parser) guard() *expr {
	e := p.expression()
	for p.Accept(",") {
		e = p.node("&&", e, p.expression())
	}
	return e
}

func (p *parser) sync() (channel *expr, send bool) {
	t := p.Peek()
	channel = p.postfix()
	switch {
	case p.Accept("!"):
		return channel, true
	case p.Accept("?"):
		return channel, false
	}
	p.Back()
	p.fail("the synchronisation %s needs ! or ?", t.Text)
	return nil, false
}
