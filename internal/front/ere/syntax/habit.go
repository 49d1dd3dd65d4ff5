package syntax

import (
	"fmt"
	"slices"
	"strings"
)

// Habits from other languages, with what to write instead.

// symbolHabits are characters that the language does not use.
var symbolHabits = map[rune]string{
	'¬': "Write !.", '→': "Write ->.", '⇒': "Write ->.", '↔': "Write <->.", '⇔': "Write <->.",
	'∧': "Write &.", '∨': "Write |.",
	'∀': "Write forall X. ...", '∃': "Write exists X. ...", '≠': "Write !=.", '≤': "Write <=.",
	'≥': "Write >=.",
	'□': "Write always.", '◇': "Write eventually.", '−': "Write -.", '×': "Write *.",
	'≔': "Write :=.",
	'/': "Write x div 2 to divide, & for /\\ and | for \\/; comments begin with #.",
	'%': "Write x mod 2 for the remainder.",
	'\\': "Write & for /\\ and | for \\/, forall X. ... for \\A and exists X. ... for \\E; in, " +
		"subset, union, intersect and minus are about sets.",
}

// declarationHabits are words that begin declarations elsewhere.
var declarationHabits = map[string]string{
	"div": divisorHint, "mod": divisorHint,
	"variable": "Write mutable constant x: SORT; a variable with arguments is a mutable function.",
	"var":      "Write mutable constant x: SORT; a variable with arguments is a mutable function.",
	"const":    "Write immutable constant N: SORT.",
	"constant": "Write immutable constant N: SORT for a parameter, mutable constant x: SORT for " +
		"a variable.",
	"relation": "Write mutable relation, or immutable relation if it never changes.",
	"function": "Write mutable function, or immutable function if it never changes.",
	"weak":     "Fairness is weak unless it is said to be strong: write fair action.",
	"assume":   "Outside of actions write axiom for what is assumed of the parameters.",
	"assert":   "Write safety [name] ... for what is to hold in every state.",
	"property": "Write safety for what holds in every state, temporal for what is said of a run.",
	".": "Nothing has methods: write size(s), e in s, append(s, e), s with e. A field is written " +
		"x.field.",
	";": "Declarations end without a semicolon: delete it.",
	"=": "A first value is stated by init x = ..., the values of a sort by enum s { a, b }.",
	":": "The arguments of a relation stand in parentheses: mutable relation r(SORT); a function " +
		"has a result: mutable function f(SORT): SORT.",
	"one": "Exactly one element is p: write (exists X. p(X)) & (forall X, Y. p(X) & p(Y) -> " +
		"X = Y).",
	"process": "Write sort process, and give actions a parameter p: process.",
}

// statementHabits are words that begin statements elsewhere.
var statementHabits = map[string]string{
	"requires": "Write require.", "ensure": "Write assume ...; after the assignments.",
	"ensures": "Write assume ...; after the assignments.",
	"assert":  "Write safety [name] ... outside of the action for what is to hold.",
	"when":    "Write require.", "await": "Write require.", "guard": "Write require.",
	"skip":  "An empty block does nothing.",
	"while": "A step has no loops: f(X) := ... changes every point at once.",
	"for":   "A step has no loops: f(X) := ... changes every point at once.",
	"elif":  "Write else if.", "elseif": "Write else if.",
	"local": "Write let x = e;", "var": "Write let x = e;",
}

const divisorHint = "The divisor is a positive number: x div 2, x mod 2. By a constant n, say " +
	"of q and r that x = q * n + r & 0 <= r & r < n."

// propertyWords begin declarations that may have a name in brackets.
var propertyWords = []string{"safety", "invariant", "liveness", "temporal", "theorem", "axiom",
	"init"}

// operand is the text of the name before the current token, with its arguments.
func (p *cursor) operand() string {
	depth := 0
	for i, t := range slices.Backward(p.tokens[:p.pos]) {
		switch p.text(t) {
		case ")":
			depth++
		case "(":
			depth--
		default:
			if depth == 0 {
				return p.src.Text[p.tokens[i].Start:p.tokens[p.pos-1].End]
			}
		}
	}
	return ""
}

// A construct is what could begin at a token that begins none of its forms.
type construct int

const (
	other construct = iota
	statement
	expression
	symbolWord // relation, constant or function
	actionWord // action or transition
	frame      // modifies
	parameter  // of a model of time
	program    // of a process
	parameters // of an action or a definition, where there may be none
)

