package translate

import (
	"slices"

	"erelong.dev/erelong/internal/front/ere/syntax"
)

// WF_vars(A \/ B) says less than WF_vars(A) and WF_vars(B). But where no state allows a step of
// both A and B, it implies them: as long as A stays possible, a step of A or B is one of A. The
// same is so of the steps that an action takes with different parameters. So of a ring in which
// one process has a token, each one is fair if the system is.

// exclusive reports whether no state allows two of some actions, nor one with different arguments,
// as far as equations in their guards show.
func exclusive(actions []*syntax.ActionDecl) bool {
	for i, a := range actions {
		for _, name := range parameters(a) {
			if !fixes(a, name) {
				return false
			}
		}
		for _, b := range actions[:i] {
			if !excludes(a, b) && !excludes(b, a) {
				return false
			}
		}
	}
	return true
}

func parameters(a *syntax.ActionDecl) (names []string) {
	for _, p := range a.Params {
		names = append(names, p.Name.Text)
	}
	return names
}

// requirements are the conjuncts of what an action requires before it changes something.
func requirements(a *syntax.ActionDecl) (out []*syntax.Expr) {
	var add func(x *syntax.Expr)
	add = func(x *syntax.Expr) {
		if x.Kind != syntax.ExprAnd {
			out = append(out, x)
			return
		}
		for _, y := range x.Args {
			add(y)
		}
	}
	for _, s := range a.Body {
		r, ok := s.(*syntax.RequireStmt)
		if !ok {
			return out
		}
		add(r.Cond)
	}
	return out
}

// equation is a requirement that a part of the state has a value.
type equation struct{ of, value *syntax.Expr }

// equations are the requirements of an action that are equations, in both directions. The part of
// the state is a name without arguments that is no parameter.
func equations(a *syntax.ActionDecl) (out []equation) {
	names := parameters(a)
	for _, x := range requirements(a) {
		if x.Kind != syntax.ExprEq || len(x.Args) != 2 {
			continue
		}
		for i, of := range x.Args {
			if of.Kind == syntax.ExprName && len(of.Args) == 0 && of.Primes == 0 &&
				!slices.Contains(names, of.Name.Text) {
				out = append(out, equation{of, x.Args[1-i]})
			}
		}
	}
	return out
}

// fixes reports whether an action is possible for one value of a parameter only.
func fixes(a *syntax.ActionDecl, name string) bool {
	return slices.ContainsFunc(equations(a), func(e equation) bool {
		return isName(e.value, name)
	})
}

func isName(x *syntax.Expr, name string) bool {
	return x.Kind == syntax.ExprName && len(x.Args) == 0 && x.Name.Text == name
}

// excludes reports whether an action requires that a part of the state is a number, where another
// one requires that it is another number, or a parameter that is not this number.
func excludes(a, b *syntax.ActionDecl) bool {
	for _, e := range equations(a) {
		if e.value.Kind != syntax.ExprInt {
			continue
		}
		for _, f := range equations(b) {
			switch {
			case shown(e.of) != shown(f.of):
			case f.value.Kind == syntax.ExprInt && shown(e.value) != shown(f.value),
				slices.ContainsFunc(parameters(b), func(name string) bool {
					return isName(f.value, name) && differs(b, name, e.value)
				}):
				return true
			}
		}
	}
	return false
}

// differs reports whether an action requires that a parameter is not a number.
func differs(a *syntax.ActionDecl, name string, number *syntax.Expr) bool {
	return slices.ContainsFunc(requirements(a), func(x *syntax.Expr) bool {
		if x.Kind == syntax.ExprNot {
			x = x.Args[0]
			if x.Kind != syntax.ExprEq {
				return false
			}
		} else if x.Kind != syntax.ExprNe {
			return false
		}
		return isName(x.Args[0], name) && shown(x.Args[1]) == shown(number) ||
			isName(x.Args[1], name) && shown(x.Args[0]) == shown(number)
	})
}
