package syntax

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"erelong.dev/erelong/internal/front/parse"
)

// The kinds of tokens besides names, reserved words and symbols, whose kind is what they say. A
// symbol of Unicode has the kind of its synonym in ASCII.
const (
	number parse.Kind = "a number"
	quote  parse.Kind = "a string"
	step   parse.Kind = "a step of a proof" // <1>2.
)

// reserved are the words that are no names. WF_ and SF_ begin a word.
var reserved = set("ACTION", "ACTIONS", "ASSUME", "ASSUMPTION", "AXIOM", "BY", "CASE", "CHOOSE",
	"CONSTANT", "CONSTANTS", "COROLLARY", "DEF", "DEFINE", "DEFS", "DOMAIN", "ELSE", "ENABLED",
	"EXCEPT", "EXTENDS", "HAVE", "HIDE", "IF", "IN", "INSTANCE", "LAMBDA", "LEMMA", "LET", "LOCAL",
	"MODULE", "NEW", "OBVIOUS", "OMITTED", "ONLY", "OTHER", "PICK", "PROOF", "PROPOSITION", "PROVE",
	"QED", "RECURSIVE", "STATE", "SUBSET", "SUFFICES", "TAKE", "TEMPORAL", "TEMPORALS", "THEN",
	"THEOREM", "UNCHANGED", "UNION", "USE", "VARIABLE", "VARIABLES", "WITH", "WITNESS")

// signs are the symbols that are no operators.
var signs = []string{"==", "\\E", "\\exists", "\\A", "\\forall", "\\EE", "\\AA", ",", ":", "::",
	".", "_", "(", ")", "[", "]", "]_", "{", "}", "<<", ">>", ">>_", "!", "->", "<-", "|->", "@",
	"[]ASSUME", "[]PROVE"}

// unicode are the symbols beyond ASCII with what they stand for.
var unicode = map[string]string{
	"≜": "==", "∃": "\\E", "∀": "\\A", "∷": "::", "⟨": "<<", "⟩": ">>", "⟩_": ">>_", "→": "->",
	"←": "<-", "↦": "|->", "¬": "~", "□": "[]", "◇": "<>", "∧": "/\\", "∨": "\\/", "≡": "\\equiv",
	"⇔": "<=>", "≠": "/=", "≤": "<=", "≥": ">=", "×": "\\X", "∩": "\\cap", "∪": "\\cup",
	"∘": "\\o", "⊕": "\\oplus", "⊖": "\\ominus", "⊙": "\\odot", "⊘": "\\oslash", "⊗": "\\otimes",
	"≈": "\\approx", "≔": ":=", "≍": "\\asymp", "◯": "\\bigcirc", "⩴": "::=", "●": "\\bullet",
	"⋅": "\\cdot", "≅": "\\cong", "÷": "\\div", "≐": "\\doteq", "‥": "..", "…": "...", "‼": "!!",
	"≫": "\\gg", "⇒": "=>", "∈": "\\in", "⫤": "=|", "↝": "~>", "≪": "\\ll", "⊣": "-|",
	"∉": "\\notin", "⇸": "-+->", "≺": "\\prec", "⪯": "\\preceq", "∝": "\\propto", "⁇": "??",
	"⊨": "|=", "⊢": "|-", "∼": "\\sim", "≃": "\\simeq", "⊓": "\\sqcap", "⊔": "\\sqcup",
	"⊏": "\\sqsubset", "⊑": "\\sqsubseteq", "⊐": "\\sqsupset", "⊒": "\\sqsupseteq", "⋆": "\\star",
	"⊂": "\\subset", "⊆": "\\subseteq", "≻": "\\succ", "⪰": "\\succeq", "⊃": "\\supset",
	"⊇": "\\supseteq", "⊎": "\\uplus", "‖": "||", "≀": "\\wr", "⁺": "^+",
}

// numberSets are the names beyond ASCII.
var numberSets = map[rune]string{'ℕ': "Nat", 'ℤ': "Int", 'ℝ': "Real"}

// symbol is a symbol of a text with its kind.
type symbol struct {
	text string
	kind parse.Kind
}

// symbols are all symbols by their first byte, longest first.
var symbols = func() (out [256][]symbol) {
	add := func(text, kind string) {
		out[text[0]] = append(out[text[0]], symbol{text, parse.Kind(kind)})
	}
	for _, s := range signs {
		kind := s
		switch s {
		case "\\exists":
			kind = "\\E"
		case "\\forall":
			kind = "\\A"
		}
		add(s, kind)
	}
	for s := range operators {
		if !reserved[string(s)] {
			add(string(s), string(s))
		}
	}
	for s, kind := range unicode {
		add(s, kind)
	}
	for i := range out {
		slices.SortFunc(out[i], func(a, b symbol) int {
			return cmp.Or(cmp.Compare(len(b.text), len(a.text)), cmp.Compare(a.text, b.text))
		})
	}
	return out
}()

func set(words ...string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}

// symbolAt is the longest symbol with which a text begins.
func symbolAt(text string) (symbol, bool) {
	for _, s := range symbols[text[0]] {
		if len(s.text) <= len(text) && text[:len(s.text)] == s.text {
			return s, true
		}
	}
	return symbol{}, false
}

// numberSet is the name of a set of numbers with which a text begins, and its length.
func numberSet(text string) (string, int) {
	r, n := utf8.DecodeRuneInString(text)
	return numberSets[r], n
}
