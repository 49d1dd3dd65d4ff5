package uppaal

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
)

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

// Kinds of numbers. The kind of a reserved word is the word.
const (
	numeral  parse.Kind = "a number"
	fraction parse.Kind = "a fraction"
)

// The tokens of queries, and of everything else.
var (
	queryLexicon = parse.Lexicon{
		Blanks: " \t\n\r\f", Comment: "//",
		// A backslash continues a line of a .q file.
		Enclosed: []parse.Enclosure{{Open: "/*", Close: "*/"}, {Open: "\\\n"}, {Open: "\\\r"}},
		Symbols: []string{
			"-->", "<<=", ">>=",
			"++", "--", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", ":=", "==", "!=", "<=",
			">=", "<?", ">?", "&&", "||", "<<", ">>", "->",
			"+", "-", "*", "/", "%", "&", "|", "^", "!", "~", "<", ">", "=", "?", ":", ";", ",",
			".", "(", ")", "[", "]", "{", "}", "'", "#", "\"",
		},
		Word: word,
	}
	codeLexicon = withoutArrow(queryLexicon)
)

// withoutArrow leaves out the arrow --> of queries: in code it is i-- > 0.
func withoutArrow(l parse.Lexicon) parse.Lexicon {
	l.Symbols = l.Symbols[1:]
	return l
}

func word(text string) (parse.Kind, int) {
	if n := parse.Length(text, parse.Digit); n > 0 {
		if n+1 < len(text) && text[n] == '.' && parse.Digit(text[n+1]) {
			return fraction, n + 1
		}
		return numeral, n
	}
	n := parse.Length(text, func(c byte) bool {
		return parse.Letter(c) || parse.Digit(c) || c == '$'
	})
	if reserved[text[:n]] {
		return parse.Kind(text[:n]), n
	}
	return parse.Word, n
}

// lex gives the tokens of a fragment, nil after an error.
func (l *loader) lex(f fragment, query bool) []parse.Token {
	bad := func(from, to int, code diag.Code, text string) {
		l.list.Errorf(code, diag.Span{Source: l.src, Start: f.place(from), End: f.place(to)}, "%s",
			text)
	}
	lexicon := &codeLexicon
	if query {
		lexicon = &queryLexicon
	}
	out := lexicon.Split(f.text, bad)
	for i, t := range out {
		if t.Kind == fraction {
			bad(t.Start, t.End, diag.Unsupported,
				"floating-point numbers are not supported: states hold integers only; where "+
					"these are fractions with one denominator, write integers")
			return nil
		}
		out[i] = parse.Token{Kind: t.Kind, Start: f.place(t.Start), End: f.place(t.End),
			Text: f.text[t.Start:t.End]}
	}
	return out
}
