package infer

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// linear looks for lemmas about integers. In a mode, such as `epc = send & receiver_timer = 0`, an
// octagon expression (x, x - y, x + y, and their negations; Miné, The octagon abstract domain,
// 2006) is at most a linear expression over the parameters. Modes are conjunctions of the file's
// own conditions. Exploring tiny instances gives the largest value of the expression in the mode. A
// bound is a linear expression that is at least this value in all instances, and as small as
// possible. A relation over a range, such as a set of ages, takes part by its least and greatest
// member. Where the file has products with a parameter, sums with the product of this parameter and
// a quantity follow, if no octagon excludes a state.
type linear struct {
	sys        *system.System
	params     []*logic.Symbol
	quantities []quantity
	sums       []sum
	octagons   int           // how many of the sums come first
	atoms      []*logic.Term // closed conditions over one state
	alwaysTrue map[int]bool  // literals that are true in all states of all worlds
	worlds     []*numbered
	assumed    []*numbered // states that no candidate excludes
	dimension  int         // of the parameters in the worlds
	// With more parameters than fullReach, much is true in small instances for reasons of its own.
	// A wide search explores larger ones, looks for bounds under the premise of a property, and
	// prefers bounds that are exact in most instances.
	wide       bool
	modes      map[string]*mode
	reach      []int64          // bounds on the coefficients of the parameters
	ridges     bool             // see fits
	fitted     map[string][]fit // by the largest values in the worlds
	thresholds [][]int64        // expressions over the parameters that something is compared with
}

// bound is a candidate about integers: in a mode, an expression is at most a linear expression over
// the parameters.
type bound struct {
	mode      *mode
	sum       int // its number
	fit       []int64
	unreached bool // no state is in the mode
	loose     bool // of a wide search: exact in less than half of the worlds
	checked   int  // number of assumed worlds already tested
	dead      bool
}

// mode is a conjunction of literals, with its known properties.
type mode struct {
	literals []int
	states   [][]uint64           // by world
	count    []int                // by world: how many states are in the mode
	most     [][]extreme          // by world and sum, computed on demand
	bounds   map[int][]*candidate // by sum, computed on demand
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
	manyWorlds       = 27
	manyStates       = 60_000 // in all worlds
	maxCoefficient   = 7
	maxConstant      = 4 // in a bound that is not exact
	fullReach        = 3 // parameters that may have these coefficients; further ones may have 1
	fitsEach         = 3
)

// newLinear gives nil if a system has nothing to bound.
func newLinear(sys *system.System) *linear {
	l := &linear{sys: sys, modes: map[string]*mode{}, fitted: map[string][]fit{}}
	if hasElements(sys) {
		return nil
	}
	for _, sym := range sys.Symbols {
		switch {
		case !sym.Mutable && len(sym.Args) == 0 && sym.Result.Base() == logic.Int:
			l.params = append(l.params, sym)
		case !sym.Mutable:
		case len(sym.Args) == 0 && sym.Result.Base() == logic.Int:
			l.quantities = append(l.quantities, quantity{symbol: sym})
		case len(sym.Args) == 1 && sym.Args[0].Kind == logic.KindRange && sym.Result == logic.Bool:
			l.quantities = append(l.quantities, quantity{symbol: sym, member: 1},
				quantity{symbol: sym, member: -1})
			for _, c := range append(l.memberThresholds(sym.Args[0]), sym.Args[0].Hi) {
				l.quantities = append(l.quantities, quantity{symbol: sym, member: -1, below: c})
			}
		}
	}
	if len(l.quantities) == 0 {
		return nil
	}
	l.wide = len(l.params) > fullReach
	l.combine()
	l.collectConditions()
	return l
}

// collectConditions collects conditions: the values of enums and truth values, and the comparisons
// in guards, updates and properties.
func (l *linear) collectConditions() {
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
			for _, c := range l.memberThresholds(sym.Args[0]) {
				add(logic.App(sym, logic.Pre, c))
			}
		}
	}
	var visit func(t *logic.Term)
	visit = func(t *logic.Term) {
		for _, a := range t.Args {
			visit(a)
		}
		if !t.ComparesIntegers() || len(logic.FreeVars(t)) > 0 || logic.MaxStep(t) > logic.Pre ||
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
	inActions(l.sys, visit)
}

