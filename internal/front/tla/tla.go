// Package tla reads specifications in TLA+ with their configurations for TLC.
//
// In: the text of a module, and files beside it: its configuration and the modules that it names.
// Out: a system whose steps are computed (system.Computed), for the engines that explore states.
// Package syntax parses, core resolves names and expands operators, eval computes.
package tla

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/eval"
	"erelong.dev/erelong/internal/front/tla/syntax"
	"erelong.dev/erelong/internal/value"
)

// Files reads a file beside the specification by its path.
type Files func(path string) ([]byte, error)

// compileModel reads a module and its configuration; nil after an error.
func compileModel(
	module, config *diag.Source, files Files, errs *diag.List,
) *eval.Program {
	modules := syntax.Parse(module, errs)
	var cfg *syntax.Config
	if errs.Err() == nil {
		cfg = syntax.ParseConfig(config, errs)
	}
	if errs.Err() != nil {
		return nil
	}
	if len(modules) == 0 {
		errs.Errorf(diag.Syntax, diag.Span{Source: module}, "the file has no module")
		return nil
	}
	space := value.NewSpace()
	root := rootOf(modules, module.Name)
	spec := core.Load(root, modules, finder(path.Dir(module.Name), files), space, errs,
		eval.Constant(space))
	if errs.Err() != nil {
		return nil
	}
	m := spec.Build(cfg, diag.Span{Source: config})
	if m == nil {
		return nil
	}
	return eval.New(m)
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
