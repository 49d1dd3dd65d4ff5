package eval

import (
	"math/bits"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/core"
)

// integer is the code for the value of a node as an integer.
func (c *compiler) integer(n core.Node) func(m *Machine) int64 {
	at := n.Span()
	switch n := n.(type) {
	case *core.Literal:
		v := n.Value
		return func(m *Machine) int64 {
			m.where = &at
			return v.Int()
		}
	case *core.Operator:
		if f := c.arithmetic(n); f != nil {
			return f
		}
	}
	code := c.code(n)
	return func(m *Machine) int64 {
		v := code(m)
		m.where = &at
		return v.Int()
	}
}

// arithmetic is the code of an operator on integers; nil for any other.
func (c *compiler) arithmetic(n *core.Operator) func(m *Machine) int64 {
	at := n.Span()
	var f func(m *Machine, at *diag.Span, a, b int64) int64
	switch n.Name {
	case "+":
		f = plus
	case "-":
		f = minus
	case "*":
		f = product
	case `\div`:
		f = quotient
	case "%":
		f = modulus
	case "^":
		f = power
	case "-.":
		a := c.integer(n.Args[0])
		return func(m *Machine) int64 { return minus(m, &at, 0, a(m)) }
	default:
		return nil
	}
	a, b := c.integer(n.Args[0]), c.integer(n.Args[1])
	return func(m *Machine) int64 { return f(m, &at, a(m), b(m)) }
}

func (m *Machine) overflow(at *diag.Span) {
	m.fail(at, "an integer does not fit into 64 bits")
}

func plus(m *Machine, at *diag.Span, a, b int64) int64 {
	s := a + b
	if (a^s)&(b^s) < 0 {
		m.overflow(at)
	}
	return s
}

func minus(m *Machine, at *diag.Span, a, b int64) int64 {
	s := a - b
	if (a^b)&(a^s) < 0 {
		m.overflow(at)
	}
	return s
}

func product(m *Machine, at *diag.Span, a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	if hi != 0 || lo > 1<<63-1 {
		m.overflow(at)
	}
	return a * b
}

// quotient rounds down, and modulus has the sign of the divisor, which is positive.
func quotient(m *Machine, at *diag.Span, a, b int64) int64 {
	if b == 0 {
		m.fail(at, "a number is divided by 0")
	}
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func modulus(m *Machine, at *diag.Span, a, b int64) int64 {
	if b <= 0 {
		m.fail(at, "the second argument of % must be positive")
	}
	return ((a % b) + b) % b
}

func power(m *Machine, at *diag.Span, a, b int64) int64 {
	if b < 0 {
		m.fail(at, "an exponent must not be negative")
	}
	if a == 0 && b == 0 {
		m.fail(at, "0^0 is undefined")
	}
	out := int64(1)
	for range b {
		out = product(m, at, out, a)
	}
	return out
}
