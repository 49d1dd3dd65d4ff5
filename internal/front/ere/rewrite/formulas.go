package rewrite

import (
	"slices"
	"strings"

	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
)

// formula makes a rewrite of expressions.
func formula(name string, c func(*source, *syntax.Expr, func(*syntax.Expr) string) (string, bool),
) Rewrite {
	return Rewrite{Name: name, Keeps: States, apply: func(s *source) error {
		s.formulas(func(x *syntax.Expr, show func(*syntax.Expr) string) (string, bool) {
			return c(s, x, show)
		})
		return nil
	}}
}

// opposite are the quantifiers by negation.
var opposite = map[syntax.ExprKind]string{syntax.ExprForall: "exists", syntax.ExprExists: "forall"}

// quantifiers says forall X. p as !(exists X. !p), and the other way round.
var quantifiers = formula("quantifiers", func(
	s *source, x *syntax.Expr, show func(*syntax.Expr) string,
) (string, bool) {
	word, ok := opposite[x.Kind]
	if !ok {
		return "", false
	}
	return "!(" + word + " " + s.binders(x.Binders) + ". !(" + show(x.Args[0]) + "))", true
})

// binders is the text of variables with their sorts.
func (s *source) binders(bs []*syntax.Binder) string {
	out := make([]string, len(bs))
	for i, b := range bs {
		out[i] = b.Name.Text
		if b.Sort != nil {
			out[i] += ": " + s.at(b.Sort.Span)
		} else if v := s.variables[b.Name.Span.Start]; v != nil {
			out[i] += ": " + logic.SortText(v.Sort)
		}
	}
	return strings.Join(out, ", ")
}

// spread says forall X. p & q as (forall X. p) & (forall X. q), and the same of exists and |.
var spread = formula("spread", func(
	s *source, x *syntax.Expr, show func(*syntax.Expr) string,
) (string, bool) {
	inner := map[syntax.ExprKind]syntax.ExprKind{syntax.ExprForall: syntax.ExprAnd,
		syntax.ExprExists: syntax.ExprOr}
	word := map[syntax.ExprKind]string{syntax.ExprForall: "forall", syntax.ExprExists: "exists"}
	if kind, ok := inner[x.Kind]; !ok || x.Args[0].Kind != kind || !s.total(x) {
		return "", false
	}
	return join(x.Args[0].Args, sign[x.Args[0].Kind], func(a *syntax.Expr) string {
		return "(" + word[x.Kind] + " " + s.binders(x.Binders) + ". " + show(a) + ")"
	}), true
})

var sign = map[syntax.ExprKind]string{syntax.ExprAnd: " & ", syntax.ExprOr: " | "}

func join(args []*syntax.Expr, sign string, show func(*syntax.Expr) string) string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = show(a)
	}
	return strings.Join(out, sign)
}

// operands joins the texts of operands. A quantifier, which extends to the right, ends with its
// parenthesis.
func operands(args []*syntax.Expr, sign string, show func(*syntax.Expr) string) string {
	return join(args, sign, func(a *syntax.Expr) string { return "(" + show(a) + ")" })
}

// not is the negation of a text.
func not(text string) string { return "!(" + text + ")" }

// deMorgan says a & b as !(!a | !b), and a | b as !(!a & !b).
var deMorgan = formula("de morgan", func(
	s *source, x *syntax.Expr, show func(*syntax.Expr) string,
) (string, bool) {
	if sign[x.Kind] == "" {
		return "", false
	}
	other := map[syntax.ExprKind]string{syntax.ExprAnd: " | ", syntax.ExprOr: " & "}
	return not(join(x.Args, other[x.Kind], func(a *syntax.Expr) string {
		return not(show(a))
	})), true
})

// implications says a -> b as !a | b.
var implications = formula("implications", func(
	_ *source, x *syntax.Expr, show func(*syntax.Expr) string,
) (string, bool) {
	if x.Kind != syntax.ExprImplies {
		return "", false
	}
	return not(show(x.Args[0])) + " | (" + show(x.Args[1]) + ")", true
})

