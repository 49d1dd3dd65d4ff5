package bmc

import (
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// unrolling is all runs of some length on an instance, as circuits.
type unrolling struct {
	*grounder
	states [][]value
	steps  [][]alternative // steps[i] leads from states[i] to states[i+1]
	loose  []*system.Derived
}

// alternative is an action in a step: it is taken if taken holds and no earlier alternative is
// taken.
type alternative struct {
	action *system.Action
	taken  lit
	args   []argument
	post   []value
}

type argument struct {
	of    *logic.Var
	value value
}

// newUnrolling makes the initial states. It and the following calls panic once halt returns true.
func newUnrolling(m *interp.Model, halt func() bool) *unrolling {
	return unrollingFrom(m, m.System.Inits, Start{}, halt)
}

// Start restricts the first states, by slots.
type Start struct {
	Integers map[int]Interval // bounds of integers that have none
	Values   map[int]int64    // known values
}

// unrollingFrom makes all states that satisfy some formulas.
func unrollingFrom(
	m *interp.Model, conditions []*system.Formula, start Start, halt func() bool,
) *unrolling {
	u := &unrolling{grounder: newGrounder(m)}
	u.halt = halt
	for _, d := range u.sys.Derived {
		if d.Body == nil {
			u.loose = append(u.loose, d)
		}
	}
	first := make([]value, len(u.slots))
	for slot, t := range u.slots {
		switch r := t.symbol.Result; {
		case m.Instance.Values[t.symbol] != nil:
			v, err := m.Eval(m.Instance.Values[t.symbol])
			if err != nil {
				panic(refusal("the value of %s: %v", t.symbol, err))
			}
			first[slot] = u.element(r, v)
		case start.known(slot):
			first[slot] = u.element(r, start.Values[slot])
		case r == logic.Int && start.Integers[slot] != (Interval{}):
			first[slot] = ofNumber(u.free(start.Integers[slot].Lo, start.Integers[slot].Hi))
		case r == logic.Int: // the claims give it a value, or bound it
		default:
			if r != logic.Bool && u.domain(r).n == 0 {
				u.assume(no)
			}
			first[slot] = u.any(r)
		}
	}
	var open []claim
	var terms []*logic.Term
	s := scope{states: [2][]value{first}}
	for _, fs := range [][]*system.Formula{u.sys.Axioms, m.Instance.Facts, conditions} {
		for _, f := range fs {
			open = append(open, claim{f.Term, s})
			terms = append(terms, f.Term)
		}
	}
	open = u.claims(open)
	for slot, t := range u.slots {
		if first[slot].is {
			continue
		}
		lo, hi, bounded, err := interp.Between(m, slot, terms)
		if err != nil || !bounded {
			panic(refusal("no equation gives %s a value at first, and integers have no bounds",
				t.symbol))
		}
		first[slot] = ofNumber(u.free(lo, hi))
		open = u.claims(open)
	}
	u.states = append(u.states, first)
	u.background(first)
	return u
}

func (s Start) known(slot int) bool {
	_, ok := s.Values[slot]
	return ok
}

// claims assumes what can be assumed of some claims, and returns the ones that are left.
func (u *unrolling) claims(open []claim) []claim {
	for again := true; again; {
		again = false
		var left []claim
		for _, c := range open {
			rest, progress := u.claim(c)
			left, again = append(left, rest...), again || progress
		}
		open = left
	}
	return open
}

// claim is a formula that is true in the initial states.
type claim struct {
	term  *logic.Term
	scope scope
}

// claim assumes what can be assumed, and returns the formulas over points without a value. An
// equation with such a point on one side gives the point its value.
func (u *unrolling) claim(c claim) (left []claim, progress bool) {
	parts := func(cs ...claim) ([]claim, bool) {
		for _, c := range cs {
			l, p := u.claim(c)
			left, progress = append(left, l...), progress || p
		}
		return left, progress
	}
	t, s := c.term, c.scope
	switch t.Op {
	case logic.OpAnd:
		var cs []claim
		for _, a := range t.Args {
			cs = append(cs, claim{a, s})
		}
		return parts(cs...)
	case logic.OpForall:
		v, rest := t.Vars[0], logic.Forall(t.Vars[1:], t.Args[0])
		d := u.domain(v.Sort)
		var cs []claim
		for x := d.lo; d.has(x); x++ {
			cs = append(cs, claim{rest, s.with(v, u.element(v.Sort, x))})
		}
		return parts(cs...)
	case logic.OpImplies:
		if a, ok := u.settled(t.Args[0], s); ok && a.lit == yes {
			return parts(claim{t.Args[1], s})
		}
	}
	if x, ok := u.settled(t, s); ok {
		u.assume(x.lit)
		return nil, true
	}
	if t.Op == logic.OpEq {
		for i, a := range t.Args {
			x, ok := u.settled(t.Args[1-i], s)
			if slot := u.openPoint(a, s); ok && slot >= 0 {
				s.states[logic.Pre][slot] = x
				return nil, true
			}
		}
	}
	return []claim{c}, false
}

// settled gives the value of a term unless it reads a point without a value.
func (u *unrolling) settled(t *logic.Term, s scope) (x value, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, open := r.(unsettled); !open {
				panic(r)
			}
		}
	}()
	return u.term(t, s), true
}

