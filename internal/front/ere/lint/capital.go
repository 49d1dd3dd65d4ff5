package lint

import (
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// declaration checks the formulas of a declaration.
func (l *linter) declaration(d syntax.Decl) {
	switch d := d.(type) {
	case *syntax.FormulaDecl:
		l.formula(d.Expr)
	case *syntax.SymbolDecl:
		if d.Derived != nil {
			l.formula(d.Derived)
			l.derived(d)
		}
	case *syntax.DefinitionDecl:
		l.scope(d.Params, func() {
			l.fairIf(d.FairIf)
			l.formula(d.Expr)
		})
	case *syntax.ActionDecl:
		l.scope(d.Params, func() {
			l.fairIf(d.FairIf)
			l.block(d.Body)
		})
	case *syntax.TraceDecl:
		for _, p := range d.Components {
			if p.Assert != nil {
				l.formula(p.Assert)
			}
		}
	}
}

func (l *linter) fairIf(x *syntax.Expr) {
	if x != nil {
		l.condition(x)
	}
}

func (l *linter) scope(binders []*syntax.Binder, f func()) {
	depth := len(l.bound)
	for _, b := range binders {
		l.bound = append(l.bound, b.Name.Text)
	}
	f()
	l.bound = l.bound[:depth]
}

func (l *linter) block(stmts []syntax.Stmt) {
	depth := len(l.bound)
	defer func() { l.bound = l.bound[:depth] }()
	for _, s := range stmts {
		switch s := s.(type) {
		case *syntax.RequireStmt:
			l.condition(s.Cond)
			if a := ambiguous(s.Cond); a != nil {
				l.readAs(s.Cond, a)
			}
		case *syntax.IfStmt:
			l.condition(s.Cond)
			l.block(s.Then)
			l.block(s.Else)
		case *syntax.LetStmt:
			l.negations(s.Value)
			l.bound = append(l.bound, s.Binder.Name.Text)
		case *syntax.ChooseStmt:
			inner := len(l.bound)
			l.bound = append(l.bound, s.Binder.Name.Text)
			if s.Such != nil {
				l.condition(s.Such)
			}
			if s.Block {
				l.block(s.Body)
				l.bound = l.bound[:inner]
			}
		case *syntax.MatchStmt:
			for _, a := range s.Arms {
				l.scope(a.Variables, func() { l.block(a.Body) })
			}
		case *syntax.AssignStmt:
			if s.Value != nil {
				l.negations(s.Value)
			}
		}
	}
}

// capital is an undeclared name, which stands for every value.
type capital struct {
	name  string
	span  diag.Span // the first occurrence
	times int
	near  string // a name in scope with nearly the same spelling, "" if there is none
}

// capitals finds the names in a formula that stand for every value, in the order of their
// occurrence.
func (l *linter) capitals(x *syntax.Expr) (out []*capital) {
	var visit func(x *syntax.Expr)
	visit = func(x *syntax.Expr) {
		n := x.Name.Text
		if x.Kind == syntax.ExprName && !x.Applied && x.Primes == 0 && syntax.IsCapital(n) &&
			!l.names[n] && !slices.Contains(l.bound, n) {
			i := slices.IndexFunc(out, func(c *capital) bool { return c.name == n })
			if i < 0 {
				i = len(out)
				out = append(out, &capital{name: n, span: x.Span})
			}
			out[i].times++
			if out[i].near == "" {
				out[i].near = l.near(n)
			}
		}
		for _, b := range x.Binders {
			if b.In != nil {
				visit(b.In)
			}
		}
		for _, a := range x.Arms {
			l.scope(a.Variables, func() { visit(a.Value) })
		}
		switch x.Kind {
		case syntax.ExprForall, syntax.ExprExists:
			l.scope(x.Binders, func() { visit(x.Args[0]) })
		case syntax.ExprEach, syntax.ExprMapEach, syntax.ExprMany:
			l.scope(x.Binders, func() {
				for _, a := range x.Args {
					visit(a)
				}
			})
		case syntax.ExprLet:
			visit(x.Args[0])
			l.scope(x.Binders, func() { visit(x.Args[1]) })
		default:
			for _, a := range x.Args {
				visit(a)
			}
		}
	}
	visit(x)
	return out
}

// near finds a name in scope that differs by case, or, for longer names, by one letter. A different
// number at the end makes a different name.
func (l *linter) near(name string) string {
	for i := len(l.bound) - 1; i >= 0; i-- {
		if similar(name, l.bound[i]) {
			return l.bound[i]
		}
	}
	best := ""
	for v, is := range l.values {
		if is && similar(name, v) && (best == "" || v < best) {
			best = v
		}
	}
	return best
}

func similar(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if a == b {
		return true
	}
	const digits = "0123456789"
	return min(len(a), len(b)) >= 4 &&
		strings.TrimRight(a, digits) != strings.TrimRight(b, digits) && diag.Distance(a, b) == 1
}

// formula checks a formula, where capital letters stand for every value, for a name that looks like
// a typing error.
func (l *linter) formula(x *syntax.Expr) {
	l.negations(x)
	for _, c := range l.capitals(x) {
		if c.times == 1 && c.near != "" {
			l.typo(c).Because(x.Span, "the quantifier stands around this formula")
		}
	}
}

func (l *linter) typo(c *capital) *diag.Diagnostic {
	return l.warn(diag.CapitalOnce, c.span,
		"'%s' occurs once and stands for every value, and '%s' is in scope", c.name, c.near).
		Suggest("Did you mean '%s'? If every value is meant, write forall %s.", c.near,
			c.name).Replace(c.span, c.near)
}

// condition checks a condition in an action, where a capital letter is rarely meant to stand for
// every value.
func (l *linter) condition(x *syntax.Expr) {
	l.negations(x)
	var names []string
	for _, c := range l.capitals(x) {
		if c.times == 1 && c.near != "" {
			l.typo(c).Because(x.Span, "so the condition is: forall %s. %s", c.name, shortened(x))
			continue
		}
		names = append(names, c.name)
	}
	if len(names) > 0 {
		verb := "stands"
		if len(names) > 1 {
			verb = "stand"
		}
		l.warn(diag.FreeInCondition, x.Span,
			"'%s' %s for every value, so the condition is: forall %s. %s",
			strings.Join(names, "', '"), verb,
			strings.Join(names, ", "), shortened(x)).Suggest("Write the quantifier if it is meant.")
	}
}

// shortened is the text of an expression on one line, or its beginning.
func shortened(x *syntax.Expr) string {
	const most = 60
	text := []rune(strings.TrimLeft(strings.Join(strings.Fields(withoutComments(x.Span.Text())),
		" "), "&| "))
	if len(text) > most {
		return string(text[:most]) + " ..."
	}
	return string(text)
}

func withoutComments(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i], _, _ = strings.Cut(line, "#")
	}
	return strings.Join(lines, "\n")
}

// ambiguous gives the left side of an implication a & b -> c without parentheses, nil for anything
// else.
func ambiguous(x *syntax.Expr) *syntax.Expr {
	if x.Kind != syntax.ExprImplies || x.Args[0].Kind != syntax.ExprAnd || x.Args[0].Parens {
		return nil
	}
	return x.Args[0]
}

func (l *linter) readAs(x, left *syntax.Expr) {
	l.warn(diag.ImplicationReading, x.Span, "this is read as (%s) -> %s", shortened(left),
		shortened(x.Args[1])).
		Suggest("Put parentheses around what belongs together.")
}

// negations looks for !(a & b -> c).
func (l *linter) negations(x *syntax.Expr) {
	if x.Kind == syntax.ExprNot {
		if left := ambiguous(x.Args[0]); left != nil {
			l.readAs(x.Args[0], left)
		}
	}
	for _, a := range x.Args {
		l.negations(a)
	}
}
