package bmc

import (
	"errors"
	"fmt"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// refusalError says why the formulas of a system cannot be grounded on an instance.
type refusalError struct{ text string }

func (e *refusalError) Error() string { return e.text }

// Refused reports whether an error says that formulas cannot be grounded on an instance.
func Refused(err error) bool {
	var refused *refusalError
	return errors.As(err, &refused)
}

func refusal(format string, args ...any) *refusalError {
	return &refusalError{fmt.Sprintf(format, args...)}
}

// unsettled says that a term reads a point without a value.
type unsettled struct{ slot int }

// value is a truth value, or for every other sort the number of the element, member or integer.
type value struct {
	is     bool // whether it has a value
	lit    lit
	number number
	fault  any // why a let has no value: using the value panics with it
}

func ofTruth(l lit) value     { return value{is: true, lit: l} }
func ofNumber(x number) value { return value{is: true, number: x} }

// table says where the values of a symbol are.
type table struct {
	symbol *logic.Symbol
	offset int
	args   []domain
	points int
}

// domain is the set of the n integers from lo.
type domain struct{ lo, n int64 }

func (d domain) has(v int64) bool { return v >= d.lo && v < d.lo+d.n }

// grounder turns terms into circuits over the points of the symbols: quantifiers are expanded, and
// an application with unknown arguments is a choice among points. It panics with a *refusalError
// where it cannot do this and with an unsettled for terms over points without a value; ask turns
// both into results.
type grounder struct {
	*circuit
	model  *interp.Model
	sys    *system.System
	tables map[*logic.Symbol]*table
	slots  []*table // by slot of a state
	ranges map[*logic.Sort]domain
	named  map[*logic.Var]value // the values of the lets around the current term
	halt   func() bool          // whether to stop; nil for never
	visits int
}

// halted is the panic of a grounder that was told to stop.
type halted struct{}

// visitsAtOnce is the number of terms between two questions whether to stop.
const visitsAtOnce = 1 << 10

func newGrounder(m *interp.Model) *grounder {
	g := &grounder{circuit: newCircuit(), model: m, sys: m.System,
		tables: map[*logic.Symbol]*table{},
		ranges: map[*logic.Sort]domain{}, named: map[*logic.Var]value{}}
	for slot, sym := range m.SlotSymbols() {
		t := g.tables[sym]
		if t == nil {
			t = g.tableOf(sym)
			t.offset = slot
			g.tables[sym] = t
		}
		g.slots = append(g.slots, t)
	}
	return g
}

func (g *grounder) tableOf(sym *logic.Symbol) *table {
	t := &table{symbol: sym, points: 1}
	for _, s := range sym.Args {
		d := g.domain(s)
		t.args = append(t.args, d)
		t.points *= int(d.n)
	}
	return t
}

// domain is the set of values of a sort that has finitely many.
func (g *grounder) domain(s *logic.Sort) domain {
	switch s.Kind {
	case logic.KindBool:
		return domain{0, 2}
	case logic.KindEnum:
		return domain{0, int64(len(s.Members))}
	case logic.KindUninterpreted:
		return domain{0, int64(g.model.Instance.Sizes[s])}
	case logic.KindInt:
		if w := g.model.Instance.Integers; w != nil {
			return domain{w.Lo, w.Hi - w.Lo + 1}
		}
		panic(refusal("the values of an integer have no bounds: use a range"))
	}
	if d, ok := g.ranges[s]; ok {
		return d
	}
	values, err := g.model.Literals(s, "the formulas")
	if err != nil {
		panic(refusal("%v", err))
	}
	var d domain
	if len(values) > 0 {
		d = domain{values[0].Int.Int64(), int64(len(values))}
	}
	g.ranges[s] = d
	return d
}

// any is any value of a sort with finitely many values. The caller ensures that a range is not
// empty.
func (g *grounder) any(s *logic.Sort) value {
	if s == logic.Bool {
		return ofTruth(g.input())
	}
	d := g.domain(s)
	return ofNumber(g.free(d.lo, d.lo+max(d.n, 1)-1))
}

func (g *grounder) element(s *logic.Sort, v int64) value {
	if s == logic.Bool {
		return ofTruth(truth(v == 1))
	}
	return ofNumber(constant(v))
}

// scope holds the values that a term refers to: of the slots in states Pre and Post, of the inputs
// of an action, and of variables. The names of lets, possibly thousands, are in the grounder's
// table instead.
type scope struct {
	states [2][]value
	inputs map[*logic.Symbol][]value
	vars   *env
}

// env is the list of the variables in scope, the innermost first.
type env struct {
	v     *logic.Var
	value value
	outer *env
}

func (s scope) with(v *logic.Var, x value) scope {
	s.vars = &env{v, x, s.vars}
	return s
}

func (g *grounder) Variable(t *logic.Term, s scope) value {
	if x, ok := g.named[t.Var]; ok {
		if x.fault != nil {
			panic(x.fault)
		}
		return x
	}
	for e := s.vars; e != nil; e = e.outer {
		if e.v == t.Var {
			return e.value
		}
	}
	return value{}
}

func (g *grounder) truth(t *logic.Term, s scope) lit { return g.term(t, s).lit }

func (g *grounder) number(t *logic.Term, s scope) number { return g.term(t, s).number }

func (g *grounder) term(t *logic.Term, s scope) value {
	if g.visits++; g.visits%visitsAtOnce == 0 && g.halt != nil && g.halt() {
		panic(halted{})
	}
	return logic.Visit(g, t, s)
}

// numbers grounds the two arguments of a term.
func (g *grounder) numbers(t *logic.Term, s scope) (a, b number) {
	return g.number(t.Args[0], s), g.number(t.Args[1], s)
}

func (g *grounder) Literal(t *logic.Term, _ scope) value {
	v, ok := logic.Number(t)
	if !ok || v > maxValue || v < -maxValue {
		panic(refusal("the integer %s is too large", t.Int))
	}
	return g.element(t.Sort, v)
}

// Not, as every method, grounds the arguments from left to right, and no further than needed, as
// the interpreter does: a guard protects the terms to its right.
func (g *grounder) Not(t *logic.Term, s scope) value {
	return ofTruth(g.truth(t.Args[0], s).not())
}

func (g *grounder) Junction(t *logic.Term, s scope) value {
	join, end := g.and, no
	if t.Op == logic.OpOr {
		join, end = g.or, yes
	}
	out := end.not()
	for _, a := range t.Args {
		if out == end {
			break
		}
		out = join(out, g.truth(a, s))
	}
	return ofTruth(out)
}

func (g *grounder) Implication(t *logic.Term, s scope) value {
	a := g.truth(t.Args[0], s)
	if a == no {
		return ofTruth(yes)
	}
	return ofTruth(g.or(a.not(), g.truth(t.Args[1], s)))
}

func (g *grounder) Equality(t *logic.Term, s scope) value {
	return ofTruth(g.equal(g.term(t.Args[0], s), g.term(t.Args[1], s), t.Args[0].Sort))
}

func (g *grounder) Distinct(t *logic.Term, s scope) value {
	out := yes
	for i, a := range t.Args {
		for _, b := range t.Args[:i] {
			out = g.and(out, g.equal(g.term(a, s), g.term(b, s), a.Sort).not())
		}
	}
	return ofTruth(out)
}

func (g *grounder) Comparison(t *logic.Term, s scope) value {
	if t.Op == logic.OpLt {
		return ofTruth(g.lt(g.numbers(t, s)))
	}
	return ofTruth(g.le(g.numbers(t, s)))
}

func (g *grounder) Arithmetic(t *logic.Term, s scope) value {
	return ofNumber(logic.VisitArithmetic(arithmetic{g}, t, s))
}

// arithmetic grounds operators on integers.
type arithmetic struct{ *grounder }

func (g arithmetic) Add(t *logic.Term, s scope) number {
	out := g.number(t.Args[0], s)
	for _, a := range t.Args[1:] {
		out = g.plus(out, g.number(a, s))
	}
	return out
}

func (g arithmetic) Sub(t *logic.Term, s scope) number { return g.minus(g.numbers(t, s)) }
func (g arithmetic) Mul(t *logic.Term, s scope) number { return g.times(g.numbers(t, s)) }

func (g arithmetic) Neg(t *logic.Term, s scope) number {
	return g.minus(constant(0), g.number(t.Args[0], s))
}

func (g arithmetic) Div(t *logic.Term, s scope) number {
	quotient, _ := g.divide(g.number(t.Args[0], s), t.Args[1].Int)
	return quotient
}

func (g arithmetic) Mod(t *logic.Term, s scope) number {
	_, remainder := g.divide(g.number(t.Args[0], s), t.Args[1].Int)
	return remainder
}

func (g *grounder) Conditional(t *logic.Term, s scope) value {
	cond := g.truth(t.Args[0], s)
	switch cond {
	case yes:
		return g.term(t.Args[1], s)
	case no:
		return g.term(t.Args[2], s)
	}
	return g.either(cond, g.term(t.Args[1], g.refine(s, t.Args[0], true)),
		g.term(t.Args[2], g.refine(s, t.Args[0], false)), t.Sort)
}

func (g *grounder) Quantifier(t *logic.Term, s scope) value {
	return ofTruth(g.quantified(t, t.Vars, s, truth(t.Op == logic.OpExists)))
}

func (g *grounder) Temporal(t *logic.Term, _ scope) value {
	panic(refusal("the operator %s cannot be grounded", t.Op))
}

// Let evaluates the body of a let with its name bound, and unbinds the name, even if the body
// panics.
func (g *grounder) Let(t *logic.Term, s scope) value {
	v := t.Vars[0]
	outer, shadowed := g.named[v]
	x := g.attempt(t.Args[0], s)
	defer func() {
		if shadowed {
			g.named[v] = outer
		} else {
			delete(g.named, v)
		}
	}()
	g.named[v] = x
	return g.term(t.Args[1], s)
}

// attempt gives the value of a let. A missing value is not needed in every case.
func (g *grounder) attempt(t *logic.Term, s scope) (x value) {
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case *refusalError, unsettled:
			x = value{fault: fault}
		default:
			panic(fault)
		}
	}()
	return g.term(t, s)
}

