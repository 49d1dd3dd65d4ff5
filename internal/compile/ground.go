package compile

import (
	"fmt"
	"maps"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/logic"
)

// version is a state at one point of the code of an action. Versions are immutable, and their local
// variables do not change while the version is in use: a change makes a new version.
type version struct {
	words    []uint32      // packed words
	unpacked map[int]*expr // newer values of slots, not packed yet
	// pending are formulas about unknown values that hold in every run that continues.
	pending []*expr
}

func (v *version) clone() *version {
	c := *v
	c.unpacked = maps.Clone(v.unpacked)
	if c.unpacked == nil {
		c.unpacked = map[int]*expr{}
	}
	return &c
}

// isOpen reports whether some value is unknown.
func (v *version) isOpen() bool {
	for _, e := range v.unpacked {
		if !e.isKnown() {
			return true
		}
	}
	return len(v.pending) > 0
}

// scope holds the states and variables that a term refers to.
type scope struct {
	env  *env
	base int // added to the step of every mutable symbol
	pre  *version
	post *version
}

// env is the list of the variables in scope, the innermost first.
type env struct {
	v     *logic.Var
	value *expr
	outer *env
}

func (s scope) bind(v *logic.Var, e *expr) scope {
	s.env = &env{v, e, s.env}
	return s
}

// version is the state that the application of a symbol is about, nil if it has no values.
func (s scope) version(t *logic.Term) *version {
	switch {
	case !t.Symbol.Mutable || s.base+t.Step == logic.Pre:
		return s.pre
	case s.base+t.Step == logic.Post:
		return s.post
	}
	return nil
}

// lookup gives the value of a variable, nil if it is not in scope.
func (s scope) lookup(v *logic.Var) *expr {
	for e := s.env; e != nil; e = e.outer {
		if e.v == v {
			return e.value
		}
	}
	return nil
}

// chainLimit bounds the cases of a dynamic index into values that are not packed yet.
const chainLimit = 64

// translator makes expressions of terms. An error stops the compilation.
type translator struct {
	layout *layout
	tables uint32 // the address after the tables of constant arrays
	err    error
}

// unsupported stops the compilation.
func (tr *translator) unsupported(span diag.Span, format string, args ...any) {
	if tr.err == nil {
		tr.err = fmt.Errorf("%w: %s: %s", ErrUnsupported, span, fmt.Sprintf(format, args...))
	}
}

// term makes an expression of a term.
func (tr *translator) term(t *logic.Term, s scope) *expr {
	if tr.err != nil {
		return failure(t.Sort == logic.Bool)
	}
	return logic.Visit(tr, t, s)
}

// both makes expressions of the two arguments of a term.
func (tr *translator) both(t *logic.Term, s scope) (a, b *expr) {
	return tr.term(t.Args[0], s), tr.term(t.Args[1], s)
}

func (tr *translator) Literal(t *logic.Term, _ scope) *expr {
	v, ok := logic.Number(t)
	switch {
	case !ok:
		return failure(false)
	case t.Sort == logic.Bool:
		return truth(v == 1)
	}
	return konst(v)
}

func (tr *translator) Variable(t *logic.Term, s scope) *expr {
	if e := s.lookup(t.Var); e != nil {
		return e
	}
	tr.unsupported(t.Span, "the term %s has no value in a state", t)
	return failure(t.Sort == logic.Bool)
}

func (tr *translator) Not(t *logic.Term, s scope) *expr { return not(tr.term(t.Args[0], s)) }

func (tr *translator) Junction(t *logic.Term, s scope) *expr {
	o, zero := opAnd, int64(0)
	if t.Op == logic.OpOr {
		o, zero = opOr, 1
	}
	var parts []*expr
	for i, a := range t.Args {
		parts = append(parts, tr.term(a, s))
		if parts[i].is(zero) {
			break
		}
	}
	return junction(o, zero, parts)
}

func (tr *translator) Implication(t *logic.Term, s scope) *expr {
	a := tr.term(t.Args[0], s)
	if a.is(0) {
		return yes
	}
	return implies(a, tr.term(t.Args[1], s))
}

func (tr *translator) Equality(t *logic.Term, s scope) *expr { return eq(tr.both(t, s)) }

// Distinct compares each argument with all earlier ones.
func (tr *translator) Distinct(t *logic.Term, s scope) *expr {
	var values, parts []*expr
	for i := range t.Args {
		v := tr.term(t.Args[i], s)
		if i == 0 && v.fails {
			parts = append(parts, eq(v, v)) // so that its argument is evaluated
		}
		for _, before := range values {
			parts = append(parts, not(eq(before, v)))
		}
		values = append(values, v)
	}
	return and(parts...)
}

func (tr *translator) Comparison(t *logic.Term, s scope) *expr {
	if t.Op == logic.OpLt {
		return lt(tr.both(t, s))
	}
	return le(tr.both(t, s))
}

