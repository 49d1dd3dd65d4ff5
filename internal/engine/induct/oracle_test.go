package induct

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"

	"erelong/internal/logic"
	"erelong/internal/system"
)

// The oracle enumerates all states of a tiny system: a sort with exactly two elements, an enum with two members, the range
// 0..1 and truth values. A value is its number, a function a table of values in the order of its arguments' numbers.

type structure map[*logic.Symbol][]int

// world is what a term speaks of: immutable symbols, inputs and variables, and one structure for each state.
type world struct {
	fixed  structure
	states []structure
	vars   map[*logic.Var]int
}

func (w world) eval(t *logic.Term) int {
	bit := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	arg := func(i int) int { return w.eval(t.Args[i]) }
	switch t.Op {
	case logic.OpTrue:
		return 1
	case logic.OpFalse:
		return 0
	case logic.OpMember:
		return t.Index
	case logic.OpInt:
		return int(t.Int.Int64())
	case logic.OpLt:
		return bit(arg(0) < arg(1))
	case logic.OpLe:
		return bit(arg(0) <= arg(1))
	case logic.OpVar:
		v, ok := w.vars[t.Var]
		if !ok {
			panic("unbound " + t.Var.Name)
		}
		return v
	case logic.OpApp:
		table := w.fixed[t.Symbol]
		if t.Symbol.Mutable {
			table = w.states[t.Step][t.Symbol]
		}
		i := 0
		for _, a := range t.Args {
			i = 2*i + w.eval(a)
		}
		return table[i]
	case logic.OpNot:
		return 1 - arg(0)
	case logic.OpAnd:
		return bit(!slices.ContainsFunc(t.Args, func(a *logic.Term) bool { return w.eval(a) == 0 }))
	case logic.OpOr:
		return bit(slices.ContainsFunc(t.Args, func(a *logic.Term) bool { return w.eval(a) == 1 }))
	case logic.OpImplies:
		return bit(arg(0) == 0 || arg(1) == 1)
	case logic.OpIff, logic.OpEq:
		return bit(arg(0) == arg(1))
	case logic.OpDistinct:
		for i := range t.Args {
			for j := range i {
				if arg(i) == arg(j) {
					return 0
				}
			}
		}
		return 1
	case logic.OpIte:
		if arg(0) == 1 {
			return arg(1)
		}
		return arg(2)
	case logic.OpLet:
		return w.with(t.Vars[0], arg(0)).eval(t.Args[1])
	case logic.OpForall, logic.OpExists:
		want := bit(t.Op == logic.OpExists)
		for values := range product(len(t.Vars)) {
			in := world{w.fixed, w.states, maps.Clone(w.vars)}
			for i, v := range t.Vars {
				in.vars[v] = values[i]
			}
			if in.eval(t.Args[0]) == want {
				return want
			}
		}
		return 1 - want
	}
	panic(fmt.Sprintf("operator %d", t.Op))
}

func (w world) with(v *logic.Var, value int) world {
	vars := maps.Clone(w.vars)
	if vars == nil {
		vars = map[*logic.Var]int{}
	}
	vars[v] = value
	return world{w.fixed, w.states, vars}
}

func (w world) holds(ts ...*logic.Term) bool {
	if w.vars == nil {
		w.vars = map[*logic.Var]int{}
	}
	return !slices.ContainsFunc(ts, func(t *logic.Term) bool { return w.eval(t) == 0 })
}

// product yields all tuples of n bits.
func product(n int) func(func([]int) bool) {
	return func(yield func([]int) bool) {
		for code := range 1 << n {
			tuple := make([]int, n)
			for i := range tuple {
				tuple[i] = code >> i & 1
			}
			if !yield(tuple) {
				return
			}
		}
	}
}

// structures lists all tables for the symbols.
func structures(symbols []*logic.Symbol) []structure {
	out := []structure{{}}
	for _, sym := range symbols {
		var next []structure
		for table := range product(1 << len(sym.Args)) {
			for _, s := range out {
				c := maps.Clone(s)
				c[sym] = table
				next = append(next, c)
			}
		}
		out = next
	}
	return out
}

// oracle answers by enumeration what the engine answers by proof.
type oracle struct {
	sys    *system.System
	fixed  []structure
	states map[int][]structure // by index into fixed: those in which definitions and trusted invariants hold
	steps  map[*system.Action][]transition
}

type transition struct {
	fixed     structure
	pre, post structure
	vars      map[*logic.Var]int
}

