package syntax

import (
	"iter"
	"strings"
	"unicode/utf8"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
)

// lexer splits the text of a module, or of a configuration, into tokens.
type lexer struct {
	src   *diag.Source
	errs  *diag.List
	at    int
	start int // where the columns of the line are counted so far
	col   int // the column of start, from 0
	out   []parse.Token
}

// tabs is the distance of the tab stops by which TLC counts columns.
const tabs = 8

// head finds the beginning of a module, ---- MODULE, from a place on. What is before it is text.
// The result is -1 where there is none.
func head(text string, from int) int {
	for {
		i := strings.Index(text[from:], "----")
		if i < 0 {
			return -1
		}
		start := from + i
		from = start + parse.Length(text[start:], func(c byte) bool { return c == '-' })
		after, ok := strings.CutPrefix(strings.TrimLeft(text[from:], " "), "MODULE")
		if ok && parse.Length(after, inWord) == 0 {
			return start
		}
	}
}

// Words are the words of a text, or its strings, in their order.
func Words(src *diag.Source, strings bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		l := &lexer{src: src, errs: &diag.List{}}
		if l.at = head(src.Text, 0); l.at < 0 {
			l.at = 0 // of a configuration
		}
		l.rest()
		for _, t := range l.out {
			text := src.Text[t.Start:t.End]
			switch {
			case strings && t.Kind == quote:
				text = t.Text
			case strings || text == "" || !parse.Letter(text[0]):
				continue
			}
			if !yield(text) {
				return
			}
		}
	}
}

// module reads the tokens of the module that begins at the place of the lexer, with the modules in
// it, up to its ====. It reports whether all went well.
func (l *lexer) module() bool {
	for depth := 0; ; {
		if !l.next() {
			return false
		}
		n := len(l.out) - 1
		switch l.out[n].Kind {
		case parse.EOF:
			return true
		case "====":
			if depth--; depth <= 0 {
				l.add(parse.EOF, 0)
				return true
			}
		case "MODULE":
			if n > 0 && l.out[n-1].Kind == "----" {
				depth++
			}
		}
	}
}

// rest reads all tokens up to the end of the text.
func (l *lexer) rest() bool {
	for l.next() {
		if l.out[len(l.out)-1].Kind == parse.EOF {
			return true
		}
	}
	return false
}

// next reads one token. It reports whether all went well.
func (l *lexer) next() bool {
	if !l.blanks() {
		return false
	}
	text := l.src.Text[l.at:]
	if text == "" {
		l.add(parse.EOF, 0)
		return true
	}
	switch c := text[0]; {
	case c == '"':
		return l.quoted()
	case parse.Letter(c) || parse.Digit(c):
		l.word(text)
	case text[0] == '=' && strings.HasPrefix(text, "===="):
		l.add("====", parse.Length(text, func(c byte) bool { return c == '=' }))
	case text[0] == '-' && strings.HasPrefix(text, "----"):
		l.add("----", parse.Length(text, func(c byte) bool { return c == '-' }))
	default:
		return l.sign(text)
	}
	return true
}

// add adds a token of a length at the place of the lexer.
func (l *lexer) add(kind parse.Kind, length int) {
	t := kind.At(l.at, l.at+length)
	t.Column = l.column()
	l.out = append(l.out, t)
	l.at += length
}

// column is the column of the place of the lexer, from 1. It counts characters.
func (l *lexer) column() int {
	for l.start < l.at {
		switch c := l.src.Text[l.start]; {
		case c == '\t':
			l.col += tabs - l.col%tabs
		case c == '\n' || c == '\r':
			l.col = 0
		case utf8.RuneStart(c):
			l.col++
		}
		l.start++
	}
	return l.col + 1
}

// blanks reads over blanks and comments. Comments in (* *) are nested.
func (l *lexer) blanks() bool {
	text := l.src.Text
	for l.at < len(text) {
		switch c := text[l.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
			l.at++
		case strings.HasPrefix(text[l.at:], "\\*"):
			n := strings.IndexAny(text[l.at:], "\n\r")
			if n < 0 {
				n = len(text) - l.at
			}
			l.at += n
		case strings.HasPrefix(text[l.at:], "(*"):
			end := comment(text, l.at)
			if end < 0 {
				l.errs.Errorf(diag.Syntax, l.span(2), "a comment without its end").
					Suggest("End it with *); comments may contain comments.")
				return false
			}
			l.at = end
		default:
			return true
		}
	}
	return true
}

// comment is the place after a comment that begins at a place, -1 where it has no end.
func comment(text string, at int) int {
	for depth := 0; ; {
		i := strings.IndexAny(text[at:], "(*")
		if i < 0 || at+i+1 >= len(text) {
			return -1
		}
		switch at += i; text[at : at+2] {
		case "(*":
			depth++
			at += 2
		case "*)":
			at += 2
			if depth--; depth == 0 {
				return at
			}
		default:
			at++
		}
	}
}