func (tr *translator) Arithmetic(t *logic.Term, s scope) *expr {
	return logic.VisitArithmetic(tr, t, s)
}

func (tr *translator) Add(t *logic.Term, s scope) *expr {
	sum := tr.term(t.Args[0], s)
	for _, a := range t.Args[1:] {
		sum = add(sum, tr.term(a, s))
	}
	return sum
}

func (tr *translator) Sub(t *logic.Term, s scope) *expr { return sub(tr.both(t, s)) }
func (tr *translator) Mul(t *logic.Term, s scope) *expr { return mul(tr.both(t, s)) }
func (tr *translator) Neg(t *logic.Term, s scope) *expr { return neg(tr.term(t.Args[0], s)) }

func (tr *translator) Div(t *logic.Term, s scope) *expr {
	a, b := tr.both(t, s)
	return divide(true, a, b)
}

func (tr *translator) Mod(t *logic.Term, s scope) *expr {
	a, b := tr.both(t, s)
	return divide(false, a, b)
}

func (tr *translator) Conditional(t *logic.Term, s scope) *expr {
	c := tr.term(t.Args[0], s)
	if c.isConst() {
		return tr.term(t.Args[2-c.Lo], s)
	}
	return ite(c, tr.term(t.Args[1], s), tr.term(t.Args[2], s))
}

func (tr *translator) Let(t *logic.Term, s scope) *expr {
	return later(tr.term(t.Args[0], s), func(value *expr) *expr {
		return tr.term(t.Args[1], s.bind(t.Vars[0], value))
	})
}

func (tr *translator) Quantifier(t *logic.Term, s scope) *expr {
	if tr.layout.window == nil { // a window need not have the value that pins a variable
		if p := logic.Pinned(t); p != t {
			return tr.term(p, s)
		}
	}
	return tr.quantified(t, 0, s)
}

func (tr *translator) Temporal(t *logic.Term, _ scope) *expr {
	tr.unsupported(t.Span, "the term %s has no value in a state", t)
	return failure(true)
}

// named gives a value to a body that may use it several times.
func named(value *expr, body func(*expr) *expr) *expr {
	if value.isSimple() {
		return body(value)
	}
	v := &variable{}
	return let(v, value, body(ref(v, value.boolean, value.Interval)))
}

// later is named for a value whose failure counts only where it is used.
func later(value *expr, body func(*expr) *expr) *expr {
	if value.isSimple() || !value.fails {
		return named(value, body)
	}
	v := &variable{lazy: true}
	return let(v, value,
		body(&expr{op: opVar, boolean: value.boolean, Interval: value.Interval, v: v, size: 1,
			fails: true}))
}

// bounds are the least and the greatest value of a sort.
func (tr *translator) bounds(sort *logic.Sort, span diag.Span, s scope) (lo, hi *expr) {
	switch sort.Kind {
	case logic.KindBool:
		return no, yes
	case logic.KindInt:
		if tr.layout.isInfinite(sort) {
			tr.unsupported(span, "the integers cannot be enumerated")
			return failure(false), failure(false)
		}
	case logic.KindRange:
		for _, r := range tr.layout.ranges {
			if r.sort == sort || logic.SameSort(r.sort, sort) {
				return konst(r.Lo), konst(r.Hi)
			}
		}
		lo, hi = tr.term(sort.Lo, s), tr.term(sort.Hi, s)
		// More values than the interpreter can count.
		if n := sub(hi, lo); n.fails && !lo.fails && !hi.fails {
			lo = failure(false)
		}
		return lo, hi
	}
	d, err := tr.layout.domain(sort)
	if err != nil {
		tr.unsupported(span, "%v", err)
	}
	return konst(d.Lo), konst(d.Hi)
}

// quantified evaluates a quantifier whose variables before the i-th are bound. A short one is
// expanded.
func (tr *translator) quantified(t *logic.Term, i int, s scope) *expr {
	if i == len(t.Vars) {
		return tr.term(t.Args[0], s)
	}
	if e := tr.overMembers(t, i, s); e != nil {
		return e
	}
	o, zero, connective := opAll, int64(0), opAnd
	if t.Op == logic.OpExists {
		o, zero, connective = opAny, 1, opOr
	}
	x := t.Vars[i]
	lo, hi := tr.ends(t.Vars[i:], t.Args, t.Op == logic.OpExists, t.Span, s)
	boolean := x.Sort.Kind == logic.KindBool
	instance := func(v *expr) *expr { return tr.quantified(t, i+1, s.bind(x, v)) }
	if lo.isConst() && hi.isConst() {
		if lo.Lo > hi.Lo {
			return truth(zero == 0)
		}
		var parts []*expr
		total := 0
		for v := lo.Lo; ; v++ {
			value := konst(v)
			if boolean {
				value = truth(v == 1)
			}
			e := instance(value)
			parts = append(parts, e)
			limit := tr.layout.limits.quantifier
			if s.post != nil && s.post.isOpen() {
				limit = tr.layout.limits.unknown
			}
			total += e.size
			if e.is(zero) || v == hi.Lo {
				return junction(connective, zero, parts)
			}
			if tr.err != nil ||
				v == lo.Lo && (hi.Lo-v >= int64(limit) || e.size*int(hi.Lo-v+1) > limit) ||
				total > 4*limit {
				break
			}
		}
	}
	v := &variable{}
	return quantifier(o, v, lo, hi, instance(ref(v, boolean, Interval{lo.Lo, max(lo.Lo, hi.Hi)})))
}

