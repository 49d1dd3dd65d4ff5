package translate

import (
	"slices"

	"erelong.dev/erelong/internal/front/ere/syntax"
	tla "erelong.dev/erelong/internal/front/tla/syntax"
	"erelong.dev/erelong/internal/front/tla/types"
)

// field is a part of a value. Of a value that may be of several kinds, it is the value.
func (b *back) field(x *syntax.Expr) tla.Expr {
	if v := x.Args[0]; x.Name.Text == "value" && v.Kind == syntax.ExprIf &&
		v.Args[1].Name.Text == "some" && v.Args[2].Name.Text == "none" {
		b.require(b.expr(v.Args[0])) // see needing of the other direction
		return b.expr(v.Args[1].Args[0])
	}
	of := b.expr(x.Args[0])
	t := b.typeOf(x.Args[0])
	if t == nil && len(b.w.sums) > 0 {
		b.fail("it has a part of a value that may be of several kinds")
	}
	n := x.Name.Text
	if t != nil && t.Kind() == types.Sum {
		s := b.w.sumOf(t)
		for _, c := range s.cases {
			if c.part == n {
				b.require(b.ofKind(of, s, c, true))
			}
		}
		return of
	}
	if n[0] >= '1' && n[0] <= '9' {
		return &tla.Index{Function: of, Args: []tla.Expr{&tla.Number{Text: n}}}
	}
	for record, v := range b.w.variants {
		switch {
		case t != nil && t.Same(record):
			b.needField(of, v, n)
		case t == nil && slices.ContainsFunc(v.shapes, func(s *shape) bool {
			return slices.Contains(s.fields, n)
		}):
			b.fail("it has a part of a record of which nothing is known here")
		}
	}
	return &tla.Select{Record: of, Field: tla.Name{Text: n}}
}

// needField notes that a record has a field, where others of its type do not have it.
func (b *back) needField(of tla.Expr, v *variant, field string) {
	var with []tla.Expr
	for _, s := range v.shapes {
		if slices.Contains(s.fields, field) && s.maker != "" {
			with = append(with, b.shape(of, v, s))
		}
	}
	if len(with) > 0 && len(with) < len(v.shapes) {
		b.need(chain(`\/`, with), &tla.Select{Record: of, Field: tla.Name{Text: field}})
	}
}

// shape says of a record which constructor made it.
func (b *back) shape(of tla.Expr, v *variant, s *shape) tla.Expr {
	if v.tag != "" {
		return named("=", &tla.Select{Record: of, Field: tla.Name{Text: v.tag}},
			&tla.String{Value: s.texts[v.tag][0]})
	}
	fields := &tla.SetOf{}
	for _, f := range s.fields {
		fields.Elems = append(fields.Elems, &tla.String{Value: f})
	}
	return named("=", named("DOMAIN", of), fields)
}

// ofKind says that a value is of a kind. Enough says that it may say more.
func (b *back) ofKind(of tla.Expr, s *sum, c *sumCase, enough bool) tla.Expr {
	for _, o := range s.cases { // TLC compares nothing else with any value
		if o.typ.Kind() != types.Int && (o.typ.Kind() != types.Element ||
			len(b.w.class(o.typ).texts) > 0) {
			b.fail("TLA+ has no test for a kind of value in it")
		}
	}
	switch c.typ.Kind() {
	case types.Int:
		return named(`\in`, of, named("Int"))
	case types.Element:
		if is := b.w.class(c.typ); enough || is.whole() {
			return named(`\in`, of, b.classSet(c.typ, is))
		}
	}
	b.fail("TLA+ has no name for a kind of value in it")
	return nil
}

// is says of a value how it is made.
func (b *back) is(x *syntax.Expr, side side) tla.Expr {
	for _, v := range b.w.variants {
		for _, s := range v.shapes {
			if s.maker != "" && s.maker == x.Name.Text {
				return b.shape(b.expr(x.Args[0]), v, s)
			}
		}
	}
	for _, v := range b.w.sums {
		for _, c := range v.cases {
			if c.maker == x.Name.Text {
				return b.ofKind(b.expr(x.Args[0]), v, c, side == negated)
			}
		}
	}
	b.fail("it has a form that is not said in TLA+")
	return nil
}

// sortType is the type of the elements of a sort; nil where it is not known.
func (b *back) sortType(s *syntax.SortExpr) *types.Type {
	switch {
	case s.Lo != nil || s.Name == "int":
		return types.Integer()
	case s.Name == "":
		return nil
	}
	for t, v := range b.w.variants {
		if v.sort == s.Name {
			return t
		}
	}
	for t, v := range b.w.sums {
		if v.sort == s.Name {
			return t
		}
	}
	for t, c := range b.w.classes {
		if c.sort == s.Name {
			return t
		}
	}
	return nil
}

// typeOf is the type of an expression; nil where it is not known.
func (b *back) typeOf(x *syntax.Expr) *types.Type {
	switch x.Kind {
	case syntax.ExprField:
		return b.fieldType(b.typeOf(x.Args[0]), x.Name.Text)
	case syntax.ExprAt:
		return elementType(b.typeOf(x.Args[0]))
	case syntax.ExprIf:
		return b.typeOf(x.Args[1])
	case syntax.ExprName:
	default:
		return nil
	}
	switch sequenceBack(x.Name.Text) {
	case "Head":
		return elementType(b.typeOf(x.Args[0]))
	case "Tail", "Append", `\o`, "SubSeq":
		return b.typeOf(x.Args[0])
	}
	t := b.kinds[x.Name.Text]
	if i := slices.Index(b.w.called, x.Name.Text); i >= 0 {
		t = b.w.types.Variables[i].Root()
	}
	for _, c := range b.w.constants {
		if c.symbol == x.Name.Text {
			t = c.typ
		}
	}
	for n := len(x.Args); t != nil && n > 0; {
		if t.Kind() != types.Map {
			return nil
		}
		n -= width(t.Key())
		t = t.Elem()
	}
	return t
}

// elementType is the type of the elements of a sequence; nil where it is not known.
func elementType(t *types.Type) *types.Type {
	if t == nil || t.Kind() != types.Sequence {
		return nil
	}
	return t.Elem().Root()
}

// fieldType is the type of a field of a value; nil where it is not known.
func (b *back) fieldType(t *types.Type, field string) *types.Type {
	switch {
	case t == nil:
	case t.Kind() == types.Record && t.Field(field) != nil:
		return t.Field(field).Root()
	case t.Kind() == types.Tuple && field[0] >= '1' && int(field[0]-'1') < len(t.Parts()):
		return t.Parts()[field[0]-'1'].Root()
	case t.Kind() == types.Sum:
		for _, c := range b.w.sumOf(t).cases {
			if c.part == field {
				return c.typ
			}
		}
	}
	return nil
}
