package ivy

import (
	"strings"
	"unicode/utf8"

	"erelong.dev/erelong/internal/diag"
)

// kind is the kind of a token: punctuation has its own text as kind.
type kind string

const (
	eof    kind = "the end of the file"
	word   kind = "a name" // numerals and strings, too: Ivy has one class for them
	vari   kind = "a variable"
	native kind = "code in another language" // <<< ... >>>
)

// punctuation, longest first.
var punctuation = []string{
	"...", "<->", "->", ":=", "..", "~=", ">=", "<=", "*>",
	"(", ")", "[", "]", "{", "}", ".", ":", ";", ",", "~", "|", "=", ">", "<", "+", "-", "*", "/",
	"&", "$", "^",
}

type token struct {
	kind       kind
	start, end int
}

// lex splits a text into tokens, the last of which is eof. After an error the list says so.
func lex(src *diag.Source, errs *diag.List) []token {
	text := src.Text
	var out []token
	if !errs.Textual(src) {
		return []token{{eof, len(text), len(text)}}
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
				return append(out, token{eof, len(text), len(text)})
			}
			i += n + 3
			out = append(out, token{native, start, i})
		case c == '"':
			n := strings.IndexAny(text[i+1:], "\"\n")
			if n < 0 || text[i+1+n] == '\n' {
				errs.Errorf(diag.Syntax, diag.Span{Source: src, Start: i, End: i + 1},
					"a string without an end")
				return append(out, token{eof, len(text), len(text)})
			}
			i += n + 2
			out = append(out, token{word, start, i})
		case letter(c) || digit(c):
			for i < len(text) && (letter(text[i]) || digit(text[i])) {
				i++
			}
			k := word
			if 'A' <= c && c <= 'Z' {
				k = vari
			}
			out = append(out, token{k, start, i})
		default:
			p := symbolAt(text[i:])
			if p == "" {
				r, size := utf8.DecodeRuneInString(text[i:])
				errs.Errorf(diag.BadCharacter, diag.Span{Source: src, Start: i, End: i + size},
					"unexpected character %q", r)
				return append(out, token{eof, len(text), len(text)})
			}
			i += len(p)
			out = append(out, token{kind(p), start, i})
		}
	}
	return append(out, token{eof, len(text), len(text)})
}

func symbolAt(text string) string {
	for _, p := range punctuation {
		if strings.HasPrefix(text, p) {
			return p
		}
	}
	return ""
}

func letter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func digit(c byte) bool  { return '0' <= c && c <= '9' }
