package quint

import (
	"slices"
	"strconv"

	"erelong.dev/erelong/internal/front/tla/syntax"
)

// special makes the operators that are expressions of their own in TLA+. It is filled in by init,
// since the makers need it themselves.
var special map[string]func(m *maker, x *expression) syntax.Expr

func init() {
	special = map[string]func(m *maker, x *expression) syntax.Expr{
		"and": junction(true), "actionAll": junction(true),
		"or": junction(false), "actionAny": junction(false),
		"ite": func(m *maker, x *expression) syntax.Expr {
			return &syntax.If{At: m.at(x.ID), Cond: m.expr(x.Args[0]), Then: m.expr(x.Args[1]),
				Else: m.expr(x.Args[2])}
		},
		"assign": func(m *maker, x *expression) syntax.Expr {
			if s := m.sets[x]; s != nil {
				return m.call(x.ID, `\in`, m.call(x.ID, "'", m.expr(x.Args[0])), s)
			}
			return m.call(x.ID, "=", m.call(x.ID, "'", m.expr(x.Args[0])), m.expr(x.Args[1]))
		},
		"assert": func(m *maker, x *expression) syntax.Expr {
			p := m.expr(x.Args[0])
			if !m.asserts {
				return p
			}
			return m.call(x.ID, "Assert", p, m.text(x.ID, "assert"))
		},
		"q::debug": func(m *maker, x *expression) syntax.Expr { return m.expr(x.Args[1]) },
	}
	for _, more := range []map[string]func(m *maker, x *expression) syntax.Expr{
		sets, maps, lists, records, temporal} {
		for name, f := range more {
			special[name] = f
		}
	}
}

func junction(and bool) func(m *maker, x *expression) syntax.Expr {
	return func(m *maker, x *expression) syntax.Expr {
		switch len(x.Args) {
		case 0:
			return m.call(x.ID, map[bool]string{true: "TRUE", false: "FALSE"}[and])
		case 1:
			return m.expr(x.Args[0])
		}
		if !and && m.strict && !m.acts(x) {
			return m.first(x)
		}
		return &syntax.Junction{At: m.at(x.ID), And: and, Items: m.exprs(x.Args)}
	}
}

// first is a disjunction of which nothing is computed after a part that is true: what stands there
// may have no value. In an action of TLA+ each part of a disjunction is a case, which is computed.
func (m *maker) first(x *expression) syntax.Expr {
	last := len(x.Args) - 1
	out := m.expr(x.Args[last])
	for i := last - 1; i >= 0; i-- {
		out = &syntax.If{At: m.at(x.ID), Cond: m.expr(x.Args[i]), Then: m.call(x.ID, "TRUE"),
			Else: out}
	}
	return out
}

// steps are the operators of actions and of runs that are no operators of values.
var steps = []string{"assign", "actionAny", "actionAll", "always", "eventually", "leadsTo",
	"enabled", "next"}

// acts reports whether a part of an expression may be an action or speak about runs.
func (m *maker) acts(x *expression) bool {
	local, out := map[string]bool{}, false
	x.each(func(y *expression) {
		if y.Def != nil {
			local[y.Def.Name] = true
		}
		for _, p := range y.Params {
			local[p.Name] = true
		}
	})
	x.each(func(y *expression) {
		name := y.Opcode
		if y.Kind == "name" {
			name = y.Name
		}
		switch d := m.defs[name]; {
		case name == "" || local[name]:
		case d != nil:
			out = out || d.Qualifier == "action" || d.Qualifier == "run" ||
				d.Qualifier == "temporal"
		case y.Kind == "app":
			out = out || !builtin(name) || temporal[name] != nil || slices.Contains(steps, name)
		}
	})
	return out
}

var sets = map[string]func(m *maker, x *expression) syntax.Expr{
	"Set": func(m *maker, x *expression) syntax.Expr {
		return &syntax.SetOf{At: m.at(x.ID), Elems: m.exprs(x.Args)}
	},
	"contains": func(m *maker, x *expression) syntax.Expr {
		return m.call(x.ID, `\in`, m.expr(x.Args[1]), m.expr(x.Args[0]))
	},
	"forall": quantified(syntax.Forall), "exists": quantified(syntax.Exists),
	"filter": func(m *maker, x *expression) syntax.Expr {
		b, body := m.bound(x.Args[0], x.Args[1])
		return &syntax.Filter{At: m.at(x.ID), Bound: b, Body: body}
	},
	"map": func(m *maker, x *expression) syntax.Expr {
		b, body := m.bound(x.Args[0], x.Args[1])
		return &syntax.Image{At: m.at(x.ID), Bounds: []syntax.Bound{b}, Body: body}
	},
	"fold": func(m *maker, x *expression) syntax.Expr {
		return m.helper(x.ID, "Fold", m.expr(x.Args[0]), m.expr(x.Args[1]),
			m.operator(x.Args[2], 2))
	},
	"tuples": func(m *maker, x *expression) syntax.Expr {
		return &syntax.Times{At: m.at(x.ID), Sets: m.exprs(x.Args)}
	},
	"chooseSome": func(m *maker, x *expression) syntax.Expr {
		return &syntax.Choose{At: m.at(x.ID), Bound: syntax.Bound{
			Names: []syntax.Name{m.new(x.ID)}, Set: m.expr(x.Args[0])},
			Body: m.call(x.ID, "TRUE")}
	},
	"oneOf": func(m *maker, x *expression) syntax.Expr {
		m.fail(x, "oneOf chooses an element, and stands outside of a nondet")
		return nil
	},
}

