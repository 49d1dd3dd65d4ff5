package syntax

import "erelong.dev/erelong/internal/front/parse"

// fix says where the operands of an operator stand.
type fix int

const (
	prefix fix = iota
	infix
	postfix
)

// operator is one of the operators that are written as symbols, with its range of precedences.
// Of two operators beside an operand, the one whose range lies above takes it. Where the ranges
// meet, an associative operator beside itself takes the left operand first, and all else needs
// parentheses.
type operator struct {
	name        string
	low, high   int
	fix         fix
	associative bool
}

// above reports whether an operator takes an operand before another can.
func (o *operator) above(other *operator) bool { return o.low > other.high }

// operators are all operators by the ways in which they are written; the first way of a row is the
// name. The precedences are of Lamport's "Specifying Systems" (2002), table 6, times ten, with the
// changes of SANY: the range of \cdot, and `-.` with one precedence.
var operators = func() map[parse.Kind]*operator {
	out := map[parse.Kind]*operator{}
	for _, row := range []struct {
		fix         fix
		low, high   int
		associative bool
		words       [][]string
	}{
		{prefix, 40, 40, false, [][]string{{"\\lnot", "~", "\\neg"}}},
		{prefix, 40, 150, false, alone("[]", "<>", "ENABLED", "UNCHANGED")},
		{prefix, 100, 130, false, alone("SUBSET", "UNION", "DOMAIN")},
		{prefix, 120, 120, false, alone("-.")},
		{postfix, 150, 150, false, alone("'", "^+", "^*", "^#")},
		{infix, 10, 10, false, alone("=>")},
		{infix, 20, 20, false, [][]string{{"~>"}, {"\\equiv", "<=>"}, {"-+->"}}},
		{infix, 30, 30, true, [][]string{{"/\\", "\\land"}, {"\\/", "\\lor"}}},
		{infix, 50, 50, false, [][]string{{"/=", "#"}, {"<=", "=<", "\\leq"}, {">=", "\\geq"}}},
		{infix, 50, 50, false, alone("=", "<", ">", "\\in", "\\notin", "\\subseteq", "|-", "|=",
			"-|", "=|", ":=", "::=", "\\prec", "\\succ", "\\preceq", "\\succeq", "\\sim", "\\simeq",
			"\\ll", "\\gg", "\\asymp", "\\subset", "\\supset", "\\supseteq", "\\approx", "\\cong",
			"\\sqsubset", "\\sqsubseteq", "\\sqsupset", "\\sqsupseteq", "\\doteq", "\\propto")},
		{infix, 50, 140, true, alone("\\cdot")},
		{infix, 60, 60, true, alone("@@")},
		{infix, 70, 70, false, alone("<:", ":>")},
		{infix, 80, 80, false, alone("\\")},
		{infix, 80, 80, true, [][]string{{"\\union", "\\cup"}, {"\\intersect", "\\cap"}}},
		{infix, 90, 90, false, alone("..", "...")},
		{infix, 90, 130, false, alone("!!")},
		{infix, 90, 130, true, alone("$", "$$", "??", "##", "\\uplus", "\\sqcap", "\\sqcup")},
		{infix, 90, 140, false, alone("\\wr")},
		{infix, 100, 100, true, [][]string{{"+"}, {"++"}, {"\\oplus", "(+)"}}},
		{infix, 100, 110, false, alone("%")},
		{infix, 100, 110, true, alone("|", "||", "%%")},
		{infix, 100, 130, true, [][]string{{"\\X", "\\times"}}},
		{infix, 110, 110, true, [][]string{{"-"}, {"--"}, {"\\ominus", "(-)"}}},
		{infix, 130, 130, false, [][]string{{"/"}, {"//"}, {"\\div"}, {"\\oslash", "(/)"}}},
		{infix, 130, 130, true, [][]string{{"*"}, {"**"}, {"&"}, {"&&"}, {"\\odot", "(.)"},
			{"\\otimes", "(\\X)"}, {"\\star"}, {"\\o", "\\circ"}, {"\\bigcirc"}, {"\\bullet"}}},
		{infix, 140, 140, false, alone("^", "^^")},
	} {
		for _, words := range row.words {
			o := &operator{words[0], row.low, row.high, row.fix, row.associative}
			for _, w := range words {
				out[parse.Kind(w)] = o
			}
		}
	}
	return out
}()

// The operators that parsers treat apart.
var (
	minus    = operators["-"]
	negative = operators["-."]
	times    = operators["\\X"]
)

// alone are operators without synonyms.
func alone(words ...string) [][]string {
	out := make([][]string, len(words))
	for i, w := range words {
		out[i] = []string{w}
	}
	return out
}
