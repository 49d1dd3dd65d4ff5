package discharge

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
)

// withoutProducts is the asker's group with unknowns instead of products, which are hard for
// solvers; nil when there are none. It has an obligation for each of the group's, and only a proof
// of it counts.
func (a *asker) withoutProducts() *asker {
	goals := make([]*logic.Term, len(a.group.Obligations))
	for i, o := range a.group.Obligations {
		goals[i] = o.Goal
	}
	linear := a.group.Theory.Linearize(goals)
	if linear == nil {
		return nil
	}
	g := &Group{Theory: linear.Theory}
	for i, o := range a.group.Obligations {
		twin := &Obligation{Obligation: result.Obligation{Name: o.Name + " without products"},
			Goal: linear.Goals[i], quick: true}
		g.Obligations = append(g.Obligations, twin)
	}
	return newAsker(a.in, g)
}

// products gives the asker of the group without products, which is made at the first call; nil when
// the group has none.
func (a *asker) products() *asker {
	if !a.linearized {
		a.linearized, a.linear = true, a.withoutProducts()
	}
	return a.linear
}

// provesLinearly tries to prove an obligation without the meaning of products, and reports whether
// nothing is left to do.
func (a *asker) provesLinearly(ctx context.Context, o *Obligation, limit int64) bool {
	return a.provesLinearlyBy(ctx, o, limit, func(linear *asker) []*attempt {
		if limit < a.full {
			return a.eachOnce(linear.attempts()) // most need no more, or have a model
		}
		return linear.attempts()
	})
}

// provesLinearlyBy is provesLinearly by some of the methods.
func (a *asker) provesLinearlyBy(
	ctx context.Context, o *Obligation, limit int64, methods func(linear *asker) []*attempt,
) bool {
	linear := a.products()
	if linear == nil {
		return false
	}
	twin := linear.group.Obligations[slices.Index(a.group.Obligations, o)]
	if twin.Verdict == result.NotInductive {
		return false // it has a model, which means nothing
	}
	twin.Queries, twin.Rlimit, twin.Likely = 0, 0, o.Likely
	done := linear.try(ctx, twin, methods(linear), limit)
	o.Queries += twin.Queries
	o.Rlimit += twin.Rlimit
	if twin.Verdict != result.Holds {
		o.Verdict, o.Reason = result.Unknown, twin.Reason
		// interrupted, or the solvers contradict each other
		return done && twin.Verdict == result.Unknown
	}
	o.Verdict, o.Reason, o.Solver, o.provers, o.Needs = result.Holds, result.Reason{}, twin.Solver,
		twin.provers, twin.Needs
	o.Method, o.Seed = twin.Method+", without products", twin.Seed
	return true
}
