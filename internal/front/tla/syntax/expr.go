package syntax

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
)

// operand is an expression between operators.
type operand struct {
	Expr
	root  *operator // of an expression without parentheses; nil where it is no operator's
	depth int       // of its tree
}

// pending is an operator that waits for its right operand.
type pending struct {
	*operator
	parse.Token
}

// chain is what was read of a chain of operands and operators.
type chain struct {
	*parser
	operands  []operand
	operators []pending
}

// mostDepth bounds the depth of a tree, of which a long chain makes as much as a deep nesting.
const mostDepth = 10 * parse.MaxDepth

// expr reads an expression.
func (p *parser) expr() Expr { return p.expression().Expr }

// expression reads a chain of operands and operators, and orders it by precedences.
func (p *parser) expression() operand {
	p.Enter()
	around := p.below
	c := chain{parser: p}
	for {
		c.prefixes()
		p.below = 0
		start := p.Peek()
		x, open := c.operand(start)
		c.operands = append(c.operands, operand{Expr: x, depth: p.below})
		if open {
			break
		}
		c.postfixes(start)
		if p.At("::") {
			c.label(start)
			break
		}
		o := operators[p.Peek().Kind]
		if o == nil || o.fix != infix {
			break
		}
		c.reduce(o)
		c.operators = append(c.operators, pending{o, p.Next()})
	}
	c.reduce(nil)
	p.below = max(around, c.operands[0].depth+1)
	p.Leave()
	return c.operands[0]
}

// operand reads an operand. A minus before parentheses is the one of two operands in -(a, b).
func (c *chain) operand(start parse.Token) (x Expr, open bool) {
	last := len(c.operators) - 1
	if last < 0 || c.operators[last].operator != negative || start.Kind != "(" {
		return c.parser.operand()
	}
	c.Next()
	var args []Expr
	c.Commas(func() { args = append(args, c.argument()) })
	c.expect(")")
	if len(args) == 1 {
		if argumentOnly(args[0]) {
			c.Fail(args[0].Span(), diag.Syntax, "expected an operand, found an operator")
		}
		return args[0], false
	}
	sign := c.operators[last].Token
	c.operators = c.operators[:last]
	return &Apply{At: c.since(sign), Name: Name{minus.name, c.Span(sign)}, Args: args}, false
}

// prefixes reads operators before an operand. A minus is one.
func (c *chain) prefixes() {
	for {
		o := operators[c.Peek().Kind]
		switch {
		case o == minus:
			o = negative
		case o == nil || o.fix != prefix || o == negative:
			return
		}
		c.operators = append(c.operators, pending{o, c.Next()})
		if len(c.operators) > mostDepth {
			c.tooDeep()
		}
	}
}

// postfixes reads what follows an operand that began with a token, and applies to it.
func (c *chain) postfixes(start parse.Token) {
	for {
		x := &c.operands[len(c.operands)-1]
		o := operators[c.Peek().Kind]
		switch {
		case o != nil && o.fix == postfix:
			c.reduce(o)
			x = &c.operands[len(c.operands)-1]
			name := c.symbol()
			x.Expr, x.root = &Apply{c.since(start), nil, name, []Expr{x.Expr}}, o
		case c.At(".") && c.fieldAt(1):
			c.Next()
			x.Expr, x.root = &Select{Record: x.Expr, Field: c.field("a field")}, nil
			x.Expr.(*Select).At = c.since(start)
		case c.Accept("["):
			i := &Index{Function: x.Expr}
			c.below = 0
			c.Commas(func() { i.Args = append(i.Args, c.expr()) })
			c.expect("]")
			i.At = c.since(start)
			x.Expr, x.root, x.depth = i, nil, max(x.depth, c.below)
		default:
			return
		}
		c.deeper(x)
	}
}

