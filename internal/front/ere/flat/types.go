package flat

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

func itoa(n int) string { return strconv.Itoa(n) }

// form is the form of a type.
type form int

const (
	unknown form = iota
	scalar       // a sort
	record       // tuples, too: their fields are 1, 2, ...
	variant
	set
	seq
	mapping
)

// typ is a type. Two types are the same when they are unified; see root.
type typ struct {
	form   form
	link   *typ             // of an unknown type that was found to be another
	name   string           // of a scalar: bool, int or a sort; of a variant: its name
	sort   *syntax.SortExpr // of a scalar, as declared; nil where only its kind is known
	fields []string         // of a record
	meant  []*fieldPlace    // where the text names them; nil for a tuple
	parts  []*typ           // of a record its fields; element; key and value
	ctors  []*ctor          // of a variant
	bound  *syntax.Expr     // of a sequence; nil for none
	enum   string           // of a variant: the enum of its constructors
	label  string           // as messages write it, "" to build it from the parts
}

// ctor is a constructor of a variant.
type ctor struct {
	name   string
	fields []string
	meant  []*fieldPlace // where the text names them; nil for an option
	parts  []*typ
	member string // of the enum
}

// is reports whether two constructors are the same: types that are unified have their own. An
// unknown constructor is none.
func (c *ctor) is(other *ctor) bool {
	return c != nil && other != nil && c.name == other.name
}

// root is the type that a type was found to be.
func (t *typ) root() *typ {
	for t.link != nil {
		t = t.link
	}
	return t
}

func (t *typ) is(f form) bool { return t.root().form == f }

// plain reports whether a type is a sort. A type that is not known yet is taken for one, so that
// package check says what is missing.
func (t *typ) plain() bool { return t.is(scalar) || t.is(unknown) }

var (
	boolType = &typ{form: scalar, name: "bool", sort: &syntax.SortExpr{Name: "bool"}}
	intType  = &typ{form: scalar, name: "int"}
)

func newUnknown() *typ { return &typ{} }

// String is how messages write a type.
func (t *typ) String() string {
	t = t.root()
	if t.label != "" {
		return t.label
	}
	switch t.form {
	case scalar:
		return t.name
	case record:
		return "{" + fieldTexts(t.fields, t.parts) + "}"
	case variant:
		if t.name == "option" {
			return "option[" + t.ctors[1].parts[0].String() + "]"
		}
		return t.name
	case set:
		return "set[" + t.parts[0].String() + "]"
	case seq:
		return "seq[" + t.parts[0].String() + "]"
	case mapping:
		return "map[" + t.parts[0].String() + ", " + t.parts[1].String() + "]"
	}
	return "an unknown type"
}

func fieldTexts(names []string, parts []*typ) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = names[i] + ": " + p.String()
	}
	return strings.Join(texts, ", ")
}

func (t *typ) field(name string) *typ {
	t = t.root()
	for i, f := range t.fields {
		if f == name {
			return t.parts[i]
		}
	}
	return nil
}

// ctor finds a constructor, nil if there is none.
func (t *typ) ctor(name string) *ctor {
	for _, c := range t.root().ctors {
		if c.name == name {
			return c
		}
	}
	return nil
}

// cases are what a match tells apart: the constructors of a type, or the members of an enum.
func (f *known) cases(t *typ) []*ctor {
	t = t.root()
	d, ok := f.sorts[t.name].(*syntax.EnumDecl)
	if !ok || t.form != scalar {
		return t.ctors
	}
	var out []*ctor
	for _, m := range d.Members {
		out = append(out, &ctor{name: m.Text, member: m.Text})
	}
	return out
}

// enumeration reports whether no constructor has fields, so that the type is an enum.
func (t *typ) enumeration() bool {
	for _, c := range t.ctors {
		if len(c.parts) > 0 {
			return false
		}
	}
	return true
}

func optionOf(part *typ) *typ {
	return &typ{form: variant, name: "option", ctors: []*ctor{
		{name: "none"}, {name: "some", fields: []string{"value"}, parts: []*typ{part}}}}
}

func setOf(part *typ) *typ { return &typ{form: set, parts: []*typ{part}} }
func seqOf(part *typ) *typ { return &typ{form: seq, parts: []*typ{part}} }

