package infer

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// linear looks for lemmas about integers. In a mode, such as `epc = send & receiver_timer = 0`, an
// octagon expression (x, x - y, x + y, and their negations; Miné, The octagon abstract domain,
// 2006) is at most a linear expression over the parameters. Modes are conjunctions of the file's
// own conditions. Exploring tiny instances gives the largest value of the expression in the mode. A
// bound is a linear expression that is at least this value in all instances, and as small as
// possible. A relation over a range, such as a set of ages, takes part by its least and greatest
// member.
type linear struct {
	sys        *system.System
	params     []*logic.Symbol
	quantities []quantity
	sums       []sum
	atoms      []*logic.Term // closed conditions over one state
	worlds     []*numbered
	assumed    []*numbered // states that no candidate excludes
	modes      map[string]*mode
	reach      []int64          // bounds on the coefficients of the parameters
	fitted     map[string][]fit // by the largest values in the worlds
}

// bound is a candidate about integers: in a mode, an expression is at most a linear expression over
// the parameters.
type bound struct {
	mode    *mode
	sum     int // its number
	fit     []int64
	never   bool // no state is in the mode
	checked int  // number of assumed worlds already tested
	dead    bool
}

// quantity is an integer of a state.
type quantity struct {
	symbol *logic.Symbol // a constant, or a relation over a range
	// For a relation: -1 for the least, 1 for the greatest member; 0 for a constant.
	member int
}

// sum is a sum of quantities, each with a sign.
type sum []summand

type summand struct{ quantity, sign int }

// numbered is a world with the values of quantities.
type numbered struct {
	*world
	params  []int64
	values  [][]int64  // by quantity and state
	defined [][]uint64 // by quantity: where it has a value; nil for everywhere
	columns [][]uint64 // of the atoms; nil where one has no value
	order   [][]int32  // by sum: the states in which it has a value, the largest first
}

// mode is a conjunction of literals, with its known properties.
type mode struct {
	literals []int
	states   [][]uint64     // by world
	count    []int          // by world: how many states are in the mode
	most     [][]extreme    // by sum and world, computed on demand
	bounds   [][]*candidate // by sum
}

// extreme is the largest value of a sum in the states of a mode, if it has one.
type extreme struct {
	known, has bool
	value      int64
}

// Limits of the search for bounds.
const (
	largestParameter = 3
	heldOut          = 5 // the value of one parameter in a few more instances
	manyWorlds       = 40
	manyStates       = 60_000 // in all worlds
	maxCoefficient   = 7
	maxConstant      = 12 // in a bound that is not exact
	fullReach        = 3  // parameters that may have these coefficients; further ones may have 1
	fitsEach         = 3
)

// newLinear gives nil if a system has nothing to bound.
func newLinear(sys *system.System) *linear {
	l := &linear{sys: sys, modes: map[string]*mode{}, fitted: map[string][]fit{}}
	for _, s := range sys.Sorts {
		if s.Kind == logic.KindUninterpreted {
			return nil
		}
	}
	for _, sym := range sys.Symbols {
		switch {
		case !sym.Mutable && len(sym.Args) == 0 && sym.Result.Base() == logic.Int:
			l.params = append(l.params, sym)
		case !sym.Mutable:
		case len(sym.Args) == 0 && sym.Result.Base() == logic.Int:
			l.quantities = append(l.quantities, quantity{sym, 0})
		case len(sym.Args) == 1 && sym.Args[0].Kind == logic.KindRange && sym.Result == logic.Bool:
			l.quantities = append(l.quantities, quantity{sym, 1}, quantity{sym, -1})
		}
	}
	if len(l.quantities) == 0 {
		return nil
	}
	for x := range l.quantities {
		l.sums = append(l.sums, sum{{x, 1}}, sum{{x, -1}})
	}
	for x := range l.quantities {
		for y := range x {
			if l.quantities[x].member != 0 && l.quantities[y].member != 0 {
				continue
			}
			for _, sx := range []int{1, -1} {
				for _, sy := range []int{-1, 1} {
					l.sums = append(l.sums, sum{{x, sx}, {y, sy}})
				}
			}
		}
	}
	l.mine()
	return l
}