func newOracle(sys *system.System) *oracle {
	o := &oracle{sys: sys, states: map[int][]structure{}, steps: map[*system.Action][]transition{}}
	var immutable, mutable []*logic.Symbol
	for _, sym := range sys.Symbols {
		switch {
		case !sym.Mutable:
			immutable = append(immutable, sym)
		case !sym.Derived:
			mutable = append(mutable, sym)
		}
	}
	for _, f := range structures(immutable) {
		w := world{fixed: f}
		if !slices.ContainsFunc(sys.Axioms, func(a *system.Formula) bool { return !w.holds(a.Term) }) {
			o.fixed = append(o.fixed, f)
		}
	}
	for i, f := range o.fixed {
		for _, s := range structures(mutable) {
			for _, d := range sys.Derived {
				table := make([]int, 1<<len(d.Vars))
				for j := range table {
					table[j] = world{f, []structure{s}, map[*logic.Var]int{d.Vars[0]: j}}.eval(d.Body)
				}
				s[d.Symbol] = table
			}
			if o.trusted(f, s) {
				o.states[i] = append(o.states[i], s)
			}
		}
		for _, a := range sys.Actions {
			o.steps[a] = append(o.steps[a], o.transitions(a, f, o.states[i])...)
		}
	}
	return o
}

func (o *oracle) trusted(f, s structure) bool {
	return !slices.ContainsFunc(o.sys.Properties, func(p *system.Property) bool {
		return p.Kind == system.Trusted && !world{fixed: f, states: []structure{s}}.holds(p.Term)
	})
}

func (o *oracle) transitions(a *system.Action, f structure, states []structure) []transition {
	var out []transition
	variables := slices.Concat(a.Params, a.Relation.Choices)
	for _, inputs := range structures(a.Relation.Inputs) {
		fixed := maps.Clone(f)
		maps.Copy(fixed, inputs)
		for _, pre := range states {
			for _, post := range states {
				if !o.framed(a, pre, post) {
					continue
				}
				for values := range product(len(variables)) {
					vars := map[*logic.Var]int{}
					for i, v := range variables {
						vars[v] = values[i]
					}
					w := world{fixed, []structure{pre, post}, vars}
					if !w.holds(a.Relation.Guard...) {
						continue
					}
					fits := true
					for _, u := range a.Relation.Updates {
						equation := logic.Forall(u.Vars, logic.Eq(logic.App(u.Symbol, logic.Post, u.Args...), u.Value))
						fits = fits && w.holds(equation)
					}
					if fits {
						out = append(out, transition{f, pre, post, vars})
					}
				}
			}
		}
	}
	return out
}

// framed reports whether only modified symbols differ.
func (o *oracle) framed(a *system.Action, pre, post structure) bool {
	for _, sym := range o.sys.Symbols {
		if sym.Mutable && !sym.Derived && !slices.Contains(a.Modifies, sym) && !slices.Equal(pre[sym], post[sym]) {
			return false
		}
	}
	return true
}

func (o *oracle) initial(f, s structure) bool {
	return !slices.ContainsFunc(o.sys.Inits, func(i *system.Formula) bool { return !world{fixed: f, states: []structure{s}}.holds(i.Term) })
}

func (o *oracle) hasInitial() bool {
	for i, f := range o.fixed {
		if slices.ContainsFunc(o.states[i], func(s structure) bool { return o.initial(f, s) }) {
			return true
		}
	}
	return false
}

// initiation reports whether the conjunct holds in all initial states.
func (o *oracle) initiation(c *logic.Term) bool {
	for i, f := range o.fixed {
		for _, s := range o.states[i] {
			if o.initial(f, s) && !(world{fixed: f, states: []structure{s}}).holds(c) {
				return false
			}
		}
	}
	return true
}

// consecution reports whether the action preserves the conjunct where the hypotheses hold before.
func (o *oracle) consecution(a *system.Action, c *logic.Term, hypotheses []*system.Property) bool {
	return !slices.ContainsFunc(o.steps[a], func(t transition) bool {
		before := world{fixed: t.fixed, states: []structure{t.pre}}
		for _, h := range hypotheses {
			if !before.holds(h.Term) {
				return false
			}
		}
		return !world{fixed: t.fixed, states: []structure{t.post}}.holds(c)
	})
}

// theorem reports whether a formula of two states is valid; trusted invariants are not assumed, so the system has none.
func (o *oracle) theorem(t *logic.Term) bool {
	for i, f := range o.fixed {
		for _, pre := range o.states[i] {
			for _, post := range o.states[i] {
				if !(world{fixed: f, states: []structure{pre, post}}).holds(t) {
					return false
				}
			}
		}
	}
	return true
}

