package uppaal

import (
	"math"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/timed"
)

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
