package induction

import (
	"fmt"
	"maps"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// The oracle enumerates all states of a tiny system: a sort with exactly two elements, an enum with
// two members, the range 0..1 and truth values. A value is its number, a function a table of values
// in the order of its arguments' numbers.

type structure map[*logic.Symbol][]int

// world interprets a term: immutable symbols, inputs and variables, and one structure for each
// state.
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
	case logic.OpAdd:
		return arg(0) + arg(1)
	case logic.OpDiv: // of a number that is not negative
		return arg(0) / int(t.Args[1].Int.Int64())
	case logic.OpMod:
		return arg(0) % int(t.Args[1].Int.Int64())
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

// oracle answers the engine's questions by enumeration.
type oracle struct {
	sys   *system.System
	fixed []structure
	// By index into fixed: the states in which definitions and trusted invariants hold.
	states map[int][]structure
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
		if !slices.ContainsFunc(sys.Axioms, func(a *system.Formula) bool {
			return !w.holds(a.Term)
		}) {
			o.fixed = append(o.fixed, f)
		}
	}
	for i, f := range o.fixed {
		for _, s := range structures(mutable) {
			for _, d := range sys.Derived {
				table := make([]int, 1<<len(d.Vars))
				for j := range table {
					table[j] = world{f, []structure{s},
						map[*logic.Var]int{d.Vars[0]: j}}.eval(d.Body)
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
						equation := logic.Forall(u.Vars,
							logic.Eq(logic.App(u.Symbol, logic.Post, u.Args...), u.Value))
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
		if sym.Mutable && !sym.Derived && !slices.Contains(a.Modifies, sym) &&
			!slices.Equal(pre[sym], post[sym]) {
			return false
		}
	}
	return true
}

func (o *oracle) initial(f, s structure) bool {
	return !slices.ContainsFunc(o.sys.Inits, func(i *system.Formula) bool {
		return !world{fixed: f, states: []structure{s}}.holds(i.Term)
	})
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

// theorem reports whether a formula of two states is valid; trusted invariants are not assumed, so
// the system has none.
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
		for _, part := range sc.Components {
			now = o.advance(part, f, now, o.states[i])
		}
		if len(now) > 0 {
			return true
		}
	}
	return false
}

func (o *oracle) advance(
	part system.ScenarioComponent, f structure, now, all []structure,
) []structure {
	if part.Assert != nil {
		return slices.DeleteFunc(slices.Clone(now), func(s structure) bool {
			return !world{fixed: f, states: []structure{s}}.holds(part.Assert)
		})
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
		// a step without change
		reached := part.Any && slices.ContainsFunc(now, func(s structure) bool {
			return same(s, to)
		})
		for _, c := range calls {
			reached = reached || slices.ContainsFunc(o.steps[c.Action], func(t transition) bool {
				if !same(t.fixed, f) || !same(t.post, to) || !slices.ContainsFunc(now, func(
					s structure,
				) bool {
					return same(s, t.pre)
				}) {
					return false
				}
				for i, arg := range c.Args {
					if arg != nil &&
						(world{f, []structure{t.pre}, nil}).eval(arg) !=
							t.vars[c.Action.Params[i]] {
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
