package ranking

import (
	"context"
	"math/rand"
	"slices"

	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// mostConflicts bounds a question about the steps of an instance.
const mostConflicts = 500

// preserved keeps the formulas that are inductive together on the instances, beside the invariants
// of the system, as far as they decide it. A formula that a step of an instance makes false has no
// proof, so no solver need be asked about it. What weaker gives, if there is such a function, takes
// the place of all formulas after such a step; else the ones that are true after it are left.
func preserved(
	ctx context.Context, sys *system.System, instances []*system.Instance, open []*system.Property,
	weaker func(open []*system.Property, m *interp.Model, step interp.Step) []*system.Property,
) []*system.Property {
	known := invariantsOf(sys, (*system.Property).IsInvariant)
	var asked []*bmc.Induction
	for _, in := range withThree(sys, instances) {
		if ind, err := bmc.NewInduction(sys, in, bmc.Start{}); err == nil {
			ind.Limit = mostConflicts
			asked = append(asked, ind)
		}
	}
	for again := true; again; {
		again = false
		for _, ind := range asked {
			falseIn := func(s interp.State) func(*logic.Term) bool {
				return func(t *logic.Term) bool {
					holds, err := ind.Model().Holds(t, s)
					return err == nil && !holds
				}
			}
			for i := 0; i < len(open) && ctx.Err() == nil; i++ {
				assumed := slices.Clone(known)
				for _, p := range open {
					assumed = append(assumed, p.Term)
				}
				_, step, found, err := ind.Counterexample(ctx, assumed, open[i].Term, nil, 0)
				if err != nil || !found || slices.ContainsFunc(known, falseIn(step.State)) {
					continue // solvers assume the invariants after the step, too
				}
				if weaker != nil {
					open, again = weaker(open, ind.Model(), step), true
				} else {
					open = slices.DeleteFunc(slices.Clone(open), func(p *system.Property) bool {
						return falseIn(step.State)(p.Term)
					})
				}
				i = -1 // what was preserved may need what is gone
			}
		}
	}
	return open
}

// independent reports whether a formula is false in a state of an instance in which some formulas
// are true, reachable or not: it does not follow from them.
func independent(
	ctx context.Context, sys *system.System, instances []*system.Instance, known []*logic.Term,
	t *logic.Term,
) bool {
	from := *sys
	from.Inits = nil
	for _, k := range append(slices.Clone(known), logic.Not(t)) {
		from.Inits = append(from.Inits, &system.Formula{Term: k, Span: k.Span})
	}
	return slices.ContainsFunc(withThree(sys, instances), func(in *system.Instance) bool {
		m, err := interp.NewModel(&from, in)
		if err != nil {
			return false
		}
		states, err := bmc.Initial(ctx, m, bmc.Start{}, 1, rand.New(rand.NewSource(1)))
		return err == nil && len(states) > 0
	})
}

// withThree adds the instance in which each sort without a size has three elements, and that says
// nothing else: what no step changes has any value that satisfies the axioms.
func withThree(sys *system.System, instances []*system.Instance) []*system.Instance {
	return append(slices.Clone(instances), three(sys))
}

func three(sys *system.System) *system.Instance {
	in := &system.Instance{Name: "three", Sizes: map[*logic.Sort]int{}}
	for _, sort := range sys.Sized() {
		in.Sizes[sort] = 3
	}
	return in
}

// invariantsOf lists the formulas of the properties of some kind.
func invariantsOf(sys *system.System, is func(*system.Property) bool) (out []*logic.Term) {
	for _, p := range sys.Properties {
		if is(p) {
			out = append(out, p.Term)
		}
	}
	return out
}