// inWord reports whether a character is one of names.
func inWord(c byte) bool { return parse.Letter(c) || parse.Digit(c) }

// word reads a name, a reserved word or a number. A name has a letter.
func (l *lexer) word(text string) {
	n := parse.Length(text, inWord)
	w := text[:n]
	digits := parse.Length(w, parse.Digit)
	switch {
	case strings.HasPrefix(w, "WF_") || strings.HasPrefix(w, "SF_"):
		l.add(parse.Kind(w[:3]), 3)
	case reserved[w]:
		l.add(parse.Kind(w), n)
	case strings.Trim(w, "0123456789_") != "":
		l.add(parse.Word, n)
	case digits > 0:
		l.add(number, digits)
	default:
		l.add("_", 1)
	}
}

// quoted reads a string. The text of its token has no quotes, and its escapes are replaced.
func (l *lexer) quoted() bool {
	var b strings.Builder
	text := l.src.Text[l.at:]
	for i := 1; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			l.add(quote, i+1)
			l.out[len(l.out)-1].Text = b.String()
			return true
		case '\n', '\r':
			i = len(text)
		case '\\':
			i++
			switch escaped, ok := escapes[text[min(i, len(text)-1)]]; {
			case ok:
				b.WriteByte(escaped)
			default:
				b.WriteByte('\\')
				i--
			}
		default:
			b.WriteByte(c)
		}
	}
	l.errs.Errorf(diag.Syntax, l.span(1), "a string without its end in the line").
		Suggest("End the string with a quote.")
	return false
}

// escapes are the characters after a backslash in a string with what they stand for. Before another
// one, a backslash stands for itself.
var escapes = map[byte]byte{'\\': '\\', '"': '"', 'n': '\n', 't': '\t', 'f': '\f', 'r': '\r'}

// sign reads a symbol, a number in another base, or the name of a step.
func (l *lexer) sign(text string) bool {
	if n := stepLength(text); n > 0 {
		l.add(step, n)
		return true
	}
	if n := basedLength(text); n > 0 {
		l.add(number, n)
		return true
	}
	if strings.HasPrefix(text, "!!!") { // M!!!(a, b): the operator !! of M
		l.add("!", 1)
		return true
	}
	if s, ok := symbolAt(text); ok {
		l.add(s.kind, len(s.text))
		return true
	}
	if name, n := numberSet(text); name != "" {
		l.add(parse.Word, n)
		l.out[len(l.out)-1].Text = name
		return true
	}
	r, n := utf8.DecodeRuneInString(text)
	d := l.errs.Errorf(diag.BadCharacter, l.span(n), "unexpected character %q", r)
	if fix := mends[r]; fix != "" {
		d.Suggest("%s", fix)
	}
	return false
}

// mends are for characters of other languages.
var mends = map[rune]string{
	'“': `Write "; a string is in straight quotes.`,
	'”': `Write "; a string is in straight quotes.`,
	'’': "Write ' for the value after a step.",
	';': "TLA+ has no ; behind a definition or a formula.",
	'?': "Write IF c THEN a ELSE b.",
	'`': "Write (* *) around a comment, or \\* before it.",
}

// stepLength is the length of the name of a step of a proof with which a text begins: <1>, <1>a,
// <*>2., <+>; 0 for none.
func stepLength(text string) int {
	if text[0] != '<' {
		return 0
	}
	n := 1 + parse.Length(text[1:], parse.Digit)
	if n == 1 && len(text) > 1 && (text[1] == '*' || text[1] == '+') {
		n++
	}
	if n == 1 || n == len(text) || text[n] != '>' {
		return 0
	}
	n++
	name := parse.Length(text[n:], inWord)
	if n += name; name == 0 && n < len(text) && (text[n] == '*' || text[n] == '-') {
		n++
	}
	return n + parse.Length(text[n:], func(c byte) bool { return c == '.' })
}

// basedLength is the length of a number in another base with which a text begins: \b01, \o17, \hFF;
// 0 for none.
func basedLength(text string) int {
	if len(text) < 3 || text[0] != '\\' {
		return 0
	}
	digits := ""
	switch text[1] {
	case 'b', 'B':
		digits = "01"
	case 'o', 'O':
		digits = "01234567"
	case 'h', 'H':
		digits = "0123456789abcdefABCDEF"
	}
	n := parse.Length(text[2:], func(c byte) bool { return strings.IndexByte(digits, c) >= 0 })
	if n == 0 {
		return 0
	}
	return 2 + n
}

func (l *lexer) span(length int) diag.Span {
	return diag.Span{Source: l.src, Start: l.at, End: l.at + length}
}
