// Package syntax reads the text of a specification: tokens, syntax trees, parser.
//
// In: a source text in the language of erelong, which contains both dialects of mypyvy. Out: a
// File, and diagnostics. The File holds the declarations as trees and every token, comments
// included, so the text can be rebuilt from it. The parser recovers at the next declaration, so one
// run reports the errors of several. Package check resolves names.
//
// The words that mypyvy does not reserve (action, enum, instance, always, ...) are words only where
// they can begin a construct; elsewhere they are ordinary names, so that every mypyvy file keeps
// its meaning.
package syntax

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"erelong.dev/erelong/internal/diag"
)

// Kind is the kind of a token: for keywords and punctuation its own text, else one of the
// constants.
type Kind string

const (
	EOF        Kind = "end of file"
	Ident      Kind = "name"
	Number     Kind = "number"
	Text       Kind = "string"     // in double quotes
	Annotation Kind = "annotation" // @word
	Comment    Kind = "comment"    // from # to the end of the line
	Bad        Kind = "unexpected character"
)

// IsKeyword reports whether a word is a keyword.
func IsKeyword(word string) bool { return keywords[word] }

// keywords are the words that mypyvy reserves.
var keywords = map[string]bool{
	"modifies": true, "sort": true, "mutable": true, "immutable": true, "derived": true,
	"relation": true,
	"constant": true, "function": true, "init": true, "transition": true, "invariant": true,
	"axiom": true, "new": true,
	"forall": true, "exists": true, "true": true, "false": true, "zerostate": true,
	"onestate": true, "twostate": true,
	"theorem": true, "definition": true, "assert": true, "safety": true, "any": true, "trace": true,
	"if":   true,
	"then": true, "else": true, "let": true, "in": true, "sat": true, "unsat": true,
	"distinct": true, "bool": true,
	"int": true, "fbii": true, "prophecy": true,
}

// punctuation, longest first.
var punctuation = []string{
	"<->", "->", ":=", "..", "~>", "!=", "~=", ">=", "<=",
	"(", ")", "[", "]", "{", "}", ".", ":", ";", ",", "!", "~", "|", "=", ">", "<", "+", "-", "*",
	"'", "&",
}

// Token is a piece of the text. White space is what lies between tokens.
type Token struct {
	Kind       Kind
	Start, End int
}

const maxSource = 64 << 20

// scan splits a text into tokens, the last of which is EOF.
func scan(src *diag.Source, errs *diag.List) []Token {
	text := src.Text
	if len(text) > maxSource {
		errs.Errorf(diag.NotText, diag.Span{Source: src, Start: 0, End: 0},
			"the file has %d bytes; at most %d are read", len(text), maxSource)
		return []Token{{EOF, len(text), len(text)}}
	}
	if why := binary(text); why != "" {
		// One line is enough, since no part of the text can be shown.
		errs.Errorf(diag.NotText, diag.Span{Source: diag.NewSource(src.Name, "")},
			"this is no specification: %s", why)
		return []Token{{EOF, len(text), len(text)}}
	}
	var tokens []Token
	for i := len(text) - len(strings.TrimPrefix(text, byteOrderMark)); i < len(text); {
		start := i
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
			continue
		case c == '#':
			for i < len(text) && text[i] != '\n' {
				i++
			}
			end := i
			for end > start && text[end-1] == '\r' {
				end--
			}
			if !utf8.ValidString(text[start:end]) {
				errs.Errorf(diag.NotText, diag.Span{Source: src, Start: start, End: end},
					"the comment is not UTF-8 text")
			}
			tokens = append(tokens, Token{Comment, start, end})
			continue
		case isLetter(c):
			for i < len(text) && (isLetter(text[i]) || isDigit(text[i])) {
				i++
			}
			kind := Ident
			if keywords[text[start:i]] {
				kind = Kind(text[start:i])
			}
			tokens = append(tokens, Token{kind, start, i})
			continue
		case isDigit(c):
			for i < len(text) && isDigit(text[i]) {
				i++
			}
			tokens = append(tokens, Token{Number, start, i})
			continue
		case c == '"':
			i = endOfText(src, i, errs)
			tokens = append(tokens, Token{Text, start, i})
			continue
		case c == '@':
			if end := endOfAnnotation(text, i); end > start+1 {
				i = end
				tokens = append(tokens, Token{Annotation, start, i})
				continue
			}
		}
		if p := punctuationAt(text, i); p != "" {
			i += len(p)
			tokens = append(tokens, Token{Kind(p), start, i})
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		span := diag.Span{Source: src, Start: start, End: i}
		if r == 0 || r == utf8.RuneError {
			errs.Errorf(diag.NotText, span, "this is not a text file: byte 0x%02x at offset %d", c,
				start).Suggest("Save the file as UTF-8.")
			return append(tokens, Token{EOF, start, start})
		}
		d := errs.Errorf(diag.BadCharacter, span, "unexpected character %s", printable(r))
		if hint := symbolHabits[r]; hint != "" {
			d.Suggest("%s", hint)
		}
		tokens = append(tokens, Token{Bad, start, i})
		if len(errs.All) >= maxErrors {
			return append(tokens, Token{EOF, i, i})
		}
	}
	return append(tokens, Token{EOF, len(text), len(text)})
}

