package infer

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/system"
)

// apartLevel is the first vocabulary with which properties are tried without the others. The ones
// before it are quickly done with.
const apartLevel = walkLevel

// proveWithoutOpen looks for a proof of the properties without the one at which the search is
// stuck, and then without the next such one. The lemmas of a proof stay, and all properties are
// goals again afterwards. A search of a limited effort spends it on all properties together.
func (s *search) proveWithoutOpen(ctx context.Context) error {
	if s.opts.Effort > 0 || s.level < apartLevel || s.openProperty == nil {
		return nil
	}
	all, before := slices.Clone(s.goals.all), *s.out
	names := map[*goal]string{}
	for _, g := range all {
		names[g] = g.label()
	}
	for s.openProperty != nil && s.openProperty.property.Kind != system.Range {
		s.goals.all = keep(s.goals.all, func(g *goal) bool { return g != s.openProperty })
		if !slices.ContainsFunc(s.goals.all, func(g *goal) bool {
			return g.property != nil && g.property.Kind != system.Range &&
				(s.part == nil || !g.provedBy(s.part.Results))
		}) {
			break
		}
		s.note("without %s", s.openProperty.label())
		if _, err := s.attempt(ctx); err != nil || s.claims.violated() {
			return err
		}
		if s.out.Proved {
			proof := *s.out
			s.part = &proof
			break
		}
	}
	if s.out.Proved {
		for _, g := range s.goals.all {
			if !slices.ContainsFunc(all, func(x *goal) bool { return x.term == g.term }) {
				all = append(all, g)
			}
		}
	}
	s.goals.distinguish(all, names)
	s.goals.all, *s.out = all, before
	return nil
}
