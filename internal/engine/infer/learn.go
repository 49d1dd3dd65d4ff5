package infer

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
)

// refuted drops the lemmas that are false in a sample.
func (s *search) refuted() (some bool) {
	for i := len(s.goals) - 1; i >= 0; i-- {
		g := s.goals[i]
		if g.from == nil || g.from.form == nil {
			continue
		}
		for _, w := range s.worlds {
			if g.from.falseIn(g.from.form.view(w)) {
				s.drop(i)
				some = true
				break
			}
		}
	}
	return some
}

// learn excludes the counterexamples of a proof for all instances, or drops lemmas that are not
// inductive. Exhausted means that no candidate excludes a counterexample of a property, or that the
// property has no proof.
func (s *search) learn(
	ctx context.Context, results []result.Result,
) (exhausted, changed bool, err error) {
	if s.settled(results) {
		return false, false, nil
	}
	refuted := slices.ContainsFunc(results, func(r result.Result) bool {
		return r.Verdict == result.NotInductive
	})
	var drop []*goal
	larger, before := false, len(s.goals)
	for _, r := range results {
		i := slices.IndexFunc(s.goals, func(g *goal) bool { return g.label() == r.Property })
		if i < 0 || r.Verdict == result.Holds {
			continue
		}
		g := s.goals[i]
		if r.Trace != nil && len(r.Trace.Steps) == 2 {
			// A counterexample may lack values, such as values outside a range. Then it teaches
			// nothing.
			if x, err := s.sampleOf(r.Trace); err == nil {
				if slices.ContainsFunc(s.goals[before:], func(g *goal) bool {
					return x.holds(logic.Not(g.term))
				}) {
					continue // a new lemma excludes this counterexample, too
				}
				if c := s.choose(ctx, []sample{x}, g); c != nil {
					s.add(c, g).beyondInstances = true
					changed = true
					continue
				}
			}
		}
		if r.Trace != nil {
			larger = larger || s.instanceOf(ctx, r.Trace)
		}
		switch {
		case g.property == nil:
			if r.Verdict == result.NotInductive || !refuted {
				drop = append(drop, g)
			}
		case r.Verdict == result.NotInductive || len(s.goals) == 1:
			s.giveUp(g, fmt.Sprintf("%s: %s, and nothing that is known excludes the counterexample",
				g.label(), r.Verdict))
			exhausted = true
		default:
			s.out.Reason = r.Reason.Of(g.label())
		}
	}
	if !larger && !changed && !s.probedLarger {
		s.probedLarger = true
		s.probe(ctx, 6, 5)
		larger = s.widen(ctx)
	}
	if larger { // there the search goes on, with all lemmas that are true in it
		s.refuted()
		return false, true, nil
	}
	if changed || exhausted {
		return exhausted, changed, nil
	}
	for _, g := range drop {
		s.drop(slices.Index(s.goals, g))
	}
	return len(drop) == 0, len(drop) > 0, nil
}

// settled drops the lemmas that a proof of all properties does not need.
func (s *search) settled(results []result.Result) bool {
	for _, r := range results {
		if r.Verdict != result.Holds && slices.ContainsFunc(s.goals, func(g *goal) bool {
			return g.property != nil && g.label() == r.Property
		}) {
			return false
		}
	}
	s.goals = slices.DeleteFunc(s.goals, func(g *goal) bool {
		return g.property == nil && !g.provedBy(results)
	})
	return true
}

// provedBy reports whether a goal is among what a proof has shown.
func (g *goal) provedBy(results []result.Result) bool {
	return slices.ContainsFunc(results, func(r result.Result) bool {
		return r.Property == g.label() && r.Verdict == result.Holds
	})
}

// explained is a verdict with its reason, if it has one.
func explained(r result.Result) string {
	if !r.Reason.Given() {
		return string(r.Verdict)
	}
	return fmt.Sprintf("%s (%s)", r.Verdict, r.Reason)
}
