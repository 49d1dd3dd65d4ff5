package lint

import (
	"erelong/internal/diag"
	"erelong/internal/lang/syntax"
)

// derived looks at the formula of a derived relation: what does not mention the relation, or is an equivalence that defines
// another symbol, leaves it free, so that it may have any value in each state.
func (l *linter) derived(d *syntax.SymbolDecl) {
	name := d.Name.Text
	warn := func(format string, args ...any) {
		l.warn(diag.DerivedFree, d.Name.Span, format, args...).
			Suggest("Write its definition as %s(...) <-> ...; if it is meant, write # meant: %s after it.", name, diag.DerivedFree)
	}
	if l.uses(d.Derived.Span)[name] == 0 {
		warn("the formula of '%s' does not mention it, so it may have any value", name)
		return
	}
	x := d.Derived
	for x.Kind == syntax.ExprForall {
		x = x.Args[0]
	}
	if x.Kind != syntax.ExprIff {
		return // it may say enough in another way
	}
	if left, right := head(x.Args[0]), head(x.Args[1]); left != "" && left != name && right != name {
		warn("the formula of '%s' looks like a definition of '%s'", name, left)
	}
}

// head is the name that is applied, or denied, empty where there is something else.
func head(x *syntax.Expr) string {
	for x.Kind == syntax.ExprNot {
		x = x.Args[0]
	}
	if x.Kind != syntax.ExprName {
		return ""
	}
	return x.Name.Text
}