// disjunctions says a | b | c as !a -> b | c.
var disjunctions = formula("disjunctions", func(
	_ *source, x *syntax.Expr, show func(*syntax.Expr) string,
) (string, bool) {
	if x.Kind != syntax.ExprOr {
		return "", false
	}
	return not(show(x.Args[0])) + " -> (" + operands(x.Args[1:], " | ", show) + ")", true
})

// contraposition says a -> b as !b -> !a.
var contraposition = formula("contraposition", func(
	s *source, x *syntax.Expr, show func(*syntax.Expr) string,
) (string, bool) {
	if x.Kind != syntax.ExprImplies || !s.total(x) {
		return "", false
	}
	return not(show(x.Args[1])) + " -> " + not(show(x.Args[0])), true
})

// currying says a & b -> c as a -> b -> c, and a -> b -> c as a & b -> c.
var currying = formula("currying", func(
	_ *source, x *syntax.Expr, show func(*syntax.Expr) string,
) (string, bool) {
	if x.Kind != syntax.ExprImplies {
		return "", false
	}
	a, b := x.Args[0], x.Args[1]
	switch {
	case a.Kind == syntax.ExprAnd:
		return operands(a.Args, " -> ", show) + " -> (" + show(b) + ")", true
	case b.Kind == syntax.ExprImplies:
		return "(" + show(a) + ") & (" + show(b.Args[0]) + ") -> (" + show(b.Args[1]) + ")", true
	}
	return "", false
})

// equations says a = b of integers as a <= b & a >= b, and a != b as a < b | a > b.
var equations = formula("equations", func(
	s *source, x *syntax.Expr, show func(*syntax.Expr) string,
) (string, bool) {
	if x.Kind != syntax.ExprEq && x.Kind != syntax.ExprNe ||
		!s.integer(x.Args[0]) && !s.integer(x.Args[1]) {
		return "", false
	}
	a, b := "("+show(x.Args[0])+")", "("+show(x.Args[1])+")"
	if x.Kind == syntax.ExprEq {
		return a + " <= " + b + " & " + a + " >= " + b, true
	}
	return a + " < " + b + " | " + a + " > " + b, true
})

// comparisons turns comparisons of integers round: a < b is b > a, and a <= b is !(a > b).
var comparisons = formula("comparisons", func(
	s *source, x *syntax.Expr, show func(*syntax.Expr) string,
) (string, bool) {
	turned := map[syntax.ExprKind]string{syntax.ExprLt: " > ", syntax.ExprGt: " < ",
		syntax.ExprLe: " > ", syntax.ExprGe: " < "}
	word, ok := turned[x.Kind]
	if !ok {
		return "", false
	}
	a, b := "("+show(x.Args[0])+")", "("+show(x.Args[1])+")"
	if x.Kind == syntax.ExprLe || x.Kind == syntax.ExprGe {
		return not(a + word + b), true
	}
	return b + word + a, true
})

// successors says a < b as a + 1 <= b, and a <= b as a < b + 1.
var successors = formula("successors", func(
	_ *source, x *syntax.Expr, show func(*syntax.Expr) string,
) (string, bool) {
	switch x.Kind {
	case syntax.ExprLt:
		return "(" + show(x.Args[0]) + ") + 1 <= (" + show(x.Args[1]) + ")", true
	case syntax.ExprLe:
		return "(" + show(x.Args[0]) + ") < (" + show(x.Args[1]) + ") + 1", true
	}
	return "", false
})

// turned says a = b as b = a, and the same of !=, <-> and sums.
var turned = formula("turned", func(
	s *source, x *syntax.Expr, show func(*syntax.Expr) string,
) (string, bool) {
	signs := map[syntax.ExprKind]string{syntax.ExprEq: " = ", syntax.ExprNe: " != ",
		syntax.ExprIff: " <-> ", syntax.ExprAdd: " + "}
	if signs[x.Kind] == "" || !s.total(x) {
		return "", false
	}
	return "(" + show(x.Args[1]) + ")" + signs[x.Kind] + "(" + show(x.Args[0]) + ")", true
})

