package fast

import (
	"fmt"
	"math/big"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
)

// parser reads one file. The first syntax error ends it.
type parser struct {
	*parse.Cursor
	errs *diag.List
}

// read reads a file. After an error it is not complete.
func read(src *diag.Source, errs *diag.List) *file {
	out := &file{}
	if tokens := lexicon.Tokens(src, errs); tokens != nil {
		p := &parser{parse.NewCursor(src, tokens, errs), errs}
		parse.Catch(func() { p.file(out) })
	}
	return out
}

func (p *parser) file(out *file) {
	for {
		switch {
		case p.Peek().Kind == parse.EOF && out.model != nil:
			return
		case p.AtWord("model"):
			m := p.model()
			if out.model != nil {
				p.Fail(m.name.span, diag.FastConstruct, "a second model in one file is not read")
			}
			out.model = m
		case p.AtWord("strategy"):
			out.strategies = append(out.strategies, p.strategy())
		default:
			p.Expected("'model' or 'strategy'")
		}
	}
}

// reserved are the words that are no names.
var reserved = map[string]bool{
	"model": true, "var": true, "states": true, "transition": true, "from": true, "to": true,
	"guard": true, "action": true, "strategy": true, "Region": true, "Transitions": true,
	"boolean": true, "if": true, "then": true, "else": true, "endif": true, "true": true,
	"false": true, "state": true, "print": true, "while": true, "do": true, "endwhile": true,
	"subSet": true, "isEmpty": true, "equal": true, "setMaxState": true, "setMaxAcc": true,
}

func (p *parser) name(what string) name {
	t := p.Peek()
	if t.Kind != parse.Word || reserved[p.Text(t)] {
		p.Expected(what)
	}
	p.Next()
	return name{p.Text(t), p.Span(t)}
}

func (p *parser) names(what string) (out []name) {
	p.Commas(func() { out = append(out, p.name(what)) })
	return out
}

func (p *parser) model() *modelDecl {
	p.Next()
	m := &modelDecl{name: p.name("the name of the model")}
	p.Expect("{")
	for !p.Accept("}") {
		switch {
		case p.AcceptWord("var"):
			m.vars = append(m.vars, p.names("the name of a variable")...)
			p.Expect(";")
		case p.AcceptWord("states"):
			m.states = append(m.states, p.names("the name of a state")...)
			p.Expect(";")
		case p.AtWord("transition"):
			m.transitions = append(m.transitions, p.transition())
		default:
			p.Expected("'var', 'states', 'transition' or '}'")
		}
	}
	p.Accept(";")
	return m
}

func (p *parser) transition() *transition {
	first := p.Next()
	t := &transition{name: p.name("the name of the transition")}
	p.Expect(":=")
	p.Expect("{")
	seen := map[string]bool{}
	for !p.Accept("}") {
		field := p.Peek()
		what := p.Text(field)
		if field.Kind == parse.Word && seen[what] {
			p.Fail(p.Span(field), diag.Duplicate, "'%s' is given twice", what)
		}
		seen[what] = true
		switch {
		case p.AcceptWord("from"):
			p.Expect(":=")
			t.from = p.name("the name of a state")
		case p.AcceptWord("to"):
			p.Expect(":=")
			t.to = p.name("the name of a state")
		case p.AcceptWord("guard"):
			p.Expect(":=")
			t.guard = p.expr()
		case p.AcceptWord("action"):
			p.Expect(":=")
			for p.Peek().Kind != ";" {
				target := p.name("the name of a variable")
				p.Expect("'")
				p.Expect("=")
				t.action = append(t.action, assignment{target, p.sum()})
				if !p.Accept(",") {
					break
				}
			}
		default:
			p.Expected("'from', 'to', 'guard', 'action' or '}'")
		}
		p.Expect(";")
	}
	p.Accept(";")
	t.span = p.Since(first)
	for _, needed := range []string{"from", "to"} {
		if !seen[needed] {
			p.Fail(t.name.span, diag.Syntax, "the transition '%s' has no '%s'", t.name.text, needed)
		}
	}
	return t
}

func (p *parser) strategy() *strategyDecl {
	p.Next()
	s := &strategyDecl{name: p.name("the name of the strategy")}
	p.Expect("{")
	s.body = p.stmts("}")
	p.Expect("}")
	p.Accept(";")
	return s
}

// stmts reads statements up to one of the given ends, which may be punctuation or words.
func (p *parser) stmts(ends ...string) (out []stmt) {
	p.Enter()
	defer p.Leave()
	for {
		t := p.Peek()
		for _, end := range ends {
			if string(t.Kind) == end || t.Kind == parse.Word && p.Text(t) == end {
				return out
			}
		}
		if t.Kind == parse.EOF {
			p.Expected(fmt.Sprintf("'%s'", ends[0]))
		}
		if s := p.stmt(); s != nil {
			out = append(out, s)
		}
	}
}

