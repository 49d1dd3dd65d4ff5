package ranking

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// phases gives hints that nobody wrote about the phases of a system. Two truth values, or values of
// an enum with two members, that steps change, such as the bits of a sender and of a receiver, tell
// two phases apart: where they are equal, and where they are not. In each phase the hints add, for
// each strongly fair action,
//
//   - whether it can be taken: the number of steps that are left counts only the steps from states
//     where it can;
//   - of the values that the action chooses and takes away, how many lead into each branch of it.
//
// The result is nil where there are no phases, or nothing to add.
func phases(sys *system.System, prop *system.Property, own *system.Ranking) *system.Ranking {
	out := added(prop, own)
	before := len(out.Measures)
	for _, phase := range equalities(sys) {
		out.Cases = append(out.Cases, phase)
		for _, a := range sys.Actions {
			g := guardOf(sys, a)
			if g == nil || a.Fairness != system.Strong {
				continue
			}
			can := logic.Exists(a.Params, logic.And(due(a, g.plain), g.chosen(isLiteral)))
			for _, in := range []*logic.Term{phase, logic.Not(phase)} {
				out.Measures = append(out.Measures, system.MeasureOf(logic.Ite(
					logic.And(in, logic.Not(can)), logic.IntLit(1), logic.IntLit(0))))
				for _, b := range takenBy(sys, a, g) {
					out.Measures = append(out.Measures,
						&system.Measure{Vars: b.Vars, Such: logic.And(in, b.Such)})
				}
			}
		}
	}
	if len(out.Measures) == before {
		return nil
	}
	return out
}

// equalities are whether two values are equal, of the ones that steps change, where there are two
// values of their sort.
func equalities(sys *system.System) (out []*logic.Term) {
	var values []*logic.Term
	for _, s := range sys.Symbols {
		if s.Mutable && !s.Ghost && !s.Derived && len(s.Args) == 0 && isTwofold(s.Result) {
			for _, v := range values {
				if v.Sort == s.Result {
					out = append(out, logic.Eq(v, logic.App(s, logic.Pre)))
				}
			}
			values = append(values, logic.App(s, logic.Pre))
		}
	}
	return out[:min(len(out), maxGuesses)]
}

// isTwofold reports whether a sort has two values.
func isTwofold(s *logic.Sort) bool {
	return s == logic.Bool || s.Kind == logic.KindEnum && len(s.Members) == 2
}

// takenBy are the values that an action may choose and takes away, for each branch of the action
// that depends on the value alone: what its guard asks of one value, and the step makes false, is
// true of them.
func takenBy(sys *system.System, a *system.Action, g *guard) (out []*system.Selection) {
	for _, v := range g.choices {
		of := func(t *logic.Term) bool {
			vars := logic.FreeVars(t)
			return len(vars) == 1 && vars[0] == v
		}
		var such []*logic.Term
		for _, c := range g.about {
			if after := before(sys, a, logic.Shift(c, 1)); of(c) && isLiteral(c) &&
				after != nil && logic.Map(after, logic.Simplified).IsFalse() {
				such = append(such, c)
			}
		}
		if len(such) == 0 || v.Sort == logic.Int {
			continue
		}
		var conditions []*logic.Term
		for _, u := range a.Relation.Updates {
			logic.Walk(u.Value, func(t *logic.Term) bool {
				if t.Op == logic.OpIte && of(t.Args[0]) && !slices.ContainsFunc(conditions,
					func(c *logic.Term) bool { return logic.Equal(c, t.Args[0]) }) {
					conditions = append(conditions, t.Args[0])
				}
				return true
			})
		}
		for _, c := range conditions[:min(len(conditions), maxGuesses)] {
			for _, way := range []*logic.Term{c, logic.Not(c)} {
				x := &logic.Var{Name: v.Name, Sort: v.Sort}
				out = append(out, &system.Selection{Vars: []*logic.Var{x},
					Such: instantiate(logic.And(append(slices.Clone(such), way)...),
						[]*logic.Var{v}, logic.Refs([]*logic.Var{x}))})
			}
		}
	}
	return out
}
