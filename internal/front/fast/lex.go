package fast

import (
	"strings"
	"unicode/utf8"

	"erelong.dev/erelong/internal/diag"
)

// kind is the kind of a token: punctuation and star words have their own text as kind.
type kind string

const (
	eof    kind = "the end of the file"
	word   kind = "a name"
	number kind = "a number"
	quoted kind = "a text"
)

// punctuation, longest first.
var punctuation = []string{
	"post*", "pre*", ":=", "&&", "||", "<=", ">=", "!=", "==",
	"{", "}", "(", ")", ";", ",", "=", "<", ">", "!", "+", "-", "*", "'", "?",
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
	bad := func(start, end int, code diag.Code, format string, args ...any) []token {
		errs.Errorf(code, diag.Span{Source: src, Start: start, End: end}, format, args...)
		return append(out, token{eof, len(text), len(text)})
	}
	for i := len(text) - len(strings.TrimPrefix(text, "\ufeff")); i < len(text); {
		start, c := i, text[i]
		switch p := symbolAt(text[i:]); {
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
			out = append(out, token{quoted, start, i})
		case p != "":
			i += len(p)
			out = append(out, token{kind(p), start, i})
		case letter(c) || digit(c):
			k := word
			if digit(c) {
				k = number
			}
			for i < len(text) && (digit(text[i]) || k == word && letter(text[i])) {
				i++
			}
			out = append(out, token{k, start, i})
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			return bad(i, i+size, diag.BadCharacter, "unexpected character %q", r)
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

func letter(c byte) bool {
	return c == '_' || c == '.' || c == '#' || c == '@' || 'a' <= c && c <= 'z' ||
		'A' <= c && c <= 'Z'
}
func digit(c byte) bool { return '0' <= c && c <= '9' }