// equivalences says a <-> b as (a -> b) & (b -> a), or as (a & b) | (!a & !b).
var equivalences = formula("equivalences", func(
	s *source, x *syntax.Expr, show func(*syntax.Expr) string,
) (string, bool) {
	equal := x.Kind == syntax.ExprIff ||
		x.Kind == syntax.ExprEq && (s.boolean(x.Args[0]) || s.boolean(x.Args[1]))
	if !equal {
		return "", false
	}
	a, b := "("+show(x.Args[0])+")", "("+show(x.Args[1])+")"
	if s.rng.Intn(2) == 0 {
		return "(" + a + " -> " + b + ") & (" + b + " -> " + a + ")", true
	}
	return a + " & " + b + " | !" + a + " & !" + b, true
})

// branches says if c then a else b of formulas as (c -> a) & (!c -> b), and of other values as
// if !c then b else a.
var branches = formula("branches", func(
	s *source, x *syntax.Expr, show func(*syntax.Expr) string,
) (string, bool) {
	if x.Kind != syntax.ExprIf {
		return "", false
	}
	c, a, b := "("+show(x.Args[0])+")", "("+show(x.Args[1])+")", "("+show(x.Args[2])+")"
	if s.boolean(x.Args[1]) || s.boolean(x.Args[2]) {
		return "(" + c + " -> " + a + ") & (!" + c + " -> " + b + ")", true
	}
	return "if !" + c + " then " + b + " else " + a, true
})

// nested says a & b & c as a & (b & c).
var nested = formula("nested", func(
	_ *source, x *syntax.Expr, show func(*syntax.Expr) string,
) (string, bool) {
	if sign[x.Kind] == "" || len(x.Args) < 3 {
		return "", false
	}
	return "(" + show(x.Args[0]) + ")" + sign[x.Kind] + "(" +
		operands(x.Args[1:], sign[x.Kind], show) + ")", true
})

// reordered says a & b & c in another order.
var reordered = formula("reordered", func(
	s *source, x *syntax.Expr, show func(*syntax.Expr) string,
) (string, bool) {
	if sign[x.Kind] == "" || !s.total(x) {
		return "", false
	}
	args := slices.Clone(x.Args)
	slices.Reverse(args)
	if !s.all {
		s.rng.Shuffle(len(args), func(i, j int) { args[i], args[j] = args[j], args[i] })
	}
	return operands(args, sign[x.Kind], show), true
})

// idle adds what is trivially true or false: p is p & true, or !!p.
var idle = formula("idle", func(
	s *source, x *syntax.Expr, _ func(*syntax.Expr) string,
) (string, bool) {
	if x.Kind == syntax.ExprTrue || x.Kind == syntax.ExprFalse || !s.boolean(x) ||
		s.rng.Intn(3) > 0 {
		return "", false
	}
	text := "(" + s.at(x.Span) + ")"
	return []string{text + " & true", text + " | false", "!!" + text, "true -> " + text,
		"(" + text + " | " + text + ")"}[s.rng.Intn(5)], true
})

// explicitly writes out the quantifiers of capital letters that stand for every value.
var explicitly = Rewrite{Name: "explicit", Keeps: States, apply: func(s *source) error {
	for _, p := range s.places {
		d, _ := p.decl.(*syntax.FormulaDecl)
		_, derived := p.decl.(*syntax.SymbolDecl)
		runs := d != nil && d.Word == "liveness" || temporal(p.x)
		if !p.closed || derived || runs || len(s.implied(p.x)) == 0 || !s.some() {
			continue
		}
		s.replace(p.x.Span, s.each(p.x))
	}
	return nil
}}
