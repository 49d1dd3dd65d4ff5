package interp

import (
	"context"
	"fmt"
	"math/rand"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// EvalError says that a term has no value in a state.
type EvalError struct {
	Span    diag.Span
	Message string
	Outside bool // a symbol is applied outside of the range of an argument
}

func (e *EvalError) Error() string {
	if e.Span.IsZero() {
		return e.Message
	}
	return fmt.Sprintf("%s: %s", e.Span, e.Message)
}

// machine is a memory of two states and the inputs, and an evaluator over it. Slots may be unknown.
//
// An evaluation gives a value and true, or false. In the second case err is the error that stopped
// it; if err is nil, the result is undecided, and miss is the first unknown slot that was needed.
type machine struct {
	m      *Model
	val    []int64 // state Pre, state Post, inputs
	known  []bool
	env    []binding
	base   int // added to the step of every mutable symbol
	ranges map[*logic.Sort]domain
	miss   int
	err    error
	trail  []saved
	nodes  int // nodes of the solver's search trees so far

	random   *rand.Rand // with which value of a slot the solver begins; nil for the least one
	maxNodes int        // the number of nodes after which the solver stops, 0 for no limit

	changes int // how often slots have changed

	scopes scopes // quantifiers as they are evaluated: see miniscope.go

	ctx     context.Context // of the call that the machine serves, nil for none
	ticks   int             // values that were tried for variables and slots
	budget  *Budget         // what is left for them, nil for no limit
	stopped error           // why the evaluation has ended: nothing has a value from then on

	computer system.Computer // of a computed system; nil before it is needed
}

type binding struct {
	v     *logic.Var
	value int64
	lazy  *lazy // of a let: the value is computed when it is needed
	open  bool  // it has no value: formulas are asked which ones it may have
}

// lazy is the value of a let. The result of its evaluation is valid as long as no slot changes.
type lazy struct {
	term    *logic.Term
	done    bool
	changes int
	value   int64
	ok      bool
	miss    int
	err     error
}

// saved is the value of a slot before a change, for undo.
type saved struct {
	slot  int
	value int64
	known bool
}

func newMachine(m *Model) *machine {
	n := 2*m.size + m.inputs
	return &machine{m: m, val: make([]int64, n), known: make([]bool, n),
		ranges: map[*logic.Sort]domain{}}
}

// machine takes an evaluator with the given states from the pool; release gives it back. All other
// slots are unknown.
func (m *Model) machine(states ...State) (*machine, error) {
	f := m.pool.Get().(*machine)
	f.env, f.trail, f.base, f.err, f.nodes = f.env[:0], f.trail[:0], logic.Pre, nil, 0
	f.random, f.maxNodes = nil, 0
	f.ctx, f.budget, f.stopped = m.ctx, m.budget, nil
	return f, f.load(states...)
}

// load makes the given states known, and everything else unknown.
func (f *machine) load(states ...State) error {
	clear(f.known)
	for step, s := range states {
		if len(s) != f.m.size {
			return fmt.Errorf("a state of %d slots was given to a model of %d", len(s), f.m.size)
		}
		copy(f.val[step*f.m.size:], s)
		for i := range s {
			f.known[step*f.m.size+i] = true
		}
	}
	return nil
}

func (m *Model) release(f *machine) { m.pool.Put(f) }

// Eval gives the value of a closed term: over one state, or over two for a term with Pre and Post.
func (m *Model) Eval(t *logic.Term, states ...State) (int64, error) {
	if len(states) > 2 {
		return 0, fmt.Errorf("evaluation over %d states: at most 2", len(states))
	}
	f, err := m.machine(states...)
	if err != nil {
		return 0, err
	}
	defer m.release(f)
	return f.value(t, "the term speaks of a state that is not given")
}

// value gives the value of a term. The error of a term that has none, and is well-defined, has the
// given message.
func (f *machine) value(t *logic.Term, none string) (int64, error) {
	v, ok := f.eval(t)
	switch {
	case ok:
		return v, nil
	case f.err != nil:
		return 0, f.err
	}
	return 0, &EvalError{Span: t.Span, Message: none}
}

// Holds says whether a closed formula is true: see Eval.
func (m *Model) Holds(t *logic.Term, states ...State) (bool, error) {
	v, err := m.Eval(t, states...)
	return v == 1, err
}

func (f *machine) fail(span diag.Span, format string, args ...any) (int64, bool) {
	f.err = &EvalError{Span: span, Message: fmt.Sprintf(format, args...)}
	return 0, false
}

func (f *machine) lack(slot int) (int64, bool) {
	f.err, f.miss = f.stopped, slot
	return 0, false
}

// goesOn counts a value that is tried for a variable or a slot, and is false once the evaluation
// has ended.
func (f *machine) goesOn() bool {
	f.ticks++
	switch {
	case f.stopped != nil:
	case f.budget != nil && !f.budget.spend():
		f.stopped = ErrWork
	case f.ticks%4096 == 0 && f.ctx != nil:
		f.stopped = f.ctx.Err()
	}
	if f.stopped != nil {
		f.err = f.stopped
	}
	return f.stopped == nil
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// kleene folds the operands of a conjunction (zero is 0) or disjunction (zero is 1) from left to
// right. An operand equal to zero decides the result, also after undecided ones. An error counts
// only if no undecided operand stands before it, because that operand may still become zero.
type kleene struct {
	zero      int64
	undecided bool
	miss      int
}

// add returns true when the fold is over; ok tells whether it ends with the value zero or with the
// machine's error.
func (k *kleene) add(f *machine, v int64, ok bool) (over bool) {
	switch {
	case ok:
		return v == k.zero
	case k.undecided:
		return f.stopped != nil
	case f.err != nil:
		return true
	}
	k.undecided, k.miss = true, f.miss
	return false
}

// result is the value when no operand ended the fold.
func (k *kleene) result(f *machine) (int64, bool) {
	if k.undecided {
		return f.lack(k.miss)
	}
	return 1 - k.zero, true
}

func (f *machine) eval(t *logic.Term) (int64, bool) {
	if t.Op == logic.OpVar { // half of all terms: without a dispatch, since this is hot
		return f.variable(t)
	}
	x := logic.Visit(evaluator{f}, t, none{})
	return x.v, x.ok
}

// evaluator gives values to terms.
type evaluator struct{ *machine }

type none struct{}

// value is the result of an evaluation.
type value struct {
	v  int64
	ok bool
}

func of(v int64, ok bool) value { return value{v, ok} }

func (f evaluator) Literal(t *logic.Term, _ none) value {
	v, ok := logic.Number(t)
	if !ok {
		return of(f.fail(t.Span, "%s does not fit in 64 bits", t.Int))
	}
	return value{v, true}
}

func (f evaluator) Variable(t *logic.Term, _ none) value { return of(f.variable(t)) }

func (f *machine) variable(t *logic.Term) (int64, bool) {
	for i := len(f.env) - 1; i >= 0; i-- {
		if f.env[i].v == t.Var {
			if f.env[i].open {
				f.err, f.miss = nil, noSlot
				return 0, false
			}
			if l := f.env[i].lazy; l != nil {
				return f.needed(l)
			}
			return f.env[i].value, true
		}
	}
	return f.fail(t.Span, "variable %s has no value here", t.Var)
}

func (f evaluator) Application(t *logic.Term, _ none) value {
	l := f.m.layouts[t.Symbol]
	if l == nil {
		return of(f.fail(t.Span, "%s %s is not part of the system", t.Symbol.Kind, t.Symbol))
	}
	if l.predicate != nil {
		return of(f.predicate(t, l.predicate))
	}
	if l.body != nil {
		var out value
		f.inBody(t, func(body *logic.Term) { out = of(f.eval(body)) })
		return out
	}
	slot, ok := f.slot(l, t)
	switch {
	case !ok:
		return value{}
	case !f.known[slot]:
		return of(f.lack(slot))
	}
	return value{f.val[slot], true}
}

func (f evaluator) Not(t *logic.Term, _ none) value {
	v, ok := f.eval(t.Args[0])
	return value{1 - v, ok}
}

func (f evaluator) Junction(t *logic.Term, _ none) value {
	k := kleene{zero: truth(t.Op == logic.OpOr)}
	for _, a := range t.Args {
		v, ok := f.eval(a)
		if k.add(f.machine, v, ok) {
			return value{v, ok}
		}
	}
	return of(k.result(f.machine))
}

func (f evaluator) Implication(t *logic.Term, _ none) value {
	k := kleene{zero: 1}
	v, ok := f.eval(t.Args[0])
	if k.add(f.machine, 1-v, ok) {
		return value{1 - v, ok}
	}
	v, ok = f.eval(t.Args[1])
	if k.add(f.machine, v, ok) {
		return value{v, ok}
	}
	return of(k.result(f.machine))
}

func (f evaluator) Equality(t *logic.Term, _ none) value {
	a, b, ok := f.both(t)
	return value{truth(a == b), ok}
}

func (f evaluator) Comparison(t *logic.Term, _ none) value {
	a, b, ok := f.both(t)
	return value{truth(a < b || a == b && t.Op == logic.OpLe), ok}
}

// both evaluates the two arguments of a term.
func (f *machine) both(t *logic.Term) (a, b int64, ok bool) {
	if a, ok = f.eval(t.Args[0]); ok {
		b, ok = f.eval(t.Args[1])
	}
	return a, b, ok
}

func (f evaluator) Distinct(t *logic.Term, _ none) value {
	var values []int64
	for _, a := range t.Args {
		v, ok := f.eval(a)
		if !ok {
			return value{}
		}
		if slices.Contains(values, v) {
			return value{0, true}
		}
		values = append(values, v)
	}
	return value{1, true}
}

func (f evaluator) Arithmetic(t *logic.Term, _ none) value {
	var out int64
	for i, a := range t.Args {
		v, ok := f.eval(a)
		if !ok {
			return value{}
		}
		if out, ok = logic.Calculate(t.Op, i, out, v); !ok {
			return of(f.fail(t.Span, "the result of %s does not fit in 64 bits", t.Op))
		}
	}
	return value{out, true}
}

// Conditional needs its condition, unless both branches agree.
func (f evaluator) Conditional(t *logic.Term, _ none) value {
	c, ok := f.eval(t.Args[0])
	switch {
	case ok:
		return of(f.eval(t.Args[2-c]))
	case f.err != nil:
		return value{}
	}
	miss := f.miss
	a, okA := f.eval(t.Args[1])
	b, okB := f.eval(t.Args[2])
	if okA && okB && a == b {
		return value{a, true}
	}
	return of(f.lack(miss))
}

func (f evaluator) Quantifier(t *logic.Term, _ none) value {
	if s := f.scoped(t); s != t {
		return of(f.eval(s))
	}
	return of(f.quantify(t, 0))
}

func (f evaluator) Let(t *logic.Term, _ none) value {
	f.env = append(f.env, binding{v: t.Vars[0], lazy: &lazy{term: t.Args[0]}})
	v, ok := f.eval(t.Args[1])
	f.env = f.env[:len(f.env)-1]
	return value{v, ok}
}

func (f evaluator) Temporal(t *logic.Term, _ none) value {
	return of(f.fail(t.Span, "a temporal operator has no value in a single state"))
}

// needed is the value of a let. No variable is bound within its own scope, so inner bindings do not
// change it.
func (f *machine) needed(l *lazy) (int64, bool) {
	if !l.done || l.changes != f.changes {
		l.value, l.ok = f.eval(l.term)
		l.done, l.changes, l.miss, l.err = true, f.changes, f.miss, f.err
	}
	if !l.ok {
		f.miss, f.err = l.miss, l.err
	}
	return l.value, l.ok
}

// quantify evaluates a quantifier whose variables before the i-th are bound.
func (f *machine) quantify(t *logic.Term, i int) (int64, bool) {
	if i == len(t.Vars) {
		return f.eval(t.Args[0])
	}
	d, ok := between(f, t.Vars[i:], truth(t.Op == logic.OpExists), t.Args)
	if !ok {
		return 0, false
	}
	k := kleene{zero: truth(t.Op == logic.OpExists)}
	at := len(f.env)
	f.env = append(f.env, binding{v: t.Vars[i]})
	defer func() { f.env = f.env[:at] }()
	for x := d.lo; d.has(x); x++ {
		if !f.goesOn() {
			return 0, false
		}
		f.env[at].value = x
		v, ok := f.quantify(t, i+1)
		if k.add(f, v, ok) {
			return v, ok
		}
	}
	return k.result(f)
}

// inBody calls use with the body of a derived symbol, in the state and for the arguments of its
// application t. When the arguments have no value, it does not call use, and the reason is in the
// machine.
func (f *machine) inBody(t *logic.Term, use func(body *logic.Term)) {
	d := f.m.layouts[t.Symbol].body
	at := len(f.env)
	values := make([]binding, len(d.Vars))
	for i, a := range t.Args {
		v, ok := f.eval(a)
		if !ok {
			return
		}
		if d.Vars[i].Sort.Kind == logic.KindRange {
			if dom, ok := f.domain(d.Vars[i].Sort); !ok {
				return
			} else if !dom.has(v) {
				f.outside(t, i, v, dom)
				return
			}
		}
		values[i] = binding{v: d.Vars[i], value: v}
	}
	base := f.base
	f.env, f.base = append(f.env, values...), base+t.Step
	use(d.Body)
	f.env, f.base = f.env[:at], base
}

// slot finds the point of a symbol to which a term applies it.
func (f *machine) slot(l *layout, t *logic.Term) (int, bool) {
	index := 0
	for i, a := range t.Args {
		v, ok := f.eval(a)
		if !ok {
			return 0, false
		}
		d := l.args[i]
		if !d.has(v) {
			f.outside(t, i, v, d)
			return 0, false
		}
		index = index*int(d.n) + int(v-d.lo)
	}
	if l.input {
		return l.offset + f.m.size + index, true
	}
	if !t.Symbol.Mutable {
		return l.offset + index, true
	}
	step := f.base + t.Step
	if step != logic.Pre && step != logic.Post {
		f.fail(t.Span, "%s speaks of state %d, but there are only two states", t.Symbol, step)
		return 0, false
	}
	return step*f.m.size + l.offset + index, true
}
