package tla

import (
	"context"
	"os"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/eval"
	"erelong.dev/erelong/internal/front/tla/syntax"
	"erelong.dev/erelong/internal/front/tla/translate"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/value"
)

// Made is a module with its configuration that the front end of a related language makes.
type Made struct {
	Language string // what a file of it is called, as in "a TLA+ model"
	Source   *diag.Source
	Module   *syntax.Module
	Config   *syntax.Config
	// Silent says that where nothing is claimed, nothing is checked.
	Silent bool
	// Shows gives the form of the values of a variable or a parameter, nil for the one of TLA+.
	Shows func(name string) Form
}

// Form is how results show the values of a type.
type Form interface {
	String() string
	Show(v *value.Value) result.Value
	// Read is the inverse of Show, nil for what is no value of the type.
	Read(v result.Value, s *value.Space) *value.Value
}

// nothing is where a module that is made reads files.
func nothing(string) ([]byte, error) { return nil, os.ErrNotExist }

// Build makes a system whose steps are computed.
func (d *Made) Build(ctx context.Context, errs *diag.List) (*ere.Specification, error) {
	space := value.NewSpace()
	spec := d.load(ctx, space, errs)
	if errs.Err() != nil {
		return nil, errs
	}
	m := spec.Build(d.Config, diag.Span{Source: d.Source})
	if m == nil {
		return nil, errs
	}
	sys := build(ctx, eval.New(m, nothing), d.Source, d.Module.Name.Text, d, errs)
	space.Seal()
	if sys == nil {
		return nil, errs
	}
	if err := system.Validate(sys); err != nil {
		return nil, err
	}
	return &ere.Specification{System: sys}, nil
}

func (d *Made) load(
	ctx context.Context, space *value.Space, errs *diag.List,
) *core.Spec {
	return core.Load(d.Module, []*syntax.Module{d.Module}, finder("", nothing), space, errs,
		eval.Constant(ctx, space, nothing))
}

// Open makes a specification for all values of the constants: one of formulas, which can be proved.
func (d *Made) Open(ctx context.Context, errs *diag.List) (*ere.Specification, error) {
	t, err := d.translated(ctx, errs)
	if err != nil {
		return nil, err
	}
	return specification(ctx, t, errs)
}

// Text is the specification for all values of the constants in erelong's language. Language is
// where it is from.
func (d *Made) Text(ctx context.Context, language string, errs *diag.List) (string, error) {
	t, err := d.translated(ctx, errs)
	if err != nil {
		return "", err
	}
	return written(d.Source.Name, language, t, func(string) bool { return false }, errs)
}

func (d *Made) translated(
	ctx context.Context, errs *diag.List,
) (*translate.Translation, error) {
	spec := d.load(ctx, value.NewSpace(), errs)
	if errs.Err() != nil {
		return nil, errs
	}
	m := spec.Open(d.Config, diag.Span{Source: d.Source})
	if errs.Err() != nil || m == nil {
		return nil, errs
	}
	t := translate.File(ctx, m, d.Source, nil, false, errs)
	switch {
	case ctx.Err() != nil:
		return nil, stopped(ctx, d.Source.Name, "its formulas are translated")
	case t == nil:
		return nil, errs
	}
	return t, nil
}
