package threshold

import (
	"maps"
	"math/big"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/parse"
)

// automaton is a file as it is written. Its expressions are already ones of the language.
type automaton struct {
	span        diag.Span
	parameters  []syntax.Name // natural numbers
	unknowns    []syntax.Name // integers
	shared      []syntax.Name
	locations   []syntax.Name
	defines     map[string]*syntax.Expr
	assumptions []*syntax.Expr
	inits       []*syntax.Expr
	rules       []*rule
	claims      []*claim
}

// rule moves a process from one location to another.
type rule struct {
	span     diag.Span
	from, to syntax.Name
	guard    *syntax.Expr
	changes  []change
}

// change gives a shared variable a value; one that keeps its value has none.
type change struct {
	name  syntax.Name
	value *syntax.Expr
}

// claim is a formula about runs.
type claim struct {
	name syntax.Name
	expr *syntax.Expr
}

const number parse.Kind = "a number"

var lexicon = parse.Lexicon{
	Blanks: " \t\r\n\f", Comment: "//", Enclosed: []parse.Enclosure{{Open: "/*", Close: "*/"}},
	Symbols: []string{"[]", "<>", "->", "==", "!=", "<=", ">=", "&&", "||", "{", "}", "(", ")", "[",
		"]", ";", ",", ":", "<", ">", "+", "-", "*", "!", "'"},
	Word: func(text string) (parse.Kind, int) {
		if n := parse.Length(text, parse.Digit); n > 0 {
			return number, n
		}
		return parse.Word, parse.Length(text, func(c byte) bool {
			return parse.Letter(c) || parse.Digit(c) || c == '_'
		})
	},
}

// parser reads one file. The first syntax error ends it.
type parser struct {
	*parse.Cursor
	out *automaton
}

// read reads a file; nil after an error.
func read(src *diag.Source, errs *diag.List) *automaton {
	tokens := lexicon.Tokens(src, errs)
	if tokens == nil {
		return nil
	}
	p := &parser{parse.NewCursor(src, tokens, errs),
		&automaton{defines: map[string]*syntax.Expr{}}}
	if !parse.Catch(p.file) {
		return nil
	}
	return p.out
}

func (p *parser) file() {
	if !slices.ContainsFunc([]string{"skel", "thresholdAutomaton", "threshAuto"}, p.AcceptWord) {
		p.Expected("'skel', 'thresholdAutomaton' or 'threshAuto'")
	}
	p.out.span = p.Span(p.Peek())
	p.name("the name of the automaton")
	p.Expect("{")
	for !p.Accept("}") {
		p.section()
	}
	if !p.At(parse.EOF) {
		p.Expected("the end of the file, which has one automaton")
	}
}

func (p *parser) section() {
	out := p.out
	switch {
	case p.AcceptWord("local"): // the locations have names, so their values say nothing
		p.names()
	case p.AcceptWord("shared"):
		out.shared = append(out.shared, p.names()...)
	case p.AcceptWord("parameters"):
		out.parameters = append(out.parameters, p.names()...)
	case p.AcceptWord("unknowns"):
		out.unknowns = append(out.unknowns, p.names()...)
	case p.AcceptWord("define"):
		n := p.name("a name")
		p.Expect("==")
		if out.defines[n.Text] != nil {
			p.Errs.Errorf(diag.Duplicate, n.Span, "'%s' is defined twice", n.Text)
		}
		out.defines[n.Text] = p.expr()
		p.Expect(";")
	case p.AcceptWord("assumptions"):
		p.block(func() { out.assumptions = append(out.assumptions, p.expr()) })
	case p.AcceptWord("locations"):
		p.block(p.location)
	case p.AcceptWord("inits"):
		p.block(func() { out.inits = append(out.inits, p.expr()) })
	case p.AcceptWord("rules"):
		p.block(func() { out.rules = append(out.rules, p.rule()) })
	case p.AcceptWord("specifications"):
		p.block(func() {
			n := p.name("the name of a formula")
			p.Expect(":")
			out.claims = append(out.claims, &claim{n, p.expr()})
		})
	default:
		p.Expected("a section such as 'shared', 'parameters', 'locations' or 'rules'")
	}
}

func (p *parser) name(what string) syntax.Name {
	t := p.Peek()
	if t.Kind != parse.Word {
		p.Expected(what)
	}
	p.Next()
	return syntax.Name{Text: p.Text(t), Span: p.Span(t)}
}

func (p *parser) names() (out []syntax.Name) {
	p.Commas(func() { out = append(out, p.name("a name")) })
	p.Expect(";")
	return out
}

// block reads parts, each with a semicolon behind it, behind their number, which says nothing.
func (p *parser) block(part func()) {
	if p.Accept("(") {
		p.Expect(number)
		p.Expect(")")
	}
	p.Expect("{")
	for !p.Accept("}") {
		part()
		if !p.At("}") {
			p.Expect(";")
		}
	}
}