// unify makes two types the same, and reports whether they can be.
func unify(a, b *typ) bool {
	a, b = a.root(), b.root()
	switch {
	case a == b:
		return true
	case a.form == unknown:
		a.link = b
		return true
	case b.form == unknown:
		b.link = a
		return true
	case a.form != b.form, a.form == scalar && a.name != b.name,
		a.form == variant && a.name != b.name, len(a.parts) != len(b.parts):
		return false
	case a.form == record:
		for i, name := range a.fields {
			if other := b.field(name); other == nil || !unify(a.parts[i], other) {
				return false
			}
			a.place(name).join(b.place(name))
		}
		return true
	case a.form == variant && a.name == "option":
		return unify(a.ctors[1].parts[0], b.ctors[1].parts[0])
	}
	for i := range a.parts {
		if !unify(a.parts[i], b.parts[i]) {
			return false
		}
	}
	return true
}

// known is what a file declares: its types, and the types of its names.
type known struct {
	ctx      context.Context
	file     *syntax.File
	errs     *diag.List
	taken    map[string]bool        // names of the file and of the result
	numbers  map[string]int         // the last ones behind names
	sorts    map[string]syntax.Decl // by name
	types    map[string]*typ        // of declared types with structure
	globals  map[string]*global
	binders  map[*syntax.Binder]*typ
	builtins map[string]*builtin
	named    []*fieldPlace // for editors
}

// ended reports whether the context has ended. Then what is left to do is not done: whatever is
// made is thrown away.
func (f *known) ended() bool {
	if f.ctx.Err() == nil {
		return false
	}
	if f.errs.Err() == nil {
		f.errs.Errorf(diag.Unsupported, f.file.Decls[0].Pos(), "the structured data of this file "+
			"was not read to the end: %v", context.Cause(f.ctx)).
			Suggest("Give it more time, or make its values smaller: fewer changes of the same " +
				"record or map one after the other in an action.")
	}
	return true
}

// fresh is a name that neither the file nor the result has, close to the wanted one.
func (f *known) fresh(wanted string) string {
	name := wanted
	for f.taken[name] || syntax.IsKeyword(name) {
		f.numbers[wanted]++
		name = wanted + "_" + itoa(f.numbers[wanted]+1)
	}
	f.taken[name] = true
	return name
}

// readTypes enters the sorts and types of the file. Types that stand for sorts stay as they are.
func (f *known) readTypes() {
	for _, d := range f.file.Decls {
		switch d := d.(type) {
		case *syntax.SortDecl:
			f.sorts[d.Name.Text] = d
		case *syntax.EnumDecl:
			f.sorts[d.Name.Text] = d
		case *syntax.TypeDecl:
			if before, ok := f.sorts[d.Name.Text]; ok {
				f.errs.Errorf(diag.Duplicate, d.Name.Span, "the type '%s' is declared twice",
					d.Name.Text).Because(before.Pos(), "it is declared here").
					Suggest("Give one of the two another name, or delete it.")
				continue
			}
			f.sorts[d.Name.Text] = d
		}
	}
	for _, d := range f.file.Decls {
		if d, ok := d.(*syntax.TypeDecl); ok {
			f.declared(d, nil)
		}
	}
	for _, d := range f.file.Decls {
		if d, ok := d.(*syntax.TypeDecl); ok && f.types[d.Name.Text] != nil {
			f.nameCtors(d.Name.Text, f.types[d.Name.Text])
		}
	}
}

// nameCtors names the enum of the constructors of a variant. Without fields it is the type itself.
func (f *known) nameCtors(name string, t *typ) {
	if t.form != variant || t.enum != "" || t.name == "option" {
		return
	}
	if t.enumeration() {
		t.enum = name
		for _, c := range t.ctors {
			c.member = c.name
		}
		return
	}
	t.enum = f.fresh(name + "_kind")
	for _, c := range t.ctors {
		c.member = f.fresh(c.name + "_" + name)
	}
}

// declared is the type that a declaration gives a name, nil if it is a sort. Inside lists the
// declarations in which it is used.
func (f *known) declared(d *syntax.TypeDecl, inside []*syntax.TypeDecl) *typ {
	if t, ok := f.types[d.Name.Text]; ok {
		return t
	}
	for _, other := range inside {
		if other == d {
			f.errs.Errorf(diag.Cyclic, d.Name.Span, "the type '%s' contains itself", d.Name.Text).
				Because(diag.Span{}, "a state has a fixed number of parts, and such a value has "+
					"no greatest number of them").
				Suggest("Keep the elements in a sequence or a map, and let the values hold " +
					"positions or keys.")
			return &typ{}
		}
	}
	t := f.typeAt(d.Sort, append(inside, d))
	if t.form == scalar {
		f.types[d.Name.Text] = nil
		return nil
	}
	if t.form == variant && t.name == "" {
		t.name = d.Name.Text
	}
	if t.label == "" && t.form != variant {
		t.label = d.Name.Text
	}
	f.types[d.Name.Text] = t
	return t
}

