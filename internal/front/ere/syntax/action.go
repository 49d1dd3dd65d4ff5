package syntax

import "erelong.dev/erelong/internal/diag"

// actionDecl reads an imperative action:
//
//	action name(params) ('strong'? 'fair' 'if' expr)? { statement* }
//
//	statement ::= ('require' | 'assume') expr ';'
//	            | target ':=' (expr | '*') ';'
//	            | 'if' expr block ('else' (block | if-statement))?
//	            | 'choose' binder ('with' expr)? (block | ';')
//	            | 'let' binder '=' expr ';'
//
// The semicolon before '}' may be left out.
func (p *parser) actionDecl(t Token, fairness string) Decl {
	d := &ActionDecl{Fairness: fairness, Name: p.name("a name for the action")}
	d.Params = p.params()
	d.Fairness, d.FairIf = p.fairIf(fairness)
	d.Body = p.block()
	d.Span = p.since(t)
	return d
}

// fairIf reads the condition under which the steps of an action are fair, if there is one. Fairness
// is the word before the action.
func (p *parser) fairIf(fairness string) (string, *Expr) {
	t := p.tok()
	word := ""
	if p.acceptWord("strong") {
		word = "strong "
	}
	switch {
	case p.acceptWord("fair"):
		word += "fair"
	case word != "":
		p.fail("'fair' after 'strong'")
	default:
		return fairness, nil
	}
	if fairness != "" {
		p.errs.Errorf(diag.Syntax, p.span(t), "the action is %s already, under no condition",
			fairness).
			Suggest("Delete one of the two; with a condition it is written "+
				"action a(x) %s if e { ... }.", word)
		panic(bailout{})
	}
	p.expect("if", "after '"+word+"', before the condition")
	return word, p.expr()
}

func (p *parser) block() (out []Stmt) {
	p.expect("{", "before the statements")
	p.nested(func() {
		for !p.at("}") {
			if s := p.recoveredStatement(); s != nil {
				out = append(out, s)
			}
		}
	})
	p.next()
	return out
}

// recoveredStatement reads a statement. After an error it skips to the end of the statement, so
// that the rest of the block is read; it gives nil. Where the next declaration seems to begin
// first, the error is one of the whole declaration.
func (p *parser) recoveredStatement() (s Stmt) {
	start, depth := p.pos, p.depth
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if _, ok := r.(bailout); !ok {
			panic(r)
		}
		p.depth = depth
		if s = nil; len(p.errs.All) >= maxErrors || !p.skipStatement(start) {
			panic(bailout{})
		}
	}()
	return p.statement()
}

// skipStatement skips what is left of the statement that begins at a token. It reports whether the
// end of the statement, or of its block, was found.
func (p *parser) skipStatement(start int) bool {
	for open := 0; !p.at(EOF) && !p.startsDeclaration(); p.next() {
		switch p.tok().Kind {
		case "{":
			open++
		case "}":
			if open == 0 {
				return p.pos > start
			}
			open--
		case ";":
			if open == 0 {
				p.next()
				return true
			}
		}
	}
	return false
}

func (p *parser) endOfStatement() {
	if !p.at("}") {
		p.expect(";", "at the end of the statement")
	}
}

func (p *parser) statement() Stmt {
	t := p.tok()
	if s := (programParser{p}).stmt(t); s != nil {
		return s
	}
	switch {
	case p.task && p.atWord("send") && p.peek(1).Kind == Ident:
		p.next()
		p.outsideClass("a send within a task: at each location a process sends one message to "+
			"all, or none, whatever it has received",
			"Send in a task of its own: send m at LOC { ... }. An answer that is sent only "+
				"after some message is outside of this class: write a protocol "+
				"(docs/partial-synchrony.md).")
	case p.at("if"):
		return p.ifStatement()
	case p.accept("let"):
		s := &LetStmt{Binder: p.binder()}
		p.expect("=", "and the value of the variable")
		s.Value = p.expr()
		s.Span = p.since(t)
		p.endOfStatement()
		return s
	case p.word("require") || p.word("assume"):
		p.next()
		s := &RequireStmt{Cond: p.expr()}
		s.Span = p.since(t)
		p.endOfStatement()
		return s
	case p.word("choose"):
		p.next()
		s := &ChooseStmt{Binder: p.element()}
		if p.acceptWord("with") {
			s.Such = p.expr()
		}
		s.Span = p.since(t)
		if s.Block = p.at("{"); s.Block {
			s.Body = p.block()
		} else {
			p.endOfStatement()
		}
		return s
	case p.word("match") && p.peek(1).Kind == Ident:
		return p.matchStmt()
	case p.at(Ident):
		s := &AssignStmt{Target: p.postfix(p.primary())}
		p.expect(":=", "after the target of the assignment")
		if !p.accept("*") {
			s.Value = p.expr()
		}
		s.Span = p.since(t)
		p.endOfStatement()
		return s
	}
	p.failIn(statement, "a statement: require, assume, if, choose, let, or an assignment with ':='")
	return nil
}

// word reports whether a statement's word is next, and not the target of an assignment with this
// name.
func (p *parser) word(w string) bool { return p.atWord(w) && p.peek(1).Kind != ":=" }

func (p *parser) ifStatement() Stmt {
	t := p.next()
	s := &IfStmt{Cond: p.expr()}
	s.Span = p.since(t)
	s.Then = p.block()
	if p.accept("else") {
		if p.at("if") {
			p.nested(func() { s.Else = []Stmt{p.ifStatement()} })
		} else {
			s.Else = p.block()
		}
	}
	return s
}
