package accel

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/presburger"
	"erelong.dev/erelong/internal/system"
)

// branch is a part of an action: what is required, and the new values that are known.
type branch struct {
	when []*logic.Term
	to   map[*logic.Symbol]*logic.Term
}

// action adds the edges of an action from a place.
func (b *builder) action(from, k int, a *system.Action) error {
	v := b.at(from)
	// Chosen values of few values are tried.
	subst := []map[*logic.Var]*logic.Term{{}}
	for _, c := range slices.Concat(a.Params, a.Relation.Choices) {
		if c.Sort == logic.Int {
			continue
		}
		var more []map[*logic.Var]*logic.Term
		for _, old := range subst {
			for _, x := range members(c.Sort) {
				m := map[*logic.Var]*logic.Term{c: logic.Literal(c.Sort, x)}
				for v, t := range old {
					m[v] = t
				}
				more = append(more, m)
			}
		}
		if subst = more; len(subst) > mostCases {
			return refuse("%s has more than %d choices", a.Name, mostCases)
		}
	}
	for _, chosen := range subst {
		plain := func(t *logic.Term) *logic.Term {
			return v.fold(logic.Subst(logic.Unfolded(t), chosen))
		}
		guard := []*logic.Term{}
		for _, g := range a.Relation.Guard {
			if logic.MaxStep(g) > logic.Pre {
				return refuse("%s of %s is about the state before and after", g, a.Name)
			}
			guard = append(guard, plain(g))
		}
		all := []branch{{guard, map[*logic.Symbol]*logic.Term{}}}
		if logic.And(guard...).IsFalse() {
			continue
		}
		for _, s := range a.Modifies {
			var value *logic.Term
			for _, u := range a.Relation.Updates {
				if u.Symbol == s {
					value = plain(b.early(a, u.Value))
				}
			}
			var err error
			if all, err = b.branches(all, s, value, a); err != nil {
				return err
			}
		}
		for _, x := range all {
			if err := b.edge(from, k, a, v, x); err != nil {
				return err
			}
		}
	}
	return nil
}

// early puts the values of earlier updates in place of new values.
func (b *builder) early(a *system.Action, t *logic.Term) *logic.Term {
	return logic.Map(t, func(t *logic.Term) *logic.Term {
		if t.Op == logic.OpApp && t.Step == logic.Post {
			if !slices.Contains(a.Modifies, t.Symbol) {
				return logic.App(t.Symbol, logic.Pre)
			}
			for _, u := range a.Relation.Updates {
				if u.Symbol == t.Symbol {
					return b.early(a, u.Value)
				}
			}
		}
		return t
	})
}

// branches gives a symbol its new value, in each of the branches so far: nil for any value.
func (b *builder) branches(
	all []branch, s *logic.Symbol, value *logic.Term, a *system.Action,
) (out []branch, err error) {
	var options []choice
	switch {
	case slices.Contains(b.vars, s):
		options = []choice{{logic.True, value}}
		if value != nil {
			var ok bool
			if options, ok = cases(value); !ok {
				return nil, refuse("%s of %s has more than %d cases", value, a.Name, mostCases)
			}
		}
	case value == nil:
		for _, x := range members(s.Result) {
			options = append(options, choice{logic.True, logic.Literal(s.Result, x)})
		}
	case s.Result == logic.Bool:
		options = []choice{{value, logic.True}, {logic.Not(value), logic.False}}
	default:
		var ok bool
		if options, ok = cases(value); !ok {
			return nil, refuse("%s of %s has more than %d cases", value, a.Name, mostCases)
		}
		for _, o := range options {
			if _, ok := literal(o.value); !ok {
				return nil, refuse("the new value of %s in %s is not known", s.Name, a.Name)
			}
		}
	}
	for _, x := range all {
		for _, o := range options {
			if o.when.IsFalse() {
				continue
			}
			to := map[*logic.Symbol]*logic.Term{s: o.value}
			for t, v := range x.to {
				to[t] = v
			}
			out = append(out, branch{append(slices.Clip(x.when), o.when), to})
		}
	}
	if len(out) > mostEdges {
		return nil, refuse("%s has more than %d branches", a.Name, mostEdges)
	}
	return out, nil
}

// edge adds the edges of a branch: one for each disjunct of its guard.
func (b *builder) edge(from, k int, a *system.Action, v values, x branch) error {
	e := edge{from: from, action: k, convex: true, f: presburger.Identity(len(b.space))}
	when := logic.And(x.when...)
	for i, s := range b.vars {
		value, given := x.to[s]
		switch {
		case !given:
		case value == nil || b.chosen(a, value, when):
			e.any = append(e.any, i)
		default:
			l, ok := b.linear(value)
			if !ok {
				return refuse("the new value %s of %s in %s is not linear", value, s.Name, a.Name)
			}
			e.f[i] = l
		}
	}
	for s, value := range x.to {
		if i := slices.Index(b.control, s); i >= 0 {
			n, ok := literal(value)
			if !ok {
				return refuse("the new value of %s in %s is not known", s.Name, a.Name)
			}
			v[s] = n
		}
	}
	to := b.place(v)
	for s := range x.to {
		if i := slices.Index(b.control, s); i >= 0 {
			v[s] = b.places[from][i]
		}
	}
	parts := disjuncts(when, true)
	if parts == nil {
		parts, e.convex = [][]*logic.Term{{when}}, false
	}
	for _, p := range parts {
		own := e
		own.to = to
		var err error
		if own.guard, err = b.set(logic.And(p...)); err != nil {
			return err
		}
		if !own.guard.IsEmpty() {
			b.edges = append(b.edges, &own)
		}
	}
	return nil
}

// chosen reports whether a value is any integer, which nothing else in the action is about.
func (b *builder) chosen(a *system.Action, value, when *logic.Term) bool {
	is := func(t *logic.Term) bool { // value is a symbol or a variable
		return t.Op == value.Op && t.Symbol == value.Symbol && t.Var == value.Var
	}
	switch {
	case value.Op == logic.OpApp && slices.Contains(a.Relation.Inputs, value.Symbol):
	case value.Op == logic.OpVar && value.Sort == logic.Int:
	default:
		return false
	}
	count := 0
	look := func(t *logic.Term) bool {
		if is(t) {
			count++
		}
		return true
	}
	logic.Walk(when, look)
	for _, u := range a.Relation.Updates {
		logic.Walk(u.Value, look)
	}
	return count == 1
}
