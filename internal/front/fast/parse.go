package fast

import (
	"fmt"
	"math/big"

	"erelong.dev/erelong/internal/diag"
)

// maxDepth bounds the nesting of expressions and statements.
const maxDepth = 1000

// parser reads one file. The first syntax error ends it.
type parser struct {
	src        *diag.Source
	errs       *diag.List
	tokens     []token
	pos, depth int
}

// bailout unwinds the parser after a reported error.
type bailout struct{}

// parse reads a file. After an error it is not complete.
func parse(src *diag.Source, errs *diag.List) (out *file) {
	out = &file{}
	tokens := lex(src, errs)
	if errs.Err() != nil {
		return out
	}
	p := &parser{src: src, errs: errs, tokens: tokens}
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(bailout); !ok {
				panic(r)
			}
		}
	}()
	for {
		switch {
		case p.peek().kind == eof && out.model != nil:
			return out
		case p.isWord("model"):
			m := p.model()
			if out.model != nil {
				p.fail(m.name.span, diag.FastConstruct, "a second model in one file is not read")
			}
			out.model = m
		case p.isWord("strategy"):
			out.strategies = append(out.strategies, p.strategy())
		default:
			p.expected("'model' or 'strategy'")
		}
	}
}

func (p *parser) peek() token { return p.tokens[p.pos] }
func (p *parser) span(t token) diag.Span {
	return diag.Span{Source: p.src, Start: t.start, End: t.end}
}
func (p *parser) text(t token) string { return p.src.Text[t.start:t.end] }

func (p *parser) next() token {
	t := p.peek()
	if t.kind != eof {
		p.pos++
	}
	return t
}

// from is the span from a token to the last one that was read.
func (p *parser) from(t token) diag.Span {
	return p.span(t).To(p.span(p.tokens[max(p.pos-1, 0)]))
}

func (p *parser) fail(span diag.Span, code diag.Code, format string, args ...any) {
	p.errs.Errorf(code, span, format, args...)
	panic(bailout{})
}

func (p *parser) expected(what string) {
	t := p.peek()
	found := string(t.kind)
	if t.kind == word || t.kind == number {
		found = "'" + p.text(t) + "'"
	} else if t.kind != eof && t.kind != quoted {
		found = "'" + found + "'"
	}
	p.fail(p.span(t), diag.Syntax, "expected %s, found %s", what, found)
}

