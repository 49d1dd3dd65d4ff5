package threshold

import (
	"slices"

	"erelong.dev/erelong/internal/front/ere/syntax"
)

// stable reports whether a formula of states that is true stays true: then it was true in some
// state so far if and only if it is true in the present one. Not every such formula is found.
func (m *model) stable(x *syntax.Expr) bool {
	switch x.Kind {
	case syntax.ExprTrue, syntax.ExprFalse:
		return true
	case syntax.ExprAnd:
		return m.left(x) || all(x.Args, m.stable)
	case syntax.ExprOr:
		return all(x.Args, m.stable)
	case syntax.ExprImplies:
		return m.stable(opposite(x.Args[0])) && m.stable(x.Args[1])
	case syntax.ExprNot:
		y := opposite(x.Args[0])
		return y.Kind != syntax.ExprNot && m.stable(y)
	case syntax.ExprEq:
		return m.left(x) || !m.changes(x)
	case syntax.ExprNe:
		location, ok := m.zero(x)
		return ok && !slices.ContainsFunc(m.rules, func(r *rule) bool {
			return !r.idle() && r.from.Text == location
		}) || !m.changes(x)
	case syntax.ExprGt, syntax.ExprGe:
		return m.grows(x.Args[0]) && m.shrinks(x.Args[1])
	case syntax.ExprLt, syntax.ExprLe:
		return m.shrinks(x.Args[0]) && m.grows(x.Args[1])
	}
	return false
}

// all reports whether something is so of each of some expressions.
func all(xs []*syntax.Expr, is func(*syntax.Expr) bool) bool {
	return !slices.ContainsFunc(xs, func(x *syntax.Expr) bool { return !is(x) })
}

// inverse are the comparisons that are true where others are false.
var inverse = map[syntax.ExprKind]syntax.ExprKind{syntax.ExprEq: syntax.ExprNe,
	syntax.ExprNe: syntax.ExprEq, syntax.ExprLt: syntax.ExprGe, syntax.ExprGe: syntax.ExprLt,
	syntax.ExprGt: syntax.ExprLe, syntax.ExprLe: syntax.ExprGt}

// opposite is the negation of a formula of states, with negations nowhere else.
func opposite(x *syntax.Expr) *syntax.Expr {
	out := &syntax.Expr{Kind: x.Kind, Span: x.Span, Args: x.Args}
	swap := map[syntax.ExprKind]syntax.ExprKind{syntax.ExprAnd: syntax.ExprOr,
		syntax.ExprOr: syntax.ExprAnd, syntax.ExprTrue: syntax.ExprFalse,
		syntax.ExprFalse: syntax.ExprTrue}
	switch {
	case x.Kind == syntax.ExprNot:
		return x.Args[0]
	case x.Kind == syntax.ExprImplies:
		out.Kind = syntax.ExprAnd
		out.Args = []*syntax.Expr{x.Args[0], opposite(x.Args[1])}
	case inverse[x.Kind] != 0:
		out.Kind = inverse[x.Kind]
	case swap[x.Kind] != 0:
		out.Kind, out.Args = swap[x.Kind], nil
		for _, a := range x.Args {
			out.Args = append(out.Args, opposite(a))
		}
	default:
		return &syntax.Expr{Kind: syntax.ExprNot, Span: x.Span, Args: []*syntax.Expr{x}}
	}
	return out
}

// zero is the location of `location == 0` or `location != 0`.
func (m *model) zero(x *syntax.Expr) (location string, ok bool) {
	a, b := x.Args[0], x.Args[1]
	ok = a.Kind == syntax.ExprName && among(m.locations, a.Name.Text) &&
		b.Kind == syntax.ExprInt && b.Int.Sign() == 0
	return a.Name.Text, ok
}

// left reports whether a formula says that some locations are empty to which no process comes from
// another location.
func (m *model) left(x *syntax.Expr) bool {
	empty := map[string]bool{}
	var collect func(x *syntax.Expr) bool
	collect = func(x *syntax.Expr) bool {
		switch x.Kind {
		case syntax.ExprAnd:
			return all(x.Args, collect)
		case syntax.ExprEq:
			location, ok := m.zero(x)
			empty[location] = true
			return ok
		}
		return false
	}
	return collect(x) && !slices.ContainsFunc(m.rules, func(r *rule) bool {
		return empty[r.to.Text] && !empty[r.from.Text]
	})
}

// grows and shrinks report whether the value of a sum never becomes less, or greater.
func (m *model) grows(x *syntax.Expr) bool   { return m.monotone(x, 1) }
func (m *model) shrinks(x *syntax.Expr) bool { return m.monotone(x, -1) }

func (m *model) monotone(x *syntax.Expr, sign int) bool {
	switch {
	case !m.changes(x):
		return true
	case x.Kind == syntax.ExprName:
		return sign > 0 && among(m.shared, x.Name.Text) && m.counts(x.Name.Text)
	case x.Kind == syntax.ExprAdd:
		return all(x.Args, func(a *syntax.Expr) bool { return m.monotone(a, sign) })
	case x.Kind == syntax.ExprSub:
		return m.monotone(x.Args[0], sign) && m.monotone(x.Args[1], -sign)
	case x.Kind == syntax.ExprNeg:
		return m.monotone(x.Args[0], -sign)
	case x.Kind == syntax.ExprMul && x.Args[0].Kind == syntax.ExprInt:
		return m.monotone(x.Args[1], sign*x.Args[0].Int.Sign())
	}
	return false
}

// counts reports whether rules only add to a shared variable.
func (m *model) counts(name string) bool {
	return !slices.ContainsFunc(m.rules, func(r *rule) bool {
		return slices.ContainsFunc(r.changes, func(c change) bool {
			return c.name.Text == name && c.value != nil && !adds(c.value, name)
		})
	})
}

// adds reports whether an expression is a variable plus a number.
func adds(x *syntax.Expr, name string) bool {
	return x.Kind == syntax.ExprAdd && x.Args[0].Kind == syntax.ExprName &&
		x.Args[0].Name.Text == name && x.Args[1].Kind == syntax.ExprInt
}
