package uppaal

import (
	"strings"
	"unicode/utf8"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
)

// numeral is the kind of numbers. The kind of a reserved word is the word.
const numeral parse.Kind = "a number"

// fragment is a separately read piece of the file: all of an XTA file, or one label of an XML file
// with its entities replaced. at gives the position of each byte in the file; nil means that they
// are the same.
type fragment struct {
	text string
	at   []int
	end  int // of the fragment in the file
}

func (f fragment) place(i int) int {
	switch {
	case f.at == nil:
		return i
	case i < len(f.at):
		return f.at[i]
	}
	return f.end
}

// operators, longest first.
var operators = []string{
	"-->", "<<=", ">>=",
	"++", "--", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", ":=", "==", "!=", "<=", ">=", "<?",
	">?", "&&", "||", "<<", ">>", "->",
	"+", "-", "*", "/", "%", "&", "|", "^", "!", "~", "<", ">", "=", "?", ":", ";", ",", ".", "(",
	")", "[", "]", "{", "}", "'", "#", "\"",
}

// lex gives the tokens of a fragment. The arrow --> is a token of queries only: in code it is i-- >
// 0.
func (l *loader) lex(f fragment, query bool) ([]parse.Token, bool) {
	var out []parse.Token
	text := f.text
	bad := func(from, to int, code diag.Code, message string) ([]parse.Token, bool) {
		l.list.Errorf(code, diag.Span{Source: l.src, Start: f.place(from), End: f.place(to)}, "%s",
			message)
		return nil, false
	}
	add := func(k parse.Kind, from, to int) {
		out = append(out,
			parse.Token{Kind: k, Start: f.place(from), End: f.place(to), Text: text[from:to]})
	}
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
			i++
		// a continuation in .q files
		case c == '\\' && i+1 < len(text) && (text[i+1] == '\n' || text[i+1] == '\r'):
			i++
		case strings.HasPrefix(text[i:], "//"):
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case strings.HasPrefix(text[i:], "/*"):
			n := strings.Index(text[i+2:], "*/")
			if n < 0 {
				return bad(i, i+2, diag.Syntax, "this comment has no end")
			}
			i += n + 4
		case isLetter(c):
			j := i
			for j < len(text) && (isLetter(text[j]) || isDigit(text[j])) {
				j++
			}
			k := parse.Word
			if reserved[text[i:j]] {
				k = parse.Kind(text[i:j])
			}
			add(k, i, j)
			i = j
		case isDigit(c):
			j := i
			for j < len(text) && isDigit(text[j]) {
				j++
			}
			if j+1 < len(text) && text[j] == '.' && isDigit(text[j+1]) {
				return bad(i, j+1, diag.Unsupported,
					"floating-point numbers are not supported: states hold integers only; where "+
						"these are fractions with one denominator, write integers")
			}
			add(numeral, i, j)
			i = j
		default:
			op := parse.Symbol(text[i:], operators)
			if op == "-->" && !query {
				op = "--"
			}
			if op == "" {
				r, n := utf8.DecodeRuneInString(text[i:])
				return bad(i, i+n, diag.BadCharacter,
					"the character "+string(r)+" has no meaning here")
			}
			add(parse.Kind(op), i, i+len(op))
			i += len(op)
		}
	}
	add(parse.EOF, len(text), len(text))
	return out, true
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
