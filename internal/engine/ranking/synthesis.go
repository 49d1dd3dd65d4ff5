package ranking

import (
	"context"
	"maps"
	"math/big"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
)

// search looks for tiers of ranking functions among candidates. Its results are not trusted: a
// proof states their obligations.
type search struct {
	c      *candidates
	parts  *partition
	steps  *steps
	deltas *deltas
	notes  *notes
	start  []*part // the roots without the steps that exclude removed
}

func newSearch(c *candidates, parts *partition, steps *steps, to *notes) *search {
	return &search{c: c, parts: parts, steps: steps, deltas: &deltas{steps: steps}, notes: to,
		start: slices.Clone(parts.roots)}
}

// proof is what tiers prove, once some action can be taken.
func (s *search) proof(tiers []*tier, claim *discharge.Obligation) *proof {
	return &proof{s.c.p, s.c.never, s.parts.roots, tiers, claim}
}

// tier is a ranking function, a sum of variables with positive factors, and the parts in which it
// decreases.
type tier struct {
	factors []*big.Int
	vars    []*variable
	parts   []*part
	// constraints is the number of inequalities of the linear program: one for each part (the
	// function does not grow) and one for each factor (it is not negative).
	constraints int
}

// term gives the ranking function.
func (t *tier) term() *logic.Term {
	var sum []*logic.Term
	for i, v := range t.vars {
		term := v.term
		if t.factors[i].Cmp(big.NewInt(1)) != 0 {
			term = logic.Mul(logic.BigLit(t.factors[i]), term)
		}
		sum = append(sum, term)
	}
	return logic.Add(sum...)
}

// tiers synthesises tier by tier (Theorem 3). Each ranking function decreases in as many of the
// remaining parts as possible, and grows in none of them. In the parts that are left at the end, no
// function decreases.
func (s *search) tiers(
	ctx context.Context, parts []*part, vars []*variable,
) (found []*tier, left []*part) {
	left = s.steps.possible(ctx, parts)
	for len(left) > 0 && ctx.Err() == nil {
		s.deltas.measure(ctx, left, vars)
		t := s.tier(ctx, left, vars)
		if t == nil {
			break
		}
		found = append(found, t)
		left = without(left, t.parts)
	}
	return found, left
}

func without(parts, others []*part) []*part {
	return slices.DeleteFunc(slices.Clone(parts), func(p *part) bool {
		return slices.Contains(others, p)
	})
}

// descent takes one variable after the other, as long as the remaining parts change. A variable
// that grows in no part is a tier, of the steps in which it decreases. The steps in which it stays
// the same remain, and other variables may now grow in none of them (as in Alias et al.,
// Multi-dimensional rankings, SAS 2010).
func (s *search) descent(
	ctx context.Context, parts []*part, vars []*variable,
) (found []*tier, left []*part) {
	left = s.steps.possible(ctx, parts)
	taken := map[*variable]bool{}
	for again := true; again && len(left) > 0; {
		again = false
		for _, v := range vars {
			if taken[v] || ctx.Err() != nil {
				continue
			}
			if parts, t := s.descend(ctx, left, v); t != nil {
				taken[v], again = true, true
				found = append(found, t)
				left = without(parts, t.parts)
			}
		}
	}
	return found, left
}

