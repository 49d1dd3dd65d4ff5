package ivy

import (
	"strings"

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
	if p.At(native) {
		p.Next()
		return one(&readOverDecl{p.Span(t), "code in another language is not executed"})
	}
	if !p.At(parse.Word) {
		p.Expected("a declaration")
	}
	w := p.Text(t)
	switch w {
	case "explicit", "finite", "ghost", "unprovable":
		p.Next()
		ds := p.declaration()
		if w == "unprovable" {
			return one(&readOverDecl{p.Since(t),
				"a claim that is marked as not provable is not checked"})
		}
		return ds
	case "temporal":
		p.Next()
		p.Next()
		p.toNext()
		p.proof()
		return one(&readOverDecl{p.Since(t), "a temporal property and its proof are read over"})
	case "type":
		return one(p.typeDecl())
	case "relation", "function", "individual", "var", "parameter", "destructor", "field", "derived":
		return p.symbols()
	case "definition", "macro":
		return p.definitions()
	case "axiom", "property", "invariant", "conjecture":
		p.Next()
		if p.At("{") || p.At("[") && p.schema() {
			return p.premises(t)
		}
		f := p.labeled()
		switch {
		case p.AcceptWord("named"):
			p.refuse(p.Since(t), "a property that names a witness ('named')")
		case w == "invariant" && p.AcceptWord("with"):
			for p.dotted(); p.Accept(","); p.dotted() {
			}
		}
		if f.proof.IsZero() {
			f.proof = p.proof()
		}
		return one(&formulaDecl{span: p.Since(t), word: w, formula: f})
	case "theorem", "schema":
		p.Next()
		return p.premises(t)
	case "execute", "mixin":
		p.Next()
		callee := p.dotted()
		d := &mixinDecl{word: p.Text(p.Peek())}
		if !p.AcceptWord("before") {
			p.ExpectWord("after")
		}
		d.name = p.dotted()
		d.span = p.Since(t)
		d.body = []stmt{&callStmt{span: d.span,
			callee: &term{kind: termName, name: callee, span: callee.span}}}
		if strings.Contains(callee.text, ".") {
			p.refuse(d.span, "'execute' with an action of another object")
		}
		return one(d)
	case "init":
		p.Next()
		f := p.labeled()
		return one(&formulaDecl{span: p.Since(t), word: w, formula: f})
	case "module", "template":
		return one(p.module())
	case "object", "class", "isolate", "trusted", "process", "extract":
		return one(p.object())
	case "specification", "implementation", "common", "global", "private":
		p.Next()
		if w == "private" && !p.At("{") {
			p.callAtom()
			return one(&readOverDecl{span: p.Since(t)})
		}
		p.Expect("{")
		return one(&objectDecl{span: p.Span(t), word: w, body: p.declarations("}")})
	case "instance", "instantiate", "autoinstance":
		if w == "autoinstance" {
			p.refuse(p.Span(t), "'autoinstance'")
		}
		return p.instances()
	case "action", "method":
		return one(p.action())
	case "export", "import":
		if n := p.Ahead(1); p.IsWord(n, "action") || p.IsWord(n, "method") {
			p.Next()
			a := p.action()
			a.export = w
			return one(a)
		}
		p.Next()
		n := p.callAtom()
		return one(&portDecl{p.Since(t), w, n})
	case "before", "after", "implement", "around":
		return p.mixin()
	case "interpret":
		return one(p.interpret())
	case "alias":
		p.Next()
		d := &aliasDecl{name: p.name()}
		p.Expect("=")
		d.of = p.dotted()
		d.span = p.Since(t)
		return one(d)
	case "include":
		p.Next()
		return one(&includeDecl{name: p.name(), span: p.Since(t)})
	case "attribute":
		p.Next()
		p.callAtom()
		p.Expect("=")
		p.callAtom()
		return one(&readOverDecl{span: p.Since(t)})
	case "delegate", "concept":
		p.Next()
		p.toNext()
		return one(&readOverDecl{span: p.Since(t)})
	case "progress", "rely":
		p.Next()
		p.toNext()
		return one(&readOverDecl{p.Since(t), "a claim about progress is read over"})
	case "proof":
		p.proof()
		return one(&readOverDecl{span: p.Since(t)})
	}
	p.Next()
	if what, ok := refused[w]; ok {
		p.refuse(p.Span(t), what)
	}
	p.Back()
	p.Expected("a declaration")
	return nil
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
		case p.At("("):
			depth++
		case p.At(")"):
			depth--
		case depth <= 0 && (p.At(native) || p.At(parse.Word) && declares[p.Text(p.Peek())]):
			return
		}
	}
}

