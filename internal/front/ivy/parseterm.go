package ivy

// Levels of precedence, loosest first. The binary levels are the levels of Ivy's own grammar; since
// 1.7 implications group to the left, before that to the right.
const (
	levelRun   = iota // globally, eventually, quantifiers
	levelArrow        // -> <->
	levelOr
	levelAnd
	levelNot
	levelCompare
	levelUnequal
	levelIf
	levelElse
	levelColon
	levelSum
	levelProduct
	levelTight
)

var binary = map[kind]int{
	"->": levelArrow, "<->": levelArrow, "|": levelOr, "&": levelAnd,
	"=": levelCompare, "<": levelCompare, "<=": levelCompare, ">": levelCompare, ">=": levelCompare,
	"*>": levelCompare,
	"~=": levelUnequal, "+": levelSum, "-": levelSum, "*": levelProduct, "/": levelProduct,
}

// formula reads a formula.
func (p *parser) formula() *term { return p.level(levelRun) }

// level reads a term whose operators bind at least as tightly as the level says.
func (p *parser) level(least int) *term {
	p.enter()
	defer p.leave()
	left := p.prefix()
	for {
		t := p.tok()
		switch {
		case p.atWord("if"):
			if least > levelIf {
				return left
			}
			p.next()
			cond := p.formula()
			p.expectWord("else")
			alt := p.level(levelElse + 1)
			left = &term{kind: termOp, op: "ite", args: []*term{cond, left, alt},
				span: left.span.To(alt.span)}
		case p.atWord("isa"):
			p.next()
			typ := p.dotted()
			left = &term{kind: termOther, op: "isa", args: []*term{left},
				span: left.span.To(typ.span)}
		case p.at(":") && least <= levelColon:
			p.next()
			left.typ = p.dotted()
			left.span = left.span.To(left.typ.span)
		default:
			l, ok := binary[t.kind]
			if !ok || l < least {
				return left
			}
			p.next()
			right := l + 1
			if l == levelArrow && p.rightArrows {
				right = l
			}
			r := p.level(right)
			left = &term{kind: termOp, op: string(t.kind), args: []*term{left, r},
				span: left.span.To(r.span)}
		}
	}
}

// prefix reads an operand with its prefixes and selectors.
func (p *parser) prefix() *term {
	t := p.tok()
	switch {
	case p.accept("~"):
		a := p.level(levelNot)
		return &term{kind: termOp, op: "~", args: []*term{a}, span: p.since(t)}
	case p.accept("-"):
		a := p.level(levelTight)
		return &term{kind: termOp, op: "neg", args: []*term{a}, span: p.since(t)}
	case p.atWord("globally"), p.atWord("eventually"):
		op := p.text(p.next())
		a := p.level(levelRun)
		return &term{kind: termRun, op: op, args: []*term{a}, span: p.since(t)}
	case p.atWord("forall"), p.atWord("exists"):
		op := p.text(p.next())
		x := &term{kind: termQuant, op: op}
		parens := p.accept("(")
		for {
			v := binder{name: p.variable()}
			if p.accept(":") {
				v.typ = p.boundType(parens)
			}
			x.vars = append(x.vars, v)
			if !p.accept(",") {
				break
			}
		}
		if parens {
			p.expect(")")
		} else {
			p.expect(".")
		}
		x.args = []*term{p.level(levelRun)}
		x.span = p.since(t)
		return x
	case p.acceptWord("old"):
		a := p.selectors(p.operand())
		return &term{kind: termOld, args: []*term{a}, span: p.since(t)}
	}
	return p.selectors(p.operand())
}

// boundType reads the type of a bound variable. A dot after it ends the list, except in
// parentheses.
func (p *parser) boundType(parens bool) name {
	if parens {
		return p.dotted()
	}
	return p.name()
}

// selectors reads `.name(args)` after an operand.
func (p *parser) selectors(x *term) *term {
	for p.at(".") && p.peek(1).kind == word {
		p.next()
		n := p.name()
		x = &term{kind: termDot, name: n, args: []*term{x}, span: x.span.To(n.span)}
		if p.at("(") {
			x.applied = true
			x.args = append(x.args, p.arguments()...)
			x.span = x.span.To(p.last())
		}
	}
	return x
}

func (p *parser) arguments() (out []*term) {
	p.expect("(")
	if p.accept(")") {
		return nil
	}
	for {
		out = append(out, p.formula())
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return out
}

func (p *parser) operand() *term {
	t := p.tok()
	switch {
	case p.accept("("):
		if p.at("$") {
			return p.binderTerm(t, true)
		}
		x := p.formula()
		p.expect(")")
		y := *x
		y.span = p.since(t)
		return &y
	case p.at("$"):
		return p.binderTerm(t, false)
	case p.at(vari):
		n := p.variable()
		x := &term{kind: termVar, name: n, span: n.span}
		if p.at("(") { // a variable of a function's type, as in a schema
			x.args, x.applied = p.arguments(), true
			x.span = p.since(t)
		}
		return x
	case p.acceptWord("true"), p.acceptWord("false"):
		return &term{kind: termBool, op: p.src.Text[t.start:t.end], span: p.span(t)}
	case p.atWord("some"):
		p.fail("a term; 'some' is not read here")
	case p.at(word) && !notTerms[p.text(t)]:
		n := p.name()
		x := &term{kind: termName, name: n, span: n.span}
		if p.at("(") {
			x.args, x.applied = p.arguments(), true
			x.span = p.since(t)
		}
		return x
	}
	p.fail("a term")
	return nil
}

// notTerms are the words that never begin a term.
var notTerms = map[string]bool{"if": true, "else": true, "while": true, "relation": true,
	"individual": true, "action": true,
	"axiom": true, "invariant": true, "conjecture": true, "export": true, "type": true,
	"property": true}

// binderTerm reads over Ivy's named binders, `$l2s_w X. f`, which only proofs of liveness use.
func (p *parser) binderTerm(t token, parens bool) *term {
	span := p.span(p.next())
	for depth := 0; !p.at(eof); p.next() {
		if p.at("(") {
			depth++
		}
		if p.at(")") {
			if depth--; depth < 0 {
				break
			}
		}
	}
	if parens {
		p.expect(")")
		if p.at("(") {
			p.arguments()
		}
	}
	return &term{kind: termOther, op: "$", span: span.To(p.since(t))}
}