// descend splits parts by where one variable decreases, if it grows in none of them.
func (s *search) descend(ctx context.Context, left []*part, v *variable) ([]*part, *tier) {
	if v.lexicographic == nil { // the growth of an order is easier to bound in the halves
		s.deltas.monotone = true // as soon as it may grow in some part, nothing more is asked
		s.deltas.measure(ctx, left, []*variable{v})
		s.deltas.monotone = false
		if slices.ContainsFunc(left, func(part *part) bool { return part.grows(v) > 0 }) {
			return left, nil
		}
	} else if slices.ContainsFunc(left, func(part *part) bool { return part.least(v) > 0 }) {
		return left, nil
	}
	falls := func(part *part) bool { return part.grows(v) < 0 } // in all of its steps
	halves := s.halves(ctx, slices.DeleteFunc(slices.Clone(left), falls), v)
	if len(halves) == 0 && !slices.ContainsFunc(left, falls) {
		return left, nil
	}
	var parts []*part
	for _, part := range left {
		if h, ok := halves[part]; ok {
			parts = append(parts, h[0], h[1])
		} else {
			parts = append(parts, part)
		}
	}
	parts = s.steps.possible(ctx, parts)
	s.deltas.measure(ctx, parts, []*variable{v})
	return parts, s.tier(ctx, parts, []*variable{v})
}

// halves splits the parts in which a variable may decrease, unless they are already split by this
// condition.
func (s *search) halves(ctx context.Context, parts []*part, v *variable) map[*part][2]*part {
	out := map[*part][2]*part{}
	var falling []*part
	for _, part := range parts {
		if c := s.parts.mayDecrease(part.action, v); c != nil && !slices.Contains(part.by, c) {
			out[part] = part.split(c)
			falling = append(falling, out[part][0])
		}
	}
	falling = s.steps.possible(ctx, falling)
	maps.DeleteFunc(out, func(_ *part, h [2]*part) bool { return !slices.Contains(falling, h[0]) })
	return out
}

// tier solves for the factors. A variable that may grow without bound in some part has the factor
// 0. The first aim is to decrease in many parts, the second is to have small factors.
func (s *search) tier(ctx context.Context, parts []*part, vars []*variable) *tier {
	_, done := s.steps.stages.during(ctx, result.StageSynthesis)
	defer done()
	usable := slices.DeleteFunc(slices.Clone(vars), func(v *variable) bool {
		decreases := false
		for _, part := range parts {
			if part.grows(v) == unbounded {
				return true
			}
			decreases = decreases || part.grows(v) < 0
		}
		return !decreases
	})
	if len(usable) == 0 {
		return nil
	}
	const worth = 1 << 16 // of one part, in units of factors
	n, m := len(usable), len(parts)
	objective := make([]int64, n+m)
	for i := range n {
		objective[i] = -1
	}
	var rows [][]int64
	var bounds []int64
	for j, part := range parts {
		objective[n+j] = worth
		row, most := make([]int64, n+m), make([]int64, n+m)
		for i, v := range usable {
			row[i] = int64(part.grows(v))
		}
		row[n+j], most[n+j] = 1, 1
		rows, bounds = append(rows, row, most), append(bounds, 0, 1)
	}
	solution := maximise(objective, rows, bounds)
	t := &tier{constraints: n + m}
	for j, part := range parts {
		if solution[n+j].Sign() > 0 {
			t.parts = append(t.parts, part)
		}
	}
	if len(t.parts) == 0 {
		return nil
	}
	for i, f := range integers(solution[:n]) {
		if f.Sign() > 0 {
			t.factors, t.vars = append(t.factors, f), append(t.vars, usable[i])
		}
	}
	return t
}

func partsOf(tiers []*tier) (out []*part) {
	for _, t := range tiers {
		out = append(out, t.parts...)
	}
	return out
}

