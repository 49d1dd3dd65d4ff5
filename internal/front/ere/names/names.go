// Package names says what each name of a file stands for.
//
// In: a syntax.File, which may have errors. Out: a Table with every declaration and, in the order
// of the text, every occurrence of a name that is declared. Names are resolved as package check
// does it: variables first, then capital letters that stand for every value, then the declarations
// of the file. A name without a declaration is left out; package check reports it. No verdict
// depends on a Table. Editors use it: renaming a declaration everywhere must keep the meaning of
// the file, which is what the tests check.
package names

import (
	"cmp"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// Kind is the kind of a declaration.
type Kind string

const (
	Sort         Kind = "sort"
	Enum         Kind = "enum"
	Member       Kind = "member"
	Type         Kind = "type"
	Relation     Kind = "relation"
	Constant     Kind = "constant"
	Function     Kind = "function"
	Definition   Kind = "definition"
	Transition   Kind = "transition"
	Action       Kind = "action"
	Formula      Kind = "formula" // a named axiom, property or initial condition
	Instance     Kind = "instance"
	Parameter    Kind = "parameter" // of a definition, a transition or an action
	Variable     Kind = "variable"  // of a quantifier, let or choose
	Implied      Kind = "implied"   // a capital letter that stands for every value
	Point        Kind = "point"     // a capital letter in the target of an assignment
	Algorithm    Kind = "algorithm"
	Protocol     Kind = "protocol"
	Role         Kind = "role"
	MessageName  Kind = "message"
	PeerVariable Kind = "peer variable"
	Location     Kind = "location"
	Field        Kind = "field" // of a record or a constructor; see Add
)

// Declaration is the meaning of a name.
type Declaration struct {
	Name  syntax.Name // where it is declared; of an implied variable, where it occurs first
	Kind  Kind
	Node  syntax.Decl      // the declaration; of a variable, the one that it is in
	Sort  *syntax.SortExpr // of a variable, nil if it has none in the text
	Scope diag.Span        // of a variable: where it can be seen
	Uses  []*Occurrence    // the declaration itself included, in the order of the text
}

// Local reports whether a declaration is a variable.
func (d *Declaration) Local() bool {
	switch d.Kind {
	case Parameter, Variable, Implied, Point:
		return true
	}
	return false
}

// Symbol is the declaration of a relation, constant or function, nil for another one.
func (d *Declaration) Symbol() *syntax.SymbolDecl {
	if d.Local() || d.Kind == Field {
		return nil
	}
	s, _ := d.Node.(*syntax.SymbolDecl)
	return s
}

// Occurrence is a place in the text where a name stands.
type Occurrence struct {
	Span     diag.Span
	Of       *Declaration
	Declares bool // it is the declaration
	Writes   bool // it is the target of an assignment, or listed under modifies
}

// Table is the outcome.
type Table struct {
	Declarations []*Declaration // in the order of the text
	Occurrences  []*Occurrence  // in the order of the text
	Included     []*Declaration // of other files; Uses has the places in the text
}

// Add enters a field, which is named at some places of the text: first where it is declared. Fields
// are found from types, which this package does not know.
func (t *Table) Add(node syntax.Decl, places []diag.Span) {
	d := &Declaration{Name: syntax.Name{Text: places[0].Text(), Span: places[0]}, Kind: Field,
		Node: node}
	t.Declarations = append(t.Declarations, d)
	for i, span := range places {
		o := &Occurrence{Span: span, Of: d, Declares: i == 0}
		d.Uses = append(d.Uses, o)
		t.Occurrences = append(t.Occurrences, o)
	}
	slices.SortFunc(d.Uses, byPlace)
	slices.SortStableFunc(t.Occurrences, byPlace)
	slices.SortStableFunc(t.Declarations, func(a, b *Declaration) int {
		return cmp.Compare(a.Name.Span.Start, b.Name.Span.Start)
	})
}

func byPlace(a, b *Occurrence) int { return cmp.Compare(a.Span.Start, b.Span.Start) }

// At finds the occurrence at a byte offset, or just before it; nil if there is none.
func (t *Table) At(offset int) *Occurrence {
	after := func(o *Occurrence, at int) int { return cmp.Compare(o.Span.Start, at+1) }
	i, _ := slices.BinarySearchFunc(t.Occurrences, offset, after)
	if i == 0 {
		return nil
	}
	if o := t.Occurrences[i-1]; offset <= o.Span.End {
		return o
	}
	return nil
}

// Of makes the table of a file.
func Of(file *syntax.File) *Table {
	r := &resolver{
		table: &Table{}, globals: space{}, formulas: space{}, sorts: space{}, instances: space{},
		peers: space{}, messages: space{}, protocols: space{},
		roles: map[string]bool{},
		outer: map[string][]*Declaration{},
	}
	r.declareAll(file.Decls)
	r.resolveAll(file.Decls)
	r.leave(file.Source)
	r.sort()
	return r.table
}

// space is a space of names.
type space map[string]*Declaration

type resolver struct {
	table *Table
	// Formulas have a space of their own: a formula may have the name of a symbol, which then means
	// the symbol in expressions, and the formula where a property is expected.
	globals, formulas, sorts, instances, peers, messages, protocols space
	roles                                                           map[string]bool
	// the declarations of the block about a system
	about []space

	node  syntax.Decl    // the current declaration
	scope []*Declaration // variables, innermost last
	// implied are the capital letters of the current formula; nil where they cannot stand for every
	// value.
	implied *frame
	outer   map[string][]*Declaration // the universal variables of a property, for its rank

	elements bool // names may be elements of sorts
}

type frame struct {
	span diag.Span
	vars []*Declaration
}

// leave keeps what stands in a text, and puts what other files declare aside.
func (r *resolver) leave(text *diag.Source) {
	t := r.table
	t.Occurrences = slices.DeleteFunc(t.Occurrences, func(o *Occurrence) bool {
		return o.Span.Source != text
	})
	t.Declarations = slices.DeleteFunc(t.Declarations, func(d *Declaration) bool {
		other := d.Name.Span.Source != text
		if other && !d.Local() {
			t.Included = append(t.Included, d)
		}
		return other
	})
}

func (r *resolver) sort() {
	byStart := func(a, b diag.Span) int { return cmp.Compare(a.Start, b.Start) }
	slices.SortStableFunc(r.table.Occurrences, func(a, b *Occurrence) int {
		return byStart(a.Span, b.Span)
	})
	slices.SortStableFunc(r.table.Declarations,
		func(a, b *Declaration) int { return byStart(a.Name.Span, b.Name.Span) })
	// The parts of a list share positions, such as the sort of `mutable relation a, b`; each place
	// counts once.
	r.table.Occurrences = slices.CompactFunc(r.table.Occurrences,
		func(a, b *Occurrence) bool { return a.Span == b.Span })
	for _, o := range r.table.Occurrences {
		o.Of.Uses = append(o.Of.Uses, o)
	}
}

// declare enters a declaration, unless its name is taken: the first one is meant then.
func (r *resolver) declare(in space, name syntax.Name, kind Kind, node syntax.Decl) *Declaration {
	if name.Text == "" {
		return nil
	}
	d := &Declaration{Name: name, Kind: kind, Node: node}
	r.table.Declarations = append(r.table.Declarations, d)
	r.table.Occurrences = append(r.table.Occurrences, &Occurrence{Span: name.Span, Of: d,
		Declares: true})
	if in[name.Text] == nil {
		in[name.Text] = d
	}
	return d
}

// use notes an occurrence of a declaration that may be nil.
func (r *resolver) use(d *Declaration, span diag.Span) *Occurrence {
	o := &Occurrence{Span: span, Of: d}
	if d != nil {
		r.table.Occurrences = append(r.table.Occurrences, o)
	}
	return o
}

func (r *resolver) useName(in space, name syntax.Name) *Occurrence {
	return r.use(in[name.Text], name.Span)
}

// here is the space for declarations: that of the block about a system, within one.
func (r *resolver) here() space {
	if n := len(r.about); n > 0 {
		return r.about[n-1]
	}
	return r.globals
}

// global finds a declaration of the file.
func (r *resolver) global(name string) *Declaration {
	for _, s := range append(slices.Clone(r.about), r.globals, r.peers) {
		if d := s[name]; d != nil {
			return d
		}
	}
	return r.formulas[name]
}

var symbolKinds = map[string]Kind{"relation": Relation, "constant": Constant, "function": Function}

func (r *resolver) declareAll(decls []syntax.Decl) {
	for _, d := range decls {
		switch d := d.(type) {
		case *syntax.SortDecl:
			if of := r.sorts[d.Name.Text]; of != nil && of.Kind == Role { // how many there are
				r.use(of, d.Name.Span)
				continue
			}
			r.declare(r.sorts, d.Name, Sort, d)
		case *syntax.EnumDecl:
			if !syntax.IsOfStrings(d) {
				r.declare(r.sorts, d.Name, Enum, d)
			}
			for _, m := range d.Members {
				r.declare(r.here(), m, Member, d)
			}
		case *syntax.TypeDecl:
			r.declare(r.sorts, d.Name, Type, d)
			if d.Sort.Data != nil {
				for _, c := range d.Sort.Data.Cases {
					r.declare(r.here(), c.Name, Member, d)
				}
			}
		case *syntax.SymbolDecl:
			r.declare(r.here(), d.Name, symbolKinds[d.Word], d)
		case *syntax.FormulaDecl:
			r.declare(r.formulas, d.Name, Formula, d)
		case *syntax.DefinitionDecl:
			kind := Definition
			if d.Transition {
				kind = Transition
			}
			r.declare(r.here(), d.Name, kind, d)
		case *syntax.ActionDecl:
			r.declare(r.here(), d.Name, Action, d)
		case *syntax.InstanceDecl:
			r.declare(r.instances, d.Name, Instance, d)
		case *syntax.AlgorithmDecl:
			r.declare(space{}, d.Name, Algorithm, d)
			for _, m := range d.Messages {
				r.declare(r.messages, m, MessageName, d)
			}
			for _, v := range d.Vars {
				r.declare(r.peers, v.Name, PeerVariable, d)
			}
			for _, t := range d.Tasks {
				r.declare(r.peers, t.Location, Location, d)
			}
		case *syntax.ProtocolDecl:
			r.declare(r.protocols, d.Name, Protocol, d)
			for _, m := range d.Messages {
				r.declare(r.peers, m.Name, MessageName, d)
			}
			for _, role := range d.Roles {
				r.roles[role.Name.Text] = true
				if of := r.sorts[role.Name.Text]; of != nil && of.Kind == Sort {
					r.use(of, role.Name.Span)
				} else if role.Name.Span != d.Name.Span {
					r.declare(r.sorts, role.Name, Role, d)
				}
			}
			for _, v := range d.Variables() {
				r.declare(r.peers, v.Name, PeerVariable, d)
			}
		}
	}
}
