// Package build makes syntax trees of erelong's language.
//
// In: parts. Out: an expression of them, from which what is plain is left out, since a match on a
// value whose constructor is known would otherwise keep its other arms. What is evaluated before
// and may have no value is kept.
package build

import (
	"math/big"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// MayLack reports whether a part of an expression has a value under a condition only.
func MayLack(x *syntax.Expr) bool {
	visited := map[*syntax.Expr]bool{} // parts may be shared
	visits := 0
	var lacks func(x *syntax.Expr) bool
	lacks = func(x *syntax.Expr) bool {
		if visits++; visits > patience {
			if visited[x] {
				return false
			}
			visited[x] = true
		}
		return x.Kind == syntax.ExprNeeds || slices.ContainsFunc(x.Args, lacks)
	}
	return lacks(x)
}

// patience is the number of visits after which a walk remembers which parts it has seen.
const patience = 100

// Truth is true or false.
func Truth(b bool) *syntax.Expr {
	if b {
		return &syntax.Expr{Kind: syntax.ExprTrue}
	}
	return &syntax.Expr{Kind: syntax.ExprFalse}
}

// IsTrue reports whether an expression is the word true.
func IsTrue(x *syntax.Expr) bool { return x.Kind == syntax.ExprTrue }

// IsFalse reports whether an expression is the word false.
func IsFalse(x *syntax.Expr) bool { return x.Kind == syntax.ExprFalse }

// Number is a number.
func Number(n int64) *syntax.Expr {
	return &syntax.Expr{Kind: syntax.ExprInt, Int: big.NewInt(n)}
}

// Integer is a number of any size.
func Integer(n *big.Int) *syntax.Expr { return &syntax.Expr{Kind: syntax.ExprInt, Int: n} }

// Ref is a name without arguments.
func Ref(name string) *syntax.Expr {
	return &syntax.Expr{Kind: syntax.ExprName, Name: syntax.Name{Text: name}}
}

// Apply is a name with arguments.
func Apply(name string, args ...*syntax.Expr) *syntax.Expr {
	x := Ref(name)
	x.Applied, x.Args = len(args) > 0, args
	return x
}

// At gives an expression that was built a position, so that messages about it point somewhere.
func At(x *syntax.Expr, span diag.Span) *syntax.Expr {
	p := &placer{span: span}
	return p.at(x)
}

// placer keeps what is shared shared.
type placer struct {
	span   diag.Span
	visits int
	done   map[*syntax.Expr]*syntax.Expr
}

func (p *placer) at(x *syntax.Expr) *syntax.Expr {
	if !x.Span.IsZero() {
		return x
	}
	if c := p.done[x]; c != nil {
		return c
	}
	c := p.placed(x)
	if p.visits++; p.visits > patience {
		if p.done == nil {
			p.done = map[*syntax.Expr]*syntax.Expr{}
		}
		p.done[x] = c
	}
	return c
}

func (p *placer) placed(x *syntax.Expr) *syntax.Expr {
	span := p.span
	c := *x
	c.Span = span
	if c.Name.Span.IsZero() {
		c.Name.Span = span
	}
	c.Args = nil
	for _, a := range x.Args {
		c.Args = append(c.Args, p.at(a))
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

// Placed is At, whatever position the expression itself has; its parts keep theirs.
func Placed(x *syntax.Expr, span diag.Span) *syntax.Expr {
	if x.Span.IsZero() {
		return At(x, span)
	}
	c := *x
	c.Span = span
	if x.Kind == syntax.ExprNeeds {
		c.Args = []*syntax.Expr{x.Args[0], Placed(x.Args[1], span)}
	}
	return &c
}

// Binary is an operator with two operands.
func Binary(kind syntax.ExprKind, a, b *syntax.Expr) *syntax.Expr {
	return &syntax.Expr{Kind: kind, Args: []*syntax.Expr{a, b}}
}

// Not is a negation.
func Not(x *syntax.Expr) *syntax.Expr {
	switch x.Kind {
	case syntax.ExprTrue, syntax.ExprFalse:
		return Truth(IsFalse(x))
	case syntax.ExprNot:
		return x.Args[0]
	}
	return &syntax.Expr{Kind: syntax.ExprNot, Args: []*syntax.Expr{x}}
}

// Junction is a conjunction or disjunction.
func Junction(kind syntax.ExprKind, xs ...*syntax.Expr) *syntax.Expr {
	var args []*syntax.Expr
	for _, x := range xs {
		switch {
		case IsTrue(x) == (kind == syntax.ExprAnd) && (IsTrue(x) || IsFalse(x)):
		case IsTrue(x) || IsFalse(x):
			if !slices.ContainsFunc(args, MayLack) {
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
		return Truth(kind == syntax.ExprAnd)
	case 1:
		return args[0]
	}
	return &syntax.Expr{Kind: kind, Args: args}
}

// And is a conjunction.
func And(xs ...*syntax.Expr) *syntax.Expr { return Junction(syntax.ExprAnd, xs...) }

// Or is a disjunction.
func Or(xs ...*syntax.Expr) *syntax.Expr { return Junction(syntax.ExprOr, xs...) }

// Implies is an implication.
func Implies(a, b *syntax.Expr) *syntax.Expr {
	switch {
	case IsTrue(a), IsTrue(b) && !MayLack(a):
		return b
	case IsFalse(a):
		return Truth(true)
	case IsFalse(b):
		return Not(a)
	}
	return Binary(syntax.ExprImplies, a, b)
}

// Iff is an equivalence.
func Iff(a, b *syntax.Expr) *syntax.Expr {
	switch {
	case IsTrue(a):
		return b
	case IsTrue(b):
		return a
	case IsFalse(a):
		return Not(b)
	case IsFalse(b):
		return Not(a)
	}
	return Binary(syntax.ExprIff, a, b)
}

// If is a choice between two expressions.
func If(c, a, b *syntax.Expr) *syntax.Expr {
	switch {
	case IsTrue(c), a == b && !MayLack(c):
		return a
	case IsFalse(c):
		return b
	case IsTrue(a) && IsFalse(b):
		return c
	case IsFalse(a) && IsTrue(b):
		return Not(c)
	case IsFalse(b):
		return And(c, a)
	case IsTrue(b):
		return Implies(c, a)
	}
	return &syntax.Expr{Kind: syntax.ExprIf, Args: []*syntax.Expr{c, a, b}}
}

// Equal is an equation of two values of a sort. Numbers and names of members are compared here.
func Equal(a, b *syntax.Expr) *syntax.Expr {
	if a.Kind == syntax.ExprInt && b.Kind == syntax.ExprInt {
		return Truth(a.Int.Cmp(b.Int) == 0)
	}
	return Binary(syntax.ExprEq, a, b)
}

// LessOrEqual compares two numbers.
func LessOrEqual(a, b *syntax.Expr) *syntax.Expr { return Compare(syntax.ExprLe, a, b) }

// Compare compares two numbers by <, <=, > or >=.
func Compare(kind syntax.ExprKind, a, b *syntax.Expr) *syntax.Expr {
	if a.Kind != syntax.ExprInt || b.Kind != syntax.ExprInt {
		return Binary(kind, a, b)
	}
	switch c := a.Int.Cmp(b.Int); kind {
	case syntax.ExprLt:
		return Truth(c < 0)
	case syntax.ExprLe:
		return Truth(c <= 0)
	case syntax.ExprGt:
		return Truth(c > 0)
	default:
		return Truth(c >= 0)
	}
}

// Plus adds a number.
func Plus(a *syntax.Expr, n int64) *syntax.Expr {
	sum := func(k int64) *syntax.Expr {
		switch base := a.Args[0]; {
		case k == 0:
			return base
		case k < 0:
			return Binary(syntax.ExprSub, base, Number(-k))
		default:
			return Binary(syntax.ExprAdd, base, Number(k))
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
		return Binary(syntax.ExprSub, a, Number(-n))
	}
	return Binary(syntax.ExprAdd, a, Number(n))
}

// Sum adds two numbers.
func Sum(a, b *syntax.Expr) *syntax.Expr {
	if b.Kind == syntax.ExprInt && b.Int.IsInt64() {
		return Plus(a, b.Int.Int64())
	}
	if a.Kind == syntax.ExprInt && a.Int.IsInt64() {
		return Plus(b, a.Int.Int64())
	}
	return Binary(syntax.ExprAdd, a, b)
}

// Difference subtracts a number.
func Difference(a, b *syntax.Expr) *syntax.Expr {
	if b.Kind == syntax.ExprInt && b.Int.IsInt64() {
		return Plus(a, -b.Int.Int64())
	}
	return Binary(syntax.ExprSub, a, b)
}

// Quantified joins quantifiers of one kind.
func Quantified(all bool, b *syntax.Binder, body *syntax.Expr) *syntax.Expr {
	kind := syntax.ExprExists
	if all {
		kind = syntax.ExprForall
	}
	if all && IsTrue(body) || !all && IsFalse(body) ||
		b.Sort == nil && (IsTrue(body) || IsFalse(body)) { // its sort would stay unknown
		return body
	}
	if body.Kind == kind && !body.Parens {
		c := *body
		c.Binders = append([]*syntax.Binder{b}, body.Binders...)
		return &c
	}
	return &syntax.Expr{Kind: kind, Binders: []*syntax.Binder{b}, Args: []*syntax.Expr{body}}
}

// Needs is an expression that has a value only if a condition is true.
func Needs(cond, x *syntax.Expr) *syntax.Expr {
	if IsTrue(cond) {
		return x
	}
	return Binary(syntax.ExprNeeds, cond, x)
}

// Guarded is a body below a quantifier, for the values with a condition only.
func Guarded(all bool, cond, body *syntax.Expr) *syntax.Expr {
	if all {
		return Implies(cond, body)
	}
	return And(cond, body)
}
