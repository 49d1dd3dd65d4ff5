package quint

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/syntax"
)

// library is the name of the instance of the module Quint. No name of a file ends so.
const library = "quint::"

// maker makes expressions of TLA+.
type maker struct {
	errs   *diag.List
	places *places
	types  map[string]typeScheme
	defs   map[string]*declaration
	names  map[string]bool // all names of the file, of definitions and of what is local
	// asserts says that a false assertion is an error, and no step that is impossible; strict, that
	// it is one to replace the value of a key that is not there.
	asserts, strict bool
	within          *declaration      // what is being made
	short           map[string]string // parameters by their names in the text
	fresh           int
	sets            map[*expression]syntax.Expr // assignments of any element of a set
}

// abort ends a definition; its cause is among the errors.
type abort struct{}

func (m *maker) fail(x *expression, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if m.within != nil && !m.places.exact(x.ID) {
		text = fmt.Sprintf("in %s: %s", m.within.Name, text)
	}
	m.errs.Errorf(diag.Unsupported, m.span(x.ID), "%s", text)
	panic(abort{})
}

// span is where a node stands, or else where the definition around it does.
func (m *maker) span(id number) diag.Span { return m.places.of(id, m.within) }

func (m *maker) at(id number) syntax.At { return syntax.At{Where: m.span(id)} }

// renamed is a name of the file as one of TLA+: its own, unless a standard module has it. Then it
// is one that nothing else in the file has.
func (m *maker) renamed(name string) string {
	if !core.Standard(name) {
		return name
	}
	for name += "_"; m.names[name]; name += "_" {
	}
	return name
}

func (m *maker) name(text string, id number) syntax.Name {
	if s := m.short[text]; s != "" {
		text = s
	}
	return syntax.Name{Text: m.renamed(text), Span: m.span(id)}
}

// new is a name that no file has.
func (m *maker) new(id number) syntax.Name {
	m.fresh++
	return syntax.Name{Text: fmt.Sprintf("quint::%d", m.fresh), Span: m.span(id)}
}

// use is a name where it is used.
func use(n syntax.Name) syntax.Expr { return &syntax.Apply{At: syntax.At{Where: n.Span}, Name: n} }

// call applies an operator of TLA+.
func (m *maker) call(id number, op string, args ...syntax.Expr) syntax.Expr {
	at := m.at(id)
	return &syntax.Apply{At: at, Name: syntax.Name{Text: op, Span: at.Where}, Args: args}
}

// helper applies an operator of the library.
func (m *maker) helper(id number, op string, args ...syntax.Expr) syntax.Expr {
	if other := unfailing[op]; other != "" && !m.strict {
		op = other
	}
	at := m.at(id)
	return &syntax.Apply{At: at, Path: []syntax.Qualifier{{Name: syntax.Name{Text: library,
		Span: at.Where}}}, Name: syntax.Name{Text: op, Span: at.Where}, Args: args}
}

func (m *maker) number(id number, n int64) syntax.Expr {
	return &syntax.Number{At: m.at(id), Text: fmt.Sprint(n)}
}

func (m *maker) text(id number, text string) syntax.Expr {
	return &syntax.String{At: m.at(id), Value: text}
}

// literal is a text that stands for a name, such as of a field.
func (m *maker) literal(x *expression) string {
	var s string
	if x.Kind != "str" || json.Unmarshal(x.Value, &s) != nil {
		m.fail(x, "the name of a field or of a constructor stands here as a literal")
	}
	return s
}

// exprs makes several expressions.
func (m *maker) exprs(xs []*expression) (out []syntax.Expr) {
	for _, x := range xs {
		out = append(out, m.expr(x))
	}
	return out
}

// expr makes an expression.
func (m *maker) expr(x *expression) syntax.Expr {
	switch x.Kind {
	case "bool":
		return m.call(x.ID, strings.ToUpper(string(x.Value)))
	case "int":
		var n number
		if json.Unmarshal(x.Value, &n) != nil {
			m.fail(x, "this number cannot be read")
		}
		return &syntax.Number{At: m.at(x.ID), Text: string(n)}
	case "str":
		return m.text(x.ID, m.literal(x))
	case "name":
		return m.named(x)
	case "let":
		return m.let(x)
	case "lambda":
		m.fail(x, "an operator stands where a value is needed")
	}
	return m.apply(x)
}

