package flat

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// anyValue gives a location any value of its type: its parts have any values, of which the ones
// count that are the parts of a value.
func (w *writer) anyValue(l location, t *typ) {
	f := w.f
	if hasUnbounded(t) {
		f.errs.Errorf(diag.Unsupported, w.span, "any value of type %s cannot be assigned: a "+
			"sequence without a bound has values of every size", t).
			Suggest("Write seq[T, n] for at most n elements.")
		return
	}
	if !build.IsTrue(w.need) { // what the target leads to must be there
		w.after = append(w.after, &syntax.RequireStmt{Span: w.span,
			Cond: build.At(build.Needs(w.need, build.Truth(true)), w.span)})
	}
	l = w.settled(l)
	w.anyParts(l, t)
	if c := f.usualParts(l, t); !build.IsTrue(c) {
		w.after = append(w.after, &syntax.RequireStmt{Span: w.span, Cond: build.At(c, w.span)})
	}
}

// settled names the arguments of a location: its parts change one after the other, and the
// arguments may depend on them.
func (w *writer) settled(l location) location {
	l.args = slices.Clone(l.args)
	for i, a := range l.args {
		if w.f.isVariable(a) {
			continue
		}
		name := syntax.Name{Text: w.f.fresh("argument"), Span: w.span}
		w.after = append(w.after, &syntax.LetStmt{Span: w.span,
			Binder: &syntax.Binder{Name: name}, Value: build.At(a, w.span)})
		l.args[i] = build.Ref(name.Text)
	}
	return l
}

func (w *writer) anyParts(l location, t *typ) {
	f := w.f
	switch t = t.root(); t.form {
	case record:
		for i, name := range t.fields {
			w.anyParts(l.sub("_"+name), t.parts[i])
		}
	case variant:
		if t.name == "option" {
			w.any(l.sub("_some"))
		} else {
			w.any(l)
		}
		for _, c := range t.ctors {
			for i := range c.parts {
				w.anyParts(l.sub(fieldPath(t, c, i)), c.parts[i])
			}
		}
	case set:
		w.forAll(t.parts[0], func(_ *value, p point) { w.any(l.sub(p.suffix, p.args...)) })
	case mapping:
		w.forAll(t.parts[0], func(_ *value, p point) {
			w.any(l.sub("_has"+p.suffix, p.args...))
			w.anyParts(l.sub(itemPath(t.parts[1])+p.suffix, p.args...), t.parts[1])
		})
	case seq:
		w.any(l.sub("_size"))
		name := f.variable("P")
		defer f.leave(name)
		w.anyParts(l.sub(itemPath(t.parts[0]), build.Ref(name)), t.parts[0])
	default:
		w.any(l)
	}
}

// any gives a symbol any value at a point.
func (w *writer) any(l location) {
	w.after = append(w.after, &syntax.AssignStmt{Span: w.span,
		Target: build.At(w.f.apply(l), w.span)})
}
