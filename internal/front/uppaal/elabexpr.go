package uppaal

import (
	"maps"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/timed"
)

// number elaborates an expression that must be a number.
func (c *elaborator) number(e *expr) *value { return c.asNumber(c.expr(e), e.span) }

func (c *elaborator) asNumber(v *value, span diag.Span) *value {
	if c.asAtom(v, span).typ.kind == scalarKind {
		c.fail(diag.SortMismatch, span,
			"a scalar can only be compared, assigned and used as an index")
	}
	return v
}

// atom is a number or a scalar.
func (c *elaborator) atom(e *expr) *value { return c.asAtom(c.expr(e), e.span) }

func (c *elaborator) asAtom(v *value, span diag.Span) *value {
	switch {
	case v.condition != nil:
		c.fail(diag.Unsupported, span, "a condition on clocks cannot be used here")
	case v.clocks != nil:
		c.fail(diag.Unsupported, span, "the value of a clock cannot be read here")
	case v.eval == nil || !v.typ.number():
		c.fail(diag.SortMismatch, span, "a number is needed here")
	}
	return v
}

// fold replaces a constant expression by its value.
func (c *elaborator) fold(v *value, span diag.Span) *value {
	if !v.constant {
		return v
	}
	c.mem.Begin()
	n := v.eval(&c.mem)
	// An error where a constant is needed, and otherwise of the step that evaluates it, which may
	// never be taken.
	if c.mem.Fault != nil {
		c.mem.Fault = nil
		v.constant, v.faulty = false, true
		return v
	}
	return number(v.typ, n)
}

// owns reports whether the value of a name in the function depends on its own cells only: another
// function and what a reference refers to count where they are called and passed.
func (fn *callable) owns(v *value) bool {
	return v.constant || v.written != nil || v.fn != nil ||
		v.typ.kind != clockKind && v.alo >= fn.cells
}

func (c *elaborator) expr(e *expr) *value {
	switch e.op {
	case "num":
		if e.text == "bool" {
			return number(boolType, int32(e.value))
		}
		return number(anyInt, int32(e.value))
	case "name":
		s := c.scope.find(e.text)
		if s == nil || s.val == nil {
			c.unknownName(e)
		}
		if c.fn != nil && !c.fn.owns(s.val) {
			c.fn.reads = true
		}
		return s.val
	case "index":
		return c.index(e)
	case "field":
		return c.field(e)
	case "call":
		return c.call(e)
	case "assign":
		return c.assign(e)
	case "pre++", "pre--", "post++", "post--":
		return c.step(e)
	case "neg", "plus":
		v := c.number(e.kids[0])
		if e.op == "plus" {
			return v
		}
		eval, at := v.eval, e.span
		return c.fold(&value{typ: anyInt, constant: v.constant, lo: -v.hi, hi: -v.lo,
			eval: func(m *timed.Memory) int32 { return checked(m, -int64(eval(m)), at) }}, e.span)
	case "!", "&&", "||", "imply":
		return c.logical(e)
	case "?:":
		return c.choice(e)
	case "forall", "exists", "sum":
		return c.quantifier(e)
	case ",":
		a, b := c.expr(e.kids[0]), c.expr(e.kids[1])
		first, second := c.effect(a, e.kids[0].span), c.effect(b, e.kids[1].span)
		return &value{typ: b.typ, lo: b.lo, hi: b.hi, eval: func(m *timed.Memory) int32 {
			first(m)
			return second(m)
		}}
	case "==", "!=", "<", "<=", ">", ">=":
		return c.compare(e)
	case "rate":
		c.fail(diag.Unsupported, e.span, "the rate of a clock stands in an equation only, such as "+
			"x' == 0")
	case "deadlock":
		if !c.query {
			c.fail(diag.Syntax, e.span, "deadlock can be used in queries only")
		}
		return &value{typ: boolType, condition: &timed.Formula{Op: timed.Deadlock}}
	}
	return c.binary(e)
}

// unknownName says why a name cannot be read.
func (c *elaborator) unknownName(e *expr) {
	t, in := c.templates[e.text], c.instances[e.text]
	switch {
	case !c.query:
	case c.named[e.text] != nil:
		c.fail(diag.SortMismatch, e.span, "%s is a process: write %s.location or %s.variable",
			e.text, e.text, e.text)
	case t != nil && len(t.params) > 0 || in != nil && len(in.params) > 0:
		c.fail(diag.WrongArguments, e.span, "the process %s has parameters: write %s(...)", e.text,
			e.text)
	case t != nil || in != nil:
		c.fail(diag.UnresolvedName, e.span, "the process %s is not in the system line", e.text)
	default:
		known := slices.Collect(maps.Keys(c.named))
		for s := c.scope; s.up != nil; s = s.up { // without what is predefined
			known = slices.AppendSeq(known, maps.Keys(s.names))
		}
		c.unresolved(e, "there is no variable and no process %s", known)
	}
	c.fail(diag.UnresolvedName, e.span, "there is no variable %s", e.text)
}

// effect runs an expression whose value is not used.
func (c *elaborator) effect(v *value, span diag.Span) timed.Eval {
	if v.eval == nil {
		c.fail(diag.SortMismatch, span, "this is no statement")
	}
	return v.eval
}

