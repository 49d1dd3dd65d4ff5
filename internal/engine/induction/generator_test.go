package induction

import (
	"fmt"
	"math/rand"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

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
	g.bit = &logic.Sort{Kind: logic.KindRange, Name: "0..1", Lo: logic.IntLit(0),
		Hi: logic.IntLit(1)}
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
	candidates := []*logic.Symbol{mutable("flag", logic.Bool), mutable("held", logic.Bool, g.node),
		mutable("owner", g.node),
		mutable("state", g.mode), level, mutable("buffer", logic.Bool, g.bit)}
	g.Shuffle(len(candidates), func(i, j int) {
		candidates[i], candidates[j] = candidates[j], candidates[i]
	})
	g.mutable = candidates[:4]
	sys := &system.System{Name: fmt.Sprintf("generated %d", seed),
		Sorts: []*logic.Sort{g.node, g.mode}}
	g.all = append([]*logic.Symbol{first, second, big}, g.mutable...)
	x := g.variable(g.node)
	two := logic.And(logic.Distinct(logic.App(first, 0), logic.App(second, 0)),
		logic.Forall([]*logic.Var{x},
			logic.Or(logic.Eq(logic.Ref(x), logic.App(first, 0)),
				logic.Eq(logic.Ref(x), logic.App(second, 0)))))
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
		sys.Properties = append(sys.Properties,
			&system.Property{Name: "range", Kind: system.Range,
				Term: logic.InSort(g.bit, logic.App(level, 0))})
	}
	if last := sys.Actions[len(sys.Actions)-1]; g.Intn(2) == 0 {
		// Now other properties may depend on this one: the action can be taken only where it is
		// false.
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
		if depth > 0 {
			options = append(options, func() *logic.Term {
				sum := logic.Add(g.term(s, depth-1, states, vars), g.term(s, depth-1, states, vars))
				return choose(g, logic.Mod, logic.Div)(sum, 2)
			})
		}
	}
	if s == g.mode {
		options = append(options, func() *logic.Term { return logic.Member(g.mode, g.Intn(2)) })
	}
	if depth > 0 {
		options = append(options, func() *logic.Term {
			return logic.Ite(g.formula(depth-1, states, vars), g.term(s, depth-1, states, vars),
				g.term(s, depth-1, states, vars))
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
				return choose(g, logic.Lt, logic.Le)(g.term(s, 0, states, vars),
					g.term(s, 0, states, vars))
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
		return logic.Let(v, g.term(v.Sort, depth-1, states, vars),
			g.formula(depth-1, states, append(slices.Clone(vars), v)))
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

// action modifies some symbols: by updates in a random order, and sometimes one symbol by the
// guards alone.
func (g *generator) action(name string) *system.Action {
	a := &system.Action{Name: name, Relation: &system.Relation{}}
	if g.Intn(2) == 0 {
		a.Params = append(a.Params, &logic.Var{Name: "p", Sort: choose(g, g.node, g.mode, g.bit)})
	}
	if g.Intn(3) == 0 {
		a.Relation.Choices = append(a.Relation.Choices,
			&logic.Var{Name: "c", Sort: choose(g, g.node, g.bit)})
	}
	vars := slices.Concat(a.Params, a.Relation.Choices)
	symbols := slices.Clone(g.all)
	if g.Intn(3) == 0 {
		in := &logic.Symbol{Name: "any_" + name, Args: []*logic.Sort{choose(g, g.node, g.bit)},
			Result: logic.Bool}
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
			a.Relation.Guard = append(a.Relation.Guard, g.inRange(sym),
				logic.Or(g.formula(2, 1, vars), g.post(g.formula(2, 2, vars), a.Modifies)))
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

// inRange is true when the new value of a symbol lies in its range.
func (g *generator) inRange(sym *logic.Symbol) *logic.Term {
	if sym.Result != g.bit {
		return logic.True
	}
	return logic.InSort(g.bit, logic.App(sym, logic.Post))
}

// post lets a term read the new values of some symbols, and the old values of all others.
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
		sc.Components = append(sc.Components,
			system.ScenarioComponent{Assert: g.formula(2, 1, nil)})
	}
	for range 1 + g.Intn(3) {
		part := system.ScenarioComponent{Any: g.Intn(3) == 0}
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
		sc.Components = append(sc.Components, part)
	}
	sc.Components = append(sc.Components, system.ScenarioComponent{Assert: g.formula(3, 1, nil)})
	return sc
}