// possible reports whether the run of a scenario exists.
func (o *oracle) possible(sc *system.Scenario) bool {
	for i, f := range o.fixed {
		var now []structure
		for _, s := range o.states[i] {
			if !startsInitially(sc) || o.initial(f, s) {
				now = append(now, s)
			}
		}
		for _, part := range sc.Parts {
			now = o.advance(part, f, now, o.states[i])
		}
		if len(now) > 0 {
			return true
		}
	}
	return false
}

func (o *oracle) advance(part system.ScenarioPart, f structure, now, all []structure) []structure {
	if part.Assert != nil {
		return slices.DeleteFunc(slices.Clone(now), func(s structure) bool { return !world{fixed: f, states: []structure{s}}.holds(part.Assert) })
	}
	calls := part.Calls
	if part.Any {
		for _, a := range o.sys.Actions {
			calls = append(calls, system.ActionCall{Action: a})
		}
	}
	same := func(a, b structure) bool { return maps.EqualFunc(a, b, slices.Equal[[]int]) }
	var out []structure
	for _, to := range all {
		reached := part.Any && slices.ContainsFunc(now, func(s structure) bool { return same(s, to) }) // a step without change
		for _, c := range calls {
			reached = reached || slices.ContainsFunc(o.steps[c.Action], func(t transition) bool {
				if !same(t.fixed, f) || !same(t.post, to) || !slices.ContainsFunc(now, func(s structure) bool { return same(s, t.pre) }) {
					return false
				}
				for i, arg := range c.Args {
					if arg != nil && (world{f, []structure{t.pre}, nil}).eval(arg) != t.vars[c.Action.Params[i]] {
						return false
					}
				}
				return true
			})
		}
		if reached {
			out = append(out, to)
		}
	}
	return out
}

// generator makes random systems.
type generator struct {
	*rand.Rand
	node, mode, bit *logic.Sort
	mutable         []*logic.Symbol
	all             []*logic.Symbol // all that terms may use
	fresh           int
}

func choose[T any](g *generator, from ...T) T { return from[g.Intn(len(from))] }

// generate makes a system in which everything has two elements.
func generate(seed int64) *system.System {
	g := &generator{Rand: rand.New(rand.NewSource(seed))}
	g.node = &logic.Sort{Kind: logic.KindUninterpreted, Name: "node"}
	g.mode = &logic.Sort{Kind: logic.KindEnum, Name: "mode", Members: []string{"idle", "busy"}}
	g.bit = &logic.Sort{Kind: logic.KindRange, Name: "0..1", Lo: logic.IntLit(0), Hi: logic.IntLit(1)}
	immutable := func(name string, result *logic.Sort, args ...*logic.Sort) *logic.Symbol {
		kind := logic.Relation
		if result != logic.Bool {
			kind = logic.Constant
		}
		return &logic.Symbol{Name: name, Kind: kind, Result: result, Args: args}
	}
	mutable := func(name string, result *logic.Sort, args ...*logic.Sort) *logic.Symbol {
		s := immutable(name, result, args...)
		s.Mutable = true
		return s
	}
	first, second := immutable("first", g.node), immutable("second", g.node)
	big := immutable("big", logic.Bool, g.node)
	level := mutable("level", g.bit)
	candidates := []*logic.Symbol{mutable("flag", logic.Bool), mutable("held", logic.Bool, g.node), mutable("owner", g.node),
		mutable("state", g.mode), level, mutable("buffer", logic.Bool, g.bit)}
	g.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
	g.mutable = candidates[:4]
	sys := &system.System{Name: fmt.Sprintf("generated %d", seed), Sorts: []*logic.Sort{g.node, g.mode}}
	g.all = append([]*logic.Symbol{first, second, big}, g.mutable...)
	x := g.variable(g.node)
	two := logic.And(logic.Distinct(logic.App(first, 0), logic.App(second, 0)),
		logic.Forall([]*logic.Var{x}, logic.Or(logic.Eq(logic.Ref(x), logic.App(first, 0)), logic.Eq(logic.Ref(x), logic.App(second, 0)))))
	sys.Axioms = []*system.Formula{{Term: two}}

	derived := mutable("derived", logic.Bool, g.node)
	derived.Derived = true
	y := g.variable(g.node)
	body := g.formula(2, 1, []*logic.Var{y})
	sys.Derived = []*system.Derived{{
		Symbol: derived, Vars: []*logic.Var{y}, Body: body,
		Axiom: logic.Forall([]*logic.Var{y}, logic.Iff(logic.App(derived, 0, logic.Ref(y)), body)),
	}}
	g.all = append(g.all, derived)
	sys.Symbols = g.all

	for range 1 + g.Intn(3) {
		sys.Inits = append(sys.Inits, &system.Formula{Term: g.formula(2, 1, nil)})
	}
	for i := range 1 + g.Intn(3) {
		sys.Actions = append(sys.Actions, g.action(fmt.Sprintf("act%d", i)))
	}
	kinds := []system.PropertyKind{system.Safety, system.Invariant, system.Invariant}
	// Theorems do not assume declared ranges, so the oracle cannot enumerate the values of level.
	if g.Intn(3) == 0 || slices.Contains(g.mutable, level) {
		kinds = append(kinds, system.Trusted)
	} else {
		kinds = append(kinds, system.Theorem)
	}
	for i, k := range kinds {
		p := &system.Property{Name: fmt.Sprintf("p%d", i), Kind: k}
		switch k {
		case system.Theorem:
			p.States, p.Term = 2, logic.Implies(g.formula(2, 2, nil), g.formula(3, 2, nil))
		case system.Trusted:
			p.Term = logic.Or(g.formula(2, 1, nil), g.formula(2, 1, nil))
		default:
			// Weak formulas are more often inductive.
			p.Term = logic.Or(g.formula(2, 1, nil), g.formula(1, 1, nil), g.formula(1, 1, nil))
			if g.Intn(2) == 0 {
				p.Term = logic.And(p.Term, logic.Or(g.formula(2, 1, nil), g.formula(2, 1, nil)))
			}
		}
		sys.Properties = append(sys.Properties, p)
	}
	if slices.Contains(g.mutable, level) {
		sys.Properties = append(sys.Properties, &system.Property{Name: "range", Kind: system.Range, Term: logic.InSort(g.bit, logic.App(level, 0))})
	}
	if last := sys.Actions[len(sys.Actions)-1]; g.Intn(2) == 0 {
		// Now other properties may depend on this one: without it the action can be taken.
		last.Relation.Guard = append(last.Relation.Guard, logic.Not(sys.Properties[1].Term))
	}
	for i := range 2 {
		sys.Scenarios = append(sys.Scenarios, g.scenario(fmt.Sprintf("run%d", i), sys.Actions))
	}
	return sys
}

