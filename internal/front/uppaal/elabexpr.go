package uppaal

import (
	"math"
	"math/bits"
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
		c.fail(diag.UnresolvedName, e.span, "there is no variable and no process %s", e.text)
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

func checked(m *timed.Memory, n int64, span diag.Span) int32 {
	if n < math.MinInt32 || n > math.MaxInt32 {
		m.Fail(span, "the value %d does not fit into 32 bits", n)
		return 0
	}
	return int32(n)
}

func b2i(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

func (c *elaborator) binary(e *expr) *value {
	left, right := c.expr(e.kids[0]), c.expr(e.kids[1])
	if e.op == "-" && left.clocks != nil {
		if right.clocks == nil || !zero(left.clocks.j) || !zero(right.clocks.j) {
			c.fail(diag.Unsupported, e.span, "only the difference of two clocks is supported")
		}
		return &value{typ: left.typ, clocks: &difference{left.clocks.i, right.clocks.i}}
	}
	a, b := c.asNumber(left, e.kids[0].span), c.asNumber(right, e.kids[1].span)
	x, y, at := a.eval, b.eval, e.span
	v := &value{typ: anyInt, constant: a.constant && b.constant, lo: math.MinInt32,
		hi: math.MaxInt32}
	clamp := func(lo, hi int64) { v.lo, v.hi = max(lo, math.MinInt32), min(hi, math.MaxInt32) }
	switch e.op {
	case "+":
		clamp(a.lo+b.lo, a.hi+b.hi)
		v.eval = func(m *timed.Memory) int32 { return checked(m, int64(x(m))+int64(y(m)), at) }
	case "-":
		clamp(a.lo-b.hi, a.hi-b.lo)
		v.eval = func(m *timed.Memory) int32 { return checked(m, int64(x(m))-int64(y(m)), at) }
	case "*":
		p := []int64{a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi}
		clamp(min(p[0], p[1], p[2], p[3]), max(p[0], p[1], p[2], p[3]))
		v.eval = func(m *timed.Memory) int32 { return checked(m, int64(x(m))*int64(y(m)), at) }
	case "/", "%":
		rest := e.op == "%"
		n, positive := max(-a.lo, a.hi), a.lo >= 0 && b.lo >= 0
		if rest { // the remainder has the sign of the dividend
			n = min(n, max(-b.lo, b.hi, 1)-1)
			positive = a.lo >= 0
		}
		if clamp(-n, n); positive {
			v.lo = 0
		}
		v.eval = func(m *timed.Memory) int32 {
			n, d := int64(x(m)), int64(y(m))
			switch {
			case d == 0:
				m.Fail(at, "division by zero")
				return 0
			case rest:
				return int32(n % d)
			}
			return checked(m, n/d, at)
		}
	case "<<", ">>":
		left := e.op == "<<"
		clamp(min(a.lo, 0), max(a.hi, 0))
		if most := min(max(b.hi, 0), 31); left {
			clamp(min(a.lo<<most, 0), max(a.hi<<most, 0))
		}
		v.eval = func(m *timed.Memory) int32 {
			n, d := x(m), y(m)
			switch {
			case d < 0 || d > 31:
				m.Fail(at, "a shift by %d", d)
				return 0
			case left:
				return checked(m, int64(n)<<d, at)
			}
			return n >> d
		}
	case "<?":
		clamp(min(a.lo, b.lo), min(a.hi, b.hi))
		v.eval = func(m *timed.Memory) int32 { return min(x(m), y(m)) }
	case ">?":
		clamp(max(a.lo, b.lo), max(a.hi, b.hi))
		v.eval = func(m *timed.Memory) int32 { return max(x(m), y(m)) }
	case "&":
		clamp(bitRange(a, b))
		if a.lo >= 0 || b.lo >= 0 {
			v.lo = 0
		}
		v.eval = func(m *timed.Memory) int32 { return x(m) & y(m) }
	case "|":
		clamp(bitRange(a, b))
		v.eval = func(m *timed.Memory) int32 { return x(m) | y(m) }
	case "^":
		clamp(bitRange(a, b))
		v.eval = func(m *timed.Memory) int32 { return x(m) ^ y(m) }
	default:
		c.fail(diag.Unsupported, e.span, "the operator %s is not supported", e.op)
	}
	return c.fold(v, e.span)
}

// bitRange bounds the values of &,
//
// and ^: they have no more bits than their operands.
func bitRange(a, b *value) (lo, hi int64) {
	most := max(-a.lo-1, a.hi, -b.lo-1, b.hi)
	hi = 1<<bits.Len64(uint64(most)) - 1
	if a.lo < 0 || b.lo < 0 {
		lo = -hi - 1
	}
	return lo, hi
}

func (c *elaborator) compare(e *expr) *value {
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

// quantifier evaluates its body for each value of the bound variable. A body with clocks, or with
// the name of a process, is elaborated once for each value.
func (c *elaborator) quantifier(e *expr) *value {
	t := c.enumerable(c.resolve(e.domain), e.domain.span)
	inner := c.in(c.scope.inner())
	if c.query && c.namesProcess(e.kids[0]) {
		return inner.expansion(e, t)
	}
	cell := c.cells(t)
	inner.scope.names[e.text] = &symbol{val: c.place(t, cell), span: e.span}
	body := inner.expr(e.kids[0])
	if body.condition != nil {
		return inner.expansion(e, t)
	}
	x := c.asNumber(body, e.kids[0].span)
	return c.combined(e, x.lo, x.hi, t, func(m *timed.Memory, n int32) int32 {
		m.Cells[cell] = n
		return x.eval(m)
	})
}

// maxRange bounds the values of a quantifier or loop. timed.Memory bounds nested ones.
const maxRange = 1 << 24

// enumerable refuses types whose values cannot be enumerated.
func (c *elaborator) enumerable(t *typ, span diag.Span) *typ {
	if !t.number() {
		c.fail(diag.SortMismatch, span, "the values of this type cannot be enumerated")
	}
	if t.count() > maxRange {
		c.fail(diag.BadValue, span, "this range has %d values; at most %d can be enumerated",
			t.count(), maxRange)
	}
	return t
}

// maxExpanded bounds the bodies of all quantifiers with clocks or names of processes.
const maxExpanded = 1 << 18

// expansion is a quantifier with its body once for each value.
func (c *elaborator) expansion(e *expr, t *typ) *value {
	var bodies []*value
	clocks := false
	for n := range t.values() {
		c.continues()
		if c.expanded++; c.expanded > maxExpanded {
			c.fail(diag.BadValue, e.span,
				"quantifiers over clocks or processes have more than %d bodies", maxExpanded)
		}
		c.scope.names[e.text] = &symbol{val: number(t, n), span: e.span}
		bodies = append(bodies, c.expr(e.kids[0]))
		clocks = clocks || bodies[n-t.lo].condition != nil
	}
	if clocks && e.op != "sum" {
		f := &timed.Formula{Op: timed.And}
		if e.op == "exists" {
			f.Op = timed.Or
		}
		for _, b := range bodies {
			f.Args = append(f.Args, c.formula(b, e.kids[0].span))
		}
		return &value{typ: boolType, condition: f}
	}
	lo, hi := int64(math.MaxInt32), int64(math.MinInt32)
	for _, b := range bodies {
		x := c.asNumber(b, e.kids[0].span)
		lo, hi = min(lo, x.lo), max(hi, x.hi)
	}
	return c.combined(e, lo, hi, t, func(m *timed.Memory, n int32) int32 {
		return bodies[n-t.lo].eval(m)
	})
}

// combined is the value of a quantifier over bodies between lo and hi. It evaluates all elements of
// a scalar set, so that an error does not depend on their order.
func (c *elaborator) combined(
	e *expr, lo, hi int64, t *typ, body func(m *timed.Memory, n int32) int32,
) *value {
	op, at, early := e.op, e.span, t.kind != scalarKind
	v := &value{typ: boolType, hi: 1}
	if op == "sum" {
		n := int64(t.hi) - int64(t.lo) + 1
		v.typ, v.lo, v.hi = anyInt, max(math.MinInt32, n*min(lo, 0)),
			min(math.MaxInt32, n*max(hi, 0))
	}
	v.eval = func(m *timed.Memory) int32 {
		var total, holds int64
		for n := int64(t.lo); n <= int64(t.hi) && m.Round(at); n++ {
			r := body(m, int32(n))
			total += int64(r)
			if r != 0 {
				holds++
			}
			if early && (op == "forall" && r == 0 || op == "exists" && r != 0) {
				break
			}
		}
		switch op {
		case "sum":
			return checked(m, total, at)
		case "exists":
			return b2i(holds > 0)
		}
		return b2i(holds == int64(t.hi)-int64(t.lo)+1)
	}
	return v
}

func (c *elaborator) index(e *expr) *value {
	a, i := c.expr(e.kids[0]), c.atom(e.kids[1])
	if a.typ.kind != arrayKind {
		c.fail(diag.SortMismatch, e.kids[0].span, "this is no array")
	}
	if x := a.typ.index; !x.same(i.typ) {
		c.fail(diag.SortMismatch, e.kids[1].span, "this is no index of the array")
	}
	lo, hi, size := a.typ.index.lo, a.typ.index.hi, int32(a.typ.elem.size)
	v := &value{typ: a.typ.elem, writable: a.writable, local: a.local, written: a.written,
		constant: a.constant && i.constant}
	n, known := lo, i.constant
	if known { // a wrong index is an error of the step that needs it
		n = c.evaluate(i, e.span)
		known = n >= lo && n <= hi
		v.constant, v.faulty = v.constant && known, !known
	}
	if known {
		off := (n - lo) * size
		v.alo, v.ahi = a.alo+int(off), a.ahi+int(off)
		base := a.addr
		v.addr = func(m *timed.Memory) int32 { return base(m) + off }
		if v.alo == v.ahi {
			k := int32(v.alo)
			v.addr = func(*timed.Memory) int32 { return k }
		}
	} else {
		base, index, at := a.addr, i.eval, e.span
		v.alo, v.ahi = a.alo, a.ahi+int((hi-lo)*size)
		v.addr = func(m *timed.Memory) int32 {
			n := index(m)
			if n < lo || n > hi {
				m.Fail(at, "the index %d is not between %d and %d", n, lo, hi)
				n = lo
			}
			return base(m) + (n-lo)*size
		}
	}
	v.load()
	c.narrow(v, a)
	if v.constant && v.typ.number() {
		return c.fold(v, e.span)
	}
	return v
}

// narrow sets the bounds of a part of a constant from its values.
func (c *elaborator) narrow(v, whole *value) {
	if v.fixed = whole.fixed; !v.fixed || !v.typ.number() {
		return
	}
	v.lo, v.hi = math.MaxInt32, math.MinInt32
	for _, x := range c.mem.Cells[v.alo : v.ahi+1] {
		v.lo, v.hi = min(v.lo, int64(x)), max(v.hi, int64(x))
	}
}

func (c *elaborator) field(e *expr) *value {
	if c.query {
		if p := c.process(e.kids[0]); p != nil {
			return c.member(p, e)
		}
	}
	a := c.expr(e.kids[0])
	if a.typ.kind == structKind {
		for _, f := range a.typ.fields {
			if f.name != e.text {
				continue
			}
			base, off := a.addr, int32(f.off)
			v := &value{typ: f.typ, writable: a.writable, local: a.local, written: a.written,
				constant: a.constant, alo: a.alo + f.off, ahi: a.ahi + f.off,
				addr: func(m *timed.Memory) int32 { return base(m) + off }}
			v.load()
			c.narrow(v, a)
			if v.constant && v.typ.number() {
				return c.fold(v, e.span)
			}
			return v
		}
	}
	c.fail(diag.UnresolvedName, e.span, "there is no field %s", e.text)
	return nil
}

// zero reports whether a reference is to the constant zero clock.
func zero(c timed.Clock) bool { return c.Hi == 0 }
