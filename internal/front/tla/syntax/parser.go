package syntax

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
)

// Parse reads the modules of a file in their order. The first one decides: where a later one cannot
// be read, it is left out with a warning, since TLC does not look at it. The result is nil after an
// error.
func Parse(src *diag.Source, errs *diag.List) []*Module {
	if !errs.Textual(src) {
		return nil
	}
	l := &lexer{src: src, errs: errs}
	var out []*Module
	for l.at = head(src.Text, 0); l.at >= 0; l.at = head(src.Text, l.at) {
		first, from := len(out) == 0, l.at
		if !first {
			l.errs = &diag.List{}
		}
		l.out = nil
		var m *Module
		if l.module() {
			m = module(parse.NewCursor(src, l.out, l.errs))
		}
		switch {
		case m != nil:
			out = append(out, m)
		case first:
			return nil
		default:
			for _, d := range l.errs.All {
				d.Severity = diag.Warning
				d.Message += "; the module is left out"
				errs.All = append(errs.All, d)
			}
			l.at = max(l.at, from+len("----"))
		}
	}
	if out == nil {
		errs.Errorf(diag.Syntax, diag.Span{Source: src, End: min(1, len(src.Text))},
			"the file has no module").
			Suggest("A module begins with ---- MODULE Name ----, and ends with ====.")
	}
	return out
}

// module reads the module of some tokens; nil after an error.
func module(c *parse.Cursor) (m *Module) {
	u := &units{prover: prover{parser: parser{reader: reader{Cursor: c}}}}
	if !parse.Catch(func() { m = u.module() }) || u.failed {
		return nil
	}
	return m
}

// parser reads expressions and definitions.
type parser struct {
	reader
	below  int  // the depth of the expressions within the one that is read
	proofs bool // a proof is read, in which the names of steps are formulas
}

// params reads the parameters of an operator: (x, F(_), _ + _).
func (p *parser) params() (out []Decl) {
	if p.Accept("(") {
		p.Commas(func() { out = append(out, p.decl()) })
		p.expect(")")
	}
	return out
}

// decl reads a name with its number of arguments: c, F(_, _), _ + _, -. _.
func (p *parser) decl() Decl {
	switch t := p.Peek(); {
	case p.Accept("_"):
		o := operators[p.Peek().Kind]
		if o == nil || o.fix == prefix {
			p.expected("an infix or postfix operator")
		}
		d := Decl{p.symbol(), 1}
		if o.fix == infix {
			p.expect("_")
			d.Arity = 2
		}
		return d
	case operators[t.Kind] != nil && operators[t.Kind].fix == prefix:
		d := Decl{p.symbol(), 1}
		p.expect("_")
		return d
	}
	d := Decl{Name: p.name("a name")}
	if p.At("(") && p.Ahead(1).Kind == "_" {
		p.Next()
		p.Commas(func() {
			p.expect("_")
			d.Arity++
		})
		p.expect(")")
	}
	return d
}

// decls reads declarations that commas separate.
func (p *parser) decls() (out []Decl) {
	p.Commas(func() { out = append(out, p.decl()) })
	return out
}

// definition reads the definition of an operator, of a function, or of an instance.
func (p *parser) definition(local bool, start parse.Token) Unit {
	if p.At(parse.Word) && p.Ahead(1).Kind == "[" {
		f := &FunctionDefinition{Local: local, Name: p.as(p.Next())}
		p.Next()
		f.Bounds = p.bounds()
		p.expect("]")
		p.defines()
		f.Body = p.expr()
		f.Span = p.Since(start)
		return f
	}
	name, params := p.left()
	p.defines()
	if p.At("INSTANCE") {
		i := p.instance()
		i.Local, i.Name, i.Params, i.Span = local, name, params, p.Since(start)
		return i
	}
	body := p.expr()
	return &Definition{local, name, params, body, p.Since(start)}
}

// left reads what is left of the == in a definition.
func (p *parser) left() (Name, []Decl) {
	if o := operators[p.Peek().Kind]; o != nil && o.fix == prefix {
		op := p.symbol()
		return op, []Decl{{Name: p.name("the name of an operand")}}
	}
	name := p.name("a definition")
	o := operators[p.Peek().Kind]
	if o == nil {
		return name, p.params()
	}
	if o.fix == prefix || p.At("=") && p.Ahead(2).Kind != "==" {
		p.expected("'=='")
	}
	op, params := p.symbol(), []Decl{{Name: name}}
	if o.fix == infix {
		params = append(params, Decl{Name: p.name("the name of an operand")})
	}
	return op, params
}

// defines reads the == of a definition.
func (p *parser) defines() { p.expect("==") }

// instance reads INSTANCE M WITH x <- e, ...
func (p *parser) instance() *InstanceDefinition {
	start := p.expect("INSTANCE")
	i := &InstanceDefinition{Module: p.field("the name of a module")}
	if p.Accept("WITH") {
		p.Commas(func() {
			s := Substitution{}
			if o := operators[p.Peek().Kind]; o != nil {
				s.Name = p.symbol()
			} else {
				s.Name = p.name("the name of a constant or a variable")
			}
			p.expect("<-")
			s.Value = p.argument()
			i.With = append(i.With, s)
		})
	}
	i.Span = p.Since(start)
	return i
}

// lets reads the definitions of a LET.
func (p *parser) lets() (out []Unit) {
	for {
		switch t := p.Peek(); t.Kind {
		case "RECURSIVE":
			p.Next()
			out = append(out, &Recursive{p.decls()})
		case "IN":
			if len(out) > 0 {
				return out
			}
			p.expected("a definition")
		default:
			out = append(out, p.definition(false, t))
		}
	}
}
