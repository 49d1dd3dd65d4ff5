package ivy

import (
	"strings"
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
func (p *parser) declarations(end kind) (out []decl) {
	p.enter()
	defer p.leave()
	for !p.at(end) {
		if p.accept(";") {
			continue
		}
		out = append(out, p.declaration()...)
	}
	p.next()
	return out
}

func one(d decl) []decl { return []decl{d} }

// declaration reads one declaration; some declare several things.
func (p *parser) declaration() []decl {
	t := p.tok()
	if p.at(native) {
		p.next()
		return one(&readOverDecl{p.span(t), "code in another language is not executed"})
	}
	if !p.at(word) {
		p.fail("a declaration")
	}
	w := p.text(t)
	switch w {
	case "explicit", "finite", "ghost", "unprovable":
		p.next()
		ds := p.declaration()
		if w == "unprovable" {
			return one(&readOverDecl{p.since(t),
				"a claim that is marked as not provable is not checked"})
		}
		return ds
	case "temporal":
		p.next()
		p.next()
		p.toNext()
		p.proof()
		return one(&readOverDecl{p.since(t), "a temporal property and its proof are read over"})
	case "type":
		return one(p.typeDecl())
	case "relation", "function", "individual", "var", "parameter", "destructor", "field", "derived":
		return p.symbols()
	case "definition", "macro":
		return p.definitions()
	case "axiom", "property", "invariant", "conjecture":
		p.next()
		if p.at("{") || p.at("[") && p.schema() {
			return p.premises(t)
		}
		f := p.labeled()
		switch {
		case p.acceptWord("named"):
			p.refuse(p.since(t), "a property that names a witness ('named')")
		case w == "invariant" && p.acceptWord("with"):
			for p.dotted(); p.accept(","); p.dotted() {
			}
		}
		if f.proof.IsZero() {
			f.proof = p.proof()
		}
		return one(&formulaDecl{span: p.since(t), word: w, formula: f})
	case "theorem", "schema":
		p.next()
		return p.premises(t)
	case "execute", "mixin":
		p.next()
		callee := p.dotted()
		d := &mixinDecl{word: p.text(p.tok())}
		if !p.acceptWord("before") {
			p.expectWord("after")
		}
		d.name = p.dotted()
		d.span = p.since(t)
		d.body = []stmt{&callStmt{span: d.span,
			callee: &term{kind: termName, name: callee, span: callee.span}}}
		if strings.Contains(callee.text, ".") {
			p.refuse(d.span, "'execute' with an action of another object")
		}
		return one(d)
	case "init":
		p.next()
		f := p.labeled()
		return one(&formulaDecl{span: p.since(t), word: w, formula: f})
	case "module", "template":
		return one(p.module())
	case "object", "class", "isolate", "trusted", "process", "extract":
		return one(p.object())
	case "specification", "implementation", "common", "global", "private":
		p.next()
		if w == "private" && !p.at("{") {
			p.callAtom()
			return one(&readOverDecl{span: p.since(t)})
		}
		p.expect("{")
		return one(&objectDecl{span: p.span(t), word: w, body: p.declarations("}")})
	case "instance", "instantiate", "autoinstance":
		if w == "autoinstance" {
			p.refuse(p.span(t), "'autoinstance'")
		}
		return p.instances()
	case "action", "method":
		return one(p.action())
	case "export", "import":
		if n := p.peek(1); p.isWord(n, "action") || p.isWord(n, "method") {
			p.next()
			a := p.action()
			a.export = w
			return one(a)
		}
		p.next()
		n := p.callAtom()
		return one(&portDecl{p.since(t), w, n})
	case "before", "after", "implement", "around":
		return p.mixin()
	case "interpret":
		return one(p.interpret())
	case "alias":
		p.next()
		d := &aliasDecl{name: p.name()}
		p.expect("=")
		d.of = p.dotted()
		d.span = p.since(t)
		return one(d)
	case "include":
		p.next()
		return one(&includeDecl{name: p.name(), span: p.since(t)})
	case "attribute":
		p.next()
		p.callAtom()
		p.expect("=")
		p.callAtom()
		return one(&readOverDecl{span: p.since(t)})
	case "delegate", "concept":
		p.next()
		p.toNext()
		return one(&readOverDecl{span: p.since(t)})
	case "progress", "rely":
		p.next()
		p.toNext()
		return one(&readOverDecl{p.since(t), "a claim about progress is read over"})
	case "proof":
		p.proof()
		return one(&readOverDecl{span: p.since(t)})
	}
	p.next()
	if what, ok := refused[w]; ok {
		p.refuse(p.span(t), what)
	}
	p.pos--
	p.fail("a declaration")
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
func (p *parser) premises(t token) []decl {
	p.label()
	if p.at(word) {
		p.dotted()
		p.parameters()
		p.expect("=")
	}
	if p.at("{") {
		p.braces()
	} else {
		p.formula()
	}
	p.proof()
	return one(&readOverDecl{p.since(t),
		"a claim with premises, which only proofs use, is not checked"})
}

// schema reports whether a label is followed by premises in braces.
func (p *parser) schema() bool {
	for i := 1; ; i++ {
		switch t := p.peek(i); t.kind {
		case eof:
			return false
		case "]":
			return p.peek(i+1).kind == "{"
		}
	}
}

// toNext reads over the rest of a declaration.
func (p *parser) toNext() {
	for depth := 0; !p.at(eof) && !p.at("}"); p.next() {
		switch {
		case p.at("("):
			depth++
		case p.at(")"):
			depth--
		case depth <= 0 && (p.at(native) || p.at(word) && declares[p.text(p.tok())]):
			return
		}
	}
}

// callAtom reads a dotted name with arguments, which stand for an object with parameters.
func (p *parser) callAtom() name {
	n := p.dotted()
	for {
		switch {
		case p.at("("):
			p.arguments()
		case p.at(".") && p.peek(1).kind == word:
			p.next()
			m := p.dotted()
			n = name{n.text + "." + m.text, n.span.To(m.span)}
		default:
			return n
		}
	}
}

func (p *parser) typeDecl() decl {
	t := p.next()
	d := &typeDecl{name: p.name()}
	if p.accept("=") {
		switch {
		case p.acceptWord("struct"):
			d.structs = true
			p.expect("{")
			for !p.accept("}") {
				if len(d.fields) > 0 {
					p.expect(",")
				}
				f := binder{name: p.name()}
				d.args = append(d.args, p.parameters())
				if p.accept(":") {
					f.typ = p.dotted()
				}
				d.fields = append(d.fields, f)
			}
		default:
			p.expect("{")
			d.members = append(d.members, p.name())
			if p.accept("..") {
				d.lo, d.hi, d.members = d.members[0].text, p.name().text, nil
			}
			for p.accept(",") {
				d.members = append(d.members, p.name())
			}
			p.expect("}")
		}
	}
	d.span = p.since(t)
	return d
}

// symbols reads the symbols of one declaration, which commas separate.
func (p *parser) symbols() (out []decl) {
	t := p.next()
	w := p.text(t)
	for {
		d := &symbolDecl{word: w}
		if p.at("(") { // (X:t < Y:t)
			p.next()
			left := p.binder()
			op := p.operator()
			right := p.binder()
			p.expect(")")
			d.name, d.args = op, []binder{left, right}
		} else {
			d.name = p.dotted()
			d.args = p.parameters()
		}
		if p.accept(":") {
			d.typ = p.dotted()
		}
		if p.accept("=") {
			d.def = p.definedAs()
		}
		d.span = p.since(t)
		if w == "derived" && d.def == nil {
			p.fail("'=' and the definition")
		}
		out = append(out, d)
		if !p.accept(",") {
			return out
		}
		t = p.tok()
	}
}

// definedAs reads what a symbol is defined as.
func (p *parser) definedAs() *term {
	if p.at(native) {
		t := p.next()
		return &term{kind: termOther, op: nativeCode, span: p.span(t)}
	}
	if p.atWord("some") {
		p.refuse(p.span(p.tok()), "a definition by choice ('some')")
	}
	return p.formula()
}

func (p *parser) operator() name {
	t := p.next()
	switch t.kind {
	case "<", "<=", ">", ">=", "+", "-", "*", "/", "*>":
		return name{string(t.kind), p.span(t)}
	}
	p.pos--
	p.fail("an operator")
	return name{}
}

func (p *parser) definitions() (out []decl) {
	t := p.next()
	if p.text(t) == "macro" {
		p.refuse(p.span(t), "a macro of statements ('macro')")
	}
	p.label()
	braces := p.accept("{")
	for {
		d := &definitionDecl{}
		if p.at("(") {
			p.next()
			left := p.binder()
			op := p.operator()
			right := p.binder()
			p.expect(")")
			d.name, d.args = op, []binder{left, right}
		} else {
			d.name = p.dotted()
			d.args = p.parameters()
		}
		if p.accept(":") {
			d.typ = p.dotted()
		}
		p.expect("=")
		d.body = p.definedAs()
		d.span = p.since(t)
		out = append(out, d)
		if !p.accept(",") {
			break
		}
	}
	if braces {
		p.expect("}")
	}
	p.proof()
	return out
}

func (p *parser) module() decl {
	t := p.next()
	_ = p.acceptWord("object") || p.acceptWord("isolate")
	d := &moduleDecl{name: p.name()}
	if p.accept("(") {
		for !p.accept(")") {
			if len(d.params) > 0 {
				p.expect(",")
			}
			if p.at(vari) {
				d.params = append(d.params, p.variable())
			} else {
				d.params = append(d.params, p.name())
			}
			if p.accept(":") {
				p.dotted()
			}
		}
	}
	p.with()
	p.expect("=")
	p.expect("{")
	d.body = p.declarations("}")
	d.span = p.since(t)
	return d
}

// with reads over what an isolate uses.
func (p *parser) with() {
	if p.acceptWord("with") {
		for p.callAtom(); p.accept(","); p.callAtom() {
		}
	}
}

// object reads an object, or an isolate of either form.
func (p *parser) object() decl {
	t := p.tok()
	trusted := p.acceptWord("trusted")
	d := &objectDecl{word: p.text(p.next()), trusted: trusted}
	d.typed = d.word == "class"
	d.name = p.name()
	d.params = p.parameters()
	p.expect("=")
	if !p.accept("{") { // isolate i = a, b with c: a list of what is verified together
		for p.callAtom(); p.accept(","); p.callAtom() {
		}
		p.with()
		return &readOverDecl{span: p.since(t)}
	}
	p.accept("...")
	d.body = p.declarations("}")
	p.with()
	d.span = p.since(t)
	return d
}

func (p *parser) instances() (out []decl) {
	t := p.next()
	for {
		d := &instanceDecl{module: p.dotted()}
		args, params := p.moduleArguments()
		if p.accept(":") {
			d.name = d.module
			d.params = params
			if len(args) > len(params) {
				p.refuse(p.since(t), "an instance with a parameter without a type")
			}
			d.module = p.dotted()
			args, _ = p.moduleArguments()
		}
		d.args = args
		d.span = p.since(t)
		out = append(out, d)
		if !p.accept(",") {
			return out
		}
		t = p.tok()
	}
}

// moduleArguments reads `(a, b, <)`; an argument with a type is a parameter of the instance.
func (p *parser) moduleArguments() (args []name, params []binder) {
	if !p.accept("(") {
		return nil, nil
	}
	for !p.accept(")") {
		if len(args) > 0 {
			p.expect(",")
		}
		switch t := p.tok(); t.kind {
		case word:
			n := p.dotted()
			args = append(args, n)
			if p.accept(":") {
				params = append(params, binder{n, p.dotted()})
			}
		case vari:
			n := p.variable()
			args = append(args, n)
			if p.accept(":") {
				params = append(params, binder{n, p.dotted()})
			}
		default:
			args = append(args, p.operatorArgument())
		}
	}
	return args, params
}

func (p *parser) operatorArgument() name {
	if p.at("=") || p.at("~=") {
		t := p.next()
		return name{p.text(t), p.span(t)}
	}
	return p.operator()
}

func (p *parser) action() *actionDecl {
	t := p.next()
	d := &actionDecl{name: p.name()}
	d.params = p.parameters()
	if p.acceptWord("returns") {
		d.returns = p.parameters()
	}
	if p.text(t) == "method" {
		self := binder{name{"self", p.span(t)}, name{"this", p.span(t)}}
		d.params = append([]binder{self}, d.params...)
	}
	if p.accept("=") {
		if p.accept("*") {
			p.refuse(p.since(t), "an action that does anything ('= *')")
		}
		d.body, d.defined = p.body(), true
	}
	d.span = p.since(t)
	return d
}

func (p *parser) mixin() []decl {
	t := p.next()
	d := &mixinDecl{word: p.text(t)}
	if d.word == "implement" && p.acceptWord("type") {
		p.refuse(p.since(t), "an implemented type ('implement type')")
	}
	d.name = p.dotted()
	d.params = p.parameters()
	if p.acceptWord("returns") {
		d.returns = p.parameters()
	}
	if d.word == "around" {
		p.expect("{")
		before := *d
		before.word = "before"
		for !p.accept("...") {
			before.body = append(before.body, p.statement())
			for p.accept(";") {
			}
		}
		after := *d
		after.word = "after"
		after.body = p.statements()
		before.span, after.span = p.since(t), p.since(t)
		return []decl{&before, &after}
	}
	d.body = p.body()
	d.span = p.since(t)
	return one(d)
}

func (p *parser) interpret() decl {
	t := p.next()
	d := &interpretDecl{}
	switch p.tok().kind {
	case word:
		d.name = p.dotted()
	default:
		d.name = p.operator()
	}
	p.expect("->")
	switch {
	case p.at(native):
		p.next()
		d.native = true
	case p.accept("{"):
		d.lo = p.bound()
		switch {
		case p.accept(".."):
			d.hi = p.bound()
		default:
			p.refuse(p.since(t), "a type that is interpreted by an enumeration")
		}
		p.expect("}")
	case p.at(word):
		d.as = p.dotted()
	default:
		d.as = p.operator()
	}
	d.span = p.since(t)
	return d
}

// bound reads the end of a range: a numeral or a constant.
func (p *parser) bound() string {
	t := p.tok()
	p.level(levelSum)
	return strings.TrimSpace(p.since(t).Text())
}
