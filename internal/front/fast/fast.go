// Package fast reads counter systems of FAST (.fst).
//
// In: a file, which has a model and perhaps strategies. Out: a specification for each set of
// reachable states that the strategies test, with each test as a safety property; or diagnostics.
// What is not read is refused by name.
//
// The meaning is that of Bardin, Finkel, Leroux and Petrucci, FAST: acceleration from theory to
// practice (STTT 2008), section 2: a state is a location and a value of each variable, a transition
// leads from one location to another where its guard is true, and changes the variables that its
// action names, all at once. Variables are natural numbers: a transition to a negative value does
// not exist. Files with `?`, a value chosen freely, are of tools that took the format over, and
// their variables are integers.
//
// The tests subSet, isEmpty and equal become properties where they say that each reachable state
// has a property: the region that must be empty is made of formulas and of one post*(init, t) or
// pre*(bad, t). The strategy's own way of computing (lengths of cycles, limits) is read over: the
// engines find theirs.
package fast

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/printer"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// Extension reports whether a file is for this package, by its name.
func Extension(path string) bool { return strings.EqualFold(filepath.Ext(path), ".fst") }

// System is what the tests about one set of reachable states are about.
type System struct {
	Name   string // of the set of states; empty where the file has no other
	Spec   *ere.Specification
	Claims []string
}

// File is a file that was read.
type File struct {
	Systems []System
	Strategies
	// Program is what the strategies do, for an engine that computes regions. It is nil where the
	// claims of the systems decide all of it.
	Program *Program
}

// Read makes specifications of a text; name is what messages call it. The error is a *diag.List
// when the text is at fault. Warnings come back in any case.
func Read(ctx context.Context, name, text string) (*File, *diag.List, error) {
	errs := &diag.List{}
	trees, s := Trees(name, text, errs)
	if err := errs.Err(); err != nil {
		errs.Sort()
		return nil, errs, err
	}
	out := &File{Strategies: s}
	for _, t := range trees {
		spec, err := ere.Build(ctx, t.File, errs)
		if err != nil {
			return nil, errs, err
		}
		out.Systems = append(out.Systems, System{t.Name, spec, t.Claims})
	}
	if s.program != nil {
		spec, err := ere.Build(ctx, s.program.file, errs)
		if err != nil {
			return nil, errs, err
		}
		out.Program = &Program{System: spec.System, Procedures: s.program.procedures}
	}
	return out, errs, nil
}

// Tree is a System before it is checked.
type Tree struct {
	Name   string
	File   *syntax.File
	Claims []string
}

// Text writes a file of FAST in erelong's language. The error is a *diag.List when the text is at
// fault, or says that it is about several sets of reachable states.
func Text(name, text string) (string, error) {
	errs := &diag.List{}
	trees, s := Trees(name, text, errs)
	switch {
	case errs.Err() != nil:
		errs.Sort()
		return "", errs
	case s.program != nil:
		return "", fmt.Errorf("%s has a strategy that is more than tests of reachable states, "+
			"and a specification has no regions: leave it out", name)
	case len(trees) > 1:
		return "", fmt.Errorf("%s tests %d sets of reachable states, and a specification has "+
			"one: leave the others out",
			name, len(trees))
	}
	return printer.Text(name, trees[0].File.Decls)
}

// Trees reads a text, and writes what it is about as specifications.
func Trees(name, text string, errs *diag.List) ([]Tree, Strategies) {
	src := diag.NewSource(name, text)
	f := read(src, errs)
	if errs.Err() != nil {
		return nil, Strategies{}
	}
	m := newModel(src, f.model, errs)
	if errs.Err() != nil {
		return nil, Strategies{}
	}
	questions, s := run(m, f.strategies, errs)
	if errs.Err() != nil {
		return nil, Strategies{}
	}
	var out []Tree
	for _, q := range questions {
		t := Tree{File: m.specification(q)}
		if len(questions) > 1 {
			t.Name = q.name
		}
		for _, c := range q.claims {
			t.Claims = append(t.Claims, c.name)
		}
		out = append(out, t)
	}
	return out, s
}
