// Package derive reads algorithms of processes, and derives from them the systems that engines
// check.
//
// In: a file with the program that each process of a symmetric point-to-point algorithm executes,
// as Algorithm 1 of Chandra and Toueg, and with properties of its processes. Out: ordinary systems,
// each with the properties that it decides and with its passes, each under the theorem that makes
// it sound. A file without an algorithm gives its own system.
//
// Sections, theorems and lemmas refer to: Tran, Konnov, Widder, A case study on parametric
// verification of failure detectors, LMCS 2023.
//
// The way of a file through the package:
//
//  1. The class check (class.go, class_scope.go) makes an algorithm of its declaration, or says why
//     it is outside the class. The code of a task becomes a new value for each variable
//     (task_values.go).
//  2. Each property is analysed (property.go): how many processes it is about, and whether it is
//     one of the forms that two processes decide. A property of runs may be reduced to properties
//     of states (reduce.go).
//  3. A plan chooses the encoding for each property (plan.go). Properties with the same plan share
//     a system (derive.go).
//  4. A builder (build.go) makes the system: what it takes from the file, and the text of one of
//     two writers. One writes the system of all processes (processes.go), for each timing model
//     (timing.go). The other writes the system of one sender and one receiver (one_way.go), with
//     sub-rounds or whole rounds as steps (one_way_subrounds.go, one_way_rounds.go), with the
//     messages in transit in one of two encodings (messages.go), and says on which theorems it
//     rests (one_way_claims.go).
//  5. Traces of a derived system are told in terms of the algorithm (story.go): each of the two
//     systems has a legend of its actions and variables (one_way_story.go, processes_story.go).
//
// A derived system is a syntax tree: a fixed text with the user's expressions in it (template.go),
// which keep their positions. So it is checked like any file, and an error in it points into the
// user's text. Its names are ones that the file does not use (names.go).
package derive