// mine collects conditions: the values of enums and truth values, and the comparisons in guards,
// updates and properties.
func (l *linear) mine() {
	seen := map[string]bool{}
	add := func(t *logic.Term) {
		if key := t.String(); !seen[key] {
			seen[key] = true
			l.atoms = append(l.atoms, t)
		}
	}
	for _, sym := range l.sys.Symbols {
		switch {
		case !sym.Mutable:
		case len(sym.Args) == 0 && sym.Result == logic.Bool:
			add(logic.App(sym, logic.Pre))
		case len(sym.Args) == 0 && sym.Result.Kind == logic.KindEnum:
			for m := range sym.Result.Members {
				add(logic.Eq(logic.App(sym, logic.Pre), logic.Member(sym.Result, m)))
			}
		case len(sym.Args) == 1 && sym.Args[0].Kind == logic.KindRange && sym.Result == logic.Bool:
			add(l.some(sym))
			add(logic.App(sym, logic.Pre, sym.Args[0].Hi))
			add(logic.App(sym, logic.Pre, sym.Args[0].Lo))
		}
	}
	var visit func(t *logic.Term)
	visit = func(t *logic.Term) {
		for _, a := range t.Args {
			visit(a)
		}
		comparison := t.Op == logic.OpLe || t.Op == logic.OpLt ||
			t.Op == logic.OpEq && t.Args[0].Sort.Base() == logic.Int
		if !comparison || len(logic.FreeVars(t)) > 0 || logic.MaxStep(t) > logic.Pre ||
			mentions(t, func(sym *logic.Symbol) bool {
				return !slices.Contains(l.sys.Symbols, sym)
			}) {
			return
		}
		add(t)
	}
	for _, p := range l.sys.Properties {
		if !logic.IsTemporal(p.Term) {
			visit(p.Term)
		}
	}
	for _, a := range l.sys.Actions {
		for _, g := range a.Relation.Guard {
			visit(g)
		}
		for _, u := range a.Relation.Updates {
			visit(u.Value)
		}
	}
}

// mentions reports whether a term has a symbol of some kind.
func mentions(t *logic.Term, kind func(*logic.Symbol) bool) (is bool) {
	logic.Walk(t, func(t *logic.Term) bool {
		is = is || t.Op == logic.OpApp && kind(t.Symbol)
		return !is
	})
	return is
}

// some is true when a relation over a range has a member.
func (l *linear) some(sym *logic.Symbol) *logic.Term {
	k := &logic.Var{Name: "K", Sort: sym.Args[0]}
	return logic.Exists([]*logic.Var{k}, logic.App(sym, logic.Pre, logic.Ref(k)))
}