func (m *maker) named(x *expression) syntax.Expr {
	if m.defs[x.Name] == nil {
		switch x.Name {
		case "Int", "Nat":
			return m.call(x.ID, x.Name)
		case "Bool":
			return m.call(x.ID, "BOOLEAN")
		}
	}
	return use(m.name(x.Name, x.ID))
}

// let makes a local definition, or a choice.
func (m *maker) let(x *expression) syntax.Expr {
	d := x.Def
	if d.Qualifier == "nondet" {
		if out := m.assignedChoice(x); out != nil && !m.strict {
			return out
		}
		return &syntax.Quantified{At: m.at(x.ID), Quantifier: syntax.Exists,
			Bounds: []syntax.Bound{{Names: []syntax.Name{m.name(d.Name, d.ID)},
				Set: m.chosen(d.Expr)}}, Body: m.expr(x.Expr)}
	}
	return &syntax.Let{At: m.at(x.ID), Units: []syntax.Unit{m.definition(d)}, Body: m.expr(x.Expr)}
}

// assignedChoice makes a choice that is only given to a variable: its value is an element of the
// set, which proofs may know without a name for it. It is nil for any other choice, and for one
// that a step may take without giving it: a choice of an empty set makes each step impossible.
func (m *maker) assignedChoice(x *expression) syntax.Expr {
	uses := 0
	x.Expr.each(func(y *expression) {
		if y.Kind == "name" && y.Name == x.Def.Name {
			uses++
		}
	})
	given := gives(x.Expr, x.Def.Name)
	if uses != 1 || given == nil {
		return nil
	}
	m.sets[given] = m.chosen(x.Def.Expr)
	return m.expr(x.Expr)
}

// gives is the assignment of a name that each step of an action makes, or nil.
func gives(x *expression, name string) *expression {
	switch {
	case x.Kind == "let" && x.Def.Qualifier != "nondet":
		return gives(x.Expr, name)
	case x.Kind == "app" && x.Opcode == "assign" && x.Args[1].Kind == "name" &&
		x.Args[1].Name == name:
		return x
	case x.Kind == "app" && (x.Opcode == "actionAll" || x.Opcode == "and"):
		for _, a := range x.Args {
			if found := gives(a, name); found != nil {
				return found
			}
		}
	}
	return nil
}

// chosen is the set of which a choice takes an element.
func (m *maker) chosen(x *expression) syntax.Expr {
	if x.Kind == "app" && x.Opcode == "oneOf" && len(x.Args) == 1 {
		set := m.expr(x.Args[0])
		if !m.strict {
			return set
		}
		return m.call(x.ID, "Few", set)
	}
	if x.Kind == "app" && x.Opcode == "apalache::generate" {
		m.fail(x, "apalache::generate chooses of all values of a type, which cannot be listed: "+
			"choose with oneOf of a set")
	}
	m.fail(x, "a nondet is a choice oneOf of a set")
	return nil
}

// definition makes the definition of an operator.
func (m *maker) definition(d *declaration) *syntax.Definition {
	out := &syntax.Definition{Name: m.name(d.Name, d.ID), Span: m.span(d.ID)}
	switch of := m.types[string(d.ID)].Type; {
	case d.Expr.Kind == "lambda":
		m.shorten(d.Expr)
		out.Params, out.Body = m.parameters(d.Expr), m.expr(d.Expr.Expr)
	case of != nil && of.Kind == "oper" && len(of.Args) > 0 && d.Expr.Kind == "name":
		var args []syntax.Expr
		for range of.Args {
			n := m.new(d.ID)
			out.Params, args = append(out.Params, syntax.Decl{Name: n}), append(args, use(n))
		}
		out.Body = m.applied(d.Expr, d.Expr.Name, args)
	default:
		out.Body = m.expr(d.Expr)
	}
	return out
}

// parameters are the parameters of a lambda, with the number of arguments that each has itself.
func (m *maker) parameters(x *expression) (out []syntax.Decl) {
	for _, p := range x.Params {
		d := syntax.Decl{Name: m.name(p.Name, p.ID)}
		if of := m.types[string(p.ID)].Type; of != nil && of.Kind == "oper" {
			d.Arity = len(of.Args)
		} else {
			x.Expr.each(func(y *expression) {
				if y.Kind == "app" && y.Opcode == p.Name {
					d.Arity = len(y.Args)
				}
			})
		}
		out = append(out, d)
	}
	return out
}

