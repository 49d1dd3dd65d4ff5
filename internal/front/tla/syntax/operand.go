package syntax

import "erelong.dev/erelong/internal/front/parse"

// operand reads an expression without the operators around it. An open one goes on as far as it
// can, so nothing follows it.
func (p *parser) operand() (x Expr, open bool) {
	switch t := p.Peek(); t.Kind {
	case "\\A", "\\E", "\\AA", "\\EE":
		return p.quantified(t), true
	case "CHOOSE":
		return p.choose(t), true
	case "IF":
		return p.conditional(t), true
	case "CASE":
		return p.cases(t), true
	case "LET":
		p.Next()
		l := &Let{Units: p.lets()}
		p.expect("IN")
		l.Body = p.expr()
		l.At = p.since(t)
		return l, true
	case number, ".":
		return p.number(t), false
	case quote:
		p.Next()
		return &String{p.since(t), t.Text}, false
	case "@":
		p.Next()
		return &Old{p.since(t)}, false
	case "/\\", "\\/":
		return p.junction(t), false
	case parse.Word:
		return p.named(t), false
	case step:
		if end := p.Text(t)[t.End-t.Start-1]; p.proofs && (parse.Letter(end) || parse.Digit(end)) {
			return p.named(t), false
		}
	}
	return p.bracketed(), false
}

// number reads a number, perhaps with a decimal point.
func (p *parser) number(t parse.Token) Expr {
	p.Accept(number)
	if p.At(".") && p.Ahead(1).Kind == number {
		p.Next()
		p.Next()
	}
	if p.Previous().Kind != number {
		p.expected("an expression")
	}
	at := p.since(t)
	if text := at.Where.Text(); t.Kind == number {
		return &Number{at, text}
	}
	return &Number{at, "0" + at.Where.Text()}
}

// bracketed reads an operand in brackets, a fairness condition, or an operator that stands before
// its operands: +(a, b).
func (p *parser) bracketed() Expr {
	switch t := p.Peek(); t.Kind {
	case "(":
		p.Next()
		x := p.expr()
		p.expect(")")
		return x
	case "{":
		return p.braces(t)
	case "[":
		return p.square(t)
	case "<<":
		return p.angle(t)
	case "WF_", "SF_":
		return p.fair(t)
	default:
		if operators[t.Kind] != nil && (p.Ahead(1).Kind == "(" || p.Ahead(1).Kind == "!") {
			return p.named(t)
		}
	}
	p.expected("an expression")
	return nil
}

// junction reads a list of bullets at one column. An item ends before the first token that is not
// right of that column.
func (p *parser) junction(t parse.Token) Expr {
	j := &Junction{And: t.Kind == "/\\"}
	outer := p.Margin
	p.bullets = append(p.bullets, t)
	for p.At(t.Kind) && p.Peek().Column == t.Column {
		p.Next()
		p.Margin = t.Column
		j.Items = append(j.Items, p.expr())
		p.Margin = outer
	}
	p.bullets = p.bullets[:len(p.bullets)-1]
	j.At = p.since(t)
	return j
}

// bounds reads `x, y \in S` with further ones after commas.
func (p *parser) bounds() (out []Bound) {
	p.Commas(func() { out = append(out, p.bound()) })
	return out
}

// bound reads `x, y \in S` or `<<x, y>> \in S`.
func (p *parser) bound() Bound {
	b := p.variables()
	p.expect("\\in")
	b.Set = p.expr()
	return b
}

// variables reads `x, y` or `<<x, y>>`.
func (p *parser) variables() (b Bound) {
	names := func() { b.Names = append(b.Names, p.name("a variable")) }
	if b.Tuple = p.Accept("<<"); b.Tuple {
		p.Commas(names)
		p.expect(">>")
		return b
	}
	p.Commas(names)
	return b
}

// quantifiers are the signs of quantifiers.
var quantifiers = map[parse.Kind]Quantifier{"\\A": Forall, "\\E": Exists, "\\AA": ForallRuns,
	"\\EE": ExistsRuns}

func (p *parser) quantified(t parse.Token) Expr {
	q := &Quantified{Quantifier: quantifiers[p.Next().Kind]}
	overRuns := q.Quantifier == ForallRuns || q.Quantifier == ExistsRuns
	if p.bounded() && !overRuns {
		q.Bounds = p.bounds()
	} else if q.Bounds = []Bound{p.variables()}; q.Bounds[0].Tuple {
		p.expected("'\\in'")
	}
	p.expect(":")
	q.Body = p.expr()
	q.At = p.since(t)
	return q
}

