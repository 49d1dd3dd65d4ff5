// Package types gives types to the expressions of a TLA+ specification.
//
// In: the formulas of a model whose constants have no values. Out: a type for each variable,
// constant and expression, or an error with the two uses that disagree. Types are found by
// unification after operators are expanded, so an operator may have another type at each use. A
// record type has the fields of all records that meet in it: which of them a value has depends on
// how it was made.
package types

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/core"
)

// Kind is the form of a type.
type Kind uint8

// The kinds. Element is what nothing is known of but which elements there are: of a constant set,
// or strings. Free is not known yet.
const (
	Free Kind = iota
	Bool
	Int
	Element
	Set
	Map // a function
	Sequence
	Tuple
	Record
	Sum // values of several kinds
)

// Type is a type. Types that were found to be the same have one root.
type Type struct {
	kind   Kind
	parts  []*Type          // of a set or sequence the element, of a function key and value
	fields map[string]*Type // of a record
	span   diag.Span        // where the kind was found
	up     *Type
	// Uses are what is known of a type whose kind the use leaves open.
	text bool // a string is among the elements
	// Ranges are the ranges of numbers that such integers are from, if nothing else is known of
	// them; of elements the one that they are.
	ranges       []*core.Operator
	alternatives map[alternative]*Type // of a sum
}

// Integer is the type of integers.
func Integer() *Type { return &Type{kind: Int} }

// SetOf is the type of sets of values of a type.
func SetOf(t *Type) *Type { return &Type{kind: Set, parts: []*Type{t}} }

// Boolean is the type of truth values.
func Boolean() *Type { return &Type{kind: Bool} }

// root is the type that a type has become. It makes the way there shorter.
func (t *Type) root() *Type {
	for t.up != nil {
		if t.up.up != nil {
			t.up = t.up.up
		}
		t = t.up
	}
	return t
}

// real is the root of a type; of a sum with one alternative this alternative.
func (t *Type) real() *Type {
	t = t.root()
	if t.kind == Sum && len(t.alternatives) == 1 {
		return t.sorted()[0].real()
	}
	return t
}

// Kind is the form of a type. A type of which nothing is known has elements.
func (t *Type) Kind() Kind {
	r := t.real()
	if r.kind == Free || r.kind == Sum && len(r.alternatives) == 0 {
		return Element
	}
	return r.kind
}

// Same reports whether two types are one.
func (t *Type) Same(u *Type) bool { return t.real() == u.real() }

// Root is one type for all that are the same.
func (t *Type) Root() *Type { return t.real() }

// Elem is the type of the elements of a set or sequence, and of the values of a function.
func (t *Type) Elem() *Type {
	r := t.real()
	return r.parts[len(r.parts)-1].real()
}

// Key is the type of the arguments of a function.
func (t *Type) Key() *Type { return t.real().parts[0].real() }

// Parts are the types of the parts of a tuple.
func (t *Type) Parts() []*Type { return t.real().parts }

// Fields are the names of the fields of a record, sorted.
func (t *Type) Fields() []string { return slices.Sorted(maps.Keys(t.real().fields)) }

// Field is the type of a field.
func (t *Type) Field(name string) *Type { return t.real().fields[name] }

// String describes a type for messages.
func (t *Type) String() string { return t.describe(0) }

func (t *Type) describe(depth int) string {
	t = t.real()
	if depth > 3 {
		return "…"
	}
	part := func(i int) string { return t.parts[i].describe(depth + 1) }
	switch t.kind {
	case Bool:
		return "a truth value"
	case Int:
		return "an integer"
	case Set:
		return "a set of " + plural(part(0))
	case Map:
		return fmt.Sprintf("a function from %s to %s", plural(part(0)), plural(part(1)))
	case Sequence:
		return "a sequence of " + plural(part(0))
	case Tuple:
		var out []string
		for i := range t.parts {
			out = append(out, part(i))
		}
		return "a tuple of " + strings.Join(out, " and ")
	case Record:
		return "a record with " + strings.Join(t.Fields(), ", ")
	case Sum:
		var out []string
		for _, a := range t.sorted() {
			out = append(out, a.describe(depth+1))
		}
		return strings.Join(out, " or ")
	}
	if t.text {
		return "a string"
	}
	return "an element"
}

// plural makes the text of many things of the text of one.
func plural(one string) string {
	_, rest, _ := strings.Cut(one, " ")
	head, tail, of := strings.Cut(rest, " of ")
	if !of {
		if head, tail, of = strings.Cut(rest, " with "); of {
			return head + "s with " + tail
		}
		return rest + "s"
	}
	return head + "s of " + tail
}
