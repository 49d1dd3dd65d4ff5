package syntax

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
)

// DataForm is the form of a type of structured data.
type DataForm int

const (
	RecordType  DataForm = iota // { field: T, ... }: Fields and Parts
	TupleType                   // (T, T): Parts
	VariantType                 // a(x: T) | b: Cases
	OptionType                  // option[T]: Parts[0]
	SetType                     // set[T]: Parts[0]
	SeqType                     // seq[T], seq[T, n]: Parts[0], and at most Bound elements
	MapType                     // map[K, V]: Parts[0] and Parts[1]
)

// DataType is a type of structured data.
type DataType struct {
	Form   DataForm
	Fields []Name
	Parts  []*SortExpr
	Cases  []*Case
	Bound  *Expr // of a sequence; nil for none
}

// Case is a constructor of a variant.
type Case struct {
	Name   Name
	Fields []Name
	Parts  []*SortExpr
}

// Arm is what a match does for values of one constructor: Value of an expression, Body of a
// statement. The variables stand for the fields.
type Arm struct {
	Span      diag.Span
	Case      Name
	Variables []*Binder
	Value     *Expr
	Body      []Stmt
}

// dataWords begin types with parts in brackets.
var dataWords = map[string]struct {
	form  DataForm
	parts int
}{"set": {SetType, 1}, "seq": {SeqType, 1}, "option": {OptionType, 1}, "map": {MapType, 2}}

// dataType reads a type of structured data; nil if there is none here.
func (p *parser) dataType() *DataType {
	t := p.tok()
	word, ok := dataWords[p.text(t)]
	switch {
	case t.Kind == Ident && ok && p.peek(1).Kind == "[":
		p.next()
		p.close(p.next())
		d := &DataType{Form: word.form, Parts: []*SortExpr{p.sort()}}
		switch {
		case word.parts == 2:
			p.expect(",", "between the types of the keys and of the values")
			d.Parts = append(d.Parts, p.sort())
		case word.form == SeqType && p.accept(","):
			d.Bound = p.sum()
		}
		p.expect("]", "after the types of the parts")
		return d
	case t.Kind == "{":
		p.next()
		d := &DataType{Form: RecordType}
		d.Fields, d.Parts = p.fields("}")
		return d
	case t.Kind == "(" && !p.beforeRange():
		p.next()
		d := &DataType{Form: TupleType}
		p.list(func() { d.Parts = append(d.Parts, p.sort()) })
		p.expect(")", "after the types of the tuple")
		return d
	}
	return nil
}

// beforeRange reports whether the parenthesis here belongs to an end of a range.
func (p *parser) beforeRange() bool {
	depth := 0
	for n := 0; ; n++ {
		switch p.peek(n).Kind {
		case "(":
			depth++
		case ")":
			if depth--; depth == 0 {
				switch p.peek(n + 1).Kind {
				case "..", "+", "-", "*":
					return true
				}
				return false
			}
		case ",":
			if depth == 1 {
				return false
			}
		case EOF:
			return true
		}
	}
}

// fields reads `name: type, ...` up to the closing token.
func (p *parser) fields(end Kind) (names []Name, parts []*SortExpr) {
	p.list(func() {
		names = append(names, p.name("the name of a field"))
		p.expect(":", "and the type of the field")
		parts = append(parts, p.sort())
	})
	p.expect(end, "after the fields")
	return names, parts
}

// typeBody reads what a type stands for: a sort, or a variant `a(x: T) | b`.
func (p *parser) typeBody() *SortExpr {
	t := p.tok()
	second := p.peek(1).Kind
	variant := p.at("|") || p.at(Ident) && (second == "|" || second == "(")
	if !variant {
		return p.sort()
	}
	p.accept("|")
	d := &DataType{Form: VariantType}
	for {
		c := &Case{Name: p.name("the name of a constructor")}
		if p.accept("(") {
			c.Fields, c.Parts = p.fields(")")
		}
		d.Cases = append(d.Cases, c)
		if !p.accept("|") {
			break
		}
	}
	p.structured = true
	return &SortExpr{Data: d, Span: p.since(t)}
}

