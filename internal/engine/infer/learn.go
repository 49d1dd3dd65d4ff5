package infer

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// learn excludes the counterexamples of a proof for all instances, or drops lemmas that are not
// inductive. Exhausted means that no candidate excludes a counterexample of a property, or that the
// property has no proof.
func (s *search) learn(
	ctx context.Context, results []result.Result,
) (exhausted, changed bool, err error) {
	if s.goals.settled(results) {
		return false, false, nil
	}
	refuted := some(results, result.NotInductive)
	var drop []*goal
	larger, before := false, len(s.goals.all)
	for _, r := range results {
		i := slices.IndexFunc(s.goals.all, func(g *goal) bool { return g.label() == r.Property })
		if i < 0 || r.Verdict == result.Holds {
			continue
		}
		g := s.goals.all[i]
		if r.Trace != nil && len(r.Trace.Steps) == 2 {
			// A counterexample may lack values, such as values outside a range. Then it teaches
			// nothing.
			if x, err := s.samples.first(r.Trace); err == nil {
				if slices.ContainsFunc(s.goals.all[before:], func(g *goal) bool {
					return x.holds(logic.Not(g.term))
				}) {
					continue // a new lemma excludes this counterexample, too
				}
				if c := s.choose(ctx, []sample{x}, g); c != nil {
					s.goals.add(c, g).beyondInstances = true
					changed = true
					continue
				}
			}
		}
		larger = larger || r.Trace != nil && s.instanceOf(ctx, r.Trace)
		switch {
		case g.property == nil:
			if r.Verdict == result.NotInductive || !refuted {
				drop = append(drop, g)
			}
		case r.Verdict == result.NotInductive || len(s.goals.all) == 1:
			s.giveUp(g, fmt.Sprintf("%s: %s, and nothing that is known excludes the counterexample",
				g.label(), r.Verdict))
			exhausted = true
		default:
			s.out.Reason = r.Reason.Of(g.label())
		}
	}
	if !larger && !changed && !s.questions.probedLarger {
		s.questions.probedLarger = true
		s.questions.probe(ctx, 6, 5)
		larger = s.widen(ctx)
	}
	if larger { // there the search goes on, with all lemmas that are true in it
		s.goals.refuted(s.samples.worlds)
		return false, true, nil
	}
	if changed || exhausted {
		return exhausted, changed, nil
	}
	for _, g := range drop {
		s.goals.drop(slices.Index(s.goals.all, g))
	}
	return len(drop) == 0, len(drop) > 0, nil
}

// mostFromTraces bounds the instances that come from counterexamples to induction.
const mostFromTraces = 6

// instanceOf adds the instance of a counterexample to induction that nothing excludes, if none of
// the instances has its sizes and parameters. It reports whether it did.
func (s *search) instanceOf(ctx context.Context, t *result.Trace) bool {
	inst := s.samples.of(t)
	if inst == nil || s.linear != nil || s.instancesFromTraces == mostFromTraces ||
		slices.ContainsFunc(s.samples.asked, func(other *system.Instance) bool {
			return maps.Equal(inst.Sizes, other.Sizes) &&
				maps.EqualFunc(inst.Values, other.Values, logic.Equal)
		}) {
		return false
	}
	s.instancesFromTraces++
	if s.enlarge(ctx, []*system.Instance{inst}) != nil {
		return false
	}
	s.samples.ask(inst)
	return true
}

// widen looks for a probe in which the goals are not inductive, which then is explored and gets
// questions as the other instances: a solver that is asked about all instances at once rarely says
// that a lemma is false in one of that size. A probe with hard questions is given up. Widen reports
// whether there is one.
func (s *search) widen(ctx context.Context) bool {
	for _, p := range slices.Clone(s.questions.probes) {
		if ctx.Err() != nil || s.samples.covers(p.inst) {
			continue
		}
		left, err := leaves(ctx, p.ind, s.goals.all, s.goals.all)
		if !left && err == nil || ctx.Err() != nil {
			continue
		}
		s.questions.probes = slices.DeleteFunc(s.questions.probes, func(x *probe) bool {
			return x == p
		})
		p.ind.Limit = questionConflicts
		if left && s.enlarge(ctx, []*system.Instance{p.inst}) == nil {
			s.samples.ask(p.inst)
			return true
		}
	}
	return false
}

// enlarge adds instances. Which formulas are candidates is found out anew then.
func (s *search) enlarge(ctx context.Context, instances []*system.Instance) error {
	err := s.samples.enlarge(ctx, instances)
	if !s.claims.violated() {
		s.clauses.forget()
	}
	return err
}