func b2i(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

func (c *elaborator) compare(e *expr) *value {
	if e.op == "==" && (e.kids[0].op == "rate" || e.kids[1].op == "rate") {
		return rateOf(c, e)
	}
	a, b := c.expr(e.kids[0]), c.expr(e.kids[1])
	if a.clocks != nil || b.clocks != nil {
		return c.timing(e, a, b)
	}
	if k := a.typ.kind; (k == arrayKind || k == structKind) && (e.op == "==" || e.op == "!=") {
		return c.equalParts(e, a, b)
	}
	a, b = c.asAtom(a, e.kids[0].span), c.asAtom(b, e.kids[1].span)
	if equality := e.op == "==" || e.op == "!="; !a.typ.same(b.typ) ||
		!equality && (a.typ.kind == scalarKind) {
		c.fail(diag.SortMismatch, e.span, "these values cannot be compared by %s", e.op)
	}
	x, y := a.eval, b.eval
	v := &value{typ: boolType, constant: a.constant && b.constant, hi: 1}
	switch e.op {
	case "==":
		v.eval = func(m *timed.Memory) int32 { return b2i(x(m) == y(m)) }
		if b.constant {
			k := c.evaluate(b, e.span)
			v.eval = func(m *timed.Memory) int32 { return b2i(x(m) == k) }
		}
	case "!=":
		v.eval = func(m *timed.Memory) int32 { return b2i(x(m) != y(m)) }
	case "<":
		v.eval = func(m *timed.Memory) int32 { return b2i(x(m) < y(m)) }
	case "<=":
		v.eval = func(m *timed.Memory) int32 { return b2i(x(m) <= y(m)) }
	case ">":
		v.eval = func(m *timed.Memory) int32 { return b2i(x(m) > y(m)) }
	case ">=":
		v.eval = func(m *timed.Memory) int32 { return b2i(x(m) >= y(m)) }
	}
	return c.fold(v, e.span)
}

// equalParts compares records or arrays.
func (c *elaborator) equalParts(e *expr, a, b *value) *value {
	if leaf := a.typ.leaf(); !a.typ.same(b.typ) || a.addr == nil || b.addr == nil ||
		leaf == clockKind || leaf == chanKind {
		c.fail(diag.SortMismatch, e.span, "these values cannot be compared by %s", e.op)
	}
	n, equal := int32(a.typ.size), e.op == "=="
	return &value{typ: boolType, hi: 1, eval: func(m *timed.Memory) int32 {
		side := func(v *value) []int32 { // a called function writes its value to a fixed cell
			if v.eval != nil {
				v.eval(m)
			}
			at := v.addr(m)
			return slices.Clone(m.Cells[at : at+n])
		}
		return b2i(slices.Equal(side(a), side(b)) == equal)
	}}
}

// timing is a comparison of a clock, or of a difference of clocks, with a number or another clock.
func (c *elaborator) timing(e *expr, a, b *value) *value {
	op := e.op
	if a.clocks == nil { // 5 < x
		a, b = b, a
		op = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==",
			"!=": "!="}[op]
	}
	d := *a.clocks
	bound := number(anyInt, 0)
	if b.clocks != nil {
		if !zero(d.j) || !zero(b.clocks.j) {
			c.fail(diag.Unsupported, e.span,
				"differences of clocks can only be compared with numbers")
		}
		d.j = b.clocks.i
	} else {
		bound = c.asNumber(b, e.span)
	}
	eval := bound.eval
	upper := func(strict bool) *timed.Formula {
		return &timed.Formula{Op: timed.Timing,
			Constraint: timed.Constraint{Span: e.span, I: d.i, J: d.j, Strict: strict,
				Bound: timed.Number{Eval: eval, Lo: bound.lo, Hi: bound.hi}}}
	}
	lower := func(strict bool) *timed.Formula {
		return &timed.Formula{Op: timed.Timing,
			Constraint: timed.Constraint{Span: e.span, I: d.j, J: d.i, Strict: strict,
				Bound: timed.Number{Eval: func(m *timed.Memory) int32 { return -eval(m) },
					Lo: -bound.hi, Hi: -bound.lo}}}
	}
	var f *timed.Formula
	switch op {
	case "<", "<=":
		f = upper(op == "<")
	case ">", ">=":
		f = lower(op == ">")
	case "==":
		f = &timed.Formula{Op: timed.And, Args: []*timed.Formula{upper(false), lower(false)}}
	default:
		f = &timed.Formula{Op: timed.Or, Args: []*timed.Formula{upper(true), lower(true)}}
	}
	return &value{typ: boolType, condition: f}
}