// instances lists values of the parameters, the smallest first, and some with one larger parameter.
// A parameter on which nothing else depends, such as an initial value, also gets the values of the
// expressions over other parameters that occur in comparisons.
// the values of the expressions over others that something is compared with, too.
func (l *linear) instances() (out, large []*system.Instance) {
	var thresholds []*logic.Term
	ends := map[*logic.Symbol]bool{} // parameters in such expressions, and in the ends of ranges
	add := func(t *logic.Term) {
		logic.Walk(t, func(t *logic.Term) bool {
			if t.Op == logic.OpApp {
				ends[t.Symbol] = true
			}
			return true
		})
	}
	for _, sym := range l.sys.Symbols {
		for _, s := range append(slices.Clone(sym.Args), sym.Result) {
			if s.Kind == logic.KindRange {
				add(s.Lo)
				add(s.Hi)
			}
		}
	}
	comparisons := slices.Clone(l.atoms)
	for _, f := range l.sys.Axioms {
		comparisons = append(comparisons, logic.Conjuncts(f.Term)...)
	}
	for _, a := range comparisons {
		if a.Op != logic.OpLe && a.Op != logic.OpLt && a.Op != logic.OpEq {
			continue
		}
		for _, side := range a.Args {
			if side.Op != logic.OpApp && side.Op != logic.OpInt && side.Sort.Base() == logic.Int &&
				!changes(side) {
				thresholds = append(thresholds, side)
				add(side)
			}
		}
	}
	special := map[*logic.Symbol]bool{}
	l.reach = nil
	for i, p := range l.params {
		special[p] = !ends[p] && len(thresholds) > 0
		l.reach = append(l.reach, 1)
		if !special[p] && i < fullReach {
			l.reach[i] = maxCoefficient
		}
	}
	var fill func(i int, values map[*logic.Symbol]int64)
	var later []*logic.Symbol
	var order []*logic.Symbol
	for _, p := range l.params {
		if special[p] {
			later = append(later, p)
		} else {
			order = append(order, p)
		}
	}
	order = append(order, later...)
	fill = func(i int, values map[*logic.Symbol]int64) {
		if i == len(order) {
			inst := &system.Instance{Sizes: map[*logic.Sort]int{},
				Values: map[*logic.Symbol]*logic.Term{}}
			for _, p := range l.params {
				inst.Values[p] = logic.IntLit(values[p])
				if inst.Name != "" {
					inst.Name += ","
				}
				inst.Name += fmt.Sprintf("%s=%d", p, values[p])
			}
			out = append(out, inst)
			return
		}
		var choices []int64
		if special[order[i]] {
			top := int64(2)
			for _, t := range thresholds {
				if v, ok := evaluate(t, values); ok {
					top = max(top, v)
				}
			}
			choices = []int64{1, top - 1, top}
		} else {
			for v := range int64(largestParameter + 1) {
				choices = append(choices, v)
			}
			choices = append(choices, heldOut)
		}
		slices.Sort(choices)
		for _, v := range slices.Compact(choices) {
			values[order[i]] = v
			fill(i+1, values)
		}
	}
	fill(0, map[*logic.Symbol]int64{})
	size := func(inst *system.Instance) (n int64) {
		for _, p := range order {
			if !special[p] {
				n += inst.Values[p].Int.Int64()
			}
		}
		return n
	}
	slices.SortStableFunc(out, func(a, b *system.Instance) int {
		return cmp.Compare(size(a), size(b))
	})
	of := func(inst *system.Instance, n int64) (count int) {
		for _, p := range order {
			if !special[p] && inst.Values[p].Int.Int64() == n {
				count++
			}
		}
		return count
	}
	for _, inst := range out {
		if of(inst, heldOut) == 1 && of(inst, 2) == len(order)-len(later)-1 {
			large = append(large, inst)
		}
	}
	out = slices.DeleteFunc(out, func(inst *system.Instance) bool { return of(inst, heldOut) > 0 })
	return out, large
}

// evaluate gives the value of a term over parameters.
func evaluate(t *logic.Term, values map[*logic.Symbol]int64) (v int64, ok bool) {
	s := &structure{tables: map[*logic.Symbol]table{}}
	var state interp.State
	for sym, v := range values {
		s.tables[sym] = table{offset: len(state)}
		state = append(state, v)
	}
	ok = hasValue(func() { v = sample{s, state}.eval(t, nil) })
	return v, ok
}

// integers gives bounds to integers without a range: a little beyond all reachable values, since
// comparisons may be far apart.
func (w *world) integers() map[int]bmc.Interval {
	out := map[int]bmc.Interval{}
	all := bmc.Interval{}
	for slot, sym := range w.model.SlotSymbols() {
		if len(sym.Args) > 0 || sym.Result.Base() != logic.Int {
			continue
		}
		for _, st := range w.states {
			all.Lo, all.Hi = min(all.Lo, st[slot]), max(all.Hi, st[slot])
		}
		if sym.Mutable && sym.Result == logic.Int {
			out[slot] = bmc.Interval{}
		}
	}
	for slot := range out {
		out[slot] = bmc.Interval{Lo: all.Lo - 2, Hi: all.Hi + 2}
	}
	return out
}