// openPoint is the slot of a term that is exactly a point without a value, otherwise -1.
func (u *unrolling) openPoint(t *logic.Term, s scope) (slot int) {
	if t.Op != logic.OpApp || u.sys.DerivedOf(t.Symbol) != nil {
		return -1
	}
	for _, a := range t.Args {
		x, ok := u.settled(a, s)
		if known := x.lit.isConst() && (a.Sort == logic.Bool || x.number.isConst()); !ok || !known {
			return -1
		}
	}
	slot = -1
	defer func() {
		if r := recover(); r != nil {
			open, ok := r.(unsettled)
			if !ok {
				panic(r)
			}
			slot = open.slot
		}
	}()
	u.term(t, s)
	return slot
}

// background assumes the facts of every state: definitions without a body, and trusted properties.
func (u *unrolling) background(state []value) {
	s := scope{states: [2][]value{state}}
	for _, d := range u.loose {
		u.assume(u.truth(d.Axiom, s))
	}
	for _, p := range u.sys.Trusted() {
		u.assume(u.truth(p.Term, s))
	}
}

// violated is true when a property is false in the last state.
func (u *unrolling) violated(p *system.Property) lit {
	return u.truth(p.Term, scope{states: [2][]value{u.states[len(u.states)-1]}}).not()
}

// step adds a state to the runs. It assumes that the state before it is within the declared ranges,
// and that all steps from there have their arguments in their ranges. If there is no step, it gives
// false and does nothing.
func (u *unrolling) step() bool {
	for _, p := range u.sys.Properties {
		if p.Kind == system.Argument {
			u.assume(u.violated(p).not())
		}
	}
	pre := slices.Clone(u.states[len(u.states)-1])
	for slot, t := range u.slots {
		r := t.symbol.Result
		if r.Kind == logic.KindRange && t.symbol.Mutable {
			d := u.domain(r)
			x := pre[slot].number
			u.assume(u.le(constant(d.lo), x))
			u.assume(u.le(x, constant(d.lo+d.n-1)))
			pre[slot] = ofNumber(u.within(x, d.lo, d.lo+d.n-1))
		}
	}
	for slot, x := range pre { // assumptions made since may simplify them
		if u.slots[slot].symbol.Result == logic.Bool {
			pre[slot] = ofTruth(u.now(x.lit))
		} else {
			pre[slot] = ofNumber(u.make(x.number.lo, x.number.hi, x.number.bit))
		}
	}
	base := slices.Clone(pre)
	for _, d := range u.loose {
		u.havoc(base, d.Symbol)
	}
	var alternatives []alternative
	var enabled []lit
	for _, a := range u.sys.Actions {
		if alt, can := u.take(a, pre, base); can != no {
			alternatives, enabled = append(alternatives, alt), append(enabled, can)
		}
	}
	if len(alternatives) == 0 {
		return false
	}
	last := len(alternatives) - 1
	earlier := no // an earlier alternative is taken
	for i := range alternatives {
		alt := &alternatives[i]
		alt.taken = yes
		if i < last {
			alt.taken = u.input()
		}
		u.assume(u.or(u.or(earlier, alt.taken.not()), enabled[i]))
		earlier = u.or(earlier, alt.taken)
	}
	post := slices.Clone(alternatives[last].post)
	for i := last - 1; i >= 0; i-- {
		alt := alternatives[i]
		for slot := range post {
			post[slot] = u.either(alt.taken, alt.post[slot], post[slot],
				u.slots[slot].symbol.Result)
		}
	}
	u.background(post)
	u.states, u.steps = append(u.states, post), append(u.steps, alternatives)
	return true
}