func (g *generator) variable(s *logic.Sort) *logic.Var {
	g.fresh++
	return &logic.Var{Name: choose(g, "X", "Y", fmt.Sprintf("V%d", g.fresh)), Sort: s}
}

// term makes a term of a sort over the given number of states.
func (g *generator) term(s *logic.Sort, depth, states int, vars []*logic.Var) *logic.Term {
	if s == logic.Bool {
		return g.formula(depth, states, vars)
	}
	var options []func() *logic.Term
	for _, v := range vars {
		if v.Sort == s {
			options = append(options, func() *logic.Term { return logic.Ref(v) })
		}
	}
	for _, sym := range g.all {
		if sym.Result == s {
			options = append(options, func() *logic.Term { return logic.App(sym, g.Intn(states)) })
		}
	}
	if s == g.bit {
		options = append(options, func() *logic.Term { return logic.IntLit(int64(g.Intn(2))) })
	}
	if s == g.mode {
		options = append(options, func() *logic.Term { return logic.Member(g.mode, g.Intn(2)) })
	}
	if depth > 0 {
		options = append(options, func() *logic.Term {
			return logic.Ite(g.formula(depth-1, states, vars), g.term(s, depth-1, states, vars), g.term(s, depth-1, states, vars))
		})
	}
	return choose(g, options...)()
}

func (g *generator) formula(depth, states int, vars []*logic.Var) *logic.Term {
	sub := func() *logic.Term { return g.formula(depth-1, states, vars) }
	if depth == 0 || g.Intn(5) == 0 {
		if g.Intn(3) == 0 {
			s := choose(g, g.node, g.mode, g.bit)
			if s == g.bit && g.Intn(2) == 0 {
				return choose(g, logic.Lt, logic.Le)(g.term(s, 0, states, vars), g.term(s, 0, states, vars))
			}
			return logic.Eq(g.term(s, 0, states, vars), g.term(s, 0, states, vars))
		}
		for {
			sym := choose(g, g.all...)
			if sym.Result != logic.Bool {
				continue
			}
			args := make([]*logic.Term, len(sym.Args))
			for i, a := range sym.Args {
				args[i] = g.term(a, 0, states, vars)
			}
			return logic.App(sym, g.Intn(states), args...)
		}
	}
	switch g.Intn(9) {
	case 0:
		return logic.Not(sub())
	case 1:
		return logic.And(sub(), sub())
	case 2:
		return logic.Or(sub(), sub())
	case 3:
		return logic.Implies(sub(), sub())
	case 4:
		return logic.Iff(sub(), sub())
	case 5:
		v := g.variable(choose(g, g.node, g.mode, g.bit, logic.Bool))
		return logic.Let(v, g.term(v.Sort, depth-1, states, vars), g.formula(depth-1, states, append(slices.Clone(vars), v)))
	case 6:
		return logic.Ite(sub(), sub(), sub())
	}
	bound := []*logic.Var{g.variable(choose(g, g.node, g.mode, g.bit))}
	if g.Intn(3) == 0 {
		bound = append(bound, g.variable(g.node))
	}
	body := g.formula(depth-1, states, append(slices.Clone(vars), bound...))
	if g.Intn(2) == 0 {
		return logic.Forall(bound, body)
	}
	return logic.Exists(bound, body)
}