// typeAt is the type that a text names.
func (f *known) typeAt(s *syntax.SortExpr, inside []*syntax.TypeDecl) *typ {
	if s.Data == nil {
		return f.sortType(s, inside)
	}
	part := func(i int) *typ { return f.typeAt(s.Data.Parts[i], inside) }
	switch s.Data.Form {
	case syntax.SetType:
		t := setOf(part(0))
		f.checkElements(s.Data.Parts[0], t.parts[0], "a set cannot have elements")
		return t
	case syntax.SeqType:
		t := seqOf(part(0))
		t.bound = s.Data.Bound
		return t
	case syntax.OptionType:
		return optionOf(part(0))
	case syntax.MapType:
		t := &typ{form: mapping, parts: []*typ{part(0), part(1)}}
		f.checkElements(s.Data.Parts[0], t.parts[0], "the keys of a map cannot have elements")
		return t
	case syntax.VariantType:
		t := &typ{form: variant}
		for _, c := range s.Data.Cases {
			k := &ctor{name: c.Name.Text}
			for i, p := range c.Parts {
				k.fields = append(k.fields, c.Fields[i].Text)
				k.parts = append(k.parts, f.typeAt(p, inside))
				k.meant = append(k.meant, f.declares(c.Fields[i], k.parts[i]))
			}
			f.checkNames(c.Fields, "field")
			t.ctors = append(t.ctors, k)
		}
		return t
	}
	t := &typ{form: record}
	for i, p := range s.Data.Parts {
		name := itoa(i + 1)
		part := f.typeAt(p, inside)
		if s.Data.Form == syntax.RecordType {
			name = s.Data.Fields[i].Text
			t.meant = append(t.meant, f.declares(s.Data.Fields[i], part))
		}
		t.fields = append(t.fields, name)
		t.parts = append(t.parts, part)
	}
	f.checkNames(s.Data.Fields, "field")
	return t
}

func (f *known) checkNames(names []syntax.Name, what string) {
	seen := map[string]diag.Span{}
	for _, n := range names {
		if before, ok := seen[n.Text]; ok {
			f.errs.Errorf(diag.Duplicate, n.Span, "the %s '%s' occurs twice", what, n.Text).
				Because(before, "it is declared here").Suggest("Give one of the two another name.")
		}
		seen[n.Text] = n.Span
	}
}

// checkElements refuses elements, keys and arguments with collections that have no codes.
func (f *known) checkElements(at *syntax.SortExpr, t *typ, what string) {
	if bad := collection(t); bad != nil {
		why := f.codable(bad)
		if why == "" {
			return
		}
		f.errs.Errorf(diag.Unsupported, at.Span, "%s with a %s in them of which there are "+
			"infinitely many: %s", what, bad.root().word(), why).
			Suggest("Give the inner collections numbers or names: a sort, and a function from it " +
				"to the collection.")
	}
}

func (t *typ) word() string {
	return map[form]string{set: "set", seq: "sequence", mapping: "map"}[t.form]
}

// collection finds a set, sequence or map in a type, nil if there is none.
func collection(t *typ) *typ {
	t = t.root()
	switch t.form {
	case set, seq, mapping:
		return t
	}
	for _, p := range t.parts {
		if c := collection(p); c != nil {
			return c
		}
	}
	for _, c := range t.ctors {
		for _, p := range c.parts {
			if c := collection(p); c != nil {
				return c
			}
		}
	}
	return nil
}

// hasUnbounded reports whether values of a type have a sequence without a bound.
func hasUnbounded(t *typ) bool {
	t = t.root()
	for _, c := range t.ctors {
		if slices.ContainsFunc(c.parts, hasUnbounded) {
			return true
		}
	}
	return t.form == seq && t.bound == nil || slices.ContainsFunc(t.parts, hasUnbounded)
}

// sortType is the type of a sort, or of the name of a type.
func (f *known) sortType(s *syntax.SortExpr, inside []*syntax.TypeDecl) *typ {
	switch d := f.sorts[s.Name].(type) {
	case *syntax.TypeDecl:
		if t := f.declared(d, inside); t != nil {
			return t
		}
		inner := f.typeAt(d.Sort, inside)
		return &typ{form: scalar, name: inner.name, sort: s}
	}
	name := s.Name
	if name == "" {
		name = "int"
	}
	return &typ{form: scalar, name: name, sort: s}
}

func list(names []string) string { return strings.Join(names, ", ") }