func (p *parser) accept(k kind) bool {
	if p.peek().kind == k {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(k kind) token {
	if p.peek().kind != k {
		p.expected("'" + string(k) + "'")
	}
	return p.next()
}

func (p *parser) isWord(w string) bool {
	t := p.peek()
	return t.kind == word && p.text(t) == w
}

func (p *parser) acceptWord(w string) bool {
	if p.isWord(w) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expectWord(w string) {
	if !p.acceptWord(w) {
		p.expected("'" + w + "'")
	}
}

// reserved are the words that are no names.
var reserved = map[string]bool{
	"model": true, "var": true, "states": true, "transition": true, "from": true, "to": true,
	"guard":  true,
	"action": true, "strategy": true, "Region": true, "Transitions": true, "boolean": true,
	"if": true, "then": true,
	"else": true, "endif": true, "true": true, "false": true, "state": true, "print": true,
	"while": true, "do": true, "endwhile": true,
	"subSet": true, "isEmpty": true, "equal": true, "setMaxState": true, "setMaxAcc": true,
}

func (p *parser) name(what string) name {
	t := p.peek()
	if t.kind != word || reserved[p.text(t)] {
		p.expected(what)
	}
	p.next()
	return name{p.text(t), p.span(t)}
}

func (p *parser) names(what string) (out []name) {
	out = append(out, p.name(what))
	for p.accept(",") {
		out = append(out, p.name(what))
	}
	return out
}

func (p *parser) model() *modelDecl {
	p.next()
	m := &modelDecl{name: p.name("the name of the model")}
	p.expect("{")
	for !p.accept("}") {
		switch {
		case p.acceptWord("var"):
			m.vars = append(m.vars, p.names("the name of a variable")...)
			p.expect(";")
		case p.acceptWord("states"):
			m.states = append(m.states, p.names("the name of a state")...)
			p.expect(";")
		case p.isWord("transition"):
			m.transitions = append(m.transitions, p.transition())
		default:
			p.expected("'var', 'states', 'transition' or '}'")
		}
	}
	p.accept(";")
	return m
}

func (p *parser) transition() *transition {
	first := p.next()
	t := &transition{name: p.name("the name of the transition")}
	p.expect(":=")
	p.expect("{")
	seen := map[string]bool{}
	for !p.accept("}") {
		field := p.peek()
		what := p.text(field)
		if field.kind == word && seen[what] {
			p.fail(p.span(field), diag.Duplicate, "'%s' is given twice", what)
		}
		seen[what] = true
		switch {
		case p.acceptWord("from"):
			p.expect(":=")
			t.from = p.name("the name of a state")
		case p.acceptWord("to"):
			p.expect(":=")
			t.to = p.name("the name of a state")
		case p.acceptWord("guard"):
			p.expect(":=")
			t.guard = p.expr()
		case p.acceptWord("action"):
			p.expect(":=")
			for p.peek().kind != ";" {
				target := p.name("the name of a variable")
				p.expect("'")
				p.expect("=")
				t.action = append(t.action, assignment{target, p.sum()})
				if !p.accept(",") {
					break
				}
			}
		default:
			p.expected("'from', 'to', 'guard', 'action' or '}'")
		}
		p.expect(";")
	}
	p.accept(";")
	t.span = p.from(first)
	for _, needed := range []string{"from", "to"} {
		if !seen[needed] {
			p.fail(t.name.span, diag.Syntax, "the transition '%s' has no '%s'", t.name.text, needed)
		}
	}
	return t
}

func (p *parser) strategy() *strategyDecl {
	p.next()
	s := &strategyDecl{name: p.name("the name of the strategy")}
	p.expect("{")
	s.body = p.stmts("}")
	p.expect("}")
	p.accept(";")
	return s
}

// stmts reads statements up to one of the given ends, which may be punctuation or words.
func (p *parser) stmts(ends ...string) (out []stmt) {
	p.deeper()
	defer func() { p.depth-- }()
	for {
		t := p.peek()
		for _, end := range ends {
			if string(t.kind) == end || t.kind == word && p.text(t) == end {
				return out
			}
		}
		if t.kind == eof {
			p.expected(fmt.Sprintf("'%s'", ends[0]))
		}
		if s := p.stmt(); s != nil {
			out = append(out, s)
		}
	}
}

// stmt reads a statement; nil where it changes nothing, such as a limit.
func (p *parser) stmt() stmt {
	t := p.peek()
	if t.kind == ";" {
		p.next()
		return nil
	}
	if t.kind != word {
		p.expected("a statement")
	}
	switch w := p.text(t); w {
	case "setMaxState", "setMaxAcc":
		p.next()
		p.expect("(")
		p.expect(number)
		p.expect(")")
		p.expect(";")
		return nil
	case "Region", "Transitions", "boolean":
		p.next()
		s := &letStmt{kind: w, name: p.name("a name")}
		p.expect(":=")
		s.value = p.expr()
		p.expect(";")
		return s
	case "print":
		p.next()
		p.expect("(")
		s := &printStmt{}
		if q := p.peek(); q.kind == quoted {
			p.next()
			s.text = p.src.Text[q.start+1 : q.end-1]
		} else {
			s.value = p.expr()
		}
		p.expect(")")
		p.expect(";")
		s.span = p.from(t)
		return s
	case "if":
		p.next()
		s := &ifStmt{cond: p.expr()}
		p.expectWord("then")
		s.then = p.stmts("else", "endif")
		if p.acceptWord("else") {
			s.rest = p.stmts("endif")
		}
		p.expectWord("endif")
		p.accept(";")
		s.span = p.from(t)
		return s
	case "while":
		p.next()
		s := &whileStmt{cond: p.expr()}
		p.expectWord("do")
		s.body = p.stmts("endwhile")
		p.expectWord("endwhile")
		p.accept(";")
		s.span = p.from(t)
		return s
	}
	if p.pos+1 < len(p.tokens) && p.tokens[p.pos+1].kind == ":=" {
		s := &letStmt{name: p.name("a name")}
		p.expect(":=")
		s.value = p.expr()
		p.expect(";")
		return s
	}
	if p.pos+1 < len(p.tokens) &&
		(p.tokens[p.pos+1].kind == "(" || p.tokens[p.pos+1].kind == word) {
		p.fail(p.span(t), diag.FastConstruct, "'%s' is not read", p.text(t))
	}
	p.expected("a statement")
	return nil
}

func (p *parser) deeper() {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.span(p.peek()), diag.TooDeep, "this is nested more than %d deep", maxDepth)
	}
}

func (p *parser) expr() *expr { return p.binary(0) }

// levels are the operators from the loosest to the tightest.
var levels = [][]kind{{"||"}, {"&&"}, {"=", "==", "!=", "<", "<=", ">", ">="}, {"+", "-"}, {"*"}}

// sum reads a term without comparisons.
func (p *parser) sum() *expr { return p.binary(3) }

func (p *parser) binary(level int) *expr {
	if level == len(levels) {
		return p.unary()
	}
	first := p.peek()
	left := p.binary(level + 1)
	for {
		op := p.peek().kind
		at := -1
		for i, k := range levels[level] {
			if k == op {
				at = i
			}
		}
		if at < 0 {
			return left
		}
		p.next()
		if op == "==" {
			op = "="
		}
		right := p.binary(level + 1)
		left = &expr{op: string(op), args: []*expr{left, right}, span: p.from(first)}
		if level == 2 {
			return left // comparisons are not chained
		}
	}
}

func (p *parser) unary() *expr {
	p.deeper()
	defer func() { p.depth-- }()
	first := p.next()
	switch first.kind {
	case "!", "-":
		arg := p.unary()
		return &expr{op: string(first.kind), args: []*expr{arg}, span: p.from(first)}
	case "(":
		e := p.expr()
		p.expect(")")
		return e
	case "?":
		return &expr{op: opAny, span: p.span(first)}
	case number:
		n, _ := new(big.Int).SetString(p.text(first), 10)
		return &expr{op: opNumber, num: n, span: p.span(first)}
	case "{":
		e := &expr{op: opBraces}
		for p.peek().kind != "}" {
			e.args = append(e.args, p.expr())
			if !p.accept(",") {
				break
			}
		}
		p.expect("}")
		e.span = p.from(first)
		return e
	case "post*", "pre*":
		return p.call(first, string(first.kind))
	case word:
		switch w := p.text(first); w {
		case "true", "false":
			return &expr{op: w, span: p.span(first)}
		case "subSet", "isEmpty", "equal":
			return p.call(first, w)
		case "exists", "forall":
			p.fail(p.span(first), diag.FastConstruct, "the quantifier '%s' is not read", w)
		default:
			if p.peek().kind == "(" {
				p.fail(p.span(first), diag.FastConstruct, "'%s' is not read", w)
			}
			if reserved[w] && w != "state" {
				break
			}
			return &expr{op: opName, name: w, span: p.span(first)}
		}
	}
	if first.kind != eof {
		p.pos--
	}
	p.expected("an expression")
	return nil
}

func (p *parser) call(first token, op string) *expr {
	e := &expr{op: op}
	p.expect("(")
	e.args = append(e.args, p.expr())
	for p.accept(",") {
		e.args = append(e.args, p.expr())
	}
	p.expect(")")
	e.span = p.from(first)
	return e
}