// action modifies some symbols: by updates in a random order, and sometimes one by the guards alone.
func (g *generator) action(name string) *system.Action {
	a := &system.Action{Name: name, Relation: &system.Relation{}}
	if g.Intn(2) == 0 {
		a.Params = append(a.Params, &logic.Var{Name: "p", Sort: choose(g, g.node, g.mode, g.bit)})
	}
	if g.Intn(3) == 0 {
		a.Relation.Choices = append(a.Relation.Choices, &logic.Var{Name: "c", Sort: choose(g, g.node, g.bit)})
	}
	vars := slices.Concat(a.Params, a.Relation.Choices)
	symbols := slices.Clone(g.all)
	if g.Intn(3) == 0 {
		in := &logic.Symbol{Name: "any_" + name, Args: []*logic.Sort{choose(g, g.node, g.bit)}, Result: logic.Bool}
		a.Relation.Inputs = append(a.Relation.Inputs, in)
		g.all = append(g.all, in)
	}
	defer func() { g.all = symbols }()
	for range 1 + g.Intn(2) {
		a.Relation.Guard = append(a.Relation.Guard, g.formula(2, 1, vars))
	}
	var updated []*logic.Symbol
	for _, i := range g.Perm(len(g.mutable))[:1+g.Intn(2)] {
		sym := g.mutable[i]
		a.Modifies = append(a.Modifies, sym)
		if g.Intn(5) == 0 {
			a.Relation.Guard = append(a.Relation.Guard, g.inRange(sym), logic.Or(g.formula(2, 1, vars), g.post(g.formula(2, 2, vars), a.Modifies)))
			continue
		}
		u := system.Update{Symbol: sym, Value: nil}
		for _, s := range sym.Args {
			u.Vars = append(u.Vars, &logic.Var{Name: "A", Sort: s})
		}
		u.Args = logic.Refs(u.Vars)
		u.Value = g.post(g.term(sym.Result, 2, 2, append(slices.Clone(vars), u.Vars...)), updated)
		a.Relation.Updates = append(a.Relation.Updates, u)
		updated = append(updated, sym)
	}
	return a
}

// inRange says that the new value of a symbol lies in its range.
func (g *generator) inRange(sym *logic.Symbol) *logic.Term {
	if sym.Result != g.bit {
		return logic.True
	}
	return logic.InSort(g.bit, logic.App(sym, logic.Post))
}

// post lets a term read the new values of some symbols only, and the old values of the others.
func (g *generator) post(t *logic.Term, of []*logic.Symbol) *logic.Term {
	return logic.Map(t, func(t *logic.Term) *logic.Term {
		if t.Op == logic.OpApp && t.Step == logic.Post && !slices.Contains(of, t.Symbol) {
			return logic.App(t.Symbol, logic.Pre, t.Args...)
		}
		return t
	})
}

func (g *generator) scenario(name string, actions []*system.Action) *system.Scenario {
	sc := &system.Scenario{Name: name, Sat: g.Intn(2) == 0}
	if g.Intn(2) == 0 {
		sc.Parts = append(sc.Parts, system.ScenarioPart{Assert: g.formula(2, 1, nil)})
	}
	for range 1 + g.Intn(3) {
		part := system.ScenarioPart{Any: g.Intn(3) == 0}
		if !part.Any {
			for range 1 + g.Intn(2) {
				c := system.ActionCall{Action: choose(g, actions...)}
				if g.Intn(2) == 0 {
					for _, v := range c.Action.Params {
						c.Args = append(c.Args, choose(g, nil, g.term(v.Sort, 1, 1, nil)))
					}
				}
				part.Calls = append(part.Calls, c)
			}
		}
		sc.Parts = append(sc.Parts, part)
	}
	sc.Parts = append(sc.Parts, system.ScenarioPart{Assert: g.formula(3, 1, nil)})
	return sc
}
