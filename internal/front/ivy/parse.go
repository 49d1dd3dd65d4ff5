package ivy

import (
	"slices"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
)

// parser reads one file. The first syntax error ends it.
type parser struct{ formulas }

// formulas reads names and formulas.
type formulas struct {
	*parse.Cursor
	rightArrows bool // implications group to the right: before Ivy 1.7
}

// read reads a file; nil after an error.
func read(src *diag.Source, v version, errs *diag.List) (out []decl) {
	tokens := lexicon.Tokens(src, errs)
	if tokens == nil {
		return nil
	}
	p := &parser{formulas{parse.NewCursor(src, tokens, errs), v.before(1, 7)}}
	if !parse.Catch(func() { out = p.declarations(parse.EOF) }) {
		return nil
	}
	return out
}

// version is the version of the language that a file names.
type version struct{ major, minor int }

func (v version) before(major, minor int) bool {
	return v.major < major || v.major == major && v.minor < minor
}

// langLine finds the line that names the language: #lang ivy1.7. Only comments and empty lines may
// stand before it, since it decides how everything behind it is read.
func langLine(src *diag.Source, errs *diag.List) (rest string, span diag.Span, ok bool) {
	start, declared := 0, false
	for line := range strings.Lines(src.Text) {
		text := strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		span = diag.Span{Source: src, Start: start}
		span.End = start + len(strings.TrimRight(line, "\r\n"))
		rest, ok = strings.CutPrefix(text, "#lang")
		switch {
		case ok && declared:
			errs.Errorf(diag.Syntax, span, "'#lang' must stand before all declarations")
			return "", span, false
		case ok:
			return strings.TrimSpace(rest), span, true
		}
		declared = declared || text != "" && text[0] != '#'
		start += len(line)
	}
	return "", span, false
}

// versionOf reads the version of a file; without a line that names it, it is the latest.
func versionOf(src *diag.Source, errs *diag.List) version {
	latest := version{1, 8}
	rest, span, ok := langLine(src, errs)
	if !ok {
		return latest
	}
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

// refuse reports a construct that is not supported, and ends the parse.
func (p *formulas) refuse(span diag.Span, what string) {
	p.Fail(span, diag.IvyConstruct, "%s is not supported in Ivy files", what)
}

// name reads one name.
func (p *formulas) name() name {
	if !p.At(parse.Word) {
		p.Expected("a name")
	}
	t := p.Next()
	return name{p.Text(t), p.Span(t)}
}

func (p *formulas) variable() name {
	if !p.At(vari) {
		p.Expected("a variable, which begins with a capital letter")
	}
	t := p.Next()
	return name{p.Text(t), p.Span(t)}
}

// dotted reads a dotted name, perhaps with a subscript: bv[16].
func (p *formulas) dotted() name {
	n := p.name()
	for {
		switch {
		case p.At(".") && p.Ahead(1).Kind == parse.Word:
			p.Next()
			m := p.name()
			n = name{n.text + "." + m.text, n.span.To(m.span)}
		case p.At("[") && p.Peek().Start == n.span.End:
			p.Next()
			m := p.dotted()
			p.Expect("]")
			n = name{n.text + "[" + m.text + "]", n.span.To(p.Span(p.Previous()))}
		default:
			return n
		}
	}
}

// label reads an optional label in brackets.
func (p *formulas) label() name {
	if !p.At("[") {
		return name{}
	}
	p.Next()
	n := p.dotted()
	p.Expect("]")
	return n
}

// parameters reads an optional list `(x:t, Y:t)`. Types may be left out.
func (p *formulas) parameters() (out []binder) {
	if !p.Accept("(") {
		return nil
	}
	for !p.Accept(")") {
		if len(out) > 0 {
			p.Expect(",")
		}
		p.Accept("^")
		out = append(out, p.binder())
	}
	return out
}

func (p *formulas) binder() binder {
	var b binder
	if p.At(vari) {
		b.name = p.variable()
	} else {
		b.name = p.name()
	}
	if p.Accept(":") {
		b.typ = p.dotted()
	}
	return b
}

// labeled reads a formula with its label and proof, which ends before one of some tokens at the
// latest.
func (p *formulas) labeled(ends ...parse.Kind) formula {
	t := p.Peek()
	f := formula{label: p.label()}
	f.term = p.formula()
	f.span = p.Since(t)
	f.proof = p.proof(ends...)
	return f
}

// proof reads over a proof: one step, or several in braces. A step ends before the next declaration
// or one of some tokens.
func (p *formulas) proof(ends ...parse.Kind) diag.Span {
	if !p.AtWord("proof") {
		return diag.Span{}
	}
	t := p.Next()
	p.label()
	if p.At("{") {
		p.braces()
		return p.Since(t)
	}
	for first := true; !p.At(parse.EOF) && !p.At("}"); first = false {
		if slices.Contains(ends, p.Peek().Kind) {
			break
		}
		if !first && p.At(parse.Word) && declares[p.Text(p.Peek())] &&
			!p.IsWord(p.Previous(), "with") && p.Previous().Kind != "." {
			break
		}
		if p.At("{") {
			p.braces()
			continue
		}
		p.Next()
	}
	return p.Since(t)
}

// braces reads over a block in braces.
func (p *formulas) braces() {
	t := p.Peek()
	p.Expect("{")
	for depth := 1; depth > 0; {
		switch {
		case p.At(parse.EOF):
			p.Fail(p.Span(t), diag.Syntax, "'{' without '}'")
		case p.At("{"):
			depth++
		case p.At("}"):
			depth--
		}
		p.Next()
	}
}
