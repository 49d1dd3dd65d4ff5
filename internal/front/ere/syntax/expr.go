package syntax

import (
	"math/big"

	"erelong.dev/erelong/internal/diag"
)

// The grammar of expressions, loosest first, as mypyvy's parser has it, with the temporal operators
// added:
//
//	leadsto ::= iff ('~>' iff)?
//	iff     ::= implies ('<->' implies)?
//	implies ::= until ('->' implies)?
//	until   ::= or ('until' or)?
//	or      ::= '|'* and ('|'+ and)*
//	and     ::= '&'* cmp ('&'+ cmp)*
//	cmp     ::= data (('=' | '!=' | '~=' | '<' | '<=' | '>' | '>=' | 'in' | 'subset') data)?
//	          | data 'is' name
//	data    ::= sum (('with' | 'without' | 'union' | 'intersect' | 'minus') sum)*
//	sum     ::= product (('+' | '-') product)*
//	product ::= unary ('*' unary | ('div' | 'mod') number)*
//	unary   ::= ('!' | '~' | '-' | 'always' | 'eventually') unary | primary
//
// Quantifiers, if-then-else and let extend as far to the right as they can. So !x = y is (!x) = y.

func (p *parser) expr() (e *Expr) {
	p.nested(func() { e = p.leadsTo() })
	return e
}

func (p *cursor) node(kind ExprKind, start diag.Span, args ...*Expr) *Expr {
	span := start
	if p.pos > 0 {
		span = span.To(p.span(p.tokens[p.pos-1]))
	}
	return &Expr{Kind: kind, Span: span, Args: args}
}

func (p *parser) leadsTo() *Expr {
	a := p.iff()
	if p.accept("~>") {
		a = p.node(ExprLeadsTo, a.Span, a, p.iff())
		p.noChain("~>", "~>")
	}
	return a
}

func (p *parser) iff() *Expr {
	a := p.implies()
	if p.accept("<->") {
		b := p.implies()
		a = p.node(ExprIff, a.Span, a, b)
		p.noChain("<->", "<->")
	}
	return a
}

// noChain refuses a second operator of a kind that does not associate.
func (p *cursor) noChain(first string, kinds ...Kind) {
	for _, k := range kinds {
		if p.at(k) {
			p.errs.Errorf(diag.NonAssociative, p.span(p.tok()),
				"'%s' cannot follow '%s' without parentheses", k, first).
				Suggest("Put parentheses around one of the two.")
			panic(bailout{})
		}
	}
}

func (p *parser) implies() (e *Expr) {
	a := p.until()
	if !p.accept("->") {
		return a
	}
	p.nested(func() {
		b := p.implies()
		e = p.node(ExprImplies, a.Span, a, b)
	})
	return e
}

func (p *parser) until() *Expr {
	a := p.or()
	if p.temporal && p.acceptWord("until") {
		b := p.or()
		a = p.node(ExprUntil, a.Span, a, b)
	}
	return a
}

func (p *parser) or() *Expr  { return p.junction("|", ExprOr, p.and) }
func (p *parser) and() *Expr { return p.junction("&", ExprAnd, p.comparison) }

func (p *parser) junction(op Kind, kind ExprKind, operand func() *Expr) *Expr {
	start := p.span(p.tok())
	leading := func() { // operators allowed before every operand: & a & & b
		for p.accept(op) {
		}
	}
	leading()
	args := []*Expr{operand()}
	for p.accept(op) {
		leading()
		args = append(args, operand())
	}
	if len(args) == 1 {
		return args[0]
	}
	return p.node(kind, start, args...)
}

var comparisons = map[Kind]ExprKind{
	"=": ExprEq, "!=": ExprNe, "~=": ExprNe, "<": ExprLt, "<=": ExprLe, ">": ExprGt, ">=": ExprGe,
}