func (p *parser) choose(t parse.Token) Expr {
	p.Next()
	c := &Choose{}
	if p.At("<<") {
		c.Bound = p.variables()
	} else {
		c.Bound.Names = []Name{p.name("a variable")}
	}
	if p.Accept("\\in") {
		c.Bound.Set = p.expr()
	}
	p.expect(":")
	c.Body = p.expr()
	c.At = p.since(t)
	return c
}

func (p *parser) conditional(t parse.Token) Expr {
	p.Next()
	x := &If{Cond: p.expr()}
	p.expect("THEN")
	x.Then = p.expr()
	p.expect("ELSE")
	x.Else = p.expr()
	x.At = p.since(t)
	return x
}

func (p *parser) cases(t parse.Token) Expr {
	p.Next()
	c := &Case{}
	for c.Other == nil {
		if len(c.Arms) > 0 && p.Accept("OTHER") {
			p.expect("->")
			c.Other = p.expr()
			break
		}
		a := Arm{Cond: p.expr()}
		p.expect("->")
		a.Value = p.expr()
		c.Arms = append(c.Arms, a)
		if !p.Accept("[]") {
			break
		}
	}
	c.At = p.since(t)
	return c
}

// braces reads {a, b}, {x \in S : p}, or {e : x \in S}.
func (p *parser) braces(t parse.Token) Expr {
	p.Next()
	if p.Accept("}") {
		return &SetOf{At: p.since(t)}
	}
	first := p.expression()
	if !p.Accept(":") {
		s := &SetOf{Elems: []Expr{first.Expr}}
		for p.Accept(",") {
			s.Elems = append(s.Elems, p.expr())
		}
		p.expect("}")
		s.At = p.since(t)
		return s
	}
	if b, ok := membership(first); ok {
		f := &Filter{Bound: b, Body: p.expr()}
		p.expect("}")
		f.At = p.since(t)
		return f
	}
	i := &Image{Body: first.Expr, Bounds: p.bounds()}
	p.expect("}")
	i.At = p.since(t)
	return i
}

// membership takes `x \in S` or `<<x, y>> \in S`, as an expression, for a bound.
func membership(x operand) (b Bound, ok bool) {
	if x.root != operators["\\in"] {
		return b, false
	}
	a := x.Expr.(*Apply)
	names := []Expr{a.Args[0]}
	if t, tuple := a.Args[0].(*Tuple); tuple {
		b.Tuple, names = true, t.Elems
	}
	for _, n := range names {
		name, ok := n.(*Apply)
		if !ok || name.Path != nil || name.Args != nil {
			return b, false
		}
		b.Names = append(b.Names, name.Name)
	}
	b.Set = a.Args[1]
	return b, len(b.Names) > 0
}

// square reads what begins with [ and is no argument of a function.
func (p *parser) square(t parse.Token) Expr {
	p.Next()
	switch {
	case p.bounded() && p.Ahead(1).Kind == ",":
		return p.function(t, p.bound())
	case p.fieldAt(0) && p.Ahead(1).Kind == "|->":
		fields := p.fields("|->")
		return &Record{p.since(t), fields}
	case p.fieldAt(0) && p.Ahead(1).Kind == ":":
		fields := p.fields(":")
		return &RecordSet{p.since(t), fields}
	}
	x := p.expression()
	if b, ok := membership(x); ok && !p.At("]_") {
		return p.function(t, b)
	}
	return p.squared(t, x.Expr)
}

// function reads what follows the first bound in [x \in S, y \in T |-> e].
func (p *parser) function(t parse.Token, first Bound) Expr {
	f := &Function{Bounds: []Bound{first}}
	if p.Accept(",") {
		f.Bounds = append(f.Bounds, p.bounds()...)
	}
	p.expect("|->")
	f.Body = p.expr()
	p.expect("]")
	f.At = p.since(t)
	return f
}

// squared reads what follows the first expression in [S -> T], [f EXCEPT !.a = b], or [A]_v.
func (p *parser) squared(t parse.Token, x Expr) Expr {
	switch {
	case p.Accept("->"):
		s := &FunctionSet{Domain: x, Range: p.expr()}
		p.expect("]")
		s.At = p.since(t)
		return s
	case p.Accept("EXCEPT"):
		e := &Except{Function: x}
		p.Commas(func() { e.Updates = append(e.Updates, p.update()) })
		p.expect("]")
		e.At = p.since(t)
		return e
	case p.Accept("]_"):
		a := &Action{Body: x, Vars: p.subscript()}
		a.At = p.since(t)
		return a
	}
	p.expected("'->', 'EXCEPT' or ']_'")
	return nil
}

// fields reads the fields of a record or of a set of records, up to the bracket.
func (p *parser) fields(between parse.Kind) (out []Field) {
	p.Commas(func() {
		f := Field{Name: p.field("the name of a field")}
		p.expect(between)
		f.Value = p.expr()
		out = append(out, f)
	})
	p.expect("]")
	return out
}

