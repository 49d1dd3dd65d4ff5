package uppaal

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/timed"
)

// assign gives the effect of an assignment; its value is the value of the left side.
func (c *elaborator) assign(e *expr) *value {
	left := c.expr(e.kids[0])
	c.writes(left, e.span)
	if left.typ.kind == clockKind && left.addr != nil && (e.text == "=" || e.text == ":=") {
		right := c.number(e.kids[1])
		if right.lo < 0 && right.hi < 0 {
			c.fail(diag.BadValue, e.span, "a clock is never negative")
		}
		clock, x, at := left.addr, right.eval, e.span
		return &value{typ: &typ{kind: voidKind}, eval: func(m *timed.Memory) int32 {
			n := x(m)
			if n < 0 {
				m.Fail(at, "a clock would become %d", n)
			}
			m.Resets = append(m.Resets, timed.Reset{Clock: int(clock(m)), Value: n})
			return 0
		}}
	}
	if !left.writable {
		c.fail(diag.ImmutableTarget, e.kids[0].span, "this cannot be assigned")
	}
	if !left.typ.number() {
		right := c.expr(e.kids[1])
		if !right.typ.same(left.typ) || right.addr == nil || e.text != "=" && e.text != ":=" {
			c.fail(diag.SortMismatch, e.span, "these values cannot be assigned")
		}
		from, to, n, effect := right.addr, left.addr, int32(left.typ.size), right.eval
		return &value{typ: left.typ, addr: left.addr, alo: left.alo, ahi: left.ahi, eval: func(
			m *timed.Memory,
		) int32 {
			if effect != nil {
				effect(m)
			}
			d, s := to(m), from(m)
			copy(m.Cells[d:d+n], m.Cells[s:s+n])
			return 0
		}}
	}
	right := c.atom(e.kids[1])
	if e.text != "=" && e.text != ":=" {
		if !pure(e.kids[0]) {
			c.fail(diag.Unsupported, e.span, "an effect inside the target of %s is not supported",
				e.text)
		}
		op := *e
		op.op = e.text[:len(e.text)-1]
		right = c.binary(&op)
	} else if !right.typ.same(left.typ) {
		c.fail(diag.SortMismatch, e.span, "these values cannot be assigned")
	}
	return c.store(left, right, e.span, false)
}

// store assigns a number, and checks its range unless it is certain. The value is the new one, or
// the old one.
func (c *elaborator) store(left, right *value, at diag.Span, old bool) *value {
	lo, hi, x := left.typ.lo, left.typ.hi, right.eval
	toBool := left.typ.kind == boolKind && right.typ.kind == intKind
	certain := right.lo >= int64(lo) && right.hi <= int64(hi)
	addr := left.addr
	return &value{typ: left.typ, lo: left.lo, hi: left.hi, eval: func(m *timed.Memory) int32 {
		n := x(m)
		if toBool {
			n = b2i(n != 0)
		} else if !certain && (n < lo || n > hi) {
			m.Fail(at, "the value %d is not between %d and %d", n, lo, hi)
			return lo
		}
		k := addr(m)
		before := m.Cells[k]
		m.Cells[k] = n
		if old {
			return before
		}
		return n
	}}
}

func (c *elaborator) step(e *expr) *value {
	left := c.number(e.kids[0])
	if !left.writable {
		c.fail(diag.ImmutableTarget, e.span, "this cannot be assigned")
	}
	c.writes(left, e.span)
	by := int64(1)
	if e.op[len(e.op)-1] == '-' {
		by = -1
	}
	x, at := left.eval, e.span
	next := &value{typ: anyInt, lo: left.lo + by, hi: left.hi + by, eval: func(
		m *timed.Memory,
	) int32 {
		return checked(m, int64(x(m))+by, at)
	}}
	return c.store(left, next, e.span, e.op[:2] == "po")
}

// writes records that a variable is assigned.
func (c *elaborator) writes(v *value, span diag.Span) {
	switch {
	case v.written != nil:
		*v.written = true
	case !v.local:
		c.affects(span, !c.owns(v))
	}
}

// affects records that the current expression changes the state, possibly outside the process.
func (c *elaborator) affects(span diag.Span, outside bool) {
	if c.pure {
		c.fail(diag.NotATarget, span,
			"this changes the state, which guards, invariants, synchronisations and queries "+
				"must not")
	}
	if c.fn != nil {
		c.fn.effects = true
		c.fn.outside = c.fn.outside || outside
	}
	if c.shared && outside {
		for _, e := range c.where.At {
			c.apart(e.Set,
				"processes for its elements receive a broadcast and then change what they share")
		}
	}
}

// pure reports whether an expression is known to have no effect.
func pure(e *expr) bool {
	switch e.op {
	case "call", "assign", "pre++", "pre--", "post++", "post--":
		return false
	}
	for _, k := range e.kids {
		if !pure(k) {
			return false
		}
	}
	return true
}
