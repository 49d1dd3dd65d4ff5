package zone_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// This file generates models: for each piece the text that erelong reads, and beside it a Go
// function with its meaning.

// num is an expression of numbers or truth values between lo and hi.
type num struct {
	text   string
	prec   int // of its operator: larger ones bind tighter
	lo, hi int
	eval   func(*env) int
}

const (
	weakest = iota // ?:
	orLevel
	andLevel
	bitOrLevel
	bitXorLevel
	bitAndLevel
	equalLevel
	lessLevel
	minLevel
	shiftLevel
	sumLevel
	productLevel
	unaryLevel
	atomLevel
)

// in gives the text as an operand that must bind as tight as level.
func (n num) in(level int) string {
	if n.prec < level {
		return "(" + n.text + ")"
	}
	return n.text
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// place is a variable, or a part of one.
type place struct {
	text   string
	lo, hi int
	scalar bool
	addr   func(*env) *int
}

func (p place) num() num {
	return num{p.text, atomLevel, p.lo, p.hi, func(e *env) int { return *p.addr(e) }}
}

// scope holds the names at some point of the text.
type scope struct {
	bound   []place // numbers
	scalars []place
	clocks  []clockRef
}

type clockRef struct {
	text string
	at   func(*env) int
}

type maker struct {
	t       *rapid.T
	net     *network
	decl    strings.Builder
	scalars int // the size of the scalar set, 0 for none
	names   int
	loops   int // nested quantifiers, while a body is made

	global   scope
	reads    []func(*scope) place // ways to name a part of a variable
	writes   []func(*scope) place // the ones that change
	scalarAt []func(*scope) place // the ones that hold a scalar
	records  []func(*scope) (string, func(*env) int)
	pure     []func(*scope) num
	effects  []func(*scope) (string, func(*env))
	channels []func(*scope) (string, func(*env) int, *channel)
	members  []func(*scope) num // for queries: their conditions on processes
	timers   []clockRef         // of queries
}

func (m *maker) below(n int) int {
	return int(rapid.Uint64().Draw(m.t, "n") * 0x9e3779b97f4a7c15 >> 32 % uint64(n))
}
func (m *maker) chance(percent int) bool     { return m.below(100) < percent }
func (m *maker) pick(of ...string) string    { return of[m.below(len(of))] }
func (m *maker) number(lo, hi int) int       { return lo + m.below(hi-lo+1) }
func (m *maker) fresh(prefix string) string  { m.names++; return fmt.Sprint(prefix, m.names) }
func (m *maker) cells(n, value int) (at int) { return m.cellsOf(n, func(int) int { return value }) }

func (m *maker) cellsOf(n int, value func(int) int) (at int) {
	at = len(m.net.vars)
	for i := range n {
		m.net.vars = append(m.net.vars, value(i))
	}
	return at
}

// local is a place in the frame.
func (m *maker) local(name string, lo, hi int) place {
	at := m.net.frame
	m.net.frame++
	return place{text: name, lo: lo, hi: hi, addr: func(e *env) *int { return &e.frame[at] }}
}

func choice[T any](m *maker, of []T) T { return of[m.below(len(of))] }

func literal(n int) num {
	if n < 0 {
		return num{fmt.Sprint(n), unaryLevel, n, n, func(*env) int { return n }}
	}
	return num{fmt.Sprint(n), atomLevel, n, n, func(*env) int { return n }}
}

// index makes an expression a number from 0 to n - 1.
func (m *maker) index(s *scope, n int) num {
	for _, b := range s.bound {
		if b.lo >= 0 && b.hi < n && m.chance(60) {
			return b.num()
		}
	}
	if m.chance(40) {
		return literal(m.below(n))
	}
	return m.fit(m.expr(s, 1), 0, n-1)
}

// fit keeps a number within a range.
func (m *maker) fit(x num, lo, hi int) num {
	switch eval := x.eval; {
	case x.lo >= lo && x.hi <= hi:
		return x
	case x.lo >= 0 && lo == 0:
		return num{x.in(productLevel) + " % " + fmt.Sprint(hi+1), productLevel, 0, hi, func(
			e *env,
		) int {
			return eval(e) % (hi + 1)
		}}
	default:
		return num{fmt.Sprintf("%s <? %d >? %s", x.in(minLevel), hi, literal(lo).in(minLevel+1)),
			minLevel, lo, hi,
			func(e *env) int { return max(min(eval(e), hi), lo) }}
	}
}

// expr makes an expression of numbers.
func (m *maker) expr(s *scope, depth int) num {
	if depth == 0 || m.chance(35) {
		switch {
		case m.chance(30):
			return literal(m.below(3))
		case len(s.bound) > 0 && m.chance(50):
			return choice(m, s.bound).num()
		}
		return choice(m, m.reads)(s).num()
	}
	if m.chance(12) && len(m.pure) > 0 {
		return choice(m, m.pure)(s)
	}
	if m.chance(10) {
		c, a, b := m.cond(s, depth-1), m.expr(s, depth-1), m.expr(s, depth-1)
		return num{fmt.Sprintf("%s ? %s : %s", c.in(orLevel), a.in(orLevel), b.in(weakest)),
			weakest, min(a.lo, b.lo), max(a.hi, b.hi), func(e *env) int {
				if c.eval(e) != 0 {
					return a.eval(e)
				}
				return b.eval(e)
			}}
	}
	if m.chance(8) && m.loops < 2 {
		return m.quantifier(s, "sum", depth-1)
	}
	if m.chance(8) {
		a := m.expr(s, depth-1)
		return num{"-" + a.in(atomLevel), unaryLevel, -a.hi, -a.lo, func(e *env) int {
			return -a.eval(e)
		}}
	}
	a, b := m.expr(s, depth-1), m.expr(s, depth-1)
	binary := func(op string, level, lo, hi int, f func(x, y int) int) num {
		return num{a.in(level) + " " + op + " " + b.in(level+1), level, lo, hi, func(e *env) int {
			return f(a.eval(e), b.eval(e))
		}}
	}
	low := min(a.lo, b.lo, 0)
	bits := 7
	ops := []string{"+", "-", "*", "<?", ">?", "/", "%"}
	if low >= 0 && max(a.hi, b.hi) <= bits && m.chance(60) {
		ops = []string{"<<", ">>", "&", "|", "^"}
	}
	switch op := m.pick(ops...); {
	case op == "+":
		return binary(op, sumLevel, a.lo+b.lo, a.hi+b.hi, func(x, y int) int { return x + y })
	case op == "-":
		return binary(op, sumLevel, a.lo-b.hi, a.hi-b.lo, func(x, y int) int { return x - y })
	case op == "*":
		return binary(op, productLevel, min(a.lo*b.hi, a.hi*b.lo, a.lo*b.lo, a.hi*b.hi),
			max(a.lo*b.lo, a.hi*b.hi, a.lo*b.hi, a.hi*b.lo), func(x, y int) int { return x * y })
	case op == "<?":
		return binary(op, minLevel, min(a.lo, b.lo), max(a.hi, b.hi), func(x, y int) int {
			return min(x, y)
		})
	case op == ">?":
		return binary(op, minLevel, min(a.lo, b.lo), max(a.hi, b.hi), func(x, y int) int {
			return max(x, y)
		})
	case op == "/" || op == "%":
		b = literal(1 + m.below(3))
		most := max(-a.lo, a.hi)
		if op == "/" {
			return binary(op, productLevel, -most, most, func(x, y int) int { return x / y })
		}
		return binary(op, productLevel, min(0, max(a.lo, -2)), 2, func(x, y int) int {
			return x % y
		})
	case op == "<<" || op == ">>":
		b = literal(m.below(3))
		if op == "<<" {
			return binary(op, shiftLevel, 0, a.hi<<b.hi, func(x, y int) int { return x << y })
		}
		return binary(op, shiftLevel, 0, a.hi, func(x, y int) int { return x >> y })
	case op == "&":
		return binary(op, bitAndLevel, 0, bits, func(x, y int) int { return x & y })
	case op == "|":
		return binary(op, bitOrLevel, 0, bits, func(x, y int) int { return x | y })
	default:
		return binary(op, bitXorLevel, 0, bits, func(x, y int) int { return x ^ y })
	}
}

// quantifier makes forall, exists or sum, over numbers or scalars.
func (m *maker) quantifier(s *scope, op string, depth int) num {
	m.loops++
	defer func() { m.loops-- }()
	inner := *s
	name := m.fresh("q")
	lo, hi, domain := 0, 1+m.below(2), ""
	v := m.local(name, lo, hi)
	if m.scalars > 0 && m.chance(50) {
		hi, domain = m.scalars-1, "s"
		v.scalar = true
		inner.scalars = append(inner.scalars[:len(inner.scalars):len(inner.scalars)], v)
	} else {
		domain = fmt.Sprintf("int[%d,%d]", lo, hi)
		inner.bound = append(inner.bound[:len(inner.bound):len(inner.bound)], v)
	}
	body := m.cond(&inner, depth)
	if op == "sum" && m.chance(50) {
		body = m.expr(&inner, depth)
	}
	return m.quantified(op, name, domain, lo, hi, v, body)
}

func (m *maker) quantified(op, name, domain string, lo, hi int, v place, body num) num {
	out := num{fmt.Sprintf("(%s (%s : %s) %s)", op, name, domain, body.in(orLevel)), atomLevel, 0,
		1, func(e *env) int {
			count, sum := 0, 0
			old := *v.addr(e)
			for k := lo; k <= hi; k++ {
				*v.addr(e) = k
				x := body.eval(e)
				sum += x
				count += b2i(x != 0)
			}
			*v.addr(e) = old
			switch op {
			case "forall":
				return b2i(count == hi-lo+1)
			case "exists":
				return b2i(count > 0)
			}
			return sum
		}}
	if op == "sum" {
		out.lo, out.hi = min(body.lo, 0)*(hi-lo+1), max(body.hi, 0)*(hi-lo+1)
	}
	return out
}

// cond makes a condition on data.
func (m *maker) cond(s *scope, depth int) num {
	truth := func(text string, level int, f func(*env) bool) num {
		return num{text, level, 0, 1, func(e *env) int { return b2i(f(e)) }}
	}
	if depth > 0 && m.chance(35) {
		a, b := m.cond(s, depth-1), m.cond(s, depth-1)
		// words bind as the signs do
		and, or, not := m.pick(" && ", " and "), m.pick(" || ", " or "), m.pick("!", "not ")
		switch m.below(6) {
		case 0:
			return truth(a.in(andLevel)+and+b.in(andLevel+1), andLevel, func(e *env) bool {
				return a.eval(e) != 0 && b.eval(e) != 0
			})
		case 1:
			return truth(a.in(orLevel)+or+b.in(orLevel+1), orLevel, func(e *env) bool {
				return a.eval(e) != 0 || b.eval(e) != 0
			})
		case 2:
			return truth(not+a.in(atomLevel), unaryLevel, func(e *env) bool {
				return a.eval(e) == 0
			})
		case 3:
			return truth(a.in(orLevel)+" imply "+b.in(orLevel+1), orLevel, func(e *env) bool {
				return a.eval(e) == 0 || b.eval(e) != 0
			})
		case 4:
			return truth(a.in(orLevel)+or+b.in(andLevel)+and+not+a.in(atomLevel), orLevel,
				func(e *env) bool { return a.eval(e) != 0 || b.eval(e) != 0 && a.eval(e) == 0 })
		default:
			if m.loops < 2 {
				return m.quantifier(s, m.pick("forall", "exists"), depth-1)
			}
		}
	}
	if len(m.scalarAt)+len(s.scalars) > 1 && m.chance(35) {
		a, b := m.scalar(s), m.scalar(s)
		if m.chance(50) {
			return truth(a.text+" == "+b.text, equalLevel, func(e *env) bool {
				return *a.addr(e) == *b.addr(e)
			})
		}
		return truth(a.text+" != "+b.text, equalLevel, func(e *env) bool {
			return *a.addr(e) != *b.addr(e)
		})
	}
	a, b := m.expr(s, min(depth, 1)), m.expr(s, min(depth, 1))
	op := m.pick("==", "!=", "<", "<=", ">", ">=")
	level := lessLevel
	if op == "==" || op == "!=" {
		level = equalLevel
	}
	return truth(a.in(level+1)+" "+op+" "+b.in(level+1), level, func(e *env) bool {
		return compare(op, a.eval(e), b.eval(e))
	})
}

func compare(op string, x, y int) bool {
	switch op {
	case "==":
		return x == y
	case "!=":
		return x != y
	case "<":
		return x < y
	case "<=":
		return x <= y
	case ">":
		return x > y
	}
	return x >= y
}

// scalar names a value that is an element of the scalar set.
func (m *maker) scalar(s *scope) place {
	if len(s.scalars) > 0 && (len(m.scalarAt) == 0 || m.chance(60)) {
		return choice(m, s.scalars)
	}
	return choice(m, m.scalarAt)(s)
}

// timing makes a condition on a clock.
func (m *maker) timing(s *scope, ops ...string) num {
	x, op := choice(m, s.clocks), m.pick(ops...)
	b := literal(m.number(b2i(op == "<"), m.net.ceiling))
	if m.chance(25) {
		b = m.fit(m.expr(s, 1), 0, m.net.ceiling)
	}
	return num{x.text + " " + op + " " + b.in(lessLevel+1), lessLevel, 0, 1,
		func(e *env) int { return b2i(compare(op, e.clocks.twice(x.at(e)), 2*b.eval(e))) }}
}
