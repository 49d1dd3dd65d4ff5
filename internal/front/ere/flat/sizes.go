package flat

import (
	"math/big"

	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// The size of a set is no term of first-order logic. What protocols ask of it most is said
// otherwise: that a set has at least a given number of elements by as many different ones, and that
// it is a majority by a quorum, see quorum. Other sizes are sums, see sizeOfSet.

// quorum is the sort of the smallest majorities of a sort, and the relation that says which
// elements each of them has. In an instance there are all of them, so the reduction is exact. In a
// proof all that is known is that two of them meet.
type quorum struct{ sort, member string }

func (f *values) majorityOf(t *typ) *quorum {
	if q := f.quorum[t.name]; q != nil {
		return q
	}
	q := &quorum{f.fresh("majority_of_" + t.name), f.fresh("in_majority_of_" + t.name)}
	f.quorum[t.name] = q
	decl := f.sorts[t.name].(*syntax.SortDecl)
	named := func(s string) syntax.Name { return syntax.Name{Text: s, Span: decl.Name.Span} }
	sort := func(s string) *syntax.SortExpr {
		return &syntax.SortExpr{Name: s, Span: decl.Name.Span}
	}
	a, b, e := f.variable("A"), f.variable("B"), f.variable("E")
	defer f.leave(a)
	defer f.leave(b)
	defer f.leave(e)
	binder := func(name, s string) *syntax.Binder {
		return &syntax.Binder{Name: named(name), Sort: sort(s)}
	}
	meet := build.Quantified(true, binder(a, q.sort), build.Quantified(true, binder(b, q.sort),
		build.Quantified(false, binder(e, t.name), build.And(build.Apply(q.member, build.Ref(e),
			build.Ref(a)),
			build.Apply(q.member, build.Ref(e), build.Ref(b))))))
	f.added = append(f.added,
		&syntax.SortDecl{Span: decl.Span, Name: named(q.sort),
			Majority: &syntax.Majority{Of: t.name, Member: q.member}},
		&syntax.SymbolDecl{Span: decl.Span, Word: "relation", Name: named(q.member),
			Args: []*syntax.SortExpr{sort(t.name), sort(q.sort)}},
		&syntax.FormulaDecl{Span: decl.Span, Word: "axiom", Name: named(f.fresh("majorities_meet")),
			Expr: build.At(meet, decl.Span)})
	return q
}

// isSizeOfSet reports whether an expression is size(s) of a set or of the keys of a map.
func (f *typer) isSizeOfSet(x *syntax.Expr) bool {
	if x.Kind != syntax.ExprName || x.Name.Text != "size" || f.globals["size"] != nil ||
		len(x.Args) != 1 || f.isSort(x.Args[0]) {
		return false
	}
	t := f.typeOf[x.Args[0]].root()
	return t.form == set || t.form == mapping
}

func (f *typer) hasSizeOfSet(x *syntax.Expr) bool {
	for _, a := range x.Args {
		if _, of := multiple(a); f.isSizeOfSet(of) {
			return true
		}
	}
	return false
}

// multiple is n * x, from either side.
func multiple(x *syntax.Expr) (n *big.Int, of *syntax.Expr) {
	if x.Kind == syntax.ExprMul {
		for i := range 2 {
			if x.Args[i].Kind == syntax.ExprInt {
				return x.Args[i].Int, x.Args[1-i]
			}
		}
	}
	return big.NewInt(1), x
}

// turned are the comparisons with their sides exchanged.
var turned = map[syntax.ExprKind]syntax.ExprKind{
	syntax.ExprLt: syntax.ExprGt, syntax.ExprGt: syntax.ExprLt, syntax.ExprLe: syntax.ExprGe,
	syntax.ExprGe: syntax.ExprLe, syntax.ExprEq: syntax.ExprEq, syntax.ExprNe: syntax.ExprNe,
}

// lowerComparison lowers a comparison of numbers, perhaps of the size of a set.
func (f *lowerer) lowerComparison(x *syntax.Expr, e *env) *syntax.Expr {
	a, b, kind := x.Args[0], x.Args[1], x.Kind
	n, size := multiple(a)
	if !f.isSizeOfSet(size) {
		if n, size = multiple(b); f.isSizeOfSet(size) {
			b, kind = a, turned[kind]
		}
	}
	if f.isSizeOfSet(size) {
		s := f.lower(size.Args[0], e)
		if out := f.compareSize(s, n, kind, b); out != nil {
			return out
		}
	}
	out := build.Compare(x.Kind, f.lowerExpr(x.Args[0], e), f.lowerExpr(x.Args[1], e))
	out.Span, out.Parens = x.Span, x.Parens
	return out
}

// compareSize compares n times the size of a set; nil for a comparison that it does not know.
func (f *lowerer) compareSize(
	s *value, n *big.Int, kind syntax.ExprKind, b *syntax.Expr,
) *syntax.Expr {
	m, of := multiple(b)
	one := big.NewInt(1)
	switch {
	case of.Kind == syntax.ExprName && of.Name.Text == "size" && len(of.Args) == 1 &&
		f.isSort(of.Args[0]) && n.Cmp(big.NewInt(2)) == 0 && m.Cmp(one) == 0 &&
		(kind == syntax.ExprGt || kind == syntax.ExprLe):
		q := f.isMajority(s, of.Args[0])
		if q != nil && kind == syntax.ExprLe {
			q = build.Not(q)
		}
		return q
	case b.Kind == syntax.ExprInt && n.Cmp(one) == 0 && b.Int.IsInt64() && b.Int.Int64() <= 8:
		k := int(b.Int.Int64())
		switch kind {
		case syntax.ExprGe:
			return f.atLeast(s, k)
		case syntax.ExprGt:
			return f.atLeast(s, k+1)
		case syntax.ExprLe:
			return build.Not(f.atLeast(s, k+1))
		case syntax.ExprLt:
			return build.Not(f.atLeast(s, k))
		case syntax.ExprEq:
			return build.And(f.atLeast(s, k), build.Not(f.atLeast(s, k+1)))
		case syntax.ExprNe:
			return build.Not(build.And(f.atLeast(s, k), build.Not(f.atLeast(s, k+1))))
		}
	}
	return nil
}

// atLeast says that a set has k different elements.
func (f *values) atLeast(s *value, k int) *syntax.Expr {
	var next func(done []*value) *syntax.Expr
	next = func(done []*value) *syntax.Expr {
		if len(done) == k {
			return build.Truth(true)
		}
		return s.each(false, func(e *value) *syntax.Expr {
			var parts []*syntax.Expr
			for _, d := range done {
				parts = append(parts, build.Not(f.same(d, e)))
			}
			return build.And(build.And(parts...), next(append(done[:len(done):len(done)], e)))
		})
	}
	if k <= 0 {
		return build.Truth(true)
	}
	return next(nil)
}

// isMajority says that a set has more than half of the elements of a sort; nil if it is not a set
// of such elements.
func (f *values) isMajority(s *value, sort *syntax.Expr) *syntax.Expr {
	t := s.typ.root().parts[0].root()
	if _, ok := f.sorts[sort.Name.Text].(*syntax.SortDecl); !ok || t.form != scalar ||
		t.name != sort.Name.Text {
		return nil
	}
	q := f.majorityOf(t)
	name := f.variable("Q")
	defer f.leave(name)
	return build.Quantified(false,
		&syntax.Binder{Name: syntax.Name{Text: name}, Sort: &syntax.SortExpr{Name: q.sort}},
		f.quantify(true, "e", t, func(e *value) *syntax.Expr {
			return build.Implies(build.Apply(q.member, e.expr, build.Ref(name)), s.has(e))
		}))
}