// dataOperators are the operators on structured data that associate to the left.
var dataOperators = map[string]ExprKind{"with": ExprWith, "without": ExprWithout,
	"union": ExprUnion, "intersect": ExprIntersect, "minus": ExprMinus}

// data reads a sum, or operators on structured data.
func (p *parser) data() *Expr { return p.operators(true) }

// operators is data; unless with is allowed, it ends before the word with.
func (p *parser) operators(with bool) *Expr {
	a := p.sum()
	for n := 1; p.at(Ident); n++ {
		kind, ok := dataOperators[p.text(p.tok())]
		if !ok || kind == ExprWith && !with {
			return a
		}
		p.bounded(n)
		p.next()
		b := p.sum()
		a = p.structure(kind, a.Span, a, b)
	}
	return a
}

// structure is node for an expression of structured data.
func (p *parser) structure(kind ExprKind, start diag.Span, args ...*Expr) *Expr {
	p.structured = true
	return p.node(kind, start, args...)
}

// dataComparison reads what may follow the left side of a comparison of structured data.
func (p *parser) dataComparison(a *Expr) *Expr {
	switch {
	case !p.noIn && p.accept("in"):
		b := p.data()
		return p.structure(ExprIn, a.Span, a, b)
	case p.acceptWord("subset"):
		b := p.data()
		return p.structure(ExprSubset, a.Span, a, b)
	case p.acceptWord("is"):
		name := p.name("the name of a constructor")
		e := p.structure(ExprIs, a.Span, a)
		e.Name = name
		return e
	}
	return a
}

// free reads where neither the word in nor a period ends the expression.
func (p *parser) free(read func() *Expr) *Expr {
	noIn, noField := p.noIn, p.noField
	p.noIn, p.noField = false, false
	e := read()
	p.noIn, p.noField = noIn, noField
	return e
}

// beforeIn reads the value of a let, which the word in ends.
func (p *parser) beforeIn() *Expr {
	before := p.noIn
	p.noIn = true
	e := p.expr()
	p.noIn = before
	return e
}

// postfix reads the fields and positions behind a value: e.field, e[i]. A period is one of a field
// where nothing stands around it.
func (p *parser) postfix(e *Expr) *Expr {
	for n := 1; ; n++ {
		p.bounded(n)
		switch {
		case p.at("[") && p.adjacent(0):
			p.close(p.next())
			i := p.free(p.expr)
			p.expect("]", "after the position or key")
			e = p.structure(ExprAt, e.Span, e, i)
		case p.at(".") && !p.noField && p.adjacent(0) && p.adjacent(1) &&
			(p.peek(1).Kind == Ident || p.peek(1).Kind == Number) && p.peek(2).Kind != "(":
			p.close(p.next())
			t := p.next()
			e = p.structure(ExprField, e.Span, e)
			e.Name = Name{p.text(t), p.span(t)}
		default:
			return e
		}
	}
}

// close notes that a token stands close to what is around it.
func (p *cursor) close(t Token) { p.tight[t.Start] = true }

// adjacent reports whether the token ahead by n follows the one before it without a blank.
func (p *cursor) adjacent(n int) bool {
	i := p.pos + n
	return i > 0 && i < len(p.tokens) && p.tokens[i-1].End == p.tokens[i].Start
}

// tuple reads the rest of (a, b, ...).
func (p *parser) tuple(t Token, first *Expr) *Expr {
	args := []*Expr{first}
	for p.accept(",") {
		args = append(args, p.free(p.expr))
	}
	p.expect(")", "to close the tuple")
	return p.structure(ExprTuple, p.span(t), args...)
}

// braces reads a record { f: e }, a set { a, b }, or a comprehension { e for x in s if c }.
func (p *parser) braces() *Expr {
	t := p.next()
	start := p.span(t)
	if p.at("}") {
		p.next()
		return p.structure(ExprSet, start)
	}
	if p.at(Ident) && p.peek(1).Kind == ":" {
		var names []Name
		var values []*Expr
		p.list(func() {
			names = append(names, p.name("the name of a field"))
			p.expect(":", "and the value of the field")
			values = append(values, p.free(p.expr))
		})
		p.expect("}", "after the fields of the record")
		e := p.structure(ExprRecord, start, values...)
		e.Fields = names
		return e
	}
	p.close(t)
	args := []*Expr{p.free(p.expr)}
	if p.acceptWord("for") {
		e := p.each(ExprEach, start, args[0])
		p.close(p.expect("}", "after the elements"))
		e.Span = p.since(t)
		return e
	}
	for p.accept(",") {
		args = append(args, p.free(p.expr))
	}
	p.close(p.expect("}", "after the elements"))
	return p.structure(ExprSet, start, args...)
}

