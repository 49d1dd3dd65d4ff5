package ranking

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// mostEstablished bounds the formulas that are asked about together.
const mostEstablished = 60

// Established finds invariants that say what the steps of actions have established:
//
//   - where the condition of an `if` is true, what it assigns is so;
//   - where that is so, the condition is true;
//   - where a relation is true of some values, it is true with any value for one of them, as after
//     a step that assigns it for all;
//   - where a relation is true, so is another one of the same values.
//
// Seldom is such a formula true of all values. Where a step of an action without fairness makes it
// false, it becomes weaker: the values are exempt for which the guard of that action is true, as
// far as no step changes that. Of a node that may send to some others only, it is not said that it
// sends to all or to none. A proof of liveness is about the values with which fair actions are
// taken, so no fair action exempts any. Which steps make a formula false is seen on instances,
// among formulas that are inductive together there. As far as questions at a low limit show, the
// result is inductive beside the invariants of the system. It trusts these, so this is no proof.
func Established(
	ctx context.Context, sys *system.System, prop *system.Property, instances []*system.Instance,
	opts discharge.Options,
) ([]*system.Property, error) {
	sys, of := normal(sys, prop)
	prop = of[0]
	e := &establishing{sys: sys, prop: prop, fresh: freshNames(sys, prop),
		claims: map[*system.Property]*exempting{}}
	var inits []*logic.Term
	for _, f := range sys.Inits {
		inits = append(inits, f.Term)
	}
	var open []*system.Property
	for _, c := range slices.Concat(ofBranches(sys), ofRelations(sys)) {
		p := e.property(c)
		if len(open) < mostEstablished && !independent(ctx, sys, instances, inits, p.Term) {
			open = e.strongest(append(open, p))
		}
	}
	open, err := inductive(ctx, sys, preserved(ctx, sys, instances, open, e.weaker), opts,
		question)
	if err != nil {
		return nil, err
	}
	open, err = needed(ctx, sys, open, instances, opts)
	fresh := freshNames(sys, prop)
	for _, p := range open {
		p.Name = fresh()
	}
	return open, err
}

// exempting is a formula about all values that are not exempt.
type exempting struct {
	vars   []*logic.Var
	base   *logic.Term
	exempt []*logic.Term
}

func (c *exempting) term() *logic.Term {
	return logic.Forall(c.vars, logic.Or(append(slices.Clone(c.exempt), c.base)...))
}

// says reports whether a formula says at least what another one says: the same, with no more that
// is exempt.
func (c *exempting) says(d *exempting) bool {
	return logic.Equal(logic.Forall(c.vars, c.base), logic.Forall(d.vars, d.base)) &&
		!slices.ContainsFunc(c.exempt, func(t *logic.Term) bool {
			mine := logic.Forall(c.vars, t)
			return !slices.ContainsFunc(d.exempt, func(u *logic.Term) bool {
				return logic.Equal(mine, logic.Forall(d.vars, u))
			})
		})
}

// establishing has the formulas of one search.
type establishing struct {
	sys    *system.System
	prop   *system.Property
	fresh  func() string
	claims map[*system.Property]*exempting
}

func (e *establishing) property(c *exempting) *system.Property {
	p := &system.Property{Name: e.fresh(), Kind: system.Invariant, Term: c.term(),
		Span: e.prop.Span}
	e.claims[p] = c
	return p
}

// strongest leaves out what another formula says, too.
func (e *establishing) strongest(open []*system.Property) []*system.Property {
	for _, p := range slices.Backward(slices.Clone(open)) {
		if slices.ContainsFunc(open, func(q *system.Property) bool {
			return q != p && e.claims[q].says(e.claims[p])
		}) {
			open = slices.DeleteFunc(slices.Clone(open), func(q *system.Property) bool {
				return q == p
			})
		}
	}
	return open
}

// weaker gives what is left of formulas after a step of an action: all that are true after it, and
// each way to exempt values from the others so that they are.
func (e *establishing) weaker(
	open []*system.Property, m *interp.Model, step interp.Step,
) (left []*system.Property) {
	holds := func(t *logic.Term) bool {
		ok, err := m.Holds(t, step.State)
		return err != nil || ok
	}
	for _, p := range open {
		if holds(p.Term) {
			left = append(left, p)
			continue
		}
		c := e.claims[p]
		for _, t := range allows(e.sys, step.Action, c.vars) {
			more := &exempting{c.vars, c.base, append(slices.Clone(c.exempt), t)}
			if holds(more.term()) {
				left = append(left, e.property(more))
			}
		}
	}
	left = e.strongest(left)
	return left[:min(len(left), mostEstablished)]
}