func (p *parser) comparison() *Expr {
	a := p.data()
	op := p.tok().Kind
	kind, ok := comparisons[op]
	if !ok {
		return p.dataComparison(a)
	}
	p.next()
	b := p.data()
	a = p.node(kind, a.Span, a, b)
	p.noChain(string(op), "=", "!=", "~=", "<", "<=", ">", ">=")
	return a
}

func (p *parser) sum() *Expr {
	a := p.product()
	for n := 1; ; n++ {
		kind := ExprAdd
		switch {
		case p.at("+"):
		case p.at("-"):
			kind = ExprSub
		default:
			return a
		}
		p.bounded(n)
		p.next()
		b := p.product()
		a = p.node(kind, a.Span, a, b)
	}
}

func (p *parser) product() *Expr {
	a := p.unary()
	for n := 1; ; n++ {
		kind := ExprMul
		switch {
		case p.at("*"):
		case p.divides("div"):
			kind = ExprDiv
		case p.divides("mod"):
			kind = ExprMod
		default:
			return a
		}
		p.bounded(n)
		p.next()
		b := p.unary()
		a = p.node(kind, a.Span, a, b)
	}
}

// divides reports whether the next token is div or mod as an operator. They are operators only
// before a number: elsewhere they are names.
func (p *parser) divides(word string) bool { return p.atWord(word) && p.peek(1).Kind == Number }

// nameParts is what to do about an expression that is too deep.
const nameParts = "Name parts of it with definitions, as in definition part(x: SORT) = ..."

// bounded keeps trees of left-associative operators from growing too deep.
func (p *cursor) bounded(n int) {
	if n > maxDepth {
		p.errs.Errorf(diag.TooDeep, p.span(p.tok()), "more than %d operators in a row",
			maxDepth).Suggest(nameParts)
		panic(bailout{})
	}
}

func (p *parser) unary() (e *Expr) {
	t := p.tok()
	var kind ExprKind
	switch {
	case t.Kind == "!" || t.Kind == "~":
		kind = ExprNot
	case t.Kind == "-":
		kind = ExprNeg
	case p.temporal && p.atWord("always"):
		kind = ExprAlways
	case p.temporal && p.atWord("eventually"):
		kind = ExprEventually
	default:
		return p.postfix(p.primary())
	}
	p.next()
	p.nested(func() {
		a := p.unary()
		e = p.node(kind, p.span(t), a)
	})
	return e
}

func (p *parser) primary() *Expr {
	t := p.tok()
	start := p.span(t)
	switch t.Kind {
	case "true":
		p.next()
		return p.node(ExprTrue, start)
	case "false":
		p.next()
		return p.node(ExprFalse, start)
	case Number:
		p.next()
		e := p.node(ExprInt, start)
		e.Int, _ = new(big.Int).SetString(p.text(t), 10)
		return e
	case Text:
		p.next()
		e := p.node(ExprName, start)
		e.Name = Name{p.text(t), start}
		return e
	case "{":
		return p.braces()
	case "[":
		return p.brackets()
	case "(":
		p.next()
		e := p.free(p.expr)
		if p.at(",") {
			return p.tuple(t, e)
		}
		p.expect(")", "to close the parenthesis opened at "+position(start))
		c := *e
		c.Span, c.Parens = p.since(t), true
		return &c
	case "forall", "exists":
		return p.quantifier()
	case "if":
		p.next()
		c := p.expr()
		p.expect("then", "after the condition of 'if'")
		a := p.expr()
		p.expect("else", "of 'if'")
		b := p.expr()
		return p.node(ExprIf, start, c, a, b)
	case "let":
		return p.let()
	case "distinct":
		p.next()
		p.expect("(", "after 'distinct'")
		args := p.args()
		return p.node(ExprDistinct, start, args...)
	case "new":
		p.next()
		p.expect("(", "after 'new'")
		a := p.expr()
		p.expect(")", "to close 'new('")
		return p.node(ExprNew, start, a)
	case "safety":
		p.next()
		e := p.node(ExprSafety, start)
		e.Primes = p.primes()
		e.Span = p.since(t)
		return e
	case Ident:
		if p.atWord("match") && p.peek(1).Kind == Ident {
			return p.matchExpr()
		}
		return p.application()
	}
	p.failIn(expression, "an expression")
	return nil
}

