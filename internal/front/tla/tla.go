// Package tla reads specifications in TLA+ with their configurations for TLC.
//
// In: the text of a module, and files beside it: its configuration and the modules that it names.
// Out: a system whose steps are computed (system.Computed), for the engines that explore states.
// Open makes one of formulas instead, for all values of the constants, for the engines that prove.
// Package syntax parses, core resolves names and expands operators. Then eval computes, or types
// gives types and translate writes the specification in erelong's language.
package tla

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/eval"
	"erelong.dev/erelong/internal/front/tla/syntax"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/value"
)

// Files reads a file beside the specification by its path.
type Files func(path string) ([]byte, error)

// Extension reports whether a file is one of TLA+, or of TLC.
func Extension(name string) bool {
	ext := path.Ext(name)
	return ext == ".tla" || ext == ".cfg"
}

// Read reads a module, or a configuration with the module beside it. The error is a *diag.List
// where the text is at fault, and says that the context ended where constants were being computed
// that the reading needs. The list of warnings is never nil.
func Read(
	ctx context.Context, name, text string, files Files,
) (spec *ere.Specification, warnings *diag.List, err error) {
	errs := &diag.List{}
	module, config, err := sources(diag.NewSource(name, text), files)
	if err != nil {
		return nil, errs, err
	}
	p := compileModel(ctx, module, config, files, errs)
	switch {
	case p == nil && ctx.Err() != nil:
		return nil, errs, stopped(ctx, name, "constants are computed")
	case p == nil:
		return nil, errs, errs
	}
	if config == nil {
		config = module
	}
	sys := build(ctx, p, module, config.Name, nil, errs)
	p.Space.Seal()
	if sys == nil {
		return nil, errs, errs
	}
	if err := system.Validate(sys); err != nil {
		return nil, errs, err
	}
	return &ere.Specification{System: sys}, errs, nil
}

// stopped is the error of a reading whose context is over.
func stopped(ctx context.Context, name, during string) error {
	return fmt.Errorf("reading %s: stopped while %s: %w", name, during, context.Cause(ctx))
}

// sources are a module and its configuration, of which one is given. A module M has the
// configuration M.cfg, nil where there is none; a configuration M.cfg or M_small.cfg is about the
// module M: the one with the longest name with which its own begins.
func sources(given *diag.Source, files Files) (module, config *diag.Source, err error) {
	base := strings.TrimSuffix(given.Name, path.Ext(given.Name))
	if path.Ext(given.Name) == ".tla" {
		text, err := files(base + ".cfg")
		switch {
		case err == nil:
			return given, diag.NewSource(base+".cfg", string(text)), nil
		case errors.Is(err, os.ErrNotExist):
			return given, nil, nil
		}
		return nil, nil, fmt.Errorf("reading the configuration: %w", err)
	}
	for name := base; name != "" && !strings.HasSuffix(name, "/"); name = name[:len(name)-1] {
		text, err := files(name + ".tla")
		switch {
		case err == nil:
			return diag.NewSource(name+".tla", string(text)), given, nil
		case !errors.Is(err, os.ErrNotExist):
			return nil, nil, fmt.Errorf("reading the module of %s: %w", given.Name, err)
		}
	}
	return nil, nil, fmt.Errorf(
		"there is no module for the configuration %s: it is named after its "+
			"module, as in M.cfg or M_small.cfg for M.tla", given.Name)
}

