package discharge

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// inductive is a goal that implies another one by induction over a number (system.ByInduction).
type inductive struct {
	goal *logic.Term
	of   []*system.Derived // the relations whose definitions the goal states
}

// ByInduction gives an obligation a goal that implies its own, with the recursive relations of
// which it states what proofs need.
func (o *Obligation) ByInduction(goal *logic.Term, of []*system.Derived) {
	o.inductive = &inductive{goal, of}
}

// ByInduction proves the obligations of a group that are easy by induction over a number. The
// others have no verdict.
func (d *Discharger) ByInduction(ctx context.Context, g *Group) {
	parallel(d, []*Group{g}, func(g *Group) { d.byInduction(ctx, g) })
}

// byInduction proves some of the obligations of a group that have no verdict yet by induction over
// a number: by what else is known of the state after a step alone, or in the theory of the group
// without the definitions that the goal states.
func (d *Discharger) byInduction(
	ctx context.Context, g *Group,
) (proved []*Obligation) {
	for _, o := range g.Obligations {
		if o.Verdict != "" || o.inductive == nil || ctx.Err() != nil {
			continue
		}
		l := lemmasOf(g)
		l.goals = slices.DeleteFunc(l.goals, func(h vc.Hypothesis) bool {
			return vc.Leads(h.Term, o.inductive.of)
		})
		if len(l.goals) > mostLemmas {
			l = lemmas{}
		}
		if len(l.goals) > 0 && d.byInductionOf(ctx, g, o, l, alone) ||
			d.byInductionOf(ctx, g, o, l, func(t *vc.Theory, l lemmas) *vc.Theory {
				return beside(t.Without(o.inductive.of), l)
			}) {
			proved = append(proved, o)
		}
	}
	return proved
}

// byInductionOf asks about one obligation in a theory with lemmas.
func (d *Discharger) byInductionOf(
	ctx context.Context, g *Group, o *Obligation, l lemmas,
	with func(*vc.Theory, lemmas) *vc.Theory,
) bool {
	step := *o
	step.Goal = o.inductive.goal
	a := newAsker(d, &Group{Theory: with(g.Theory, l), Path: g.Path,
		Obligations: []*Obligation{&step}})
	defer a.close()
	if !a.mayBeEasy(&step) {
		return false
	}
	a.provesAtOnce(ctx, &step, a.quick)
	o.Queries, o.Rlimit = step.Queries, step.Rlimit
	if step.Verdict != result.Holds {
		return false
	}
	step.Goal = o.Goal
	step.Method += ", by induction over a number"
	step.Needs = nil // the definitions in the goal are hypotheses, too
	step.provers = slices.Compact(slices.Sorted(slices.Values(append(step.provers,
		l.provers...))))
	*o = step
	d.spent.Add(o.Rlimit)
	return true
}