// used lists the variables of tiers.
func used(tiers []*tier) (out []*variable) {
	for _, t := range tiers {
		for _, v := range t.vars {
			if !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	return out
}

// mostMinimised bounds the bounds on growth, of each variable in each part, of a proof that is made
// smaller: to ask for all of them again without each variable would take longer than the search.
const mostMinimised = 1_000

// minimise removes variables as long as tiers without them are found, the last variable first. Then
// it joins tiers and parts.
func (s *search) minimise(ctx context.Context, tiers []*tier) []*tier {
	if len(partsOf(tiers))*len(used(tiers)) > mostMinimised {
		return tiers
	}
	s.deltas.splits = true // a bound is needed even where no variable decreases
	if found, left := s.tiers(ctx, partsOf(tiers), used(tiers)); len(left) == 0 {
		tiers = found
	}
	for tried := map[*variable]bool{}; ; {
		vars := used(tiers)
		i := len(vars) - 1
		for i >= 0 && tried[vars[i]] {
			i--
		}
		if i < 0 || ctx.Err() != nil {
			break
		}
		tried[vars[i]] = true
		others, parts := slices.Delete(slices.Clone(vars), i, i+1), partsOf(tiers)
		alone := func(part *part) bool {
			return !slices.ContainsFunc(others, func(v *variable) bool { return part.grows(v) < 0 })
		}
		if !slices.ContainsFunc(parts, alone) {
			if found, left := s.tiers(ctx, parts, others); len(left) == 0 &&
				len(found) <= len(tiers) {
				tiers = found
				continue
			}
		}
		if found := s.assign(ctx, parts, withoutVariable(tiers, vars[i])); found != nil {
			tiers = found
		}
	}
	tiers = s.join(ctx, tiers)
	if found := s.assign(ctx, s.start, tiers); found != nil {
		tiers = found
	}
	return tiers
}

// join makes one function of two tiers where their sum decreases in the steps of both.
func (s *search) join(ctx context.Context, tiers []*tier) []*tier {
	for i := 0; i+1 < len(tiers); {
		parts := partsOf(tiers[i:])
		joined := s.tier(ctx, parts, used(tiers[i:i+2]))
		if joined == nil || !joined.has(tiers[i].parts) || !joined.has(tiers[i+1].parts) {
			i++
			continue
		}
		for _, t := range tiers[i+2:] {
			t.parts = without(t.parts, joined.parts)
		}
		tiers = slices.DeleteFunc(slices.Replace(tiers, i, i+2, joined), func(t *tier) bool {
			return len(t.parts) == 0
		})
	}
	return tiers
}

// withoutVariable gives the ranking functions without one variable.
func withoutVariable(tiers []*tier, v *variable) (out []*tier) {
	for _, t := range tiers {
		u := *t
		if i := slices.Index(t.vars, v); i >= 0 {
			u.vars, u.factors = slices.Delete(slices.Clone(t.vars), i, i+1),
				slices.Delete(slices.Clone(t.factors), i, i+1)
		}
		if len(u.vars) > 0 {
			out = append(out, &u)
		}
	}
	return out
}

// assign assigns other parts to the same ranking functions. A part that belongs to none of them is
// split by where their variables decrease, one after the other. The result is nil if some part
// still belongs to none.
func (s *search) assign(ctx context.Context, parts []*part, tiers []*tier) []*tier {
	vars := used(tiers)
	of := map[*tier][]*part{}
	settle := func(parts []*part) (rest []*part) {
		parts = s.steps.possible(ctx, parts)
		s.deltas.measure(ctx, parts, vars)
		for _, part := range parts {
			if t := part.belongs(tiers); t != nil {
				of[t] = append(of[t], part)
			} else {
				rest = append(rest, part)
			}
		}
		return rest
	}
	open := settle(parts)
	for _, v := range vars {
		halves := s.halves(ctx, open, v)
		var falling, other []*part
		for _, part := range open {
			if h, ok := halves[part]; ok {
				falling, other = append(falling, h[0]), append(other, h[1])
			} else {
				other = append(other, part)
			}
		}
		if len(settle(falling)) > 0 {
			return nil
		}
		open = settle(other)
	}
	if len(open) > 0 || ctx.Err() != nil {
		return nil
	}
	var out []*tier
	for _, t := range tiers {
		if u := *t; len(of[t]) > 0 {
			u.parts = of[t]
			out = append(out, &u)
		}
	}
	return out
}

func (t *tier) has(parts []*part) bool {
	return len(without(parts, t.parts)) == 0
}