// allows states what the guard of an action without fairness asks of its parameters, as far as no
// step changes it: once for each way to put variables in place of the parameters.
func allows(sys *system.System, a *system.Action, vars []*logic.Var) (out []*logic.Term) {
	if a.Fairness != system.Unfair {
		return nil
	}
	g := guardOf(sys, a)
	if g == nil {
		return nil
	}
	var asked []*logic.Term
	for _, c := range logic.Conjuncts(g.plain) {
		if logic.MaxStep(c) < logic.Pre && mentions(c, a.Params) {
			asked = append(asked, c)
		}
	}
	ever := logic.And(asked...)
	var each func(params []*logic.Var, t *logic.Term)
	each = func(params []*logic.Var, t *logic.Term) {
		if len(params) == 0 {
			out = append(out, logic.Or(logic.Disjuncts(t)...))
			return
		}
		for _, v := range vars {
			if logic.SameSort(v.Sort, params[0].Sort) {
				each(params[1:], instantiate(t, params[:1], []*logic.Term{logic.Ref(v)}))
			}
		}
	}
	if len(asked) > 0 {
		each(logic.FreeVars(ever), ever)
	}
	return out
}

// ofBranches says of each `if` of an action that its condition is true where what it assigns is so,
// and the other way round.
func ofBranches(sys *system.System) (out []*exempting) {
	for _, a := range sys.Actions {
		var walk func(block []system.Stmt, when []*logic.Term)
		walk = func(block []system.Stmt, when []*logic.Term) {
			for _, stmt := range block {
				switch stmt := stmt.(type) {
				case system.If:
					walk(stmt.Then, append(slices.Clone(when), stmt.Cond))
					walk(stmt.Else, append(slices.Clone(when), logic.Not(stmt.Cond)))
				case system.Assign:
					for _, u := range stmt.Updates {
						out = append(out, ofBranch(a, logic.And(when...), u)...)
					}
				}
			}
		}
		walk(a.Code, nil)
	}
	return out
}

// ofBranch says of one assignment under a condition that each implies the other.
func ofBranch(a *system.Action, when *logic.Term, u system.Update) []*exempting {
	is := logic.Eq(logic.App(u.Symbol, logic.Post, u.Args...), u.Value)
	simple := u.Value.IsTrue() || u.Value.IsFalse() || u.Value.Op == logic.OpMember
	if when.IsTrue() || u.Symbol.Ghost || u.Symbol.Derived || !simple {
		return nil
	}
	both := logic.And(when, is)
	vars := logic.FreeVars(both)
	old := logic.Has(both, func(t *logic.Term) bool {
		return t.Op == logic.OpApp && t.Symbol.Mutable && t.Step == logic.Pre
	})
	known := slices.Concat(a.Params, u.Vars)
	if old || slices.ContainsFunc(vars, func(v *logic.Var) bool {
		return !slices.Contains(known, v) || v.Sort == logic.Int
	}) {
		return nil
	}
	when, is = logic.Shift(when, -1), logic.Shift(is, -1)
	return []*exempting{{vars: vars, base: logic.Implies(when, is)},
		{vars: vars, base: logic.Implies(is, when)}}
}

// ofRelations says of each relation that it is true with any value for one argument where it is
// true with some, and that it implies the others that have the same sorts.
func ofRelations(sys *system.System) (out []*exempting) {
	var relations []*logic.Term
	for _, sym := range sys.Symbols {
		if sym.Mutable && !sym.Ghost && !sym.Derived && sym.Result == logic.Bool &&
			len(sym.Args) > 0 && !slices.Contains(sym.Args, logic.Int) {
			relations = append(relations,
				logic.App(sym, logic.Pre, logic.Refs(tuple(sym.Args, "V"))...))
		}
	}
	for _, r := range relations {
		vars, sorts := logic.FreeVars(r), r.Symbol.Args
		for i, other := range tuple(sorts, "W") {
			any := instantiate(r, vars[i:i+1], []*logic.Term{logic.Ref(other)})
			out = append(out, &exempting{vars: append(slices.Clone(vars), other),
				base: logic.Implies(r, any)})
		}
		for _, q := range relations {
			if q != r && slices.EqualFunc(q.Symbol.Args, sorts, logic.SameSort) {
				out = append(out, &exempting{vars: vars,
					base: logic.Implies(r, logic.App(q.Symbol, logic.Pre, r.Args...))})
			}
		}
	}
	return out
}
