package ivy

import (
	"erelong.dev/erelong/internal/front/parse"
)

// declares are the words that begin declarations.
var declares = map[string]bool{
	"type": true, "finite": true, "ghost": true, "relation": true, "function": true,
	"individual": true, "var": true, "parameter": true,
	"destructor": true, "derived": true, "definition": true, "macro": true, "axiom": true,
	"property": true, "invariant": true,
	"conjecture": true, "temporal": true, "explicit": true, "init": true, "after": true,
	"before": true, "implement": true, "around": true,
	"action": true, "method": true, "export": true, "import": true, "module": true,
	"template": true, "object": true, "class": true,
	"isolate": true, "trusted": true, "instance": true, "instantiate": true, "autoinstance": true,
	"include": true, "interpret": true,
	"alias": true, "attribute": true, "private": true, "specification": true,
	"implementation": true, "common": true, "global": true,
	"extract": true, "process": true, "delegate": true, "progress": true, "concept": true,
	"theorem": true, "schema": true,
	"unprovable": true, "variant": true, "constructor": true, "field": true, "using": true,
	"state": true, "proof": true, "mixin": true,
	"scenario": true, "mixord": true, "rely": true, "execute": true, "update": true,
	"subclass": true, "wire": true,
}

// declarations reads up to a closing token, which it consumes unless it is the end of the file.
func (p *parser) declarations(end parse.Kind) (out []decl) {
	p.Enter()
	defer p.Leave()
	for !p.At(end) {
		if p.Accept(";") {
			continue
		}
		out = append(out, p.declaration()...)
	}
	p.Next()
	return out
}

func one(d decl) []decl { return []decl{d} }

// declaration reads one declaration; some declare several things.
func (p *parser) declaration() []decl {
	t := p.Peek()
	if p.Accept(native) {
		return one(&readOverDecl{p.Span(t), "code in another language is not executed"})
	}
	if !p.At(parse.Word) {
		p.Expected("a declaration")
	}
	switch p.Text(t) {
	case "explicit", "finite", "ghost":
		p.Next()
		out := p.declaration()
		for _, d := range out {
			if f, ok := d.(*formulaDecl); ok {
				f.explicit = p.Text(t) == "explicit"
			}
		}
		return out
	case "type":
		return one(p.typeDecl())
	case "relation", "function", "individual", "var", "parameter", "destructor", "field", "derived":
		return p.symbols()
	case "definition", "macro":
		return p.definitions()
	case "axiom", "property", "invariant", "conjecture":
		return p.claim()
	case "init":
		p.Next()
		f := p.labeled()
		return one(&formulaDecl{span: p.Since(t), word: "init", formula: f})
	case "theorem", "schema":
		p.Next()
		return p.premises(t)
	case "execute", "mixin":
		return one(p.execute())
	case "module", "template":
		return one(p.module())
	case "object", "class", "isolate", "trusted", "process", "extract":
		return one(p.object())
	case "specification", "implementation", "common", "global", "private":
		return one(p.section())
	case "autoinstance":
		p.refuse(p.Span(t), "'autoinstance'")
	case "instance", "instantiate":
		return p.instances()
	case "action", "method":
		return one(p.action())
	case "export", "import":
		return one(p.port())
	case "before", "after", "implement", "around":
		return p.mixin()
	case "interpret":
		return one(p.interpret())
	case "alias":
		return one(p.alias())
	case "include":
		p.Next()
		return one(&includeDecl{name: p.name(), span: p.Since(t)})
	}
	return one(p.readOver())
}

// readOver reads a declaration that says nothing about the behaviour, or refuses it.
func (p *parser) readOver() decl {
	t := p.Next()
	why := ""
	switch w := p.Text(t); w {
	case "unprovable":
		p.declaration()
		why = "a claim that is marked as not provable is not checked"
	case "temporal":
		p.Next()
		p.toNext()
		p.proof()
		why = "a temporal property and its proof are read over"
	case "attribute":
		p.callAtom()
		p.Expect("=")
		p.callAtom()
	case "delegate", "concept":
		p.toNext()
	case "progress", "rely":
		p.toNext()
		why = "a claim about progress is read over"
	case "proof":
		p.Back()
		p.proof()
	default:
		if what, ok := refused[w]; ok {
			p.refuse(p.Span(t), what)
		}
		p.Back()
		p.Expected("a declaration")
	}
	return &readOverDecl{p.Since(t), why}
}

// claim reads a formula with its label and proof.
func (p *parser) claim() []decl {
	t := p.Next()
	if p.At("{") || p.At("[") && p.schema() {
		return p.premises(t)
	}
	w, f := p.Text(t), p.labeled()
	switch {
	case p.AcceptWord("named"):
		p.refuse(p.Since(t), "a property that names a witness ('named')")
	case w == "invariant" && p.AcceptWord("with"):
		p.Commas(func() { p.dotted() })
	}
	if f.proof.IsZero() {
		f.proof = p.proof()
	}
	return one(&formulaDecl{span: p.Since(t), word: w, formula: f})
}

// refused are declarations that are known and not supported.
var refused = map[string]string{
	"variant":     "a variant of a type ('variant')",
	"constructor": "a constructor ('constructor')", "using": "'using'",
	"state":    "an abstract state ('state')",
	"scenario": "a scenario ('scenario')", "update": "an update axiom ('update')",
	"subclass": "a subclass ('subclass')",
	"wire":     "a wire ('wire')", "mixord": "an order of monitors ('mixord')",
}

// premises reads over a claim with premises, which only proofs use.
func (p *parser) premises(t parse.Token) []decl {
	p.label()
	if p.At(parse.Word) {
		p.dotted()
		p.parameters()
		p.Expect("=")
	}
	if p.At("{") {
		p.braces()
	} else {
		p.formula()
	}
	p.proof()
	return one(&readOverDecl{p.Since(t),
		"a claim with premises, which only proofs use, is not checked"})
}

// schema reports whether a label is followed by premises in braces.
func (p *parser) schema() bool {
	for i := 1; ; i++ {
		switch t := p.Ahead(i); t.Kind {
		case parse.EOF:
			return false
		case "]":
			return p.Ahead(i+1).Kind == "{"
		}
	}
}

// toNext reads over the rest of a declaration.
func (p *parser) toNext() {
	for depth := 0; !p.At(parse.EOF) && !p.At("}"); p.Next() {
		switch {
		case p.At("(") || p.At("["):
			depth++
		case p.At(")") || p.At("]"):
			depth--
		case depth <= 0 && (p.At(native) || p.At(parse.Word) && declares[p.Text(p.Peek())]):
			return
		}
	}
}
