package uppaal

import (
	"math"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/timed"
)

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
