package ranking

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// maxGuesses bounds the choices of one kind.
const maxGuesses = 4

// guesses lists the sets of hints that nobody wrote, each beside the hints of the file. They are
// tried one after the other.
func guesses(sys *system.System, prop *system.Property, own *system.Ranking) []*system.Ranking {
	return slices.DeleteFunc(
		[]*system.Ranking{guess(sys, prop, own), phases(sys, prop, own), named(sys, prop, own)},
		func(r *system.Ranking) bool { return r == nil })
}

// guess gives hints that nobody wrote, beside the hints of the file. They are read off the fair
// actions, since a run waits for these:
//
//   - for each sort, a value with which a fair action can be taken, as long as there is one;
//   - for each fair action of several parameters, such values for all of them;
//   - whether a fair action can be taken at all, as a number;
//   - how often a fair action can be taken before nothing is left that it makes false;
//   - where actions of places wait for other places, the rows of places that the property waits
//     for.
//
// Each value exists in every state, because any value will do where no fair action can be taken.
// Guesses are proved like hints of the file, so soundness does not depend on what is guessed. The
// result is nil where there is nothing to guess. It depends on the system alone, so a proof says no
// more than which set of guesses it rests on, and which of their values are sure (sure.go).
func guess(sys *system.System, prop *system.Property, own *system.Ranking) *system.Ranking {
	out := added(prop, own)
	before := len(out.Choices) + len(out.Measures)
	var fair []*waited
	for _, a := range sys.Actions {
		if a.Fairness == system.Unfair {
			continue
		}
		if g := guardOf(sys, a); g != nil {
			fair = append(fair, &waited{a, due(a, g.plain)})
		}
	}
	ends, counts := rows(prop, fair)
	out.Choices = slices.Concat(out.Choices, ready(fair), readyTogether(fair), ends)
	count := func(such ...*system.Selection) {
		for _, s := range such {
			out.Measures = append(out.Measures, s.Measure())
		}
	}
	count(counts...)
	for _, w := range fair {
		out.Measures = append(out.Measures, system.MeasureOf(logic.Ite(
			logic.Exists(w.action.Params, w.guard), logic.IntLit(1), logic.IntLit(0))))
		if such := w.remaining(sys); such != nil {
			count(such)
		}
	}
	if len(out.Choices)+len(out.Measures) == before {
		return nil
	}
	return out
}

// added begins a ranking to which guesses are added: the hints of the file, or none.
func added(prop *system.Property, own *system.Ranking) *system.Ranking {
	if own == nil {
		return &system.Ranking{Property: prop}
	}
	out := *own
	out.Choices, out.Measures, out.Cases = slices.Clone(out.Choices),
		slices.Clone(out.Measures), slices.Clone(out.Cases)
	return &out
}

// waited is a fair action with what its guard asks of the state and the parameters.
type waited struct {
	action *system.Action
	guard  *logic.Term
}

// with is true of the values for which the action can be taken, whatever the other parameters are.
func (w *waited) with(params []*logic.Var, args ...*logic.Var) *logic.Term {
	rest := slices.DeleteFunc(slices.Clone(w.action.Params), func(v *logic.Var) bool {
		return slices.Contains(params, v)
	})
	return instantiate(logic.Exists(rest, w.guard), params, logic.Refs(args))
}

// oneOf chooses a value that satisfies a condition, if there is any.
func oneOf(name string, sort *logic.Sort, is func(*logic.Var) *logic.Term) *system.Selection {
	v, any := &logic.Var{Name: name, Sort: sort}, &logic.Var{Name: "X", Sort: sort}
	return &system.Selection{Vars: []*logic.Var{v},
		Such: logic.Implies(logic.Exists([]*logic.Var{any}, is(any)), is(v))}
}

// ready chooses, for each sort, a value with which a weakly fair action can be taken. A strongly
// fair action may be possible and impossible again and again, so it holds no choice in place.
func ready(fair []*waited) (out []*system.Selection) {
	var sorts []*logic.Sort
	names := map[*logic.Sort]string{}
	for _, w := range fair {
		for _, p := range w.action.Params {
			if w.alone(p) && names[p.Sort] == "" {
				sorts, names[p.Sort] = append(sorts, p.Sort), "ready_"+p.Name
			}
		}
	}
	for _, s := range sorts[:min(len(sorts), maxGuesses)] {
		out = append(out, oneOf(names[s], s, func(v *logic.Var) *logic.Term {
			return canMove(fair, v)
		}))
	}
	return out
}

// alone reports whether a weakly fair action has no other parameter of the sort of this one.
func (w *waited) alone(p *logic.Var) bool {
	return w.action.Fairness == system.Weak && p.Sort != logic.Int &&
		!slices.ContainsFunc(w.action.Params, func(q *logic.Var) bool {
			return q != p && logic.SameSort(q.Sort, p.Sort)
		})
}

// canMove is true of the values with which a weakly fair action can be taken.
func canMove(fair []*waited, v *logic.Var) *logic.Term {
	var some []*logic.Term
	for _, w := range fair {
		for _, p := range w.action.Params {
			if w.alone(p) && logic.SameSort(p.Sort, v.Sort) {
				some = append(some, w.with([]*logic.Var{p}, v))
			}
		}
	}
	return logic.Or(some...)
}

// readyTogether chooses the parameters of each weakly fair action that has several, one after the
// other.
func readyTogether(fair []*waited) (out []*system.Selection) {
	for _, w := range fair {
		params := w.action.Params
		if w.action.Fairness != system.Weak || len(params) < 2 || len(out) >= maxGuesses ||
			slices.ContainsFunc(params, func(p *logic.Var) bool { return p.Sort == logic.Int }) {
			continue
		}
		var chosen []*logic.Var
		for i, p := range params {
			earlier := slices.Clone(chosen)
			c := oneOf(w.action.Name+"_"+p.Name, p.Sort, func(v *logic.Var) *logic.Term {
				return w.with(params[:i+1], append(slices.Clone(earlier), v)...)
			})
			chosen, out = append(chosen, c.Vars[0]), append(out, c)
		}
	}
	return out
}

// remaining counts the values for which a fair action has still to be taken: what its guard asks
// and the step makes false is true of them, and what no step changes. It is nil where the step
// makes nothing false.
func (w *waited) remaining(sys *system.System) *system.Selection {
	if len(w.action.Params) == 0 ||
		slices.ContainsFunc(w.action.Params, func(p *logic.Var) bool {
			return p.Sort == logic.Int
		}) {
		return nil
	}
	var such []*logic.Term
	falsified := false
	for _, c := range logic.Conjuncts(w.guard) {
		after := before(sys, w.action, logic.Shift(c, 1))
		gone := after != nil && logic.Map(after, logic.Simplified).IsFalse()
		falsified = falsified || gone
		if gone || logic.MaxStep(c) < logic.Pre {
			such = append(such, c)
		}
	}
	if !falsified {
		return nil
	}
	vars := make([]*logic.Var, len(w.action.Params))
	for i, p := range w.action.Params {
		vars[i] = &logic.Var{Name: p.Name, Sort: p.Sort}
	}
	return &system.Selection{Vars: vars,
		Such: instantiate(logic.And(such...), w.action.Params, logic.Refs(vars))}
}