// rateOf is an equation of the rate of a clock and a number.
func rateOf(c *elaborator, e *expr) *value {
	of, is := e.kids[0], e.kids[1]
	if of.op != "rate" {
		of, is = is, of
	}
	if !c.invariant {
		c.fail(diag.Unsupported, e.span, "the rate of a clock stands in invariants only")
	}
	x, v := c.expr(of.kids[0]), c.number(is)
	if x.clocks == nil || !zero(x.clocks.j) {
		c.fail(diag.SortMismatch, of.span, "only a clock has a rate")
	}
	if v.hi < 0 || v.lo > 1 {
		c.fail(diag.Unsupported, is.span, "a clock with another rate than 0 and 1 is not "+
			"supported: zones hold clocks that run with the same speed or stand still")
	}
	return &value{typ: boolType, condition: &timed.Formula{Op: timed.Rated, Rate: timed.Rate{
		Span: e.span, Clock: x.clocks.i,
		Value: timed.Number{Eval: v.eval, Lo: v.lo, Hi: v.hi}}}}
}

// withoutRates refuses rates where a condition is negated.
func withoutRates(c *elaborator, v *value, span diag.Span) {
	if v.condition != nil && v.condition.Speaks(timed.Rated) {
		c.fail(diag.Unsupported, span, "the rate of a clock cannot be negated")
	}
}

// formula gives a value as a condition.
func (c *elaborator) formula(v *value, span diag.Span) *timed.Formula {
	if v.condition != nil {
		return v.condition
	}
	return &timed.Formula{Op: timed.Data, Eval: c.asNumber(v, span).eval}
}

func (c *elaborator) logical(e *expr) *value {
	a := c.expr(e.kids[0])
	if e.op == "!" {
		if a.condition != nil {
			withoutRates(c, a, e.span)
			return &value{typ: boolType, condition: timed.Not(a.condition)}
		}
		x := c.asNumber(a, e.span).eval
		return c.fold(&value{typ: boolType, constant: a.constant, hi: 1, eval: func(
			m *timed.Memory,
		) int32 {
			return b2i(x(m) == 0)
		}}, e.span)
	}
	b := c.expr(e.kids[1])
	if a.condition != nil || b.condition != nil {
		f, g := c.formula(a, e.kids[0].span), c.formula(b, e.kids[1].span)
		op := timed.And
		if e.op != "&&" {
			op = timed.Or
		}
		if e.op == "imply" {
			withoutRates(c, a, e.kids[0].span)
			f = timed.Not(f)
		}
		return &value{typ: boolType,
			condition: &timed.Formula{Op: op, Args: []*timed.Formula{f, g}}}
	}
	x, y := c.asNumber(a, e.kids[0].span).eval, c.asNumber(b, e.kids[1].span).eval
	v := &value{typ: boolType, constant: a.constant && b.constant, hi: 1}
	switch e.op {
	case "&&":
		v.eval = func(m *timed.Memory) int32 { return b2i(x(m) != 0 && y(m) != 0) }
	case "||":
		v.eval = func(m *timed.Memory) int32 { return b2i(x(m) != 0 || y(m) != 0) }
	case "imply":
		v.eval = func(m *timed.Memory) int32 { return b2i(x(m) == 0 || y(m) != 0) }
	}
	return c.fold(v, e.span)
}

func (c *elaborator) choice(e *expr) *value {
	cond := c.number(e.kids[0])
	a, b := c.expr(e.kids[1]), c.expr(e.kids[2])
	if a.condition != nil || b.condition != nil {
		c.fail(diag.Unsupported, e.span, "clocks in ?: are not supported: write and, or")
	}
	test := cond.eval
	if !a.typ.number() && a.addr == nil && a.eval != nil && b.eval != nil { // two effects
		x, y := a.eval, b.eval
		return &value{typ: a.typ, eval: func(m *timed.Memory) int32 {
			if test(m) != 0 {
				return x(m)
			}
			return y(m)
		}}
	}
	if a.addr != nil && b.addr != nil && !a.typ.number() && a.typ.same(b.typ) {
		return chosen(c, e, test, a, b)
	}
	a, b = c.asAtom(a, e.kids[1].span), c.asAtom(b, e.kids[2].span)
	if !a.typ.same(b.typ) {
		c.fail(diag.SortMismatch, e.span, "the two values of ?: have different types")
	}
	x, y := a.eval, b.eval
	return c.fold(&value{typ: a.typ, constant: cond.constant && a.constant && b.constant,
		lo: min(a.lo, b.lo), hi: max(a.hi, b.hi),
		eval: func(m *timed.Memory) int32 {
			if test(m) != 0 {
				return x(m)
			}
			return y(m)
		}}, e.span)
}

// chosen is an array or a record that a condition chooses.
func chosen(c *elaborator, e *expr, test timed.Eval, a, b *value) *value {
	if k := a.typ.leaf(); k == clockKind || k == chanKind {
		c.fail(diag.Unsupported, e.span, "clocks and channels in ?: are not supported")
	}
	if !pure(e) {
		c.fail(diag.Unsupported, e.span,
			"an effect inside ?: between arrays or records is not supported")
	}
	x, y := a.addr, b.addr
	return &value{typ: a.typ, alo: min(a.alo, b.alo), ahi: max(a.ahi, b.ahi), addr: func(
		m *timed.Memory,
	) int32 {
		if test(m) != 0 {
			return x(m)
		}
		return y(m)
	}}
}

// zero reports whether a reference is to the constant zero clock.
func zero(c timed.Clock) bool { return c.Hi == 0 }
