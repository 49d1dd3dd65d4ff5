package uppaal

import (
	"math"
	"math/bits"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/timed"
)

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
		clamp(quotients(a, b, rest))
		v.eval = quotient(x, y, rest, at)
	case "<<", ">>":
		left := e.op == "<<"
		clamp(min(a.lo, 0), max(a.hi, 0))
		if most := min(max(b.hi, 0), 31); left {
			clamp(min(a.lo<<most, 0), max(a.hi<<most, 0))
		}
		v.eval = shift(x, y, left, at)
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

// quotients bounds the values of a quotient or a remainder, which has the sign of the dividend.
func quotients(a, b *value, rest bool) (lo, hi int64) {
	n, positive := max(-a.lo, a.hi), a.lo >= 0 && (rest || b.lo >= 0)
	if rest {
		n = min(n, max(-b.lo, b.hi, 1)-1)
	}
	if positive {
		return 0, n
	}
	return -n, n
}

func quotient(x, y timed.Eval, rest bool, at diag.Span) timed.Eval {
	return func(m *timed.Memory) int32 {
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
}

func shift(x, y timed.Eval, left bool, at diag.Span) timed.Eval {
	return func(m *timed.Memory) int32 {
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
}

// bitRange bounds the values of the operators on bits: they have no more bits than their operands.
func bitRange(a, b *value) (lo, hi int64) {
	most := max(-a.lo-1, a.hi, -b.lo-1, b.hi)
	hi = 1<<bits.Len64(uint64(most)) - 1
	if a.lo < 0 || b.lo < 0 {
		lo = -hi - 1
	}
	return lo, hi
}

func checked(m *timed.Memory, n int64, span diag.Span) int32 {
	if n < math.MinInt32 || n > math.MaxInt32 {
		m.Fail(span, "the value %d does not fit into 32 bits", n)
		return 0
	}
	return int32(n)
}
