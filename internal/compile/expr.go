package compile

import (
	"math"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/logic"
)

// op is the kind of an expression.
type op int

const (
	opConst op = iota // lo = hi is the value
	opVar             // the value of v
	opField           // the bits of a packed word that hold a slot
	opElem            // the point of an array with the index args[0], in a packed state
	opTable           // the point of a constant array
	opFail            // has no value: the evaluation fails
	opCheck           // args[0], which fails unless it lies within the interval want
	opNot
	opAnd // opAnd and opOr evaluate from left to right, as far as needed
	opOr
	opEq
	opLt
	opLe
	opAdd
	opSub
	opMul
	opDiv // opDiv and opMod divide by a positive constant
	opMod
	opNeg
	opIte
	opLet // v stands for args[0] in args[1]
	opAll // opAll and opAny: args[2] for all or some v from args[0] to args[1]
	opAny
)

// expr is a term over one instance: symbols have become slots, and constants are computed at
// compile time. A formula has the values 0 and 1. Expressions are immutable and shared. They may be
// evaluated wherever the local variables that they read are set. Evaluation has no effect, but it
// may fail.
type expr struct {
	op       op
	boolean  bool
	Interval      // contains the value
	fails    bool // the evaluation may fail
	checked  bool // the result may overflow, which fails
	args     []*expr
	v        *variable
	field    field
	local    uint32 // of opField: the packed word
	array    *array
	locals   []uint32 // of opElem: all packed words
	want     Interval
	// outside says of opFail and opCheck that what fails reads outside of the integers of the
	// instance: then there is no such step.
	outside bool
	size    int // a measure of the cost
}

// variable is a value in a local variable of the function, or one bit of it. It is set when the
// code is emitted.
type variable struct {
	local uint32
	// A use of a lazy variable fails if the local variable failed is not 0.
	lazy   bool
	failed uint32
	bit    uint
	isBit  bool
	// The values of an unknown variable are enumerated: see settle. Its bounds are known.
	unknown bool
	id      int   // in the order of making
	lo, hi  *expr // nil for any integer
	name    string
	span    diag.Span
}

var everything = Interval{math.MinInt64, math.MaxInt64}

func konst(v int64) *expr {
	return &expr{op: opConst, Interval: Interval{v, v}, size: 1}
}

func truth(b bool) *expr {
	if b {
		return yes
	}
	return no
}

var (
	yes  = &expr{op: opConst, boolean: true, Interval: Interval{1, 1}, size: 1}
	no   = &expr{op: opConst, boolean: true, Interval: Interval{0, 0}, size: 1}
	flip = Interval{0, 1}
)

// failure is an expression without a value.
func failure(boolean bool) *expr {
	i := everything
	if boolean {
		i = flip
	}
	return &expr{op: opFail, boolean: boolean, Interval: i, fails: true, size: 1}
}

func (e *expr) isConst() bool   { return e.op == opConst }
func (e *expr) is(v int64) bool { return e.op == opConst && e.Lo == v }

// single returns the only value of an expression's interval, if there is one and evaluation cannot
// fail.
func (e *expr) single() (int64, bool) { return e.Lo, e.Lo == e.Hi && !e.fails }

// isSimple reports whether an expression is too cheap to save its value.
func (e *expr) isSimple() bool { return e.op == opConst || e.op == opVar || e.op == opField }

// node makes an expression of arguments.
func node(o op, boolean bool, i Interval, args ...*expr) *expr {
	e := &expr{op: o, boolean: boolean, Interval: i, args: args, size: 1}
	for _, a := range args {
		e.fails = e.fails || a.fails
		e.size += a.size
	}
	if v, ok := e.single(); ok {
		if boolean {
			return truth(v == 1)
		}
		return konst(v)
	}
	return e
}

// ref is the value of a variable.
func ref(v *variable, boolean bool, i Interval) *expr {
	if i.Lo == i.Hi {
		if boolean {
			return truth(i.Lo == 1)
		}
		return konst(i.Lo)
	}
	return &expr{op: opVar, boolean: boolean, Interval: i, v: v, size: 1}
}

// readField is the value of a slot in a packed word.
func readField(f field, boolean bool, word uint32) *expr {
	if f.Lo == f.Hi {
		if boolean {
			return truth(f.Lo == 1)
		}
		return konst(f.Lo)
	}
	return &expr{op: opField, boolean: boolean, Interval: f.Interval, field: f, local: word,
		size: 1}
}

func not(e *expr) *expr {
	switch e.op {
	case opConst:
		return truth(e.Lo == 0)
	case opNot:
		return e.args[0]
	}
	return node(opNot, true, flip, e)
}

func and(args ...*expr) *expr { return junction(opAnd, 0, args) }
func or(args ...*expr) *expr  { return junction(opOr, 1, args) }

// junction folds a conjunction (zero is 0) or disjunction (zero is 1). An operand after a zero is
// not evaluated; an operand before it matters only if it may fail.
func junction(o op, zero int64, args []*expr) *expr {
	var out []*expr
	var add func(args []*expr) (over bool)
	add = func(args []*expr) bool {
		for _, a := range args {
			switch {
			case a.is(1 - zero):
			case a.is(zero):
				for len(out) > 0 && !out[len(out)-1].fails {
					out = out[:len(out)-1]
				}
				out = append(out, a)
				return true
			case a.op == o:
				if add(a.args) {
					return true
				}
			default:
				out = append(out, a)
			}
		}
		return false
	}
	add(args)
	switch len(out) {
	case 0:
		return truth(zero == 0)
	case 1:
		return out[0]
	}
	return node(o, true, flip, out...)
}

func implies(a, b *expr) *expr { return or(not(a), b) }

