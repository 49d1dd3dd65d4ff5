package syntax

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
)

// maxErrors ends a parse with too many errors; maxDepth bounds the nesting of expressions and
// statements.
const (
	maxErrors = 50
	maxDepth  = 1000
)

// Parse reads a source without the files that it includes. If errs has errors, the file holds the
// declarations that could be read.
func Parse(src *diag.Source, errs *diag.List) *File {
	f := parse(src, errs)
	f.addStrings(errs)
	return f
}

func parse(src *diag.Source, errs *diag.List) *File {
	f := &File{Source: src, Tokens: scan(src, errs)}
	p := newParser(src, f.Tokens, errs)
	for p.tok().Kind != EOF && len(errs.All) < maxErrors {
		start := p.pos
		f.Decls = append(f.Decls, p.declaration()...)
		if p.pos == start {
			p.pos++ // an error at a token that also begins a declaration: make progress
		}
	}
	f.Structured, f.Tight, f.sized = p.structured, p.tight, p.sized
	f.measure()
	return f
}

// ParseExpr reads a source that is one expression. It gives nil after an error. Dotted reports
// which names have dots, as some of other languages do; nil for none.
func ParseExpr(src *diag.Source, dotted func(name string) bool, errs *diag.List) (e *Expr) {
	single(src, errs, func(p *parser) {
		if dotted != nil {
			p.tokens = joined(src.Text, p.tokens, dotted)
		}
		read := p.expr()
		if !p.at(EOF) {
			p.fail("the end of the expression")
		}
		e = read
	})
	return e
}

// joined makes one token of the tokens of each name with dots: the longest that there is.
func joined(text string, tokens []Token, dotted func(name string) bool) (out []Token) {
	for len(tokens) > 0 {
		t, taken := tokens[0], 1
		word := func(t Token) bool { return t.Kind != EOF && isLetter(text[t.Start]) }
		for i := 1; word(t) && i < len(tokens) && tokens[i].Start == tokens[i-1].End &&
			(word(tokens[i]) || tokens[i].Kind == "."); i++ {
			if name := text[t.Start:tokens[i].End]; word(tokens[i]) && dotted(name) {
				taken = i + 1
			}
		}
		if taken > 1 {
			t = Token{Ident, t.Start, tokens[taken-1].End}
		}
		out, tokens = append(out, t), tokens[taken:]
	}
	return out
}

// ParseInstance reads a source that is the items of an instance: `client = 3, last = 2..4`, or an
// instance of the file with items that differ: `small, last = 5`. It gives nil after an error.
func ParseInstance(src *diag.Source, errs *diag.List) (d *InstanceDecl) {
	single(src, errs, func(p *parser) {
		t := p.tok()
		read := &InstanceDecl{Name: Name{src.Text,
			diag.Span{Source: src, Start: 0, End: len(src.Text)}}}
		if p.at(Ident) && p.peek(1).Kind == "," {
			read.Base = p.name("the name of an instance")
			p.next()
		}
		p.list(func() { read.Items = append(read.Items, p.instanceItem(true)) })
		if !p.at(EOF) {
			p.fail("the end of the instance")
		}
		read.Span = p.since(t)
		d = read
	})
	return d
}

// single runs a parser on a source that is not a whole file, unless the source cannot be scanned.
func single(src *diag.Source, errs *diag.List, read func(*parser)) {
	p := newParser(src, scan(src, errs), errs)
	p.single = true
	if errs.Err() != nil {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(bailout); !ok {
				panic(r)
			}
		}
	}()
	read(p)
}

func newParser(src *diag.Source, tokens []Token, errs *diag.List) *parser {
	p := &parser{cursor: &cursor{src: src, errs: errs, tight: map[int]bool{}}}
	for _, t := range tokens {
		if t.Kind != Comment {
			p.tokens = append(p.tokens, t)
		}
	}
	return p
}

// bailout unwinds the parser to the enclosing declaration after a reported syntax error.
type bailout struct{}

// cursor is a place in the tokens.
type cursor struct {
	src    *diag.Source
	errs   *diag.List
	tokens []Token // without comments
	pos    int
	depth  int
	single bool         // the source is one expression
	tight  map[int]bool // see File
}

