package infer

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Limits of the candidates for a question from outside.
const (
	mostSufficient   = 60
	sufficientTrials = 3
)

// sufficient are the vocabularies without quantifiers inside a clause.
var sufficient = []int{0, 1, 2, len(levels) - 1}

// Question is one that is asked from outside.
type Question interface {
	// Counterexample gives a state in which the answer is no although some candidates are true.
	Counterexample(context.Context, []*system.Property) (*result.Trace, error)
	// Refuted takes the state for reachable. It reports whether there is another question now.
	Refuted(context.Context) (bool, error)
}

// Suffice chooses candidates, true in all explored states, one for each counterexample to a
// question from outside, until there is none in whose first state all of them are true. The
// question gets the candidates so far. They may be false elsewhere: they are goals for Find. Where
// nothing excludes a counterexample, its state is taken for reachable, and the question may change;
// the result is nil where it does not.
func Suffice(
	ctx context.Context, sys *system.System, q Question, opts Options,
) ([]*system.Property, error) {
	s := newSearch(sys, opts, nil)
	for _, p := range sys.Properties {
		if p.IsInvariant() {
			s.goals.all = append(s.goals.all, &goal{property: p, term: p.Term})
		}
	}
	s.claims.goals = slices.Clone(s.goals.all)
	switch err := s.samples.sample(ctx, nil); {
	case errors.Is(err, errUnexplored) || s.claims.violated():
		return nil, nil
	case err != nil:
		return nil, err
	}
	defer s.close()
	for range sufficientTrials {
		s.trials.draw(ctx, false)
	}
	var found []*system.Property
	for grown := [][]*template{}; len(found) < mostSufficient; {
		t, err := q.Counterexample(ctx, found)
		if err != nil || t == nil {
			return found, err
		}
		x, err := s.samples.first(t)
		known := err == nil // else it lacks values
		var c *candidate
		for i := 0; c == nil && known && i < len(sufficient); i++ {
			s.level = sufficient[i]
			if i == len(grown) {
				s.grow()
				grown = append(grown, s.clauses.templates)
			}
			s.clauses.level, s.clauses.templates = s.level, grown[i]
			s.clauses.forget() // samples may have joined at another level
			c = s.choose(ctx, []sample{x}, nil)
		}
		if c == nil {
			if other, err := q.Refuted(ctx); err != nil || !other || ctx.Err() != nil {
				return nil, cmp.Or(err, ctx.Err())
			}
			continue
		}
		g := &goal{name: s.goals.newName(), term: c.term, from: c}
		s.note("%s: %s", g.name, g.term)
		s.goals.all = append(s.goals.all, g)
		found = append(found, &system.Property{Name: g.name, Kind: system.Invariant, Term: g.term,
			Span: g.term.Span})
	}
	return nil, nil
}
