package core

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/syntax"
)

// data makes nodes of the expressions that make and take apart values.
type data struct{ *elaborator }

// of makes a node of such an expression.
func (e data) of(x syntax.Expr, sc *scope) Node {
	span := x.Span()
	switch x := x.(type) {
	case *syntax.Tuple:
		return e.operator("<<>>", e.states(x.Elems, sc), span)
	case *syntax.SetOf:
		return e.operator("{}", e.states(x.Elems, sc), span)
	case *syntax.Times:
		return e.operator(`\X`, e.states(x.Sets, sc), span)
	case *syntax.FunctionSet:
		return e.operator("->", []Node{e.state(x.Domain, sc), e.state(x.Range, sc)}, span)
	case *syntax.Index:
		f := e.state(x.Function, sc)
		return e.operator("[]", []Node{f, e.arguments(x.Args, sc, span)}, span)
	case *syntax.Choose:
		return binders(e).choose(x, sc)
	case *syntax.Filter:
		return binders(e).filter(x, sc)
	case *syntax.Image:
		return binders(e).image(x, sc)
	case *syntax.Function:
		return binders(e).lambda(span, x.Bounds, x.Body, sc, "")
	case *syntax.Record:
		return e.record(span, x.Fields, sc, false)
	case *syntax.RecordSet:
		return e.record(span, x.Fields, sc, true)
	case *syntax.Select:
		r := e.state(x.Record, sc)
		return &Select{over(span, r), r, x.Field.Text}
	case *syntax.Except:
		return e.except(x, sc)
	}
	e.fail(diag.Unsupported, span, "this expression is not supported")
	return nil
}

func (e data) states(xs []syntax.Expr, sc *scope) []Node {
	out := make([]Node, len(xs))
	for i, x := range xs {
		out[i] = e.state(x, sc)
	}
	return out
}

func (e data) operator(name string, args []Node, span diag.Span) Node {
	return &Operator{over(span, args...), name, args}
}

// arguments are the argument of a function: of several ones a tuple.
func (e data) arguments(xs []syntax.Expr, sc *scope, span diag.Span) Node {
	if len(xs) == 1 {
		return e.state(xs[0], sc)
	}
	return e.operator("<<>>", e.states(xs, sc), span)
}

func (e data) record(
	span diag.Span, fields []syntax.Field, sc *scope, sets bool,
) Node {
	r := &Record{base: over(span), Sets: sets}
	var names []string
	for _, f := range fields {
		names = append(names, f.Name.Text)
	}
	r.Fields = e.Space.Fields(names...)
	r.Values = make([]Node, len(fields))
	for _, f := range fields {
		n := e.state(f.Value, sc)
		i := r.Fields.Find(f.Name.Text)
		if r.Values[i] != nil {
			e.fail(diag.Duplicate, f.Name.Span, "the field %s stands twice", f.Name.Text)
		}
		r.Values[i] = n
		r.join(n)
	}
	return r
}

func (e data) except(x *syntax.Except, sc *scope) (out Node) {
	e.scoped(func() {
		e.action = false
		f := e.state(x.Function, sc)
		n := &Except{base: over(x.Span(), f), Function: f, Strict: x.Strict}
		for _, u := range x.Updates {
			up := Update{Old: -1}
			for _, a := range u.Path {
				var arg Node
				if a.Args == nil {
					arg = e.literal(a.Field.Span, e.Space.String(a.Field.Text))
				} else {
					arg = e.arguments(a.Args, sc, u.Span)
				}
				n.join(arg)
				up.Path = append(up.Path, arg)
			}
			body := sc
			if hasOld(u.Value) {
				up.Old = e.place()
				n.lowest = min(n.lowest, up.Old)
				body = inner(sc)
				body.names["@"] = &place{slot: up.Old}
			}
			up.Value = e.state(u.Value, body)
			n.join(up.Value)
			n.Updates = append(n.Updates, up)
		}
		out = n
	})
	return out
}