// parser reads the constructs of the language.
type parser struct {
	*cursor
	task       bool     // inside the body of a task
	program    bool     // inside a protocol
	temporal   bool     // inside a liveness or temporal property
	structured bool     // structured data was met
	sized      []string // see File
	noIn       bool     // the word in ends the expression
	noField    bool     // a period ends the expression
}

func (p *cursor) tok() Token { return p.tokens[p.pos] }

func (p *cursor) peek(n int) Token { return p.tokens[min(p.pos+n, len(p.tokens)-1)] }

func (p *cursor) span(t Token) diag.Span {
	return diag.Span{Source: p.src, Start: t.Start, End: t.End}
}

// since is the span from a token up to the last one consumed.
func (p *cursor) since(t Token) diag.Span {
	end := t.End
	if p.pos > 0 {
		end = max(end, p.tokens[p.pos-1].End)
	}
	return diag.Span{Source: p.src, Start: t.Start, End: end}
}

func (p *cursor) text(t Token) string { return p.src.Text[t.Start:t.End] }

func (p *cursor) next() Token {
	t := p.tok()
	if t.Kind != EOF {
		p.pos++
	}
	return t
}

func (p *cursor) at(k Kind) bool { return p.tok().Kind == k }

// atWord reports whether the next token is a name with this text: a word that is reserved only
// here.
func (p *cursor) atWord(word string) bool { return p.isWord(p.tok(), word) }

func (p *cursor) isWord(t Token, word string) bool { return t.Kind == Ident && p.text(t) == word }

func (p *cursor) accept(k Kind) bool {
	if p.at(k) {
		p.next()
		return true
	}
	return false
}

func (p *cursor) acceptWord(word string) bool {
	if p.atWord(word) {
		p.next()
		return true
	}
	return false
}

func (p *cursor) expect(k Kind, where string) Token { return p.expectIn(other, k, where) }

// expectIn is expect where a construct is expected whose habits are known.
func (p *cursor) expectIn(of construct, k Kind, where string) Token {
	if !p.at(k) {
		p.lacks(k, of, fmt.Sprintf("%s %s", quoteKind(k), where))
	}
	return p.next()
}

// fail reports what was expected at the current token, and unwinds.
func (p *cursor) fail(expected string) { p.lacks("", other, expected) }

// failIn is fail where a construct is expected whose habits are known.
func (p *cursor) failIn(of construct, expected string) { p.lacks("", of, expected) }

