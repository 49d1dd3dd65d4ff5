// Package quint reads specifications in Quint.
//
// In: what `quint compile --target json` writes, or a text where the program quint is there to
// compile it. Out: a system for the state machine, whose steps are computed, and one for each run
// of the file; or one of formulas, for the engines that prove.
//
// Quint is a notation for TLA+ (Quint's own documentation, "Language basics", gives the
// translation of each operator). So its definitions become the syntax tree of a module of TLA+
// (expr.go), and all else is that front end's: packages core, eval, types and translate. What
// differs from TLA+ is said in the tree: the initial states are the ones after a step (tla.Made),
// divisions round towards zero and a map is updated at its keys only (library/Quint.tla), and
// values are shown by their types (types.go). A run is a system of its own, whose states have a
// place in the run (run.go).
package quint

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/tla"
)

// Files reads a file beside the specification by its path.
type Files func(path string) ([]byte, error)

// Extension reports whether a file is one of Quint, as text or compiled.
func Extension(name string) bool {
	return strings.HasSuffix(name, ".qnt") || strings.HasSuffix(name, ".qnt.json")
}

// System is what some claims of a file are about: its state machine, or one of its runs.
type System struct {
	Name   string // of the run; empty for the state machine
	Spec   *ere.Specification
	Claims []string
	Opens  bool // its formulas can be proved: it has a state machine
}

// Read makes systems that are explored. The error is a *diag.List where the file is at fault. The
// list of warnings is never nil.
func Read(ctx context.Context, name, text string, files Files) ([]System, *diag.List, error) {
	errs := &diag.List{}
	f, err := load(ctx, name, text, files, explored, errs)
	if err != nil {
		return nil, errs, err
	}
	if c := f.constants(); len(c) > 0 {
		errs.Errorf(diag.MissingValue, f.places.of("", f.defs[c[0]]), "the module %s leaves the "+
			"constants %s without values: compile a module that has an instance of it, as with "+
			"quint compile --main", f.main.Name, strings.Join(c, ", "))
		return nil, errs, errs
	}
	var out []System
	for _, s := range f.systems() {
		spec, err := s.made.Build(ctx, errs)
		if err != nil {
			return nil, errs, err
		}
		claims := make([]string, 0, len(spec.System.Properties))
		for _, p := range spec.System.Properties {
			claims = append(claims, p.Name)
		}
		out = append(out, System{s.name, spec, claims, s.name == "" && f.stateful()})
	}
	return out, errs, nil
}

// Open makes the system of formulas of the state machine, for all values of its constants.
func Open(
	ctx context.Context, name, text string, files Files,
) (*ere.Specification, *diag.List, error) {
	errs := &diag.List{}
	made, err := open(ctx, name, text, files, errs)
	if err != nil {
		return nil, errs, err
	}
	spec, err := made.Open(ctx, errs)
	if spec != nil && len(spec.System.Properties) == 0 {
		spec.System.Remarks = append(spec.System.Remarks, "the compiler of Quint leaves out what "+
			"nothing uses: quint compile --invariant NAME keeps a formula, and claims it")
	}
	return spec, errs, err
}

// Text is the state machine in erelong's language.
func Text(ctx context.Context, name, text string, files Files) (string, error) {
	errs := &diag.List{}
	made, err := open(ctx, name, text, files, errs)
	if err != nil {
		return "", err
	}
	return made.Text(ctx, "Quint", errs)
}

// open makes the module of the state machine whose constants are open.
func open(
	ctx context.Context, name, text string, files Files, errs *diag.List,
) (*tla.Made, error) {
	f, err := load(ctx, name, text, files, proved, errs)
	if err != nil {
		return nil, err
	}
	if !f.stateful() {
		errs.Errorf(diag.Unsupported, diag.Span{Source: f.places.source}, "the module %s has no "+
			"state machine, so there is nothing that could be proved of its states", f.main.Name)
		return nil, errs
	}
	made := f.machine(false)
	return made, errs.Err()
}

// load reads a compiled file, or compiles a module of a text that serves.
func load(
	ctx context.Context, name, text string, files Files, serves rank, errs *diag.List,
) (*file, error) {
	source := diag.NewSource(name, text)
	compiled, places_ := text, ""
	given := source
	if strings.HasSuffix(name, ".json") {
		given = nil
		plain := strings.TrimSuffix(name, ".json")
		if t, err := files(plain); err == nil {
			given = diag.NewSource(plain, string(t))
		} else if !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("reading the text of %s: %w", name, err)
		}
		if t, err := files(plain + ".map.json"); err == nil {
			places_ = string(t)
		}
	} else {
		var err error
		if compiled, places_, err = compile(ctx, name, serves); err != nil {
			return nil, err
		}
	}
	out, err := decode(compiled)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := newFile(out, newPlaces(given, source, places_, files), errs)
	return f, errs.Err()
}
