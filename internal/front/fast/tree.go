package fast

import (
	"math/big"

	"erelong.dev/erelong/internal/diag"
)

// name is a name as written.
type name struct {
	text string
	span diag.Span
}

// expr is a formula, a term, a region, a set of transitions or a test; what it is follows from
// where it stands.
//
// The operators: name, number, true, false; ! && || = != < <= > >= + - * with args, where - may
// have one; {} with args; ? for any value; and the calls post*, pre*, subSet, isEmpty, equal.
type expr struct {
	op   string
	span diag.Span
	name string
	num  *big.Int
	args []*expr
}

const (
	opName   = "name"
	opNumber = "number"
	opBraces = "{}"
	opAny    = "?"
)

type file struct {
	model      *modelDecl
	strategies []*strategyDecl
}

type modelDecl struct {
	name        name
	vars        []name
	states      []name
	transitions []*transition
}

type transition struct {
	name     name
	from, to name
	guard    *expr // nil for true
	action   []assignment
	span     diag.Span
}

// assignment is target' = value.
type assignment struct {
	target name
	value  *expr
}

type strategyDecl struct {
	name name
	body []stmt
}

// A statement of a strategy.
type stmt interface{ stmt() }

type (
	// letStmt declares or changes a variable; kind is Region, Transitions, boolean, or empty.
	letStmt struct {
		kind  string
		name  name
		value *expr
	}
	// printStmt prints a text, or the value of an expression.
	printStmt struct {
		span  diag.Span
		text  string // without its quotes
		value *expr  // nil for a text
	}
	ifStmt struct {
		span       diag.Span
		cond       *expr
		then, rest []stmt
	}
)

type whileStmt struct {
	span diag.Span
	cond *expr
	body []stmt
}

func (*letStmt) stmt()   {}
func (*printStmt) stmt() {}
func (*ifStmt) stmt()    {}
func (*whileStmt) stmt() {}
