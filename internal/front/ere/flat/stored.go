package flat

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// store keeps a value of which every part is a value of a sort, in variables of its own: later
// statements may change what it is made of.
type store struct {
	f     *actions
	span  diag.Span
	bound *[]string
	out   []syntax.Stmt
}

// storable reports whether every part of the values of a type is a value of a sort.
func storable(t *typ) bool {
	t = t.root()
	for _, p := range t.parts {
		if !storable(p) {
			return false
		}
	}
	for _, c := range t.ctors {
		for _, p := range c.parts {
			if !storable(p) {
				return false
			}
		}
	}
	return t.form == record || t.form == variant || t.form == scalar
}

// changes reports whether statements assign to one of some symbols.
func changes(stmts []syntax.Stmt, symbols map[string]bool) bool {
	return slices.ContainsFunc(stmts, func(s syntax.Stmt) bool {
		switch s := s.(type) {
		case *syntax.AssignStmt:
			return symbols[rootOf(s.Target).Name.Text]
		case *syntax.IfStmt:
			return changes(s.Then, symbols) || changes(s.Else, symbols)
		case *syntax.ChooseStmt:
			return changes(s.Body, symbols)
		case *syntax.MatchStmt:
			return slices.ContainsFunc(s.Arms, func(a *syntax.Arm) bool {
				return changes(a.Body, symbols)
			})
		}
		return false
	})
}

// value keeps a value, part by part. A part that it does not have is kept as a usual value.
func (s *store) value(name string, t *typ, v *value) *value {
	f := s.f
	t = t.root()
	switch {
	case t.form == record:
		out := &value{typ: t, fields: map[string]*value{}}
		for i, field := range t.fields {
			out.fields[field] = s.value(name+"_"+field, t.parts[i], v.fields[field])
		}
		return out
	case t.form == variant && !t.enumeration():
		is, payload := map[string]*syntax.Expr{}, map[string][]*value{}
		for _, c := range t.ctors {
			is[c.name] = s.part(name+"_is_"+c.name, v.made(c))
			for i, field := range c.fields {
				part := f.usualValue(c.parts[i])
				if !build.IsFalse(v.made(c)) {
					part = choice(f.waiting, v.made(c), f.payload(v, c, i), part)
				}
				payload[c.name] = append(payload[c.name],
					s.value(name+"_"+c.name+"_"+field, c.parts[i], part))
			}
		}
		return &value{typ: t, made: func(c *ctor) *syntax.Expr { return is[c.name] },
			payload: func(c *ctor, i int) *value { return payload[c.name][i] }}
	}
	return atomOf(t, s.part(name, v.expr))
}

func (s *store) part(name string, x *syntax.Expr) *syntax.Expr {
	name = s.f.variable(name)
	*s.bound = append(*s.bound, name)
	s.out = append(s.out, &syntax.LetStmt{Span: s.span,
		Binder: &syntax.Binder{Name: syntax.Name{Text: name, Span: s.span}},
		Value:  build.At(x, s.span)})
	return build.Ref(name)
}