func (g *grounder) equal(x, y value, s *logic.Sort) lit {
	if s == logic.Bool {
		return g.xor(x.lit, y.lit).not()
	}
	return g.same(x.number, y.number)
}

// either is x if the condition holds, and y otherwise.
func (g *grounder) either(cond lit, x, y value, s *logic.Sort) value {
	if s == logic.Bool {
		return ofTruth(g.ite(cond, x.lit, y.lit))
	}
	return ofNumber(g.choose(cond, x.number, y.number))
}

// quantified is the conjunction, or with end = yes the disjunction, of the instances.
func (g *grounder) quantified(t *logic.Term, vars []*logic.Var, s scope, end lit) lit {
	if len(vars) == 0 {
		return g.truth(t.Args[0], s)
	}
	if _, ok := g.named[vars[0]]; ok {
		panic(refusal("%s is bound within its own scope", vars[0].Name)) // no front end does this
	}
	out := end.not()
	d := g.domain(vars[0].Sort)
	for x := d.lo; d.has(x) && out != end; x++ {
		one := g.quantified(t, vars[1:], s.with(vars[0], g.element(vars[0].Sort, x)), end)
		if end == yes {
			out = g.or(out, one)
		} else {
			out = g.and(out, one)
		}
	}
	return out
}

func (g *grounder) Application(t *logic.Term, s scope) value {
	sym := t.Symbol
	args := make([]value, len(t.Args))
	for i, a := range t.Args {
		args[i] = g.term(a, s)
		if a.Sort == logic.Bool {
			args[i].number = number{lo: 0, hi: 1, bits: []lit{args[i].lit, no}}
			if args[i].lit.isConst() {
				args[i].number = constant(int64(args[i].lit))
			}
		}
	}
	if d := g.sys.DerivedOf(sym); d != nil && d.Body != nil {
		inner := scope{states: s.states, inputs: s.inputs}
		inner.states[logic.Pre] = s.states[t.Step]
		for i, v := range d.Vars {
			inner = inner.with(v, args[i])
		}
		return g.term(d.Body, inner)
	}
	points, ok := s.inputs[sym]
	tab := g.tables[sym]
	if !ok && tab != nil {
		points = s.states[t.Step][tab.offset : tab.offset+tab.points]
	}
	if tab == nil {
		tab = g.tableOf(sym)
	}
	return g.read(tab, points, 0, 0, args)
}

