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
// Traces of a derived system are told in terms of the algorithm: each derivation has a legend of
// its actions and variables.
//
// A derived system is a syntax tree: a fixed text with the user's expressions in it, which keep
// their positions. So it is checked like any file, and an error in it points into the user's text.
package derive

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/lint"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// Options choose among the encodings.
type Options struct {
	Counter  bool // messages in transit as the bits of a number
	KeepOld  bool // no abstraction of old messages
	BigSteps bool // a round is one step
	// Unreduced keeps all processes; the instances give their number.
	Unreduced bool
}

// CountsProcesses reports whether a text about an instance, such as "process = 3, Phi = 2", gives
// the number of processes of an algorithm. Such an instance is about the Unreduced system.
func CountsProcesses(instance string) bool {
	return slices.ContainsFunc(strings.Split(instance, ","), func(item string) bool {
		name, _, ok := strings.Cut(item, "=")
		return ok && strings.TrimSpace(name) == ProcessSort
	})
}

// Pass gives the options that derive the system of this name.
func Pass(name string) (Options, error) {
	if name == Processes {
		return Options{Unreduced: true}, nil
	}
	rest, ok := strings.CutPrefix(name, OneWay)
	var o Options
	rest = strings.TrimPrefix(rest, crashesPart)
	for _, part := range o.parts() {
		if after, found := strings.CutPrefix(rest, part.name); found {
			rest, *part.is = after, true
		}
	}
	if !ok || rest != "" {
		return o, fmt.Errorf("there is no pass %q: the passes are check, %s and %s with perhaps "+
			"%s, %s, %s, %s after it, in this order",
			name, Processes, OneWay, crashesPart, counterPart, agesPart, roundsPart)
	}
	return o, nil
}

// The parts of a name that distinguish a system from OneWay.
const (
	crashesPart = "_with_crashes"
	counterPart = "_with_counter"
	agesPart    = "_with_all_ages"
	roundsPart  = "_in_rounds"
)

type encoding struct {
	is   *bool
	name string
}

func (o *Options) parts() []encoding {
	return []encoding{{&o.Counter, counterPart}, {&o.KeepOld, agesPart}, {&o.BigSteps, roundsPart}}
}

// Choose gives the derived systems of this name.
func Choose(ds []*Derived, name string) ([]*Derived, error) {
	var out []*Derived
	var names []string
	for _, d := range ds {
		if d.Name == name {
			out = append(out, d)
		}
		if !slices.Contains(names, d.Name) {
			names = append(names, d.Name)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no system %q is derived from this file, but %s", name,
			strings.Join(names, ", "))
	}
	return out, nil
}

// Read reads a text and derives the systems that decide its properties; name is what messages call
// it. The error is a *diag.List when the text is at fault. Warnings come back in any case.
func Read(ctx context.Context, name, text string, o Options) ([]*Derived, *diag.List, error) {
	errs := &diag.List{}
	file := syntax.Parse(diag.NewSource(name, text), errs)
	if err := errs.Err(); err != nil {
		errs.Sort()
		return nil, errs, err
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
			d.InRounds = func(ctx context.Context) (*Derived, error) {
				b := &builder{ctx: ctx, file: file, alg: alg, errs: &diag.List{}}
				return b.oneWay(props, Options{BigSteps: true}.plan(props[0]))
			}
		}
		out = append(out, d)
	}
	return out, nil
}

// inRounds lists the properties that one and the same system with rounds as steps decides.
func inRounds(props []*property) []*property {
	o := Options{BigSteps: true}
	return slices.DeleteFunc(slices.Clone(props), func(p *property) bool {
		pl := o.plan(p)
		return !pl.bigSteps || pl.name() != o.plan(props[0]).name()
	})
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

// plan chooses the one-way system for a property. It has no crashes where the property is only
// about runs without them. A whole round as one step hides the states within it; with crashes these
// may matter to a property of states. A property of runs that is reduced to states always uses
// sub-rounds, since its proof is simplest there.
func (o Options) plan(p *property) plan {
	pl := plan{counter: o.Counter, keepOld: o.KeepOld, senderCrashes: true, receiverCrashes: true}
	if p.shape != otherRuns {
		pl.senderCrashes, pl.receiverCrashes = !p.requires(correctWord, p.peer),
			!p.requires(correctWord, p.owner)
	}
	pl.bigSteps = p.within != nil ||
		o.BigSteps && (p.shape == eventuallyAlways || !pl.senderCrashes && !pl.receiverCrashes)
	return pl
}

// choose is plan, unless the file has no block about that system and has one about another system
// that decides the property. Then it is the other system: all encodings decide the property, and
// the block helps its proof.
func (o Options) choose(p *property, blocks []*syntax.AboutDecl) plan {
	usual := o.plan(p)
	if o != (Options{}) || slices.ContainsFunc(blocks, func(d *syntax.AboutDecl) bool {
		return d.Name.Text == usual.name()
	}) {
		return usual
	}
	for _, d := range blocks {
		if other, err := Pass(d.Name.Text); err == nil && !other.Unreduced &&
			other.plan(p).name() == d.Name.Text {
			return other.plan(p)
		}
	}
	return usual
}

// aboutBlocks lists the blocks about derived systems.
func aboutBlocks(file *syntax.File) (out []*syntax.AboutDecl) {
	for _, d := range file.Decls {
		if d, ok := d.(*syntax.AboutDecl); ok {
			out = append(out, d)
		}
	}
	return out
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
				named.Name = syntax.Name{Text: fmt.Sprintf("%s:%d", d.Word, d.Span.Line()),
					Span: d.Span}
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
