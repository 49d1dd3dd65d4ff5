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
// about an element, or a term about a position (see value). One that is an argument itself, as an
// element of a set, is kept as a code (see code). A variable over variants becomes one formula for
// each constructor, and an action with such a parameter one action for each.
//
// An expression that may have no value (the last element of an empty sequence) becomes an
// ExprNeeds, from which package check makes claims.
package flat

import (
	"context"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/result"
)

// File replaces the structured data of a file. When errs has an error afterwards, the result is
// incomplete. The end of the context is such an error.
func File(
	ctx context.Context, file *syntax.File, errs *diag.List,
) (*syntax.File, *result.View, *Expressions) {
	f := newFlattener(ctx, file, errs)
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
	f.declareCodes()
	out := *file
	f.hideAdded()
	f.ctx = context.Background() // expressions are lowered later
	out.Decls = append(f.added, f.out...)
	out.Structured = false
	return &out, f.view, &Expressions{f}
}

// flattener is one call of File: it lowers declarations. The types that it is made of are layers,
// of which each uses the ones below it.
type flattener struct {
	*actions
	out []syntax.Decl
}

func newFlattener(ctx context.Context, file *syntax.File, errs *diag.List) *flattener {
	k := &known{ctx: ctx, file: file, errs: errs, taken: map[string]bool{},
		numbers: map[string]int{}, sorts: map[string]syntax.Decl{},
		types: map[string]*typ{}, globals: map[string]*global{},
		binders: map[*syntax.Binder]*typ{}, builtins: builtins()}
	syntax.AddNames(file.Decls, k.taken)
	t := &typer{known: k, typeOf: map[*syntax.Expr]*typ{},
		freeOf: map[*syntax.Expr][]freeVariable{}}
	v := &values{typer: t, active: map[string]bool{}, quorum: map[string]*quorum{},
		usual: map[string]string{}, codes: map[string]*code{}}
	v.waiting = &waiting{f: v}
	p := &places{values: v, leaves: map[leaf]string{}, parts: map[string]bool{},
		bounds: map[string]bool{}}
	v.decode = p.decoded
	l := &lowerer{places: p, done: map[placed]*value{},
		view: &result.View{Actions: map[string]*result.StructuredAction{}}}
	return &flattener{actions: &actions{lowerer: l}}
}
