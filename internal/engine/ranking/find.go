package ranking

import (
	"cmp"
	"context"
	"math"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// find looks for tiers among variables: with few of them first, and without splitting the actions.
// It gives the variables that were tried, the tiers, and the parts in which nothing decreases.
func (s *search) find(
	ctx context.Context, given Options,
) (all []*variable, tiers []*tier, left []*part) {
	hints, d := s.c.given, s.deltas
	own := func(vars []*variable) []*variable {
		return s.c.p.fromCoarse(slices.DeleteFunc(slices.Clone(vars), func(v *variable) bool {
			return v.hint == nil && v.left == nil
		}))
	}
	if given.fitted {
		all = s.bounded(ctx, s.c.measures)
		d.splits, d.likely = true, true
		tiers, left = s.descent(ctx, s.start, all)
		return all, tiers, left
	}
	if hints != nil && slices.ContainsFunc(hints.Measures,
		func(m *system.Measure) bool { return m.Number == nil }) {
		// Who says what to count may leave other sorts infinite, such as the slots of a log.
		all = s.bounded(ctx, own(slices.Concat(s.c.vars, s.c.turns)))
		d.splits, d.likely = true, true
		if tiers, left = s.descent(ctx, s.start, all); len(left) == 0 {
			return all, tiers, nil
		}
		d.splits, d.likely = false, false
	}
	vars := s.bounded(ctx, s.c.vars)
	all = slices.Concat(vars, s.c.whole, s.bounded(ctx, s.c.distances), s.c.single)
	plain, counts := all[:len(vars)], all[:len(vars)+len(s.c.whole)]
	most := all[:len(all)-len(s.c.single)]
	// A bound on a count in all steps of an action costs less than splitting the action into parts.
	for _, try := range []struct {
		vars   []*variable
		splits bool
	}{{plain, false}, {counts, false}, {most, false}, {own(vars), true}, {counts, true},
		{all, true}} {
		if try.splits && !d.splits && hints == nil {
			s.steps.limit = min(s.steps.limit, s.steps.effort+cmp.Or(given.Effort, plainEffort))
		}
		search := s.tiers
		if d.splits = try.splits; d.splits {
			search = s.descent
		}
		if tiers, left = search(ctx, s.start, try.vars); len(left) == 0 {
			break
		}
	}
	return all, tiers, left
}

// fromCoarse sorts variables from coarse to fine. What speaks of no choice comes first, then what
// speaks of the first choice, and so on; a choice may only stay the same while what is before it
// does. The hints of the file come in their order. The number of steps that are left to one weakly
// fair action may rise again whenever the action becomes possible: such numbers come after all
// others.
func (p *problem) fromCoarse(vars []*variable) []*variable {
	level := func(v *variable) int {
		level := 0
		for i, c := range p.choices {
			if logic.Occurs(v.inside(), c.symbol, logic.Pre) {
				level = i + 1
			}
		}
		if len(v.left) == 1 && v.left[0].action.Fairness == system.Weak {
			level += len(p.choices) + 1
		}
		return level
	}
	out := slices.Clone(vars)
	line := func(v *variable) int {
		switch {
		case v.hint != nil:
			return v.hint.line
		case len(v.left) > 1:
			return math.MaxInt - 1
		}
		return math.MaxInt
	}
	slices.SortStableFunc(out, func(a, b *variable) int {
		return cmp.Or(cmp.Compare(level(a), level(b)), cmp.Compare(line(a), line(b)))
	})
	return out
}

// bounded keeps the variables that are proved not to be negative (Algorithm 1). A variable that the
// user named gets more effort.
func (s *search) bounded(ctx context.Context, vars []*variable) []*variable {
	ctx, done := s.steps.stages.during(ctx, result.StageBounds)
	defer done()
	p, refuted := s.c.p, s.steps.samples.refuted
	notNegative := func(v *variable) *logic.Term { return logic.Le(logic.IntLit(0), v.term) }
	if s.steps.fitted {
		return slices.DeleteFunc(slices.Clone(vars), func(v *variable) bool {
			v.nonNegative = v.opaque() || !refuted(notNegative(v))
			return !v.nonNegative || v.empty != nil && !refuted(v.empty)
		})
	}
	state := func(vs ...*variable) []*discharge.Group {
		g := p.here()
		for _, v := range vs {
			g.Obligations = append(g.Obligations,
				p.obligation(v.String()+" is not negative", notNegative(v)).FirstAttempt())
		}
		return []*discharge.Group{g}
	}
	open := slices.DeleteFunc(slices.Clone(vars), func(v *variable) bool {
		return v.nonNegative || v.hint == nil && refuted(notNegative(v))
	})
	groups := state(open...)
	s.steps.quick.All(ctx, groups)
	for i, o := range groups[0].Obligations {
		v := open[i]
		v.nonNegative = o.Verdict == result.Holds
		if v.nonNegative || v.hint == nil {
			continue
		}
		if _, o := s.steps.decide(ctx, func() []*discharge.Group { return state(v) }); o != nil {
			s.notes.refuse(ctx, v.hint)
			s.c.named = slices.DeleteFunc(s.c.named, func(u *variable) bool { return u == v })
			continue
		}
		v.nonNegative = true
	}
	for _, l := range s.c.limits {
		for _, v := range vars {
			if l.rest.nonNegative && l.limits(v) {
				v.limit = l.high
			}
		}
	}
	idle := map[*variable]*discharge.Obligation{}
	groups[0].Obligations = nil
	for _, v := range vars {
		if v.empty != nil && !refuted(v.empty) {
			idle[v] = p.obligation(v.String()+" is 0", v.empty).Probe()
			groups[0].Obligations = append(groups[0].Obligations, idle[v])
		}
	}
	if len(idle) > 0 {
		s.steps.quick.All(ctx, groups)
	}
	return slices.DeleteFunc(slices.Clone(vars), func(v *variable) bool {
		return !v.nonNegative || idle[v] != nil && idle[v].Verdict == result.Holds
	})
}
