package logic

import (
	"math/big"

	"erelong.dev/erelong/internal/diag"
)

// The states of a two-state formula.
const (
	Pre  = 0
	Post = 1
)

// Term is an immutable term. Which fields are set depends on Op, as its constants say. Sort is
// never a range.
type Term struct {
	Op     Op
	Sort   *Sort
	Args   []*Term
	Symbol *Symbol
	Step   int // always Pre for an immutable symbol
	Var    *Var
	Vars   []*Var
	Int    *big.Int
	Index  int
	Span   diag.Span
}

var (
	True  = &Term{Op: OpTrue, Sort: Bool}
	False = &Term{Op: OpFalse, Sort: Bool}
)

// IsTrue and IsFalse test for the literals.
func (t *Term) IsTrue() bool  { return t.Op == OpTrue }
func (t *Term) IsFalse() bool { return t.Op == OpFalse }

// IsQuantifier reports whether a term is forall or exists.
func (t *Term) IsQuantifier() bool { return t.Op == OpForall || t.Op == OpExists }

// ComparesIntegers reports whether a formula compares two integers.
func (t *Term) ComparesIntegers() bool {
	return t.Op == OpLt || t.Op == OpLe || t.Op == OpEq && t.Args[0].Sort.Base() == Int
}

// At returns the same term with another source position.
func (t *Term) At(span diag.Span) *Term {
	if t.Span == span {
		return t
	}
	c := *t
	c.Span = span
	return &c
}

// BoolLit, IntLit and BigLit build literals.
func BoolLit(b bool) *Term {
	if b {
		return True
	}
	return False
}

func IntLit(n int64) *Term { return BigLit(big.NewInt(n)) }

func BigLit(n *big.Int) *Term { return &Term{Op: OpInt, Sort: Int, Int: n} }

// Literal is a value of a sort by its number: 1 is true, and other numbers are integers or indices
// of members.
func Literal(s *Sort, v int64) *Term {
	switch {
	case s.Kind == KindBool:
		return BoolLit(v == 1)
	case s.Base() == Int:
		return IntLit(v)
	}
	return Member(s, int(v))
}

// Member is the member of an enum, or the element of a finite uninterpreted sort, with the given
// index.
func Member(s *Sort, index int) *Term { return &Term{Op: OpMember, Sort: s, Index: index} }

// Ref is an occurrence of a variable.
func Ref(v *Var) *Term { return &Term{Op: OpVar, Sort: v.Sort.Base(), Var: v, Span: v.Span} }

// Refs are occurrences of several variables.
func Refs(vs []*Var) []*Term {
	out := make([]*Term, len(vs))
	for i, v := range vs {
		out[i] = Ref(v)
	}
	return out
}

// App applies a symbol in the state numbered step. For an immutable symbol the step is Pre,
// whatever is given.
func App(sym *Symbol, step int, args ...*Term) *Term {
	if !sym.Mutable {
		step = Pre
	}
	return &Term{Op: OpApp, Sort: sym.Result.Base(), Symbol: sym, Step: step, Args: args}
}

// Not negates, removing a double negation.
func Not(t *Term) *Term {
	switch t.Op {
	case OpTrue:
		return False
	case OpFalse:
		return True
	case OpNot:
		return t.Args[0]
	}
	return &Term{Op: OpNot, Sort: Bool, Args: []*Term{t}, Span: t.Span}
}

// Opposite negates, and turns a comparison of integers round instead.
func Opposite(t *Term) *Term {
	switch t.Op {
	case OpLt:
		return Le(t.Args[1], t.Args[0])
	case OpLe:
		return Lt(t.Args[1], t.Args[0])
	}
	return Not(t)
}

// And conjoins: nested conjunctions are flattened and literals removed.
func And(ts ...*Term) *Term { return junction(OpAnd, True, False, ts) }

// Or disjoins: nested disjunctions are flattened and literals removed.
func Or(ts ...*Term) *Term { return junction(OpOr, False, True, ts) }

func junction(op Op, unit, zero *Term, ts []*Term) *Term {
	var args []*Term
	for _, t := range ts {
		switch t.Op {
		case unit.Op:
		case zero.Op:
			return zero
		case op:
			args = append(args, t.Args...)
		default:
			args = append(args, t)
		}
	}
	switch len(args) {
	case 0:
		return unit
	case 1:
		return args[0]
	}
	return &Term{Op: op, Sort: Bool, Args: args}
}

