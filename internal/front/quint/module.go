package quint

import (
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla"
	"erelong.dev/erelong/internal/front/tla/syntax"
)

// Names that the compiler gives to what its options name.
const (
	initial    = "q::init"
	step       = "q::step"
	invariant  = "q::inv"
	properties = "q::temporalProps"
)

// file is a compiled file.
type file struct {
	out    *output
	main   *module
	defs   map[string]*declaration
	places *places
	errs   *diag.List
}

// newFile finds the module that the file is about.
func newFile(out *output, p *places, errs *diag.List) *file {
	f := &file{out: out, main: out.main(), defs: map[string]*declaration{}, places: p, errs: errs}
	at := diag.Span{Source: p.source}
	for _, e := range out.Errors {
		errs.Errorf(diag.Unsupported, at, "quint found an error: %s", e.Explanation)
	}
	if f.main == nil {
		errs.Errorf(diag.Unsupported, at, "the file has no module %s: it is no output of quint "+
			"compile --target json", out.Main)
		return f
	}
	for _, d := range f.main.Declarations {
		switch d.Kind {
		case "import", "instance", "export":
			errs.Errorf(diag.Unsupported, at, "the modules of the file are separate: compile it "+
				"without --flatten=false")
			return f
		}
		f.defs[d.Name] = d
	}
	return f
}

// made is a system that is to be made.
type made struct {
	name string
	made *tla.Made
}

// systems are the state machine and the runs of the file.
func (f *file) systems() (out []made) {
	if f.stateful() || len(f.runs()) == 0 {
		out = append(out, made{"", f.machine(true)})
	}
	for _, d := range f.runs() {
		out = append(out, made{d.Name, f.run(d)})
	}
	return out
}

// stateful reports whether the file has a state machine: the compiler writes `true` for one that
// is not there.
func (f *file) stateful() bool {
	s := f.defs[step]
	return s != nil && s.Expr.Kind != "bool"
}

// explored ranks a module by whether there are states to explore: of runs, or of a machine that
// claims something, whose constants have values.
func explored(c candidate) int {
	switch {
	case c.main == nil || len(c.constants()) > 0:
		return 1
	case c.stateful() && c.claims || len(c.runs()) > 0:
		return best
	case c.stateful():
		return 3
	}
	return 2
}

// proved ranks a module by whether there is a machine that claims something: the chosen one, or
// else one about which most is said since its constants are open.
func proved(c candidate) int {
	switch {
	case c.main == nil || !c.stateful():
		return 1
	case !c.claims:
		return 2
	case c.chosen || len(c.constants()) > 0:
		return best
	}
	return 3
}

// runs are the runs without parameters.
func (f *file) runs() (out []*declaration) {
	for _, d := range f.main.Declarations {
		if d.Kind == "def" && d.Qualifier == "run" && d.Expr.Kind != "lambda" {
			out = append(out, d)
		}
	}
	return out
}

// constants are the names that have no values, and are used.
func (f *file) constants() (out []string) {
	used := map[string]bool{}
	for _, d := range f.main.Declarations {
		for _, x := range []*expression{d.Expr, d.Assumption} {
			x.each(func(y *expression) { used[y.Name] = true })
		}
	}
	for _, d := range f.main.Declarations {
		if d.Kind == "const" && used[d.Name] {
			out = append(out, d.Name)
		}
	}
	return out
}

func (f *file) maker(asserts, strict bool) *maker {
	return &maker{errs: f.errs, places: f.places, types: f.out.Types, defs: f.defs,
		names: f.names(), asserts: asserts, strict: strict, short: map[string]string{},
		sets: map[*expression]syntax.Expr{}}
}

// names are all names of the file, of definitions and of what is local to them.
func (f *file) names() map[string]bool {
	out := map[string]bool{}
	for _, d := range f.main.Declarations {
		out[d.Name] = true
		d.Expr.each(func(x *expression) {
			if x.Def != nil {
				out[x.Def.Name] = true
			}
			for _, p := range x.Params {
				out[p.Name] = true
				out[strings.TrimSuffix(p.Name, "_"+string(x.ID))] = true
			}
		})
	}
	return out
}

// module makes the definitions of the file that are no runs.
func (f *file) module(m *maker) *syntax.Module {
	at := diag.Span{Source: f.places.source}
	name := func(text string) syntax.Name { return syntax.Name{Text: text, Span: at} }
	out := &syntax.Module{Name: name(f.main.Name), Span: at, Extends: []syntax.Name{
		name("Integers"), name("Sequences"), name("FiniteSets"), name("TLC"),
		name("Erelong")}}
	out.Units = append(out.Units, &syntax.InstanceDefinition{Name: name(library),
		Module: name("Quint"), Span: at})
	constants := f.constants()
	for _, d := range f.main.Declarations {
		m.within = d
		m.protect(func() {
			switch {
			case d.Kind == "const" && slices.Contains(constants, d.Name):
				out.Units = append(out.Units, &syntax.Constants{Decls: []syntax.Decl{
					{Name: m.name(d.Name, d.ID)}}})
			case d.Kind == "var":
				out.Units = append(out.Units, &syntax.Variables{Names: []syntax.Name{
					m.name(d.Name, d.ID)}})
			case d.Kind == "assume":
				out.Units = append(out.Units, &syntax.Assume{Body: m.expr(d.Assumption),
					Span: m.span(d.ID)})
			case d.Kind == "def" && d.Qualifier != "run":
				out.Units = append(out.Units, m.definition(d))
			}
		})
	}
	m.within = nil
	return out
}

