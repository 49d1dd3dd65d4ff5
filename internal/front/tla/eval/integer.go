package eval

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// integer is the code of a node as an integer. Small is for 64 bits, and says whether the numbers
// on the way fit; exact is for all numbers, and is needed rarely.
type integer struct {
	small func(m *Machine) (n int64, fits bool)
	exact func(m *Machine) *big.Int
}

// integer is the code for the value of a node as an integer.
func (c *compiler) integer(n core.Node) *integer {
	if n, ok := n.(*core.Operator); ok {
		if i := c.arithmetic(n); i != nil {
			return i
		}
	}
	at := n.Span()
	if n, ok := n.(*core.Literal); ok && n.Value.Small() {
		k := n.Value.Int()
		return &integer{
			func(m *Machine) (int64, bool) {
				m.where = &at
				return k, true
			},
			func(*Machine) *big.Int { return big.NewInt(k) },
		}
	}
	code := c.code(n)
	return &integer{
		func(m *Machine) (int64, bool) {
			v := code(m)
			m.where = &at
			if v.Large() {
				return 0, false
			}
			return v.Int(), true
		},
		func(m *Machine) *big.Int {
			v := code(m)
			m.where = &at
			return v.Integer()
		},
	}
}

// operation is an operator on two integers.
type operation struct {
	small func(m *Machine, at *diag.Span, a, b int64) (n int64, fits bool)
	exact func(m *Machine, at *diag.Span, a, b *big.Int) *big.Int
}

// plain is an operation that has a value for all integers.
func plain(
	f func(z, a, b *big.Int) *big.Int,
) func(*Machine, *diag.Span, *big.Int, *big.Int) *big.Int {
	return func(_ *Machine, _ *diag.Span, a, b *big.Int) *big.Int { return f(new(big.Int), a, b) }
}

var operations = map[string]operation{
	"+":    {plus, plain((*big.Int).Add)},
	"-":    {minus, plain((*big.Int).Sub)},
	"*":    {product, plain((*big.Int).Mul)},
	`\div`: {quotient, largeQuotient},
	"%":    {modulus, largeModulus},
	"^":    {power, largePower},
}

// arithmetic is the code of an operator on integers; nil for any other.
func (c *compiler) arithmetic(n *core.Operator) *integer {
	at := n.Span()
	if n.Name == "-." {
		a := c.integer(n.Args[0])
		return &integer{
			func(m *Machine) (int64, bool) {
				x, ok := a.small(m)
				y, fits := minus(m, &at, 0, x)
				return y, ok && fits
			},
			func(m *Machine) *big.Int { return new(big.Int).Neg(a.exact(m)) },
		}
	}
	f, ok := operations[n.Name]
	if !ok {
		return nil
	}
	a, b := c.integer(n.Args[0]), c.integer(n.Args[1])
	return &integer{
		func(m *Machine) (int64, bool) {
			x, ok := a.small(m)
			if !ok {
				return 0, false
			}
			y, ok := b.small(m)
			if !ok {
				return 0, false
			}
			return f.small(m, &at, x, y)
		},
		func(m *Machine) *big.Int { return f.exact(m, &at, a.exact(m), b.exact(m)) },
	}
}

// code is the code of the value.
func (i *integer) code(space *value.Space) Code {
	return func(m *Machine) *value.Value {
		if n, ok := i.small(m); ok {
			return space.Int(n)
		}
		return space.Integer(i.exact(m))
	}
}

// order is the code that compares the arguments of an operator, which are integers.
func order(c *compiler, n *core.Operator) func(m *Machine) int {
	a, b := c.integer(n.Args[0]), c.integer(n.Args[1])
	return func(m *Machine) int {
		x, ok := a.small(m)
		if ok {
			if y, ok := b.small(m); ok {
				return cmp.Compare(x, y)
			}
		}
		return a.exact(m).Cmp(b.exact(m))
	}
}

func plus(_ *Machine, _ *diag.Span, a, b int64) (n int64, fits bool) {
	s := a + b
	return s, (a^s)&(b^s) >= 0
}

func minus(_ *Machine, _ *diag.Span, a, b int64) (n int64, fits bool) {
	s := a - b
	return s, (a^b)&(a^s) >= 0
}

func product(_ *Machine, _ *diag.Span, a, b int64) (n int64, fits bool) {
	hi, lo := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	return a * b, hi == 0 && lo <= 1<<63-1
}

const (
	divided  = "a number is divided by 0"
	divisor  = "the second argument of % must be positive"
	exponent = "an exponent must not be negative"
	zeros    = "0^0 is undefined"
)

// quotient rounds down, and modulus has the sign of the divisor, which is positive.
func quotient(m *Machine, at *diag.Span, a, b int64) (n int64, fits bool) {
	if b == 0 {
		m.fail(at, divided)
	}
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q, a != math.MinInt64 || b != -1
}

func largeQuotient(m *Machine, at *diag.Span, a, b *big.Int) *big.Int {
	if b.Sign() == 0 {
		m.fail(at, divided)
	}
	q, r := new(big.Int).QuoRem(a, b, new(big.Int))
	if r.Sign() != 0 && r.Sign() != b.Sign() {
		q.Sub(q, big.NewInt(1))
	}
	return q
}

func modulus(m *Machine, at *diag.Span, a, b int64) (n int64, fits bool) {
	if b <= 0 {
		m.fail(at, divisor)
	}
	if a %= b; a < 0 {
		a += b
	}
	return a, true
}

func largeModulus(m *Machine, at *diag.Span, a, b *big.Int) *big.Int {
	if b.Sign() <= 0 {
		m.fail(at, divisor)
	}
	return new(big.Int).Mod(a, b)
}

func power(m *Machine, at *diag.Span, a, b int64) (n int64, fits bool) {
	if b < 0 {
		m.fail(at, exponent)
	}
	if a == 0 && b == 0 {
		m.fail(at, zeros)
	}
	out, fits := int64(1), true
	for range b {
		if out, fits = product(m, at, out, a); !fits {
			return 0, false
		}
	}
	return out, true
}

// mostDigits bounds the digits, in base 2, of a power.
const mostDigits = 1 << 16

func largePower(m *Machine, at *diag.Span, a, b *big.Int) *big.Int {
	switch {
	case b.Sign() < 0:
		m.fail(at, exponent)
	case a.Sign() == 0 && b.Sign() == 0:
		m.fail(at, zeros)
	case a.BitLen() > 1 && (!b.IsInt64() || int64(a.BitLen()) > mostDigits/max(1, b.Int64())):
		m.fail(at, "a power has more than 65,536 digits in base 2")
	}
	return new(big.Int).Exp(a, b, nil)
}
