package ivy

import (
	"strings"
	"unicode/utf8"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
)

// Kinds of tokens. Numerals and strings are words, too: Ivy has one class for them.
const (
	vari   parse.Kind = "a variable"
	native parse.Kind = "code in another language" // <<< ... >>>
)

// punctuation, longest first.
var punctuation = []string{
	"...", "<->", "->", ":=", "..", "~=", ">=", "<=", "*>",
	"(", ")", "[", "]", "{", "}", ".", ":", ";", ",", "~", "|", "=", ">", "<", "+", "-", "*", "/",
	"&", "$", "^",
}

// lex splits a text into tokens, the last of which is eof. After an error the list says so.
func lex(src *diag.Source, errs *diag.List) []parse.Token {
	text := src.Text
	var out []parse.Token
	if !errs.Textual(src) {
		return []parse.Token{parse.EOF.At(len(text), len(text))}
	}
	for i := 0; i < len(text); {
		start, c := i, text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case c == '#':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case strings.HasPrefix(text[i:], "<<<"):
			n := strings.Index(text[i:], ">>>")
			if n < 0 {
				errs.Errorf(diag.Syntax, diag.Span{Source: src, Start: i, End: i + 3},
					"'<<<' without '>>>'")
				return append(out, parse.EOF.At(len(text), len(text)))
			}
			i += n + 3
			out = append(out, native.At(start, i))
		case c == '"':
			n := strings.IndexAny(text[i+1:], "\"\n")
			if n < 0 || text[i+1+n] == '\n' {
				errs.Errorf(diag.Syntax, diag.Span{Source: src, Start: i, End: i + 1},
					"a string without an end")
				return append(out, parse.EOF.At(len(text), len(text)))
			}
			i += n + 2
			out = append(out, parse.Word.At(start, i))
		case letter(c) || digit(c):
			for i < len(text) && (letter(text[i]) || digit(text[i])) {
				i++
			}
			k := parse.Word
			if 'A' <= c && c <= 'Z' {
				k = vari
			}
			out = append(out, k.At(start, i))
		default:
			p := parse.Symbol(text[i:], punctuation)
			if p == "" {
				r, size := utf8.DecodeRuneInString(text[i:])
				errs.Errorf(diag.BadCharacter, diag.Span{Source: src, Start: i, End: i + size},
					"unexpected character %q", r)
				return append(out, parse.EOF.At(len(text), len(text)))
			}
			i += len(p)
			out = append(out, parse.Kind(p).At(start, i))
		}
	}
	return append(out, parse.EOF.At(len(text), len(text)))
}

func letter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func digit(c byte) bool  { return '0' <= c && c <= '9' }