// read chooses the point with the given arguments; the arguments before the i-th lead to the points
// from index on. Outside the declared ranges, where a run has an error, any value is possible.
func (g *grounder) read(t *table, points []value, i, index int, args []value) value {
	if i == len(args) {
		if !points[index].is {
			panic(unsettled{t.offset + index})
		}
		return points[index]
	}
	d, x := t.args[i], args[i].number
	var out value
	if x.lo < d.lo || x.hi >= d.lo+d.n {
		if out = (value{}); t.symbol.Result == logic.Int {
			panic(refusal("%s may be read outside of its range %s, where its value has no bounds",
				t.symbol, t.symbol.Args[i]))
		}
		if r := t.symbol.Result; r == logic.Bool || g.domain(r).n > 0 {
			out = g.any(r)
		}
	}
	for v := max(x.lo, d.lo); v <= min(x.hi, d.lo+d.n-1); v++ {
		is := g.same(x, constant(v))
		if is == no {
			continue
		}
		at := g.read(t, points, i+1, index*int(d.n)+int(v-d.lo), args)
		if !out.is {
			out = at
		} else {
			out = g.either(is, at, out, t.symbol.Result)
		}
	}
	if !out.is {
		panic(refusal("%s has no value at all", t.symbol))
	}
	return out
}