func disjoint(a, b *expr) bool { return a.Hi < b.Lo || b.Hi < a.Lo }

// same reports whether two expressions are known to have the same value.
func same(a, b *expr) bool {
	switch {
	case a == b:
		return true
	case a.op != b.op:
		return false
	}
	switch a.op {
	case opConst:
		return a.Lo == b.Lo
	case opVar:
		return a.v == b.v
	case opField:
		return a.local == b.local && a.field.slot == b.field.slot
	}
	return false
}

func eq(a, b *expr) *expr {
	switch {
	case a.fails || b.fails:
	case disjoint(a, b):
		return no
	case same(a, b):
		return yes
	case a.boolean && a.isConst():
		return sameAs(b, a.Lo)
	case a.boolean && b.isConst():
		return sameAs(a, b.Lo)
	}
	return node(opEq, true, flip, a, b)
}

func sameAs(e *expr, v int64) *expr {
	if v == 1 {
		return e
	}
	return not(e)
}

func lt(a, b *expr) *expr {
	switch {
	case a.fails || b.fails:
	case a.Hi < b.Lo:
		return yes
	case a.Lo >= b.Hi, same(a, b):
		return no
	}
	return node(opLt, true, flip, a, b)
}

func le(a, b *expr) *expr {
	switch {
	case a.fails || b.fails:
	case a.Hi <= b.Lo, same(a, b):
		return yes
	case a.Lo > b.Hi:
		return no
	}
	return node(opLe, true, flip, a, b)
}

// arithmetic makes an operation whose result lies between the results at the corners of the
// arguments' intervals. It fails when the result does not fit into 64 bits.
func arithmetic(o op, a, b *expr, apply logic.Op) *expr {
	out := Interval{math.MaxInt64, math.MinInt64}
	checked := false
	for _, x := range []int64{a.Lo, a.Hi} {
		for _, y := range []int64{b.Lo, b.Hi} {
			v, ok := logic.Calculate(apply, 1, x, y)
			checked = checked || !ok
			out = out.union(Interval{v, v})
		}
	}
	if checked {
		if a.isConst() && b.isConst() {
			return failure(false)
		}
		out = everything
	}
	e := node(o, false, out, a, b)
	if checked {
		e.checked, e.fails = true, true
	}
	return e
}

func add(a, b *expr) *expr {
	switch {
	case a.is(0):
		return b
	case b.is(0):
		return a
	}
	return arithmetic(opAdd, a, b, logic.OpAdd)
}

func sub(a, b *expr) *expr {
	if b.is(0) {
		return a
	}
	return arithmetic(opSub, a, b, logic.OpSub)
}

func mul(a, b *expr) *expr {
	switch {
	case a.is(1):
		return b
	case b.is(1):
		return a
	}
	return arithmetic(opMul, a, b, logic.OpMul)
}

// divide gives the quotient, rounded down, or the remainder. The divisor is a positive constant, or
// has no value.
func divide(quotient bool, a, b *expr) *expr {
	if !b.isConst() || b.Lo < 1 {
		return failure(false)
	}
	floor := func(v int64) int64 {
		q := v / b.Lo
		if v%b.Lo < 0 {
			q--
		}
		return q
	}
	lo, hi := floor(a.Lo), floor(a.Hi)
	switch {
	case quotient:
		return node(opDiv, false, Interval{lo, hi}, a, b)
	case lo == hi:
		return node(opMod, false, Interval{a.Lo - lo*b.Lo, a.Hi - hi*b.Lo}, a, b)
	}
	return node(opMod, false, Interval{0, b.Lo - 1}, a, b)
}

func neg(a *expr) *expr { return sub(konst(0), a) }

func ite(c, a, b *expr) *expr {
	switch {
	case c.is(1):
		return a
	case c.is(0):
		return b
	case same(a, b) && !c.fails && !a.fails:
		return a
	case a.boolean && a.is(1):
		return or(c, b)
	case a.boolean && a.is(0):
		return and(not(c), b)
	case a.boolean && b.is(1):
		return or(not(c), a)
	case a.boolean && b.is(0):
		return and(c, a)
	}
	return node(opIte, a.boolean, a.Interval.union(b.Interval), c, a, b)
}

// check fails unless the value lies within an interval.
func check(e *expr, want Interval, outside bool) *expr {
	switch {
	case want.holds(e.Interval):
		return e
	case e.isConst() || want.Hi < want.Lo:
		f := failure(false)
		f.outside = outside
		return f
	}
	out := Interval{max(e.Lo, want.Lo), min(e.Hi, want.Hi)}
	if out.Hi < out.Lo {
		out = want
	}
	c := node(opCheck, e.boolean, e.Interval, e)
	if c.op == opCheck {
		c.want, c.fails, c.Interval, c.outside = want, true, out, outside
	}
	return c
}

// let names a value within a body. A value that may fail is evaluated even if the body does not
// need it, unless its variable is lazy.
func let(v *variable, value, body *expr) *expr {
	if (v.lazy || !value.fails) && !mentions(body, v) {
		return body
	}
	e := node(opLet, body.boolean, body.Interval, value, body)
	if e.op == opLet {
		e.v = v
		e.fails = body.fails || value.fails && !v.lazy
	}
	return e
}

// quantifier is a loop over the values from lo to hi.
func quantifier(o op, v *variable, lo, hi, body *expr) *expr {
	empty := truth(o == opAll)
	if !lo.fails && !hi.fails {
		switch {
		case lo.Lo > hi.Hi:
			return empty
		case body.is(empty.Lo):
			return empty
		}
	}
	e := node(o, true, flip, lo, hi, body)
	e.v = v
	e.size *= 4
	return e
}
