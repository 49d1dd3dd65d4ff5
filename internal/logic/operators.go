package logic

import "strconv"

// Op is the kind of a term's root.
type Op int

const (
	OpTrue Op = iota
	OpFalse
	OpInt      // Int holds the value
	OpMember   // a member of an enum or an element of a finite sort: Index within Sort
	OpVar      // Var
	OpApp      // Symbol applied to Args, in the state numbered Step
	OpNot      // 1 argument
	OpAnd      // any number of arguments
	OpOr       // any number of arguments
	OpImplies  // 2
	OpIff      // 2
	OpEq       // 2, of the same sort
	OpDistinct // any number, of the same sort
	OpLt       // 2 integers
	OpLe       // 2 integers
	OpAdd      // any number of integers, at least 1
	OpSub      // 2 integers
	OpMul      // 2 integers
	OpDiv      // an integer, and a positive literal: the quotient, rounded down
	OpMod      // an integer, and a positive literal: the remainder, at least 0
	OpNeg      // 1 integer
	OpIte      // condition, then, else
	OpForall   // Vars, 1 argument
	OpExists   // Vars, 1 argument
	OpLet      // Vars[0] stands for Args[0] in Args[1]
	OpAlways
	OpEventually
	OpUntil   // Args[0] holds until Args[1] does, and Args[1] holds at some time
	OpLeadsTo // always (Args[0] -> eventually Args[1])

	opEnd // the number of kinds
)

// Signature says how an operator is written, and the sorts of its arguments and of its result.
type Signature struct {
	Text    string
	Args    int   // their number, or Any
	Operand *Sort // nil for any, which all arguments share
	Result  *Sort
}

// Any is a number of arguments that is not fixed.
const Any = -1

// signatures has the operators whose arguments all have one sort. The other kinds of terms are
// members, variables, applications, if and let.
var signatures = [opEnd]Signature{
	OpTrue:       {"true", 0, nil, Bool},
	OpFalse:      {"false", 0, nil, Bool},
	OpInt:        {"a number", 0, nil, Int},
	OpNot:        {"!", 1, Bool, Bool},
	OpAnd:        {"&", Any, Bool, Bool},
	OpOr:         {"|", Any, Bool, Bool},
	OpImplies:    {"->", 2, Bool, Bool},
	OpIff:        {"<->", 2, Bool, Bool},
	OpEq:         {"=", 2, nil, Bool},
	OpDistinct:   {"distinct", Any, nil, Bool},
	OpLt:         {"<", 2, Int, Bool},
	OpLe:         {"<=", 2, Int, Bool},
	OpAdd:        {"+", Any, Int, Int},
	OpSub:        {"-", 2, Int, Int},
	OpMul:        {"*", 2, Int, Int},
	OpDiv:        {"div", 2, Int, Int},
	OpMod:        {"mod", 2, Int, Int},
	OpNeg:        {"-", 1, Int, Int},
	OpForall:     {"forall", 1, Bool, Bool},
	OpExists:     {"exists", 1, Bool, Bool},
	OpAlways:     {"always", 1, Bool, Bool},
	OpEventually: {"eventually", 1, Bool, Bool},
	OpUntil:      {"until", 2, Bool, Bool},
	OpLeadsTo:    {"~>", 2, Bool, Bool},
}

// Signature is false for a kind of terms without one.
func (op Op) Signature() (Signature, bool) {
	if op < 0 || op >= opEnd || signatures[op].Result == nil {
		return Signature{}, false
	}
	return signatures[op], true
}

// String is the text of an operator, or a number.
func (op Op) String() string {
	if s, ok := op.Signature(); ok {
		return s.Text
	}
	return strconv.Itoa(int(op))
}

// Ops lists all kinds of terms.
func Ops() []Op {
	out := make([]Op, opEnd)
	for i := range out {
		out[i] = Op(i)
	}
	return out
}

// IsTemporal reports whether the value of a term of this kind depends on a run, not on a state.
func (op Op) IsTemporal() bool { return op >= OpAlways && op < opEnd }
