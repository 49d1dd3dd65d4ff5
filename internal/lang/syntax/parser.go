package syntax

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"erelong/internal/diag"
)

// maxErrors ends a parse that does nothing but fail; maxDepth bounds the nesting of expressions and statements.
const (
	maxErrors = 50
	maxDepth  = 1000
)

// Parse reads a source. The file holds what could be read, also when errs has errors.
func Parse(src *diag.Source, errs *diag.List) *File {
	f := &File{Source: src, Tokens: scan(src, errs)}
	p := newParser(src, f.Tokens, errs)
	for p.tok().Kind != EOF && len(errs.All) < maxErrors {
		start := p.pos
		f.Decls = append(f.Decls, p.declaration()...)
		if p.pos == start {
			p.pos++ // an error at a token that also begins a declaration: never stand still
		}
	}
	return f
}

// ParseExpr reads a source that is one expression. It gives nil after an error.
func ParseExpr(src *diag.Source, errs *diag.List) (e *Expr) {
	p := newParser(src, scan(src, errs), errs)
	p.single = true
	if errs.Err() != nil {
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(bailout); !ok {
				panic(r)
			}
			e = nil
		}
	}()
	e = p.expr()
	if !p.at(EOF) {
		p.fail("the end of the expression")
	}
	return e
}

func newParser(src *diag.Source, tokens []Token, errs *diag.List) *parser {
	p := &parser{src: src, errs: errs}
	for _, t := range tokens {
		if t.Kind != Comment {
			p.tokens = append(p.tokens, t)
		}
	}
	return p
}

// bailout unwinds the parser to the enclosing declaration after a syntax error, which was reported.
type bailout struct{}

type parser struct {
	src      *diag.Source
	errs     *diag.List
	tokens   []Token // without comments
	pos      int
	depth    int
	temporal bool // inside a liveness or temporal property
	single   bool // the source is one expression
}

func (p *parser) tok() Token { return p.tokens[p.pos] }

func (p *parser) peek(n int) Token { return p.tokens[min(p.pos+n, len(p.tokens)-1)] }

func (p *parser) span(t Token) diag.Span { return diag.Span{Source: p.src, Start: t.Start, End: t.End} }

// since is the span from a token up to the last one consumed.
func (p *parser) since(t Token) diag.Span {
	end := t.End
	if p.pos > 0 {
		end = max(end, p.tokens[p.pos-1].End)
	}
	return diag.Span{Source: p.src, Start: t.Start, End: end}
}

func (p *parser) text(t Token) string { return p.src.Text[t.Start:t.End] }

func (p *parser) next() Token {
	t := p.tok()
	if t.Kind != EOF {
		p.pos++
	}
	return t
}

func (p *parser) at(k Kind) bool { return p.tok().Kind == k }

// atWord reports whether the next token is a name with this text: a word that is reserved only here.
func (p *parser) atWord(word string) bool { return p.isWord(p.tok(), word) }

func (p *parser) isWord(t Token, word string) bool { return t.Kind == Ident && p.text(t) == word }

func (p *parser) accept(k Kind) bool {
	if p.at(k) {
		p.next()
		return true
	}
	return false
}

