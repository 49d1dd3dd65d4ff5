package ivy

import "erelong.dev/erelong/internal/front/parse"

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

var binary = map[parse.Kind]int{
	"->": levelArrow, "<->": levelArrow, "|": levelOr, "&": levelAnd,
	"=": levelCompare, "<": levelCompare, "<=": levelCompare, ">": levelCompare, ">=": levelCompare,
	"*>": levelCompare,
	"~=": levelUnequal, "+": levelSum, "-": levelSum, "*": levelProduct, "/": levelProduct,
}

// formula reads a formula.
func (p *formulas) formula() *term { return p.level(levelRun) }

// level reads a term whose operators bind at least as tightly as the level says.
func (p *formulas) level(least int) *term {
	p.Enter()
	defer p.Leave()
	left := p.prefix()
	for {
		t := p.Peek()
		switch {
		case p.AtWord("if"):
			if least > levelIf {
				return left
			}
			p.Next()
			cond := p.formula()
			p.ExpectWord("else")
			alt := p.level(levelElse + 1)
			left = &term{kind: termOp, op: "ite", args: []*term{cond, left, alt},
				span: left.span.To(alt.span)}
		case p.AtWord("isa"):
			p.Next()
			typ := p.dotted()
			left = &term{kind: termOther, op: "isa", args: []*term{left},
				span: left.span.To(typ.span)}
		case p.At(":") && least <= levelColon:
			p.Next()
			left.typ = p.dotted()
			left.span = left.span.To(left.typ.span)
		default:
			l, ok := binary[t.Kind]
			if !ok || l < least {
				return left
			}
			p.Next()
			right := l + 1
			if l == levelArrow && p.rightArrows {
				right = l
			}
			r := p.level(right)
			left = &term{kind: termOp, op: string(t.Kind), args: []*term{left, r},
				span: left.span.To(r.span)}
		}
	}
}

// prefix reads an operand with its prefixes and selectors.
func (p *formulas) prefix() *term {
	t := p.Peek()
	switch {
	case p.Accept("~"):
		a := p.level(levelNot)
		return &term{kind: termOp, op: "~", args: []*term{a}, span: p.Since(t)}
	case p.Accept("-"):
		a := p.level(levelTight)
		return &term{kind: termOp, op: "neg", args: []*term{a}, span: p.Since(t)}
	case p.AtWord("globally"), p.AtWord("eventually"):
		op := p.Text(p.Next())
		a := p.level(levelRun)
		return &term{kind: termRun, op: op, args: []*term{a}, span: p.Since(t)}
	case p.AtWord("forall"), p.AtWord("exists"):
		op := p.Text(p.Next())
		x := &term{kind: termQuant, op: op}
		parens := p.Accept("(")
		p.Commas(func() {
			v := binder{name: p.variable()}
			if p.Accept(":") {
				v.typ = p.boundType(parens)
			}
			x.vars = append(x.vars, v)
		})
		if parens {
			p.Expect(")")
		} else {
			p.Expect(".")
		}
		x.args = []*term{p.level(levelRun)}
		x.span = p.Since(t)
		return x
	case p.AcceptWord("old"):
		a := p.selectors(p.operand())
		return &term{kind: termOld, args: []*term{a}, span: p.Since(t)}
	}
	return p.selectors(p.operand())
}

// boundType reads the type of a bound variable. A dot after it ends the list, except in
// parentheses.
func (p *formulas) boundType(parens bool) name {
	if parens {
		return p.dotted()
	}
	return p.name()
}

// selectors reads `.name(args)` after an operand.
func (p *formulas) selectors(x *term) *term {
	for p.At(".") && p.Ahead(1).Kind == parse.Word {
		p.Next()
		n := p.name()
		x = &term{kind: termDot, name: n, args: []*term{x}, span: x.span.To(n.span)}
		if p.At("(") {
			x.applied = true
			x.args = append(x.args, p.arguments()...)
			x.span = x.span.To(p.Span(p.Previous()))
		}
	}
	return x
}

func (p *formulas) arguments() (out []*term) {
	p.Expect("(")
	if p.Accept(")") {
		return nil
	}
	for {
		out = append(out, p.formula())
		if !p.Accept(",") {
			break
		}
	}
	p.Expect(")")
	return out
}

func (p *formulas) operand() *term {
	t := p.Peek()
	switch {
	case p.Accept("("):
		if p.At("$") {
			return p.binderTerm(t, true)
		}
		x := p.formula()
		p.Expect(")")
		y := *x
		y.span = p.Since(t)
		return &y
	case p.At("$"):
		return p.binderTerm(t, false)
	case p.At(vari):
		n := p.variable()
		x := &term{kind: termVar, name: n, span: n.span}
		if p.At("(") { // a variable of a function's type, as in a schema
			x.args, x.applied = p.arguments(), true
			x.span = p.Since(t)
		}
		return x
	case p.AcceptWord("true"), p.AcceptWord("false"):
		return &term{kind: termBool, op: p.Source.Text[t.Start:t.End], span: p.Span(t)}
	case p.AtWord("some"):
		p.Expected("a term; 'some' is not read here")
	case p.At(parse.Word) && !notTerms[p.Text(t)]:
		n := p.name()
		x := &term{kind: termName, name: n, span: n.span}
		if p.At("(") {
			x.args, x.applied = p.arguments(), true
			x.span = p.Since(t)
		}
		return x
	}
	p.Expected("a term")
	return nil
}

// notTerms are the words that never begin a term.
var notTerms = map[string]bool{"if": true, "else": true, "while": true, "relation": true,
	"individual": true, "action": true,
	"axiom": true, "invariant": true, "conjecture": true, "export": true, "type": true,
	"property": true}

// binderTerm reads over Ivy's named binders, `$l2s_w X. f`, which only proofs of liveness use.
func (p *formulas) binderTerm(t parse.Token, parens bool) *term {
	span := p.Span(p.Next())
	for depth := 0; !p.At(parse.EOF); p.Next() {
		if p.At("(") {
			depth++
		}
		if p.At(")") {
			if depth--; depth < 0 {
				break
			}
		}
	}
	if parens {
		p.Expect(")")
		if p.At("(") {
			p.arguments()
		}
	}
	return &term{kind: termOther, op: "$", span: span.To(p.Since(t))}
}
