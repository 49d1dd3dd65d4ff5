package flat

import (
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// canonical says that everywhere what is no part of the value of a symbol has the usual value.
func (f *places) canonical(g *global, s state) *syntax.Expr {
	var args func(done []*value) *syntax.Expr
	args = func(done []*value) *syntax.Expr {
		if i := len(done); i < len(g.params) {
			return f.quantify(true, "A", g.params[i], func(v *value) *syntax.Expr {
				return args(append(done[:i:i], v))
			})
		}
		p := f.points(done, g.params)[0]
		return f.usualParts(location{g.name.Text, p.suffix, p.args, s, g.name.Span}, g.result)
	}
	return args(nil)
}

// usualParts says that what is no part of the value at a location has the usual value.
func (f *places) usualParts(l location, t *typ) *syntax.Expr {
	t = t.root()
	var parts []*syntax.Expr
	switch t.form {
	case record:
		for i, name := range t.fields {
			parts = append(parts, f.usualParts(l.sub("_"+name), t.parts[i]))
		}
	case variant:
		v := f.readVariant(l, t)
		for _, c := range t.ctors {
			for i := range c.parts {
				parts = append(parts, f.usualParts(l.sub(fieldPath(t, c, i)), c.parts[i]),
					build.Or(v.made(c), f.same(f.payload(v, c, i), f.usualValue(c.parts[i]))))
			}
		}
	case seq:
		v := f.read(l, t)
		name := f.variable("i")
		defer f.leave(name)
		b := &syntax.Binder{Name: syntax.Name{Text: name}, Sort: f.positionSort(l, t)}
		item := l.sub(itemPath(t.parts[0]), build.Ref(name))
		return build.Quantified(true, b, build.And(f.usualParts(item, t.parts[0]),
			build.Or(build.LessOrEqual(build.Ref(name), v.size),
				f.same(v.item(build.Ref(name)), f.usualValue(t.parts[0])))))
	case mapping:
		v := f.read(l, t)
		return f.quantify(true, "k", t.parts[0], func(k *value) *syntax.Expr {
			p := f.points([]*value{k}, t.parts[:1])[0]
			item := l.sub(itemPath(t.parts[1])+p.suffix, p.args...)
			return build.And(f.usualParts(item, t.parts[1]),
				build.Or(v.has(k), f.same(v.lookup(k), f.usualValue(t.parts[1]))))
		})
	}
	return build.And(parts...)
}
