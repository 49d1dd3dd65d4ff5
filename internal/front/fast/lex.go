package fast

import (
	"strings"

	"erelong.dev/erelong/internal/front/parse"
)

// Kinds of tokens.
const (
	number parse.Kind = "a number"
	quoted parse.Kind = "a text"
)

// The words post* and pre* have a star, so they are symbols.
var lexicon = parse.Lexicon{
	Blanks: " \t\r\n\f", Comment: "//", Enclosed: []parse.Enclosure{{Open: "/*", Close: "*/"}},
	Quoted: quoted,
	Symbols: []string{
		"post*", "pre*", ":=", "&&", "||", "<=", ">=", "!=", "==",
		"{", "}", "(", ")", ";", ",", "=", "<", ">", "!", "+", "-", "*", "'", "?",
	},
	Word: func(text string) (parse.Kind, int) {
		if n := parse.Length(text, parse.Digit); n > 0 {
			return number, n
		}
		return parse.Word, parse.Length(text, func(c byte) bool {
			return parse.Letter(c) || parse.Digit(c) || strings.IndexByte(".#@", c) >= 0
		})
	},
}
