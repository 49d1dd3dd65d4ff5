package lint

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// derived checks the formula of a derived relation. A formula leaves the relation free in each
// state if it does not mention the relation, or is an equivalence that defines another symbol.
func (l *linter) derived(d *syntax.SymbolDecl) {
	name := d.Name.Text
	warn := func(format string, args ...any) {
		l.warn(diag.DerivedFree, d.Name.Span, format, args...).
			Suggest("Write its definition as %s(...) <-> ...; if it is meant, write # meant: %s "+
				"after it.", name, diag.DerivedFree)
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
		return // it may constrain the relation in another form
	}
	if left, right := head(x.Args[0]),
		head(x.Args[1]); left != "" && left != name && right != name {
		warn("the formula of '%s' looks like a definition of '%s'", name, left)
	}
}

// head is the name that is applied or negated, empty for any other expression.
func head(x *syntax.Expr) string {
	for x.Kind == syntax.ExprNot {
		x = x.Args[0]
	}
	if x.Kind != syntax.ExprName {
		return ""
	}
	return x.Name.Text
}