// each reads what stands behind the word for.
func (p *parser) each(kind ExprKind, start diag.Span, args ...*Expr) *Expr {
	var binders []*Binder
	p.list(func() { binders = append(binders, p.element()) })
	if p.accept("if") {
		args = append(args, p.free(p.expr))
	}
	e := p.structure(kind, start, args...)
	e.Binders = binders
	return e
}

// brackets reads a sequence [a, b], or a map [k: v], of which [:] is the empty one.
func (p *parser) brackets() *Expr {
	t := p.next()
	start := p.span(t)
	switch {
	case p.accept("]"):
		return p.structure(ExprSeq, start)
	case p.accept(":"):
		p.expect("]", "after the empty map")
		return p.structure(ExprMap, start)
	}
	args := []*Expr{p.free(p.expr)}
	if !p.at(":") {
		for p.accept(",") {
			args = append(args, p.free(p.expr))
		}
		p.expect("]", "after the elements")
		return p.structure(ExprSeq, start, args...)
	}
	p.next()
	args = append(args, p.free(p.expr))
	if p.acceptWord("for") {
		e := p.each(ExprMapEach, start, args...)
		p.expect("]", "after the entries")
		e.Span = p.since(t)
		return e
	}
	for p.accept(",") {
		args = append(args, p.free(p.expr))
		p.expect(":", "and the value of the key")
		args = append(args, p.free(p.expr))
	}
	p.expect("]", "after the entries")
	return p.structure(ExprMap, start, args...)
}

// matchExpr reads match e { a(x) -> e1; b -> e2 }.
func (p *parser) matchExpr() *Expr {
	t := p.next()
	value := p.sum()
	var arms []*Arm
	p.arms(&arms, func(a *Arm) {
		p.expect("->", "and the value for this constructor")
		a.Value = p.free(p.expr)
		if !p.at("}") {
			p.expect(";", "after the value")
		}
	})
	e := p.structure(ExprMatch, p.span(t), value)
	e.Arms = arms
	return e
}

// matchStmt reads match e { a(x) { ... } b { ... } }.
func (p *parser) matchStmt() Stmt {
	t := p.next()
	p.structured = true
	s := &MatchStmt{Value: p.sum()}
	p.arms(&s.Arms, func(a *Arm) { a.Body = p.block() })
	s.Span = p.since(t)
	return s
}

func (p *parser) arms(out *[]*Arm, rest func(*Arm)) {
	p.expect("{", "before the constructors")
	p.nested(func() {
		for !p.at("}") {
			t := p.tok()
			a := &Arm{Case: pattern(p)}
			if !a.IsRest() && p.accept("(") {
				p.list(func() { a.Variables = append(a.Variables, p.binder()) })
				p.expect(")", "after the variables")
			}
			rest(a)
			a.Span = p.since(t)
			*out = append(*out, a)
		}
	})
	p.next()
}

// pattern reads a constructor or a member, a string, or what stands for all others.
func pattern(p *parser) Name {
	if t := p.tok(); t.Kind == Text {
		p.next()
		span := p.span(t)
		return Name{Text: span.Text(), Span: span}
	}
	return p.name("a constructor, a member of an enum, a string, or '_' for all others")
}

// IsRest reports whether an arm is for all values that no arm before it is for.
func (a *Arm) IsRest() bool { return a.Case.Text == "_" }

// IsStructured reports whether an expression has structured data.
func IsStructured(x *Expr) bool {
	return x.Kind >= ExprIn || slices.ContainsFunc(x.Args, IsStructured) ||
		slices.ContainsFunc(x.Binders, func(b *Binder) bool { return b.In != nil })
}