// update reads ![a].b = e.
func (p *parser) update() (u Update) {
	start := p.expect("!")
	for {
		switch {
		case p.Accept("["):
			a := Access{}
			p.Commas(func() { a.Args = append(a.Args, p.expr()) })
			p.expect("]")
			u.Path = append(u.Path, a)
			continue
		case p.Accept("."):
			u.Path = append(u.Path, Access{Field: p.field("a field")})
			continue
		case u.Path == nil:
			p.expected("'[' or '.'")
		}
		break
	}
	p.expect("=")
	u.Value = p.expr()
	u.Span = p.Since(start)
	return u
}

// angle reads <<a, b>> or <<A>>_v.
func (p *parser) angle(t parse.Token) Expr {
	p.Next()
	tuple := &Tuple{}
	if !p.At(">>") && !p.At(">>_") {
		p.Commas(func() { tuple.Elems = append(tuple.Elems, p.expr()) })
	}
	if len(tuple.Elems) == 1 && p.Accept(">>_") {
		a := &Action{Angle: true, Body: tuple.Elems[0], Vars: p.subscript()}
		a.At = p.since(t)
		return a
	}
	p.expect(">>")
	tuple.At = p.since(t)
	return tuple
}

// subscript reads what stands behind an underscore: a name, or an expression in brackets.
func (p *parser) subscript() Expr {
	switch t := p.Peek(); t.Kind {
	case parse.Word:
		return p.named(t)
	case "(", "{", "[", "<<":
		return p.bracketed()
	case "@":
		p.Next()
		return &Old{p.since(t)}
	}
	p.expected("a name or an expression in brackets")
	return nil
}

// fair reads WF_v(A) or SF_v(A).
func (p *parser) fair(t parse.Token) Expr {
	f := &Fair{Strong: p.Next().Kind == "SF_"}
	named := p.At(parse.Word)
	f.Vars = p.subscript()
	if a, ok := f.Vars.(*Apply); ok && named && !p.At("(") {
		// The name has taken the action for its argument.
		if len(a.Args) != 1 {
			p.expected("'(' with an action")
		}
		f.Body, a.Args = a.Args[0], nil
		a.At = At{a.Name.Span}
		if len(a.Path) > 0 {
			a.Where = a.Path[0].Name.Span.To(a.Name.Span)
		}
	} else {
		p.expect("(")
		f.Body = p.expr()
		p.expect(")")
	}
	f.At = p.since(t)
	return f
}

// named reads a name, or an operator before its operands, with its arguments, and with a path: M!x,
// M(a)!x(b). Parts of a definition are named by numbers, :, <<, >>, @, and !(x) (which has no
// name).
func (p *parser) named(start parse.Token) Expr {
	a := &Apply{Name: p.head()}
	a.Args = p.arguments()
	for p.bang() {
		a.Path = append(a.Path, Qualifier{a.Name, a.Args})
		a.Name, a.Args = Name{}, nil
		switch t := p.Peek(); t.Kind {
		case ":", "<<", ">>", "@", number:
			a.Name = p.as(p.Next())
			continue
		case "(":
		default:
			a.Name = p.head()
		}
		a.Args = p.arguments()
	}
	if a.Name.Text == "=" && len(a.Args) == 1 {
		p.unequal(a.Name)
	}
	a.At = p.since(start)
	return a
}

// bang reads the ! of a path, if it is there. In x != y it is none.
func (p *parser) bang() bool {
	unequal := p.Ahead(1).Kind == "=" && p.Ahead(2).Kind != "(" && !p.ends(2)
	return !unequal && p.Accept("!")
}

// head reads a name or an operator.
func (p *parser) head() Name {
	if operators[p.Peek().Kind] != nil {
		return p.symbol()
	}
	if p.At(step) {
		return p.as(p.Next())
	}
	return p.name("a name")
}

// arguments reads (a, b) if it is there.
func (p *parser) arguments() (out []Expr) {
	if p.Accept("(") {
		p.Commas(func() { out = append(out, p.argument()) })
		p.expect(")")
	}
	return out
}

// argument reads an expression, an operator alone, or a LAMBDA.
func (p *parser) argument() Expr {
	t := p.Peek()
	switch {
	case t.Kind == "LAMBDA":
		return p.lambda(t)
	case operators[t.Kind] != nil && p.ends(1):
		name := p.symbol()
		return &Apply{At: At{name.Span}, Name: name}
	}
	return p.expr()
}

func (p *parser) lambda(t parse.Token) Expr {
	p.Next()
	l := &Lambda{}
	p.Commas(func() { l.Params = append(l.Params, p.name("a parameter")) })
	p.expect(":")
	l.Body = p.expr()
	l.At = p.since(t)
	return l
}