// refine narrows the bounds of integers by a condition that compares them, for terms that matter
// only where it holds, or with positive = false only where it does not.
func (g *grounder) refine(s scope, cond *logic.Term, positive bool) scope {
	for t, holds := range logic.Entailed(cond, positive) {
		if !holds {
			t = logic.Opposite(t)
		}
		switch t.Op {
		case logic.OpEq:
			if a, b := t.Args[0], t.Args[1]; a.Sort == logic.Int {
				s = g.bound(g.bound(s, a, b, 0), b, a, 0)
			}
		case logic.OpLe:
			s = g.bound(s, t.Args[0], t.Args[1], 0)
		case logic.OpLt:
			s = g.bound(s, t.Args[0], t.Args[1], 1)
		}
	}
	return s
}

// bound uses a + gap <= b. Nothing follows if one of them has no value: a guard may make it
// irrelevant.
func (g *grounder) bound(s scope, a, b *logic.Term, gap int64) (out scope) {
	defer func() {
		if r := recover(); r != nil {
			if _, refused := r.(*refusalError); !refused {
				panic(r)
			}
			out = s
		}
	}()
	x, y := g.term(a, s).number, g.term(b, s).number
	return g.narrow(g.narrow(s, a, x.lo, y.hi-gap), b, x.lo+gap, y.hi)
}

// narrow bounds the value of a term that names a single point.
func (g *grounder) narrow(s scope, t *logic.Term, lo, hi int64) scope {
	tab := g.tables[t.Symbol]
	if t.Op != logic.OpApp || tab == nil || len(t.Args) > 0 {
		return s
	}
	old := s.states[t.Step][tab.offset]
	x := g.within(old.number, lo, hi)
	if x.lo == old.number.lo && x.hi == old.number.hi {
		return s
	}
	points := append([]value(nil), s.states[t.Step]...)
	points[tab.offset] = ofNumber(x)
	s.states[t.Step] = points
	return s
}