// location reads a name, and over the values of the local variables there.
func (p *parser) location() {
	p.out.locations = append(p.out.locations, p.name("the name of a location"))
	p.Expect(":")
	p.Expect("[")
	for !p.Accept("]") {
		if p.At(parse.EOF) {
			p.Expected("']'")
		}
		p.Next()
	}
}

func (p *parser) rule() *rule {
	first := p.Expect(number)
	p.Expect(":")
	r := &rule{from: p.name("the name of a location")}
	p.Expect("->")
	r.to = p.name("the name of a location")
	p.ExpectWord("when")
	r.guard = truth(p.expr())
	p.ExpectWord("do")
	p.Expect("{")
	for !p.Accept("}") {
		p.change(r)
		if !p.At("}") {
			p.Expect(";")
		}
	}
	r.span = p.Since(first)
	return r
}

// truth is a formula; a number is true unless it is 0.
func truth(x *syntax.Expr) *syntax.Expr {
	switch x.Kind {
	case syntax.ExprInt:
		return build.At(build.Truth(x.Int.Sign() != 0), x.Span)
	case syntax.ExprAnd, syntax.ExprOr, syntax.ExprNot:
		out := *x
		out.Args = nil
		for _, a := range x.Args {
			out.Args = append(out.Args, truth(a))
		}
		return &out
	}
	return x
}

func (p *parser) change(r *rule) {
	if p.AcceptWord("unchanged") {
		p.Expect("(")
		p.Commas(func() { r.changes = append(r.changes, change{p.name("a variable"), nil}) })
		p.Expect(")")
		return
	}
	c := change{name: p.name("a variable")}
	p.Expect("'")
	p.Expect("==")
	c.value = p.expr()
	if c.value.Kind == syntax.ExprName && c.value.Name.Text == c.name.Text {
		c.value = nil
	}
	r.changes = append(r.changes, c)
}

// levels are the operators from the loosest to the tightest.
var levels = []map[parse.Kind]syntax.ExprKind{
	{"||": syntax.ExprOr}, {"&&": syntax.ExprAnd},
	{"==": syntax.ExprEq, "!=": syntax.ExprNe, "<": syntax.ExprLt, "<=": syntax.ExprLe,
		">": syntax.ExprGt, ">=": syntax.ExprGe},
	{"+": syntax.ExprAdd, "-": syntax.ExprSub}, {"*": syntax.ExprMul},
}

// expr reads an implication, which associates to the right, or something tighter.
func (p *parser) expr() *syntax.Expr {
	p.Enter()
	defer p.Leave()
	left := p.binary(0)
	if !p.Accept("->") {
		return left
	}
	return joined(syntax.ExprImplies, left, p.expr())
}

func joined(kind syntax.ExprKind, args ...*syntax.Expr) *syntax.Expr {
	return &syntax.Expr{Kind: kind, Span: args[0].Span.To(args[len(args)-1].Span), Args: args}
}

func (p *parser) binary(level int) *syntax.Expr {
	if level == len(levels) {
		return p.unary()
	}
	left := p.binary(level + 1)
	for {
		kind, ok := levels[level][p.Peek().Kind]
		if !ok {
			return left
		}
		p.Next()
		left = joined(kind, left, p.binary(level+1))
	}
}

var prefixes = map[parse.Kind]syntax.ExprKind{"!": syntax.ExprNot, "-": syntax.ExprNeg,
	"[]": syntax.ExprAlways, "<>": syntax.ExprEventually}

func (p *parser) unary() *syntax.Expr {
	t := p.Peek()
	if kind, ok := prefixes[t.Kind]; ok {
		p.Enter()
		defer p.Leave()
		p.Next()
		arg := p.unary()
		return &syntax.Expr{Kind: kind, Span: p.Since(t), Args: []*syntax.Expr{arg}}
	}
	switch {
	case p.Accept("("):
		x := p.expr()
		p.Expect(")")
		return x
	case p.Accept(number):
		n, _ := new(big.Int).SetString(p.Text(t), 10)
		return &syntax.Expr{Kind: syntax.ExprInt, Span: p.Span(t), Int: n}
	case p.AcceptWord("true"):
		return &syntax.Expr{Kind: syntax.ExprTrue, Span: p.Span(t)}
	case p.AcceptWord("false"):
		return &syntax.Expr{Kind: syntax.ExprFalse, Span: p.Span(t)}
	}
	n := p.name("an expression")
	if x := p.out.defines[n.Text]; x != nil {
		return x
	}
	known := slices.Concat(p.out.parameters, p.out.unknowns, p.out.shared, p.out.locations)
	if !slices.ContainsFunc(known, func(k syntax.Name) bool { return k.Text == n.Text }) {
		var names []string
		for _, k := range known {
			names = append(names, k.Text)
		}
		d := p.Errs.Errorf(diag.UnresolvedName, n.Span, "there is no '%s'", n.Text)
		names = slices.AppendSeq(names, maps.Keys(p.out.defines))
		if near := diag.Closest(n.Text, names); near != "" {
			d.Suggest("Did you mean '%s'?", near)
		}
		parse.Bail()
	}
	return &syntax.Expr{Kind: syntax.ExprName, Span: n.Span, Name: n}
}
