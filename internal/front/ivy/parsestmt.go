package ivy

import (
	"fmt"
	"strings"

	"erelong.dev/erelong/internal/front/parse"
)

// body reads a block in braces.
func (p *parser) body() []stmt {
	t := p.Peek()
	p.Expect("{")
	if p.At(native) {
		p.Next()
		p.Expect("}")
		return []stmt{&nativeStmt{p.Since(t)}}
	}
	return p.statements()
}

// statements reads up to '}', which it consumes.
func (p *parser) statements() (out []stmt) {
	p.Enter()
	defer p.Leave()
	for !p.Accept("}") {
		if p.Accept(";") {
			continue
		}
		s := p.statement()
		out = append(out, s)
		if !p.At("}") && !p.At(";") && !compound(s) {
			p.Expected("';' or '}' after the statement")
		}
	}
	return out
}

// compound reports whether a statement ends without a semicolon.
func compound(s stmt) bool {
	switch s := s.(type) {
	case *ifStmt, *whileStmt, *localStmt, *blockStmt, *nativeStmt:
		return true
	case *claimStmt:
		return !s.proof.IsZero()
	}
	return false
}

func (p *parser) statement() stmt {
	t := p.Peek()
	if p.At("{") {
		b := p.body()
		return &blockStmt{p.Since(t), b}
	}
	if p.Accept(native) {
		return &nativeStmt{p.Span(t)}
	}
	if !p.At(parse.Word) {
		return p.simple()
	}
	switch w := p.Text(t); w {
	case "assume", "assert", "require", "ensure", "requires", "ensures":
		if k := p.Ahead(1).Kind; k != ":=" && k != ";" && k != "." {
			p.Next()
			f := p.labeled(";")
			// older versions write requires and ensures
			return &claimStmt{span: p.Since(t), word: strings.TrimSuffix(w, "s"), formula: f}
		}
	case "unprovable":
		p.Next()
		p.statement()
		return &blockStmt{span: p.Since(t)}
	case "if":
		return p.ifStatement()
	case "while":
		return p.while()
	case "local":
		return p.local()
	case "var":
		return p.varStatement()
	case "call":
		return p.call()
	case "let":
		return p.let()
	case "for", "thunk", "instantiate", "set", "debug":
		if k := p.Ahead(1).Kind; k == parse.Word || k == vari || k == "[" || k == "~" {
			p.refuse(p.Span(t), fmt.Sprintf("the statement '%s'", w))
		}
	}
	return p.simple()
}

func (p *parser) local() stmt {
	t := p.Next()
	s := &localStmt{}
	p.Commas(func() { s.vars = append(s.vars, p.binder()) })
	s.body = p.body()
	s.span = p.Since(t)
	return s
}

func (p *parser) varStatement() stmt {
	t := p.Next()
	s := &varStmt{v: binder{name: p.name()}}
	s.args = p.parameters()
	if p.Accept(":") {
		s.v.typ = p.dotted()
	}
	if p.Accept(":=") && !p.Accept("*") {
		s.init = p.formula()
	}
	s.span = p.Since(t)
	return s
}

func (p *parser) call() stmt {
	t := p.Next()
	s := &callStmt{}
	p.Commas(func() { s.lhs = append(s.lhs, p.formula()) })
	if len(s.lhs) == 1 && !p.At(":=") {
		s.callee, s.lhs = s.lhs[0], nil
	} else {
		p.Expect(":=")
		s.callee = p.formula()
	}
	s.span = p.Since(t)
	return s
}

// let reads names for values, and the block in which they stand for them.
func (p *parser) let() stmt {
	t := p.Next()
	s := &blockStmt{}
	p.Commas(func() {
		n := p.name()
		p.Expect("=")
		v := p.formula()
		s.body = append(s.body, &varStmt{span: n.span, v: binder{name: n}, init: v})
	})
	s.body = append(s.body, p.body()...)
	s.span = p.Since(t)
	return s
}

// simple reads an assignment or a call.
func (p *parser) simple() stmt {
	t := p.Peek()
	if p.At("(") { // (x, y) := a
		p.Next()
		s := &callStmt{}
		p.Commas(func() { s.lhs = append(s.lhs, p.formula()) })
		p.Expect(")")
		p.Expect(":=")
		s.callee = p.formula()
		s.span = p.Since(t)
		return s
	}
	x := p.level(levelColon)
	if !p.Accept(":=") {
		return &callStmt{span: p.Since(t), callee: x}
	}
	s := &assignStmt{lhs: x}
	if !p.Accept("*") {
		s.rhs = p.formula()
	}
	s.span = p.Since(t)
	return s
}

// condition reads what follows if and while: nil for *, a formula, or some.
func (p *parser) condition() (*term, *some) {
	t := p.Peek()
	switch {
	case p.Accept("*"):
		return nil, nil
	case p.AcceptWord("some"):
		s := &some{}
		if p.At("(") {
			s.vars = p.parameters()
		} else {
			p.Commas(func() {
				b := binder{name: p.name()}
				if p.Accept(":") {
					b.typ = p.boundType(false)
				}
				s.vars = append(s.vars, b)
			})
			p.Expect(".")
		}
		s.such = p.formula()
		if p.AtWord("minimizing") || p.AtWord("maximizing") {
			s.best = p.Text(p.Next())
			s.by = p.formula()
		}
		return nil, s
	}
	x := p.formula()
	if p.At(":=") {
		p.refuse(p.Since(t), "a condition that assigns")
	}
	return x, nil
}

func (p *parser) ifStatement() stmt {
	t := p.Next()
	s := &ifStmt{}
	s.cond, s.some = p.condition()
	s.then = p.body()
	if p.AcceptWord("else") {
		s.alt = []stmt{p.statement()}
	}
	s.span = p.Since(t)
	return s
}

func (p *parser) while() stmt {
	t := p.Next()
	s := &whileStmt{}
	s.cond, s.some = p.condition()
	for p.AcceptWord("invariant") {
		s.invariants = append(s.invariants, p.labeled("{"))
	}
	if p.AcceptWord("decreases") {
		p.formula()
	}
	s.body = p.body()
	s.span = p.Since(t)
	return s
}
