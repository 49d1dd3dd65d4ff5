package flat

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// Types are the types of a file, for editors.
type Types struct{ f *flattener }

// TypesOf finds the types of a file, which may have errors, as far as they can be found.
func TypesOf(file *syntax.File) *Types {
	f := newFlattener(context.Background(), file, &diag.List{})
	f.readTypes()
	f.readGlobals()
	f.inferAll()
	return &Types{f}
}

// own reports whether a place is in the file itself, and not in one that it includes.
func (t *Types) own(s diag.Span) bool { return s.Source == t.f.file.Source }

// Field is a field of a record or of a constructor.
type Field struct {
	Name, Type string
	// Places are where the text names it, the declaration first. Fields of types that are compared
	// or assigned are one.
	Places []diag.Span
}

// Fields lists the fields that the text names, in the order of the text. A field of which nothing
// is known, such as one that its type does not have, is left out.
func (t *Types) Fields() (out []Field) {
	first := map[diag.Span]*fieldPlace{} // types may be read more than once
	groups := map[*fieldPlace][]*fieldPlace{}
	for _, p := range t.f.named {
		if first[p.span] == nil {
			first[p.span] = p
		}
		first[p.span].join(p)
	}
	for _, p := range t.f.named {
		groups[p.root()] = append(groups[p.root()], p)
	}
	for _, group := range groups {
		if slices.ContainsFunc(group, func(p *fieldPlace) bool { return !t.own(p.span) }) {
			continue // of another file
		}
		slices.SortStableFunc(group, func(a, b *fieldPlace) int {
			switch {
			case a.declares == b.declares:
				return cmp.Compare(a.span.Start, b.span.Start)
			case a.declares:
				return -1
			}
			return 1
		})
		i := slices.IndexFunc(group, func(p *fieldPlace) bool { return p.part != nil })
		if i < 0 {
			continue
		}
		f := Field{Name: group[0].span.Text(), Type: shown(group[i].part)}
		for _, p := range group {
			f.Places = append(f.Places, p.span)
		}
		f.Places = slices.CompactFunc(f.Places, func(a, b diag.Span) bool {
			return a.Start == b.Start
		})
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b Field) int {
		return cmp.Compare(a.Places[0].Start, b.Places[0].Start)
	})
	return out
}

// Before lists the fields of the value of which the text names a field at an offset. Constructors
// may have one of the same name.
func (t *Types) Before(offset int) (out []Field) {
	for x := range t.f.typeOf {
		if x.Kind != syntax.ExprField || x.Name.Span.Start != offset || !t.own(x.Name.Span) {
			continue
		}
		of := t.f.typeOf[x.Args[0]].root()
		add := func(names []string, parts []*typ) {
			for i, name := range names {
				out = append(out, Field{Name: name, Type: shown(parts[i])})
			}
		}
		add(of.fields, of.parts)
		for _, c := range of.ctors {
			add(c.fields, c.parts)
		}
	}
	return out
}

// Variable is the type of the variable that is declared at an offset of the text, empty if it is
// unknown.
func (t *Types) Variable(offset int) string {
	for b, x := range t.f.binders {
		if b.Name.Span.Start == offset && t.own(b.Name.Span) && !x.is(unknown) {
			return shown(x)
		}
	}
	return ""
}

// Function is a function of the language.
type Function struct{ Name, Args string }

// Functions lists the functions of the language on structured data.
func Functions() (out []Function) {
	for name, b := range builtins() {
		out = append(out, Function{name, b.args})
	}
	slices.SortFunc(out, func(a, b Function) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// shown is a type as a file writes it, with the names of its sorts.
func shown(t *typ) string {
	t = t.root()
	var parts []string
	for _, p := range t.parts {
		parts = append(parts, shown(p))
	}
	switch {
	case t.label != "" || t.form == variant && t.name != "option":
	case t.form == scalar && t.sort != nil && t.sort.Name != "":
		return t.sort.Name
	case t.form == scalar && t.sort != nil && t.sort.Span.Source != nil:
		return t.sort.Span.Text()
	case t.form == variant:
		return "option[" + shown(t.ctors[1].parts[0]) + "]"
	case t.form == set:
		return "set[" + parts[0] + "]"
	case t.form == seq:
		return "seq[" + parts[0] + "]"
	case t.form == mapping:
		return "map[" + parts[0] + ", " + parts[1] + "]"
	case t.form == record && t.meant == nil:
		return "(" + strings.Join(parts, ", ") + ")"
	case t.form == record:
		for i, f := range t.fields {
			parts[i] = f + ": " + parts[i]
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	}
	return t.String()
}