// compileModel reads a module and its configuration; nil after an error.
func compileModel(
	ctx context.Context, module, config *diag.Source, files Files, errs *diag.List,
) *eval.Program {
	modules := syntax.Parse(module, errs)
	var cfg *syntax.Config
	if errs.Err() == nil && len(modules) == 0 {
		errs.Errorf(diag.Syntax, diag.Span{Source: module}, "the file has no module")
	}
	if errs.Err() != nil {
		return nil
	}
	space := value.NewSpace()
	root := rootOf(modules, module.Name)
	at := diag.Span{Source: module}
	if config == nil {
		cfg = seen(root)
	} else if cfg, at = syntax.ParseConfig(config, errs), (diag.Span{Source: config}); cfg == nil {
		return nil
	}
	spec := core.Load(root, modules, finder(path.Dir(module.Name), files), space, errs,
		eval.Constant(ctx, space, named(path.Dir(module.Name), files)))
	if errs.Err() != nil {
		return nil
	}
	meet(space, config, append([]*diag.Source{module}, spec.Read...))
	m := spec.Build(cfg, at)
	if m == nil {
		return nil
	}
	return eval.New(m, named(path.Dir(module.Name), files))
}

// seen is the configuration that a module alone shows: its specification, by the usual names, and
// as invariants what its theorems say of all states.
func seen(m *syntax.Module) *syntax.Config {
	names := map[string]syntax.Name{}
	for _, u := range m.Units {
		if d, ok := u.(*syntax.Definition); ok && len(d.Params) == 0 {
			names[d.Name.Text] = d.Name
		}
	}
	c := &syntax.Config{Specification: names["Spec"]}
	if c.Specification.Text == "" {
		c.Init, c.Next = names["Init"], names["Next"]
	}
	for _, u := range m.Units {
		if t, ok := u.(*syntax.Theorem); ok {
			if n := alwaysOf(t.Body, c); names[n.Text].Text != "" {
				c.Invariants = append(c.Invariants, names[n.Text])
			}
		}
	}
	return c
}

// alwaysOf is the name in S => []name, for the specification S; it is empty for any other formula.
func alwaysOf(x syntax.Expr, c *syntax.Config) (n syntax.Name) {
	implies, ok := x.(*syntax.Apply)
	if !ok || implies.Name.Text != "=>" {
		return n
	}
	spec, ok := implies.Args[0].(*syntax.Apply)
	if !ok || len(spec.Args)+len(spec.Path) > 0 || spec.Name.Text != c.Specification.Text {
		return n
	}
	always, ok := implies.Args[1].(*syntax.Apply)
	if !ok || always.Name.Text != "[]" {
		return n
	}
	if name, ok := always.Args[0].(*syntax.Apply); ok && len(name.Args)+len(name.Path) == 0 {
		n = name.Name
	}
	return n
}

// rootOf is the module that a file is about: the one of its name, or else the first.
func rootOf(modules []*syntax.Module, file string) *syntax.Module {
	name := strings.TrimSuffix(path.Base(file), path.Ext(file))
	for _, m := range modules {
		if m.Name.Text == name {
			return m
		}
	}
	return modules[0]
}

// meet makes the strings known in the order in which TLC meets them, on which CHOOSE depends: the
// words of the configuration, of the module and of the ones that it extends; then the strings, of
// the modules before the ones that extend them.
func meet(space *value.Space, config *diag.Source, modules []*diag.Source) {
	if config != nil {
		for w := range syntax.Words(config, false) {
			space.String(w)
		}
	}
	for _, m := range modules {
		for w := range syntax.Words(m, false) {
			space.String(w)
		}
	}
	for _, m := range slices.Backward(modules) {
		for s := range syntax.Words(m, true) {
			space.String(s)
		}
	}
}

// finder looks for modules beside a file, and in the library.
func finder(dir string, files Files) core.Find {
	return func(module string) (*diag.Source, error) {
		name := path.Join(dir, module+".tla")
		text, err := files(name)
		if errors.Is(err, os.ErrNotExist) {
			name = "library/" + module + ".tla"
			text, err = library.ReadFile(name)
		}
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		return diag.NewSource(name, string(text)), nil
	}
}

// named reads the files that a specification names: beside it or, as in TLC, where the program
// runs.
func named(dir string, files Files) eval.Files {
	return func(name string) ([]byte, error) {
		if path.IsAbs(name) {
			return files(name)
		}
		text, err := files(path.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			if other, err := files(name); err == nil {
				return other, nil
			}
		}
		return text, err
	}
}
