package ivy

import (
	"fmt"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/diag"
)

// maxDepth bounds the nesting of terms, statements and objects.
const maxDepth = 1000

// parser reads one file. The first syntax error ends it.
type parser struct {
	src         *diag.Source
	errs        *diag.List
	tokens      []token
	pos, depth  int
	rightArrows bool // implications group to the right: before Ivy 1.7
}

// bailout unwinds the parser after a reported error.
type bailout struct{}

// parse reads a file; nil after an error.
func parse(src *diag.Source, v version, errs *diag.List) (out []decl) {
	tokens := lex(src, errs)
	if errs.Err() != nil {
		return nil
	}
	p := &parser{src: src, errs: errs, tokens: tokens, rightArrows: v.before(1, 7)}
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(bailout); !ok {
				panic(r)
			}
			out = nil
		}
	}()
	out = p.declarations(eof)
	return out
}

// version is the version of the language that the first line of a file names.
type version struct{ major, minor int }

func (v version) before(major, minor int) bool {
	return v.major < major || v.major == major && v.minor < minor
}

// versionOf reads the first line of a file: #lang ivy1.7.
func versionOf(src *diag.Source, errs *diag.List) version {
	latest := version{1, 8}
	line := strings.TrimSpace(strings.TrimPrefix(src.Line(1), "\ufeff"))
	rest, ok := strings.CutPrefix(line, "#lang")
	if !ok {
		return latest // as Ivy does
	}
	span := diag.Span{Source: src, Start: 0, End: len(src.Line(1))}
	rest = strings.TrimSpace(rest)
	digits, ok := strings.CutPrefix(rest, "ivy")
	if ok && digits == "" {
		return latest
	}
	major, minor, _ := strings.Cut(digits, ".")
	a, err1 := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	if !ok || err1 != nil || err2 != nil {
		errs.Errorf(diag.Syntax, span, "the language is given as %q; ivy1.3 to ivy1.8 are read",
			rest)
		return latest
	}
	v := version{a, b}
	if v.before(1, 3) || !v.before(1, 9) {
		errs.Errorf(diag.IvyConstruct, span,
			"version %d.%d of Ivy's language is not supported; ivy1.3 to ivy1.8 are read", a, b)
	}
	return v
}

func (p *parser) tok() token          { return p.tokens[p.pos] }
func (p *parser) peek(n int) token    { return p.tokens[min(p.pos+n, len(p.tokens)-1)] }
func (p *parser) at(k kind) bool      { return p.tok().kind == k }
func (p *parser) text(t token) string { return p.src.Text[t.start:t.end] }

func (p *parser) next() token {
	t := p.tok()
	if t.kind != eof {
		p.pos++
	}
	return t
}

func (p *parser) span(t token) diag.Span {
	return diag.Span{Source: p.src, Start: t.start, End: t.end}
}

// since is the span from a token to the last one that was read.
func (p *parser) since(t token) diag.Span { return p.span(t).To(p.last()) }

func (p *parser) last() diag.Span { return p.span(p.tokens[max(p.pos-1, 0)]) }

func (p *parser) accept(k kind) bool {
	if p.at(k) {
		p.next()
		return true
	}
	return false
}

func (p *parser) isWord(t token, w string) bool { return t.kind == word && p.text(t) == w }
func (p *parser) atWord(w string) bool          { return p.isWord(p.tok(), w) }

func (p *parser) acceptWord(w string) bool {
	if p.atWord(w) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(k kind) {
	if !p.accept(k) {
		p.fail(fmt.Sprintf("'%s'", k))
	}
}

func (p *parser) expectWord(w string) {
	if !p.acceptWord(w) {
		p.fail(fmt.Sprintf("'%s'", w))
	}
}

// fail reports what was expected, and ends the parse.
func (p *parser) fail(what string) {
	t := p.tok()
	found := string(t.kind)
	if t.kind != eof {
		found = "'" + p.text(t) + "'"
		if len(found) > 40 {
			found = found[:40] + "...'"
		}
	}
	p.errs.Errorf(diag.Syntax, p.span(t), "expected %s, found %s", what, found)
	panic(bailout{})
}

// refuse reports a construct that is not supported, and ends the parse.
func (p *parser) refuse(span diag.Span, what string) {
	p.errs.Errorf(diag.IvyConstruct, span, "%s is not supported in Ivy files", what)
	panic(bailout{})
}

func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.errs.Errorf(diag.TooDeep, p.span(p.tok()), "this is nested more than %d deep", maxDepth)
		panic(bailout{})
	}
}

func (p *parser) leave() { p.depth-- }

// name reads one name.
func (p *parser) name() name {
	if !p.at(word) {
		p.fail("a name")
	}
	t := p.next()
	return name{p.text(t), p.span(t)}
}

func (p *parser) variable() name {
	if !p.at(vari) {
		p.fail("a variable, which begins with a capital letter")
	}
	t := p.next()
	return name{p.text(t), p.span(t)}
}

// dotted reads a dotted name, perhaps with a subscript: bv[16].
func (p *parser) dotted() name {
	n := p.name()
	for {
		switch {
		case p.at(".") && p.peek(1).kind == word:
			p.next()
			m := p.name()
			n = name{n.text + "." + m.text, n.span.To(m.span)}
		case p.at("[") && p.tok().start == n.span.End:
			p.next()
			m := p.dotted()
			p.expect("]")
			n = name{n.text + "[" + m.text + "]", n.span.To(p.last())}
		default:
			return n
		}
	}
}

// label reads an optional label in brackets.
func (p *parser) label() name {
	if !p.at("[") {
		return name{}
	}
	p.next()
	n := p.dotted()
	p.expect("]")
	return n
}

// parameters reads an optional list `(x:t, Y:t)`. Types may be left out.
func (p *parser) parameters() (out []binder) {
	if !p.accept("(") {
		return nil
	}
	for !p.accept(")") {
		if len(out) > 0 {
			p.expect(",")
		}
		p.accept("^")
		out = append(out, p.binder())
	}
	return out
}

func (p *parser) binder() binder {
	var b binder
	if p.at(vari) {
		b.name = p.variable()
	} else {
		b.name = p.name()
	}
	if p.accept(":") {
		b.typ = p.dotted()
	}
	return b
}

// labeled reads a formula with its label and proof.
func (p *parser) labeled() formula {
	t := p.tok()
	f := formula{label: p.label()}
	f.term = p.formula()
	f.span = p.since(t)
	f.proof = p.proof()
	return f
}

// proof reads over a proof.
func (p *parser) proof() diag.Span {
	if !p.atWord("proof") {
		return diag.Span{}
	}
	t := p.next()
	p.label()
	if p.at("{") {
		p.braces()
		return p.since(t)
	}
	for first := true; !p.at(eof) && !p.at("}"); first = false {
		if !first && p.at(word) && declares[p.text(p.tok())] &&
			!p.isWord(p.tokens[p.pos-1], "with") {
			break
		}
		if p.at("{") {
			p.braces()
			continue
		}
		p.next()
	}
	return p.since(t)
}

// braces reads over a block in braces.
func (p *parser) braces() {
	t := p.tok()
	p.expect("{")
	for depth := 1; depth > 0; {
		switch {
		case p.at(eof):
			p.errs.Errorf(diag.Syntax, p.span(t), "'{' without '}'")
			panic(bailout{})
		case p.at("{"):
			depth++
		case p.at("}"):
			depth--
		}
		p.next()
	}
}
