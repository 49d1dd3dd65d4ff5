package core

import (
	"maps"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/syntax"
	"erelong.dev/erelong/internal/value"
)

// builtins makes nodes of the operators that are no definitions of a module.
type builtins struct{ *elaborator }

// special makes nodes of the operators that are no functions of values; nil for any other.
func (e builtins) special(x *syntax.Apply, m meaning, sc *scope) Node {
	op, ok := m.(*operator)
	if !ok || op.builtin == "" {
		return nil
	}
	span := x.Span()
	switch name := op.builtin; name {
	case `/\`, `\/`:
		return e.junction(span, name == `/\`, x.Args, sc)
	case `\lnot`:
		if e.temporal {
			n := e.node(x.Args[0], sc)
			return &Not{over(span, n), n}
		}
		n := e.value(x.Args[0], sc)
		return &Not{over(span, n), n}
	case "=>", `\equiv`, "~>":
		return e.connective(x, name, sc)
	case "'":
		return e.prime(x, sc)
	case "UNCHANGED":
		return e.unchanged(x.Args[0], sc, span)
	case "ENABLED":
		return e.enabled(span, sc, func() Node { return e.node(x.Args[0], sc) })
	case "[]", "<>":
		n := e.node(x.Args[0], sc)
		b := over(span, n)
		b.level = Temporal
		if name == "[]" {
			return &Always{b, n}
		}
		return &Eventually{b, n}
	case `\cdot`:
		return e.composed(x, sc)
	case "-+->":
		e.fail(diag.Unsupported, span, "-+-> is not supported")
	}
	return nil
}

func (e builtins) connective(x *syntax.Apply, name string, sc *scope) Node {
	make := e.value
	if e.temporal {
		make = e.node
	}
	a, b := make(x.Args[0], sc), make(x.Args[1], sc)
	base := over(x.Span(), a, b)
	switch name {
	case "=>":
		if truth, known := e.decided(a); known && b.Level() == Temporal {
			if !truth {
				return e.literal(x.Span(), e.Space.True)
			}
			return b
		}
		return &Implies{base, a, b}
	case `\equiv`:
		return &Equivalent{base, a, b}
	}
	base.level = Temporal
	return &LeadsTo{base, a, b}
}

// prime is an expression in the state after the step.
func (e builtins) prime(x *syntax.Apply, sc *scope) Node {
	if e.primed && e.initialStep {
		return e.value(x.Args[0], sc)
	}
	if e.primed {
		e.fail(diag.Syntax, x.Span(), "a prime stands within a primed expression")
	}
	e.primed = true
	n := e.value(x.Args[0], sc)
	e.primed = false
	return n
}

// unchanged says that an expression has the same value after a step: of a tuple, that each element
// has.
func (e builtins) unchanged(x syntax.Expr, sc *scope, span diag.Span) Node {
	j := &Junction{base: over(span), And: true}
	e.eachUnchanged(x, sc, 0, func(x syntax.Expr, sc *scope) {
		primed := e.primed
		if primed {
			e.fail(diag.Syntax, span, "UNCHANGED stands within a primed expression")
		}
		after := func() Node { e.primed = true; n := e.value(x, sc); e.primed = false; return n }()
		before := e.value(x, sc)
		n := &Equal{over(span, after, before), after, before}
		j.Args = append(j.Args, n)
		j.join(n)
	})
	if len(j.Args) == 1 {
		return j.Args[0]
	}
	return j
}

// eachUnchanged takes tuples apart, also the ones that definitions name.
func (e builtins) eachUnchanged(
	x syntax.Expr, sc *scope, depth int, each func(syntax.Expr, *scope),
) {
	switch x := x.(type) {
	case *syntax.Tuple:
		for _, y := range x.Elems {
			e.eachUnchanged(y, sc, depth, each)
		}
		return
	case *syntax.Apply:
		if depth > 50 || len(x.Args) > 0 {
			break
		}
		switch m := resolved(e.lookup(x, sc)).(type) {
		case *operator:
			if m.body != nil && len(m.params) == 0 && !m.recursive {
				e.eachUnchanged(m.body, m.scope, depth+1, each)
				return
			}
		case *thunk:
			if !e.owns(x.Name.Text, m) {
				e.eachUnchanged(m.expr, m.scope, depth+1, each)
				return
			}
		}
	}
	each(x, sc)
}

// enabled says that an action can take a step. The action has places of its own, since it runs
// while others are in use.
func (e builtins) enabled(span diag.Span, sc *scope, body func() Node) Node {
	if e.primed {
		e.fail(diag.Unsupported, span, "ENABLED within a primed expression is not supported")
	}
	action, temporal, depth, possible := e.action, e.temporal, e.depth, e.possible
	e.action, e.temporal, e.possible = true, false, sc
	n := body()
	e.action, e.temporal, e.depth, e.possible = action, temporal, depth, possible
	b := over(span, n)
	b.level = State
	return &Enabled{b, n}
}

// composed is an action made of two steps.
func (e builtins) composed(x *syntax.Apply, sc *scope) Node {
	first := e.branch(x.Args[0], sc)
	second := e.branch(x.Args[1], sc)
	b := over(x.Span(), first, second)
	b.level = max(b.level, Step)
	return &Composed{b, first, second}
}

// actionOf is [A]_v or <<A>>_v.
func (e builtins) actionOf(x *syntax.Action, sc *scope) Node {
	span := x.Span()
	if e.temporal {
		return e.stepOf(x.Body, x.Vars, x.Angle, sc, span)
	}
	body := e.branch(x.Body, sc)
	same := e.unchanged(x.Vars, sc, span)
	if !x.Angle {
		return &Junction{over(span, body, same), false, []Node{body, same}}
	}
	changed := &Not{over(span, same), same}
	return &Junction{over(span, body, same), true, []Node{body, changed}}
}

// stepOf is an action as a part of a temporal formula.
func (e builtins) stepOf(
	body, vars syntax.Expr, angle bool, sc *scope, span diag.Span,
) *Action {
	a := e.state(body, sc)
	same := e.unchanged(vars, sc, span)
	b := over(span, a, same)
	b.level = Temporal
	return &Action{b, angle, a, same}
}

func (e builtins) fair(x *syntax.Fair, sc *scope) Node {
	span := x.Span()
	taken := e.stepOf(x.Body, x.Vars, true, sc, span)
	possible := e.enabled(span, sc, func() Node {
		body := e.node(x.Body, sc)
		same := e.unchanged(x.Vars, sc, span)
		changed := &Not{over(span, same), same}
		return &Junction{over(span, body, changed), true, []Node{body, changed}}
	})
	b := over(span, taken, possible)
	b.level = Temporal
	any := e.steps != nil && e.defined(x.Body, sc) == e.steps && e.keepsAll(taken.Unchanged)
	return &Fair{b, text(x) + settled(sc), x.Strong, any, taken, possible}
}

// defined is the operator without arguments that an expression names; nil for another one.
func (e *elaborator) defined(x syntax.Expr, sc *scope) *operator {
	a, ok := x.(*syntax.Apply)
	if !ok || len(a.Args)+len(a.Path) > 0 {
		return nil
	}
	op, ok := resolved(e.lookup(a, sc)).(*operator)
	if !ok || op.builtin != "" {
		return nil
	}
	return op
}

// keepsAll reports whether a formula says of each variable that it stays what it is, and nothing
// else.
func (e builtins) keepsAll(n Node) bool {
	parts := []Node{n}
	if j, ok := n.(*Junction); ok && j.And {
		parts = j.Args
	}
	still := map[int]bool{}
	for _, p := range parts {
		q, ok := p.(*Equal)
		if !ok {
			return false
		}
		after, ok := q.Left.(*Variable)
		before, same := q.Right.(*Variable)
		if !ok || !same || !after.Primed || before.Primed || after.Index != before.Index {
			return false
		}
		still[after.Index] = true
	}
	for i := range e.Variables {
		if !still[i] {
			return false
		}
	}
	return true
}

// settled tells the values of the names that quantifiers and parameters around a formula stand for.
func settled(sc *scope) string {
	values := map[string]string{}
	for ; sc != nil && sc.theme == ""; sc = sc.up {
		for name, m := range sc.names {
			if v := valueOf(m); v != nil && values[name] == "" {
				values[name] = name + " = " + v.String()
			}
		}
	}
	if len(values) == 0 {
		return ""
	}
	return " for " + strings.Join(slices.Sorted(maps.Values(values)), ", ")
}

// valueOf is the value of a name, where it is one of a quantifier, or stands for such a name.
func valueOf(m meaning) *value.Value {
	switch m := m.(type) {
	case *constant:
		return m.value
	case *thunk:
		if x, ok := m.expr.(*syntax.Apply); ok && len(x.Args) == 0 {
			if at := m.scope.find(x.Name.Text); at != meaning(m) {
				return valueOf(at)
			}
		}
	}
	return nil
}

// builtin makes a node of an operator on values.
func (e builtins) builtin(
	name string, args []syntax.Expr, sc *scope, span diag.Span,
) Node {
	switch name {
	case "TRUE", "FALSE":
		return e.literal(span, e.Space.Bool(name == "TRUE"))
	case "BOOLEAN":
		return e.literal(span, e.Space.Boolean)
	case "STRING":
		return e.literal(span, e.Space.Strings)
	case "Nat":
		return e.literal(span, e.Space.Nat)
	case "Int":
		return e.literal(span, e.Space.Integers)
	case "=", `\in`:
		a, b := e.state(args[0], sc), e.state(args[1], sc)
		if name == "=" {
			return &Equal{over(span, a, b), a, b}
		}
		return &In{over(span, a, b), a, b}
	case "/=", `\notin`:
		n := e.builtin(map[string]string{"/=": "=", `\notin`: `\in`}[name], args, sc, span)
		return &Not{over(span, n), n}
	case `\lnot`, `/\`, `\/`, "=>", `\equiv`: // an operator as an argument
		return e.special(&syntax.Apply{At: syntax.At{Where: span}, Name: syntax.Name{Text: name},
			Args: args}, &operator{builtin: name}, sc)
	}
	o := &Operator{base: over(span), Name: name}
	for i, a := range args {
		var n Node
		if arity, ok := operatorArguments[name][i]; ok {
			n = e.function(a, arity, sc)
		} else {
			n = e.state(a, sc)
		}
		o.Args = append(o.Args, n)
		o.join(n)
	}
	if Volatile(name) { // it has a value for each state
		o.level = max(o.level, State)
	}
	return o
}

// Volatile reports whether the value of an operator is not that of its arguments alone.
func Volatile(operator string) bool {
	switch operator {
	case "TLCGet", "TLCSet", "RandomElement", "JavaTime", "Print", "PrintT":
		return true
	}
	return false
}

// function is the operator that is an argument of a built-in one, as a function of places.
func (e builtins) function(x syntax.Expr, arity int, sc *scope) Node {
	op := e.operatorArgument(x, arity, sc)
	f := &Abstraction{base: over(x.Span())}
	e.scoped(func() {
		e.action = false
		body := inner(sc)
		var args []syntax.Expr
		for i := range arity {
			name := syntax.Name{Text: string(rune('1' + i)), Span: x.Span()}
			slot := e.place()
			f.Slots = append(f.Slots, slot)
			body.names[name.Text] = &place{slot: slot}
			args = append(args, &syntax.Apply{At: syntax.At{Where: x.Span()}, Name: name})
		}
		f.Body = e.with(op, args, body, syntax.Name{Text: "operator", Span: x.Span()}, x.Span())
	})
	f.join(f.Body)
	return f
}

// Abstraction is an operator as an argument of a built-in one.
type Abstraction struct {
	base
	Slots []int
	Body  Node
}