func quantified(q syntax.Quantifier) func(m *maker, x *expression) syntax.Expr {
	return func(m *maker, x *expression) syntax.Expr {
		b, body := m.bound(x.Args[0], x.Args[1])
		return &syntax.Quantified{At: m.at(x.ID), Quantifier: q, Bounds: []syntax.Bound{b},
			Body: body}
	}
}

// except is a map, list or record with another value at a place.
func (m *maker) except(x *expression, by syntax.Access, v syntax.Expr) syntax.Expr {
	return &syntax.Except{At: m.at(x.ID), Function: m.expr(x.Args[0]), Strict: m.strict,
		Updates: []syntax.Update{{Path: []syntax.Access{by}, Value: v, Span: m.span(x.ID)}}}
}

func (m *maker) index(x *expression, i syntax.Expr) syntax.Expr {
	return &syntax.Index{At: m.at(x.ID), Function: m.expr(x.Args[0]), Args: []syntax.Expr{i}}
}

// after is the place of a list's element in a sequence: lists count from 0, sequences from 1.
func (m *maker) after(i *expression) syntax.Expr {
	if i.Kind == "int" {
		if n, err := strconv.ParseInt(string(i.Value), 10, 32); err == nil {
			return m.number(i.ID, n+1)
		}
	}
	return m.call(i.ID, "+", m.expr(i), m.number(i.ID, 1))
}

var maps = map[string]func(m *maker, x *expression) syntax.Expr{
	"Map": (*maker).mapOf,
	"get": func(m *maker, x *expression) syntax.Expr { return m.index(x, m.expr(x.Args[1])) },
	"set": func(m *maker, x *expression) syntax.Expr {
		return m.except(x, syntax.Access{Args: m.exprs(x.Args[1:2])}, m.expr(x.Args[2]))
	},
	"setBy": func(m *maker, x *expression) syntax.Expr {
		return m.except(x, syntax.Access{Args: m.exprs(x.Args[1:2])},
			m.given(x.ID, x.Args[2], &syntax.Old{At: m.at(x.ID)}))
	},
	"mapBy": func(m *maker, x *expression) syntax.Expr {
		b, body := m.bound(x.Args[0], x.Args[1])
		return &syntax.Function{At: m.at(x.ID), Bounds: []syntax.Bound{b}, Body: body}
	},
	"setOfMaps": func(m *maker, x *expression) syntax.Expr {
		return &syntax.FunctionSet{At: m.at(x.ID), Domain: m.expr(x.Args[0]),
			Range: m.expr(x.Args[1])}
	},
}

// mapOf is a map of its pairs, of which a later one hides an earlier one with the same key.
func (m *maker) mapOf(x *expression) syntax.Expr {
	n := m.new(x.ID)
	out := &syntax.Function{At: m.at(x.ID), Body: use(n)}
	keys := &syntax.SetOf{At: m.at(x.ID)}
	for i, a := range x.Args {
		key, v := m.pair(a)
		keys.Elems = append(keys.Elems, key)
		if i == 0 {
			out.Body = v
			continue
		}
		out.Body = &syntax.If{At: m.at(a.ID), Cond: m.call(a.ID, "=", use(n), key), Then: v,
			Else: out.Body}
	}
	out.Bounds = []syntax.Bound{{Names: []syntax.Name{n}, Set: keys}}
	return out
}

// pair is a key and a value.
func (m *maker) pair(x *expression) (key, v syntax.Expr) {
	if x.Kind == "app" && x.Opcode == "Tup" && len(x.Args) == 2 {
		return m.expr(x.Args[0]), m.expr(x.Args[1])
	}
	of := func(i int64) syntax.Expr {
		return &syntax.Index{At: m.at(x.ID), Function: m.expr(x),
			Args: []syntax.Expr{m.number(x.ID, i)}}
	}
	return of(1), of(2)
}

var lists = map[string]func(m *maker, x *expression) syntax.Expr{
	"List": (*maker).tuple, "Tup": (*maker).tuple,
	"item": func(m *maker, x *expression) syntax.Expr { return m.index(x, m.expr(x.Args[1])) },
	"nth":  func(m *maker, x *expression) syntax.Expr { return m.index(x, m.after(x.Args[1])) },
	"replaceAt": func(m *maker, x *expression) syntax.Expr {
		return m.except(x, syntax.Access{Args: []syntax.Expr{m.after(x.Args[1])}},
			m.expr(x.Args[2]))
	},
	"indices": func(m *maker, x *expression) syntax.Expr {
		return m.call(x.ID, "..", m.number(x.ID, 0),
			m.call(x.ID, "-", m.call(x.ID, "Len", m.expr(x.Args[0])), m.number(x.ID, 1)))
	},
	"select": func(m *maker, x *expression) syntax.Expr {
		return m.call(x.ID, "SelectSeq", m.expr(x.Args[0]), m.operator(x.Args[1], 1))
	},
	"foldl": func(m *maker, x *expression) syntax.Expr {
		return m.helper(x.ID, "FoldLeftOf", m.expr(x.Args[0]), m.expr(x.Args[1]),
			m.operator(x.Args[2], 2))
	},
	"foldr": func(m *maker, x *expression) syntax.Expr {
		return m.helper(x.ID, "FoldRightOf", m.expr(x.Args[0]), m.expr(x.Args[1]),
			m.operator(x.Args[2], 2))
	},
}

