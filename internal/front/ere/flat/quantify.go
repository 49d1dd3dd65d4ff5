package flat

import (
	"reflect"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/result"
)

// lowerQuantifier binds variables, of which some stand for elements of sets.
func (f *lowerer) lowerQuantifier(
	all bool, bs []*syntax.Binder, e *env, body func(*env) *syntax.Expr,
) *syntax.Expr {
	if len(bs) == 0 {
		return body(e)
	}
	b := bs[0]
	t := f.binderType(b)
	rest := func(v *value) *syntax.Expr {
		return f.lowerQuantifier(all, bs[1:], e.with(b.Name.Text, v), body)
	}
	switch {
	case b.In != nil:
		return f.overElements(f.lower(b.In, e), all, b.Name.Text, func(v *value) *syntax.Expr {
			f.stands(b.Name.Text, v)
			return rest(v)
		})
	case t.plain():
		name := f.variable(b.Name.Text)
		defer f.leave(name)
		c := &syntax.Binder{Name: syntax.Name{Text: name, Span: b.Name.Span}, Sort: b.Sort}
		return build.Quantified(all, c, f.waiting.formula(func() *syntax.Expr {
			return rest(scalarValue(t, build.At(build.Ref(name), b.Name.Span)))
		}))
	case collection(t) != nil && f.codable(collection(t)) != "":
		f.errs.Errorf(diag.Unsupported, b.Name.Span, "'%s' would stand for infinitely many "+
			"%ss: %s", b.Name.Text, collection(t).word(), f.codable(collection(t))).
			Suggest("Let the variable stand for the elements: %s in s.", b.Name.Text)
		return build.Truth(true)
	}
	return f.quantify(all, b.Name.Text, t, func(v *value) *syntax.Expr {
		f.stands(b.Name.Text, v)
		return rest(v)
	})
}

// stands notes which variables a variable of the file stands for.
func (f *lowerer) stands(name string, v *value) {
	if v.fields == nil && v.ctor == nil || !ofVariables(v) {
		return
	}
	s := result.NamedShape{Name: name, Shape: f.chosenShape(v)}
	if !slices.ContainsFunc(f.view.Variables, func(o result.NamedShape) bool {
		return reflect.DeepEqual(o, s)
	}) {
		f.view.Variables = append(f.view.Variables, s)
	}
}

// ofVariables reports whether each part of a record, or of what a constructor has made, is a
// variable.
func ofVariables(v *value) bool {
	x := v.expr
	if v.code != nil {
		x = v.code
	}
	for _, p := range v.fields {
		if !ofVariables(p) {
			return false
		}
	}
	if v.ctor != nil {
		for i := range v.ctor.parts {
			if !ofVariables(v.payload(v.ctor, i)) {
				return false
			}
		}
	}
	return v.fields != nil || v.ctor != nil || x != nil && x.Kind == syntax.ExprName && !x.Applied
}

// overElements is a formula for all elements of a set or sequence, or keys of a map.
func (f *values) overElements(
	v *value, all bool, name string, body func(*value) *syntax.Expr,
) *syntax.Expr {
	if v.typ.is(seq) {
		return v.positions(all, func(i *syntax.Expr) *syntax.Expr { return body(v.item(i)) })
	}
	if v.each == nil {
		return build.Truth(true) // after an error
	}
	outer := f.naming
	f.naming = name
	defer func() { f.naming = outer }()
	return v.each(all, body)
}
