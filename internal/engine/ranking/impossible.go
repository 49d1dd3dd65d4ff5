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
func (s *steps) possible(ctx context.Context, parts []*part) []*part {
	ctx, done := s.stages.during(ctx, result.StageContradictions)
	defer done()
	impossible := func(p *part) bool { return p.impossible != nil }
	order := slices.DeleteFunc(slices.Clone(parts), func(p *part) bool { return p.settled })
	s.nowhere(ctx, order)
	order = slices.DeleteFunc(order, impossible)
	s.each(order, func(part *part) { s.counter(ctx, part, logic.False) })
	questions := map[*part]*discharge.Obligation{}
	for _, part := range order {
		part.settled = true
		s.effort++
		if len(part.witnesses) == 0 {
			questions[part] = s.p.impossibility(part).Probe()
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
func (s *steps) nowhere(ctx context.Context, parts []*part) {
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
		if s.fitted || len(group) < enoughParts || len(common) == 0 || s.samples.refuted(never) {
			continue
		}
		o := s.p.obligation("parts of "+actionsOf(group)+" have no step in any state",
			never).Probe()
		s.quick.All(ctx, []*discharge.Group{s.p.here(o)})
		if s.effort++; o.Verdict != result.Holds {
			continue
		}
		for _, part := range group {
			part.settled, part.impossible = true, s.p.impossibility(part)
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

// impossibility is the obligation that a part has no step while the property is pending.
func (p *problem) impossibility(of *part) *discharge.Obligation {
	o := p.obligation(fmt.Sprintf("%s: not while it is pending", of), logic.False)
	o.Action = of.action.Name
	return o
}
