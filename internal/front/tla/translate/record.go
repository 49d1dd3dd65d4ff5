package translate

import (
	"slices"
	"strings"

	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/types"
	"erelong.dev/erelong/internal/value"
)

// variant says how the values of a record type are made.
type variant struct {
	sort   string
	shapes []*shape
	// Tag is the field that tells the shapes apart. It is empty for one shape, and where each shape
	// has other fields.
	tag string
}

// shape is the fields of some records, and for each field the strings that are written there; nil
// where something else is.
type shape struct {
	fields []string
	texts  map[string][]string
	maker  string // of a variant: the constructor
}

// construction notes how a record is made.
func (w *declarer) construction(n *core.Record, t *types.Type) {
	if n.Sets {
		t = t.Elem()
	}
	s := &shape{fields: n.Fields.Names, texts: map[string][]string{}}
	for i, f := range s.fields {
		s.texts[f] = written(n.Values[i], n.Sets)
	}
	t = t.Root()
	if w.variants[t] == nil {
		w.variants[t] = &variant{}
	}
	w.variants[t].shapes = append(w.variants[t].shapes, s)
}

// written are the strings that a node is, or that are in it if it is a set.
func written(n core.Node, set bool) (out []string) {
	n = core.Strip(n)
	if set {
		op, ok := n.(*core.Operator)
		if !ok || op.Name != "{}" {
			return nil
		}
		for _, a := range op.Args {
			one := written(a, false)
			if one == nil {
				return nil
			}
			out = append(out, one...)
		}
		return out
	}
	if l, ok := n.(*core.Literal); ok && l.Value.Kind() == value.String {
		return []string{l.Value.Text()}
	}
	return nil
}

// variant is how records of a type are told apart, nil where all have the same fields.
func (w *algebra) variant(t *types.Type) *variant {
	w.recordSort(t)
	if v := w.variants[t.Root()]; len(v.shapes) > 1 && v.shapes[0].maker != "" {
		return v
	}
	return nil
}

// recordSort is the type of the language for a record type; it is declared at its first use.
func (w *declarer) recordSort(t *types.Type) string {
	t = t.Root()
	v := w.variants[t]
	if v == nil {
		w.fail("a record that is made nowhere is not translated")
	}
	if v.sort != "" {
		return v.sort
	}
	v.sort = w.name("record")
	d := &syntax.TypeDecl{Span: w.span, Name: syntax.Name{Text: v.sort, Span: w.span}}
	data := &syntax.DataType{Form: syntax.RecordType}
	part := func(f string) (syntax.Name, *syntax.SortExpr) {
		return syntax.Name{Text: f, Span: w.span}, w.sort(t.Field(f))
	}
	if v.uniform() {
		for _, f := range v.shapes[0].fields {
			name, sort := part(f)
			data.Fields, data.Parts = append(data.Fields, name), append(data.Parts, sort)
		}
	} else {
		v.separate(w)
		data.Form = syntax.VariantType
		for _, s := range v.shapes {
			c := &syntax.Case{Name: syntax.Name{Text: s.maker, Span: w.span}}
			for _, f := range s.fields {
				if f != v.tag {
					name, sort := part(f)
					c.Fields, c.Parts = append(c.Fields, name), append(c.Parts, sort)
				}
			}
			data.Cases = append(data.Cases, c)
		}
	}
	d.Sort = &syntax.SortExpr{Data: data, Span: w.span}
	w.decls = append(w.decls, d)
	return v.sort
}

func (v *variant) uniform() bool {
	for _, s := range v.shapes {
		if !slices.Equal(s.fields, v.shapes[0].fields) {
			return false
		}
	}
	return true
}

// separate finds the field by whose strings the shapes are told apart, and makes one shape for each
// of them. Where there is none, each has other fields.
func (v *variant) separate(w *declarer) {
	for _, f := range v.shapes[0].fields {
		if made := v.by(f); made != nil {
			v.tag, v.shapes = f, made
			for _, s := range made {
				s.maker = w.name(s.texts[f][0])
			}
			return
		}
	}
	var made []*shape
	for _, s := range v.shapes {
		if !slices.ContainsFunc(made, func(m *shape) bool {
			return slices.Equal(m.fields, s.fields)
		}) {
			made = append(made, &shape{fields: s.fields, maker: w.name("with_" +
				strings.Join(s.fields, "_"))})
		}
	}
	v.shapes = made
}

