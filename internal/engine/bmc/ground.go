package bmc

import (
	"fmt"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// refusalError says why the formulas of a system cannot be grounded on an instance.
type refusalError struct{ text string }

func (e *refusalError) Error() string { return e.text }

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

// lookup gives the value of a variable.
func (g *grounder) lookup(v *logic.Var, s scope) value {
	if x, ok := g.named[v]; ok {
		if x.fault != nil {
			panic(x.fault)
		}
		return x
	}
	for e := s.vars; e != nil; e = e.outer {
		if e.v == v {
			return e.value
		}
	}
	return value{}
}

func (g *grounder) truth(t *logic.Term, s scope) lit { return g.term(t, s).lit }

func (g *grounder) term(t *logic.Term, s scope) value {
	if g.visits++; g.visits%visitsAtOnce == 0 && g.halt != nil && g.halt() {
		panic(halted{})
	}
	sub := func(i int) lit { return g.truth(t.Args[i], s) }
	num := func(i int) number { return g.term(t.Args[i], s).number }
	switch t.Op {
	case logic.OpTrue:
		return ofTruth(yes)
	case logic.OpFalse:
		return ofTruth(no)
	case logic.OpInt:
		if !t.Int.IsInt64() || t.Int.Int64() > maxValue || t.Int.Int64() < -maxValue {
			panic(refusal("the integer %s is too large", t.Int))
		}
		return ofNumber(constant(t.Int.Int64()))
	case logic.OpMember:
		return ofNumber(constant(int64(t.Index)))
	case logic.OpVar:
		return g.lookup(t.Var, s)
	case logic.OpApp:
		return g.application(t, s)
	case logic.OpNot:
		return ofTruth(sub(0).not())
	case logic.OpAnd, logic.OpOr:
		// From left to right, and no further than needed, as in the interpreter: a guard protects
		// the terms to its right.
		end := truth(t.Op == logic.OpOr)
		out := end.not()
		for i := range t.Args {
			if out == end {
				break
			}
			if t.Op == logic.OpAnd {
				out = g.and(out, sub(i))
			} else {
				out = g.or(out, sub(i))
			}
		}
		return ofTruth(out)
	case logic.OpImplies:
		a := sub(0)
		if a == no {
			return ofTruth(yes)
		}
		return ofTruth(g.or(a.not(), sub(1)))
	case logic.OpIff:
		return ofTruth(g.xor(sub(0), sub(1)).not())
	case logic.OpEq:
		return ofTruth(g.equal(g.term(t.Args[0], s), g.term(t.Args[1], s), t.Args[0].Sort))
	case logic.OpDistinct:
		out := yes
		for i := range t.Args {
			for j := range i {
				out = g.and(out,
					g.equal(g.term(t.Args[i], s), g.term(t.Args[j], s), t.Args[i].Sort).not())
			}
		}
		return ofTruth(out)
	case logic.OpLt:
		return ofTruth(g.lt(num(0), num(1)))
	case logic.OpLe:
		return ofTruth(g.le(num(0), num(1)))
	case logic.OpAdd:
		out := num(0)
		for i := range t.Args[1:] {
			out = g.plus(out, num(i+1))
		}
		return ofNumber(out)
	case logic.OpSub:
		return ofNumber(g.minus(num(0), num(1)))
	case logic.OpMul:
		return ofNumber(g.times(num(0), num(1)))
	case logic.OpDiv, logic.OpMod:
		q, r := g.divide(num(0), t.Args[1].Int)
		if t.Op == logic.OpDiv {
			return ofNumber(q)
		}
		return ofNumber(r)
	case logic.OpNeg:
		return ofNumber(g.minus(constant(0), num(0)))
	case logic.OpIte:
		cond := sub(0)
		switch cond {
		case yes:
			return g.term(t.Args[1], s)
		case no:
			return g.term(t.Args[2], s)
		}
		return g.either(cond, g.term(t.Args[1], g.refine(s, t.Args[0], true)),
			g.term(t.Args[2], g.refine(s, t.Args[0], false)), t.Sort)
	case logic.OpForall, logic.OpExists:
		end := truth(t.Op == logic.OpExists)
		return ofTruth(g.quantified(t, t.Vars, s, end))
	case logic.OpLet:
		return g.let(t, s)
	}
	panic(refusal("operator number %d cannot be grounded", t.Op))
}

// let evaluates the body of a let with its name bound, and unbinds the name, even if the body
// panics.
func (g *grounder) let(t *logic.Term, s scope) value {
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

func (g *grounder) application(t *logic.Term, s scope) value {
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
	switch {
	case cond.Op == logic.OpNot:
		return g.refine(s, cond.Args[0], !positive)
	case cond.Op == logic.OpAnd && positive, cond.Op == logic.OpOr && !positive:
		for _, a := range cond.Args {
			s = g.refine(s, a, positive)
		}
	case cond.Op == logic.OpImplies && !positive:
		return g.refine(g.refine(s, cond.Args[0], true), cond.Args[1], false)
	case cond.Op == logic.OpEq && positive && cond.Args[0].Sort == logic.Int:
		return g.bound(g.bound(s, cond.Args[0], cond.Args[1], 0), cond.Args[1], cond.Args[0], 0)
	case cond.Op == logic.OpLt || cond.Op == logic.OpLe:
		a, b := cond.Args[0], cond.Args[1]
		strict := int64(0)
		if (cond.Op == logic.OpLt) == positive {
			strict = 1
		}
		if !positive {
			a, b = b, a
		}
		return g.bound(s, a, b, strict)
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