// callAtom reads a dotted name with arguments, which stand for an object with parameters.
func (p *parser) callAtom() name {
	n := p.dotted()
	for {
		switch {
		case p.At("("):
			p.arguments()
		case p.At(".") && p.Ahead(1).Kind == parse.Word:
			p.Next()
			m := p.dotted()
			n = name{n.text + "." + m.text, n.span.To(m.span)}
		default:
			return n
		}
	}
}

func (p *parser) typeDecl() decl {
	t := p.Next()
	d := &typeDecl{name: p.name()}
	if p.Accept("=") {
		switch {
		case p.AcceptWord("struct"):
			d.structs = true
			p.Expect("{")
			for !p.Accept("}") {
				if len(d.fields) > 0 {
					p.Expect(",")
				}
				f := binder{name: p.name()}
				d.args = append(d.args, p.parameters())
				if p.Accept(":") {
					f.typ = p.dotted()
				}
				d.fields = append(d.fields, f)
			}
		default:
			p.Expect("{")
			d.members = append(d.members, p.name())
			if p.Accept("..") {
				d.lo, d.hi, d.members = d.members[0].text, p.name().text, nil
			}
			for p.Accept(",") {
				d.members = append(d.members, p.name())
			}
			p.Expect("}")
		}
	}
	d.span = p.Since(t)
	return d
}

// symbols reads the symbols of one declaration, which commas separate.
func (p *parser) symbols() (out []decl) {
	t := p.Next()
	w := p.Text(t)
	for {
		d := &symbolDecl{word: w}
		if p.At("(") { // (X:t < Y:t)
			p.Next()
			left := p.binder()
			op := p.operator()
			right := p.binder()
			p.Expect(")")
			d.name, d.args = op, []binder{left, right}
		} else {
			d.name = p.dotted()
			d.args = p.parameters()
		}
		if p.Accept(":") {
			d.typ = p.dotted()
		}
		if p.Accept("=") {
			d.def = p.definedAs()
		}
		d.span = p.Since(t)
		if w == "derived" && d.def == nil {
			p.Expected("'=' and the definition")
		}
		out = append(out, d)
		if !p.Accept(",") {
			return out
		}
		t = p.Peek()
	}
}

// definedAs reads what a symbol is defined as.
func (p *parser) definedAs() *term {
	if p.At(native) {
		t := p.Next()
		return &term{kind: termOther, op: nativeCode, span: p.Span(t)}
	}
	if p.AtWord("some") {
		p.refuse(p.Span(p.Peek()), "a definition by choice ('some')")
	}
	return p.formula()
}

func (p *parser) operator() name {
	t := p.Next()
	switch t.Kind {
	case "<", "<=", ">", ">=", "+", "-", "*", "/", "*>":
		return name{string(t.Kind), p.Span(t)}
	}
	p.Back()
	p.Expected("an operator")
	return name{}
}

func (p *parser) definitions() (out []decl) {
	t := p.Next()
	if p.Text(t) == "macro" {
		p.refuse(p.Span(t), "a macro of statements ('macro')")
	}
	p.label()
	braces := p.Accept("{")
	for {
		d := &definitionDecl{}
		if p.At("(") {
			p.Next()
			left := p.binder()
			op := p.operator()
			right := p.binder()
			p.Expect(")")
			d.name, d.args = op, []binder{left, right}
		} else {
			d.name = p.dotted()
			d.args = p.parameters()
		}
		if p.Accept(":") {
			d.typ = p.dotted()
		}
		p.Expect("=")
		d.body = p.definedAs()
		d.span = p.Since(t)
		out = append(out, d)
		if !p.Accept(",") {
			break
		}
	}
	if braces {
		p.Expect("}")
	}
	p.proof()
	return out
}

func (p *parser) module() decl {
	t := p.Next()
	_ = p.AcceptWord("object") || p.AcceptWord("isolate")
	d := &moduleDecl{name: p.name()}
	if p.Accept("(") {
		for !p.Accept(")") {
			if len(d.params) > 0 {
				p.Expect(",")
			}
			if p.At(vari) {
				d.params = append(d.params, p.variable())
			} else {
				d.params = append(d.params, p.name())
			}
			if p.Accept(":") {
				p.dotted()
			}
		}
	}
	p.with()
	p.Expect("=")
	p.Expect("{")
	d.body = p.declarations("}")
	d.span = p.Since(t)
	return d
}

// with reads over what an isolate uses.
func (p *parser) with() {
	if p.AcceptWord("with") {
		for p.callAtom(); p.Accept(","); p.callAtom() {
		}
	}
}