// protect runs f up to an error, which is among the errors then.
func (m *maker) protect(f func()) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(abort); !ok {
				panic(r)
			}
		}
	}()
	f()
}

// machine is the state machine. Where it is explored, errors of the model are found.
func (f *file) machine(explored bool) *tla.Made {
	m := f.maker(explored, explored)
	off := false
	out := &tla.Made{Language: "a Quint specification", Source: f.places.source,
		Module: f.module(m), Shows: f.shows, Config: &syntax.Config{CheckDeadlock: &off,
			InitialStep: true}}
	if f.defs[initial] != nil && f.stateful() {
		out.Config.Init = f.aliased(m, initial)
		out.Config.Next = f.aliased(m, step)
	}
	claimed := f.claims()
	for _, d := range f.main.Declarations {
		q := claimed[d.Name]
		own := strings.HasPrefix(d.Name, "q::") && q == ""
		if d.Kind != "def" || own || !f.formula(d) {
			continue
		}
		m.within = d
		n := m.name(d.Name, d.ID)
		switch q {
		case "":
			if d.Qualifier == "val" || d.Qualifier == "temporal" {
				out.Config.Tried = append(out.Config.Tried, n)
			}
		case properties:
			out.Config.Properties = append(out.Config.Properties, n)
		default:
			out.Config.Invariants = append(out.Config.Invariants, n)
		}
	}
	return out
}

// aliased is the name that an option of the compiler was given, or else the option's own.
func (f *file) aliased(m *maker, option string) syntax.Name {
	d := f.defs[option]
	if d.Expr.Kind == "name" && f.defs[d.Expr.Name] != nil {
		d = f.defs[d.Expr.Name]
	}
	m.within = d
	return m.name(d.Name, d.ID)
}

// formula reports whether a definition is a formula about states or runs.
func (f *file) formula(d *declaration) bool {
	of := f.out.Types[string(d.ID)].Type
	if of == nil || of.Kind != "bool" || d.Expr.Kind == "lambda" {
		return false
	}
	switch d.Qualifier {
	case "val", "def", "temporal", "pureval", "puredef":
		return true
	}
	return false
}

// claims are the formulas that are claimed, each with the option of the compiler that would claim
// it: the ones that the compiler was given with --invariant and --temporal. Without any of them,
// these are the formulas whose names say so, and the temporal ones that no other definition uses.
func (f *file) claims() map[string]string {
	out := map[string]string{}
	for _, option := range []string{invariant, properties} {
		if d := f.defs[option]; d != nil {
			if names, ok := f.named(d.Expr); ok {
				for _, n := range names {
					out[n] = option
				}
			} else {
				out[option] = option
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	in := usesOf(f.main)
	for _, d := range f.main.Declarations {
		if d.Kind == "def" && !strings.HasPrefix(d.Name, "q::") && f.formula(d) {
			if option := in.claimed(d); option != "" {
				out[d.Name] = option
			}
		}
	}
	return out
}

// uses are the names that other definitions of a module use, and its actions.
type uses struct{ used, actions map[string]bool }

func usesOf(m *module) uses {
	out := uses{map[string]bool{}, map[string]bool{}}
	for _, d := range m.Declarations {
		if d.Qualifier == "action" {
			out.actions[d.Name] = true
		}
		d.Expr.each(func(x *expression) {
			if x.Kind == "name" && d.Name != x.Name {
				out.used[x.Name] = true
			}
		})
	}
	return out
}

// claimed is the option of the compiler that would claim a formula, if its name says that it is
// claimed, or it is temporal and no other definition uses it. It is empty for any other formula.
func (in uses) claimed(d *declaration) string {
	last := strings.ToLower(d.Name[strings.LastIndex(d.Name, ":")+1:])
	switch {
	case d.Qualifier == "temporal" && !in.used[d.Name] && !in.describes(d.Expr):
		return properties
	case d.Qualifier != "temporal" &&
		(strings.Contains(last, "inv") || strings.HasPrefix(last, "safety")):
		return invariant
	}
	return ""
}

// describes reports whether a temporal formula is the specification of a machine: an action, which
// tells the initial states, and what is always so of its steps.
func (in uses) describes(x *expression) bool {
	return x.Kind == "app" && x.Opcode == "and" && slices.ContainsFunc(x.Args,
		func(a *expression) bool { return a.Kind == "name" && in.actions[a.Name] })
}

// named are the formulas of a conjunction, if all of them have names.
func (f *file) named(x *expression) (out []string, ok bool) {
	switch {
	case x.Kind == "name" && f.defs[x.Name] != nil && f.formula(f.defs[x.Name]):
		return []string{x.Name}, true
	case x.Kind == "app" && x.Opcode == "and":
		for _, a := range x.Args {
			names, ok := f.named(a)
			if !ok {
				return nil, false
			}
			out = append(out, names...)
		}
		return out, len(out) > 0
	}
	return nil, false
}

// shows is the type of a variable, or of a choice by its name.
func (f *file) shows(name string) tla.Form {
	if d := f.defs[name]; d != nil && d.Kind == "var" && d.Type != nil {
		return d.Type
	}
	var out *typ
	for _, d := range f.main.Declarations {
		d.Expr.each(func(x *expression) {
			if x.Kind == "let" && x.Def.Name == name {
				out = f.out.Types[string(x.Def.ID)].Type
			}
		})
	}
	if out == nil {
		return nil
	}
	return out
}
