package flat

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/result"
)

// env holds the values of the variables around an expression, and the state that it is about.
type env struct {
	outer *env
	name  string
	value *value
	later func() *value // instead of value: what a name stands for, computed where it is used

	primes int  // in new(..), how many of them
	old    bool // in old(..)

	calls *call // of definitions, around the expression
}

// top has no variables, and is about the state itself.
var top = &env{}

func (e *env) with(name string, v *value) *env {
	return &env{outer: e, name: name, value: v, primes: e.primes, old: e.old, calls: e.calls}
}

// lazily has a variable whose value is computed where it is used.
func (e *env) lazily(name string, later func() *value) *env {
	out := e.with(name, nil)
	out.later = later
	return out
}

func (e *env) find(name string) (v *value, ok bool) {
	for ; e != nil; e = e.outer {
		if e.name == name && name != "" {
			if e.later != nil {
				return e.later(), true
			}
			return e.value, true
		}
	}
	return nil, false
}

// within is the same variables, about another state.
func (e *env) within(primes int, old bool) *env {
	return &env{outer: e, primes: primes, old: old, calls: e.calls}
}

// lowerer replaces the structured data of expressions.
type lowerer struct {
	*places
	view *result.View
	// By symbol that earlier statements of an action assign, the number of the last such statement.
	assigned    map[string]int
	assignments int // so far
	done        map[placed]*value
}

// placed is an expression in an environment, after some assignments.
type placed struct {
	x           *syntax.Expr
	e           *env
	assignments int
	recursive   bool
}

// variable is the name of a new variable: the wanted one, unless it is in use around.
func (f *values) variable(wanted string) string {
	name := wanted
	for i := 2; f.active[name] || f.globals[name] != nil || name != wanted && f.taken[name]; i++ {
		name = wanted + "_" + itoa(i)
	}
	f.active[name] = true
	return name
}

func (f *values) leave(name string) { delete(f.active, name) }

// formula lowers a formula that is closed: its capital letters stand for every value.
func (f *lowerer) lowerClosed(x *syntax.Expr, e *env) *syntax.Expr {
	out := f.closeOver(f.freeOf[x], e, func(e *env) *syntax.Expr { return f.lowerExpr(x, e) })
	return build.At(out, x.Span)
}

func (f *lowerer) closeOver(
	free []freeVariable, e *env, body func(*env) *syntax.Expr,
) *syntax.Expr {
	for i, v := range free {
		if v.typ.plain() {
			if !f.active[v.name] {
				f.active[v.name] = true
				defer f.leave(v.name)
			}
			continue
		}
		return f.quantify(true, v.name, v.typ, func(val *value) *syntax.Expr {
			return f.closeOver(free[i+1:], e.with(v.name, val), body)
		})
	}
	return body(e)
}

// lowerExpr lowers an expression of a sort.
func (f *lowerer) lowerExpr(x *syntax.Expr, e *env) *syntax.Expr {
	if f.unchanged(x, e) {
		return f.marked(x, e)
	}
	v := f.lower(x, e)
	if v.expr == nil {
		return build.Truth(true) // after an error
	}
	return v.expr
}

// marked is an expression about the state of an environment.
func (f *lowerer) marked(x *syntax.Expr, e *env) *syntax.Expr {
	if x.Kind == syntax.ExprInt || x.Kind == syntax.ExprTrue || x.Kind == syntax.ExprFalse {
		return x
	}
	for range e.primes {
		x = &syntax.Expr{Kind: syntax.ExprNew, Span: x.Span, Args: []*syntax.Expr{x}}
	}
	if e.old {
		x = &syntax.Expr{Kind: syntax.ExprOld, Span: x.Span, Args: []*syntax.Expr{x},
			Name: syntax.Name{Text: "old"}, Applied: true}
	}
	return x
}

// unchanged reports whether an expression has no structured data, so that it stays as it is.
func (f *lowerer) unchanged(x *syntax.Expr, e *env) bool {
	if x.Kind >= syntax.ExprIn {
		return false
	}
	if t := f.typeOf[x]; t != nil && !t.plain() {
		return false
	}
	for _, b := range x.Binders {
		if b.In != nil || !f.binderType(b).plain() {
			return false
		}
		e = e.with(b.Name.Text, scalarValue(f.binderType(b), build.Ref(b.Name.Text)))
	}
	if x.Kind == syntax.ExprName {
		if v, ok := e.find(x.Name.Text); ok {
			return v.expr != nil && v.expr.Kind == syntax.ExprName &&
				v.expr.Name.Text == x.Name.Text
		}
		switch g := f.globals[x.Name.Text]; {
		case g == nil && x.Applied && f.isBuiltin(x.Name.Text):
			return false
		case g != nil && (f.inlined(g) || g.ctor != nil || g.symbol != nil && f.structured(g)):
			return false
		}
	}
	for _, a := range x.Args {
		if !f.unchanged(a, e) {
			return false
		}
	}
	return true
}

