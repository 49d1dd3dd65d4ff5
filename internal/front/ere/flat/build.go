package flat

import (
	"math/big"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// Constructors of syntax trees. They leave out what is plain, since a match on a value whose
// constructor is known would otherwise keep its other arms. They keep what is evaluated before and
// may have no value.

// mayLack reports whether a part of an expression has a value under a condition only.
func mayLack(x *syntax.Expr) bool {
	return x.Kind == syntax.ExprNeeds || slices.ContainsFunc(x.Args, mayLack)
}

func list(names []string) string { return strings.Join(names, ", ") }

func truth(b bool) *syntax.Expr {
	if b {
		return &syntax.Expr{Kind: syntax.ExprTrue}
	}
	return &syntax.Expr{Kind: syntax.ExprFalse}
}

func isTrue(x *syntax.Expr) bool  { return x.Kind == syntax.ExprTrue }
func isFalse(x *syntax.Expr) bool { return x.Kind == syntax.ExprFalse }

func number(n int64) *syntax.Expr {
	return &syntax.Expr{Kind: syntax.ExprInt, Int: big.NewInt(n)}
}

func ref(name string) *syntax.Expr {
	return &syntax.Expr{Kind: syntax.ExprName, Name: syntax.Name{Text: name}}
}

func apply(name string, args ...*syntax.Expr) *syntax.Expr {
	x := ref(name)
	x.Applied, x.Args = len(args) > 0, args
	return x
}

// at gives an expression that was built a position, so that messages about it point somewhere.
func at(x *syntax.Expr, span diag.Span) *syntax.Expr {
	if !x.Span.IsZero() {
		return x
	}
	c := *x
	c.Span = span
	if c.Name.Span.IsZero() {
		c.Name.Span = span
	}
	c.Args = nil
	for _, a := range x.Args {
		c.Args = append(c.Args, at(a, span))
	}
	c.Binders = slices.Clone(x.Binders)
	for i, b := range c.Binders {
		if b.Name.Span.IsZero() {
			placed := *b
			placed.Name.Span = span
			c.Binders[i] = &placed
		}
	}
	return &c
}

func binary(kind syntax.ExprKind, a, b *syntax.Expr) *syntax.Expr {
	return &syntax.Expr{Kind: kind, Args: []*syntax.Expr{a, b}}
}

func not(x *syntax.Expr) *syntax.Expr {
	switch x.Kind {
	case syntax.ExprTrue, syntax.ExprFalse:
		return truth(isFalse(x))
	case syntax.ExprNot:
		return x.Args[0]
	}
	return &syntax.Expr{Kind: syntax.ExprNot, Args: []*syntax.Expr{x}}
}

// junction is a conjunction or disjunction.
func junction(kind syntax.ExprKind, xs ...*syntax.Expr) *syntax.Expr {
	var args []*syntax.Expr
	for _, x := range xs {
		switch {
		case isTrue(x) == (kind == syntax.ExprAnd) && (isTrue(x) || isFalse(x)):
		case isTrue(x) || isFalse(x):
			if !slices.ContainsFunc(args, mayLack) {
				return x
			}
			return &syntax.Expr{Kind: kind, Args: append(args, x)}
		case x.Kind == kind && !x.Parens:
			args = append(args, x.Args...)
		default:
			args = append(args, x)
		}
	}
	switch len(args) {
	case 0:
		return truth(kind == syntax.ExprAnd)
	case 1:
		return args[0]
	}
	return &syntax.Expr{Kind: kind, Args: args}
}

func and(xs ...*syntax.Expr) *syntax.Expr { return junction(syntax.ExprAnd, xs...) }
func or(xs ...*syntax.Expr) *syntax.Expr  { return junction(syntax.ExprOr, xs...) }

func implies(a, b *syntax.Expr) *syntax.Expr {
	switch {
	case isTrue(a), isTrue(b) && !mayLack(a):
		return b
	case isFalse(a):
		return truth(true)
	case isFalse(b):
		return not(a)
	}
	return binary(syntax.ExprImplies, a, b)
}

func iff(a, b *syntax.Expr) *syntax.Expr {
	switch {
	case isTrue(a):
		return b
	case isTrue(b):
		return a
	case isFalse(a):
		return not(b)
	case isFalse(b):
		return not(a)
	}
	return binary(syntax.ExprIff, a, b)
}

func ifThenElse(c, a, b *syntax.Expr) *syntax.Expr {
	switch {
	case isTrue(c), a == b && !mayLack(c):
		return a
	case isFalse(c):
		return b
	case isTrue(a) && isFalse(b):
		return c
	case isFalse(a) && isTrue(b):
		return not(c)
	case isFalse(b):
		return and(c, a)
	case isTrue(b):
		return implies(c, a)
	}
	return &syntax.Expr{Kind: syntax.ExprIf, Args: []*syntax.Expr{c, a, b}}
}

// equal is an equation of two values of a sort. Numbers and names of members are compared here.
func equal(a, b *syntax.Expr) *syntax.Expr {
	if a.Kind == syntax.ExprInt && b.Kind == syntax.ExprInt {
		return truth(a.Int.Cmp(b.Int) == 0)
	}
	return binary(syntax.ExprEq, a, b)
}

func lessOrEqual(a, b *syntax.Expr) *syntax.Expr {
	if a.Kind == syntax.ExprInt && b.Kind == syntax.ExprInt {
		return truth(a.Int.Cmp(b.Int) <= 0)
	}
	return binary(syntax.ExprLe, a, b)
}

// plus adds a number.
func plus(a *syntax.Expr, n int64) *syntax.Expr {
	sum := func(k int64) *syntax.Expr {
		switch base := a.Args[0]; {
		case k == 0:
			return base
		case k < 0:
			return binary(syntax.ExprSub, base, number(-k))
		default:
			return binary(syntax.ExprAdd, base, number(k))
		}
	}
	switch {
	case n == 0:
		return a
	case a.Kind == syntax.ExprInt:
		return &syntax.Expr{Kind: syntax.ExprInt, Int: new(big.Int).Add(a.Int, big.NewInt(n))}
	case a.Kind == syntax.ExprAdd && a.Args[1].Kind == syntax.ExprInt && a.Args[1].Int.IsInt64():
		return sum(a.Args[1].Int.Int64() + n)
	case a.Kind == syntax.ExprSub && a.Args[1].Kind == syntax.ExprInt && a.Args[1].Int.IsInt64():
		return sum(n - a.Args[1].Int.Int64())
	case n < 0:
		return binary(syntax.ExprSub, a, number(-n))
	}
	return binary(syntax.ExprAdd, a, number(n))
}

func sum(a, b *syntax.Expr) *syntax.Expr {
	if b.Kind == syntax.ExprInt && b.Int.IsInt64() {
		return plus(a, b.Int.Int64())
	}
	if a.Kind == syntax.ExprInt && a.Int.IsInt64() {
		return plus(b, a.Int.Int64())
	}
	return binary(syntax.ExprAdd, a, b)
}

func difference(a, b *syntax.Expr) *syntax.Expr {
	if b.Kind == syntax.ExprInt && b.Int.IsInt64() {
		return plus(a, -b.Int.Int64())
	}
	return binary(syntax.ExprSub, a, b)
}

// quantified joins quantifiers of one kind.
func quantified(all bool, b *syntax.Binder, body *syntax.Expr) *syntax.Expr {
	kind := syntax.ExprExists
	if all {
		kind = syntax.ExprForall
	}
	if all && isTrue(body) || !all && isFalse(body) ||
		b.Sort == nil && (isTrue(body) || isFalse(body)) { // its sort would stay unknown
		return body
	}
	if body.Kind == kind && !body.Parens {
		c := *body
		c.Binders = append([]*syntax.Binder{b}, body.Binders...)
		return &c
	}
	return &syntax.Expr{Kind: kind, Binders: []*syntax.Binder{b}, Args: []*syntax.Expr{body}}
}

// needs is an expression that has a value only if a condition is true.
func needs(cond, x *syntax.Expr) *syntax.Expr {
	if isTrue(cond) {
		return x
	}
	return binary(syntax.ExprNeeds, cond, x)
}

// guarded is a body below a quantifier, for the values with a condition only.
func guarded(all bool, cond, body *syntax.Expr) *syntax.Expr {
	if all {
		return implies(cond, body)
	}
	return and(cond, body)
}