// add takes the reachable states of a world into account.
func (l *linear) add(w *world) { l.worlds = append(l.worlds, l.number(w)) }

// dead reports whether a candidate is false in a state that is assumed reachable.
func (l *linear) dead(c *candidate) bool {
	b := c.bound
	for ; b.checked < len(l.assumed) && !b.dead; b.checked++ {
		w := l.assumed[b.checked]
		states := w.full()
		for _, x := range b.mode.literals {
			column := w.columns[x/2]
			for k := range states {
				switch {
				case column == nil:
					states[k] = 0
				case x%2 == 0:
					states[k] &= column[k]
				default:
					states[k] &^= column[k]
				}
			}
		}
		if b.never {
			b.dead = first(states) >= 0
			continue
		}
		top := w.top(states, count(states), l.sums[b.sum], nil)
		b.dead = top.has && top.value > b.value(w.params)
	}
	return b.dead
}

// value is the bound for values of the parameters.
func (b *bound) value(params []int64) int64 {
	v := b.fit[len(params)]
	for i, p := range params {
		v += b.fit[i] * p
	}
	return v
}

// top is the largest value of a sum in some states. The order of all states by this value may be
// given, which helps where the states are many.
func (w *numbered) top(states []uint64, count int, of sum, order []int32) extreme {
	top := extreme{known: true}
	if order != nil && count*count > len(order) {
		for _, at := range order {
			if states[at/64]>>(at%64)&1 == 1 {
				return extreme{true, true, w.value(of, int(at))}
			}
		}
		return top
	}
	for k, word := range states {
		for _, x := range of {
			if d := w.defined[x.quantity]; d != nil {
				word &= d[k]
			}
		}
		for ; word != 0; word &= word - 1 {
			if v := w.value(of, 64*k+bits.TrailingZeros64(word)); !top.has || v > top.value {
				top.has, top.value = true, v
			}
		}
	}
	return top
}

// value is the value of a sum in a state.
func (w *numbered) value(of sum, state int) (v int64) {
	for _, x := range of {
		v += int64(x.sign) * w.values[x.quantity][state]
	}
	return v
}

// ranked lists the states in which a sum has a value, the largest first.
func (w *numbered) ranked(i int, of sum) []int32 {
	if w.order[i] == nil {
		order := make([]int32, 0, len(w.states))
		for at := range w.states {
			if !slices.ContainsFunc(of, func(x summand) bool {
				d := w.defined[x.quantity]
				return d != nil && d[at/64]>>(at%64)&1 == 0
			}) {
				order = append(order, int32(at))
			}
		}
		slices.SortFunc(order, func(a, b int32) int {
			return cmp.Compare(w.value(of, int(b)), w.value(of, int(a)))
		})
		w.order[i] = order
	}
	return w.order[i]
}

func (l *linear) number(w *world) *numbered {
	n := &numbered{world: w, params: make([]int64, len(l.params)),
		values:  make([][]int64, len(l.quantities)),
		defined: make([][]uint64, len(l.quantities)), columns: make([][]uint64, len(l.atoms)),
		order: make([][]int32, len(l.sums))}
	for i, p := range l.params {
		n.params[i] = w.model.Instance.Values[p].Int.Int64()
	}
	for q := range l.quantities {
		n.values[q] = make([]int64, len(w.states))
		if l.quantities[q].member != 0 {
			n.defined[q] = make([]uint64, w.words())
		}
		for i, st := range w.states {
			v, ok := l.quantities[q].value(sample{w.structure, st})
			n.values[q][i] = v
			if ok && n.defined[q] != nil {
				n.defined[q][i/64] |= 1 << (i % 64)
			}
		}
	}
	for i, a := range l.atoms {
		n.columns[i] = w.column(columnKey{shape: 1<<20 + i}, a, nil)
	}
	return n
}