// endOfAnnotation is where the word behind an @ ends.
func endOfAnnotation(text string, at int) int {
	for at++; at < len(text) && (isLetter(text[at]) || isDigit(text[at]) || text[at] == '-'); {
		at++
	}
	return at
}

// endOfText is where the string that begins at a place ends. A string is written as it is: there
// are no escapes, so that what is shown is what stands in the file.
func endOfText(src *diag.Source, start int, errs *diag.List) int {
	end := len(src.Text)
	if n := strings.IndexAny(src.Text[start+1:], "\"\n"); n >= 0 {
		end = start + 1 + n
	}
	span := diag.Span{Source: src, Start: start, End: end}
	if end == len(src.Text) || src.Text[end] == '\n' {
		errs.Errorf(diag.BadCharacter, span, "the string has no end in its line").
			Suggest("Close it with \".")
		return end
	}
	span.End++
	bad := func(r rune) bool { return r == '\\' || r == utf8.RuneError || !unicode.IsPrint(r) }
	if i := strings.IndexFunc(src.Text[start:end], bad); i >= 0 {
		r, _ := utf8.DecodeRuneInString(src.Text[start+i:])
		errs.Errorf(diag.BadCharacter, span, "a string does not contain %s", printable(r)).
			Suggest("Write printable characters without \\ and \".")
	}
	return span.End
}

// byteOrderMark may stand at the start of a text, as some editors write it.
const byteOrderMark = "\ufeff"

// binary says which bytes at the beginning of a file are not text in UTF-8, "" if there are none.
func binary(text string) string {
	head := text[:min(len(text), 8000)]
	switch at := strings.IndexByte(head, 0); {
	case strings.HasPrefix(head, "\xff\xfe"), strings.HasPrefix(head, "\xfe\xff"):
		return "it is in UTF-16; save it as UTF-8"
	case strings.HasPrefix(head, "\x7fELF"):
		return "it is a program (ELF)"
	case at >= 0:
		return fmt.Sprintf("it is binary, with byte 0x00 at offset %d", at)
	}
	at := strings.IndexFunc(head, isControl)
	if at >= 0 && strings.ContainsRune(head, utf8.RuneError) {
		return fmt.Sprintf("it is binary, with byte 0x%02x at offset %d", head[at], at)
	}
	return ""
}

// isControl reports whether a character is no part of any text.
func isControl(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\v\f\r", r) }

func printable(r rune) string { return fmt.Sprintf("%q", r) }

func punctuationAt(text string, i int) string {
	for _, p := range punctuation {
		if len(text)-i >= len(p) && text[i:i+len(p)] == p {
			return p
		}
	}
	return ""
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// IsName reports whether a text can be the name of a declaration: it is one token, and no word that
// begins a construct somewhere.
func IsName(text string) bool {
	errs := &diag.List{}
	tokens := scan(diag.NewSource("", text), errs)
	_, word := contextual[text]
	return len(tokens) == 2 && tokens[0].Kind == Ident && tokens[0].End == len(text) &&
		len(errs.All) == 0 && !word
}

// IsCapital reports whether a name stands for every value where it is not declared.
func IsCapital(name string) bool { return 'A' <= name[0] && name[0] <= 'Z' }

// Undeclared is the mend where a formula has a name without arguments that is not declared.
func Undeclared(name string) string {
	capital := strings.ToUpper(name[:1]) + name[1:]
	if !IsCapital(capital) {
		return fmt.Sprintf("Declare it, as in immutable constant %s: SORT.", name)
	}
	return fmt.Sprintf("Write %s if it stands for every value, or forall %s. ...; or declare it, "+
		"as in immutable constant %s: SORT.", capital, name, name)
}

// Contextual reports whether a text is a word where it begins a declaration, and a name elsewhere.
func Contextual(text string) bool {
	_, ok := contextual[text]
	return ok
}
