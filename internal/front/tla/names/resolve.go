package names

import (
	"erelong.dev/erelong/internal/front/tla/syntax"
)

// units resolves the units of a module, or the definitions of a LET.
func (r *resolver) units(units []syntax.Unit, sc *scope, let bool) {
	kind := func(k Kind) Kind {
		if let {
			return Let
		}
		return k
	}
	for _, u := range units {
		switch u := u.(type) {
		case *syntax.Constants:
			for _, d := range u.Decls {
				r.declare(sc, d.Name, Constant, d.Name.Span)
			}
		case *syntax.Variables:
			for _, n := range u.Names {
				r.declare(sc, n, Variable, n.Span)
			}
		case *syntax.Recursive:
			for _, d := range u.Decls {
				r.declare(sc, d.Name, kind(Definition), d.Name.Span)
			}
		case *syntax.Definition:
			r.definition(u, kind(Definition), sc)
		case *syntax.FunctionDefinition:
			r.declare(sc, u.Name, kind(Function), u.Span)
			r.expr(u.Body, r.bound(u.Bounds, sc))
		case *syntax.InstanceDefinition:
			r.instance(u, kind(Instance), sc)
		case *syntax.Assume:
			r.declare(sc, u.Name, Assumption, u.Span)
			r.expr(u.Body, sc)
		case *syntax.Theorem:
			r.declare(sc, u.Name, Theorem, u.Span)
			r.expr(u.Body, sc)
		case *syntax.Inner:
			sc.names[u.Name.Text] = &Declaration{Name: u.Name, Kind: Module, Whole: u.Span}
			r.known[u.Name.Text] = r.module(u.Module, sc)
		}
	}
}

// definition declares an operator. After a RECURSIVE it is the one that is declared there.
func (r *resolver) definition(u *syntax.Definition, kind Kind, sc *scope) {
	if d := sc.names[u.Name.Text]; d != nil && d.Kind == kind && d.Whole == d.Name.Span {
		d.Whole = u.Span
		r.use(u.Name, sc)
	} else {
		r.declare(sc, u.Name, kind, u.Span)
	}
	body := inner(sc)
	for _, p := range u.Params {
		r.declare(body, p.Name, Parameter, p.Name.Span)
	}
	r.expr(u.Body, body)
}

// instance declares an instance, or the names of one without a name.
func (r *resolver) instance(u *syntax.InstanceDefinition, kind Kind, sc *scope) {
	of := r.named(u.Module.Text)
	if of != nil {
		r.use(u.Module, of)
	}
	with := inner(sc)
	for _, p := range u.Params {
		r.declare(with, p.Name, Parameter, p.Name.Span)
	}
	for _, s := range u.With {
		if of != nil {
			r.use(s.Name, of)
		}
		r.expr(s.Value, with)
	}
	if u.Name.Text != "" {
		r.declare(sc, u.Name, kind, u.Span).of = of
		return
	}
	if of != nil {
		for name, d := range of.names {
			if d.Kind != Module && sc.names[name] == nil {
				sc.names[name] = d
			}
		}
	}
}

// bound declares the names of bounds; their sets are outside of it.
func (r *resolver) bound(bounds []syntax.Bound, sc *scope) *scope {
	out := inner(sc)
	for _, b := range bounds {
		r.expr(b.Set, sc)
		for _, n := range b.Names {
			r.declare(out, n, Bound, n.Span)
		}
	}
	return out
}

func (r *resolver) all(xs []syntax.Expr, sc *scope) {
	for _, x := range xs {
		r.expr(x, sc)
	}
}

// expr resolves the names of an expression, which may be nil.
func (r *resolver) expr(x syntax.Expr, sc *scope) {
	switch x := x.(type) {
	case *syntax.Apply:
		r.apply(x, sc)
	case *syntax.Filter:
		r.expr(x.Body, r.bound([]syntax.Bound{x.Bound}, sc))
	case *syntax.Image:
		r.expr(x.Body, r.bound(x.Bounds, sc))
	case *syntax.Quantified:
		r.expr(x.Body, r.bound(x.Bounds, sc))
	case *syntax.Choose:
		r.expr(x.Body, r.bound([]syntax.Bound{x.Bound}, sc))
	case *syntax.Function:
		r.expr(x.Body, r.bound(x.Bounds, sc))
	case *syntax.Let:
		in := inner(sc)
		r.units(x.Units, in, true)
		r.expr(x.Body, in)
	case *syntax.Lambda:
		in := inner(sc)
		for _, n := range x.Params {
			r.declare(in, n, Parameter, n.Span)
		}
		r.expr(x.Body, in)
	case *syntax.Label:
		r.expr(x.Body, sc) // its parameters are bound around it
	case *syntax.Except:
		r.expr(x.Function, sc)
		for _, u := range x.Updates {
			for _, a := range u.Path {
				r.all(a.Args, sc)
			}
			r.expr(u.Value, sc)
		}
	case *syntax.Case:
		for _, a := range x.Arms {
			r.expr(a.Cond, sc)
			r.expr(a.Value, sc)
		}
		r.expr(x.Other, sc)
	default:
		r.all(plain(x), sc)
	}
}

// apply resolves M(args)!Name(args): the names behind a ! are of the instance's module.
func (r *resolver) apply(x *syntax.Apply, sc *scope) {
	within := sc
	for _, q := range x.Path {
		d := r.use(q.Name, within)
		r.all(q.Args, sc)
		if d == nil || d.of == nil {
			within = nil
			continue
		}
		within = d.of
	}
	r.use(x.Name, within)
	r.all(x.Args, sc)
}

// plain are the parts of an expression that binds nothing.
func plain(x syntax.Expr) []syntax.Expr {
	switch x := x.(type) {
	case *syntax.Tuple:
		return x.Elems
	case *syntax.SetOf:
		return x.Elems
	case *syntax.FunctionSet:
		return []syntax.Expr{x.Domain, x.Range}
	case *syntax.Index:
		return append([]syntax.Expr{x.Function}, x.Args...)
	case *syntax.Record:
		return fields(x.Fields)
	case *syntax.RecordSet:
		return fields(x.Fields)
	case *syntax.Select:
		return []syntax.Expr{x.Record}
	case *syntax.If:
		return []syntax.Expr{x.Cond, x.Then, x.Else}
	case *syntax.Action:
		return []syntax.Expr{x.Body, x.Vars}
	case *syntax.Fair:
		return []syntax.Expr{x.Vars, x.Body}
	case *syntax.Junction:
		return x.Items
	case *syntax.Times:
		return x.Sets
	}
	return nil
}

func fields(fs []syntax.Field) (out []syntax.Expr) {
	for _, f := range fs {
		out = append(out, f.Value)
	}
	return out
}