// inlined reports whether calls of a definition are replaced by its body.
func (f *lowerer) inlined(g *global) bool {
	return g.def != nil && !g.def.Transition && (g.def.Result != nil || f.structured(g))
}

// structured reports whether an argument or the result of a symbol or definition has structure.
func (f *known) structured(g *global) bool {
	if !g.result.plain() {
		return true
	}
	for _, p := range g.params {
		if !p.plain() {
			return true
		}
	}
	return false
}

// lower gives the value of an expression. A single value has the position of the expression,
// whatever it was made of.
func (f *lowerer) lower(x *syntax.Expr, e *env) *value {
	at := placed{x, e, f.assignments, f.recursive}
	if v := f.done[at]; v != nil {
		return v
	}
	added, naming := f.waiting.added, f.naming
	v := f.lowerOnce(x, e)
	if f.waiting.added == added && naming == "" {
		f.done[at] = v
	}
	return v
}

func (f *lowerer) lowerOnce(x *syntax.Expr, e *env) *value {
	mark := f.waiting.mark()
	v := f.lowered(x, e)
	if v.expr == nil {
		return v
	}
	if f.waiting.mark() > mark && v.typ.root().name == "bool" {
		v = f.formulaValue(f.waiting.settled(mark, v.expr))
	}
	placed := *v
	placed.expr = build.Placed(v.expr, x.Span)
	return &placed
}

func (f *lowerer) lowered(x *syntax.Expr, e *env) *value {
	f.span = x.Span
	t := f.typeOf[x]
	if f.ended() {
		return f.usualValue(t)
	}
	if t.plain() && f.unchanged(x, e) {
		return scalarValue(t, f.marked(x, e))
	}
	switch x.Kind {
	case syntax.ExprName:
		return f.lowerName(x, e)
	case syntax.ExprOld:
		if f.globals["old"] != nil {
			return f.lowerName(x, e)
		}
		return f.lower(x.Args[0], e.within(0, true))
	case syntax.ExprNew:
		return f.lower(x.Args[0], e.within(e.primes+1, e.old))
	case syntax.ExprEq, syntax.ExprNe:
		if f.hasSizeOfSet(x) {
			return f.formulaValue(f.lowerComparison(x, e))
		}
		if x.Kind == syntax.ExprEq {
			return f.formulaValue(f.same(f.lower(x.Args[0], e), f.lower(x.Args[1], e)))
		}
		return f.formulaValue(build.Not(f.same(f.lower(x.Args[0], e), f.lower(x.Args[1], e))))
	case syntax.ExprDistinct:
		return f.formulaValue(f.distinct(x, e))
	case syntax.ExprNot:
		return f.formulaValue(build.Not(f.denied(x.Args[0], e)))
	case syntax.ExprAnd, syntax.ExprOr:
		args := make([]*syntax.Expr, len(x.Args))
		for i, a := range x.Args {
			args[i] = f.lowerExpr(a, e)
		}
		return f.formulaValue(build.Junction(x.Kind, args...))
	case syntax.ExprImplies:
		return f.formulaValue(build.Implies(f.denied(x.Args[0], e), f.lowerExpr(x.Args[1], e)))
	case syntax.ExprIff:
		return f.formulaValue(build.Iff(f.lowerExpr(x.Args[0], e), f.lowerExpr(x.Args[1], e)))
	case syntax.ExprIf:
		return f.lowerIf(x, e)
	case syntax.ExprForall, syntax.ExprExists:
		return f.formulaValue(f.lowerQuantifier(x.Kind == syntax.ExprForall, x.Binders, e,
			func(e *env) *syntax.Expr { return f.lowerExpr(x.Args[0], e) }))
	case syntax.ExprLet:
		return f.lowerLet(x, e)
	case syntax.ExprLt, syntax.ExprLe, syntax.ExprGt, syntax.ExprGe:
		return f.formulaValue(f.lowerComparison(x, e))
	}
	if x.Kind >= syntax.ExprIn {
		return f.lowerData(x, e)
	}
	c := *x
	c.Args = make([]*syntax.Expr, len(x.Args))
	for i, a := range x.Args {
		c.Args[i] = f.lowerExpr(a, e)
	}
	if last := len(c.Args) - 1; last == 1 && c.Args[last].Kind == syntax.ExprInt {
		switch x.Kind {
		case syntax.ExprAdd:
			return scalarValue(t, build.At(build.Sum(c.Args[0], c.Args[1]), x.Span))
		case syntax.ExprSub:
			return scalarValue(t, build.At(build.Difference(c.Args[0], c.Args[1]), x.Span))
		}
	}
	return scalarValue(t, &c)
}