func (p *parser) acceptWord(word string) bool {
	if p.atWord(word) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(k Kind, where string) Token {
	if !p.at(k) {
		p.fail(fmt.Sprintf("%s %s", quoteKind(k), where))
	}
	return p.next()
}

// fail reports what was expected at the current token, and unwinds.
func (p *parser) fail(expected string) {
	t := p.tok()
	found := quoteKind(t.Kind)
	switch t.Kind {
	case Ident, Number, Annotation:
		found = "'" + p.text(t) + "'"
	case Bad:
		panic(bailout{}) // reported by the scanner
	}
	span := p.span(t)
	if p.pos > 0 {
		// What is missing at the end of a line is missing there, and not where the next line begins.
		last := p.tokens[p.pos-1]
		if t.Kind == EOF || strings.Contains(p.src.Text[last.End:t.Start], "\n") {
			if t.Kind != EOF {
				found += fmt.Sprintf(" in line %d", span.Line())
			}
			span = diag.Span{Source: p.src, Start: last.End, End: last.End}
		}
	}
	if p.single {
		found = strings.Replace(found, quoteKind(EOF), "the end of the expression", 1)
	}
	p.errs.Errorf(diag.Syntax, span, "expected %s, found %s", expected, found)
	panic(bailout{})
}

func quoteKind(k Kind) string {
	switch k {
	case EOF:
		return "the end of the file"
	case Ident, Number, Annotation:
		return "a " + string(k)
	}
	return "'" + string(k) + "'"
}

// nested counts the depth of nesting for the duration of f.
func (p *parser) nested(f func()) {
	p.depth++
	if p.depth > maxDepth {
		p.errs.Errorf(diag.TooDeep, p.span(p.tok()), "expressions or blocks are nested more than %d deep", maxDepth)
		panic(bailout{})
	}
	f()
	p.depth--
}

func (p *parser) name(what string) Name {
	if !p.at(Ident) {
		if keywords[string(p.tok().Kind)] {
			p.errs.Errorf(diag.Syntax, p.span(p.tok()), "expected %s, found the reserved word '%s'", what, p.tok().Kind).
				Suggest("Choose another name: '%s' is a word of the language.", p.tok().Kind)
			panic(bailout{})
		}
		p.fail(what)
	}
	t := p.next()
	return Name{p.text(t), p.span(t)}
}

// optionalName reads [name].
func (p *parser) optionalName() Name {
	if !p.accept("[") {
		return Name{}
	}
	n := p.name("a name")
	p.expect("]", "after the name")
	return n
}

// startsDeclaration reports whether a declaration can begin at the current token.
func (p *parser) startsDeclaration() bool {
	switch p.tok().Kind {
	case "sort", "mutable", "immutable", "derived", "init", "transition", "invariant", "axiom", "zerostate", "onestate",
		"twostate", "theorem", "definition", "safety", "sat", "unsat", "fbii":
		return true
	case Ident:
		_, ok := contextual[p.text(p.tok())]
		return ok && p.plausible()
	}
	return false
}

// contextual lists the words that begin a declaration without being reserved, with the kinds of tokens that may follow.
var contextual = map[string][]Kind{
	"enum": {Ident}, "type": {Ident}, "ghost": {"mutable", "relation", "constant", "function"}, "action": {Ident},
	"fair": {Ident, "transition"}, "strong": {Ident}, "trusted": {"invariant"}, "liveness": nil, "temporal": nil,
	"instance": {Ident}, "expect": {"["}, "automaton": {"{"}, "sketch": {"invariant"}, "phase": {Ident},
}

func (p *parser) plausible() bool {
	follow := contextual[p.text(p.tok())]
	return follow == nil || slices.Contains(follow, p.peek(1).Kind)
}

// declaration reads one declaration; lists such as `mutable relation a, b` give several. After an error it skips to the
// next token that can begin a declaration.
func (p *parser) declaration() (decls []Decl) {
	start := p.pos
	defer func() {
		p.depth, p.temporal = 0, false
		if e := recover(); e != nil {
			if _, ok := e.(bailout); !ok {
				panic(e)
			}
			if p.pos == start {
				p.next()
			}
			for !p.at(EOF) && !p.startsDeclaration() {
				p.next()
			}
		}
	}()
	t := p.tok()
	switch t.Kind {
	case "sort":
		return p.sortDecl()
	case "mutable", "immutable":
		p.next()
		return p.symbols(t, t.Kind == "mutable", false)
	case "derived":
		return []Decl{p.derivedDecl()}
	case "axiom", "init", "safety", "invariant":
		p.next()
		return []Decl{p.formula(t, string(t.Kind), 0)}
	case "zerostate", "onestate", "twostate":
		p.next()
		states := map[Kind]int{"zerostate": 0, "onestate": 1, "twostate": 2}[t.Kind]
		switch {
		case p.accept("theorem"):
			return []Decl{p.formula(t, "theorem", states)}
		case p.accept("definition"):
			return []Decl{p.definition(t, false, "", states)}
		}
		p.fail("'theorem' or 'definition'")
	case "theorem":
		p.next()
		return []Decl{p.formula(t, "theorem", 1)}
	case "definition":
		p.next()
		return []Decl{p.definition(t, false, "", 1)}
	case "transition":
		p.next()
		return []Decl{p.definition(t, true, "", 2)}
	case "sat", "unsat":
		return []Decl{p.traceDecl()}
	case "fbii":
		return []Decl{p.fbiiDecl()}
	case Ident:
		if _, ok := contextual[p.text(t)]; ok {
			return p.extension(t)
		}
	}
	if t.Kind == Bad {
		panic(bailout{}) // reported by the scanner
	}
	p.errs.Errorf(diag.Syntax, p.span(t), "expected a declaration, found %s", describe(p, t)).
		Suggest("%s", declarationHint(p, t))
	panic(bailout{})
}

func describe(p *parser, t Token) string {
	if t.Kind == EOF {
		return quoteKind(t.Kind)
	}
	return "'" + p.text(t) + "'"
}

func declarationHint(p *parser, t Token) string {
	words := []string{"sort", "mutable", "immutable", "derived", "init", "transition", "invariant", "axiom", "theorem",
		"definition", "safety"}
	for w := range contextual {
		words = append(words, w)
	}
	if s := diag.Closest(p.text(t), words); s != "" {
		return fmt.Sprintf("Did you mean '%s'?", s)
	}
	return "A declaration begins with a word such as sort, mutable, immutable, axiom, init, action, transition, safety or invariant."
}

// extension reads a declaration that mypyvy does not have.
func (p *parser) extension(t Token) []Decl {
	p.next()
	switch word := p.text(t); word {
	case "enum":
		return []Decl{p.enumDecl(t)}
	case "type":
		d := &TypeDecl{Name: p.name("a name for the type")}
		p.expect("=", "after the name of the type")
		d.Sort = p.sort()
		d.Span = p.since(t)
		return []Decl{d}
	case "ghost":
		p.accept("mutable")
		return p.symbols(t, true, true)
	case "action":
		return []Decl{p.actionDecl(t, "")}
	case "fair", "strong":
		if word == "strong" {
			if !p.acceptWord("fair") {
				p.fail("'fair' after 'strong'")
			}
			word = "strong fair"
		}
		switch {
		case p.acceptWord("action"):
			return []Decl{p.actionDecl(t, word)}
		case p.accept("transition"):
			return []Decl{p.definition(t, true, word, 2)}
		}
		p.fail("'action' or 'transition' after '" + word + "'")
	case "trusted":
		p.expect("invariant", "after 'trusted'")
		return []Decl{p.formula(t, "trusted", 0)}
	case "liveness", "temporal":
		p.temporal = true
		return []Decl{p.formula(t, word, 0)}
	case "instance":
		return []Decl{p.instanceDecl(t)}
	case "expect":
		return []Decl{p.expectDecl(t)}
	case "automaton", "sketch", "phase":
		p.errs.Errorf(diag.Unsupported, p.span(t), "'%s' (phase automata of an old branch of mypyvy) is not supported", word).
			Suggest("State the invariants of the phases as plain invariants.")
		panic(bailout{})
	}
	panic("syntax: a contextual word without a case")
}

// list reads items separated by commas.
func (p *parser) list(item func()) {
	item()
	for p.accept(",") {
		item()
	}
}

func (p *parser) annotations() []Name {
	var out []Name
	for p.at(Annotation) {
		t := p.next()
		out = append(out, Name{p.text(t), p.span(t)})
		if p.accept("(") {
			p.list(func() { p.name("a name") })
			p.expect(")", "after the annotation's arguments")
		}
	}
	return out
}

func (p *parser) sortDecl() (decls []Decl) {
	t := p.next()
	p.list(func() {
		d := &SortDecl{Name: p.name("a name for the sort")}
		d.Annotations = p.annotations()
		d.Span = p.since(t)
		decls = append(decls, d)
	})
	return decls
}

func (p *parser) enumDecl(t Token) Decl {
	d := &EnumDecl{Name: p.name("a name for the enum")}
	p.expect("{", "before the members")
	p.list(func() { d.Members = append(d.Members, p.name("a member's name")) })
	p.expect("}", "after the members")
	d.Span = p.since(t)
	return d
}

// symbols reads what follows `mutable`, `immutable` or `ghost`.
func (p *parser) symbols(t Token, mutable, ghost bool) (decls []Decl) {
	word := p.tok()
	switch word.Kind {
	case "relation", "constant", "function":
		p.next()
	default:
		p.fail("'relation', 'constant' or 'function'")
	}
	p.list(func() {
		d := &SymbolDecl{Word: string(word.Kind), Mutable: mutable, Ghost: ghost}
		d.Name = p.name("a name for the " + d.Word)
		if d.Word != "constant" && p.accept("(") {
			if d.Word == "function" || !p.at(")") {
				p.list(func() { d.Args = append(d.Args, p.sort()) })
			}
			p.expect(")", "after the sorts of the arguments")
		} else if d.Word == "function" {
			p.fail("'(' and the sorts of the function's arguments")
		}
		if d.Word != "relation" {
			p.expect(":", "and the sort of the "+d.Word)
			d.Result = p.sort()
		}
		d.Annotations = p.annotations()
		d.Span = p.since(t)
		decls = append(decls, d)
	})
	return decls
}

func (p *parser) derivedDecl() Decl {
	t := p.next()
	p.expect("relation", "after 'derived'")
	d := &SymbolDecl{Word: "relation", Mutable: true, Name: p.name("a name for the relation")}
	if p.accept("(") {
		if !p.at(")") {
			p.list(func() { d.Args = append(d.Args, p.sort()) })
		}
		p.expect(")", "after the sorts of the arguments")
	}
	d.Annotations = p.annotations()
	p.expect(":", "before the definition of the derived relation")
	d.Derived = p.expr()
	d.Span = p.since(t)
	return d
}

func (p *parser) formula(t Token, word string, states int) Decl {
	d := &FormulaDecl{Word: word, States: states, Name: p.optionalName(), Expr: p.expr()}
	d.Span = p.since(t)
	return d
}

func (p *parser) binder() *Binder {
	b := &Binder{Name: p.name("the name of a variable")}
	if p.accept(":") {
		b.Sort = p.sort()
	}
	return b
}

func (p *parser) params() (out []*Binder) {
	p.expect("(", "before the parameters")
	if !p.at(")") {
		p.list(func() { out = append(out, p.binder()) })
	}
	p.expect(")", "after the parameters")
	return out
}

func (p *parser) definition(t Token, transition bool, fairness string, states int) Decl {
	d := &DefinitionDecl{Transition: transition, Fairness: fairness, States: states}
	d.Name = p.name("a name")
	d.Params = p.params()
	switch {
	case p.at("modifies"):
		if states != 2 {
			p.errs.Errorf(diag.Syntax, p.span(p.tok()), "only a transition or a twostate definition may have 'modifies'").
				Suggest("Write 'twostate definition', or '=' before the formula.")
			panic(bailout{})
		}
		p.next()
		p.list(func() { d.Modifies = append(d.Modifies, p.name("the name of a symbol")) })
		d.Expr = p.expr()
	case p.accept("="):
		d.Expr = p.expr()
	default:
		p.fail("'modifies' or '='")
	}
	d.Span = p.since(t)
	return d
}

func (p *parser) instanceDecl(t Token) Decl {
	d := &InstanceDecl{Name: p.name("a name for the instance")}
	p.expect("{", "before the sizes and values")
	if !p.at("}") {
		p.list(func() {
			n := p.name("the name of a sort or of an immutable constant")
			p.expect("=", "and a size or value")
			d.Items = append(d.Items, InstanceItem{n, p.unary()})
		})
	}
	p.expect("}", "after the sizes and values")
	d.Span = p.since(t)
	return d
}

func (p *parser) expectDecl(t Token) Decl {
	d := &ExpectDecl{}
	p.expect("[", "and the name of a property")
	d.Property = p.name("the name of a property")
	p.expect("]", "after the property")
	d.Verdict = p.name("a verdict: holds, violated, not inductive, unknown or nothing checked")
	if second := map[string]string{"not": "inductive", "nothing": "checked"}[d.Verdict.Text]; second != "" {
		if !p.atWord(second) {
			p.fail("'" + second + "'")
		}
		end := p.next()
		d.Verdict = Name{d.Verdict.Text + " " + second, d.Verdict.Span.To(p.span(end))}
	}
	if p.accept("in") {
		d.Instance = p.name("the name of an instance")
	}
	if p.acceptWord("states") {
		d.States = p.number()
	}
	if p.acceptWord("depth") {
		d.Depth = p.number()
	}
	d.Span = p.since(t)
	return d
}

func (p *parser) number() *big.Int {
	t := p.expect(Number, "here")
	n, _ := new(big.Int).SetString(p.text(t), 10)
	return n
}

func (p *parser) traceDecl() Decl {
	t := p.next()
	d := &TraceDecl{Sat: t.Kind == "sat"}
	p.expect("trace", "after '"+string(t.Kind)+"'")
	p.expect("{", "before the steps of the trace")
	for !p.at("}") {
		d.Parts = append(d.Parts, p.tracePart())
	}
	p.next()
	d.Span = p.since(t)
	return d
}

func (p *parser) tracePart() TracePart {
	t := p.tok()
	var part TracePart
	switch {
	case p.accept("assert"):
		if p.accept("init") {
			part.Init = true
		} else {
			part.Assert = p.expr()
		}
	case p.accept("any"):
		p.expect("transition", "after 'any'")
		part.Any = true
	default:
		part.Calls = append(part.Calls, p.traceCall())
		for p.accept("|") {
			part.Calls = append(part.Calls, p.traceCall())
		}
	}
	part.Span = p.since(t)
	return part
}

func (p *parser) traceCall() TraceCall {
	c := TraceCall{Name: p.name("'assert', 'any transition' or the name of a transition")}
	if c.Applied = p.accept("("); c.Applied {
		if !p.at(")") {
			p.list(func() {
				if p.accept("*") {
					c.Args = append(c.Args, nil)
				} else {
					c.Args = append(c.Args, p.expr())
				}
			})
		}
		p.expect(")", "after the arguments")
	}
	return c
}

// fbiiDecl skips a block; package check says that it is not supported.
func (p *parser) fbiiDecl() Decl {
	t := p.next()
	p.expect("{", "after 'fbii'")
	for open := 1; open > 0; {
		switch p.tok().Kind {
		case "{":
			open++
		case "}":
			open--
		case EOF:
			p.fail("'}' at the end of the block")
		}
		p.next()
	}
	return &FbiiDecl{p.since(t)}
}