// memberThresholds lists the expressions over parameters, other than its ends, with which actions
// compare a member of a range: such as Delta, where ages stop at Delta after a while, and go on
// before.
func (l *linear) memberThresholds(of *logic.Sort) (out []*logic.Term) {
	seen := map[string]bool{of.Lo.String(): true, of.Hi.String(): true}
	inActions(l.sys, func(t *logic.Term) {
		logic.Walk(t, func(t *logic.Term) bool {
			if !t.ComparesIntegers() {
				return true
			}
			for i, side := range t.Args {
				v := t.Args[1-i]
				if v.Op != logic.OpVar || v.Var.Sort != of || isNumber(side) ||
					len(logic.FreeVars(side)) > 0 || changes(side) || seen[side.String()] {
					continue
				}
				seen[side.String()] = true
				out = append(out, side)
			}
			return true
		})
	})
	return out
}

// inActions calls visit for the guards and the new values of all actions.
func inActions(sys *system.System, visit func(*logic.Term)) {
	for _, a := range sys.Actions {
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
	return logic.Has(t, func(t *logic.Term) bool { return t.Op == logic.OpApp && kind(t.Symbol) })
}

// some is true when a relation over a range has a member.
func (l *linear) some(sym *logic.Symbol) *logic.Term {
	k := &logic.Var{Name: "K", Sort: sym.Args[0]}
	return logic.Exists([]*logic.Var{k}, logic.App(sym, logic.Pre, logic.Ref(k)))
}

// add takes the reachable states of a world into account.
func (l *linear) add(w *world) {
	l.worlds = append(l.worlds, l.number(w))
	var points [][]int64
	for _, w := range l.worlds {
		points = append(points, w.params)
	}
	l.dimension = span(points, func(int) bool { return true })
}

// prune leaves out what says nothing in the worlds: sums with the members of a relation that is
// always empty, and literals that are always true.
func (l *linear) prune() {
	var sums []sum
	octagons := 0
	for i, of := range l.sums {
		if slices.ContainsFunc(of, func(x summand) bool {
			return !slices.ContainsFunc(l.worlds, func(w *numbered) bool {
				d := w.defined[x.quantity]
				return d == nil || first(d) >= 0
			})
		}) {
			continue
		}
		if sums = append(sums, of); i < l.octagons {
			octagons++
		}
	}
	l.sums, l.octagons = sums, octagons
	l.alwaysTrue = map[int]bool{}
	for i := range l.atoms {
		for sign := range 2 {
			l.alwaysTrue[2*i+sign] = !slices.ContainsFunc(l.worlds, func(w *numbered) bool {
				c := w.columns[i]
				return c == nil || count(c) != len(w.states)*(1-sign)
			})
		}
	}
	for _, w := range l.worlds {
		w.order = make([][]int32, len(l.sums))
	}
}

// dead reports whether a candidate is false in a state that is assumed reachable.
func (l *linear) dead(c *candidate) bool {
	b := c.bound
	for ; b.checked < len(l.assumed) && !b.dead; b.checked++ {
		w := l.assumed[b.checked]
		states := w.full()
		for _, x := range b.mode.literals {
			w.narrow(states, x, false)
		}
		if b.unreached {
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

// exclude offers bounds that are true in all worlds and false in a state, first for modes with few
// literals. It ends after the number of literals that gives some, or at the limit.
func (l *linear) exclude(
	ctx context.Context, s sample, premise []int, most int, offer func(*candidate) (taken bool),
) {
	x := &excluder{linear: l, state: s, offer: offer, own: -1,
		here: l.number(newWorld(s.structure, s.state))}
	for i, w := range l.worlds {
		if w.model.Instance.Name == s.model.Instance.Name {
			x.own = i
		}
	}
	for i, a := range l.atoms {
		switch {
		case s.holds(a) && !l.alwaysTrue[2*i]:
			x.literals = append(x.literals, 2*i)
		case !l.alwaysTrue[2*i+1] && s.holds(logic.Not(a)) &&
			!(a.Op == logic.OpEq && a.Args[0].Sort.Kind == logic.KindEnum):
			x.literals = append(x.literals, 2*i+1)
		}
	}
	var base []int
	within := l.mode(nil, nil)
	for _, i := range x.literals {
		if slices.Contains(premise, i) {
			base = append(base, i)
			within = l.mode(base, within)
		}
	}
	for _, part := range [][2]int{{0, l.octagons}, {l.octagons, len(l.sums)}} {
		x.from, x.to = part[0], part[1]
		for size := 0; size <= most && (!x.sharp || size <= 2) && ctx.Err() == nil; size++ {
			x.choose(ctx, 0, size, nil, nil)
			if len(base) > 0 && !x.sharp {
				x.choose(ctx, 0, size, base, within)
			}
		}
		if x.found {
			return
		}
	}
}

// excluder looks for bounds that are false in a state.
type excluder struct {
	*linear
	state    sample
	offer    func(*candidate) (taken bool)
	literals []int // true in the state
	here     *numbered
	own      int // the world of the state, -1 if it has none
	from, to int // the sums that are bounded
	found    bool
	sharp    bool // a bound was found that is not loose
}

// choose adds literals, from the one with the number next, to the ones of a mode.
func (x *excluder) choose(ctx context.Context, next, left int, set []int, parent *mode) {
	m := x.mode(set, parent)
	if left > 0 {
		if m.empty() {
			return // a smaller mode covers it
		}
		for i := next; i < len(x.literals) && ctx.Err() == nil; i++ {
			if slices.Contains(set, x.literals[i]) {
				continue
			}
			x.choose(ctx, i+1, left-1, append(set[:len(set):len(set)], x.literals[i]), m)
		}
		return
	}
	if m.empty() {
		x.take(&candidate{term: logic.Not(x.condition(m.literals)), cost: 2 * len(m.literals),
			bound: &bound{mode: m, unreached: true}})
		return
	}
	for i := x.from; i < x.to; i++ {
		v := x.here.top([]uint64{1}, 1, x.sums[i], nil)
		if !v.has {
			continue
		}
		if x.own >= 0 {
			if top := x.known(m, i, x.own, x.to); top.has && v.value <= top.value {
				continue
			}
		}
		for _, c := range x.bounds(m, i) {
			x.take(c)
		}
	}
}

func (x *excluder) take(c *candidate) {
	if !x.dead(c) && c.excludes(x.state) && x.offer(c) {
		x.found = true
		x.sharp = x.sharp || !c.bound.loose
	}
}

// premise lists the literals under which a property is claimed: `calm` in `calm -> !suspected`.
func (l *linear) premise(claim *logic.Term) (out []int) {
	if !l.wide || claim.Op != logic.OpImplies {
		return nil
	}
	for _, c := range logic.Conjuncts(claim.Args[0]) {
		for i, a := range l.atoms {
			switch c.String() {
			case a.String():
				out = append(out, 2*i)
			case logic.Opposite(a).String():
				out = append(out, 2*i+1)
			}
		}
	}
	return out
}

func (l *linear) mode(set []int, parent *mode) *mode {
	key := cubeKey(set)
	m := l.modes[key]
	if m != nil {
		return m
	}
	m = &mode{literals: slices.Clone(set), most: make([][]extreme, len(l.worlds)),
		bounds: map[int][]*candidate{}}
	for i, w := range l.worlds {
		c := w.full()
		if parent != nil {
			c = slices.Clone(parent.states[i])
			w.narrow(c, set[len(set)-1], true)
		}
		m.states = append(m.states, c)
		m.count = append(m.count, count(c))
	}
	l.modes[key] = m
	return m
}

// narrow keeps the states in which a literal is true, or may be.
func (w *numbered) narrow(states []uint64, literal int, maybe bool) {
	column := w.columns[literal/2]
	for k := range states {
		switch {
		case column == nil && maybe:
		case column == nil:
			states[k] = 0
		case literal%2 == 0:
			states[k] &= column[k]
		default:
			states[k] &^= column[k]
		}
	}
}

// empty reports whether no state is in the mode.
func (m *mode) empty() bool {
	return !slices.ContainsFunc(m.count, func(n int) bool { return n > 0 })
}

// grow sets whether bounds are offered that are exact on a ridge only.
func (l *linear) grow(ridges bool) {
	if l.ridges == ridges {
		return
	}
	l.ridges = ridges
	clear(l.fitted)
	for _, m := range l.modes {
		clear(m.bounds)
	}
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

// known is what top gives. It is remembered, for the first sums of the mode and world: which bounds
// exclude a state is asked often, and only about the world of the state.
func (l *linear) known(m *mode, i, world, sums int) *extreme {
	if row := m.most[world]; len(row) < sums {
		m.most[world] = append(row, make([]extreme, sums-len(row))...)
	}
	e := &m.most[world][i]
	if !e.known {
		*e = l.top(m, i, world)
	}
	return e
}

// top is the largest value of a sum in a mode of a world.
func (l *linear) top(m *mode, i, world int) extreme {
	w := l.worlds[world]
	var order []int32 // of many states one is among the first
	if n := m.count[world]; n*n > len(w.states) {
		order = w.ranked(i, l.sums[i])
	}
	return w.top(m.states[world], m.count[world], l.sums[i], order)
}