// denied lowers the operand of a negation, or the left one of an implication.
func (f *lowerer) denied(x *syntax.Expr, e *env) *syntax.Expr {
	defer func(before bool) { f.claims = before }(f.claims)
	f.claims = false
	return f.lowerExpr(x, e)
}

func (f *values) formulaValue(x *syntax.Expr) *value { return scalarValue(boolType, x) }

func (f *lowerer) distinct(x *syntax.Expr, e *env) *syntax.Expr {
	var values []*value
	for _, a := range x.Args {
		values = append(values, f.lower(a, e))
	}
	var parts []*syntax.Expr
	for i, a := range values {
		for _, b := range values[:i] {
			parts = append(parts, build.Not(f.same(b, a)))
		}
	}
	return build.And(parts...)
}

// lowerLet binds a name to a value: a let of the language for a value of a sort.
func (f *lowerer) lowerLet(x *syntax.Expr, e *env) *value {
	b := x.Binders[0]
	v := f.lower(x.Args[0], e)
	result := f.typeOf[x]
	if !f.binderType(b).plain() || !result.plain() {
		return f.lower(x.Args[1], e.with(b.Name.Text, v))
	}
	name := f.variable(b.Name.Text)
	defer f.leave(name)
	mark := f.waiting.mark()
	body := f.lowerExpr(x.Args[1], e.with(b.Name.Text, scalarValue(v.typ, build.Ref(name))))
	f.waiting.ended(mark, variables(name))
	c := *x
	c.Binders = []*syntax.Binder{{Name: syntax.Name{Text: name, Span: b.Name.Span}, Sort: b.Sort}}
	c.Args = []*syntax.Expr{build.At(v.expr, x.Args[0].Span), body}
	return scalarValue(result, &c)
}

// lowerName lowers a variable, a symbol, a constructor, a definition, or a function of the
// language.
func (f *lowerer) lowerName(x *syntax.Expr, e *env) *value {
	name := x.Name.Text
	if v, ok := e.find(name); ok {
		return v
	}
	g := f.globals[name]
	if g == nil {
		return f.lowerUndeclared(x, e)
	}
	args := make([]*value, len(x.Args))
	for i, a := range x.Args {
		args[i] = f.lower(a, e)
	}
	switch {
	case g.ctor != nil && g.result.enumeration():
		return atomOf(g.result, build.Ref(g.ctor.member))
	case g.ctor != nil:
		return made(g.result, g.ctor, args)
	case g.symbol != nil:
		if len(args) != len(g.params) {
			f.errs.Errorf(diag.WrongArguments, x.Span, "'%s' takes %d arguments, but here it "+
				"has %d", name, len(g.params), len(args)).
				Because(g.name.Span, "it is declared here")
			return f.usualValue(g.result)
		}
		return f.symbolValue(g, args, state{e.primes + x.Primes, e.old && g.symbol.Mutable}, x.Span)
	case f.inlined(g):
		return f.inline(x, g, args, e)
	}
	c := *x
	c.Args = nil
	for i, a := range args {
		if a.expr == nil {
			f.errs.Errorf(diag.SortMismatch, x.Args[i].Span, "a value of type %s cannot stand here",
				f.typeOf[x.Args[i]])
			a = f.usualValue(newUnknown())
		}
		c.Args = append(c.Args, a.expr)
	}
	c.Primes += e.primes
	return scalarValue(f.typeOf[x], &c)
}