// Implies builds a -> b.
func Implies(a, b *Term) *Term {
	switch {
	case a.IsTrue():
		return b
	case a.IsFalse(), b.IsTrue():
		return True
	case b.IsFalse():
		return Not(a)
	}
	return &Term{Op: OpImplies, Sort: Bool, Args: []*Term{a, b}}
}

// Iff builds a <-> b.
func Iff(a, b *Term) *Term {
	switch {
	case a.IsTrue():
		return b
	case b.IsTrue():
		return a
	case a.IsFalse():
		return Not(b)
	case b.IsFalse():
		return Not(a)
	}
	return &Term{Op: OpIff, Sort: Bool, Args: []*Term{a, b}}
}

// Eq builds a = b, which for formulas is a <-> b.
func Eq(a, b *Term) *Term {
	if a.Sort == Bool {
		return Iff(a, b)
	}
	if a == b {
		return True
	}
	return &Term{Op: OpEq, Sort: Bool, Args: []*Term{a, b}}
}

// Distinct is true when all arguments differ pairwise.
func Distinct(ts ...*Term) *Term { return &Term{Op: OpDistinct, Sort: Bool, Args: ts} }

// Lt, Le compare integers.
func Lt(a, b *Term) *Term { return &Term{Op: OpLt, Sort: Bool, Args: []*Term{a, b}} }
func Le(a, b *Term) *Term { return &Term{Op: OpLe, Sort: Bool, Args: []*Term{a, b}} }

// Add, Sub, Mul, Neg are integer arithmetic, unbounded. The sum of nothing is 0.
func Add(ts ...*Term) *Term {
	switch len(ts) {
	case 0:
		return IntLit(0)
	case 1:
		return ts[0]
	}
	return &Term{Op: OpAdd, Sort: Int, Args: ts}
}
func Sub(a, b *Term) *Term { return &Term{Op: OpSub, Sort: Int, Args: []*Term{a, b}} }
func Mul(a, b *Term) *Term { return &Term{Op: OpMul, Sort: Int, Args: []*Term{a, b}} }
func Neg(a *Term) *Term    { return &Term{Op: OpNeg, Sort: Int, Args: []*Term{a}} }

// Div and Mod divide by a positive number: a = Div(a, n) * n + Mod(a, n), and 0 <= Mod(a, n) < n
// (Euclid's division).
func Div(a *Term, n int64) *Term {
	return &Term{Op: OpDiv, Sort: Int, Args: []*Term{a, IntLit(n)}}
}

func Mod(a *Term, n int64) *Term {
	return &Term{Op: OpMod, Sort: Int, Args: []*Term{a, IntLit(n)}}
}

// Ite is if-then-else.
func Ite(c, a, b *Term) *Term {
	switch {
	case c.IsTrue():
		return a
	case c.IsFalse():
		return b
	case a == b:
		return a
	}
	return &Term{Op: OpIte, Sort: a.Sort, Args: []*Term{c, a, b}}
}

// Forall and Exists quantify; without variables they are the body.
func Forall(vs []*Var, body *Term) *Term { return quantify(OpForall, vs, body) }
func Exists(vs []*Var, body *Term) *Term { return quantify(OpExists, vs, body) }

func quantify(op Op, vs []*Var, body *Term) *Term {
	if len(vs) == 0 {
		return body
	}
	return &Term{Op: op, Sort: Bool, Vars: vs, Args: []*Term{body}}
}

// Let names a value within a body.
func Let(v *Var, value, body *Term) *Term {
	return &Term{Op: OpLet, Sort: body.Sort, Vars: []*Var{v}, Args: []*Term{value, body}}
}

// Temporal builds a term with one of the temporal operators.
func Temporal(op Op, args ...*Term) *Term { return &Term{Op: op, Sort: Bool, Args: args} }

// InSort is true when a term lies in a declared sort: a constraint for a range, True for every
// other sort.
func InSort(s *Sort, t *Term) *Term {
	if s.Kind != KindRange {
		return True
	}
	return And(Le(s.Lo, t), Le(t, s.Hi))
}