// by are the shapes by the strings in a field; nil if that does not tell their fields.
func (v *variant) by(field string) (out []*shape) {
	known := map[string]*shape{}
	for _, s := range v.shapes {
		if s.texts[field] == nil {
			return nil
		}
		for _, text := range s.texts[field] {
			switch k := known[text]; {
			case k == nil:
				known[text] = &shape{fields: s.fields,
					texts: map[string][]string{field: {text}}}
				out = append(out, known[text])
			case !slices.Equal(k.fields, s.fields):
				return nil
			}
		}
	}
	return out
}

// made is the shape with a tag.
func (v *variant) made(tag string) *shape {
	for _, s := range v.shapes {
		if s.texts[v.tag][0] == tag {
			return s
		}
	}
	return nil
}

// with is the shape with some fields, where no tag tells the shapes apart.
func (v *variant) with(fields []string) *shape {
	for _, s := range v.shapes {
		if slices.Equal(s.fields, fields) {
			return s
		}
	}
	return nil
}

// is says that a record is of a shape.
func (w *algebra) is(r *term, s *shape) *syntax.Expr {
	return &syntax.Expr{Kind: syntax.ExprIs, Args: []*syntax.Expr{w.expr(r)},
		Name: syntax.Name{Text: s.maker, Span: w.span}}
}

// tagged says that a record has a tag.
func (w *algebra) tagged(r *term, tag string) *syntax.Expr {
	if s := w.variant(r.typ).made(tag); s != nil {
		return w.is(r, s)
	}
	return build.Truth(false)
}

// tagOf is the tag of a record as an expression.
func (w *algebra) tagOf(t *term) *syntax.Expr {
	v := w.variant(t.tag.typ)
	var x *syntax.Expr
	for _, s := range v.shapes {
		text := w.stringOf(&term{typ: t.typ, text: s.texts[v.tag][0]})
		if x == nil {
			x = text
		} else {
			x = build.If(w.is(t.tag, s), text, x)
		}
	}
	return x
}

// shaped says that a record has some fields and no other.
func (w *algebra) shaped(r *term, fields []string) *syntax.Expr {
	if r.parts != nil {
		return build.Truth(slices.Equal(r.names, fields))
	}
	v := w.variant(r.typ)
	if v == nil {
		return build.Truth(true)
	}
	var some []*syntax.Expr
	for _, s := range v.shapes {
		if slices.Equal(s.fields, fields) {
			some = append(some, w.is(r, s))
		}
	}
	return build.Or(some...)
}

// recordValue is the expression of a record that is known by its parts.
func (w *algebra) recordValue(t *term) *syntax.Expr {
	v := w.variant(t.typ)
	if v == nil {
		x := &syntax.Expr{Kind: syntax.ExprRecord}
		for i, p := range t.parts {
			x.Fields = append(x.Fields, syntax.Name{Text: t.names[i], Span: w.span})
			x.Args = append(x.Args, w.expr(p))
		}
		return x
	}
	var tag string
	var args []*syntax.Expr
	for i, p := range t.parts {
		if v.tag != "" && t.names[i] == v.tag {
			tag = p.text
		} else {
			args = append(args, w.expr(p))
		}
	}
	if v.tag == "" {
		return build.Apply(v.with(t.names).maker, args...)
	}
	if tag == "" {
		w.fail("a record whose field %s is no string that is written is not translated", v.tag)
	}
	return build.Apply(v.made(tag).maker, args...)
}

// changed is a record with another value of a field, which it keeps as it is where it has no such
// field.
func changed(w *algebra, r *term, field string, value func() *term) *syntax.Expr {
	v := w.variant(r.typ)
	if v == nil {
		return build.Binary(syntax.ExprWith, w.expr(r), &syntax.Expr{Kind: syntax.ExprRecord,
			Args: []*syntax.Expr{w.expr(value())}, Fields: []syntax.Name{{Text: field,
				Span: w.span}}})
	}
	if field == v.tag {
		w.fail("an EXCEPT of the field %s, which tells the records apart, is not translated", field)
	}
	out := w.expr(r)
	for _, s := range v.shapes {
		if !slices.Contains(s.fields, field) {
			continue
		}
		var args []*syntax.Expr
		for _, f := range s.fields {
			switch {
			case f == field:
				args = append(args, w.expr(value()))
			case f != v.tag:
				args = append(args, w.expr(w.field(r, f)))
			}
		}
		out = build.If(w.is(r, s), build.Apply(s.maker, args...), out)
	}
	return out
}