// shorten gives the parameters of a definition their names in the text: the compiler makes names
// different from all others. A parameter keeps that name where something else in the definition
// has the one of the text.
func (m *maker) shorten(x *expression) {
	for _, p := range x.Params {
		short := strings.TrimSuffix(p.Name, "_"+string(x.ID))
		used := m.defs[short] != nil
		x.Expr.each(func(y *expression) {
			used = used || y.Name == short || y.Opcode == short ||
				y.Def != nil && y.Def.Name == short ||
				slices.ContainsFunc(y.Params, func(q parameter) bool {
					return strings.TrimSuffix(q.Name, "_"+string(y.ID)) == short
				})
		})
		if short != p.Name && !used {
			m.short[p.Name] = short
		}
	}
}

// operator is an argument that is an operator itself.
func (m *maker) operator(x *expression, arity int) syntax.Expr {
	if x.Kind != "lambda" {
		names := make([]syntax.Name, arity)
		args := make([]syntax.Expr, arity)
		for i := range names {
			names[i] = m.new(x.ID)
			args[i] = use(names[i])
		}
		return &syntax.Lambda{At: m.at(x.ID), Params: names, Body: m.applied(x, x.Name, args)}
	}
	out := &syntax.Lambda{At: m.at(x.ID), Body: m.expr(x.Expr)}
	for _, p := range x.Params {
		out.Params = append(out.Params, m.name(p.Name, p.ID))
	}
	return out
}

// function takes an operator with one argument apart: its parameter and its body.
func (m *maker) function(x *expression) (syntax.Name, syntax.Expr) {
	f := m.operator(x, 1).(*syntax.Lambda)
	if len(f.Params) != 1 {
		m.fail(x, "an operator with %d arguments stands where one of one argument is needed",
			len(f.Params))
	}
	return f.Params[0], f.Body
}

// bound takes an operator on the elements of a set apart.
func (m *maker) bound(set, f *expression) (syntax.Bound, syntax.Expr) {
	n, body := m.function(f)
	return syntax.Bound{Names: []syntax.Name{n}, Set: m.expr(set)}, body
}

// given is the value of an operator's body for an argument.
func (m *maker) given(id number, f *expression, arg syntax.Expr) syntax.Expr {
	n, body := m.function(f)
	return &syntax.Let{At: m.at(id), Units: []syntax.Unit{&syntax.Definition{Name: n, Body: arg,
		Span: n.Span}}, Body: body}
}

// apply makes an application.
func (m *maker) apply(x *expression) syntax.Expr {
	if m.defs[x.Opcode] == nil {
		if make := special[x.Opcode]; make != nil {
			return make(m, x)
		}
		if builtin(x.Opcode) {
			return m.applied(x, x.Opcode, m.exprs(x.Args))
		}
	}
	var args []syntax.Expr
	for _, a := range x.Args {
		of := m.types[string(a.ID)].Type
		switch {
		case a.Kind == "lambda":
			args = append(args, m.operator(a, 0))
		case of != nil && of.Kind == "oper" && a.Kind == "name" && len(of.Args) > 0:
			args = append(args, m.operator(a, len(of.Args)))
		case a.Kind == "name" && m.defs[a.Name] == nil && builtin(a.Name):
			args = append(args, m.operator(a, arity(a.Name)))
		default:
			args = append(args, m.expr(a))
		}
	}
	return m.applied(x, x.Opcode, args)
}

// applied applies an operator by its name to arguments that are made.
func (m *maker) applied(x *expression, name string, args []syntax.Expr) syntax.Expr {
	if m.defs[name] == nil {
		if op := plain[name]; op != "" {
			return m.call(x.ID, op, args...)
		}
		if op := defined[name]; op != "" {
			return m.helper(x.ID, op, args...)
		}
		if slices.Contains(refused, name) {
			m.fail(x, "%s is not supported", name)
		}
		if special[name] != nil {
			m.fail(x, "the operator %s stands as an argument, which is not supported: write a "+
				"lambda", name)
		}
	}
	n := m.name(name, x.ID)
	return &syntax.Apply{At: m.at(x.ID), Name: n, Args: args}
}

// refused are operators that have no meaning outside of the tools of Quint.
var refused = []string{"apalache::generate", "q::test", "q::testOnce", "q::lastTrace"}
