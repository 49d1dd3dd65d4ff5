// Package threshold reads threshold automata of ByMC (.ta, .sk).
//
// In: a file. Out: a specification for each claim, or for several claims about the same initial
// states, whose variables count the processes in each location; or diagnostics.
//
// The meaning is that of Konnov, Lazic, Veith and Widder, A short counterexample property for
// safety and liveness verification of fault-tolerant distributed algorithms (POPL 2017), section 3:
// a state has a counter for each location, and the values of the shared variables; a step of a rule
// moves a process from one location to another where the guard is true. Parameters are natural
// numbers that satisfy the resilience conditions. Formulas are of LTL without next, over counters
// and shared variables; a run may stay where it is, so fairness is a premise of a formula.
//
// Claims become ones about reachable states where runs come to rest (claim.go), so that
// acceleration and Horn clauses decide them for all values of the parameters.
package threshold

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/system"
)

// Extension reports whether a file is for this package, by its name.
func Extension(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".ta" || ext == ".sk"
}

// System is what some claims are about.
type System struct {
	Name   string // empty where the file has no other
	Spec   *ere.Specification
	Claims []string
}

// Read makes specifications of a text; name is what messages call it. The error is a *diag.List
// when the text is at fault. Warnings come back in any case.
func Read(ctx context.Context, name, text string) ([]System, *diag.List, error) {
	errs := &diag.List{}
	files := trees(name, text, errs)
	if err := errs.Err(); err != nil {
		errs.Sort()
		return nil, errs, err
	}
	var out []System
	for _, f := range files {
		spec, err := ere.Build(ctx, f.file, errs)
		if err != nil {
			return nil, errs, err
		}
		inOwnWords(errs, spec.System)
		spec.System.Remarks = append(spec.System.Remarks, f.remarks...)
		s := System{Spec: spec, Claims: f.claims}
		if len(files) > 1 {
			s.Name = f.claims[0]
		}
		out = append(out, s)
	}
	return out, errs, nil
}

// inOwnWords says in the words of the language what the check of a specification warns of.
func inOwnWords(errs *diag.List, sys *system.System) {
	for _, d := range errs.All {
		if d.Code != diag.NoMutable {
			continue
		}
		about := "mentions neither a location nor a shared variable"
		here := func(f *system.Formula) bool { return f.Span == d.Span }
		if slices.ContainsFunc(sys.Inits, here) {
			d.Message = "this formula of inits " + about
			d.Suggest("Write it among the assumptions.")
			continue
		}
		d.Message = "this formula " + about + ", so no rule can change it"
	}
}

// tree is a System before it is checked.
type tree struct {
	file    *syntax.File
	claims  []string
	remarks []string
}

// trees reads a text, and writes what it claims as specifications.
func trees(name, text string, errs *diag.List) (out []tree) {
	src := diag.NewSource(name, text)
	a := read(src, errs)
	if a == nil {
		return nil
	}
	m := newModel(src, a, errs)
	var plain *group
	var groups []*group
	for _, c := range a.claims {
		q := m.ask(c)
		switch {
		case q == nil:
		case len(q.init)+len(q.flags) > 0 || q.runs:
			groups = append(groups, &group{q})
		case plain == nil:
			plain = &group{q}
			groups = append(groups, plain)
		default:
			*plain = append(*plain, q)
		}
	}
	if errs.Err() != nil {
		return nil
	}
	if len(groups) == 0 {
		groups = append(groups, &group{})
	}
	for _, g := range groups {
		out = append(out, m.tree(*g))
	}
	return out
}

// group are questions about the same initial states.
type group []*question
