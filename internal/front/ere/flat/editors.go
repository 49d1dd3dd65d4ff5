package flat

import (
	"cmp"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// Types are the types of a file, for editors.
type Types struct{ f *flattener }

// TypesOf finds the types of a file, which may have errors, as far as they can be found.
func TypesOf(file *syntax.File) *Types {
	f := newFlattener(file, &diag.List{})
	f.readTypes()
	f.readGlobals()
	f.inferAll()
	return &Types{f}
}

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
	first := map[int]*fieldPlaces{} // the symbols of a list share the text of their type
	for _, p := range t.f.named {
		for _, s := range p.declared {
			if first[s.Start] == nil {
				first[s.Start] = p
			}
			first[s.Start].join(p)
		}
	}
	types := map[*fieldPlaces]*typ{}
	enter := func(meant []*fieldPlaces, parts []*typ) {
		for i, p := range meant {
			types[p.root()] = parts[i]
		}
	}
	t.each(func(x *typ) {
		enter(x.meant, x.parts)
		for _, c := range x.ctors {
			enter(c.meant, c.parts)
		}
	})
	for p, part := range types {
		bySpan := func(a, b diag.Span) int { return cmp.Compare(a.Start, b.Start) }
		same := func(a, b diag.Span) bool { return a.Start == b.Start }
		slices.SortFunc(p.declared, bySpan)
		slices.SortFunc(p.used, bySpan)
		places := slices.Concat(slices.CompactFunc(p.declared, same),
			slices.CompactFunc(p.used, same))
		out = append(out, Field{places[0].Text(), shown(part), places})
	}
	slices.SortFunc(out, func(a, b Field) int {
		return cmp.Compare(a.Places[0].Start, b.Places[0].Start)
	})
	return out
}

// each calls a function with every type of the file that may have fields, and with their parts.
func (t *Types) each(visit func(*typ)) {
	seen := map[*typ]bool{}
	var walk func(*typ)
	walk = func(x *typ) {
		x = x.root()
		if seen[x] {
			return
		}
		seen[x] = true
		visit(x)
		for _, p := range x.parts {
			walk(p)
		}
		for _, c := range x.ctors {
			for _, p := range c.parts {
				walk(p)
			}
		}
	}
	for _, x := range t.f.types {
		if x != nil {
			walk(x)
		}
	}
	for _, g := range t.f.globals {
		for _, p := range append(slices.Clone(g.params), g.result) {
			walk(p)
		}
	}
	for _, b := range t.f.binders {
		walk(b)
	}
	for _, x := range t.f.typeOf {
		walk(x)
	}
}

// Before lists the fields of the value of which the text names a field at an offset. Constructors
// may have one of the same name.
func (t *Types) Before(offset int) (out []Field) {
	for x := range t.f.typeOf {
		if x.Kind != syntax.ExprField || x.Name.Span.Start != offset {
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
		if b.Name.Span.Start == offset && !x.is(unknown) {
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