import (
	"context"
	"os"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/lint"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// Read is ReadBeside with the files that a text includes from the disk.
func Read(ctx context.Context, name, text string, o Options) ([]*Derived, *diag.List, error) {
	return ReadBeside(ctx, name, text, os.ReadFile, o)
}

// ReadBeside reads a text and derives the systems that decide its properties; name is what messages
// call it. The error is a *diag.List when the text is at fault. Warnings come back in any case.
func ReadBeside(
	ctx context.Context, name, text string, beside func(path string) ([]byte, error), o Options,
) ([]*Derived, *diag.List, error) {
	errs := &diag.List{}
	file := syntax.Load(diag.NewSource(name, text), beside, errs)
	if err := errs.Err(); err != nil {
		errs.Sort()
		return nil, errs, err
	}
	if decl, layers := stack(file, errs); decl != nil {
		if err := errs.Err(); err != nil {
			errs.Sort()
			return nil, errs, err
		}
		out, err := protocolSystems(ctx, file, decl, layers, o, errs)
		if err == nil {
			lint.File(file, errs)
		}
		errs.Sort()
		return out, errs, err
	}
	decl := find(file, errs)
	if decl == nil {
		errs.Sort()
		if err := errs.Err(); err != nil {
			return nil, errs, err
		}
		spec, err := ere.Build(ctx, file, errs)
		if err != nil {
			return nil, errs, err
		}
		lint.File(file, errs)
		errs.Sort()
		return []*Derived{{Spec: spec}}, errs, nil
	}
	alg := readAlgorithm(file, decl, errs)
	if alg.senderStart < 0 {
		alg.senderStart = alg.start
	}
	if err := errs.Err(); err != nil {
		errs.Sort()
		return nil, errs, err
	}
	out, err := derive(ctx, file, alg, o, errs)
	if err == nil {
		alg.noEffect(errs)
		lint.File(file, errs)
	}
	errs.Sort()
	return out, errs, err
}

// find gives the algorithm of a file. Without one, a declaration for an algorithm is an error.
func find(file *syntax.File, errs *diag.List) *syntax.AlgorithmDecl {
	for _, d := range file.Decls {
		if d, ok := d.(*syntax.AlgorithmDecl); ok {
			return d
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *syntax.AboutDecl, *syntax.ReduceDecl:
			errs.Errorf(diag.AlgorithmForm, d.Pos(),
				"this belongs to an algorithm, but the file has none")
		}
	}
	return nil
}

// derive chooses the passes for each property. Properties that need the same system share it.
func derive(
	ctx context.Context, file *syntax.File, alg *algorithm, o Options, errs *diag.List,
) ([]*Derived, error) {
	type system struct {
		name string
		plan plan
		cut  bool
	}
	groups := map[system][]*property{}
	var order []system
	blocks := aboutBlocks(file)
	props := properties(file, alg, errs)
	if err := sorts(ctx, file, alg, props, errs); err != nil {
		return nil, err
	}
	for _, p := range props {
		p.report(alg, errs)
		s := system{name: Processes, cut: !o.Unreduced && p.whyNot == ""}
		if s.cut && p.oneWay && alg.timing.aged() {
			s.plan = o.choose(p, blocks)
			s.name = s.plan.name()
			if s.plan.keepOld && !alg.cycles(alg.start, "receive") {
				errs.Errorf(diag.AlgorithmForm, alg.decl.Name.Span,
					"%s does not exist: no process receives again and again, so the ages of "+
						"messages have no bound", s.name).
					Suggest("Without '%s' in its name, one old message stands for all older ones.",
						agesPart)
				return nil, errs.Err()
			}
		}
		if groups[s] == nil {
			order = append(order, s)
		}
		groups[s] = append(groups[s], p)
	}
	for _, d := range blocks {
		// Other options derive other systems, and blocks about the usual ones are unused.
		if o == (Options{}) && !slices.ContainsFunc(order, func(s system) bool {
			return s.name == d.Name.Text
		}) {
			errs.Errorf(diag.AlgorithmForm, d.Name.Span, "no derived system is called '%s'",
				d.Name.Text).
				Suggest("From this file %s.", derivedNames(order, func(s system) string {
					return s.name
				}))
		}
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	if len(order) == 0 { // it claims nothing yet, and can be shown and stepped through
		order = append(order, system{name: Processes})
	}
	var out []*Derived
	for _, s := range order {
		b := &builder{ctx: ctx, file: file, alg: alg, errs: errs}
		var d *Derived
		var err error
		if s.name != Processes {
			d, err = b.oneWay(groups[s], s.plan)
		} else {
			d, err = b.processes(groups[s], map[bool]population{true: two, false: asGiven}[s.cut])
		}
		if err != nil {
			return nil, err
		}
		if props := inRounds(groups[s]); len(blocks) == 0 && o == (Options{}) && len(props) > 0 &&
			s.name != Processes && !s.plan.bigSteps {
			rounds := Options{BigSteps: true}.plan(props[0])
			same := system{name: rounds.name(), plan: rounds, cut: s.cut} // of other properties
			props = append(slices.Clone(groups[same]), props...)
			d.InRounds = func(ctx context.Context) (*Derived, error) {
				b := &builder{ctx: ctx, file: file, alg: alg, errs: &diag.List{}}
				return b.oneWay(props, rounds)
			}
		}
		out = append(out, d)
	}
	return out, nil
}

// derivedNames lists the derived systems in words.
func derivedNames[S any](systems []S, name func(S) string) string {
	var names []string
	for _, s := range systems {
		if !slices.Contains(names, name(s)) {
			names = append(names, name(s))
		}
	}
	if len(names) == 0 {
		return "none is derived: it claims nothing"
	}
	return "are derived: " + strings.Join(names, ", ")
}

// sorts checks the properties as written, with their processes, before any part of them is removed.
func sorts(
	ctx context.Context, file *syntax.File, alg *algorithm, props []*property, errs *diag.List,
) error {
	b := &builder{ctx: ctx, file: file, alg: alg, errs: &diag.List{}}
	d, err := b.processes(props, asWritten)
	if err != nil {
		for _, x := range b.errs.All {
			if x.Severity == diag.Error {
				errs.All = append(errs.All, x)
			}
		}
		return err
	}
	for _, p := range props {
		p.sorted(d.Spec.System.Property(p.Name.Text).Term)
	}
	return nil
}

// report says why a property, or its reduction to properties of states, cannot be reduced.
func (p *property) report(alg *algorithm, errs *diag.List) {
	if p.whyNot != "" {
		errs.Warnf(diag.NotReduced, p.blocked, "%s is not reduced to two processes: %s",
			p.Name.Text, p.whyNot).
			Because(p.Span,
				"only the instances that say how many processes there are can be explored")
	}
	p.check(alg, errs)
}

// properties analyses the properties of a file, and reports errors in their reductions.
func properties(file *syntax.File, alg *algorithm, errs *diag.List) (out []*property) {
	byName := map[string]*property{}
	for _, d := range file.Decls {
		if d, ok := d.(*syntax.FormulaDecl); ok && d.Word != "axiom" {
			if d.Name.Text == "" {
				named := *d
				named.Name = syntax.Name{Text: d.Place(file.Source), Span: d.Span}
				d = &named
			}
			p := analyse(alg, d)
			byName[d.Name.Text] = p
			out = append(out, p)
		}
	}
	for _, d := range file.Decls {
		if d, ok := d.(*syntax.ExpectDecl); ok && byName[d.Property.Text] == nil {
			errs.Errorf(diag.UnknownTarget, d.Property.Span, "there is no property '%s'",
				d.Property.Text).
				Suggest("An expectation is about a property of the algorithm.")
		}
		if d, ok := d.(*syntax.ReduceDecl); ok {
			p := byName[d.Property.Text]
			switch {
			case p == nil:
				errs.Errorf(diag.UnknownTarget, d.Property.Span, "there is no property '%s'",
					d.Property.Text)
			case p.within != nil:
				errs.Errorf(diag.Duplicate, d.Span, "a second reduction of '%s'",
					d.Property.Text).Because(p.within.Span, "the first is here")
			default:
				p.within = d
			}
		}
	}
	return out
}
