package ranking

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
)

// possible gives the parts that are not proved to have no step.
func (s *search) possible(ctx context.Context, parts []*part) []*part {
	ctx, done := s.during(ctx, result.StageContradictions)
	defer done()
	impossible := func(p *part) bool { return p.impossible != nil }
	order := slices.DeleteFunc(slices.Clone(parts), func(p *part) bool { return s.settled[p] })
	s.nowhere(ctx, order)
	order = slices.DeleteFunc(order, impossible)
	s.each(order, func(part *part) { s.counter(ctx, part, logic.False) })
	questions := map[*part]*discharge.Obligation{}
	for _, part := range order {
		s.settled[part] = true
		s.effort++
		if len(part.witnesses) == 0 {
			questions[part] = s.impossibility(part).Probe()
		}
	}
	s.ask(ctx, order, questions)
	for part, o := range questions {
		if o.Verdict == result.Holds {
			part.impossible = o
		}
	}
	return slices.DeleteFunc(slices.Clone(parts), impossible)
}

// enoughParts is the number of parts from which on one question about states replaces a question
// about each part.
const enoughParts = 4

// nowhere finds parts of several actions that no state has a step of: what their conditions have in
// common and say of the state before is false wherever the property is pending.
func (s *search) nowhere(ctx context.Context, parts []*part) {
	type half struct { // the last that split a part off
		by    *logic.Term
		holds bool
	}
	groups := map[half][]*part{}
	var last []half
	for _, part := range parts {
		if n := len(part.by); n > 0 {
			h := half{part.by[n-1], part.conditions[n-1] == part.by[n-1]}
			if groups[h] == nil {
				last = append(last, h)
			}
			groups[h] = append(groups[h], part)
		}
	}
	for _, h := range last {
		group := groups[h]
		common := slices.DeleteFunc(slices.Clone(group[0].conditions), func(c *logic.Term) bool {
			return logic.MaxStep(c) > logic.Pre || len(logic.FreeVars(c)) > 0 ||
				slices.ContainsFunc(group, func(part *part) bool { return !part.requires(c) })
		})
		never := logic.Not(logic.And(common...))
		if s.fitted || len(group) < enoughParts || len(common) == 0 || s.refuted(never) {
			continue
		}
		o := s.obligation("parts of "+actionsOf(group)+" have no step in any state", never).Probe()
		s.quick.All(ctx, []*discharge.Group{s.here(o)})
		if s.effort++; o.Verdict != result.Holds {
			continue
		}
		for _, part := range group {
			s.settled[part], part.impossible = true, s.impossibility(part)
			part.impossible.FollowsFrom(o)
		}
	}
}

// actionsOf names the actions of some parts.
func actionsOf(parts []*part) string {
	var names []string
	for _, p := range parts {
		if !slices.Contains(names, p.action.Name) {
			names = append(names, p.action.Name)
		}
	}
	return strings.Join(names, ", ")
}

// requires reports whether a formula is one of the conditions of the part.
func (s *part) requires(c *logic.Term) bool {
	return slices.ContainsFunc(s.conditions, func(d *logic.Term) bool { return logic.Equal(c, d) })
}

// impossibility is the obligation that a part has no step while the property is pending.
func (s *search) impossibility(p *part) *discharge.Obligation {
	o := s.obligation(fmt.Sprintf("%s: not while it is pending", p), logic.False)
	o.Action = p.action.Name
	return o
}