// havoc gives a symbol arbitrary values of its sort.
func (u *unrolling) havoc(state []value, sym *logic.Symbol) {
	t := u.tables[sym]
	if t == nil {
		return
	}
	for i := range t.points {
		state[t.offset+i] = u.any(sym.Result)
	}
}

// take gives one use of an action in a step, and its enabling condition.
func (u *unrolling) take(a *system.Action, pre, base []value) (alternative, lit) {
	rel := a.Relation
	s := scope{states: [2][]value{pre, slices.Clone(base)}, inputs: map[*logic.Symbol][]value{}}
	alt := alternative{action: a, post: s.states[logic.Post]}
	for _, v := range slices.Concat(a.Params, rel.Choices) {
		if v.Sort != logic.Bool && u.domain(v.Sort).n == 0 {
			return alt, no
		}
		x := u.any(v.Sort)
		s = s.with(v, x)
		alt.args = append(alt.args, argument{v, x})
	}
	for _, in := range rel.Inputs {
		points := make([]value, u.tableOf(in).points)
		for i := range points {
			points[i] = u.any(in.Result)
		}
		s.inputs[in] = points
	}
	can := yes
	guards := func(step int) {
		for _, g := range rel.Guard {
			if can != no && (logic.MaxStep(g) == logic.Post) == (step == logic.Post) {
				can = u.and(can, u.truth(g, s))
				s = u.refine(s, g, true)
			}
		}
	}
	if guards(logic.Pre); can == no {
		return alt, no
	}
	updated := map[*logic.Symbol]bool{}
	for _, up := range rel.Updates {
		updated[up.Symbol] = true
	}
	for _, sym := range a.Modifies {
		if !updated[sym] {
			u.havoc(alt.post, sym)
		}
	}
	for _, up := range rel.Updates {
		u.update(up, s, alt.post)
	}
	guards(logic.Post)
	return alt, can
}

// update writes the new values of a symbol into a state.
func (u *unrolling) update(up system.Update, s scope, post []value) {
	t := u.tables[up.Symbol]
	if t == nil {
		return
	}
	news := make([]value, t.points)
	for i := range news {
		at := s
		rest := i
		for k := len(t.args) - 1; k >= 0; k-- {
			d := t.args[k]
			at = at.with(up.Vars[k], u.element(t.symbol.Args[k], d.lo+int64(rest)%d.n))
			rest /= int(d.n)
		}
		news[i] = u.term(up.Value, at)
	}
	copy(post[t.offset:], news)
}

// run reads the run that ends in the last state from an assignment to all nodes.
func (u *unrolling) run(nodes []bool) (first interp.State, steps []interp.Step) {
	is := func(l lit) bool { return nodes[l>>1] != (l&1 == 1) }
	read := func(x value, s *logic.Sort) int64 {
		if s != logic.Bool {
			return x.number.valueOf(nodes)
		}
		if is(x.lit) {
			return 1
		}
		return 0
	}
	state := func(points []value) interp.State {
		out := make(interp.State, len(points))
		for slot, x := range points {
			out[slot] = read(x, u.slots[slot].symbol.Result)
		}
		return out
	}
	for i, alternatives := range u.steps {
		alt := alternatives[slices.IndexFunc(alternatives, func(a alternative) bool {
			return is(a.taken)
		})]
		step := interp.Step{Action: alt.action, State: state(u.states[i+1])}
		for _, a := range alt.args {
			step.Args = append(step.Args, interp.Arg{Var: a.of, Value: read(a.value, a.of.Sort)})
		}
		steps = append(steps, step)
	}
	return state(u.states[0]), steps
}
