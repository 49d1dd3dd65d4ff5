package logic

// Normal gives a formula that is equivalent and says what it says in one way, so that a search that
// reads formulas does not depend on how somebody wrote them:
//
//   - negations stand before atoms; !exists is forall, and a <= b & b <= a is a = b;
//   - a universal quantifier is outside of disjunctions, and inside of conjunctions; an existential
//     one is outside of conjunctions, except for what does not depend on it, and inside of
//     disjunctions;
//   - conjunctions and disjunctions are flat, and name nothing twice;
//   - conjuncts that differ in one disjunct are one (a | b) & (a | c) is a | (b & c);
//   - a disjunction is an implication, from what it denies to what it affirms; comparisons of
//     integers stand among what it denies, unless it affirms nothing else;
//   - of two equivalent halves, (a -> b) & (b -> a), the formula is a <-> b.
//
// The order of the parts is that of the text, where one of them may read a symbol outside of the
// range of an argument, which a part before it may exclude. A formula with more than normalNodes
// nodes stays as it is.
func Normal(t *Term) *Term {
	if t.Sort != Bool || (Sizes{}).Of(t) > normalNodes {
		return t
	}
	return rendered(normal(t, true)).At(t.Span)
}

// NormalValue is Normal for a term of any sort; the cases of a value stay cases.
func NormalValue(t *Term) *Term {
	if (Sizes{}).Of(t) > normalNodes {
		return t
	}
	return cases(t).At(t.Span)
}

// mostPaired bounds the parts of a formula that are compared with each other.
const mostPaired = 100

// normalNodes bounds the formulas that are rewritten, in nodes as a tree.
const normalNodes = 20_000

// normal is a formula, or its negation, with negations before atoms.
func normal(t *Term, positive bool) *Term {
	switch t.Op {
	case OpTrue, OpFalse:
		return BoolLit(t.IsTrue() == positive)
	case OpNot:
		return normal(t.Args[0], !positive)
	case OpAnd, OpOr:
		return joined((t.Op == OpAnd) == positive, each(t.Args, positive)...)
	case OpImplies:
		return joined(!positive, normal(t.Args[0], !positive), normal(t.Args[1], positive))
	case OpIff:
		return equivalence(normal(t.Args[0], true), normal(t.Args[1], true), positive)
	case OpIte:
		c, no := normal(t.Args[0], true), normal(t.Args[0], false)
		return joined(true, joined(false, no, normal(t.Args[1], positive)),
			joined(false, c, normal(t.Args[2], positive)))
	case OpForall, OpExists:
		return quantified((t.Op == OpForall) == positive, t.Vars, normal(t.Args[0], positive))
	case OpLet:
		return named(t.Vars[0], cases(t.Args[0]), normal(t.Args[1], positive))
	case OpEq:
		return equation(normalTerm(t.Args[0]), normalTerm(t.Args[1]), positive)
	case OpLt, OpLe:
		a, b := normalTerm(t.Args[0]), normalTerm(t.Args[1])
		if positive {
			return compared(t.Op, a, b)
		}
		return compared(OpLt+OpLe-t.Op, b, a)
	case OpDistinct:
		var pairs []*Term
		for i, a := range t.Args {
			for _, b := range t.Args[:i] {
				pairs = append(pairs, normal(Eq(b, a), !positive))
			}
		}
		return joined(positive, pairs...)
	case OpApp:
		return signed(MapArgs(t, normalTerm), positive)
	case OpAlways, OpEventually, OpUntil, OpLeadsTo:
		part := func(a *Term) *Term { return normal(a, true) }
		return signed(MapArgs(t, part), positive)
	}
	return signed(t, positive)
}

func signed(t *Term, positive bool) *Term {
	if positive {
		return t
	}
	return Not(t)
}

func each(ts []*Term, positive bool) []*Term {
	out := make([]*Term, len(ts))
	for i, t := range ts {
		out[i] = normal(t, positive)
	}
	return out
}

// opposed is the normal form of a negation, of what is in normal form.
func opposed(t *Term) *Term { return normal(t, false) }

// joined is a conjunction, or a disjunction, of formulas in normal form.
func joined(and bool, ts ...*Term) *Term {
	op, zero := OpOr, True
	if and {
		op, zero = OpAnd, False
	}
	var parts []*Term
	for _, t := range ts {
		switch {
		case t.Op == op:
			parts = append(parts, t.Args...)
		case t.IsTrue() || t.IsFalse():
			if t.IsTrue() != and {
				return zero
			}
		default:
			parts = append(parts, t)
		}
	}
	parts, contradictory := distinct(parts)
	if contradictory {
		return zero
	}
	for changed := len(parts) <= mostPaired; changed; {
		parts, changed = paired(and, parts)
	}
	if !and {
		return lifted(parts)
	}
	return And(parts...)
}

// distinct leaves out what is there twice, and reports whether something is there with its
// opposite.
func distinct(ts []*Term) (out []*Term, contradictory bool) {
	for _, t := range ts {
		twice := false
		for _, o := range out {
			twice = twice || Equal(o, t)
			contradictory = contradictory || complementary(o, t)
		}
		if !twice {
			out = append(out, t)
		}
	}
	return out, contradictory
}