// label reads what a label stands for, to the end of the chain.
func (c *chain) label(start parse.Token) {
	x := &c.operands[len(c.operands)-1]
	a, ok := x.Expr.(*Apply)
	if !ok || a.Path != nil || x.root != nil {
		c.Fail(c.Span(c.Peek()), diag.Syntax, "'::' stands after a label: a name, or name(x, y)")
	}
	l := &Label{Name: a.Name}
	for _, arg := range a.Args {
		n, ok := arg.(*Apply)
		if !ok || n.Path != nil || n.Args != nil {
			c.Fail(arg.Span(), diag.Syntax, "the parameters of a label are names")
		}
		l.Params = append(l.Params, n.Name)
	}
	c.Next()
	c.below = 0
	body := c.expression()
	l.At, l.Body = c.since(start), body.Expr
	if n := len(c.operators); n > 0 && body.root != nil {
		if before := c.operators[n-1]; !body.root.above(before.operator) {
			c.Fail(l.Name.Span, diag.NonAssociative,
				"without the label, '%s' would take another operand", c.Text(before.Token))
		}
	}
	x.Expr, x.depth = l, c.below
}

// reduce applies the operators that take their right operand before an operator does; all of them
// where there is none.
func (c *chain) reduce(next *operator) {
	for n := len(c.operators); n > 0; n = len(c.operators) {
		o := c.operators[n-1]
		switch {
		case next == nil || o.above(next) || o.operator == next && o.associative:
			c.operators = c.operators[:n-1]
			c.apply(o)
		case next.above(o.operator) && (o.operator != negative || n == 1 ||
			!c.operators[n-2].above(negative)):
			return
		default:
			c.conflict(o, pending{next, c.Peek()})
		}
	}
}

// apply applies an operator to the last operands.
func (c *chain) apply(o pending) {
	n := len(c.operands) - 1
	right := c.operands[n]
	name := Name{o.name, c.Span(o.Token)}
	if o.fix == prefix {
		at := At{c.Span(o.Token).To(right.Span())}
		c.operands[n] = operand{&Apply{at, nil, name, []Expr{right.Expr}}, o.operator, right.depth}
		c.deeper(&c.operands[n])
		return
	}
	left := c.operands[n-1]
	at := At{left.Span().To(right.Span())}
	out := operand{root: o.operator, depth: max(left.depth, right.depth)}
	product, more := left.Expr.(*Times)
	switch {
	case o.operator == times && left.root == times && more:
		product.Sets = append(product.Sets, right.Expr)
		product.At = at
		out.Expr, out.depth = product, max(left.depth, right.depth+1)
	case o.operator == times:
		out.Expr = &Times{at, []Expr{left.Expr, right.Expr}}
	default:
		out.Expr = &Apply{at, nil, name, []Expr{left.Expr, right.Expr}}
	}
	c.operands = append(c.operands[:n-1], out)
	c.deeper(&c.operands[n-1])
}

// deeper counts one more level of a tree.
func (c *chain) deeper(x *operand) {
	if x.depth++; x.depth > mostDepth {
		c.tooDeep()
	}
}

func (c *chain) tooDeep() {
	c.Fail(c.Span(c.Peek()), diag.TooDeep, "this is nested more than %d deep", mostDepth)
}

// conflict reports that an operand is between two operators of which neither goes first.
func (c *chain) conflict(left, right pending) {
	l, r := c.Text(left.Token), c.Text(right.Token)
	d := c.Errs.Errorf(diag.NonAssociative, c.Span(right.Token),
		"'%s' and '%s' need parentheses: neither of the two goes first", l, r).
		Because(c.Span(left.Token), "the other operator").
		Suggest("Put parentheses around the part that belongs together.")
	if bulleted := l == "/\\" || l == "\\/"; bulleted && (r == "/\\" || r == "\\/") {
		d.Suggest("Put parentheses around what belongs together, or the bullets in one column.")
	}
	if a, ok := c.operands[len(c.operands)-1].Expr.(*Apply); ok {
		switch a.Name.Text {
		case "&&", "&":
			d.Suggest("In TLA+, /\\ is 'and'.")
		case "||", "|":
			d.Suggest("In TLA+, \\/ is 'or'.")
		}
	}
	parse.Bail()
}
