package ranking

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// A time bound joins the ranking functions of all tiers into one (section 2, Eq. 6), so that a
// state where it has the value S is at most S + 1 steps before the good state. It needs two
// bounds. Each function R_j below the first tier is at most U_j, which no step changes. Each fair
// action is taken, or becomes impossible, within a given number of steps. The joint function is
// the sum of the R_i, each times the product of U_j + 1 over the tiers j below i. It decreases in
// every step: in a step of tier i, R_i decreases by at least 1, each R_j below grows by at most
// U_j, and the sum of the U_j times their products is one less than the product of tier i.

// bounds are bounds on numbers of steps, and what they mention beside the system.
type bounds struct {
	p       *problem
	limited []*limited                    // by hints
	most    map[*fairness]*logic.Symbol   // M_a, by actions
	sizes   map[*logic.Symbol]*logic.Sort // the sorts that are counted, by their sizes
}

func newBounds(c *candidates) *bounds {
	return &bounds{c.p, c.limits, map[*fairness]*logic.Symbol{}, map[*logic.Symbol]*logic.Sort{}}
}

// timeBound gives the bound, and the obligations that its limits rest on. The bound is nil when a
// tier has none.
func (b *bounds) timeBound(
	ctx context.Context, by solvers, tiers []*tier,
) (*logic.Term, []*discharge.Obligation) {
	if ordered(tiers) {
		return nil, nil
	}
	for _, v := range below(tiers) {
		if b.limit(v) == nil && !b.findLimit(ctx, by.quick, v) {
			return nil, nil
		}
	}
	proved, open := by.decide(ctx, func() []*discharge.Group { return b.limitClaims(tiers) })
	if open != nil {
		return nil, nil
	}
	return b.joint(tiers), proved
}

// ordered reports whether a function has a lexicographic order, which is no number of steps.
func ordered(tiers []*tier) bool {
	return slices.ContainsFunc(used(tiers), func(v *variable) bool {
		return v.lexicographic != nil
	})
}

// below lists the variables of the tiers below the first, which need a limit.
func below(tiers []*tier) []*variable {
	if len(tiers) == 0 {
		return nil
	}
	return used(tiers[1:])
}

// joint is the bound, for tiers with a limit of each variable below the first.
func (b *bounds) joint(tiers []*tier) *logic.Term {
	product := logic.IntLit(1)
	var parts []*logic.Term
	for i, t := range slices.Backward(tiers) {
		parts = append(parts, times(product, t.term()))
		if i == 0 {
			break
		}
		limits := []*logic.Term{logic.IntLit(1)}
		for j, v := range t.vars {
			limits = append(limits, times(logic.BigLit(t.factors[j]), b.limit(v)))
		}
		product = times(product, plus(limits...))
	}
	slices.Reverse(parts)
	return plus(append(parts, logic.IntLit(1))...)
}

// fewer bounds the steps of the actions that belong to the tiers before the last: the joint
// function of the tiers up to theirs decreases with each of their steps, and grows in none. Where
// not all functions below the first have a limit, only the first one bounds steps.
func (b *bounds) fewer(tiers []*tier, limited bool) (out []*watched) {
	last := map[*system.Action]int{}
	for i, t := range tiers {
		for _, part := range t.parts {
			last[b.p.originals[part.action]] = i
		}
	}
	for i := range max(len(tiers)-1, 0) {
		if i > 0 && !limited || ordered(tiers[:i+1]) {
			break
		}
		var actions []*system.Action
		for _, a := range b.p.original.Actions {
			if n, ok := last[a]; ok && n == i {
				actions = append(actions, a)
			}
		}
		if len(actions) > 0 {
			out = append(out, &watched{b.joint(tiers[:i+1]), actions})
		}
	}
	return out
}

