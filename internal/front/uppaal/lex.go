package uppaal

import (
	"strings"
	"unicode/utf8"

	"erelong.dev/erelong/internal/diag"
)

type tokenKind int

const (
	endToken tokenKind = iota
	nameToken
	numberToken
	opToken
)

type token struct {
	kind       tokenKind
	text       string
	start, end int // in the file
}

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
}

// lex gives the tokens of a fragment. The arrow --> is a token of queries only: in code it is i-- >
// 0.
func (l *loader) lex(f fragment, query bool) ([]token, bool) {
	var out []token
	text := f.text
	bad := func(from, to int, code diag.Code, message string) ([]token, bool) {
		l.list.Errorf(code, diag.Span{Source: l.src, Start: f.place(from), End: f.place(to)}, "%s",
			message)
		return nil, false
	}
next:
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
			out = append(out, token{nameToken, text[i:j], f.place(i), f.place(j)})
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
			out = append(out, token{numberToken, text[i:j], f.place(i), f.place(j)})
			i = j
		default:
			for _, op := range operators {
				if strings.HasPrefix(text[i:], op) && (op != "-->" || query) {
					out = append(out, token{opToken, op, f.place(i), f.place(i + len(op))})
					i += len(op)
					continue next
				}
			}
			if !strings.ContainsRune("+-*/%&|^!~<>=?:;,.()[]{}'#\"", rune(c)) {
				r, n := utf8.DecodeRuneInString(text[i:])
				return bad(i, i+n, diag.BadCharacter,
					"the character "+string(r)+" has no meaning here")
			}
			out = append(out, token{opToken, text[i : i+1], f.place(i), f.place(i + 1)})
			i++
		}
	}
	return append(out, token{endToken, "", f.place(len(text)), f.place(len(text))}), true
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
