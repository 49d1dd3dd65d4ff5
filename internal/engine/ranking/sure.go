package ranking

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// A guessed choice is one of the values that satisfy a condition, if there are any. It is sure if
// there always is such a value while the property is pending. Then every question assumes the
// condition without the premise, and that the value exists is one obligation: the solvers need not
// derive it in each question again.

// premised reports whether a choice is guessed on the premise that there is a value.
func premised(c *system.Selection) bool {
	return c.Span.Source == nil && c.Such.Op == logic.OpImplies
}

// certain gives guesses in which the named choices have no premise. It reports whether each name is
// one of a choice on a premise.
func certain(hints *system.Ranking, sure []string) (*system.Ranking, bool) {
	out, found := *hints, 0
	out.Choices = slices.Clone(hints.Choices)
	for i, c := range out.Choices {
		if premised(c) && slices.Contains(sure, c.Vars[0].Name) {
			without := *c
			without.Such = c.Such.Args[1]
			out.Choices[i] = &without
			found++
		}
	}
	return &out, found == len(sure)
}

// existShare is the share of the limit for the question whether a value exists: there are few.
const existShare = 4

// certainty is what sure has found: the names of choices, with the questions that it took.
type certainty struct {
	names   []string
	queries int64
}

// sure names the guessed choices that always have a value, as far as one question about each shows.
// What a sample refutes is not asked.
func sure(ctx context.Context, sys *system.System, prop *system.Property, hints *system.Ranking,
	invariants []*system.Property, given Options) (out certainty, err error) {
	if !slices.ContainsFunc(hints.Choices, premised) {
		return out, nil
	}
	p := newProblem(sys, prop, hints, invariants, given.possible...)
	given.Rlimit, given.Progress = lower(given.Rlimit, existShare), nil
	d, err := discharge.New(ctx, p.sys, given.Options)
	if err != nil {
		return out, err
	}
	s := newSearch(p, prop)
	s.samples = p.sampled(given.walks)
	for i, c := range p.choices {
		if !premised(hints.Choices[i]) {
			continue
		}
		such := c.such
		c.such = such.Args[1]
		g := s.choicesExist()[i]
		if !s.refuted(c.some()) {
			d.All(ctx, []*discharge.Group{g})
			out.queries += g.Obligations[0].Queries
		}
		if g.Obligations[0].Verdict == result.Holds {
			out.names = append(out.names, hints.Choices[i].Vars[0].Name)
		} else {
			c.such = such
		}
	}
	return out, ctx.Err()
}

// certainly are the variables about the values that always exist: what is guessed, and the steps
// that are left to actions with these values alone. It is nil where no value is sure.
func (s *search) certainly(vars []*variable) (out []*variable) {
	var sure []*logic.Symbol
	for _, c := range s.p.choices {
		if c.hint == nil && c.such.Op != logic.OpImplies {
			sure = append(sure, c.symbol)
		}
	}
	for _, v := range vars {
		left := len(v.left) == 1 && len(v.left[0].args) > 0 &&
			!slices.ContainsFunc(v.left[0].args, func(t *logic.Term) bool {
				return t.Op != logic.OpApp || !slices.Contains(sure, t.Symbol)
			})
		if len(sure) > 0 && (left || slices.Contains(s.named, v)) {
			out = append(out, v)
		}
	}
	return out
}
