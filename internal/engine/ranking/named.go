package ranking

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// named gives hints that nobody wrote about the values that guards name. A guard asks f(x) = t of a
// value x, such as the item with the next number, and an invariant or an axiom says when there is
// such a value: forall Y. c(Y) -> exists X. f(X) = Y. The hints are, for each fair action with such
// a guard,
//
//   - that value x, where c(t): so its existence follows from one instance of that formula, and no
//     other question needs the formula;
//   - whether what else the guard asks of x is true.
//
// The result is nil where no guard names a value.
func named(sys *system.System, prop *system.Property, own *system.Ranking) *system.Ranking {
	out := added(prop, own)
	before := len(out.Choices)
	known := existences(sys)
	for _, a := range sys.Actions {
		if a.Fairness == system.Unfair || len(known) == 0 {
			continue
		}
		if g := guardOf(sys, a); g != nil {
			w := &waited{a, due(a, g.plain)}
			for _, p := range a.Params {
				if len(out.Choices) < before+maxGuesses {
					w.name(p, known, out)
				}
			}
		}
	}
	if len(out.Choices) == before {
		return nil
	}
	return out
}

// existence says that each value with which a condition is true is a value of a function.
type existence struct {
	of    *logic.Symbol // no step changes it
	value *logic.Var
	when  *logic.Term // over the value
}

// existences are the ones that the axioms and the invariants of a system state.
func existences(sys *system.System) (out []*existence) {
	var stated []*logic.Term
	for _, a := range sys.Axioms {
		stated = append(stated, logic.Conjuncts(a.Term)...)
	}
	for _, p := range sys.Properties {
		if p.IsInvariant() {
			stated = append(stated, logic.Conjuncts(p.Term)...)
		}
	}
	for _, c := range stated {
		if c.Op != logic.OpForall || len(c.Vars) != 1 {
			continue
		}
		when, body := logic.InSort(c.Vars[0].Sort, logic.Ref(c.Vars[0])), c.Args[0]
		if body.Op == logic.OpImplies {
			when, body = logic.And(when, body.Args[0]), body.Args[1]
		}
		if body.Op != logic.OpExists || len(body.Vars) != 1 || body.Args[0].Op != logic.OpEq {
			continue
		}
		x, sides := body.Vars[0], body.Args[0].Args
		for i, t := range sides {
			if t.Op == logic.OpApp && !t.Symbol.Mutable && of(t.Symbol, x, t) &&
				logic.Equal(sides[1-i], logic.Ref(c.Vars[0])) {
				out = append(out, &existence{t.Symbol, c.Vars[0], when})
			}
		}
	}
	return out
}

// of reports whether a term is f(x).
func of(f *logic.Symbol, x *logic.Var, t *logic.Term) bool {
	return t.Op == logic.OpApp && t.Symbol == f && len(t.Args) == 1 &&
		logic.Equal(t.Args[0], logic.Ref(x))
}

// name adds the value that the guard names by a parameter, and whether the rest of what the guard
// asks of it is true.
func (w *waited) name(p *logic.Var, known []*existence, to *system.Ranking) {
	conjuncts := logic.Conjuncts(w.guard)
	for i, c := range conjuncts {
		for _, e := range known {
			value := e.asked(p, c)
			if value == nil || len(logic.FreeVars(value)) > 0 {
				continue
			}
			v := &logic.Var{Name: w.action.Name + "_" + p.Name, Sort: p.Sort}
			is := func(t *logic.Term) *logic.Term {
				return instantiate(t, []*logic.Var{p}, logic.Refs([]*logic.Var{v}))
			}
			when := instantiate(e.when, []*logic.Var{e.value}, []*logic.Term{value})
			to.Choices = append(to.Choices,
				&system.Selection{Vars: []*logic.Var{v}, Such: logic.Implies(when, is(c))})
			var rest []*logic.Term
			for j, d := range conjuncts {
				if j != i && slices.Equal(logic.FreeVars(d), []*logic.Var{p}) {
					rest = append(rest, d)
				}
			}
			if len(rest) > 0 {
				to.Measures = append(to.Measures, system.MeasureOf(logic.Ite(
					is(logic.And(rest...)), logic.IntLit(0), logic.IntLit(1))))
			}
			return
		}
	}
}

// asked is the value that f(x) has where a formula is true, if the formula is an equation of f(x),
// or of f(x) and a number that is added; else nil.
func (e *existence) asked(x *logic.Var, c *logic.Term) *logic.Term {
	if c.Op != logic.OpEq {
		return nil
	}
	for i, side := range c.Args {
		other := c.Args[1-i]
		switch {
		case of(e.of, x, side):
			return other
		case side.Op == logic.OpSub && of(e.of, x, side.Args[0]):
			return logic.Add(other, side.Args[1])
		case side.Op == logic.OpAdd && len(side.Args) == 2:
			for j, t := range side.Args {
				if of(e.of, x, t) {
					return logic.Sub(other, side.Args[1-j])
				}
			}
		}
	}
	return nil
}