// object reads an object, or an isolate of either form.
func (p *parser) object() decl {
	t := p.Peek()
	trusted := p.AcceptWord("trusted")
	d := &objectDecl{word: p.Text(p.Next()), trusted: trusted}
	d.typed = d.word == "class"
	d.name = p.name()
	d.params = p.parameters()
	p.Expect("=")
	if !p.Accept("{") { // isolate i = a, b with c: a list of what is verified together
		for p.callAtom(); p.Accept(","); p.callAtom() {
		}
		p.with()
		return &readOverDecl{span: p.Since(t)}
	}
	p.Accept("...")
	d.body = p.declarations("}")
	p.with()
	d.span = p.Since(t)
	return d
}

func (p *parser) instances() (out []decl) {
	t := p.Next()
	for {
		d := &instanceDecl{module: p.dotted()}
		args, params := p.moduleArguments()
		if p.Accept(":") {
			d.name = d.module
			d.params = params
			if len(args) > len(params) {
				p.refuse(p.Since(t), "an instance with a parameter without a type")
			}
			d.module = p.dotted()
			args, _ = p.moduleArguments()
		}
		d.args = args
		d.span = p.Since(t)
		out = append(out, d)
		if !p.Accept(",") {
			return out
		}
		t = p.Peek()
	}
}

// moduleArguments reads `(a, b, <)`; an argument with a type is a parameter of the instance.
func (p *parser) moduleArguments() (args []name, params []binder) {
	if !p.Accept("(") {
		return nil, nil
	}
	for !p.Accept(")") {
		if len(args) > 0 {
			p.Expect(",")
		}
		switch t := p.Peek(); t.Kind {
		case parse.Word:
			n := p.dotted()
			args = append(args, n)
			if p.Accept(":") {
				params = append(params, binder{n, p.dotted()})
			}
		case vari:
			n := p.variable()
			args = append(args, n)
			if p.Accept(":") {
				params = append(params, binder{n, p.dotted()})
			}
		default:
			args = append(args, p.operatorArgument())
		}
	}
	return args, params
}

func (p *parser) operatorArgument() name {
	if p.At("=") || p.At("~=") {
		t := p.Next()
		return name{p.Text(t), p.Span(t)}
	}
	return p.operator()
}

func (p *parser) action() *actionDecl {
	t := p.Next()
	d := &actionDecl{name: p.name()}
	d.params = p.parameters()
	if p.AcceptWord("returns") {
		d.returns = p.parameters()
	}
	if p.Text(t) == "method" {
		self := binder{name{"self", p.Span(t)}, name{"this", p.Span(t)}}
		d.params = append([]binder{self}, d.params...)
	}
	if p.Accept("=") {
		if p.Accept("*") {
			p.refuse(p.Since(t), "an action that does anything ('= *')")
		}
		d.body, d.defined = p.body(), true
	}
	d.span = p.Since(t)
	return d
}

func (p *parser) mixin() []decl {
	t := p.Next()
	d := &mixinDecl{word: p.Text(t)}
	if d.word == "implement" && p.AcceptWord("type") {
		p.refuse(p.Since(t), "an implemented type ('implement type')")
	}
	d.name = p.dotted()
	d.params = p.parameters()
	if p.AcceptWord("returns") {
		d.returns = p.parameters()
	}
	if d.word == "around" {
		p.Expect("{")
		before := *d
		before.word = "before"
		for !p.Accept("...") {
			before.body = append(before.body, p.statement())
			for p.Accept(";") {
			}
		}
		after := *d
		after.word = "after"
		after.body = p.statements()
		before.span, after.span = p.Since(t), p.Since(t)
		return []decl{&before, &after}
	}
	d.body = p.body()
	d.span = p.Since(t)
	return one(d)
}

func (p *parser) interpret() decl {
	t := p.Next()
	d := &interpretDecl{}
	switch p.Peek().Kind {
	case parse.Word:
		d.name = p.dotted()
	default:
		d.name = p.operator()
	}
	p.Expect("->")
	switch {
	case p.At(native):
		p.Next()
		d.native = true
	case p.Accept("{"):
		d.lo = p.bound()
		switch {
		case p.Accept(".."):
			d.hi = p.bound()
		default:
			p.refuse(p.Since(t), "a type that is interpreted by an enumeration")
		}
		p.Expect("}")
	case p.At(parse.Word):
		d.as = p.dotted()
	default:
		d.as = p.operator()
	}
	d.span = p.Since(t)
	return d
}

// bound reads the end of a range: a numeral or a constant.
func (p *parser) bound() string {
	t := p.Peek()
	p.level(levelSum)
	return strings.TrimSpace(p.Since(t).Text())
}
