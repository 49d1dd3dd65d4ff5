package uppaal

// template reads a process of an XTA file.
func (p *parser) template() *template {
	start := p.expect("process")
	t := &template{name: p.name().text}
	if p.is("(") {
		t.params = p.params()
	}
	t.span = p.from(start)
	p.expect("{")
	for !p.is("state") {
		t.decls = append(t.decls, p.declaration()...)
	}
	p.expect("state")
	for {
		n := p.name()
		l := &location{name: n.text, span: p.from(n)}
		if p.accept("{") {
			if !p.is("}") && !p.is(";") {
				l.invariant = p.expression()
			}
			if p.accept(";") { // a rate gives probabilities to delays, and does not restrict them
				for !p.is("}") && p.peek().kind != endToken {
					p.next()
				}
			}
			p.expect("}")
		}
		t.locations = append(t.locations, l)
		if !p.accept(",") {
			break
		}
	}
	p.expect(";")
	for {
		word := p.peek().text
		if p.accept("branchpoint") {
			for {
				t.branches = append(t.branches, p.name().text)
				if !p.accept(",") {
					break
				}
			}
			p.expect(";")
			continue
		}
		if word != "commit" && word != "urgent" {
			break
		}
		p.next()
		for {
			n := p.name()
			l := t.location(n.text)
			if l == nil {
				p.pos--
				p.fail("there is no location %s", n.text)
			}
			l.urgent = l.urgent || word == "urgent"
			l.committed = l.committed || word == "commit"
			if !p.accept(",") {
				break
			}
		}
		p.expect(";")
	}
	p.expect("init")
	t.initial = p.name().text
	p.expect(";")
	if p.accept("trans") {
		source := ""
		for {
			e := p.edge(source)
			source = e.source
			t.edges = append(t.edges, e)
			if !p.accept(",") {
				break
			}
		}
		p.expect(";")
	}
	p.expect("}")
	return t
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
	start := p.peek()
	e := &edge{source: source}
	if !p.is("->") {
		e.source = p.name().text
	}
	if e.source == "" {
		p.fail("the source of the first transition is missing")
	}
	p.expect("->")
	e.target = p.name().text
	p.expect("{")
	for !p.is("}") {
		switch {
		case p.accept("select"):
			e.selects = p.selects()
		case p.accept("guard"):
			e.guard = p.guard()
		case p.accept("sync"):
			e.channel, e.send = p.sync()
		case p.accept("assign"):
			e.update = p.update()
		case p.accept("probability"):
			e.weight = p.expression()
		default:
			p.fail("select, guard, sync, assign or probability is expected here, not %s",
				p.peek().describe())
		}
		p.expect(";")
	}
	p.expect("}")
	e.span = p.from(start)
	return e
}

func (p *parser) selects() (out []*variable) {
	for {
		n := p.name()
		p.expect(":")
		out = append(out, &variable{name: n.text, typ: p.typeExpr(), span: p.from(n)})
		if !p.accept(",") {
			return out
		}
	}
}

// guard reads a condition; version 3 separates its parts by commas.
func (p *parser) guard() *expr {
	e := p.expression()
	for p.accept(",") {
		e = p.node("&&", e, p.expression())
	}
	return e
}

func (p *parser) sync() (channel *expr, send bool) {
	t := p.peek()
	channel = p.postfix()
	switch {
	case p.accept("!"):
		return channel, true
	case p.accept("?"):
		return channel, false
	}
	p.pos--
	p.fail("the synchronisation %s needs ! or ?", t.text)
	return nil, false
}

func (p *parser) update() (out []*expr) {
	for {
		out = append(out, p.expression())
		if !p.accept(",") {
			return out
		}
	}
}
