package logic

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/diag"
)

// SortKind distinguishes the kinds of sorts.
type SortKind int

const (
	KindBool SortKind = iota
	KindInt
	KindUninterpreted // any non-empty set; its size is given by an instance
	KindEnum          // exactly the listed members, all distinct
	KindRange         // the integers Lo..Hi, whose ends are terms over immutable symbols
	KindInterned      // values that a front end computes, by their numbers in its table
)

// Sort is a sort. Bool and Int are unique; every other sort is identified by its pointer, except
// that two ranges with the same ends are interchangeable. The values of a range are integers, so
// terms never have a range as their sort: see Base.
type Sort struct {
	Kind    SortKind
	Name    string   // as the user writes it; for a range its source text
	Members []string // of an enum, in order
	Lo, Hi  *Term    // of a range, inclusive, over immutable symbols only
	Extent  Extent   // of an uninterpreted sort
	Span    diag.Span
}

// Extent is what a declaration says of the number of elements of an uninterpreted sort.
type Extent string

const (
	AnySize  Extent = ""         // nothing
	Finite   Extent = "finite"   // in each instance there are finitely many
	Infinite Extent = "infinite" // there may be infinitely many, so nothing counts them
)

// The two built-in sorts.
var (
	Bool = &Sort{Kind: KindBool, Name: "bool"}
	Int  = &Sort{Kind: KindInt, Name: "int"}
)

// MemberNamed is the index of the member of an enum that a text from outside means, -1 for none: a
// name, or what stands between the quotes of a string.
func (s *Sort) MemberNamed(text string) int {
	if i := slices.Index(s.Members, text); i >= 0 {
		return i
	}
	return slices.Index(s.Members, `"`+text+`"`)
}

// Base is the sort that a term of declared sort s has: Int for a range, else s itself.
func (s *Sort) Base() *Sort {
	if s.Kind == KindRange {
		return Int
	}
	return s
}

func (s *Sort) String() string { return s.Name }

// SymbolKind is the word by which a symbol was declared. It serves messages and printing only: a
// relation is a function to Bool, a constant a function without arguments.
type SymbolKind int

const (
	Relation SymbolKind = iota
	Function
	Constant
)

func (k SymbolKind) String() string { return [...]string{"relation", "function", "constant"}[k] }

// Symbol is an immutable parameter or a mutable part of the state, identified by its pointer.
type Symbol struct {
	Name    string
	Kind    SymbolKind
	Args    []*Sort
	Result  *Sort
	Mutable bool
	Derived bool // its value is defined in terms of other symbols
	Ghost   bool // does not influence the behaviour; only for proofs
	// Usual is the value of a constant in an instance that gives none; nil for most. With Grows it
	// is the number of places of a sequence: an exploration that fills them takes more.
	Usual *Term
	Grows bool
	// Keyed says that the symbol gives the values of the keys of a map: elsewhere it has the usual
	// value of its sort.
	Keyed bool
	// Notation is how the file writes a part of structured data, which the symbol holds; nil for a
	// symbol of the file.
	Notation *Notation
	// Declared is how the file declares what the symbol holds, such as `message ask(t: int)`; empty
	// where the symbol itself is declared.
	Declared string
	Span     diag.Span
	// Points are the positions of the sorts of the arguments; see Written.
	Points []diag.Span
}

// Written is where the file writes the sort of an argument. It does not write the age of a message
// in transit, or the position of an element: they stand at the declaration as a whole, or its name.
func (s *Symbol) Written(arg int) (at diag.Span, ok bool) {
	if arg >= len(s.Points) {
		return diag.Span{}, false
	}
	at = s.Points[arg]
	return at, at.Source != nil && at.Source == s.Span.Source &&
		(at.Start > s.Span.Start || at.End < s.Span.End)
}

// Notation is how a file writes an application of a symbol that holds a part of structured data.
// In Text, $0 stands for the symbol of the file, Name, and $1, $2, ... for the arguments.
type Notation struct {
	Name, Text string
	Arity      int  // how many arguments the text has
	Relates    bool // the text is a comparison, such as $2 in $0($1)
	// Cases are the constructors that the members of the result stand for: the equation with a
	// member is written `e is CASE`.
	Cases []string
}

func (s *Symbol) String() string { return s.Name }

// Signature prints the declaration without its first words, such as "f(client, int): ticket".
func (s *Symbol) Signature() string {
	out := s.Name
	if len(s.Args) > 0 {
		out += "("
		for i, a := range s.Args {
			if i > 0 {
				out += ", "
			}
			out += a.Name
		}
		out += ")"
	}
	if s.Kind != Relation {
		out += fmt.Sprintf(": %s", s.Result.Name)
	}
	return out
}

// Declaration is the symbol as the file declares it, without its first words, or what the file
// declares in its place.
func (s *Symbol) Declaration() string {
	if s.Declared != "" {
		return s.Declared
	}
	return s.Kind.String() + " " + s.Signature()
}

// Var is a bound variable, an action's parameter or a choice, identified by its pointer.
type Var struct {
	Name string
	Sort *Sort // may be a range
	Span diag.Span
}

func (v *Var) String() string { return v.Name }
