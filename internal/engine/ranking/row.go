package ranking

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// rows guesses rows of fair actions that wait for each other: an action of a place asks something
// of another place, such as the next one. From the place that the property speaks of, a row goes up
// or down to the first place of which some action asks nothing that is false of other places. So
// the row has an end if there is one such place, and what else is asked of the end follows from its
// being the first one. The places up to there are counted, so that their steps are compared
// (lexicographic.go).
func rows(prop *system.Property, fair []*waited) (ends, counts []*system.Selection) {
	vars, _ := system.Outer(prop.Term)
	for i, from := range vars {
		if !finiteRange(from.Sort) || slices.ContainsFunc(vars[:i], func(v *logic.Var) bool {
			return logic.SameSort(v.Sort, from.Sort)
		}) {
			continue
		}
		var free []func(*logic.Var) *logic.Term
		waits := false
		for _, w := range fair {
			if len(w.action.Params) != 1 || !logic.SameSort(w.action.Params[0].Sort, from.Sort) {
				continue
			}
			place := w.action.Params[0]
			asked, others := ofOthers(w.guard, place)
			waits = waits || others && w.action.Fairness == system.Strong
			free = append(free, func(v *logic.Var) *logic.Term {
				return instantiate(asked, []*logic.Var{place}, []*logic.Term{logic.Ref(v)})
			})
		}
		if !waits {
			continue
		}
		for _, upwards := range []bool{true, false} {
			end, count := row(from, free, upwards)
			ends, counts = append(ends, end), append(counts, count)
		}
	}
	return ends, counts
}

// ofOthers is what a guard asks beside the state of the place itself, and whether it asks about the
// state of another place.
func ofOthers(guard *logic.Term, place *logic.Var) (asked *logic.Term, others bool) {
	var out []*logic.Term
	for _, c := range logic.Conjuncts(guard) {
		here, other := false, false
		logic.Walk(c, func(t *logic.Term) bool {
			if t.Op == logic.OpApp && t.Symbol.Mutable {
				for _, arg := range t.Args {
					is := logic.Equal(arg, logic.Ref(place))
					here = here || is
					other = other || !is && slices.Contains(logic.FreeVars(arg), place)
				}
			}
			return true
		})
		if others = others || other; other || !here {
			out = append(out, c)
		}
	}
	return logic.And(out...), others
}

// row chooses the end of a row, and counts its places.
func row(
	from *logic.Var, free []func(*logic.Var) *logic.Term, upwards bool,
) (end, count *system.Selection) {
	name := "row_down"
	if upwards {
		name = "row_up"
	}
	upTo := func(a, b *logic.Term) *logic.Term {
		if upwards {
			return logic.Le(a, b)
		}
		return logic.Le(b, a)
	}
	at := func(v *logic.Var) *logic.Term {
		var some []*logic.Term
		for _, is := range free {
			some = append(some, is(v))
		}
		return logic.And(upTo(logic.Ref(from), logic.Ref(v)), logic.Or(some...))
	}
	last, some, other, place := &logic.Var{Name: name, Sort: from.Sort},
		&logic.Var{Name: "J", Sort: from.Sort}, &logic.Var{Name: "K", Sort: from.Sort},
		&logic.Var{Name: "K", Sort: from.Sort}
	first := logic.Forall([]*logic.Var{other},
		logic.Implies(at(other), upTo(logic.Ref(last), logic.Ref(other))))
	end = &system.Selection{Vars: []*logic.Var{last}, Such: logic.Implies(
		logic.Exists([]*logic.Var{some}, at(some)), logic.And(at(last), first))}
	count = &system.Selection{Vars: []*logic.Var{place},
		Such: logic.And(upTo(logic.Ref(from), logic.Ref(place)),
			upTo(logic.Ref(place), logic.Ref(last)))}
	return end, count
}