// value gives a quantity in a state; ok is false for a member of an empty relation.
func (q quantity) value(s sample) (v int64, ok bool) {
	tab := s.tables[q.symbol]
	if q.member == 0 {
		return s.state[tab.offset], true
	}
	if len(tab.args) == 0 {
		return 0, false
	}
	for i := range tab.args[0].n {
		if s.state[tab.offset+int(i)] == 1 {
			v = tab.args[0].lo + i
			if ok = true; q.member < 0 {
				return v, true
			}
		}
	}
	return v, ok
}

// exclude offers bounds that are true in all worlds and false in a state, first for modes with few
// literals. It ends after the number of literals that gives some, or at the limit.
func (l *linear) exclude(
	ctx context.Context, s sample, most int, offer func(*candidate) (taken bool),
) {
	var literals []int
	for i, a := range l.atoms {
		switch {
		case s.holds(a):
			literals = append(literals, 2*i)
		case s.holds(logic.Not(a)) &&
			!(a.Op == logic.OpEq && a.Args[0].Sort.Kind == logic.KindEnum):
			literals = append(literals, 2*i+1)
		}
	}
	here := l.number(newWorld(s.structure, s.state))
	own := -1 // the world of the state
	for i, w := range l.worlds {
		if w.model.Instance.Name == s.model.Instance.Name {
			own = i
		}
	}
	found := false
	take := func(c *candidate) {
		if !l.dead(c) && c.excludes(s) && offer(c) {
			found = true
		}
	}
	var choose func(from, left int, set []int, parent *mode)
	choose = func(from, left int, set []int, parent *mode) {
		m := l.mode(set, parent)
		if left > 0 {
			if m.empty() {
				return // a smaller mode covers it
			}
			for i := from; i < len(literals) && ctx.Err() == nil; i++ {
				choose(i+1, left-1, append(set[:len(set):len(set)], literals[i]), m)
			}
			return
		}
		if m.empty() {
			take(&candidate{term: logic.Not(l.condition(m.literals)), cost: 2 * len(m.literals),
				bound: &bound{mode: m, never: true}})
			return
		}
		for i, of := range l.sums {
			v := here.top([]uint64{1}, 1, of, nil)
			if !v.has || own >= 0 && l.top(m, i, own).has && v.value <= l.top(m, i, own).value {
				continue
			}
			for _, c := range l.bounds(m, i) {
				take(c)
			}
		}
	}
	for size := 0; size <= most && (!found || size <= 2) && ctx.Err() == nil; size++ {
		choose(0, size, nil, nil)
	}
}

func (l *linear) mode(set []int, parent *mode) *mode {
	key := cubeKey(set)
	m := l.modes[key]
	if m != nil {
		return m
	}
	m = &mode{literals: slices.Clone(set), most: make([][]extreme, len(l.sums)),
		bounds: make([][]*candidate, len(l.sums))}
	for i, w := range l.worlds {
		var c []uint64
		if parent != nil {
			c = slices.Clone(parent.states[i])
			last := set[len(set)-1]
			column := w.columns[last/2]
			for k := range c {
				switch {
				case column == nil: // it may be true
				case last%2 == 0:
					c[k] &= column[k]
				default:
					c[k] &^= column[k]
				}
			}
		} else {
			c = w.full()
		}
		m.states = append(m.states, c)
		m.count = append(m.count, count(c))
	}
	l.modes[key] = m
	return m
}

// empty reports whether no state is in the mode.
func (m *mode) empty() bool {
	return !slices.ContainsFunc(m.count, func(n int) bool { return n > 0 })
}

// restart drops the assumed states.
func (l *linear) restart() {
	l.assumed = nil
	for _, m := range l.modes {
		for _, cs := range m.bounds {
			for _, c := range cs {
				c.bound.checked, c.bound.dead = 0, false
			}
		}
	}
}

// top is the largest value of a sum in a mode of a world.
func (l *linear) top(m *mode, i, world int) extreme {
	if m.most[i] == nil {
		m.most[i] = make([]extreme, len(l.worlds))
	}
	if w := l.worlds[world]; !m.most[i][world].known {
		m.most[i][world] = w.top(m.states[world], m.count[world], l.sums[i],
			w.ranked(i, l.sums[i]))
	}
	return m.most[i][world]
}
