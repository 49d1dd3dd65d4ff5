package core

import (
	"strings"

	"erelong.dev/erelong/internal/front/tla/syntax"
)

// text is an expression as it is written, on one line.
func text(x syntax.Expr) string {
	span := x.Span()
	if span.Source == nil {
		return ""
	}
	return strings.Join(strings.Fields(span.Source.Text[span.Start:span.End]), " ")
}

// Children gives the parts of an expression until yield returns false.
func Children(x syntax.Expr, yield func(syntax.Expr) bool) bool {
	all := func(xs ...syntax.Expr) bool {
		for _, y := range xs {
			if y != nil && !yield(y) {
				return false
			}
		}
		return true
	}
	bounds := func(bs ...syntax.Bound) bool {
		for _, b := range bs {
			if !all(b.Set) {
				return false
			}
		}
		return true
	}
	switch x := x.(type) {
	case *syntax.Apply:
		for _, q := range x.Path {
			if !all(q.Args...) {
				return false
			}
		}
		return all(x.Args...)
	case *syntax.Tuple:
		return all(x.Elems...)
	case *syntax.SetOf:
		return all(x.Elems...)
	case *syntax.Filter:
		return bounds(x.Bound) && all(x.Body)
	case *syntax.Image:
		return bounds(x.Bounds...) && all(x.Body)
	case *syntax.Quantified:
		return bounds(x.Bounds...) && all(x.Body)
	case *syntax.Choose:
		return bounds(x.Bound) && all(x.Body)
	case *syntax.Function:
		return bounds(x.Bounds...) && all(x.Body)
	case *syntax.FunctionSet:
		return all(x.Domain, x.Range)
	case *syntax.Index:
		return all(x.Function) && all(x.Args...)
	case *syntax.Record:
		return fields(x.Fields, all)
	case *syntax.RecordSet:
		return fields(x.Fields, all)
	case *syntax.Select:
		return all(x.Record)
	case *syntax.Except:
		if !all(x.Function) {
			return false
		}
		for _, u := range x.Updates {
			for _, a := range u.Path {
				if !all(a.Args...) {
					return false
				}
			}
			if !all(u.Value) {
				return false
			}
		}
	default:
		return otherChildren(x, all, bounds)
	}
	return true
}

// otherChildren is Children for the expressions that are no data.
func otherChildren(
	x syntax.Expr, all func(...syntax.Expr) bool, bounds func(...syntax.Bound) bool,
) bool {
	switch x := x.(type) {
	case *syntax.If:
		return all(x.Cond, x.Then, x.Else)
	case *syntax.Case:
		for _, a := range x.Arms {
			if !all(a.Cond, a.Value) {
				return false
			}
		}
		return all(x.Other)
	case *syntax.Let:
		for _, u := range x.Units {
			switch u := u.(type) {
			case *syntax.Definition:
				if !all(u.Body) {
					return false
				}
			case *syntax.FunctionDefinition:
				if !bounds(u.Bounds...) || !all(u.Body) {
					return false
				}
			}
		}
		return all(x.Body)
	case *syntax.Lambda:
		return all(x.Body)
	case *syntax.Action:
		return all(x.Body, x.Vars)
	case *syntax.Fair:
		return all(x.Vars, x.Body)
	case *syntax.Junction:
		return all(x.Items...)
	case *syntax.Times:
		return all(x.Sets...)
	case *syntax.Label:
		return all(x.Body)
	}
	return true
}

func fields(fs []syntax.Field, all func(...syntax.Expr) bool) bool {
	for _, f := range fs {
		if !all(f.Value) {
			return false
		}
	}
	return true
}

// hasOld reports whether an @ stands in an expression for the old value of an EXCEPT around it. In
// an EXCEPT within, the updates have their own.
func hasOld(x syntax.Expr) bool {
	switch y := x.(type) {
	case *syntax.Old:
		return true
	case *syntax.Except:
		if hasOld(y.Function) {
			return true
		}
		for _, u := range y.Updates {
			for _, a := range u.Path {
				for _, z := range a.Args {
					if hasOld(z) {
						return true
					}
				}
			}
		}
		return false
	}
	return !Children(x, func(y syntax.Expr) bool { return !hasOld(y) })
}

// Mentions reports whether a name stands in an expression, bound or not.
func Mentions(x syntax.Expr, name string) bool {
	if a, ok := x.(*syntax.Apply); ok && len(a.Path) == 0 && a.Name.Text == name {
		return true
	}
	return !Children(x, func(y syntax.Expr) bool { return !Mentions(y, name) })
}

// isTemporal reports whether an expression is a temporal formula: whether a temporal operator
// stands in it, or in a definition that it names.
func (e *elaborator) isTemporal(x syntax.Expr, sc *scope, depth int) bool {
	if depth > maxNesting {
		return false
	}
	switch y := x.(type) {
	case *syntax.Action, *syntax.Fair:
		return true
	case *syntax.Apply:
		if e.namesTemporal(y, sc, depth) {
			return true
		}
	case *syntax.Let:
		in := inner(sc)
		m := &module{scope: in, spec: e.Spec}
		recursive := map[string]bool{}
		for _, u := range y.Units {
			if _, ok := u.(*syntax.InstanceDefinition); !ok {
				m.definition(u, in, recursive)
			}
		}
		return e.isTemporal(y.Body, in, depth+1)
	case *syntax.Quantified:
		in := inner(sc)
		for _, b := range y.Bounds {
			for _, n := range b.Names {
				in.names[n.Text] = &place{}
			}
		}
		return e.isTemporal(y.Body, in, depth+1)
	case *syntax.Junction, *syntax.If, *syntax.Case, *syntax.Label:
	default:
		return false
	}
	return !Children(x, func(y syntax.Expr) bool { return !e.isTemporal(y, sc, depth+1) })
}

// namesTemporal reports whether a name is that of a temporal operator or formula.
func (e *elaborator) namesTemporal(x *syntax.Apply, sc *scope, depth int) bool {
	at := sc
	for _, q := range x.Path {
		in, ok := at.find(q.Name.Text).(*instance)
		if !ok || len(q.Args) != len(in.unit.Params) {
			return false
		}
		if at = e.enter(in, q.Args, sc, q.Name); at == nil {
			return false
		}
	}
	switch m := resolved(at.find(x.Name.Text)).(type) {
	case *operator:
		switch m.builtin {
		case "[]", "<>", "~>", "-+->":
			return true
		case "'", "ENABLED", "UNCHANGED", "=", `\in`:
			return false
		}
		if m.body == nil || m.recursive || m.builtin != "" {
			return false
		}
		if m.temporal == 0 {
			m.temporal = 1
			if e.isTemporal(m.body, m.scope, depth+1) {
				m.temporal = 2
			}
		}
		return m.temporal == 2
	case *thunk:
		return e.isTemporal(m.expr, m.scope, depth+1)
	}
	return false
}
