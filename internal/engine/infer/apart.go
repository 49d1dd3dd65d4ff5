package infer

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// part is a proof of some of the properties.
type part struct {
	results []result.Result
	lemmas  []Lemma
	kept    []string
}

// has reports whether a property is proved.
func (p *part) has(g *goal) bool {
	return p != nil && g.provedBy(p.results)
}

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
	all, before := slices.Clone(s.goals), *s.out
	names := map[*goal]string{}
	for _, g := range all {
		names[g] = g.label()
	}
	for s.openProperty != nil && s.openProperty.property.Kind != system.Range {
		s.goals = keep(s.goals, func(g *goal) bool { return g != s.openProperty })
		if !slices.ContainsFunc(s.goals, func(g *goal) bool {
			return g.property != nil && g.property.Kind != system.Range && !s.part.has(g)
		}) {
			break
		}
		s.note("without %s", s.openProperty.label())
		if _, err := s.attempt(ctx); err != nil || s.violated {
			return err
		}
		if s.out.Proved {
			s.part = &part{s.out.Results, s.out.Lemmas, s.out.Kept}
			break
		}
	}
	if s.out.Proved {
		for _, g := range s.goals {
			if !slices.ContainsFunc(all, func(x *goal) bool { return x.term == g.term }) {
				all = append(all, g)
			}
		}
	}
	s.distinguish(all, names)
	s.goals, *s.out = all, before
	return nil
}

// distinguish gives new names to the lemmas that are no goals now, since a proof numbers its lemmas
// anew. Names has the names before.
func (s *search) distinguish(all []*goal, names map[*goal]string) {
	now := map[string]string{}
	for _, g := range all {
		if g.isLemma() && !slices.Contains(s.goals, g) {
			g.name = s.newName()
		}
		if old, ok := names[g]; ok {
			now[old] = g.label()
		}
	}
	for _, g := range all {
		if slices.Contains(s.goals, g) {
			continue
		}
		if label, ok := now[g.needs]; ok {
			g.needs = label
		}
		if g.property == nil {
			s.needs[g.name] = g.needs
		}
	}
}

// unproved is a property that the last proof has not shown, nil if there is none.
func (s *search) unproved() *goal {
	for _, g := range s.goals {
		if g.property != nil && !g.provedBy(s.out.Results) {
			return g
		}
	}
	return nil
}

// give makes the proof of some properties the outcome, if there is one and none of all.
func (s *search) give() {
	if p := s.part; p != nil {
		s.out.Results, s.out.Lemmas, s.out.Kept = p.results, p.lemmas, p.kept
		s.out.Part = true
		s.out.Partial = slices.DeleteFunc(s.out.Partial, func(l Lemma) bool {
			return slices.ContainsFunc(p.lemmas, func(x Lemma) bool { return x.Term == l.Term })
		})
	}
}
