package parse

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"erelong.dev/erelong/internal/diag"
)

// Lexicon says what the tokens of a language are.
type Lexicon struct {
	Blanks   string
	Comment  string      // begins a comment up to the end of the line
	Enclosed []Enclosure // comments, and what is read as one token
	Quoted   Kind        // texts in double quotes; empty where there are none
	Symbols  []string    // longest first
	// Word is the kind and the length of the name or number with which a text begins; 0 for none.
	Word func(text string) (Kind, int)
}

// Enclosure is a part of a text from one sign to another. A comment has no kind.
type Enclosure struct {
	Open, Close string
	Kind        Kind
}

// Tokens splits a source into tokens, the last of which is EOF; nil after an error.
func (l *Lexicon) Tokens(src *diag.Source, errs *diag.List) []Token {
	if !errs.Textual(src) {
		return nil
	}
	return l.Split(src.Text, func(start, end int, code diag.Code, text string) {
		errs.Errorf(code, diag.Span{Source: src, Start: start, End: end}, "%s", text)
	})
}

// Split is Tokens for a text; it reports an error by bad.
func (l *Lexicon) Split(
	text string, bad func(start, end int, code diag.Code, text string),
) (out []Token) {
	for i := len(text) - len(strings.TrimPrefix(text, "\ufeff")); i < len(text); {
		kind, n := l.next(text[i:])
		switch {
		case n == 0:
			r, size := utf8.DecodeRuneInString(text[i:])
			bad(i, i+size, diag.BadCharacter, fmt.Sprintf("unexpected character %q", r))
			return nil
		case n < 0:
			bad(i, i-n, diag.Syntax, string(kind)+" without its end")
			return nil
		case kind != "":
			out = append(out, kind.At(i, i+n))
		}
		i += n
	}
	return append(out, EOF.At(len(text), len(text)))
}

// next is the kind and the length of what a text begins with. Blanks and comments have no kind. The
// length is 0 for a character without a meaning. Where an enclosure has no end, the kind is its
// first sign, and the length is negative.
func (l *Lexicon) next(text string) (Kind, int) {
	switch end := strings.IndexByte(text, '\n'); {
	case strings.IndexByte(l.Blanks, text[0]) >= 0:
		return "", 1
	case !strings.HasPrefix(text, l.Comment):
	case end < 0:
		return "", len(text)
	default:
		return "", end
	}
	for _, e := range l.Enclosed {
		if inner, ok := strings.CutPrefix(text, e.Open); ok {
			n := strings.Index(inner, e.Close)
			if n < 0 {
				return Kind("'" + e.Open + "'"), -len(e.Open)
			}
			return e.Kind, len(e.Open) + n + len(e.Close)
		}
	}
	if l.Quoted != "" && text[0] == '"' {
		n := strings.IndexAny(text[1:], "\"\n")
		if n < 0 || text[1+n] == '\n' {
			return "a text", -1
		}
		return l.Quoted, n + 2
	}
	if s := Symbol(text, l.Symbols); s != "" {
		return Kind(s), len(s)
	}
	return l.Word(text)
}

// Length is the length of the longest beginning of a text whose characters are of a kind.
func Length(text string, is func(c byte) bool) int {
	n := 0
	for n < len(text) && is(text[n]) {
		n++
	}
	return n
}

// Digit reports whether a character is a decimal digit.
func Digit(c byte) bool { return '0' <= c && c <= '9' }

// Letter reports whether a character is one of names in most languages.
func Letter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
