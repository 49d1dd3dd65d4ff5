// Package ere is the front end of erelong's own language, which contains mypyvy's.
//
// In: the text of a file. Out: a validated system.System, or diagnostics with positions. The phases
// are in the packages syntax (text to trees), check (trees to IR) and format (text to tidy text).
package ere

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/check"
	"erelong.dev/erelong/internal/front/ere/flat"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Load reads a file. The error is a *diag.List when the text is at fault. Warnings come back in any
// case.
func Load(path string) (*system.System, *diag.List, error) {
	spec, list, err := Open(path)
	if err != nil {
		return nil, list, err
	}
	return spec.System, list, nil
}

// Compile makes a system of a text; name is what messages call it, and its ending says whether
// mypyvy's restrictions hold.
func Compile(name, text string) (*system.System, *diag.List, error) {
	spec, list, err := Read(name, text)
	if err != nil {
		return nil, list, err
	}
	return spec.System, list, nil
}

// Specification is a text after reading: its system, and the names for further expressions about
// it.
type Specification struct {
	System     *system.System
	scope      *check.Scope
	structured *flat.Expressions // nil for a file without structured data
}

// Variables lists the variables of the text, with their positions and sorts.
func (s *Specification) Variables() []*logic.Var {
	if s.scope == nil { // of another front end
		return nil
	}
	return s.scope.Variables()
}

// Open is Load for a caller that reads expressions later.
func Open(path string) (*Specification, *diag.List, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, &diag.List{}, fmt.Errorf("reading the specification: %w", err)
	}
	return Read(filepath.ToSlash(path), string(text))
}

// Expression reads an expression of any sort over one state. Elements names values that the text of
// a specification cannot write: the elements of an uninterpreted sort in an instance. The error is
// a *diag.List.
func (s *Specification) Expression(
	text string, elements map[string]*logic.Term,
) (*logic.Term, error) {
	t, _, err := s.Partial(text, elements)
	return t, err
}

// Formula is Expression without elements of instances.
func (s *Specification) Formula(text string) (*logic.Term, error) { return s.Expression(text, nil) }

// Partial is Expression with the condition under which the expression has a value: what it says of
// a part of structured data means something only where there is such a part.
func (s *Specification) Partial(
	text string, elements map[string]*logic.Term,
) (t, needs *logic.Term, err error) {
	errs := &diag.List{}
	if err := s.System.NeedsFormulas("have expressions evaluated in its states"); err != nil {
		errs.Errorf(diag.Unsupported, diag.Span{Source: diag.NewSource("expression", text),
			End: len(text)}, "%v", err)
		return nil, nil, errs
	}
	x := syntax.ParseExpr(diag.NewSource("expression", text), s.scope.Declares, errs)
	if x != nil && s.structured != nil {
		x = s.structured.Lower(x, errs)
	} else if x != nil && syntax.IsStructured(x) {
		errs.Errorf(diag.Unsupported, x.Span, "the file has no structured data, so this is not "+
			"known here")
		x = nil
	}
	if x != nil {
		if t, needs := s.scope.Expression(x, elements, errs); t != nil {
			return t, needs, nil
		}
	}
	errs.Sort()
	return nil, nil, errs
}

// Read is Compile for a caller that reads expressions later.
func Read(name, text string) (*Specification, *diag.List, error) {
	return ReadBeside(name, text, os.ReadFile)
}

// ReadBeside is Read where beside reads the files that the text includes.
func ReadBeside(
	name, text string, beside func(path string) ([]byte, error),
) (*Specification, *diag.List, error) {
	errs := &diag.List{}
	file := syntax.Load(diag.NewSource(name, text), beside, errs)
	if err := errs.Err(); err != nil {
		errs.Sort()
		return nil, errs, err
	}
	spec, err := Build(context.Background(), file, errs)
	return spec, errs, err
}

// VariablesOf lists the variables of a file that may have errors, as far as it can be read.
func VariablesOf(ctx context.Context, file *syntax.File) []*logic.Var {
	errs := &diag.List{}
	if file.Structured {
		if file, _, _ = flat.File(ctx, file, errs); errs.Err() != nil {
			return nil
		}
	}
	_, scope := check.Check(ctx, file, errs)
	if scope == nil {
		return nil
	}
	return scope.Variables()
}

// Build makes a specification of a parsed file. Its messages go to errs, which is the error when
// one of them is an error.
func Build(ctx context.Context, file *syntax.File, errs *diag.List) (*Specification, error) {
	var view *result.View
	var structured *flat.Expressions
	if file.Structured {
		file, view, structured = flat.File(ctx, file, errs)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%s: its structured data was not read to the end: %w",
				file.Source.Name, context.Cause(ctx))
		}
		if err := errs.Err(); err != nil {
			errs.Sort()
			return nil, err
		}
	}
	sys, scope := check.Check(ctx, file, errs)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%s was not read to the end: %w", file.Source.Name,
			context.Cause(ctx))
	}
	errs.Sort()
	if err := errs.Err(); err != nil {
		return nil, err
	}
	if err := system.Validate(sys); err != nil {
		return nil, fmt.Errorf("internal error: the system made of %s is not well-formed: %w",
			file.Source.Name, err)
	}
	if view != nil {
		for _, d := range sys.Folds() {
			view.Hidden = append(view.Hidden, d.Symbol.Name)
		}
	}
	sys.View = view
	return &Specification{sys, scope, structured}, nil
}
