package flat

import (
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/result"
)

// hideAdded notes the names that the user did not declare.
func (f *flattener) hideAdded() {
	for _, d := range f.added {
		switch d := d.(type) {
		case *syntax.SymbolDecl:
			if !d.Capacity {
				f.view.Hidden = append(f.view.Hidden, d.Name.Text)
			}
		case *syntax.SortDecl:
			f.view.Hidden = append(f.view.Hidden, d.Name.Text)
		}
	}
}

// viewSymbol notes how the parts of a symbol make up its value.
func (f *flattener) viewSymbol(g *global) {
	s := &result.StructuredSymbol{Name: g.name.Text, Relation: g.symbol.Result == nil}
	for _, a := range f.alternatives(g.params) {
		l := location{symbol: g.name.Text, path: a.suffix}
		s.Parts = append(s.Parts, result.SymbolPart{Args: a.keys, Value: f.shape(l, g.result)})
	}
	f.view.Symbols = append(f.view.Symbols, s)
}

// viewAction notes how the parameters of an action make up the ones of the file.
func (f *flattener) viewAction(
	declared string, params []*syntax.Binder, name string, form actionForm,
) {
	a := &result.StructuredAction{Name: declared, Choices: f.chosen}
	same := len(f.chosen) == 0 // as the file has it
	for i, p := range form.params {
		for _, way := range f.alternativesOf(f.binderType(params[i])) {
			if way.suffix != p.suffix {
				continue
			}
			named := result.NamedKey{Name: params[i].Name.Text, Key: way.keys[0]}
			for _, b := range p.binders {
				named.Flat = append(named.Flat, b.Name.Text)
			}
			same = same && named.Key.Form == result.Plain && named.Flat[0] == named.Name &&
				f.binderType(params[i]).plain()
			a.Params = append(a.Params, named)
		}
	}
	if !same {
		f.view.Actions[name] = a
	}
}

// valuesOf lists the values of a sort that has the same ones in every instance.
func (f *places) valuesOf(t *typ) (out []result.Value) {
	switch d := f.sorts[t.name].(type) {
	case *syntax.EnumDecl:
		for _, m := range d.Members {
			out = append(out, result.Atom(t.name, m.Text))
		}
	case *syntax.TypeDecl:
		for _, c := range t.ctors {
			out = append(out, result.Atom(t.name, c.name))
		}
	}
	if t.name == "bool" {
		return []result.Value{result.Bool(false), result.Bool(true)}
	}
	if lo, hi := f.ends(t.sort); lo != nil && lo.Kind == syntax.ExprInt &&
		hi.Kind == syntax.ExprInt && lo.Int.IsInt64() && hi.Int.IsInt64() &&
		hi.Int.Int64()-lo.Int.Int64() < mostValues {
		for i := lo.Int.Int64(); i <= hi.Int.Int64(); i++ {
			out = append(out, result.Int(itoa(int(i))))
		}
	}
	return out
}

// mostValues is how many values of a range are listed.
const mostValues = 1000

func recordForm(t *typ) result.Form {
	if len(t.fields) > 0 && t.fields[0] == "1" {
		return result.Tuple
	}
	return result.Record
}

// shape says how the value at a location is made of symbols.
func (f *places) shape(l location, t *typ) *result.Shape {
	t = t.root()
	leaf := func(path string) string { return f.leafName(l.symbol, l.path+path) }
	switch t.form {
	case record:
		s := &result.Shape{Form: recordForm(t), Names: t.fields}
		for i, name := range t.fields {
			s.Parts = append(s.Parts, f.shape(l.sub("_"+name), t.parts[i]))
		}
		return s
	case variant:
		switch {
		case t.name == "option":
			return &result.Shape{Form: result.Option, Leaf: leaf("_some"),
				Parts: []*result.Shape{f.shape(l.sub(fieldPath(t, t.ctors[1], 0)),
					t.ctors[1].parts[0])}}
		case t.enumeration():
			return &result.Shape{Leaf: leaf("")}
		}
		s := &result.Shape{Form: result.Variant, Leaf: leaf(""), Sort: t.enum}
		for _, c := range t.ctors {
			k := &result.ShapeCase{Name: c.name, Member: c.member, Names: c.fields}
			for i, p := range c.parts {
				k.Parts = append(k.Parts, f.shape(l.sub(fieldPath(t, c, i)), p))
			}
			s.Cases = append(s.Cases, k)
		}
		return s
	case set, mapping:
		s := &result.Shape{Form: result.Set}
		path := ""
		if t.form == mapping {
			s.Form, path = result.Map, "_has"
		}
		for _, a := range f.alternativesOf(t.parts[0]) {
			e := &result.ShapeElem{Leaf: leaf(path + a.suffix), Key: a.keys[0]}
			if t.form == mapping {
				e.Value = f.shape(l.sub(itemPath(t.parts[1])+a.suffix), t.parts[1])
			}
			s.Elems = append(s.Elems, e)
		}
		return s
	case seq:
		return &result.Shape{Form: result.Seq, Leaf: leaf("_size"),
			Parts: []*result.Shape{f.shape(l.sub(itemPath(t.parts[0])), t.parts[0])}}
	}
	return &result.Shape{Leaf: leaf("")}
}

// chosenShape says how a value that variables stand for is made of them.
func (f *lowerer) chosenShape(v *value) *result.Shape {
	t := v.typ.root()
	switch {
	case t.form == record:
		s := &result.Shape{Form: recordForm(t), Names: t.fields}
		for _, name := range t.fields {
			s.Parts = append(s.Parts, f.chosenShape(v.fields[name]))
		}
		return s
	case v.ctor != nil:
		k := &result.ShapeCase{Name: v.ctor.name, Names: v.ctor.fields}
		for i := range v.ctor.parts {
			k.Parts = append(k.Parts, f.chosenShape(v.payload(v.ctor, i)))
		}
		return &result.Shape{Form: result.Variant, Cases: []*result.ShapeCase{k}}
	case v.code != nil:
		return &result.Shape{Leaf: v.code.Name.Text, Sort: f.codeOf(v.typ).typ.name}
	case t.form != variant || t.enumeration():
		return &result.Shape{Leaf: v.expr.Name.Text}
	case t.name == "option":
		some := t.ctors[1]
		return &result.Shape{Form: result.Option, Leaf: v.made(some).Name.Text,
			Parts: []*result.Shape{f.chosenShape(v.payload(some, 0))}}
	}
	s := &result.Shape{Form: result.Variant, Sort: t.enum}
	for _, c := range t.ctors {
		s.Leaf = v.made(c).Args[0].Name.Text // tag = member
		k := &result.ShapeCase{Name: c.name, Member: c.member, Names: c.fields}
		for i := range c.parts {
			k.Parts = append(k.Parts, f.chosenShape(v.payload(c, i)))
		}
		s.Cases = append(s.Cases, k)
	}
	return s
}

// keyPattern is how the file writes a value that is made of the next arguments: $n is the n-th one.
func keyPattern(k *result.Key, next *int) string {
	if k.Form == result.Plain {
		*next++
		return "$" + itoa(*next-1)
	}
	parts := make([]string, len(k.Parts))
	for i, p := range k.Parts {
		parts[i] = keyPattern(p, next)
		if k.Form == result.Record {
			parts[i] = k.Names[i] + ": " + parts[i]
		}
	}
	switch {
	case k.Form == result.Record:
		return "{" + list(parts) + "}"
	case k.Form == result.Tuple:
		return "(" + list(parts) + ")"
	case len(parts) == 0:
		return k.Name
	}
	return k.Name + "(" + list(parts) + ")"
}