// dataHabit is habit for what other languages write for structured data.
func (p *cursor) dataHabit(before, text, after string) string {
	gap := ""
	if p.pos > 0 {
		gap = p.src.Text[p.tokens[p.pos-1].End:p.tok().Start]
	}
	switch _, comment, found := strings.Cut(gap, "#"); {
	case before == "|" && slices.Contains([]string{">", ">=", "<", "<=", "=", "!=", "*"}, text):
		return "The size of a set or a sequence is size(s). A relation has none: declare a set, " +
			"as in mutable constant s: set[SORT]."
	case found && comment != "" && comment[0] != ' ':
		return "# begins a comment; the size of a set or a sequence is size(s)."
	case text == "<" && after == "<":
		return "A sequence is written [a, b], and a tuple (a, b)."
	case before == "(" && text == ")":
		return "An empty sequence is written []."
	}
	return ""
}

// habit says what to write instead of the current token, if the token before it shows what was
// meant; otherwise it is "". Either one token is missing, or a construct.
func (p *cursor) habit(missing Kind, of construct) string {
	t := p.tok()
	text := p.text(t)
	before, touches := "", false
	if p.pos > 0 {
		last := p.tokens[p.pos-1]
		before, touches = p.text(last), last.End == t.Start
	}
	after := ""
	if n := p.peek(1); n.Kind != EOF && n.Start == t.End {
		after = p.text(n)
	}
	target := missing == ":="
	switch {
	case before == "=" && text == "=" && touches:
		return "Equality is written =."
	case before == "=" && text == ">" && touches:
		return "Implication is written ->; at least is >=."
	case before == "<=" && text == ">" && touches:
		return "Equivalence is written <->."
	case target && statementHabits[before] != "":
		return statementHabits[before]
	case target && text == "=":
		return "An assignment is written :=."
	case target && after == "=":
		return fmt.Sprintf("Write %s := %s %s ...", p.operand(), p.operand(), text)
	case target && (text == "+" && after == "+" || text == "-" && after == "-"):
		return fmt.Sprintf("Write %s := %s %s 1.", p.operand(), p.operand(), text)
	case target && text == ",":
		return "Each assignment is a statement of its own: x := e; y := f;"
	case target && text == ".":
		return "Nothing has methods: a relation or function is changed by r(x) := e;"
	case missing == "[" && t.Kind == Ident:
		return fmt.Sprintf("A name stands in brackets: [%s].", text)
	case missing == "}" && text == ";":
		return "Commas separate what stands in braces: { s = 2, N = 3 }."
	case missing == ".":
		return "A variable may have a sort, and a dot follows: forall x: s. ..., exists x: s. ..."
	case of == symbolWord && t.Kind == Ident:
		return fmt.Sprintf("Write %s constant %s: SORT, or %s relation %s.", before, text, before,
			text)
	case of == actionWord && t.Kind == Ident:
		return fmt.Sprintf("Write %s action %s.", before, text)
	case of == parameters && slices.Contains([]string{"{", "=", ":", ";"}, text):
		return fmt.Sprintf("Write %s(): without parameters the parentheses are empty.", before)
	case text == "{" && of == expression:
		return "A set is a relation: r(X) := X = a | X = b makes it true of a and b."
	case missing == "{" && slices.Contains([]string{"@fair", "@weak", "@strong", "weak"}, text),
		missing == "if" && text == "{":
		return "Fairness stands before the word: fair action a(x) { ... } or strong fair action " +
			"a(x) { ... }."
	case text == "then" && missing == "{":
		return "As a statement it is if c { ... } else { ... }."
	case of == expression && p.dataHabit(before, text, after) != "":
		return p.dataHabit(before, text, after)
	case of == parameter:
		return fmt.Sprintf("Declare one, immutable constant N: int, and give it in each "+
			"instance: N = %s.", text)
	case of == program && text == "definition":
		return "A definition stands beside the protocol. What it needs of a process is given " +
			"to it: definition most(s: set[process]) = size(s) * 2 > size(process)."
	case of == frame:
		return "Name the symbols that it changes, as in modifies r & (new(r(x)) <-> ...)."
	case text == "div" || text == "mod":
		return divisorHint
	case missing == ";":
		return "Write ; after the statement."
	case of == statement && (t.Kind == EOF || p.startsDeclaration()):
		return "Close the block with }."
	case of == statement:
		return statementHabits[text]
	}
	return ""
}
