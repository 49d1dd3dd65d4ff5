package tla

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/printer"
	ere_syntax "erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/eval"
	"erelong.dev/erelong/internal/front/tla/syntax"
	"erelong.dev/erelong/internal/front/tla/translate"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/value"
)

// Open reads a module as a specification for all values of its constants: one of formulas, which
// can be proved. Where a configuration is there, it names what is claimed, and its constants make
// an instance: the ones whose values are not computed within a context are left out of it.
func Open(
	ctx, within context.Context, name, text string, files Files,
) (spec *ere.Specification, warnings *diag.List, err error) {
	errs := &diag.List{}
	t, err := translated(ctx, within, diag.NewSource(name, text), files, false, errs)
	if err != nil {
		return nil, errs, err
	}
	spec, err = specification(ctx, t, errs)
	return spec, errs, err
}

// Configured reports whether there is a configuration for a module.
func Configured(name string, files Files) bool {
	_, config, err := sources(diag.NewSource(name, ""), files)
	return err == nil && config != nil
}

// Beside is Open with what happens at some time, for a proof beside an exploration of the
// configured model, if there is one. Where that model may be none of the ones that the proof is
// about, this is an error.
func Beside(
	ctx context.Context, name, text string, files Files,
) (spec *ere.Specification, warnings *diag.List, err error) {
	errs := &diag.List{}
	t, err := translated(ctx, ctx, diag.NewSource(name, text), files, true, errs)
	if err != nil {
		return nil, errs, err
	}
	if len(t.Departs) > 0 {
		return nil, errs, errors.New(strings.Join(t.Departs, ", "))
	}
	spec, err = specification(ctx, t, errs)
	return spec, errs, err
}

// specification is a translation as a specification.
func specification(
	ctx context.Context, t *translate.Translation, errs *diag.List,
) (*ere.Specification, error) {
	spec, err := built(ctx, t, errs)
	if err != nil {
		return nil, err
	}
	sys := spec.System
	sys.Unread = t.Unread
	if len(t.Unstated) > 0 { // which may exclude the states in which a claim is false
		for _, p := range sys.Properties {
			p.Doubt = "this is left out of the file: " + strings.Join(t.Unstated, ", ")
		}
	}
	for _, p := range sys.Properties {
		if t.Fair && p.Kind == system.Liveness && p.Doubt == "" {
			p.Doubt = "a step that changes nothing counts as one of a fair action here, and some " +
				"fairness may be left out"
		}
		p.Span = own(p.Span, t.File.Source)
	}
	for _, name := range t.Tried {
		for _, p := range []*system.Property{sys.Property(name),
			sys.Property(system.Definedness(name))} {
			if p != nil {
				p.Tried = true
			}
		}
	}
	sys.Remarks = t.Unsaid
	if len(t.Inhabited) > 0 {
		sys.Remarks = append(sys.Remarks, "what is proved holds for all constants, if these sets "+
			"are not empty: "+strings.Join(t.Inhabited, ", "))
	}
	if len(t.Apart) > 0 {
		sys.Remarks = append(sys.Remarks, "what is proved holds for all constants, if "+
			strings.Join(t.Apart, ", and "))
	}
	if len(t.Finite) > 0 {
		sys.Remarks = append(sys.Remarks, "what is proved holds for all constants, if these sets "+
			"are finite: "+strings.Join(t.Finite, ", "))
	}
	return spec, nil
}

// Text is a module in erelong's language.
func Text(ctx context.Context, name, text string, files Files) (string, error) {
	errs := &diag.List{}
	t, err := translated(ctx, ctx, diag.NewSource(name, text), files, true, errs)
	if err != nil {
		return "", err
	}
	return written(name, "TLA+", t, func(string) bool { return false }, errs)
}

// Claimed is a module in erelong's language, as it is proved: of the formulas that nobody claims
// the ones to keep are invariants.
func Claimed(name, text string, files Files, keep func(formula string) bool) (string, error) {
	errs := &diag.List{}
	ctx := context.Background()
	t, err := translated(ctx, ctx, diag.NewSource(name, text), files, false, errs)
	if err != nil {
		return "", err
	}
	return written(name, "TLA+", t, keep, errs)
}

