package system

import (
	"unicode"
	"unicode/utf8"

	"erelong.dev/erelong/internal/logic"
)

// ite is if-then-else, written with connectives if a branch is a truth literal.
func ite(c, a, b *logic.Term) *logic.Term {
	switch {
	case a.IsTrue() && b.IsFalse():
		return c
	case a.IsFalse() && b.IsTrue():
		return logic.Not(c)
	case a.IsTrue():
		return logic.Or(c, b)
	case a.IsFalse():
		return logic.And(logic.Not(c), b)
	case b.IsTrue():
		return logic.Implies(c, a)
	case b.IsFalse():
		return logic.And(c, a)
	}
	return logic.Ite(c, a, b)
}

// arguments makes a variable for each argument of a symbol.
func arguments(sym *logic.Symbol) []*logic.Var {
	vars := make([]*logic.Var, len(sym.Args))
	for i, s := range sym.Args {
		vars[i] = &logic.Var{Name: argumentName(s), Sort: s}
	}
	return vars
}

// argumentName is the initial of a sort as a capital letter. The printer distinguishes variables of
// one name.
func argumentName(s *logic.Sort) string {
	if r, _ := utf8.DecodeRuneInString(s.Name); s.Kind != logic.KindRange && unicode.IsLetter(r) {
		return string(unicode.ToUpper(r))
	}
	return "I"
}

// resultInRange is true when all values of app, a function with the signature of sym, lie in sym's
// declared range.
func resultInRange(sym, app *logic.Symbol, step int) *logic.Term {
	if sym.Result.Kind != logic.KindRange {
		return logic.True
	}
	vars := arguments(sym)
	return logic.Forall(vars, logic.InSort(sym.Result, logic.App(app, step, logic.Refs(vars)...)))
}

// Choices lists the variables that code chooses, in the order of the text.
func Choices(code []Stmt) (out []*logic.Var) {
	for _, s := range code {
		switch s := s.(type) {
		case Choose:
			out = append(out, s.Var)
		case If:
			out = append(out, Choices(s.Then)...)
			out = append(out, Choices(s.Else)...)
		}
	}
	return out
}
