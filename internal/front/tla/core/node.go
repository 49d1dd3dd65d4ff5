// Package core makes one expression of each formula of a TLA+ specification: names are resolved,
// operators expanded, instances substituted.
//
// In: syntax trees of modules, and a configuration that gives values to constants. Out: Nodes, in
// which a name is a variable of the state, before or after a step, or a place of a frame. The prime
// of an expression is gone: its variables are primed. Operators are expanded where they are
// applied, so each node is of one level (constant, state or action; Lamport, Specifying Systems,
// §17.2), and only recursive operators are procedures.
package core

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/value"
)

// Level says what the value of a node depends on.
type Level uint8

// The levels.
const (
	Constant Level = iota
	State
	Step
	Temporal
)

// Node is an expression.
type Node interface {
	// Level is the highest level of the parts.
	Level() Level
	// Lowest is the lowest place of the frame that the node reads or binds.
	Lowest() int
	Span() diag.Span
}

// none is Lowest of a node without places.
const none = 1 << 30

type base struct {
	level  Level
	lowest int
	span   diag.Span
}

func (b *base) Level() Level    { return b.level }
func (b *base) Lowest() int     { return b.lowest }
func (b *base) Span() diag.Span { return b.span }

// over makes the base of a node with parts.
func over(span diag.Span, parts ...Node) base {
	b := base{lowest: none, span: span}
	for _, p := range parts {
		b.join(p)
	}
	return b
}

func (b *base) join(p Node) {
	if p != nil {
		b.level, b.lowest = max(b.level, p.Level()), min(b.lowest, p.Lowest())
	}
}

// True is the truth.
func True(s *value.Space) Node { return &Literal{base{lowest: none}, s.True} }

// Text is a string.
func Text(s *value.Space, text string) Node { return &Literal{base{lowest: none}, s.String(text)} }

// Negation is the negation of a formula.
func Negation(n Node) Node { return &Not{over(n.Span(), n), n} }

// PartIn says that what a function has for a key is in a set.
func PartIn(span diag.Span, function, key, set Node) Node {
	elem := &Operator{over(span, function, key), "[]", []Node{function, key}}
	return ElementOf(span, elem, set)
}

// ElementOf says that an element is in a set.
func ElementOf(span diag.Span, elem, set Node) Node {
	return &In{over(span, elem, set), elem, set}
}

// Place is a place of the frame as a node.
func Place(slot int) Node { return &Slot{base{lowest: slot}, slot} }

// Once is a constant that is computed once, in a frame of a size. The index is its own.
func Once(n Node, frame, index int) Node {
	return &Shared{over(n.Span(), n), n, frame, index}
}

// Binding binds places to the elements of a set: one place, or with Tuple the elements of a tuple.
type Binding struct {
	Names []string
	Slots []int
	Tuple bool
	Set   Node // nil for a CHOOSE without a set
}

// The nodes.
type (
	// Literal is a value.
	Literal struct {
		base
		Value *value.Value
	}
	// Variable is a variable of the state, in the state after the step if it is primed.
	Variable struct {
		base
		Index  int
		Primed bool
	}
	// Slot is a place of the frame.
	Slot struct {
		base
		Slot int
	}
	// Operator is a built-in operator on values, by its name.
	Operator struct {
		base
		Name string
		Args []Node
	}
	// Junction is a conjunction or a disjunction.
	Junction struct {
		base
		And  bool
		Args []Node
	}
	// Not, Implies and Equivalent are connectives.
	Not struct {
		base
		Arg Node
	}
	Implies struct {
		base
		Left, Right Node
	}
	Equivalent struct {
		base
		Left, Right Node
	}
	// Equal and In are also how an action gives values to variables.
	Equal struct {
		base
		Left, Right Node
	}
	In struct {
		base
		Elem, Set Node
	}
	// If is a choice between two.
	If struct {
		base
		Cond, Then, Else Node
	}
	// Case is the first arm whose condition is true. Other is nil where there is none.
	Case struct {
		base
		Conds, Values []Node
		Other         Node
	}
	// Quantified says that all elements, or some, satisfy the body.
	Quantified struct {
		base
		All      bool
		Bindings []Binding
		Body     Node
	}
	// Choose is the first element that satisfies the body.
	Choose struct {
		base
		Binding Binding
		Body    Node
	}
	// Filter is a set of elements of a set.
	Filter struct {
		base
		Binding Binding
		Body    Node
	}
	// Image is the set of the values of the body.
	Image struct {
		base
		Bindings []Binding
		Body     Node
	}
	// Function is a function by its values. Self is the place of the function itself where it is
	// recursive, -1 otherwise; then Name is its name.
	Function struct {
		base
		Name     string
		Bindings []Binding
		Body     Node
		Self     int
		Frame    int // the size of the frame that the body needs
	}
	// Record is a record; Values are by Fields. With Sets it is the set of records.
	Record struct {
		base
		Fields *value.Fields
		Values []Node
		Sets   bool
	}
	// Select is a field of a record.
	Select struct {
		base
		Record Node
		Field  string
	}
	// Except is a function or record with some other values. In Value, the old value is in a place.
	Except struct {
		base
		Function Node
		Updates  []Update
		Strict   bool // it is an error that there is nothing to replace
	}
	// Let gives a place a value that is computed when it is read.
	Let struct {
		base
		Slot        int
		Value, Body Node
	}
	// Call calls a recursive operator.
	Call struct {
		base
		Procedure *Procedure
		Args      []Node
	}
	// Shared is a constant, which is computed once.
	Shared struct {
		base
		Value Node
		Frame int // the size of the frame that it needs
		Index int // among all shared nodes
	}
	// Global is what a definition without parameters stands for. It needs a frame of its own.
	Global struct {
		base
		Value Node
		Frame int
	}
	// Named is the expansion of an operator.
	Named struct {
		base
		Name   string
		Params []string
		Args   []Node // of Params
		Body   Node
	}
	// Enabled says that there is a step that an action allows.
	Enabled struct {
		base
		Body Node
	}
	// Composed is a step of the first action and a step of the second from the state between.
	Composed struct {
		base
		First, Second Node
	}
	// Always, Eventually and LeadsTo are of level Temporal. So are the actions of a property.
	Always struct {
		base
		Arg Node
	}
	Eventually struct {
		base
		Arg Node
	}
	LeadsTo struct {
		base
		Left, Right Node
	}
	// Action is [A]_v, or with Angle <<A>>_v; Unchanged says that v is.
	Action struct {
		base
		Angle           bool
		Body, Unchanged Node
	}
	// Fair is a fairness condition for an action.
	Fair struct {
		base
		Name    string
		Strong  bool
		Any     bool // A is what the specification says of all steps, and v are all variables
		Taken   Node // <<A>>_v
		Enabled Node
	}
	// Refused is an expression that has no meaning here. It is an error where it is evaluated.
	Refused struct {
		base
		Why string
	}
)

// Update is a part of an Except. Each access of Path is the argument of a function, or a Literal
// string for a field.
type Update struct {
	Path  []Node
	Value Node
	Old   int // the place of the old value, -1 where Value does not need it
}

// Procedure is a recursive operator. Its frame begins with the places below Outer of the frame
// where it is called.
type Procedure struct {
	Name   string
	Params []int
	Body   Node // nil while it is made
	Outer  int
	Frame  int
	level  Level
}