// written is a translation as a text. Of the formulas that nobody claims, the ones to keep are
// invariants, and the others definitions.
func written(
	name, language string, t *translate.Translation, keep func(formula string) bool,
	errs *diag.List,
) (string, error) {
	for i, d := range t.File.Decls { // what nobody claims can be read
		f, ok := d.(*ere_syntax.FormulaDecl)
		if ok && slices.Contains(t.Tried, f.Name.Text) && !keep(f.Name.Text) {
			t.File.Decls[i] = &ere_syntax.DefinitionDecl{Span: f.Span, States: 1, Name: f.Name,
				Expr: f.Expr}
		}
	}
	out, err := printer.Text(name, t.File.Decls)
	if err != nil {
		return "", err
	}
	head := "# " + path.Base(name) + ", translated from " + language + ".\n"
	if len(t.Inhabited) > 0 {
		head += "# What is proved holds if these sets are not empty: " +
			strings.Join(t.Inhabited, ", ") + ".\n"
	}
	if len(t.Apart) > 0 {
		head += "# What is proved holds if " + strings.Join(t.Apart, ", and ") + ".\n"
	}
	if len(t.Finite) > 0 {
		head += "# What is proved holds if these sets are finite: " +
			strings.Join(t.Finite, ", ") + ".\n"
	}
	for _, d := range errs.All {
		head += fmt.Sprintf("# Line %d: %s\n", d.Span.Line(), d.Message)
	}
	return head + "\n" + out, nil
}

func translated(
	ctx, within context.Context, given *diag.Source, files Files, live bool, errs *diag.List,
) (*translate.Translation, error) {
	module, config, err := sources(given, files)
	if err != nil {
		return nil, err
	}
	modules := syntax.Parse(module, errs)
	if errs.Err() == nil && len(modules) == 0 {
		errs.Errorf(diag.Syntax, diag.Span{Source: module}, "the file has no module")
	}
	if errs.Err() != nil {
		return nil, errs
	}
	root := rootOf(modules, module.Name)
	cfg, at := &syntax.Config{}, diag.Span{Source: module}
	if config != nil {
		if cfg, at = syntax.ParseConfig(config, errs), (diag.Span{Source: config}); cfg == nil {
			return nil, errs
		}
	}
	space := value.NewSpace()
	read := func(ctx context.Context) *core.Spec {
		return core.Load(root, modules, finder(path.Dir(module.Name), files), space, errs,
			eval.Constant(ctx, space, named(path.Dir(module.Name), files)))
	}
	spec := read(ctx)
	if errs.Err() != nil {
		return nil, errs
	}
	var values map[string]*value.Value
	if config != nil {
		meet(space, config, append([]*diag.Source{module}, spec.Read...))
		values = read(within).Values(cfg)
	}
	m := spec.Open(cfg, at)
	if ctx.Err() != nil { // some values may be missing
		return nil, stopped(ctx, given.Name, "constants are computed")
	}
	if m != nil && m.Init == nil {
		errs.Errorf(diag.Unsupported, at, "the module has no specification, so there is nothing "+
			"that could be proved of its states")
	}
	if errs.Err() != nil {
		return nil, errs
	}
	t := translate.File(ctx, m, module, values, live, errs)
	if ctx.Err() != nil {
		return nil, stopped(ctx, given.Name, "its formulas are translated")
	}
	if t == nil {
		return nil, errs
	}
	t.Read = append([]*diag.Source{module}, spec.Read...)
	for _, name := range spec.Redefined(cfg) {
		t.Departs = append(t.Departs, "the configuration defines "+name+" anew")
	}
	for _, name := range t.Inhabited {
		if v := values[name]; v != nil && v.IsSet() && value.Finite(v) && len(v.Sorted()) == 0 {
			t.Departs = append(t.Departs, "the set "+name+" is empty in the configuration")
		}
	}
	return t, nil
}