func (m *maker) tuple(x *expression) syntax.Expr {
	return &syntax.Tuple{At: m.at(x.ID), Elems: m.exprs(x.Args)}
}

var records = map[string]func(m *maker, x *expression) syntax.Expr{
	"Rec": func(m *maker, x *expression) syntax.Expr {
		out := &syntax.Record{At: m.at(x.ID)}
		for i := 0; i+1 < len(x.Args); i += 2 {
			out.Fields = append(out.Fields, syntax.Field{Name: syntax.Name{
				Text: m.literal(x.Args[i]), Span: m.span(x.Args[i].ID)},
				Value: m.expr(x.Args[i+1])})
		}
		return out
	},
	"field": func(m *maker, x *expression) syntax.Expr {
		return m.selected(x.ID, m.expr(x.Args[0]), m.literal(x.Args[1]))
	},
	"with": func(m *maker, x *expression) syntax.Expr {
		return m.except(x, syntax.Access{Field: syntax.Name{Text: m.literal(x.Args[1]),
			Span: m.span(x.Args[1].ID)}}, m.expr(x.Args[2]))
	},
	"variant": func(m *maker, x *expression) syntax.Expr {
		tag := m.literal(x.Args[0])
		out := &syntax.Record{At: m.at(x.ID), Fields: []syntax.Field{{
			Name: syntax.Name{Text: tagField, Span: m.span(x.ID)}, Value: m.text(x.ID, tag)}}}
		if !m.unit(x.Args[1]) {
			out.Fields = append(out.Fields, syntax.Field{
				Name: syntax.Name{Text: tag, Span: m.span(x.ID)}, Value: m.expr(x.Args[1])})
		}
		return out
	},
	"matchVariant": (*maker).match,
}

func (m *maker) selected(id number, of syntax.Expr, field string) syntax.Expr {
	return &syntax.Select{At: m.at(id), Record: of,
		Field: syntax.Name{Text: field, Span: m.span(id)}}
}

// unit reports whether an expression is the empty tuple.
func (m *maker) unit(x *expression) bool {
	return x.Kind == "app" && x.Opcode == "Tup" && len(x.Args) == 0 ||
		m.types[string(x.ID)].Type.unit()
}

// match is a choice by the constructor of a variant.
func (m *maker) match(x *expression) syntax.Expr {
	n := m.new(x.ID)
	c := &syntax.Case{At: m.at(x.ID)}
	of := m.types[string(x.Args[0].ID)].Type
	for i := 1; i+1 < len(x.Args); i += 2 {
		tag, f := m.literal(x.Args[i]), x.Args[i+1]
		if tag == "_" {
			c.Other = m.given(f.ID, f, use(n))
			continue
		}
		inner := m.selected(f.ID, use(n), tag)
		if of != nil {
			if t, ok := of.field(tag); ok && t.unit() {
				inner = &syntax.Tuple{At: m.at(f.ID)}
			}
		}
		c.Arms = append(c.Arms, syntax.Arm{
			Cond:  m.call(f.ID, "=", m.selected(f.ID, use(n), tagField), m.text(f.ID, tag)),
			Value: m.given(f.ID, f, inner)})
	}
	if last := len(c.Arms) - 1; c.Other == nil && last >= 0 { // the arms are for all constructors
		c.Other, c.Arms = c.Arms[last].Value, c.Arms[:last]
	}
	var body syntax.Expr = c
	if len(c.Arms) == 0 {
		body = c.Other
	}
	return &syntax.Let{At: m.at(x.ID), Units: []syntax.Unit{&syntax.Definition{Name: n,
		Body: m.expr(x.Args[0]), Span: n.Span}}, Body: body}
}

var temporal = map[string]func(m *maker, x *expression) syntax.Expr{
	"orKeep": action(false), "mustChange": action(true),
	"weakFair": fair(false), "strongFair": fair(true),
}

func action(angle bool) func(m *maker, x *expression) syntax.Expr {
	return func(m *maker, x *expression) syntax.Expr {
		return &syntax.Action{At: m.at(x.ID), Angle: angle, Body: m.expr(x.Args[0]),
			Vars: m.expr(x.Args[1])}
	}
}

func fair(strong bool) func(m *maker, x *expression) syntax.Expr {
	return func(m *maker, x *expression) syntax.Expr {
		return &syntax.Fair{At: m.at(x.ID), Strong: strong, Vars: m.expr(x.Args[1]),
			Body: m.expr(x.Args[0])}
	}
}
