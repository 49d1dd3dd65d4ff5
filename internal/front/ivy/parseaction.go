package ivy

import "strings"

func (p *parser) action() *actionDecl {
	t := p.Next()
	d := &actionDecl{name: p.name()}
	d.params = p.parameters()
	if p.AcceptWord("returns") {
		d.returns = p.parameters()
	}
	if p.Text(t) == "method" {
		self := binder{name{"self", p.Span(t)}, name{"this", p.Span(t)}}
		d.params = append([]binder{self}, d.params...)
	}
	if p.Accept("=") {
		if p.Accept("*") {
			p.refuse(p.Since(t), "an action that does anything ('= *')")
		}
		d.body, d.defined = p.body(), true
	}
	d.span = p.Since(t)
	return d
}

func (p *parser) mixin() []decl {
	t := p.Next()
	d := &mixinDecl{word: p.Text(t)}
	if d.word == "implement" && p.AcceptWord("type") {
		p.refuse(p.Since(t), "an implemented type ('implement type')")
	}
	d.name = p.dotted()
	d.params = p.parameters()
	if p.AcceptWord("returns") {
		d.returns = p.parameters()
	}
	if d.word == "around" {
		p.Expect("{")
		before := *d
		before.word = "before"
		for !p.Accept("...") {
			before.body = append(before.body, p.statement())
			for p.Accept(";") {
			}
		}
		after := *d
		after.word = "after"
		after.body = p.statements()
		before.span, after.span = p.Since(t), p.Since(t)
		return []decl{&before, &after}
	}
	d.body = p.body()
	d.span = p.Since(t)
	return one(d)
}

// execute reads the call of an action before or after another one.
func (p *parser) execute() decl {
	t := p.Next()
	callee := p.dotted()
	d := &mixinDecl{word: p.Text(p.Peek())}
	if !p.AcceptWord("before") {
		p.ExpectWord("after")
	}
	d.name = p.dotted()
	d.span = p.Since(t)
	d.body = []stmt{&callStmt{span: d.span,
		callee: &term{kind: termName, name: callee, span: callee.span}}}
	if strings.Contains(callee.text, ".") {
		p.refuse(d.span, "'execute' with an action of another object")
	}
	return d
}