// lacks is fail where one kind of token is missing, which is empty if there are several.
func (p *cursor) lacks(missing Kind, of construct, expected string) {
	t := p.tok()
	found := quoteKind(t.Kind)
	switch t.Kind {
	case Ident, Number, Text, Annotation:
		found = "'" + p.text(t) + "'"
	case Bad:
		panic(bailout{}) // reported by the scanner
	}
	span := p.span(t)
	if p.pos > 0 {
		// A token missing at the end of a line is reported there, and not where the next line
		// begins.
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
	d := p.errs.Errorf(diag.Syntax, span, "expected %s, found %s", expected, found)
	if hint := p.habit(missing, of); hint != "" {
		d.Suggest("%s", hint)
	} else {
		if missing == ")" {
			d.Suggest("Close the parenthesis with ) here.")
		}
		if missing != "" && span.Start == span.End {
			d.Replace(span, string(missing)) // it is missing at the end of a line
		}
	}
	panic(bailout{})
}

func quoteKind(k Kind) string {
	switch k {
	case EOF:
		return "the end of the file"
	case Ident, Number, Text, Annotation:
		return "a " + string(k)
	}
	return "'" + string(k) + "'"
}

// nested counts the depth of nesting for the duration of f.
func (p *cursor) nested(f func()) {
	p.depth++
	if p.depth > maxDepth {
		p.errs.Errorf(diag.TooDeep, p.span(p.tok()),
			"expressions or blocks are nested more than %d deep", maxDepth).Suggest(nameParts)
		panic(bailout{})
	}
	f()
	p.depth--
}

func (p *cursor) name(what string) Name {
	if !p.at(Ident) {
		if keywords[string(p.tok().Kind)] {
			p.errs.Errorf(diag.Syntax, p.span(p.tok()), "expected %s, found the reserved word '%s'",
				what, p.tok().Kind).
				Suggest("Choose another name: '%s' is a word of the language.", p.tok().Kind)
			panic(bailout{})
		}
		p.fail(what)
	}
	t := p.next()
	return Name{p.text(t), p.span(t)}
}

// optionalName reads [name].
func (p *cursor) optionalName() Name {
	if !p.accept("[") {
		return Name{}
	}
	n := p.name("a name")
	p.expect("]", "after the name")
	return n
}

// startsDeclaration reports whether a declaration can begin at the current token.
func (p *cursor) startsDeclaration() bool {
	switch p.tok().Kind {
	case "sort", "mutable", "immutable", "derived", "init", "transition", "invariant", "axiom",
		"zerostate", "onestate",
		"twostate", "theorem", "definition", "safety", "sat", "unsat", "fbii":
		return true
	case Ident:
		_, ok := contextual[p.text(p.tok())]
		return ok && p.plausible()
	}
	return false
}

// contextual lists the words that begin a declaration without being reserved, with the kinds of
// tokens that may follow.
var contextual = map[string][]Kind{
	"enum": {Ident}, "type": {Ident}, "ghost": {"mutable", "relation", "constant", "function"},
	"action": {Ident},
	"fair":   {Ident, "transition"}, "strong": {Ident}, "trusted": {"invariant"}, "liveness": nil,
	"temporal": nil,
	"instance": {Ident}, "expect": {"["}, "automaton": {"{"}, "sketch": {"invariant"},
	"phase":     {Ident},
	"algorithm": {Ident}, "protocol": {Ident}, "about": {Ident}, "reduce": {"["}, "rank": {"["},
	"include": {Text},
}

func (p *cursor) plausible() bool {
	follow := contextual[p.text(p.tok())]
	return follow == nil || slices.Contains(follow, p.peek(1).Kind)
}

// declaration reads one declaration; lists such as `mutable relation a, b` give several. After an
// error it skips to the next token that can begin a declaration.
func (p *parser) declaration() (decls []Decl) {
	start := p.pos
	defer func() {
		p.depth, p.task, p.temporal, p.noIn, p.noField = 0, false, false, false, false
		p.program = false
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
	if word := max(p.pos-2, 0); p.text(t) == ":" &&
		slices.Contains(propertyWords, p.text(p.tokens[word])) {
		return fmt.Sprintf("A name stands in brackets: %s [%s] ...", p.text(p.tokens[word]),
			p.text(p.tokens[word+1]))
	}
	if hint := declarationHabits[p.text(t)]; hint != "" {
		return hint
	}
	words := []string{"sort", "mutable", "immutable", "derived", "init", "transition", "invariant",
		"axiom", "theorem",
		"definition", "safety"}
	for w := range contextual {
		words = append(words, w)
	}
	if s := diag.Closest(p.text(t), words); s != "" {
		return fmt.Sprintf("Did you mean '%s'?", s)
	}
	return "A declaration begins with a word such as sort, mutable, immutable, axiom, init, " +
		"action, transition, safety or invariant."
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
		d.Sort = p.typeBody()
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
		p.failIn(actionWord, "'action' or 'transition' after '"+word+"'")
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
	case "algorithm":
		return []Decl{p.algorithmDecl(t)}
	case "protocol":
		return []Decl{programParser{p}.protocolDecl(t)}
	case "about":
		return []Decl{p.aboutDecl(t)}
	case "reduce":
		return []Decl{p.reduceDecl(t)}
	case "rank":
		return []Decl{p.rankDecl(t)}
	case "include":
		file := p.next()
		return []Decl{&IncludeDecl{p.since(t), Name{strings.Trim(p.text(file), `"`), p.span(file)}}}
	case "automaton", "sketch", "phase":
		p.errs.Errorf(diag.Unsupported, p.span(t),
			"'%s' (phase automata of an old branch of mypyvy) is not supported", word).
			Suggest("State the invariants of the phases as plain invariants.")
		panic(bailout{})
	}
	panic("syntax: a contextual word without a case")
}