// quantifier reads forall x, y in s. e.
func (p *parser) quantifier() *Expr {
	t := p.tok()
	p.next()
	kind := ExprForall
	if t.Kind == "exists" {
		kind = ExprExists
	}
	var binders []*Binder
	p.list(func() { binders = append(binders, p.element()) })
	p.expect(".", "after the variables of '"+string(t.Kind)+"'")
	e := p.node(kind, p.span(t), p.expr())
	e.Binders = binders
	e.Span = p.since(t)
	return e
}

// let reads let x = e in e.
func (p *parser) let() *Expr {
	start := p.span(p.tok())
	p.next()
	b := p.binder()
	p.expect("=", "and the value of the variable")
	v := p.beforeIn()
	p.expect("in", "after the value of the variable")
	body := p.expr()
	e := p.node(ExprLet, start, v, body)
	e.Binders = []*Binder{b}
	return e
}

// application reads a name, perhaps with arguments.
func (p *parser) application() *Expr {
	t := p.tok()
	start := p.span(t)
	p.next()
	e := p.node(ExprName, start)
	e.Name = Name{p.text(t), start}
	e.Primes = p.primes()
	if p.accept("(") {
		e.Applied = true
		if !p.accept(")") {
			e.Args = p.args()
		}
	}
	e.Span = p.since(t)
	if e.Name.Text == "size" && len(e.Args) == 1 && e.Args[0].Kind == ExprName {
		p.sized = append(p.sized, e.Args[0].Name.Text)
	}
	if (e.Name.Text == "min" || e.Name.Text == "max") && len(e.Args) == 2 {
		p.sized = append(p.sized, e.Name.Text)
	}
	if e.Name.Text == "old" && e.Applied && e.Primes == 0 && len(e.Args) == 1 {
		e.Kind = ExprOld // unless a symbol has this name: see package check
	}
	return e
}

func position(s diag.Span) string {
	line, column := s.Source.Position(s.Start)
	return "line " + big.NewInt(int64(line)).String() + ", column " +
		big.NewInt(int64(column)).String()
}

func (p *cursor) primes() (n int) {
	for p.accept("'") {
		n++
	}
	return n
}

// args reads expressions up to the closing parenthesis.
func (p *parser) args() (out []*Expr) {
	t := p.tok()
	p.list(func() { out = append(out, p.free(p.expr)) })
	if len(out) == 1 && p.acceptWord("for") {
		out[0] = p.each(ExprMany, p.span(t), out[0])
	}
	p.expect(")", "after the arguments")
	return out
}

// sort reads a sort: bool, int, a name, a range whose ends are sums, or a type of structured data.
func (p *parser) sort() *SortExpr {
	t := p.tok()
	if d := p.dataType(); d != nil {
		p.structured = true
		return &SortExpr{Data: d, Span: p.since(t)}
	}
	switch t.Kind {
	case "bool", "int":
		p.next()
		return &SortExpr{Name: string(t.Kind), Span: p.span(t)}
	case Ident:
		switch p.peek(1).Kind {
		case "..", "+", "-", "*":
		default:
			p.next()
			return &SortExpr{Name: p.text(t), Span: p.span(t)}
		}
	case Number, "-", "(":
	default:
		p.fail("a sort")
	}
	before := p.noField
	p.noField = true // the period of a quantifier follows
	lo := p.sum()
	p.expect("..", "between the ends of a range")
	hi := p.sum()
	p.noField = before
	return &SortExpr{Lo: lo, Hi: hi, Span: p.since(t)}
}
