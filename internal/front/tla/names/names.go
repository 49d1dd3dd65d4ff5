// Package names says what each name of a file in TLA+, or of a configuration, stands for.
//
// In: the text of a module or of a configuration, and a way to read other modules. Out: a Table
// with the declarations of the file, and every occurrence of a name that is declared somewhere.
// Names are resolved as package core does it: what is bound, then what definitions of a LET name,
// then the module, then the modules that it extends. No verdict depends on a Table; editors use it.
package names

import (
	"cmp"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/syntax"
)

// Kind is the kind of a declaration.
type Kind string

// The kinds. The ones from Bound on are local.
const (
	Module     Kind = "module"
	Constant   Kind = "constant"
	Variable   Kind = "variable"
	Definition Kind = "definition"
	Function   Kind = "function"
	Instance   Kind = "instance"
	Assumption Kind = "assumption"
	Theorem    Kind = "theorem"
	Bound      Kind = "bound variable"
	Parameter  Kind = "parameter"
	Let        Kind = "definition of a LET"
)

// Declaration is the meaning of a name.
type Declaration struct {
	Name  syntax.Name // where it is declared, which may be another file
	Kind  Kind
	Whole diag.Span   // the declaration
	Uses  []diag.Span // in the file, in their order, with the declaration itself
	of    *scope      // of an instance: the names of its module
}

// Local reports whether a name is seen in a part of a module only.
func (d *Declaration) Local() bool {
	return d.Kind == Bound || d.Kind == Parameter || d.Kind == Let
}

// Occurrence is a place in the file where a name stands.
type Occurrence struct {
	Span diag.Span
	Of   *Declaration
}

// Table is the outcome.
type Table struct {
	Declarations []*Declaration // of the file, in its order
	Occurrences  []Occurrence   // in the order of the file
}

// Find reads the text of a module that is not in the file, nil where there is none.
type Find func(module string) *diag.Source

// At finds the occurrence at a byte offset, or just before it; nil if there is none.
func (t *Table) At(offset int) *Occurrence {
	i, _ := slices.BinarySearchFunc(t.Occurrences, offset, func(o Occurrence, at int) int {
		return cmp.Compare(o.Span.Start, at+1)
	})
	if i == 0 || offset > t.Occurrences[i-1].Span.End {
		return nil
	}
	return &t.Occurrences[i-1]
}

// scope is the meaning of names in a part of a file.
type scope struct {
	up    *scope
	names map[string]*Declaration
}

func (s *scope) find(name string) *Declaration {
	for ; s != nil; s = s.up {
		if d := s.names[name]; d != nil {
			return d
		}
	}
	return nil
}

func inner(up *scope) *scope { return &scope{up, map[string]*Declaration{}} }

// resolver makes a table.
type resolver struct {
	source  *diag.Source // the file
	find    Find
	table   Table
	known   map[string]*scope // modules, nil while one is read
	modules map[string]*syntax.Module
}

// Of makes the table of a file with modules.
func Of(source *diag.Source, find Find) *Table {
	r := newResolver(source, find)
	modules := syntax.Parse(source, &diag.List{})
	for _, m := range modules {
		r.modules[m.Name.Text] = m
	}
	for _, m := range modules {
		r.named(m.Name.Text)
	}
	return r.done()
}

// OfConfiguration makes the table of a configuration of a module, which is in a file with others.
func OfConfiguration(
	source *diag.Source, module *syntax.Module, beside []*syntax.Module, find Find,
) *Table {
	r := newResolver(source, find)
	for _, m := range beside {
		r.modules[m.Name.Text] = m
	}
	c := syntax.ParseConfig(source, &diag.List{})
	if c == nil {
		return r.done()
	}
	root := r.named(module.Name.Text)
	for _, a := range c.Assignments {
		r.use(a.Name, root)
	}
	for _, x := range c.Replacements {
		r.use(x.Name, root)
		r.use(x.By, root)
	}
	for _, list := range [][]syntax.Name{c.Invariants, c.Properties, c.Constraints,
		c.ActionConstraints, c.Symmetry, c.Postconditions, c.Possible,
		{c.Specification, c.Init, c.Next, c.View, c.Alias}} {
		for _, n := range list {
			r.use(n, root)
		}
	}
	return r.done()
}

func newResolver(source *diag.Source, find Find) *resolver {
	return &resolver{source: source, find: find, known: map[string]*scope{},
		modules: map[string]*syntax.Module{}}
}

func (r *resolver) done() *Table {
	slices.SortStableFunc(r.table.Occurrences, func(a, b Occurrence) int {
		return cmp.Compare(a.Span.Start, b.Span.Start)
	})
	for _, o := range r.table.Occurrences {
		o.Of.Uses = append(o.Of.Uses, o.Span)
	}
	slices.SortStableFunc(r.table.Declarations, func(a, b *Declaration) int {
		return cmp.Compare(a.Name.Span.Start, b.Name.Span.Start)
	})
	return &r.table
}

// own reports whether a place is in the file.
func (r *resolver) own(s diag.Span) bool { return s.Source == r.source }

// declare enters a name.
func (r *resolver) declare(sc *scope, n syntax.Name, kind Kind, whole diag.Span) *Declaration {
	d := &Declaration{Name: n, Kind: kind, Whole: whole}
	if n.Text == "" {
		return d
	}
	sc.names[n.Text] = d
	if r.own(n.Span) {
		r.table.Declarations = append(r.table.Declarations, d)
		r.table.Occurrences = append(r.table.Occurrences, Occurrence{n.Span, d})
	}
	return d
}

// use notes an occurrence of a name.
func (r *resolver) use(n syntax.Name, sc *scope) *Declaration {
	d := sc.find(n.Text)
	if d != nil && n.Text != "" && r.own(n.Span) {
		r.table.Occurrences = append(r.table.Occurrences, Occurrence{n.Span, d})
	}
	return d
}

// named is the scope of a module; it is empty where there is none that can be read.
func (r *resolver) named(name string) *scope {
	if sc, ok := r.known[name]; ok {
		return sc
	}
	r.known[name] = nil
	m := r.modules[name]
	if m == nil {
		if source := r.find(name); source != nil {
			for _, x := range syntax.Parse(source, &diag.List{}) {
				if x.Name.Text == name {
					m = x
				}
			}
		}
	}
	if m != nil {
		r.known[name] = r.module(m, nil)
	}
	return r.known[name]
}

// module resolves the names of a module, and gives its scope.
func (r *resolver) module(m *syntax.Module, up *scope) *scope {
	sc := inner(up)
	r.declare(sc, m.Name, Module, m.Span)
	for _, n := range m.Extends {
		of := r.named(n.Text)
		if of == nil {
			continue
		}
		r.use(n, of)
		for name, d := range of.names {
			if d.Kind != Module {
				sc.names[name] = d
			}
		}
	}
	r.units(m.Units, sc, false)
	return sc
}
