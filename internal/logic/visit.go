package logic

import "fmt"

// Visitor has a method for each shape of terms. In is what a term inherits from where it stands, as
// a scope or a sign; Out is what becomes of it. A method visits the arguments itself, so it decides
// their order, and which of them count.
type Visitor[In, Out any] interface {
	Literal(t *Term, in In) Out // true, false, a number, a member
	Variable(t *Term, in In) Out
	Application(t *Term, in In) Out
	Not(t *Term, in In) Out
	Junction(t *Term, in In) Out // and, or
	Implication(t *Term, in In) Out
	Equality(t *Term, in In) Out // of formulas (<->), or of other terms (=)
	Distinct(t *Term, in In) Out
	Comparison(t *Term, in In) Out // of integers: <, <=
	Arithmetic(t *Term, in In) Out // an integer made of integers: see Arithmetic
	Conditional(t *Term, in In) Out
	Quantifier(t *Term, in In) Out // forall, exists
	Let(t *Term, in In) Out
	Temporal(t *Term, in In) Out
}

// Visit calls the method for the shape of a term.
func Visit[In, Out any](v Visitor[In, Out], t *Term, in In) Out {
	switch t.Op {
	case OpTrue, OpFalse, OpInt, OpMember:
		return v.Literal(t, in)
	case OpVar:
		return v.Variable(t, in)
	case OpApp:
		return v.Application(t, in)
	case OpNot:
		return v.Not(t, in)
	case OpAnd, OpOr:
		return v.Junction(t, in)
	case OpImplies:
		return v.Implication(t, in)
	case OpIff, OpEq:
		return v.Equality(t, in)
	case OpDistinct:
		return v.Distinct(t, in)
	case OpLt, OpLe:
		return v.Comparison(t, in)
	case OpAdd, OpSub, OpMul, OpDiv, OpMod, OpNeg:
		return v.Arithmetic(t, in)
	case OpIte:
		return v.Conditional(t, in)
	case OpForall, OpExists:
		return v.Quantifier(t, in)
	case OpLet:
		return v.Let(t, in)
	case OpAlways, OpEventually, OpUntil, OpLeadsTo:
		return v.Temporal(t, in)
	}
	panic(fmt.Sprintf("operator %d has no shape", t.Op))
}

// Arithmetic has a method for each operator on integers, as Visitor for each shape.
type Arithmetic[In, Out any] interface {
	Add(t *Term, in In) Out
	Sub(t *Term, in In) Out
	Mul(t *Term, in In) Out
	Div(t *Term, in In) Out
	Mod(t *Term, in In) Out
	Neg(t *Term, in In) Out
}

// VisitArithmetic calls the method for an operator on integers.
func VisitArithmetic[In, Out any](a Arithmetic[In, Out], t *Term, in In) Out {
	switch t.Op {
	case OpAdd:
		return a.Add(t, in)
	case OpSub:
		return a.Sub(t, in)
	case OpMul:
		return a.Mul(t, in)
	case OpDiv:
		return a.Div(t, in)
	case OpMod:
		return a.Mod(t, in)
	case OpNeg:
		return a.Neg(t, in)
	}
	panic(fmt.Sprintf("%s is no operator on integers", t.Op))
}