// rounds bounds the steps of one action: none where the action belongs to no tier. It gives nothing
// where a tier up to the last one of the action has no limit.
func (b *bounds) rounds(
	ctx context.Context, by solvers, action string, tiers []*tier,
) ([]*watched, []*discharge.Obligation) {
	i := slices.IndexFunc(b.p.original.Actions, func(a *system.Action) bool {
		return a.Name == action
	})
	if i < 0 {
		return nil, nil
	}
	a, last := b.p.original.Actions[i], -1
	for i, t := range tiers {
		if slices.ContainsFunc(t.parts, func(p *part) bool {
			return b.p.originals[p.action] == a
		}) {
			last = i
		}
	}
	if last < 0 {
		return []*watched{{logic.IntLit(0), []*system.Action{a}}}, nil
	}
	term, limits := b.timeBound(ctx, by, tiers[:last+1])
	if term == nil {
		return nil, nil
	}
	return []*watched{{term, []*system.Action{a}}}, limits
}

// limit gives an upper bound of a variable that no step changes; nil where none is known.
func (b *bounds) limit(v *variable) *logic.Term {
	switch {
	case v.limit != nil:
		return v.limit
	case v.lexicographic != nil:
		return nil
	case v.left != nil:
		var sum []*logic.Term
		for _, w := range v.left {
			if b.most[w.fairness] == nil {
				b.most[w.fairness] = b.parameter("M_" + w.action.Name)
			}
			each := logic.App(b.most[w.fairness], logic.Pre)
			for _, x := range w.over {
				each = times(b.size(x.Sort), each)
			}
			sum = append(sum, each)
		}
		return logic.Add(sum...)
	case v.count != nil:
		size := logic.IntLit(1)
		for _, x := range v.count.vars {
			size = times(size, b.size(x.Sort))
		}
		return size
	}
	return nil
}

// limits lists the upper bounds that a variable may have by a proof: 1, the integers that no step
// changes, and what a hint says.
func (b *bounds) limits(v *variable) []*logic.Term {
	out := []*logic.Term{logic.IntLit(1)}
	for _, sym := range b.p.sys.Symbols {
		if !sym.Mutable && sym.Result.Base() == logic.Int && len(sym.Args) == 0 {
			out = append(out, logic.App(sym, logic.Pre))
		}
	}
	for _, l := range b.limited {
		if l.limits(v) {
			out = append(out, l.high)
		}
	}
	return out
}

// atMost is the obligation that a variable is at most a limit wherever the property is pending.
func (b *bounds) atMost(v *variable, limit *logic.Term) *discharge.Obligation {
	return b.p.obligation(fmt.Sprintf("%s is at most %s", v, limit), logic.Le(v.term, limit))
}

// findLimit looks for an upper bound of a variable that no step changes.
func (b *bounds) findLimit(
	ctx context.Context, quick *discharge.Discharger, v *variable,
) bool {
	limits := b.limits(v)
	questions := make([]*discharge.Obligation, len(limits))
	for i, l := range limits {
		questions[i] = b.atMost(v, l).Probe()
	}
	quick.All(ctx, []*discharge.Group{b.p.here(questions...)})
	for i, o := range questions {
		if o.Verdict == result.Holds {
			v.limit = limits[i]
			return true
		}
	}
	return false
}

// limitClaims states the limits of the variables below the first tier. The number of steps that are
// left to an action has one by its meaning, and so has a count.
func (b *bounds) limitClaims(tiers []*tier) []*discharge.Group {
	var claims []*discharge.Obligation
	for _, v := range below(tiers) {
		if v.limit != nil {
			claims = append(claims, b.atMost(v, v.limit))
		}
	}
	if len(claims) == 0 {
		return nil
	}
	return []*discharge.Group{b.p.here(claims...)}
}

// written writes down the bound, and the limits that it rests on.
func written(bound *logic.Term, tiers []*tier) *result.RankBound {
	out := &result.RankBound{Steps: bound.String()}
	for _, v := range below(tiers) {
		if v.limit != nil {
			out.Limits = append(out.Limits,
				result.RankLimit{Variable: v.String(), Limit: v.limit.String()})
		}
	}
	return out
}