// Application reads a symbol at a point.
func (tr *translator) Application(t *logic.Term, s scope) *expr {
	if d := tr.layout.derived[t.Symbol]; d != nil {
		inner := scope{base: s.base + t.Step, pre: s.pre, post: s.post}
		var bind func(i int) *expr
		bind = func(i int) *expr {
			if i == len(d.Vars) {
				return tr.term(d.Body, inner)
			}
			given := tr.argument(d.Vars[i].Sort, tr.term(t.Args[i], s), s)
			return named(given, func(v *expr) *expr {
				inner = inner.bind(d.Vars[i], v)
				return bind(i + 1)
			})
		}
		return bind(0)
	}
	a := tr.layout.arrays[t.Symbol]
	if a == nil {
		tr.unsupported(t.Span, "%s %s is not part of the state", t.Symbol.Kind, t.Symbol)
		return failure(t.Sort == logic.Bool)
	}
	v := s.version(t)
	if v == nil {
		tr.unsupported(t.Span, "%s speaks of state %d", t.Symbol, s.base+t.Step)
		return failure(t.Sort == logic.Bool)
	}
	index := tr.index(a, t.Args, s)
	if index.op == opFail {
		none := failure(t.Sort == logic.Bool)
		none.outside = index.outside
		return none
	}
	return tr.read(v, a, index)
}

// argument checks a value that must lie in a range.
func (tr *translator) argument(sort *logic.Sort, v *expr, s scope) *expr {
	if sort.Kind != logic.KindRange {
		return v
	}
	lo, hi := tr.bounds(sort, sort.Span, s)
	if !lo.isConst() || !hi.isConst() {
		tr.unsupported(sort.Span, "the range %s is not the same in all states", sort)
		return failure(false)
	}
	return check(v, Interval{lo.Lo, hi.Lo}, false)
}

// index is the number of a point of an array. It fails when there is none.
func (tr *translator) index(a *array, args []*logic.Term, s scope) *expr {
	index := konst(0)
	for i, arg := range args {
		v := check(tr.term(arg, s), a.args[i], a.symbol.Args[i] == logic.Int)
		if v.op == opFail {
			return v
		}
		if a.points == 0 {
			return failure(false)
		}
		index = add(mul(index, konst(int64(a.args[i].size()))), sub(number(v), konst(a.args[i].Lo)))
	}
	return index
}

// number makes an integer from a truth value, for arithmetic.
func number(e *expr) *expr {
	if !e.boolean {
		return e
	}
	if e.isConst() {
		return konst(e.Lo)
	}
	return ite(e, konst(1), konst(0))
}

// read is the value of a point of an array.
func (tr *translator) read(v *version, a *array, index *expr) *expr {
	boolean := a.symbol.Result.Kind == logic.KindBool
	if a.constant {
		e := &expr{op: opTable, boolean: boolean, Interval: Interval{a.values[0], a.values[0]},
			array: a}
		for _, v := range a.values {
			e.Interval = e.Interval.union(Interval{v, v})
		}
		if !index.isConst() && !a.tabled {
			a.table, a.tabled = tr.tables, true
			tr.tables += uint32(8 * a.points)
		}
		return element(e, index)
	}
	if index.isConst() {
		f := a.fields[index.Lo]
		if e := v.unpacked[f.slot]; e != nil {
			return e
		}
		return readField(f, boolean, v.words[f.word])
	}
	var newer []int
	for i, f := range a.fields {
		if v.unpacked[f.slot] != nil {
			newer = append(newer, i)
		}
	}
	if len(newer) > chainLimit {
		tr.unsupported(a.symbol.Span, "%s has too many points that may change at once", a.symbol)
		return failure(boolean)
	}
	return named(index, func(index *expr) *expr {
		e := &expr{op: opElem, boolean: boolean, Interval: a.fields[0].Interval, array: a,
			locals: v.words}
		e = element(e, index)
		if len(newer) == a.points {
			e = v.unpacked[a.fields[newer[len(newer)-1]].slot]
			newer = newer[:len(newer)-1]
		}
		for _, i := range newer {
			e = ite(eq(index, konst(int64(i))), v.unpacked[a.fields[i].slot], e)
		}
		return e
	})
}
