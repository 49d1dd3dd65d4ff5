package fast

import (
	"strings"
	"unicode/utf8"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
)

// Kinds of tokens. A star is part of the words post* and pre*, which are symbols.
const (
	number parse.Kind = "a number"
	quoted parse.Kind = "a text"
)

// punctuation, longest first.
var punctuation = []string{
	"post*", "pre*", ":=", "&&", "||", "<=", ">=", "!=", "==",
	"{", "}", "(", ")", ";", ",", "=", "<", ">", "!", "+", "-", "*", "'", "?",
}

// lex splits a text into tokens, the last of which is eof. After an error the list says so.
func lex(src *diag.Source, errs *diag.List) []parse.Token {
	text := src.Text
	var out []parse.Token
	if !errs.Textual(src) {
		return []parse.Token{parse.EOF.At(len(text), len(text))}
	}
	bad := func(start, end int, code diag.Code, format string, args ...any) []parse.Token {
		errs.Errorf(code, diag.Span{Source: src, Start: start, End: end}, format, args...)
		return append(out, parse.EOF.At(len(text), len(text)))
	}
	for i := len(text) - len(strings.TrimPrefix(text, "\ufeff")); i < len(text); {
		start, c := i, text[i]
		switch p := parse.Symbol(text[i:], punctuation); {
		case strings.IndexByte(" \t\r\n\f", c) >= 0:
			i++
		case strings.HasPrefix(text[i:], "//"):
			if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
				i += n
			} else {
				i = len(text)
			}
		case strings.HasPrefix(text[i:], "/*"):
			n := strings.Index(text[i+2:], "*/")
			if n < 0 {
				return bad(i, i+2, diag.Syntax, "'/*' without '*/'")
			}
			i += n + 4
		case c == '"':
			n := strings.IndexAny(text[i+1:], "\"\n")
			if n < 0 || text[i+1+n] == '\n' {
				return bad(i, i+1, diag.Syntax, "a text without its end")
			}
			i += n + 2
			out = append(out, quoted.At(start, i))
		case p != "":
			i += len(p)
			out = append(out, parse.Kind(p).At(start, i))
		case letter(c) || digit(c):
			k := parse.Word
			if digit(c) {
				k = number
			}
			for i < len(text) && (digit(text[i]) || k == parse.Word && letter(text[i])) {
				i++
			}
			out = append(out, k.At(start, i))
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			return bad(i, i+size, diag.BadCharacter, "unexpected character %q", r)
		}
	}
	return append(out, parse.EOF.At(len(text), len(text)))
}

func letter(c byte) bool {
	return c == '_' || c == '.' || c == '#' || c == '@' || 'a' <= c && c <= 'z' ||
		'A' <= c && c <= 'Z'
}
func digit(c byte) bool { return '0' <= c && c <= '9' }