// bound derives the obligations of a bound that a proof states. The error names a limit that the
// search does not have, or a bound that is not the one of these tiers and limits.
func (r *reader) bound(stated *result.RankBound, tiers []*tier) ([]*discharge.Group, error) {
	if ordered(tiers) {
		return nil, fmt.Errorf("functions with a lexicographic order bound no number of steps")
	}
	b, vars := newBounds(r.c), below(tiers)
	for _, v := range vars {
		v.limit = nil
	}
	for _, x := range stated.Limits {
		v, err := r.variable(x.Variable)
		if err != nil {
			return nil, err
		}
		limits := b.limits(v)
		i := slices.IndexFunc(limits, func(l *logic.Term) bool { return l.String() == x.Limit })
		if i < 0 || !slices.Contains(vars, v) {
			return nil, fmt.Errorf("that %s is at most %s is no limit that the search knows", v,
				x.Limit)
		}
		v.limit = limits[i]
	}
	for _, v := range vars {
		if b.limit(v) == nil {
			return nil, fmt.Errorf("the bound on the number of steps needs a limit of %s", v)
		}
	}
	if is := b.joint(tiers).String(); is != stated.Steps {
		return nil, fmt.Errorf("the bound on the number of steps is %q, and not %q", is,
			stated.Steps)
	}
	return b.limitClaims(tiers), nil
}

// parameter is a number that is not part of the system, such as the size of a sort. Its name is
// none of the system's.
func (b *bounds) parameter(name string) *logic.Symbol {
	return &logic.Symbol{Name: b.p.fresh(name), Kind: logic.Constant, Result: logic.Int}
}

// rangeSize is how many integers a range has: n in 0..n - 1, and hi - lo + 1 in lo..hi.
func rangeSize(lo, hi *logic.Term) *logic.Term {
	number := big.NewInt(1)
	if hi.Op == logic.OpSub && hi.Args[1].Op == logic.OpInt {
		number.Sub(number, hi.Args[1].Int)
		hi = hi.Args[0]
	}
	if lo.Op == logic.OpInt {
		number.Sub(number, lo.Int)
	} else {
		hi = logic.Sub(hi, lo)
	}
	if number.Sign() < 0 {
		return logic.Sub(hi, logic.BigLit(number.Neg(number)))
	}
	return plus(hi, logic.BigLit(number))
}

// size is the number of values of a sort.
func (b *bounds) size(sort *logic.Sort) *logic.Term {
	switch sort.Kind {
	case logic.KindBool:
		return logic.IntLit(2)
	case logic.KindEnum:
		return logic.IntLit(int64(len(sort.Members)))
	case logic.KindRange:
		return rangeSize(sort.Lo, sort.Hi)
	}
	for sym, of := range b.sizes {
		if of == sort {
			return logic.App(sym, logic.Pre)
		}
	}
	sym := b.parameter("|" + sort.Name + "|")
	b.sizes[sym] = sort
	return logic.App(sym, logic.Pre)
}

// times and plus build readable terms.
func times(a, b *logic.Term) *logic.Term {
	one := func(t *logic.Term) bool { return t.Op == logic.OpInt && t.Int.Cmp(big.NewInt(1)) == 0 }
	switch {
	case one(a):
		return b
	case one(b):
		return a
	case a.Op == logic.OpInt && b.Op == logic.OpInt:
		return logic.BigLit(new(big.Int).Mul(a.Int, b.Int))
	}
	return logic.Mul(a, b)
}

func plus(ts ...*logic.Term) *logic.Term {
	number := new(big.Int)
	var rest []*logic.Term
	for _, t := range ts {
		if t.Op == logic.OpInt {
			number.Add(number, t.Int)
		} else {
			rest = append(rest, t)
		}
	}
	if number.Sign() != 0 || len(rest) == 0 {
		rest = append(rest, logic.BigLit(number))
	}
	return logic.Add(rest...)
}
