package check

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
)

// Scope holds the declarations of a file without errors. Only one goroutine at a time may use it.
type Scope struct{ c *checker }

// Variables lists the variables of the file, each with its position, and with its sort if that is
// known. This is what a Scope of a file with errors is good for, too.
func (s *Scope) Variables() []*logic.Var { return s.c.variables }

// Declares reports whether a name stands for a sort, or for anything else at the top level.
func (s *Scope) Declares(name string) bool {
	return s.c.sorts[name] != nil || s.c.globals[name] != nil
}

// Expression elaborates an expression of any sort about one state. In a formula, undeclared capital
// letters are closed universally. Elements names values that the file cannot write, such as the
// elements of an uninterpreted sort; the file's own names come first. Needs is the condition under
// which the expression has a value, such as that a sequence is not empty. After an error the result
// is nil.
func (s *Scope) Expression(
	x *syntax.Expr, elements map[string]*logic.Term, errs *diag.List,
) (t, needs *logic.Term) {
	c, sys := *s.c, *s.c.sys
	c.errs, c.sys, c.folds = errs, &sys, false
	if t = elaborated(&c, x, elements); t != nil && c.folds {
		t = knownFolds(&c, t)
	}
	if t == nil || sys.Exists == nil {
		return t, logic.True
	}
	plain := unmarked(&sys)
	return plain(t), plain(sys.Needs(t))
}

// elaborated is the term of an expression, nil after an error.
func elaborated(c *checker, x *syntax.Expr, elements map[string]*logic.Term) *logic.Term {
	errs := c.errs
	e := c.elaborator(1)
	e.elements = elements
	t, _ := e.expr(x)
	for _, v := range e.free {
		e.pend = append(e.pend, &logic.Term{Op: logic.OpVar, Var: v})
	}
	e.finish()
	switch {
	case errs.Err() != nil:
		return nil
	case logic.IsTemporal(t):
		errs.Errorf(diag.TemporalHere, x.Span,
			"this speaks of a whole run, so it has no value in one state")
		return nil
	case len(e.free) > 0 && t.Sort != logic.Bool:
		v := e.free[0]
		errs.Errorf(diag.UnresolvedName, v.Span, "'%s' is not declared", v.Name).
			Because(diag.Span{},
				"a capital letter stands for every value in a formula only, and this has sort %s",
				t.Sort)
		return nil
	case len(e.free) > 0:
		t = logic.Forall(e.free, t).At(x.Span)
		e.implied = append(e.implied, t)
		e.narrow()
	}
	return t
}
