package ranking

import (
	"context"
	"math/big"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/vc"
)

// timeBound joins the ranking functions of all tiers into one (section 2, Eq. 6), so that a state
// where it has the value S is at most S + 1 steps before the good state. It needs two bounds. Each
// function R_j below the first tier is at most U_j, which no step changes. Each fair action is
// taken, or becomes impossible, within a given number of steps. The joint function is the sum of
// the R_i, each times the product of U_j + 1 over the tiers j below i. It decreases in every step:
// in a step of tier i, R_i decreases by at least 1, each R_j below grows by at most U_j, and the
// sum of the U_j times their products is one less than the product of tier i. The result is nil
// when a tier has no bound.
func (s *search) timeBound(ctx context.Context, tiers []*tier) *logic.Term {
	product := logic.IntLit(1)
	var parts []*logic.Term
	for i, t := range slices.Backward(tiers) {
		parts = append(parts, times(product, t.term()))
		if i == 0 {
			break
		}
		var limit []*logic.Term
		for j, v := range t.vars {
			l := s.limit(ctx, v)
			if l == nil {
				return nil
			}
			limit = append(limit, times(logic.BigLit(t.factors[j]), l))
		}
		product = times(product, plus(append(limit, logic.IntLit(1))...))
	}
	slices.Reverse(parts)
	return plus(append(parts, logic.IntLit(1))...)
}

// obvious gives an upper bound of a variable that no step changes; nil where a bound needs a proof.
func (s *search) obvious(v *variable) *logic.Term {
	switch {
	case v.limit != nil:
		return v.limit
	case v.left != nil:
		return s.parameter("M_" + v.left.action.Name)
	case v.count != nil:
		size := logic.IntLit(1)
		for _, x := range v.count.vars {
			size = times(size, s.size(x.Sort))
		}
		return size
	}
	return nil
}

// limit finds an upper bound of a variable that no step changes; nil when none is proved.
func (s *search) limit(ctx context.Context, v *variable) *logic.Term {
	if known := s.obvious(v); known != nil {
		return known
	}
	defer s.during(result.StageBounds)()
	limits := []*logic.Term{logic.IntLit(1)}
	questions := []*discharge.Obligation{s.obligation(v.String()+" is at most 1",
		logic.Le(v.term, limits[0])).Probe()}
	for _, sym := range s.p.sys.Symbols {
		if !sym.Mutable && sym.Result.Base() == logic.Int && len(sym.Args) == 0 {
			l := logic.App(sym, logic.Pre)
			limits = append(limits, l)
			questions = append(questions,
				s.obligation(v.String()+" is at most "+sym.Name, logic.Le(v.term, l)).Probe())
		}
	}
	s.quick.All(ctx,
		[]*discharge.Group{{Theory: s.p.theory(true, vc.Versions{}), Obligations: questions,
			Path: vc.Path{Kind: result.ToInduction, States: []vc.Versions{{}}}}})
	for i, o := range questions {
		if o.Verdict == result.Holds {
			v.limit = limits[i]
			break
		}
	}
	return v.limit
}

// parameter is a number that is not part of the system, such as the size of a sort.
func (s *search) parameter(name string) *logic.Term {
	return logic.App(&logic.Symbol{Name: name, Kind: logic.Constant, Result: logic.Int}, logic.Pre)
}

// size is the number of values of a sort.
func (s *search) size(sort *logic.Sort) *logic.Term {
	switch sort.Kind {
	case logic.KindBool:
		return logic.IntLit(2)
	case logic.KindEnum:
		return logic.IntLit(int64(len(sort.Members)))
	case logic.KindRange:
		return plus(logic.Sub(sort.Hi, sort.Lo), logic.IntLit(1))
	}
	return s.parameter("|" + sort.Name + "|")
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
