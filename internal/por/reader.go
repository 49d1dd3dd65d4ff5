package por

import (
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// reader walks terms and code and records the slots that they may read and write in any state. It
// computes the values that follow from the values of parameters, the instance and literals. So it
// sees that `if X = c then 0 else f(X)` reads nothing at c, and that assigning it to f(X) changes f
// at c alone. It evaluates from left to right and stops where package interp does.
type reader struct {
	m       *interp.Model
	slots   int
	layouts map[*logic.Symbol]layout
	params  map[*logic.Symbol]value // immutable constants that the instance fixes
	bodies  map[*logic.Symbol]*system.Derived
	ranges  map[*logic.Sort]domain // the sorts whose values the instance fixes
	results []*logic.Sort          // for each slot, the sort of its value

	env     []binding
	copies  int64 // how often the current term is read, because quantifiers are expanded
	reads   Set
	writes  Set
	fails   bool          // whether what was read since begin may fail to have a value
	becomes map[int]value // for each written slot, the new value, if it is always the same
	slot    int           // assumed to have the value taken, if that is known
	taken   value
	// atom, unless nil, is called for each formula that is not composed of formulas: with the slots
	// that it reads, and with the sign of its occurrence: positive (1), negative (-1), or both (0).
	atom func(t *logic.Term, reads Set, sign int)
	sign int
}

// layout is the layout of a symbol's values in a state.
type layout struct {
	offset int
	args   []domain
}

// domain is the set of the n integers from lo.
type domain struct{ lo, n int64 }

// value is a value, if it is known.
type value struct {
	v     int64
	known bool
}

func (x value) is(v int64) bool { return x.known && x.v == v }

type binding struct {
	v     *logic.Var
	value value
}

// maxCopies bounds how often a term is read for different values of its variables.
const maxCopies = 1 << 10

func newReader(m *interp.Model) *reader {
	r := &reader{m: m, layouts: map[*logic.Symbol]layout{}, params: map[*logic.Symbol]value{},
		bodies: map[*logic.Symbol]*system.Derived{}, ranges: map[*logic.Sort]domain{}}
	for _, d := range m.System.Derived {
		r.bodies[d.Symbol] = d
	}
	for s, t := range m.Instance.Values {
		if v, err := m.Eval(t); err == nil {
			r.params[s] = value{v, true}
		}
	}
	symbols, args := m.SlotSymbols(), m.SlotArguments()
	r.slots = len(symbols)
	for slot, s := range symbols {
		p, ok := r.layouts[s]
		if !ok {
			p.offset = slot
			for _, v := range args[slot] {
				p.args = append(p.args, domain{v, 1})
			}
		}
		for i, v := range args[slot] { // the last slot has the greatest arguments
			p.args[i].n = v - p.args[i].lo + 1
		}
		r.layouts[s] = p
		r.results = append(r.results, s.Result)
	}
	return r
}

func (r *reader) begin() {
	r.reads, r.writes, r.becomes = newSet(r.slots), newSet(r.slots), map[int]value{}
	r.fails, r.copies = false, 1
}

// bind gives parameters the values at an index of the lexicographic order.
func (r *reader) bind(params []*logic.Var, domains []domain, at int64) {
	r.env = r.env[:0]
	for i := len(params) - 1; i >= 0; i-- {
		r.env = append(r.env, binding{params[i], value{domains[i].lo + at%domains[i].n, true}})
		at /= domains[i].n
	}
}

func (r *reader) lookup(v *logic.Var) value {
	for _, b := range slices.Backward(r.env) {
		if b.v == v {
			return b.value
		}
	}
	return value{}
}

// with calls f while a variable has a value.
func (r *reader) with(v *logic.Var, x value, f func()) {
	n := len(r.env)
	r.env = append(r.env, binding{v, x})
	f()
	r.env = r.env[:n]
}

// domain is the set of values of a sort, if the instance fixes it.
func (r *reader) domain(s *logic.Sort) (domain, bool) {
	switch s.Kind {
	case logic.KindBool:
		return domain{0, 2}, true
	case logic.KindEnum:
		return domain{0, int64(len(s.Members))}, true
	case logic.KindUninterpreted:
		return domain{0, int64(r.m.Instance.Sizes[s])}, true
	case logic.KindRange:
		if d, ok := r.ranges[s]; ok {
			return d, true
		}
		ends := *r // a copy, so that nothing is recorded
		ends.begin()
		lo, hi := ends.eval(s.Lo), ends.eval(s.Hi)
		if lo.known && hi.known && lo.v > -1<<31 && hi.v < 1<<31 {
			r.ranges[s] = domain{lo.v, max(hi.v-lo.v+1, 0)}
			return r.ranges[s], true
		}
	}
	return domain{}, false
}

// each calls visit for the values of some variables: once for each tuple if these are few, else
// once for all. It stops when visit returns false, and reports whether it visited the tuples
// separately.
func (r *reader) each(vars []*logic.Var, visit func() bool) (apart, stopped bool) {
	if len(vars) == 0 {
		return true, !visit()
	}
	d, ok := r.domain(vars[0].Sort)
	if !ok || max(d.n, 1)*r.copies > maxCopies {
		r.fails = r.fails || !ok
		if ok && d.n == 0 {
			return true, false
		}
		r.with(vars[0], value{}, func() { _, stopped = r.each(vars[1:], visit) })
		return false, stopped
	}
	apart = true
	before := r.copies
	r.copies *= max(d.n, 1)
	for x := d.lo; x < d.lo+d.n && !stopped; x++ {
		r.with(vars[0], value{x, true}, func() {
			one, end := r.each(vars[1:], visit)
			apart, stopped = apart && one, end
		})
	}
	r.copies = before
	return apart, stopped
}

// eval records what a term reads, and gives its value if that is known.
func (r *reader) eval(t *logic.Term) value {
	if r.atom != nil && r.isAtom(t) {
		visit, before := r.atom, r.reads
		r.atom, r.reads = nil, newSet(r.slots)
		v := r.eval(t)
		visit(t, r.reads, r.sign)
		before.union(r.reads)
		r.atom, r.reads = visit, before
		return v
	}
	return logic.Visit(r, t, none{})
}

type none struct{}

// both evaluates the two arguments of a term.
func (r *reader) both(t *logic.Term) (a, b value) { return r.eval(t.Args[0]), r.eval(t.Args[1]) }

func (r *reader) Literal(t *logic.Term, _ none) value {
	v, ok := logic.Number(t)
	if !ok {
		r.fails = true
		return value{}
	}
	return value{v, true}
}

func (r *reader) Variable(t *logic.Term, _ none) value { return r.lookup(t.Var) }

// Application records that a symbol is read.
func (r *reader) Application(t *logic.Term, _ none) value {
	args := r.arguments(t)
	if d := r.bodies[t.Symbol]; d != nil {
		outer := r.env
		r.env = nil
		for i, v := range d.Vars {
			r.env = append(r.env, binding{v, args[i]})
		}
		v := r.eval(d.Body)
		r.env = outer
		return v
	}
	if v, ok := r.params[t.Symbol]; ok {
		return v
	}
	v := value{}
	r.points(t.Symbol, args, func(slot int, alone bool) {
		r.reads.add(slot)
		if alone && slot == r.slot {
			v = r.taken
		}
	})
	return v
}

func (r *reader) Not(t *logic.Term, _ none) value {
	v := r.signed(-r.sign, t.Args[0])
	return value{1 - v.v, v.known}
}

func (r *reader) Junction(t *logic.Term, _ none) value {
	zero, known := truth(t.Op == logic.OpOr, true), true
	for _, a := range t.Args {
		v := r.eval(a)
		if v == zero {
			return v
		}
		known = known && v.known
	}
	return value{1 - zero.v, known}
}

func (r *reader) Implication(t *logic.Term, _ none) value {
	a := r.signed(-r.sign, t.Args[0])
	if a.is(0) {
		return value{1, true}
	}
	b := r.eval(t.Args[1])
	return value{b.v, b.known && (a.known || b.v == 1)}
}

func (r *reader) Equality(t *logic.Term, _ none) value {
	a, b := r.signed(0, t.Args[0]), r.signed(0, t.Args[1])
	return truth(a.v == b.v, a.known && b.known)
}

func (r *reader) Distinct(t *logic.Term, _ none) value {
	for _, a := range t.Args {
		r.eval(a)
	}
	return value{}
}

func (r *reader) Comparison(t *logic.Term, _ none) value {
	a, b := r.both(t)
	return truth(a.v < b.v || a.v == b.v && t.Op == logic.OpLe, a.known && b.known)
}

// Arithmetic may overflow.
func (r *reader) Arithmetic(t *logic.Term, _ none) value {
	r.fails = true
	for _, a := range t.Args {
		r.eval(a)
	}
	return value{}
}

func (r *reader) Conditional(t *logic.Term, _ none) value {
	if c := r.eval(t.Args[0]); c.known {
		return r.eval(t.Args[2-c.v])
	}
	a, b := r.eval(t.Args[1]), r.eval(t.Args[2])
	return value{a.v, a.known && b == a}
}

func (r *reader) Let(t *logic.Term, _ none) value {
	var v value
	r.with(t.Vars[0], r.eval(t.Args[0]), func() { v = r.eval(t.Args[1]) })
	return v
}

func (r *reader) Quantifier(t *logic.Term, _ none) value {
	zero, known := truth(t.Op == logic.OpExists, true), true
	apart, stopped := r.each(t.Vars, func() bool {
		v := r.eval(t.Args[0])
		known = known && v.known
		return v != zero
	})
	if stopped {
		return value{zero.v, apart}
	}
	return value{1 - zero.v, known && apart}
}

// Temporal is for formulas that nothing of one state decides.
func (r *reader) Temporal(t *logic.Term, in none) value { return r.Arithmetic(t, in) }

// signed evaluates a part of a formula that occurs positively (sign 1) or negatively (-1).
func (r *reader) signed(sign int, t *logic.Term) value {
	before := r.sign
	r.sign = sign
	v := r.eval(t)
	r.sign = before
	return v
}

func truth(holds, known bool) value {
	if holds {
		return value{1, known}
	}
	return value{0, known}
}

// isAtom reports whether a formula is not composed of formulas.
func (r *reader) isAtom(t *logic.Term) bool {
	switch t.Op {
	case logic.OpTrue, logic.OpFalse, logic.OpNot, logic.OpAnd, logic.OpOr, logic.OpImplies,
		logic.OpIff, logic.OpForall, logic.OpExists:
		return false
	case logic.OpApp: // a body is read for the known values of arguments only
		return r.bodies[t.Symbol] == nil || slices.ContainsFunc(t.Args, func(a *logic.Term) bool {
			return a.Op != logic.OpMember && a.Op != logic.OpInt &&
				!(a.Op == logic.OpVar && r.lookup(a.Var).known)
		})
	}
	return true
}

// arguments gives the values of the arguments of a symbol. It records whether one may lie outside
// its range.
func (r *reader) arguments(t *logic.Term) []value {
	args := make([]value, len(t.Args))
	for i, a := range t.Args {
		args[i] = r.eval(a)
		sort := t.Symbol.Args[i]
		if sort.Kind != logic.KindRange {
			continue
		}
		d, ok := r.domain(sort)
		inside := ok && args[i].known && d.lo <= args[i].v && args[i].v < d.lo+d.n
		if !inside && !(a.Op == logic.OpVar && logic.SameSort(a.Var.Sort, sort)) {
			r.fails = true
		}
	}
	return args
}

// points visits the slots of a symbol at arguments, where an unknown argument may have any value,
// and says whether there is only one. A symbol without slots is an input of a step, which no other
// step sees.
func (r *reader) points(s *logic.Symbol, args []value, visit func(slot int, alone bool)) {
	p, ok := r.layouts[s]
	if !ok {
		return
	}
	alone := !slices.ContainsFunc(args, func(a value) bool { return !a.known })
	var walk func(i int, index int64)
	walk = func(i int, index int64) {
		if i == len(p.args) {
			visit(p.offset+int(index), alone)
			return
		}
		d := p.args[i]
		if !args[i].known {
			for k := range d.n {
				walk(i+1, index*d.n+k)
			}
		} else if k := args[i].v - d.lo; k >= 0 && k < d.n {
			walk(i+1, index*d.n+k)
		}
	}
	walk(0, 0)
}

// given evaluates a formula in the states where a slot has a value. The result is unknown for a
// formula that may fail.
func (r *reader) given(t *logic.Term, slot int, v int64) value {
	trial := *r
	trial.begin()
	trial.slot, trial.taken = slot, value{v, true}
	out := trial.eval(t)
	if trial.fails {
		return value{}
	}
	return out
}

// fixes finds the slot whose value a formula determines.
func (r *reader) fixes(t *logic.Term) (slot int, v int64, ok bool) {
	app, is := t, value{1, true}
	switch t.Op {
	case logic.OpNot:
		app, is = t.Args[0], value{0, true}
	case logic.OpEq:
		app, is = t.Args[0], r.eval(t.Args[1])
		if !is.known {
			app, is = t.Args[1], r.eval(t.Args[0])
		}
	}
	if app.Op != logic.OpApp || r.bodies[app.Symbol] != nil || !is.known {
		return 0, 0, false
	}
	r.points(app.Symbol, r.arguments(app), func(s int, alone bool) { slot, ok = s, alone })
	return slot, is.v, ok
}
