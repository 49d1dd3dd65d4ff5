// Package flat replaces structured data: a file with records, variants, sets, sequences and maps
// becomes one with relations, functions and constants.
//
// In: a syntax.File. Out: a syntax.File with the same runs, a result.View that says which symbols
// hold the parts of which value, and Expressions for what is asked about it later. Every engine
// therefore has structured data, and proofs stay in first-order logic.
//
// A record is its fields. A variant is a member of an enum and the fields of each constructor. A
// set is a relation, a sequence a size and functions of the position, a map a relation and
// functions of the key. Where a value has no part (behind the end of a sequence, for a key that a
// map does not have, for the fields of other constructors), the function has one fixed value, so
// equal values are equal states. A set, sequence or map in a formula is no term: it is a formula
// about an element, or a term about a position (see value). A variable over variants becomes one
// formula for each constructor, and an action with such a parameter one action for each.
//
// An expression that may have no value (the last element of an empty sequence) becomes an
// ExprNeeds, from which package check makes claims.
package flat

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/result"
)

// File replaces the structured data of a file. When errs has an error afterwards, the result is
// incomplete.
func File(file *syntax.File, errs *diag.List) (*syntax.File, *result.View, *Expressions) {
	f := newFlattener(file, errs)
	f.readTypes()
	f.readGlobals()
	if errs.Err() != nil {
		return file, nil, nil
	}
	f.inferAll()
	if errs.Err() != nil {
		return file, nil, nil
	}
	f.declarations()
	out := *file
	f.hideAdded()
	out.Decls = append(f.added, f.out...)
	out.Structured = false
	return &out, f.view, &Expressions{f}
}

// flattener is one call of File.
type flattener struct {
	file  *syntax.File
	errs  *diag.List
	taken map[string]bool // names of the file and of the result

	sorts   map[string]syntax.Decl // by name
	types   map[string]*typ        // of declared types with structure
	globals map[string]*global
	typeOf  map[*syntax.Expr]*typ
	binders map[*syntax.Binder]*typ

	free   []freeVariable // of the formula that is being inferred
	freeOf map[*syntax.Expr][]freeVariable

	builtins map[string]*builtin
	inlining map[*syntax.DefinitionDecl]bool
	span     diag.Span       // of the expression that is being lowered
	naming   string          // the user's name for the next variable over elements
	active   map[string]bool // variables that are bound around what is being lowered
	assigned map[string]bool // symbols that earlier statements of an action assign

	added       []syntax.Decl // that the flat declarations need
	out         []syntax.Decl
	quorum      map[string]*quorum // by sort
	usual       map[string]string  // by sort: the constant that stands where there is no value
	leaves      map[leaf]string
	hasCapacity map[string]bool
	parts       map[string]bool // the symbols that hold parts of values
	view        *result.View
}

func newFlattener(file *syntax.File, errs *diag.List) *flattener {
	f := &flattener{
		file: file, errs: errs, taken: map[string]bool{},
		sorts: map[string]syntax.Decl{}, types: map[string]*typ{},
		globals: map[string]*global{}, typeOf: map[*syntax.Expr]*typ{},
		binders: map[*syntax.Binder]*typ{}, freeOf: map[*syntax.Expr][]freeVariable{},
		builtins: builtins(), inlining: map[*syntax.DefinitionDecl]bool{},
		active: map[string]bool{},
		quorum: map[string]*quorum{}, usual: map[string]string{},
		leaves: map[leaf]string{}, parts: map[string]bool{}, hasCapacity: map[string]bool{},
		view: &result.View{Actions: map[string]*result.StructuredAction{}},
	}
	syntax.AddNames(file.Decls, f.taken)
	return f
}

// fresh is a name that neither the file nor the result has, close to the wanted one.
func (f *flattener) fresh(wanted string) string {
	name := wanted
	for i := 2; f.taken[name] || syntax.IsKeyword(name); i++ {
		name = wanted + "_" + itoa(i)
	}
	f.taken[name] = true
	return name
}
