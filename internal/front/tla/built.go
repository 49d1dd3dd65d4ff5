package tla

import (
	"context"
	"errors"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
	ere_syntax "erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/translate"
	"erelong.dev/erelong/internal/system"
)

// built is a translation as a specification. A claim that the language cannot read is left out with
// a warning, and has no verdict. An error may stand where several claims have it, or nowhere: each
// of these claims is then read without the others.
func built(
	ctx context.Context, t *translate.Translation, errs *diag.List,
) (*ere.Specification, error) {
	file := *t.File
	read := func() (*ere.Specification, error) {
		return ere.Build(ctx, &file, &diag.List{}) // warnings are about words of no file
	}
	spec, first := read()
	var suspects []ere_syntax.Decl
	for err := first; err != nil; _, err = read() {
		n := len(suspects)
		file.Decls = slices.DeleteFunc(slices.Clone(file.Decls), func(d ere_syntax.Decl) bool {
			is := claims(d, err)
			if is {
				suspects = append(suspects, d)
			}
			return is
		})
		if len(suspects) == n {
			return nil, first
		}
	}
	if len(suspects) == 0 {
		return spec, nil
	}
	rest := file.Decls
	var refused []ere_syntax.Decl
	for _, d := range suspects {
		file.Decls = append(slices.Clip(rest), d)
		if _, err := read(); err != nil {
			why := diag.First(err)
			if why == nil {
				return nil, err
			}
			refused = append(refused, d)
			leaveOut(t, d.(*ere_syntax.FormulaDecl), why, errs)
		}
	}
	t.File.Decls = slices.DeleteFunc(t.File.Decls, func(d ere_syntax.Decl) bool {
		return slices.Contains(refused, d)
	})
	file.Decls = t.File.Decls
	return read()
}

// claims reports whether a declaration claims a formula at which one of some errors may be.
func claims(d ere_syntax.Decl, err error) bool {
	f, ok := d.(*ere_syntax.FormulaDecl)
	var list *diag.List
	if !ok || !errors.As(err, &list) {
		return false
	}
	switch f.Word {
	case "safety", "invariant", "theorem", "liveness", "temporal":
		return slices.ContainsFunc(list.All, func(e *diag.Diagnostic) bool {
			return e.Severity == diag.Error && contains(f.Expr, e.Span)
		})
	}
	return false
}

// contains reports whether a part of an expression has a place.
func contains(x *ere_syntax.Expr, at diag.Span) bool {
	return x.Span == at || slices.ContainsFunc(x.Args, func(a *ere_syntax.Expr) bool {
		return contains(a, at)
	}) || slices.ContainsFunc(x.Arms, func(a *ere_syntax.Arm) bool {
		return a.Value != nil && contains(a.Value, at)
	})
}

// leaveOut notes that a claim has no verdict, and why.
func leaveOut(
	t *translate.Translation, f *ere_syntax.FormulaDecl, why *diag.Diagnostic, errs *diag.List,
) {
	name := f.Name.Text
	if !slices.Contains(t.Tried, name) {
		t.Unread = append(t.Unread, system.Unread{Name: name, Why: why.Message,
			Line: f.Span.Line()})
	}
	errs.Warnf(diag.NoEffect, why.Span, "%s is left out: %s", name, why.Message)
}
