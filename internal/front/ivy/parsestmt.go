package ivy

import (
	"fmt"
	"strings"
)

// body reads a block in braces.
func (p *parser) body() []stmt {
	t := p.tok()
	p.expect("{")
	if p.at(native) {
		p.next()
		p.expect("}")
		return []stmt{&nativeStmt{p.since(t)}}
	}
	return p.statements()
}

// statements reads up to '}', which it consumes.
func (p *parser) statements() (out []stmt) {
	p.enter()
	defer p.leave()
	for !p.accept("}") {
		if p.accept(";") {
			continue
		}
		s := p.statement()
		out = append(out, s)
		if !p.at("}") && !p.at(";") && !compound(s) {
			p.fail("';' or '}' after the statement")
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
	t := p.tok()
	if p.at("{") {
		b := p.body()
		return &blockStmt{p.since(t), b}
	}
	if p.at(native) {
		p.next()
		return &nativeStmt{p.span(t)}
	}
	w := ""
	if p.at(word) {
		w = p.text(t)
	}
	switch w {
	case "assume", "assert", "require", "ensure", "requires", "ensures":
		if k := p.peek(1).kind; k != ":=" && k != ";" && k != "." {
			p.next()
			f := p.labeled()
			// older versions write requires and ensures
			return &claimStmt{span: p.since(t), word: strings.TrimSuffix(w, "s"), formula: f}
		}
	case "unprovable":
		p.next()
		p.statement()
		return &blockStmt{span: p.since(t)}
	case "if":
		return p.ifStatement()
	case "while":
		return p.while()
	case "local":
		p.next()
		s := &localStmt{}
		for {
			s.vars = append(s.vars, p.binder())
			if !p.accept(",") {
				break
			}
		}
		s.body = p.body()
		s.span = p.since(t)
		return s
	case "var":
		p.next()
		s := &varStmt{v: binder{name: p.name()}}
		s.args = p.parameters()
		if p.accept(":") {
			s.v.typ = p.dotted()
		}
		if p.accept(":=") && !p.accept("*") {
			s.init = p.formula()
		}
		s.span = p.since(t)
		return s
	case "call":
		p.next()
		s := &callStmt{callee: p.formula()}
		if p.at(":=") || p.at(",") {
			s.lhs = []*term{s.callee}
			for p.accept(",") {
				s.lhs = append(s.lhs, p.formula())
			}
			p.expect(":=")
			s.callee = p.formula()
		}
		s.span = p.since(t)
		return s
	case "let":
		p.next()
		s := &blockStmt{}
		for {
			n := p.name()
			p.expect("=")
			v := p.formula()
			s.body = append(s.body, &varStmt{span: n.span, v: binder{name: n}, init: v})
			if !p.accept(",") {
				break
			}
		}
		s.body = append(s.body, p.body()...)
		s.span = p.since(t)
		return s
	case "for", "thunk", "instantiate", "set", "debug":
		if k := p.peek(1).kind; k == word || k == vari || k == "[" || k == "~" {
			p.refuse(p.span(t), fmt.Sprintf("the statement '%s'", w))
		}
	}
	return p.simple()
}

// simple reads an assignment or a call.
func (p *parser) simple() stmt {
	t := p.tok()
	if p.at("(") { // (x, y) := a
		p.next()
		s := &callStmt{lhs: []*term{p.formula()}}
		for p.accept(",") {
			s.lhs = append(s.lhs, p.formula())
		}
		p.expect(")")
		p.expect(":=")
		s.callee = p.formula()
		s.span = p.since(t)
		return s
	}
	x := p.level(levelColon)
	if !p.accept(":=") {
		return &callStmt{span: p.since(t), callee: x}
	}
	s := &assignStmt{lhs: x}
	if !p.accept("*") {
		s.rhs = p.formula()
	}
	s.span = p.since(t)
	return s
}

// condition reads what follows if and while: nil for *, a formula, or some.
func (p *parser) condition() (*term, *some) {
	t := p.tok()
	switch {
	case p.accept("*"):
		return nil, nil
	case p.acceptWord("some"):
		s := &some{}
		if p.at("(") {
			s.vars = p.parameters()
		} else {
			for {
				b := binder{name: p.name()}
				if p.accept(":") {
					b.typ = p.boundType(false)
				}
				s.vars = append(s.vars, b)
				if !p.accept(",") {
					break
				}
			}
			p.expect(".")
		}
		s.such = p.formula()
		if p.atWord("minimizing") || p.atWord("maximizing") {
			s.best = p.text(p.next())
			s.by = p.formula()
		}
		return nil, s
	}
	x := p.formula()
	if p.at(":=") {
		p.refuse(p.since(t), "a condition that assigns")
	}
	return x, nil
}

func (p *parser) ifStatement() stmt {
	t := p.next()
	s := &ifStmt{}
	s.cond, s.some = p.condition()
	s.then = p.body()
	if p.acceptWord("else") {
		s.alt = []stmt{p.statement()}
	}
	s.span = p.since(t)
	return s
}

func (p *parser) while() stmt {
	t := p.next()
	s := &whileStmt{}
	s.cond, s.some = p.condition()
	for p.acceptWord("invariant") {
		s.invariants = append(s.invariants, p.labeled())
	}
	if p.acceptWord("decreases") {
		p.formula()
	}
	s.body = p.body()
	s.span = p.since(t)
	return s
}