// stmt reads a statement; nil where it changes nothing, such as a limit.
func (p *parser) stmt() stmt {
	t := p.Peek()
	if t.Kind == ";" {
		p.Next()
		return nil
	}
	if t.Kind != parse.Word {
		p.Expected("a statement")
	}
	switch w := p.Text(t); w {
	case "setMaxState", "setMaxAcc":
		p.Next()
		p.Expect("(")
		if !p.Accept(number) {
			p.Expected("a number")
		}
		p.Expect(")")
		p.Expect(";")
		return nil
	case "Region", "Transitions", "boolean":
		p.Next()
		s := &letStmt{kind: w, name: p.name("a name")}
		p.Expect(":=")
		s.value = p.expr()
		p.Expect(";")
		return s
	case "print":
		p.Next()
		p.Expect("(")
		s := &printStmt{}
		if q := p.Peek(); q.Kind == quoted {
			p.Next()
			s.text = p.Source.Text[q.Start+1 : q.End-1]
		} else {
			s.value = p.expr()
		}
		p.Expect(")")
		p.Expect(";")
		s.span = p.Since(t)
		return s
	case "if":
		p.Next()
		s := &ifStmt{cond: p.expr()}
		p.ExpectWord("then")
		s.then = p.stmts("else", "endif")
		if p.AcceptWord("else") {
			s.rest = p.stmts("endif")
		}
		p.ExpectWord("endif")
		p.Accept(";")
		s.span = p.Since(t)
		return s
	case "while":
		p.Next()
		s := &whileStmt{cond: p.expr()}
		p.ExpectWord("do")
		s.body = p.stmts("endwhile")
		p.ExpectWord("endwhile")
		p.Accept(";")
		s.span = p.Since(t)
		return s
	}
	if p.Ahead(1).Kind == ":=" {
		s := &letStmt{name: p.name("a name")}
		p.Expect(":=")
		s.value = p.expr()
		p.Expect(";")
		return s
	}
	if k := p.Ahead(1).Kind; k == "(" || k == parse.Word {
		p.Fail(p.Span(t), diag.FastConstruct, "'%s' is not read", p.Text(t))
	}
	p.Expected("a statement")
	return nil
}

func (p *parser) expr() *expr { return p.binary(0) }

// levels are the operators from the loosest to the tightest.
var levels = [][]parse.Kind{
	{"||"}, {"&&"}, {"=", "==", "!=", "<", "<=", ">", ">="}, {"+", "-"}, {"*"},
}

// sum reads a term without comparisons.
func (p *parser) sum() *expr { return p.binary(3) }

func (p *parser) binary(level int) *expr {
	if level == len(levels) {
		return p.unary()
	}
	first := p.Peek()
	left := p.binary(level + 1)
	for {
		op := p.Peek().Kind
		at := -1
		for i, k := range levels[level] {
			if k == op {
				at = i
			}
		}
		if at < 0 {
			return left
		}
		p.Next()
		if op == "==" {
			op = "="
		}
		second := p.Peek()
		right := p.binary(level + 1)
		if op == "||" && right.op == "&&" && right.span.Start == p.Span(second).Start {
			p.errs.Warnf(diag.FastPrecedence, right.span,
				"'&&' without parentheses after '||' is read as binding tighter")
		}
		left = &expr{op: string(op), args: []*expr{left, right}, span: p.Since(first)}
		if level == 2 {
			return left // comparisons are not chained
		}
	}
}

func (p *parser) unary() *expr {
	p.Enter()
	defer p.Leave()
	first := p.Next()
	switch first.Kind {
	case "!", "-":
		arg := p.unary()
		return &expr{op: string(first.Kind), args: []*expr{arg}, span: p.Since(first)}
	case "(":
		e := p.expr()
		p.Expect(")")
		return e
	case "?":
		return &expr{op: opAny, span: p.Span(first)}
	case number:
		n, _ := new(big.Int).SetString(p.Text(first), 10)
		return &expr{op: opNumber, num: n, span: p.Span(first)}
	case "{":
		e := &expr{op: opBraces}
		for p.Peek().Kind != "}" {
			e.args = append(e.args, p.expr())
			if !p.Accept(",") {
				break
			}
		}
		p.Expect("}")
		e.span = p.Since(first)
		return e
	case "post*", "pre*":
		return p.call(first, string(first.Kind))
	case parse.Word:
		switch w := p.Text(first); w {
		case "true", "false":
			return &expr{op: w, span: p.Span(first)}
		case "subSet", "isEmpty", "equal":
			return p.call(first, w)
		case "exists", "forall":
			p.Fail(p.Span(first), diag.FastConstruct, "the quantifier '%s' is not read", w)
		default:
			if p.Peek().Kind == "(" {
				p.Fail(p.Span(first), diag.FastConstruct, "'%s' is not read", w)
			}
			if reserved[w] && w != "state" {
				break
			}
			return &expr{op: opName, name: w, span: p.Span(first)}
		}
	}
	if first.Kind != parse.EOF {
		p.Back()
	}
	p.Expected("an expression")
	return nil
}

func (p *parser) call(first parse.Token, op string) *expr {
	e := &expr{op: op}
	p.Expect("(")
	p.Commas(func() { e.args = append(e.args, p.expr()) })
	p.Expect(")")
	e.span = p.Since(first)
	return e
}