// closeInlined writes the quantifiers that capital letters imply: where the body stands now, other
// ones are around it.
func (f *lowerer) closeInlined(
	free []freeVariable, e *env, body func(*env) *syntax.Expr,
) *syntax.Expr {
	if len(free) == 0 {
		return body(e)
	}
	v := free[0]
	rest := func(val *value) *syntax.Expr {
		return f.closeInlined(free[1:], e.with(v.name, val), body)
	}
	if !v.typ.is(unknown) {
		return f.quantify(true, v.name, v.typ, rest)
	}
	name := f.variable(v.name)
	defer f.leave(name)
	return build.Quantified(true, &syntax.Binder{Name: syntax.Name{Text: name}},
		rest(scalarValue(v.typ, build.Ref(name))))
}

// lowerData lowers the expressions of structured data.
func (f *lowerer) lowerData(x *syntax.Expr, e *env) *value {
	t := f.typeOf[x].root()
	switch x.Kind {
	case syntax.ExprIn:
		return f.formulaValue(f.contains(f.lower(x.Args[1], e), f.lower(x.Args[0], e)))
	case syntax.ExprSubset:
		a, b := f.lower(x.Args[0], e), f.lower(x.Args[1], e)
		return f.formulaValue(a.each(true, b.has))
	case syntax.ExprUnion, syntax.ExprIntersect, syntax.ExprMinus:
		return f.combine(x.Kind, t, f.lower(x.Args[0], e), f.lower(x.Args[1], e))
	case syntax.ExprWith:
		return f.lowerWith(x, t, e)
	case syntax.ExprWithout:
		return f.without(t, f.lower(x.Args[0], e), f.lower(x.Args[1], e))
	case syntax.ExprField:
		return f.fieldOf(f.lower(x.Args[0], e), x)
	case syntax.ExprAt:
		return f.elementAt(f.lower(x.Args[0], e), f.lower(x.Args[1], e))
	case syntax.ExprIs:
		v := f.lower(x.Args[0], e)
		if c := v.typ.ctor(x.Name.Text); c != nil {
			return f.formulaValue(v.made(c))
		}
		return f.formulaValue(build.Truth(true))
	case syntax.ExprRecord, syntax.ExprTuple:
		v := &value{typ: t, fields: map[string]*value{}}
		for i, a := range x.Args {
			name := itoa(i + 1)
			if x.Kind == syntax.ExprRecord {
				name = x.Fields[i].Text
			}
			v.fields[name] = f.lower(a, e)
		}
		return v
	case syntax.ExprSet:
		return f.literalSet(t, f.lowerAll(x.Args, e))
	case syntax.ExprSeq:
		return f.literalSeq(t, f.lowerAll(x.Args, e))
	case syntax.ExprMap:
		return f.literalMap(t, f.lowerAll(x.Args, e))
	case syntax.ExprEach:
		return f.comprehension(x, t, e)
	case syntax.ExprMapEach:
		return f.mapComprehension(x, t, e)
	}
	return f.lowerMatch(x, e)
}

func (f *lowerer) lowerAll(xs []*syntax.Expr, e *env) (out []*value) {
	for _, x := range xs {
		out = append(out, f.lower(x, e))
	}
	return out
}

// lowerMatch is the value of the arm of the constructor. The last arm needs no condition.
func (f *lowerer) lowerMatch(x *syntax.Expr, e *env) *value {
	v := f.lower(x.Args[0], e)
	var out *value
	for i := len(x.Arms) - 1; i >= 0; i-- {
		a := x.Arms[i]
		c, is := meant(f.values, v, a)
		if is == nil || build.IsFalse(is) && (out != nil || i > 0) {
			continue
		}
		inner := e
		for k, b := range a.Variables {
			if k < len(c.parts) {
				inner = inner.with(b.Name.Text, f.payload(v, c, k))
			}
		}
		mark := f.waiting.mark()
		arm := f.lower(a.Value, inner)
		f.waiting.ended(mark, build.MayLack)
		if out == nil {
			out = arm
		} else {
			out = choice(f.waiting, is, arm, out)
		}
	}
	if out == nil {
		return f.usualValue(f.typeOf[x])
	}
	return out
}

// meant is the constructor or the member of an arm, and when a value is of it. The arm for the rest
// has none, and comes after the others. The formula is nil where an error was reported.
func meant(f *values, v *value, a *syntax.Arm) (c *ctor, is *syntax.Expr) {
	if a.IsRest() {
		return &ctor{}, build.Truth(true)
	}
	for _, c := range f.cases(v.typ) {
		switch {
		case c.name != a.Case.Text:
		case v.made != nil:
			return c, v.made(c)
		default:
			return c, build.Equal(v.expr, build.Ref(c.member))
		}
	}
	return nil, nil
}
