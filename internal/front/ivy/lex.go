package ivy

import "erelong.dev/erelong/internal/front/parse"

// Kinds of tokens. Numerals and strings are words, too: Ivy has one class for them.
const (
	vari   parse.Kind = "a variable"
	native parse.Kind = "code in another language" // <<< ... >>>
)

var lexicon = parse.Lexicon{
	Blanks: " \t\r\n", Comment: "#", Quoted: parse.Word,
	Enclosed: []parse.Enclosure{{Open: "<<<", Close: ">>>", Kind: native}},
	Symbols: []string{
		"...", "<->", "->", ":=", "..", "~=", ">=", "<=", "*>",
		"(", ")", "[", "]", "{", "}", ".", ":", ";", ",", "~", "|", "=", ">", "<", "+", "-", "*",
		"/", "&", "$", "^",
	},
	Word: func(text string) (parse.Kind, int) {
		k := parse.Word
		if c := text[0]; 'A' <= c && c <= 'Z' {
			k = vari
		}
		return k, parse.Length(text, func(c byte) bool {
			return parse.Letter(c) || parse.Digit(c)
		})
	},
}
