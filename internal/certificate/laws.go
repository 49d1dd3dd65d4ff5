package certificate

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// The laws of sums, sizes and greatest values, and of recursive relations, are stated by package
// system. A certificate trusts that they are true of every instance in which what is counted is
// finite.

// know assumes the laws of all folds and recursive relations in the states numbered from 0, of
// which there are some, each and any two of them. Move gives a formula over these states its place.
func (t *theory) know(sys *system.System, states int, move func(*logic.Term) *logic.Term) {
	type copyOf struct {
		fold  *system.Derived
		state int
	}
	var all []copyOf
	add := func(laws []system.Law, states ...int) {
		for _, l := range laws {
			t.laws = append(t.laws, l.Map(func(x *logic.Term) *logic.Term {
				return move(inStates(x, states))
			}))
		}
	}
	for state := range states {
		for _, d := range sys.Folds() {
			add(d.Laws(), state)
			for _, other := range append(all, copyOf{d, state}) {
				add(system.Compare(other.fold, d), other.state, state)
			}
			all = append(all, copyOf{d, state})
		}
		add(sys.Splits(), state)
		for _, d := range sys.Recursive() {
			for before := range state {
				add(d.Lasting(), before, state)
			}
		}
	}
}

// inStates is a formula over states Pre and Post as one over other states.
func inStates(t *logic.Term, states []int) *logic.Term {
	return logic.Map(t, func(t *logic.Term) *logic.Term {
		if t.Op != logic.OpApp || !t.Symbol.Mutable {
			return t
		}
		c := *t
		c.Step = states[t.Step]
		return &c
	})
}

// unchanged says of each fold that reads nothing that an action modifies that it keeps its value.
func unchanged(sys *system.System, a *system.Action) (out []*logic.Term) {
	for _, d := range sys.Folds() {
		reads := func(t *logic.Term) bool {
			return logic.Has(t, func(t *logic.Term) bool {
				return t.Op == logic.OpApp &&
					(t.Symbol.Derived || slices.Contains(a.Modifies, t.Symbol))
			})
		}
		if d.Symbol.Mutable && !reads(d.Fold.Cond) && !reads(d.Fold.Value) {
			args := logic.Refs(d.Vars)
			out = append(out, logic.Forall(d.Vars, logic.Eq(
				logic.App(d.Symbol, logic.Pre, args...), logic.App(d.Symbol, logic.Post, args...))))
		}
	}
	return out
}

// parts are smaller theories for a goal: with the laws of one fold each of which the goal speaks,
// with the laws of one fold each, and with the ones that say which of two is greater.
func (t *theory) parts(goal *logic.Term) []premises {
	if len(t.laws) == 0 {
		return nil
	}
	near, single, ordered := *t, *t, *t
	near.way, single.way, ordered.way = "related", "no law of two sums", "no law of differences"
	near.laws, single.laws, ordered.laws = nil, nil, nil
	for _, l := range t.laws {
		if l.Serves(goal) {
			near.laws = append(near.laws, l)
		}
		if l.Plain || !l.Rare && l.One() {
			single.laws = append(single.laws, l)
		}
		if l.Plain || l.Order || !l.Rare && len(l.Of) == 1 {
			ordered.laws = append(ordered.laws, l)
		}
	}
	return []premises{&near, &single, &ordered}
}