// complementary reports whether one atom is the negation of the other.
func complementary(a, b *Term) bool {
	switch {
	case a.Op == OpNot:
		return Equal(a.Args[0], b)
	case b.Op == OpNot:
		return Equal(a, b.Args[0])
	case a.Op == OpLt && b.Op == OpLe || a.Op == OpLe && b.Op == OpLt:
		return Equal(a.Args[0], b.Args[1]) && Equal(a.Args[1], b.Args[0])
	case a.Op == OpEq && b.Op == OpEq: // of an enum of two members: see equation
		x, y := a.Args[1], b.Args[1]
		return x.Op == OpMember && y.Op == OpMember && x.Index != y.Index &&
			x.Sort.Kind == KindEnum && len(x.Sort.Members) == 2 && Equal(a.Args[0], b.Args[0])
	}
	return false
}

// paired puts one formula in place of two that say it together.
func paired(and bool, ts []*Term) ([]*Term, bool) {
	for i, a := range ts {
		for j := i + 1; j < len(ts); j++ {
			b := ts[j]
			both := halves(and, a, b)
			if both == nil && and {
				both = factored(a, b)
			}
			if both == nil {
				continue
			}
			out := append(append([]*Term{}, ts[:i]...), both)
			out = append(append(out, ts[i+1:j]...), ts[j+1:]...)
			return out, true
		}
	}
	return ts, false
}

// halves joins a <= b & b <= a to a = b, a <= b & a != b to a < b, a < b | b < a to a != b,
// a < b | a = b to a <= b, and the halves of an equivalence.
func halves(and bool, a, b *Term) *Term {
	if a.Op == OpOr && b.Op == OpOr && and && len(a.Args) == 2 && len(b.Args) == 2 ||
		a.Op == OpAnd && b.Op == OpAnd && !and && len(a.Args) == 2 && len(b.Args) == 2 {
		x, y := a.Args[0], a.Args[1]
		if opposite(x, b.Args[0]) && opposite(y, b.Args[1]) ||
			opposite(x, b.Args[1]) && opposite(y, b.Args[0]) {
			if and { // (x | y) & (!x | !y)
				return equivalence(x, y, false)
			}
			return equivalence(x, y, true)
		}
		return nil
	}
	if b.Op == OpLt || b.Op == OpLe {
		if other := halvesOf(and, b, a); other != nil {
			return other
		}
	}
	return halvesOf(and, a, b)
}

func halvesOf(and bool, a, b *Term) *Term {
	if isComparison(a) && isComparison(b) {
		return bounded(and, a, b)
	}
	sides := func(b *Term) bool {
		return Equal(a.Args[0], b.Args[0]) && Equal(a.Args[1], b.Args[1]) ||
			Equal(a.Args[0], b.Args[1]) && Equal(a.Args[1], b.Args[0])
	}
	switch {
	case a.Op == OpLe && and && b.Op == OpNot && b.Args[0].Op == OpEq && sides(b.Args[0]):
		return Lt(a.Args[0], a.Args[1])
	case a.Op == OpLt && !and && b.Op == OpEq && sides(b):
		return Le(a.Args[0], a.Args[1])
	}
	return nil
}

// opposite reports whether two formulas in normal form are each other's negation.
func opposite(a, b *Term) bool {
	return complementary(a, b) || a.Op != OpNot && b.Op != OpNot && Equal(opposed(a), b)
}

// factored joins two disjunctions, under the same universal quantifiers, that differ in one part:
// (a | b) & (a | c) is a | (b & c). It gives nil for others.
func factored(a, b *Term) *Term {
	vars, x := universal(a)
	others, y := universal(b)
	if len(vars) != len(others) || x.Op != OpOr || y.Op != OpOr {
		return nil
	}
	if y = renamed(y, others, vars); y == nil {
		return nil
	}
	var common []*Term
	left, right := remove(x.Args, y.Args), remove(y.Args, x.Args)
	for _, t := range x.Args {
		if !has(left, t) {
			common = append(common, t)
		}
	}
	if len(left) != 1 || len(right) != 1 || len(common) == 0 || MayReadOutside(a) ||
		MayReadOutside(b) {
		return nil
	}
	return quantified(true, vars, joined(false, append(common, joined(true, left[0], right[0]))...))
}

func universal(t *Term) ([]*Var, *Term) {
	if t.Op == OpForall {
		return t.Vars, t.Args[0]
	}
	return nil, t
}

// renamed puts other variables in place of the ones of a formula, in the order of their sorts; nil
// if the sorts differ.
func renamed(t *Term, from, to []*Var) *Term {
	m := map[*Var]*Term{}
	used := map[*Var]bool{}
	for _, v := range from {
		for _, w := range to {
			if !used[w] && SameSort(v.Sort, w.Sort) {
				m[v], used[w] = Ref(w), true
				break
			}
		}
		if m[v] == nil {
			return nil
		}
	}
	return Subst(t, m)
}

func has(ts []*Term, t *Term) bool {
	for _, o := range ts {
		if Equal(o, t) {
			return true
		}
	}
	return false
}

func remove(from, what []*Term) (out []*Term) {
	for _, t := range from {
		if !has(what, t) {
			out = append(out, t)
		}
	}
	return out
}
