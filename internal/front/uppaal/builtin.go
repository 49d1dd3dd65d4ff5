package uppaal

import (
	"math"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/timed"
)

// predefined is the scope around a model: UPPAAL 5's own types and constants. A model may declare
// their names again.
func predefined() *scope {
	s := &scope{names: map[string]*symbol{}}
	for name, r := range map[string][2]int32{
		"int8_t": {math.MinInt8, math.MaxInt8}, "uint8_t": {0, math.MaxUint8},
		"int16_t":  {math.MinInt16, math.MaxInt16},
		"uint16_t": {0, math.MaxUint16}, "int32_t": {math.MinInt32, math.MaxInt32},
	} {
		s.names[name] = &symbol{typ: &typ{kind: intKind, lo: r[0], hi: r[1], size: 1}}
	}
	for name, n := range map[string]int32{
		"INT8_MIN": math.MinInt8, "INT8_MAX": math.MaxInt8, "UINT8_MAX": math.MaxUint8,
		"INT16_MIN": math.MinInt16, "INT16_MAX": math.MaxInt16,
		"UINT16_MAX": math.MaxUint16, "INT32_MIN": math.MinInt32, "INT32_MAX": math.MaxInt32,
	} {
		s.names[name] = &symbol{val: number(anyInt, n)}
	}
	return s
}

// builtin gives the value of a call of a function of UPPAAL's own, nil for other calls.
func (c *elaborator) builtin(e *expr) *value {
	name := e.kids[0].text
	if name != "abs" && name != "fint" && name != "assert" {
		return nil
	}
	if len(e.kids) != 2 {
		c.fail(diag.WrongArguments, e.span, "%s takes 1 argument, not %d", name, len(e.kids)-1)
	}
	x, at := c.number(e.kids[1]), e.span
	eval := x.eval
	switch name {
	case "fint": // of an integer already
		return x
	case "assert":
		return &value{typ: &typ{kind: voidKind}, eval: func(m *timed.Memory) int32 {
			if eval(m) == 0 {
				m.Fail(at, "the assertion %s does not hold", at.Text())
			}
			return 0
		}}
	}
	v := &value{typ: anyInt, constant: x.constant, lo: max(x.lo, -x.hi, 0), hi: max(x.hi, -x.lo),
		eval: func(m *timed.Memory) int32 {
			n := int64(eval(m))
			return checked(m, max(n, -n), at)
		}}
	v.hi = min(v.hi, math.MaxInt32)
	return c.fold(v, e.span)
}
