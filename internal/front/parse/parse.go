// Package parse is what the parsers of several front ends share: the tokens of a text by a lexicon,
// a cursor over them, and the end of a parse at its first error.
//
// In: a text. Out: its tokens, and what a parser asks of the next ones, with their text and
// position, or a diagnostic of what was expected. A parser embeds a Cursor, and runs within Catch.
package parse

import (
	"cmp"
	"strings"

	"erelong.dev/erelong/internal/diag"
)

// Kind is the kind of a token. Punctuation has its own text as kind; front ends have further kinds.
type Kind string

const (
	EOF  Kind = "the end of the file"
	Word Kind = "a name"
	// Outside stands for a token at the margin or left of it.
	Outside Kind = "the end of the list"
)

// Token is a part of a text. Text is what it says where the source writes it in another way, as XML
// writes its signs. Column counts from 1, in languages where it matters.
type Token struct {
	Kind       Kind
	Start, End int
	Text       string
	Column     int
}

// At is a token of the kind from one byte of a text to another.
func (k Kind) At(start, end int) Token { return Token{Kind: k, Start: start, End: end} }

// Symbol is the first of some symbols with which a text begins, empty if there is none.
func Symbol(text string, symbols []string) string {
	for _, s := range symbols {
		if strings.HasPrefix(text, s) {
			return s
		}
	}
	return ""
}

// MaxDepth bounds the nesting of a text.
const MaxDepth = 1000

// Cursor is a position among tokens, of which the last is EOF.
type Cursor struct {
	Source     *diag.Source
	Errs       *diag.List
	Margin     int // tokens up to this column do not belong to what is read; 0 for no margin
	tokens     []Token
	pos, depth int
}

// NewCursor is a cursor before the first token.
func NewCursor(src *diag.Source, tokens []Token, errs *diag.List) *Cursor {
	return &Cursor{Source: src, Errs: errs, tokens: tokens}
}

// Peek is the next token.
func (c *Cursor) Peek() Token { return c.Ahead(0) }

// Ahead is a token after the next one.
func (c *Cursor) Ahead(n int) Token {
	t := c.tokens[min(c.pos+n, len(c.tokens)-1)]
	if t.Column <= c.Margin && t.Kind != EOF && c.Margin > 0 {
		t.Kind = Outside
	}
	return t
}

// Previous is the last token that was read.
func (c *Cursor) Previous() Token { return c.tokens[max(c.pos-1, 0)] }

// Next reads a token.
func (c *Cursor) Next() Token {
	t := c.Peek()
	if t.Kind != EOF && t.Kind != Outside {
		c.pos++
	}
	return t
}

// Back takes back the last token that was read.
func (c *Cursor) Back() { c.pos-- }

// Text is what a token says.
func (c *Cursor) Text(t Token) string {
	return cmp.Or(t.Text, c.Source.Text[t.Start:t.End])
}

// Span is the position of a token.
func (c *Cursor) Span(t Token) diag.Span {
	return diag.Span{Source: c.Source, Start: t.Start, End: t.End}
}

// Since is the span from a token to the last one that was read.
func (c *Cursor) Since(t Token) diag.Span { return c.Span(t).To(c.Span(c.Previous())) }

// At reports whether the next token is of a kind.
func (c *Cursor) At(k Kind) bool { return c.Peek().Kind == k }

// IsWord reports whether a token is a given word.
func (c *Cursor) IsWord(t Token, w string) bool { return t.Kind == Word && c.Text(t) == w }

// AtWord reports whether the next token is a given word.
func (c *Cursor) AtWord(w string) bool { return c.IsWord(c.Peek(), w) }

// Accept reads the next token if it is of a kind.
func (c *Cursor) Accept(k Kind) bool {
	if c.At(k) {
		c.Next()
		return true
	}
	return false
}

// AcceptWord reads the next token if it is a given word.
func (c *Cursor) AcceptWord(w string) bool {
	if c.AtWord(w) {
		c.Next()
		return true
	}
	return false
}

// Expect reads a symbol, and gives it.
func (c *Cursor) Expect(k Kind) Token {
	if !c.At(k) {
		c.Expected("'" + string(k) + "'")
	}
	return c.Next()
}

// ExpectWord reads a given word.
func (c *Cursor) ExpectWord(w string) {
	if !c.AcceptWord(w) {
		c.Expected("'" + w + "'")
	}
}

// Commas reads parts that commas separate, at least one.
func (c *Cursor) Commas(part func()) {
	for part(); c.Accept(","); part() {
	}
}

// mostShown bounds what a message shows of a token.
const mostShown = 40

// Expected reports what was expected in the place of the next token, and ends the parse.
func (c *Cursor) Expected(what string) {
	t := c.Peek()
	found := string(t.Kind)
	if t.Kind != EOF && t.Kind != Outside {
		found = "'" + c.Text(t) + "'"
		if len(found) > mostShown {
			found = found[:mostShown] + "...'"
		}
	}
	d := c.Errs.Errorf(diag.Syntax, c.Span(t), "expected %s, found %s", what, found)
	if what == "')'" {
		d.Suggest("Close the parenthesis with ) here.")
	}
	Bail()
}

// Fail reports an error, and ends the parse.
func (c *Cursor) Fail(span diag.Span, code diag.Code, format string, args ...any) {
	Fail(c.Errs, span, code, format, args...)
}

// Enter bounds the nesting; Leave goes with it.
func (c *Cursor) Enter() {
	if c.depth++; c.depth > MaxDepth {
		c.Fail(c.Span(c.Peek()), diag.TooDeep, "this is nested more than %d deep", MaxDepth)
	}
}

// Leave ends what Enter began.
func (c *Cursor) Leave() { c.depth-- }

// bailout unwinds a parser after a reported error.
type bailout struct{}

// Fail reports an error, and ends what Catch runs.
func Fail(errs *diag.List, span diag.Span, code diag.Code, format string, args ...any) {
	errs.Errorf(code, span, format, args...)
	Bail()
}

// Bail ends what Catch runs, after an error was reported.
func Bail() { panic(bailout{}) }

// Catch runs f, and reports whether it came to its end.
func Catch(f func()) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, mine := r.(bailout); !mine {
				panic(r)
			}
			ok = false
		}
	}()
	f()
	return true
}
